package cad

import (
	"context"
	"fmt"
	"math"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"atelier/internal/contract"
	"atelier/internal/engine"
	"atelier/internal/testenv"
)

// rack is an assembly of two plugs and a plate that do not touch, the second plug turned:
// x along its z, z along its x, so that its box is size[2] long along x. The faces are named
// as those of boxFaces; the names of the bodies are those of the products.
func rack(t *testing.T, plug, plate [3]float64) string {
	s := newSTEP(unitInch) // the other engine measures in inches
	top := s.add("SHAPE_REPRESENTATION('',(#%d),#%d)", s.axes([3]float64{}, [3]float64{0, 0, 1}, [3]float64{1, 0, 0}), s.ctx)
	assembly := s.product("rack", top)
	z, x, far := [3]float64{0, 0, 1}, [3]float64{1, 0, 0}, 10*(plug[0]+plug[2])
	shape := s.box(plug)
	part := s.product("plug", shape)
	s.place(assembly, top, part, shape, [3]float64{1, 2, 3}, z, x)
	s.place(assembly, top, part, shape, [3]float64{far, 0, 0}, x, z)
	shape = s.box(plate)
	s.place(assembly, top, s.product("plate", shape), shape, [3]float64{2 * far, 0, 0}, z, x)
	text := s.text("AUTOMOTIVE_DESIGN { 1 0 10303 214 1 1 1 1 }")
	return writeFile(t, "rack.step", strings.ReplaceAll(text, "MANIFOLD_SOLID_BREP('box'", "MANIFOLD_SOLID_BREP(''"))
}

// Of an assembly every body has the name of its product and every face its own: the area of
// the one named x_min is that of the two other edges of its box.
func TestAnAssemblyKeepsItsNames(t *testing.T) {
	host := newHost(t, netgen, occt)
	r := random(t)
	plug, plate := [3]float64{between(r, 1, 2), between(r, 3, 4), between(r, 5, 6)}, [3]float64{between(r, 7, 8), between(r, 9, 10), 2}
	file := rack(t, plug, plate)
	m := mesh(t, host, map[string]any{"file_path": file, "element_order": 1, "max_size": 80})
	var names []string
	for _, b := range m.out.Bodies {
		names = append(names, b.Name)
	}
	if !slices.Equal(names, []string{"plug", "plug", "plate"}) || hasWarning(m.Warnings, "names_unknown") || hasWarning(m.Warnings, "names_lost") {
		t.Errorf("bodies %v, warnings %v", names, m.Warnings)
	}
	for _, f := range m.out.Faces {
		size := plug
		if f.Bodies[0] == 3 {
			size = plate
		}
		axis := strings.Index("xyz", f.Name[:min(1, len(f.Name))])
		if f.Name == "" || axis < 0 || len(m.out.Faces) != 18 {
			t.Fatalf("face %d of %d is named %q", f.Face, len(m.out.Faces), f.Name)
		}
		near(t, "area of "+f.Name, f.ExactArea, 25.4*25.4*size[(axis+1)%3]*size[(axis+2)%3], 1e-9)
	}
	one := mesh(t, host, map[string]any{"file_path": file, "element_order": 1, "max_size": 80, "bodies": []string{"plug"},
		"local_sizes": []any{map[string]any{"face": "z_max", "size": 10}}})
	if one.out.BodyCount != 2 || triangles(one, "z_max") <= triangles(one, "z_min") {
		t.Errorf("plugs: %+v", one.out.Bodies)
	}
}

// withoutNames is a host whose engine of names does not run.
type withoutNames struct{ engine.Host }

func (h withoutNames) Check(name string) error {
	if name == occt {
		return contract.Errorf(contract.CodeMissingDependency, "the engine occt is not installed")
	}
	return h.Host.Check(name)
}

