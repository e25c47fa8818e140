package python

import (
	"slices"
	"strings"
)

// starExpressions reads what may stand alone or right of an equals sign: one
// expression, or several with commas, which are a Tuple; stars allowed.
func (p *parser) starExpressions() *Node {
	return p.list(func() *Node {
		if p.is("*") {
			return p.star()
		}
		return p.expression()
	})
}

// list reads one element, or several with commas, which are a Tuple.
func (p *parser) list(element func() *Node) *Node {
	start := p.peek().start
	first := element()
	if !p.is(",") {
		return first
	}
	tuple := p.node("Tuple", start)
	tuple.Args = []*Node{first}
	for p.accept(",") && p.startsExpression() {
		tuple.Args = append(tuple.Args, element())
	}
	return p.end(tuple)
}

func (p *parser) star() *Node {
	n := p.node("Starred", p.expect("*").start)
	n.X = p.binary(0)
	return p.end(n)
}

// starNamed reads an element of a display: a named expression or a starred one.
func (p *parser) starNamed() *Node {
	if p.is("*") {
		return p.star()
	}
	return p.named()
}

// named reads an expression, perhaps with := before it.
func (p *parser) named() *Node {
	left := p.expression()
	if !p.is(":=") {
		return left
	}
	if left.Kind != "Name" || p.ahead(-1).text != left.Name {
		fail(left.Start, "cannot use assignment expressions with "+describe(left))
	}
	p.next()
	n := p.node("NamedExpr", left.Start)
	n.Targets, n.X = []*Node{left}, p.expression()
	return p.end(n)
}

func (p *parser) yield() *Node {
	n := p.node("Yield", p.expect("yield").start)
	if p.accept("from") {
		n.X = p.expression()
	} else if p.startsExpression() {
		n.X = p.starExpressions()
	}
	return p.end(n)
}

func (p *parser) yieldOrStar() *Node {
	if p.is("yield") {
		return p.yield()
	}
	return p.starExpressions()
}

func (p *parser) expression() *Node {
	p.enter()
	defer func() { p.depth-- }()
	if p.is("lambda") {
		return p.lambda()
	}
	body := p.or()
	if !p.is("if") {
		return body
	}
	p.next()
	n := p.node("IfExp", body.Start)
	n.Args = []*Node{body, p.or()}
	p.expect("else")
	n.Args = append(n.Args, p.expression())
	return p.end(n)
}

func (p *parser) lambda() *Node {
	n := p.node("Lambda", p.expect("lambda").start)
	p.parameters(n, ":", false)
	p.expect(":")
	n.X = p.expression()
	return p.end(n)
}

func (p *parser) or() *Node  { return p.logical("or", p.and) }
func (p *parser) and() *Node { return p.logical("and", p.not) }

func (p *parser) logical(word string, operand func() *Node) *Node {
	first := operand()
	if !p.is(word) {
		return first
	}
	n := p.node("BoolOp", first.Start)
	n.Args = []*Node{first}
	for p.accept(word) {
		n.Args = append(n.Args, operand())
	}
	return p.end(n)
}

func (p *parser) not() *Node {
	if p.is("not") {
		p.enter()
		defer func() { p.depth-- }()
		n := p.node("UnaryOp", p.next().start)
		n.X = p.not()
		return p.end(n)
	}
	first := p.binary(0)
	n := p.node("Compare", first.Start)
	n.Args = []*Node{first}
	for p.comparison() {
		n.Args = append(n.Args, p.binary(0))
	}
	if len(n.Args) == 1 {
		return first
	}
	return p.end(n)
}

// comparison reads a comparison operator, if one is next.
func (p *parser) comparison() bool {
	t := p.peek()
	switch {
	case t.kind == tokOp && slices.Contains([]string{"==", "!=", "<", ">", "<=", ">="}, t.text), p.is("in"):
		p.next()
	case p.is("is"):
		p.next()
		p.accept("not")
	case p.is("not") && p.ahead(1).text == "in" && p.ahead(1).kind == tokName:
		p.i += 2
	default:
		return false
	}
	return true
}

// The levels of binary operators, loosest first.
var levels = [][]string{{"|"}, {"^"}, {"&"}, {"<<", ">>"}, {"+", "-"}, {"*", "/", "//", "%", "@"}}

func (p *parser) binary(level int) *Node {
	if level == len(levels) {
		return p.unary()
	}
	left := p.binary(level + 1)
	for p.peek().kind == tokOp && slices.Contains(levels[level], p.peek().text) {
		n := p.node("BinOp", left.Start)
		n.Name = p.next().text
		n.Args = []*Node{left, p.binary(level + 1)}
		left = p.end(n)
	}
	return left
}

