package cad

import (
	"bytes"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"atelier/internal/evidence"
	"atelier/internal/testenv"
)

var bracketFile = testenv.Bracket()

// bracketVolume is the closed form of examples/bracket: base and upright, plus the
// inner fillet, minus four rounded corners, four bolt holes and the load hole.
func bracketVolume() float64 {
	corner := 1 - math.Pi/4 // what rounding leaves of a unit square
	return 80*60*8 + 8*60*(50-8) + corner*6*6*60 - 4*corner*10*10*8 - 4*math.Pi*4.5*4.5*8 - math.Pi*8*8*8
}

func TestBracketHasItsClosedFormVolumeAndNamedFaces(t *testing.T) {
	host := newHost(t, occt)
	got := good(t, host, map[string]any{"file_path": bracketFile})
	near(t, "exact volume", *got.out.ExactVolume, bracketVolume(), 1e-9)
	near(t, "mesh volume", *got.out.Volume, bracketVolume(), 0.005)
	if got.out.LengthUnit != "mm" || got.out.Solids != 1 || got.out.ClosedShells != 1 || !got.out.Watertight || got.ev.Trust() != evidence.Verified || got.Solver != "occt" {
		t.Errorf("unit %s, solids %d, closed %d, watertight %v, trust %s, solver %s", got.out.LengthUnit, got.out.Solids, got.out.ClosedShells, got.out.Watertight, got.ev.Trust(), got.Solver)
	}
	// 7 sides of the L, 4 rounded corners, 4 bolt holes, fillet, load hole, all named;
	// the two big sides of the upright and base count to the 7.
	if got.out.Faces != 18 || got.out.NamedFaceCount != 18 {
		t.Errorf("%d faces, %d named", got.out.Faces, got.out.NamedFaceCount)
	}
	faces := got.allFaces(t)
	hole := faces["load_hole"]
	near(t, "area of the load hole", hole.Area, 2*math.Pi*8*8, 1e-9) // 2πr·t, r = t = 8
	near(t, "radius of the load hole", hole.Radius, 8, 1e-12)
	if hole.Kind != "cylinder" || !hole.Concave || hole.Axis == nil || math.Abs(hole.Axis[0]) != 1 {
		t.Errorf("load_hole is %+v", hole)
	}
	if n := faces["base_bottom"].Normal; n == nil || n[2] != -1 {
		t.Errorf("base_bottom looks to %v, not down", n)
	}
	if faces["top_corner_left"].Concave || !faces["inner_fillet"].Concave {
		t.Error("a rounded corner bulges outward and a fillet inward")
	}
}

func TestEveryFormatCarriesUnitAndFaceIDs(t *testing.T) {
	host := newHost(t, occt, truck)
	for _, kernel := range []string{occt, truck} {
		for _, format := range []string{"obj", "stl", "glb"} {
			got := good(t, host, map[string]any{"file_path": bracketFile, "output_format": format, "output_file": "part/model_mesh", "engine": kernel})
			if got.out.FileName != "part/model_mesh."+format || got.out.FacesFile != "part/faces.json" ||
				got.out.ArtifactURL != "/v1/jobs/job1/artifacts/part/model_mesh."+format || len(got.Artifacts) != 2 {
				t.Errorf("%s %s: %s %s %v", kernel, format, got.out.FileName, got.out.ArtifactURL, got.Artifacts)
			}
			mesh := got.mesh(t)
			near(t, kernel+" "+format+" volume", mesh.Volume(), *got.out.Volume, 1e-6) // single precision
			if mesh.Meta.LengthUnit != "mm" || !mesh.Check().Closed || len(mesh.Triangles) != got.out.TriangleCount {
				t.Errorf("%s %s: unit %q, closed %v, %d triangles", kernel, format, mesh.Meta.LengthUnit, mesh.Check().Closed, len(mesh.Triangles))
			}
			used := map[int32]bool{}
			for i := range mesh.Triangles {
				used[mesh.Face(i)] = true
			}
			if len(used) != 18 || used[0] {
				t.Errorf("%s %s: triangles of %d faces, expected 18", kernel, format, len(used))
			}
			if format != "stl" && (len(mesh.Meta.Faces) != 18 || mesh.Meta.Faces[0].Name == "") {
				t.Errorf("%s %s: metadata of %d faces", kernel, format, len(mesh.Meta.Faces))
			}
		}
	}
}

