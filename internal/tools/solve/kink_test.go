package solve

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"

	"atelier/internal/evidence"
)

const (
	stretched = `{"attribute": 1, "type": "fixed", "components": ["x"]}, {"attribute": 3, "type": "fixed", "components": ["y"]}, {"attribute": 2, "type": "load", "value": [%g, 0]}`
	planeOf   = `{%s, "plane": "stress", "bcs": [%s]}`
)

// A strip whose upper side is kinked inwards by 4 to 30 degrees in its middle and is
// straight beside that. Between free faces the stress grows there as r^(lambda-1) with
// sin(lambda w) = -lambda sin w (Williams 1952): for w of 190 degrees by 7 % for each
// halving of the elements, without limit, on any mesh.
func TestShallowReentrantCornerIsSuspect(t *testing.T) {
	draw := random(t)
	for _, n := range []int{8, 32} {
		turn, pull := draw(4, 30), draw(1e5, 1e7)
		l, h := draw(0.2, 1), draw(0.1, 0.2)
		g := quads(n, n/2, func(x, y float64) [2]float64 {
			return [2]float64{l * x, y * (h + l*math.Abs(x-0.5)*math.Tan(turn/2*math.Pi/180))}
		})
		a := solved(t, "fea.solve", g, "LinearElasticity", fmt.Sprintf(planeOf, steel, fmt.Sprintf(stretched, pull)))
		fails(t, a, "stress_bounded")
		notVerified(t, a, "/von_mises/max", evidence.Suspect)
		if said, _ := a.failed("stress_bounded"); a.VonMises.Singularity != "likely" || !strings.Contains(said, fmt.Sprintf("%.3g degrees", 180+turn)) {
			t.Errorf("a turn of %g: %s, %s", turn, a.VonMises.Singularity, said)
		}
	}
}

// A hole of straight sides, 32 to 64 around, with planes of symmetry: its kinks are
// facets, and the peak is that of the round hole: 2 sigma (Kirsch) in a wide plate under
// the same pull from all sides, here by Lame's ring, 2 sigma b^2 / (b^2 - a^2).
func TestFacetsOfAHoleAreNoCorners(t *testing.T) {
	draw := random(t)
	in := draw(0.5, 2)
	out, pull, sides := in*draw(2.5, 4), draw(1e5, 1e7), int(draw(8, 16))
	a := solved(t, "fea.solve", quads(24, sides, func(x, y float64) [2]float64 {
		r := in * math.Pow(out/in, x)
		return [2]float64{r * math.Cos(y*math.Pi/2), r * math.Sin(y*math.Pi/2)}
	}), "LinearElasticity", fmt.Sprintf(planeOf, steel, fmt.Sprintf(
		`{"attribute": 3, "type": "fixed", "components": ["y"]}, {"attribute": 4, "type": "fixed", "components": ["x"]}, {"attribute": 2, "type": "pressure", "value": %g}`, -pull)))
	if said, failed := a.failed("stress_bounded"); failed {
		t.Errorf("%d sides: %s", 4*sides, said)
	}
	near(t, "peak", a.VonMises.Max, 2*pull*out*out/(out*out-in*in), 0.1)
}

// Where no finer mesh was solved, the peak and its checks say so.
func TestPeakOfOneMeshSaysSo(t *testing.T) {
	s := evidence.Statement{}
	s.Check(evidence.Holds("stress_bounded", evidence.Model, peakStress, true, "It lies at no edge."),
		evidence.Within("stress_error", evidence.Refinement, "/von_mises", 0.01, 0.2, "1", "A peak may be off by more."))
	s.Figure(evidence.Of("peak", peakStress, 1e6, "Pa", "mean"))
	problem{}.hold(&s, refined{LeftOut: "it would have 90000 unknowns"}, nil, nil)
	e, err := evidence.Judge(s)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := json.Marshal(e.Quantities()[0])
	if err != nil {
		t.Fatal(err)
	}
	reasons := strings.Join(e.Quantities()[0].Reasons(), " ")
	for _, text := range []string{reasons, s.Checks[0].Sentence, string(raw)} {
		if !strings.Contains(text, "not held against a finer mesh (it would have 90000 unknowns)") {
			t.Errorf("it is not said in %s", text)
		}
	}
}

// A ring of two materials: in a quarter with planes of symmetry the interface between them is a
// whole circle, on which Lame's stresses have a bound. Where it ends on a free side they have none
// (Bogy, J. Appl. Mech. 38, 1971, 377).
func TestInterfacesGoOnBehindSymmetry(t *testing.T) {
	draw := random(t)
	in := draw(0.1, 1)
	out := in * draw(2, 3)
	g := quarterRing(8, 24, in, out)
	for i, e := range g.elements {
		sum, fields := 0.0, strings.Fields(e)
		for _, v := range fields[2:] {
			n, _ := strconv.Atoi(v)
			sum += math.Log(math.Hypot(g.points[n][0], g.points[n][1]))
		}
		if sum/float64(len(fields)-2) > math.Log(math.Sqrt(in*out)) {
			g.elements[i] = "2" + e[1:]
		}
	}
	for side, want := range map[string]string{`{"attribute": 3, "type": "symmetry"}, {"attribute": 4, "type": "symmetry"}`: "not_seen", `{"attribute": 3, "type": "symmetry"}, {"attribute": 2, "type": "elastic", "stiffness": 1e12}`: "likely"} {
		a := solved(t, "fea.solve", g, "LinearElasticity", fmt.Sprintf(
			`{"materials": [{"attribute": 1, "E": 7e9, "nu": 0.3}, {"attribute": 2, "E": 2.1e11, "nu": 0.3}], "bcs": [%s, {"attribute": 1, "type": "pressure", "value": 1e6}]}`, side))
		if a.VonMises.Singularity != want {
			t.Errorf("%s: %s, %v", side, a.VonMises.Singularity, a.quantity(t, "/von_mises/max").Reasons)
		}
	}
}
