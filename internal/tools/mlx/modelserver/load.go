package modelserver

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"atelier/internal/contract"
)

// Loaded says what a load came to.
type Loaded struct {
	Record
	Already bool          // it was loaded before
	Took    time.Duration // until it was ready
}

// Load starts a server of the backend with the model on the port, and returns when
// it has answered. The same load again does nothing. What the context ends
// leaves neither a process nor a record. Errors: invalid_port, invalid_input
// (the backend), missing_dependency (its program), model_not_found, port_busy,
// launch_failed (with the end of the log), timeout, cancelled.
func (m *Manager) Load(ctx context.Context, backendName, model string, port int) (*Loaded, error) {
	if err := checkPort(port); err != nil {
		return nil, err
	}
	if backendName == "" {
		backendName = DefaultBackend
	}
	backend, err := m.backend(backendName)
	if err != nil {
		return nil, err
	}
	if _, err := backend.program(m.opts.Engines); err != nil {
		return nil, err
	}
	argument, err := m.models.locate(model)
	if err != nil {
		return nil, err
	}
	want := Record{Port: port, Backend: backendName, Model: model, Argument: argument, Request: backend.Request}
	if want.Request == "" {
		want.Request = argument
	}
	for {
		inner, other, release, err := m.begin(ctx, port, want.key())
		if err != nil {
			return nil, err
		}
		if other == nil {
			loaded, err := m.load(inner, backend, want)
			release()
			return loaded, ended(ctx, inner, err)
		}
		if other.key != "" && other.key != want.key() {
			return nil, busy(port, "another model is being loaded there").WithHint("Choose another port, or unload this one first.")
		}
		select {
		case <-other.done: // then see what it has come to
		case <-ctx.Done():
			return nil, stopped(ctx, port, "")
		}
	}
}

// backend finds a backend by its name, "" for the default.
func (m *Manager) backend(name string) (Backend, error) {
	if name == "" {
		name = DefaultBackend
	}
	backend, ok := m.opts.Backends[name]
	if !ok {
		names := backendNames(m.opts.Backends)
		fault := contract.Errorf(contract.CodeInvalidInput, "there is no backend %q", name).At("/backend").
			WithHint("The backends are %s.", strings.Join(names, ", ")).With("accepted", names)
		fault.Expected, fault.Actual = "one of "+strings.Join(names, ", "), strconv.Quote(name)
		return Backend{}, fault
	}
	return backend, nil
}

func checkPort(port int) error {
	if port < FirstPort || port > LastPort {
		return contract.Errorf(contract.CodeInvalidPort, "port %d is not one of %d to %d", port, FirstPort, LastPort).At("/port")
	}
	return nil
}

// key is equal for loads that ask for the same.
func (r Record) key() string { return r.Backend + "\x00" + r.Argument }

func busy(port int, format string, args ...any) *contract.Error {
	return contract.Errorf(contract.CodePortBusy, "port %d is taken: %s", port, fmt.Sprintf(format, args...)).At("/port")
}

// ended tells a load that was ended by an unload or a stop from one whose own
// caller has left.
func ended(ctx, inner context.Context, err error) error {
	if err != nil && inner.Err() != nil && ctx.Err() == nil && contract.AsError(err).Code == contract.CodeCancelled {
		return contract.Errorf(contract.CodeLaunchFailed, "the model was unloaded, or the server stopped, while it was being loaded")
	}
	return err
}

func stopped(ctx context.Context, port int, log string) error {
	fault := contract.Errorf(contract.CodeCancelled, "the load on port %d was cancelled; nothing of it is left", port)
	if ctx.Err() == context.DeadlineExceeded {
		fault = contract.Errorf(contract.CodeTimeout, "the server on port %d did not become ready in time; nothing of it is left", port).
			WithHint("Ask for more time with limits.timeout_ms; large models take minutes.")
	}
	if log != "" {
		fault.With("log_tail", log).Log = &contract.Log{Stderr: log}
	}
	return fault
}

