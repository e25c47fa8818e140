package python

import "strings"

// statement reads one logical line, which may hold several simple statements,
// or one compound statement.
func (p *parser) statement() []*Node {
	p.enter()
	defer func() { p.depth-- }()
	if n := p.compound(); n != nil {
		return []*Node{n}
	}
	var list []*Node
	for {
		list = append(list, p.simple())
		if !p.accept(";") || p.peek().kind == tokNewline {
			break
		}
	}
	if p.peek().kind != tokNewline {
		p.wrong("invalid syntax")
	}
	p.next()
	return list
}

func (p *parser) compound() *Node {
	t := p.peek()
	if t.kind == tokIndent {
		fail(t.start, "unexpected indent")
	}
	switch {
	case p.is("@"):
		return p.decorated()
	case t.kind != tokName:
		return nil
	}
	switch t.text {
	case "if":
		return p.ifStatement()
	case "while":
		n := p.node("While", p.next().start)
		n.X = p.named()
		p.loop(n)
		return n
	case "for", "def", "with", "async":
		return p.maybeAsync()
	case "class":
		return p.class(t.start)
	case "try":
		return p.try()
	case "match":
		return p.match()
	}
	return nil
}

func (p *parser) maybeAsync() *Node {
	start := p.peek().start
	async := p.accept("async")
	switch {
	case p.is("def"):
		return p.function(start, async)
	case p.is("for"):
		n := p.node("For", start)
		p.next()
		n.Targets = []*Node{p.targets()}
		p.expect("in")
		n.X = p.starExpressions()
		p.loop(n)
		return n
	case p.is("with"):
		return p.with(start)
	}
	p.wrong("expected 'def', 'for' or 'with' after 'async'")
	return nil
}

func (p *parser) loop(n *Node) {
	p.loops++
	n.Body = p.block()
	p.loops--
	if p.accept("else") {
		n.Else = p.block()
	}
	p.end(n)
}

// block reads a colon and the statements that belong to it.
func (p *parser) block() []*Node {
	p.expect(":")
	if p.peek().kind != tokNewline {
		if p.compoundAhead() {
			p.wrong("invalid syntax: a compound statement needs a line of its own")
		}
		return p.statement()
	}
	p.next()
	if p.peek().kind != tokIndent {
		fail(p.peek().start, "expected an indented block")
	}
	p.next()
	var body []*Node
	for p.peek().kind != tokDedent && p.peek().kind != tokEnd {
		body = append(body, p.statement()...)
	}
	if p.peek().kind == tokDedent {
		p.next()
	}
	return body
}

func (p *parser) compoundAhead() bool {
	t := p.peek()
	switch t.text {
	case "if", "while", "for", "def", "with", "async", "class", "try":
		return t.kind == tokName
	}
	return p.is("@")
}

func (p *parser) ifStatement() *Node {
	n := p.node("If", p.next().start)
	n.X = p.named()
	n.Body = p.block()
	switch {
	case p.is("elif"):
		n.Else = []*Node{p.ifStatement()}
	case p.accept("else"):
		n.Else = p.block()
	}
	return p.end(n)
}

func (p *parser) with(start int) *Node {
	n := p.node("With", start)
	p.expect("with")
	if !p.withInParentheses(n) {
		for {
			p.withItem(n)
			if !p.accept(",") {
				break
			}
		}
	}
	n.Body = p.block()
	return p.end(n)
}

// withInParentheses reads `(a as b, c as d):`, and goes back when the bracket
// only belongs to the first expression.
func (p *parser) withInParentheses(n *Node) (ok bool) {
	if !p.is("(") {
		return false
	}
	back, depth := p.i, p.depth
	defer func() {
		if !ok {
			if f, failed := recover().(syntaxError); failed {
				_ = f // the other reading will say what is wrong
			}
			p.i, p.depth, n.Targets, n.Args = back, depth, nil, nil
		}
	}()
	p.next()
	for !p.is(")") {
		p.withItem(n)
		if !p.accept(",") {
			break
		}
	}
	return len(n.Args) > 0 && p.accept(")") && p.is(":")
}

func (p *parser) withItem(n *Node) {
	n.Args = append(n.Args, p.expression())
	if p.accept("as") {
		t := p.binary(0)
		if p.is(",") && t.Kind == "Starred" {
			p.wrong("invalid syntax")
		}
		singleTarget(t, "assign to")
		n.Targets = append(n.Targets, t)
	}
}

func (p *parser) try() *Node {
	n := p.node("Try", p.next().start)
	n.Body = p.block()
	for p.is("except") {
		h := p.node("ExceptHandler", p.next().start)
		star := p.accept("*")
		if !p.is(":") || star {
			h.X = p.expression()
			if p.accept("as") {
				h.Name = p.name().text
			} else if p.is(",") {
				p.wrong("multiple exception types must be parenthesized")
			}
		}
		if last := len(n.Handlers) - 1; last >= 0 && n.Handlers[last].X == nil {
			fail(h.Start, "default 'except:' must be last")
		}
		h.Body = p.block()
		n.Handlers = append(n.Handlers, p.end(h))
	}
	if len(n.Handlers) > 0 && p.accept("else") {
		n.Else = p.block()
	}
	if p.accept("finally") {
		n.Final = p.block()
	} else if len(n.Handlers) == 0 {
		p.wrong("expected 'except' or 'finally' block")
	}
	return p.end(n)
}

