package geometry

// heapEdge is a possible collapse: its cost, a half-edge of the edge, and the
// sum of its ends' stamps, by which an outdated entry is known.
type heapEdge struct {
	cost  float64
	half  int32
	stamp uint32
}

// edgeHeap is a binary heap with the least cost on top; equal costs are ordered
// by half-edge, so that results do not depend on chance.
type edgeHeap []heapEdge

func (h edgeHeap) less(i, j int) bool {
	return h[i].cost < h[j].cost || h[i].cost == h[j].cost && h[i].half < h[j].half
}

func (h edgeHeap) init() {
	for i := len(h)/2 - 1; i >= 0; i-- {
		h.down(i)
	}
}

func (h *edgeHeap) push(e heapEdge) {
	*h = append(*h, e)
	s := *h
	for i := len(s) - 1; i > 0; {
		up := (i - 1) / 2
		if !s.less(i, up) {
			break
		}
		s[i], s[up] = s[up], s[i]
		i = up
	}
}

func (h *edgeHeap) pop() heapEdge {
	s := *h
	top := s[0]
	s[0] = s[len(s)-1]
	*h = s[:len(s)-1]
	h.down(0)
	return top
}

func (h edgeHeap) down(i int) {
	for {
		c := 2*i + 1
		if c >= len(h) {
			return
		}
		if c+1 < len(h) && h.less(c+1, c) {
			c++
		}
		if !h.less(c, i) {
			return
		}
		h[i], h[c] = h[c], h[i]
		i = c
	}
}
