package solve

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"atelier/internal/evidence"
)

// sums expects the force and the moment about the face's centroid that a condition brings.
func (a *answer) sums(t *testing.T, bc int, force, moment []float64) {
	t.Helper()
	for what, pair := range map[string]struct {
		got  Point
		want []float64
	}{"force": {a.Loads[bc].Force, force}, "moment": {a.Loads[bc].Moment, moment}} {
		size := 0.0
		for _, v := range append(force, moment...) {
			size += math.Abs(v)
		}
		for i, v := range pair.want {
			if math.Abs(float64(pair.got[i])-v) > 1e-8*size {
				t.Errorf("bcs/%d: the %s is %v, expected %v", bc, what, pair.got, pair.want)
				break
			}
		}
	}
	if s, failed := a.failed("force_balance"); failed {
		t.Error(s)
	}
}

// A prism without lateral contraction that end moments bend: u = kappa x z along it, and
// -kappa x^2 / 2 across (Timoshenko and Goodier, art. 102), which second-order elements hold
// exactly; the stress is M z / I.
func TestMomentBendsExactly(t *testing.T) {
	draw := random(t)
	l, b, h, m, e := draw(0.5, 2), draw(0.05, 0.2), draw(0.05, 0.2), draw(10, 1000), draw(1e10, 3e11)
	a := solved(t, "fea.solve", hexes([3]int{4, 2, 2}, [3]float64{l, b, h}), "LinearElasticity", fmt.Sprintf(
		`{"materials": [{"E": %g, "nu": 0}], "probes": [[%.17g, %.17g, %.17g]], "analysis_opts": {"rel_tol": 1e-11}, "bcs": [
		{"attribute": 1, "type": "fixed"}, {"attribute": 2, "type": "moment", "moment": [0, "%g N*m", 0]}]}`, e, l, b/2, h/2, m))
	inertia := b * h * h * h / 12
	a.sums(t, 1, []float64{0, 0, 0}, []float64{0, m, 0})
	near(t, "deflection", a.Probes[0].Displacement[2], -m*l*l/(2*e*inertia), 1e-6)
	near(t, "peak stress", a.VonMises.Max, m*h/2/inertia, 1e-6)
}

// shaft is a round bar along z of 4 n facets. Boundary attributes 5 and 6 are its ends.
func shaft(n, m int, l, r float64) *grid {
	g := hexes([3]int{n, n, m}, [3]float64{2, 2, l})
	for _, p := range g.points {
		u, v := p[0]-1, p[1]-1 // rings of squares become rings of circles
		ring := max(math.Abs(u), math.Abs(v))
		phi := 0.0
		switch {
		case ring < 1e-12:
		case math.Abs(u) >= math.Abs(v):
			phi = math.Pi / 4 * v / u
			if u < 0 {
				phi += math.Pi
			}
		default:
			phi = math.Pi/2 - math.Pi/4*u/v
			if v < 0 {
				phi += math.Pi
			}
		}
		p[0], p[1] = r*ring*math.Cos(phi), r*ring*math.Sin(phi)
	}
	return g
}

// A round shaft turned by a moment at its end twists by T L / (G J) (Timoshenko and Goodier,
// art. 108); J is that of the polygon of its facets, N r^4 sin(a) (2 + cos(a)) / 12, a = 2 pi / N.
func TestMomentTwistsAShaft(t *testing.T) {
	draw := random(t)
	const n = 4
	l, r, torque, e, nu := draw(0.5, 1.5), draw(0.05, 0.1), draw(1, 50), draw(1e11, 3e11), draw(0.2, 0.4)
	angle := 2 * math.Pi / (4 * n)
	g, j := e/(2*(1+nu)), 4*n*math.Pow(r, 4)*math.Sin(angle)*(2+math.Cos(angle))/12
	a := solved(t, "fea.solve", shaft(n, 2, l, r), "LinearElasticity", fmt.Sprintf(
		`{"materials": [{"E": %g, "nu": %g}], "probes": [[%.17g, 0, %.17g]], "bcs": [{"attribute": 5, "type": "fixed"}, {"attribute": 6, "type": "moment", "moment": [0, 0, %g]}]}`,
		e, nu, 0.9*r, l, torque))
	a.sums(t, 1, []float64{0, 0, 0}, []float64{0, 0, torque})
	near(t, "twist at 0.9 r", a.Probes[0].Displacement[1], torque*l/(g*j)*0.9*r, 0.01)
}

