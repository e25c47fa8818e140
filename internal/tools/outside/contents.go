package outside

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"mime"
	"os"
	"path"
	"strings"

	"atelier/internal/contract"
	"atelier/internal/jsonvalue"
)

const (
	sniffed     = 64 << 10 // of a file are enough to know its kind by
	longestJSON = 8 << 20  // a longer file is not read to its end
)

// contents holds the files that an answer names to the media types that it gives
// them: callers open a picture as one, and hand a table on to what reads tables.
// What is no regular file, or not there, is refused when the files are kept.
func contents(dir string, files []contract.Artifact) error {
	root, err := os.OpenRoot(dir) // a link of the program's leads out of it no more
	if err != nil {
		return err
	}
	defer root.Close()
	primary := ""
	for i, a := range files {
		if a.Primary && primary != "" {
			return fmt.Errorf("named two primary artifacts, %q and %q (/artifacts/%d/primary): one file at most is what the call was made for", primary, a.Name, i)
		}
		if a.Primary {
			primary = a.Name
		}
		name := path.Clean(a.Name)
		info, err := root.Lstat(name)
		if err != nil || !info.Mode().IsRegular() {
			continue
		}
		if info.Size() == 0 && a.Primary {
			return fmt.Errorf("named the primary artifact %q (/artifacts/%d), which is empty", a.Name, i)
		}
		why, err := unlike(root, name, info.Size(), a.MIME)
		if err != nil {
			return err
		}
		if why != "" {
			return fmt.Errorf("gave the artifact %q the mime_type %s (/artifacts/%d/mime_type), and the file %s", a.Name, a.MIME, i, why)
		}
	}
	return nil
}

// unlike says why a file is not of a media type; "" where nothing speaks against it.
func unlike(root *os.Root, name string, size int64, mediaType string) (string, error) {
	kind, parameters, _ := mime.ParseMediaType(mediaType) // artifacts has parsed it
	kind = cmp.Or(otherNames[kind], kind)
	f, err := root.Open(name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	most := int64(sniffed)
	isJSON := kind == "application/json" || strings.HasSuffix(kind, "+json")
	if isJSON && size <= longestJSON {
		most = longestJSON
	}
	head, err := io.ReadAll(io.LimitReader(f, most))
	if err != nil {
		return "", err
	}
	switch {
	case isJSON && size <= longestJSON:
		what, hint := jsonvalue.Syntax(head)
		if what == "" {
			return "", nil
		}
		return strings.TrimSuffix("is not JSON: "+what+". "+hint, ". "), nil
	case isJSON:
		if c := bytes.TrimSpace(head); len(c) == 0 || !bytes.ContainsAny(c[:1], `{["`) {
			return "does not begin as JSON does", nil
		}
	case strings.HasPrefix(kind, "text/"):
		return noText(head, parameters["charset"]), nil
	case kind == "image/svg+xml":
		if !bytes.Contains(head, []byte("<svg")) && !bytes.Contains(head, []byte(":svg")) {
			return "has no <svg> element", nil
		}
	default:
		if good, known := signatures[kind]; known && !good(head) {
			return "does not begin as files of this kind do", nil
		}
	}
	return "", nil
}

// signatures are the beginnings of files by which their kinds are known: those of
// the formats' own documents.
var signatures = map[string]func([]byte) bool{
	"image/png":         begins("\x89PNG\r\n\x1a\n"),
	"image/jpeg":        begins("\xff\xd8\xff"),
	"image/bmp":         begins("BM"),
	"image/gif":         begins("GIF87a", "GIF89a"),
	"image/tiff":        begins("II*\x00", "MM\x00*", "II+\x00", "MM\x00+"),
	"image/webp":        func(b []byte) bool { return begins("RIFF")(b) && len(b) >= 12 && string(b[8:12]) == "WEBP" },
	"application/pdf":   func(b []byte) bool { return bytes.Contains(b[:min(len(b), 1024)], []byte("%PDF-")) },
	"application/zip":   begins("PK\x03\x04", "PK\x05\x06"),
	"application/gzip":  begins("\x1f\x8b"),
	"model/gltf-binary": begins("glTF"),
}

// otherNames are media types that are written for others.
var otherNames = map[string]string{"image/jpg": "image/jpeg", "image/pjpeg": "image/jpeg", "image/x-png": "image/png"}

func begins(with ...string) func([]byte) bool {
	return func(b []byte) bool {
		for _, s := range with {
			if bytes.HasPrefix(b, []byte(s)) {
				return true
			}
		}
		return false
	}
}

// noText: no text of one-byte units has a zero byte, and none begins as the usual
// pictures and archives do.
func noText(head []byte, charset string) string {
	if charset != "" && !strings.EqualFold(charset, "utf-8") && !strings.EqualFold(charset, "us-ascii") || begins("\xff\xfe", "\xfe\xff")(head) {
		return ""
	}
	for kind, is := range signatures {
		if kind != "image/tiff" && kind != "application/pdf" && len(head) > 0 && is(head) && bytes.ContainsFunc(head, func(r rune) bool { return r < 7 || r == '\ufffd' }) {
			return "is of the kind " + kind
		}
	}
	if bytes.IndexByte(head, 0) >= 0 {
		return "has zero bytes, as no text has"
	}
	return ""
}