func (p *parser) unary() *Node {
	p.enter()
	defer func() { p.depth-- }()
	if t := p.peek(); t.kind == tokOp && (t.text == "-" || t.text == "+" || t.text == "~") {
		n := p.node("UnaryOp", p.next().start)
		n.X = p.unary()
		return p.end(n)
	}
	base := p.await()
	if !p.is("**") {
		return base
	}
	p.next()
	n := p.node("BinOp", base.Start)
	n.Name, n.Args = "**", []*Node{base, p.unary()}
	return p.end(n)
}

func (p *parser) await() *Node {
	if !p.is("await") {
		return p.primary()
	}
	n := p.node("Await", p.next().start)
	n.X = p.primary()
	return p.end(n)
}

func (p *parser) primary() *Node {
	left := p.atom()
	for {
		n := p.node("", left.Start)
		n.X = left
		switch {
		case p.is("."):
			p.next()
			n.Kind, n.Name = "Attribute", p.name().text
		case p.is("("):
			n.Kind = "Call"
			p.arguments(n)
		case p.is("["):
			p.next()
			n.Kind = "Subscript"
			for {
				n.Args = append(n.Args, p.slice())
				if !p.accept(",") || p.is("]") {
					break
				}
			}
			p.expect("]")
		default:
			return left
		}
		left = p.end(n)
	}
}

func (p *parser) slice() *Node {
	if p.is("*") {
		return p.star()
	}
	n := p.node("Slice", p.peek().start)
	if !p.is(":") {
		first := p.named()
		if !p.is(":") {
			return first
		}
		n.Args = append(n.Args, first)
	}
	for range 2 {
		if p.accept(":") && p.startsExpression() {
			n.Args = append(n.Args, p.expression())
		}
	}
	return p.end(n)
}

// arguments reads the arguments of a call, brackets and all, into n.Args.
func (p *parser) arguments(n *Node) {
	p.expect("(")
	named, doubled := false, false
	for !p.is(")") {
		arg := p.argument()
		switch {
		case arg.Kind == "Keyword":
			named = true
			doubled = doubled || arg.Name == ""
		case arg.Kind == "Starred" && doubled:
			fail(arg.Start, "iterable argument unpacking follows keyword argument unpacking")
		case arg.Kind != "Starred" && named:
			fail(arg.Start, "positional argument follows keyword argument")
		case arg.Kind == "GeneratorExp" && arg.Text == "bare" && (len(n.Args) > 0 || p.is(",") && p.ahead(1).text != ")"):
			fail(arg.Start, "Generator expression must be parenthesized")
		}
		n.Args = append(n.Args, arg)
		if !p.accept(",") {
			break
		}
	}
	if !p.is(")") {
		p.wrong("expected ',' or ')'")
	}
	p.next()
}

func (p *parser) argument() *Node {
	t := p.peek()
	switch {
	case p.is("*"):
		n := p.node("Starred", p.next().start)
		n.X = p.expression()
		return p.end(n)
	case p.is("**"):
		n := p.node("Keyword", p.next().start)
		n.X = p.expression()
		return p.end(n)
	case t.kind == tokName && p.ahead(1).kind == tokOp && p.ahead(1).text == "=":
		n := p.node("Keyword", t.start)
		n.Name = p.name().text
		p.next()
		n.X = p.expression()
		return p.end(n)
	}
	value := p.named()
	if p.isFor() {
		generator := p.comprehension("GeneratorExp", t.start, value)
		generator.Text = "bare"
		return p.end(generator)
	}
	return value
}

func (p *parser) isFor() bool {
	return p.is("for") || p.is("async") && p.ahead(1).text == "for"
}

// comprehension reads the for and if clauses. X is the element (Args hold the
// value of a dict's); Handlers are the clauses: Targets, X and Args, its ifs.
func (p *parser) comprehension(kind string, start int, element ...*Node) *Node {
	n := p.node(kind, start)
	n.X, n.Args = element[0], element[1:]
	for _, e := range element {
		if e.Kind == "Starred" {
			fail(e.Start, "iterable unpacking cannot be used in comprehension")
		}
	}
	for p.isFor() {
		p.accept("async")
		clause := p.node("comprehension", p.expect("for").start)
		clause.Targets = []*Node{p.targets()}
		p.expect("in")
		clause.X = p.or()
		for p.accept("if") {
			clause.Args = append(clause.Args, p.condition())
		}
		n.Handlers = append(n.Handlers, p.end(clause))
	}
	return p.end(n)
}

