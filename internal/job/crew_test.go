package job

import (
	"testing"
	"time"
)

// A tool that has always been swift, and then is not, holds up no caller who
// asked not to wait; of one who waits to the end it takes the goroutine.
func TestCrew(t *testing.T) {
	release, running := make(chan struct{}), make(chan struct{}, 1)
	slow := false
	c := newCrew(4, func(*run) {
		if slow {
			running <- struct{}{}
			<-release
		}
	})
	defer c.dismiss()
	r := &run{job: &Job{Tool: "x"}}
	for range swiftRuns {
		c.took("x", time.Microsecond)
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
		t.Error("a patient caller did not do the work of a swift tool")
	case <-time.After(20 * time.Millisecond):
	}
	close(release)
	<-returned
	if c.took("x", time.Second); c.record("x").Load() != 0 {
		t.Error("a slow run is forgotten")
	}
}
