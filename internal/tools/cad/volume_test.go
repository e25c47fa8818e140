package cad

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"atelier/internal/contract"
	"atelier/internal/engine"
	"atelier/internal/evidence"
	"atelier/internal/runner"
	"atelier/internal/testenv"
	"atelier/internal/tools/solve"
)

// random is a source of dimensions whose seed is printed.
func random(t *testing.T) *rand.Rand {
	t.Helper()
	return testenv.Random(t)
}

func between(r *rand.Rand, lo, hi float64) float64 { return lo + (hi-lo)*r.Float64() }

// part writes a CAD file of a shape given as an expression of Netgen's OpenCASCADE
// binding; the extension decides the format.
func part(t *testing.T, name, shape string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	write := map[string]string{".step": "WriteStep", ".brep": "WriteBrep"}[filepath.Ext(name)]
	script := fmt.Sprintf("from netgen.occ import *\n(%s).%s(%q)\n", shape, write, path)
	python := filepath.Join(testenv.Engines(), netgen, "bin", "python")
	if out, err := exec.Command(python, "-c", script).CombinedOutput(); err != nil {
		t.Fatalf("the part cannot be made: %v\n%s", err, out)
	}
	return path
}

// meshed is the outcome of one call of volume_mesh_cad.
type meshed struct {
	*contract.Result
	out volumeOutput
	dir string
}

func tryMesh(t *testing.T, host engine.Host, input map[string]any) meshed {
	t.Helper()
	raw, err := json.Marshal(input)
	if err != nil {
		t.Fatal(err)
	}
	m := meshed{dir: t.TempDir()}
	tool := Tools(host)[1]
	m.Result = runner.New()(context.Background(), &runner.Request{
		Tool: &tool, Input: raw, JobID: "job1", Dir: m.dir, Limits: tool.Contract.DefaultLimits(), Files: anyFile{},
	})
	if m.Status == contract.StatusOK {
		if err := json.Unmarshal(m.Output.(json.RawMessage), &m.out); err != nil {
			t.Fatal(err)
		}
	}
	return m
}

func mesh(t *testing.T, host engine.Host, input map[string]any) meshed {
	t.Helper()
	m := tryMesh(t, host, input)
	if m.Status != contract.StatusOK {
		t.Fatalf("%v: %v", input, m.Errors)
	}
	return m
}

func (m meshed) path() string { return filepath.Join(m.dir, m.out.OutputFile) }

func TestCurvedMeshKeepsTheShape(t *testing.T) {
	host := newHost(t, netgen)
	r := random(t)
	l, w, h, d := between(r, 60, 140), between(r, 40, 90), between(r, 4, 20), between(r, 8, 30)
	plate := part(t, "plate.step", fmt.Sprintf("Box((0,0,0),(%v,%v,%v))-Cylinder((%v,%v,-1),Z,r=%v,h=%v)", l, w, h, l/2, w/2, d/2, h+2))
	m := mesh(t, host, map[string]any{"file_path": plate})
	near(t, "exact volume", m.out.ExactVolume, l*w*h-math.Pi*d*d/4*h, 1e-9)
	near(t, "volume", m.out.Volume, m.out.ExactVolume, 1e-4)
	near(t, "outer area", m.out.Area, 2*(l*w+l*h+w*h)-math.Pi*d*d/2+math.Pi*d*h, 1e-4)
	if m.out.FaceCount != 7 || len(m.out.Faces) != 7 || m.out.Curved == 0 || m.Evidence.Trust() != evidence.Verified {
		t.Errorf("faces %d, curved %d, trust %s: %v", m.out.FaceCount, m.out.Curved, m.Evidence.Trust(), m.Evidence.Reasons())
	}
	if a := m.out.Attempts; len(a) == 0 || a[len(a)-1].Error != "" || a[len(a)-1].Mesher != netgen || a[0].Seconds <= 0 {
		t.Errorf("attempts %+v", a)
	}
	straight := mesh(t, host, map[string]any{"file_path": plate, "element_order": 1, "elements_per_circle": 12})
	// A regular polygon of n sides with its corners on the circle has the area n/2 sin(2π/n) r².
	if straight.out.Volume <= straight.out.ExactVolume || straight.out.Curved != 0 {
		t.Errorf("with straight edges the hole is smaller than the circle: volume %v, exact %v, curved %d", straight.out.Volume, straight.out.ExactVolume, straight.out.Curved)
	}
	if straight.out.DistanceFromCAD <= m.out.DistanceFromCAD {
		t.Errorf("straight edges lie %v mm off, curved ones %v", straight.out.DistanceFromCAD, m.out.DistanceFromCAD)
	}
}

// withOrigin resolves file arguments and knows the CAD model that they came from.
type withOrigin struct {
	anyFile
	origin *evidence.Origin
}

func (f withOrigin) Origin(context.Context, string) (*evidence.Origin, error) { return f.origin, nil }

