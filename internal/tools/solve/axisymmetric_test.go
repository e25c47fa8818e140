package solve

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"atelier/internal/evidence"
)

// turned is an axisymmetric elasticity problem, and what it answers.
func turned(t *testing.T, mesh fmt.Stringer, config string) *answer {
	t.Helper()
	a := solved(t, "fea.solve", mesh, "LinearElasticity", `{"plane": "axisymmetric", `+config+`}`)
	for _, check := range []string{"force_balance", "residual"} {
		if s, failed := a.failed(check); failed {
			t.Errorf("%s: %s", check, s)
		}
	}
	return a
}

// meets looks at a figure: that it is within so much of the true value, relative, and that its
// error bar covers it.
func (a *answer) meets(t *testing.T, pointer string, got Figure, want, within float64) {
	t.Helper()
	q := a.quantity(t, pointer)
	bar := math.NaN()
	if q.Error != nil {
		bar = *q.Error
	}
	t.Logf("%s %.8g, true %.8g: off by %.2g, bar %.2g of it, %s", pointer, float64(got), want, math.Abs(float64(got)/want-1), bar/math.Abs(want), q.Trust)
	near(t, pointer, got, want, within)
	covers(t, a, pointer, got, want)
}

// skewed moves the inner points of a rectangle, whose elements are then no rectangles.
func skewed(lx, ly float64) func(x, y float64) [2]float64 {
	return func(x, y float64) [2]float64 {
		bump := 0.08 * math.Sin(2*math.Pi*x) * math.Sin(2*math.Pi*y)
		return [2]float64{lx * (x + bump), ly * (y - 0.7*bump)}
	}
}

// whole is a curved grid alone as a mesh.
func whole(c curved) text {
	g := c.grid()
	straight := g.String()
	return text(fmt.Sprintf("%svertices\n%d\n\nnodes\nFiniteElementSpace\nFiniteElementCollection: L2_T1_2D_P2\nVDim: 2\nOrdering: 1\n\n%s",
		straight[:strings.LastIndex(straight, "vertices")], len(g.points), c.nodes()))
}

// hemisphere is a quarter of the section of a shell, nr by na elements: attributes 1 inside,
// 2 outside, 3 the plane y = 0, 4 the axis.
func hemisphere(nr, na int, in, out float64) text {
	return whole(curved{graded(1/float64(nr), 1, 1, 1), graded(1/float64(na), 1, 1, 1), func(x, y float64) [2]float64 {
		r, angle := in*math.Pow(out/in, x), y*math.Pi/2
		p := [2]float64{r * math.Cos(angle), r * math.Sin(angle)}
		if y == 1 {
			p[0] = 0
		}
		return p
	}})
}

// wall is the section of a tube between two radii, graded to the bore.
func wall(nx, ny int, in, out, height float64) *grid {
	return quads(nx, ny, func(x, y float64) [2]float64 { return [2]float64{in * math.Pow(out/in, x), height * y} })
}

