package mcp

import (
	"context"
	"slices"
	"time"
)

// lookAgain is how soon clients hear that an engine was installed or has gone.
const lookAgain = 5 * time.Second

// Watch keeps tools/list up with what this machine can run until ctx ends.
// Clients hear of each change by notifications/tools/list_changed.
func (s *Server) Watch(ctx context.Context) {
	tick := time.NewTicker(s.lookAgain())
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		s.mu.Lock()
		for _, v := range s.views {
			v.listAvailable()
		}
		s.mu.Unlock()
	}
}

func (s *Server) lookAgain() time.Duration {
	if s.watchEvery > 0 {
		return s.watchEvery
	}
	return lookAgain
}

// listAvailable makes tools/list those tools that this machine can run now. The
// SDK tells the sessions when that adds or removes one.
func (v *view) listAvailable() {
	var names []string
	for _, t := range ListTools(v.tools.Shown.Available(), v.canonical) {
		if v.terse {
			t.OutputSchema = nil
		}
		names = append(names, t.Name)
		if !slices.Contains(v.listed, t.Name) {
			v.sdk.AddTool(t, v.callTool)
		}
	}
	var gone []string
	for _, name := range v.listed {
		if !slices.Contains(names, name) {
			gone = append(gone, name)
		}
	}
	if len(gone) > 0 {
		v.sdk.RemoveTools(gone...)
	}
	v.listed = names
}
