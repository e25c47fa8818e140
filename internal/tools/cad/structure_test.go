package cad

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"atelier/internal/evidence"
)

// structureOf reads a data section.
func structureOf(t *testing.T, text string) (contents, error) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "part.step")
	if err := os.WriteFile(file, []byte("ISO-10303-21;\nDATA;\n"+text+"\nENDSEC;"), 0o600); err != nil {
		t.Fatal(err)
	}
	return contentsOf(t.Context(), file, "step")
}

// What the text of an assembly says of its parts (ISO 10303-44).
func TestStructureOfAnAssembly(t *testing.T) {
	const two = "#5=NEXT_ASSEMBLY_USAGE_OCCURRENCE('1','','',#1,#2,$);#6=NEXT_ASSEMBLY_USAGE_OCCURRENCE('2','','',#1,#2,$);#1=P();#2=P();"
	const axes = "#20=DIRECTION('',(-1.,0.,0.));#21=DIRECTION('',(0.,1.,0.));#22=DIRECTION('',(0.,0.,1.));#23=DIRECTION('',(1.,0.,0.));#24=P();"
	const relation = "#30=(REPRESENTATION_RELATIONSHIP('','',#24,#23)REPRESENTATION_RELATIONSHIP_WITH_TRANSFORMATION(#31)SHAPE_REPRESENTATION_RELATIONSHIP());"
	const item = "#32=MAPPED_ITEM('',#24,#31);"
	for name, c := range map[string]struct {
		text, lost, refused string
		mirrored            bool
	}{
		"both placed":        {text: two + "#7=CONTEXT_DEPENDENT_SHAPE_REPRESENTATION(#1,#2);#8=CONTEXT_DEPENDENT_SHAPE_REPRESENTATION(#1,#2);"},
		"one placed":         {text: two + "#7=CONTEXT_DEPENDENT_SHAPE_REPRESENTATION(#1,#2);", lost: "1 of the 2 components"},
		"by a mapped item":   {text: two + "#7=CONTEXT_DEPENDENT_SHAPE_REPRESENTATION(#1,#2);#8=MAPPED_ITEM('',#1,#2);"},
		"an instance lacks":  {text: "#1=A(#77,#2);#2=B();", lost: "1 instances that it does not have (#77)"},
		"of itself":          {text: two + "#9=NEXT_ASSEMBLY_USAGE_OCCURRENCE('3','','',#2,#1,$);", refused: "contains itself"},
		"a shape of itself":  {text: "#24=P();#30=(REPRESENTATION_RELATIONSHIP('','',#24,#24)REPRESENTATION_RELATIONSHIP_WITH_TRANSFORMATION(#31)SHAPE_REPRESENTATION_RELATIONSHIP());#31=P();", refused: "contains itself"},
		"scaled":             {text: axes + relation + "#31=CARTESIAN_TRANSFORMATION_OPERATOR_3D('','',$,#23,#21,#24,2.,#22);", refused: "a scale of 2"},
		"scaled, mapped":     {text: axes + item + "#31=CARTESIAN_TRANSFORMATION_OPERATOR_3D('','',$,#23,#21,#24,0.5,#22);", refused: "a scale of 0.5"},
		"of no size":         {text: axes + relation + "#31=CARTESIAN_TRANSFORMATION_OPERATOR_3D('','',$,#23,#21,#24,$,#22);"},
		"mirrored":           {text: axes + relation + "#31=CARTESIAN_TRANSFORMATION_OPERATOR_3D('','',$,#20,#21,#24,1.,#22);", refused: "a mirror"},
		"mirrored, mapped":   {text: axes + item + "#31=CARTESIAN_TRANSFORMATION_OPERATOR_3D('','',$,#20,#21,#24,1.,#22);", mirrored: true},
		"turned":             {text: axes + item + "#31=CARTESIAN_TRANSFORMATION_OPERATOR_3D('','',$,#21,#22,#24,1.,#23);"},
		"without third axis": {text: axes + item + "#31=CARTESIAN_TRANSFORMATION_OPERATOR_3D('','',$,#20,#21,#24,1.,$);"},
		"seven attributes":   {text: axes + relation + "#31=CARTESIAN_TRANSFORMATION_OPERATOR_3D('',#20,#21,#24,1.,#22);", refused: "eight attributes"},
		"used by nothing":    {text: axes + "#31=CARTESIAN_TRANSFORMATION_OPERATOR_3D('','',$,#20,#21,#24,2.,#22);"},
	} {
		got, err := structureOf(t, c.text)
		switch {
		case (err == nil) != (c.refused == "") || err != nil && !strings.Contains(err.Error(), c.refused):
			t.Errorf("%s: %v", name, err)
		case err == nil && (got.mirrored != c.mirrored || (c.lost == "") != (got.structure.lost() == "") || !strings.Contains(got.structure.lost(), c.lost)):
			t.Errorf("%s: mirrored %v, %q", name, got.mirrored, got.structure.lost())
		}
	}
}

// Three boxes in a row, of which the last cannot be reached: what is left hangs together, and
// nothing of it is trusted, by neither tool.
func TestALostBodyIsSaid(t *testing.T) {
	host := newHost(t, occt, netgen)
	s := newSTEP(unitMM)
	top := s.add("SHAPE_REPRESENTATION('',(#%d),#%d)", s.axes([3]float64{}, [3]float64{0, 0, 1}, [3]float64{1, 0, 0}), s.ctx)
	assembly := s.product("row", top)
	for n := range 3 {
		shape := s.box([3]float64{10, 10, 10})
		s.place(assembly, top, s.product(fmt.Sprintf("box %d", n), shape), shape, [3]float64{10 * float64(n), 0, 0}, [3]float64{0, 0, 1}, [3]float64{1, 0, 0})
	}
	whole := s.text("AUTOMOTIVE_DESIGN { 1 0 10303 214 1 1 1 1 }")
	all := map[string]any{"file_path": writeFile(t, "row.step", whole)}
	if got := good(t, host, all); got.out.Solids != 3 || got.ev.Trust() != evidence.Verified {
		t.Errorf("whole: %d solids, %s", got.out.Solids, got.ev.Trust())
	}
	for keyword, said := range map[string]string{
		"MANIFOLD_SOLID_BREP": "does not have", "CLOSED_SHELL": "does not have", "ADVANCED_BREP_SHAPE_REPRESENTATION": "does not have",
		"CONTEXT_DEPENDENT_SHAPE_REPRESENTATION": "no place in the file",
	} {
		at := strings.LastIndex(whole, keyword)
		start := strings.LastIndex(whole[:at], "\n") + 1
		end := at + strings.Index(whole[at:], "\n") + 1
		input := map[string]any{"file_path": writeFile(t, "lost.step", whole[:start]+whole[end:])}
		got := good(t, host, input)
		if check := got.check(t, "file_complete"); check.Passed || !strings.Contains(check.Sentence, said) || got.ev.Trust() != evidence.Suspect {
			t.Errorf("%s: %s, %+v", keyword, got.ev.Trust(), check)
		}
		if m := mesh(t, host, input); m.Evidence.Trust() != evidence.Suspect || !hasWarning(m.Warnings, "shapes_missing") {
			t.Errorf("%s: a mesh is %s, %v", keyword, m.Evidence.Trust(), m.Warnings)
		}
	}
}
