package solve

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"atelier/internal/evidence"
)

// principal is the von Mises stress of principal stresses.
func principal(a, b, c float64) float64 {
	return math.Sqrt(((a-b)*(a-b) + (b-c)*(b-c) + (c-a)*(c-a)) / 2)
}

// stated looks at a figure of a line: its value within so much, Pa, and that its error bar covers it.
func (a *answer) stated(t *testing.T, figure string, got Figure, want, within float64) {
	t.Helper()
	q := a.quantity(t, figure)
	t.Logf("%s %.6g ± %.2g Pa, expected %.6g: %s", figure, float64(got), *q.Error, want, q.Trust)
	if off := math.Abs(float64(got) - want); off > within || off > *q.Error+0.2*within {
		t.Errorf("%s is %g ± %g, expected %g within %g", figure, float64(got), *q.Error, want, within)
	}
}

// throughWalls expects lines of which no check doubts that they go through a wall.
func throughWalls(t *testing.T, a *answer) {
	t.Helper()
	for _, name := range []string{"line_through_wall", "line_off_supports", "line_end_bounded"} {
		if s, failed := a.failed(name); failed {
			t.Errorf("%s: %s", name, s)
		}
	}
}

// failsAt expects a check of one figure to have failed.
func failsAt(t *testing.T, a *answer, name, figure string) {
	t.Helper()
	for _, c := range a.Evidence.Checks {
		if c.Name == name && c.Figure == figure && !c.Passed {
			return
		}
	}
	t.Errorf("%s of %s did not fail", name, figure)
}

// Through the wall of Lame's ring, plane strain, under inner pressure p: the mean hoop stress is
// p a / t whatever its course, that of the radial stress A - B / (a b), and along the ring
// 2 nu A, with A = p a^2 / (b^2 - a^2) and B = A b^2. Hoop stresses alone bend, by
// 6 B int (1/2 - x) / (a + t x)^2 dx.
func TestWallOfARingIsLinearised(t *testing.T) {
	draw := random(t)
	in, p, nu := draw(0.1, 1), draw(1e6, 1e7), draw(0.2, 0.4)
	out := in * draw(1.3, 3)
	wall, diagonal := out-in, math.Sqrt2/2
	a := pressedRing(t, quarterRing(16, 80, in, out), p, nu, fmt.Sprintf(`, "stress_lines": [{"from": [%.17g, 0], "to": [%.17g, 0]}, {"from": [%.17g, %.17g], "to": [%.17g, %.17g]}]`,
		in, out, out*diagonal, out*diagonal, in*diagonal, in*diagonal))
	mean := p * in * in / (out*out - in*in)
	b := mean * out * out
	bending := 0.0
	const n = 2000
	for i := range n {
		x := (float64(i) + 0.5) / n
		bending += 6 * b * (0.5 - x) / math.Pow(in+wall*x, 2) / n
	}
	hoop, radial, along := p*in/wall, mean-b/(in*out), 2*nu*mean
	for i, line := range a.StressLines {
		place := fmt.Sprintf("/stress_lines/%d", i)
		inner, outer := principal(hoop+bending, radial, along), principal(hoop-bending, radial, along)
		if i == 1 { // from outside to inside
			inner, outer = outer, inner
		}
		near(t, "length", line.Length, wall, 1e-9)
		a.stated(t, place+"/membrane/von_mises", line.Membrane.VonMises, principal(hoop, radial, along), 3e-3*hoop)
		a.stated(t, place+"/membrane_plus_bending/from", line.MembraneAndBending.From, inner, 3e-3*hoop)
		a.stated(t, place+"/membrane_plus_bending/to", line.MembraneAndBending.To, outer, 3e-3*hoop)
		near(t, "bending", line.Bending.VonMises, bending, 5e-3)
	}
	first := a.StressLines[0]
	for c, want := range map[int]float64{0: radial, 1: hoop, 2: along} {
		if got := float64(first.Membrane.Stress[c]); math.Abs(got-want) > 3e-3*hoop {
			t.Errorf("membrane stress %d is %g Pa, expected %g", c, got, want)
		}
	}
	near(t, "at the bore", first.Total.From, lame(p, in, out, nu), 0.02)
	throughWalls(t, a) // the first lies along a plane of symmetry, the other across facets
}

