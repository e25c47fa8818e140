package solve

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"atelier/internal/contract"
	"atelier/internal/evidence"
	"atelier/internal/runner"
)

// Numbers that somebody could mean and hardly does, without a unit: they are believed
// when they are written with one. What each probably means is in the reasons.
func TestNumbersWithoutAUnitAreDoubted(t *testing.T) {
	bar := box([3]int{4, 1, 1}, [3]float64{0.4, 0.05, 0.05})
	elastic := `{"materials": [{"E": %s, "nu": 0.3}], "bcs": [{"attribute": 1, "type": "fixed"}, {"attribute": 2, "type": "load", "value": [0, -1e-6, 0]}]}`
	held := `{"conductivity": 50, "steady": true, "bcs": [{"attribute": 1, "type": "fixed_temp", "value": %s}, {"attribute": 2, "type": "fixed_temp", "value": 350}]}`
	cooled := `{"conductivity": 50, "steady": true, "bcs": [{"attribute": 1, "type": "fixed_temp", "value": 350}, {"attribute": 2, "type": "convection", "h": 10, "ambient": %s}]}`
	heated := `{"conductivity": 0.04, "specific_heat": %s, "initial_temperature": 293.15, "dt": 1, "t_final": 3, "bcs": [{"attribute": 1, "type": "fixed_temp", "value": 350}]}`
	for _, c := range []struct{ tool, config, doubted, believed, check, says string }{
		{"fea.solve", elastic, "210000", `"0.21 MPa"`, "plausible_config_materials_0_E", "210 GPa"},
		{"heat.solve", held, "20", `"20 K"`, "plausible_config_bcs_0_value", "20 degC"},
		{"heat.solve", held, "0", `"0 degC"`, "plausible_config_bcs_0_value", "0 degC"},
		{"heat.solve", cooled, "20", `"20 degC"`, "plausible_config_bcs_1_ambient", "20 degC"},
		{"heat.solve", heated, "500", `"1300 J/(m^3*K)"`, "plausible_config_specific_heat", "density is missing"},
	} {
		class := ""
		if c.tool == "fea.solve" {
			class = "LinearElasticity"
		}
		for value, doubted := range map[string]bool{c.doubted: true, c.believed: false} {
			a := solved(t, c.tool, bar, class, fmt.Sprintf(c.config, value))
			sentence, failed := a.failed(c.check)
			if failed != doubted || doubted && !strings.Contains(sentence, c.says) {
				t.Errorf("%s of %s: %s failed: %v, %q", c.tool, value, c.check, failed, sentence)
			}
			if doubted {
				trusted(t, a, evidence.Suspect)
			}
		}
	}
}

// The kinematic viscosity of water taken for a dynamic one: Re = v h / nu is 10 here, and
// the true one a thousandth of it.
func TestAKinematicViscosityIsDoubted(t *testing.T) {
	flow := `{"viscosity": %s, "density": 1000, "dt": 2000, "t_final": 4000, "bcs": [{"attribute": 1, "type": "inlet", "velocity": [5e-7, 0], "profile": "parabolic"},
		{"attribute": [3, 4], "type": "wall"}, {"attribute": 2, "type": "outlet"}]}`
	for value, doubted := range map[string]bool{"1e-6": true, "1e-3": false} {
		a := solved(t, "cfd.solve", rectangle(20, 4, 0.2, 0.02), "", fmt.Sprintf(flow, value))
		sentence, failed := a.failed("plausible_config_viscosity")
		if failed != doubted || doubted && !strings.Contains(sentence, "1 mPa·s") {
			t.Errorf("%s: failed %v, %q", value, failed, sentence)
		}
	}
	// Liquid nitrogen, carbon dioxide at its critical point, air at 100 bar and at 1 bar
	// (CRC Handbook), and the usual numbers of a scaled problem.
	for _, fluid := range [][2]float64{{1.6e-4, 808}, {3.3e-5, 468}, {2e-5, 115}, {1.8e-5, 1.2}, {0.01, 1}, {1e-6, 1}, {1000, 1000}} {
		s := evidence.Statement{}
		if err := checkFluid(&s, []byte(fmt.Sprintf(`{"viscosity": %g, "density": %g}`, fluid[0], fluid[1]))); err != nil || len(s.Checks) > 0 {
			t.Errorf("%v: %v %v", fluid, err, s.Checks)
		}
	}
}

