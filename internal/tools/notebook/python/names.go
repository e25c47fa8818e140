package python

import (
	"slices"
	"strings"
)

// Import is one module that code imports.
type Import struct {
	Module string // the whole path: matplotlib.pyplot
	Start  int
	Guard  bool // inside a try, so that its absence may be meant
}

// Root is the first part of the module's path.
func (i Import) Root() string { root, _, _ := strings.Cut(i.Module, "."); return root }

// Imports lists every absolute import, wherever it stands.
func Imports(module *Node) []Import {
	var list []Import
	var visit func(n *Node, guarded bool)
	visit = func(n *Node, guarded bool) {
		switch n.Kind {
		case "Import":
			for _, a := range n.Targets {
				list = append(list, Import{a.Text, a.Start, guarded})
			}
		case "ImportFrom":
			if n.Level == 0 {
				list = append(list, Import{n.Text, n.Start, guarded})
			}
		case "Try":
			for _, b := range n.Body {
				visit(b, true)
			}
			rest := *n
			rest.Body = nil
			rest.Children(func(c *Node) { visit(c, guarded) })
			return
		}
		n.Children(func(c *Node) { visit(c, guarded) })
	}
	visit(module, false)
	return list
}

// scope is a set of names, in the scope around it.
type scope struct {
	names   map[string]bool
	outer   *scope
	class   bool
	passing bool // of a comprehension: := binds outside it
	globals map[string]bool
	star    *bool // a star import was seen: any name may be defined
}

// Use is a name that is read where nothing defines it.
type Use struct {
	Name  string
	Start int
}

// Namespace is what the cells of a notebook have defined so far.
type Namespace struct {
	module *scope
	star   bool
}

// NewNamespace starts with the built-in names and those given.
func NewNamespace(given ...string) *Namespace {
	n := &Namespace{module: &scope{names: map[string]bool{}}}
	for _, name := range slices.Concat(builtins, given) {
		n.module.names[name] = true
	}
	n.module.star = &n.star
	return n
}

// Define adds names.
func (ns *Namespace) Define(names ...string) {
	for _, name := range names {
		ns.module.names[name] = true
	}
}

// Run adds what a cell's code defines and lists the names that it reads and that
// neither it nor an earlier cell defines anywhere. Statements of the module are
// followed in order; a function's body sees all that its cell defines, since it
// runs later. Branches count as taken.
func (ns *Namespace) Run(module *Node) []Use {
	c := &checker{}
	c.body(ns.module, module.Body)
	for len(c.later) > 0 {
		next := c.later
		c.later = nil
		for _, f := range next {
			f()
		}
	}
	if ns.star {
		return nil
	}
	return c.undefined
}

type checker struct {
	undefined []Use
	later     []func() // bodies of functions, which run after the cell
}

func (c *checker) read(s *scope, n *Node) {
	first := true
	for at := s; at != nil; at = at.outer {
		if (first || !at.class) && at.names[n.Name] {
			return
		}
		first = false
	}
	c.undefined = append(c.undefined, Use{n.Name, n.Start})
}

func (s *scope) bind(name string) {
	if s.globals[name] {
		for s.outer != nil {
			s = s.outer
		}
	}
	s.names[name] = true
}

func (s *scope) declareGlobal(n *Node) {
	if s.globals == nil {
		s.globals = map[string]bool{}
	}
	for _, name := range n.Params {
		s.globals[name.Name] = true
		s.bind(name.Name)
	}
}

func (s *scope) inner(class bool) *scope {
	return &scope{names: map[string]bool{}, outer: s, class: class, star: s.star}
}

func (c *checker) body(s *scope, list []*Node) {
	for _, n := range list {
		c.node(s, n)
	}
}

func (c *checker) all(s *scope, lists ...[]*Node) {
	for _, list := range lists {
		c.body(s, list)
	}
}

