package geometry

import "slices"

// A half-edge h = 3*t+k runs along triangle t from corner k to corner k+1.

func nextHalf(h int32) int32 {
	if h%3 == 2 {
		return h - 2
	}
	return h + 1
}

func prevHalf(h int32) int32 {
	if h%3 == 0 {
		return h + 2
	}
	return h - 1
}

// origin is the vertex that a half-edge starts from.
func origin(tris [][3]int32, h int32) int32 { return tris[h/3][h%3] }

// target is the vertex that a half-edge ends in.
func target(tris [][3]int32, h int32) int32 { return tris[h/3][(h+1)%3] }

// edgeTable groups half-edges by their undirected edge: edge e owns
// halves[start[e]:start[e+1]]. It is built in linear time by counting.
type edgeTable struct {
	halves []int32
	start  []int32
}

func (t *edgeTable) len() int { return len(t.start) - 1 }

func (t *edgeTable) of(e int) []int32 { return t.halves[t.start[e]:t.start[e+1]] }

// buildEdges makes the table; triangles with a repeated vertex are left out.
func buildEdges(tris [][3]int32, vertices int) *edgeTable {
	count := make([]int32, vertices+1)
	each := func(f func(lo, hi, h int32)) {
		for t, tri := range tris {
			if tri[0] == tri[1] || tri[1] == tri[2] || tri[2] == tri[0] {
				continue
			}
			for k := range 3 {
				a, b := tri[k], tri[(k+1)%3]
				f(min(a, b), max(a, b), int32(3*t+k))
			}
		}
	}
	each(func(lo, _, _ int32) { count[lo+1]++ })
	for v := range vertices {
		count[v+1] += count[v]
	}
	halves := make([]int32, count[vertices])
	other := make([]int32, len(halves)) // the higher vertex of halves[i]
	fill := slices.Clone(count[:vertices])
	each(func(lo, hi, h int32) {
		halves[fill[lo]], other[fill[lo]] = h, hi
		fill[lo]++
	})
	table := &edgeTable{halves: halves, start: make([]int32, 0, len(halves)/2+1)}
	for v := range vertices {
		from, to := count[v], count[v+1]
		sortBucket(other[from:to], halves[from:to])
		for i := from; i < to; i++ {
			if i == from || other[i] != other[i-1] {
				table.start = append(table.start, i)
			}
		}
	}
	table.start = append(table.start, int32(len(halves)))
	return table
}

// sortBucket sorts the half-edges of one vertex by their other vertex, then by
// number; buckets are small but for hubs.
func sortBucket(key, val []int32) {
	if len(key) <= 16 {
		for i := 1; i < len(key); i++ {
			for j := i; j > 0 && key[j] < key[j-1]; j-- {
				key[j], key[j-1] = key[j-1], key[j]
				val[j], val[j-1] = val[j-1], val[j]
			}
		}
		return
	}
	pairs := make([]uint64, len(key))
	for i := range key {
		pairs[i] = uint64(key[i])<<32 | uint64(val[i])
	}
	slices.Sort(pairs)
	for i, p := range pairs {
		key[i], val[i] = int32(p>>32), int32(p&0xffffffff)
	}
}

// unionFind is a forest with path halving.
type unionFind []int32

func newUnionFind(n int) unionFind {
	u := make(unionFind, n)
	for i := range u {
		u[i] = int32(i)
	}
	return u
}

func (u unionFind) find(i int32) int32 {
	for u[i] != i {
		u[i] = u[u[i]]
		i = u[i]
	}
	return i
}

func (u unionFind) union(a, b int32) {
	a, b = u.find(a), u.find(b)
	if a < b {
		u[b] = a
	} else {
		u[a] = b
	}
}
