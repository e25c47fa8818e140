package store

import "sync"

// Hub wakes those in this process who wait for a record. A signal carries
// nothing: who is woken reads the record again, so that several signals may fall
// together into one. DB.Listen carries signals between processes.
type Hub struct {
	mu      sync.Mutex
	waiting map[string]map[chan struct{}]bool
}

// Subscribe gives a channel that has a value after each Signal of the id.
func (h *Hub) Subscribe(id string) (wake <-chan struct{}, release func()) {
	c := make(chan struct{}, 1)
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.waiting == nil {
		h.waiting = map[string]map[chan struct{}]bool{}
	}
	if h.waiting[id] == nil {
		h.waiting[id] = map[chan struct{}]bool{}
	}
	h.waiting[id][c] = true
	return c, func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		delete(h.waiting[id], c)
		if len(h.waiting[id]) == 0 {
			delete(h.waiting, id)
		}
	}
}

// Signal wakes who waits for the id.
func (h *Hub) Signal(id string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	wake(h.waiting[id])
}

// SignalAll wakes everyone.
func (h *Hub) SignalAll() {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, set := range h.waiting {
		wake(set)
	}
}

func wake(set map[chan struct{}]bool) {
	for c := range set {
		select {
		case c <- struct{}{}:
		default: // it has a signal that it has not taken yet
		}
	}
}
