package testenv

import (
	"bytes"
	"encoding/xml"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// nativeCase is a test case of doctest's XML report.
type nativeCase struct {
	Name     string `xml:"name,attr"`
	Failures []struct {
		Success  string `xml:"success,attr"`
		Filename string `xml:"filename,attr"`
		Line     string `xml:"line,attr"`
		Original string `xml:"Original"`
		Expanded string `xml:"Expanded"`
		Info     string `xml:"Info"`
	} `xml:"Expression"`
	Exceptions []string `xml:"Exception"`
	Result     *struct {
		Success bool `xml:"test_case_success,attr"`
	} `xml:"OverallResultsAsserts"`
}

// NativeTests runs the unit tests of a native engine, which its install.sh built
// from engines/<engine>/tests, and shows each case as a subtest. They print the
// seed of their random numbers; ATELIER_SEED repeats a run.
func NativeTests(t *testing.T, engine string) {
	t.Helper()
	program := filepath.Join(Engines(), engine, "bin", engine+"-tests")
	if _, err := os.Stat(program); err != nil {
		Skip(t, Engine, "the tests of the engine %s are missing; make engines builds them: %v", engine, err)
	}
	cmd := exec.Command(program, "--reporters=xml", "--no-path-filenames=true")
	cmd.Dir = t.TempDir()
	cmd.Env = append(os.Environ(), "OMP_WAIT_POLICY=passive") // threads that spin cost most on a busy machine
	var report, chatter bytes.Buffer
	cmd.Stdout, cmd.Stderr = &report, &chatter
	ended := cmd.Run() // not 0 where a case failed, which the report says better
	t.Log(strings.TrimSpace(chatter.String()))
	var all struct {
		Cases []nativeCase `xml:"TestSuite>TestCase"`
	}
	if err := xml.Unmarshal(report.Bytes(), &all); err != nil {
		t.Fatalf("%s wrote no report: %v (%v)\n%s", program, err, ended, chatter.String())
	}
	if len(all.Cases) == 0 {
		t.Fatalf("%s has no test case", program)
	}
	failed := false
	for _, c := range all.Cases {
		ok := t.Run(c.Name, c.judge)
		failed = failed || !ok
	}
	if ended != nil && !failed {
		t.Errorf("%s ended with %v after its last case", program, ended)
	}
}

func (c nativeCase) judge(t *testing.T) {
	for _, f := range c.Failures {
		if f.Success != "true" {
			t.Errorf("%s:%s: %s is %s %s", f.Filename, f.Line, strings.TrimSpace(f.Original), strings.TrimSpace(f.Expanded), strings.TrimSpace(f.Info))
		}
	}
	for _, e := range c.Exceptions {
		t.Errorf("threw %s", strings.TrimSpace(e))
	}
	if c.Result == nil || !c.Result.Success {
		t.Error("did not pass")
	}
}