func (p *parser) simple() *Node {
	t := p.peek()
	n := p.node("", t.start)
	if t.kind == tokName {
		switch t.text {
		case "pass", "break", "continue":
			if p.next(); t.text != "pass" && p.loops == 0 {
				fail(t.start, "'"+t.text+"' outside loop")
			}
			n.Kind = strings.ToUpper(t.text[:1]) + t.text[1:]
			return p.end(n)
		case "return":
			if p.next(); p.funcs == 0 {
				fail(t.start, "'return' outside function")
			}
			n.Kind = "Return"
			if p.startsExpression() {
				n.X = p.starExpressions()
			}
			return p.end(n)
		case "raise", "assert", "del", "global", "nonlocal", "import", "from":
			p.next()
			return p.keywordStatement(n, t.text)
		case "type":
			if next := p.ahead(1); next.kind == tokName && !keywords[next.text] {
				return p.typeAlias(n)
			}
		}
	}
	return p.assignment(n)
}

func (p *parser) keywordStatement(n *Node, word string) *Node {
	n.Kind = strings.ToUpper(word[:1]) + word[1:]
	switch word {
	case "raise":
		if p.startsExpression() {
			n.X = p.expression()
			if p.accept("from") {
				n.Args = []*Node{p.expression()}
			}
		}
	case "assert":
		n.X = p.expression()
		if p.accept(",") {
			n.Args = []*Node{p.expression()}
		}
	case "del":
		n.Kind = "Delete"
		n.Targets = []*Node{p.list(func() *Node { return p.primary() })}
		target(n.Targets[0], "delete")
	case "global", "nonlocal":
		for {
			t := p.name()
			n.Params = append(n.Params, &Node{Kind: "arg", Name: t.text, Start: t.start, End: t.end})
			if !p.accept(",") {
				break
			}
		}
	case "import":
		for {
			n.Targets = append(n.Targets, p.alias(true))
			if !p.accept(",") {
				break
			}
		}
	case "from":
		p.importFrom(n)
	}
	return p.end(n)
}

func (p *parser) dotted() string {
	path := p.name().text
	for p.accept(".") {
		path += "." + p.name().text
	}
	return path
}

func (p *parser) alias(dotted bool) *Node {
	a := p.node("alias", p.peek().start)
	if dotted {
		a.Text = p.dotted()
	} else {
		a.Text = p.name().text
	}
	a.Name, _, _ = strings.Cut(a.Text, ".")
	if p.accept("as") {
		a.Name = p.name().text
	}
	return p.end(a)
}

func (p *parser) importFrom(n *Node) {
	n.Kind = "ImportFrom"
	for p.is(".") || p.is("...") {
		n.Level += len(p.next().text)
	}
	if n.Level == 0 || !p.is("import") {
		n.Text = p.dotted()
	}
	p.expect("import")
	if p.is("*") {
		t := p.next()
		n.Targets = []*Node{{Kind: "alias", Text: "*", Name: "*", Start: t.start, End: t.end}}
		return
	}
	bracket := p.accept("(")
	for {
		n.Targets = append(n.Targets, p.alias(false))
		if !p.accept(",") || bracket && p.is(")") {
			break
		}
	}
	if bracket {
		p.expect(")")
	}
}

func (p *parser) typeAlias(n *Node) *Node {
	p.next()
	t := p.name()
	n.Kind = "TypeAlias"
	n.Targets = []*Node{{Kind: "Name", Name: t.text, Start: t.start, End: t.end}}
	p.typeParameters(n)
	p.expect("=")
	n.X = p.expression()
	return p.end(n)
}

var augmented = map[string]bool{
	"+=": true, "-=": true, "*=": true, "/=": true, "//=": true, "%=": true, "@=": true, "&=": true, "|=": true, "^=": true, ">>=": true, "<<=": true, "**=": true,
}

// assignment reads an assignment of any kind, or an expression statement.
func (p *parser) assignment(n *Node) *Node {
	bracketed := p.is("(")
	first := p.yieldOrStar()
	switch t := p.peek(); {
	case p.is(":"):
		n.Kind = "AnnAssign"
		if first.Kind != "Name" && first.Kind != "Attribute" && first.Kind != "Subscript" {
			fail(first.Start, "only single target can be annotated")
		}
		p.next()
		n.Targets, n.Args = []*Node{first}, []*Node{p.expression()}
		if p.accept("=") {
			n.X = p.yieldOrStar()
		}
	case t.kind == tokOp && augmented[t.text]:
		n.Kind = "AugAssign"
		if first.Kind != "Name" && first.Kind != "Attribute" && first.Kind != "Subscript" {
			fail(first.Start, "illegal expression for augmented assignment")
		}
		p.next()
		n.Targets, n.X = []*Node{first}, p.yieldOrStar()
	case p.is("="):
		n.Kind, n.X = "Assign", first
		for p.accept("=") {
			singleTarget(n.X, "assign to")
			n.Targets = append(n.Targets, n.X)
			n.X = p.yieldOrStar()
		}
	default:
		if first.Kind == "Starred" && !bracketed {
			fail(first.Start, "can't use starred expression here")
		}
		n.Kind, n.X = "Expr", first
	}
	if n.X != nil && n.X.Kind == "Starred" {
		fail(n.X.Start, "can't use starred expression here")
	}
	return p.end(n)
}
