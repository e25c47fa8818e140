package geometry

import "slices"

// orient turns triangles so that neighbours across every edge of two triangles
// agree, keeping what the larger area of each patch says; then turns whole
// patches round where that makes non-manifold edges balance. It returns the
// number of triangles turned and of edges where no choice is consistent.
func (m *Mesh) orient() (flipped, oneSided int) {
	edges := buildEdges(m.Triangles, len(m.Vertices))
	patch, odd, oneSided := m.patches(edges)
	n := int32(0)
	for _, p := range patch {
		n = max(n, p+1)
	}
	// What the input says: the side on which more area agrees stays.
	area := make([]float64, n)
	for t := range m.Triangles {
		if a := m.TriangleArea(t); odd[t] {
			area[patch[t]] -= a
		} else {
			area[patch[t]] += a
		}
	}
	turn := make([]bool, n)
	for p := range turn {
		turn[p] = area[p] < 0
	}
	balancePatches(m.Triangles, edges, patch, odd, turn)
	for t := range m.Triangles {
		if odd[t] != turn[patch[t]] {
			m.flip(t)
			flipped++
		}
	}
	return flipped, oneSided
}

func (m *Mesh) flip(t int) {
	tri := &m.Triangles[t]
	tri[1], tri[2] = tri[2], tri[1]
}

// patches numbers the sets of triangles connected across edges of exactly two
// triangles; odd says which triangles run against their patch's first one.
func (m *Mesh) patches(edges *edgeTable) (patch []int32, odd []bool, oneSided int) {
	across := make([]int32, 3*len(m.Triangles))
	for i := range across {
		across[i] = -1
	}
	for e := range edges.len() {
		if h := edges.of(e); len(h) == 2 {
			across[h[0]], across[h[1]] = h[1], h[0]
		}
	}
	patch = make([]int32, len(m.Triangles))
	for t := range patch {
		patch[t] = -1
	}
	odd = make([]bool, len(m.Triangles))
	var queue []int32
	next := int32(0)
	for seed := range m.Triangles {
		if patch[seed] >= 0 {
			continue
		}
		patch[seed] = next
		queue = append(queue[:0], int32(seed))
		for len(queue) > 0 {
			t := queue[len(queue)-1]
			queue = queue[:len(queue)-1]
			for k := range int32(3) {
				h := 3*t + k
				g := across[h]
				if g < 0 {
					continue
				}
				s := g / 3
				same := origin(m.Triangles, g) == origin(m.Triangles, h)
				if patch[s] < 0 {
					patch[s], odd[s] = next, odd[t] != same
					queue = append(queue, s)
				} else if odd[s] != (odd[t] != same) && h < g {
					oneSided++
				}
			}
		}
		next++
	}
	return patch, odd, oneSided
}

// balancePatches turns patches round while that lowers the surplus of one
// direction over the other, summed over the non-manifold edges.
func balancePatches(tris [][3]int32, edges *edgeTable, patch []int32, odd, turn []bool) {
	type end struct {
		patch int32
		dir   int
	}
	var complex [][]end
	touching := map[int32][]int{}
	for e := range edges.len() {
		halves := edges.of(e)
		if len(halves) < 3 {
			continue
		}
		var ends []end
		for _, h := range halves {
			dir := 1
			if (origin(tris, h) > target(tris, h)) != odd[h/3] {
				dir = -1
			}
			p := patch[h/3]
			ends = append(ends, end{p, dir})
			if l := touching[p]; len(l) == 0 || l[len(l)-1] != len(complex) {
				touching[p] = append(l, len(complex))
			}
		}
		complex = append(complex, ends)
	}
	surplus := func(i int) int {
		sum := 0
		for _, x := range complex[i] {
			if turn[x.patch] {
				sum -= x.dir
			} else {
				sum += x.dir
			}
		}
		return max(sum, -sum)
	}
	order := make([]int32, 0, len(touching))
	for p := range touching {
		order = append(order, p)
	}
	slices.Sort(order)
	for improved, round := true, 0; improved && round < 20; round++ {
		improved = false
		for _, p := range order {
			before, after := 0, 0
			for _, i := range touching[p] {
				before += surplus(i)
			}
			turn[p] = !turn[p]
			for _, i := range touching[p] {
				after += surplus(i)
			}
			if after < before {
				improved = true
			} else {
				turn[p] = !turn[p]
			}
		}
	}
}
