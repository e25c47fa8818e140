package geometry

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"unsafe"
)

// scanner walks over the words of a text file and knows its line.
type scanner struct {
	data []byte
	pos  int
	line int
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f' }

// word returns the next word of the present line, nil at its end. A backslash
// before the line's end joins the next line.
func (s *scanner) word() []byte {
	for s.pos < len(s.data) {
		c := s.data[s.pos]
		switch {
		case isSpace(c):
			s.pos++
		case c == '\\' && s.continues():
		case c == '\n' || c == '#':
			return nil
		default:
			start := s.pos
			for s.pos < len(s.data) {
				c := s.data[s.pos]
				if isSpace(c) || c == '\n' || c == '#' || (c == '\\' && s.endsLine()) {
					break
				}
				s.pos++
			}
			return s.data[start:s.pos]
		}
	}
	return nil
}

// endsLine says whether only blanks stand between the backslash here and the
// end of the line.
func (s *scanner) endsLine() bool {
	for i := s.pos + 1; i < len(s.data); i++ {
		if s.data[i] == '\n' {
			return true
		}
		if !isSpace(s.data[i]) {
			return false
		}
	}
	return true
}

// continues steps over a line continuation; an isolated backslash is skipped
// too, so that the scan always moves on.
func (s *scanner) continues() bool {
	if !s.endsLine() {
		return false
	}
	for s.pos < len(s.data) && s.data[s.pos] != '\n' {
		s.pos++
	}
	if s.pos < len(s.data) {
		s.pos++
		s.line++
	}
	return true
}

// rest returns the remainder of the present line, trimmed.
func (s *scanner) rest() []byte {
	start := s.pos
	for s.pos < len(s.data) && s.data[s.pos] != '\n' {
		s.pos++
	}
	return bytes.TrimSpace(s.data[start:s.pos])
}

// next moves to the start of the next line; false at the end of the file.
func (s *scanner) next() bool {
	for s.pos < len(s.data) && s.data[s.pos] != '\n' {
		s.pos++
	}
	if s.pos >= len(s.data) {
		return false
	}
	s.pos++
	s.line++
	return s.pos < len(s.data)
}

// token returns the next word of the file, over line ends and comments.
func (s *scanner) token() []byte {
	for {
		if w := s.word(); w != nil {
			return w
		}
		if !s.next() {
			return nil
		}
	}
}

var pow10 = [...]float64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11,
	1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22}

// parseFloat reads a decimal number, correctly rounded. Up to 2^53 as mantissa
// and 10^±22 as scale both factors are exact, so that one rounding is made
// (Clinger 1990); the rest goes to strconv.
func parseFloat(w []byte) (float64, bool) {
	i, neg := 0, false
	if i < len(w) && (w[i] == '-' || w[i] == '+') {
		neg = w[i] == '-'
		i++
	}
	var mant uint64
	exp, digits := 0, 0
	for ; i < len(w) && w[i]-'0' <= 9; i++ {
		mant, digits = mant*10+uint64(w[i]-'0'), digits+1
	}
	if i < len(w) && w[i] == '.' {
		for i++; i < len(w) && w[i]-'0' <= 9; i++ {
			mant, digits, exp = mant*10+uint64(w[i]-'0'), digits+1, exp-1
		}
	}
	if i < len(w) || digits == 0 || digits > 18 || mant > 1<<53 || exp < -22 {
		return parseFloatSlow(w)
	}
	f := float64(mant) / pow10[-exp]
	if neg {
		f = -f
	}
	return f, true
}

func parseFloatSlow(w []byte) (float64, bool) {
	if len(w) == 0 || bytes.ContainsAny(w, "_xXpP") {
		return 0, false
	}
	f, err := strconv.ParseFloat(unsafe.String(&w[0], len(w)), 64)
	if err != nil && !math.IsInf(f, 0) {
		return 0, false
	}
	return f, true
}

// parseInt reads a decimal integer that fits an int32 index.
func parseInt(w []byte) (int, bool) {
	i, neg := 0, false
	if len(w) > 0 && (w[0] == '-' || w[0] == '+') {
		neg, i = w[0] == '-', 1
	}
	if i == len(w) || len(w)-i > 10 {
		return 0, false
	}
	n := 0
	for ; i < len(w); i++ {
		if w[i]-'0' > 9 {
			return 0, false
		}
		n = n*10 + int(w[i]-'0')
	}
	if neg {
		n = -n
	}
	return n, true
}

// quote shows at most 40 bytes of a file's content in an error message.
func quote(w []byte) string {
	if w == nil {
		return "the end of the line"
	}
	if len(w) > 40 {
		return strconv.Quote(string(w[:40])) + "…"
	}
	return strconv.Quote(string(w))
}

// point reads three finite coordinates from the present line.
func (s *scanner) point() (Vec3, error) {
	var p Vec3
	for k := range 3 {
		w := s.word()
		f, ok := parseFloat(w)
		if !ok {
			return p, unreadable("line %d: expected coordinate %c as a number, found %s", s.line, "xyz"[k], quote(w))
		}
		p[k] = f
	}
	if !p.Finite() {
		return p, unreadable("line %d: the coordinates (%g, %g, %g) are not finite", s.line, p[0], p[1], p[2])
	}
	return p, nil
}

// marker introduces our metadata in the comments of text formats.
const marker = "atelier "

// parseMeta takes the metadata out of a comment's text; other comments are none
// of ours and malformed ones of ours are an error.
func parseMeta(comment []byte, meta *Meta) error {
	body, ours := bytes.CutPrefix(bytes.TrimSpace(comment), []byte(marker))
	if !ours || !bytes.HasPrefix(bytes.TrimSpace(body), []byte("{")) {
		return nil
	}
	if err := meta.read(body); err != nil {
		return fmt.Errorf("the atelier comment is not the JSON it should be: %w", err)
	}
	return nil
}

// read takes metadata out of JSON. A unit that no mesh may carry is none, as in an
// STL file: its name says nothing of the size, and no caller knows what to make of it.
func (m *Meta) read(raw []byte) error {
	if err := json.Unmarshal(raw, m); err != nil {
		return err
	}
	if !knownUnit(m.LengthUnit) {
		m.LengthUnit = ""
	}
	return nil
}

// metaJSON is the metadata on one line, "" when there is none.
func (m *Mesh) metaJSON() (string, error) {
	if m.Meta.LengthUnit == "" && len(m.Meta.Faces) == 0 {
		return "", nil
	}
	b, err := json.Marshal(m.Meta)
	if err != nil {
		return "", fmt.Errorf("mesh metadata: %w", err)
	}
	return string(b), nil
}
