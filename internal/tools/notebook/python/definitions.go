package python

func (p *parser) decorated() *Node {
	start := p.peek().start
	var decorators []*Node
	for p.accept("@") {
		decorators = append(decorators, p.named())
		if p.peek().kind != tokNewline {
			p.wrong("invalid syntax after a decorator")
		}
		p.next()
	}
	var n *Node
	switch {
	case p.is("class"):
		n = p.class(start)
	case p.is("def"), p.is("async") && p.ahead(1).text == "def":
		n = p.maybeAsync()
	default:
		p.wrong("expected 'def' or 'class' after a decorator")
	}
	n.Start = start
	n.Args = append(decorators, n.Args...)
	return n
}

func (p *parser) function(start int, async bool) *Node {
	n := p.node("FunctionDef", start)
	if async {
		n.Kind = "AsyncFunctionDef"
	}
	p.expect("def")
	n.Name = p.name().text
	p.typeParameters(n)
	p.expect("(")
	p.parameters(n, ")", true)
	p.expect(")")
	if p.accept("->") {
		n.Args = append(n.Args, p.expression())
	}
	loops := p.loops
	p.loops, p.funcs = 0, p.funcs+1
	n.Body = p.block()
	p.loops, p.funcs = loops, p.funcs-1
	return p.end(n)
}

// parameters reads them up to the closing text; defaults and annotations go to
// n.Args.
func (p *parser) parameters(n *Node, closing string, annotated bool) {
	seen := map[string]bool{}
	slash, star, optional := false, false, false
	for !p.is(closing) {
		at := p.peek().start
		switch {
		case p.is("/"):
			if p.next(); slash || star || len(n.Params) == 0 {
				fail(at, "'/' must follow a parameter and come before '*'")
			}
			slash = true
		case p.is("**"):
			p.next()
			p.parameter(n, seen, annotated)
			if p.accept(","); !p.is(closing) {
				p.wrong("arguments cannot follow var-keyword argument")
			}
			return
		case p.is("*"):
			if p.next(); star {
				fail(at, "* argument may appear only once")
			}
			if star = true; p.is(",") {
				if next := p.ahead(1).text; next == closing || next == "**" {
					p.wrong("named arguments must follow bare *")
				}
			} else {
				p.parameter(n, seen, annotated)
			}
		default:
			p.parameter(n, seen, annotated)
			if p.accept("=") {
				n.Args = append(n.Args, p.expression())
				optional = true
			} else if optional && !star {
				fail(at, "parameter without a default follows parameter with a default")
			}
		}
		if !p.accept(",") {
			break
		}
	}
}

func (p *parser) parameter(n *Node, seen map[string]bool, annotated bool) {
	t := p.name()
	if seen[t.text] {
		fail(t.start, "duplicate argument '"+t.text+"' in function definition")
	}
	seen[t.text] = true
	n.Params = append(n.Params, &Node{Kind: "arg", Name: t.text, Start: t.start, End: t.end})
	if annotated && p.accept(":") {
		if p.is("*") {
			n.Args = append(n.Args, p.star())
			return
		}
		n.Args = append(n.Args, p.expression())
	}
}

// typeParameters reads `[T: int, *Ts, **P]` (PEP 695); they are bound like
// parameters.
func (p *parser) typeParameters(n *Node) {
	if !p.accept("[") {
		return
	}
	for !p.is("]") {
		if !p.accept("**") {
			p.accept("*")
		}
		t := p.name()
		n.Handlers = append(n.Handlers, &Node{Kind: "typevar", Name: t.text, Start: t.start, End: t.end})
		if p.accept(":") {
			n.Args = append(n.Args, p.expression())
		}
		if p.accept("=") {
			n.Args = append(n.Args, p.expression())
		}
		if !p.accept(",") {
			break
		}
	}
	p.expect("]")
}

func (p *parser) class(start int) *Node {
	n := p.node("ClassDef", start)
	p.expect("class")
	n.Name = p.name().text
	p.typeParameters(n)
	if p.is("(") {
		p.arguments(n)
	}
	loops, funcs := p.loops, p.funcs
	p.loops, p.funcs = 0, 0
	n.Body = p.block()
	p.loops, p.funcs = loops, funcs
	return p.end(n)
}
