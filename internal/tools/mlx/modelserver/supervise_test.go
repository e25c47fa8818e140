package modelserver

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"atelier/internal/contract"
	"atelier/internal/store/storetest"
	"atelier/internal/testenv"
)

// until waits for a condition.
func until(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); !holds(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("never: %s", what)
		}
	}
}

// state is that of the record of a port, "" for none.
func (b *fixture) state(port int) State {
	b.t.Helper()
	r, err := b.read(context.Background(), port)
	if err != nil {
		b.t.Fatal(err)
	}
	return r.State
}

func TestAServerThatDiesIsStartedAgain(t *testing.T) {
	b, ctx := newFixture(t, "", nil), t.Context()
	port, model := freePort(t), b.model("ok")
	loaded, err := b.Load(ctx, "test", model, port)
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(loaded.Process.PID, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	until(t, "it is ready again", func() bool {
		r, err := b.read(ctx, port)
		return err == nil && r.State == Ready && r.Process.PID != loaded.Process.PID
	})
	r, err := b.read(ctx, port)
	if err != nil || r.Restarts != 1 || !strings.Contains(r.Fault, "killed") || !r.Since.Equal(loaded.Since) {
		t.Errorf("%+v %v", r, err)
	}
	// What is lost while no new one can be started comes back when one can.
	if err := os.WriteFile(filepath.Join(b.folder, model, "mode"), []byte("crash"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(r.Process.PID, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	until(t, "it was tried", func() bool { return len(b.starts(model)) >= 3 })
	if _, err := b.Find(ctx, fmt.Sprintf("local:%d", port)); code(err) != contract.CodeModelUnavailable {
		t.Error(err)
	}
	if err := os.WriteFile(filepath.Join(b.folder, model, "mode"), []byte("ok"), 0o600); err != nil {
		t.Fatal(err)
	}
	until(t, "it is ready again", func() bool { return b.state(port) == Ready })
	if _, err := b.Unload(ctx, port); err != nil {
		t.Fatal(err)
	}
	b.nothingLeft(port)
}

func TestAServerThatDiesTooOftenHasFailed(t *testing.T) {
	b, ctx := newFixture(t, "", func(o *Options) { o.Restarts = 2 }), t.Context()
	port, model := freePort(t), b.model("short")
	if _, err := b.Load(ctx, "test", model, port); err != nil {
		t.Fatal(err)
	}
	until(t, "it has failed", func() bool { return b.state(port) == Failed })
	if n := len(b.starts(model)); n != 3 { // the load and two restarts
		t.Errorf("%d starts", n)
	}
	_, err := b.Find(ctx, fmt.Sprintf("local:%d", port))
	if code(err) != contract.CodeModelUnavailable || !strings.Contains(fmt.Sprint(contract.AsError(err).Details["fault"]), "exit status 7") {
		t.Error(err)
	}
	// Another load takes its place; what has failed can be unloaded too.
	if _, err := b.Load(ctx, "test", b.model("ok"), port); err != nil {
		t.Fatal(err)
	}
	if r, err := b.Unload(ctx, port); err != nil || r.State != Ready {
		t.Fatalf("%+v %v", r, err)
	}
	b.nothingLeft(port)
}

func TestUnloadWhileItIsRestarted(t *testing.T) {
	b, ctx := newFixture(t, "", func(o *Options) { o.Backoff = time.Hour }), t.Context()
	port := freePort(t)
	loaded, err := b.Load(ctx, "test", b.model("ok"), port)
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(loaded.Process.PID, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	until(t, "it waits for its restart", func() bool { return b.state(port) == Restarting })
	if _, err := b.Unload(ctx, port); err != nil {
		t.Fatal(err)
	}
	b.nothingLeft(port)
}

// An orderly stop ends the servers, and the next start brings them back; with
// Keep they are not ended.
func TestOrderlyStop(t *testing.T) {
	for _, keep := range []bool{false, true} {
		t.Run(fmt.Sprintf("keep %v", keep), func(t *testing.T) {
			b := newFixture(t, "", func(o *Options) { o.Keep = keep })
			port := freePort(t)
			loaded, err := b.Load(t.Context(), "test", b.model("ok"), port)
			if err != nil {
				t.Fatal(err)
			}
			b.close()
			if _, alive := identify(loaded.Process.PID); alive != keep {
				t.Errorf("alive %v", alive)
			}
			b.open(nil)
			b.Start()
			until(t, "it is ready", func() bool { return b.state(port) == Ready && b.supervised(port) != nil && b.supervised(port).runs() })
			r, err := b.read(t.Context(), port)
			if err != nil || (r.Process.PID == loaded.Process.PID) != keep {
				t.Errorf("%+v %v", r, err)
			}
			if _, err := b.Unload(t.Context(), port); err != nil {
				t.Fatal(err)
			}
			if !gone(r.Process.PID) {
				t.Error("the process is left")
			}
			b.nothingLeft(port)
		})
	}
}

// killed runs an atelier that loads a model, in a process of its own, and kills
// it with SIGKILL when it has come so far.
func (b *fixture) killed(port int, model string, far func(said string) bool) {
	b.t.Helper()
	exe, err := os.Executable()
	if err != nil {
		b.t.Fatal(err)
	}
	cmd := exec.Command(exe, "atelier", b.url, b.folder, strconv.Itoa(port), model, b.locks)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		b.t.Fatal(err)
	}
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if far(lines.Text()) {
			break
		}
	}
	_ = cmd.Process.Kill()
	_ = cmd.Wait() // killed
}

func databases(t *testing.T, run func(t *testing.T, url string)) {
	t.Run("sqlite", func(t *testing.T) { run(t, "") })
	t.Run("postgres", func(t *testing.T) { run(t, storetest.Postgres(t, "models", 4)) })
}

// What a killed atelier leaves is taken over by the next.
func TestTakeOverAfterAKill(t *testing.T) {
	databases(t, func(t *testing.T, url string) {
		b := newFixture(t, url, nil)
		b.close()
		port, model := freePort(t), b.model("ok")
		b.killed(port, model, func(said string) bool { return said == "loaded" })
		pid := b.starts(model)[0]
		b.open(nil)
		b.Start()
		until(t, "it is supervised", func() bool { s := b.supervised(port); return s != nil && s.runs() })
		if r, err := b.read(t.Context(), port); err != nil || r.State != Ready || r.Process.PID != pid || len(b.starts(model)) != 1 {
			t.Fatalf("%+v %v, process %d", r, err, pid)
		}
		// It is started again as one of our own would be.
		if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		until(t, "it is ready again", func() bool { return len(b.starts(model)) == 2 && b.state(port) == Ready })
		if _, err := b.Unload(t.Context(), port); err != nil {
			t.Fatal(err)
		}
		b.nothingLeft(port)
	})
}

// A load that was under way when atelier was killed is undone by the next.
func TestAHalfStartedServerIsEnded(t *testing.T) {
	for _, lost := range []bool{false, true} { // whether it was killed before it had written down the process
		t.Run(fmt.Sprintf("process not written down %v", lost), func(t *testing.T) {
			b := newFixture(t, "", nil)
			b.close()
			port, model := freePort(t), b.model("never")
			b.killed(port, model, func(string) bool {
				until(t, "it has begun", func() bool { return len(b.starts(model)) == 1 })
				return true
			})
			pid := b.starts(model)[0]
			if _, alive := identify(pid); !alive {
				t.Fatal("the server has ended with its atelier")
			}
			b.open(nil)
			if lost {
				r, err := b.read(t.Context(), port)
				if err != nil || r.State != Loading {
					t.Fatalf("%+v %v", r, err)
				}
				if _, found := started(r.Token); !found {
					testenv.Skip(t, testenv.System, "this system does not show the environments of processes")
				}
				r.Process = nil
				if err := b.write(t.Context(), &r); err != nil {
					t.Fatal(err)
				}
			}
			b.Start()
			until(t, "it is forgotten", func() bool { return b.state(port) == "" })
			if !gone(pid) {
				t.Error("the process is left")
			}
			b.nothingLeft(port)
		})
	}
}

// A process that only has the number of one that was ours is left alone, and the
// model is loaded anew.
func TestAStrangerWithTheNumberIsLeftAlone(t *testing.T) {
	b := newFixture(t, "", nil)
	port, model := freePort(t), b.model("ok")
	stranger := exec.Command("sleep", "1000")
	stranger.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := stranger.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		_ = stranger.Process.Kill()
		_ = stranger.Wait() // killed
	}()
	r := row{Record: Record{Port: port, Backend: "test", Model: model, Argument: filepath.Join(b.folder, model), Host: "here", State: Ready,
		Process: &Identity{PID: stranger.Process.Pid, Start: "long ago"}}}
	if err := b.write(t.Context(), &r); err != nil {
		t.Fatal(err)
	}
	b.Start()
	until(t, "the model is loaded", func() bool {
		now, err := b.read(t.Context(), port)
		return err == nil && now.State == Ready && now.Restarts == 1
	})
	if _, err := b.Unload(t.Context(), port); err != nil {
		t.Fatal(err)
	}
	if _, alive := identify(stranger.Process.Pid); !alive {
		t.Error("the stranger was ended")
	}
	b.nothingLeft(port)
}

// Two machines share a database: a port belongs to one of them, and either may
// ask for the end of its server.
func TestTwoMachines(t *testing.T) {
	url := storetest.Postgres(t, "models", 4)
	studio, mini := newFixture(t, url, nil), newFixture(t, url, func(o *Options) {
		o.Machine, o.Backends = "there", map[string]Backend{"mlx": {Name: "mlx", Argv: []string{"nowhere/mlx_lm.server"}}, "test": Backends()["vllm"]}
	})
	if err := studio.Check(); err != nil { // its backend test is this program
		t.Fatal(err)
	}
	if err := mini.Check(); code(err) != contract.CodeMissingDependency {
		t.Fatal(err)
	}
	studio.Start()
	mini.Start()
	until(t, "the other machine is known", func() bool {
		mini.hosts.mu.Lock()
		mini.hosts.asked = time.Time{}
		mini.hosts.mu.Unlock()
		return mini.Check() == nil
	})
	port, model := freePort(t), studio.model("ok")
	loaded, err := studio.Load(t.Context(), "test", model, port)
	if err != nil {
		t.Fatal(err)
	}
	place, err := mini.Find(t.Context(), loaded.ID())
	if err != nil || place.URL != loaded.URL {
		t.Fatalf("%+v %v", place, err)
	}
	if list, err := mini.Servers(t.Context()); err != nil || len(list) != 1 || list[0].Host != "here" {
		t.Fatalf("%+v %v", list, err)
	}
	mini.opts.Backends = studio.opts.Backends
	if _, err := mini.Load(t.Context(), "test", mini.model("ok"), port); code(err) != contract.CodePortBusy {
		t.Fatal(err)
	}
	if _, err := mini.Unload(t.Context(), port); err != nil {
		t.Fatal(err)
	}
	if !gone(loaded.Process.PID) {
		t.Error("the process is left")
	}
	studio.nothingLeft(port)
}
