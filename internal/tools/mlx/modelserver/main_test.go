package modelserver

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"atelier/internal/store"
	"atelier/internal/testenv"
)

// The children of these tests are real processes with a real HTTP server, this
// test program itself, which behave as the model that they are given says. The
// real mlx_lm.server is held by test/conformance/mlx.sh.
func TestMain(m *testing.M) {
	if len(os.Args) == 5 && os.Args[1] == "child" {
		child(os.Args[2], os.Args[3]+":"+os.Args[4])
		return
	}
	if len(os.Args) == 7 && os.Args[1] == "atelier" {
		atelier(os.Args[2], os.Args[3], os.Args[4], os.Args[5], os.Args[6])
		return
	}
	os.Exit(m.Run())
}

// child is a model server. Its model's folder has a file mode.
func child(model, addr string) {
	raw, err := os.ReadFile(filepath.Join(model, "mode"))
	if err != nil {
		fail(err)
	}
	mode := string(raw)
	f, err := os.OpenFile(filepath.Join(model, "starts"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		fail(err)
	}
	fmt.Fprintln(f, os.Getpid())
	_ = f.Close()
	fmt.Println("loading", model)
	began := time.Now()
	switch mode {
	case "crash":
		fmt.Println("RuntimeError: boom, with token=abcdefgh1234 and hf_abcdefghijkl")
		os.Exit(3)
	case "stubborn":
		signal.Ignore(syscall.SIGTERM)
		helper := exec.Command("sleep", "1000") // of the same group
		if err := helper.Start(); err != nil {
			fail(err)
		}
		if err := os.WriteFile(filepath.Join(model, "helper"), []byte(strconv.Itoa(helper.Process.Pid)), 0o600); err != nil {
			fail(err)
		}
	case "deaf":
		time.Sleep(time.Hour)
	case "short":
		time.AfterFunc(300*time.Millisecond, func() { os.Exit(7) })
	}
	mux := http.NewServeMux()
	mux.HandleFunc("/health", func(w http.ResponseWriter, _ *http.Request) {
		switch {
		case mode == "never", mode == "slow" && time.Since(began) < 500*time.Millisecond:
			http.Error(w, `{"error":{"message":"Loading model"}}`, http.StatusServiceUnavailable)
		case mode == "unavailable":
			http.Error(w, `{"status":"unavailable"}`, http.StatusServiceUnavailable)
		}
	})
	mux.HandleFunc("/v1/completions", func(w http.ResponseWriter, r *http.Request) {
		var body struct{ Model string }
		_ = json.NewDecoder(r.Body).Decode(&body)
		fmt.Println("asked for", body.Model)
		if mode == "silent" {
			http.Error(w, "out of memory", http.StatusInternalServerError)
		}
	})
	fail(http.ListenAndServe(addr, mux))
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

// atelier loads a model and waits to be killed.
func atelier(database, folder, port, name, locks string) {
	db, err := store.Open(context.Background(), database)
	if err != nil {
		fail(err)
	}
	m := New(options(folder, locks))
	m.Attach(db)
	m.Start()
	n, _ := strconv.Atoi(port)
	fmt.Println("begun")
	if _, err := m.Load(context.Background(), "test", name, n); err != nil {
		fail(err)
	}
	fmt.Println("loaded")
	select {}
}

func options(folder, locks string) Options {
	exe, err := os.Executable()
	if err != nil {
		panic(err)
	}
	return Options{
		Backends: map[string]Backend{"mlx": {Name: "mlx", Argv: []string{"nowhere/mlx_lm.server"}}, "test": {Name: "test", Argv: []string{exe, "child", "{model}", "{host}", "{port}"}}},
		Folders:  []string{folder}, Cache: filepath.Join(folder, "hf"), Logs: filepath.Join(folder, "logs"), Machine: "here",
		Grace: 2 * time.Second, Backoff: 20 * time.Millisecond, Poll: 20 * time.Millisecond, locks: locks,
	}
}

// fixture is a Manager with its folders.
type fixture struct {
	*Manager
	t      *testing.T
	folder string
	locks  string
	url    string // of the database
	db     *store.DB
}

func newFixture(t *testing.T, url string, change func(*Options)) *fixture {
	t.Helper()
	b := &fixture{t: t, folder: t.TempDir(), locks: t.TempDir(), url: url}
	if url == "" {
		b.url = filepath.Join(t.TempDir(), "db")
	}
	b.open(change)
	t.Cleanup(func() { b.close() })
	return b
}

func (b *fixture) open(change func(*Options)) {
	b.t.Helper()
	o := options(b.folder, b.locks)
	if change != nil {
		change(&o)
	}
	var err error
	if b.db, err = store.Open(context.Background(), b.url); err != nil {
		b.t.Fatal(err)
	}
	b.Manager = New(o)
	b.Attach(b.db)
}

func (b *fixture) close() {
	b.t.Helper()
	if b.db == nil {
		return
	}
	if err := b.Close(); err != nil {
		b.t.Error(err)
	}
	if err := b.db.Close(); err != nil {
		b.t.Error(err)
	}
	b.db = nil
}

// model makes a model whose server behaves as mode says.
func (b *fixture) model(mode string) string {
	b.t.Helper()
	dir, err := os.MkdirTemp(b.folder, mode+"-")
	if err != nil {
		b.t.Fatal(err)
	}
	for name, text := range map[string]string{"mode": mode, "config.json": "{}"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			b.t.Fatal(err)
		}
	}
	return filepath.Base(dir)
}

// starts are the ids of the processes that were started with a model.
func (b *fixture) starts(model string) []int {
	raw, _ := os.ReadFile(filepath.Join(b.folder, model, "starts")) // none before the first
	var pids []int
	for _, word := range strings.Fields(string(raw)) {
		pid, err := strconv.Atoi(word)
		if err != nil {
			b.t.Fatal(err)
		}
		pids = append(pids, pid)
	}
	return pids
}

// nothingLeft says that a port has neither record, nor lock, nor listener.
func (b *fixture) nothingLeft(port int) {
	b.t.Helper()
	if r, err := b.read(context.Background(), port); err != nil || r.version != 0 {
		b.t.Errorf("a record is left: %+v %v", r, err)
	}
	until(b.t, "the lock of the port is given back", func() bool { // which comes after the record's removal
		lock, err := reserve(b.locks, port)
		if err == nil {
			_ = lock.Close()
		}
		return err == nil
	})
	if !free(port) {
		b.t.Errorf("something listens on %d", port)
	}
}

// gone says that a process has ended, waiting a moment for the system.
func gone(pid int) bool {
	for range 100 {
		if _, alive := identify(pid); !alive {
			return true
		}
		time.Sleep(20 * time.Millisecond)
	}
	return false
}

// freePort picks one that no other program has, from the upper half of the range
// (the tests of cmd/atelier use the lower), and keeps other runs of these tests
// from it while the test runs.
func freePort(t *testing.T) int {
	t.Helper()
	for port := LastPort; port >= FirstPort+20; port-- {
		lock, err := reserve(locksFolder(), port)
		if err != nil {
			continue
		}
		if !free(port) {
			_ = lock.Close()
			continue
		}
		t.Cleanup(func() { _ = lock.Close() })
		return port
	}
	testenv.Skip(t, testenv.Ports, "all ports of 8120 to 8139 are taken on this machine")
	return 0
}

func TestFreeSeesEveryAddress(t *testing.T) {
	for _, host := range []string{"127.0.0.1", "0.0.0.0", "[::1]"} {
		port := freePort(t)
		l, err := net.Listen("tcp", fmt.Sprintf("%s:%d", host, port))
		if err != nil {
			t.Logf("%s: %v", host, err)
			continue
		}
		if free(port) {
			t.Errorf("a listener on %s is not seen", host)
		}
		_ = l.Close()
		if !free(port) {
			t.Errorf("%d is free again and not seen to be", port)
		}
	}
}
