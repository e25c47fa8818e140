package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"atelier/internal/testenv"
)

// A tool from outside with a built-in tool's name is refused by whatever command
// reads the tools, also by one that needs another tool only.
func TestATakenNameIsRefusedEverywhere(t *testing.T) {
	program := binary(t)
	example := testenv.Path("examples", "outside_tool", "quantity_convert")
	text, err := os.ReadFile(filepath.Join(example, "contract.json"))
	if err != nil {
		t.Fatal(err)
	}
	text = []byte(strings.NewReplacer("quantity.convert", "circuits.simulate", "quantity_convert", "circuits_simulate").Replace(string(text)))
	dir := t.TempDir()
	own := filepath.Join(dir, "mine")
	if err := os.CopyFS(own, os.DirFS(example)); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(own, "contract.json"), text, 0o600); err != nil {
		t.Fatal(err)
	}
	data := t.TempDir()
	for _, args := range [][]string{
		{"call", "circuits.simulate", "--data", data}, {"call", "echo_json", "--data", data}, {"tools", "--data", data},
		{"tools", "echo_json", "--data", data}, {"doctor", "--data", data}, {"mcp", "--data", data},
		{"serve", "--data", data, "--addr", "127.0.0.1:0"}, {"docs", "--out", data},
	} {
		out, err := exec.Command(program, append(args, "--tools", dir)...).CombinedOutput()
		if want := "tool from outside in " + own + ": circuits.simulate is a tool of this program"; err == nil || !strings.Contains(string(out), want) {
			t.Errorf("%v: %v %.300s, want %q", args, err, out, want)
		}
	}
}
