package dataset

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
)

// jsonLines reads one JSON object a line. Columns are the keys in the order in
// which they first come; values are numbers, strings, booleans or null.
type jsonLines struct {
	in     *bufio.Reader
	header []string
	place  map[string]int
	fields [][]byte
	record []byte
	now    int
}

func newJSONLines(r io.Reader) *jsonLines {
	return &jsonLines{in: bufio.NewReaderSize(r, 1<<20), place: map[string]int{}}
}

// next returns the values of a line, by column, valid until the next; io.EOF at
// the end.
func (j *jsonLines) next() ([][]byte, error) {
	for {
		line, err := j.readLine()
		if err != nil {
			return nil, err
		}
		if line = bytes.TrimSpace(line); len(line) > 0 {
			return j.parse(line)
		}
	}
}

func (j *jsonLines) readLine() ([]byte, error) {
	j.record = j.record[:0]
	j.now++
	for {
		part, err := j.in.ReadSlice('\n')
		if len(j.record)+len(part) > maxRecord {
			return nil, fault(j.now, "line %d has more than %d bytes", j.now, maxRecord)
		}
		j.record = append(j.record, part...)
		switch {
		case err == nil:
			return j.record, nil
		case errors.Is(err, io.EOF):
			if len(j.record) == 0 {
				return nil, io.EOF
			}
			return j.record, nil
		case !errors.Is(err, bufio.ErrBufferFull):
			return nil, err
		}
	}
}

func (j *jsonLines) parse(line []byte) ([][]byte, error) {
	bad := func() error {
		return fault(j.now, "line %d is not a JSON object of numbers, strings, booleans and nulls", j.now)
	}
	dec := json.NewDecoder(bytes.NewReader(line))
	dec.UseNumber()
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return nil, bad()
	}
	for i := range j.fields {
		j.fields[i] = nil
	}
	seen := map[string]bool{}
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return nil, bad()
		}
		value, err := dec.Token()
		if err != nil {
			return nil, bad()
		}
		name, ok := key.(string)
		if !ok || seen[name] || strings.TrimSpace(name) == "" || len(name) > maxName {
			return nil, fault(j.now, "line %d has a key that is empty, too long, or there twice", j.now)
		}
		seen[name] = true
		field, ok := fieldOf(value)
		if !ok {
			return nil, bad()
		}
		at, known := j.place[name]
		if !known {
			if len(j.header) == maxColumns {
				return nil, fault(j.now, "the lines have more than %d keys", maxColumns)
			}
			at = len(j.header)
			j.place[name], j.header = at, append(j.header, name)
			j.fields = append(j.fields, nil)
		}
		j.fields[at] = field
	}
	if _, err := dec.Token(); err != nil || len(bytes.TrimSpace(line[dec.InputOffset():])) > 0 {
		return nil, bad()
	}
	return j.fields, nil
}

func fieldOf(value json.Token) ([]byte, bool) {
	switch v := value.(type) {
	case nil:
		return nil, true
	case json.Number:
		return []byte(v), true
	case string:
		return []byte(v), true
	case bool:
		if v {
			return []byte("true"), true
		}
		return []byte("false"), true
	}
	return nil, false
}
