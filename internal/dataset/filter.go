package dataset

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// The grammar of filters, by falling looseness:
//
//	or      = and { ("or" | "||") and }
//	and     = not { ("and" | "&&") not }
//	not     = ("not" | "!") not | compare
//	compare = sum [ ("==" | "=" | "!=" | "<>" | "<" | "<=" | ">" | ">=") sum
//	              | ["not"] "in" "(" sum { "," sum } ")"
//	              | ["not"] "between" sum "and" sum
//	              | "is" ["not"] "null" ]
//	sum     = product { ("+" | "-") product }
//	product = unary { ("*" | "/" | "%") unary }
//	unary   = "-" unary | primary
//	primary = number | 'text' | "text" | true | false | column | `column`
//	        | function "(" or { "," or } ")" | "(" or ")"
//
// Words are read in any case. A missing value makes a comparison unknown, and
// only rows of which the whole filter is true are selected (three-valued logic).

const (
	maxFilter = 10_000 // bytes
	maxDepth  = 100
)

// syntaxError is a fault of a filter at a byte of its text.
type syntaxError struct {
	at      int
	message string
}

func (e *syntaxError) Error() string { return e.message }

type tokenKind int

const (
	tokenEnd tokenKind = iota
	tokenNumber
	tokenText
	tokenWord   // a column, a function or a keyword
	tokenColumn // in backquotes
	tokenSign
)

type token struct {
	kind tokenKind
	text string // of a word, in its case; of a text, its content
	at   int
}

// is says that the token is this sign or keyword.
func (t token) is(words ...string) bool {
	for _, w := range words {
		if t.kind == tokenSign && t.text == w || t.kind == tokenWord && strings.EqualFold(t.text, w) {
			return true
		}
	}
	return false
}

func (t token) show() string {
	if t.kind == tokenEnd {
		return "the end"
	}
	return strconv.Quote(t.text)
}

func tokens(in string) ([]token, error) {
	if len(in) > maxFilter {
		return nil, &syntaxError{maxFilter, fmt.Sprintf("the filter has more than %d bytes", maxFilter)}
	}
	if !utf8.ValidString(in) {
		return nil, &syntaxError{0, "the filter is not UTF-8"}
	}
	var out []token
	for i := 0; ; {
		for i < len(in) && strings.IndexByte(" \t\r\n", in[i]) >= 0 {
			i++
		}
		if i == len(in) {
			return append(out, token{tokenEnd, "", i}), nil
		}
		t, n, err := scanToken(in, i)
		if err != nil {
			return nil, err
		}
		out = append(out, t)
		i += n
	}
}

func scanToken(in string, i int) (token, int, error) {
	c := in[i]
	switch {
	case c == '\'' || c == '"' || c == '`':
		return scanQuoted(in, i)
	case c >= '0' && c <= '9' || c == '.' && i+1 < len(in) && in[i+1] >= '0' && in[i+1] <= '9':
		n := scanNumber(in[i:])
		return token{tokenNumber, in[i : i+n], i}, n, nil
	}
	for _, sign := range []string{"==", "!=", "<>", "<=", ">=", "&&", "||"} {
		if strings.HasPrefix(in[i:], sign) {
			return token{tokenSign, sign, i}, 2, nil
		}
	}
	if strings.IndexByte("=<>!()+-*/%,", c) >= 0 {
		return token{tokenSign, string(c), i}, 1, nil
	}
	n := 0
	for _, r := range in[i:] {
		if r != '_' && !unicode.IsLetter(r) && (n == 0 || !unicode.IsDigit(r) && r != '.') {
			break
		}
		n += utf8.RuneLen(r)
	}
	if n == 0 {
		r, _ := utf8.DecodeRuneInString(in[i:])
		return token{}, 0, &syntaxError{i, fmt.Sprintf("%q is not expected", r)}
	}
	return token{tokenWord, in[i : i+n], i}, n, nil
}

func scanQuoted(in string, i int) (token, int, error) {
	quote, kind := in[i], tokenText
	if quote == '`' {
		kind = tokenColumn
	}
	var b strings.Builder
	for k := i + 1; k < len(in); k++ {
		if in[k] != quote {
			b.WriteByte(in[k])
			continue
		}
		if k+1 < len(in) && in[k+1] == quote {
			b.WriteByte(quote)
			k++
			continue
		}
		return token{kind, b.String(), i}, k + 1 - i, nil
	}
	return token{}, 0, &syntaxError{i, fmt.Sprintf("the %c is not closed", quote)}
}

func scanNumber(in string) int {
	digits := func(i int) int {
		for i < len(in) && in[i] >= '0' && in[i] <= '9' {
			i++
		}
		return i
	}
	n := digits(0)
	if n < len(in) && in[n] == '.' {
		n = digits(n + 1)
	}
	if n < len(in) && (in[n] == 'e' || in[n] == 'E') {
		m := n + 1
		if m < len(in) && (in[m] == '+' || in[m] == '-') {
			m++
		}
		if end := digits(m); end > m {
			n = end
		}
	}
	return n
}

// expr is a node of a parsed filter.
type expr struct {
	op   string // "number", "text", "bool", "column", "call", or an operator
	at   int
	num  float64
	text string // of a text; name of a column or function
	col  int
	args []*expr
	kind valueKind
}

type valueKind int

const (
	numberValue valueKind = iota
	textValue
	truthValue
)

func (k valueKind) String() string { return [...]string{"a number", "a text", "true or false"}[k] }

type parser struct {
	in    []token
	depth int
	info  *Info
}

