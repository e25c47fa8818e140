package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"atelier/internal/contract"
	"atelier/internal/contract/join"
	"atelier/internal/tools"
)

type contractsCmd struct {
	Check    contractsCheck    `cmd:"" help:"Check contracts: schemas, examples, names, error codes."`
	Diff     contractsDiff     `cmd:"" help:"Judge the changes between two sets of contracts: patch, minor or major."`
	Export   contractsExport   `cmd:"" help:"Write the contracts of this program into a folder, a file each."`
	Document contractsDocument `cmd:"" help:"Print the tools as Markdown: name, status, transport, endpoint, schemas, errors."`
}

type contractsCheck struct {
	Path []string `arg:"" optional:"" help:"Contract files or folders; default: those of this program." type:"path"`
}

func (c *contractsCheck) Run() error {
	if len(c.Path) == 0 {
		registry, err := contract.NewRegistry(tools.All(tools.Parts{}))
		if err != nil {
			return err
		}
		fmt.Printf("%d contracts are well formed\n", len(registry.All()))
		return nil
	}
	checked := 0
	for _, path := range c.Path {
		files, err := contractFiles(path)
		if err != nil {
			return err
		}
		for _, f := range files {
			if _, err := contract.Parse(f.content); err != nil {
				return fmt.Errorf("%s: %w", f.path, err)
			}
			checked++
		}
	}
	if checked == 0 {
		return fmt.Errorf("%s holds no contract", strings.Join(c.Path, ", "))
	}
	fmt.Printf("%d contracts are well formed\n", checked)
	return nil
}

type contractsDiff struct {
	Old string `arg:"" help:"A contract file, a folder of them, or a git revision such as v1.0.0."`
	New string `arg:"" optional:"" help:"The same; default: the contracts of this program."`
}

// Run exits with 1 when a version does not rise as its changes need it.
func (c *contractsDiff) Run() error {
	before, err := contractsOf(c.Old)
	if err != nil {
		return err
	}
	after := ownContracts()
	if c.New != "" {
		if after, err = contractsOf(c.New); err != nil {
			return err
		}
	}
	compared, faults := contract.CompareAll(before, after)
	for i := range compared {
		d := &compared[i]
		if d.Level() == contract.NoChange && d.Old == d.New {
			continue
		}
		fmt.Printf("%s %s -> %s: %s\n", d.Name, d.Old, d.New, d.Level())
		for _, change := range d.Changes {
			fmt.Printf("  %-5s %s: %s\n", change.Level, change.Pointer, change.Message)
		}
		if d.Bump() == contract.MinorChange {
			fmt.Printf("  keep the file of %s beside the new one, so that it goes on answering\n", d.Old)
		}
	}
	fmt.Printf("%d contracts compared, %d faults\n", len(compared), len(faults))
	if len(faults) > 0 {
		return errors.New("the compatibility policy is broken:\n" + strings.Join(faults, "\n"))
	}
	return nil
}

type contractsExport struct {
	Dir string `arg:"" help:"The folder; contract files in it that this program does not have are removed." type:"path"`
}

func (c *contractsExport) Run() error {
	if err := os.MkdirAll(c.Dir, 0o755); err != nil {
		return err
	}
	stale, err := contractFiles(c.Dir)
	if err != nil {
		return err
	}
	for _, f := range stale {
		if err := os.Remove(f.path); err != nil {
			return err
		}
	}
	own := ownContracts()
	for _, one := range own {
		var text bytes.Buffer
		enc := json.NewEncoder(&text)
		enc.SetEscapeHTML(false)
		enc.SetIndent("", " ")
		if err := enc.Encode(one); err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(c.Dir, one.Name+".json"), text.Bytes(), 0o644); err != nil {
			return err
		}
	}
	fmt.Printf("%d contracts written to %s\n", len(own), c.Dir)
	return nil
}

func ownContracts() []*contract.Contract {
	var own []*contract.Contract
	for _, t := range tools.All(tools.Parts{}) {
		own = append(own, t.Contract)
	}
	return contract.Newest(own)
}

// contractsOf reads the contracts that a file, a folder or a git revision holds.
func contractsOf(source string) ([]*contract.Contract, error) {
	var parts *join.Parts // a folder's contracts refer to those of this program
	files, err := contractFiles(source)
	if errors.Is(err, fs.ErrNotExist) {
		if files, err = contractFilesAt(source); err == nil {
			parts, err = partsAt(source)
		}
	}
	if err != nil {
		return nil, err
	}
	var out []*contract.Contract
	for _, f := range files {
		c, ok, err := contract.Read(f.content, parts)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.path, err)
		}
		if !ok {
			return nil, fmt.Errorf("%s is no contract: it lacks a name or an input_schema", f.path)
		}
		out = append(out, c)
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("%s holds no contract", source)
	}
	return contract.Newest(out), nil
}

type contractFile struct {
	path    string
	content []byte
}

// contractFiles lists the contracts of a file or folder; other JSON is left out,
// except where it was named itself.
func contractFiles(path string) ([]contractFile, error) {
	var out []contractFile
	err := filepath.WalkDir(path, func(p string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || filepath.Ext(p) != ".json" && p != path {
			return err
		}
		content, err := os.ReadFile(p)
		if err != nil {
			return err
		}
		if _, ok, _ := contract.Read(content, nil); ok || p == path {
			out = append(out, contractFile{p, content})
		}
		return nil
	})
	return out, err
}

// contractFilesAt lists the contracts of the tools in a git revision.
func contractFilesAt(revision string) ([]contractFile, error) {
	if strings.HasPrefix(revision, "-") {
		return nil, fmt.Errorf("%q is no file, folder or git revision", revision)
	}
	files, err := jsonAt(revision, "internal/tools/", "tools/")
	if err != nil {
		return nil, fmt.Errorf("%q is no file or folder, and as a git revision: %w", revision, err)
	}
	return slices.DeleteFunc(files, func(f contractFile) bool {
		_, ok, _ := contract.Read(f.content, nil)
		return !ok
	}), nil
}

// partsAt reads the shared parts of a git revision; older ones have none.
func partsAt(revision string) (*join.Parts, error) {
	files, err := jsonAt(revision, "api/defs/")
	if err != nil {
		return nil, err
	}
	parts := map[string][]byte{}
	for _, f := range files {
		parts[f.path] = f.content
	}
	return join.New(parts)
}

// jsonAt lists the JSON files of folders in a git revision.
func jsonAt(revision string, folders ...string) ([]contractFile, error) {
	names, err := git(append([]string{"ls-tree", "-r", "-z", "--name-only", "--full-tree", revision, "--"}, folders...)...)
	if err != nil {
		return nil, err
	}
	var out []contractFile
	for _, name := range strings.Split(strings.Trim(string(names), "\x00"), "\x00") {
		if filepath.Ext(name) != ".json" {
			continue
		}
		content, err := git("show", revision+":"+name)
		if err != nil {
			return nil, err
		}
		out = append(out, contractFile{revision + ":" + name, content})
	}
	return out, nil
}

func git(arguments ...string) ([]byte, error) {
	cmd := exec.Command("git", arguments...)
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("git %s: %w: %s", arguments[0], err, strings.TrimSpace(said.String()))
	}
	return out, nil
}
