package modelserver

import (
	"context"
	"time"

	"atelier/internal/contract"
)

// Unload ends the server of a port, and returns when the port is free: SIGTERM
// to its group, after the grace SIGKILL. A load under way there is ended too. A
// server of another machine is ended by that machine. Errors: invalid_port,
// not_listening (atelier has loaded nothing there), timeout, cancelled.
func (m *Manager) Unload(ctx context.Context, port int) (Record, error) {
	if err := checkPort(port); err != nil {
		return Record{}, err
	}
	interrupted := false
	for {
		_, other, release, err := m.begin(ctx, port, "")
		if err != nil {
			return Record{}, err
		}
		if other == nil {
			r, err := m.unload(ctx, port)
			release()
			if interrupted && err != nil && contract.AsError(err).Code == contract.CodeNotListening {
				return Record{Port: port, State: Loading}, nil // the load has cleaned up behind itself
			}
			return r, err
		}
		if other.key != "" {
			other.cancel()
			interrupted = true
		}
		select {
		case <-other.done:
		case <-ctx.Done():
			return Record{}, unloadStopped(ctx, port)
		}
	}
}

func unloadStopped(ctx context.Context, port int) error {
	if ctx.Err() == context.DeadlineExceeded {
		return contract.Errorf(contract.CodeTimeout, "the server on port %d did not end in time", port)
	}
	return contract.Errorf(contract.CodeCancelled, "the unloading of port %d was cancelled", port)
}

func (m *Manager) unload(ctx context.Context, port int) (Record, error) {
	if s := m.supervised(port); s != nil {
		return m.finish(s)
	}
	old, err := m.read(ctx, port)
	if err != nil {
		return Record{}, err
	}
	if old.version == 0 {
		return Record{}, notListening(port)
	}
	if old.Host != m.opts.Machine {
		return m.askFor(ctx, old)
	}
	lock, err := reserve(m.opts.locks, port)
	if err == errReserved {
		return m.askFor(ctx, old)
	}
	if err != nil {
		return Record{}, contract.Errorf(contract.CodeStorageUnavailable, "the lock of port %d: %w", port, err)
	}
	s := &server{m: m, port: port, lock: lock, row: old}
	s.takeOver()
	m.register(s)
	return m.finish(s)
}

// finish ends a server that this process holds the lock of, and forgets it last,
// so that one who is killed meanwhile leaves a record to go on from.
func (m *Manager) finish(s *server) (Record, error) {
	s.end()
	r := s.snapshot()
	if err := s.halt(m.opts.Grace); err != nil {
		s.begin()
		return r, contract.Errorf(contract.CodeInternal, "the server on port %d: %w", s.port, err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	if err := m.remove(ctx, s.port); err != nil {
		return r, err
	}
	m.drop(s)
	m.opts.Log.Info("a model server was unloaded", "port", s.port, "model", r.Model)
	return r, nil
}

// askFor marks the server for the process that supervises it, and waits until
// that has ended it.
func (m *Manager) askFor(ctx context.Context, r row) (Record, error) {
	asked := r
	for {
		if asked.State != Unloading {
			asked.State = Unloading
			if err := m.write(ctx, &asked); err != nil && !isConflict(err) {
				return r.Record, err
			}
		}
		select {
		case <-time.After(max(m.opts.Poll, 100*time.Millisecond)):
		case <-ctx.Done():
			return r.Record, contract.AsError(unloadStopped(ctx, r.Port)).
				WithHint("It is supervised by another process, on %s; see that an atelier server or worker runs there.", r.Host)
		}
		now, err := m.read(ctx, r.Port)
		if err != nil {
			return r.Record, err
		}
		if now.version == 0 || now.Token != r.Token && now.State != Unloading {
			return r.Record, nil // gone, and perhaps loaded anew
		}
		asked = now
	}
}

func notListening(port int) error {
	if !free(port) {
		return contract.Errorf(contract.CodeNotListening, "what listens on port %d was not started by atelier, which leaves it alone", port).At("/port")
	}
	return contract.Errorf(contract.CodeNotListening, "no model is loaded on port %d", port).At("/port").
		WithHint("GET /v1/models lists what is loaded.")
}
