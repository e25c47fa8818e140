package python

import (
	"bytes"
	"encoding/json"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"atelier/internal/testenv"
)

// verdicts asks CPython whether sources are Python: the standard library's own
// files, and the same files with one token taken out or doubled, most of which
// are not. A SyntaxError of the compiler counts as well, as Parse refuses return
// outside a function too.
const verdicts = `
import ast, json, os, random, sys, sysconfig, tokenize, warnings
warnings.simplefilter("ignore")
random.seed(7)
root = sysconfig.get_path("stdlib")
names = sorted(n for n in os.listdir(root) if n.endswith(".py"))[::2]
out = []
def ask(name, text):
    try:
        compile(text, name, "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT, dont_inherit=True)
        out.append([name, text, True, ""])
    except (SyntaxError, ValueError) as e:
        out.append([name, text, False, str(e)])
for name in names:
    raw = open(os.path.join(root, name), encoding="utf-8").read()
    if name.startswith("__phello__") or len(raw) > 60000: continue
    ask(name, raw)
    lines = raw.splitlines(keepends=True)
    if len(lines) < 40: continue
    for _ in range(3):
        start = random.randrange(len(lines) - 20)
        part = "".join(lines[start:start + 20])
        words = [w for w in part.replace("(", " ( ").replace(":", " : ").split() if w]
        if not words: continue
        w = random.choice(words)
        at = part.find(w)
        ask(name + " cut", part[:at] + part[at + len(w):])
        ask(name + " doubled", part[:at] + w + " " + part[at:])
json.dump({"version": list(sys.version_info[:2]), "cases": out}, sys.stdout)
`

// CPython itself is the reference. What only its compiler refuses, beyond the
// grammar, is not held against Parse.
func TestParseAgreesWithCPython(t *testing.T) {
	if testing.Short() {
		testenv.Skip(t, testenv.Time, "the comparison with CPython takes some seconds")
	}
	path, err := exec.LookPath("python3")
	if err != nil {
		testenv.Skip(t, testenv.Program, "no python3 on this machine to compare with")
	}
	raw, err := exec.Command(path, "-I", "-c", verdicts).Output()
	if err != nil {
		t.Fatalf("python3: %v", err)
	}
	var asked struct {
		Version [2]int
		Cases   [][4]json.RawMessage
	}
	if err := json.NewDecoder(bytes.NewReader(raw)).Decode(&asked); err != nil {
		t.Fatal(err)
	}
	if len(asked.Cases) < 300 {
		t.Fatalf("only %d cases", len(asked.Cases))
	}
	refused := 0
	for _, c := range asked.Cases {
		var name, text, reason string
		var valid bool
		for i, into := range []any{&name, &text, &valid, &reason} {
			if err := json.Unmarshal(c[i], into); err != nil {
				t.Fatal(err)
			}
		}
		_, err := Parse(text)
		if !valid {
			refused++
		}
		if (err == nil) != valid && !slices.Contains(compilerOnly, reason) {
			t.Errorf("%s: CPython says %v (%s), Parse says %v\n%s", name, valid, reason, err, clip(text))
		}
	}
	t.Logf("CPython %v: %d sources, %d of them not Python", asked.Version, len(asked.Cases), refused)
}

// compilerOnly are refusals that need more than the grammar.
var compilerOnly = []string{}

// Source that is meant to exhaust the parser is refused or read, at once.
func TestHostileSource(t *testing.T) {
	many := 40_000
	for name, src := range map[string]string{
		"brackets":     strings.Repeat("(", many),
		"signs":        strings.Repeat("-", many) + "1",
		"f-strings":    strings.Repeat(`f"{`, many),
		"format specs": `f"` + strings.Repeat("{x:", many),
		"operators":    "1" + strings.Repeat("+1", many),
		"attributes":   "a" + strings.Repeat(".b", many),
		"elif":         "if a:\n  b\n" + strings.Repeat("elif a:\n  b\n", many/10),
		"indents":      nested(600),
		"large":        strings.Repeat("x = 1\n", 5*many),
	} {
		t.Run(name, func(t *testing.T) {
			tree, err := Parse(src)
			if err == nil {
				NewNamespace().Run(tree)
			}
		})
	}
}

func nested(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strings.Repeat(" ", i) + "if a:\n")
	}
	return b.String()
}

// No bytes make Parse panic; what it takes has offsets inside the source.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{"f'{a!r:>{w}}'", "match x:\n case [1, *y] if y: pass", "async def f(*, a=1, **k): await g()", "x = [i for i in y if (j := i)]", "@d\nclass A[T](B): x: int = 3", "with (a as b, c): pass", "lambda *a, b=2: a"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, src string) {
		tree, err := Parse(src)
		if err != nil {
			return
		}
		tree.Walk(func(n *Node) bool {
			if n.Start < 0 || n.End > len(src) || n.Start > n.End {
				t.Errorf("%s at %d to %d of %d", n.Kind, n.Start, n.End, len(src))
			}
			return true
		})
		NewNamespace().Run(tree)
	})
}
