package admin

import (
	"bytes"
	"sync"
)

const (
	mostLines   = 1000
	longestLine = 4096
)

// Tail keeps the last lines that were written to it, at most 1000.
type Tail struct {
	mu    sync.Mutex
	lines []string
	next  int // where the oldest line is, once there are 1000
	part  []byte
}

// Write takes any part of a log; it never fails.
func (t *Tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	rest := p
	for {
		line, after, whole := bytes.Cut(rest, []byte("\n"))
		if room := longestLine - len(t.part); len(line) > room {
			line = line[:room]
		}
		t.part = append(t.part, line...)
		if !whole {
			return len(p), nil
		}
		t.add(string(bytes.ToValidUTF8(t.part, []byte("\uFFFD"))))
		t.part, rest = t.part[:0], after
	}
}

func (t *Tail) add(line string) {
	if len(t.lines) < mostLines {
		t.lines = append(t.lines, line)
		return
	}
	t.lines[t.next] = line
	t.next = (t.next + 1) % mostLines
}

// Last returns the newest n lines, the newest last.
func (t *Tail) Last(n int) []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	n = min(n, len(t.lines))
	lines := make([]string, n)
	for i := range lines {
		lines[i] = t.lines[(t.next+len(t.lines)-n+i)%len(t.lines)]
	}
	return lines
}
