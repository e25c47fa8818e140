package docgen

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"atelier/internal/contract"
	"atelier/internal/testenv"
	"atelier/internal/tools"
)

func pages(t *testing.T) (*contract.Registry, map[string]string) {
	t.Helper()
	registry, err := contract.NewRegistry(tools.All(tools.Parts{}))
	if err != nil {
		t.Fatal(err)
	}
	made, err := Pages(registry)
	if err != nil {
		t.Fatal(err)
	}
	return registry, made
}

// The pages in the repository are those that the contracts give.
func TestPagesAreThoseOfTheContracts(t *testing.T) {
	_, made := pages(t)
	folder := testenv.Path("docs", "tools")
	for name, page := range made {
		kept, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil || string(kept) != page {
			t.Errorf("docs/tools/%s is not what the contract gives (%v): run make generate", name, err)
		}
	}
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if _, known := made[e.Name()]; !known {
			t.Errorf("docs/tools/%s is the page of no tool: run make generate", e.Name())
		}
	}
}

// A page shows every property, error and example of its contract; its JSON
// blocks are JSON, its tables have as many cells as their heads, and the links
// lead somewhere.
func TestPagesAreWhole(t *testing.T) {
	registry, made := pages(t)
	for _, tool := range registry.All() {
		c := tool.Contract
		page := made[fileName(c)]
		var input struct {
			Properties map[string]json.RawMessage `json:"properties"`
		}
		if err := json.Unmarshal(c.InputSchema, &input); err != nil {
			t.Fatal(err)
		}
		for name := range input.Properties {
			if !strings.Contains(page, "\n| `"+name+"` |") {
				t.Errorf("%s: the input %s has no row", c.Name, name)
			}
		}
		for _, e := range c.Errors {
			if !strings.Contains(page, "\n| `"+e.Code+"` |") {
				t.Errorf("%s: the error %s has no row", c.Name, e.Code)
			}
		}
		for _, e := range c.Examples {
			if !strings.Contains(page, "**"+escape(e.Title)+".**") {
				t.Errorf("%s: the example %q is missing", c.Name, e.Title)
			}
		}
	}
	jsonBlock := regexp.MustCompile("(?s)```json\n(.*?)\n```")
	link := regexp.MustCompile(`\]\(([^)#]*)(#[^)]*)?\)`)
	for name, page := range made {
		for _, m := range jsonBlock.FindAllStringSubmatch(page, -1) {
			if !json.Valid([]byte(m[1])) {
				t.Errorf("%s: not JSON: %s", name, m[1])
			}
		}
		for _, m := range link.FindAllStringSubmatch(page, -1) {
			target := m[1]
			if target == "" {
				target = name
			}
			if _, there := made[target]; !there {
				t.Errorf("%s: the link %s leads nowhere", name, m[0])
			} else if m[2] != "" && !strings.Contains(strings.ToLower(made[target]), "\n## "+m[2][1:]+"\n") {
				t.Errorf("%s: %s has no heading %s", name, target, m[2])
			}
		}
		checkTables(t, name, page)
	}
}

// What to do about an error can be done with the tool: no remedy asks for an argument
// that only other tools have, nor to repair a CAD file as if it were a mesh.
func TestRemediesFitTheTool(t *testing.T) {
	registry, _ := pages(t)
	for _, tool := range registry.All() {
		c := tool.Contract
		input := string(c.InputSchema)
		for _, e := range c.Errors {
			advice := todo(c.Name, e)
			for _, argument := range []string{"dx", "resolve_intersections", "output_depth"} {
				if strings.Contains(advice, argument) && !strings.Contains(input, `"`+argument+`"`) {
					t.Errorf("%s: %s: %q, and it has no %s", c.Name, e.Code, advice, argument)
				}
			}
			if strings.Contains(advice, "the same surface mesh") && !strings.Contains(c.Description, "OBJ") {
				t.Errorf("%s: %s: %q, and it reads no surface mesh", c.Name, e.Code, advice)
			}
		}
	}
}

func checkTables(t *testing.T, name, page string) {
	t.Helper()
	cells := 0
	fenced := false
	for _, line := range strings.Split(page, "\n") {
		if strings.HasPrefix(line, "```") {
			fenced = !fenced
		}
		if fenced || !strings.HasPrefix(line, "|") {
			cells = 0
			continue
		}
		n := strings.Count(line, "|") - strings.Count(line, `\|`)
		if cells != 0 && n != cells {
			t.Errorf("%s: %d bars where the head has %d: %s", name, n, cells, line)
		}
		cells = n
	}
}

func TestMarkdown(t *testing.T) {
	for in, want := range map[string]string{
		"a_b* <id> `x_y|<z>` [1]": "a\\_b\\* &lt;id&gt; `x_y|<z>` \\[1\\]",
		"one ` alone":             "one ' alone",
	} {
		if got := prose(in); got != want {
			t.Errorf("%q gives %q, want %q", in, got, want)
		}
	}
	if got := table([]string{"a"}, [][]string{{"x | y\nz"}}); got != "| a |\n|---|\n| x \\| y<br>z |" {
		t.Errorf("%q", got)
	}
	if got := quoted("it's"); got != `'it'\''s'` {
		t.Errorf("%q", got)
	}
	for in, want := range map[string]string{
		"Reads a file, e.g. a mesh, of 0.1 m. Then stops.": "Reads a file, e.g. a mesh, of 0.1 m.",
		"No stop": "No stop",
	} {
		if got := firstSentence(in); got != want {
			t.Errorf("%q gives %q", in, got)
		}
	}
}