// Through the height of a cantilever without lateral contraction, pulled by N and bent by P at
// its end: membrane stresses N / A and P / A, bending P (L - x) / W (beam theory is exact there).
func TestHeightOfABeamIsLinearised(t *testing.T) {
	draw := random(t)
	length, width, height := draw(1, 2), draw(0.05, 0.1), draw(0.1, 0.2)
	pull, force, x := draw(1e3, 1e5), draw(1e2, 1e4), draw(0.3, 0.6)*length
	area := width * height
	axial, shear, bending := pull/area, force/area, force*(length-x)/(width*height*height/6)
	a := solved(t, "fea.solve", hexes([3]int{24, 1, 4}, [3]float64{length, width, height}), "LinearElasticity", fmt.Sprintf(
		`{"materials": [{"E": 2e11, "nu": 0}], "bcs": [{"attribute": 1, "type": "fixed"}, {"attribute": 2, "type": "load", "force": [%.17g, 0, %.17g]}],
		"stress_lines": [{"from": [%.17g, %.17g, 0], "to": [%.17g, %.17g, %.17g]}, {"from": [%.17g, 0, 0], "to": [%.17g, 0, %.17g]}]}`,
		pull, -force, x, width/2, x, width/2, height, x, x, height))
	most := axial + bending
	with := func(s float64) float64 { return math.Sqrt(s*s + 3*shear*shear) }
	for i, line := range a.StressLines { // the other lies along a side of the beam
		place := fmt.Sprintf("/stress_lines/%d", i)
		a.stated(t, place+"/membrane/von_mises", line.Membrane.VonMises, with(axial), 5e-3*most+0.04*shear) // nodal means flatten the parabola of the shear
		a.stated(t, place+"/membrane_plus_bending/from", line.MembraneAndBending.From, with(axial-bending), 5e-3*most+0.04*shear)
		a.stated(t, place+"/membrane_plus_bending/to", line.MembraneAndBending.To, with(axial+bending), 5e-3*most+0.04*shear)
		near(t, "bending", line.Bending.VonMises, bending, 5e-3)
		if line.Bending.Stress[0] > 0 {
			t.Errorf("the lower side is compressed by P: %v", line.Bending.Stress)
		}
		if line.Table == "" {
			t.Error("the stresses along the line are in no table")
		}
	}
	throughWalls(t, a)
}

// Where materials meet, stresses jump and the nodes have those of one of them.
func TestLineThroughTwoMaterialsIsSuspect(t *testing.T) {
	g := rectangle(8, 8, 1, 1)
	for i, e := range g.elements {
		if i >= len(g.elements)/2 {
			g.elements[i] = "2" + strings.TrimPrefix(e, "1")
		}
	}
	config := `{"materials": [{"attribute": 1, "E": 2e11, "nu": 0.3}, {"attribute": 2, "E": 7e10, "nu": 0.3}],
		"bcs": [{"attribute": 1, "type": "fixed"}, {"attribute": 2, "type": "load", "value": [1e6, 1e5]}], "stress_lines": [{"from": [%g, 0.5], "to": [%g, 0.5]}]}`
	a := solved(t, "fea.solve", g, "LinearElasticity", fmt.Sprintf(config, 0.0, 1.0))
	fails(t, a, "line_within_material")
	if q := a.quantity(t, "/stress_lines/0/membrane/von_mises"); q.Trust != evidence.Suspect {
		t.Errorf("%+v", q)
	}
	// The elements at the face have its nodes, whose stresses are those of one side.
	near := solved(t, "fea.solve", g, "LinearElasticity", fmt.Sprintf(config, 0.0, 0.45))
	if s, failed := near.failed("line_within_material"); !failed || !strings.Contains(s, "within an element of a face") {
		t.Errorf("%v %q", failed, s)
	}
	for name, held := range map[string]*answer{
		"within one":         solved(t, "fea.solve", g, "LinearElasticity", fmt.Sprintf(config, 0.0, 0.25)),
		"two of one kind":    solved(t, "fea.solve", g, "LinearElasticity", fmt.Sprintf(strings.Replace(config, "7e10", "2e11", 1), 0.0, 1.0)),
		"two, written twice": solved(t, "fea.solve", g, "LinearElasticity", fmt.Sprintf(strings.Replace(config, `"E": 7e10, "nu": 0.3`, `"nu": 0.30, "E": 200e9`, 1), 0.0, 1.0)),
	} {
		if s, failed := held.failed("line_within_material"); failed {
			t.Errorf("%s: %s", name, s)
		}
	}
}