// A solid shaft pulled along its axis and pressed from its side is under the uniform stresses
// s along and -p across, whatever the mesh: they lie in the space of the elements. Orders 1 and 2,
// quadrilaterals and triangles that are no rectangles.
func TestUniformStressOfAShaftIsExact(t *testing.T) {
	draw := random(t)
	radius, e, nu := draw(0.01, 0.1), draw(5e10, 3e11), draw(0.1, 0.45)
	length := draw(0.5, 3) * radius // a slender one might buckle
	s, p := draw(1e6, 1e8), draw(1e6, 1e8)
	triangles := rectangle(5, 4, 1, 1)
	at := skewed(radius, length)
	for _, x := range triangles.points {
		moved := at(x[0], x[1])
		x[0], x[1] = moved[0], moved[1]
	}
	area := math.Pi * radius * radius
	along, across := (s+2*nu*p)/e, (-p*(1-nu)-nu*s)/e
	for i, mesh := range []fmt.Stringer{quads(5, 4, at), triangles} {
		for _, order := range []int{1, 2} {
			a := turned(t, mesh, fmt.Sprintf(`"order": %d, "materials": [{"E": %.17g, "nu": %.17g}], "analysis_opts": {"rel_tol": 1e-12}, "probes": [[0, %g], [%g, %g]],
				"bcs": [{"attribute": 3, "type": "symmetry"}, {"attribute": 1, "type": "symmetry"}, {"attribute": 4, "type": "load", "value": [0, %.17g]}, {"attribute": 2, "type": "pressure", "value": %.17g}]`,
				order, e, nu, length, radius*0.6, length*0.3, s, p))
			near(t, "along", a.Probes[0].Displacement[1], along*length, 1e-8)
			near(t, "across", a.Probes[1].Displacement[0], across*radius*0.6, 1e-7)
			for _, probe := range a.Probes {
				for c, want := range []float64{-p, s, -p} {
					near(t, fmt.Sprintf("mesh %d order %d stress %d", i, order, c), probe.Stress[c], want, 1e-6)
				}
			}
			near(t, "energy", a.Energy, 0.5*area*length*(s*along-2*p*across), 1e-7)
			near(t, "von Mises", a.VonMises.Max, s+p, 1e-6)
			near(t, "reaction", a.Loads[0].Force[1], -s*area, 1e-8)
			near(t, "area", a.Loads[2].Area, area, 1e-9)
			near(t, "side", a.Loads[3].Area, 2*math.Pi*radius*length, 1e-9)
			near(t, "outwards", a.Loads[3].Force[0], -p*2*math.Pi*radius*length, 1e-9)
			if a.Loads[0].Moment != nil {
				t.Errorf("moment %v", a.Loads[0].Moment)
			}
			trusted(t, a, evidence.Verified)
		}
	}
}

// A thick tube under inner pressure, between planes and with open ends (Lame; Timoshenko and
// Goodier, art. 28): stresses A -+ B / r^2, along the axis 2 nu A or 0.
func TestThickTubeOfLame(t *testing.T) {
	draw := random(t)
	in, e, nu := draw(0.02, 0.2), draw(5e10, 3e11), draw(0.1, 0.4)
	out, height, p := in*draw(1.3, 3), in*draw(0.3, 1), e*draw(1e-5, 2e-4)
	A := p * in * in / (out*out - in*in)
	B := A * out * out
	r := in + (out-in)*draw(0.2, 0.8)
	for _, open := range []bool{false, true} {
		ends, axial, kappa := `[3, 4]`, 2*nu*A, (1-2*nu)*(1+nu)
		if open {
			ends, axial, kappa = `3`, 0, 1-nu
		}
		u := func(r float64) float64 { return (kappa*A*r + (1+nu)*B/r) / e }
		a := turned(t, wall(8, 3, in, out, height), fmt.Sprintf(`"materials": [{"E": %.17g, "nu": %.17g}], "probes": [[%.17g, %g]],
			"bcs": [{"attribute": 1, "type": "pressure", "value": %.17g}, {"attribute": %s, "type": "symmetry"}], "stress_lines": [{"from": [%.17g, %g], "to": [%.17g, %g]}]`,
			e, nu, r, height/2, p, ends, in, height/3, out, height/3))
		a.meets(t, "/probes/0/displacement/0", a.Probes[0].Displacement[0], u(r), 1e-4)
		a.meets(t, "/von_mises/max", a.VonMises.Max, principal(A-B/in/in, A+B/in/in, axial), 0.02)
		a.meets(t, "/energy", a.Energy, math.Pi*in*height*p*u(in), 1e-4)
		for c, want := range []float64{A - B/(r*r), axial, A + B/(r*r)} {
			if off := math.Abs(float64(a.Probes[0].Stress[c]) - want); off > 0.03*(A+B/in/in) {
				t.Errorf("stress %d is %g, expected %g", c, a.Probes[0].Stress[c], want)
			}
		}
		thick := out - in
		bending := 6 * B / (thick * thick) * ((in+out)/2*(1/in-1/out) - math.Log(out/in))
		a.stated(t, "/stress_lines/0/membrane/von_mises", a.StressLines[0].Membrane.VonMises, principal(A-B/(in*out), A+B/(in*out), axial), 5e-3*p)
		a.stated(t, "/stress_lines/0/membrane_plus_bending/from", a.StressLines[0].MembraneAndBending.From, principal(A-B/(in*out), A+B/(in*out)+bending, axial), 0.02*p)
		if open {
			a.meets(t, "/max_displacement/value", a.MaxDisplacement.Value, math.Hypot(u(in), 2*nu*A*height/e), 1e-4)
		} else {
			a.meets(t, "/max_displacement/value", a.MaxDisplacement.Value, u(in), 1e-4)
		}
		if a.Evidence.Trust.Below(evidence.Converged) {
			t.Errorf("%s: %v", a.Evidence.Trust, a.Evidence.Reasons)
		}
	}
}

