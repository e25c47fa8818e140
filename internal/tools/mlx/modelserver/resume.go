package modelserver

import (
	"context"
	"encoding/json"
	"sync"
	"time"

	"atelier/internal/contract"
	"atelier/internal/llm"
	"atelier/internal/store"
)

const (
	lookEvery = time.Second      // at the records, where other processes may write them
	announce  = 15 * time.Second // that this machine can load models
	forgotten = time.Minute      // a machine that has not announced itself
)

// Start takes up what an earlier process of this machine has left: servers that
// run are supervised, those that do not are started again, half-started ones are
// ended. Where other processes share the database it goes on to do so, ends
// servers that others have asked to be ended, and tells them that this machine
// can load models. It returns at once.
func (m *Manager) Start() {
	ctx, stop := context.WithCancel(context.Background())
	m.mu.Lock()
	m.stop = stop
	m.mu.Unlock()
	m.background.Go(func() {
		m.scanRecords(ctx)
		if !m.db.Shared() {
			return
		}
		var told time.Time
		tick := time.NewTicker(lookEvery)
		defer tick.Stop()
		for {
			if time.Since(told) > announce && m.installed() == nil {
				told = time.Now()
				m.announceHost(ctx)
			}
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
			m.scanRecords(ctx)
		}
	})
}

// scanRecords goes through the records of this machine once.
func (m *Manager) scanRecords(ctx context.Context) {
	rows, err := m.rows(ctx)
	if err != nil {
		if ctx.Err() == nil {
			m.opts.Log.Warn("the records of the model servers could not be read", "error", err)
		}
		return
	}
	for _, r := range rows {
		if r.Host != m.opts.Machine {
			continue
		}
		s := m.supervised(r.Port)
		switch {
		case s != nil && r.State == Unloading:
			m.background.Go(func() { m.unloadRequested(ctx, r.Port) })
		case s == nil && r.State != Failed && m.serves(r.Backend):
			m.background.Go(func() { m.resume(ctx, r) })
		}
	}
}

// serves says whether this process can look after a server of a backend: start it
// again when it dies. Where no other process could, it does what it can.
func (m *Manager) serves(backend string) bool {
	l, known := m.opts.Backends[backend]
	if !m.db.Shared() {
		return true
	}
	if !known {
		return false
	}
	_, err := l.program(m.opts.Engines)
	return err == nil
}

// unloadRequested unloads a server that another machine wants to be ended.
func (m *Manager) unloadRequested(ctx context.Context, port int) {
	_, other, release, err := m.begin(ctx, port, "")
	if err != nil || other != nil {
		return // somebody is at it; the next look will see
	}
	defer release()
	if s := m.supervised(port); s != nil {
		if _, err := m.finish(s); err != nil {
			m.opts.Log.Error("a model server could not be unloaded", "port", port, "error", err)
		}
	}
}

// resume takes up one record.
func (m *Manager) resume(ctx context.Context, r row) {
	_, other, release, err := m.begin(ctx, r.Port, "")
	if err != nil || other != nil {
		return
	}
	defer release()
	if m.supervised(r.Port) != nil {
		return
	}
	now, err := m.read(ctx, r.Port)
	if err != nil || now.version == 0 || now.version != r.version {
		return
	}
	lock, err := reserve(m.opts.locks, r.Port)
	if err != nil {
		return // a living process has it
	}
	s := &server{m: m, port: r.Port, lock: lock, row: now}
	if s.takeOver() {
		m.register(s)
		s.begin()
		m.opts.Log.Info("a running model server was taken over", "port", r.Port, "model", r.Model, "pid", r.Process.PID)
		return
	}
	if r.State == Loading || r.State == Unloading { // nobody waits for it, or nobody wants it
		if err := m.remove(ctx, r.Port); err != nil {
			m.opts.Log.Warn("the record of a model server could not be removed", "port", r.Port, "error", err)
		}
		s.release()
		return
	}
	fault := "its process had ended when atelier was started"
	if r.State == Stopped {
		fault = ""
	}
	m.register(s)
	s.reviveInBackground(fault)
}

// reviveInBackground starts a server again that was loaded in an earlier life.
func (s *server) reviveInBackground(fault string) {
	ctx, cancel := context.WithCancel(context.Background())
	s.mu.Lock()
	s.row.State = Restarting
	s.mu.Unlock()
	s.cancel, s.over = cancel, make(chan struct{})
	go func() {
		defer close(s.over)
		var deaths []time.Time
		if s.revive(ctx, fault, &deaths) {
			s.supervise(ctx)
		}
	}()
}

// Servers lists what is loaded, by port.
func (m *Manager) Servers(ctx context.Context) ([]Record, error) {
	var list []Record
	if m.db.Shared() {
		rows, err := m.rows(ctx)
		if err != nil {
			return nil, err
		}
		for _, r := range rows {
			list = append(list, r.Record)
		}
	} else { // no other process has any
		for _, s := range m.all() {
			list = append(list, s.snapshot())
		}
	}
	sortByPort(list)
	return list, nil
}

