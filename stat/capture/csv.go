package capture

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strings"
	"unicode/utf8"

	"atelier/contract"
)

// The most that a table may hold; beyond, it is no table but an accident.
const (
	maxRecord  = 4 << 20 // bytes of one record
	maxColumns = 4096
	maxName    = 256
)

// records reads a table record by record. The fields are valid until the next.
type records interface {
	names() []string
	next() ([][]byte, error) // io.EOF at the end
	line() int               // of the record read last
}

// csvRecords reads RFC 4180, with comma, semicolon or tabulator between the
// fields, which the header tells.
type csvRecords struct {
	in      *bufio.Reader
	comma   byte
	header  []string
	fields  [][]byte
	record  []byte // of a record that no single read holds
	at, now int
}

func fault(line int, format string, args ...any) *contract.Error {
	return contract.Errorf(contract.CodeFileUnreadable, format, args...).At("file").With("line", line)
}

func newCSV(r io.Reader) (*csvRecords, error) {
	c := &csvRecords{in: bufio.NewReaderSize(r, 1<<20)}
	if bom, _ := c.in.Peek(3); string(bom) == "\xef\xbb\xbf" {
		_, _ = c.in.Discard(3)
	}
	first, err := c.readRecord()
	for err == nil && len(first) == 0 {
		first, err = c.readRecord()
	}
	if errors.Is(err, io.EOF) {
		return nil, contract.Errorf(contract.CodeFileEmpty, "the table has no header").At("file")
	}
	if err != nil {
		return nil, err
	}
	c.comma = separator(first)
	fields, err := c.split(first)
	if err != nil {
		return nil, err
	}
	if len(fields) > maxColumns {
		return nil, fault(c.now, "the header has %d columns; at most %d are read", len(fields), maxColumns)
	}
	for _, f := range fields {
		c.header = append(c.header, strings.TrimSpace(string(f)))
	}
	return c, checkNames(c.header)
}

func checkNames(names []string) error {
	seen := map[string]bool{}
	for i, name := range names {
		switch {
		case name == "":
			return fault(1, "column %d has no name", i+1).WithHint("Every column needs a name in the first line.")
		case len(name) > maxName || !utf8.ValidString(name):
			return fault(1, "the name of column %d is longer than %d bytes or not UTF-8", i+1, maxName)
		case seen[name]:
			return fault(1, "two columns are named %q", name).WithHint("Rename one of them.")
		}
		seen[name] = true
	}
	return nil
}

func separator(header []byte) byte {
	best, most := byte(','), bytes.Count(header, []byte{','})
	for _, s := range []byte{';', '\t'} {
		if n := bytes.Count(header, []byte{s}); n > most {
			best, most = s, n
		}
	}
	return best
}

func (c *csvRecords) names() []string { return c.header }
func (c *csvRecords) line() int       { return c.now }

func (c *csvRecords) next() ([][]byte, error) {
	for {
		record, err := c.readRecord()
		if err != nil {
			return nil, err
		}
		if len(record) == 0 && len(c.header) > 1 {
			continue // blank lines are no records, except of a single column
		}
		fields, err := c.split(record)
		if err != nil {
			return nil, err
		}
		if len(fields) != len(c.header) {
			return nil, fault(c.now, "line %d has %d fields; the header has %d", c.now, len(fields), len(c.header)).
				WithHint("Quote fields that hold the separator.")
		}
		return fields, nil
	}
}

// readRecord reads up to the end of a line that no quotes enclose, without it.
func (c *csvRecords) readRecord() ([]byte, error) {
	c.record, c.now = c.record[:0], c.at+1
	quotes := 0
	for {
		part, err := c.in.ReadSlice('\n')
		if len(c.record)+len(part) > maxRecord {
			return nil, fault(c.now, "the record at line %d has more than %d bytes", c.now, maxRecord).
				WithHint("Check that quotes are closed and that the file is a table.")
		}
		quotes += bytes.Count(part, []byte{'"'})
		if err == nil {
			c.at++
		}
		whole := err == nil && quotes%2 == 0
		if whole && len(c.record) == 0 {
			return trimEnd(part), nil
		}
		c.record = append(c.record, part...)
		switch {
		case whole:
			return trimEnd(c.record), nil
		case errors.Is(err, io.EOF):
			if len(c.record) == 0 {
				return nil, io.EOF
			}
			if quotes%2 == 1 {
				return nil, fault(c.now, "the quotes that open at line %d are not closed", c.now)
			}
			c.at++
			return trimEnd(c.record), nil
		case err != nil && !errors.Is(err, bufio.ErrBufferFull):
			return nil, err
		}
	}
}

func trimEnd(line []byte) []byte { return bytes.TrimRight(line, "\r\n") }

func (c *csvRecords) split(record []byte) ([][]byte, error) {
	c.fields = c.fields[:0]
	for {
		record = bytes.TrimLeft(record, " ")
		if len(record) > 0 && record[0] == '"' {
			field, rest, err := c.quoted(record[1:])
			if err != nil {
				return nil, err
			}
			c.fields = append(c.fields, field)
			if rest == nil {
				return c.fields, nil
			}
			record = rest
			continue
		}
		end := bytes.IndexByte(record, c.comma)
		if end < 0 {
			c.fields = append(c.fields, bytes.TrimRight(record, " "))
			return c.fields, nil
		}
		c.fields = append(c.fields, bytes.TrimRight(record[:end], " "))
		record = record[end+1:]
	}
}

// quoted reads a field after its opening quote; rest is nil at the record's end.
func (c *csvRecords) quoted(in []byte) (field, rest []byte, err error) {
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
		return nil, nil, fault(c.now, "line %d has text after a closing quote", c.now)
	}
	return nil, nil, fault(c.now, "line %d has a quote that is not closed", c.now)
}
