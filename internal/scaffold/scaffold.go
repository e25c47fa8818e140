// Package scaffold writes the files of a new tool: a contract, a handler, a test,
// and its place in the family's list. What it writes compiles, runs and passes the
// tests that all tools share; its author then changes it into what is wanted.
package scaffold

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"go/format"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"text/template"
)

//go:embed templates
var templates embed.FS

var namePattern = regexp.MustCompile(`^([a-z][a-z0-9]*)\.([a-z][a-z0-9]*(?:_[a-z0-9]+)*)$`)

// tool is what the templates know.
type tool struct {
	Tool, Family, Package, Name, File, Title, Var, Exported string
}

// Files makes the files of a tool named family.name for the project at root, by
// path relative to it. Nothing is written; a file that exists and is not a list of
// tools is an error.
func Files(root, name string) (map[string][]byte, error) {
	parts := namePattern.FindStringSubmatch(name)
	if parts == nil {
		return nil, fmt.Errorf("%q is no name for a tool: write family.name in lowercase, such as mesh.smooth", name)
	}
	if _, err := os.Stat(filepath.Join(root, "internal", "tools", "all.go")); err != nil {
		return nil, fmt.Errorf("%s is not the project's folder: run this where go.mod lies (%w)", root, err)
	}
	t := describe(parts[1], parts[2])
	folder := filepath.Join("internal", "tools", t.Family)
	files := map[string][]byte{}
	for file, from := range map[string]string{
		t.File + ".json": "contract.json.tmpl", t.File + ".go": "tool.go.tmpl", t.File + "_test.go": "tool_test.go.tmpl",
	} {
		path := filepath.Join(folder, file)
		if _, err := os.Stat(filepath.Join(root, path)); err == nil {
			return nil, fmt.Errorf("%s exists already", path)
		}
		text, err := fill(from, t)
		if err != nil {
			return nil, err
		}
		files[path] = text
	}
	return files, list(root, folder, t, files)
}

func describe(family, name string) tool {
	var camel strings.Builder
	words := strings.Split(name, "_")
	for _, w := range words {
		camel.WriteString(strings.ToUpper(w[:1]) + w[1:])
	}
	exported := camel.String()
	words[0] = strings.ToUpper(words[0][:1]) + words[0][1:]
	return tool{
		Tool: family + "." + name, Family: family, Package: family, Name: name, File: name, Title: strings.Join(words, " "),
		Exported: exported, Var: strings.ToLower(exported[:1]) + exported[1:] + "Tool",
	}
}

func fill(name string, t tool) ([]byte, error) {
	parsed, err := template.ParseFS(templates, "templates/"+name)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	if err := parsed.Execute(&out, t); err != nil {
		return nil, err
	}
	if strings.HasSuffix(name, ".go.tmpl") {
		return format.Source(out.Bytes())
	}
	return out.Bytes(), nil
}

// list adds the tool to its family, and a new family to the program.
func list(root, folder string, t tool, files map[string][]byte) error {
	path := filepath.Join(folder, "tools.go")
	text, err := os.ReadFile(filepath.Join(root, path))
	if err == nil {
		files[path], err = addTool(path, text, t.Var)
		return err
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if files[path], err = fill("tools.go.tmpl", t); err != nil {
		return err
	}
	all := filepath.Join("internal", "tools", "all.go")
	if text, err = os.ReadFile(filepath.Join(root, all)); err != nil {
		return err
	}
	files[all], err = addFamily(all, text, t.Family)
	return err
}

// Write writes the files below root.
func Write(root string, files map[string][]byte) error {
	for path, text := range files {
		full := filepath.Join(root, path)
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(full, text, 0o644); err != nil {
			return err
		}
	}
	return nil
}