// A thick sphere under inner pressure (Lame; Timoshenko and Goodier, art. 136): radial
// A - B / r^3, around A + B / (2 r^3). Its section meets the axis, where eps_theta is eps_r.
func TestThickSphereOfLame(t *testing.T) {
	draw := random(t)
	in, e, nu := draw(0.02, 0.2), draw(5e10, 3e11), draw(0.1, 0.4)
	out, p := in*draw(1.4, 2.5), e*draw(1e-5, 2e-4)
	A := p * in * in * in / (out*out*out - in*in*in)
	B := A * out * out * out
	u := func(r float64) float64 { return ((1-2*nu)*A*r + (1+nu)*B/(2*r*r)) / e }
	r := in + (out-in)*draw(0.3, 0.7)
	a := turned(t, hemisphere(6, 10, in, out), fmt.Sprintf(`"materials": [{"E": %.17g, "nu": %.17g}], "probes": [[0, %.17g], [%.17g, %.17g]],
		"bcs": [{"attribute": 1, "type": "pressure", "value": %.17g}, {"attribute": 3, "type": "symmetry"}]`, e, nu, r, r*math.Sqrt2/2, r*math.Sqrt2/2, p))
	a.meets(t, "/probes/0/displacement/1", a.Probes[0].Displacement[1], u(r), 1e-3)
	a.meets(t, "/max_displacement/value", a.MaxDisplacement.Value, u(in), 1e-3)
	a.meets(t, "/energy", a.Energy, math.Pi*p*in*in*u(in), 1e-3)
	a.meets(t, "/von_mises/max", a.VonMises.Max, 1.5*B/(in*in*in), 0.05)
	for i, radial := range []int{1, 0} {
		near(t, "radial", a.Probes[i].Stress[radial]*Figure(1-i)+Figure(i)*(a.Probes[i].Stress[0]+a.Probes[i].Stress[3]), A-B/(r*r*r), 0.03)
		near(t, "around", a.Probes[i].Stress[2], A+B/(2*r*r*r), 0.02)
	}
	near(t, "area", a.Loads[0].Area, 2*math.Pi*in*in, 1e-4)
	near(t, "force of the plane", a.Loads[1].Force[1], -math.Pi*in*in*p, 1e-4)
	if s, failed := a.failed("stress_bounded"); failed {
		t.Error(s)
	}
}

