package mesh

import (
	"context"
	"slices"
	"testing"

	"atelier/internal/contract"
	"atelier/internal/evidence"
	"atelier/internal/runner"
)

// ofCAD is a folder whose files come from one CAD model.
type ofCAD struct {
	folder
	origin *evidence.Origin
}

func (f ofCAD) Origin(context.Context, string) (*evidence.Origin, error) { return f.origin, nil }

// The areas of a box are known: 20 × 10 × 8 mm has two faces each of 80, 160 and 200 mm².
func boxOrigin() *evidence.Origin {
	volume, area := 1600.0, 880.0
	o := &evidence.Origin{Source: "box.step", Exact: true, LengthUnit: "mm", Bodies: 1, Volume: &volume, Area: &area,
		Min: []float64{0, 0, 0}, Max: []float64{20, 10, 8}}
	for i, a := range []float64{80, 80, 160, 160, 200, 200} {
		o.Faces = append(o.Faces, evidence.OriginFace{ID: i + 1, Area: a})
	}
	return o
}

func TestFacesOfTheOrigin(t *testing.T) {
	file := plate(t, 20, 10, 8)
	for name, c := range map[string]struct {
		change func(*evidence.Origin)
		failed []string
	}{
		"as it is": {func(*evidence.Origin) {}, nil},
		"in metres": {func(o *evidence.Origin) {
			o.LengthUnit, *o.Volume, *o.Area, o.Max = "m", *o.Volume*1e-9, *o.Area*1e-6, []float64{0.02, 0.01, 0.008}
			for i := range o.Faces {
				o.Faces[i].Area *= 1e-6
			}
		}, nil},
		"a face was lost": {func(o *evidence.Origin) {
			o.Faces = append(o.Faces, evidence.OriginFace{ID: 7, Name: "bore", Area: 12})
		}, []string{"faces_of_origin"}},
		"a face has shrunk":     {func(o *evidence.Origin) { o.Faces[5].Area = 220 }, []string{"face_area_of_origin"}},
		"facts of another mesh": {func(o *evidence.Origin) { o.Exact, o.Faces[5].Area = false, 220 }, nil},
	} {
		t.Run(name, func(t *testing.T) {
			origin := boxOrigin()
			c.change(origin)
			res := runner.New()(t.Context(), &runner.Request{
				Tool: &volumeMesh, Input: []byte(`{"input_path":"` + file + `","dx":1.5}`), JobID: "job_test", Dir: t.TempDir(),
				Files: ofCAD{origin: origin}, Limits: volumeMesh.Contract.DefaultLimits(),
			})
			if res.Status == contract.StatusError {
				t.Fatal(res.Errors)
			}
			var failed []string
			for _, check := range res.Evidence.Checks() {
				if !check.Passed {
					failed = append(failed, check.Name)
				}
			}
			if !slices.Equal(failed, c.failed) {
				t.Errorf("failed checks %v instead of %v", failed, c.failed)
			}
			if got := res.Evidence.Trust() == evidence.Suspect; got != (c.failed != nil) {
				t.Errorf("trust is %s with failed checks %v", res.Evidence.Trust(), failed)
			}
		})
	}
}

// A surface without the faces' ids cannot be held against them, and says so.
func TestFacesThatAreNotTraced(t *testing.T) {
	var s evidence.Statement
	holdFaces(&s, nil, boxOrigin(), "mm", false)
	if len(s.Checks) != 0 || len(s.Notes) != 1 {
		t.Errorf("checks %v, notes %v", s.Checks, s.Notes)
	}
}
