package solve

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"atelier/internal/contract"
	"atelier/internal/evidence"
	"atelier/internal/runner"
)

// unstated is a call on a mesh whose unit nobody says.
func unstated(t *testing.T, mesh fmt.Stringer, class, config string) *contract.Result {
	t.Helper()
	input := strings.Replace(requestFor(t, mesh, class, config), `, "length_unit": "m"`, "", 1)
	return call(t, "fea.solve", input)
}

// A mesh whose unit nobody says is answered in metres, as the calls of
// api/spec/agent.md are; no figure of a part whose size nobody said is believed.
func TestAMeshWithoutAUnitIsSuspect(t *testing.T) {
	draw := random(t)
	length := draw(50, 150)
	mesh := quads(8, 4, scaled(length, length/4))
	config := `{` + steel + `, ` + fmt.Sprintf(pulled, 1e5) + `}`
	r := unstated(t, mesh, "LinearElasticity", config)
	if r.Status != contract.StatusOK || r.Evidence.Trust() != evidence.Suspect {
		t.Fatalf("%s %v: %v", r.Status, r.Errors, r.Evidence)
	}
	for _, q := range r.Evidence.Quantities() {
		if q.Trust() != evidence.Suspect {
			t.Errorf("%s is %s", q.Name, q.Trust())
		}
	}
	reasons := strings.Join(r.Evidence.Reasons(), " ")
	for _, want := range []string{"was not stated", fmt.Sprintf("%.4g m long", length), fmt.Sprintf("%.4g mm in millimetres", length), "/mesh/length_unit"} {
		if !strings.Contains(reasons, want) {
			t.Errorf("the reasons lack %q: %s", want, reasons)
		}
	}
	if said := solved(t, "fea.solve", mesh, "LinearElasticity", config); strings.Contains(strings.Join(said.Evidence.Reasons, " "), "length_unit") {
		t.Errorf("the call named the unit: %v", said.Evidence.Reasons)
	}
	// Poisson's equation is one of pure numbers.
	r = unstated(t, mesh, "Poisson", `{"rhs": 1, "fixed_attributes": [1, 2, 3, 4]}`)
	if r.Status != contract.StatusOK || r.Evidence.Trust() == evidence.Suspect {
		t.Errorf("Poisson: %s %v: %v", r.Status, r.Errors, r.Evidence)
	}
}

// A mesh of the size of the shape that it is known to come from has its unit.
func TestAMeshHasTheUnitOfItsOrigin(t *testing.T) {
	draw := random(t)
	l, h := draw(20, 200), draw(5, 20)
	mesh := quads(8, 4, scaled(l, h))
	config := `{` + steel + `, "probes": [["` + fmt.Sprint(l/1e3) + ` m", "0 mm"]], ` + fmt.Sprintf(pulled, 1e5) + `}`
	input := strings.Replace(requestFor(t, mesh, "LinearElasticity", config), `, "length_unit": "m"`, "", 1)
	for size, unit := range map[float64]string{1: "mm", 1.5: "m"} {
		tool := Tools(host(t))[0]
		r := runner.New()(t.Context(), &runner.Request{
			Tool: &tool, Input: json.RawMessage(input), JobID: "job", Dir: t.TempDir(), Limits: tool.Contract.DefaultLimits(),
			Files: made{origin: &evidence.Origin{LengthUnit: "mm", Min: []float64{0, 0, 0}, Max: []float64{size * l, size * h, 1}}},
		})
		if r.Status != contract.StatusOK {
			t.Fatal(r.Errors)
		}
		var out Output
		if err := json.Unmarshal(r.OutputJSON(), &out); err != nil {
			t.Fatal(err)
		}
		assumed := strings.Contains(strings.Join(r.Evidence.Reasons(), " "), "Failed: length_unit")
		if out.Mesh.LengthUnit != unit || assumed != (unit == "m") {
			t.Errorf("%g times the size: unit %s, trust %s: %v", size, out.Mesh.LengthUnit, r.Evidence.Trust(), r.Evidence.Reasons())
		}
	}
}

// Lengths of places are texts as well: the same faces, the same probe.
func TestPlacesAreTextsToo(t *testing.T) {
	draw := random(t)
	l := draw(100, 300) // mm
	mesh := strings.Replace(quads(8, 4, scaled(l, l/4)).String(), "MFEM mesh v1.0\n", "MFEM mesh v1.0\n# atelier {\"length_unit\":\"mm\"}\n", 1)
	config := func(tolerance, from, to, x, y string) string {
		return fmt.Sprintf(`{%s, "probes": [[%s, %s]], "bcs": [{"type": "fixed", "where": {"plane": "x_min", "tolerance": %s}},
			{"type": "load", "value": [1e5, 0], "where": {"box": {"min": [%s, -1], "max": [%s, 1e4]}}}]}`, steel, x, y, tolerance, from, to)
	}
	g := func(v float64, unit string) string { return fmt.Sprintf(`"%.17g %s"`, v, unit) }
	n := func(v float64) string { return fmt.Sprintf("%.17g", v) }
	numbers := solved(t, "fea.solve", text(mesh), "LinearElasticity", config("0.1", n(l-1), n(l+1), n(l/2), n(l/8)))
	texts := solved(t, "fea.solve", text(mesh), "LinearElasticity", config(`"100 um"`, g((l-1)/1e3, "m"), g((l+1)/10, "cm"), g(l/2, "mm"), g(l/8e3, "m")))
	near(t, "probe", texts.Probes[0].Displacement[0], float64(numbers.Probes[0].Displacement[0]), 1e-9)
	near(t, "energy", texts.Energy, float64(numbers.Energy), 1e-9)
	refused(t, "fea.solve", text(mesh), "LinearElasticity", config(`"2 s"`, "0", "1", "1", "1"), "invalid_request", "/config/bcs/0/where/tolerance")
	refused(t, "fea.solve", text(mesh), "LinearElasticity", config("0.1", n(l-1), n(l+1), `"2 N"`, "1"), "invalid_request", "/config/probes/0/0")
	refused(t, "fea.solve", text(mesh), "LinearElasticity", config(`"-1 mm"`, "0", "1", "1", "1"), "invalid_request", "/config/bcs/0/where/tolerance")
}
