package solve

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"
)

// motion is a rigid motion in the details of a refusal.
type motion struct {
	Name      string    `json:"name"`
	Kind      string    `json:"kind"`
	Direction []float64 `json:"direction"`
	Through   []float64 `json:"through"`
}

// loose are the bodies that can move.
type loose struct {
	Body       int      `json:"body"`
	Attributes []int    `json:"attributes"`
	Free       int      `json:"free_motions"`
	Motions    []motion `json:"motions"`
}

// unheld expects a part whose supports leave motions free.
func unheld(t *testing.T, g fmt.Stringer, bcs string) (string, []loose) {
	t.Helper()
	e := refused(t, "fea.solve", g, "LinearElasticity", `{`+steel+`, "bcs": [`+bcs+`]}`, "ERR_SINGULAR_SYSTEM", "/config/bcs")
	raw, err := json.Marshal(e.Details["bodies"])
	var out []loose
	if err == nil {
		err = json.Unmarshal(raw, &out)
	}
	if err != nil {
		t.Fatal(err)
	}
	return e.Message, out
}

// One plane of symmetry leaves two translations and the turn about its normal; two leave that
// along their common edge. A face held across its plane turns about axes in it.
func TestFreeMotionsAreNamed(t *testing.T) {
	draw := random(t)
	l := [3]float64{draw(0.5, 2), draw(0.5, 2), draw(0.5, 2)}
	g := hexes([3]int{2, 2, 2}, l)
	x, y, z := []float64{1, 0, 0}, []float64{0, 1, 0}, []float64{0, 0, 1}
	for bcs, want := range map[string][]motion{
		`{"attribute": 1, "type": "symmetry"}`:                                           {{Kind: "translation", Direction: y}, {Kind: "translation", Direction: z}, {Kind: "rotation", Direction: x}},
		`{"attribute": 1, "type": "symmetry"}, {"attribute": 3, "type": "symmetry"}`:     {{Kind: "translation", Direction: z}},
		`{"attribute": 1, "type": "fixed", "components": ["y", "z"]}`:                    {{Kind: "translation", Direction: x}, {Kind: "rotation", Direction: y, Through: []float64{0}}, {Kind: "rotation", Direction: z, Through: []float64{0}}},
		`{"attribute": [1, 2], "type": "elastic", "stiffness": [1e9, 0, 0]}`:             {{Kind: "translation", Direction: y}, {Kind: "translation", Direction: z}, {Kind: "rotation", Direction: x}},
		`{"attribute": 1, "type": "symmetry"}, {"attribute": 3, "type": "frictionless"}`: {{Kind: "translation", Direction: z}},
	} {
		said, bodies := unheld(t, g, bcs)
		if len(bodies) != 1 || bodies[0].Free != len(want) || len(bodies[0].Motions) != len(want) {
			t.Errorf("%s: %s %+v", bcs, said, bodies)
			continue
		}
		if strings.Contains(said, "nothing holds") {
			t.Error(said)
		}
		for i, m := range bodies[0].Motions {
			if m.Kind != want[i].Kind || apart(m.Direction, want[i].Direction) > 1e-6 || !strings.Contains(said, m.Name) {
				t.Errorf("%s: %+v instead of %+v in %q", bcs, m, want[i], said)
			}
			if want[i].Through != nil && (len(m.Through) != 3 || math.Abs(m.Through[0]) > 1e-9) {
				t.Errorf("%s: an axis through %v", bcs, m.Through)
			}
		}
	}
	if said, _ := unheld(t, g, `{"attribute": 1, "type": "load", "value": [1, 0, 0]}`); !strings.Contains(said, "nothing holds the part") || !strings.Contains(said, "6 rigid motions") {
		t.Error(said)
	}
}

// Springs along a drawn direction in a plane leave the translation across it and a turn.
func TestAFreeMotionAskew(t *testing.T) {
	draw := random(t)
	angle := draw(0.2, 1.3)
	sin, cos := math.Sincos(angle)
	at := func(x, y float64) [2]float64 { return [2]float64{cos*x - 0.4*sin*y, sin*x + 0.4*cos*y} }
	said, bodies := unheld(t, quads(3, 2, at), `{"attribute": 1, "type": "elastic", "stiffness": 1e9}`)
	// Along the normal of its face alone: the part slides along the face.
	if len(bodies) != 1 || len(bodies[0].Motions) != 1 || bodies[0].Motions[0].Kind != "translation" {
		t.Fatalf("%s %+v", said, bodies)
	}
	if d := bodies[0].Motions[0].Direction; math.Abs(math.Abs(d[0]*cos+d[1]*sin)) > 1e-6 || math.Abs(math.Hypot(d[0], d[1])-1) > 1e-9 {
		t.Errorf("direction %v, the face is along %v", d, []float64{-sin, cos})
	}
}

// Two bars that do not touch: one is held, of the other the motions are named.
func TestTheBodyThatCanMoveIsNamed(t *testing.T) {
	draw := random(t)
	width := draw(0.1, 0.3)
	g := carved([3][]float64{along(1, 1), along(width, width, width), along(width)}, func(_, j, _ int) int { return []int{1, 0, 7}[j] })
	said, bodies := unheld(t, g, fmt.Sprintf(`{"where": {"plane": "x_min", "box": {"min": [0, 0, 0], "max": [1, %g, 1]}}, "type": "fixed"}`, 1.5*width))
	if len(bodies) != 1 || bodies[0].Body != 2 || len(bodies[0].Attributes) != 1 || bodies[0].Attributes[0] != 7 || len(bodies[0].Motions) != 6 {
		t.Errorf("%+v", bodies)
	}
	if !strings.Contains(said, "nothing holds body 2") {
		t.Error(said)
	}
	said, bodies = unheld(t, g, fmt.Sprintf(`{"where": {"plane": "x_min", "box": {"min": [0, 0, 0], "max": [1, %g, 1]}}, "type": "fixed"}, {"where": {"plane": "y_max"}, "type": "symmetry"}, {"where": {"plane": "x_max"}, "type": "symmetry"}`, 1.5*width))
	if len(bodies) != 1 || bodies[0].Body != 2 || len(bodies[0].Motions) != 1 || !strings.Contains(said, "1 of 2 bodies can still move: body 2 is free in translation along z") {
		t.Errorf("%s %+v", said, bodies)
	}
}

func apart(a, b []float64) float64 {
	sum := 0.0
	for k := range a {
		sum += (a[k] - b[k]) * (a[k] - b[k])
	}
	return math.Sqrt(sum)
}
