package mesh

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"atelier/internal/contract"
	"atelier/internal/evidence"
	"atelier/internal/geometry"
	"atelier/internal/runner"
	"atelier/internal/testenv"
)

// folder resolves file references to paths as they are.
type folder struct{ contract.Files }

func (folder) Path(_ context.Context, ref string) (string, error) {
	if _, err := os.Stat(ref); err != nil {
		return "", contract.Errorf(contract.CodeFileNotFound, "%s does not exist", ref)
	}
	return ref, nil
}

// Beside is asked by no tool of this family: their formats are single files.
func (folder) Beside(_ context.Context, _, name string) (string, error) {
	return "", contract.Errorf(contract.CodeFileNotFound, "%s does not exist", name)
}

func call(t testing.TB, dir string) *contract.Call {
	return &contract.Call{
		Tool: "mesh_repair_pmp", JobID: "job_test", Dir: dir, Limits: contract.DefaultLimits(),
		Files: folder{}, Report: func(contract.Event) {},
	}
}

// through runs a tool as the server does: input, output and evidence are held
// against the contract.
func through[T any](t testing.TB, tool contract.Tool, input map[string]any) (out T, res *contract.Result, dir string, err error) {
	t.Helper()
	raw, err := json.Marshal(input)
	if err != nil {
		t.Fatal(err)
	}
	if faults := tool.Contract.ValidateInput(raw); len(faults) > 0 {
		t.Fatalf("input %s: %v", raw, faults)
	}
	dir = t.TempDir()
	res = runner.New()(t.Context(), &runner.Request{
		Tool: &tool, Input: raw, JobID: "job_test", Dir: dir, Files: folder{}, Limits: tool.Contract.DefaultLimits(),
	})
	if res.Status == contract.StatusError {
		return out, nil, dir, res.Errors[0]
	}
	if err := json.Unmarshal(res.OutputJSON(), &out); err != nil {
		t.Fatal(err)
	}
	return out, res, dir, nil
}

// repairFile runs mesh_repair_pmp.
func repairFile(t testing.TB, input map[string]any) (repairOutput, *contract.Result, string, error) {
	t.Helper()
	return through[repairOutput](t, meshRepair, input)
}

func sharedMeshes(t testing.TB) string {
	t.Helper()
	return testenv.Shared(t, "data", "meshes")
}

// verdict is what must become of one real file; the reasons stand in the table.
type verdict struct {
	Code            string   `json:"code"` // of the refusal; empty: it is repaired
	Volume          *float64 `json:"volume"`
	VolumeTolerance float64  `json:"volume_tolerance"`
	Trust           string   `json:"trust"`
	Why             string   `json:"why"`
}