// A remote force is the force and its moment about the face's centroid.
func TestRemoteForceIsForceAndMoment(t *testing.T) {
	draw := random(t)
	l := draw(0.5, 2)
	bar := hexes([3]int{4, 2, 2}, [3]float64{l, 0.2, 0.3})
	f, at := []float64{draw(-1e3, 1e3), draw(-1e3, 1e3), draw(-1e3, 1e3)}, []float64{draw(1, 3), draw(-1, 1), draw(-1, 1)}
	arm := []float64{at[0] - l, at[1] - 0.1, at[2] - 0.15}
	m := []float64{arm[1]*f[2] - arm[2]*f[1], arm[2]*f[0] - arm[0]*f[2], arm[0]*f[1] - arm[1]*f[0]}
	config := func(loads string) string {
		return `{"materials": [{"material": "steel S235"}], "analysis_opts": {"rel_tol": 1e-11}, "bcs": [{"attribute": 1, "type": "fixed"}, ` + loads + `]}`
	}
	a := solved(t, "fea.solve", bar, "LinearElasticity", config(fmt.Sprintf(`{"attribute": 2, "type": "remote_force", "force": [%.17g, %.17g, %.17g], "at": [%.17g, %.17g, %.17g]}`, f[0], f[1], f[2], at[0], at[1], at[2])))
	b := solved(t, "fea.solve", bar, "LinearElasticity", config(fmt.Sprintf(`{"attribute": 2, "type": "load", "force": [%.17g, %.17g, %.17g]}, {"attribute": 2, "type": "moment", "moment": [%.17g, %.17g, %.17g]}`,
		f[0], f[1], f[2], m[0], m[1], m[2])))
	a.sums(t, 1, f, m)
	near(t, "energy", a.Energy, float64(b.Energy), 1e-8)
	near(t, "displacement", a.MaxDisplacement.Value, float64(b.MaxDisplacement.Value), 1e-8)
	// A mass pulls as the force of its weight does.
	weight := solved(t, "fea.solve", bar, "LinearElasticity", `{"materials": [{"material": "steel S235"}], "gravity": [0, 0, -9.81], "bcs": [{"attribute": 1, "type": "fixed"},
		{"attribute": 2, "type": "remote_mass", "mass": "20 kg", "at": [3, 0.1, 0.15]}]}`)
	weight.sums(t, 1, []float64{0, 0, -20 * 9.81}, []float64{0, (3 - l) * 20 * 9.81, 0})
}

// Water against a wall pushes with rho g h^2 / 2 per width, at a third of the height.
func TestWaterAgainstAWall(t *testing.T) {
	draw := random(t)
	h, w, b := draw(1, 5), draw(0.5, 2), draw(0.5, 1)
	a := solved(t, "fea.solve", hexes([3]int{2, 2, 4}, [3]float64{w, b, h}), "LinearElasticity", fmt.Sprintf(
		`{"materials": [{"material": "C30/37"}], "bcs": [{"where": {"plane": "z_min"}, "type": "fixed"},
		{"where": {"plane": "x_min"}, "type": "pressure", "value": 0, "gradient": [0, 0, -9810], "at": [0, 0, %.17g]}]}`, h))
	push := 9810 * h * h / 2 * b
	a.sums(t, 1, []float64{push, 0, 0}, []float64{0, -push * h / 6, 0})
	near(t, "reaction", a.Loads[0].Force[0], -push, 1e-6)
}

