package geometry

import (
	"math"
	"slices"
	"testing"
)

func contactsOf(t *testing.T, m *Mesh, body []int32) Contacts {
	t.Helper()
	c, err := m.ContactsBy(t.Context(), body, nil)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// Boxes on boxes, anywhere in space: the common area is that of the rectangle that their
// faces have in common.
func TestContactsOfRandomBoxes(t *testing.T) {
	rng := seeded(t)
	for range 20 {
		w := Vec3{1 + 3*rng.Float64(), 1 + 3*rng.Float64(), 1 + rng.Float64()}
		shift := Vec3{w[0] * (0.1 + 0.7*rng.Float64()), w[1] * (0.1 + 0.7*rng.Float64()), w[2]}
		gap := 0.001 + 0.1*rng.Float64()
		m, body := together(
			cube(Vec3{}, w),
			cube(Vec3{}, w).moved(shift), // on the first
			cube(Vec3{}, w).moved(Vec3{shift[0], shift[1], 2*w[2] + gap}), // above the second
			cube(Vec3{}, w).moved(Vec3{-w[0], -w[1], 0}),                  // has an edge in common with the first
		)
		m.turned(rng)
		c := contactsOf(t, m, body)
		long, short := max(w[0]-shift[0], w[1]-shift[1]), min(w[0]-shift[0], w[1]-shift[1])
		want, strip := long*short, long/contactCells/contactEdge*2*(long+short)
		areas := map[[2]int32]float64{}
		for _, p := range c.Pairs {
			areas[[2]int32{p.A, p.B}] = p.Area
		}
		a, b, d := body[0], body[12], body[36]
		if got := areas[[2]int32{a, b}]; math.Abs(got-want) > strip {
			t.Errorf("area of %v on another by %v: %.4g, expected %.4g within %.2g", w, shift, got, want, strip)
		}
		if area, touch := areas[[2]int32{a, d}]; !touch || area != 0 || len(areas) != 2 {
			t.Errorf("an edge in common: %v", c.Pairs)
		}
		if len(c.Groups) != 3 || !slices.Equal(c.Groups[0].Bodies, []int32{a, b}) {
			t.Fatalf("%+v", c.Groups)
		}
		for _, g := range c.Groups[1:] {
			expected := gap
			if g.Bodies[0] == d {
				expected = 0
			}
			if math.Abs(g.Gap-expected) > 1e-9 {
				t.Errorf("body %d is %.6g from the next, expected %.6g", g.Bodies[0], g.Gap, expected)
			}
		}
	}
}

// A pin in its cavity, both of facets that do not match, touches all around; one that is
// smaller by more than the facets explain touches nowhere.
func TestContactsOfAPinInItsCavity(t *testing.T) {
	rng := seeded(t)
	for range 10 {
		r, h := 1+rng.Float64(), 2+rng.Float64()
		for _, clearance := range []float64{0, 0.1 * r} {
			block := cylinder(80, rng.Float64(), 2*r, -1, h+1).append(cylinder(60, rng.Float64(), r, 0, h).invert())
			m, body := together(block, cylinder(48, rng.Float64(), r-clearance, clearance, h-clearance))
			m.turned(rng)
			c := contactsOf(t, m, body)
			if clearance > 0 {
				if len(c.Pairs) > 0 || len(c.Groups) != 2 || math.Abs(c.Groups[1].Gap-clearance) > 0.02*r {
					t.Errorf("a clearance of %.4g: %+v", clearance, c)
				}
				continue
			}
			if want := 2 * math.Pi * r * (h + r); len(c.Pairs) != 1 || math.Abs(c.Pairs[0].Area/want-1) > 0.06 || len(c.Groups) != 1 {
				t.Errorf("a pin of radius %.4g and height %.4g: %+v, expected an area of %.4g", r, h, c, want)
			}
		}
	}
}
