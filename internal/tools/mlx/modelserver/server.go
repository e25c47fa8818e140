package modelserver

import (
	"context"
	"fmt"
	"os"
	"sync"
	"time"
)

// server is a loaded server that this process supervises: it holds the lock of
// the port.
type server struct {
	m    *Manager
	port int
	lock *os.File

	mu   sync.Mutex
	row  row
	proc *process // nil between two starts

	cancel context.CancelFunc // of the supervision; nil before begin
	over   chan struct{}
}

func (s *server) snapshot() Record {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.row.Record
}

func (s *server) set(p *process) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.proc = p
}

func (s *server) process() *process {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.proc
}

func (s *server) runs() bool {
	p := s.process()
	return p != nil && p.alive()
}

// change writes the record; only this process writes it while it holds the lock,
// but for another machine that marks it as unloading, which is a conflict here.
func (s *server) change(ctx context.Context, edit func(*Record)) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	next := s.row
	edit(&next.Record)
	if err := s.m.write(ctx, &next); err != nil {
		return err
	}
	s.row = next
	return nil
}

// halt ends the process, if there is one, and waits until its port is free.
func (s *server) halt(grace time.Duration) error {
	p := s.process()
	if p == nil {
		return nil
	}
	if err := p.stop(grace); err != nil {
		return err
	}
	s.set(nil)
	if !awaitFree(s.port, 5*time.Second) {
		s.m.opts.Log.Warn("another program has taken the port of a server that has ended", "port", s.port)
	}
	return nil
}

// release gives the port's lock back.
func (s *server) release() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.lock != nil {
		_ = s.lock.Close()
		s.lock = nil
	}
}

// takeOver makes the process of a record that an earlier atelier has left one of
// ours; false when there is none that could serve. What had not become ready is
// ended: nobody waits for it any more.
func (s *server) takeOver() bool {
	r := s.snapshot()
	id, found := Identity{}, false
	switch {
	case r.Process != nil:
		id, found = *r.Process, true
	case r.Token != "" && (r.State == Loading || r.State == Restarting):
		id, found = started(r.Token)
	}
	if !found {
		return false
	}
	p := takeOver(id)
	if p == nil {
		return false
	}
	s.set(p)
	if r.State == Ready {
		return true
	}
	if err := s.halt(s.m.opts.Grace); err != nil {
		s.m.opts.Log.Error("a server that was left half started does not end", "port", s.port, "error", err)
	}
	return false
}

// begin supervises the server from here on.
func (s *server) begin() {
	ctx, cancel := context.WithCancel(context.Background())
	s.cancel, s.over = cancel, make(chan struct{})
	go func() {
		defer close(s.over)
		s.supervise(ctx)
	}()
}

// end ends the supervision; the process goes on.
func (s *server) end() {
	if s.cancel != nil {
		s.cancel()
		<-s.over
	}
}

func (s *server) supervise(ctx context.Context) {
	var deaths []time.Time
	upkeep := time.NewTicker(time.Minute)
	defer upkeep.Stop()
	for {
		p := s.process()
		if p == nil {
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-upkeep.C:
			if err := rotate(logPath(s.m.opts.Logs, s.port), maxLog); err != nil {
				s.m.opts.Log.Warn("the log of a model server could not be rotated", "port", s.port, "error", err)
			}
			continue
		case <-p.done:
		}
		if ctx.Err() != nil {
			return
		}
		fault := "it " + verb(p.status)
		s.m.opts.Log.Warn("a model server has died", "port", s.port, "status", p.status)
		if !s.revive(ctx, fault, &deaths) {
			return
		}
	}
}

func verb(status string) string { return "ended by itself (" + status + ")" }

// revive starts the server again, later each time; false when the supervision
// is over or the server has died too often.
func (s *server) revive(ctx context.Context, fault string, deaths *[]time.Time) bool {
	o := s.m.opts
	for {
		now := time.Now()
		recent := (*deaths)[:0]
		for _, at := range *deaths {
			if now.Sub(at) < o.Window {
				recent = append(recent, at)
			}
		}
		*deaths = append(recent, now)
		s.set(nil)
		if len(*deaths) > max(o.Restarts, 0) {
			s.note(ctx, func(r *Record) { r.State, r.Process, r.Fault = Failed, nil, fault })
			o.Log.Error("a model server has died too often and is not started again", "port", s.port, "fault", fault)
			return false
		}
		s.note(ctx, func(r *Record) { r.State, r.Process, r.Fault = Restarting, nil, fault })
		wait := min(o.Backoff<<(len(*deaths)-1), time.Minute)
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return false
		}
		err := s.again(ctx)
		if err == nil {
			s.note(ctx, func(r *Record) { r.State, r.Restarts = Ready, r.Restarts+1 })
			o.Log.Info("a model server is ready again", "port", s.port)
			return true
		}
		if halted := s.halt(o.Grace); halted != nil {
			o.Log.Error("a model server that was started again does not end", "port", s.port, "error", halted)
			return false
		}
		if ctx.Err() != nil {
			return false
		}
		fault = err.Error()
	}
}

// again starts the process of a server that was ready before.
func (s *server) again(ctx context.Context) error {
	r := s.snapshot()
	backend, ok := s.m.opts.Backends[r.Backend]
	if !ok {
		return fmt.Errorf("there is no backend %s any more", r.Backend)
	}
	if !free(s.port) {
		return fmt.Errorf("another program has taken port %d", s.port)
	}
	limit := max(time.Duration(r.Limit)*time.Millisecond, 10*time.Minute) // a machine may be busier than at the load
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	return s.start(ctx, backend)
}

// note writes the record; what cannot be written is logged, and written with the
// next change.
func (s *server) note(ctx context.Context, edit func(*Record)) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancel()
	if err := s.change(ctx, edit); err != nil && !isConflict(err) {
		s.mu.Lock()
		edit(&s.row.Record)
		s.mu.Unlock()
		s.m.opts.Log.Warn("the record of a model server could not be written", "port", s.port, "error", err)
	}
}
