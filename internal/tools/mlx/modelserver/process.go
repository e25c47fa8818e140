package modelserver

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"
)

// Identity names a process beyond its life: the id alone is given anew.
type Identity struct {
	PID   int    `json:"pid"`
	Start string `json:"start"` // boot and time of the start, as the system tells it
}

// process is a model server's first process and its group.
type process struct {
	id   Identity
	done chan struct{} // closed when it and its group are gone

	mu     sync.Mutex
	ended  bool   // its number is not ours any more
	status string // how it ended; valid after done
}

// spawn starts a program in a session of its own, so that it outlives this
// process; what it writes goes into the log.
func spawn(argv, env []string, log *os.File) (*process, error) {
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Env, cmd.Stdout, cmd.Stderr = env, log, log
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	p := &process{done: make(chan struct{}), id: Identity{PID: cmd.Process.Pid}}
	if id, alive := identify(cmd.Process.Pid); alive {
		p.id = id // it is our child and not yet reaped, so the number is its own
	}
	go func() {
		awaitEnd(cmd.Process.Pid)
		p.mu.Lock()
		p.ended = true
		_ = syscall.Kill(-p.id.PID, syscall.SIGKILL) // what it has left behind
		p.mu.Unlock()
		p.status = describe(cmd.Wait())
		close(p.done)
	}()
	return p, nil
}

func describe(err error) string {
	if err == nil {
		return "exit status 0"
	}
	return err.Error()
}

// takeOver takes over a process of an earlier atelier; nil when it is not there any
// more or another one has its number.
func takeOver(id Identity) *process {
	gone := watch(id)
	if gone == nil {
		return nil
	}
	p := &process{id: id, done: make(chan struct{})}
	go func() {
		<-gone
		p.mu.Lock()
		p.ended = true
		if _, taken := identify(id.PID); !taken {
			_ = syscall.Kill(-id.PID, syscall.SIGKILL) // a group's number is not given anew while it has members
		}
		p.mu.Unlock()
		p.status = "ended; how is not known, as it was not started by this process"
		close(p.done)
	}()
	return p
}

// signal reaches the whole group, as long as the process is the one that was
// started.
func (p *process) signal(sig syscall.Signal) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ended {
		return
	}
	if now, alive := identify(p.id.PID); alive && now == p.id {
		_ = syscall.Kill(-p.id.PID, sig)
	}
}

func (p *process) alive() bool {
	select {
	case <-p.done:
		return false
	default:
		return true
	}
}

// stop asks the group to end, and makes it end after the grace.
func (p *process) stop(grace time.Duration) error {
	p.signal(syscall.SIGTERM)
	if p.wait(grace) {
		return nil
	}
	p.signal(syscall.SIGKILL)
	if p.wait(10 * time.Second) {
		return nil
	}
	return fmt.Errorf("process %d does not end, not even by SIGKILL", p.id.PID)
}

func (p *process) wait(d time.Duration) bool {
	ctx, cancel := context.WithTimeout(context.Background(), d)
	defer cancel()
	select {
	case <-p.done:
		return true
	case <-ctx.Done():
		return false
	}
}