// The areas of a face's triangles must be the face's own: that is what tells a
// right face id from a shuffled one.
func TestTrianglesBelongToTheirFaces(t *testing.T) {
	got := good(t, newHost(t, occt), map[string]any{"file_path": bracketFile, "linear_deflection": 0.01})
	mesh := got.mesh(t)
	areas := map[int32]float64{}
	for i := range mesh.Triangles {
		areas[mesh.Face(i)] += mesh.TriangleArea(i)
	}
	for _, f := range mesh.Meta.Faces {
		near(t, "area of "+f.Name, areas[f.ID], f.Area, 2e-3)
	}
}

func TestUnitsAreTheFiles(t *testing.T) {
	host := newHost(t, occt, truck)
	for _, kernel := range []string{occt, truck} {
		inches := good(t, host, map[string]any{"file_path": cubeFile(t, unitInch, 2), "engine": kernel})
		near(t, kernel+" volume of 2 in cubed", *inches.out.Volume, 8, 1e-9)
		near(t, kernel+" upper corner", inches.out.BBoxMax[0], 2, 1e-9)
		if inches.out.LengthUnit != "in" || inches.mesh(t).Meta.LengthUnit != "in" {
			t.Errorf("%s: unit %q", kernel, inches.out.LengthUnit)
		}
		none := good(t, host, map[string]any{"file_path": cubeFile(t, unitNone, 2), "engine": kernel})
		near(t, kernel+" volume without unit", *none.out.Volume, 8, 1e-9)
		if none.out.LengthUnit != "mm" || !none.warned("length_unit_assumed") {
			t.Errorf("%s: unit %q, warnings %v", kernel, none.out.LengthUnit, none.Warnings)
		}
		if none.ev.Trust() != evidence.Suspect {
			t.Errorf("%s: a part of nobody's unit is %s", kernel, none.ev.Trust())
		}
		fine := good(t, host, map[string]any{"file_path": cubeFile(t, unitInch, 2), "engine": kernel, "linear_deflection": "2.54 mm"})
		near(t, kernel+" deflection of 2.54 mm in inches", fine.out.LinearDeflection, 0.1, 1e-9)
	}
}

func assemblyFile(t *testing.T) string {
	s := newSTEP(unitMM)
	cube := s.box([3]float64{10, 10, 10})
	part := s.product("cube", cube)
	top := s.add("SHAPE_REPRESENTATION('',(#%d),#%d)", s.axes([3]float64{}, [3]float64{0, 0, 1}, [3]float64{1, 0, 0}), s.ctx)
	assembly := s.product("pair", top)
	s.place(assembly, top, part, cube, [3]float64{0, 0, 0}, [3]float64{0, 0, 1}, [3]float64{1, 0, 0})
	// The second one stands at x = 30 with its z axis along the assembly's x.
	s.place(assembly, top, part, cube, [3]float64{30, 0, 0}, [3]float64{1, 0, 0}, [3]float64{0, 1, 0})
	return s.file(t)
}