// bindTarget defines the names of a target and reads what else it holds.
func (c *checker) bindTarget(s *scope, n *Node) {
	switch n.Kind {
	case "Name":
		s.bind(n.Name)
	case "Tuple", "List":
		for _, e := range n.Args {
			c.bindTarget(s, e)
		}
	case "Starred":
		c.bindTarget(s, n.X)
	default:
		c.node(s, n)
	}
}

func (c *checker) targets(s *scope, list []*Node) {
	for _, t := range list {
		c.bindTarget(s, t)
	}
}

func (c *checker) node(s *scope, n *Node) {
	if n == nil {
		return
	}
	switch n.Kind {
	case "Name":
		c.read(s, n)
	case "Import", "ImportFrom":
		for _, a := range n.Targets {
			if s.bind(a.Name); a.Name == "*" && s.star != nil {
				*s.star = true
			}
		}
	case "FunctionDef", "AsyncFunctionDef", "ClassDef", "Lambda":
		c.definition(s, n)
	case "GeneratorExp", "ListComp", "SetComp", "DictComp":
		c.comprehension(s, n)
	case "Global", "Nonlocal":
		if n.Kind == "Global" {
			s.declareGlobal(n)
		}
	case "AugAssign":
		c.node(s, n.Targets[0])
		c.node(s, n.X)
	case "Delete":
		for _, t := range n.Targets {
			c.node(s, t)
		}
	case "With", "Pattern":
		c.all(s, n.Args)
		c.targets(s, n.Targets)
		c.all(s, n.Body)
	case "NamedExpr":
		c.node(s, n.X)
		for s.outer != nil && (s.class || s.passing) {
			s = s.outer
		}
		c.targets(s, n.Targets)
	case "match_case":
		c.all(s, n.Targets)
		c.node(s, n.X)
		c.body(s, n.Body)
	case "ExceptHandler":
		c.node(s, n.X)
		if n.Name != "" {
			s.bind(n.Name)
		}
		c.body(s, n.Body)
	case "AnnAssign":
		c.all(s, n.Args)
		c.node(s, n.X)
		c.targets(s, n.Targets)
	default: // the value before the targets, and the blocks in their order
		c.node(s, n.X)
		c.targets(s, n.Targets)
		c.all(s, n.Args, n.Body, n.Handlers, n.Else, n.Final)
	}
}

func (c *checker) definition(s *scope, n *Node) {
	in := s.inner(n.Kind == "ClassDef")
	at := s
	if len(n.Handlers) > 0 { // type parameters
		at = s.inner(false)
		in.outer = at
		for _, v := range n.Handlers {
			at.bind(v.Name)
		}
	}
	if n.Name != "" && n.Kind != "ClassDef" {
		s.bind(n.Name) // a string annotation or a later call may name it
	}
	c.all(at, n.Args)
	for _, p := range n.Params {
		in.bind(p.Name)
	}
	switch n.Kind {
	case "ClassDef":
		in.names["__class__"], in.names["__qualname__"], in.names["__module__"] = true, true, true
		c.body(in, n.Body)
		s.bind(n.Name)
	case "Lambda":
		c.later = append(c.later, func() { c.node(in, n.X) })
	default:
		in.names["__class__"] = true
		for _, statement := range n.Body {
			statement.Walk(func(g *Node) bool { // a call may define them before the next line reads them
				if g.Kind == "Global" {
					in.declareGlobal(g)
				}
				return true
			})
		}
		in.globals = nil
		c.later = append(c.later, func() {
			collect(in, n.Body)
			c.body(in, n.Body)
		})
	}
}

// collect binds all that a function's body binds: order inside a function is
// not followed, for its loops and closures may come by in any order.
func collect(s *scope, body []*Node) {
	gather := &checker{}
	gather.body(s, body)
}

func (c *checker) comprehension(s *scope, n *Node) {
	in := s.inner(false)
	in.passing = true
	for i, clause := range n.Handlers {
		if i == 0 {
			c.node(s, clause.X)
		} else {
			c.node(in, clause.X)
		}
		c.targets(in, clause.Targets)
		for _, cond := range clause.Args {
			c.node(in, cond)
		}
	}
	c.all(in, []*Node{n.X}, n.Args)
}
