package main

import (
	"strings"
	"testing"
)

// Leaves are counted, and a parent only where the fault is its own.
func TestTestsAreCounted(t *testing.T) {
	var out strings.Builder
	c := newCounter(&out)
	c.read(strings.NewReader(`
{"Action":"build-output","ImportPath":"m/b","Output":"b.go:1: broken\n"}
{"Action":"run","Package":"m/a","Test":"TestParent"}
{"Action":"run","Package":"m/a","Test":"TestParent/one"}
{"Action":"output","Package":"m/a","Test":"TestParent/one","Output":"    a_test.go:3: 2 is not 3\n"}
{"Action":"fail","Package":"m/a","Test":"TestParent/one"}
{"Action":"run","Package":"m/a","Test":"TestParent/two"}
{"Action":"pass","Package":"m/a","Test":"TestParent/two"}
{"Action":"fail","Package":"m/a","Test":"TestParent"}
{"Action":"run","Package":"m/a","Test":"TestOwnFault"}
{"Action":"run","Package":"m/a","Test":"TestOwnFault/one"}
{"Action":"pass","Package":"m/a","Test":"TestOwnFault/one"}
{"Action":"fail","Package":"m/a","Test":"TestOwnFault"}
{"Action":"run","Package":"m/a","Test":"TestSkipped"}
{"Action":"output","Package":"m/a","Test":"TestSkipped","Output":"    a_test.go:9: no engine\n"}
{"Action":"skip","Package":"m/a","Test":"TestSkipped"}
{"Action":"run","Package":"m/a","Test":"TestQuiet"}
{"Action":"output","Package":"m/a","Test":"TestQuiet","Output":"    a_test.go:12: figures\n"}
{"Action":"pass","Package":"m/a","Test":"TestQuiet","Elapsed":7.2}
{"Action":"output","Package":"m/a","Output":"FAIL\tm/a\t0.1s\n"}
{"Action":"fail","Package":"m/a"}
{"Action":"skip","Package":"m/c"}
`[1:]))
	if c.counts["pass"] != 3 || c.counts["fail"] != 2 || c.counts["skip"] != 1 {
		t.Errorf("%v", c.counts)
	}
	for _, want := range []string{"b.go:1: broken", "FAIL: m/a TestParent/one\n    a_test.go:3: 2 is not 3", "SKIP: m/a TestSkipped\n    a_test.go:9: no engine", "FAIL\tm/a"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is not said:\n%s", want, out.String())
		}
	}
	c.tellSlow()
	if !strings.Contains(out.String(), "     7 s  m/a TestQuiet\n") {
		t.Errorf("the slowest test is not told:\n%s", out.String())
	}
	if strings.Contains(out.String(), "figures") {
		t.Errorf("what passed is told at length:\n%s", out.String())
	}
}

// The race detector goes to the packages that start goroutines, in their tests too.
func TestRunsAreSplit(t *testing.T) {
	runs, err := split([]string{"-race=concurrent", "-timeout=1m", "../../internal/engine", "../../internal/quantity", "../../internal/testenv"})
	if err != nil || len(runs) != 2 {
		t.Fatalf("%v %v", runs, err)
	}
	for i, want := range []string{"-race -timeout=1m atelier/internal/engine", "-trimpath -timeout=1m atelier/internal/quantity atelier/internal/testenv"} {
		if got := strings.Join(runs[i].args, " "); got != want {
			t.Errorf("run %d is %q, want %q", i, got, want)
		}
	}
	runs, err = split([]string{"-race=concurrent", "-first=/nothing,internal/testenv", "../../internal/quantity", "../../internal/testenv"})
	if err != nil || len(runs) != 1 || strings.Join(runs[0].args, " ") != "-trimpath atelier/internal/testenv atelier/internal/quantity" {
		t.Errorf("%v %v", runs, err)
	}
	runs, err = split([]string{"-race=concurrent", "-racepart=internal/engine=^TestA", "../../internal/engine", "../../internal/quantity"})
	if err != nil || len(runs) != 2 || strings.Join(runs[0].args, " ") != "-race -run ^TestA atelier/internal/engine" ||
		strings.Join(runs[1].args, " ") != "-trimpath atelier/internal/engine atelier/internal/quantity" {
		t.Errorf("%v %v", runs, err)
	}
	if runs, err = split([]string{"-run", "X", "./..."}); err != nil || len(runs) != 1 || len(runs[0].args) != 3 {
		t.Errorf("%v %v", runs, err)
	}
}
