package geometry

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"atelier/internal/testenv"
)

// together joins surfaces, each a body of its own, from 1 on.
func together(parts ...*Mesh) (*Mesh, []int32) {
	m := &Mesh{}
	var body []int32
	for i, p := range parts {
		q := p.Clone()
		q.FaceID = nil
		m = m.append(q)
		for range p.Triangles {
			body = append(body, int32(i+1))
		}
	}
	return m, body
}

// cylinder is a prism of n facets round the axis z, with corners on the circle.
func cylinder(n int, turn, r, z0, z1 float64) *Mesh {
	m := &Mesh{Vertices: []Vec3{{0, 0, z0}, {0, 0, z1}}}
	for i := range n {
		s, c := math.Sincos(turn + 2*math.Pi*float64(i)/float64(n))
		m.Vertices = append(m.Vertices, Vec3{r * c, r * s, z0}, Vec3{r * c, r * s, z1})
	}
	for i := range n {
		a, b := int32(2+2*i), int32(2+2*((i+1)%n))
		m.Triangles = append(m.Triangles, [3]int32{0, b, a}, [3]int32{1, a + 1, b + 1}, [3]int32{a, b, b + 1}, [3]int32{a, b + 1, a + 1})
	}
	return m
}

// moved shifts the surface.
func (m *Mesh) moved(by Vec3) *Mesh {
	for i := range m.Vertices {
		m.Vertices[i] = m.Vertices[i].Add(by)
	}
	return m
}

// turned rotates by two random angles.
func (m *Mesh) turned(rng *rand.Rand) *Mesh {
	for _, axis := range [2]int{0, 2} {
		s, c := math.Sincos(6 * rng.Float64())
		x, y := (axis+1)%3, (axis+2)%3
		for i, p := range m.Vertices {
			m.Vertices[i][x], m.Vertices[i][y] = c*p[x]-s*p[y], s*p[x]+c*p[y]
		}
	}
	return m
}

