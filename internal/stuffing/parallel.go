package stuffing

import (
	"context"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
)

// parallel runs work for 0 … n-1 on all processors, until the context ends; work must
// not depend on the order.
func parallel(ctx context.Context, n int, work func(i int)) error {
	const chunk = 64
	var next atomic.Int64
	var wait sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), (n+chunk-1)/chunk) {
		wait.Go(func() {
			for {
				from := int(next.Add(chunk)) - chunk
				if from >= n || ctx.Err() != nil {
					return
				}
				for i := from; i < min(from+chunk, n); i++ {
					work(i)
				}
			}
		})
	}
	wait.Wait()
	return ctx.Err()
}

// groups are the vertices in slabs across the longest axis, in the order in which
// they are moved: first every other slab, then those between, then the vertices whose
// tetrahedra reach further than the next slab.
type groups struct {
	phases [2][][]int32
	far    []int32
}

// slabLayers is how many layers of the lattice a slab has at least.
const (
	slabLayers = 4
	mostSlabs  = 64
)

// split parts the vertices into slabs, of which no tetrahedron joins two of one phase,
// so that goroutines can move their vertices without meeting. The slabs follow from
// the mesh alone: the outcome depends neither on how many processors there are nor on
// which is faster.
func (r *relaxer) split() {
	lo, hi := r.s.bounds()
	axis := 0
	for k := 1; k < 3; k++ {
		if hi[k]-lo[k] > hi[axis]-lo[axis] {
			axis = k
		}
	}
	order := make([]int32, len(r.m.pos))
	for v := range order {
		order[v] = int32(v)
	}
	slices.SortStableFunc(order, func(a, b int32) int {
		switch x, y := r.m.pos[a][axis], r.m.pos[b][axis]; {
		case x < y:
			return -1
		case x > y:
			return 1
		}
		return 0
	})
	count := max(2, min(mostSlabs, int((hi[axis]-lo[axis])/(slabLayers*r.dx))))
	slab := make([]int, len(order))
	for i, v := range order {
		slab[v] = i * count / len(order)
	}
	far := make([]bool, len(order))
	for _, t := range r.m.tets {
		first, last := slab[t[0]], slab[t[0]]
		for _, v := range t[1:] {
			first, last = min(first, slab[v]), max(last, slab[v])
		}
		if last-first > 1 {
			for _, v := range t {
				far[v] = true
			}
		}
	}
	r.groups = groups{}
	for k := range r.groups.phases {
		r.groups.phases[k] = make([][]int32, (count+1-k)/2)
	}
	for v, s := range slab { // in the order of the vertices, which lie together in memory
		if far[v] {
			r.groups.far = append(r.groups.far, int32(v))
			continue
		}
		list := &r.groups.phases[s%2][s/2]
		*list = append(*list, int32(v))
	}
}

// each calls work for every vertex; work may move it, and look at its tetrahedra.
func (r *relaxer) each(ctx context.Context, work func(v int32)) error {
	run := func(list []int32) {
		for i, v := range list {
			if i&255 == 0 && ctx.Err() != nil {
				return
			}
			work(v)
		}
	}
	for _, slabs := range r.groups.phases {
		var next atomic.Int64
		var wait sync.WaitGroup
		for range min(runtime.GOMAXPROCS(0), len(slabs)) {
			wait.Go(func() {
				for i := next.Add(1) - 1; i < int64(len(slabs)); i = next.Add(1) - 1 {
					run(slabs[i])
				}
			})
		}
		wait.Wait()
	}
	run(r.groups.far)
	return ctx.Err()
}