// The wall of a ring is of two bodies of one stiffness, the outer of them much weaker: by Lame no
// stress jumps between them, and the least safety factor is that of the outer one where they meet.
func TestStrengthMakesNoStressJump(t *testing.T) {
	draw := random(t)
	in, p, nu := draw(0.1, 1), draw(1e6, 1e7), draw(0.2, 0.4)
	out := in * draw(1.5, 2.5)
	middle := math.Sqrt(in * out)
	mean := p * in * in / (out*out - in*in)
	at := func(r float64) float64 { // von Mises
		b := mean * out * out / (r * r)
		return principal(mean+b, mean-b, 2*nu*mean)
	}
	g := quarterRing(16, 80, in, out)
	for i, e := range g.elements {
		if i >= len(g.elements)/2 {
			g.elements[i] = "2" + strings.TrimPrefix(e, "1")
		}
	}
	strong, weak := draw(4, 6)*at(in), draw(1.1, 1.5)*at(middle)
	config := func(outer, more string) string {
		return fmt.Sprintf(`{"materials": [{"attribute": 1, "E": 210e9, "nu": %.17g, "alpha": 1e-5, "yield": %.17g, "density": 7850}, {"attribute": 2, "E": 210e9, "nu": %.17g, %s}], "bcs": [{"attribute": 3, "type": "symmetry"},
			{"attribute": 4, "type": "symmetry"}, {"attribute": 1, "type": "pressure", "value": %.17g}], "stress_lines": [{"from": [%.17g, 0], "to": [%.17g, 0]}]%s}`, nu, strong, nu, outer, p, in, out, more)
	}
	outer := fmt.Sprintf(`"yield": %.17g, "alpha": %%g`, weak)
	a := solved(t, "fea.solve", g, "LinearElasticity", config(fmt.Sprintf(outer, 2e-5), ""))
	if s, failed := a.failed("line_within_material"); failed {
		t.Error(s)
	}
	hoop, radial := p*in/(out-in), mean-mean*out*out/(in*out)
	a.stated(t, "/stress_lines/0/membrane/von_mises", a.StressLines[0].Membrane.VonMises, principal(hoop, radial, 2*nu*mean), 3e-3*hoop)
	if q := a.quantity(t, "/stress_lines/0/membrane/von_mises"); q.Trust == evidence.Suspect {
		t.Errorf("%v", q.Reasons)
	}
	near(t, "safety factor", a.SafetyFactor.Min, weak/at(middle), 0.02)
	where := a.SafetyFactor.At
	near(t, "radius of the least safety factor", Figure(math.Hypot(float64(where[0]), float64(where[1]))), middle, 1e-6)
	// What the bodies expand by, and how hot they are, makes a jump.
	same, hot := fmt.Sprintf(outer, 1e-5), `, "temperature": {"reference": 300, "value": %s}`
	for what, c := range map[string]struct {
		config string
		jumps  bool
	}{
		"one expansion":      {config(same, fmt.Sprintf(hot, "350")), false},
		"two expansions":     {config(fmt.Sprintf(outer, 2e-5), fmt.Sprintf(hot, "350")), true},
		"two temperatures":   {config(same, fmt.Sprintf(hot, `[{"attribute": 1, "value": 350}, {"attribute": 2, "value": 300}]`)), true},
		"another elasticity": {strings.Replace(config(same, ""), "210e9", "200e9", 1), true},
	} {
		if s, failed := solved(t, "fea.solve", g, "LinearElasticity", c.config).failed("line_within_material"); failed != c.jumps {
			t.Errorf("%s: %v %s", what, failed, s)
		}
	}
}

