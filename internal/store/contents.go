package store

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"

	"github.com/klauspost/compress/gzip"

	"atelier/internal/contract"
)

// Content is something that the maker of a file is looked for by.
type Content struct {
	SHA256 string `json:"sha256"`
	// JobID is the job that the reference to the file named; "" for none.
	JobID string `json:"job_id,omitempty"`
}

// Contents are the hash of a file and, where that is compressed by gzip, of what
// it holds: packing a file makes nothing of it that it was not before.
func Contents(file io.ReadSeeker) ([]Content, error) {
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	hash := sha256.New()
	size, err := io.Copy(hash, file)
	if err != nil {
		return nil, err
	}
	contents := []Content{{SHA256: hex.EncodeToString(hash.Sum(nil))}}
	if sha, ok := unpacked(file, size); ok {
		contents = append(contents, Content{SHA256: sha})
	}
	return contents, nil
}

// FileContents are the Contents of the file at a path; sha is its hash where that
// is known, "" where it is not.
func FileContents(path, sha string) ([]Content, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if sha == "" {
		return Contents(f)
	}
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	contents := []Content{{SHA256: sha}}
	if inside, ok := unpacked(f, info.Size()); ok {
		contents = append(contents, Content{SHA256: inside})
	}
	return contents, nil
}

// unpacked is the hash of what a file holds; false where it is not compressed, or
// not whole.
func unpacked(file io.ReadSeeker, size int64) (string, bool) {
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return "", false
	}
	packed := bufio.NewReader(file)
	if head, err := packed.Peek(2); err != nil || string(head) != "\x1f\x8b" {
		return "", false
	}
	in, err := gzip.NewReader(packed)
	if err != nil {
		return "", false
	}
	defer in.Close()
	hash, most := sha256.New(), contract.MostUnpacked(size)
	if n, err := io.Copy(hash, io.LimitReader(in, most+1)); err != nil || n > most {
		return "", false
	}
	return hex.EncodeToString(hash.Sum(nil)), true
}
