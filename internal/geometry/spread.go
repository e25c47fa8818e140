package geometry

import "math"

// SpreadCoincident draws vertices with equal coordinates apart, each by at most
// rel times the surface's diagonal towards the middle of its own neighbours, so
// that formats without indices (STL) keep them apart. It returns how many moved.
func (m *Mesh) SpreadCoincident(rel float64) int {
	index := newPointIndex(len(m.Vertices))
	var distinct []Vec3
	group := make([]int32, len(m.Vertices))
	size := map[int32]int{}
	for v, p := range m.Vertices {
		group[v] = index.add(&distinct, p)
		size[group[v]]++
	}
	if len(distinct) == len(m.Vertices) {
		return 0
	}
	sum := map[int32]Vec3{}
	n := map[int32]float64{}
	shortest := map[int32]float64{}
	for _, t := range m.Triangles {
		for k, v := range t {
			if size[group[v]] < 2 {
				continue
			}
			for _, w := range [2]int32{t[(k+1)%3], t[(k+2)%3]} {
				l := m.Vertices[w].Sub(m.Vertices[v]).Norm()
				if s, ok := shortest[v]; !ok || l < s {
					shortest[v] = l
				}
				sum[v] = sum[v].Add(m.Vertices[w])
				n[v]++
			}
		}
	}
	step := rel * m.Diagonal()
	moves := map[int32]Vec3{}
	for v := range sum {
		d := sum[v].Scale(1 / n[v]).Sub(m.Vertices[v])
		if l := d.Norm(); l > 0 {
			moves[v] = m.Vertices[v].Add(d.Scale(math.Min(step, 0.05*shortest[v]) / l))
		}
	}
	for v, p := range moves {
		m.Vertices[v] = p
	}
	return len(moves)
}
