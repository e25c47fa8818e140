package python

import "strings"

type parser struct {
	tokens []token
	i      int
	loops  int // around the present place, inside the present function
	funcs  int
	depth  int // of nesting, so that hostile source cannot use up the stack
}

// deepest is the nesting that is read; CPython itself refuses more than 100
// indents and 200 open brackets.
const deepest = 400

// largest is the source that is read: a chain of operators makes a tree as deep
// as it is long.
const largest = 1 << 20

// Parse reads a module. The error is a *SyntaxError.
func Parse(src string) (module *Node, err error) {
	defer func() {
		switch p := recover().(type) {
		case nil:
		case syntaxError:
			line, column := Position(src, p.at)
			module, err = nil, &SyntaxError{line, column, p.message}
		default:
			panic(p)
		}
	}()
	if len(src) > largest {
		fail(largest, "source is larger than 1 MiB")
	}
	if at := strings.IndexByte(src, 0); at >= 0 {
		fail(at, "source code cannot contain null bytes")
	}
	p := &parser{tokens: (&lexer{src: src}).all()}
	module = &Node{Kind: "Module", End: len(src)}
	for p.peek().kind != tokEnd {
		module.Body = append(module.Body, p.statement()...)
	}
	return module, nil
}

// Position turns a byte offset into line and column, both from one.
func Position(src string, at int) (line, column int) {
	at = min(at, len(src))
	line = 1 + strings.Count(src[:at], "\n")
	return line, at - strings.LastIndexByte(src[:at], '\n')
}

func (p *parser) peek() *token { return &p.tokens[p.i] }

func (p *parser) next() *token {
	t := &p.tokens[p.i]
	if t.kind != tokEnd {
		p.i++
	}
	return t
}

func (p *parser) ahead(n int) *token { return &p.tokens[min(p.i+n, len(p.tokens)-1)] }

// is says whether the next token is that operator or keyword.
func (p *parser) is(text string) bool {
	t := p.peek()
	return t.text == text && (t.kind == tokOp || t.kind == tokName)
}

func (p *parser) accept(text string) bool {
	if p.is(text) {
		p.i++
		return true
	}
	return false
}

func (p *parser) expect(text string) *token {
	if !p.is(text) {
		p.wrong("expected '" + text + "'")
	}
	return p.next()
}

func (p *parser) wrong(message string) {
	t := p.peek()
	switch t.kind {
	case tokNewline, tokEnd:
		message += ", but the line ends"
	case tokIndent:
		message = "unexpected indent"
	case tokDedent:
		message += ", but the block ends"
	default:
		message += ", found '" + clip(t.text) + "'"
	}
	fail(t.start, message)
}

func clip(s string) string {
	if len(s) > 30 {
		return strings.ToValidUTF8(s[:30], "") + "…"
	}
	return s
}

func (p *parser) enter() {
	if p.depth++; p.depth > deepest {
		fail(p.peek().start, "too deeply nested")
	}
}

func (p *parser) node(kind string, start int) *Node { return &Node{Kind: kind, Start: start} }

// end closes a node at the end of the last token read.
func (p *parser) end(n *Node) *Node {
	if p.i > 0 {
		n.End = p.tokens[p.i-1].end
	}
	return n
}

// IsKeyword says whether a word is one of Python's own, so that no name can be it.
func IsKeyword(word string) bool { return keywords[word] }

var keywords = map[string]bool{}

func init() {
	for _, k := range strings.Fields("False None True and as assert async await break class continue def del elif else except finally for from global if import in is lambda nonlocal not or pass raise return try while with yield") {
		keywords[k] = true
	}
}

// name reads an identifier.
func (p *parser) name() *token {
	t := p.peek()
	if t.kind != tokName || keywords[t.text] {
		p.wrong("expected a name")
	}
	return p.next()
}

// startsExpression says whether an expression can begin here.
func (p *parser) startsExpression() bool {
	switch t := p.peek(); t.kind {
	case tokNumber, tokString:
		return true
	case tokName:
		if !keywords[t.text] {
			return true
		}
		switch t.text {
		case "False", "None", "True", "await", "lambda", "not", "yield":
			return true
		}
	case tokOp:
		switch t.text {
		case "(", "[", "{", "-", "+", "~", "...", "*":
			return true
		}
	}
	return false
}

// target makes an expression a target of an assignment, or refuses it. What
// names the kind of statement.
func target(n *Node, what string) {
	switch n.Kind {
	case "Name", "Attribute", "Subscript":
	case "Starred":
		if what == "delete" || n.X == nil {
			fail(n.Start, "cannot "+what+" starred")
		}
		target(n.X, what)
	case "Tuple", "List":
		for _, e := range n.Args {
			target(e, what)
		}
	default:
		fail(n.Start, "cannot "+what+" "+describe(n))
	}
}

// singleTarget is target for a place that takes no bare starred expression.
func singleTarget(n *Node, what string) {
	if n.Kind == "Starred" {
		fail(n.Start, "starred assignment target must be in a list or tuple")
	}
	target(n, what)
}

func describe(n *Node) string {
	switch n.Kind {
	case "Call":
		return "a function call"
	case "Constant", "JoinedStr":
		return "a literal"
	case "Compare":
		return "a comparison"
	case "Lambda":
		return "a lambda"
	case "Await":
		return "an await expression"
	}
	return "an expression"
}
