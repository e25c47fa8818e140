package plan_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"atelier/internal/agent/plan"
	"atelier/internal/geometry"
	"atelier/internal/shape"
	"atelier/internal/testenv"
)

func toolsOf(steps []plan.Step) string {
	var names []string
	for _, s := range steps {
		names = append(names, s.Tool)
	}
	return strings.Join(names, " ")
}

func TestACADModelIsMeshedOnItsFacesWhereThatCanBe(t *testing.T) {
	const wish = "steel, fixed at the bottom, 500 N on top"
	for _, c := range []struct {
		file   string
		curved bool
		want   string
	}{
		{"file:part.step", true, "cad_import_truck volume_mesh_cad fea.solve render_pack_vtk render_pack_vtk"},
		{"file:part.step", false, "cad_import_truck mesh_repair_pmp volume_mesh_quartet fea.solve render_pack_vtk render_pack_vtk"},
		{"file:part.igs", true, "volume_mesh_cad fea.solve render_pack_vtk render_pack_vtk"},
		{"file:part.brep", true, "volume_mesh_cad fea.solve render_pack_vtk render_pack_vtk"},
		{"file:part.stl", true, "mesh_repair_pmp volume_mesh_quartet fea.solve render_pack_vtk render_pack_vtk"},
	} {
		p := plan.Read(wish, plan.Facts{File: c.file, Curved: c.curved})
		if got := toolsOf(p.Steps()); got != c.want {
			t.Errorf("%s, %v: %s", c.file, c.curved, got)
		}
	}
	steps := plan.Read(wish, plan.Facts{File: "file:part.step", Curved: true}).Steps()
	surfaced, ok := plan.Surfaced(steps, 1)
	if want := "cad_import_truck mesh_repair_pmp volume_mesh_quartet fea.solve render_pack_vtk render_pack_vtk"; !ok || toolsOf(surfaced) != want {
		t.Errorf("%v %s", ok, toolsOf(surfaced))
	}
	if _, ok := plan.Surfaced(plan.Read(wish, plan.Facts{File: "file:part.igs"}).Steps(), 0); ok {
		t.Error("an IGES file has no triangulation to go back to")
	}
}

// A mesh of the CAD model is in mm, whatever the file's unit: what was said in the
// file's unit, or with a unit, is found at the same place.
func TestPlacesInAFileOfInches(t *testing.T) {
	r := testenv.Random(t)
	l := float64(2 + r.IntN(20)) // inches
	box := &geometry.Mesh{Meta: geometry.Meta{LengthUnit: "in"}}
	for i := range 8 {
		box.Vertices = append(box.Vertices, geometry.Vec3{l * float64(i&1), float64(i >> 1 & 1), float64(i >> 2)})
	}
	faces := fmt.Sprintf(`{"length_unit":"in","faces":[{"id":1,"name":"","kind":"plane","area":1,"centroid":[%v,0.5,0.5],"normal":[1,0,0]}]}`, l)
	g, err := shape.NewGeometry(box, []byte(faces))
	if err != nil {
		t.Fatal(err)
	}
	exact := g.Exact()
	if d := exact.Diagonal() * exact.Metres() / (g.Diagonal() * g.Metres()); exact.LengthUnit != "mm" || d < 1-1e-12 || d > 1+1e-12 {
		t.Errorf("%s, %v of the diagonal", exact.LengthUnit, d)
	}
	for _, place := range []string{fmt.Sprintf("x = %v", l), fmt.Sprintf("x = %v mm", 25.4*l)} {
		p := plan.Read("steel, fixed at x = 0, 1 kN downwards at "+place, plan.Facts{File: "file:part.step", LengthUnit: "in", Curved: true})
		steps := p.Steps()
		call, err := p.Call(steps[2], plan.Done{Geometry: exact, Outputs: map[string]json.RawMessage{plan.StepVolume: json.RawMessage(`{"artifact_url":"x"}`)}})
		if err != nil || !strings.Contains(string(call.Input), `"attribute":[1]`) {
			t.Errorf("%s: %v %s", place, err, call.Input)
		}
	}
	same := fmt.Sprintf(`{"faces":[{"face":1,"name":"","exact_area":%v}]}`, 25.4*25.4)
	if err := exact.SameFaces([]byte(same)); err != nil {
		t.Error(err)
	}
	for _, other := range []string{`[{"face":2,"name":"","exact_area":645.16}]`, `[{"face":1,"name":"lid","exact_area":645.16}]`, `[{"face":1,"name":"","exact_area":700}]`} {
		if exact.SameFaces([]byte(`{"faces":`+other+`}`)) == nil {
			t.Errorf("%s passes for the same face", other)
		}
	}
}