// Every real file becomes a closed, oriented manifold, or is refused with the
// code and reason of the table; the files written are what is judged.
func TestRealFiles(t *testing.T) {
	dir := sharedMeshes(t)
	raw, err := os.ReadFile("testdata/repair_table.json")
	if err != nil {
		t.Fatal(err)
	}
	table := map[string]verdict{}
	if err := json.Unmarshal(raw, &table); err != nil {
		t.Fatal(err)
	}
	for name, want := range table {
		t.Run(name, func(t *testing.T) {
			start := time.Now()
			out, res, job, err := repairFile(t, map[string]any{"input_path": filepath.Join(dir, name), "target_decimation_faces": 5000})
			if want.Code != "" {
				var e *contract.Error
				if !errors.As(err, &e) || e.Code != want.Code || e.Hint == "" {
					t.Fatalf("%v, want %s with a hint", err, want.Code)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			for _, file := range []string{out.RepairedFile, out.DecimatedFile} {
				m, err := geometry.Read(filepath.Join(job, file))
				if err != nil {
					t.Fatal(err)
				}
				if top := m.Check(); !top.Sound() || m.Volume() <= 0 {
					t.Errorf("%s: volume %g %+v", file, m.Volume(), top)
				}
			}
			if v := *out.Repaired.Volume; math.Abs(v-*want.Volume) > want.VolumeTolerance**want.Volume {
				t.Errorf("volume %.9g, want %.9g within %g", v, *want.Volume, want.VolumeTolerance)
			}
			if string(res.Evidence.Trust()) != want.Trust {
				t.Errorf("trust %s, want %s: %v", res.Evidence.Trust(), want.Trust, res.Evidence.Reasons())
			}
			t.Logf("%v vol %.9g self %d->%d decimated %d vol %.6g dev %.3g/%.3g self %d %v", time.Since(start), *out.Repaired.Volume, out.Initial.IntersectingFaces, out.Repaired.IntersectingFaces,
				out.Decimation.Faces, *out.Decimated.Volume, out.Decimation.MaxDeviation, out.Decimation.RMSDeviation, out.Decimated.IntersectingFaces, res.Warnings)
		})
	}
	if len(table) != 15 {
		t.Errorf("the table has %d rows, there are 15 files", len(table))
	}
	refused := 0
	for _, v := range table {
		if v.Code != "" {
			refused++
		}
	}
	if refused > 2 {
		t.Errorf("%d files are refused; at most 2 may be", refused)
	}
}

// The example call of api/spec/agent.md.
func TestExampleCall(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "model.obj")
	// A unit cube without its top: volume 1 once the square hole is filled.
	obj := "# atelier {\"length_unit\":\"mm\",\"faces\":[{\"id\":1,\"name\":\"Floor\"},{\"id\":2,\"name\":\"Walls\"}]}\n" +
		"v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nv 1 0 1\nv 1 1 1\nv 0 1 1\n" +
		"g face_1\nf 1 4 3 2\ng face_2\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n"
	if err := os.WriteFile(path, []byte(obj), 0o600); err != nil {
		t.Fatal(err)
	}
	out, res, job, err := repairFile(t, map[string]any{
		"input_path": path, "target_decimation_faces": 5000, "fill_holes": true, "resolve_intersections": true,
	})
	if err != nil {
		t.Fatal(err)
	}
	if math.Abs(*out.Repaired.Volume-1) > 1e-12 || math.Abs(out.Repaired.Area-6) > 1e-12 {
		t.Errorf("volume %g area %g, want 1 and 6", *out.Repaired.Volume, out.Repaired.Area)
	}
	if out.DefectReport != (defectReport{InitialHoles: 1}) {
		t.Errorf("defects %+v, want one hole", out.DefectReport)
	}
	if res.Metrics["initial_holes"] != 1 || res.Solver != "atelier" {
		t.Errorf("metrics %v solver %s", res.Metrics, res.Solver)
	}
	// A sixth of the surface was made up: nothing says that the part is closed there.
	if res.Evidence.Trust() != evidence.Suspect || !strings.Contains(res.Evidence.Reasons()[0], "filled_area") {
		t.Errorf("%s: %v", res.Evidence.Trust(), res.Evidence.Reasons())
	}
	if out.ArtifactURL != "/v1/jobs/job_test/artifacts/repaired_mesh.obj" || out.DecimatedURL != "/v1/jobs/job_test/artifacts/decimated_mesh.obj" {
		t.Errorf("URLs %s %s", out.ArtifactURL, out.DecimatedURL)
	}
	m, err := geometry.Read(filepath.Join(job, "repaired_mesh.obj"))
	if err != nil {
		t.Fatal(err)
	}
	if m.Meta.LengthUnit != "mm" || len(m.Meta.Faces) != 2 || m.Meta.Faces[1].Name != "Walls" {
		t.Errorf("metadata %+v", m.Meta)
	}
	// The lid lies between walls only, so it counts to them: 8 + 2 triangles.
	count := map[int32]int{}
	for _, f := range m.FaceID {
		count[f]++
	}
	if count[1] != 2 || count[2] != 10 {
		t.Errorf("triangles by face %v, want 1:2 2:10", count)
	}
}

func TestFormatsKeepWhatTheyCan(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "two.obj")
	// Two cubes that touch along one edge: 4 triangles on that edge.
	var b strings.Builder
	b.WriteString("# atelier {\"length_unit\":\"mm\"}\n")
	for i, o := range [][2]float64{{0, 0}, {1, 1}} {
		for _, v := range [][3]float64{{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}} {
			b.WriteString("v " + num(v[0]+o[0]) + " " + num(v[1]+o[1]) + " " + num(v[2]) + "\n")
		}
		b.WriteString("g face_" + num(float64(i+1)) + "\n")
		for _, f := range []string{"-8 -5 -6 -7", "-4 -3 -2 -1", "-8 -7 -3 -4", "-7 -6 -2 -3", "-6 -5 -1 -2", "-5 -8 -4 -1"} {
			b.WriteString("f " + f + "\n")
		}
	}
	if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, format := range []string{"obj", "stl", "ply", "off", "glb"} {
		t.Run(format, func(t *testing.T) {
			out, res, job, err := repairFile(t, map[string]any{"input_path": path, "output_format": format})
			if err != nil {
				t.Fatal(err)
			}
			m, err := geometry.Read(filepath.Join(job, out.RepairedFile))
			if err != nil {
				t.Fatal(err)
			}
			top := m.Check()
			if !top.Sound() || top.Components != 2 || math.Abs(m.Volume()-2) > 1e-3 {
				t.Errorf("volume %g %+v", m.Volume(), top)
			}
			if out.DefectReport.InitialNonManifoldEdges != 1 || out.Actions.EdgesCut != 1 {
				t.Errorf("defects %+v", out.DefectReport)
			}
			if m.Meta.LengthUnit != "mm" {
				t.Errorf("unit %q", m.Meta.LengthUnit)
			}
			if hasFaces := m.FaceID != nil; hasFaces != (format != "off") {
				t.Errorf("face ids %v", hasFaces)
			}
			spread := slices.ContainsFunc(res.Warnings, func(w contract.Warning) bool { return w.Code == "coincident_vertices" })
			if spread != (format == "stl") {
				t.Errorf("warnings %v", res.Warnings)
			}
		})
	}
}

func num(x float64) string { b, _ := json.Marshal(x); return string(b) }