// parseFilter reads a filter on the columns of a capture and checks its types.
func parseFilter(in string, info *Info) (*expr, error) {
	list, err := tokens(in)
	if err != nil {
		return nil, err
	}
	p := &parser{in: list, info: info}
	e, err := p.or()
	if err != nil {
		return nil, err
	}
	if t := p.in[0]; t.kind != tokenEnd {
		return nil, &syntaxError{t.at, fmt.Sprintf("%s is not expected here", t.show())}
	}
	if e.kind != truthValue {
		return nil, &syntaxError{e.at, fmt.Sprintf("the filter is %s, not a condition", e.kind)}
	}
	return e, nil
}

func (p *parser) take() token {
	t := p.in[0]
	if t.kind != tokenEnd {
		p.in = p.in[1:]
	}
	return t
}

func (p *parser) accept(words ...string) bool {
	if p.in[0].is(words...) {
		p.take()
		return true
	}
	return false
}

func (p *parser) expect(word string) error {
	if !p.accept(word) {
		return &syntaxError{p.in[0].at, fmt.Sprintf("%q is expected, not %s", word, p.in[0].show())}
	}
	return nil
}

// chain reads operands with left-associative operators between them.
func (p *parser) chain(name string, next func() (*expr, error), kind valueKind, words ...string) (*expr, error) {
	e, err := next()
	for err == nil && p.in[0].is(words...) {
		t := p.take()
		op := name
		if op == "" {
			op = t.text
		}
		var right *expr
		if right, err = next(); err != nil {
			break
		}
		e, err = typed(&expr{op: op, at: t.at, args: []*expr{e, right}, kind: kind}, kind)
	}
	return e, err
}

// typed checks that all operands are of a kind.
func typed(e *expr, kind valueKind) (*expr, error) {
	for _, a := range e.args {
		if a.kind != kind {
			return nil, &syntaxError{a.at, fmt.Sprintf("%s needs %s here, not %s", strconv.Quote(e.op), kind, a.kind)}
		}
	}
	return e, nil
}

func (p *parser) or() (*expr, error)  { return p.chain("or", p.and, truthValue, "or", "||") }
func (p *parser) and() (*expr, error) { return p.chain("and", p.not, truthValue, "and", "&&") }
func (p *parser) sum() (*expr, error) { return p.chain("", p.product, numberValue, "+", "-") }
func (p *parser) product() (*expr, error) {
	return p.chain("", p.unary, numberValue, "*", "/", "%")
}

// deeper bounds the recursion.
func (p *parser) deeper() (func(), error) {
	if p.depth++; p.depth > maxDepth {
		return nil, &syntaxError{p.in[0].at, fmt.Sprintf("the filter is nested more than %d deep", maxDepth)}
	}
	return func() { p.depth-- }, nil
}

func (p *parser) not() (*expr, error) {
	t := p.in[0]
	if !t.is("not", "!") {
		return p.compare()
	}
	up, err := p.deeper()
	if err != nil {
		return nil, err
	}
	defer up()
	p.take()
	e, err := p.not()
	if err != nil {
		return nil, err
	}
	return typed(&expr{op: "not", at: t.at, args: []*expr{e}, kind: truthValue}, truthValue)
}

func (p *parser) compare() (*expr, error) {
	left, err := p.sum()
	if err != nil {
		return nil, err
	}
	t := p.in[0]
	if t.is("==", "=", "!=", "<>", "<", "<=", ">", ">=") {
		p.take()
		right, err := p.sum()
		if err != nil {
			return nil, err
		}
		op := map[string]string{"=": "==", "<>": "!="}[t.text]
		if op == "" {
			op = t.text
		}
		return p.same(&expr{op: op, at: t.at, args: []*expr{left, right}, kind: truthValue})
	}
	if p.accept("is") {
		op := "null"
		if p.accept("not") {
			op = "not null"
		}
		if err := p.expect("null"); err != nil {
			return nil, err
		}
		return &expr{op: op, at: t.at, args: []*expr{left}, kind: truthValue}, nil
	}
	negated := p.in[0].is("not") && p.accept("not")
	var e *expr
	switch {
	case p.accept("in"):
		e, err = p.list(left, t.at)
	case p.accept("between"):
		e, err = p.between(left, t.at)
	case negated:
		return nil, &syntaxError{p.in[0].at, fmt.Sprintf("\"in\" or \"between\" is expected, not %s", p.in[0].show())}
	default:
		return left, nil
	}
	if err == nil && negated {
		e = &expr{op: "not", at: t.at, args: []*expr{e}, kind: truthValue}
	}
	return e, err
}

func (p *parser) list(left *expr, at int) (*expr, error) {
	if err := p.expect("("); err != nil {
		return nil, err
	}
	e := &expr{op: "in", at: at, args: []*expr{left}, kind: truthValue}
	for {
		item, err := p.sum()
		if err != nil {
			return nil, err
		}
		e.args = append(e.args, item)
		if !p.accept(",") {
			break
		}
	}
	if err := p.expect(")"); err != nil {
		return nil, err
	}
	return p.same(e)
}

func (p *parser) between(left *expr, at int) (*expr, error) {
	low, err := p.sum()
	if err != nil {
		return nil, err
	}
	if err := p.expect("and"); err != nil {
		return nil, err
	}
	high, err := p.sum()
	if err != nil {
		return nil, err
	}
	return p.same(&expr{op: "between", at: at, args: []*expr{left, low, high}, kind: truthValue})
}
