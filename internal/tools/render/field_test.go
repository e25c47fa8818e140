package render

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"atelier/internal/contract"
)

// Three entries of viridis as published by its authors: the first, the 128th
// and the last of 256.
var (
	viridisLow  = [3]int{68, 1, 84}
	viridisMid  = [3]int{33, 145, 140} // between entries 127 and 128
	viridisHigh = [3]int{253, 231, 37}
)

func xField(p [3]float64) []float64 { return []float64{p[0]} }

// A field that grows with x on a unit box: its colour at a place is the map's at
// that value, its extremes are at the ends.
func TestLinearFieldColours(t *testing.T) {
	t.Parallel()
	g := hexBox([3]float64{0, 0, 0}, [3]float64{10, 4, 2}, 3)
	g.field("temperature", 1, xField)
	g.point[0].unit = "K"
	path := save(t, "box.vtu", g.vtu())
	d := mustRun(t, fmt.Sprintf(`{"input_path":%q,"field":"temperature","views":["front"],"lighting":false,"feature_edges":false,"annotations":false,"output_normal":false,"fit":"tight"}`, path))
	f := d.out.Field
	if f.Min != 0 || f.Max != 10 || f.MinAt[0] != 0 || f.MaxAt[0] != 10 || f.Unit != "K" || f.Range != [2]float64{0, 10} {
		t.Errorf("field: %+v", f)
	}
	img := d.picture(d.out.Views[0].ColorPath)
	for x, want := range map[float64][3]int{0.02: viridisLow, 5: viridisMid, 9.98: viridisHigh} {
		u, v, _ := d.project(0, [3]float64{x, 2, 2})
		if got := rgb(img, int(math.Round(u)), int(math.Round(v))); !near(got, want, 3) {
			t.Errorf("at x = %g the colour is %v, want %v", x, got, want)
		}
	}
}

// The same with a range of the caller's own, another map and its reverse.
func TestRangeAndColormap(t *testing.T) {
	t.Parallel()
	g := hexBox([3]float64{0, 0, 0}, [3]float64{10, 4, 2}, 2)
	g.field("t", 1, xField)
	path := save(t, "box.vtu", g.vtu())
	for name, want := range map[string][3]int{"gray": {0, 0, 0}, "gray_r": {255, 255, 255}} {
		d := mustRun(t, fmt.Sprintf(`{"input_path":%q,"field":"t","range":[5,6],"colormap":%q,"views":["front"],"lighting":false,"annotations":false,"output_normal":false,"output_depth":false}`, path, name))
		u, v, _ := d.project(0, [3]float64{2, 2, 2})
		if got := rgb(d.picture(d.out.Views[0].ColorPath), int(u), int(v)); got != want {
			t.Errorf("%s: below the range the colour is %v, want %v", name, got, want)
		}
		if d.out.Field.Max != 10 || d.out.Field.Range != [2]float64{5, 6} {
			t.Errorf("%s: %+v", name, d.out.Field)
		}
	}
}

// The scalar bar stands on the right: going up, it shows the map's colours in order.
func TestScalarBar(t *testing.T) {
	t.Parallel()
	g := hexBox([3]float64{0, 0, 0}, [3]float64{2, 2, 2}, 1)
	g.field("stress", 1, func(p [3]float64) []float64 { return []float64{1e8 * p[0]} })
	path := save(t, "box.vtu", g.vtu())
	d := mustRun(t, fmt.Sprintf(`{"input_path":%q,"field":"stress","unit":"Pa","views":["front"],"output_normal":false,"output_depth":false}`, path))
	img := d.picture(d.out.Views[0].ColorPath)
	seen := map[[3]int]int{}
	for y := 200; y < 600; y++ {
		seen[rgb(img, 930, y)]++
	}
	if len(seen) < 200 {
		t.Errorf("column 930 has %d colours; the bar has 256", len(seen))
	}
	for _, want := range [][3]int{viridisLow, viridisHigh} {
		if seen[want] == 0 {
			t.Errorf("the bar lacks %v", want)
		}
	}
	if d.out.Field.Unit != "Pa" || d.out.Field.Max != 2e8 {
		t.Errorf("%+v", d.out.Field)
	}
}