// Rotation about the axis: a thin disc with a bore and one without (plane stress, but for a share
// of the square of thickness over radius), and a long tube between planes, where nu / (1 - nu)
// stands for nu (Timoshenko and Goodier, art. 32).
func TestRotatingDiscs(t *testing.T) {
	draw := random(t)
	out, e, nu, density, omega := draw(0.1, 0.4), draw(5e10, 3e11), draw(0.2, 0.4), draw(2000, 9000), draw(100, 400)
	in := out * draw(0.2, 0.6)
	load := density * omega * omega
	config := func(more string) string {
		return fmt.Sprintf(`"materials": [{"E": %.17g, "nu": %.17g, "density": %.17g}], "rotation": {"speed": %.17g}, `, e, nu, density, omega) + more
	}
	around := func(r, in, nu float64) float64 { // sigma_theta
		if in == 0 {
			return load / 8 * ((3+nu)*out*out - (1+3*nu)*r*r)
		}
		return (3 + nu) / 8 * load * (in*in + out*out + in*in*out*out/(r*r) - (1+3*nu)/(3+nu)*r*r)
	}
	thin := out / 60
	disc := turned(t, wall(12, 1, in, out, thin/2), config(fmt.Sprintf(`"bcs": [{"attribute": 3, "type": "symmetry"}], "probes": [[%.17g, 0]]`, in*1.0000001)))
	a := around(in, in, nu)
	near(t, "bore", disc.VonMises.Max, a, 0.01)
	covers(t, disc, "/von_mises/max", disc.VonMises.Max, a)
	near(t, "growth of the bore", disc.Probes[0].Displacement[0], a*in/e, 2e-3)
	solid := turned(t, quads(12, 1, scaled(out, thin/2)), config(fmt.Sprintf(`"bcs": [{"attribute": 3, "type": "symmetry"}], "probes": [[0, 0], [%g, 0]]`, out*0.999999)))
	for _, c := range []int{0, 2} {
		near(t, "centre", solid.Probes[0].Stress[c], around(0, 0, nu), 5e-3)
	}
	near(t, "rim", solid.Probes[1].Displacement[0], around(out, 0, nu)*out/e, 2e-3)
	long := nu / (1 - nu)
	tube := turned(t, wall(8, 2, in, out, in), config(fmt.Sprintf(`"bcs": [{"attribute": [3, 4], "type": "symmetry"}], "probes": [[%.17g, %g]]`, in*1.0000001, in/2)))
	tube.meets(t, "/probes/0/displacement/0", tube.Probes[0].Displacement[0], around(in, in, long)*in*(1-nu*nu)/e, 1e-3)
	hoop := around(in, in, long)
	tube.meets(t, "/von_mises/max", tube.VonMises.Max, principal(0, hoop, nu*hoop), 0.02)
	// Where two meshes disagree by more than the estimate of one, it is converged.
	if q := tube.quantity(t, "/max_displacement/value"); q.Trust.Below(evidence.Converged) {
		t.Errorf("%s: %v", q.Trust, q.Reasons)
	}
}

// A circular plate under pressure deflects at its centre by p a^4 / (64 D) times
// (5 + nu) / (1 + nu) + 4 (3 + nu) h^2 / (3 (1 - nu^2) a^2) where its rim is supported (Timoshenko
// and Woinowsky-Krieger, art. 20), and 1 + 16 h^2 / (5 (1 - nu) a^2) where it is clamped (shear by
// Reissner's 5/6 G h): shear of thick plates among it, but not what the rim does.
func TestCircularPlates(t *testing.T) {
	draw := random(t)
	radius, e, nu, p := draw(0.1, 0.5), draw(5e10, 3e11), draw(0.2, 0.35), draw(1e4, 1e5)
	h := radius * draw(0.08, 0.15)
	stiffness := e * h * h * h / (12 * (1 - nu*nu))
	slab := p * math.Pow(radius, 4) / (64 * stiffness)
	square := h * h / (radius * radius)
	for rim, want := range map[string]float64{
		`, "components": ["y"]`: slab * ((5+nu)/(1+nu) + 4.0/3*(3+nu)/(1-nu*nu)*square),
		``:                      slab * (1 + 3.2/(1-nu)*square),
	} {
		a := turned(t, quads(24, 4, scaled(radius, h)), fmt.Sprintf(`"materials": [{"E": %.17g, "nu": %.17g}], "probes": [[0, %g]],
			"bcs": [{"attribute": 2, "type": "fixed"%s}, {"attribute": 4, "type": "pressure", "value": %.17g}]`, e, nu, h/2, rim, p))
		off := math.Abs(float64(a.Probes[0].Displacement[1])/-want - 1)
		t.Logf("rim {%s}: %.6g of %.6g m, off by %.2g", rim, -float64(a.Probes[0].Displacement[1]), want, off)
		if off > 0.015 {
			t.Errorf("deflection %g, expected %g", a.Probes[0].Displacement[1], -want)
		}
		near(t, "rim", a.Loads[0].Force[1], p*math.Pi*radius*radius, 1e-7)
	}
}

