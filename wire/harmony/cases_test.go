package harmony

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
)

// notes reads a file of the folder that ATELIER_SHARED names, which holds what
// openai-harmony 0.0.8 itself rendered; without it the test is skipped.
func notes(t *testing.T, name string, into any) {
	t.Helper()
	shared := os.Getenv("ATELIER_SHARED")
	if shared == "" {
		shared = filepath.Join("..", "..", "..", "shared")
	} else if !filepath.IsAbs(shared) {
		shared = filepath.Join("..", "..", shared)
	}
	raw, err := os.ReadFile(filepath.Join(shared, "notebook", name))
	if os.IsNotExist(err) {
		t.Skipf("%s is not on this machine: set ATELIER_SHARED to the folder that holds it", name)
	}
	if err == nil {
		err = json.Unmarshal(raw, into)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// Every case was rendered by openai-harmony 0.0.8.
func TestCasesOfOpenAIHarmony(t *testing.T) {
	var cases []struct {
		ID, Where, Rendered string
		Namespaces          []Namespace
	}
	notes(t, "harmony_cases.json", &cases)
	if len(cases) < 19 {
		t.Fatalf("%d cases; there were 19", len(cases))
	}
	for _, c := range cases {
		m := Message{Role: RoleSystem, System: NewSystem()}
		m.System.Tools = c.Namespaces
		if c.Where == RoleDeveloper {
			m = Message{Role: RoleDeveloper, Developer: &Developer{Instructions: "Do it.", Tools: c.Namespaces}}
		}
		got, err := Render([]Message{m})
		if err != nil || got != c.Rendered {
			t.Errorf("%s: %v\n got %q\nwant %q", c.ID, err, got, c.Rendered)
		}
	}
}