// A quadratic tetrahedron with its nodes on a sphere's octant: the curved face
// must be drawn through the nodes in the middle of its edges, not flat.
func TestQuadraticTetIsCurved(t *testing.T) {
	t.Parallel()
	s := math.Sqrt(0.5)
	g := &grid{}
	g.add(vtkQuadraticTet, [3]float64{0, 0, 0}, [3]float64{1, 0, 0}, [3]float64{0, 1, 0}, [3]float64{0, 0, 1},
		[3]float64{0.5, 0, 0}, [3]float64{s, s, 0}, [3]float64{0, 0.5, 0}, [3]float64{0, 0, 0.5}, [3]float64{s, 0, s}, [3]float64{0, s, s})
	g.field("r2", 1, func(p [3]float64) []float64 { return []float64{p[0]*p[0] + p[1]*p[1] + p[2]*p[2]} })
	path := save(t, "octant.vtu", g.vtu())
	d := mustRun(t, fmt.Sprintf(`{"input_path":%q,"field":"r2","views":[{"position":[4,4,4],"focal_point":[0,0,0]}],"lighting":false,"feature_edges":false,"annotations":false,"width":301,"height":301}`, path))
	// The face's middle has the quadratic shape functions 4/9 of the mid-side nodes
	// and -1/9 of the corners: 4/9·2s - 1/9 for each coordinate.
	m := 8*s/9 - 1.0/9
	want := math.Sqrt(48) - math.Sqrt(3)*m
	if got := d.depth(d.out.Views[0].DepthPath).at(150, 150); math.Abs(got-want) > 2e-3 {
		t.Errorf("depth at the middle of the curved face is %g, want %g (a flat one: %g)", got, want, math.Sqrt(48)-1/math.Sqrt(3))
	}
	// The field there is 4/9·3 - 1/9·3 = 1: on the curved face it is nearly even.
	if got := rgb(d.picture(d.out.Views[0].ColorPath), 150, 150); !near(got, viridisHigh, 4) {
		t.Errorf("the colour in the middle of the face is %v, want %v", got, viridisHigh)
	}
}

// A field of second order along the edge of one quadratic quad: half way between
// a corner and the middle node it is (1/4)², which straight pieces would not give.
func TestQuadraticFieldBetweenNodes(t *testing.T) {
	t.Parallel()
	g := &grid{}
	g.add(vtkQuadraticQuad, [3]float64{0, 0, 0}, [3]float64{1, 0, 0}, [3]float64{1, 1, 0}, [3]float64{0, 1, 0},
		[3]float64{0.5, 0, 0}, [3]float64{1, 0.5, 0}, [3]float64{0.5, 1, 0}, [3]float64{0, 0.5, 0})
	g.field("f", 1, func(p [3]float64) []float64 { return []float64{p[0] * p[0]} })
	path := save(t, "quad.vtu", g.vtu())
	d := mustRun(t, fmt.Sprintf(`{"input_path":%q,"field":"f","colormap":"gray","views":["front"],"lighting":false,"feature_edges":false,"annotations":false,"output_depth":false,"output_normal":false}`, path))
	for _, x := range []float64{0.25, 0.75} {
		u, v, _ := d.project(0, [3]float64{x, 0.5, 0})
		if got, want := rgb(d.picture(d.out.Views[0].ColorPath), int(math.Round(u)), int(math.Round(v)))[0], 255*x*x; math.Abs(float64(got)-want) > 4 {
			t.Errorf("at x = %g the gray is %d, want %.0f", x, got, want)
		}
	}
}

// The deformed shape: every point is moved by scale times the field.
func TestWarpMovesTheSilhouette(t *testing.T) {
	t.Parallel()
	g := hexBox([3]float64{0, 0, 0}, [3]float64{10, 2, 2}, 2)
	g.field("displacement", 3, func(p [3]float64) []float64 { return []float64{0, 0.001 * p[0], 0} })
	path := save(t, "beam.vtu", g.vtu())
	d := mustRun(t, fmt.Sprintf(`{"input_path":%q,"field":"displacement","component":"y","warp":{"field":"displacement","scale":300},"views":["front"],"output_normal":false,"output_glb":true}`, path))
	// The far end moves by 300·0.01 = 3.
	if d.out.BoundsMax != [3]float64{10, 5, 2} || d.out.Warp.Scale != 300 || math.Abs(d.out.Warp.Largest-0.01) > 1e-15 {
		t.Errorf("bounds %v, warp %+v", d.out.BoundsMax, d.out.Warp)
	}
	depth := d.depth(d.out.Views[0].DepthPath)
	for place, want := range map[[3]float64]bool{{9.8, 4.8, 2}: true, {9.8, 1, 2}: false, {0.2, 1, 2}: true} {
		u, v, _ := d.project(0, place)
		if got := depth.at(int(math.Round(u)), int(math.Round(v))) > 0; got != want {
			t.Errorf("something is drawn at %v: %v, want %v", place, got, want)
		}
	}
	auto := mustRun(t, fmt.Sprintf(`{"input_path":%q,"warp":{"field":"displacement"},"views":["front"],"output_normal":false,"output_depth":false}`, path))
	// A tenth of the diagonal sqrt(108) over 0.01 is 103.9: 100 in steps of 1, 2, 5.
	if auto.out.Warp.Scale != 100 {
		t.Errorf("auto scale is %g, want 100", auto.out.Warp.Scale)
	}
}