// Where no engine can read the names, a warning says so, and so does the refusal of one.
func TestUnknownNamesAreTold(t *testing.T) {
	host := withoutNames{newHost(t, netgen)}
	file := rack(t, [3]float64{1, 2, 3}, [3]float64{4, 5, 6})
	m := mesh(t, host, map[string]any{"file_path": file, "element_order": 1, "max_size": 80})
	if !hasWarning(m.Warnings, "names_unknown") || m.out.Bodies[0].Name != "" {
		t.Errorf("%v %+v", m.Warnings, m.out.Bodies)
	}
	got := tryMesh(t, host, map[string]any{"file_path": file, "bodies": []string{"plug"}})
	if len(got.Errors) != 1 || got.Errors[0].Field != "/bodies/0" || !strings.Contains(got.Errors[0].Hint, "not installed") {
		t.Errorf("%v", got.Errors)
	}
}

// The only body of a file has its name from the text, and costs no second reading: the
// engine of names is not there.
func TestTheOnlyBodyHasItsName(t *testing.T) {
	host := withoutNames{newHost(t, netgen)}
	s := newSTEP(unitMM)
	s.product("cube", s.box([3]float64{3, 4, 5}))
	text := s.text("AUTOMOTIVE_DESIGN { 1 0 10303 214 1 1 1 1 }")
	for want, solid := range map[string]string{"box": "'box'", "cube": "'NONE'"} {
		m := mesh(t, host, map[string]any{"file_path": writeFile(t, "one.step", strings.Replace(text, "BREP('box'", "BREP("+solid, 1)), "element_order": 1})
		if m.out.Bodies[0].Name != want || indexOfName(m.out.Faces, "y_max") < 0 || len(m.Warnings) > 0 {
			t.Errorf("%q is named %+v, faces %+v, warnings %v", solid, m.out.Bodies[0].Name, m.out.Faces, m.Warnings)
		}
	}
}

func indexOfName(faces []meshFace, name string) int {
	return slices.IndexFunc(faces, func(f meshFace) bool { return f.Name == name })
}

// Only IGES files with labels are read a second time.
func TestIGESKeepsItsNames(t *testing.T) {
	text := igesBox(10, 20, 30, 6, 0)
	if named, err := igesNames(context.Background(), writeFile(t, "plain.igs", text)); named || err != nil {
		t.Errorf("a file without labels: %v %v", named, err)
	}
	for k, f := range boxFaces {
		second := regexp.MustCompile(fmt.Sprintf(`(?m) {8}(.{8}D%7d)$`, 2*k+2))
		text = second.ReplaceAllString(text, fmt.Sprintf("%8s$1", f.name))
	}
	m := mesh(t, newHost(t, netgen, occt), map[string]any{"file_path": writeFile(t, "box.igs", text), "element_order": 1})
	at := indexOfName(m.out.Faces, "x_max(0)") // as the import names it
	if at < 0 || math.Abs(m.out.Faces[at].ExactArea/600-1) > 1e-9 {
		t.Errorf("%+v", m.out.Faces)
	}
}

// What two bodies in one place are called is not known of either; a face that is not
// where the list has it gets no name, nor does its body.
func TestDoubtfulNamesAreNotGiven(t *testing.T) {
	newHost(t, netgen)
	script := `
import json, netgen.occ as occ
from atelier_netgen.names import Names
box = occ.Box((0, 0, 0), (1, 2, 3))
def listed(bodies):
    faces = [{"body": i, "name": f"f{i}.{k}", "area": f.mass, "centroid": [f.center.x + off, f.center.y, f.center.z]}
             for i, (_, off) in enumerate(bodies) for k, f in enumerate(box.faces)]
    rows = [{"id": i, "name": name, "kind": "solid"} for i, (name, _) in enumerate(bodies)]
    json.dump({"bodies": rows, "faces": faces}, open("names.json", "w"))
    return Names("names.json", 1)
right = listed([("a", 0), ("b", 9)])
print(right.of(box), right.unused(["a"], right.of(box)[1]))
print(listed([("a", 0), ("b", 0)]).of(box))
print(listed([("a", 0.01)]).of(box))
`
	command := exec.Command(filepath.Join(testenv.Engines(), netgen, "bin", "python"), "-c", script)
	command.Dir = t.TempDir()
	out, err := command.CombinedOutput()
	want := "('a', ['f0.0', 'f0.1', 'f0.2', 'f0.3', 'f0.4', 'f0.5']) (['b'], ['f1.0', 'f1.1', 'f1.2', 'f1.3', 'f1.4', 'f1.5'])\n" +
		strings.Repeat("('', ['', '', '', '', '', ''])\n", 2)
	if err != nil || string(out) != want {
		t.Errorf("%v\n%s\nexpected\n%s", err, out, want)
	}
}

