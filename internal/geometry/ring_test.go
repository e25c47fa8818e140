package geometry

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"atelier/internal/testenv"
)

// covered fills the flat gap between loops, the first the outer one, and is the
// area of all triangles and that of the gap by the shoelace formula. Borders run
// against their patch: clockwise outside, counter-clockwise inside.
func covered(t *testing.T, loops [][][2]float64) (patch, gap float64) {
	t.Helper()
	m := &Mesh{}
	var ids [][]int32
	for k, loop := range loops {
		area := 0.0
		var list []int32
		for i, p := range loop {
			q := loop[(i+1)%len(loop)]
			area += (p[0]*q[1] - q[0]*p[1]) / 2
			list = append(list, int32(len(m.Vertices)))
			m.Vertices = append(m.Vertices, Vec3{p[0], p[1], 0})
		}
		if clockwise := area < 0; clockwise != (k == 0) {
			list = reversed(list)
		}
		ids = append(ids, list)
		if k == 0 {
			gap += math.Abs(area)
		} else {
			gap -= math.Abs(area)
		}
	}
	f := newFiller(context.Background(), m, nil)
	f.fillRing(ids[0], ids[1:])
	for _, tri := range f.out {
		a, b, c := m.Vertices[tri[0]], m.Vertices[tri[1]], m.Vertices[tri[2]]
		patch += math.Abs(b.Sub(a).Cross(c.Sub(a))[2]) / 2
	}
	return patch, gap
}

// The edge of one hole lies between the other and its nearest corner outside.
func TestRingWithAHoleInTheWay(t *testing.T) {
	square := func(x, y, side float64) [][2]float64 {
		return [][2]float64{{x, y}, {x + side, y}, {x + side, y + side}, {x, y + side}}
	}
	for _, inner := range [][][][2]float64{
		{square(4, 4, 0.5), {{0.5, 3.5}, {3.5, 0.5}, {3.4, 0.4}}},
		{{{0.5, 3.5}, {3.5, 0.5}, {3.4, 0.4}}, square(4, 4, 0.5)},
	} {
		patch, gap := covered(t, append([][][2]float64{square(0, 0, 10)}, inner...))
		if math.Abs(gap-99.45) > 1e-9 || math.Abs(patch-gap) > 1e-9 {
			t.Errorf("the patch covers %v, the gap is %v", patch, gap)
		}
	}
}

// Star-shaped holes and slivers in the cells of a grid, in a star-shaped or
// square border: the triangles cover the gap once.
func TestRingsOfRandomHoles(t *testing.T) {
	r := testenv.Random(t)
	for range 300 {
		n := 1 + r.IntN(4)
		size := float64(n)
		loops := [][][2]float64{{{0, 0}, {size, 0}, {size, size}, {0, size}}}
		if r.IntN(2) == 0 { // dents that reach no cell's middle
			loops[0] = [][2]float64{{0, 0}, {size / 2, r.Float64() * 0.05}, {size, 0}, {size - r.Float64()*0.05, size / 2}, {size, size}, {0, size}, {r.Float64() * 0.05, size / 3}}
		}
		for x := range n {
			for y := range n {
				if r.IntN(4) > 0 {
					loops = append(loops, star(r, float64(x)+0.5, float64(y)+0.5))
				}
			}
		}
		turn(loops, r.Float64())
		patch, gap := covered(t, loops)
		if math.Abs(patch-gap) > 1e-9*gap {
			t.Fatalf("the patch of %d holes covers %v, the gap is %v", len(loops)-1, patch, gap)
		}
	}
}

// star is a loop about a point, within 0.42 of it; a sliver of it is three corners.
func star(r *rand.Rand, x, y float64) [][2]float64 {
	corners := 3 + r.IntN(8)
	flat := 1.0
	if r.IntN(3) == 0 {
		flat = 0.01
	}
	start := r.Float64() * 2 * math.Pi
	var loop [][2]float64
	for k := range corners {
		at := start + 2*math.Pi*float64(k)/float64(corners)
		radius := 0.1 + 0.32*r.Float64()
		loop = append(loop, [2]float64{x + radius*math.Cos(at), y + flat*radius*math.Sin(at)})
	}
	return loop
}

func turn(loops [][][2]float64, by float64) {
	sin, cos := math.Sincos(by)
	for _, loop := range loops {
		for i, p := range loop {
			loop[i] = [2]float64{cos*p[0] - sin*p[1], sin*p[0] + cos*p[1]}
		}
	}
}
