package python

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

type tokenKind byte

const (
	tokName tokenKind = iota
	tokNumber
	tokString
	tokOp
	tokNewline
	tokIndent
	tokDedent
	tokEnd
)

type token struct {
	kind       tokenKind
	text       string // of names and operators
	start, end int
	prefix     string    // of strings, in lower case
	value      string    // of strings, escapes decoded
	parts      [][]token // of f-strings: the tokens of each replacement field
}

// lexer cuts source into tokens as Language Reference chapter 2 says.
type lexer struct {
	src     string
	pos     int
	open    []byte // the brackets that are open; inside them lines do not count
	indents []indent
	tokens  []token
	fields  int // of f-strings, around the present place
}

// indent is a column counted with tabs of eight, and with tabs of one: two lines
// whose order differs between the counts are inconsistent.
type indent struct{ wide, narrow int }

// syntaxError is what the lexer and the parser panic with.
type syntaxError struct {
	at      int
	message string
}

func fail(at int, message string) { panic(syntaxError{at, message}) }

func (l *lexer) all() []token {
	l.indents = []indent{{}}
	if strings.HasPrefix(l.src, "\ufeff") {
		l.pos = 3
	}
	fresh := true // at the beginning of a logical line
	for {
		if fresh {
			l.indentation()
			fresh = false
		}
		l.blanks()
		if l.pos >= len(l.src) {
			break
		}
		if c := l.src[l.pos]; c == '\n' || c == '\r' {
			at := l.pos
			l.newline()
			if len(l.open) == 0 {
				if n := len(l.tokens); n > 0 && l.tokens[n-1].kind < tokNewline {
					l.add(tokNewline, at)
				}
				fresh = true
			}
			continue
		}
		l.token()
	}
	if len(l.open) > 0 {
		fail(len(l.src), "'"+string(l.open[len(l.open)-1])+"' was never closed")
	}
	if n := len(l.tokens); n > 0 && l.tokens[n-1].kind < tokNewline {
		l.add(tokNewline, l.pos)
	}
	for range l.indents[1:] {
		l.add(tokDedent, l.pos)
	}
	l.add(tokEnd, l.pos)
	return l.tokens
}

func (l *lexer) add(kind tokenKind, start int) {
	l.tokens = append(l.tokens, token{kind: kind, text: l.src[start:l.pos], start: start, end: l.pos})
}

func (l *lexer) newline() {
	if strings.HasPrefix(l.src[l.pos:], "\r\n") {
		l.pos++
	}
	l.pos++
}

// blanks passes white space, comments and joined lines.
func (l *lexer) blanks() {
	for l.pos < len(l.src) {
		switch c := l.src[l.pos]; {
		case c == ' ' || c == '\t' || c == '\f':
			l.pos++
		case c == '#':
			for l.pos < len(l.src) && l.src[l.pos] != '\n' && l.src[l.pos] != '\r' {
				l.pos++
			}
		case c == '\\':
			at := l.pos
			l.pos++
			if l.pos >= len(l.src) || l.src[l.pos] != '\n' && l.src[l.pos] != '\r' {
				fail(at, "unexpected character after line continuation character")
			}
			if l.newline(); l.pos >= len(l.src) {
				fail(at, "unexpected end of file after a line continuation")
			}
		default:
			return
		}
	}
}

// indentation reads the white space that begins a logical line; blank lines and
// comments have none.
func (l *lexer) indentation() {
	for {
		var at indent
		start := l.pos
	measure:
		for l.pos < len(l.src) {
			switch l.src[l.pos] {
			case ' ':
				at.wide, at.narrow = at.wide+1, at.narrow+1
			case '\t':
				at.wide, at.narrow = (at.wide/8+1)*8, at.narrow+1
			case '\f':
				at = indent{}
			default:
				break measure
			}
			l.pos++
		}
		if l.pos < len(l.src) && l.src[l.pos] == '#' {
			l.blanks()
		}
		if l.pos >= len(l.src) {
			return
		}
		if c := l.src[l.pos]; c == '\n' || c == '\r' {
			l.newline()
			continue
		}
		if l.src[l.pos] == '\\' && l.pos == start {
			return // a line that only joins
		}
		l.indent(at)
		return
	}
}

func (l *lexer) indent(at indent) {
	top := l.indents[len(l.indents)-1]
	if (at.wide > top.wide) != (at.narrow > top.narrow) || (at.wide == top.wide) != (at.narrow == top.narrow) {
		fail(l.pos, "inconsistent use of tabs and spaces in indentation")
	}
	if at.wide > top.wide {
		l.indents = append(l.indents, at)
		l.add(tokIndent, l.pos)
		return
	}
	for at.wide < l.indents[len(l.indents)-1].wide {
		l.indents = l.indents[:len(l.indents)-1]
		l.add(tokDedent, l.pos)
	}
	if at.wide != l.indents[len(l.indents)-1].wide {
		fail(l.pos, "unindent does not match any outer indentation level")
	}
}

