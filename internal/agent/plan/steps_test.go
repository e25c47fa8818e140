package plan_test

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"

	"atelier/internal/agent/plan"
	"atelier/internal/contract"
	"atelier/internal/geometry"
	"atelier/internal/tools"
)

// bar is a box of 100 x 20 x 10 mm whose faces are 1 x_min, 2 x_max, 3 y_min,
// 4 y_max, 5 z_min, 6 z_max, named as in faces.json of an import.
func bar(t *testing.T) *plan.Geometry {
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
	g, err := plan.NewGeometry(m, []byte(`{"length_unit":"mm","faces":[`+strings.Join(faces, ",")+`]}`))
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
	served := registry()
	p := read(prompt)
	if len(p.Questions) > 0 {
		t.Fatalf("%q: %s", prompt, p.Asks())
	}
	done := plan.Done{Geometry: bar(t), Outputs: map[string]json.RawMessage{}}
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

// What the part does not have is told with what it has.
func TestPlacesThatThePartLacks(t *testing.T) {
	for _, c := range []struct{ prompt, says string }{
		{"steel, fixed at the bottom, 1 kN down on the hole", "no hole"},
		{"steel, fixed at the bottom, 1 kN down on face 99", "6 CAD faces"},
		{"steel, fixed at lower_lug, 1 kN down on the top", "side_1"},
	} {
		p := read(c.prompt)
		done := plan.Done{Geometry: bar(t), Outputs: map[string]json.RawMessage{plan.StepVolume: json.RawMessage(`{"artifact_url":"x"}`)}}
		steps := p.Steps()
		i := slices.IndexFunc(steps, func(s plan.Step) bool { return s.Name == plan.StepSolve })
		_, err := p.Call(steps[i], done)
		if err == nil || !strings.Contains(err.Error(), c.says) || contract.AsError(err).Code != "ERR_SELECTION_EMPTY" {
			t.Errorf("%q: %v", c.prompt, err)
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
