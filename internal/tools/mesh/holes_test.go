package mesh

import (
	"math"
	"path/filepath"
	"strings"
	"testing"

	"atelier/internal/evidence"
	"atelier/internal/geometry"
	"atelier/internal/testenv"
)

// bottle is a cube with a small square hole in its top; hollow adds the walls of a neck
// and of a cavity that opens there.
func bottle(a, hole, cavity float64, hollow bool) *geometry.Mesh {
	m := &geometry.Mesh{Meta: geometry.Meta{LengthUnit: "mm"}}
	ring := func(size, z float64) (of [4]int32) {
		for i, c := range [4][2]float64{{-1, -1}, {1, -1}, {1, 1}, {-1, 1}} {
			of[i] = int32(len(m.Vertices))
			m.Vertices = append(m.Vertices, geometry.Vec3{c[0] * size / 2, c[1] * size / 2, z})
		}
		return of
	}
	quad := func(a, b, c, d int32) {
		m.Triangles = append(m.Triangles, [3]int32{a, b, c}, [3]int32{a, c, d})
	}
	between := func(p, q [4]int32) {
		for i := range 4 {
			k := (i + 1) % 4
			quad(p[i], p[k], q[k], q[i])
		}
	}
	bottom, top, mouth := ring(a, 0), ring(a, a), ring(hole, a)
	quad(bottom[3], bottom[2], bottom[1], bottom[0])
	between(bottom, top)
	between(top, mouth)
	if hollow {
		high, neck, low := a*0.9, ring(hole, a*0.9), ring(cavity, a*0.9-cavity)
		wide := ring(cavity, high)
		between(mouth, neck)
		between(neck, wide)
		between(wide, low)
		quad(low[0], low[1], low[2], low[3])
	}
	return m
}

// The cavity of a bottle is missing behind a hole of a thousandth of its surface: filled,
// the volume is the whole cube's, which nothing in the file can tell from the bottle's,
// a^3 - c^3 - b^2 a/10. It is computed and says why; where the volume of the part is
// known, that decides.
func TestWhatLiesBehindAFilledHoleIsNotKnown(t *testing.T) {
	r := testenv.Random(t)
	a := 30 + 30*r.Float64()
	hole, cavity := a*0.05, a*(0.5+0.2*r.Float64())
	run := func(m *geometry.Mesh) (repairOutput, *evidence.Evidence) {
		path := filepath.Join(t.TempDir(), "bottle.obj")
		if err := geometry.Write(path, m); err != nil {
			t.Fatal(err)
		}
		out, res, _, err := repairFile(t, map[string]any{"input_path": path, "length_unit": "mm"})
		if err != nil {
			t.Fatal(err)
		}
		return out, res.Evidence
	}
	out, e := run(bottle(a, hole, cavity, false))
	if v := *out.Repaired.Volume; math.Abs(v-a*a*a) > 1e-6*v || out.Actions.HolesFilled != 1 {
		t.Fatalf("%d holes filled, volume %g", out.Actions.HolesFilled, v)
	}
	if e.Trust() != evidence.Computed || !strings.Contains(strings.Join(e.Reasons(), " "), "what lay behind cannot be known") {
		t.Errorf("filled: %s, %v", e.Trust(), e.Reasons())
	}
	for _, q := range e.Quantities() {
		if strings.HasSuffix(q.Pointer, "/volume") && (q.Trust() != evidence.Computed || len(q.Omits) == 0) {
			t.Errorf("%s is %s: %v", q.Pointer, q.Trust(), q.Omits)
		}
	}
	out, e = run(bottle(a, hole, cavity, true))
	if want := a*a*a - cavity*cavity*cavity - hole*hole*a/10; math.Abs(*out.Repaired.Volume-want) > 1e-6*want || e.Trust() != evidence.Verified {
		t.Errorf("whole: %g, want %g: %s, %v", *out.Repaired.Volume, want, e.Trust(), e.Reasons())
	}
	for volume, want := range map[float64]bool{a * a * a: false, a*a*a - cavity*cavity*cavity: true} {
		j := repairJob{report: &geometry.RepairReport{HolesFilled: 1}, origin: &evidence.Origin{Exact: true, Volume: &volume, LengthUnit: "mm"}}
		v := a * a * a
		j.out.Repaired.Volume, j.out.LengthUnit = &v, "mm"
		if j.madeUp() != want {
			t.Errorf("the CAD model has %g, the surface %g: made up %v", volume, v, !want)
		}
	}
}