// token reads one token at a position that holds no white space.
func (l *lexer) token() {
	start := l.pos
	c := l.src[start]
	switch {
	case c >= '0' && c <= '9' || c == '.' && start+1 < len(l.src) && l.src[start+1] >= '0' && l.src[start+1] <= '9':
		l.number()
	case c == '"' || c == '\'':
		l.str("")
	case c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= utf8.RuneSelf:
		l.name()
	default:
		l.operator()
	}
}

func (l *lexer) name() {
	start := l.pos
	for l.pos < len(l.src) {
		r, size := utf8.DecodeRuneInString(l.src[l.pos:])
		ok := r == '_' || unicode.IsLetter(r) || unicode.Is(unicode.Nl, r) || unicode.Is(unicode.Other_ID_Start, r)
		if l.pos > start {
			ok = ok || unicode.IsDigit(r) || unicode.In(r, unicode.Mn, unicode.Mc, unicode.Pc, unicode.Other_ID_Continue)
		}
		if !ok || r == utf8.RuneError && size == 1 {
			break
		}
		l.pos += size
	}
	if l.pos == start {
		r, _ := utf8.DecodeRuneInString(l.src[start:])
		fail(start, "invalid character '"+string(r)+"'")
	}
	if l.pos < len(l.src) && (l.src[l.pos] == '"' || l.src[l.pos] == '\'') && l.pos-start <= 2 {
		switch prefix := strings.ToLower(l.src[start:l.pos]); prefix {
		case "r", "u", "b", "f", "br", "rb", "fr", "rf":
			l.str(prefix)
			l.tokens[len(l.tokens)-1].start = start
			return
		}
	}
	l.add(tokName, start)
}

var operators = []string{
	"**=", "//=", ">>=", "<<=", "...", "!=", "->", ":=", "**", "//", ">>", "<<", "<=", ">=", "==", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "@=",
	"+", "-", "*", "/", "%", "@", "&", "|", "^", "~", "<", ">", "(", ")", "[", "]", "{", "}", ",", ":", ".", ";", "=",
}

func (l *lexer) operator() {
	start := l.pos
	for _, op := range operators {
		if !strings.HasPrefix(l.src[start:], op) {
			continue
		}
		l.pos += len(op)
		switch op {
		case "(", "[", "{":
			l.open = append(l.open, op[0])
		case ")", "]", "}":
			n := len(l.open)
			if n == 0 {
				fail(start, "unmatched '"+op+"'")
			}
			if pair := string(l.open[n-1]) + op; pair != "()" && pair != "[]" && pair != "{}" {
				fail(start, "closing parenthesis '"+op+"' does not match opening parenthesis '"+string(l.open[n-1])+"'")
			}
			l.open = l.open[:n-1]
		}
		l.add(tokOp, start)
		return
	}
	fail(start, "invalid syntax: '"+l.src[start:start+1]+"'")
}

func (l *lexer) digits(allowed string) bool {
	start := l.pos
	for l.pos < len(l.src) {
		c := l.src[l.pos]
		if c == '_' && l.pos > start && l.src[l.pos-1] != '_' && l.pos+1 < len(l.src) && strings.IndexByte(allowed, l.src[l.pos+1]) >= 0 {
			l.pos++
			continue
		}
		if strings.IndexByte(allowed, c) < 0 {
			break
		}
		l.pos++
	}
	return l.pos > start
}

const decimal = "0123456789"

func (l *lexer) number() {
	start := l.pos
	bases := map[byte]string{'x': "0123456789abcdefABCDEF", 'o': "01234567", 'b': "01"}
	if l.src[start] == '0' && start+1 < len(l.src) {
		if allowed, ok := bases[l.src[start+1]|0x20]; ok {
			l.pos += 2
			if l.pos < len(l.src) && l.src[l.pos] == '_' {
				l.pos++
			}
			if !l.digits(allowed) {
				fail(start, "invalid number")
			}
			l.endNumber(start)
			return
		}
	}
	l.digits(decimal)
	whole := l.src[start:l.pos]
	real := false
	if l.pos < len(l.src) && l.src[l.pos] == '.' {
		real = true
		l.pos++
		l.digits(decimal)
	}
	if l.pos < len(l.src) && l.src[l.pos]|0x20 == 'e' {
		back := l.pos
		l.pos++
		if l.pos < len(l.src) && (l.src[l.pos] == '+' || l.src[l.pos] == '-') {
			l.pos++
		}
		if real = true; !l.digits(decimal) {
			l.pos = back
		}
	}
	if l.pos < len(l.src) && l.src[l.pos]|0x20 == 'j' {
		real = true
		l.pos++
	}
	if !real && len(whole) > 1 && whole[0] == '0' && strings.Trim(whole, "0_") != "" {
		fail(start, "leading zeros in decimal integer literals are not permitted")
	}
	l.endNumber(start)
}

// endNumber refuses letters that hang on a number, save for keywords: 1if x
// else y is Python still.
func (l *lexer) endNumber(start int) {
	end := l.pos
	l.add(tokNumber, start)
	if l.pos < len(l.src) {
		if c := l.src[l.pos]; c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= utf8.RuneSelf {
			for _, word := range []string{"and", "else", "for", "if", "in", "is", "not", "or"} {
				if strings.HasPrefix(l.src[end:], word) {
					return
				}
			}
			fail(start, "invalid number: a letter follows it")
		}
	}
}
