package modelserver

import (
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// A log is rotated when it is larger than maxLog; one earlier part is kept.
const (
	maxLog    = 8 << 20
	tailLines = 40
	tailBytes = 6 << 10
)

func logPath(folder string, port int) string {
	return filepath.Join(folder, strconv.Itoa(port)+".log")
}

// openLog opens the log for a server that is about to start. The server itself
// writes into the file, so that it need not die with its starter; the file is
// opened for appending, so that it may be cut under its writer.
func openLog(path string) (*os.File, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, err
	}
	return os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
}

// rotate copies a log that has grown too large to path.1 and empties it. Lines
// that are written between the two are lost.
func rotate(path string, most int64) error {
	info, err := os.Stat(path)
	if err != nil || info.Size() <= most {
		return err
	}
	from, err := os.Open(path)
	if err != nil {
		return err
	}
	defer from.Close()
	to, err := os.OpenFile(path+".1", os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	if _, err := from.Seek(-most, io.SeekEnd); err != nil {
		_ = to.Close()
		return err
	}
	_, err = io.Copy(to, io.LimitReader(from, most))
	if closed := to.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return err
	}
	return os.Truncate(path, 0)
}

// tail is the end of what a server wrote since an offset, without secrets.
func tail(path string, from int64) string {
	f, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return ""
	}
	if from > info.Size() { // it was cut meanwhile
		from = 0
	}
	raw, _ := io.ReadAll(io.NewSectionReader(f, max(from, info.Size()-64<<10), 64<<10)) // what can be read is told
	lines := strings.Split(strings.TrimRight(redact(strings.ToValidUTF8(string(raw), "\uFFFD")), "\n"), "\n")
	lines = lines[max(0, len(lines)-tailLines):]
	text := strings.Join(lines, "\n")
	for len(text) > tailBytes && strings.Contains(text, "\n") {
		_, text, _ = strings.Cut(text, "\n")
	}
	if len(text) > tailBytes {
		text = strings.ToValidUTF8(text[len(text)-tailBytes:], "")
	}
	return text
}

// secrets are the shapes of tokens, and what is called one.
var secrets = []*regexp.Regexp{
	regexp.MustCompile(`\b(hf_|sk-|ghp_|xox[bp]-)[A-Za-z0-9_-]{8,}`),
	regexp.MustCompile(`(?i)\b(bearer\s+)[A-Za-z0-9._~+/=-]{8,}`),
	regexp.MustCompile(`(?i)((?:token|secret|password|passwd|api[_-]?key)["']?\s*[=:]\s*["']?)[^\s"',;&]{4,}`),
	regexp.MustCompile(`(://[^/\s:@]+:)[^/\s@]+@`),
}

func redact(text string) string {
	for i, pattern := range secrets {
		with := "${1}[redacted]"
		if i == len(secrets)-1 {
			with += "@"
		}
		text = pattern.ReplaceAllString(text, with)
	}
	return text
}
