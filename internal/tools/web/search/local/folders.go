package local

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/blevesearch/bleve/v2"

	"atelier/internal/contract"
	"atelier/internal/tools/web/fetch/extract"
)

const (
	mostFiles   = 50_000
	largestFile = 16 << 20
	batchFiles  = 64
)

// mark is what is known of a file that was indexed; it lies in the index under
// its URL.
type mark struct {
	Modified int64 `json:"m"` // ns
	Size     int64 `json:"s"`
	Turn     int64 `json:"t"` // the look through the folders that saw it last
}

const marksKey = "files"

// refresh brings the index up to date with the folders: new and changed files
// come in, and those that are gone go out.
func (x *Index) refresh(ctx context.Context, index bleve.Index) []contract.Warning {
	if len(x.options.Folders) == 0 {
		return nil
	}
	x.scanMu.Lock()
	defer x.scanMu.Unlock()
	if time.Since(x.scanned) < x.options.Every {
		return nil
	}
	known := map[string]mark{}
	if raw, err := index.GetInternal([]byte(marksKey)); err == nil && len(raw) > 0 {
		_ = json.Unmarshal(raw, &known) // else all files are read again
	}
	s := &scan{index: index, known: known, turn: time.Now().UnixNano(), batch: index.NewBatch()}
	for _, folder := range x.options.Folders {
		if err := s.walk(ctx, folder); err != nil {
			s.warnings = append(s.warnings, contract.Warning{Code: "folder_unreadable", Message: fmt.Sprintf("The folder %s of --search-folder could not be read through: %v", filepath.Base(folder), reason(err))})
			s.partial = true
		}
	}
	if !s.partial {
		for address, m := range known {
			if m.Turn != s.turn {
				s.batch.Delete(address)
				delete(known, address)
			}
		}
	}
	if raw, err := json.Marshal(known); err == nil {
		s.batch.SetInternal([]byte(marksKey), raw)
	}
	if err := s.flush(0); err != nil {
		s.warnings = append(s.warnings, contract.Warning{Code: "folder_not_indexed", Message: "The search index could not be written: " + err.Error()})
	} else if !s.partial {
		x.scanned = time.Now()
	}
	return s.warnings
}

func reason(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	return err
}

// scan is one look through the folders.
type scan struct {
	index    bleve.Index
	known    map[string]mark
	turn     int64
	batch    *bleve.Batch
	files    int
	partial  bool // it did not come to its end
	warnings []contract.Warning
}

func (s *scan) flush(least int) error {
	if s.batch.Size() <= least {
		return nil
	}
	err := s.index.Batch(s.batch)
	s.batch = s.index.NewBatch()
	return err
}

func (s *scan) walk(ctx context.Context, folder string) error {
	root, err := filepath.Abs(folder)
	if err != nil {
		return err
	}
	return filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil && path == root:
			return err
		case err != nil:
			return nil // one that may not be read is none that is found
		case strings.HasPrefix(d.Name(), ".") && path != root:
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		case d.IsDir() || !d.Type().IsRegular() || !readable(path):
			return nil
		}
		if s.files++; s.files > mostFiles {
			return fmt.Errorf("it holds more than %d texts", mostFiles)
		}
		return s.file(path, d)
	})
}

func (s *scan) file(path string, d fs.DirEntry) error {
	info, err := d.Info()
	if err != nil || info.Size() > largestFile || info.Size() == 0 {
		return nil
	}
	address := (&url.URL{Scheme: "file", Path: filepath.ToSlash(path)}).String()
	m := mark{info.ModTime().UnixNano(), info.Size(), s.turn}
	before, seen := s.known[address]
	s.known[address] = m
	if seen && before.Modified == m.Modified && before.Size == m.Size {
		return nil
	}
	raw, err := os.ReadFile(path)
	if err != nil {
		delete(s.known, address)
		return nil
	}
	doc, ok := documentOf(path, raw)
	if !ok {
		return nil
	}
	doc.URL = address
	if doc.Date == "" {
		doc.Date = info.ModTime().UTC().Format(time.DateOnly)
	}
	if err := s.batch.Index(address, fields(doc)); err != nil {
		return err
	}
	return s.flush(batchFiles)
}

var kinds = map[string]func(raw []byte) Document{
	".md": plainText, ".markdown": plainText, ".txt": plainText, ".text": plainText, ".rst": plainText, ".org": plainText, ".adoc": plainText, ".tex": plainText,
	".html": webPage, ".htm": webPage, ".xhtml": webPage, ".ipynb": notebook,
}

func readable(path string) bool { return kinds[strings.ToLower(filepath.Ext(path))] != nil }

// documentOf reads a file by its kind; false when there is no text in it.
func documentOf(path string, raw []byte) (Document, bool) {
	d := kinds[strings.ToLower(filepath.Ext(path))](raw)
	if d.Title == "" {
		d.Title = filepath.Base(path)
	}
	return d, strings.TrimSpace(d.Text) != ""
}

func plainText(raw []byte) Document {
	if !utf8.Valid(raw) {
		text, _ := extract.Decode(raw, "")
		raw = []byte(text)
	}
	text := string(raw)
	return Document{Title: heading(text), Text: text}
}

// heading is the first line of a text when it is a heading of Markdown.
func heading(text string) string {
	line, _, _ := strings.Cut(strings.TrimLeft(text, " \t\r\n\ufeff"), "\n")
	if title, ok := strings.CutPrefix(line, "#"); ok {
		return strings.TrimSpace(strings.TrimLeft(title, "#"))
	}
	return ""
}

func webPage(raw []byte) Document {
	d := extract.Read(extract.Request{Body: raw, Kind: extract.HTML, Mode: extract.Outline})
	return Document{Title: d.Title, Text: d.Text, Lang: d.Lang}
}

// notebook reads the sources of a Jupyter notebook's cells.
func notebook(raw []byte) Document {
	var book struct {
		Cells []struct {
			Source json.RawMessage `json:"source"`
		} `json:"cells"`
	}
	if json.Unmarshal(raw, &book) != nil {
		return Document{}
	}
	var b strings.Builder
	for _, cell := range book.Cells {
		var lines []string
		var text string
		if json.Unmarshal(cell.Source, &lines) == nil {
			text = strings.Join(lines, "")
		} else if json.Unmarshal(cell.Source, &text) != nil {
			continue
		}
		b.WriteString(text + "\n\n")
	}
	return Document{Title: heading(b.String()), Text: b.String()}
}
