package ipynb

import (
	"testing"

	"atelier/internal/tools/notebook/python"
)

// What IPython adds is passed over, and nothing else: every offset stays, and
// what is no Python stays none.
func TestParseCell(t *testing.T) {
	for name, c := range map[string]struct {
		source string
		valid  bool
	}{
		"shell":               {"!pip install x\nimport x", true},
		"shell in a block":    {"if True:\n    !ls -l\n    y = 1", true},
		"several lines":       {"!(if [ a ]; then \\\n  run --cloud $ID; \\\nfi)\nx = 1", true},
		"value of a command":  {"files = !ls\nprint(files)", true},
		"line magic":          {"%matplotlib inline\nimport math", true},
		"cell magic":          {"%%time\nx = 1", true},
		"another language":    {"%%bash\nfor f in *; do echo $f; done", true},
		"help":                {"len?\n?len", true},
		"inside a string":     {"s = '''\n!not a command\n'''\nprint(s)", true},
		"remainder":           {"x = (7\n  % 3)\nprint(x)", true},
		"top-level await":     {"await task()", true},
		"broken beside magic": {"%pip install x\nprint((1)", false},
		"return outside":      {"return 1", false},
		"Python 2":            {"print 'x'", false},
	} {
		t.Run(name, func(t *testing.T) {
			tree, err := ParseCell(c.source)
			if (err == nil) != c.valid {
				t.Fatalf("%v", err)
			}
			code, _ := plainPython(c.source)
			if len(code) != len(c.source) {
				t.Errorf("%d bytes became %d", len(c.source), len(code))
			}
			if err == nil {
				tree.Walk(func(n *python.Node) bool {
					if n.End > len(c.source) {
						t.Errorf("%s ends at %d", n.Kind, n.End)
					}
					return true
				})
			}
		})
	}
}

// Names are followed across cells as a kernel would define them.
func TestUndefinedNames(t *testing.T) {
	for name, c := range map[string]struct {
		cells []string
		want  string
	}{
		"across cells":            {[]string{"import math", "x = math.pi", "print(x)"}, ""},
		"not yet":                 {[]string{"print(x)", "x = 1"}, "x"},
		"later in the cell":       {[]string{"print(x)\nx = 1"}, "x"},
		"function before its use": {[]string{"def f():\n    return g()\n\ndef g():\n    return 1\n\nf()"}, ""},
		"in a function":           {[]string{"def f():\n    return missing"}, "missing"},
		"comprehension":           {[]string{"y = [i for i in range(3)]\nprint(i)"}, "i"},
		"walrus":                  {[]string{"print([last := n for n in range(3)], last)"}, ""},
		"class body":              {[]string{"class A:\n    b = 1\n    def f(self):\n        return b"}, "b"},
		"star import":             {[]string{"from math import *", "print(pi, anything)"}, ""},
		"except, with, match":     {[]string{"try:\n    pass\nexcept ValueError as e:\n    print(e)\nwith open('f') as h:\n    print(h)\nmatch h:\n    case [a, *b]:\n        print(a, b)"}, ""},
		"parameters":              {[]string{"def f(a, *b, c=1, **d):\n    return a, b, c, d\nprint((lambda z: z)(1))"}, ""},
		"global":                  {[]string{"def f():\n    global n\n    n = 1\nf()\nprint(n)"}, ""},
		"decorator and default":   {[]string{"@mark\ndef f(a=other):\n    pass"}, "mark other"},
		"type parameter":          {[]string{"def first[T](items: list[T]) -> T:\n    return items[0]"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			names, got := python.NewNamespace(), ""
			for _, cell := range c.cells {
				tree, err := ParseCell(cell)
				if err != nil {
					t.Fatal(err)
				}
				for _, use := range names.Run(tree) {
					if got != "" {
						got += " "
					}
					got += use.Name
				}
			}
			if got != c.want {
				t.Errorf("undefined: %q, want %q", got, c.want)
			}
		})
	}
}
