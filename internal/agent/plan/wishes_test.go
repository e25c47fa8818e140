package plan_test

import (
	"strings"
	"testing"

	"atelier/internal/agent/plan"
)

const warm = "The file is in mm. Steel, 100 degC at the bottom, 20 degC at the top. "

// No repair is a wish that holds where the part's shape need not be known; depth
// and normal images are made when they are asked for.
func TestWishes(t *testing.T) {
	for prompt, want := range map[string]string{
		warm:                                  "mesh_repair_pmp volume_mesh_quartet heat.solve render_pack_vtk",
		warm + "Do not repair it.":            "volume_mesh_quartet heat.solve render_pack_vtk",
		warm + "Mesh it without repair":       "volume_mesh_quartet heat.solve render_pack_vtk",
		warm + "Skip the mesh repair.":        "volume_mesh_quartet heat.solve render_pack_vtk",
		warm + "No repair, 2 mm elements":     "mesh_repair_pmp volume_mesh_quartet heat.solve render_pack_vtk",
		warm + "with depth maps":              "mesh_repair_pmp volume_mesh_quartet heat.solve render_pack_vtk+buffers",
		warm + "and depth and normal images":  "mesh_repair_pmp volume_mesh_quartet heat.solve render_pack_vtk+buffers",
		warm + "show the normal temperatures": "mesh_repair_pmp volume_mesh_quartet heat.solve render_pack_vtk",
	} {
		p := plan.Read(prompt, plan.Facts{File: "session:input/part.stl"})
		var tools []string
		for _, s := range p.Steps() {
			tools = append(tools, s.Tool)
		}
		got := strings.Join(tools, " ")
		if p.Buffers {
			got += "+buffers"
		}
		if got != want || len(p.Questions) > 0 {
			t.Errorf("%q: %s, want %s; asks %v", prompt, got, want, p.Questions)
		}
	}
	p := plan.Read(warm+"No repair, 2 mm elements", plan.Facts{File: "session:input/part.stl"})
	if !strings.Contains(strings.Join(p.Assumptions, " "), "The repair is not left out") {
		t.Errorf("the wish is dropped in silence: %v", p.Assumptions)
	}
}

// A surface that turns out to be open gets its repair where it was left out.
func TestRepaired(t *testing.T) {
	p := plan.Read(warm+"Do not repair it.", plan.Facts{File: "session:input/part.stl"})
	before := p.Steps()
	steps := plan.Repaired(before, 0)
	if len(steps) != len(before)+1 || steps[0].Name != plan.StepRepair || len(steps[0].Needs) != 0 ||
		steps[1].Name != plan.StepVolume || len(steps[1].Needs) != 1 || steps[1].Needs[0].Step != plan.StepRepair || len(before[0].Needs) != 0 {
		t.Errorf("%+v", steps)
	}
}