// A line through a cantilever that stops within its height, and one lengthwise inside it, go
// through no wall: the place of the face along the line is told. By beam theory half of the height
// has a membrane stress that the wall has not.
func TestLineThatEndsInsideTheWallIsSuspect(t *testing.T) {
	draw := random(t)
	length, width, height := draw(1, 2), draw(0.05, 0.1), draw(0.1, 0.2)
	x, y, low, high := draw(0.4, 0.6)*length, draw(0.3, 0.7)*width, draw(0.1, 0.2)*height, draw(0.5, 0.7)*height
	config := `{"materials": [%s], "bcs": [{"attribute": 1, "type": "fixed"}, {"attribute": 2, "type": "load", "force": [0, 0, -1200]}], "stress_lines": [%s]}`
	line := func(from, to [3]float64) string {
		return fmt.Sprintf(`{"from": [%.17g, %.17g, %.17g], "to": [%.17g, %.17g, %.17g]}`, from[0], from[1], from[2], to[0], to[1], to[2])
	}
	short := 0.004 * height
	lines := []string{
		line([3]float64{x, y, 0}, [3]float64{x, y, height}), line([3]float64{x, y, short}, [3]float64{x, y, height - short}),
		line([3]float64{x, y, 0}, [3]float64{x, y, high}), line([3]float64{x, y, height}, [3]float64{x, y, low}),
		line([3]float64{0.3 * length, y, high}, [3]float64{0.7 * length, y, high}),
	}
	through := func(lines []string) *answer {
		return solved(t, "fea.solve", hexes([3]int{24, 2, 4}, [3]float64{length, width, height}), "LinearElasticity", fmt.Sprintf(config, `{"E": 2e11, "nu": 0.3}`, strings.Join(lines, ", ")))
	}
	throughWalls(t, through(lines[:2]))
	a := through(lines[2:])
	for figure, want := range map[string][3]float64{"/stress_lines/0": {x, y, height}, "/stress_lines/1": {x, y, 0}, "/stress_lines/2": {0, y, high}} {
		failsAt(t, a, "line_through_wall", figure)
		for _, c := range a.Evidence.Checks {
			if c.Name != "line_through_wall" || c.Figure != figure || c.Passed {
				continue
			}
			var at [3]float64
			_, after, _ := strings.Cut(c.Sentence, "along the line is at [")
			fmt.Sscanf(after, "%g, %g, %g", &at[0], &at[1], &at[2])
			for k := range at {
				if math.Abs(at[k]-want[k]) > 1e-3*length {
					t.Errorf("%s: expected %v in %s", figure, want, c.Sentence)
				}
			}
			break
		}
		if q := a.quantity(t, figure+"/membrane/von_mises"); q.Trust != evidence.Suspect {
			t.Errorf("%+v", q)
		}
	}
	// A line may stop an element before another material, and no earlier.
	g := hexes([3]int{24, 2, 16}, [3]float64{length, width, height})
	for i, e := range g.elements {
		if i%16 >= 8 {
			g.elements[i] = "2" + strings.TrimPrefix(e, "1")
		}
	}
	two := `{"attribute": 1, "E": 2e11, "nu": 0.3}, {"attribute": 2, "E": 7e10, "nu": 0.3}`
	a = solved(t, "fea.solve", g, "LinearElasticity", fmt.Sprintf(config, two,
		line([3]float64{x, y, 0}, [3]float64{x, y, 7. / 16 * height})+", "+line([3]float64{x, y, 0}, [3]float64{x, y, 1. / 16 * height})))
	failsAt(t, a, "line_through_wall", "/stress_lines/1")
	if s, _ := a.failed("line_through_wall"); !strings.Contains(s, "other material") {
		t.Error(s)
	}
	for _, c := range a.Evidence.Checks {
		if c.Name == "line_through_wall" && !c.Passed && c.Figure == "/stress_lines/0" {
			t.Error(c.Sentence)
		}
	}
}

