package dataset

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"atelier/internal/contract"
	"atelier/internal/stat"
)

// The most that a table may hold; beyond, it is no table but an accident.
const (
	maxRecord  = 4 << 20 // bytes of one record
	maxColumns = 4096
	maxName    = 256
)

func fault(line int, format string, args ...any) *contract.Error {
	return contract.Errorf(contract.CodeFileUnreadable, format, args...).At("file").With("line", line)
}

// csvTable reads RFC 4180, with comma, semicolon or tabulator between the fields,
// which the header tells, or a bar, or what a first line sep= names.
type csvTable struct {
	pieces
	comma  byte
	header []string
	beyond int // fields after the named columns, which are empty
}

func newCSV(r io.Reader) (*csvTable, error) {
	c := &csvTable{pieces: pieces{in: r, line: 1, free: make(chan []byte, 16)}}
	first, err := c.headerLine()
	if errors.Is(err, io.EOF) {
		return nil, contract.Errorf(contract.CodeFileEmpty, "the table has no header").At("file")
	}
	if err != nil {
		return nil, err
	}
	comma, told := declared(first.text)
	if c.comma = comma; told {
		if first, err = c.headerLine(); errors.Is(err, io.EOF) {
			return nil, contract.Errorf(contract.CodeFileEmpty, "the table has no header").At("file")
		} else if err != nil {
			return nil, err
		}
	} else {
		c.comma = c.separator(first.text)
	}
	header := bytes.Clone(first.text) // splitting moves what is in quotes
	fields, err := (&splitter{comma: c.comma, line: first.line}).split(first.text)
	if err != nil {
		return nil, err
	}
	if len(fields) > maxColumns {
		return nil, fault(first.line, "the header has %d columns; at most %d are read", len(fields), maxColumns)
	}
	for _, f := range fields {
		c.header = append(c.header, strings.TrimSpace(string(f)))
	}
	c.beyond = unnamed(c.header)
	c.header = c.header[:len(c.header)-c.beyond]
	if err := checkNames(c.header); err != nil || len(fields) > 1 {
		return c, err
	}
	return c, c.blanksBetween(header)
}

// headerLine takes the first record that is not blank off the table.
func (c *csvTable) headerLine() (record, error) {
	for {
		p, err := c.next()
		if err != nil {
			return record{}, err
		}
		if p.line == 1 {
			p.data = bytes.TrimPrefix(p.data, []byte("\xef\xbb\xbf"))
		}
		lines := &lines{piece: p}
		for {
			r, ok := lines.next()
			if !ok {
				break
			}
			if len(r.text) > 0 {
				r.text = bytes.Clone(r.text)
				defer c.release(p)
				c.left = append(append(c.memory(), lines.data[lines.pos:]...), c.left...)
				c.line = lines.line + 1
				return r, nil
			}
		}
	}
}

func checkNames(names []string) error {
	seen := map[string]bool{}
	for i, name := range names {
		switch {
		case name == "":
			return fault(1, "column %d has no name", i+1).WithHint("Every column needs a name in the first line.")
		case !utf8.ValidString(name):
			return fault(1, "the name of column %d is not UTF-8", i+1).WithHint(asUTF8)
		case len(name) > maxName:
			return fault(1, "the name of column %d is longer than %d bytes", i+1, maxName)
		case seen[name] && !slices.ContainsFunc(names, func(n string) bool { return !stat.IsNumber(n) }):
			return fault(1, "two columns are named %q", name).WithHint("The first line holds numbers alone: write a line with the names of the columns before it.")
		case seen[name]:
			return fault(1, "two columns are named %q", name).WithHint("Rename one of them.")
		}
		seen[name] = true
	}
	return nil
}

// asUTF8 is what to do with a text in another encoding.
const asUTF8 = "Save the table as UTF-8: spreadsheets offer CSV UTF-8, and iconv -f WINDOWS-1252 -t UTF-8 converts what Western Windows wrote."

