// Gotest runs go test with the arguments given, prints what failed and what was
// skipped, and closes with a line that counts the tests:
//
//	812 passed, 0 failed, 3 skipped
//
// Before that line stand the tests that took longest, so that what makes a run slow is seen.
// A test with subtests is not counted beside them. One argument is its own:
// -race=concurrent tests with the race detector the packages that start goroutines,
// and the others, to which it costs several times the time, without; -first=END,END
// begins with the packages whose paths end so; -racepart=END=TESTS,END=TESTS races only
// the tests of those packages that match.
package main

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
)

// event is a line of go test -json; see go doc test2json.
type event struct {
	Action, Package, Test, Output string
	ImportPath                    string // of a build
	Elapsed                       float64
}

type counter struct {
	out     io.Writer
	output  map[[2]string][]string // by package and test
	parents map[[2]string]bool     // tests with subtests
	failed  map[[2]string]bool     // tests with a subtest that failed
	counts  map[string]int         // by action
	slow    []timed                // those without subtests
}

// timed is a test that passed, and how long it took.
type timed struct {
	name    string
	seconds float64
}

// Of the slowest tests: how many are told, and from how many seconds on.
const (
	mostSlow  = 20
	leastSlow = 5
)

func main() {
	runs, err := split(os.Args[1:])
	if err != nil {
		fatal(err)
	}
	c := newCounter(os.Stdout)
	red := false
	for _, r := range runs {
		red = c.test(r) != nil || red
	}
	c.tellSlow()
	fmt.Printf("%d passed, %d failed, %d skipped\n", c.counts["pass"], c.counts["fail"], c.counts["skip"])
	if red {
		os.Exit(1)
	}
}

func (c *counter) test(r run) error {
	cmd := exec.Command("go", append([]string{"test", "-json"}, r.args...)...)
	cmd.Env = append(os.Environ(), r.env...)
	cmd.Stderr = os.Stderr
	lines, err := cmd.StdoutPipe()
	if err != nil {
		fatal(err)
	}
	if err := cmd.Start(); err != nil {
		fatal(err)
	}
	failed := c.counts["fail"]
	c.read(lines)
	err = cmd.Wait()
	if err != nil && c.counts["fail"] == failed {
		c.counts["fail"]++ // a package that cannot be built, or ended before its tests
	}
	return err
}

func fatal(err error) {
	fmt.Fprintln(os.Stderr, "gotest:", err)
	os.Exit(1)
}

func newCounter(out io.Writer) *counter {
	return &counter{out: out, output: map[[2]string][]string{}, parents: map[[2]string]bool{},
		failed: map[[2]string]bool{}, counts: map[string]int{}}
}

func (c *counter) read(lines io.Reader) {
	in := bufio.NewScanner(lines)
	in.Buffer(nil, 16<<20)
	for in.Scan() {
		var e event
		if err := json.Unmarshal(in.Bytes(), &e); err != nil {
			fmt.Fprintln(c.out, in.Text())
			continue
		}
		c.take(e)
	}
	if err := in.Err(); err != nil {
		fatal(err)
	}
}

func (c *counter) take(e event) {
	key := [2]string{e.Package, e.Test}
	switch e.Action {
	case "build-output":
		fmt.Fprint(c.out, e.Output)
	case "output":
		c.hear(key, e.Output)
	case "run":
		if parent := strings.LastIndexByte(e.Test, '/'); parent >= 0 {
			c.parents[[2]string{e.Package, e.Test[:parent]}] = true
		}
	case "pass", "fail", "skip":
		c.end(key, e)
		delete(c.output, key)
	}
}

// hear keeps what a test prints until its end is known; of a package only its last
// line and what is no test's matter.
func (c *counter) hear(key [2]string, text string) {
	if key[1] != "" {
		c.output[key] = append(c.output[key], text)
		return
	}
	switch {
	case text == "PASS\n", text == "FAIL\n", strings.HasSuffix(text, "[no test files]\n"), strings.HasPrefix(text, "exit status"):
	default:
		fmt.Fprint(c.out, text)
	}
}

func (c *counter) end(key [2]string, e event) {
	if e.Test == "" { // a package; its own line has been printed
		if e.Action == "fail" {
			c.unfinished(e.Package)
		}
		return
	}
	above := key
	if cut := strings.LastIndexByte(e.Test, '/'); cut >= 0 {
		above[1] = e.Test[:cut]
	}
	counted := !c.parents[key]
	if e.Action == "fail" {
		counted = counted || !c.failed[key] // its own fault, beside subtests that passed
		c.failed[above] = true
	}
	if counted {
		c.counts[e.Action]++
	}
	if !c.parents[key] && e.Elapsed >= leastSlow {
		c.slow = append(c.slow, timed{e.Package + " " + e.Test, e.Elapsed})
	}
	if e.Action == "fail" || e.Action == "skip" && counted {
		c.tell(e.Action, key)
	}
}

// unfinished are the tests that a package's process did not live to end.
func (c *counter) unfinished(pkg string) {
	for key := range c.output {
		if key[0] == pkg {
			c.counts["fail"]++
			c.tell("did not end", key)
			delete(c.output, key)
		}
	}
}

func (c *counter) tellSlow() {
	slices.SortFunc(c.slow, func(a, b timed) int { return cmp.Compare(b.seconds, a.seconds) })
	for _, t := range c.slow[:min(len(c.slow), mostSlow)] {
		fmt.Fprintf(c.out, "%6.0f s  %s\n", t.seconds, t.name)
	}
}

func (c *counter) tell(what string, key [2]string) {
	fmt.Fprintf(c.out, "%s: %s %s\n", strings.ToUpper(what), key[0], key[1])
	for _, line := range c.output[key] {
		if text := strings.TrimLeft(line, " "); !strings.HasPrefix(text, "=== ") && !strings.HasPrefix(text, "--- ") {
			fmt.Fprint(c.out, line)
		}
	}
}