func TestLinesThatAreNone(t *testing.T) {
	g := quarterRing(4, 12, 1, 2)
	for line, pointer := range map[string]string{
		`{"from": [1, 0], "to": [1, 0]}`:         "/config/stress_lines/0/to",
		`{"from": [0.2, 0], "to": [2, 0]}`:       "/config/stress_lines/0/from",
		`{"from": [1, 0], "to": ["3 m", 0]}`:     "/config/stress_lines/0/to",
		`{"from": [1.05, 0], "to": [0, 1.05]}`:   "/config/stress_lines/0",
		`{"from": [1, 0]}`:                       "/config/stress_lines/0",
		`{"from": [1, "2 kg"], "to": [1, 0.01]}`: "/config/stress_lines/0/from",
	} {
		e := refused(t, "fea.solve", g, "LinearElasticity", `{"materials": [{"E": 2e11, "nu": 0.3}], "bcs": [{"attribute": 3, "type": "fixed"}, {"attribute": 1, "type": "pressure", "value": 1e6}],
			"stress_lines": [`+line+`]}`, "invalid_request", pointer)
		if e.Hint == "" {
			t.Errorf("%s: %+v", line, e)
		}
	}
	refused(t, "fea.solve", g, "LinearElasticity", `{"analysis": "modal", "materials": [{"E": 2e11, "nu": 0.3, "density": 7850}], "bcs": [{"attribute": 3, "type": "fixed"}],
		"stress_lines": [{"from": [1, 0], "to": [2, 0]}]}`, "invalid_request", "/config/stress_lines")
}

// A block held on its four sides and heated linearly through its thickness, z held at the bottom:
// stresses -E alpha (T - reference) / (1 - nu) in the plane. The bottom is a plane of symmetry,
// beyond which the wall goes on, or a floor on which it slides. At the top the stress vanishes, which no finer mesh makes exact.
func TestLineToAPlaneOfSymmetryIsOfHalfOfTheWall(t *testing.T) {
	draw := random(t)
	for _, held := range []string{`"type": "symmetry"`, `"type": "frictionless"`, `"type": "fixed", "components": ["z"]`} {
		x, y, thick := draw(0.02, 0.05), draw(0.02, 0.05), draw(0.005, 0.01)
		nu, hotter := draw(0.1, 0.4), draw(10, 100)
		a := solved(t, "fea.solve", hexes([3]int{4, 4, 3}, [3]float64{x, y, thick}), "LinearElasticity", fmt.Sprintf(
			`{"materials": [{"E": 2e11, "nu": %.17g, "alpha": 1.2e-5}], "bcs": [{"attribute": [1, 2], "type": "symmetry"}, {"attribute": [3, 4], "type": "symmetry"}, {"attribute": 5, %s}],
			"temperature": {"reference": 300, "value": %.17g, "gradient": [0, 0, %.17g], "at": [0, 0, 0]},
			"stress_lines": [{"from": [%.17g, %.17g, 0], "to": [%.17g, %.17g, %.17g]}, {"from": [0, %.17g, %.17g], "to": [0, %.17g, %.17g]}]}`,
			nu, held, 300+hotter, -hotter/thick, x/2, y/2, x/2, y/2, thick, y/4, thick/2, 3*y/4, thick/2))
		most := 2e11 * 1.2e-5 * hotter / (1 - nu)
		line := a.StressLines[0]
		near(t, "membrane", line.Membrane.VonMises, most/2, 1e-6)
		near(t, "from", line.MembraneAndBending.From, most, 1e-6)
		fails(t, a, "line_through_wall")
		if strings.Contains(held, "frictionless") {
			for _, c := range a.Evidence.Checks {
				if c.Name == "line_through_wall" && c.Figure == "/stress_lines/0" {
					t.Error(c.Sentence)
				}
			}
			continue
		}
		failsAt(t, a, "line_through_wall", "/stress_lines/0")
		failsAt(t, a, "line_through_wall", "/stress_lines/1") // along a side, from its middle to its middle
		if q := a.quantity(t, "/stress_lines/0/membrane_plus_bending/to"); q.Trust != evidence.Suspect || math.Abs(float64(line.MembraneAndBending.To)) > 1e-6*most {
			t.Errorf("%+v", q)
		}
		if s, failed := a.failed("mesh_refinement"); failed {
			t.Error(s)
		}
	}
}

