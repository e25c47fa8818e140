//go:build !unix

package fetch

import (
	"context"
	"os/exec"
)

// runGroup runs a program, and ends it when the context ends.
func runGroup(ctx context.Context, c *exec.Cmd) error {
	if err := c.Start(); err != nil {
		return err
	}
	stop := context.AfterFunc(ctx, func() { _ = c.Process.Kill() })
	defer stop()
	return c.Wait()
}
