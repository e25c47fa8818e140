// Package python reads Python source: the whole grammar of Python 3.13 (Language
// Reference, chapter 10), to a tree whose nodes carry their byte offsets, and
// what a notebook wants to know of it: the imports, and the names that nothing
// defines. It checks syntax as CPython's parser does, runs nothing and needs no
// Python on the machine.
package python

import "fmt"

// Node is one node of the tree; Kind is the name that CPython's ast module uses.
// Which of the fields are set depends on it:
//
//	Name, Attribute, Call, Subscript, Starred, Await, Yield, NamedExpr …  expressions
//	Constant     Name "int", "str", "bytes", "None" …; Text is the value of a str
//	JoinedStr    Text is its literal part, Args are its expressions
//	Call         X is called with Args, of which some are Keyword (Name, "" for **) or Starred
//	FunctionDef, AsyncFunctionDef, ClassDef, Lambda   Name, Params (Kind "arg"), Args (decorators, bases, defaults, annotations), Body
//	Assign, AugAssign, AnnAssign, For, With, Delete   Targets and X, the value
//	If, While, For, Try, With, Match                  Body, Else, Handlers, Final
//	Import, ImportFrom                                Targets (Kind "alias": Text the path, Name what it binds), Text the module
type Node struct {
	Kind       string
	Name, Text string
	Start, End int // byte offsets, end exclusive
	X          *Node
	Targets    []*Node
	Params     []*Node
	Args       []*Node
	Body       []*Node
	Else       []*Node
	Handlers   []*Node
	Final      []*Node
	Level      int // of ImportFrom: the dots
}

// SyntaxError says where source stops being Python. Line and Column count from
// one, the column in bytes.
type SyntaxError struct {
	Line, Column int
	Message      string
}

func (e *SyntaxError) Error() string {
	return fmt.Sprintf("line %d, column %d: %s", e.Line, e.Column, e.Message)
}

// Children calls visit for every direct child, in no order that a caller may
// rely on.
func (n *Node) Children(visit func(*Node)) {
	if n.X != nil {
		visit(n.X)
	}
	for _, list := range [][]*Node{n.Targets, n.Params, n.Args, n.Body, n.Else, n.Handlers, n.Final} {
		for _, child := range list {
			if child != nil {
				visit(child)
			}
		}
	}
}

// Walk calls visit for n and everything below it, parents first; a false answer
// leaves out what is below.
func (n *Node) Walk(visit func(*Node) bool) {
	if n != nil && visit(n) {
		n.Children(func(c *Node) { c.Walk(visit) })
	}
}

// Dotted is the path of a Name or of Attributes on one ("os.environ"), else "".
func (n *Node) Dotted() string {
	switch {
	case n == nil:
		return ""
	case n.Kind == "Name":
		return n.Name
	case n.Kind == "Attribute":
		if base := n.X.Dotted(); base != "" {
			return base + "." + n.Name
		}
	}
	return ""
}

// IsStr says whether the node is a plain string.
func (n *Node) IsStr() bool { return n != nil && n.Kind == "Constant" && n.Name == "str" }

// Keyword is the value of a call's keyword argument, or nil.
func (n *Node) Keyword(name string) *Node {
	for _, a := range n.Args {
		if a.Kind == "Keyword" && a.Name == name {
			return a.X
		}
	}
	return nil
}