// A tube heated inside conducts by T = dT ln(b/r) / ln(b/a), and has the stresses of Timoshenko and
// Goodier, art. 151; between planes, along the axis nu (radial + around) - alpha E T.
func TestTubeHeatedInside(t *testing.T) {
	draw := random(t)
	in, e, nu, alpha, warm := draw(0.02, 0.2), draw(5e10, 3e11), draw(0.2, 0.4), draw(5e-6, 2e-5), draw(20, 150)
	out, height := in*draw(1.4, 2.5), in*draw(0.3, 0.8)
	r := in + (out-in)*draw(0.2, 0.8)
	log := math.Log(out / in)
	at := func(r float64) (radial, around, along, strain float64) {
		k, share := alpha*e*warm/(2*(1-nu)*log), in*in/(out*out-in*in)*log
		radial = k * (-math.Log(out/r) - share*(1-out*out/(r*r)))
		around = k * (1 - math.Log(out/r) - share*(1+out*out/(r*r)))
		change := warm * math.Log(out/r) / log
		along = nu*(radial+around) - alpha*e*change
		return radial, around, along, (around-nu*(radial+along))/e + alpha*change
	}
	a := turned(t, wall(10, 2, in, out, height), fmt.Sprintf(`"materials": [{"E": %.17g, "nu": %.17g, "alpha": %.17g}], "probes": [[%.17g, %g], [%.17g, %g]],
		"temperature": {"reference": 300, "heat": {"steady": true, "conductivity": 40, "bcs": [{"attribute": 1, "type": "fixed_temp", "value": %.17g}, {"attribute": 2, "type": "fixed_temp", "value": 300}]}},
		"bcs": [{"attribute": 3, "type": "symmetry"}, {"attribute": 4, "type": "symmetry"}]`, e, nu, alpha, r, height/2, out*0.9999999, height/2, 300+warm))
	radial, around, along, _ := at(r)
	for c, want := range []float64{radial, along, around} {
		if off := math.Abs(float64(a.Probes[0].Stress[c]) - want); off > 0.01*alpha*e*warm {
			t.Errorf("stress %d is %g, expected %g", c, a.Probes[0].Stress[c], want)
		}
	}
	_, _, _, strain := at(out)
	a.meets(t, "/probes/1/displacement/0", a.Probes[1].Displacement[0], strain*out, 1e-3)
	radial, around, along, _ = at(in)
	a.meets(t, "/von_mises/max", a.VonMises.Max, principal(radial, around, along), 0.03)
	// int sigma_y 2 pi r dr, of which nu (radial + around) sum to nothing for the part of T.
	const n = 2000
	var force float64
	for i := range n {
		x := in + (out-in)*(float64(i)+0.5)/n
		_, _, s, _ := at(x)
		force += s * 2 * math.Pi * x * (out - in) / n
	}
	near(t, "force of the planes", a.Loads[1].Force[1], force, 1e-3)
	near(t, "temperature", *a.Probes[0].Temperature, 300+warm*math.Log(out/r)/log, 1e-4)
}

