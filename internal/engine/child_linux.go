package engine

import (
	"fmt"
	"os"
	"runtime"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"atelier/internal/engine/nsinit"
)

// childSpec is a process to be started.
type childSpec struct {
	path   string
	args   []string // without the program's name
	env    []string
	dir    string
	stdio  [3]*os.File // stdin, stdout, stderr; closed by the caller
	policy policy
	bounds bounds
	token  string
	self   string // the program that serves as first process of a namespace
	level  Level  // what this machine can do
}

type exitStatus struct {
	code   int
	signal syscall.Signal // 0 when it ended by itself
	cpu    time.Duration
}

// child is a confined process and all that descends from it.
type child struct {
	pid, initPID int
	token        string

	mu     sync.Mutex
	ended  bool // the process has ended; its number is not ours any more
	done   chan struct{}
	status exitStatus // valid after done
}

// startChild starts a process, confined from its first instruction on.
//
// Landlock, seccomp, dropped capabilities and namespaces belong to a thread, so
// a thread is set aside, restricts itself, forks the process, waits until that
// has ended (its death would kill the process by PDEATHSIG) and is thrown away.
// No helper program runs in between, and a start costs well under a millisecond.
func startChild(spec *childSpec) (*child, error) {
	c := &child{token: spec.token, done: make(chan struct{})}
	started, finished := make(chan error, 1), make(chan struct{})
	go c.live(spec, started, finished)
	if err := <-started; err != nil {
		close(finished)
		return nil, err
	}
	go c.supervise(finished)
	return c, nil
}

// live runs on the thread set aside. It does not unlock it: the runtime ends a
// thread whose goroutine ends locked, and starts no other thread from it.
func (c *child) live(spec *childSpec, started chan<- error, finished <-chan struct{}) {
	runtime.LockOSThread()
	if unix.Gettid() == unix.Getpid() {
		// The main thread cannot be thrown away. It stays held, unchanged, until
		// another one has begun.
		begun := make(chan error, 1)
		go c.live(spec, begun, finished)
		started <- <-begun
		runtime.UnlockOSThread()
		return
	}
	err := c.start(spec)
	started <- err
	<-finished
}

func (c *child) start(spec *childSpec) error {
	if spec.level.ProcessNamespace {
		if err := c.startNamespace(spec); err != nil {
			return err
		}
	}
	if err := confine(&spec.policy, spec.level); err != nil {
		c.killNamespaceUnstarted()
		return err
	}
	sys := &syscall.SysProcAttr{Setsid: true}
	if c.initPID == 0 { // inside a namespace the death of its first process does this
		sys.Pdeathsig = syscall.SIGKILL
	}
	argv := append([]string{spec.path}, spec.args...)
	pid, err := syscall.ForkExec(spec.path, argv, &syscall.ProcAttr{
		Dir: spec.dir, Env: spec.env,
		Files: []uintptr{spec.stdio[0].Fd(), spec.stdio[1].Fd(), spec.stdio[2].Fd()},
		Sys:   sys,
	})
	if err != nil {
		c.killNamespaceUnstarted()
		return fmt.Errorf("start %s: %w", spec.path, err)
	}
	c.pid = pid
	setLimits(pid, spec.bounds)
	return nil
}

// startNamespace gives the thread's next children a process namespace of their
// own, whose first process is this binary, waiting.
func (c *child) startNamespace(spec *childSpec) error {
	if err := unix.Unshare(unix.CLONE_NEWPID | unix.CLONE_NEWIPC); err != nil {
		return fmt.Errorf("process namespace: %w", err)
	}
	life, err := lifeline()
	if err != nil {
		return fmt.Errorf("pipe to the namespace: %w", err)
	}
	pid, err := syscall.ForkExec(spec.self, []string{spec.self, nsinit.Arg}, &syscall.ProcAttr{
		Dir: "/", Env: []string{"GOMAXPROCS=1"}, Files: []uintptr{life},
		Sys: &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGKILL},
	})
	if err != nil {
		return fmt.Errorf("first process of the namespace: %w", err)
	}
	c.initPID = pid
	return nil
}

// lifeline is the reading end of a pipe that nobody writes to. This process alone
// holds the writing end, open until it dies.
var lifeline = sync.OnceValues(func() (uintptr, error) {
	var ends [2]int
	if err := unix.Pipe2(ends[:], unix.O_CLOEXEC); err != nil {
		return 0, err
	}
	return uintptr(ends[0]), nil
})

// killNamespaceUnstarted ends a namespace in which the engine never started. The
// thread may be confined already and not allowed to signal, so another one does.
func (c *child) killNamespaceUnstarted() {
	if c.initPID == 0 {
		return
	}
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		_ = unix.Kill(c.initPID, unix.SIGKILL)
		_, _ = wait4(c.initPID)
	}()
	<-gone
}

// supervise waits for the process, ends all that it left behind, and reaps it.
func (c *child) supervise(finished chan<- struct{}) {
	var info unix.Siginfo
	for { // WNOWAIT keeps the number ours until nobody can signal it any more
		if err := unix.Waitid(unix.P_PID, c.pid, &info, unix.WEXITED|unix.WNOWAIT, nil); err != unix.EINTR {
			break
		}
	}
	c.mu.Lock()
	c.ended = true
	c.endAll()
	status, usage := wait4(c.pid)
	if c.initPID != 0 {
		_, _ = wait4(c.initPID) // returns when every process of the namespace is gone
	} else {
		endOrphans(c.token, c.pid)
	}
	c.mu.Unlock()
	c.status = exitStatus{code: status.ExitStatus(), cpu: time.Duration(usage.Utime.Nano() + usage.Stime.Nano())}
	if status.Signaled() {
		c.status.signal, c.status.code = status.Signal(), 128+int(status.Signal())
	}
	close(finished)
	close(c.done)
}

func wait4(pid int) (status unix.WaitStatus, usage unix.Rusage) {
	for {
		if _, err := unix.Wait4(pid, &status, 0, &usage); err != unix.EINTR {
			return status, usage
		}
	}
}

// endAll kills everything at once; the caller holds mu and the process has not
// been reaped, so its number is still its own.
func (c *child) endAll() {
	if c.initPID != 0 {
		_ = unix.Kill(c.initPID, unix.SIGKILL)
	}
	_ = unix.Kill(-c.pid, unix.SIGKILL)
	_ = unix.Kill(c.pid, unix.SIGKILL)
}

// terminate asks the process and its group to end.
func (c *child) terminate() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.ended {
		_ = unix.Kill(-c.pid, unix.SIGTERM)
	}
}

// kill ends the process and all its descendants.
func (c *child) kill() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.ended {
		c.endAll()
	}
}

// usage is the memory and number of all the child's processes now.
func (c *child) usage() (resident int64, processes int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ended {
		return 0, 0
	}
	roots := []int{c.pid}
	if c.initPID != 0 {
		roots = append(roots, children(c.initPID)...)
	}
	return measure(roots)
}

// limit replaces the limits of a running process, for one that waited for its job.
func (c *child) limit(b bounds) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.ended {
		setLimits(c.pid, b)
	}
}
