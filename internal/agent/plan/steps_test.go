package plan_test

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"atelier/internal/agent/plan"
	"atelier/internal/contract"
	"atelier/internal/geometry"
	"atelier/internal/shape"
	"atelier/internal/testenv"
	"atelier/internal/tools"
)

// bar is a box of 100 x 20 x 10 mm whose faces are 1 x_min, 2 x_max, 3 y_min,
// 4 y_max, 5 z_min, 6 z_max, named as in faces.json of an import.
func bar(t *testing.T) *shape.Geometry {
	t.Helper()
	m := &geometry.Mesh{Meta: geometry.Meta{LengthUnit: "mm"}}
	size := geometry.Vec3{100, 20, 10}
	for i := range 8 {
		m.Vertices = append(m.Vertices, geometry.Vec3{float64(i&1) * size[0], float64(i>>1&1) * size[1], float64(i>>2) * size[2]})
	}
	quads := [][4]int32{{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}}
	var faces []string
	for i, q := range quads {
		m.Triangles = append(m.Triangles, [3]int32{q[0], q[1], q[2]}, [3]int32{q[0], q[2], q[3]})
		m.FaceID = append(m.FaceID, int32(i+1), int32(i+1))
		axis, high := i/2, i%2
		normal, centroid := [3]float64{}, [3]float64{50, 10, 5}
		normal[axis] = float64(2*high - 1)
		centroid[axis] = float64(high) * size[axis]
		area := size[(axis+1)%3] * size[(axis+2)%3]
		faces = append(faces, fmt.Sprintf(`{"id":%d,"name":"side_%d","kind":"plane","area":%g,"body":1,"centroid":[%g,%g,%g],"normal":[%g,%g,%g]}`,
			i+1, i+1, area, centroid[0], centroid[1], centroid[2], normal[0], normal[1], normal[2]))
	}
	g, err := shape.NewGeometry(m, []byte(`{"length_unit":"mm","faces":[`+strings.Join(faces, ",")+`]}`))
	if err != nil {
		t.Fatal(err)
	}
	return g
}

type solveCall struct {
	SolverClass string `json:"solver_class"`
	Config      struct {
		Gravity []float64 `json:"gravity"`
		DT      float64   `json:"dt"`
		TFinal  float64   `json:"t_final"`
		BCs     []struct {
			Attribute []int           `json:"attribute"`
			Face      []string        `json:"face"`
			Type      string          `json:"type"`
			Value     json.RawMessage `json:"value"`
			Force     []float64       `json:"force"`
			Velocity  []float64       `json:"velocity"`
			H         float64         `json:"h"`
		} `json:"bcs"`
	} `json:"config"`
}

// registry reads the contracts once: under the race detector that takes a second.
var registry = sync.OnceValue(func() *contract.Registry {
	r, err := contract.NewRegistry(tools.All(tools.Parts{}))
	if err != nil {
		panic(err)
	}
	return r
})

// calls makes every step's input of a prompt on the bar and holds it against the
// tool's contract; it returns that of the solver.
func calls(t *testing.T, prompt string) solveCall {
	t.Helper()
	return callsOn(t, prompt, bar(t))
}

func callsOn(t *testing.T, prompt string, part *shape.Geometry) solveCall {
	t.Helper()
	served := registry()
	p := read(prompt)
	if len(p.Questions) > 0 {
		t.Fatalf("%q: %s", prompt, p.Asks())
	}
	done := plan.Done{Geometry: part, Outputs: map[string]json.RawMessage{}}
	var solve solveCall
	for _, s := range p.Steps() {
		c, err := p.Call(s, done)
		if err != nil {
			t.Fatalf("%q, %s: %v", prompt, s.Name, err)
		}
		tool, err := served.Find(s.Tool)
		if err != nil {
			t.Fatal(err)
		}
		for _, fault := range tool.Contract.ValidateInput(c.Input) {
			t.Errorf("%q, %s: %v in %s", prompt, s.Name, fault, c.Input)
		}
		done.Outputs[s.Name] = json.RawMessage(`{"artifact_url":"/v1/jobs/job_1/artifacts/x"}`)
		if s.Name == plan.StepSolve {
			if err := json.Unmarshal(c.Input, &solve); err != nil {
				t.Fatal(err)
			}
		}
	}
	return solve
}

