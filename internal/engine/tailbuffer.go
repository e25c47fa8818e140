package engine

import (
	"fmt"
	"strings"
	"sync"

	"atelier/internal/contract"
)

// tailBuffer keeps the head and the tail of a text within a number of bytes.
type tailBuffer struct {
	mu      sync.Mutex
	limit   int
	head    []byte
	tail    []byte // a ring once it is full
	next    int    // where the ring goes on
	dropped int64
}

func newTailBuffer(limit int64) *tailBuffer { return &tailBuffer{limit: int(max(limit, 0))} }

func (c *tailBuffer) Write(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := len(p)
	if room := c.limit/2 - len(c.head); room > 0 {
		k := min(room, len(p))
		c.head = append(c.head, p[:k]...)
		p = p[k:]
	}
	size := c.limit - c.limit/2
	if room := size - len(c.tail); room > 0 && len(p) > 0 {
		k := min(room, len(p))
		c.tail = append(c.tail, p[:k]...)
		p = p[k:]
	}
	if len(p) == 0 || size == 0 {
		c.dropped += int64(len(p))
		return n, nil
	}
	c.dropped += int64(len(p))
	if len(p) > size {
		p = p[len(p)-size:]
	}
	k := copy(c.tail[c.next:], p)
	copy(c.tail, p[k:])
	c.next = (c.next + len(p)) % size
	return n, nil
}

// shortNote marks the place where something is missing when a line has no room.
const shortNote = "[…]"

// Cut shortens what an engine wrote to limits of text, the head and the tail of
// each stream, for a tool that has run with the whole of it.
func Cut(log contract.Log, limits contract.Limits) contract.Log {
	cut := func(text string, limit, already int64) (string, int64) {
		if int64(len(text)) <= limit {
			return text, already
		}
		c := newTailBuffer(limit)
		_, _ = c.Write([]byte(text)) // into memory
		short, lost := c.text()
		return short, already + lost
	}
	log.Stdout, log.StdoutLost = cut(log.Stdout, limits.MaxStdoutBytes, log.StdoutLost)
	log.Stderr, log.StderrLost = cut(log.Stderr, limits.MaxStderrBytes, log.StderrLost)
	return log
}

// String is the text; where something was left out, a line says how much, or a
// mark where that does not fit, so that the end is never read as what follows the
// beginning. It is valid UTF-8 and no longer than the limit.
func (c *tailBuffer) String() string {
	text, _ := c.text()
	return text
}

// text is String, and how many bytes were left out.
func (c *tailBuffer) text() (string, int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.dropped == 0 {
		return strings.ToValidUTF8(string(c.head)+string(c.tail), "\uFFFD"), 0
	}
	tail := string(c.tail[c.next:]) + string(c.tail[:c.next])
	note := fmt.Sprintf("\n[… %d bytes left out …]\n", c.dropped)
	lost := c.dropped
	if len(note) < len(tail) {
		lost += int64(len(note))
		note = fmt.Sprintf("\n[… %d bytes left out …]\n", lost)
		tail = tail[len(note):]
	} else if note = ""; len(shortNote) < len(tail) {
		lost += int64(len(shortNote))
		note, tail = shortNote, tail[len(shortNote):]
	} else { // no room to say where something is missing: what stands there is the beginning
		lost += int64(len(tail))
		tail = ""
	}
	// A replacement may be longer than what it replaces, so broken runes are cut.
	return strings.ToValidUTF8(string(c.head)+note+tail, ""), lost
}