// A strip held at one end and pulled and bent at the other. Along the support no error bar covers
// the stresses, and one element from it not at the rim; at half of the length, equilibrium gives
// the mean stresses.
func TestLineAlongASupportIsSuspect(t *testing.T) {
	draw := random(t)
	height, pull, force := draw(0.02, 0.03), draw(1e4, 1e5), draw(1e3, 1e4)
	length := height * draw(4, 6)
	x, nu := length/2, draw(0.2, 0.4)
	along := func(lines string) *answer {
		return solved(t, "fea.solve", quads(40, 8, scaled(length, height)), "LinearElasticity", fmt.Sprintf(
			`{"materials": [{"E": 9e10, "nu": %.17g}], "bcs": [{"attribute": 1, "type": "fixed"}, {"attribute": 2, "type": "load", "force": [%.17g, %.17g]}], "stress_lines": [%s]}`,
			nu, pull, force, lines))
	}
	trusts := func(a *answer, line int, want evidence.Trust) {
		if q := a.quantity(t, fmt.Sprintf("/stress_lines/%d/membrane/von_mises", line)); q.Trust != want {
			t.Errorf("line %d: %+v", line, q)
		}
	}
	a := along(fmt.Sprintf(`{"from": [0, 0], "to": [0, %.17g]}, {"from": [%.17g, %.17g], "to": [%.17g, 0]}`, height, x, height, x))
	failsAt(t, a, "line_off_supports", "/stress_lines/0")
	failsAt(t, a, "line_end_bounded", "/stress_lines/0/membrane_plus_bending/from")
	trusts(a, 0, evidence.Suspect)
	trusts(a, 1, evidence.Converged)
	mean := a.StressLines[1].Membrane.Stress
	near(t, "pull", mean[0], pull/height, 1e-3)
	near(t, "shear", mean[3], force/height, 0.02) // nodal means err by (element / height)^2 / 2
	a = along(fmt.Sprintf(`{"from": [%.17g, 0], "to": [%.17g, %.17g]}, {"from": [%.17g, 0], "to": [%.17g, 0]}`, length/40, length/40, height, x/2, x))
	failsAt(t, a, "line_end_bounded", "/stress_lines/0/membrane_plus_bending/to")
	failsAt(t, a, "line_through_wall", "/stress_lines/1")
	trusts(a, 0, evidence.Converged)
	trusts(a, 1, evidence.Suspect)
}