func TestAssemblyPlacesItsParts(t *testing.T) {
	host := newHost(t, occt, truck)
	got := good(t, host, map[string]any{"file_path": assemblyFile(t)})
	near(t, "volume", *got.out.ExactVolume, 2*1000, 1e-9)
	if got.out.Solids != 2 || got.out.Faces != 12 || got.out.BodyCount != 2 || !got.out.Watertight {
		t.Errorf("%d solids, %d faces, watertight %v", got.out.Solids, got.out.Faces, got.out.Watertight)
	}
	if check := got.check(t, "bodies_hang_together"); check.Passed || got.ev.Trust() != evidence.Suspect || !strings.Contains(check.Sentence, "body 2 (box), about 20 mm from body 1 (box)") {
		t.Errorf("20 mm apart: %s, %q", got.ev.Trust(), check.Sentence)
	}
	// z -> x, x -> y, so y -> z: the second cube spans 30..40, 0..10, 0..10.
	near(t, "far end", got.out.BBoxMax[0], 40, 1e-9)
	near(t, "height", got.out.BBoxMax[2], 10, 1e-9)
	mesh := got.mesh(t)
	if top := mesh.Check(); top.Components != 2 {
		t.Errorf("%d components", top.Components)
	}
	if !slices.Equal(got.out.Products, []string{"pair", "cube"}) || got.out.Bodies[1].Name != "box" || !strings.HasPrefix(got.out.Bodies[1].Path, "pair/") {
		t.Errorf("products %v, bodies %v", got.out.Products, got.out.Bodies)
	}
	// Truck does not read placements: it must say so instead of stacking both cubes.
	refused(t, host, "ERR_TESSELLATION_FAILED", map[string]any{"file_path": assemblyFile(t), "engine": truck})
}

// Parts of an assembly that occupy the same space are found, by their bodies; those
// that touch are not. The common space of two boxes has a closed form.
func TestOverlappingPartsAreSuspect(t *testing.T) {
	host := newHost(t, occt)
	rng := testenv.Random(t)
	x, z := 5+5*rng.Float64(), 10*rng.Float64()
	for _, c := range []struct {
		by     [3]float64
		common float64
		format string
	}{
		{[3]float64{x, 0, 0}, (10 - x) * 100, "obj"},
		{[3]float64{x, 0, z}, (10 - x) * 10 * (10 - z), "stl"},
		{[3]float64{}, 1000, "glb"}, // the same part twice
		{[3]float64{10, 0, 0}, 0, "obj"},
		{[3]float64{10, 10, 0}, 0, "stl"},
		{[3]float64{10.001, 0, 0}, 0, "obj"},
	} {
		s := newSTEP(unitMM)
		cube := s.box([3]float64{10, 10, 10})
		part := s.product("cube", cube)
		top := s.add("SHAPE_REPRESENTATION('',(#%d),#%d)", s.axes([3]float64{}, [3]float64{0, 0, 1}, [3]float64{1, 0, 0}), s.ctx)
		assembly := s.product("pair", top)
		for _, at := range [][3]float64{{}, c.by} {
			s.place(assembly, top, part, cube, at, [3]float64{0, 0, 1}, [3]float64{1, 0, 0})
		}
		got := good(t, host, map[string]any{"file_path": s.file(t), "output_format": c.format})
		check, touch := got.check(t, "bodies_apart"), got.check(t, "bodies_hang_together")
		if touch.Passed != (c.by[1] == 0 && c.by[0] <= 10) { // on each other, or into each other
			t.Errorf("moved by %v: %q", c.by, touch.Sentence)
		}
		if c.by[0] == 10 && c.by[1] == 0 {
			if n := len(got.out.Interfaces); n != 1 || math.Abs(got.out.Interfaces[0].Area-100) > 1 {
				t.Errorf("a face of 100 mm² in common: %v", got.out.Interfaces)
			}
		}
		switch {
		case check.Passed != (c.common == 0):
			t.Errorf("moved by %v, common space %g: %+v", c.by, c.common, check)
		case check.Passed && touch.Passed && got.ev.Trust() != evidence.Verified:
			t.Errorf("moved by %v: %s, %v", c.by, got.ev.Trust(), got.ev.Reasons())
		case !check.Passed && (got.ev.Trust() != evidence.Suspect || !strings.Contains(check.Sentence, "body 1 (box) and body 2 (box) share about ")):
			t.Errorf("moved by %v: %s, %q", c.by, got.ev.Trust(), check.Sentence)
		}
		var told float64
		if _, after, ok := strings.Cut(check.Sentence, "share about "); ok {
			fmt.Sscan(after, &told)
		}
		if math.Abs(told-c.common) > 0.02*c.common {
			t.Errorf("moved by %v: the common space is told as %g, it is %g", c.by, told, c.common)
		}
	}
}

