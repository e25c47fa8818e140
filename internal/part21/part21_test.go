package part21

import (
	"reflect"
	"slices"
	"strings"
	"testing"
)

func all(string) bool { return true }

func read(t *testing.T, text string, wanted func(string) bool) []Instance {
	t.Helper()
	var out []Instance
	if _, err := Read(strings.NewReader("ISO-10303-21;\nHEADER;\nFILE_NAME('a;b','2020',(''),(''),'','','');\nENDSEC;\nDATA;\n"+text+"\nENDSEC;\nEND-ISO-10303-21;\n"), wanted, func(i Instance) { out = append(out, i) }); err != nil {
		t.Fatal(err)
	}
	return out
}

// The examples are written after the grammar of ISO 10303-21, section 6 and annex A.
func TestParameters(t *testing.T) {
	for text, want := range map[string]Value{
		"$":                  {},
		"*":                  {Kind: Derived},
		"#12":                {Kind: Reference, ID: 12},
		"# 12":               {},
		"-1.5E-03":           {Kind: Number, Number: -0.0015},
		"+7":                 {Kind: Number, Number: 7},
		"2.":                 {Kind: Number, Number: 2},
		".T.":                {Kind: Enumeration, Text: "T"},
		`"0FF"`:              {Kind: Binary, Text: "0FF"},
		"'a'":                {Kind: String, Text: "a"},
		"'O''Hara; #3=X()'":  {Kind: String, Text: "O'Hara; #3=X()"},
		`'\X\1B[0m\X\0Ab'`:   {Kind: String, Text: " [0m\nb"},
		"''":                 {Kind: String},
		`'\X2\00E403A9\X0\'`: {Kind: String, Text: "äΩ"},
		`'\X4\0001F527\X0\'`: {Kind: String, Text: "🔧"},
		`'\S\d\PB\\S\1'`:     {Kind: String, Text: "äą"},
		`'\X\FC \\'`:         {Kind: String, Text: `ü \`},
		"()":                 {Kind: List},
		"LENGTH_MEASURE(2.)": {Kind: Typed, Text: "LENGTH_MEASURE", List: []Value{{Kind: Number, Number: 2}}},
		"( 1 , ( $ ) )":      {Kind: List, List: []Value{{Kind: Number, Number: 1}, {Kind: List, List: []Value{{}}}}},
	} {
		got := read(t, "#1=X("+text+");", all)
		if text == "# 12" { // a reference is one token
			if len(got) != 0 {
				t.Errorf("%s: %v", text, got)
			}
			continue
		}
		if len(got) != 1 || len(got[0].Records) != 1 || !reflect.DeepEqual(got[0].Records[0].Parameters, []Value{want}) {
			t.Errorf("%s: %+v", text, got)
		}
	}
}

func TestInstances(t *testing.T) {
	const unit = "#7 = ( LENGTH_UNIT ( )\n NAMED_UNIT(*) /* of 'all; ( */ SI_UNIT(.MILLI.,.METRE.) ) ;"
	got := read(t, unit+"#8=A(#3,(#4,B(#5)),'#6');#9=!MINE(1);", all)
	if len(got) != 3 || got[0].ID != 7 || len(got[0].Records) != 3 || !got[0].Has("LENGTH_UNIT") || got[0].Has("X") {
		t.Fatalf("%+v", got)
	}
	if si, ok := got[0].Record("SI_UNIT"); !ok || si.At(0).Text != "MILLI" || si.At(1).String() != "METRE" || si.At(2).Kind != Omitted {
		t.Errorf("%+v", si)
	}
	if !reflect.DeepEqual(got[1].References(), []int{3, 4, 5}) {
		t.Errorf("%v", got[1].References())
	}
	if only := read(t, unit+"#8=A();", func(k string) bool { return k == "NAMED_UNIT" }); len(only) != 1 || only[0].ID != 7 {
		t.Errorf("%+v", only)
	}
}

// What breaks the syntax is passed over, and what stands around it is read.
func TestBrokenInstances(t *testing.T) {
	for _, broken := range []string{
		"#1=X(;", "#1=X(1,);", "#1=X(1 2);", "#1=X(1)Y;", "#=X();", "#a=X();", "#1=();", "#1=(X();", "#1=X(.T);", `#1=X("0);`,
		"#1=X(LENGTH_MEASURE);", "#1=X(1e);", "#99999999999999999999=X();", "#1=X" + strings.Repeat("(", 10_000) + ";", "#1;", ";;",
	} {
		got := read(t, "#5=A();"+broken+"#6=B();", all)
		if len(got) < 2 || got[0].ID != 5 || got[len(got)-1].ID != 6 || len(got) > 2 {
			t.Errorf("%.40s: %+v", broken, got)
		}
	}
	for _, cut := range []string{"#1=X('never", "#1=X(/* never", "#1=X(1"} {
		if got := read(t, cut, all); len(got) != 0 {
			t.Errorf("%s: %+v", cut, got)
		}
	}
}

func TestMissingInstances(t *testing.T) {
	for text, want := range map[string][]int{
		"#1=A(#2);\n#2=B();": nil,
		"#1=A(#2,(#40000,X(#3)));#2=B('#7','it''s #8');/* #9 */": {3, 40000},
		"#1=A(#2);": {2},
	} {
		got, err := Read(strings.NewReader("DATA;"+text+"ENDSEC;"), all, func(Instance) {})
		if err != nil || got.Count != len(want) || !slices.Equal(got.First, want) {
			t.Errorf("%s: %+v, %v", text, got, err)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add("#1=(A(1.5,(#2,'x''y'))B(.T.,$,*));/* c */#2=C(D(\"0F\"));")
	f.Fuzz(func(t *testing.T, text string) {
		_, _ = Read(strings.NewReader(text), all, func(i Instance) { i.References() })
	})
}
