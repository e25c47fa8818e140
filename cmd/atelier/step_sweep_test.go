package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"atelier/internal/geometry"
	"atelier/internal/testenv"
)

// verdict is a row of the committed table: what must become of a STEP file.
type verdict struct {
	File   string `json:"file"`
	Meshes bool   `json:"meshes"`           // must mesh at the tool's own dx
	Refuse string `json:"refuse,omitempty"` // else the only code that it may be refused with
	Why    string `json:"why,omitempty"`
	Quick  bool   `json:"quick,omitempty"` // also without ATELIER_LONG
}

type stepFact struct {
	Vol, Area, Diag, Unit float64
	Shells                int
	BB                    [6]float64
}

// TestStepFilesBecomeVolumeMeshes takes real STEP files through import, repair
// and meshing over HTTP and holds the results against the exact volumes and
// areas of facts.json (OpenCASCADE 8 by another binding), the mesh itself being
// read and measured here, not by the tools.
func TestStepFilesBecomeVolumeMeshes(t *testing.T) {
	facts := testenv.StepFacts[stepFact](t)
	var table []verdict
	raw, err := os.ReadFile(filepath.Join("testdata", "step_table.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(raw, &table); err != nil {
		t.Fatal(err)
	}
	folders := []string{"--root", testenv.Corpus("step")}
	for _, row := range table {
		delete(facts, row.File)
	}
	if len(facts) > 0 {
		t.Fatalf("files without a row in the table: %v", slices.Sorted(maps.Keys(facts)))
	}
	facts = testenv.StepFacts[stepFact](t)
	for name := range facts {
		if folder := filepath.Dir(testenv.StepFile(t, name)); !slices.Contains(folders, folder) {
			folders = append(folders, "--root", folder)
		}
	}
	p := launchWith(t, binary(t), t.TempDir(), folders...)
	for _, row := range table {
		if !row.Quick && os.Getenv("ATELIER_LONG") == "" {
			continue // make test-step runs them all
		}
		t.Run(row.File, func(t *testing.T) { sweepOne(t, p, testenv.StepFile(t, row.File), row, facts[row.File]) })
	}
}

func (p *program) run(t *testing.T, tool string, input map[string]any) map[string]any {
	t.Helper()
	body, _ := json.Marshal(map[string]any{"tool": tool, "input": input})
	return p.call(t, "POST", "/v1/tools/execute", string(body))
}

func output(result map[string]any, key string) any {
	out, _ := result["output"].(map[string]any)
	return out[key]
}

func number(v any) float64 { f, _ := v.(float64); return f }

// toMM are millimetres per file unit.
var toMM = map[string]float64{"mm": 1, "cm": 10, "m": 1000, "in": 25.4, "ft": 304.8, "um": 1e-3, "km": 1e6}

func sweepOne(t *testing.T, p *program, file string, row verdict, fact stepFact) {
	cad := p.run(t, "cad_import_truck", map[string]any{"file_path": file, "engine": "occt"})
	if cad["status"] != "ok" {
		t.Fatalf("import: %v", cad["stderr"])
	}
	unit := toMM[fmt.Sprint(output(cad, "length_unit"))]
	if math.Abs(unit-fact.Unit) > 1e-9*fact.Unit {
		t.Errorf("unit: %g mm, exact %g", unit, fact.Unit)
	}
	volume := number(output(cad, "volume")) * unit * unit * unit
	if math.Abs(volume-fact.Vol) > 0.01*fact.Vol {
		t.Errorf("volume %g mm3, exact %g", volume, fact.Vol)
	}
	if output(cad, "watertight") != true || number(output(cad, "closed_shells")) != float64(fact.Shells) {
		t.Errorf("watertight %v, closed shells %v of %d", output(cad, "watertight"), output(cad, "closed_shells"), fact.Shells)
	}
	repaired := p.run(t, "mesh_repair_pmp", map[string]any{"input_path": output(cad, "artifact_url"), "target_decimation_faces": 10_000_000})
	if repaired["status"] != "ok" {
		t.Fatalf("repair: %v", repaired["stderr"])
	}
	mesh := p.run(t, "volume_mesh_quartet", map[string]any{"input_path": output(repaired, "artifact_url")})
	code, _ := mesh["metrics"].(map[string]any)["error_code"].(string)
	if mesh["status"] != "ok" {
		if row.Meshes || code != row.Refuse {
			t.Fatalf("meshing: %v", mesh["stderr"])
		}
		return
	}
	dx := number(output(mesh, "dx"))
	tets := readTets(t, get(t, p.url+output(mesh, "artifact_url").(string)))
	surface := filepath.Join(t.TempDir(), "surface.obj")
	if err := os.WriteFile(surface, []byte(get(t, p.url+output(cad, "artifact_url").(string))), 0o600); err != nil {
		t.Fatal(err)
	}
	skin, err := geometry.Read(surface)
	if err != nil {
		t.Fatal(err)
	}
	checkTets(t, tets, math.Abs(skin.Volume()))
	wide, bad := checkFaces(t, tets, skin, holes(t, p, output(cad, "faces_url")), dx)
	t.Logf("%.1f s: %d tetrahedra, dx %.4g, smallest dihedral %.1f°, %d wide faces, %d off by more than 5 %%",
		number(mesh["metrics"].(map[string]any)["elapsed_ms"])/1000, len(tets.tets), dx, tets.minDihedral(), wide, bad)
	if bad > 0 {
		t.Errorf("%d of %d wide faces are off by more than 5 %%", bad, wide)
	}
}

// checkTets: no inverted element, dihedral angles, volume.
func checkTets(t *testing.T, m *tetMesh, exact float64) {
	t.Helper()
	total := 0.0
	for i := range m.tets {
		v := m.volume(i)
		if v <= 0 {
			t.Fatalf("tetrahedron %d has volume %g", i, v)
		}
		total += v
	}
	if math.Abs(total-exact) > 0.02*exact {
		t.Errorf("the mesh has volume %g, the surface %g", total, exact)
	}
	if a := m.minDihedral(); a < 10 {
		t.Errorf("smallest dihedral angle %.2f°", a)
	}
}

// holes are the diameters of the cylindrical faces by their id.
func holes(t *testing.T, p *program, url any) map[int32]float64 {
	t.Helper()
	var list struct {
		Faces []struct {
			ID     int32
			Radius float64
		}
	}
	if err := json.Unmarshal([]byte(get(t, p.url+fmt.Sprint(url))), &list); err != nil {
		t.Fatal(err)
	}
	diameters := map[int32]float64{}
	for _, f := range list.Faces {
		if f.Radius > 0 {
			diameters[f.ID] = 2 * f.Radius
		}
	}
	return diameters
}

// checkFaces compares the area of each CAD face with that of its boundary
// attribute, where the face is wider than three dx. The width is the shorter side
// of the rectangle of the same area and perimeter, of a rounder face the diameter
// of the disc of the same area, and of a cylinder, sphere or torus at most its
// own diameter.
func checkFaces(t *testing.T, m *tetMesh, skin *geometry.Mesh, diameters map[int32]float64, dx float64) (wide, bad int) {
	t.Helper()
	area, perimeter := map[int32]float64{}, map[int32]float64{}
	owner := map[[2]int32][]int32{}
	for i, tri := range skin.Triangles {
		id := skin.FaceID[i]
		a, b, c := skin.Vertices[tri[0]], skin.Vertices[tri[1]], skin.Vertices[tri[2]]
		area[id] += triangleArea(a, b, c)
		for k := range 3 {
			u, v := tri[k], tri[(k+1)%3]
			key := [2]int32{min(u, v), max(u, v)}
			owner[key] = append(owner[key], id)
		}
	}
	for edge, ids := range owner {
		for _, id := range ids {
			if slices.ContainsFunc(ids, func(o int32) bool { return o != id }) {
				perimeter[id] += length(skin.Vertices[edge[0]], skin.Vertices[edge[1]])
			}
		}
	}
	meshed := map[int32]float64{}
	for i, tri := range m.boundary {
		meshed[m.attribute[i]] += triangleArea(m.points[tri[0]], m.points[tri[1]], m.points[tri[2]])
	}
	for id, want := range area {
		width := 2 * math.Sqrt(want/math.Pi)
		if quarter := perimeter[id] / 4; quarter*quarter > want {
			width = quarter - math.Sqrt(quarter*quarter-want)
		}
		if d := diameters[id]; d > 0 {
			width = min(width, d)
		}
		if width <= 3*dx {
			continue
		}
		wide++
		if math.Abs(meshed[id]-want) > 0.05*want {
			bad++
			t.Logf("face %d: area %.5g, its attribute %.5g", id, want, meshed[id])
		}
	}
	return wide, bad
}

type tetMesh struct {
	points    []geometry.Vec3
	tets      [][4]int32
	boundary  [][3]int32
	attribute []int32
}

// readTets reads the element, boundary and vertex sections of an MFEM mesh.
func readTets(t *testing.T, text string) *tetMesh {
	t.Helper()
	m := &tetMesh{}
	s := bufio.NewScanner(strings.NewReader(text))
	s.Buffer(nil, 1<<20)
	section := ""
	for s.Scan() {
		f := strings.Fields(s.Text())
		switch {
		case len(f) == 0 || strings.HasPrefix(f[0], "#"):
		case len(f) == 1 && f[0][0] >= 'a' && f[0][0] <= 'z':
			section = f[0]
		case section == "elements" && len(f) == 6:
			m.tets = append(m.tets, [4]int32{atoi(f[2]), atoi(f[3]), atoi(f[4]), atoi(f[5])})
		case section == "boundary" && len(f) == 5:
			m.boundary = append(m.boundary, [3]int32{atoi(f[2]), atoi(f[3]), atoi(f[4])})
			m.attribute = append(m.attribute, atoi(f[0]))
		case section == "vertices" && len(f) == 3:
			var v geometry.Vec3
			for k := range 3 {
				v[k], _ = strconv.ParseFloat(f[k], 64)
			}
			m.points = append(m.points, v)
		}
	}
	if len(m.tets) == 0 || len(m.points) == 0 || len(m.boundary) == 0 {
		t.Fatalf("the mesh file has %d elements, %d vertices, %d boundary faces", len(m.tets), len(m.points), len(m.boundary))
	}
	return m
}

func atoi(s string) int32 { n, _ := strconv.Atoi(s); return int32(n) }

func sub(a, b geometry.Vec3) geometry.Vec3 {
	return geometry.Vec3{a[0] - b[0], a[1] - b[1], a[2] - b[2]}
}

func cross(a, b geometry.Vec3) geometry.Vec3 {
	return geometry.Vec3{a[1]*b[2] - a[2]*b[1], a[2]*b[0] - a[0]*b[2], a[0]*b[1] - a[1]*b[0]}
}

func dot(a, b geometry.Vec3) float64 { return a[0]*b[0] + a[1]*b[1] + a[2]*b[2] }

func length(a, b geometry.Vec3) float64 { d := sub(a, b); return math.Sqrt(dot(d, d)) }

func triangleArea(a, b, c geometry.Vec3) float64 {
	n := cross(sub(b, a), sub(c, a))
	return math.Sqrt(dot(n, n)) / 2
}

func (m *tetMesh) volume(i int) float64 {
	q := m.tets[i]
	a := m.points[q[0]]
	return dot(sub(m.points[q[1]], a), cross(sub(m.points[q[2]], a), sub(m.points[q[3]], a))) / 6
}

// minDihedral is the smallest angle between two faces of a tetrahedron, in degrees.
func (m *tetMesh) minDihedral() float64 {
	least := 180.0
	for _, q := range m.tets {
		var normals [4]geometry.Vec3
		for k := range 4 { // the face opposite to vertex k
			f := [3]int32{q[(k+1)%4], q[(k+2)%4], q[(k+3)%4]}
			n := cross(sub(m.points[f[1]], m.points[f[0]]), sub(m.points[f[2]], m.points[f[0]]))
			if dot(n, sub(m.points[q[k]], m.points[f[0]])) > 0 {
				n = geometry.Vec3{-n[0], -n[1], -n[2]}
			}
			normals[k] = n
		}
		for a := range 4 {
			for b := range a {
				c := dot(normals[a], normals[b]) / math.Sqrt(dot(normals[a], normals[a])*dot(normals[b], normals[b]))
				least = min(least, 180-math.Acos(max(-1, min(1, c)))*180/math.Pi)
			}
		}
	}
	return least
}