// mirroredFile holds a box of 1 × 2 × 3 in at the origin, if plain, and its image
// under x -> 10 - x.
func mirroredFile(t *testing.T, plain bool, scale float64) string {
	s := newSTEP(unitInch)
	box := s.box([3]float64{1, 2, 3})
	origin := s.axes([3]float64{}, [3]float64{0, 0, 1}, [3]float64{1, 0, 0})
	mirror := s.add("CARTESIAN_TRANSFORMATION_OPERATOR_3D('','','',#%d,#%d,#%d,%.1f,#%d)",
		s.direction([3]float64{-1, 0, 0}), s.direction([3]float64{0, 1, 0}), s.point([3]float64{10, 0, 0}), scale, s.direction([3]float64{0, 0, 1}))
	source := s.add("REPRESENTATION_MAP(#%d,#%d)", origin, box)
	items := []int{origin, s.add("MAPPED_ITEM('',#%d,#%d)", source, mirror)}
	if plain {
		items = append(items, s.add("MAPPED_ITEM('',#%d,#%d)", source, origin))
	}
	s.product("mirrored", s.add("SHAPE_REPRESENTATION('',(%s),#%d)", refs(items), s.ctx))
	return s.file(t)
}

func TestMirroredPartIsNotInsideOut(t *testing.T) {
	host := newHost(t, occt, truck)
	got := good(t, host, map[string]any{"file_path": mirroredFile(t, false, 1)})
	near(t, "volume", *got.out.Volume, 6, 1e-9) // 1·2·3
	near(t, "volume of the file's mesh", got.mesh(t).Volume(), 6, 1e-9)
	// A turn, which OpenCASCADE alone makes of it, would lie at y -2…0.
	for k, want := range [3][2]float64{{9, 10}, {0, 2}, {0, 3}} {
		if math.Abs(got.out.BBoxMin[k]-want[0]) > 1e-9 || math.Abs(got.out.BBoxMax[k]-want[1]) > 1e-9 {
			t.Errorf("axis %d spans %g to %g, expected %v", k, got.out.BBoxMin[k], got.out.BBoxMax[k], want)
		}
	}
	faces := got.allFaces(t)
	if f := faces["x_max"]; f.Normal == nil || f.Normal[0] != -1 || math.Abs(f.Centroid[0]-9) > 1e-9 {
		t.Errorf("the mirrored face x_max is %+v", f)
	}
	if f := faces["y_max"]; f.Normal == nil || f.Normal[1] != 1 {
		t.Errorf("the mirrored face y_max is %+v", f)
	}
	if got.out.LengthUnit != "in" || !got.out.Watertight || got.ev.Trust() != evidence.Verified {
		t.Errorf("unit %s, watertight %v, trust %s", got.out.LengthUnit, got.out.Watertight, got.ev.Trust())
	}
	pair := good(t, host, map[string]any{"file_path": mirroredFile(t, true, 1)})
	near(t, "volume of the pair", *pair.out.Volume, 12, 1e-9)
	if pair.out.Solids != 2 || pair.out.NamedFaceCount != 12 || math.Abs(pair.out.BBoxMin[0]) > 1e-9 || math.Abs(pair.out.BBoxMin[1]) > 1e-9 {
		t.Errorf("%d solids, %d named faces, from %v", pair.out.Solids, pair.out.NamedFaceCount, pair.out.BBoxMin)
	}
	refused(t, host, "ERR_TESSELLATION_FAILED", map[string]any{"file_path": mirroredFile(t, false, 2)})
	refused(t, host, "ERR_TESSELLATION_FAILED", map[string]any{"file_path": mirroredFile(t, false, 1), "engine": truck})
}

func sheetFile(t *testing.T, keep func(string) bool) string {
	s := newSTEP(unitMM)
	var models []int
	for _, f := range s.faces([3]float64{1, 2, 3}, keep) {
		models = append(models, s.add("OPEN_SHELL('',(#%d))", f))
	}
	model := s.add("SHELL_BASED_SURFACE_MODEL('',(%s))", refs(models))
	s.product("sheets", s.add("MANIFOLD_SURFACE_SHAPE_REPRESENTATION('',(#%d),#%d)", model, s.ctx))
	return s.file(t)
}

