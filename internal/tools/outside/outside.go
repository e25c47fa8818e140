// Package outside makes tools of folders that are no part of the program: a
// contract.json, and beside it a program that speaks the engine protocol. They are
// held to what every tool is held to: a well-formed contract with closed schemas,
// validated input and output, limits, the sandbox, and evidence made of checks.
package outside

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"atelier/internal/contract"
	"atelier/internal/engine"
)

const (
	contractFile = "contract.json"
	// fileFormat marks a string of the input that is a file argument.
	fileFormat = "atelier-file"
)

// Tool is one tool as it was found.
type Tool struct {
	folder   string
	contract *contract.Contract
	text     []byte
	program  string
	files    []string // properties of the input that are file arguments
}

// Load finds the tools in the sub-folders of folders. A folder with a fault is an
// error that names it: a program does not start with half of its tools.
func Load(folders []string) ([]Tool, error) {
	var found []Tool
	for _, folder := range folders {
		full, err := filepath.Abs(folder)
		if err != nil {
			return nil, err
		}
		entries, err := os.ReadDir(full)
		if err != nil {
			return nil, fmt.Errorf("tools from outside: %w", err)
		}
		before := len(found)
		for _, e := range entries {
			own := filepath.Join(full, e.Name())
			if info, err := os.Stat(filepath.Join(own, contractFile)); err != nil || !info.Mode().IsRegular() {
				continue // no tool
			}
			t, err := read(own)
			if err != nil {
				return nil, fmt.Errorf("tool from outside in %s: %w", own, err)
			}
			found = append(found, t)
		}
		if len(found) == before {
			return nil, fmt.Errorf("tools from outside: no folder in %s has a %s; give the folder above those of the tools", full, contractFile)
		}
	}
	return found, nil
}

func read(folder string) (Tool, error) {
	t := Tool{folder: folder}
	var err error
	if t.text, err = os.ReadFile(filepath.Join(folder, contractFile)); err != nil {
		return t, err
	}
	if err := exactNames(t.text); err != nil {
		return t, err
	}
	if t.contract, err = contract.Parse(t.text); err != nil {
		if plain := contract.SchemaFault(err); plain != err {
			return t, fmt.Errorf("contract: %w", plain)
		}
		return t, err
	}
	for _, look := range []func([]byte) error{ownErrors, ownFields} {
		if err := look(t.text); err != nil {
			return t, err
		}
	}
	if t.contract.Engine != t.contract.Alias() {
		return t, fmt.Errorf("engine is %q; a tool from outside is its own engine: write %q", t.contract.Engine, t.contract.Alias())
	}
	if t.contract.Stability == contract.Stable {
		return t, errors.New(`stability is "stable", which only the program's own tools can be: write "experimental"`)
	}
	if err := facts(t.contract); err != nil {
		return t, err
	}
	if err := checkSchemas(t.contract); err != nil {
		return t, err
	}
	if err := t.contract.CheckSatisfiable(); err != nil {
		return t, err
	}
	if t.files, err = fileArguments(t.contract.InputSchema); err != nil {
		return t, err
	}
	t.program, err = findProgram(folder)
	return t, err
}

// facts refuses a contract that says of the tool what is so of no tool from outside.
func facts(c *contract.Contract) error {
	for _, f := range []struct{ name, value, want string }{
		{"status", c.Status, "active"}, {"transport", c.Transport, "http, mcp"}, {"endpoint", c.Endpoint, "/v1/tools/" + c.Name},
	} {
		if f.value != f.want {
			return fmt.Errorf("%s is %q; a tool from outside is served as every other: write %q", f.name, f.value, f.want)
		}
	}
	if at, found := c.NumberInOutput(); found && c.Evidence.Exact() {
		return fmt.Errorf(`evidence is "exact", which from outside is for counts and for copies of the input, and the output has the number %s: list it in quantities ({"quantities": [{"figure": %q, "what": "…"}]}) and send checks, or make it of type integer where it is a count`, at, at)
	}
	return nil
}

// Engines are the tools' programs, for the host that runs them.
func Engines(tools []Tool) []engine.Spec {
	var specs []engine.Spec
	for _, t := range tools {
		specs = append(specs, engine.Spec{
			Name: t.contract.Engine, Title: t.contract.Title + " (from outside)", Licence: "its own", Driver: t.program,
			Read: []string{t.folder}, Env: []string{"PYTHONDONTWRITEBYTECODE=1"}, Proc: true, Processes: 32,
			Hint: "See that " + t.program + " exists and is executable.",
		})
	}
	return specs
}

// Contracts are the tools with their programs, to stand beside the program's own
// tools; host may be nil where none is run. A name, alias or engine that another
// has is an error that names the folder, and that of the other.
func Contracts(tools []Tool, own []contract.Tool, host engine.Host) ([]contract.Tool, error) {
	owners := map[string]string{}
	for _, s := range engine.Builtin() {
		owners[s.Name] = "is an engine of this program"
	}
	for _, t := range own {
		owners[t.Contract.Engine] = "is an engine of this program"
	}
	for _, t := range own {
		owners[t.Contract.Name], owners[t.Contract.Alias()] = "is a tool of this program", "is a tool of this program"
	}
	var list []contract.Tool
	for i := range tools {
		t := &tools[i]
		name, alias := t.contract.Name, t.contract.Alias()
		for _, n := range []string{name, alias} {
			if owner, taken := owners[n]; taken {
				return nil, fmt.Errorf("tool from outside in %s: %s %s; give this one another name, endpoint and engine in its %s, or leave one of them out", t.folder, n, owner, contractFile)
			}
		}
		owners[name], owners[alias] = "is the tool in "+t.folder, "is the tool in "+t.folder
		tool := contract.Bind(t.text, t.runOn(host))
		if host != nil {
			tool.Available = func() error { return host.Check(t.contract.Engine) }
		}
		list = append(list, tool)
	}
	return list, nil
}
