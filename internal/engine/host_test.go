//go:build linux

package engine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"atelier/internal/contract"
	"atelier/internal/testenv"
)

// levels are the confinements that this machine can show: the whole, and that
// without a process namespace, which is what an ordinary user has.
func levels(t *testing.T) map[string]Level {
	full := DetectLevel()
	if runtime.GOOS != "linux" {
		testenv.Skip(t, testenv.System, "confinement is for Linux only")
	}
	tracked := full
	tracked.ProcessNamespace = false
	return map[string]Level{"namespace": full, "tracked": tracked}
}

func testHost(t *testing.T, level Level, how ...string) *LocalHost {
	t.Helper()
	h, err := NewHost(Options{
		Root: t.TempDir(), Work: t.TempDir(), Level: &level, Threads: 2,
		Engines: []Spec{{Name: "odd", Driver: testBinary(t), Args: append([]string{engineWord}, how...), Processes: 12, Proc: true}},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { h.Close() })
	return h
}

func testBinary(t *testing.T) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return self
}

func testCall(t *testing.T, timeout time.Duration) *contract.Call {
	limits := contract.DefaultLimits()
	limits.TimeoutMS, limits.MaxArtifactBytes, limits.MemoryMB = timeout.Milliseconds(), 4_000_000, 400
	limits.MaxStdoutBytes, limits.MaxStderrBytes, limits.MaxArtifacts = 20_000, 20_000, 8
	return &contract.Call{Tool: "test", JobID: "j", Dir: t.TempDir(), Limits: limits, Report: func(contract.Event) {}}
}

// descendants counts the processes below this one, and so what a job left.
func descendants() int {
	_, n := measure(children(os.Getpid()))
	return n
}

func code(err error) string {
	var e *contract.Error
	if errors.As(err, &e) {
		return e.Code
	}
	return fmt.Sprint(err)
}

func TestFaultsCostOneJob(t *testing.T) {
	for _, row := range []struct {
		name, want string
		how        []string
		timeout    time.Duration
		says       string // in the message or the log
	}{
		{"a crash", contract.CodeEngineCrashed, []string{"crash"}, 5 * time.Second, "SIGKILL"},
		{"an end without an answer", contract.CodeEngineCrashed, []string{"quit"}, 5 * time.Second, "exit status 3"},
		{"a hang", contract.CodeTimeout, []string{"hang"}, 300 * time.Millisecond, "300 ms"},
		{"a hang that ignores SIGTERM", contract.CodeTimeout, []string{"deaf"}, 300 * time.Millisecond, "300 ms"},
		{"a flood of text", contract.CodeOutputFlood, []string{"flood"}, 10 * time.Second, "bytes of text"},
		{"a flood of files' bytes", contract.CodeOutputFlood, []string{"disk"}, 20 * time.Second, "bytes"},
		{"a flood of files", contract.CodeOutputFlood, []string{"files"}, 20 * time.Second, "files"},
		{"too much memory", contract.CodeMemoryExceeded, []string{"memory"}, 20 * time.Second, "400 MB"},
		{"a fork bomb", contract.CodeEngineCrashed, []string{"forks", "4"}, 60 * time.Second, "processes"},
		{"two answers", contract.CodeEngineCrashed, []string{"answers"}, 5 * time.Second, "answered 2 times"},
		{"an answer too long", contract.CodeOutputFlood, []string{"longline"}, 5 * time.Second, "answer of more than"},
		{"an error of its own", "ERR_SINGULAR_SYSTEM", []string{"error"}, 5 * time.Second, "nothing holds"},
		{"an error code nobody knows", contract.CodeSolverFailed, []string{"odd"}, 5 * time.Second, "odd"},
	} {
		for level, l := range levels(t) {
			t.Run(row.name+"/"+level, func(t *testing.T) {
				h, call := testHost(t, l, row.how...), testCall(t, row.timeout)
				if row.how[0] == "forks" {
					call.Limits.MemoryMB = 4000 // with the race detector a few processes pass 400
				}
				before := descendants()
				begun := time.Now()
				_, err := h.Run(context.Background(), call, Job{Engine: "odd"})
				if took := time.Since(begun); took > row.timeout+3*time.Second {
					t.Errorf("took %s", took)
				}
				if got := code(err); got != row.want {
					t.Fatalf("got %v, want code %s; the log: %+v", err, row.want, contract.AsError(err).Log)
				}
				e := contract.AsError(err)
				if !strings.Contains(e.Message, row.says) {
					t.Errorf("message %q does not say %q", e.Message, row.says)
				}
				if e.Log == nil || len(e.Log.Stdout) > 20_000 {
					t.Errorf("the log is missing or longer than its limit")
				}
				if after := descendants(); after != before {
					t.Errorf("%d processes before, %d after", before, after)
				}
			})
		}
	}
}

