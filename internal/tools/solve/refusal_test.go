package solve

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

const pulled = `"bcs": [{"attribute": 1, "type": "fixed"}, {"attribute": 2, "type": "load", "value": [%g, 0]}]`

// What would count twice or for nothing is refused or told.
func TestWhatCountsTwiceIsRefused(t *testing.T) {
	draw := random(t)
	load := fmt.Sprintf(pulled, draw(1e5, 1e6))
	twice := quads(4, 2, scaled(2, 1))
	twice.boundary = append(twice.boundary, twice.boundary[1])
	e := refused(t, "fea.solve", twice, "LinearElasticity", `{`+steel+`, `+load+`}`, "ERR_MESH_UNREADABLE", "/mesh")
	if !strings.Contains(e.Message, "same face") || strings.Contains(e.Message, "function") {
		t.Error(e)
	}
	none := quads(4, 2, scaled(2, 1))
	none.boundary = append(none.boundary, "2 1 0 4") // across the first element
	refused(t, "fea.solve", none, "LinearElasticity", `{`+steel+`, `+load+`}`, "ERR_MESH_UNREADABLE", "/mesh")
	g := quads(4, 2, scaled(2, 1))
	refused(t, "fea.solve", g, "LinearElasticity", `{"materials": [{"attribute": 9, "E": 2e11, "nu": 0.3}], `+load+`}`, "ERR_UNKNOWN_ATTRIBUTE", "/config/materials/0")
	refused(t, "fea.solve", g, "LinearElasticity", `{"materials": [{"attribute": 1, "E": 2e11, "nu": 0.3}, {"attribute": 1, "E": 1e11, "nu": 0.3}], `+load+`}`, "invalid_request", "/config/materials/1")
	refused(t, "fea.solve", g, "LinearElasticity", `{"density": 7800, "gravity": [0, -9.81], "acceleration": [0, -9.81], `+steel+`, `+load+`}`, "invalid_request", "/config/acceleration")
	fails(t, solved(t, "fea.solve", g, "LinearElasticity", `{`+steel+`, "bcs": [{"attribute": 1, "type": "fixed"}]}`), "loaded")
}

// A unit that contradicts the mesh's own scales every figure.
func TestUnitAgainstTheMeshIsSuspect(t *testing.T) {
	mesh := strings.Replace(quads(4, 4, scaled(20, 10)).String(), "MFEM mesh v1.0\n", "MFEM mesh v1.0\n# atelier {\"length_unit\":\"mm\"}\n", 1)
	input := strings.Replace(requestFor(t, text(mesh), "LinearElasticity", `{`+steel+`, `+fmt.Sprintf(pulled, 1e6)+`}`), `"type": "file"`, `"type": "file", "length_unit": "m"`, 1)
	r := call(t, "fea.solve", input)
	if r.Evidence == nil || r.Evidence.Trust() != "suspect" || !strings.Contains(strings.Join(r.Evidence.Reasons(), " "), "length_unit") {
		t.Errorf("%v: %v", r.Status, r.Evidence)
	}
}

// Plane stress of nu = -1/2 pulled along x: u = p l / E whatever nu is.
func TestAuxeticPlaneStress(t *testing.T) {
	draw := random(t)
	l, p := draw(1, 2), draw(1e5, 1e6)
	for _, nu := range []float64{-0.5, -0.9, 0.3} {
		a := solved(t, "fea.solve", quads(4, 4, scaled(l, 1)), "LinearElasticity", fmt.Sprintf(
			`{"plane": "stress", "materials": [{"E": 1e9, "nu": %g}], "probes": [[%g, 0]], "bcs": [{"attribute": 1, "type": "fixed", "components": ["x"]},
			{"attribute": 3, "type": "fixed", "components": ["y"]}, {"attribute": 2, "type": "load", "value": [%g, 0]}]}`, nu, l, p))
		near(t, "end", a.Probes[0].Displacement[0], p*l/1e9, 1e-7)
	}
}

// A face that three tetrahedra share is told as that, not in the words of a library.
func TestMessagesAreOurOwn(t *testing.T) {
	const three = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n6\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n5 0 0 -1\n6 1 1 2\n$EndNodes\n" +
		"$Elements\n4\n1 4 2 1 1 1 2 3 4\n2 4 2 1 1 1 3 2 5\n3 4 2 1 1 1 2 3 6\n4 2 2 1 1 1 2 4\n$EndElements\n"
	for name, mesh := range map[string]string{"three at a face": three, "no format": "vertices and elements", "cut off": three[:120]} {
		e := refused(t, "heat.solve", text(mesh), "", `{"conductivity": 1, "steady": true, "bcs": [{"attribute": 1, "type": "fixed_temp", "value": 300}]}`, "ERR_MESH_UNREADABLE", "/mesh")
		for _, raw := range []string{"Interior", "connecting elements", "MFEM abort", "Verification", "-->", "in function"} {
			if strings.Contains(e.Message+e.Hint, raw) {
				t.Errorf("%s: %v", name, e)
			}
		}
		if e.Hint == "" || name == "three at a face" && (!strings.Contains(e.Message, "more than two elements") || e.Details["library_message"] == nil) {
			t.Errorf("%s: %v, %v", name, e, e.Details)
		}
	}
}

// A count that the file has no room for is refused in its line, before there is memory
// for it.
func TestCountsBeyondTheFileAreRefused(t *testing.T) {
	good := box([3]int{1, 1, 1}, [3]float64{1, 1, 1}).String()
	for _, section := range []string{"elements", "boundary", "vertices"} {
		lines := strings.Split(good, "\n")
		at := slices.Index(lines, section) + 1
		lines[at] = "400000000"
		e := refused(t, "fea.solve", text(strings.Join(lines, "\n")), "LinearElasticity", `{`+steel+`, "bcs": [{"attribute": 1, "type": "fixed"}]}`, "ERR_MESH_UNREADABLE", "/mesh")
		if want := fmt.Sprintf("line %d: the number of %s is 400000000, but the rest of the file has room for", at+1, section); !strings.Contains(e.Message, want) {
			t.Errorf("%q, want %q", e.Message, want)
		}
	}
}