// Areas and normals of the bar in closed form: the ends have 200 mm², top and
// bottom 2000 mm², front and back 1000 mm².
func TestConditionsBecomeArguments(t *testing.T) {
	s := calls(t, "copper, 10 W into the bottom, convection 20 W/m2K to 25 degC on all other faces")
	// 10 W over 2000 mm² are 5000 W/m²
	if b := s.Config.BCs[0]; b.Type != "heat_flux" || string(b.Value) != "5000" || !slices.Equal(b.Attribute, []int{5}) {
		t.Errorf("%+v", b)
	}
	if b := s.Config.BCs[1]; b.Type != "convection" || b.H != 20 || !slices.Equal(b.Attribute, []int{1, 2, 3, 4, 6}) {
		t.Errorf("%+v", b)
	}
	s = calls(t, "water, inlet x_min 6 L/min, outlet x_max")
	// 1e-4 m³/s through 200 mm² are 0.5 m/s; three passes over the diagonal
	diagonal := math.Sqrt(0.1*0.1 + 0.02*0.02 + 0.01*0.01)
	if b := s.Config.BCs[0]; !slices.Equal(b.Velocity, []float64{0.5, 0, 0}) || !near(s.Config.TFinal, 3*diagonal/0.5) && math.Abs(s.Config.TFinal-3*diagonal/0.5) > 1e-9 {
		t.Errorf("%+v, %v", b, s.Config.TFinal)
	}
	s = calls(t, "steel cantilever fixed at one end, 30 N upwards at the other end, under its own weight")
	if b := s.Config.BCs; !slices.Equal(b[0].Attribute, []int{1}) || !slices.Equal(b[1].Attribute, []int{2}) || !slices.Equal(b[1].Force, []float64{0, 0, 30}) {
		t.Errorf("%+v", b)
	}
	if !slices.Equal(s.Config.Gravity, []float64{0, 0, -9.80665}) {
		t.Errorf("gravity %v", s.Config.Gravity)
	}
	s = calls(t, "steel, fixed at x = 0, 300 N downwards on the top and the front face")
	// shared out by area, 2000 to 1000
	if b := s.Config.BCs; !slices.Equal(b[0].Attribute, []int{1}) || !slices.Equal(b[1].Force, []float64{0, 0, -200}) || !slices.Equal(b[2].Force, []float64{0, 0, -100}) {
		t.Errorf("%+v", b)
	}
	s = calls(t, "steel, fixed at face 1, 40 N pulling on face side_2, 2 bar on all faces except the left face")
	if b := s.Config.BCs; !slices.Equal(b[1].Force, []float64{40, 0, 0}) || !slices.Equal(b[1].Face, []string{"side_2"}) || !slices.Equal(b[2].Attribute, []int{2, 3, 4, 5, 6}) {
		t.Errorf("%+v", b)
	}
}

// link is the bar with a hole of 22 mm on the left and two of 9 mm on the right,
// their faces 7, 8 and 9.
func link(t *testing.T) *shape.Geometry {
	t.Helper()
	g := bar(t)
	for i, h := range []shape.Hole{{Radius: 5.5, Centre: geometry.Vec3{15, 10, 5}}, {Radius: 2.25, Centre: geometry.Vec3{85, 4, 5}}, {Radius: 2.25, Centre: geometry.Vec3{85, 16, 5}}} {
		h.Faces, h.Axis = []int{7 + i}, geometry.Vec3{0, 0, 1}
		g.Holes = append(g.Holes, h)
		g.Faces = append(g.Faces, shape.Face{ID: 7 + i, Kind: "cylinder", Concave: true, Radius: h.Radius, Area: 2 * math.Pi * h.Radius * 10})
	}
	return g
}

// Holes are picked by the size and the side that are said, one or several.
func TestHolesBySizeAndSide(t *testing.T) {
	const held = "steel, fixed at the left, "
	for prompt, want := range map[string]string{
		held + "900 N up on each of the small holes":                                    "[1] [8]900 [9]900",
		held + "900 N up on each small hole":                                            "[1] [8]900 [9]900",
		held + "900 N up on the two small holes together":                               "[1] [8]450 [9]450",
		held + "900 N up on the holes on the right":                                     "[1] [8]450 [9]450",
		held + "900 N up on the right holes":                                            "[1] [8]450 [9]450",
		held + "900 N up on the large hole":                                             "[1] [7]900",
		held + "900 N up on the holes in the top":                                       "[1] [7]495 [8]202 [9]202", // by 5.5 : 2.25 : 2.25, halves to the even
		held + "900 N up on the hole on the front":                                      "[1] [8]900",
		"steel, the hole on the left is fixed, 900 N upwards on the holes on the right": "[7] [8]450 [9]450",
		"steel, the big hole is fixed, 900 N up on each of the small holes":             "[7] [8]900 [9]900",
		"steel, the large hole at 80 °C, the small holes at 20 °C":                      "[7] [8] [9]",
	} {
		got := ""
		for _, b := range callsOn(t, prompt, link(t)).Config.BCs {
			got += fmt.Sprint(" ", b.Attribute)
			if b.Force != nil {
				got += fmt.Sprintf("%.0f", b.Force[2])
			}
		}
		if got != " "+want {
			t.Errorf("%q:%s, want %s", prompt, got, want)
		}
	}
}

