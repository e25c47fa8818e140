package main

import (
	"math"
	"math/rand/v2"

	"atelier/internal/geometry"
)

// sheared is a box of the given size whose top is moved aside.
func sheared(size, shift geometry.Vec3) *geometry.Mesh {
	m := &geometry.Mesh{}
	for i := range 8 {
		v := geometry.Vec3{}
		for k := range 3 {
			if i>>k&1 == 1 {
				v[k] = size[k]
			}
		}
		if i>>2&1 == 1 {
			v = v.Add(shift)
		}
		m.Vertices = append(m.Vertices, v)
	}
	for _, q := range [][4]int32{{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}} {
		m.Triangles = append(m.Triangles, [3]int32{q[0], q[1], q[2]}, [3]int32{q[0], q[2], q[3]})
	}
	return m
}

func box(x, y, z float64) *geometry.Mesh {
	return sheared(geometry.Vec3{x, y, z}, geometry.Vec3{})
}

// leaky is a box that lacks one of the two triangles of a side.
func leaky() *geometry.Mesh {
	m := box(20, 10, 10)
	m.Triangles = m.Triangles[:len(m.Triangles)-1]
	return m
}

// rod runs along a diagonal of space, 0.8 mm wide across, its ends level.
func rod() *geometry.Mesh {
	return sheared(geometry.Vec3{0.8, 0.8, 110}, geometry.Vec3{110, 110, 0})
}

// ring is a strip of 50 mm radius and 10 mm height, closed in itself: its area is
// 2*pi*50*10, that of each opening pi*50^2.
func ring() *geometry.Mesh {
	const n = 48
	m := &geometry.Mesh{}
	for i := range n {
		a := 2 * math.Pi * float64(i) / n
		x, y := 50*math.Cos(a), 50*math.Sin(a)
		m.Vertices = append(m.Vertices, geometry.Vec3{x, y, 0}, geometry.Vec3{x, y, 10})
	}
	for i := range int32(n) {
		a, b := 2*i, 2*((i+1)%n)
		m.Triangles = append(m.Triangles, [3]int32{a, b, b + 1}, [3]int32{a, b + 1, a + 1})
	}
	return m
}

// soup is fifty triangles anywhere in a cube, the same every time.
func soup() *geometry.Mesh {
	random := rand.New(rand.NewPCG(1, 2))
	m := &geometry.Mesh{}
	for i := range int32(50) {
		for range 3 {
			m.Vertices = append(m.Vertices, geometry.Vec3{10 * random.Float64(), 10 * random.Float64(), 10 * random.Float64()})
		}
		m.Triangles = append(m.Triangles, [3]int32{3 * i, 3*i + 1, 3*i + 2})
	}
	return m
}
