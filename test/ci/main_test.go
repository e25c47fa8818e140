package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"atelier/internal/testenv"
)

// run is .ci/run with a make that does what the script says, its first argument
// being the target.
func run(t *testing.T, script, seconds string) (out string, green bool) {
	t.Helper()
	bin := t.TempDir()
	if err := os.WriteFile(filepath.Join(bin, "make"), []byte("#!/bin/sh\n"+script), 0o700); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(testenv.Path(".ci", "run"))
	cmd.Env = append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH"), "ATELIER_CI_SECONDS="+seconds)
	text, err := cmd.CombinedOutput()
	return string(text), err == nil
}

const good = `[ "$ATELIER_STRICT" = 1 ] && echo "3 passed, 0 failed, 0 skipped"`

func TestGreenOnlyIfEverySuiteRan(t *testing.T) {
	n := len(suites)
	count := func(passed, failed, skipped int) string {
		return fmt.Sprintf("%d passed, %d failed, %d skipped", passed, failed, skipped)
	}
	for name, c := range map[string]struct {
		script, seconds string
		green           bool
		says            []string
		last            string
	}{
		"all": {good, "", true, []string{fmt.Sprintf("green: all %d suites ran", n)}, count(3*n, 0, 0)},
		"no time at all": {good, "100", false, []string{"RED   make test did not run: it needs 1500 s", "RED   make test-examples did not run: make test is not green"},
			count(0, n, 0)},
		"nothing counted": {"exit 0", "", false, []string{"RED   make test failed: its last lines do not count its tests"}, count(0, n, 0)},
		"make test fails": {`[ "$1" = test ] && exit 2; ` + good, "", false,
			[]string{"RED   make test failed: exit status 2", "RED   make lint did not run: make test is not green"}, count(0, n, 0)},
		"another suite fails, the rest goes on": {`[ "$1" = lint ] && { echo "5 passed, 2 failed, 0 skipped"; exit 1; }; ` + good, "", false,
			[]string{"RED   make lint failed: exit status 1", fmt.Sprintf("red: 1 of %d suites", n)}, count(3*(n-1)+5, 2, 0)},
		"failures behind a good exit": {`[ "$1" = lint ] && { echo "5 passed, 1 failed, 0 skipped"; exit 0; }; ` + good, "", false,
			[]string{"RED   make lint failed: 1 tests"}, count(3*(n-1)+5, 1, 0)},
		"no tests": {`[ "$1" = lint ] && { echo "0 passed, 0 failed, 0 skipped"; exit 0; }; ` + good, "", false, []string{"RED   make lint failed: it has no tests"}, ""},
		"a skip that is not listed": {`[ "$1" = test-web ] && { echo "2 passed, 0 failed, 1 skipped"; exit 0; }; ` + good, "", false,
			[]string{"RED   make test-web skipped 1 tests, none may be"}, count(3*(n-1)+2, 1, 1)},
		"a skip that is listed": {`[ "$1" = bench-web ] && { echo "0 passed, 0 failed, 1 skipped"; exit 0; }; ` + good, "", true,
			[]string{"note  make bench-web skipped 1: pages of others"}, count(3*(n-1), 0, 1)},
		"words for a number": {good, "soon", false, []string{"ATELIER_CI_SECONDS is \"soon\""}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			out, green := run(t, c.script, c.seconds)
			if green != c.green {
				t.Errorf("green is %v:\n%s", green, out)
			}
			for _, want := range c.says {
				if !strings.Contains(out, want) {
					t.Errorf("%q is not said:\n%s", want, out)
				}
			}
			lines := strings.Split(strings.TrimRight(out, "\n"), "\n")
			if last := lines[len(lines)-1]; c.last != "" && last != c.last {
				t.Errorf("the last line is %q, want %q", last, c.last)
			}
		})
	}
}

// A suite that takes too long is ended with what it started, and its output, to
// the last line, is kept.
func TestASuiteIsEnded(t *testing.T) {
	program := filepath.Join(t.TempDir(), "make")
	if err := os.WriteFile(program, []byte("#!/bin/sh\nsleep 600 &\necho \"$!\"\nwait\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	var seen strings.Builder
	begun := time.Now()
	cut, _ := ended(program, "any", 3*time.Second, &seen)
	if took := time.Since(begun); !cut || took > time.Minute {
		t.Errorf("cut: %v, after %v", cut, took)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(seen.String()))
	if err != nil {
		t.Fatalf("%q: %v", seen.String(), err)
	}
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
		if stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid)); err != nil || strings.Contains(string(stat), ") Z ") {
			break // gone, or waiting to be read by the first process
		}
		if time.Now().After(deadline) {
			t.Fatalf("process %d is left", pid)
		}
	}
}

// Every target of the Makefile that tests is a suite, and every suite a target.
func TestEverySuiteIsATarget(t *testing.T) {
	text, err := os.ReadFile(testenv.Path("Makefile"))
	if err != nil {
		t.Fatal(err)
	}
	listed := map[string]bool{"test-long": true} // sweeps of an hour, for releases
	needs := 0
	for _, s := range suites {
		listed[s.name] = true
		needs += s.need
		if !strings.Contains(string(text), "\n"+s.name+":") {
			t.Errorf("the Makefile has no target %s", s.name)
		}
		if s.limit < 2*s.need {
			t.Errorf("%s: a machine half as fast would be cut at %d s", s.name, s.limit)
		}
	}
	for _, m := range regexp.MustCompile(`(?m)^(test[a-z0-9-]*):`).FindAllStringSubmatch(string(text), -1) {
		if !listed[m[1]] {
			t.Errorf("make %s is in no check", m[1])
		}
	}
	if needs*3/2 > total {
		t.Errorf("the suites need %d s of %d", needs, total)
	}
}
