package cad

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// stepText writes small STEP files by hand, so that what a test expects does not
// depend on the kernel under test.
type stepText struct {
	body strings.Builder
	last int
	unit int // the length unit's entity; 0: the context has none
	ctx  int
	app  int
}

// Length units as entities; %s is a reference to the millimetre.
const (
	unitMM   = "mm"
	unitInch = "in"
	unitNone = ""
)

func newSTEP(unit string) *stepText {
	s := &stepText{}
	s.app = s.add("APPLICATION_CONTEXT('core data for automotive mechanical design processes')")
	s.add("APPLICATION_PROTOCOL_DEFINITION('international standard','automotive_design',2000,#%d)", s.app)
	mm := s.add("(LENGTH_UNIT()NAMED_UNIT(*)SI_UNIT(.MILLI.,.METRE.))")
	angle := s.add("(NAMED_UNIT(*)PLANE_ANGLE_UNIT()SI_UNIT($,.RADIAN.))")
	solid := s.add("(NAMED_UNIT(*)SI_UNIT($,.STERADIAN.)SOLID_ANGLE_UNIT())")
	s.unit = mm
	if unit == unitInch { // an inch is 25.4 mm by definition
		measure := s.add("LENGTH_MEASURE_WITH_UNIT(LENGTH_MEASURE(25.4),#%d)", mm)
		dims := s.add("DIMENSIONAL_EXPONENTS(1.,0.,0.,0.,0.,0.,0.)")
		s.unit = s.add("(CONVERSION_BASED_UNIT('INCH',#%d)LENGTH_UNIT()NAMED_UNIT(#%d))", measure, dims)
	}
	if unit == unitNone {
		s.ctx = s.add("(GEOMETRIC_REPRESENTATION_CONTEXT(3)REPRESENTATION_CONTEXT('',''))")
		return s
	}
	s.ctx = s.add("(GEOMETRIC_REPRESENTATION_CONTEXT(3)GLOBAL_UNIT_ASSIGNED_CONTEXT((#%d,#%d,#%d))REPRESENTATION_CONTEXT('',''))", s.unit, angle, solid)
	return s
}

func (s *stepText) add(format string, args ...any) int {
	s.last++
	fmt.Fprintf(&s.body, "#%d="+format+";\n", append([]any{s.last}, args...)...)
	return s.last
}

func (s *stepText) point(p [3]float64) int {
	return s.add("CARTESIAN_POINT('',(%.12f,%.12f,%.12f))", p[0], p[1], p[2])
}

func (s *stepText) direction(p [3]float64) int {
	return s.add("DIRECTION('',(%.12f,%.12f,%.12f))", p[0], p[1], p[2])
}

func (s *stepText) axes(origin, z, x [3]float64) int {
	return s.add("AXIS2_PLACEMENT_3D('',#%d,#%d,#%d)", s.point(origin), s.direction(z), s.direction(x))
}

// boxFaces are the sides of a box by the bits of their corners (bit 0: x, 1: y,
// 2: z), counter-clockwise seen from outside, with their outward normals.
var boxFaces = []struct {
	name    string
	corners [4]int
	normal  [3]float64
	along   [3]float64
}{
	{"x_min", [4]int{0, 4, 6, 2}, [3]float64{-1, 0, 0}, [3]float64{0, 1, 0}},
	{"x_max", [4]int{1, 3, 7, 5}, [3]float64{1, 0, 0}, [3]float64{0, 1, 0}},
	{"y_min", [4]int{0, 1, 5, 4}, [3]float64{0, -1, 0}, [3]float64{1, 0, 0}},
	{"y_max", [4]int{2, 6, 7, 3}, [3]float64{0, 1, 0}, [3]float64{1, 0, 0}},
	{"z_min", [4]int{0, 2, 3, 1}, [3]float64{0, 0, -1}, [3]float64{1, 0, 0}},
	{"z_max", [4]int{4, 5, 7, 6}, [3]float64{0, 0, 1}, [3]float64{1, 0, 0}},
}

