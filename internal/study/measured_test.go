package study

import (
	"encoding/json"
	"fmt"
	"math"
	"testing"

	"atelier/internal/contract"
	"atelier/internal/geometry"
	"atelier/internal/shape"
	"atelier/internal/testenv"
)

// box is the geometry of a block with its six CAD faces, in mm: x_min, x_max and so on.
func box(t *testing.T, size geometry.Vec3) *shape.Geometry {
	t.Helper()
	surface := &geometry.Mesh{}
	surface.Meta.LengthUnit = "mm"
	var faces []shape.Face
	for axis := range 3 {
		for side := range 2 {
			at := int32(len(surface.Vertices))
			u, v := (axis+1)%3, (axis+2)%3
			for _, c := range [][2]float64{{0, 0}, {1, 0}, {1, 1}, {0, 1}} {
				var p geometry.Vec3
				p[axis], p[u], p[v] = float64(side)*size[axis], c[0]*size[u], c[1]*size[v]
				surface.Vertices = append(surface.Vertices, p)
			}
			id := 2*axis + side + 1
			surface.Triangles = append(surface.Triangles, [3]int32{at, at + 1, at + 2}, [3]int32{at, at + 2, at + 3})
			surface.FaceID = append(surface.FaceID, int32(id), int32(id))
			f := shape.Face{ID: id, Kind: "plane", Area: size[u] * size[v], Normal: []float64{0, 0, 0}}
			f.Normal[axis] = float64(2*side - 1)
			for i := range 3 {
				f.Centroid[i] = size[i] / 2
			}
			f.Centroid[axis] = float64(side) * size[axis]
			faces = append(faces, f)
		}
	}
	raw, err := json.Marshal(map[string]any{"length_unit": "mm", "faces": faces})
	if err != nil {
		t.Fatal(err)
	}
	g, err := shape.NewGeometry(surface, raw)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// bcs are the conditions that a solver would get of a study about a box.
func bcs(t *testing.T, g *shape.Geometry, document string) ([]map[string]any, error) {
	t.Helper()
	s, err := Read(json.RawMessage(document))
	if err != nil {
		t.Fatal(err)
	}
	name := keys(s.Analyses)[0]
	run := &solver{execution: &execution{study: s}, name: name, family: families[s.Analyses[name].Type], part: "box", mesh: &meshed{shape: g}, config: map[string]any{}, places: map[string]string{}, resolv: &shape.Resolver{Geometry: g}}
	if err := run.conditions(); err != nil {
		return nil, err
	}
	var out []map[string]any
	if err := json.Unmarshal(encode(run.config["bcs"]), &out); err != nil {
		t.Fatal(err)
	}
	return out, nil
}

// Totals are spread over the measured faces: a power over the area, a flow rate and a mean
// speed into a face, a force against its normal.
func TestTotalsAreSpreadOverMeasuredFaces(t *testing.T) {
	rng := testenv.Random(t)
	for range 50 {
		size := geometry.Vec3{10 + 90*rng.Float64(), 10 + 90*rng.Float64(), 10 + 90*rng.Float64()}
		g := box(t, size)
		watts, litres, newtons := 1+99*rng.Float64(), 0.1+rng.Float64(), 1+999*rng.Float64()
		study := func(kind, section, condition string) string {
			return fmt.Sprintf(`{"study":"1.0","parts":{"box":{"file":"box.step"}},%q:{"c":%s},"analyses":{"a":{"type":%q}}}`, section, condition, kind)
		}
		list, err := bcs(t, g, study("heat", "loads", fmt.Sprintf(`{"type":"heat_flux","on":["left","top"],"power":"%g W"}`, watts)))
		area := (size[1]*size[2] + size[0]*size[1]) * 1e-6
		if err != nil || math.Abs(list[0]["value"].(float64)-watts/area) > 1e-9*watts/area || list[0]["power"] != nil {
			t.Errorf("%g W over %g m²: %v (%v)", watts, area, list, err)
		}
		list, err = bcs(t, g, study("flow", "supports", fmt.Sprintf(`{"type":"inlet","on":"end_max","flow_rate":"%g l/min"}`, litres)))
		longest := g.Longest()
		across := size[(longest+1)%3] * size[(longest+2)%3] * 1e-6
		if v := list[0]["velocity"].([]any)[longest].(float64); err != nil || math.Abs(v+litres/60e3/across) > 1e-9*math.Abs(v) {
			t.Errorf("%g l/min through %g m²: %v (%v)", litres, across, list, err)
		}
		list, err = bcs(t, g, study("flow", "supports", `{"type":"inlet","on":"front","speed":"0.2 m/s"}`))
		if v := fmt.Sprint(list[0]["velocity"]); err != nil || v != "[0 0.2 0]" {
			t.Errorf("into the front: %s (%v)", v, err)
		}
		list, err = bcs(t, g, study("buckling", "loads", fmt.Sprintf(`{"type":"load","on":"top","push":%g}`, newtons)))
		if v := list[0]["force"].([]any)[2].(float64); err != nil || math.Abs(v+newtons) > 1e-9*newtons {
			t.Errorf("push %g: %v (%v)", newtons, list, err)
		}
		for at, condition := range map[string][3]string{
			"/loads/c/power":    {"heat", "loads", `{"type":"heat_flux","on":"left","power":"3 W","value":2}`},
			"/loads/c/push":     {"static", "loads", `{"type":"load","on":["left","top"],"push":"3 N"}`},
			"/supports/c/speed": {"flow", "supports", `{"type":"inlet","on":"left","speed":"3 N"}`},
		} {
			if _, err := bcs(t, g, study(condition[0], condition[1], condition[2])); err == nil || fieldOf(err) != at {
				t.Errorf("%s: %v", condition, err)
			}
		}
	}
}

// fieldOf an error is its place in the study.
func fieldOf(err error) string { return contract.AsError(err).Field }

// A simple support holds the thickness of a plate at its edges, with a soft bedding along it,
// and what lies across the axis at the end of a beam.
func TestWhatASimpleSupportHolds(t *testing.T) {
	rng := testenv.Random(t)
	for range 30 {
		size := geometry.Vec3{80 + 20*rng.Float64(), 80 + 20*rng.Float64(), 80 + 20*rng.Float64()}
		thin, long := rng.IntN(3), 0
		size[thin] = 2 + rng.Float64()
		for long == thin {
			long++
		}
		size[long] *= 2
		g := box(t, size)
		study := func(kind, on string) string {
			return fmt.Sprintf(`{"study":"1.0","parts":{"box":{"file":"box.step"}},"supports":{"c":{"type":"simply_supported","on":%s}},"analyses":{"a":{"type":%q}}}`, on, kind)
		}
		list, err := bcs(t, g, study("static", `{"feature":{"name":"short_edges"}}`))
		if err != nil || len(list) != 2 || fmt.Sprint(list[0]["components"]) != fmt.Sprintf("[%c]", "xyz"[thin]) || list[1]["type"] != "elastic" || list[1]["stiffness"].([]any)[thin].(float64) != 0 {
			t.Errorf("plate, thin along %c: %v (%v)", "xyz"[thin], list, err)
		}
		if list, err = bcs(t, g, study("modal", `{"feature":{"name":"edges"}}`)); err != nil || len(list) != 1 || len(list[0]["attribute"].([]any)) != 4 {
			t.Errorf("modes of a plate: %v (%v)", list, err)
		}
		list, err = bcs(t, g, study("buckling", `["left","right"]`))
		if err != nil || len(list) != 1 || fmt.Sprint(list[0]["components"]) != "[y z]" || list[0]["type"] != "fixed" {
			t.Errorf("beam: %v (%v)", list, err)
		}
		if _, err = bcs(t, g, study("static", `["left","top"]`)); err == nil {
			t.Error("a hinge on two faces at right angles")
		}
	}
}
