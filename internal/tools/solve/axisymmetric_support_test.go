package solve

import (
	"fmt"
	"math"
	"testing"

	"atelier/internal/evidence"
)

// A tube in a rigid hole, between planes, under inner pressure: u(b) = 0 and sigma_r(a) = -p make
// A = -p / (1 + (1 - 2 nu) b^2 / a^2), and the hole bears sigma_r(b) = 2 (1 - nu) A, all around.
// No balance of forces gives that reaction: its error bar is that of a dual solution.
func TestTubeInARigidHole(t *testing.T) {
	draw := random(t)
	in, e, nu := draw(0.02, 0.2), draw(5e10, 3e11), draw(0.1, 0.4)
	out, length, p := in*draw(1.3, 2.5), in*draw(0.3, 1), e*draw(1e-5, 2e-4)
	a := turned(t, wall(4, 2, in, out, length), fmt.Sprintf(`"materials": [{"E": %.17g, "nu": %.17g}],
		"bcs": [{"attribute": 1, "type": "pressure", "value": %.17g}, {"attribute": 2, "type": "fixed", "components": ["x"]}, {"attribute": [3, 4], "type": "symmetry"}]`, e, nu, p))
	A := -p / (1 + (1-2*nu)*out*out/(in*in))
	a.meets(t, "/loads/1/force/0", a.Loads[1].Force[0], 2*(1-nu)*A*2*math.Pi*out*length, 2e-3)
	if q := a.quantity(t, "/loads/1/force/0"); q.Unit != "N" || q.Coverage == "bound" {
		t.Errorf("%s, %s", q.Unit, q.Coverage)
	}
}

// A shaft that is drawn out by a given length, its sides free, pulls with E A u / L.
func TestShaftDrawnOut(t *testing.T) {
	draw := random(t)
	radius, length, e, nu := draw(0.01, 0.1), draw(0.05, 0.3), draw(5e10, 3e11), draw(0.1, 0.4)
	drawn := length * draw(1e-5, 1e-3)
	a := turned(t, quads(4, 5, skewed(radius, length)), fmt.Sprintf(`"materials": [{"E": %.17g, "nu": %.17g}], "analysis_opts": {"rel_tol": 1e-12},
		"bcs": [{"attribute": 3, "type": "symmetry"}, {"attribute": 4, "type": "fixed", "components": ["y"], "value": [0, %.17g]}]`, e, nu, drawn))
	near(t, "force", a.Loads[1].Force[1], e*math.Pi*radius*radius*drawn/length, 1e-8)
	near(t, "energy", a.Energy, e*math.Pi*radius*radius*drawn*drawn/length/2, 1e-8)
	a.meets(t, "/loads/1/force/1", a.Loads[1].Force[1], e*math.Pi*radius*radius*drawn/length, 1e-8)
}

// A disc that is warmed all through grows by alpha dT of its radius, without a stress.
func TestADiscExpandsWithoutStress(t *testing.T) {
	draw := random(t)
	radius, alpha, warm := draw(0.1, 0.5), draw(5e-6, 3e-5), draw(20, 200)
	for _, order := range []int{1, 2} {
		a := turned(t, quads(6, 3, skewed(radius, radius/4)), fmt.Sprintf(`"order": %d, "materials": [{"E": 2e11, "nu": 0.3, "alpha": %g}], "temperature": {"value": %g, "reference": 293.15},
			"bcs": [{"attribute": 3, "type": "symmetry"}]`, order, alpha, 293.15+warm))
		near(t, "growth", a.MaxDisplacement.Vector[0], alpha*warm*radius, 1e-6)
		if a.VonMises.Max != 0 || a.Energy != 0 {
			t.Errorf("stress %g Pa, energy %g J", a.VonMises.Max, a.Energy)
		}
		if a.Evidence.Trust == evidence.Suspect {
			t.Errorf("%v", a.Evidence.Reasons)
		}
	}
}

// A clamped circular plate must stretch as it deflects, which stiffens it by 0.47 (w / t)^2
// (Timoshenko and Woinowsky-Krieger, art. 97): by its section as by a solid mesh.
func TestClampedCircularPlateStretches(t *testing.T) {
	draw := random(t)
	radius, deflection := draw(0.2, 1), draw(0.5, 1)
	thick := radius / draw(60, 90)
	pressure := deflection * thick * 64 * 2e11 * thick * thick * thick / (12 * (1 - 0.09)) / math.Pow(radius, 4)
	a := turned(t, quads(60, 2, scaled(radius, thick)), fmt.Sprintf(`"materials": [{"E": 2e11, "nu": 0.3}],
		"bcs": [{"attribute": 2, "type": "fixed"}, {"attribute": 4, "type": "pressure", "value": %.17g}]`, pressure))
	w := float64(a.MaxDisplacement.Value) / thick
	if s := a.value(t, "small_deflection") / (w * w); s < 0.42 || s > 0.52 {
		t.Errorf("stretching is %g (w/t)^2", s)
	}
	fails(t, a, "small_deflection")
}

// Two materials, one tube around another: the pressure between them makes their displacements there
// the same. Each is a tube of its own (Lame, plane strain).
func TestTubeOfTwoMaterials(t *testing.T) {
	draw := random(t)
	in, e1, e2, nu := draw(0.02, 0.2), draw(5e10, 1e11), draw(1.5e11, 3e11), draw(0.2, 0.35)
	mid := in * draw(1.2, 1.6)
	out, p := mid*draw(1.2, 1.6), 1e7*draw(0.5, 2)
	// u of a tube at a radius r under pressures inside and outside.
	u := func(r, a, b, inner, outer, e float64) float64 {
		A, B := (inner*a*a-outer*b*b)/(b*b-a*a), (inner-outer)*a*a*b*b/(b*b-a*a)
		return (1 + nu) / e * ((1-2*nu)*A*r + B/r)
	}
	// Both are linear in the pressure q between them.
	gap := func(q float64) float64 { return u(mid, in, mid, p, q, e1) - u(mid, mid, out, q, 0, e2) }
	q := -gap(0) / (gap(1) - gap(0))
	mesh := quads(12, 2, func(x, y float64) [2]float64 {
		r := in + (mid-in)*2*x
		if x > 0.5 {
			r = mid + (out-mid)*(2*x-1)
		}
		return [2]float64{r, y * in / 2}
	})
	for i, element := range mesh.elements {
		if i >= len(mesh.elements)/2 {
			mesh.elements[i] = "2" + element[1:]
		}
	}
	a := turned(t, mesh, fmt.Sprintf(`"materials": [{"attribute": 1, "E": %.17g, "nu": %.17g}, {"attribute": 2, "E": %.17g, "nu": %.17g}], "probes": [[%.17g, 0]],
		"bcs": [{"attribute": 1, "type": "pressure", "value": %.17g}, {"attribute": [3, 4], "type": "symmetry"}]`, e1, nu, e2, nu, mid, p))
	a.meets(t, "/probes/0/displacement/0", a.Probes[0].Displacement[0], u(mid, mid, out, q, 0, e2), 1e-4)
	a.meets(t, "/energy", a.Energy, math.Pi*in*in/2*p*u(in, in, mid, p, q, e1), 1e-4)
}
