package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// Arguments of gotest's own.
const (
	concurrent = "-race=concurrent"
	beside     = "-beside="
)

// run is a call of go test.
type run struct{ args, env []string }

// plain builds as make build does, so that what that has compiled is found again.
var plain = run{[]string{"-trimpath"}, []string{"CGO_ENABLED=0"}}

// split makes of arguments with -race=concurrent, whose other ones are flags as
// -name=value and packages, the runs in their order, and else one; those of one step run
// beside each other. Packages whose paths end as one of -beside=END,END are tested beside
// the first run, whose longest package would leave one of two processors idle, each run
// then with one package at a time.
func split(args []string) ([][]run, error) {
	var flags, packages, ends []string
	asked := false
	for _, a := range args {
		switch list, found := strings.CutPrefix(a, beside); {
		case a == concurrent:
			asked = true
		case found:
			ends = strings.Split(list, ",")
		case strings.HasPrefix(a, "-"):
			flags = append(flags, a)
		default:
			packages = append(packages, a)
		}
	}
	if !asked {
		return [][]run{{{args: args}}}, nil
	}
	list := []string{"list", "-f", `{{.ImportPath}} {{.Dir}} {{join .GoFiles " "}} {{join .TestGoFiles " "}} {{join .XTestGoFiles " "}}`}
	out, err := exec.Command("go", append(list, packages...)...).Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	var raced, long, rest []string
	for line := range strings.Lines(string(out)) {
		f := strings.Fields(line)
		starts, err := startsGoroutines(f[1], f[2:])
		switch {
		case err != nil:
			return nil, err
		case starts:
			raced = append(raced, f[0])
		case slices.ContainsFunc(ends, func(end string) bool { return strings.HasSuffix(f[0], end) }):
			long = append(long, f[0])
		default:
			rest = append(rest, f[0])
		}
	}
	race := run{args: slices.Concat([]string{"-race"}, flags, raced)}
	others := run{slices.Concat(plain.args, flags, rest), plain.env}
	if len(long) == 0 {
		return [][]run{{race}, {others}}, nil
	}
	race.args = slices.Insert(race.args, 1, "-p=1")
	first := run{slices.Concat(plain.args, []string{"-p=1"}, flags, long), plain.env}
	return [][]run{{race, first}, {others}}, nil
}

// startsGoroutines says whether a file has a go statement, or calls a method Go, as
// those of wait and error groups.
func startsGoroutines(dir string, files []string) (bool, error) {
	for _, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(dir, name), nil, 0)
		if err != nil {
			return false, err
		}
		found := false
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.GoStmt:
				found = true
			case *ast.SelectorExpr:
				found = found || n.Sel.Name == "Go"
			}
			return !found
		})
		if found {
			return true, nil
		}
	}
	return false, nil
}
