//go:build linux

package engine

import (
	"bufio"
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"atelier/internal/contract"
	"atelier/internal/engine/nsinit"
	"atelier/internal/testenv"
)

func warmHost(t *testing.T, how string) (*LocalHost, string) {
	t.Helper()
	work := t.TempDir()
	h, err := NewHost(Options{Root: t.TempDir(), Work: work, Threads: 2, Engines: []Spec{
		{Name: "odd", Driver: testBinary(t), Args: []string{engineWord, how}, Warm: 1, Processes: 12},
	}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { h.Close() })
	return h, work
}

// waitFor polls, since what it waits for happens in another process.
func waitFor(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(5 * time.Second); !ok(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%s did not come about", what)
		}
	}
}

func (h *LocalHost) readyCount(name string) int {
	h.mu.Lock()
	p := h.warm[name]
	h.mu.Unlock()
	if p == nil {
		return 0
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.ready)
}

func TestWarm(t *testing.T) {
	part := filepath.Join(t.TempDir(), "source.txt")
	if err := os.WriteFile(part, []byte("a part"), 0o600); err != nil {
		t.Fatal(err)
	}
	before := descendants()
	h, work := warmHost(t, "echo")
	h.Prepare()
	for range 3 {
		waitFor(t, "a waiting process", func() bool { return h.readyCount("odd") == 1 })
		call := testCall(t, 5*time.Second)
		reply, err := h.Run(context.Background(), call, Job{Engine: "odd", Request: 7, Inputs: map[string]string{"in/part.txt": part}})
		if err != nil {
			t.Fatal(err, contract.AsError(err).Log)
		}
		if string(reply.Output) != `{"request":7,"input":"a part"}` {
			t.Errorf("output %s", reply.Output)
		}
		if made, _ := os.ReadFile(filepath.Join(call.Dir, "out/made.txt")); string(made) != "made of a part" {
			t.Errorf("made %q", made)
		}
		if _, err := os.Lstat(filepath.Join(call.Dir, "in")); !os.IsNotExist(err) {
			t.Errorf("the input's copy came along: %v", err)
		}
	}
	h.Close()
	if left, _ := os.ReadDir(work); len(left) != 0 {
		t.Errorf("folders left: %v", left)
	}
	if after := descendants(); after != before {
		t.Errorf("%d processes before, %d after", before, after)
	}
	if _, err := h.Run(context.Background(), testCall(t, time.Second), Job{Engine: "odd"}); code(err) != contract.CodeInterrupted {
		t.Errorf("a closed host ran a job: %v", err)
	}
}

