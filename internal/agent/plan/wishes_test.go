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

// The moment of a support is told where it is asked for; a moment elsewhere in the part
// is given by no step and named; one of time is none.
func TestMomentsAreToldOrNamed(t *testing.T) {
	const bar = "steel, fixed at the left, 500 N downwards on the right: "
	for text, want := range map[string]struct {
		told   bool
		unread string
	}{
		bar + "what is the reaction?":                                 {false, ""},
		bar + "what is the reaction moment at the support?":           {true, ""},
		bar + "reaction force and moment":                             {true, ""},
		bar + "support reactions including moments":                   {true, ""},
		bar + "the moment at the support?":                            {true, ""},
		bar + "bending moment in the middle third?":                   {true, "bending moment"},
		bar + "how much does it twist?":                               {false, "twist"},
		"At the moment the bracket is of " + bar + "what is the sag?": {false, ""},
	} {
		p := plan.Read(text, plan.Facts{File: "session:input/part.step"})
		for _, u := range append(p.Unused, p.Unread...) {
			if strings.Contains(u, "reaction") || strings.Contains(u, "moment") && u != want.unread {
				t.Errorf("%q: %q is told as not used", text, u)
			}
		}
		if p.Moments != want.told || strings.Join(p.Unread, "") != want.unread {
			t.Errorf("%q: moments %t, not answered %q", text, p.Moments, p.Unread)
		}
	}
}