// solved is what fea.solve says of a mesh, and how far the displacement may be believed.
func solved(t *testing.T, m meshed, config string) (stress, displacement float64, trust evidence.Trust) {
	t.Helper()
	s := solution(t, m, config)
	return s.VonMises.Max, s.Displacement.Value, s.trust
}

// solvedPart is what fea.solve says of it.
type solvedPart struct {
	VonMises     struct{ Max float64 }   `json:"von_mises"`
	Displacement struct{ Value float64 } `json:"max_displacement"`
	Energy       float64                 `json:"energy"`
	File         string                  `json:"vtk_file"`
	trust        evidence.Trust          // of the displacement
	peak         evidence.Quantity       // the largest von Mises stress
}

func solution(t *testing.T, m meshed, config string) solvedPart {
	t.Helper()
	return solutionBy(t, m, "fea.solve", "LinearElasticity", config)
}

func solutionBy(t *testing.T, m meshed, name, class, config string) (out solvedPart) {
	t.Helper()
	host := newHost(t, "mfem")
	for _, tool := range solve.Tools(host) {
		if tool.Contract.Name != name {
			continue
		}
		input := fmt.Sprintf(`{"solver_class":%q,"mesh":{"type":"file","path":%q},"config":%s}`, class, m.path(), config)
		dir := t.TempDir()
		result := runner.New()(context.Background(), &runner.Request{
			Tool: &tool, Input: json.RawMessage(input), JobID: "job2", Dir: dir, Limits: tool.Contract.DefaultLimits(),
			Files: withOrigin{origin: m.Artifacts[0].Origin},
		})
		if result.Status != contract.StatusOK {
			t.Fatalf("%v", result.Errors)
		}
		if err := json.Unmarshal(result.Output.(json.RawMessage), &out); err != nil {
			t.Fatal(err)
		}
		out.File = filepath.Join(dir, filepath.FromSlash(out.File))
		for _, q := range result.Evidence.Quantities() {
			switch q.Pointer {
			case "/max_displacement/value":
				out.trust = q.Trust()
			case "/von_mises/max":
				out.peak = q
			}
		}
		return out
	}
	t.Fatalf("there is no %s", name)
	return out
}

// The peak stress at a hole: the default mesh against one of a third of its size
// with three times the elements around the hole.
func TestPeakStressAtAHole(t *testing.T) {
	host := newHost(t, netgen, "mfem")
	plate := plateWithAHole(t)
	coarse := mesh(t, host, map[string]any{"file_path": plate.step})
	fine := mesh(t, host, map[string]any{"file_path": plate.step, "max_size": coarse.out.MaxSize / 2, "elements_per_circle": 60, "growth": 0.2})
	if coarse.out.Tetrahedra > 15000 {
		t.Errorf("%d tetrahedra", coarse.out.Tetrahedra)
	}
	got, _, trust := solved(t, coarse, plate.config())
	want, _, _ := solved(t, fine, plate.config())
	if trust != evidence.Verified { // a mesh of facets would be converged at most
		t.Errorf("the displacement is %s", trust)
	}
	t.Logf("%d tetrahedra: %.5g Pa; %d: %.5g Pa", coarse.out.Tetrahedra, got, fine.out.Tetrahedra, want)
	near(t, "peak stress", got, want, 0.01)
}

// Two cubes of different stiffness in series: the mean strain of the pair is
// σ/2 (1/E1 + 1/E2), exactly, for ν = 0.
func TestTouchingBodiesShareTheirNodes(t *testing.T) {
	host := newHost(t, netgen, "mfem")
	r := random(t)
	a := between(r, 5, 50)
	e1, e2 := between(r, 1e9, 1e10), between(r, 1e10, 2e11)
	pair := part(t, "pair.step", fmt.Sprintf("Compound([Box((0,0,0),(%v,%v,%v)),Box((%v,0,0),(%v,%v,%v))])", a, a, a, a, 2*a, a, a))
	m := mesh(t, host, map[string]any{"file_path": pair})
	if m.out.BodyCount != 2 || m.out.InterfaceCount != 1 || !slices.Equal(m.out.Interfaces[0].Bodies, []int{1, 2}) || m.out.GroupCount != 1 {
		t.Fatalf("%+v", m.out)
	}
	near(t, "area between them", m.out.Interfaces[0].Area, a*a, 1e-9)
	config := fmt.Sprintf(`{"materials":[{"attribute":1,"E":%v,"nu":0},{"attribute":2,"E":%v,"nu":0}],"bcs":[{"where":{"plane":"x_min"},"type":"fixed"},{"where":{"plane":"x_max"},"type":"load","value":[1e6,0,0]}]}`, e1, e2)
	_, moved, _ := solved(t, m, config)
	near(t, "displacement", moved, 1e6*a*1e-3*(1/e1+1/e2), 1e-6)

	apart := mesh(t, host, map[string]any{"file_path": pair, "join_bodies": false})
	if apart.out.InterfaceCount != 0 || apart.out.GroupCount != 2 || apart.Evidence.Trust() != evidence.Suspect || !hasWarning(apart.Warnings, "loose_bodies") {
		t.Errorf("meshed apart: %d interfaces, %d groups, %s, %v", apart.out.InterfaceCount, apart.out.GroupCount, apart.Evidence.Trust(), apart.Warnings)
	}
	first := mesh(t, host, map[string]any{"file_path": pair, "bodies": []int{2}})
	if first.out.BodyCount != 1 || first.out.BodiesInFile != 2 || first.out.Bodies[0].Body != 2 {
		t.Errorf("of body 2 alone: %+v", first.out.Bodies)
	}
	near(t, "its volume", first.out.Volume, a*a*a, 1e-12)
}

