package solve

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"atelier/internal/contract"
	"atelier/internal/testenv"
)

// The example calls of api/spec/agent.md run on fitting meshes.
func TestExampleCalls(t *testing.T) {
	raw, err := os.ReadFile(testenv.Path("api", "spec", "vectors", "agent", "examples.json"))
	if err != nil {
		t.Fatal(err)
	}
	var examples struct{ Vectors []exampleCall }
	if err := json.Unmarshal(raw, &examples); err != nil {
		t.Fatal(err)
	}
	meshes := map[string]*grid{
		"fea.solve":  box([3]int{10, 2, 2}, [3]float64{1, 0.1, 0.1}), // 1 clamped, 2 loaded
		"heat.solve": rectangle(10, 2, 1, 0.2),                       // 1 held, 2 heated
		"cfd.solve":  channel(),
	}
	for _, example := range examples.Vectors {
		name := example.Name
		mesh, ours := meshes[name]
		if !ours {
			continue
		}
		delete(meshes, name)
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "part.mesh")
			if err := os.WriteFile(path, []byte(mesh.String()), 0o600); err != nil {
				t.Fatal(err)
			}
			quoted, _ := json.Marshal(path)
			input := regexp.MustCompile(`"\{\{root\}\}/[^"]*"`).ReplaceAll(example.Steps[0].Request.JSON.ToolChoice.Function.Arguments, quoted)
			r := call(t, name, string(input))
			if r.Status != contract.StatusOK {
				t.Fatalf("%v", r.Errors)
			}
			checkExample(t, name, r)
		})
	}
	if len(meshes) > 0 {
		t.Errorf("%d of the examples are not among the vectors", len(meshes))
	}
}

// exampleCall is what the test reads of a vector.
type exampleCall struct {
	Name  string
	Steps []struct {
		Request struct {
			JSON struct {
				ToolChoice struct {
					Function struct{ Arguments json.RawMessage }
				} `json:"tool_choice"`
			}
		}
	}
}

// channel is 0.2 m by 0.02 m with attributes 1 inlet, 2 walls, 3 outlet.
func channel() *grid {
	g := rectangle(20, 6, 0.2, 0.02)
	for i, b := range g.boundary {
		to := map[byte]byte{'1': '1', '2': '3', '3': '2', '4': '2'}[b[0]]
		g.boundary[i] = string(to) + b[1:]
	}
	return g
}

func checkExample(t *testing.T, name string, r *contract.Result) {
	t.Helper()
	a := &answer{}
	if err := json.Unmarshal(r.OutputJSON(), a); err != nil {
		t.Fatal(err)
	}
	switch name {
	case "fea.solve": // traction 1000 Pa on 0.01 m^2
		near(t, "load", a.Loads[1].Force[1], -10, 1e-9)
		near(t, "reaction", a.Loads[0].Force[1], 10, 1e-6)
	case "heat.solve": // after t >> L^2 / alpha = 1 s about: held end 350, flux 50 * 1 m
		near(t, "held end", a.Temperature.MinAt[0], 0, 1)
		if a.Temperature.Max < 350 || a.Temperature.Max > 400 {
			t.Errorf("hottest %g K, expected between 350 and 400", a.Temperature.Max)
		}
	case "cfd.solve": // the flow rate is U H and what goes in comes out
		near(t, "flow", *a.Loads[2].FlowRate, 1*0.02, 1e-3)
		if a.Imbalance > 1e-3 {
			t.Errorf("mass imbalance %g", a.Imbalance)
		}
	}
}