// A strip bends far under a force at its end: at half of its length the moment is the force times
// its arm where the strip has moved to, and the section has turned.
func TestLineTurnsWithThePart(t *testing.T) {
	needCalculiX(t)
	draw := random(t)
	length, modulus := draw(0.2, 0.5), draw(5e10, 2e11)
	height := length / draw(40, 60)
	force := draw(1, 5) * modulus * math.Pow(height, 3) / 12 / (length * length) // per width
	x := length / 2
	a := nonlinear(t, quads(20, 1, scaled(length, height)), fmt.Sprintf(
		`"plane": "stress", "materials": [{"E": %.17g, "nu": 0}], "bcs": [{"attribute": 1, "type": "fixed"}, {"attribute": 2, "type": "load", "force": [0, %.17g]}],
		"probes": [[%.17g, %.17g], [%.17g, %.17g]], "stress_lines": [{"from": [%.17g, 0], "to": [%.17g, %.17g]}]`,
		modulus, force, x, height/2, length, height/2, x, x, height))
	arm := length - x + float64(a.Probes[1].Displacement[0]-a.Probes[0].Displacement[0])
	near(t, "bending", a.StressLines[0].Bending.VonMises, 6*force*arm/(height*height), 5e-3)
}

// The mesh of a round face is its facets: an end on the circle between two nodes lies outside by
// their sagitta, and the line begins at the facet.
func TestEndOnARoundFaceIsTakenToTheFacet(t *testing.T) {
	draw := random(t)
	in := draw(0.1, 1)
	out := in * draw(1.8, 3)
	line := func(m int) (string, float64) {
		half := math.Pi / 4 / float64(m)
		s, c := math.Sincos(half * (2*math.Floor(draw(0, float64(m))) + 1))
		return fmt.Sprintf(`, "stress_lines": [{"from": [%.17g, %.17g], "to": [%.17g, %.17g]}]`, out*c, out*s, in*c, in*s), out * math.Cos(half)
	}
	config, facet := line(20)
	a := pressedRing(t, quarterRing(4, 20, in, out), 1e6, 0.3, config)
	from := a.StressLines[0].From
	if r := math.Hypot(float64(from[0]), float64(from[1])); r > facet*(1+1e-9) || r < facet-2e-3*(out-in) {
		t.Errorf("the line begins at a radius of %g, the facet at %g", r, facet)
	}
	throughWalls(t, a)
	config, _ = line(3)
	e := refused(t, "fea.solve", quarterRing(4, 3, in, out), "LinearElasticity", `{"materials": [{"E": 2e11, "nu": 0.3}], "bcs": [{"attribute": 3, "type": "fixed"}, {"attribute": 1, "type": "pressure", "value": 1e6}]`+config+`}`,
		"invalid_request", "/config/stress_lines/0/from")
	if !strings.Contains(e.Hint, "round") {
		t.Error(e.Hint)
	}
}

// Meshes that are refined for the whole part may leave a line alone and agree by chance: those of
// accuracy are refined evenly. The mean shear through a cantilever is its force over its height.
func TestAccuracyOfALine(t *testing.T) {
	draw := random(t)
	length, height, force := draw(0.15, 0.25), draw(0.02, 0.04), draw(1e3, 1e4)
	x := length * draw(0.4, 0.5)
	a := solved(t, "fea.solve", rectangle(7, 3, length, height), "LinearElasticity", fmt.Sprintf(
		`{"plane": "stress", "materials": [{"E": 2e11, "nu": 0.3}], "bcs": [{"attribute": 1, "type": "fixed"}, {"attribute": 2, "type": "load", "force": [0, %.17g]}],
		"stress_lines": [{"from": [%.17g, 0], "to": [%.17g, %.17g]}], "accuracy": {"quantity": "/stress_lines/0/membrane/von_mises", "target": 0.01, "max_unknowns": 60000}}`,
		-force, x, x, height))
	q := a.quantity(t, "/stress_lines/0/membrane/von_mises")
	want := math.Sqrt(3) * force / height
	t.Logf("%g ± %g Pa, expected %g: %s", *q.Value, *q.Error, want, q.Trust)
	if off := math.Abs(*q.Value - want); off > *q.Error || off > 0.01*want {
		t.Errorf("%g ± %g Pa, expected %g", *q.Value, *q.Error, want)
	}
}