// A body that stands at 1E400, which no number holds, is refused before any work on it.
func TestABodyWithoutExtentIsRefused(t *testing.T) {
	host := newHost(t, netgen, occt)
	s := newSTEP(unitMM)
	top := s.add("SHAPE_REPRESENTATION('',(#%d),#%d)", s.axes([3]float64{}, [3]float64{0, 0, 1}, [3]float64{1, 0, 0}), s.ctx)
	assembly, cube := s.product("pair", top), s.box([3]float64{10, 10, 10})
	part := s.product("cube", cube)
	for _, at := range []float64{0, 777} {
		s.place(assembly, top, part, cube, [3]float64{0, 0, at}, [3]float64{0, 0, 1}, [3]float64{1, 0, 0})
	}
	file := writeFile(t, "far.step", strings.ReplaceAll(s.text("AUTOMOTIVE_DESIGN { 1 0 10303 214 1 1 1 1 }"), "777.000000000000", "1.E400"))
	begun := time.Now()
	got := tryMesh(t, host, map[string]any{"file_path": file})
	if len(got.Errors) != 1 || got.Errors[0].Code != contract.CodeFileUnreadable || !strings.Contains(got.Errors[0].Message, "no finite extent") || time.Since(begun) > 30*time.Second {
		t.Errorf("%v after %v", got.Errors, time.Since(begun))
	}
}

// What is wrong with a local size is told at its place.
func TestLocalSizesAreJudged(t *testing.T) {
	host := newHost(t, netgen)
	two := part(t, "two.step", "Compound([Box((0,0,0),(10,10,10)),Box((20,0,0),(30,10,10))])")
	sizes := func(list ...map[string]any) []map[string]any { return list }
	fine := map[string]any{"face": 1, "size": 1e-9}
	for _, c := range []struct {
		input          map[string]any
		code, at, says string
	}{
		// A box has six faces.
		{map[string]any{"bodies": []any{2}, "local_sizes": sizes(map[string]any{"face": 1, "size": 1})}, contract.CodeUnknownAttribute, "/local_sizes/0/face", "7 to 12"},
		{map[string]any{"local_sizes": sizes(map[string]any{"face": 13, "size": 1})}, contract.CodeUnknownAttribute, "/local_sizes/0/face", "1 to 12"},
		{map[string]any{"local_sizes": sizes(map[string]any{"face": 2, "size": 2}, fine)}, contract.CodeInvalidDx, "/local_sizes/1/size", "size of"},
		{map[string]any{"local_sizes": sizes(map[string]any{"face": 2, "size": 1e-9}, fine)}, contract.CodeInvalidDx, "/local_sizes", "larger sizes"},
	} {
		c.input["file_path"], c.input["max_size"] = two, 4
		got := tryMesh(t, host, c.input)
		if len(got.Errors) != 1 || got.Errors[0].Code != c.code || got.Errors[0].Field != c.at || !strings.Contains(got.Errors[0].Hint, c.says) {
			t.Errorf("%v: %v", c.input, got.Errors)
		}
	}
	told := mesh(t, host, map[string]any{"file_path": two, "max_size": 4, "element_order": 1,
		"local_sizes": sizes(map[string]any{"face": 1, "size": 9}, map[string]any{"point": []float64{500, 5, 5}, "size": 1}, map[string]any{"point": []float64{30, 5, 5}, "size": 2})})
	var about []string
	for _, w := range told.Warnings {
		if w.Code == "local_size_without_effect" {
			about = append(about, w.Message)
		}
	}
	// The second box ends at 30 mm.
	if len(about) != 2 || !strings.Contains(about[0], "local_sizes/0") || !strings.Contains(about[1], "470 mm outside") {
		t.Errorf("%v", about)
	}
}