// Von Mises of a uniaxial stress is the stress; of pure shear sqrt(3) times it.
func TestTensorComponents(t *testing.T) {
	t.Parallel()
	g := hexBox([3]float64{0, 0, 0}, [3]float64{1, 1, 1}, 1)
	g.field("uniaxial stress", 6, func([3]float64) []float64 { return []float64{-7, 0, 0, 0, 0, 0} })
	g.field("shear stress", 9, func([3]float64) []float64 { return []float64{0, 2, 0, 2, 0, 0, 0, 0, 0} })
	g.field("v", 3, func([3]float64) []float64 { return []float64{2, -3, 6} })
	path := save(t, "cube.vtu", g.vtu())
	for _, c := range []struct {
		field, component string
		want             float64
	}{
		{"uniaxial stress", `"von_mises"`, 7}, {"uniaxial stress", "0", -7}, {"shear stress", `"von_mises"`, 2 * math.Sqrt(3)},
		{"shear stress", `"magnitude"`, 2 * math.Sqrt2}, {"v", `"magnitude"`, 7}, {"v", `"y"`, -3}, {"v", "2", 6},
	} {
		d := mustRun(t, fmt.Sprintf(`{"input_path":%q,"field":%q,"component":%s,"width":64,"height":64,"output_normal":false,"output_depth":false}`, path, c.field, c.component))
		if math.Abs(d.out.Field.Max-c.want) > 1e-12*7 || d.out.Field.Min != d.out.Field.Max {
			t.Errorf("%s %s is %g to %g, want %g", c.field, c.component, d.out.Field.Min, d.out.Field.Max, c.want)
		}
		if len(d.result.Warnings) != 1 || d.result.Warnings[0].Code != "field_constant" {
			t.Errorf("warnings: %v", d.result.Warnings)
		}
	}
}

// A jump between elements stays a jump: each side keeps its own value.
func TestDiscontinuousFieldIsNotSmoothed(t *testing.T) {
	t.Parallel()
	g := &grid{}
	for i := range 2 {
		x := float64(i)
		c := boxCorners([3]float64{x, 0, 0}, [3]float64{x + 1, 1, 1})
		g.add(vtkHexahedron, c[:]...)
	}
	values := make([]float64, 16)
	for i := 8; i < 16; i++ {
		values[i] = 1
	}
	g.point = append(g.point, namedArray{name: "f", components: 1, values: values})
	path := save(t, "two.vtu", g.vtu())
	d := mustRun(t, fmt.Sprintf(`{"input_path":%q,"field":"f","views":["front"],"lighting":false,"feature_edges":false,"annotations":false,"output_depth":false,"output_normal":false}`, path))
	img := d.picture(d.out.Views[0].ColorPath)
	for x, want := range map[float64][3]int{0.97: viridisLow, 1.03: viridisHigh} {
		u, v, _ := d.project(0, [3]float64{x, 0.5, 1})
		if got := rgb(img, int(math.Round(u)), int(math.Round(v))); !near(got, want, 2) {
			t.Errorf("at x = %g the colour is %v, want %v", x, got, want)
		}
	}
	// The face between the two cells is inside: 2·6 - 2 faces of 2 triangles.
	if n := d.result.Metrics["triangles"].(float64); n != 20 {
		t.Errorf("%g triangles are drawn, want 20", n)
	}
}

// A slice shows the field inside; a clip takes the near half away.
func TestSliceAndClip(t *testing.T) {
	t.Parallel()
	g := hexBox([3]float64{0, 0, 0}, [3]float64{2, 2, 2}, 4)
	g.field("z", 1, func(p [3]float64) []float64 { return []float64{p[2]} })
	path := save(t, "cube.vtu", g.vtu())
	diagonal := math.Sqrt(12)
	clip := mustRun(t, fmt.Sprintf(`{"input_path":%q,"field":"z","clip":{"normal":[0,0,1],"origin":[0,0,1.1]},"views":[{"position":[1,1,9]}],"width":101,"height":101}`, path))
	if got := clip.depth(clip.out.Views[0].DepthPath).at(50, 50); math.Abs(got-(9-1.1)) > 1e-3 {
		t.Errorf("clipped: depth %g, want 7.9", got)
	}
	slice := mustRun(t, fmt.Sprintf(`{"input_path":%q,"field":"z","slice":{"normal":[0,0,1],"origin":[0,0,0.5]},"views":["front"],"width":101,"height":101,"lighting":false,"annotations":false}`, path))
	// The section is a square of side 2, seen from twice its own diagonal.
	if got, want := slice.depth(slice.out.Views[0].DepthPath).at(50, 50), 2*math.Sqrt(8); math.Abs(got-want) > 1e-3 {
		t.Errorf("sliced: depth %g, want %g (diagonal %g)", got, want, diagonal)
	}
	// A quarter of the way up viridis: entry 64.
	if got := rgb(slice.picture(slice.out.Views[0].ColorPath), 50, 50); !near(got, [3]int{59, 82, 139}, 3) {
		t.Errorf("sliced: colour %v", got)
	}
	_, err := run(t, fmt.Sprintf(`{"input_path":%q,"slice":{"normal":[0,0,1],"origin":[0,0,5]}}`, path))
	wantCode(t, err, contract.CodeInvalidRequest, "/slice/origin")
}

