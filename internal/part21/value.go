package part21

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
)

// Kind is what a parameter is (ISO 10303-21, section 6).
type Kind uint8

// The kinds of parameters.
const (
	Omitted     Kind = iota // $, or not there
	Derived                 // *
	Number                  // an integer or a real
	String                  // decoded
	Enumeration             // Text without its dots
	Reference               // ID
	List                    // List
	Typed                   // Text is the type, List its one value
	Binary                  // Text are its digits
)

// Value is one parameter.
type Value struct {
	Kind   Kind
	Text   string
	Number float64
	ID     int
	List   []Value
}

// Real is the number of a value, also of a typed one such as LENGTH_MEASURE(0.2).
func (v Value) Real() (float64, bool) {
	if v.Kind == Typed && len(v.List) == 1 {
		v = v.List[0]
	}
	return v.Number, v.Kind == Number
}

// String is the text of a value, also of a typed one such as LABEL('x'), "" where it has none.
func (v Value) String() string {
	if v.Kind == Typed && len(v.List) == 1 {
		v = v.List[0]
	}
	if v.Kind != String && v.Kind != Enumeration {
		return ""
	}
	return v.Text
}

// mostDepth is how deep lists may stand in each other; those of the schemas stand three deep.
const mostDepth = 32

// parser reads the parameters of one instance.
type parser struct {
	text []byte
	at   int
}

func parse(id int, body []byte) (Instance, bool) {
	p := parser{text: body}
	i := Instance{ID: id}
	complex := p.take('(')
	for {
		p.space()
		r, ok := p.record()
		if !ok {
			return i, false
		}
		i.Records = append(i.Records, r)
		if p.space(); !complex || p.take(')') {
			return i, p.end()
		}
	}
}

func (p *parser) record() (Record, bool) {
	r := Record{Keyword: p.word()}
	p.space()
	if r.Keyword == "" || !p.take('(') {
		return r, false
	}
	var ok bool
	r.Parameters, ok = p.list(0)
	return r, ok
}

// list reads what stands between parentheses, of which the first has been read.
func (p *parser) list(depth int) ([]Value, bool) {
	var out []Value
	if p.space(); p.take(')') {
		return out, true
	}
	for {
		v, ok := p.value(depth)
		if !ok {
			return nil, false
		}
		out = append(out, v)
		p.space()
		switch {
		case p.take(')'):
			return out, true
		case !p.take(','):
			return nil, false
		}
	}
}

func (p *parser) value(depth int) (Value, bool) {
	p.space()
	if p.at == len(p.text) || depth > mostDepth {
		return Value{}, false
	}
	switch b := p.text[p.at]; {
	case p.take('$'):
		return Value{Kind: Omitted}, true
	case p.take('*'):
		return Value{Kind: Derived}, true
	case p.take('('):
		list, ok := p.list(depth + 1)
		return Value{Kind: List, List: list}, ok
	case p.take('#'):
		id, err := strconv.Atoi(p.word())
		return Value{Kind: Reference, ID: id}, err == nil
	case p.take('\''):
		return p.quoted()
	case p.take('"'):
		text, ok := p.until('"')
		return Value{Kind: Binary, Text: text}, ok
	case p.take('.'):
		text, ok := p.until('.')
		return Value{Kind: Enumeration, Text: text}, ok
	case b == '+', b == '-', b >= '0' && b <= '9':
		return p.number()
	}
	v := Value{Kind: Typed, Text: p.word()}
	if p.space(); v.Text == "" || !p.take('(') {
		return v, false
	}
	list, ok := p.list(depth + 1)
	v.List = list
	return v, ok
}

func (p *parser) number() (Value, bool) {
	start := p.at
	for p.at < len(p.text) && strings.IndexByte("+-.0123456789Ee", p.text[p.at]) >= 0 {
		p.at++
	}
	n, err := strconv.ParseFloat(string(p.text[start:p.at]), 64)
	return Value{Kind: Number, Number: n}, err == nil
}