// condition is an if of a comprehension: no conditional expression, := allowed.
func (p *parser) condition() *Node {
	left := p.or()
	if left.Kind == "Name" && p.accept(":=") {
		n := p.node("NamedExpr", left.Start)
		n.Targets, n.X = []*Node{left}, p.expression()
		return p.end(n)
	}
	return left
}

// targets reads the targets of for: no comparison, so that in ends them.
func (p *parser) targets() *Node {
	n := p.list(func() *Node {
		if p.is("*") {
			return p.star()
		}
		return p.binary(0)
	})
	singleTarget(n, "assign to")
	return n
}

func (p *parser) atom() *Node {
	t := p.peek()
	n := p.node("", t.start)
	switch {
	case t.kind == tokString:
		return p.strings()
	case t.kind == tokNumber:
		n.Kind, n.Name, n.Text = "Constant", "number", p.next().text
	case t.kind == tokName && (t.text == "None" || t.text == "True" || t.text == "False"):
		n.Kind, n.Name = "Constant", p.next().text
	case t.kind == tokName && !keywords[t.text]:
		n.Kind, n.Name = "Name", p.next().text
	case p.is("..."):
		n.Kind, n.Name = "Constant", p.next().text
	case p.is("("):
		return p.parenthesis()
	case p.is("["):
		return p.bracket()
	case p.is("{"):
		return p.brace()
	default:
		p.wrong("invalid syntax: expected an expression")
	}
	return p.end(n)
}

func (p *parser) parenthesis() *Node {
	start := p.expect("(").start
	if p.accept(")") {
		return p.end(p.node("Tuple", start))
	}
	if p.is("yield") {
		n := p.yield()
		p.expect(")")
		return n
	}
	n := p.list(p.starNamed)
	if p.isFor() {
		n = p.comprehension("GeneratorExp", start, n)
	} else if n.Kind == "Starred" {
		fail(n.Start, "cannot use starred expression here")
	}
	p.expect(")")
	if n.Kind == "Tuple" || n.Kind == "GeneratorExp" {
		n.Start = start
		return p.end(n)
	}
	return n
}

func (p *parser) bracket() *Node {
	n := p.node("List", p.expect("[").start)
	if !p.is("]") {
		first := p.starNamed()
		if p.isFor() {
			n = p.comprehension("ListComp", n.Start, first)
		} else {
			n.Args = append(n.Args, first)
			for p.accept(",") && !p.is("]") {
				n.Args = append(n.Args, p.starNamed())
			}
		}
	}
	p.expect("]")
	return p.end(n)
}

// brace reads a dict or a set. A dict's Args are key, value, key, value; a key
// of ** is nil.
func (p *parser) brace() *Node {
	n := p.node("Dict", p.expect("{").start)
	for i := 0; !p.is("}"); i++ {
		first := i == 0
		switch {
		case p.is("**"):
			p.next()
			if n.Kind == "Set" {
				p.wrong("invalid syntax in a set")
			}
			n.Args = append(n.Args, nil, p.binary(0))
		default:
			key := p.starNamed()
			if p.is(":") && (first || n.Kind == "Dict") && key.Kind != "Starred" {
				p.next()
				value := p.expression()
				if first && p.isFor() {
					n = p.comprehension("DictComp", n.Start, key, value)
					break
				}
				n.Args = append(n.Args, key, value)
				break
			}
			if !first && n.Kind == "Dict" {
				p.wrong("':' expected after dictionary key")
			}
			if first && p.isFor() {
				n = p.comprehension("SetComp", n.Start, key)
				break
			}
			n.Kind = "Set"
			n.Args = append(n.Args, key)
		}
		if strings.HasSuffix(n.Kind, "Comp") || !p.accept(",") {
			break
		}
	}
	p.expect("}")
	return p.end(n)
}

// strings reads adjacent strings as one.
func (p *parser) strings() *Node {
	n := p.node("Constant", p.peek().start)
	n.Name = "str"
	asBytes := strings.Contains(p.peek().prefix, "b")
	for p.peek().kind == tokString {
		t := p.next()
		if strings.Contains(t.prefix, "b") != asBytes {
			fail(t.start, "cannot mix bytes and nonbytes literals")
		}
		n.Text += t.value
		if strings.Contains(t.prefix, "f") {
			n.Kind, n.Name = "JoinedStr", ""
		}
		for _, part := range t.parts {
			sub := &parser{tokens: part, depth: p.depth + 1, funcs: p.funcs, loops: p.loops}
			sub.enter()
			value := sub.yieldOrStar()
			if sub.peek().kind != tokEnd {
				sub.wrong("f-string: invalid syntax")
			}
			n.Args = append(n.Args, value)
		}
	}
	if asBytes {
		n.Name = "bytes"
	}
	return p.end(n)
}