func overlapsOf(t *testing.T, m *Mesh, body []int32) []Overlap {
	t.Helper()
	found, err := m.Overlaps(context.Background(), body)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func seeded(t *testing.T) *rand.Rand {
	return testenv.Random(t)
}

// Boxes of random size and place: their common volume is a product of lengths. What
// is no deeper than a placement and a small share of a box is contact by definition,
// so that nothing is asked below twice these limits.
func TestOverlapsOfRandomBoxes(t *testing.T) {
	rng := seeded(t)
	seen := [2]int{}
	for range 150 {
		var alo, ahi, blo, bhi Vec3
		common, thin, least := 1.0, math.Inf(1), math.Inf(1)
		for k := range 3 {
			alo[k], blo[k] = rng.Float64(), rng.Float64()
			ahi[k], bhi[k] = alo[k]+0.1+rng.Float64(), blo[k]+0.1+rng.Float64()
			if rng.IntN(4) == 0 {
				blo[k] = alo[k] // flush
			}
			if rng.IntN(6) == 0 {
				blo[k] = ahi[k] // touching
			}
			bhi[k] = max(bhi[k], blo[k]+0.1)
			thin = min(thin, max(0, min(ahi[k], bhi[k])-max(alo[k], blo[k])))
			common *= max(0, min(ahi[k], bhi[k])-max(alo[k], blo[k]))
		}
		for _, b := range [][2]Vec3{{alo, ahi}, {blo, bhi}} {
			d := b[1].Sub(b[0])
			least = min(least, d[0]*d[1]*d[2])
		}
		m, body := together(cube(alo, ahi), cube(blo, bhi))
		m = m.turned(rng)
		found, size := overlapsOf(t, m, body), m.Diagonal()
		told := thin > 4*placementDepth*size || thin > 4*roundingDepth*size && common > 2*shallowShare*least
		if common > 0 {
			seen[1]++
		} else {
			seen[0]++
		}
		switch {
		case common == 0 && len(found) > 0:
			t.Errorf("boxes %v %v and %v %v only touch, and %+v was found", alo, ahi, blo, bhi, found)
		case told && len(found) != 1:
			t.Errorf("boxes %v %v and %v %v share %g, and %+v was found", alo, ahi, blo, bhi, common, found)
		case len(found) == 1 && math.Abs(found[0].Volume-common) > 0.05*common+4*found[0].Error:
			t.Errorf("boxes share %g, found %+v", common, found[0])
		}
	}
	if seen[0] == 0 || seen[1] == 0 {
		t.Errorf("%d pairs apart, %d overlapping", seen[0], seen[1])
	}
}

// Round bodies, against closed forms: what is in contact by its facets only is no
// overlap, whatever the number of facets.
func TestOverlapsOfRoundBodies(t *testing.T) {
	rng := seeded(t)
	for range 20 {
		na, nb, r, h := 12+rng.IntN(60), 12+rng.IntN(60), 0.2+rng.Float64(), 0.3+rng.Float64()
		turn := rng.Float64()
		housing := func() *Mesh { // a cavity of the length of the shaft
			return cylinder(nb, 0, 2*r, -0.1, h+0.2).append(cylinder(nb, 0, r, 0, h).invert())
		}
		m, body := together(cylinder(na, turn, r, 0, h), housing())
		if found := overlapsOf(t, m.turned(rng), body); len(found) > 0 {
			t.Errorf("a shaft of %d facets in its bore of %d, radius %g, length %g: %+v", na, nb, r, h, found)
		}
		// A shaft that is too thick by a twentieth.
		m, body = together(cylinder(na, turn, 1.05*r, 0, h), housing())
		polygon := func(n int, r float64) float64 { return float64(n) / 2 * r * r * math.Sin(2*math.Pi/float64(n)) }
		want := h * (polygon(na, 1.05*r) - polygon(nb, r))
		if found := overlapsOf(t, m.turned(rng), body); na > 30 && nb > 30 && (len(found) != 1 || math.Abs(found[0].Volume/want-1) > 0.3) {
			t.Errorf("a shaft of %d facets too thick for its bore of %d: want %g, found %+v", na, nb, want, found)
		}
	}
	r := 1.0 + rng.Float64()
	upright, lying := cylinder(96, 0, r, -3*r, 3*r), cylinder(96, 0.1, r, -3*r, 3*r)
	for i, p := range lying.Vertices {
		lying.Vertices[i] = Vec3{p[2], p[0], p[1]}
	}
	m, body := together(upright, lying)
	// Two cylinders of the same radius at a right angle share 16/3 of its cube.
	if found := overlapsOf(t, m.turned(rng), body); len(found) != 1 || math.Abs(found[0].Volume/(16.0/3*r*r*r)-1) > 0.02 {
		t.Errorf("crossing cylinders of radius %g: %+v", r, found)
	}
	for range 10 { // a lens of two balls of the same radius
		r := 0.5 + rng.Float64()
		d := r * (0.2 + 1.7*rng.Float64())
		m, body := together(icosphere(4, r), icosphere(4, r).turned(rng).moved(Vec3{d, 0, 0}))
		lens := math.Pi * (4*r + d) * (2*r - d) * (2*r - d) / 12
		if found := overlapsOf(t, m.turned(rng), body); len(found) != 1 || math.Abs(found[0].Volume/lens-1) > 0.15 {
			t.Errorf("balls of radius %g at distance %g share %g, found %+v", r, d, lens, found)
		}
		m, body = together(icosphere(4, r), icosphere(4, r).turned(rng).moved(Vec3{2 * r, 0, 0}))
		if found := overlapsOf(t, m.turned(rng), body); len(found) > 0 {
			t.Errorf("balls that touch: %+v", found)
		}
	}
}

// Bodies inside others: in material, in a cavity, and on themselves.
func TestOverlapsOfNestedBodies(t *testing.T) {
	rng := seeded(t)
	box := cube(Vec3{}, Vec3{3, 3, 3})
	inner := cube(Vec3{1, 1, 1}, Vec3{2, 2, 2})
	for _, c := range []struct {
		name   string
		a, b   *Mesh
		volume float64
	}{
		{"in the material", box, inner, 1},
		{"in the material, inside out", box, inner.Clone().invert(), 1},
		{"filling a cavity", box.Clone().append(inner.Clone().invert()), inner, 0},
		{"too large for a cavity", box.Clone().append(inner.Clone().invert()), cube(Vec3{0.9, 1, 1}, Vec3{2, 2, 2}), 0.1},
		{"the same twice", inner, inner, 1},
		{"the same with other triangles", icosphere(3, 1), icosphere(3, 1).turned(rng), 4.18},
	} {
		m, body := together(c.a, c.b)
		found := overlapsOf(t, m.turned(rng), body)
		switch {
		case c.volume == 0 && len(found) > 0:
			t.Errorf("%s: %+v", c.name, found)
		case c.volume > 0 && (len(found) != 1 || math.Abs(found[0].Volume/c.volume-1) > 0.04):
			t.Errorf("%s: want %g, found %+v", c.name, c.volume, found)
		}
	}
}