// Find names where a loaded server is reached, by its model id. Errors:
// model_not_found, model_unavailable while it is not ready.
func (m *Manager) Find(ctx context.Context, id string) (llm.Place, error) {
	port, ok := ParseID(id)
	if !ok {
		return llm.Place{}, contract.Errorf(contract.CodeModelNotFound, "%q does not name a loaded model", id).
			WithHint("Ids are local:%d to local:%d; GET /v1/models lists what is loaded.", FirstPort, LastPort)
	}
	if present := PresentID(id); present != id {
		m.oldID.Do(func() {
			m.opts.Log.Warn("a model id has a new name; the old one still answers", "old", id, "new", present)
		})
	}
	var r Record
	if s := m.supervised(port); s != nil {
		r = s.snapshot()
	} else if m.db.Shared() {
		found, err := m.read(ctx, port)
		if err != nil {
			return llm.Place{}, err
		}
		r = found.Record
	}
	switch r.State {
	case Ready:
		if r.Host == m.opts.Machine {
			return llm.Place{URL: m.local(port) + "/v1", Model: r.Request}, nil
		}
		return llm.Place{URL: r.URL, Model: r.Request}, nil
	case "", Loading, Unloading:
		return llm.Place{}, contract.Errorf(contract.CodeModelNotFound, "no model is loaded on port %d", port).
			WithHint("Load one with mlx.load; GET /v1/models lists what is loaded.")
	default:
		fault := contract.Errorf(contract.CodeModelUnavailable, "the server of the model %s on port %d is %s", r.Model, port, r.State)
		if r.Fault != "" {
			fault.With("fault", r.Fault)
		}
		return llm.Place{}, fault
	}
}

// hosts remembers for a while whether another machine can load models.
type hosts struct {
	mu    sync.Mutex
	asked time.Time
	any   bool
}

// Check is nil when a model can be loaded: a backend's program is on this machine,
// or on another that shares the database. Else it is missing_dependency.
func (m *Manager) Check() error {
	err := m.installed()
	if err == nil || m.db == nil || !m.db.Shared() {
		return err
	}
	m.hosts.mu.Lock()
	defer m.hosts.mu.Unlock()
	if time.Since(m.hosts.asked) > 5*time.Second {
		ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
		defer cancel()
		documents, _, failed := m.db.Documents(ctx, hostKind, 1, "")
		if failed != nil {
			return err
		}
		m.hosts.asked, m.hosts.any = time.Now(), len(documents) > 0 && time.Since(documents[0].Updated) < forgotten
	}
	if m.hosts.any {
		return nil
	}
	return err
}

// CheckLoad is nil where a model can be loaded by this backend, "" for the default:
// what is wrong with the call comes before what the machine lacks.
func (m *Manager) CheckLoad(backendName string) error {
	backend, err := m.backend(backendName)
	if err != nil {
		return err
	}
	if m.db != nil && m.db.Shared() {
		return m.Check() // another machine may have the program
	}
	_, err = backend.program(m.opts.Engines)
	return err
}

// CheckUnload is nil where an unload can be answered, which needs no program: of
// a port that holds nothing the answer is not_listening.
func (m *Manager) CheckUnload() error {
	if m.db != nil && m.db.Shared() {
		return m.Check() // some process must serve the queue
	}
	return nil
}

// installed is nil when this machine has the program of a backend.
func (m *Manager) installed() error {
	m.found.mu.Lock()
	defer m.found.mu.Unlock()
	if time.Since(m.found.asked) < time.Second { // every list of tools asks
		return m.found.err
	}
	m.found.asked, m.found.err = time.Now(), nil
	for _, p := range m.Programs() {
		if p.Err == nil {
			m.found.err = nil
			break
		}
		if p.Backend == DefaultBackend || m.found.err == nil {
			m.found.err = p.Err
		}
	}
	return m.found.err
}

// found remembers for a moment whether a backend has its program.
type found struct {
	mu    sync.Mutex
	asked time.Time
	err   error
}

// Program is what a backend runs: its path, or why it cannot.
type Program struct {
	Backend, Path string
	Err           error
}

// Programs lists what the backends run on this machine.
func (m *Manager) Programs() []Program {
	var list []Program
	for _, name := range backendNames(m.opts.Backends) {
		path, err := m.opts.Backends[name].program(m.opts.Engines)
		list = append(list, Program{name, path, err})
	}
	return list
}

// announceHost announces this machine.
func (m *Manager) announceHost(ctx context.Context) {
	d, err := m.db.Document(ctx, hostKind, m.opts.Machine)
	if err != nil && !store.IsNotFound(err) {
		return // the next time
	}
	body, err := json.Marshal(map[string]string{"machine": m.opts.Machine})
	if err == nil {
		_, err = m.db.PutDocument(ctx, hostKind, m.opts.Machine, d.Version, body)
	}
	if err != nil && !isConflict(err) && ctx.Err() == nil {
		m.opts.Log.Warn("this machine could not be announced as one that loads models", "error", err)
	}
}