// Values on cells colour whole cells; names of things get colours that differ.
func TestCellFields(t *testing.T) {
	t.Parallel()
	g := hexBox([3]float64{0, 0, 0}, [3]float64{2, 1, 1}, 2)
	a := namedArray{name: "attribute", components: 1}
	p := namedArray{name: "pressure", components: 1}
	for i := range 8 {
		a.values = append(a.values, float64(1+i/4))
		p.values = append(p.values, float64(i/4))
	}
	g.cell = append(g.cell, a, p)
	path := save(t, "cells.vtu", g.vtu())
	d := mustRun(t, fmt.Sprintf(`{"input_path":%q,"field":"pressure","views":["front"],"lighting":false,"annotations":false,"feature_edges":false,"output_depth":false,"output_normal":false}`, path))
	u, v, _ := d.project(0, [3]float64{1.9, 0.7, 1})
	if got := rgb(d.picture(d.out.Views[0].ColorPath), int(u), int(v)); got != viridisHigh {
		t.Errorf("cell colour %v", got)
	}
	if d.out.Field.Association != "cell" || d.out.Field.MaxAt[0] != 1.5 {
		t.Errorf("%+v", d.out.Field)
	}
	d = mustRun(t, fmt.Sprintf(`{"input_path":%q,"field":"attribute","views":["front"],"lighting":false,"feature_edges":false,"output_depth":false,"output_normal":false}`, path))
	if got := rgb(d.picture(d.out.Views[0].ColorPath), int(u), int(v)); got != [3]int{238, 102, 119} {
		t.Errorf("the second attribute's colour is %v", got)
	}
}

// Units and the length unit may stand in a comment of the file.
func TestUnitsFromTheFile(t *testing.T) {
	t.Parallel()
	g := hexBox([3]float64{0, 0, 0}, [3]float64{2, 1, 1}, 1)
	g.note = `<!-- atelier {"length_unit":"mm","units":{"p":"bar"}} -->`
	g.field("p", 1, xField)
	g.field("T [K]", 1, xField)
	path := save(t, "units.vtu", g.vtu())
	d := mustRun(t, fmt.Sprintf(`{"input_path":%q,"field":"p","width":64,"height":64}`, path))
	if d.out.LengthUnit != "mm" || d.out.Field.Unit != "bar" || d.out.Arrays[1].Unit != "K" {
		t.Errorf("length unit %q, unit %q, arrays %+v", d.out.LengthUnit, d.out.Field.Unit, d.out.Arrays)
	}
}

func TestUnknownFieldAndComponent(t *testing.T) {
	t.Parallel()
	g := hexBox([3]float64{0, 0, 0}, [3]float64{1, 1, 1}, 1)
	g.field("displacement", 3, func([3]float64) []float64 { return []float64{1, 0, 0} })
	path := save(t, "box.vtu", g.vtu())
	_, err := run(t, fmt.Sprintf(`{"input_path":%q,"field":"stress"}`, path))
	if e := wantCode(t, err, contract.CodeInvalidRequest, "/field"); !strings.Contains(e.Hint, "displacement") {
		t.Errorf("the hint does not list the fields: %q", e.Hint)
	}
	_, err = run(t, fmt.Sprintf(`{"input_path":%q,"field":"displacement","component":3}`, path))
	wantCode(t, err, contract.CodeInvalidRequest, "/component")
	_, err = run(t, fmt.Sprintf(`{"input_path":%q,"field":"displacement","component":"von_mises"}`, path))
	wantCode(t, err, contract.CodeInvalidRequest, "/component")
	_, err = run(t, fmt.Sprintf(`{"input_path":%q,"range":[0,1]}`, path))
	wantCode(t, err, contract.CodeInvalidRequest, "/range")
	_, err = run(t, fmt.Sprintf(`{"input_path":%q,"field":"displacement","range":[1,1]}`, path))
	wantCode(t, err, contract.CodeInvalidRequest, "/range")
}