// record is a line, or more where quotes enclose their ends, without its end.
type record struct {
	text []byte
	line int
}

// lines goes through the records of a piece.
type lines struct {
	piece
	pos int
}

// next is the next record; line is then that of its last line.
func (l *lines) next() (record, bool) {
	if l.pos >= len(l.data) {
		return record{}, false
	}
	start := l.pos
	if start > 0 {
		l.line++
	}
	r := record{line: l.line}
	inside := false
	for l.pos < len(l.data) {
		end := bytes.IndexByte(l.data[l.pos:], '\n')
		if end < 0 {
			l.pos = len(l.data)
			break
		}
		if l.quoted && bytes.Count(l.data[l.pos:l.pos+end], []byte{'"'})%2 == 1 {
			inside = !inside
		}
		l.pos += end + 1
		if !inside {
			break
		}
		if l.pos < len(l.data) {
			l.line++
		}
	}
	r.text = bytes.TrimRight(l.data[start:l.pos], "\r\n")
	return r, true
}

// splitter splits records into fields, which are valid until the next.
type splitter struct {
	comma  byte
	line   int
	fields [][]byte
	given  [][]byte // the fields with the spaces around them, where no quotes are
}

func (c *splitter) split(record []byte) ([][]byte, error) {
	c.fields, c.given = c.fields[:0], c.given[:0]
	for {
		if inner := bytes.TrimLeft(record, " "); len(inner) > 0 && inner[0] == '"' {
			field, rest, err := c.quoted(inner[1:])
			if err != nil {
				return nil, err
			}
			c.fields, c.given = append(c.fields, field), append(c.given, field)
			if rest == nil {
				return c.fields, nil
			}
			record = rest
			continue
		}
		field, rest, more := bytes.Cut(record, []byte{c.comma})
		c.fields, c.given = append(c.fields, bytes.Trim(field, " ")), append(c.given, field)
		if !more {
			return c.fields, nil
		}
		record = rest
	}
}

// quoted reads a field after its opening quote; rest is nil at the record's end.
func (c *splitter) quoted(in []byte) (field, rest []byte, err error) {
	out := in[:0] // the field never grows
	for i := 0; i < len(in); i++ {
		if in[i] != '"' {
			out = append(out, in[i])
			continue
		}
		if i+1 < len(in) && in[i+1] == '"' {
			out = append(out, '"')
			i++
			continue
		}
		after := bytes.TrimLeft(in[i+1:], " ")
		switch {
		case len(after) == 0:
			return out, nil, nil
		case after[0] == c.comma:
			return out, after[1:], nil
		}
		return nil, nil, fault(c.line, "line %d has text after a closing quote", c.line)
	}
	return nil, nil, fault(c.line, "line %d has a quote that is not closed", c.line)
}

// ragged is the error of a record with a wrong number of fields.
func ragged(line, fields int, names []string, record []byte) error {
	e := fault(line, "line %d has %d fields; the header has %d", line, fields, len(names))
	shown := strings.Join(names, ", ")
	if len(shown) > maxShown {
		shown = strings.ToValidUTF8(shown[:maxShown], "") + "…"
	}
	switch {
	case strings.HasPrefix(names[0], "#") || bytes.HasPrefix(record, []byte("#")):
		return e.WithHint("Remove the lines of comments (#): the first line holds the names of the columns, and every other one a row. The first line here is %s.", shown)
	case len(names) == 1:
		return e.WithHint("The first line, which holds the names of the columns, is %s: remove titles that stand before the names.", shown)
	case fields < len(names):
		return e.WithHint("Give the line a field for each column (%s); one without a value is left empty between its separators.", shown)
	}
	return e.WithHint("Quote fields that hold the separator, or remove those beyond the columns (%s).", shown)
}

// maxShown is how much of the names an error shows, in bytes.
const maxShown = 200
