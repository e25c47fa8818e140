package cad

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"testing"

	"atelier/internal/contract"
	"atelier/internal/engine"
	"atelier/internal/evidence"
	"atelier/internal/geometry"
	"atelier/internal/runner"
	"atelier/internal/testenv"
)

func TestMain(m *testing.M) {
	engine.SandboxMain()
	os.Exit(m.Run())
}

// anyFile resolves file arguments to themselves.
type anyFile struct{}

func (anyFile) Beside(_ context.Context, path, name string) (string, error) {
	return filepath.Join(filepath.Dir(path), name), nil
}

func (anyFile) Path(_ context.Context, ref string) (string, error) {
	if _, err := os.Stat(ref); errors.Is(err, fs.ErrNotExist) {
		return "", contract.Errorf(contract.CodeFileNotFound, "there is no file %s", ref)
	}
	return filepath.Abs(ref)
}

func newHost(t *testing.T, engines ...string) *engine.LocalHost {
	t.Helper()
	host, err := engine.NewHost(engine.Options{Root: testenv.Engines(), Work: t.TempDir(), Threads: 2})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { host.Close() })
	testenv.NeedEngines(t, host, engines...)
	return host
}

// imported is the outcome of one call of the tool.
type imported struct {
	*contract.Result
	out importOutput
	dir string
	ev  *evidence.Evidence
}

// run calls the tool as the server does: validated, in the sandbox, output checked.
func run(t *testing.T, host engine.Host, input map[string]any, adjust ...func(*contract.Limits)) imported {
	t.Helper()
	raw, err := json.Marshal(input)
	if err != nil {
		t.Fatal(err)
	}
	tool := Tools(host)[0]
	limits := tool.Contract.DefaultLimits()
	for _, f := range adjust {
		f(&limits)
	}
	got := imported{dir: t.TempDir()}
	got.Result = runner.New()(context.Background(), &runner.Request{
		Tool: &tool, Input: raw, JobID: "job1", Dir: got.dir, Files: anyFile{}, Limits: limits,
	})
	if got.Status != contract.StatusError {
		decoded := struct {
			importOutput
		}{}
		if err := json.Unmarshal(got.OutputJSON(), &decoded); err != nil {
			t.Fatal(err)
		}
		got.out, got.ev = decoded.importOutput, got.Evidence
	}
	return got
}

// good runs the tool and expects success.
func good(t *testing.T, host engine.Host, input map[string]any) imported {
	t.Helper()
	got := run(t, host, input)
	if got.Status != contract.StatusOK {
		t.Fatalf("%v\n%s", got.Errors, got.Log.Stderr)
	}
	return got
}

// check is the one of that name.
func (got imported) check(t *testing.T, name string) evidence.Check {
	t.Helper()
	for _, c := range got.ev.Checks() {
		if c.Name == name {
			return c
		}
	}
	t.Fatalf("there is no check %s", name)
	return evidence.Check{}
}

// refused runs the tool and expects an error of the code, with a hint.
func refused(t *testing.T, host engine.Host, code string, input map[string]any) *contract.Error {
	t.Helper()
	got := run(t, host, input)
	if got.Status != contract.StatusError || got.Errors[0].Code != code {
		t.Fatalf("status %s, errors %v; expected %s", got.Status, got.Errors, code)
	}
	if got.Errors[0].Hint == "" {
		t.Errorf("%s has no hint: %v", code, got.Errors[0])
	}
	return got.Errors[0]
}

func (r imported) mesh(t *testing.T) *geometry.Mesh {
	t.Helper()
	m, err := geometry.Read(filepath.Join(r.dir, filepath.FromSlash(r.out.FileName)))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func (r imported) bytes(t *testing.T) []byte {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(r.dir, filepath.FromSlash(r.out.FileName)))
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// allFaces are the faces of the faces file by name.
func (r imported) allFaces(t *testing.T) map[string]faceRecord {
	t.Helper()
	byName := map[string]faceRecord{}
	for i, f := range r.listedFaces(t) {
		if f.ID != i+1 {
			t.Errorf("face %d of faces.json has id %d", i+1, f.ID)
		}
		byName[f.Name] = f
	}
	return byName
}

// listedFaces reads the faces file.
func (r imported) listedFaces(t *testing.T) []faceRecord {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(r.dir, filepath.FromSlash(r.out.FacesFile)))
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		LengthUnit string       `json:"length_unit"`
		Faces      []faceRecord `json:"faces"`
	}
	if err := json.Unmarshal(raw, &file); err != nil {
		t.Fatal(err)
	}
	if file.LengthUnit != r.out.LengthUnit || len(file.Faces) != r.out.Faces {
		t.Errorf("faces.json has unit %q and %d faces, the output %q and %d", file.LengthUnit, len(file.Faces), r.out.LengthUnit, r.out.Faces)
	}
	return file.Faces
}

type faceRecord struct {
	ID          int         `json:"id"`
	Name        string      `json:"name"`
	Kind        string      `json:"kind"`
	Area        float64     `json:"area"`
	Body        int         `json:"body"`
	Centroid    [3]float64  `json:"centroid"`
	Normal      *[3]float64 `json:"normal"`
	Axis        *[3]float64 `json:"axis"`
	Radius      float64     `json:"radius"`
	MinorRadius float64     `json:"minor_radius"`
	Concave     bool        `json:"concave"`
	Color       *[3]float64 `json:"color"`
}

func near(t *testing.T, what string, got, want, relative float64) {
	t.Helper()
	if math.IsNaN(got) || math.Abs(got-want) > relative*math.Max(math.Abs(want), 1e-12) {
		t.Errorf("%s is %.9g, expected %.9g within %.1g", what, got, want, relative)
	}
}

func (r imported) warned(code string) bool {
	for _, w := range r.Warnings {
		if w.Code == code {
			return true
		}
	}
	return false
}
