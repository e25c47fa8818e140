package agent_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"atelier/internal/agent"
	"atelier/internal/llm/llmtest"
)

// block is a closed box as OBJ.
func block(x, y, z float64) string {
	var b strings.Builder
	for i := range 8 {
		fmt.Fprintf(&b, "v %g %g %g\n", x*float64((i>>1^i)&1), y*float64(i>>1&1), z*float64(i>>2))
	}
	return b.String() + leakyCube[strings.Index(leakyCube, "f "):] + "f 4 5 8\n"
}

// tube is a cylinder of radius 10 and height 2, open at both ends: a patch of
// either end has 10/(2*2) = 2.5 times the area of the whole surface.
func tube() string {
	var vertices, faces strings.Builder
	const n = 24
	for i := range n {
		x, y := 10*math.Cos(2*math.Pi*float64(i)/n), 10*math.Sin(2*math.Pi*float64(i)/n)
		fmt.Fprintf(&vertices, "v %g %g 0\nv %g %g 2\n", x, y, x, y)
		a, b := 2*i+1, 2*((i+1)%n)+1
		fmt.Fprintf(&faces, "f %d %d %d\nf %d %d %d\n", a, b, b+1, a, b+1, a+1)
	}
	return vertices.String() + faces.String()
}

// What the table says about a call of a model is done without asking it, as
// often as the table allows for one file, and the model is told.
func TestRoutesOfAModelsCalls(t *testing.T) {
	for name, tc := range map[string]struct {
		part   string
		script []llmtest.Step
		steps  []string // tool, state, a part of the input
	}{
		"ERR_INVALID_DX, once for one file": {block(10, 10, 10), []llmtest.Step{
			calls(`volume_mesh_quartet {"input_path":"session:input/part.obj","length_unit":"mm","dx":0.3,"max_tetrahedra":20000}`),
			calls(`volume_mesh_quartet {"input_path":"session:input/part.obj","length_unit":"mm","dx":0.25,"max_tetrahedra":20000}`), {Text: "x"},
		}, []string{`volume_mesh_quartet failed "dx":0.3`, `volume_mesh_quartet succeeded "dx":0.9`, `volume_mesh_quartet failed "dx":0.25`}},
		"ERR_DX_TOO_COARSE": {block(40, 20, 1), []llmtest.Step{
			calls(`volume_mesh_quartet {"input_path":"session:input/part.obj","length_unit":"mm","dx":8}`), {Text: "x"},
		}, []string{`volume_mesh_quartet failed "dx":8`, `volume_mesh_quartet succeeded "dx":1`}},
		"ERR_HOLE_TOO_LARGE": {tube(), []llmtest.Step{
			calls(`mesh_repair_pmp {"input_path":"session:input/part.obj","length_unit":"mm"}`), {Text: "x"},
		}, []string{`mesh_repair_pmp failed "length_unit"`, `mesh_repair_pmp failed "resolve_intersections":true`}},
		"ERR_NOT_WATERTIGHT, and the repair fails": {tube(), []llmtest.Step{
			calls(`volume_mesh_quartet {"input_path":"session:input/part.obj","length_unit":"mm","dx":1}`), {Text: "x"},
		}, []string{`volume_mesh_quartet failed "dx":1`, `mesh_repair_pmp failed "length_unit"`, `mesh_repair_pmp failed "resolve_intersections":true`}},
	} {
		t.Run(name, func(t *testing.T) {
			h, up := scripted(t, agent.Budget{}, tc.script...)
			id := h.with(t, written(t, "part.obj", tc.part))
			h.say(t, id, "go")
			made := h.steps(t, id)
			if len(made) != len(tc.steps) {
				t.Fatalf("%s", strings.Join(made, "\n"))
			}
			for i, want := range tc.steps {
				head, input, _ := strings.Cut(want, ` "`)
				if !strings.HasPrefix(made[i], head) || !strings.Contains(made[i], `"`+input) {
					t.Errorf("call %d is %s, want %s", i, made[i], want)
				}
			}
			if results := told(up); !strings.Contains(results[0], "done_about_errors") || len(results) != len(tc.script)-1 {
				t.Errorf("the model is told %q", results)
			}
		})
	}
}
