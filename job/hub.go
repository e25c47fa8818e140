package job

import "sync"

// hub wakes those who wait for a job. A signal carries nothing: who is woken
// reads the job again, so that several signals may fall together into one.
type hub struct {
	mu      sync.Mutex
	waiting map[string]map[chan struct{}]bool
}

func (h *hub) subscribe(id string) (wake <-chan struct{}, release func()) {
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

func (h *hub) signal(id string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	wake(h.waiting[id])
}

func (h *hub) signalAll() {
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
