package python

// match reads a match statement, or returns nil where match is a name.
func (p *parser) match() (n *Node) {
	back, depth := p.i, p.depth
	subject := func() (subject *Node) {
		defer func() {
			if _, failed := recover().(syntaxError); failed {
				subject = nil
			}
		}()
		p.next()
		subject = p.list(p.starNamed)
		if !p.is(":") || p.ahead(1).kind != tokNewline || p.ahead(2).kind != tokIndent || p.ahead(3).text != "case" {
			return nil
		}
		return subject
	}()
	if subject == nil {
		p.i, p.depth = back, depth
		return nil
	}
	n = p.node("Match", p.tokens[back].start)
	n.X = subject
	p.i += 3 // colon, newline, indent
	for p.is("case") {
		c := p.node("match_case", p.next().start)
		c.Targets = []*Node{p.patterns()}
		if p.accept("if") {
			c.X = p.named()
		}
		c.Body = p.block()
		n.Handlers = append(n.Handlers, p.end(c))
	}
	if p.peek().kind != tokDedent {
		p.wrong("expected 'case'")
	}
	p.next()
	return p.end(n)
}

// patterns reads an open sequence or one pattern. Captured names are Names in
// Targets, values are expressions in Args.
func (p *parser) patterns() *Node {
	first := p.pattern()
	if !p.is(",") {
		return first
	}
	n := p.node("Pattern", first.Start)
	n.Args = []*Node{first}
	for p.accept(",") && !p.is(":") && !p.is("if") {
		n.Args = append(n.Args, p.pattern())
	}
	return p.end(n)
}

func (p *parser) pattern() *Node {
	p.enter()
	defer func() { p.depth-- }()
	n := p.node("Pattern", p.peek().start)
	if p.accept("*") {
		p.capture(n)
		return p.end(n)
	}
	for {
		n.Args = append(n.Args, p.closed())
		if !p.accept("|") {
			break
		}
	}
	if p.accept("as") {
		p.capture(n)
	}
	return p.end(n)
}

func (p *parser) capture(n *Node) {
	t := p.name()
	if t.text != "_" {
		n.Targets = append(n.Targets, &Node{Kind: "Name", Name: t.text, Start: t.start, End: t.end})
	}
}

// closed reads a pattern that needs no brackets around it.
func (p *parser) closed() *Node {
	t := p.peek()
	n := p.node("Pattern", t.start)
	switch {
	case p.is("("), p.is("["):
		closing := map[string]string{"(": ")", "[": "]"}[p.next().text]
		p.patternList(n, closing)
	case p.is("{"):
		p.next()
		p.mapping(n)
	case t.kind == tokName && !keywords[t.text]:
		if next := p.ahead(1).text; next != "." && next != "(" {
			p.capture(n)
			break
		}
		value := &Node{Kind: "Name", Name: p.next().text, Start: t.start, End: t.end}
		for p.accept(".") {
			value = p.end(&Node{Kind: "Attribute", Name: p.name().text, X: value, Start: t.start})
		}
		n.Args = append(n.Args, value)
		if p.accept("(") {
			p.patternList(n, ")")
		}
	case t.kind == tokNumber, p.is("-"):
		n.Args = append(n.Args, p.binary(4))
	case t.kind == tokString:
		n.Args = append(n.Args, p.strings())
	case p.is("None"), p.is("True"), p.is("False"):
		p.next()
	default:
		p.wrong("expected a pattern")
	}
	return p.end(n)
}

func (p *parser) patternList(n *Node, closing string) {
	for !p.is(closing) {
		if p.peek().kind == tokName && p.ahead(1).text == "=" {
			p.name()
			p.next()
		}
		n.Args = append(n.Args, p.pattern())
		if !p.accept(",") {
			break
		}
	}
	p.expect(closing)
}

func (p *parser) mapping(n *Node) {
	for !p.is("}") {
		if p.accept("**") {
			p.capture(n)
		} else {
			n.Args = append(n.Args, p.closed())
			p.expect(":")
			n.Args = append(n.Args, p.pattern())
		}
		if !p.accept(",") {
			break
		}
	}
	p.expect("}")
}
