//go:build !linux

package engine

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"sync"
	"syscall"
	"time"
)

type childSpec struct {
	path   string
	args   []string
	env    []string
	dir    string
	stdio  [3]*os.File
	policy policy
	bounds bounds
	token  string
	self   string
	level  Level
}

type exitStatus struct {
	code   int
	signal syscall.Signal
	cpu    time.Duration
}

// child is a process and its group. Systems other than Linux have limits of
// time, processor time and file size here, and no confinement; Level says so.
type child struct {
	pid    int
	mu     sync.Mutex
	ended  bool
	done   chan struct{}
	status exitStatus
}

func startChild(spec *childSpec) (*child, error) {
	limits := fmt.Sprintf(`ulimit -c 0; ulimit -t %d; ulimit -f %d; exec "$@"`, int64(spec.bounds.cpu.Seconds())+1, spec.bounds.file/512)
	cmd := exec.Command("/bin/sh", append([]string{"-c", limits, "sh", spec.path}, spec.args...)...)
	cmd.Dir, cmd.Env = spec.dir, spec.env
	cmd.Stdin, cmd.Stdout, cmd.Stderr = spec.stdio[0], spec.stdio[1], spec.stdio[2]
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start %s: %w", spec.path, err)
	}
	c := &child{pid: cmd.Process.Pid, done: make(chan struct{})}
	go c.supervise(cmd)
	return c, nil
}

func (c *child) supervise(cmd *exec.Cmd) {
	_ = cmd.Wait() // the status is read below
	c.mu.Lock()
	c.ended = true
	_ = syscall.Kill(-c.pid, syscall.SIGKILL)
	c.mu.Unlock()
	c.status = exitStatus{code: cmd.ProcessState.ExitCode(), cpu: cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()}
	if w, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); ok && w.Signaled() {
		c.status.signal, c.status.code = w.Signal(), 128+int(w.Signal())
	}
	close(c.done)
}

func (c *child) signalGroup(sig syscall.Signal) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.ended {
		_ = syscall.Kill(-c.pid, sig)
	}
}

func (c *child) terminate() { c.signalGroup(syscall.SIGTERM) }

func (c *child) kill() { c.signalGroup(syscall.SIGKILL) }

// usage is unknown here: there is no /proc.
func (c *child) usage() (resident int64, processes int) { return 0, 0 }

func (c *child) limit(bounds) {}

func becomeSubreaper() {}

// DetectLevel says that nothing is confined here.
func DetectLevel() Level { return Level{System: runtime.GOOS} }