// ring maps the unit square to a part of an annulus: attribute 1 is its inner rim, 2 the outer.
func ring(in, out, from, to float64) func(x, y float64) [2]float64 {
	return func(x, y float64) [2]float64 {
		r, phi := in+(out-in)*x, from+(to-from)*y
		return [2]float64{r * math.Cos(phi), r * math.Sin(phi)}
	}
}

// A turning annulus in plane stress: the radial displacement at r is
// rho w^2 / 8 E ((3+nu)(1-nu)(a^2+b^2) r + (3+nu)(1+nu) a^2 b^2 / r - (1-nu^2) r^3)
// (Timoshenko and Goodier, art. 32).
func TestTurningAnnulus(t *testing.T) {
	draw := random(t)
	in, out, e, nu, rho, rpm := draw(0.05, 0.1), draw(0.2, 0.3), draw(5e10, 3e11), draw(0.2, 0.4), draw(1000, 9000), draw(1000, 9000)
	g := quads(8, 16, ring(in, out, 0, math.Pi/2))
	w := rpm * math.Pi / 30
	u := func(r float64) float64 {
		return rho * w * w / (8 * e) * ((3+nu)*(1-nu)*(in*in+out*out)*r + (3+nu)*(1+nu)*in*in*out*out/r - (1-nu*nu)*r*r*r)
	}
	a := solved(t, "fea.solve", g, "LinearElasticity", fmt.Sprintf(`{"plane": "stress", "materials": [{"E": %g, "nu": %g, "density": %g}], "rotation": {"rpm": %g}, "probes": [[%.17g, 0], [%.17g, 0]],
		"bcs": [{"attribute": 3, "type": "fixed", "components": ["y"]}, {"attribute": 4, "type": "fixed", "components": ["x"]}]}`, e, nu, rho, rpm, 1.001*in, 0.999*out))
	near(t, "inner rim", a.Probes[0].Displacement[0], u(1.001*in), 0.005)
	near(t, "outer rim", a.Probes[1].Displacement[0], u(0.999*out), 0.005)
	m := rho * math.Pi / 4 * (out*out - in*in)
	centre := 4 / (3 * math.Pi) * (math.Pow(out, 3) - math.Pow(in, 3)) / (out*out - in*in)
	near(t, "reaction of a half", a.Loads[0].Force[1], -m*w*w*centre, 0.01)
}

// A pin in a hole pushes with 2 F / (pi r) cos(phi) per thickness, of which the sum is F.
func TestBearingLoadIsACosine(t *testing.T) {
	draw := random(t)
	r, f := draw(0.01, 0.05), draw(1e3, 1e5)
	config := func(load string) string {
		return `{"plane": "stress", ` + steel + `, "bcs": [{"attribute": 2, "type": "fixed"}, {"attribute": 1, "type": "bearing", "force": ` + load + `}]}`
	}
	half := quads(16, 32, ring(r, 3*r, -math.Pi/2, math.Pi/2))
	a := solved(t, "fea.solve", half, "LinearElasticity", strings.Replace(config(fmt.Sprintf("[%g, 0]", f)), `"bcs"`, fmt.Sprintf(`"probes": [[%.17g, 0]], "bcs"`, 1.0001*r), 1))
	a.sums(t, 1, []float64{f, 0}, []float64{0})
	near(t, "pressure of the pin", a.Probes[0].Stress[0], -2*f/(math.Pi*r), 0.05)
	for _, away := range []string{"[-1, 0]"} {
		e := refused(t, "fea.solve", half, "LinearElasticity", config(away), "invalid_request", "/config/bcs/1/force")
		if e.Hint == "" {
			t.Error(e)
		}
	}
}