func TestFreeSurfacesAreSewn(t *testing.T) {
	host := newHost(t, occt)
	file := sheetFile(t, all)
	got := good(t, host, map[string]any{"file_path": file})
	if got.out.Volume == nil || !got.out.Watertight || got.out.Solids != 1 || !got.warned("surfaces_sewn") {
		t.Fatalf("volume %v, watertight %v, %d solids, %v", got.out.Volume, got.out.Watertight, got.out.Solids, got.Warnings)
	}
	near(t, "volume", *got.out.Volume, 6, 1e-9)
	if f := got.allFaces(t)["z_max"]; f.Normal == nil || f.Normal[2] != 1 || f.Body != 1 {
		t.Errorf("z_max is %+v", f)
	}
	left := good(t, host, map[string]any{"file_path": file, "heal": false})
	if left.out.Watertight || left.out.Volume != nil || left.out.Solids != 0 || left.out.BodyCount != 6 || left.ev.Trust() != evidence.Suspect {
		t.Errorf("unhealed: %+v, trust %s", left.out, left.ev.Trust())
	}
}

func TestOpenBoxIsSuspectAndHasNoVolume(t *testing.T) {
	got := good(t, newHost(t, occt), map[string]any{"file_path": sheetFile(t, func(n string) bool { return n != "z_max" })})
	if got.out.Watertight || got.out.Volume != nil || got.out.ExactVolume != nil || got.ev.Trust() != evidence.Suspect || !got.warned("mesh_not_closed") {
		t.Errorf("%+v, trust %s, %v", got.out, got.ev.Trust(), got.Warnings)
	}
	near(t, "area", got.out.SurfaceArea, 2*(1*2+2*3+3*1)-1*2, 1e-9) // a box without its lid
}

func TestAnAbsurdDeflectionIsRaised(t *testing.T) {
	host := newHost(t, occt, truck)
	for _, kernel := range []string{occt, truck} {
		got := good(t, host, map[string]any{"file_path": bracketFile, "linear_deflection": 1e-9, "engine": kernel})
		if !got.warned("deflection_raised") || got.out.LinearDeflection < 1e-5*100 || got.out.TriangleCount > 5_000_000 {
			t.Errorf("%s: deflection %g, %d triangles, %v", kernel, got.out.LinearDeflection, got.out.TriangleCount, got.Warnings)
		}
		bounded := good(t, host, map[string]any{"file_path": bracketFile, "linear_deflection": 0.005, "max_triangles": 2000, "engine": kernel})
		if bounded.out.TriangleCount > 2*2000 || !bounded.warned("deflection_raised") {
			t.Errorf("%s: %d triangles with max_triangles 2000", kernel, bounded.out.TriangleCount)
		}
	}
}

func TestEvidenceFollowsTheChecks(t *testing.T) {
	figure := func(x float64) *float64 { return &x }
	fine := answer{Watertight: true, Shells: 1, ClosedShells: 1, Volume: 1, SurfaceArea: 6, LengthUnit: "mm", ExactVolume: figure(1), ExactSurfaceArea: figure(6), VolumeDeviation: figure(0.009), AreaDeviation: figure(-0.009)}
	for name, c := range map[string]struct {
		change func(*answer)
		trust  evidence.Trust
		check  string
	}{
		"agrees":       {func(*answer) {}, evidence.Verified, ""},
		"volume off":   {func(a *answer) { a.VolumeDeviation = figure(-0.011) }, evidence.Suspect, "volume_of_exact_shape"},
		"area off":     {func(a *answer) { a.AreaDeviation = figure(0.02) }, evidence.Suspect, "area_of_exact_shape"},
		"no volume":    {func(a *answer) { a.VolumeDeviation = nil }, evidence.Suspect, "volume_of_exact_shape"},
		"open mesh":    {func(a *answer) { a.Watertight = false }, evidence.Suspect, "mesh_closed"},
		"open shape":   {func(a *answer) { a.ClosedShells = 0 }, evidence.Suspect, "shells_closed"},
		"broken shape": {func(a *answer) { a.Valid = new(bool) }, evidence.Suspect, "shape_valid"},
		"no exact":     {func(a *answer) { a.ExactSurfaceArea, a.VolumeChange = nil, figure(0.001) }, evidence.Converged, ""},
		"still moving": {func(a *answer) { a.ExactSurfaceArea, a.VolumeChange = nil, figure(0.02) }, evidence.Suspect, "volume_refinement"},
	} {
		a := fine
		c.change(&a)
		ev, err := evidence.Judge(*a.statement(relations{}, nil))
		if err != nil {
			t.Fatal(err)
		}
		if ev.Trust() != c.trust || (c.check != "" && !strings.Contains(ev.Reasons()[0], c.check)) {
			t.Errorf("%s: %s, %v", name, ev.Trust(), ev.Reasons())
		}
	}
}

