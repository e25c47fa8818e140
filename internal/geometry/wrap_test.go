package geometry

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"atelier/internal/contract"
	"atelier/internal/testenv"
)

// torn is a box of small triangles that share no vertex, are turned at random and of which
// some are missing.
func torn(r *rand.Rand, size Vec3, cells int, missing float64) *Mesh {
	m := &Mesh{}
	add := func(p, q, s Vec3) {
		if r.Float64() < missing {
			return
		}
		if r.IntN(2) == 0 {
			q, s = s, q
		}
		n := int32(len(m.Vertices))
		m.Vertices = append(m.Vertices, p, q, s)
		m.Triangles = append(m.Triangles, [3]int32{n, n + 1, n + 2})
	}
	for axis := range 3 {
		u, v := (axis+1)%3, (axis+2)%3
		for side := range 2 {
			at := func(i, j int) (p Vec3) {
				p[axis], p[u], p[v] = float64(side)*size[axis], size[u]*float64(i)/float64(cells), size[v]*float64(j)/float64(cells)
				return p
			}
			for i := range cells {
				for j := range cells {
					add(at(i, j), at(i+1, j), at(i+1, j+1))
					add(at(i, j), at(i+1, j+1), at(i, j+1))
				}
			}
		}
	}
	return m
}

// The points within the distance d of a convex body have the volume
// V + A d + M d² + 4/3 π d³ and the area of its derivative (Steiner 1840); M is
// π/4 of the sum of a box's twelve edges. Holes smaller than the offset change little.
func TestWrapsOfTornBoxes(t *testing.T) {
	r := testenv.Random(t)
	for _, missing := range []float64{0, 0.08} {
		size := Vec3{4 + 4*r.Float64(), 4 + 4*r.Float64(), 4 + 4*r.Float64()}
		d := 0.5 + 0.5*r.Float64()
		wrap, told, err := Wrap(context.Background(), torn(r, size, 16, missing), d)
		if err != nil {
			t.Fatal(err)
		}
		top := wrap.Check()
		if !top.Closed || !top.Manifold || !top.Oriented || top.Components != 1 {
			t.Errorf("%v of the triangles missing: %+v", missing, top)
		}
		a, b, c := size[0], size[1], size[2]
		area, mean := 2*(a*b+b*c+c*a), math.Pi*(a+b+c)
		for what, pair := range map[string][2]float64{
			"volume": {wrap.Volume(), a*b*c + area*d + mean*d*d + 4./3*math.Pi*d*d*d},
			"area":   {wrap.Area(), area + 2*mean*d + 4*math.Pi*d*d},
		} {
			if off := pair[0]/pair[1] - 1; math.Abs(off) > 0.02 {
				t.Errorf("%s %v of a box %v wrapped at %v, expected %v", what, pair[0], size, d, pair[1])
			}
		}
		// A grid of half the offset leaves the isosurface within an eighth of its square, over the radius.
		if told.Nearest < 0.9*d || told.Farthest > 1.1*d || told.Spacing != d/2 {
			t.Errorf("wrapped at %v: %+v", d, told)
		}
	}
}

// Bodies closer than twice the offset are wrapped together, those three offsets apart are
// not; a hole wider
// than that is none of the surface's, and its inside is wrapped too.
func TestWrapsCloseWhatIsNarrow(t *testing.T) {
	r := testenv.Random(t)
	size := Vec3{4, 4, 4}
	const d = 0.5
	for gap, want := range map[float64]int{0.8: 1, 1.6: 2} {
		m, other := torn(r, size, 8, 0), torn(r, size, 8, 0)
		for _, v := range other.Vertices {
			m.Vertices = append(m.Vertices, v.Add(Vec3{4 + gap, 0, 0}))
		}
		n := int32(len(other.Vertices))
		for _, tri := range other.Triangles {
			m.Triangles = append(m.Triangles, [3]int32{tri[0] + n, tri[1] + n, tri[2] + n})
		}
		wrap, _, err := Wrap(context.Background(), m, d)
		if err != nil {
			t.Fatal(err)
		}
		if top := wrap.Check(); top.Components != want || !top.Closed {
			t.Errorf("a gap of %v: %+v, expected %d components", gap, top, want)
		}
	}
	open := torn(r, size, 8, 0)
	var kept [][3]int32
	for i, tri := range open.Triangles {
		p, q, s := open.Corners(i)
		if p[2]+q[2]+s[2] < 11.9 { // all but the lid
			kept = append(kept, tri)
		}
	}
	open.Triangles = kept
	wrap, _, err := Wrap(context.Background(), open, d)
	if err != nil {
		t.Fatal(err)
	}
	// Five plates of 4 x 4, about 2d thick.
	if top, v := wrap.Check(), wrap.Volume(); !top.Closed || v > 0.75*math.Pow(4+2*d, 3) {
		t.Errorf("an open box is filled: volume %v, %+v", v, top)
	}
}

func TestWrapsThatAreTooFine(t *testing.T) {
	m := torn(testenv.Random(t), Vec3{100, 100, 100}, 4, 0)
	_, _, err := Wrap(context.Background(), m, 0.01)
	if e := contract.AsError(err); err == nil || e.Code != contract.CodeInvalidInput || e.Hint == "" {
		t.Fatalf("%v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, _, err := Wrap(ctx, m, 2); err == nil {
		t.Error("a cancelled wrap goes on")
	}
}