// N/m is a force of a 2-D part, per metre of thickness; in 3-D it is another quantity
// than the force that is asked for.
func TestAForcePerLengthIsRefusedInSpace(t *testing.T) {
	config := func(zero string) string {
		return `{` + steel + `, "bcs": [{"attribute": 1, "type": "fixed"}, {"attribute": 2, "type": "load", "force": [0, "-500 N/m"` + zero + `]}]}`
	}
	e := refused(t, "fea.solve", box([3]int{2, 1, 1}, [3]float64{1, 0.1, 0.1}), "LinearElasticity", config(", 0"), "invalid_request", "/config/bcs/1/force/1")
	if !strings.Contains(e.Expected, "500 N") || !strings.Contains(e.Hint, "length") {
		t.Errorf("%+v", e)
	}
	if a := solved(t, "fea.solve", rectangle(4, 2, 1, 0.2), "LinearElasticity", config("")); float64(a.Loads[1].Force[1]) > -499.9 || float64(a.Loads[1].Force[1]) < -500.1 {
		t.Errorf("2-D: the load is %v", a.Loads[1].Force)
	}
	// Where only the engine can tell the dimension, its word counts.
	ctx := context.WithValue(t.Context(), writtenKey{}, json.RawMessage(`{"config": `+config(", 0")+`}`))
	if err := (problem{}).checkForces(ctx, 3); err == nil {
		t.Error("3-D by the engine is not refused")
	}
	if err := (problem{}).checkForces(ctx, 2); err != nil {
		t.Error(err)
	}
}

// A mesh of a surface whose unit nobody said is answered in metres and is suspect, as
// the same mesh inline is.
func TestAMeshOfASurfaceWithoutAUnit(t *testing.T) {
	mesh := quads(8, 4, scaled(100, 25))
	input := strings.Replace(requestFor(t, mesh, "LinearElasticity", `{`+steel+`, `+fmt.Sprintf(pulled, 1e5)+`}`), `, "length_unit": "m"`, "", 1)
	tool := Tools(host(t))[0]
	for _, unit := range []string{"", "file_unit"} {
		r := runner.New()(t.Context(), &runner.Request{
			Tool: &tool, Input: json.RawMessage(input), JobID: "job", Dir: t.TempDir(), Limits: tool.Contract.DefaultLimits(),
			Files: made{origin: &evidence.Origin{LengthUnit: unit, Min: []float64{0, 0, 0}, Max: []float64{100, 25, 1}}},
		})
		if r.Status != contract.StatusOK || r.Evidence.Trust() != evidence.Suspect || !strings.Contains(strings.Join(r.Evidence.Reasons(), " "), "metres were assumed") {
			t.Errorf("%q: %s %v %v", unit, r.Status, r.Errors, r.Summary)
		}
	}
}

// What a packed mesh says of itself stands inside.
func TestAPackedMeshSaysItsUnit(t *testing.T) {
	draw := random(t)
	l := draw(100, 300) // mm
	mesh := strings.Replace(quads(4, 2, scaled(l, l/4)).String(), "MFEM mesh v1.0\n", "MFEM mesh v1.0\n# atelier {\"length_unit\":\"mm\"}\n", 1)
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	_, _ = w.Write([]byte(mesh)) // into memory
	_ = w.Close()
	path := filepath.Join(t.TempDir(), "part.mesh.gz")
	if err := os.WriteFile(path, packed.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	config := `{` + steel + `, ` + fmt.Sprintf(pulled, 1e5) + `}`
	plain := solved(t, "fea.solve", text(mesh), "LinearElasticity", config)
	for _, ref := range []string{fmt.Sprintf(`{"type": "file", "path": %q}`, path),
		fmt.Sprintf(`{"type": "inline_mfem", "encoding": "base64", "data": %q}`, base64.StdEncoding.EncodeToString(packed.Bytes()))} {
		r := call(t, "fea.solve", `{"solver_class": "LinearElasticity", "mesh": `+ref+`, "config": `+config+`}`)
		var a answer
		if err := json.Unmarshal(r.OutputJSON(), &a); err != nil || r.Status != contract.StatusOK {
			t.Fatal(err, r.Errors)
		}
		if a.Mesh.LengthUnit != "mm" || a.Energy != plain.Energy || a.Evidence.Trust != plain.Evidence.Trust {
			t.Errorf("packed: %s, energy %v of %v, %s of %s", a.Mesh.LengthUnit, a.Energy, plain.Energy, a.Evidence.Trust, plain.Evidence.Trust)
		}
	}
	if err := os.WriteFile(path, packed.Bytes()[:packed.Len()/2], 0o600); err != nil {
		t.Fatal(err)
	}
	r := call(t, "fea.solve", fmt.Sprintf(`{"solver_class": "LinearElasticity", "mesh": {"type": "file", "path": %q}, "config": %s}`, path, config))
	if r.Status != contract.StatusError || r.Errors[0].Code != contract.CodeMeshUnreadable || r.Errors[0].Field != "/mesh/path" {
		t.Errorf("half of it: %v", r.Errors)
	}
}
