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
{"Action":"pass","Package":"m/a","Test":"TestQuiet"}
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
	if strings.Contains(out.String(), "figures") {
		t.Errorf("what passed is told at length:\n%s", out.String())
	}
}

// The race detector goes to the packages that start goroutines, in their tests too; long
// ones of the others are tested at the same time.
func TestRunsAreSplit(t *testing.T) {
	packages := []string{"../../internal/engine", "../../internal/quantity", "../../internal/testenv"}
	for _, c := range []struct{ beside, want string }{
		{"", "-race -timeout=1m atelier/internal/engine\n-trimpath -timeout=1m atelier/internal/quantity atelier/internal/testenv"},
		{"-beside=internal/quantity,/nothing", "-race -p=1 -timeout=1m atelier/internal/engine & -trimpath -p=1 -timeout=1m atelier/internal/quantity\n-trimpath -timeout=1m atelier/internal/testenv"},
	} {
		args := append([]string{"-race=concurrent", "-timeout=1m"}, packages...)
		if c.beside != "" {
			args = append(args, c.beside)
		}
		steps, err := split(args)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, runs := range steps {
			var together []string
			for _, r := range runs {
				together = append(together, strings.Join(r.args, " "))
			}
			got = append(got, strings.Join(together, " & "))
		}
		if text := strings.Join(got, "\n"); text != c.want {
			t.Errorf("%s\nis not\n%s", text, c.want)
		}
	}
	if steps, err := split([]string{"-run", "X", "./..."}); err != nil || len(steps) != 1 || len(steps[0]) != 1 || len(steps[0][0].args) != 3 {
		t.Errorf("%v %v", steps, err)
	}
}
