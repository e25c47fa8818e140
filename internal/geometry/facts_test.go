package geometry

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"testing"

	"atelier/internal/testenv"
)

// sharedMeshes is the folder of real files nobody here wrote; tests that need
// it skip where it is missing.
func sharedMeshes(t testing.TB) string {
	t.Helper()
	return testenv.Shared(t, "data", "meshes")
}

// fact holds what independent programs (numpy counts, pymeshlab) say of a file.
type fact struct {
	Vertices    int           `json:"vertices"`
	Faces       int           `json:"faces"`
	Volume      float64       `json:"volume"`
	Area        float64       `json:"area"`
	SelfFaces   int           `json:"self_int_faces"`
	Degenerate  int           `json:"degenerate_faces"`
	BBox        [2][3]float64 `json:"bbox"`
	Independent struct {
		Boundary    int      `json:"boundary_edges"`
		BoundaryCC  int      `json:"boundary_components"`
		NonManifold int      `json:"nonmanifold_edges"`
		Isolated    int      `json:"nonmanifold_vertices_isolated"`
		Inconsist   int      `json:"inconsistent_edges"`
		Components  int      `json:"components"`
		Euler       int      `json:"euler"`
		Volume      *float64 `json:"volume"`
	} `json:"independent"`
	IndepError string `json:"indep_error"`
}

func readFacts(t testing.TB) (string, map[string]fact) {
	t.Helper()
	dir := sharedMeshes(t)
	raw, err := os.ReadFile(filepath.Join(dir, "facts.json"))
	if err != nil {
		t.Fatal(err)
	}
	facts := map[string]fact{}
	if err := json.Unmarshal(raw, &facts); err != nil {
		t.Fatal(err)
	}
	return dir, facts
}

func TestRealFilesAgainstFacts(t *testing.T) {
	dir, facts := readFacts(t)
	for name, f := range facts {
		t.Run(name, func(t *testing.T) {
			m, err := Read(filepath.Join(dir, name))
			if err != nil {
				t.Fatal(err)
			}
			top := m.Check()
			if f.IndepError != "" { // wallhole.obj: the reference reader stopped at a continued line
				if len(m.Triangles) < f.Faces {
					t.Errorf("%d triangles, pymeshlab has %d", len(m.Triangles), f.Faces)
				}
				return
			}
			in := f.Independent
			got := []int{top.Vertices, top.Triangles, top.BoundaryEdges, top.BoundaryLoops, top.NonManifoldEdges,
				top.NonManifoldVertices, top.InconsistentEdges, top.Components, top.Euler}
			want := []int{f.Vertices, f.Faces, in.Boundary, in.BoundaryCC, in.NonManifold, in.Isolated, in.Inconsist, in.Components, in.Euler}
			for i, what := range []string{"vertices", "triangles", "boundary edges", "boundary components", "non-manifold edges",
				"non-manifold vertices", "inconsistent edges", "components", "Euler characteristic"} {
				if got[i] != want[i] {
					t.Errorf("%s: %d, facts.json has %d", what, got[i], want[i])
				}
			}
			lo, hi := m.Bounds()
			for k := range 3 {
				if math.Abs(lo[k]-f.BBox[0][k]) > 1e-7*math.Abs(lo[k]) || math.Abs(hi[k]-f.BBox[1][k]) > 1e-7*math.Abs(hi[k]) {
					t.Errorf("box %v %v, facts.json has %v", lo, hi, f.BBox)
				}
			}
			if top.Closed && top.Oriented && in.Volume != nil && math.Abs(m.Volume()-*in.Volume) > 1e-9*math.Abs(*in.Volume) {
				t.Errorf("volume %.12g, facts.json has %.12g", m.Volume(), *in.Volume)
			}
			t.Logf("%+v degenerate %d (facts %d)", top, top.DegenerateFaces, f.Degenerate)
		})
	}
}
