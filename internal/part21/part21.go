// Package part21 reads exchange files of ISO 10303-21 (STEP text) instance by instance. The
// shape in them is for a CAD kernel to read; this is for what the file says beside it.
package part21

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"slices"
	"strconv"
)

// Instance is one entity instance of the data section.
type Instance struct {
	ID      int
	Records []Record // one, or several of a complex instance
}

// Record is an entity with its parameters.
type Record struct {
	Keyword    string
	Parameters []Value
}

// Record returns the first of the records with a keyword.
func (i Instance) Record(keyword string) (Record, bool) {
	for _, r := range i.Records {
		if r.Keyword == keyword {
			return r, true
		}
	}
	return Record{}, false
}

// Has says that the instance is a keyword, or a complex one that is it too.
func (i Instance) Has(keyword string) bool {
	_, ok := i.Record(keyword)
	return ok
}

// References are the instances that a record names, in its order.
func (r Record) References() []int { return references(nil, r.Parameters) }

// References are the instances that an instance names, in its order.
func (i Instance) References() []int {
	var out []int
	for _, r := range i.Records {
		out = references(out, r.Parameters)
	}
	return out
}

func references(out []int, values []Value) []int {
	for _, v := range values {
		if v.Kind == Reference {
			out = append(out, v.ID)
		}
		out = references(out, v.List)
	}
	return out
}

// At is the parameter with a number, from 0; one that is not there is Omitted.
func (r Record) At(n int) Value {
	if n < len(r.Parameters) {
		return r.Parameters[n]
	}
	return Value{}
}

// mostBytes is the longest instance whose parameters are read. Longer ones are lists of
// coordinates or facets.
const mostBytes = 16 << 20

// Read calls found for each instance of which wanted takes a keyword. Memory does not grow
// with the file, but for a bit for each number. Instances that break the syntax are passed
// over: what is wrong with the file is for the kernel that reads its shape to say.
func Read(r io.Reader, wanted func(keyword string) bool, found func(Instance)) (Missing, error) {
	s := statements{in: bufio.NewReaderSize(r, 1<<20)}
	var numbers numbers
	for {
		text, err := s.next()
		if errors.Is(err, io.EOF) {
			return numbers.missing(), nil
		}
		if err != nil {
			return Missing{}, err
		}
		id, body, ok := numbered(text)
		if !ok {
			continue
		}
		numbers.defined.add(id)
		numbers.name(body)
		if !slices.ContainsFunc(keywords(body), wanted) {
			continue
		}
		if i, ok := parse(id, body); ok {
			found(i)
		}
	}
}

// numbered divides "#12 = WORD(...)".
func numbered(text []byte) (id int, body []byte, ok bool) {
	head, body, ok := bytes.Cut(text, []byte("="))
	head = bytes.TrimSpace(head)
	if !ok || len(head) < 2 || head[0] != '#' {
		return 0, nil, false
	}
	id, err := strconv.Atoi(string(head[1:]))
	return id, bytes.TrimSpace(body), err == nil
}

// keywords are the names of the entities of an instance: those before the parentheses of
// the first level.
func keywords(body []byte) []string {
	if len(body) > 0 && body[0] != '(' {
		word, _, ok := bytes.Cut(body, []byte("("))
		if !ok {
			return nil
		}
		return []string{string(bytes.TrimSpace(word))}
	}
	var out []string
	depth, start, quoted := 0, 0, false
	for i, b := range body {
		switch {
		case b == '\'':
			quoted = !quoted // two quotes within a text close and open it
		case quoted:
		case b == '(':
			if depth++; depth == 2 {
				out = append(out, string(bytes.TrimSpace(body[start:i])))
			}
			start = i + 1
		case b == ')':
			depth--
			start = i + 1
		}
	}
	return out
}

// statements divides a file at its semicolons, without comments.
type statements struct {
	in  *bufio.Reader
	now []byte
}

// next is the next statement, without its semicolon; it holds until the one after it. Of one
// that is longer than mostBytes the rest is dropped.
func (s *statements) next() ([]byte, error) {
	s.now = s.now[:0]
	quoted := false
	for {
		b, err := s.in.ReadByte()
		if err != nil {
			return nil, err
		}
		switch {
		case b == '\'':
			quoted = !quoted
		case quoted:
		case b == ';':
			return s.now, nil
		case b == '/':
			if next, _ := s.in.Peek(1); len(next) == 1 && next[0] == '*' {
				if err := s.comment(); err != nil {
					return nil, err
				}
				continue
			}
		}
		if len(s.now) < mostBytes {
			s.now = append(s.now, b)
		}
	}
}

// comment passes over the rest of a comment of which the slash has been read.
func (s *statements) comment() error {
	_, _ = s.in.Discard(1) // the asterisk that was peeked at
	for last := byte(0); ; {
		b, err := s.in.ReadByte()
		if err != nil || last == '*' && b == '/' {
			return err
		}
		last = b
	}
}
