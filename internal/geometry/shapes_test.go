package geometry

import "math"

// cube is the box from lo to hi, 12 triangles, outward; its six faces have the
// ids 1 to 6.
func cube(lo, hi Vec3) *Mesh {
	m := &Mesh{}
	for i := range 8 {
		var p Vec3
		for k := range 3 {
			p[k] = lo[k]
			if i>>k&1 == 1 {
				p[k] = hi[k]
			}
		}
		m.Vertices = append(m.Vertices, p)
	}
	for f, q := range [][4]int32{{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}} {
		m.Triangles = append(m.Triangles, [3]int32{q[0], q[1], q[2]}, [3]int32{q[0], q[2], q[3]})
		m.FaceID = append(m.FaceID, int32(f+1), int32(f+1))
	}
	return m
}

// tetrahedron is the corner of the unit cube: volume 1/6.
func tetrahedron() *Mesh {
	return &Mesh{
		Vertices:  []Vec3{{}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
		Triangles: [][3]int32{{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}},
	}
}

// icosphere is an icosahedron, each triangle cut in four, levels times, on the
// sphere of radius r: 20·4^levels triangles.
func icosphere(levels int, r float64) *Mesh {
	t := (1 + math.Sqrt(5)) / 2
	m := &Mesh{
		Vertices: []Vec3{{-1, t, 0}, {1, t, 0}, {-1, -t, 0}, {1, -t, 0}, {0, -1, t}, {0, 1, t}, {0, -1, -t}, {0, 1, -t}, {t, 0, -1}, {t, 0, 1}, {-t, 0, -1}, {-t, 0, 1}},
		Triangles: [][3]int32{{0, 11, 5}, {0, 5, 1}, {0, 1, 7}, {0, 7, 10}, {0, 10, 11}, {1, 5, 9}, {5, 11, 4}, {11, 10, 2}, {10, 7, 6}, {7, 1, 8},
			{3, 9, 4}, {3, 4, 2}, {3, 2, 6}, {3, 6, 8}, {3, 8, 9}, {4, 9, 5}, {2, 4, 11}, {6, 2, 10}, {8, 6, 7}, {9, 8, 1}},
	}
	for range levels {
		mid := map[uint64]int32{}
		half := func(a, b int32) int32 {
			k := edgeKey(a, b)
			if v, ok := mid[k]; ok {
				return v
			}
			m.Vertices = append(m.Vertices, m.Vertices[a].Add(m.Vertices[b]).Unit())
			mid[k] = int32(len(m.Vertices) - 1)
			return mid[k]
		}
		var next [][3]int32
		for _, t := range m.Triangles {
			a, b, c := half(t[0], t[1]), half(t[1], t[2]), half(t[2], t[0])
			next = append(next, [3]int32{t[0], a, c}, [3]int32{t[1], b, a}, [3]int32{t[2], c, b}, [3]int32{a, b, c})
		}
		m.Triangles = next
	}
	for i, p := range m.Vertices {
		m.Vertices[i] = p.Unit().Scale(r)
	}
	return m
}

// torus has n segments round the axis and k round the tube, 2nk triangles.
func torus(n, k int, major, minor float64) *Mesh {
	m := &Mesh{}
	at := func(i, j int) int32 { return int32(i%n*k + j%k) }
	for i := range n {
		for j := range k {
			u, v := 2*math.Pi*float64(i)/float64(n), 2*math.Pi*float64(j)/float64(k)
			r := major + minor*math.Cos(v)
			m.Vertices = append(m.Vertices, Vec3{r * math.Cos(u), r * math.Sin(u), minor * math.Sin(v)})
			m.Triangles = append(m.Triangles, [3]int32{at(i, j), at(i+1, j), at(i+1, j+1)}, [3]int32{at(i, j), at(i+1, j+1), at(i, j+1)})
		}
	}
	return m
}

// fluxVolume is the volume as the flux of (0, 0, z) through the triangles: an
// independent way to the figure of Volume for any closed surface.
func (m *Mesh) fluxVolume() float64 {
	var v float64
	for _, t := range m.Triangles {
		a, b, c := m.Vertices[t[0]], m.Vertices[t[1]], m.Vertices[t[2]]
		nz := (b[0]-a[0])*(c[1]-a[1]) - (b[1]-a[1])*(c[0]-a[0])
		v += nz / 2 * (a[2] + b[2] + c[2]) / 3
	}
	return v
}

// punch removes the triangles around some vertices, far apart from each other:
// count holes of one fan each.
func (m *Mesh) punch(count int) {
	step := len(m.Vertices) / count
	gone := map[int32]bool{}
	for i := range count {
		gone[int32(i*step)] = true
	}
	var keep []int32
	for t, tri := range m.Triangles {
		if !gone[tri[0]] && !gone[tri[1]] && !gone[tri[2]] {
			keep = append(keep, int32(t))
		}
	}
	m.filter(keep)
}

// append adds the triangles of another mesh.
func (m *Mesh) append(o *Mesh) *Mesh {
	base := int32(len(m.Vertices))
	m.Vertices = append(m.Vertices, o.Vertices...)
	for t, tri := range o.Triangles {
		m.Triangles = append(m.Triangles, [3]int32{tri[0] + base, tri[1] + base, tri[2] + base})
		if m.FaceID != nil {
			m.FaceID = append(m.FaceID, o.Face(t))
		}
	}
	return m
}

// invert turns every triangle round.
func (m *Mesh) invert() *Mesh {
	for t := range m.Triangles {
		m.flip(t)
	}
	return m
}
