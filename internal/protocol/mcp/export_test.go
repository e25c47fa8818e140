package mcp

import "time"

// SetIdleTimeout shortens the life of idle sessions that are opened from now on.
func SetIdleTimeout(s *Server, d time.Duration) { s.sessions.idle = d }

// SetMaxSessions lowers the bound of sessions.
func SetMaxSessions(s *Server, most int) { s.sessions.most = most }

// SetWatchEvery makes Watch look more often.
func SetWatchEvery(s *Server, d time.Duration) { s.watchEvery = d }