func TestTheSameFileGivesTheSameMesh(t *testing.T) {
	host := newHost(t, occt, truck)
	for _, kernel := range []string{occt, truck} {
		a := good(t, host, map[string]any{"file_path": bracketFile, "engine": kernel})
		b := good(t, host, map[string]any{"file_path": bracketFile, "engine": kernel})
		one, two := a.bytes(t), b.bytes(t)
		if !bytes.Equal(one, two) || len(one) == 0 {
			t.Errorf("%s: %d and %d bytes, not the same", kernel, len(one), len(two))
		}
	}
}

func TestTruckSaysWhatItIs(t *testing.T) {
	got := good(t, newHost(t, truck), map[string]any{"file_path": bracketFile, "engine": truck})
	near(t, "volume", *got.out.Volume, bracketVolume(), 0.01)
	if got.Solver != "truck" || got.out.Engine != "truck" || got.out.ExactVolume != nil || got.ev.Trust() != evidence.Converged || got.out.NamedFaceCount != 18 {
		t.Errorf("%s %+v, trust %s", got.Solver, got.out, got.ev.Trust())
	}
}

func TestOutputNames(t *testing.T) {
	for wish, want := range map[string]string{
		"model_mesh": "model_mesh.obj", "part.stl": "part.obj", "v1.2": "v1.2.obj", "a/b.STEP": "a/b.obj",
		"../x": "", "/tmp/x": "", `a\b`: "", "a/../b": "", "in/part": "", "x/": "", ".": "", "a\x00b": "",
	} {
		got, err := outputName(wish, "obj")
		if got != want || (err == nil) != (want != "") {
			t.Errorf("outputName(%q) = %q, %v", wish, got, err)
		}
		if filepath.IsAbs(got) {
			t.Errorf("%q leads to %q", wish, got)
		}
	}
}

// The exact volume is one, also of faces that are trimmed by curves: a rod of radius r
// and length 6 r without what a crossing bore of radius a takes, which is the integral of
// 8 sqrt(a^2 - x^2) sqrt(r^2 - x^2) from 0 to a. Without a limit of its error
// OpenCASCADE's integral is off by 5e-8 here, and by 1e-4 to 4e-4 on two of the parts of
// the corpus that may not be copied.
func TestTheVolumeOfADrilledRod(t *testing.T) {
	rng := random(t)
	host := newHost(t, occt, netgen)
	r := between(rng, 5, 20)
	a := r * between(rng, 0.5, 0.7)
	bore := 0.0
	const steps = 20_000 // of the midpoint rule in the angle whose sine is x/a: smooth, with all derivatives 0 at both ends
	for i := range steps {
		s, c := math.Sincos((float64(i) + 0.5) / steps * math.Pi / 2)
		bore += 8 * a * a * c * c * math.Sqrt(r*r-a*a*s*s) * math.Pi / 2 / steps
	}
	rod := part(t, "rod.step", fmt.Sprintf("Cylinder((%g,0,0),X,r=%g,h=%g)-Cylinder((0,0,%g),Z,r=%g,h=%g)", -3*r, r, 6*r, -3*r, a, 6*r))
	near(t, "volume", *good(t, host, map[string]any{"file_path": rod}).out.ExactVolume, 6*math.Pi*r*r*r-bore, 5e-9)
}
