package pmi

import (
	"bytes"
	"cmp"
	"os"
	"slices"
	"strings"
	"testing"

	"atelier/internal/part21"
	"atelier/internal/testenv"
)

func readText(t *testing.T, text string) *Reader {
	t.Helper()
	r := NewReader()
	if _, err := part21.Read(strings.NewReader(text), Wanted, r.Add); err != nil {
		t.Fatal(err)
	}
	return r
}

// Exporters write down which datums each tolerance refers to, for readers to hold theirs
// against: the validation property "datum references" (CAx-IF recommended practices for
// semantic PMI).
func TestDatumsOfToleranceAreThoseThatTheExporterStates(t *testing.T) {
	for name, want := range map[string]int{"nist_ctc_03.stp": 13, "nist_ftc_06.stp": 28} {
		f, err := os.Open(testenv.StepFile(t, name))
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		r := NewReader()
		stated, described, texts, items := map[int]int{}, map[int]int{}, map[int]string{}, map[int][]int{}
		if _, err := part21.Read(f, Wanted, func(i part21.Instance) {
			r.Add(i)
			if p, ok := i.Record("PROPERTY_DEFINITION"); ok && p.At(0).String() == "pmi validation property" {
				stated[i.ID] = p.At(2).ID
			}
			if p, ok := i.Record("PROPERTY_DEFINITION_REPRESENTATION"); ok {
				described[p.At(0).ID] = p.At(1).ID
			}
			if p, ok := i.Record("REPRESENTATION"); ok {
				items[i.ID] = p.References()
			}
			if p, ok := i.Record("DESCRIPTIVE_REPRESENTATION_ITEM"); ok && p.At(0).String() == "datum references" {
				texts[i.ID] = p.At(1).String()
			}
		}); err != nil {
			t.Fatal(err)
		}
		n := 0
		for property, tolerance := range stated {
			text := ""
			for _, item := range items[described[property]] {
				text = cmp.Or(text, texts[item])
			}
			if text == "" || !slices.Contains(r.tolerances, tolerance) {
				continue
			}
			n++
			got := strings.Join(r.tolerance(tolerance).Datums, ",")
			if got == "" {
				got = "none"
			}
			if got != text {
				t.Errorf("%s: tolerance #%d refers to %s, and the exporter states %s", name, tolerance, got, text)
			}
		}
		if n != want {
			t.Errorf("%s: %d tolerances were compared, %d expected", name, n, want)
		}
	}
}

// Exporters also count what they have written.
func TestAnnotationsAreAsManyAsTheExporterCounts(t *testing.T) {
	for _, name := range []string{"nist_ctc_01.stp", "nist_ctc_03.stp", "nist_ftc_06.stp"} {
		raw, err := os.ReadFile(testenv.StepFile(t, name))
		if err != nil {
			t.Fatal(err)
		}
		counted := map[string]int{}
		if _, err := part21.Read(bytes.NewReader(raw), func(k string) bool { return k == "INTEGER_REPRESENTATION_ITEM" }, func(i part21.Instance) {
			counted[i.Records[0].At(0).String()] = int(i.Records[0].At(1).Number)
		}); err != nil {
			t.Fatal(err)
		}
		r := readText(t, string(raw))
		got, features := map[string]int{}, 0
		for _, a := range r.Annotations() {
			got[a.Kind]++
			if a.Kind == KindDatum && !strings.Contains(a.Text, "targets") {
				features++
			}
		}
		if want := counted["number of geometric tolerances"]; got[KindTolerance] != want || want == 0 {
			t.Errorf("%s: %d tolerances, %d counted", name, got[KindTolerance], want)
		}
		if want := counted["number of dimensional locations"] + counted["number of dimensional sizes"]; got[KindDimension] != want || want == 0 {
			t.Errorf("%s: %d dimensions, %d counted", name, got[KindDimension], want)
		}
		if want := counted["number of datums"] + counted["number of datum features"]; features != want || want == 0 {
			t.Errorf("%s: %d datums of features, %d counted", name, features, want)
		}
	}
}

