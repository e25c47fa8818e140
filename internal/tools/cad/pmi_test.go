package cad

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"atelier/internal/contract"
	"atelier/internal/geometry"
	"atelier/internal/part21"
	"atelier/internal/pmi"
	"atelier/internal/testenv"
)

// Every size that a file states is that of the faces that it states it of: the diameter of a
// cylinder, the radius of a sphere, the distance of two parallel planes. The shape is read
// by OpenCASCADE from other instances than the sizes.
func TestSizesAreThoseOfTheirFaces(t *testing.T) {
	host := newHost(t, occt)
	for name, want := range map[string]struct{ all, round, flat int }{
		"nist_ctc_01.stp": {21, 7, 0},
		"nist_ctc_03.stp": {29, 7, 1},
		"nist_ctc_05.stp": {20, 1, 0},
		"nist_ftc_06.stp": {68, 14, 4},
	} {
		got := good(t, host, map[string]any{"file_path": testenv.StepFile(t, name)})
		all := got.pmi(t)
		if len(all) != want.all || got.out.PMICount != want.all || len(got.out.PMI) != min(want.all, inlinePMI) {
			t.Errorf("%s: %d annotations, %d counted, %d told", name, len(all), got.out.PMICount, len(got.out.PMI))
		}
		faces := got.listedFaces(t)
		unit := geometry.LengthUnits[got.out.LengthUnit]
		round, flat := 0, 0
		for _, a := range all {
			if a.Kind != pmi.KindDimension || a.Value == nil || a.Unit == "deg" {
				continue
			}
			size := *a.Value * geometry.LengthUnits[a.Unit]
			switch {
			case strings.HasSuffix(a.Type, "diameter"), strings.HasSuffix(a.Type, "radius"):
				if strings.HasSuffix(a.Type, "diameter") {
					size /= 2
				}
				for _, id := range a.Faces {
					r := faces[id-1].Radius * unit
					if faces[id-1].Kind == "torus" { // a fillet along an arc
						r = faces[id-1].MinorRadius * unit
					}
					if r > 0 {
						near(t, name+": "+a.Text, r, size, 1e-5)
					}
				}
				round++
			case len(a.Faces) == 2:
				p, q := faces[a.Faces[0]-1], faces[a.Faces[1]-1]
				if p.Kind == "plane" && q.Kind == "plane" && math.Abs(dot(*p.Normal, *q.Normal)) > 1-1e-9 {
					between := [3]float64{q.Centroid[0] - p.Centroid[0], q.Centroid[1] - p.Centroid[1], q.Centroid[2] - p.Centroid[2]}
					apart := math.Abs(dot(between, *p.Normal)) * unit
					if apart < 1e-9 { // of one plane: the size lies within it
						continue
					}
					near(t, name+": "+a.Text, apart, size, 1e-6)
					flat++
				}
			}
		}
		if round != want.round || flat != want.flat {
			t.Errorf("%s: %d round sizes and %d flat ones were compared", name, round, flat)
		}
	}
}

// Exporters write down how large the faces are that each annotation is of (validation
// property "affected area", of their own triangles): the faces that are named must be those.
func TestFacesOfAnnotationsHaveTheAreaThatTheExporterStates(t *testing.T) {
	host := newHost(t, occt)
	for name, want := range map[string]struct {
		compared int
		other    int // distances for which the exporter has measured other faces than it names
	}{"nist_ctc_03.stp": {29, 0}, "nist_ftc_06.stp": {49, 3}} {
		path := testenv.StepFile(t, name)
		got := good(t, host, map[string]any{"file_path": path})
		faces, told := got.listedFaces(t), got.pmi(t)
		part, err := contentsOf(t.Context(), path, "step")
		if err != nil {
			t.Fatal(err)
		}
		areas := affectedAreas(t, path)
		compared, other := 0, 0
		for n, a := range part.pmi.Annotations() {
			stated, ok := areas[a.Instance]
			if !ok {
				continue
			}
			sum := 0.0
			for _, id := range told[n].Faces {
				sum += faces[id-1].Area
			}
			sum *= math.Pow(geometry.LengthUnits[got.out.LengthUnit], 2)
			if compared++; a.Type == "distance" && stated > 2*sum {
				other++
				continue
			}
			near(t, name+": "+a.Text, sum, stated, 0.01)
		}
		if compared != want.compared || other != want.other {
			t.Errorf("%s: %d areas were compared, %d of other faces", name, compared, other)
		}
	}
}

// affectedAreas are the areas that the file states of annotations, by their instances, in m².
func affectedAreas(t *testing.T, path string) map[int]float64 {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	all, described := map[int]part21.Record{}, map[int]int{}
	if _, err := part21.Read(f, func(string) bool { return true }, func(i part21.Instance) {
		all[i.ID] = i.Records[0]
		if r := i.Records[0]; r.Keyword == "PROPERTY_DEFINITION_REPRESENTATION" {
			described[r.At(0).ID] = r.At(1).ID
		}
	}); err != nil {
		t.Fatal(err)
	}
	out := map[int]float64{}
	for id, property := range all {
		if property.Keyword != "PROPERTY_DEFINITION" || property.At(0).String() != "pmi validation property" {
			continue
		}
		for _, item := range all[described[id]].References() {
			if r := all[item]; r.Keyword == "MEASURE_REPRESENTATION_ITEM" && r.At(0).String() == "affected area" {
				length := all[all[all[r.At(2).ID].References()[0]].At(0).ID] // the unit of the unit's one element
				metres := map[bool]float64{true: 0.0254, false: 0.001}[strings.EqualFold(length.At(0).String(), "inch")]
				area, _ := r.At(1).Real()
				out[property.At(2).ID] = area * metres * metres
			}
		}
	}
	return out
}

func dot(a, b [3]float64) float64 { return a[0]*b[0] + a[1]*b[1] + a[2]*b[2] }

// pmi reads the file of all annotations.
func (r imported) pmi(t *testing.T) []pmi.Annotation {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(r.dir, filepath.FromSlash(r.out.PMIFile)))
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		PMI []pmi.Annotation `json:"pmi"`
	}
	if err := json.Unmarshal(raw, &file); err != nil {
		t.Fatal(err)
	}
	return file.PMI
}

// What a file has as lines only is counted and said; a file without annotations says none.
func TestAnnotationsWithoutWords(t *testing.T) {
	host := newHost(t, occt)
	if got := good(t, host, map[string]any{"file_path": testenv.StepFile(t, "nist_ctc_05.stp")}); !got.warned("pmi_without_words") || got.out.PMIDrawn == 0 {
		t.Errorf("%d drawn, %v", got.out.PMIDrawn, got.Warnings)
	}
	got := good(t, host, map[string]any{"file_path": writeFile(t, "box.igs", igesBox(1, 2, 3, 6, 0))})
	if got.out.PMIFile != "" || got.out.PMICount != 0 || got.warned("pmi_without_words") || slices.ContainsFunc(got.Artifacts, func(a contract.Artifact) bool { return a.Name == pmiFile }) {
		t.Errorf("%+v", got.out)
	}
}