func TestAnswer(t *testing.T) {
	part := filepath.Join(t.TempDir(), "source.txt")
	if err := os.WriteFile(part, []byte("a part"), 0o600); err != nil {
		t.Fatal(err)
	}
	for level, l := range levels(t) {
		t.Run(level, func(t *testing.T) {
			h, call := testHost(t, l, "echo"), testCall(t, 5*time.Second)
			reply, err := h.Run(context.Background(), call, Job{Engine: "odd", Request: map[string]int{"a": 1}, Inputs: map[string]string{"in/part.txt": part}})
			if err != nil {
				t.Fatal(err, contract.AsError(err).Log)
			}
			if got := string(reply.Output); got != `{"request":{"a":1},"input":"a part"}` {
				t.Errorf("output %s", got)
			}
			if len(reply.Artifacts) != 1 || !reply.Artifacts[0].Primary || reply.Artifacts[0].MIME != "text/plain; charset=utf-8" {
				t.Errorf("artifacts %+v", reply.Artifacts)
			}
			if !strings.Contains(reply.Log.Stdout, "plain words") || !strings.Contains(reply.Log.Stderr, "to stderr") {
				t.Errorf("log %+v", reply.Log)
			}
			made, _ := os.ReadFile(filepath.Join(call.Dir, "out/made.txt"))
			if string(made) != "made of a part" {
				t.Errorf("made %q", made)
			}
			if _, err := os.Lstat(filepath.Join(call.Dir, "in")); !os.IsNotExist(err) {
				t.Errorf("the inputs were not taken away: %v", err)
			}
		})
	}
}

func TestNothingGetsOut(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	home, _ := os.UserHomeDir()
	for level, l := range levels(t) {
		t.Run(level, func(t *testing.T) {
			if l.LandlockABI == 0 || !l.Seccomp {
				testenv.Skip(t, testenv.System, "this kernel has no Landlock or no seccomp")
			}
			call := testCall(t, 5*time.Second)
			secret := filepath.Join(t.TempDir(), "secret")
			if err := os.WriteFile(secret, []byte("secret"), 0o600); err != nil {
				t.Fatal(err)
			}
			h := testHost(t, l, "probe", home, secret, listener.Addr().String(), fmt.Sprint(os.Getpid()))
			if _, err := h.Run(context.Background(), call, Job{Engine: "odd", Inputs: map[string]string{"in/part.txt": secret + "2"}}); err == nil {
				t.Fatal("a missing input was taken")
			}
			part := filepath.Join(t.TempDir(), "part.txt")
			if err := os.WriteFile(part, []byte("p"), 0o600); err != nil {
				t.Fatal(err)
			}
			reply, err := h.Run(context.Background(), call, Job{Engine: "odd", Inputs: map[string]string{"in/part.txt": part}})
			if err != nil {
				t.Fatal(err)
			}
			var out struct{ Escaped string }
			if err := json.Unmarshal(reply.Output, &out); err != nil {
				t.Fatal(err)
			}
			if out.Escaped != "" {
				t.Errorf("got out: %s", out.Escaped)
			}
			if b, _ := os.ReadFile(secret); string(b) != "secret" {
				t.Errorf("the file beside the job was changed")
			}
		})
	}
}

func TestNoProcessStays(t *testing.T) {
	for level, l := range levels(t) {
		t.Run(level, func(t *testing.T) {
			before := descendants()
			h, call := testHost(t, l, "orphan"), testCall(t, 5*time.Second)
			if _, err := h.Run(context.Background(), call, Job{Engine: "odd"}); err != nil {
				t.Fatal(err, contract.AsError(err).Log)
			}
			if after := descendants(); after != before {
				t.Errorf("%d processes before, %d after", before, after)
			}
		})
	}
}

func TestCancel(t *testing.T) {
	for level, l := range levels(t) {
		t.Run(level, func(t *testing.T) {
			h, call := testHost(t, l, "hang"), testCall(t, time.Minute)
			ctx, cancel := context.WithCancel(context.Background())
			call.Report = func(e contract.Event) { cancel() } // as soon as it is at work
			begun := time.Now()
			_, err := h.Run(ctx, call, Job{Engine: "odd"})
			if code(err) != contract.CodeCancelled {
				t.Errorf("got %v", err)
			}
			if took := time.Since(begun); took > 2*time.Second {
				t.Errorf("took %s", took)
			}
		})
	}
}

func TestEngineThatLingersIsEndedAfterItsAnswer(t *testing.T) {
	h, call := testHost(t, DetectLevel(), "linger"), testCall(t, time.Minute)
	reply, err := h.Run(context.Background(), call, Job{Engine: "odd"})
	if err != nil {
		t.Fatal(err)
	}
	if len(reply.Warnings) != 1 || reply.Warnings[0].Code != "engine_exit" {
		t.Errorf("warnings %+v", reply.Warnings)
	}
}

func TestMissingEngine(t *testing.T) {
	h := testHost(t, DetectLevel())
	err := h.Check("mfem")
	if code(err) != contract.CodeMissingDependency || !strings.Contains(contract.AsError(err).Hint, "make engines") {
		t.Errorf("got %v", err)
	}
	if code(h.Check("nothing")) != contract.CodeMissingDependency {
		t.Error("an engine that is not registered passed the check")
	}
}
