package modelserver

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"sync"
	"time"

	"atelier/internal/contract"
	"atelier/internal/store"
)

// Options of a Manager. The zero value of a field means its default.
type Options struct {
	Backends  map[string]Backend // by name; those of Backends
	Engines   string             // folder of the engines, where programs are sought too
	Folders   []string           // in which models may lie
	Cache     string             // $HF_HOME; ~/.cache/huggingface
	Downloads bool               // servers may reach the network for models
	Logs      string             // folder of the servers' logs; required

	// Host is the address that servers listen on; 127.0.0.1. Address is the one
	// that other machines reach them by; Host or, where that is all addresses,
	// Machine.
	Host, Address string
	// Machine names this machine in the records; its host name.
	Machine string
	// Keep leaves the servers running when the Manager is closed.
	Keep bool

	Grace    time.Duration // between SIGTERM and SIGKILL; 10 s
	Backoff  time.Duration // before the first restart, doubling to a minute; 1 s
	Restarts int           // most within Window, before a server has failed; 5, negative for none
	Window   time.Duration // 10 min
	Poll     time.Duration // between questions to a server that starts; 100 ms

	Log *slog.Logger // slog.Default()

	locks string // folder of the ports' locks, for tests
}

func (o Options) withDefaults() Options {
	for value, standard := range map[*time.Duration]time.Duration{
		&o.Grace: 10 * time.Second, &o.Backoff: time.Second, &o.Window: 10 * time.Minute, &o.Poll: 100 * time.Millisecond,
	} {
		if *value == 0 {
			*value = standard
		}
	}
	for value, standard := range map[*string]string{&o.Host: "127.0.0.1", &o.locks: locksFolder()} {
		if *value == "" {
			*value = standard
		}
	}
	if o.Backends == nil {
		o.Backends = Backends()
	}
	if o.Restarts == 0 {
		o.Restarts = 5
	}
	if o.Log == nil {
		o.Log = slog.Default()
	}
	if o.Machine == "" {
		o.Machine, _ = os.Hostname() // an unknown name is a name too
	}
	if o.Address == "" {
		o.Address = o.Host
		if ip := net.ParseIP(o.Host); ip != nil && ip.IsUnspecified() {
			o.Address = o.Machine
		}
	}
	if home, err := os.UserHomeDir(); o.Cache == "" && err == nil {
		o.Cache = filepath.Join(home, ".cache", "huggingface")
	}
	return o
}

// Manager loads, supervises and unloads the servers of this process. It is safe
// for concurrent use.
type Manager struct {
	opts   Options
	models models
	cache  string // of the hub
	db     *store.DB

	mu      sync.Mutex
	servers map[int]*server // supervised here
	ops     map[int]*operation
	closed  bool

	background sync.WaitGroup
	stop       context.CancelFunc
	hosts      hosts
	found      found
	oldID      sync.Once // the message that a model was named by an old id
}

// New makes a Manager that starts nothing. Without a database (Attach) it can
// only say what this machine has.
func New(o Options) *Manager {
	o = o.withDefaults()
	cache := os.Getenv("HF_HUB_CACHE")
	if cache == "" {
		cache = filepath.Join(o.Cache, "hub")
	}
	return &Manager{
		opts: o, cache: cache, models: models{folders: o.Folders, cache: cache, downloads: o.Downloads},
		servers: map[int]*server{}, ops: map[int]*operation{}, stop: func() {},
	}
}

// Attach gives the Manager its database, before it is used.
func (m *Manager) Attach(db *store.DB) { m.db = db }

// operation is a load or unload under way on a port.
type operation struct {
	key    string // what is loaded; "" for anything else
	cancel context.CancelFunc
	done   chan struct{}
}

// begin makes the caller the only one to work on a port, or returns the one who
// does.
func (m *Manager) begin(ctx context.Context, port int, key string) (context.Context, *operation, func(), error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return nil, nil, nil, contract.Errorf(contract.CodeInterrupted, "the server is stopping")
	}
	if other := m.ops[port]; other != nil {
		return nil, other, nil, nil
	}
	ctx, cancel := context.WithCancel(ctx)
	op := &operation{key: key, cancel: cancel, done: make(chan struct{})}
	m.ops[port] = op
	return ctx, nil, func() {
		cancel()
		m.mu.Lock()
		delete(m.ops, port)
		m.mu.Unlock()
		close(op.done)
	}, nil
}

func (m *Manager) supervised(port int) *server {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.servers[port]
}

func (m *Manager) register(s *server) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.servers[s.port] = s
}

func (m *Manager) drop(s *server) {
	m.mu.Lock()
	if m.servers[s.port] == s {
		delete(m.servers, s.port)
	}
	m.mu.Unlock()
	s.release()
}

// Close ends the supervision. The servers end too, and their records say
// stopped, so that the next atelier starts them again; with Options.Keep they
// go on, for it to take over.
func (m *Manager) Close() error {
	m.mu.Lock()
	m.closed = true
	ops := make([]*operation, 0, len(m.ops))
	for _, op := range m.ops {
		op.cancel()
		ops = append(ops, op)
	}
	m.mu.Unlock()
	m.stop()
	for _, op := range ops {
		<-op.done
	}
	m.background.Wait()
	var mu sync.Mutex
	var errs []error
	var ending sync.WaitGroup
	for _, s := range m.all() {
		ending.Go(func() {
			if err := m.leave(s); err != nil {
				mu.Lock()
				errs = append(errs, err)
				mu.Unlock()
			}
		})
	}
	ending.Wait()
	return errors.Join(errs...)
}

func (m *Manager) all() []*server {
	m.mu.Lock()
	defer m.mu.Unlock()
	list := make([]*server, 0, len(m.servers))
	for _, s := range m.servers {
		list = append(list, s)
	}
	return list
}

// leave ends the supervision of one server.
func (m *Manager) leave(s *server) error {
	s.end()
	defer m.drop(s)
	if m.opts.Keep && s.runs() {
		return nil
	}
	if err := s.halt(m.opts.Grace); err != nil {
		return err
	}
	if s.snapshot().State == Failed {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	return s.change(ctx, func(r *Record) { r.State, r.Process = Stopped, nil })
}
