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
		"stress_lines": [{"from": [%.17g, %.17g, 0], "to": [%.17g, %.17g, %.17g]}]}`, pull, -force, x, width/2, x, width/2, height))
	line := a.StressLines[0]
	most := axial + bending
	with := func(s float64) float64 { return math.Sqrt(s*s + 3*shear*shear) }
	a.stated(t, "/stress_lines/0/membrane/von_mises", line.Membrane.VonMises, with(axial), 5e-3*most+0.04*shear) // nodal means flatten the parabola of the shear
	a.stated(t, "/stress_lines/0/membrane_plus_bending/from", line.MembraneAndBending.From, with(axial-bending), 5e-3*most+0.04*shear)
	a.stated(t, "/stress_lines/0/membrane_plus_bending/to", line.MembraneAndBending.To, with(axial+bending), 5e-3*most+0.04*shear)
	near(t, "bending", line.Bending.VonMises, bending, 5e-3)
	if line.Bending.Stress[0] > 0 {
		t.Errorf("the lower side is compressed by P: %v", line.Bending.Stress)
	}
	if line.Table == "" {
		t.Error("the stresses along the line are in no table")
	}
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
	a = solved(t, "fea.solve", g, "LinearElasticity", fmt.Sprintf(config, 0.0, 0.25))
	if s, failed := a.failed("line_within_material"); failed {
		t.Error(s)
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
