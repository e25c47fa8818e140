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
	first      = "-first="
	part       = "-racepart="
)

// run is a call of go test.
type run struct{ args, env []string }

// plain builds as make build does, so that what that has compiled is found again.
var plain = run{[]string{"-trimpath"}, []string{"CGO_ENABLED=0"}}

// split makes two runs of arguments with -race=concurrent, whose other ones are flags
// as -name=value and packages, and else one. Packages whose paths end as one of
// -first=END,END are begun before the others, so that no long one is left for the end,
// when the other processor has nothing to do. Of a package whose path ends as END of
// -racepart=END=TESTS,END=TESTS only the tests that match are raced, in a run of their
// own beside the plain one of all: arithmetic takes several times as long with the
// detector, and says no more of the goroutines that share it out.
func split(args []string) ([]run, error) {
	var flags, packages, ends []string
	parts := map[string]string{}
	asked := false
	for _, a := range args {
		switch list, found := strings.CutPrefix(a, first); {
		case a == concurrent:
			asked = true
		case found:
			ends = strings.Split(list, ",")
		case strings.HasPrefix(a, part):
			for _, p := range strings.Split(strings.TrimPrefix(a, part), ",") {
				end, tests, _ := strings.Cut(p, "=")
				parts[end] = tests
			}
		case strings.HasPrefix(a, "-"):
			flags = append(flags, a)
		default:
			packages = append(packages, a)
		}
	}
	if !asked {
		return []run{{args: args}}, nil
	}
	list := []string{"list", "-f", `{{.ImportPath}} {{.Dir}} {{join .GoFiles " "}} {{join .TestGoFiles " "}} {{join .XTestGoFiles " "}}`}
	out, err := exec.Command("go", append(list, packages...)...).Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	race, rest := run{args: append([]string{"-race"}, flags...)}, run{append(plain.args, flags...), plain.env}
	var partly []run
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	slices.SortStableFunc(lines, func(a, b string) int { return rank(a, ends) - rank(b, ends) })
	for _, line := range lines {
		f := strings.Fields(line)
		to := &rest
		starts, err := startsGoroutines(f[1], f[2:])
		if err != nil {
			return nil, err
		}
		if tests := raced(f[0], parts); starts && tests != "" {
			partly = append(partly, run{args: slices.Concat([]string{"-race", "-run", tests}, flags, f[:1])})
		} else if starts {
			to = &race
		}
		to.args = append(to.args, f[0])
	}
	runs := partly
	for _, r := range []run{race, rest} {
		if strings.HasPrefix(r.args[len(r.args)-1], "-") {
			continue // no package: go test would take the folder it is called in
		}
		runs = append(runs, r)
	}
	return runs, nil
}

// raced are the tests of a package that alone are raced, "" where all are.
func raced(path string, parts map[string]string) string {
	for end, tests := range parts {
		if strings.HasSuffix(path, end) {
			return tests
		}
	}
	return ""
}

// rank is 0 of a package that is to be begun first, and 1 of another.
func rank(line string, ends []string) int {
	path, _, _ := strings.Cut(line, " ")
	if slices.ContainsFunc(ends, func(end string) bool { return strings.HasSuffix(path, end) }) {
		return 0
	}
	return 1
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