// Weight, total forces and springs: what stands under a cylinder bears its weight and what is put
// on it, and sinks by that over stiffness and area.
func TestTotalsAroundTheAxis(t *testing.T) {
	draw := random(t)
	radius, height, density, force, k := draw(0.1, 0.5), draw(0.1, 0.5), draw(2000, 9000), draw(1e3, 1e5), draw(1e9, 1e10)
	area := math.Pi * radius * radius
	a := turned(t, quads(6, 4, scaled(radius, height)), fmt.Sprintf(`"materials": [{"E": 1e13, "nu": 0, "density": %.17g}], "gravity": [0, -9.81],
		"bcs": [{"attribute": 3, "type": "elastic", "stiffness": %.17g}, {"attribute": 4, "type": "load", "force": [0, %.17g]}], "probes": [[0, 0]]`, density, k, -force))
	all := force + density*9.81*area*height
	near(t, "spring", a.Loads[0].Force[1], all, 1e-8)
	near(t, "load", a.Loads[1].Force[1], -force, 1e-9)
	near(t, "sinks", a.Probes[0].Displacement[1], -all/(k*area), 1e-6)
}

// A mesh of triangles is refined until the bar of a figure is small enough, as any other.
func TestTubeRefinedToAccuracy(t *testing.T) {
	draw := random(t)
	in, nu := draw(0.05, 0.2), draw(0.2, 0.4)
	out, p := in*draw(2, 3), draw(1e6, 1e8)
	g := rectangle(3, 1, 1, 1)
	for _, x := range g.points {
		x[0], x[1] = in+(out-in)*x[0], in*x[1]
	}
	A := p * in * in / (out*out - in*in)
	B := A * out * out
	a := turned(t, g, fmt.Sprintf(`"materials": [{"E": 2e11, "nu": %.17g}], "accuracy": {"quantity": "/von_mises/max", "target": 0.02},
		"bcs": [{"attribute": 1, "type": "pressure", "value": %.17g}, {"attribute": [3, 4], "type": "symmetry"}]`, nu, p))
	if !a.Accuracy.Reached {
		t.Errorf("not reached: %s", a.Accuracy.Reason)
	}
	a.meets(t, "/von_mises/max", a.VonMises.Max, principal(A-B/in/in, A+B/in/in, 2*nu*A), 0.02)
}

// A thin tube under outer pressure collapses into waves around the axis, which no axisymmetric
// model has: the figures are then at most converged, and say so. Under inner pressure they hold.
func TestWavesAroundTheAxisAreNotForgotten(t *testing.T) {
	draw := random(t)
	radius := draw(0.1, 1)
	thick, length := radius/draw(50, 100), radius*draw(0.5, 1)
	mesh := quads(3, 40, func(x, y float64) [2]float64 { return [2]float64{radius + thick*x, length * y} })
	for side, want := range map[int]evidence.Trust{1: evidence.Verified, 2: evidence.Converged} {
		a := turned(t, mesh, fmt.Sprintf(`"materials": [{"E": 2e11, "nu": 0.3}], "bcs": [{"attribute": %d, "type": "pressure", "value": %g}, {"attribute": [3, 4], "type": "symmetry"}]`,
			side, 1e8*thick/radius))
		trusted(t, a, want)
		if told := strings.Contains(strings.Join(a.Evidence.Reasons, " "), "waves around the axis"); told != (side == 2) {
			t.Errorf("pressure on %d: %v", side, a.Evidence.Reasons)
		}
	}
	// A disc pressed from its rim at a quarter of 4.2 D / (a^2 h), where it buckles (Timoshenko and
	// Gere, circular plates), and one that is bent, whose pressed side has a pulled one behind it.
	thick = radius / 20
	disc := quads(30, 4, scaled(radius, thick))
	for rim, want := range map[string]evidence.Trust{
		`{"attribute": 2, "type": "pressure", "value": 5e7}, {"attribute": 3, "type": "symmetry"}`:                   evidence.Converged,
		`{"attribute": 4, "type": "pressure", "value": 2e5}, {"attribute": 2, "type": "fixed", "components": ["y"]}`: evidence.Verified,
	} {
		trusted(t, turned(t, disc, `"materials": [{"E": 2e11, "nu": 0.3}], "bcs": [`+rim+`]`), want)
	}
}

