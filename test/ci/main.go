// Ci runs what decides whether a change lands: make test, then the other suites.
// It is green only if every suite ran to its end, counted its tests, failed none
// and skipped none that may not be skipped. The table at the end says which did
// not, and the last line counts:
//
//	2913 passed, 0 failed, 31 skipped
package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"syscall"
	"time"
)

type counts struct{ passed, failed, skipped int }

// outcome is what became of a suite.
type outcome struct {
	suite
	counts
	counted bool // it closed with a count
	seconds int
	fault   string // what makes it red; empty: nothing
}

func main() {
	budget := total
	if text := os.Getenv("ATELIER_CI_SECONDS"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n <= 0 {
			fmt.Fprintf(os.Stderr, "ci: ATELIER_CI_SECONDS is %q, expected a number of seconds such as %d\n", text, total)
			os.Exit(2)
		}
		budget = n
	}
	os.Setenv("ATELIER_STRICT", "1")
	if !report(os.Stdout, runAll(time.Now(), budget)) {
		os.Exit(1)
	}
}

func runAll(begun time.Time, budget int) []outcome {
	var all []outcome
	stopped := ""
	for _, s := range suites {
		o := outcome{suite: s}
		left := budget - int(time.Since(begun).Seconds())
		switch {
		case stopped != "":
			o.fault = "did not run: " + stopped
		case left < s.need:
			o.fault = fmt.Sprintf("did not run: it needs %d s and %d s are left of %d", s.need, left, budget)
		default:
			o.run(min(s.limit, left))
		}
		if s.name == "test" && o.fault != "" {
			stopped = "make test is not green"
		}
		all = append(all, o)
	}
	return all
}

func (o *outcome) run(limit int) {
	fmt.Printf("=== make %s\n", o.name)
	begun := time.Now()
	count := &closing{}
	cut, err := ended("make", o.name, time.Duration(limit)*time.Second, count)
	o.seconds = int(time.Since(begun).Seconds())
	o.counts, o.counted = count.read()
	switch {
	case cut:
		o.fault = fmt.Sprintf("failed: it was ended after %d s", limit)
	case err != nil:
		o.fault = "failed: " + err.Error()
	case !o.counted:
		o.fault = "failed: its last lines do not count its tests"
	case o.failed > 0:
		o.fault = fmt.Sprintf("failed: %d tests", o.failed)
	case o.skipped > 0 && o.maySkip == "":
		o.fault = fmt.Sprintf("skipped %d tests, none may be", o.skipped)
	case o.passed == 0 && o.skipped == 0:
		o.fault = "failed: it has no tests"
	}
	fmt.Printf("=== make %s took %d s\n", o.name, o.seconds)
}

// ended runs a target in a process group of its own, ends the group after the
// limit, and says whether it had to.
func ended(program, target string, limit time.Duration, seen io.Writer) (cut bool, err error) {
	cmd := exec.Command(program, target)
	out := io.MultiWriter(os.Stdout, seen)
	cmd.Stdout, cmd.Stderr = out, out
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.WaitDelay = 20 * time.Second // for what left the group and holds the output open
	if err := cmd.Start(); err != nil {
		return false, err
	}
	done := make(chan error, 1)
	go func() { done <- cmd.Wait() }()
	select {
	case err = <-done:
		if errors.Is(err, exec.ErrWaitDelay) {
			err = nil
		}
		return false, err
	case <-time.After(limit):
	}
	_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) // suites stop their servers
	select {
	case err = <-done:
	case <-time.After(20 * time.Second):
	}
	_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
	return true, err
}

var closingLine = regexp.MustCompile(`(?m)^(\d+) passed, (\d+) failed, (\d+) skipped\r?$`)

// closing keeps the end of what a suite prints.
type closing struct{ tail []byte }

const tailBytes = 4 << 10

func (c *closing) Write(p []byte) (int, error) {
	c.tail = append(c.tail, p...)
	if extra := len(c.tail) - tailBytes; extra > 0 {
		c.tail = append(c.tail[:0], c.tail[extra:]...)
	}
	return len(p), nil
}

func (c *closing) read() (counts, bool) {
	all := closingLine.FindAllSubmatch(c.tail, -1)
	if len(all) == 0 {
		return counts{}, false
	}
	var n [3]int
	for i := range n {
		n[i], _ = strconv.Atoi(string(all[len(all)-1][i+1]))
	}
	return counts{n[0], n[1], n[2]}, true
}
