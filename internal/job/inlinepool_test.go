package job

import (
	"testing"
	"time"
)

// A tool that has always been fast, and then is not, holds up no caller who
// asked not to wait; of one who waits to the end it takes the goroutine.
func TestInlinePool(t *testing.T) {
	release, running := make(chan struct{}), make(chan struct{}, 1)
	slow := false
	c := newInlinePool(4, func(*run) {
		if slow {
			running <- struct{}{}
			<-release
		}
	})
	defer c.close()
	r := &run{job: &Job{Tool: "x"}}
	for range fastAfter {
		c.observe("x", time.Microsecond)
	}
	slow = true
	c.run(r, false) // would never return if it did the work itself
	<-running
	returned := make(chan struct{})
	go func() {
		c.run(r, true)
		close(returned)
	}()
	<-running
	select {
	case <-returned:
		t.Error("a caller who waits did not do the work of a fast tool")
	case <-time.After(20 * time.Millisecond):
	}
	close(release)
	<-returned
	if c.observe("x", time.Second); c.isFast("x") {
		t.Error("a tool is fast after a slow run")
	}
}
