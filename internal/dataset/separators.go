package dataset

import (
	"bytes"
	"regexp"

	"atelier/internal/stat"
)

// separators are those that the header alone tells, beside the comma.
var separators = []byte{';', '\t'}

// declared is the separator that a first line names as Excel writes it: sep=; and
// the like.
func declared(line []byte) (byte, bool) {
	line = bytes.TrimRight(bytes.Trim(line, `"`), " ")
	if len(line) != 5 || !bytes.EqualFold(line[:4], []byte("sep=")) {
		return 0, false
	}
	switch c := line[4]; {
	case c == '"', c == '.', c == '-', c == '+', c >= 0x80, c < ' ' && c != '\t', c >= '0' && c <= '9', c|0x20 >= 'a' && c|0x20 <= 'z':
		return 0, false
	default:
		return c, true
	}
}

// separator is what stands between the fields: the most frequent in the header. A
// bar is one only where every line has as many, as texts may hold it.
func (c *csvTable) separator(header []byte) byte {
	best, most := byte(','), bytes.Count(header, []byte{','})
	for _, s := range separators {
		if n := bytes.Count(header, []byte{s}); n > most {
			best, most = s, n
		}
	}
	if n := bytes.Count(header, []byte{'|'}); n > most && c.allHave(n+1, '|') {
		best = '|'
	}
	return best
}

// ahead goes through the records that are read already, until visit says false;
// they stay to be read.
func (c *csvTable) ahead(visit func(record []byte) bool) {
	data := c.left
	if !c.done {
		data = data[:bytes.LastIndexByte(data, '\n')+1]
	}
	rows := &lines{piece: piece{data: bytes.Clone(data), quoted: bytes.IndexByte(data, '"') >= 0}}
	for {
		r, ok := rows.next()
		if !ok || len(r.text) > 0 && !visit(r.text) {
			return
		}
	}
}

// allHave says that there are records, and all have so many fields.
func (c *csvTable) allHave(fields int, comma byte) bool {
	n, all := 0, true
	c.ahead(func(record []byte) bool {
		n++
		f, err := (&splitter{comma: comma}).split(record)
		all = err == nil && len(f) == fields
		return all
	})
	return all && n > 0
}

// lookedAt is how many records tell that blanks separate fields.
const lookedAt = 1000

// inGroups is a number with blanks between its thousands.
var inGroups = regexp.MustCompile(`^[+-]?[0-9]{1,3}( [0-9]{3})+([.,][0-9]+)?$`)

// blanksBetween refuses a table of one column whose lines fall into as many parts
// as its name, or one more where rows are named, two of them numbers, or one that
// does not come first, as it does before a unit. Read as one column of texts, no
// number of it would be seen.
func (c *csvTable) blanksBetween(header []byte) error {
	names := bytes.Fields(header)
	if len(names) < 2 || bytes.IndexByte(header, '"') >= 0 {
		return nil
	}
	parts, rows, grouped := 0, 0, true
	var numbers []bool
	c.ahead(func(record []byte) bool {
		fields := bytes.Fields(record)
		if rows == 0 {
			parts, numbers = len(fields), make([]bool, len(fields))
			for i := range numbers {
				numbers[i] = true
			}
		}
		if len(fields) != parts || bytes.IndexByte(record, '"') >= 0 {
			parts = 0
			return false
		}
		for i, f := range fields {
			numbers[i] = numbers[i] && (missing(f) || standIn(f) || stat.IsNumber(string(f)))
		}
		rows++
		grouped = grouped && inGroups.Match(bytes.TrimSpace(record))
		return rows < lookedAt
	})
	if rows == 0 || grouped || parts != len(names) && parts != len(names)+1 {
		return nil
	}
	count := 0
	for _, is := range numbers {
		if is {
			count++
		}
	}
	if count == 0 || count == 1 && numbers[0] {
		return nil
	}
	return fault(1, "the lines hold %d fields with blanks between them, and no separator", parts).
		WithHint("Write a comma, a semicolon or a tabulator between the fields, in the first line too: %s. A name that holds blanks is put in quotes.", bytes.Join(names, []byte(",")))
}

// unnamed is how many fields at the end of the header have no name, as separators
// at the end of every line make them.
func unnamed(names []string) int {
	n := 0
	for n < len(names)-1 && names[len(names)-1-n] == "" {
		n++
	}
	return n
}

// cutEmpty leaves out the fields beyond the named columns, of which there may be
// some that are empty.
func cutEmpty(fields [][]byte, names, beyond, line int) ([][]byte, error) {
	for i := names; i < len(fields) && len(fields) <= names+beyond; i++ {
		if len(fields[i]) > 0 {
			return nil, fault(line, "line %d has a value in column %d, which has no name in the first line", line, i+1).
				WithHint("Every column needs a name in the first line.")
		}
	}
	if len(fields) > names && len(fields) <= names+beyond {
		return fields[:names], nil
	}
	return fields, nil
}
