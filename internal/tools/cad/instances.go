package cad

import (
	"bufio"
	"errors"
	"io"
	"strings"
)

// instance is one entity instance of ISO 10303-21, as far as it is of use here.
type instance struct {
	id         string   // digits behind its #
	keywords   []string // names of its entities: several of a complex instance
	references []string // digits of the instances that a unit context names
	last       string   // the instance that it names last: of a representation, its context
	texts      []string // its strings, quotes removed
}

func (i *instance) has(keyword string) bool {
	for _, k := range i.keywords {
		if k == keyword {
			return true
		}
	}
	return false
}

// isShape says that the instance is a representation of a shape.
func (i *instance) isShape() bool {
	for _, k := range i.keywords {
		if strings.HasSuffix(k, "SHAPE_REPRESENTATION") && k != "CONTEXT_DEPENDENT_SHAPE_REPRESENTATION" {
			return true
		}
	}
	return false
}

// longestText is as much of a string as is kept.
const longestText = 1 << 10

// eachInstance reads a file of ISO 10303-21 byte by byte: memory does not grow with it.
func eachInstance(r io.Reader, found func(instance)) error {
	s := &statements{in: bufio.NewReaderSize(r, 1<<20), found: found}
	for {
		b, err := s.in.ReadByte()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil {
			err = s.take(b)
		}
		if err != nil {
			return err
		}
	}
}

type statements struct {
	in    *bufio.Reader
	found func(instance)
	now   instance
	word  []byte // of letters, digits and _, or a # and digits
	last  []byte // digits of the last reference
}

func (s *statements) take(b byte) error {
	switch {
	case b >= 'A' && b <= 'Z', b >= '0' && b <= '9', b == '_':
		if len(s.word) < longestText {
			s.word = append(s.word, b)
		}
		return nil
	case b == '#':
		s.word = append(s.word[:0], b)
		return nil
	case b == '\'':
		return s.text()
	case b == '/':
		return s.comment()
	}
	if b == ' ' || b == '\n' || b == '\r' || b == '\t' {
		return nil // may stand between a keyword and its parenthesis
	}
	s.end(b)
	if b == ';' {
		if s.now.isShape() {
			s.now.last = string(s.last)
		}
		s.found(s.now)
		s.now = instance{}
	}
	return nil
}

// end takes the word that b ends.
func (s *statements) end(b byte) {
	word := s.word
	s.word = s.word[:0]
	switch {
	case len(word) == 0:
	case word[0] == '#' && b == '=':
		s.now.id = string(word[1:])
	case word[0] == '#':
		s.last = append(s.last[:0], word[1:]...)
		if s.now.has("GLOBAL_UNIT_ASSIGNED_CONTEXT") { // the only one whose references are asked for
			s.now.references = append(s.now.references, string(word[1:]))
		}
	case b == '(' && len(s.now.keywords) < 20:
		s.now.keywords = append(s.now.keywords, string(word))
	}
}

// text reads a string to its end; two quotes are one within it.
func (s *statements) text() error {
	var text []byte
	for {
		b, err := s.in.ReadByte()
		if errors.Is(err, io.EOF) {
			return nil // the engine says what is wrong with the file
		}
		if err != nil {
			return err
		}
		if b == '\'' {
			if next, _ := s.in.Peek(1); len(next) == 0 || next[0] != '\'' {
				break
			}
			_, _ = s.in.Discard(1) // the one that was peeked at
		}
		if len(text) < longestText {
			text = append(text, b)
		}
	}
	if len(s.now.texts) < 2 {
		s.now.texts = append(s.now.texts, string(text))
	}
	return nil
}

func (s *statements) comment() error {
	if next, _ := s.in.Peek(1); len(next) == 0 || next[0] != '*' {
		return nil
	}
	last := byte(0)
	for {
		b, err := s.in.ReadByte()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil || last == '*' && b == '/' {
			return err
		}
		last = b
	}
}
