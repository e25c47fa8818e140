package python

import (
	"slices"
	"testing"
)

// What each line binds, reads and changes follows from the language reference:
// chapter 4.2 (naming and binding), 6.10 and 7 (targets), 7.12 (global).
func TestAffect(t *testing.T) {
	for source, want := range map[string]Effects{
		"x = 1":                                  {Defines: []string{"x"}},
		"x += y":                                 {Uses: []string{"x", "y"}, Changes: []string{"x"}},
		"x = x + 1":                              {Defines: []string{"x"}, Uses: []string{"x"}},
		"a = 1\nb = a":                           {Defines: []string{"a", "b"}},
		"for i in n: s=i":                        {Defines: []string{"i", "s"}, Uses: []string{"n"}},
		"import numpy as np\nnp.seed(3)":         {Defines: []string{"np"}, Imports: []string{"np"}, Changes: []string{"np"}},
		"from m import *":                        {Star: true},
		"l.append(1)":                            {Uses: []string{"l"}, Changes: []string{"l"}},
		"d['k'].f = 1":                           {Uses: []string{"d"}, Changes: []string{"d"}},
		"def f(a):\n    b = a + k\n    return b": {Defines: []string{"f"}, Later: []string{"k"}},
		"k = 1\ndef f():\n    return k":          {Defines: []string{"f", "k"}, Later: []string{"k"}},
		"def f():\n    global g\n    g = 1":      {Defines: []string{"f", "g"}},
		"class C:\n    n = m\n    def g(self): return h": {Defines: []string{"C"}, Uses: []string{"m"}, Later: []string{"h"}},
		"[q for q in w if q > v]":                        {Uses: []string{"v", "w"}},
		"with open(p) as f: pass":                        {Defines: []string{"f"}, Uses: []string{"open", "p"}},
		"del x":                                          {Uses: []string{"x"}, Changes: []string{"x"}},
		"(n := 3)":                                       {Defines: []string{"n"}},
	} {
		tree, err := Parse(source)
		if err != nil {
			t.Fatal(source, err)
		}
		got := Affect(tree)
		same := slices.Equal(got.Defines, want.Defines) && slices.Equal(got.Uses, want.Uses) && slices.Equal(got.Later, want.Later) &&
			slices.Equal(got.Changes, want.Changes) && slices.Equal(got.Imports, want.Imports) && got.Star == want.Star
		if !same {
			t.Errorf("%s\n got %+v\nwant %+v", source, got, want)
		}
	}
}