// What a killed server left is removed by the next one; what a living one holds
// is not.
func TestWarmDirsOfKilledServersAreRemoved(t *testing.T) {
	h, work := warmHost(t, "echo")
	stale := filepath.Join(work, "warm-stale")
	if err := os.MkdirAll(stale, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(stale, warmLock), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	dir, err := h.makeWarmDir()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(stale); !os.IsNotExist(err) {
		t.Errorf("the stale folder stays: %v", err)
	}
	sweepWarmDirs(work)
	if _, err := os.Stat(dir); err != nil {
		t.Errorf("a living host's folder was removed: %v", err)
	}
}

func TestWarmThatDiedIsReplaced(t *testing.T) {
	h, _ := warmHost(t, "quit")
	h.Prepare()
	waitFor(t, "a waiting process", func() bool { return h.readyCount("odd") == 1 })
	p := h.pool(h.specs["odd"], program{})
	p.mu.Lock()
	waiter := p.ready[0]
	p.mu.Unlock()
	<-waiter.child.done
	begun := time.Now()
	_, err := h.Run(context.Background(), testCall(t, 5*time.Second), Job{Engine: "odd"})
	if code(err) != contract.CodeEngineCrashed { // a cold one took its place, and ends too
		t.Errorf("got %v", err)
	}
	if took := time.Since(begun); took > 2*time.Second {
		t.Errorf("the back-off delayed the job: %s", took)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.delay < firstBackOff {
		t.Errorf("no back-off after a process that died of its start: %s", p.delay)
	}
}

// TestDeathOfTheServer kills a server in the middle of a job, and expects that
// the engine dies with it.
func TestDeathOfTheServer(t *testing.T) {
	for level := range levels(t) {
		t.Run(level, func(t *testing.T) {
			server := exec.Command(testBinary(t), serverWord, level, t.TempDir())
			out, err := server.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := server.Start(); err != nil {
				t.Fatal(err)
			}
			line, err := bufio.NewReader(out).ReadString('\n') // comes when the engine is at work
			if err != nil {
				t.Fatal(err)
			}
			pid, err := strconv.Atoi(strings.TrimSpace(line))
			if err != nil {
				t.Fatal(err)
			}
			if err := server.Process.Signal(syscall.SIGKILL); err != nil {
				t.Fatal(err)
			}
			_ = server.Wait()
			waitFor(t, "the end of the engine", func() bool {
				cmdline, _ := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/cmdline")
				return !bytes.Contains(cmdline, []byte(engineWord))
			})
		})
	}
}

// TestNamespaceEndsWithTheServersPipe covers a server that dies before the first
// process of a namespace has asked for its death signal.
func TestNamespaceEndsWithTheServersPipe(t *testing.T) {
	if !DetectLevel().ProcessNamespace {
		testenv.Skip(t, testenv.System, "no process namespaces here")
	}
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	first := exec.Command(testBinary(t), nsinit.Arg)
	first.Stdin = read
	first.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWPID}
	if err := first.Start(); err != nil {
		t.Fatal(err)
	}
	read.Close()
	ended := make(chan error, 1)
	go func() { ended <- first.Wait() }()
	select {
	case <-ended:
		t.Fatal("it ended while its server lived")
	case <-time.After(200 * time.Millisecond):
	}
	write.Close()
	select {
	case <-ended:
	case <-time.After(5 * time.Second):
		_ = first.Process.Kill()
		t.Error("it outlives its server")
	}
}

const serverWord = "serve-one"

// serveOne is the server of TestDeathOfTheServer: it runs an engine that hangs
// and prints its process number.
func serveOne(level, dir string) {
	l := DetectLevel()
	l.ProcessNamespace = l.ProcessNamespace && level == "namespace"
	h, err := NewHost(Options{Root: dir, Work: dir, Level: &l, Engines: []Spec{
		{Name: "odd", Driver: os.Args[0], Args: []string{engineWord, "hang"}, Processes: 12}}})
	if err != nil {
		panic(err)
	}
	call := &contract.Call{Dir: dir, Limits: contract.DefaultLimits()}
	call.Report = func(contract.Event) {
		for _, pid := range children(os.Getpid()) {
			cmdline, _ := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/cmdline")
			if bytes.Contains(cmdline, []byte(engineWord)) {
				say(strconv.Itoa(pid))
			}
		}
	}
	_, _ = h.Run(context.Background(), call, Job{Engine: "odd"})
}

// BenchmarkOverhead compares the smallest program run bare with the same through
// the host, confined as far as this machine can, and not at all.
func BenchmarkOverhead(b *testing.B) {
	b.Run("bare", func(b *testing.B) {
		least := time.Duration(1 << 62)
		for b.Loop() {
			begun := time.Now()
			_ = exec.Command("/bin/true").Run()
			least = min(least, time.Since(begun))
		}
		b.ReportMetric(float64(least.Microseconds())/1000, "least-ms")
	})
	tracked := DetectLevel()
	tracked.ProcessNamespace = false
	for name, level := range map[string]Level{"host": DetectLevel(), "host-tracked": tracked, "host-unconfined": {}} {
		b.Run(name, func(b *testing.B) {
			h, err := NewHost(Options{Root: b.TempDir(), Work: b.TempDir(), Level: &level, Engines: []Spec{{Name: "odd", Driver: "/bin/true"}}})
			if err != nil {
				b.Fatal(err)
			}
			call := &contract.Call{Dir: b.TempDir(), Limits: contract.DefaultLimits()}
			least := time.Duration(1 << 62)
			for b.Loop() {
				begun := time.Now()
				if _, err := h.Run(context.Background(), call, Job{Engine: "odd", Args: []string{}}); err != nil {
					b.Fatal(err)
				}
				least = min(least, time.Since(begun))
			}
			b.ReportMetric(float64(least.Microseconds())/1000, "least-ms")
		})
	}
}