func hasWarning(list []contract.Warning, code string) bool {
	return slices.ContainsFunc(list, func(w contract.Warning) bool { return w.Code == code })
}

func TestBracketIsMeshedWithItsNames(t *testing.T) {
	host := newHost(t, netgen)
	m := mesh(t, host, map[string]any{"file_path": bracketFile, "local_sizes": []any{map[string]any{"face": "load_hole", "size": 0.5}}})
	near(t, "volume", m.out.Volume, bracketVolume(), 1e-5)
	text, err := os.ReadFile(m.path())
	if err != nil {
		t.Fatal(err)
	}
	if m.out.FaceCount != 18 || !strings.Contains(string(text[:4096]), `"name": "load_hole"`) {
		t.Errorf("%d faces; the mesh begins with %.300s", m.out.FaceCount, text)
	}
	plain := mesh(t, host, map[string]any{"file_path": bracketFile})
	if triangles(m, "load_hole") < 3*triangles(plain, "load_hole") {
		t.Errorf("%d triangles on the hole with a size of its own, %d without", triangles(m, "load_hole"), triangles(plain, "load_hole"))
	}
}

func triangles(m meshed, face string) int {
	for _, f := range m.out.Faces {
		if f.Name == face {
			return f.Triangles
		}
	}
	return 0
}

func TestBREPIsReadToo(t *testing.T) {
	host := newHost(t, netgen)
	side := between(random(t), 1, 100)
	m := mesh(t, host, map[string]any{"file_path": part(t, "ball.brep", fmt.Sprintf("Sphere(Pnt(0,0,0),%v)", side))})
	near(t, "volume", m.out.Volume, 4./3*math.Pi*side*side*side, 1e-4)
}

func TestVolumeMeshRefusals(t *testing.T) {
	host := newHost(t, netgen)
	write := func(name, text string) string {
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	box := part(t, "box.step", "Box((0,0,0),(10,20,30))")
	for _, c := range []struct {
		name  string
		input map[string]any
		code  string
		at    string
	}{
		{"empty", map[string]any{"file_path": write("empty.step", "")}, contract.CodeFileEmpty, "/file_path"},
		{"no CAD", map[string]any{"file_path": write("text.brep", "not a shape")}, contract.CodeFileUnreadable, "/file_path"},
		{"broken BREP", map[string]any{"file_path": write("cut.brep", "DBRep_DrawableShape\n\nCASCADE Topology V1, (c) Matra-Datavision\nLocations 9\n")}, contract.CodeFileUnreadable, "/file_path"},
		{"open surface", map[string]any{"file_path": part(t, "face.step", "Box((0,0,0),(1,1,1)).faces[0]")}, contract.CodeNotWatertight, "/file_path"},
		{"overlap", map[string]any{"file_path": part(t, "two.step", "Compound([Box((0,0,0),(2,2,2)),Box((1,0,0),(3,2,2))])")}, contract.CodeVolumeMeshFailed, "/file_path"},
		{"too fine", map[string]any{"file_path": box, "max_size": 0.01}, contract.CodeInvalidDx, "/max_size"},
		{"sizes crossed", map[string]any{"file_path": box, "max_size": 1, "min_size": 2}, contract.CodeInvalidRequest, "/min_size"},
		{"no such face", map[string]any{"file_path": box, "local_sizes": []any{map[string]any{"face": "lid", "size": 1}}}, contract.CodeUnknownAttribute, "/local_sizes/0/face"},
		{"no such body", map[string]any{"file_path": box, "bodies": []any{3}}, contract.CodeInvalidRequest, "/bodies/0"},
		{"outside", map[string]any{"file_path": box, "output_file": "../x.mesh"}, contract.CodeInvalidRequest, "/output_file"},
	} {
		got := tryMesh(t, host, c.input)
		if len(got.Errors) != 1 || got.Errors[0].Code != c.code || got.Errors[0].Field != c.at || got.Errors[0].Hint == "" {
			t.Errorf("%s: %+v", c.name, got.Errors)
		}
		for _, e := range got.Errors {
			if strings.Contains(e.Message, "OpenCASCADE") || strings.Contains(e.Message, "OCC") || strings.Contains(e.Message, "NgException") {
				t.Errorf("%s: the words of a library: %s", c.name, e.Message)
			}
		}
		if left, _ := os.ReadDir(got.dir); len(left) > 0 && got.Status == contract.StatusError {
			t.Errorf("%s leaves %v behind", c.name, left)
		}
	}
}