func TestWhatIsNoBodyOfRevolution(t *testing.T) {
	const held, plane = `"bcs": [{"attribute": 3, "type": "symmetry"}, {"attribute": 4, "type": "load", "value": [0, 1e6]}]`, `"plane": "axisymmetric", ` + steel + `, `
	mesh := quads(4, 2, scaled(0.1, 0.05))
	beyond := quads(4, 2, func(x, y float64) [2]float64 { return [2]float64{0.1*x - 0.02, 0.05 * y} })
	e := refused(t, "fea.solve", beyond, "LinearElasticity", `{`+plane+held+`}`, "invalid_request", "/config/plane")
	if !strings.Contains(e.Message, "(-0.02, 0) m") || e.Hint == "" {
		t.Errorf("%v", e)
	}
	refused(t, "heat.solve", beyond, "", `{"plane": "axisymmetric", "steady": true, "conductivity": 1, "bcs": [{"attribute": 2, "type": "fixed_temp", "value": 300}]}`, "invalid_request", "/config/plane")
	refused(t, "fea.solve", box([3]int{1, 1, 1}, [3]float64{1, 1, 1}), "LinearElasticity", `{`+plane+held+`}`, "invalid_request", "/config/plane")
	// Nothing holds it along the axis, and all else is held by itself.
	loose := refused(t, "fea.solve", mesh, "LinearElasticity", `{`+plane+`"bcs": [{"attribute": 4, "type": "load", "value": [0, 1e6]}]}`, "ERR_SINGULAR_SYSTEM", "/config/bcs")
	if !strings.Contains(loose.Message, "translation along y") || strings.Contains(loose.Message, "rotation") {
		t.Error(loose.Message)
	}
	for what, field := range map[string]string{
		`"analysis": "modal", `:     "analysis",
		`"analysis": "buckling", `:  "analysis",
		`"analysis": "nonlinear", `: "analysis",
		`"second_opinion": true, `:  "second_opinion",
		`"gravity": [9.81, 0], `:    "gravity",
		`"acceleration": [1, 1], `:  "acceleration",
		`"body_force": [1, 0], `:    "body_force",
		`"rotation": {"speed": 10, "axis": [0, 0, 1]}, "density": 7850, `: "rotation/axis",
		`"rotation": {"speed": 10, "point": [0.1, 0]}, "density": 7850, `: "rotation/point",
		`"analysis": "harmonic", "frequencies": [10], `:                   "analysis",
		`"analysis": "transient", "time": {"end": 1}, `:                   "analysis",
	} {
		e := refused(t, "fea.solve", mesh, "LinearElasticity", `{`+plane+what+held+`}`, "invalid_request", "/config/"+field)
		if e.Hint == "" {
			t.Errorf("%s has no hint", what)
		}
	}
	for _, bc := range []string{
		`{"attribute": 4, "type": "moment", "moment": [0, 0, 1]}`, `{"attribute": 4, "type": "remote_force", "force": [0, 1], "at": [0, 1]}`,
		`{"attribute": 2, "type": "bearing", "force": [1, 0]}`, `{"attribute": 1, "type": "pressure", "value": 1e6}`, `{"attribute": 1, "type": "fixed"}`,
		`{"attribute": 4, "type": "load", "force": ["1 N/m", "2 N/m"]}`, `{"attribute": 4, "type": "fixed", "value": [0.001, 0]}`,
	} {
		refused(t, "fea.solve", mesh, "LinearElasticity", `{`+plane+`"bcs": [{"attribute": 3, "type": "symmetry"}, `+bc+`]}`, "invalid_request", "/config/bcs/1")
	}
}