// faces writes the sides of the box 0…size that keep chooses.
func (s *stepText) faces(size [3]float64, keep func(name string) bool) []int {
	var corner [8][3]float64
	var vertex [8]int
	for i := range corner {
		corner[i] = [3]float64{float64(i&1) * size[0], float64(i>>1&1) * size[1], float64(i>>2) * size[2]}
		vertex[i] = s.add("VERTEX_POINT('',#%d)", s.point(corner[i]))
	}
	edges := map[[2]int]int{}
	edge := func(a, b int) int {
		lo, hi := min(a, b), max(a, b)
		if edges[[2]int{lo, hi}] == 0 {
			d := [3]float64{corner[hi][0] - corner[lo][0], corner[hi][1] - corner[lo][1], corner[hi][2] - corner[lo][2]}
			line := s.add("LINE('',#%d,#%d)", s.point(corner[lo]), s.add("VECTOR('',#%d,1.)", s.direction(d)))
			edges[[2]int{lo, hi}] = s.add("EDGE_CURVE('',#%d,#%d,#%d,.T.)", vertex[lo], vertex[hi], line)
		}
		sense := ".T."
		if a > b {
			sense = ".F."
		}
		return s.add("ORIENTED_EDGE('',*,*,#%d,%s)", edges[[2]int{lo, hi}], sense)
	}
	var faces []int
	for _, f := range boxFaces {
		if !keep(f.name) {
			continue
		}
		var loop []string
		for k := range 4 {
			loop = append(loop, fmt.Sprintf("#%d", edge(f.corners[k], f.corners[(k+1)%4])))
		}
		bound := s.add("FACE_OUTER_BOUND('',#%d,.T.)", s.add("EDGE_LOOP('',(%s))", strings.Join(loop, ",")))
		plane := s.add("PLANE('',#%d)", s.axes(corner[f.corners[0]], f.normal, f.along))
		faces = append(faces, s.add("ADVANCED_FACE('%s',(#%d),#%d,.T.)", f.name, bound, plane))
	}
	return faces
}

func refs(ids []int) string {
	text := make([]string, len(ids))
	for i, id := range ids {
		text[i] = fmt.Sprintf("#%d", id)
	}
	return strings.Join(text, ",")
}

func all(string) bool { return true }

// box writes a box as a solid in its own representation.
func (s *stepText) box(size [3]float64) (representation int) {
	shell := s.add("CLOSED_SHELL('',(%s))", refs(s.faces(size, all)))
	solid := s.add("MANIFOLD_SOLID_BREP('box',#%d)", shell)
	return s.add("ADVANCED_BREP_SHAPE_REPRESENTATION('',(#%d,#%d),#%d)", s.axes([3]float64{}, [3]float64{0, 0, 1}, [3]float64{1, 0, 0}), solid, s.ctx)
}

// product writes a product; with a representation it gets that shape.
func (s *stepText) product(name string, representation int) (definition int) {
	ctx := s.add("PRODUCT_CONTEXT('',#%d,'mechanical')", s.app)
	product := s.add("PRODUCT('%s','%s','',(#%d))", name, name, ctx)
	formation := s.add("PRODUCT_DEFINITION_FORMATION('','',#%d)", product)
	definition = s.add("PRODUCT_DEFINITION('design','',#%d,#%d)", formation, s.add("PRODUCT_DEFINITION_CONTEXT('part definition',#%d,'design')", s.app))
	shape := s.add("PRODUCT_DEFINITION_SHAPE('','',#%d)", definition)
	s.add("SHAPE_DEFINITION_REPRESENTATION(#%d,#%d)", shape, representation)
	return definition
}

// place puts a product's shape into an assembly at an origin, its axes turned.
func (s *stepText) place(assembly, assemblyShape, part, partShape int, origin, z, x [3]float64) {
	from := s.axes([3]float64{}, [3]float64{0, 0, 1}, [3]float64{1, 0, 0})
	to := s.axes(origin, z, x)
	move := s.add("ITEM_DEFINED_TRANSFORMATION('','',#%d,#%d)", from, to)
	relation := s.add("(REPRESENTATION_RELATIONSHIP('','',#%d,#%d)REPRESENTATION_RELATIONSHIP_WITH_TRANSFORMATION(#%d)SHAPE_REPRESENTATION_RELATIONSHIP())", partShape, assemblyShape, move)
	usage := s.add("NEXT_ASSEMBLY_USAGE_OCCURRENCE('%d','','',#%d,#%d,$)", s.last, assembly, part)
	s.add("CONTEXT_DEPENDENT_SHAPE_REPRESENTATION(#%d,#%d)", relation, s.add("PRODUCT_DEFINITION_SHAPE('','',#%d)", usage))
}

func (s *stepText) text(schema string) string {
	return "ISO-10303-21;\nHEADER;\nFILE_DESCRIPTION((''),'2;1');\nFILE_NAME('fixture','2025-01-01T00:00:00',(''),(''),'','','');\n" +
		"FILE_SCHEMA(('" + schema + "'));\nENDSEC;\nDATA;\n" + s.body.String() + "ENDSEC;\nEND-ISO-10303-21;\n"
}

func (s *stepText) file(t *testing.T) string {
	return writeFile(t, "part.step", s.text("AUTOMOTIVE_DESIGN { 1 0 10303 214 1 1 1 1 }"))
}

func writeFile(t *testing.T, name, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// cubeFile is a cube of the edge length in the unit.
func cubeFile(t *testing.T, unit string, edge float64) string {
	s := newSTEP(unit)
	s.product("cube", s.box([3]float64{edge, edge, edge}))
	return s.file(t)
}
