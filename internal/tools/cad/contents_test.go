package cad

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"atelier/internal/contract"
	"atelier/internal/evidence"
)

func TestContentsOfSTEP(t *testing.T) {
	const unit = "#1=(LENGTH_UNIT()NAMED_UNIT(*)SI_UNIT(.MILLI.,.METRE.));\n"
	const context = "#9 = ( GEOMETRIC_REPRESENTATION_CONTEXT(3)\n GLOBAL_UNIT_ASSIGNED_CONTEXT ((#1,#2))REPRESENTATION_CONTEXT('',''));\n"
	for name, c := range map[string]struct {
		text        string
		unit        bool
		tessellated int
		files       []string
	}{
		"unit":             {unit + context, true, 0, nil},
		"used before":      {context + unit, true, 0, nil},
		"unit of nothing":  {unit, false, 0, nil},
		"of its shape":     {unit + context + "#20=ADVANCED_BREP_SHAPE_REPRESENTATION('',(#3,#4),#9);", true, 0, nil},
		"of another shape": {unit + context + "#20=SHAPE_REPRESENTATION('',(#3,#9),#10);", false, 0, nil},
		"of one of two":    {unit + context + "#20=SHAPE_REPRESENTATION('',(#3),#10);#21=SHAPE_REPRESENTATION('',(#3),#9);", false, 0, nil},
		"another one":      {strings.Replace(unit, "#1", "#12", 1) + context, false, 0, nil},
		"in a comment":     {"/* " + unit + context + " */", false, 0, nil},
		"in a text":        {"#3=PRODUCT('" + strings.ReplaceAll(context, "'", "''") + "');" + unit, false, 0, nil},
		"triangles":        {"#3=TESSELLATED_SOLID('',(#4),$);#5=TESSELLATED_SHELL('',(#4),$);#6=TESSELLATED_FACE_SET('');", false, 2, nil},
		"files":            {"#3=DOCUMENT_FILE('wheel.stp','','',#1,'',$);\n#4 = DOCUMENT_FILE ( 'D7', 'O''Hara.SLDPRT','',#1,'',$);#5=DOCUMENT_FILE('plan.pdf','','',#1,'',$);#6=DOCUMENT_FILE('wheel.stp','','',#1,'',$);", false, 0, []string{"wheel.stp", "O'Hara.SLDPRT"}},
		"umlauts":          {`#3=DOCUMENT_FILE('\X2\00E400F6\X0\-\X\FC.stp','','',#1,'',$);`, false, 0, []string{"äö-ü.stp"}},
		"ends in a text":   {"#3=PRODUCT('never", false, 0, nil},
		"ends in a remark": {"#3=PRODUCT(/* never", false, 0, nil},
	} {
		got, err := stepContents(strings.NewReader("ISO-10303-21;\nDATA;\n" + c.text))
		if err != nil || got.unit != c.unit || got.tessellated != c.tessellated || !slices.Equal(got.files, c.files) {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
}

// A file is read no further when its call has ended, however long it is.
func TestContentsStopWithTheCall(t *testing.T) {
	file := filepath.Join(t.TempDir(), "part.step")
	if err := os.WriteFile(file, []byte("ISO-10303-21;\nDATA;\n#3=TESSELLATED_SOLID('',(#4),$);"), 0o600); err != nil {
		t.Fatal(err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	for _, format := range []string{"step", "iges", "brep"} {
		if c, err := contentsOf(ended, file, format); !errors.Is(err, context.Canceled) || c.tessellated != 0 {
			t.Errorf("%s: %+v, %v", format, c, err)
		}
	}
}

// Each format says in its own words which unit is taken where none is named.
func TestAssumedUnits(t *testing.T) {
	for said, c := range map[string]contents{
		"The file names no length unit; mill":   {format: "step"},
		"Some parts of the file name no length": {format: "step", partly: true},
		"the inch is assumed where":             {format: "iges"},
		"OpenCASCADE's own":                     {format: "brep"},
	} {
		got := c.warnings()
		if len(got) != 1 || got[0].Code != "length_unit_assumed" || !strings.Contains(got[0].Message, said) {
			t.Errorf("%q: %v", said, got)
		}
	}
}

// The parameters of the global section, of which the fourteenth is the unit's flag and the
// fifteenth its name (IGES 5.3, 2.2.4.3).
func TestContentsOfIGES(t *testing.T) {
	whole := igesBox(1, 2, 3, 6, 0)
	for name, c := range map[string]struct {
		old, new string
		unit     bool
	}{
		"millimetres":         {"", "", true},
		"no flag":             {"1.,2,2HMM,1,", "1.,,,1,", false},
		"a flag without name": {"1.,2,2HMM,1,", "1.,3,,1,", false},
		"a name":              {"1.,2,2HMM,1,", "1.,3,4HINCH,1,", true},
		"a name of nothing":   {"1.,2,2HMM,1,", "1.,3,4HELLS,1,", false},
		"number against name": {"1.,2,2HMM,1,", "1.,2,4HINCH,1,", false},
		"a number alone":      {"1.,2,2HMM,1,", "1.,6,,1,", true},
		"commas in a text":    {"3Hbox,1.,2,2HMM", "3H,,,,1.,,", false},
		"another delimiter": {"1H,,1H;,3Hbox,7Hbox.igs,4Htest,3H1.0,32,38,6,308,15,3Hbox,1.,2,2HMM,1,",
			"1H//1H;/3Hbox/7Hbox.igs/4Htest/3H1.0/32/38/6/308/15/3Hbox/1./2/2HMM/1/", true},
		"what follows no rule": {"1H,,1H;,", "99Hx,", false},
	} {
		if c.new = fmt.Sprintf("%-*s", len(c.old), c.new); len(c.new) > len(c.old) { // columns stay
			c.old += strings.Repeat(" ", len(c.new)-len(c.old))
		}
		text := strings.Replace(whole, c.old, c.new, 1)
		if text == whole && c.old != "" {
			t.Fatalf("%s: nothing was replaced", name)
		}
		if got, err := igesContents(strings.NewReader(text)); err != nil || got.unit != c.unit {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
}

// A model that is drawn to a scale is not the part.
func TestScaleOfIGES(t *testing.T) {
	host := newHost(t, occt)
	text := strings.Replace(igesBox(1, 2, 3, 6, 0), "3Hbox,1.,2,2HMM,1,", "3Hbox,2.,2,2HMM,1,", 1)
	if got := good(t, host, map[string]any{"file_path": writeFile(t, "half.igs", text)}); got.ev.Trust() != evidence.Suspect || !got.warned("drawn_to_scale") {
		t.Errorf("%s, %v", got.ev.Trust(), got.Warnings)
	}
}

// Products that no assembly joins are all parts of the file: OpenCASCADE, Truck and Netgen
// see the same two boxes, of which the second one stands apart by a drawn distance.
func TestProductsWithoutAnAssembly(t *testing.T) {
	rng := random(t)
	host := newHost(t, occt, netgen)
	a, b := between(rng, 1, 3), between(rng, 1, 3)
	s := newSTEP(unitMM)
	s.product("first", s.box([3]float64{a, 1, 1}))
	s.product("second", s.box([3]float64{1, 1, b}))
	file := s.file(t)
	imported := good(t, host, map[string]any{"file_path": file})
	meshed := tryMesh(t, host, map[string]any{"file_path": file, "join_bodies": false})
	near(t, "imported volume", *imported.out.ExactVolume, a+b, 1e-6)
	if imported.out.BodyCount != 2 || meshed.Status == contract.StatusOK && (meshed.out.BodyCount != 2 || math.Abs(meshed.out.ExactVolume/(a+b)-1) > 1e-6) {
		t.Errorf("imported %d bodies, meshed %d of %g mm³, %v", imported.out.BodyCount, meshed.out.BodyCount, meshed.out.ExactVolume, meshed.Errors)
	}
	one := mesh(t, host, map[string]any{"file_path": file, "bodies": []int{2}})
	near(t, "the second part", one.out.Volume, b, 1e-6)
}

// Every way into the workshop says the same of a file that names no unit: nothing is
// trusted, until the caller knows the unit. The volume of the box is known.
func TestFilesWithoutAUnit(t *testing.T) {
	rng := random(t)
	host := newHost(t, occt, truck, netgen)
	a, b, c := between(rng, 1, 4), between(rng, 1, 4), between(rng, 1, 4)
	brep := part(t, "box.brep", fmt.Sprintf("Box((0,0,0),(%.9f,%.9f,%.9f))", a, b, c))
	iges := writeFile(t, "box.igs", strings.Replace(igesBox(a, b, c, 6, 0), "1.,2,2HMM,1,", "1.,,,1,", 1))
	step := cubeFile(t, unitNone, a)
	for name, k := range map[string]struct {
		file         string
		volume, inch float64 // mm³ where nobody knows better, and of inches
		kernels      []string
	}{
		"BREP": {brep, a * b * c, a * b * c * 16387.064, []string{occt}},
		"IGES": {iges, a * b * c * 16387.064, a * b * c * 16387.064, []string{occt}},
		"STEP": {step, a * a * a, a * a * a * 16387.064, []string{occt, truck}},
	} {
		for _, kernel := range k.kernels {
			input := map[string]any{"file_path": k.file, "engine": kernel}
			none := good(t, host, input)
			if none.ev.Trust() != evidence.Suspect || !none.warned("length_unit_assumed") {
				t.Errorf("%s by %s: %s, %v", name, kernel, none.ev.Trust(), none.Warnings)
			}
			input["length_unit"] = "in"
			told := good(t, host, input)
			near(t, name+" in³ by "+kernel, *told.out.Volume, k.inch/16387.064, 1e-6)
			if told.out.LengthUnit != "in" || told.ev.Trust() == evidence.Suspect || told.warned("length_unit_assumed") {
				t.Errorf("%s by %s in inches: %s %s, %v", name, kernel, told.out.LengthUnit, told.ev.Trust(), told.ev.Reasons())
			}
		}
		none := mesh(t, host, map[string]any{"file_path": k.file})
		near(t, name+" meshed", none.out.Volume, k.volume, 1e-6)
		if none.Evidence.Trust() != evidence.Suspect || !strings.Contains(strings.Join(none.Evidence.Reasons(), " "), "length_unit") {
			t.Errorf("the mesh of %s is %s: %v", name, none.Evidence.Trust(), none.Evidence.Reasons())
		}
		told := mesh(t, host, map[string]any{"file_path": k.file, "length_unit": "in"})
		near(t, name+" meshed in inches", told.out.Volume, k.inch, 1e-6)
		if told.Evidence.Trust() != evidence.Verified {
			t.Errorf("the mesh of %s in inches is %s: %v", name, told.Evidence.Trust(), told.Evidence.Reasons())
		}
	}
}

func TestAUnitAgainstTheFiles(t *testing.T) {
	host := newHost(t, occt, netgen)
	file := cubeFile(t, unitMM, 2)
	if e := refused(t, host, contract.CodeInvalidRequest, map[string]any{"file_path": file, "length_unit": "in"}); e.Field != "/length_unit" {
		t.Error(e)
	}
	if got := tryMesh(t, host, map[string]any{"file_path": file, "length_unit": "in"}); got.Status != contract.StatusError || got.Errors[0].Field != "/length_unit" {
		t.Error(got.Errors)
	}
}

// A solid beside an open shell is meshed, and what was left out is said.
func TestFacesOfNoSolid(t *testing.T) {
	host := newHost(t, netgen)
	whole := part(t, "two.brep", "Compound([Box((0,0,0),(1,2,3)), Glue(list(Box((5,0,0),(6,1,1)).faces)[:3])])")
	got := mesh(t, host, map[string]any{"file_path": whole, "length_unit": "mm"})
	if got.Evidence.Trust() != evidence.Suspect || !strings.Contains(fmt.Sprint(got.Warnings), "3 faces of the file belong to no solid") {
		t.Errorf("%s, %v", got.Evidence.Trust(), got.Warnings)
	}
	chosen := mesh(t, host, map[string]any{"file_path": whole, "length_unit": "mm", "bodies": []int{1}})
	if chosen.Evidence.Trust() != evidence.Verified {
		t.Errorf("the chosen body is %s: %v", chosen.Evidence.Trust(), chosen.Evidence.Reasons())
	}
}

// Parts that lie in other files and bodies of triangles are missing in the mesh as well.
func TestPartsThatTheMeshLacks(t *testing.T) {
	host := newHost(t, occt, netgen)
	s := newSTEP(unitMM)
	s.product("cart", s.box([3]float64{1, 2, 3}))
	kind := s.add("DOCUMENT_TYPE('configuration controlled document version')")
	s.add("DOCUMENT_FILE('wheel.stp','','',#%d,'',$)", kind)
	got := mesh(t, host, map[string]any{"file_path": s.file(t)})
	if got.Evidence.Trust() != evidence.Suspect || !strings.Contains(strings.Join(got.Evidence.Reasons(), " "), "wheel.stp") {
		t.Errorf("%s: %v", got.Evidence.Trust(), got.Evidence.Reasons())
	}
}

// The files of the examples, written by OpenCASCADE, all name their unit.
func TestUnitsOfWrittenFiles(t *testing.T) {
	files, _ := filepath.Glob("../../../examples/*/*.step")
	if len(files) < 2 {
		t.Fatalf("only %v are there", files)
	}
	for _, file := range files {
		got, err := contentsOf(t.Context(), file, "step")
		if err != nil || !got.unit || got.partly || got.files != nil || got.tessellated != 0 {
			t.Errorf("%s: %+v, %v", file, got, err)
		}
	}
}
