package python

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// str reads a string whose prefix has been passed.
func (l *lexer) str(prefix string) {
	start := l.pos
	quote := l.src[start : start+1]
	if strings.HasPrefix(l.src[start:], strings.Repeat(quote, 3)) {
		quote = strings.Repeat(quote, 3)
	}
	l.pos += len(quote)
	t := token{kind: tokString, start: start, prefix: prefix}
	raw, format := strings.Contains(prefix, "r"), strings.Contains(prefix, "f")
	var b strings.Builder
	for {
		if l.pos >= len(l.src) {
			fail(start, "unterminated string literal")
		}
		rest := l.src[l.pos:]
		switch c := rest[0]; {
		case strings.HasPrefix(rest, quote):
			l.pos += len(quote)
			t.end, t.value = l.pos, b.String()
			t.text = l.src[t.start:t.end]
			l.tokens = append(l.tokens, t)
			return
		case (c == '\n' || c == '\r') && len(quote) == 1:
			fail(start, "unterminated string literal")
		case c == '\\' && format && raw && len(rest) > 1 && (rest[1] == '{' || rest[1] == '}'):
			b.WriteByte(c)
			l.pos++
		case c == '\\':
			l.escape(&b, start, prefix)
		case format && (strings.HasPrefix(rest, "{{") || strings.HasPrefix(rest, "}}")):
			b.WriteByte(c)
			l.pos += 2
		case format && c == '{':
			l.field(&t, quote)
		case format && c == '}':
			fail(l.pos, "f-string: single '}' is not allowed")
		default:
			if strings.Contains(prefix, "b") && c >= utf8.RuneSelf {
				fail(l.pos, "bytes can only contain ASCII literal characters")
			}
			b.WriteByte(c)
			l.pos++
		}
	}
}

// escape reads a backslash and what it stands for.
func (l *lexer) escape(b *strings.Builder, start int, prefix string) {
	if l.pos+1 >= len(l.src) {
		fail(start, "unterminated string literal")
	}
	c := l.src[l.pos+1]
	if strings.Contains(prefix, "r") {
		b.WriteString(l.src[l.pos : l.pos+2])
		l.pos += 2
		return
	}
	if at := strings.IndexByte(`abfnrtv\'"`, c); at >= 0 {
		b.WriteByte("\a\b\f\n\r\t\v\\'\""[at])
		l.pos += 2
		return
	}
	wide := map[byte]int{'x': 2, 'u': 4, 'U': 8}[c]
	bytesOnly := strings.Contains(prefix, "b") && c != 'x'
	switch {
	case c == '\n':
		l.pos += 2
	case c == '\r':
		l.pos++
		l.newline()
	case wide > 0 && !bytesOnly:
		if l.pos+2+wide > len(l.src) {
			fail(l.pos, "truncated escape in a string")
		}
		n, err := strconv.ParseUint(l.src[l.pos+2:l.pos+2+wide], 16, 32)
		if err != nil || n > 0x10ffff {
			fail(l.pos, "malformed escape in a string")
		}
		b.WriteRune(rune(n))
		l.pos += 2 + wide
	case c == 'N' && !strings.Contains(prefix, "b"):
		end := strings.IndexByte(l.src[l.pos:], '}')
		if !strings.HasPrefix(l.src[l.pos:], `\N{`) || end < 4 {
			fail(l.pos, `malformed \N character escape`)
		}
		b.WriteString(l.src[l.pos : l.pos+end+1])
		l.pos += end + 1
	case c >= '0' && c <= '7':
		end := l.pos + 2
		for end < len(l.src) && end < l.pos+4 && l.src[end] >= '0' && l.src[end] <= '7' {
			end++
		}
		n, _ := strconv.ParseUint(l.src[l.pos+1:end], 8, 32) // at most three octal digits
		b.WriteRune(rune(n))
		l.pos = end
	default:
		b.WriteByte('\\')
		l.pos++
	}
}

// deepestField is as many fields inside one another as are read; CPython's own
// limit is 150.
const deepestField = 50

// field reads a replacement field of an f-string, from its brace to the one
// that closes it (PEP 701).
func (l *lexer) field(t *token, quote string) {
	open := l.pos
	l.pos++
	sub := &lexer{src: l.src, pos: l.pos, open: []byte{'{'}, fields: l.fields + 1}
	if sub.fields > deepestField {
		fail(open, "f-string: too deeply nested")
	}
	part := len(t.parts)
	t.parts = append(t.parts, nil)
	for {
		sub.blanks()
		if sub.pos >= len(sub.src) {
			fail(open, "f-string: expecting '}'")
		}
		if c := sub.src[sub.pos]; c == '\n' || c == '\r' {
			sub.newline()
			continue
		}
		if len(sub.open) == 1 && sub.endsExpression() {
			break
		}
		sub.token()
	}
	if len(sub.tokens) == 0 {
		fail(open, "f-string: valid expression required before '}'")
	}
	end := token{kind: tokEnd, start: sub.pos, end: sub.pos}
	t.parts[part] = append(sub.tokens, end)
	l.pos = sub.pos
	if l.src[l.pos] == '=' {
		l.pos++
		for l.blanks(); l.pos < len(l.src) && (l.src[l.pos] == '\n' || l.src[l.pos] == '\r'); l.blanks() {
			l.newline()
		}
	}
	l.conversion()
	if l.pos < len(l.src) && l.src[l.pos] == ':' {
		l.pos++
		l.formatSpec(t, open, quote)
	}
	if l.pos >= len(l.src) || l.src[l.pos] != '}' {
		fail(open, "f-string: expecting '}'")
	}
	l.pos++
}

// endsExpression says whether the expression of a field ends here.
func (l *lexer) endsExpression() bool {
	rest := l.src[l.pos:]
	switch rest[0] {
	case '}', ':':
		return true
	case '!':
		return !strings.HasPrefix(rest, "!=")
	case '=':
		ahead := &lexer{src: l.src, pos: l.pos + 1}
		for ahead.blanks(); ahead.pos < len(l.src) && (l.src[ahead.pos] == '\n' || l.src[ahead.pos] == '\r'); ahead.blanks() {
			ahead.newline()
		}
		after := l.src[ahead.pos:]
		return after != "" && (after[0] == '}' || after[0] == ':' || after[0] == '!' && !strings.HasPrefix(after, "!="))
	}
	return false
}

func (l *lexer) conversion() {
	if l.pos >= len(l.src) || l.src[l.pos] != '!' {
		return
	}
	if l.pos+1 >= len(l.src) || strings.IndexByte("sra", l.src[l.pos+1]) < 0 {
		fail(l.pos, "f-string: invalid conversion character")
	}
	l.pos += 2
	l.blanks()
}

// formatSpec reads what follows the colon of a field; it may hold fields itself.
func (l *lexer) formatSpec(t *token, open int, quote string) {
	for l.pos < len(l.src) {
		switch {
		case l.src[l.pos] == '}' || strings.HasPrefix(l.src[l.pos:], quote):
			return
		case l.src[l.pos] == '{':
			l.fields++
			if l.fields > deepestField {
				fail(open, "f-string: too deeply nested")
			}
			l.field(t, quote)
			l.fields--
		default:
			l.pos++
		}
	}
	fail(open, "f-string: expecting '}'")
}