// The forms that the files at hand lack, written after the definitions of ISO 10303-242.
func TestWords(t *testing.T) {
	const units = `#1=(LENGTH_UNIT()NAMED_UNIT(*)SI_UNIT(.MILLI.,.METRE.));#2=(NAMED_UNIT(*)PLANE_ANGLE_UNIT()SI_UNIT($,.RADIAN.));
#3=LENGTH_MEASURE_WITH_UNIT(LENGTH_MEASURE(25.4),#1);#4=(CONVERSION_BASED_UNIT('ZOLL',#3)LENGTH_UNIT()NAMED_UNIT(*));
#5=(CONVERSION_BASED_UNIT('ELL',#6)LENGTH_UNIT()NAMED_UNIT(*));#6=LENGTH_MEASURE_WITH_UNIT(LENGTH_MEASURE(1143.),#1);
#10=LENGTH_MEASURE_WITH_UNIT(LENGTH_MEASURE(0.2),#1);#11=LENGTH_MEASURE_WITH_UNIT(LENGTH_MEASURE(-0.1),#1);
#12=DATUM('',$,#90,.F.,'A');#13=DATUM('',$,#90,.F.,'B');#14=DATUM_REFERENCE(1,#12);
#15=DATUM_REFERENCE_ELEMENT('',$,#90,.F.,#12,$);#16=DATUM_REFERENCE_ELEMENT('',$,#90,.F.,#13,(SIMPLE_DATUM_REFERENCE_MODIFIER(.LEAST_MATERIAL_REQUIREMENT.)));
#17=DATUM_REFERENCE_COMPARTMENT('',$,#90,.F.,COMMON_DATUM_LIST((#15,#16)),(SIMPLE_DATUM_REFERENCE_MODIFIER(.DEGREE_OF_FREEDOM_CONSTRAINT_X.)));
#18=DATUM_SYSTEM('',$,#90,.F.,(#17));
#20=SHAPE_DIMENSION_REPRESENTATION('',(#21),$);#22=DIMENSIONAL_CHARACTERISTIC_REPRESENTATION(#30,#20);
`
	size := func(value, unit string) string {
		return "#21=MEASURE_REPRESENTATION_ITEM('nominal value'," + value + ",#" + unit + ");"
	}
	for text, want := range map[string]string{
		size("LENGTH_MEASURE(20.)", "1") + "#30=DIMENSIONAL_SIZE(#40,'diameter');#31=LIMITS_AND_FITS('H','hole','7','');#32=PLUS_MINUS_TOLERANCE(#31,#30);":                                                            "diameter 20 mm H7",
		size("LENGTH_MEASURE(20.)", "1") + "#30=DIMENSIONAL_SIZE(#40,'diameter');#31=TOLERANCE_VALUE(#11,#10);#32=PLUS_MINUS_TOLERANCE(#31,#30);":                                                                      "diameter 20 mm +0.2/-0.1",
		size("LENGTH_MEASURE(2.)", "4") + "#30=DIMENSIONAL_SIZE(#40,'diameter');#31=TOLERANCE_VALUE(#11,#10);#32=PLUS_MINUS_TOLERANCE(#31,#30);":                                                                       "diameter 2 in +0.2 mm/-0.1 mm",
		size("LENGTH_MEASURE(20.)", "1") + "#30=DIMENSIONAL_SIZE(#40,'diameter');#31=TOLERANCE_VALUE(#10,#11);#32=PLUS_MINUS_TOLERANCE(#31,#30);":                                                                      "diameter 20 mm -0.1/+0.2 (the file has the lower limit above the upper one)",
		size("LENGTH_MEASURE(20.)", "1") + "#30=DIMENSIONAL_SIZE(#40,'diameter');#31=TOLERANCE_VALUE(#11,#10);#32=PLUS_MINUS_TOLERANCE(#31,#30);#33=LIMITS_AND_FITS('h','','6','');#34=PLUS_MINUS_TOLERANCE(#33,#30);": "diameter 20 mm +0.2/-0.1 and h6 (the file gives more than one tolerance)",
		"#21=MEASURE_REPRESENTATION_ITEM('upper limit',LENGTH_MEASURE(35.2),#1);#30=DIMENSIONAL_SIZE(#40,'diameter');":                                                                                                 "diameter at most 35.2 mm",
		"#21=(MEASURE_REPRESENTATION_ITEM()MEASURE_WITH_UNIT(LENGTH_MEASURE(3.),#1)QUALIFIED_REPRESENTATION_ITEM((#23))REPRESENTATION_ITEM(''));#23=TYPE_QUALIFIER('maximum');#30=DIMENSIONAL_SIZE(#40,'radius');":     "radius 3 mm maximum",
		"#23=DATUM_REFERENCE(2,#13);#30=PARALLELISM_TOLERANCE('','',#10,#40,(#23,#14));":                                                                                                                               "parallelism 0.2 mm to A, B",
		"#23=REFERENCED_MODIFIED_DATUM(2,#13,.MAXIMUM_MATERIAL_CONDITION.);#30=PARALLELISM_TOLERANCE('','',#10,#40,(#23,#14));":                                                                                        "parallelism 0.2 mm to A, B(M)",
		"#23=DATUM_REFERENCE_MODIFIER_WITH_VALUE(.PROJECTED.,#10);#24=DATUM_REFERENCE_COMPARTMENT('',$,#90,.F.,#12,(#23));#25=DATUM_SYSTEM('',$,#90,.F.,(#24));#30=PARALLELISM_TOLERANCE('','',#10,#40,(#25));":        "parallelism 0.2 mm to A [projected 0.2 mm]",
		size("LENGTH_MEASURE(3.)", "1") + "#30=DIMENSIONAL_SIZE(#40,'radius');#22=DIMENSIONAL_CHARACTERISTIC_REPRESENTATION(#30,#24);#24=SHAPE_DIMENSION_REPRESENTATION('',(#21,#25),$);#25=COMPOUND_REPRESENTATION_ITEM('',SET_REPRESENTATION_ITEM((#26,#27)));#26=DESCRIPTIVE_REPRESENTATION_ITEM('','controlled radius');#27=DESCRIPTIVE_REPRESENTATION_ITEM('','square');": "radius 3 mm controlled radius square",
		"#29=FLATNESS_TOLERANCE('','',#10,#40);#30=FLATNESS_TOLERANCE('','',#10,#40);#31=ORIENTED_TOLERANCE_ZONE('','',#90,.F.,(#29),#32,.PARALLEL.);#32=TOLERANCE_ZONE_FORM('x');#33=TOLERANCE_ZONE('','',#90,.F.,(#30),#32);#34=RUNOUT_ZONE_DEFINITION(#33,(),#35);":                                                                                                         "flatness 0.2 mm at an angle that only the file has",
		"#30=FLATNESS_TOLERANCE('','',#77,#40);": "flatness without a value",
		size("LENGTH_MEASURE(20.00000000004)", "4") + "#30=DIMENSIONAL_LOCATION('linear distance',$,#40,#41);": "distance 20 in",
		size("LENGTH_MEASURE(2.)", "5") + "#30=DIRECTED_DIMENSIONAL_LOCATION('curved distance',$,#40,#41);":    "curved distance 2 ell",
		size("PLANE_ANGLE_MEASURE(1.0471975511965976)", "2") + "#30=ANGULAR_SIZE(#40,'',.SMALL.);":             "angle 60°",
		size("LENGTH_MEASURE(1.5)", "99") + "#30=DIMENSIONAL_SIZE(#40,'thickness');":                           "thickness 1.5",
		"#21=PLANE();#30=DIMENSIONAL_SIZE(#40,'radius');":                                                      "radius without a value",
		"#30=CYLINDRICITY_TOLERANCE('','',#10,#40);":                                                           "cylindricity 0.2 mm",
		"#30=PARALLELISM_TOLERANCE('','',#10,#40,(#14));":                                                      "parallelism 0.2 mm to A",
		"#30=SYMMETRY_TOLERANCE('','',#10,#40,(#18));":                                                         "symmetry 0.2 mm to A-B(L) [degree of freedom constraint x]",
		"#30=(GEOMETRIC_TOLERANCE('','',#10,#40)POSITION_TOLERANCE());#31=TOLERANCE_ZONE('','',#90,.F.,(#30),#32);#32=TOLERANCE_ZONE_FORM('spherical');#33=PROJECTED_ZONE_DEFINITION(#31,(),#40,#3);": "position S⌀0.2 mm (P) 25.4 mm",
		"#30=(GEOMETRIC_TOLERANCE('','',#10,#40)GEOMETRIC_TOLERANCE_WITH_DEFINED_UNIT(#3)GEOMETRIC_TOLERANCE_WITH_DEFINED_AREA_UNIT(.CIRCULAR.,$)FLATNESS_TOLERANCE());":                              "flatness 0.2 mm per ⌀25.4 mm",
		"#30=(GEOMETRIC_TOLERANCE('','',#10,#40)SURFACE_PROFILE_TOLERANCE()UNEQUALLY_DISPOSED_GEOMETRIC_TOLERANCE(#10));":                                                                             "profile of a surface 0.2 mm (U) 0.2 mm",
		"#30=(GEOMETRIC_TOLERANCE('','',#10,#40)GEOMETRIC_TOLERANCE_WITH_MODIFIERS((.ALL_AROUND.,.FREE_STATE.)));":                                                                                    "geometric tolerance 0.2 mm all around (F)",
		"#30=TEXT_LITERAL('','BREAK EDGES',#50,'','',#51);": "BREAK EDGES",
	} {
		all := readText(t, units+text).Annotations()
		if got := all[len(all)-1].Text; got != want || len(all) != 3 && len(all) != 4 {
			t.Errorf("%q for %q, among %d", got, want, len(all))
		}
	}
}

// Instances that name each other in circles, and what is cut short, end.
func TestCircles(t *testing.T) {
	r := readText(t, `#1=DATUM('',$,#2,.F.,'A');#2=SHAPE_ASPECT_RELATIONSHIP('',$,#3,#1);#4=SHAPE_ASPECT_RELATIONSHIP('',$,#1,#3);#3=DATUM_FEATURE('',$,#3,.T.);
#5=(CONVERSION_BASED_UNIT('X',#6)LENGTH_UNIT()NAMED_UNIT(*));#6=LENGTH_MEASURE_WITH_UNIT(LENGTH_MEASURE(2.),#5);#7=FLATNESS_TOLERANCE('','',#6,#7);
#8=DATUM_SYSTEM('',$,$,.F.,(#8));#9=PARALLELISM_TOLERANCE('','',#6,#3,(#8,#9));#10=DATUM();#11=DIMENSIONAL_SIZE();#12=GEOMETRIC_ITEM_SPECIFIC_USAGE();#13=PLUS_MINUS_TOLERANCE();`)
	if all := r.Annotations(); len(all) != 5 {
		t.Errorf("%+v", all)
	}
}