// A bar on an elastic foundation moves by p / k and shortens by p l / E.
func TestElasticFoundation(t *testing.T) {
	draw := random(t)
	l, p, k, e := draw(0.5, 2), draw(1e5, 1e6), draw(1e9, 1e11), draw(1e10, 3e11)
	for _, stiffness := range []string{fmt.Sprintf("%g", k), fmt.Sprintf("[%g, 0, 0]", k)} {
		a := solved(t, "fea.solve", hexes([3]int{4, 1, 1}, [3]float64{l, 0.2, 0.3}), "LinearElasticity", fmt.Sprintf(
			`{"materials": [{"E": %g, "nu": 0.3}], "probes": [[%.17g, 0, 0]], "analysis_opts": {"rel_tol": 1e-11}, "bcs": [{"attribute": 1, "type": "elastic", "stiffness": %s},
			{"where": {"plane": "y_min"}, "type": "fixed", "components": ["y"]}, {"where": {"plane": "z_min"}, "type": "fixed", "components": ["z"]},
			{"attribute": 2, "type": "load", "value": [%g, 0, 0]}]}`, e, l, stiffness, p))
		near(t, "end", a.Probes[0].Displacement[0], p/k+p*l/e, 1e-7)
		a.sums(t, 0, []float64{-p * 0.06, 0, 0}, []float64{0, 0, 0})
		if a.Evidence.Trust == evidence.Suspect {
			t.Error(a.Evidence.Reasons)
		}
	}
	refused(t, "fea.solve", hexes([3]int{4, 1, 1}, [3]float64{l, 0.2, 0.3}), "LinearElasticity", fmt.Sprintf(
		`{%s, "bcs": [{"attribute": 1, "type": "elastic", "stiffness": %g}, {"attribute": 2, "type": "load", "value": [1, 0, 0]}]}`, steel, k), "ERR_SINGULAR_SYSTEM", "/config/bcs")
}

// A block on planes of symmetry, pulled by p, is as a whole in uniaxial tension: p l / E.
func TestPlanesOfSymmetry(t *testing.T) {
	draw := random(t)
	l, p := draw(0.5, 2), draw(1e5, 1e6)
	block := hexes([3]int{2, 1, 1}, [3]float64{l, 0.2, 0.3})
	const planes = `"bcs": [{"attribute": 1, "type": "symmetry"}, {"attribute": 3, "type": "frictionless"}, {"attribute": 5, "type": "symmetry"}, {"attribute": 2, "type": "load", "value": [%g, 0, 0]}]}`
	a := solved(t, "fea.solve", block, "LinearElasticity", fmt.Sprintf(`{`+steel+`, "probes": [[%.17g, 0, 0]], `+planes, l, p))
	near(t, "end", a.Probes[0].Displacement[0], p*l/210e9, 1e-7)
	near(t, "reaction", a.Loads[0].Force[0], -p*0.06, 1e-7)
	if !strings.Contains(a.Loads[0].Place, "symmetry: held along x") {
		t.Error(a.Loads[0].Place)
	}
}

// Two loads of a kind on a face are one of their sum.
func TestLoadsOfAFaceAdd(t *testing.T) {
	bar := hexes([3]int{2, 1, 1}, [3]float64{1, 0.2, 0.3})
	config := func(loads string) string {
		return `{` + steel + `, "bcs": [{"attribute": 1, "type": "fixed"}, ` + loads + `]}`
	}
	for _, c := range [][3]string{
		{`"type": "moment", "moment": [0, 0, 3]`, `"type": "moment", "moment": [0, 2, 0]`, `"type": "moment", "moment": [0, 2, 3]`},
		{`"type": "load", "force": [1, 0, 0]`, `"type": "load", "force": [0, 0, 5]`, `"type": "load", "force": [1, 0, 5]`},
		{`"type": "pressure", "value": 1`, `"type": "pressure", "value": 3`, `"type": "load", "value": [-4, 0, 0]`},
	} {
		two := solved(t, "fea.solve", bar, "LinearElasticity", config(`{"attribute": 2, `+c[0]+`}, {"attribute": 2, `+c[1]+`}`))
		one := solved(t, "fea.solve", bar, "LinearElasticity", config(`{"attribute": 2, `+c[2]+`}`))
		near(t, c[2], two.Energy, float64(one.Energy), 1e-9)
	}
}
