package modelserver

import (
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"atelier/internal/contract"
)

func code(err error) string {
	if err == nil {
		return ""
	}
	return contract.AsError(err).Code
}

func TestLoadAndUnload(t *testing.T) {
	b, ctx := newFixture(t, "", nil), t.Context()
	port, model := freePort(t), b.model("slow")
	loaded, err := b.Load(ctx, "test", model, port)
	if err != nil || loaded.Already || loaded.State != Ready {
		t.Fatalf("%+v %v", loaded, err)
	}
	if loaded.Took < 400*time.Millisecond { // the server says for 500 ms that it is loading
		t.Errorf("ready after %s, before the server was", loaded.Took)
	}
	place, err := b.Find(ctx, fmt.Sprintf("local:%d", port))
	if err != nil || place.URL != fmt.Sprintf("http://127.0.0.1:%d/v1", port) || place.Model != filepath.Join(b.folder, model) {
		t.Fatalf("%+v %v", place, err)
	}
	if list, err := b.Servers(ctx); err != nil || len(list) != 1 || list[0].Port != port {
		t.Fatalf("%+v %v", list, err)
	}
	again, err := b.Load(ctx, "test", filepath.Join(b.folder, model), port) // the same folder, named otherwise
	if err != nil || !again.Already || again.Process.PID != loaded.Process.PID {
		t.Fatalf("%+v %v", again, err)
	}
	if _, err := b.Load(ctx, "test", b.model("ok"), port); code(err) != contract.CodePortBusy {
		t.Fatal(err)
	}
	if starts := b.starts(model); len(starts) != 1 || starts[0] != loaded.Process.PID {
		t.Fatalf("%v, recorded %d", starts, loaded.Process.PID)
	}
	if _, err := b.Unload(ctx, port); err != nil {
		t.Fatal(err)
	}
	b.nothingLeft(port)
	if !gone(loaded.Process.PID) {
		t.Error("the process is left")
	}
	if _, err := b.Unload(ctx, port); code(err) != contract.CodeNotListening {
		t.Fatal(err)
	}
	if _, err := b.Find(ctx, fmt.Sprintf("local:%d", port)); code(err) != contract.CodeModelNotFound {
		t.Fatal(err)
	}
}

// places makes a model outside of the allowed folder, which a link inside leads
// to, and an empty one in the cache.
func (b *fixture) places() (outside string) {
	b.t.Helper()
	outside = b.t.TempDir()
	if err := os.WriteFile(filepath.Join(outside, "config.json"), []byte("{}"), 0o600); err != nil {
		b.t.Fatal(err)
	}
	if err := os.Symlink(outside, filepath.Join(b.folder, "link")); err != nil {
		b.t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(b.folder, "hf", "hub", "models--some--cached", "snapshots", "1"), 0o700); err != nil {
		b.t.Fatal(err)
	}
	return outside
}

func TestLoadsThatFailLeaveNothing(t *testing.T) {
	b := newFixture(t, "", nil)
	outside := b.places()
	for name, tc := range map[string]struct {
		backend, model string
		port           int
		code, says     string
	}{
		"crash at start":        {"test", b.model("crash"), 0, contract.CodeLaunchFailed, "exit status 3"},
		"cannot load":           {"test", b.model("unavailable"), 0, contract.CodeLaunchFailed, "could not be loaded"},
		"model does not work":   {"test", b.model("silent"), 0, contract.CodeLaunchFailed, "500: out of memory"},
		"never ready":           {"test", b.model("never"), 0, contract.CodeTimeout, "not become ready"},
		"never listens":         {"test", b.model("deaf"), 0, contract.CodeTimeout, "not become ready"},
		"port below":            {"test", b.model("ok"), 8099, contract.CodeInvalidPort, "8100 to 8139"},
		"port above":            {"test", b.model("ok"), 8140, contract.CodeInvalidPort, "8100 to 8139"},
		"no such backend":       {"nobody", b.model("ok"), 0, contract.CodeInvalidInput, "no backend"},
		"program missing":       {"mlx", b.model("ok"), 0, contract.CodeMissingDependency, "mlx_lm.server"},
		"no such folder":        {"test", "nobody", 0, contract.CodeModelNotFound, "neither"},
		"not in the cache":      {"test", "some/model", 0, contract.CodeModelNotFound, "neither"},
		"a cache without files": {"test", "some/cached", 0, contract.CodeModelNotFound, "neither"},
		"an option":             {"test", "--help", 0, contract.CodeModelNotFound, "not a model's name"},
		"climbs out":            {"test", "../../../../etc", 0, contract.CodeModelNotFound, "neither"},
		"outside":               {"test", outside, 0, contract.CodeModelNotFound, "neither"},
		"a link that leads out": {"test", "link", 0, contract.CodeModelNotFound, "neither"},
		"no model in it":        {"test", ".", 0, contract.CodeModelNotFound, "no config.json"},
	} {
		t.Run(name, func(t *testing.T) {
			port := tc.port
			if port == 0 {
				port = freePort(t)
			}
			enough := 30 * time.Second // on a busy machine
			if tc.code == contract.CodeTimeout {
				enough = time.Second
			}
			ctx, cancel := context.WithTimeout(t.Context(), enough)
			defer cancel()
			_, err := b.Load(ctx, tc.backend, tc.model, port)
			if code(err) != tc.code || !strings.Contains(err.Error(), tc.says) {
				t.Fatalf("%v", err)
			}
			b.nothingLeft(port)
			for _, pid := range b.starts(tc.model) {
				if !gone(pid) {
					t.Errorf("process %d is left", pid)
				}
			}
			if tc.code != contract.CodeLaunchFailed {
				return
			}
			log, _ := contract.AsError(err).Details["log_tail"].(string)
			if !strings.Contains(log, "loading") || strings.Contains(log, "abcdefgh") {
				t.Errorf("the end of the log: %q", log)
			}
		})
	}
}

