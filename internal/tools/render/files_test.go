package render

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"atelier/internal/contract"
)

// series writes a .pvd of two steps below a folder; the later one is divided
// into two pieces behind a .pvtu. The field is the time.
func series(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	put := func(name, content string) {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	part := func(x, value float64) string {
		g := hexBox([3]float64{x, 0, 0}, [3]float64{x + 1, 1, 1}, 1)
		g.field("u", 1, func([3]float64) []float64 { return []float64{value} })
		return g.vtu()
	}
	put("Cycle000000/data.vtu", part(0, 1))
	put("Cycle000001/p0.vtu", part(0, 2))
	put("Cycle000001/p1.vtu", part(1, 3))
	put("Cycle000001/data.pvtu", `<?xml version="1.0"?><VTKFile type="PUnstructuredGrid" version="0.1"><PUnstructuredGrid GhostLevel="0"><Piece Source="p0.vtu"/><Piece Source="p1.vtu"/></PUnstructuredGrid></VTKFile>`)
	put("solution.pvd", `<?xml version="1.0"?><VTKFile type="Collection" version="0.1"><Collection>
		<DataSet timestep="0.5" group="" part="0" file="Cycle000001/data.pvtu"/>
		<DataSet timestep="0.25" group="" part="0" file="Cycle000000/data.vtu"/></Collection></VTKFile>`)
	return filepath.Join(dir, "solution.pvd")
}

func TestSeries(t *testing.T) {
	t.Parallel()
	path := series(t)
	small := `"width":64,"height":64,"output_depth":false,"output_normal":false`
	last := mustRun(t, fmt.Sprintf(`{"input_path":%q,"field":"u",%s}`, path, small))
	if f := last.out.Field; f.Min != 2 || f.Max != 3 || last.out.BoundsMax[0] != 2 {
		t.Errorf("last step: %+v, bounds to %v", f, last.out.BoundsMax)
	}
	if s := last.out.Time; s == nil || s.Index != 1 || s.Count != 2 || *s.Value != 0.5 {
		t.Errorf("last step: %+v", s)
	}
	// The face between the pieces is inside: 10 faces of 2 triangles.
	if n := last.result.Metrics["triangles"].(float64); n != 20 {
		t.Errorf("%g triangles, want 20", n)
	}
	first := mustRun(t, fmt.Sprintf(`{"input_path":%q,"field":"u","time_index":0,%s}`, path, small))
	if f := first.out.Field; f.Min != 1 || f.Max != 1 || *first.out.Time.Value != 0.25 {
		t.Errorf("first step: %+v", f)
	}
	_, err := run(t, fmt.Sprintf(`{"input_path":%q,"time_index":2}`, path))
	wantCode(t, err, contract.CodeInvalidRequest, "/time_index")
	_, err = run(t, fmt.Sprintf(`{"input_path":%q,"time_index":1}`, save(t, "box.obj", boxOBJ(low, high))))
	wantCode(t, err, contract.CodeInvalidRequest, "/time_index")
}

// A series must not lead out of its folder.
func TestSeriesStaysInItsFolder(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	g := hexBox([3]float64{}, [3]float64{1, 1, 1}, 1)
	outside := filepath.Join(dir, "outside.vtu")
	inside := filepath.Join(dir, "inside")
	if err := os.WriteFile(outside, []byte(g.vtu()), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(inside, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, filepath.Join(inside, "link.vtu")); err != nil {
		t.Fatal(err)
	}
	index := filepath.Join(inside, "s.pvd")
	for name, code := range map[string]string{
		"../outside.vtu": contract.CodeFileOutsideRoots, outside: contract.CodeFileOutsideRoots, `..\outside.vtu`: contract.CodeFileOutsideRoots,
		"link.vtu": contract.CodeFileOutsideRoots, "a/../../outside.vtu": contract.CodeFileOutsideRoots, "gone.vtu": contract.CodeFileNotFound, ".": contract.CodeFileUnreadable,
	} {
		doc := fmt.Sprintf(`<VTKFile type="Collection"><Collection><DataSet timestep="0" file="%s"/></Collection></VTKFile>`, name)
		if err := os.WriteFile(index, []byte(doc), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := open(index, nil, dir, func(path, name string) (string, error) { return anyFile{}.Beside(context.Background(), path, name) })
		wantCode(t, located(err), code, "/input_path")
	}
}

// Damaged files end with a code and a sentence, never with a crash or a picture.
func TestDamagedFiles(t *testing.T) {
	t.Parallel()
	g := hexBox([3]float64{}, [3]float64{1, 1, 1}, 2)
	g.field("u", 1, xField)
	whole := g.vtu()
	noise := make([]byte, 3000)
	for i := range noise {
		noise[i] = byte(rand.IntN(256))
	}
	legacy := "# vtk DataFile Version 3.0\nt\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 4 float\n0 0 0 1 0 0 0 1 0 0 0 1\nCELLS 1 5\n4 0 1 2 %s\nCELL_TYPES 1\n10\n"
	for name, c := range map[string]struct{ file, content, code string }{
		"empty":              {"a.vtu", "", contract.CodeFileEmpty},
		"blank":              {"a.obj", " \n\n", contract.CodeFileEmpty},
		"noise as vtu":       {"a.vtu", string(noise), contract.CodeFileUnreadable},
		"noise as stl":       {"a.stl", string(noise), contract.CodeFileUnreadable},
		"noise as pvd":       {"a.pvd", string(noise), contract.CodeFileUnreadable},
		"cut vtu":            {"a.vtu", whole[:len(whole)/2], contract.CodeFileUnreadable},
		"cut at the end":     {"a.vtu", whole[:len(whole)-40], contract.CodeFileUnreadable},
		"text":               {"a.vtu", "hello world, this is no mesh", contract.CodeFileUnreadable},
		"no cells":           {"a.vtu", (&grid{points: [][3]float64{{0, 0, 0}}}).vtu(), contract.CodeFileEmpty},
		"empty series":       {"a.pvd", `<VTKFile type="Collection"><Collection/></VTKFile>`, contract.CodeFileEmpty},
		"point out of range": {"a.vtk", fmt.Sprintf(legacy, "9"), contract.CodeFileUnreadable},
		"not a number":       {"a.vtk", fmt.Sprintf(legacy, "x"), contract.CodeFileUnreadable},
		"offset too large":   {"a.vtu", strings.Replace(whole, ">8 16 ", ">8 9916 ", 1), contract.CodeFileUnreadable},
		"offset goes back":   {"a.vtu", strings.Replace(whole, ">8 16 ", ">16 8 ", 1), contract.CodeFileUnreadable},
		"one type too few":   {"a.vtu", strings.Replace(whole, "12</DataArray></Cells>", "</DataArray></Cells>", 1), contract.CodeFileUnreadable},
		"no such type":       {"a.vtu", strings.Replace(whole, ">12 12", ">99 12", 1), contract.CodeFileUnreadable},
		"too few nodes":      {"a.vtu", strings.Replace(whole, ">12 12", ">25 12", 1), contract.CodeFileUnreadable},
		"point not there":    {"a.vtu", strings.Replace(whole, "ascii\">0 1 2 3", "ascii\">0 1 2 3000", 1), contract.CodeFileUnreadable},
		"volume mesh":        {"a.mesh", "MFEM mesh v1.0\n", contract.CodeFileUnreadable},
	} {
		if c.content == whole {
			t.Fatalf("%s: the file is not damaged", name)
		}
		_, err := run(t, fmt.Sprintf(`{"input_path":%q,"width":64,"height":64}`, save(t, c.file, c.content)))
		if err == nil {
			t.Errorf("%s: no error", name)
			continue
		}
		if e := contract.AsError(err); e.Code != c.code || e.Field != "/input_path" {
			t.Errorf("%s: %s at %q: %s; want %s", name, e.Code, e.Field, e.Message, c.code)
		}
	}
}

// What only the handler can check is checked before the engine is started.
func TestContradictions(t *testing.T) {
	t.Parallel()
	path := save(t, "box.obj", boxOBJ(low, high))
	_, err := run(t, fmt.Sprintf(`{"input_path":%q,"output_color":false,"output_depth":false,"output_normal":false}`, path))
	wantCode(t, err, contract.CodeInvalidRequest, "/output_color")
	_, err = run(t, fmt.Sprintf(`{"input_path":%q,"colormap":"plasma"}`, path))
	wantCode(t, err, contract.CodeInvalidRequest, "/colormap")
	_, err = run(t, fmt.Sprintf(`{"input_path":%q,"field":"stress"}`, path))
	wantCode(t, err, contract.CodeInvalidRequest, "/field")
	_, err = run(t, fmt.Sprintf(`{"input_path":%q,"views":["front",{"position":[0,0,5],"focal_point":[0,0,0],"view_up":[0,0,1]}]}`, path))
	wantCode(t, err, contract.CodeInvalidRequest, "/views/1/view_up")
	_, err = run(t, fmt.Sprintf(`{"input_path":%q,"views":[{"position":[50,0,0],"focal_point":[90,0,0]}]}`, path))
	wantCode(t, err, "ERR_RENDER_PACK_FAILED", "/views")
	_, err = run(t, `{"input_path":"/nowhere/part.stl"}`)
	wantCode(t, err, contract.CodeFileNotFound, "/input_path")
}

func TestTooManyFiles(t *testing.T) {
	in := input{Views: make([]view, 22), OutputColor: true, OutputDepth: true, OutputNormal: true}
	limits := contract.DefaultLimits() // 64 files; 22 views of 3 images are 66
	_, err := in.check(limits)
	wantCode(t, err, contract.CodeArtifactTooMany, "/views")
	in.Views = in.Views[:21]
	if _, err = in.check(limits); err != nil {
		t.Error(err)
	}
	in.OutputGLB, limits.MaxArtifacts = true, 63
	_, err = in.check(limits)
	wantCode(t, err, contract.CodeArtifactTooMany, "/views")
}

// A view that sees nothing is a warning when another one does.
func TestOneViewSeesNothing(t *testing.T) {
	t.Parallel()
	path := save(t, "box.obj", boxOBJ(low, high))
	d := mustRun(t, fmt.Sprintf(`{"input_path":%q,"width":64,"height":64,"views":["front",{"position":[50,0,0],"focal_point":[90,0,0]}]}`, path))
	if len(d.result.Warnings) != 1 || d.result.Warnings[0].Code != "nothing_visible" || d.out.Views[1].DepthRange != nil {
		t.Errorf("warnings %v, view %+v", d.result.Warnings, d.out.Views[1])
	}
}

// CAD faces keep their ids: the field face_id is there, and its faces differ in colour.
func TestFaceIDs(t *testing.T) {
	t.Parallel()
	obj := "# atelier {\"length_unit\":\"mm\",\"faces\":[{\"id\":1},{\"id\":2}]}\n" +
		"v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 2 0 0\nv 2 1 0\ng face_1\nf 1 2 3 4\ng face_2\nf 2 5 6 3\n"
	d := mustRun(t, fmt.Sprintf(`{"input_path":%q,"field":"face_id","views":["front"],"lighting":false}`, save(t, "faces.obj", obj)))
	if d.out.LengthUnit != "mm" || d.out.Field.Min != 1 || d.out.Field.Max != 2 {
		t.Errorf("%q %+v", d.out.LengthUnit, d.out.Field)
	}
	img := d.picture(d.out.Views[0].ColorPath)
	var seen [2][3]int
	for i, x := range []float64{0.5, 1.5} {
		u, v, _ := d.project(0, [3]float64{x, 0.5, 0})
		seen[i] = rgb(img, int(u), int(v))
	}
	if seen[0] == seen[1] {
		t.Errorf("both faces are %v", seen[0])
	}
}

// The GLB holds the surface, the field's values and the deformation.
func TestGLB(t *testing.T) {
	t.Parallel()
	g := hexBox([3]float64{0, 0, 0}, [3]float64{4, 1, 1}, 2)
	g.field("temperature", 1, xField)
	g.field("displacement", 3, func(p [3]float64) []float64 { return []float64{0, p[0], 0} })
	path := save(t, "beam.vtu", g.vtu())
	d := mustRun(t, fmt.Sprintf(`{"input_path":%q,"field":"temperature","unit":"K","length_unit":"mm","warp":{"field":"displacement","scale":0.25},"output_glb":true,"output_depth":false,"output_normal":false,"width":64,"height":64}`, path))
	data, err := os.ReadFile(filepath.Join(d.dir, d.out.GLBPath))
	if err != nil {
		t.Fatal(err)
	}
	le := binary.LittleEndian
	if string(data[:4]) != "glTF" || int(le.Uint32(data[8:])) != len(data) {
		t.Fatal("no GLB, or of another length than it says")
	}
	size := le.Uint32(data[12:])
	var doc struct {
		Asset struct {
			Extras struct {
				Atelier struct {
					LengthUnit string `json:"length_unit"`
					Field      struct {
						Name, Unit string
						Range      [2]float64
					}
				}
			}
		}
		Meshes []struct {
			Weights    []float64
			Primitives []struct {
				Attributes map[string]int
				Targets    []map[string]int
				Indices    int
			}
		}
		Accessors []struct {
			BufferView, Count int
			Min, Max          []float64
		}
		BufferViews []struct{ ByteOffset, ByteLength int }
	}
	if err := json.NewDecoder(bytes.NewReader(data[20 : 20+size])).Decode(&doc); err != nil {
		t.Fatal(err)
	}
	p := doc.Meshes[0].Primitives[0]
	extras := doc.Asset.Extras.Atelier
	if extras.LengthUnit != "mm" || extras.Field.Name != "temperature" || extras.Field.Unit != "K" || extras.Field.Range != [2]float64{0, 4} {
		t.Errorf("extras: %+v", extras)
	}
	if a := doc.Accessors[p.Attributes["POSITION"]]; a.Max[0] != 4 || a.Max[1] != 1 {
		t.Errorf("positions reach to %v; the rest shape to (4, 1, 1)", a.Max)
	}
	if a := doc.Accessors[p.Attributes["_SCALAR"]]; a.Min[0] != 0 || a.Max[0] != 4 {
		t.Errorf("values from %v to %v", a.Min, a.Max)
	}
	if a := doc.Accessors[p.Targets[0]["POSITION"]]; a.Max[1] != 4 || doc.Meshes[0].Weights[0] != 0.25 {
		t.Errorf("the morph target moves by %v, weight %v", a.Max, doc.Meshes[0].Weights)
	}
	if a := doc.Accessors[p.Indices]; a.Count != 3*48 { // 6 sides of 4 faces of 2 triangles
		t.Errorf("%d indices", a.Count)
	}
	// At every vertex the value is the x coordinate.
	body := data[28+size:]
	at := func(accessor, i int) float64 {
		return float64(math.Float32frombits(le.Uint32(body[doc.BufferViews[doc.Accessors[accessor].BufferView].ByteOffset+4*i:])))
	}
	for i := range doc.Accessors[p.Attributes["_SCALAR"]].Count {
		if x, s := at(p.Attributes["POSITION"], 3*i), at(p.Attributes["_SCALAR"], i); x != s {
			t.Fatalf("vertex %d at x = %g has the value %g", i, x, s)
		}
	}
}

// The same call gives the same files.
func TestDeterministic(t *testing.T) {
	t.Parallel()
	path := save(t, "ball.ply", spherePLY(1))
	in := fmt.Sprintf(`{"input_path":%q,"width":300,"height":200,"output_glb":true}`, path)
	a, b := mustRun(t, in), mustRun(t, in)
	for _, f := range a.result.Artifacts {
		x, _ := os.ReadFile(filepath.Join(a.dir, f.Name))
		y, _ := os.ReadFile(filepath.Join(b.dir, f.Name))
		if !bytes.Equal(x, y) {
			t.Errorf("%s differs between two runs", f.Name)
		}
	}
	if !bytes.Equal(a.raw, b.raw) {
		t.Error("the outputs differ between two runs")
	}
}

// A cancelled call ends soon and leaves no array files behind.
func TestCancelled(t *testing.T) {
	t.Parallel()
	needEngine(t)
	dir := t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	tool := renderPack(host)
	call := &contract.Call{JobID: "job_1", Dir: dir, Limits: tool.Contract.DefaultLimits(), Files: anyFile{}, Report: func(contract.Event) {}}
	started := time.Now()
	_, err := tool.Run(ctx, call, json.RawMessage(fmt.Sprintf(`{"input_path":%q}`, save(t, "box.obj", boxOBJ(low, high)))))
	wantCode(t, err, contract.CodeCancelled, "")
	left, _ := os.ReadDir(dir)
	if len(left) != 0 || time.Since(started) > 5*time.Second {
		t.Errorf("%d files left after %v", len(left), time.Since(started))
	}
}