func (p *parser) quoted() (Value, bool) {
	var raw []byte
	for p.at < len(p.text) {
		b := p.text[p.at]
		p.at++
		if b == '\'' && !p.take('\'') {
			return Value{Kind: String, Text: decoded(string(raw))}, true
		}
		if b != '\n' && b != '\r' { // a long text may be broken over lines
			raw = append(raw, b)
		}
	}
	return Value{}, false
}

func (p *parser) until(end byte) (string, bool) {
	n := slices.Index(p.text[p.at:], end)
	if n < 0 {
		return "", false
	}
	text := string(p.text[p.at : p.at+n])
	p.at += n + 1
	return text, true
}

// word reads letters, digits and underscores; an exclamation mark begins a word of the user's own.
func (p *parser) word() string {
	start := p.at
	for p.at < len(p.text) {
		b := p.text[p.at]
		if b != '_' && b != '!' && (b < '0' || b > '9') && (b < 'A' || b > 'Z') && (b < 'a' || b > 'z') {
			break
		}
		p.at++
	}
	return string(p.text[start:p.at])
}

func (p *parser) take(b byte) bool {
	if p.at < len(p.text) && p.text[p.at] == b {
		p.at++
		return true
	}
	return false
}

func (p *parser) space() {
	for p.at < len(p.text) && (p.text[p.at] == ' ' || p.text[p.at] == '\n' || p.text[p.at] == '\r' || p.text[p.at] == '\t') {
		p.at++
	}
}

func (p *parser) end() bool {
	p.space()
	return p.at == len(p.text)
}

// pages are those of ISO 8859 that a text may switch to by \PB\ and so on; ISO 10303-21
// begins with the first.
var pages = []*charmap.Charmap{charmap.ISO8859_1, charmap.ISO8859_2, charmap.ISO8859_3, charmap.ISO8859_4,
	charmap.ISO8859_5, charmap.ISO8859_6, charmap.ISO8859_7, charmap.ISO8859_8, charmap.ISO8859_9}

// upperHalf resolves \S\ and a letter, which stands for the one 128 places on in the page.
func upperHalf(s string) string {
	page := pages[0]
	return shifted.ReplaceAllStringFunc(s, func(all string) string {
		if all[1] == 'P' {
			page = pages[all[2]-'A']
			return ""
		}
		return string(page.DecodeByte(all[3] | 0x80))
	})
}

var (
	shifted    = regexp.MustCompile(`\\P[A-I]\\|\\S\\[ -~]`)
	longText   = regexp.MustCompile(`\\X4\\((?:[0-9A-F]{8})*)\\X0\\`)
	wideText   = regexp.MustCompile(`\\X2\\((?:[0-9A-F]{4})*)\\X0\\`)
	narrowText = regexp.MustCompile(`\\X\\([0-9A-F]{2})`)
)

// decoded resolves the escapes of a text (ISO 10303-21, section 6.4.3).
func decoded(s string) string {
	s = resolved(s)
	if !strings.ContainsFunc(s, unicode.IsControl) {
		return s
	}
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' && r != '\t' { // it would steer a terminal
			return ' '
		}
		return r
	}, s)
}

func resolved(s string) string {
	if !strings.Contains(s, `\`) {
		return s
	}
	s = upperHalf(s)
	s = longText.ReplaceAllStringFunc(s, func(all string) string {
		digits, text := longText.FindStringSubmatch(all)[1], ""
		for ; len(digits) >= 8; digits = digits[8:] {
			n, _ := strconv.ParseUint(digits[:8], 16, 32)
			text += string(rune(min(n, utf8.MaxRune)))
		}
		return text
	})
	s = wideText.ReplaceAllStringFunc(s, func(all string) string {
		digits := wideText.FindStringSubmatch(all)[1]
		var units []uint16
		for ; len(digits) >= 4; digits = digits[4:] {
			n, _ := strconv.ParseUint(digits[:4], 16, 16)
			units = append(units, uint16(n))
		}
		return string(utf16.Decode(units))
	})
	s = narrowText.ReplaceAllStringFunc(s, func(all string) string {
		n, _ := strconv.ParseUint(all[len(all)-2:], 16, 8)
		return string(rune(n))
	})
	return strings.ReplaceAll(s, `\\`, `\`)
}