func TestCancelledLoadsLeaveNothing(t *testing.T) {
	b := newFixture(t, "", nil)
	port, model := freePort(t), b.model("never")
	began := func() {
		for len(b.starts(model)) == 0 {
			time.Sleep(10 * time.Millisecond)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		began()
		cancel()
	}()
	if _, err := b.Load(ctx, "test", model, port); code(err) != contract.CodeCancelled {
		t.Fatal(err)
	}
	b.nothingLeft(port)
	// An unload ends it too.
	model = b.model("never")
	failed := make(chan error, 1)
	go func() {
		_, err := b.Load(t.Context(), "test", model, port)
		failed <- err
	}()
	began()
	if _, err := b.Unload(t.Context(), port); err != nil {
		t.Fatal(err)
	}
	if err := <-failed; code(err) != contract.CodeLaunchFailed {
		t.Fatal(err)
	}
	b.nothingLeft(port)
	if pids := b.starts(model); len(pids) != 1 || !gone(pids[0]) {
		t.Errorf("%v", pids)
	}
}

func TestForeignListeners(t *testing.T) {
	b, ctx := newFixture(t, "", nil), t.Context()
	for _, host := range []string{"127.0.0.1", "0.0.0.0"} {
		port := freePort(t)
		l, err := net.Listen("tcp", net.JoinHostPort(host, strconv.Itoa(port)))
		if err != nil {
			t.Fatal(err)
		}
		model := b.model("ok")
		if _, err := b.Load(ctx, "test", model, port); code(err) != contract.CodePortBusy || len(b.starts(model)) != 0 {
			t.Errorf("%s: %v", host, err)
		}
		if _, err := b.Unload(ctx, port); code(err) != contract.CodeNotListening || !strings.Contains(err.Error(), "not started by atelier") {
			t.Errorf("%s: %v", host, err)
		}
		if err := l.Close(); err != nil { // it was left alone
			t.Error(err)
		}
		b.nothingLeft(port)
	}
}

// Of many loads of different models on one port one wins; of the same model all
// do, with one process.
func TestTwentyLoadsOfOnePort(t *testing.T) {
	b := newFixture(t, "", nil)
	other := newFixture(t, "", nil) // as another atelier on this machine: another database, the same locks
	other.opts.locks, other.locks = b.locks, b.locks
	race := func(models func(i int) (*fixture, string)) (won, lost int, total int) {
		port := freePort(t)
		var mu sync.Mutex
		var group sync.WaitGroup
		seen := map[string]*fixture{}
		for i := range 20 {
			from, model := models(i)
			seen[model] = from
			group.Go(func() {
				_, err := from.Load(t.Context(), "test", model, port)
				mu.Lock()
				defer mu.Unlock()
				switch code(err) {
				case "":
					won++
				case contract.CodePortBusy:
					lost++
				default:
					t.Error(err)
				}
			})
		}
		group.Wait()
		for model, from := range seen {
			total += len(from.starts(model))
		}
		return won, lost, total
	}
	won, lost, total := race(func(i int) (*fixture, string) {
		from := []*fixture{b, other}[i%2]
		return from, from.model("slow")
	})
	if won != 1 || lost != 19 || total != 1 {
		t.Errorf("different models: %d won, %d found the port busy, %d processes", won, lost, total)
	}
	same := b.model("slow")
	won, lost, total = race(func(int) (*fixture, string) { return b, same })
	if won != 20 || lost != 0 || total != 1 {
		t.Errorf("one model: %d won, %d found the port busy, %d processes", won, lost, total)
	}
}

// A server that ignores SIGTERM is killed, with what it has started.
func TestStubbornServers(t *testing.T) {
	b := newFixture(t, "", func(o *Options) { o.Grace = 300 * time.Millisecond })
	port, model := freePort(t), b.model("stubborn")
	loaded, err := b.Load(t.Context(), "test", model, port)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := os.ReadFile(filepath.Join(b.folder, model, "helper"))
	if err != nil {
		t.Fatal(err)
	}
	helper, err := strconv.Atoi(string(raw))
	if err != nil || syscall.Kill(helper, 0) != nil {
		t.Fatalf("the helper does not run: %v", err)
	}
	begun := time.Now()
	if _, err := b.Unload(t.Context(), port); err != nil {
		t.Fatal(err)
	}
	if took := time.Since(begun); took < 300*time.Millisecond {
		t.Errorf("killed after %s, before the grace was over", took)
	}
	if !gone(loaded.Process.PID) || !gone(helper) {
		t.Error("a process is left")
	}
	b.nothingLeft(port)
}