// load works on a port that no other call of this process works on.
func (m *Manager) load(ctx context.Context, backend Backend, want Record) (*Loaded, error) {
	if s := m.supervised(want.Port); s != nil {
		if loaded, err := m.present(ctx, s, want); loaded != nil || err != nil {
			return loaded, err
		}
		m.drop(s) // it had failed
	}
	old, err := m.read(ctx, want.Port)
	if err != nil {
		return nil, err
	}
	if old.version > 0 && old.Host != m.opts.Machine && old.State != Failed {
		return already(old.Record, want)
	}
	lock, err := reserve(m.opts.locks, want.Port)
	if err == errReserved {
		if old.version > 0 && old.State == Ready {
			return already(old.Record, want) // by another process with this database
		}
		return nil, busy(want.Port, "another atelier on this machine has reserved it").WithHint("Choose another port.")
	}
	if err != nil {
		return nil, contract.Errorf(contract.CodeStorageUnavailable, "the lock of port %d: %w", want.Port, err)
	}
	s := &server{m: m, port: want.Port, lock: lock, row: old}
	if old.version > 0 {
		if s.takeOver() {
			m.register(s)
			s.begin()
			if loaded, err := m.present(ctx, s, want); loaded != nil || err != nil {
				return loaded, err
			}
		}
	}
	loaded, err := m.launch(ctx, backend, s, want)
	if err != nil {
		m.drop(s)
	}
	return loaded, err
}

// present compares what is supervised with what is wanted; nil and nil when it
// has failed and may be replaced.
func (m *Manager) present(ctx context.Context, s *server, want Record) (*Loaded, error) {
	for {
		switch r := s.snapshot(); r.State {
		case Failed:
			return nil, nil
		case Ready:
			return already(r, want)
		default:
			if r.key() != want.key() {
				return already(r, want)
			}
		}
		select {
		case <-time.After(m.opts.Poll):
		case <-ctx.Done():
			return nil, stopped(ctx, want.Port, "")
		}
	}
}

// already is the answer when the port has a server.
func already(r, want Record) (*Loaded, error) {
	if r.key() == want.key() && r.State == Ready {
		return &Loaded{Record: r, Already: true}, nil
	}
	fault := busy(r.Port, "it holds the model %s of the backend %s on %s, which is %s", r.Model, r.Backend, r.Host, r.State)
	return nil, fault.WithHint("Unload it first, or choose another port.").With("model", r.Model)
}

// launch starts the server for the first time.
func (m *Manager) launch(ctx context.Context, backend Backend, s *server, want Record) (*Loaded, error) {
	if !free(want.Port) {
		return nil, busy(want.Port, "a program that atelier has not started listens there").WithHint("Choose another port, or end that program.")
	}
	begun := time.Now()
	want.Host, want.URL, want.State = m.opts.Machine, m.url(want.Port), Loading
	if deadline, ok := ctx.Deadline(); ok {
		want.Limit = time.Until(deadline).Milliseconds()
	}
	s.row = row{want, s.row.version}
	err := s.change(context.WithoutCancel(ctx), func(r *Record) {}) // the reservation
	if isConflict(err) {
		return nil, busy(want.Port, "it has just been reserved by another machine").WithHint("Choose another port.")
	}
	if err != nil {
		return nil, err
	}
	err = s.start(ctx, backend)
	if err == nil {
		err = s.change(context.WithoutCancel(ctx), func(r *Record) { r.State, r.Since = Ready, time.Now().UTC() })
		if isConflict(err) { // another machine has asked for its end meanwhile
			err = contract.Errorf(contract.CodeLaunchFailed, "the model was unloaded while it was being loaded")
		}
	}
	if err != nil {
		halted := s.halt(m.opts.Grace)
		if forgotten := m.remove(context.WithoutCancel(ctx), want.Port); halted == nil {
			halted = forgotten
		}
		if halted != nil {
			m.opts.Log.Error("a load that failed has left something", "port", want.Port, "error", halted)
		}
		return nil, err
	}
	m.register(s)
	s.begin()
	m.opts.Log.Info("a model server is ready", "port", want.Port, "backend", want.Backend, "model", want.Model, "pid", s.snapshot().Process.PID)
	return &Loaded{Record: s.snapshot(), Took: time.Since(begun)}, nil
}
