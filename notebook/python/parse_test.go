package python

import (
	"bytes"
	"encoding/json"
	"os/exec"
	"slices"
	"testing"
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
names = sorted(n for n in os.listdir(root) if n.endswith(".py"))
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
		t.Skip("the comparison with CPython takes some seconds")
	}
	path, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("no python3 on this machine to compare with")
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
	if len(asked.Cases) < 500 {
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
