package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// process is a server under measurement, with a folder of its own.
type process struct {
	cmd    *exec.Cmd
	addr   string
	dir    string
	log    *bytes.Buffer
	exited chan struct{}
}

// start runs a program whose arguments may contain ADDR and DIR, and waits
// until it listens and its start has died down.
func start(ctx context.Context, args []string) (*process, error) {
	dir, err := os.MkdirTemp("", "atelier-bench-")
	if err != nil {
		return nil, err
	}
	addr, err := freeAddress()
	if err != nil {
		return nil, err
	}
	p := &process{addr: addr, dir: dir, log: &bytes.Buffer{}, exited: make(chan struct{})}
	args = append([]string(nil), args...)
	for i := range args {
		args[i] = strings.NewReplacer("ADDR", addr, "DIR", dir).Replace(args[i])
	}
	p.cmd = exec.Command(args[0], args[1:]...)
	p.cmd.Stdout, p.cmd.Stderr = p.log, p.log
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := p.cmd.Start(); err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	go func() {
		_ = p.cmd.Wait() // how it ended is told by the log
		close(p.exited)
	}()
	if err := p.settle(ctx); err != nil {
		p.stop()
		return nil, fmt.Errorf("%s: %w\n%s", filepath.Base(args[0]), err, p.log)
	}
	return p, nil
}

func freeAddress() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	return l.Addr().String(), l.Close()
}

// settle waits for the port, then until the server has been nearly idle for
// half a second: what it prepares at its start belongs to no request.
func (p *process) settle(ctx context.Context) error {
	deadline := time.Now().Add(30 * time.Second)
	for {
		conn, err := net.DialTimeout("tcp", p.addr, time.Second)
		if err == nil {
			conn.Close()
			break
		}
		select {
		case <-p.exited:
			return errors.New("it ended at once")
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(50 * time.Millisecond):
		}
		if time.Now().After(deadline) {
			return errors.New("it does not listen")
		}
	}
	for time.Now().Before(deadline) {
		before := p.cpu()
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(500 * time.Millisecond):
		}
		if p.cpu()-before <= 20*time.Millisecond {
			return nil
		}
	}
	return nil
}

// stop ends the server and its children, gently first.
func (p *process) stop() {
	_ = p.cmd.Process.Signal(syscall.SIGTERM)
	select {
	case <-p.exited:
	case <-time.After(10 * time.Second):
	}
	_ = syscall.Kill(-p.cmd.Process.Pid, syscall.SIGKILL) // its own group; normally empty by now
	<-p.exited
	_ = os.RemoveAll(p.dir) // a temporary folder
}

// clockTick is the unit of times in /proc/<pid>/stat, USER_HZ of proc(5): 100
// on every Linux.
const clockTick = 10 * time.Millisecond

// cpu is the user and system time of the server and its descendants so far,
// those that have ended included.
func (p *process) cpu() time.Duration {
	type usage struct{ parent, ticks int }
	all := map[int]usage{}
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		return 0
	}
	for _, path := range stats {
		raw, err := os.ReadFile(path)
		if err != nil {
			continue // it has just ended
		}
		// pid (name) state ppid …; utime, stime, cutime, cstime are fields 14 to 17.
		head, rest, _ := strings.Cut(string(raw), " ")
		fields := strings.Fields(rest[strings.LastIndexByte(rest, ')')+1:])
		pid, _ := strconv.Atoi(head)
		u := usage{}
		u.parent, _ = strconv.Atoi(fields[1])
		for _, f := range fields[11:15] {
			n, _ := strconv.Atoi(f)
			u.ticks += n
		}
		all[pid] = u
	}
	total := 0
	for pid, u := range all {
		for at := pid; at > 1; at = all[at].parent {
			if at == p.cmd.Process.Pid {
				total += u.ticks
				break
			}
		}
	}
	return time.Duration(total) * clockTick
}