// A mesh of joined bodies is bounded by its outer faces alone: the bottom is gone, of the
// top a part of a random area is left, over which the power is spread.
func TestJointsBoundNothing(t *testing.T) {
	left := float64(100 + testenv.Random(t).IntN(1800)) // mm², of 2000
	listed := func(id int, area float64, bodies string) string {
		return fmt.Sprintf(`{"face":%d,"name":"side_%d","exact_area":%g,"bodies":%s}`, id, id, area, bodies)
	}
	mesh := []byte(`{"faces":[` + strings.Join([]string{listed(1, 200, "[1]"), listed(2, 200, "[1]"), listed(3, 1000, "[1]"), listed(4, 1000, "[2]"),
		listed(6, left, "[1]"), listed(6, 2000-left, "[1,2]"), listed(5, 2000, "[1,2]")}, ",") + `],"interfaces":[{"bodies":[1,2]}]}`)
	g := bar(t)
	for range 2 { // a mesh may be made anew
		if err := g.SameFaces(mesh); err != nil {
			t.Fatal(err)
		}
	}
	s := callsOn(t, "steel, left 60 °C, 10 W into all other faces", g)
	b := s.Config.BCs[1]
	flux, err := strconv.ParseFloat(string(b.Value), 64)
	if want := 10 / (2200 + left) * 1e6; !slices.Equal(b.Attribute, []int{2, 3, 4, 6}) || err != nil || math.Abs(flux-want) > 1e-9*want {
		t.Errorf("%+v, want %v", b, want)
	}
	if says := lacks(t, "steel, 60 °C at face 5, 20 °C at the left", g); !strings.Contains(says, "between two bodies") {
		t.Error(says)
	}
}

// lacks is what is said of a place that the part does not have.
func lacks(t *testing.T, prompt string, g *shape.Geometry) string {
	t.Helper()
	p := read(prompt)
	done := plan.Done{Geometry: g, Outputs: map[string]json.RawMessage{plan.StepVolume: json.RawMessage(`{"artifact_url":"x"}`)}}
	steps := p.Steps()
	i := slices.IndexFunc(steps, func(s plan.Step) bool { return s.Name == plan.StepSolve })
	_, err := p.Call(steps[i], done)
	if err == nil || contract.AsError(err).Code != "ERR_SELECTION_EMPTY" {
		t.Fatalf("%q: %v", prompt, err)
	}
	return err.Error() + " " + contract.AsError(err).Hint
}

// What the part does not have is told with what it has.
func TestPlacesThatThePartLacks(t *testing.T) {
	arc := bar(t) // a bore of which planes of symmetry leave a quarter
	arc.Faces = append(arc.Faces, shape.Face{ID: 7, Kind: "cylinder", Concave: true, Radius: 37, Area: 1743})
	for _, c := range []struct {
		part         *shape.Geometry
		prompt, says string
	}{
		{bar(t), "steel, fixed at the bottom, 1 kN down on the hole", "has no hole: it has 6 CAD faces and no hole"},
		{bar(t), "steel, fixed at the bottom, 1 kN down on face 99", "6 CAD faces"},
		{bar(t), "steel, fixed at lower_lug, 1 kN down on the top", "side_1"},
		{arc, "steel, fixed at the bottom, 40 MPa on the hole", "face 7 (74 mm diameter)"},
		{arc, "steel, fixed at the bottom, 40 MPa on the hole", `such as "on face 7"`},
		{link(t), "steel, fixed at the bottom, 1 kN up on the three small holes", "no three small holes: it has 9 CAD faces and 1 of 11 mm diameter and 2 of 4.5 mm diameter"},
		{link(t), "steel, fixed at the left, 1 kN up on the hole on the right", "face 8 and face 9"},
	} {
		if says := lacks(t, c.prompt, c.part); !strings.Contains(says, c.says) {
			t.Errorf("%q: %s", c.prompt, says)
		}
	}
}

// The forty prompts' plans become calls that the contracts accept, where the bar
// has what they name.
func TestPlansFitTheContracts(t *testing.T) {
	made := 0
	for _, c := range prompts(t, "../testdata/prompts.json").Prompts {
		if c.Plan != nil && c.Facts == "part" && !strings.Contains(c.Prompt, "hole") && !strings.Contains(c.Prompt, "face 7") {
			calls(t, c.Prompt)
			made++
		}
	}
	if made < 20 {
		t.Errorf("only %d prompts were tried", made)
	}
}
