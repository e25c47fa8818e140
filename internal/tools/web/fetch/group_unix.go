//go:build unix

package fetch

import (
	"context"
	"os/exec"
	"syscall"
)

// runGroup runs a program in a process group of its own, and ends the whole
// group when it has ended or the context has.
func runGroup(ctx context.Context, c *exec.Cmd) error {
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := c.Start(); err != nil {
		return err
	}
	done := make(chan error, 1)
	go func() { done <- c.Wait() }()
	var err error
	select {
	case err = <-done:
		_ = syscall.Kill(-c.Process.Pid, syscall.SIGKILL) // what it left behind
	case <-ctx.Done():
		_ = syscall.Kill(-c.Process.Pid, syscall.SIGKILL)
		<-done
		err = ctx.Err()
	}
	return err
}
