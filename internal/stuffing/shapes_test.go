package stuffing

import (
	"math"

	"atelier/internal/geometry"
)

// shape collects triangles with face ids.
type shape struct{ geometry.Mesh }

func (s *shape) point(p vec) int32 {
	s.Vertices = append(s.Vertices, p)
	return int32(len(s.Vertices) - 1)
}

func (s *shape) tri(face, a, b, c int32) {
	s.Triangles = append(s.Triangles, [3]int32{a, b, c})
	s.FaceID = append(s.FaceID, face)
}

func (s *shape) quad(face, a, b, c, d int32) {
	s.tri(face, a, b, c)
	s.tri(face, a, c, d)
}

// add appends another closed shape, its face ids raised by shift.
func (s *shape) add(o *geometry.Mesh, shift int32) {
	first := int32(len(s.Vertices))
	s.Vertices = append(s.Vertices, o.Vertices...)
	for t, v := range o.Triangles {
		s.tri(o.Face(t)+shift, v[0]+first, v[1]+first, v[2]+first)
	}
}

// spinUp sweeps a closed profile of n points around a ring of m; at gives the
// point, its first index around the ring.
func spinUp(m, n int, at func(i, j int) vec) *geometry.Mesh {
	s := &shape{}
	for i := range m {
		for j := range n {
			s.point(at(i, j))
		}
	}
	id := func(i, j int) int32 { return int32(i%m*n + j%n) }
	for i := range m {
		for j := range n {
			s.quad(1, id(i, j), id(i+1, j), id(i+1, j+1), id(i, j+1))
		}
	}
	return &s.Mesh
}

// torus has ring radius a and tube radius b; one face.
func torus(a, b float64, n int) *geometry.Mesh {
	return spinUp(2*n, n, func(i, j int) vec {
		u, v := math.Pi*float64(i)/float64(n), 2*math.Pi*float64(j)/float64(n)
		r := a + b*math.Cos(v)
		return vec{r * math.Cos(u), r * math.Sin(u), b * math.Sin(v)}
	})
}

// sphere of radius r by bisecting an octahedron; no face ids.
func sphere(r float64, levels int) *geometry.Mesh {
	s := &geometry.Mesh{Vertices: []vec{{r, 0, 0}, {-r, 0, 0}, {0, r, 0}, {0, -r, 0}, {0, 0, r}, {0, 0, -r}}}
	s.Triangles = [][3]int32{{0, 2, 4}, {2, 1, 4}, {1, 3, 4}, {3, 0, 4}, {2, 0, 5}, {1, 2, 5}, {3, 1, 5}, {0, 3, 5}}
	for range levels {
		mid := map[uint64]int32{}
		half := func(a, b int32) int32 {
			k := edgeKey(a, b)
			if _, known := mid[k]; !known {
				mid[k] = int32(len(s.Vertices))
				s.Vertices = append(s.Vertices, s.Vertices[a].Add(s.Vertices[b]).Unit().Scale(r))
			}
			return mid[k]
		}
		var next [][3]int32
		for _, t := range s.Triangles {
			a, b, c := half(t[0], t[1]), half(t[1], t[2]), half(t[2], t[0])
			next = append(next, [3]int32{t[0], a, c}, [3]int32{a, t[1], b}, [3]int32{c, b, t[2]}, [3]int32{a, b, c})
		}
		s.Triangles = next
	}
	return s
}

// drilled is a block of 2w × 2w × h with a round hole of radius r through its
// middle along z: faces 1 to 4 are the sides, 5 the bottom, 6 the top, 7 the hole.
func drilled(w, h, r float64, n int) *geometry.Mesh {
	s := &shape{}
	n *= 8 // so that the corners of the square are met
	rim := func(i int) (out, in vec) {
		a := 2 * math.Pi * float64(i) / float64(n)
		c, d := math.Cos(a), math.Sin(a)
		k := w / math.Max(math.Abs(c), math.Abs(d))
		return vec{k * c, k * d, 0}, vec{r * c, r * d, 0}
	}
	for i := range n {
		out, in := rim(i)
		s.point(out)
		s.point(in)
		s.point(out.Add(vec{0, 0, h}))
		s.point(in.Add(vec{0, 0, h}))
	}
	for i := range n {
		a, b := int32(4*i), int32(4*((i+1)%n))
		side := int32((i+n/8)/(n/4)%4) + 1
		s.quad(side, a, b, b+2, a+2)
		s.quad(7, b+1, a+1, a+3, b+3)
		s.quad(5, a, a+1, b+1, b)
		s.quad(6, a+2, b+2, b+3, a+3)
	}
	return &s.Mesh
}

// bracket is an L of leg length l, thickness t and depth d along z, with a
// fillet of radius f in its inner corner: faces 1 and 2 are the ends of the cut
// (z = 0 and z = d), 3 the bottom, 4 and 5 the foot's end and top, 6 the fillet,
// 7 and 8 the wall's front and end, 9 the back.
func bracket(l, t, d, f float64, n int) *geometry.Mesh {
	outline := []vec{{0, 0, 0}, {l, 0, 0}, {l, t, 0}}
	faces := []int32{3, 4, 5}
	for i := range n + 1 {
		a := 1.5*math.Pi - math.Pi/2*float64(i)/float64(n)
		outline = append(outline, vec{t + f + f*math.Cos(a), t + f + f*math.Sin(a), 0})
		faces = append(faces, 6)
	}
	faces[len(faces)-1] = 7
	outline = append(outline, vec{t, l, 0}, vec{0, l, 0})
	faces = append(faces, 8, 9)
	s := &shape{}
	low, high := s.point(vec{t / 2, t / 2, 0}), s.point(vec{t / 2, t / 2, d})
	for _, p := range outline {
		s.point(p)
		s.point(p.Add(vec{0, 0, d}))
	}
	for i := range outline {
		a, b := int32(2+2*i), int32(2+2*((i+1)%len(outline)))
		s.tri(1, low, b, a)
		s.tri(2, high, a+1, b+1)
		s.quad(faces[i], a, b, b+1, a+1)
	}
	return &s.Mesh
}

// turned rotates a shape so that none of its faces lies along the lattice.
func turned(m *geometry.Mesh) *geometry.Mesh {
	x := vec{0.62, 0.71, -0.33}.Unit()
	z := x.Cross(vec{0.2, -0.4, 0.9}).Unit()
	y := z.Cross(x)
	for i, p := range m.Vertices {
		m.Vertices[i] = x.Scale(p[0]).Add(y.Scale(p[1])).Add(z.Scale(p[2]))
	}
	return m
}
