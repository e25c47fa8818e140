package main

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// point of a profile.
type point struct{ u, v float64 }

// segment of a profile, counter-clockwise: a line, or with a radius the half
// circle around the middle of its ends.
type segment struct {
	name     string // of the face that it becomes
	from, to point
	radius   float64
}

// prism is a profile in the plane of u and v, pulled along the axis u x v.
type prism struct {
	name               string
	origin, axis, u, v [3]float64
	length             float64 // mm
	profile            []segment
	start, end         string // names of the two flat ends
}

// volume in mm³: the profile's area by Green's theorem, times the length.
func (p prism) volume() float64 {
	area := 0.0
	for _, s := range p.profile {
		area += (s.from.u*s.to.v - s.to.u*s.from.v) / 2
		area += math.Pi * s.radius * s.radius / 2
	}
	return area * p.length
}

func (p prism) at(q point, along float64) (x [3]float64) {
	for i := range 3 {
		x[i] = p.origin[i] + q.u*p.u[i] + q.v*p.v[i] + along*p.axis[i]
	}
	return x
}

// writer numbers the instances of a STEP file (ISO 10303-21).
type writer struct {
	b    strings.Builder
	last int
	made map[string]int // equal instances are written once
}

func (w *writer) add(format string, args ...any) int {
	text := fmt.Sprintf(format, args...)
	if id, ok := w.made[text]; ok {
		return id
	}
	w.last++
	w.made[text] = w.last
	fmt.Fprintf(&w.b, "#%d=%s;\n", w.last, text)
	return w.last
}

// real is a number as Part 21 wants it, with a decimal point.
func real(v float64) string {
	s := strconv.FormatFloat(v+0, 'f', -1, 64) // -0 becomes 0
	if !strings.Contains(s, ".") {
		s += "."
	}
	return s
}

func triple(x [3]float64) string { return real(x[0]) + "," + real(x[1]) + "," + real(x[2]) }

func (w *writer) point(x [3]float64) int { return w.add("CARTESIAN_POINT('',(%s))", triple(x)) }

func (w *writer) direction(x [3]float64) int { return w.add("DIRECTION('',(%s))", triple(x)) }

func (w *writer) vertex(x [3]float64) int { return w.add("VERTEX_POINT('',#%d)", w.point(x)) }

func (w *writer) placement(at, axis, ref [3]float64) int {
	return w.add("AXIS2_PLACEMENT_3D('',#%d,#%d,#%d)", w.point(at), w.direction(axis), w.direction(ref))
}

func refs(ids []int) string {
	list := make([]string, len(ids))
	for i, id := range ids {
		list[i] = "#" + strconv.Itoa(id)
	}
	return strings.Join(list, ",")
}

// line is the straight edge from a to b.
func (w *writer) line(a, b [3]float64) int {
	d, length := [3]float64{}, 0.0
	for i := range 3 {
		d[i] = b[i] - a[i]
		length += d[i] * d[i]
	}
	length = math.Sqrt(length)
	for i := range 3 {
		d[i] /= length
	}
	vector := w.add("VECTOR('',#%d,1.)", w.direction(d))
	curve := w.add("LINE('',#%d,#%d)", w.point(a), vector)
	return w.add("EDGE_CURVE('',#%d,#%d,#%d,.T.)", w.vertex(a), w.vertex(b), curve)
}

// rim is the edge of a segment at a place along the axis.
func (w *writer) rim(p prism, s segment, along float64) int {
	a, b := p.at(s.from, along), p.at(s.to, along)
	if s.radius == 0 {
		return w.line(a, b)
	}
	circle := w.add("CIRCLE('',#%d,%s)", w.placement(p.at(s.centre(), along), p.axis, p.u), real(s.radius))
	return w.add("EDGE_CURVE('',#%d,#%d,#%d,.T.)", w.vertex(a), w.vertex(b), circle)
}

func (s segment) centre() point { return point{(s.from.u + s.to.u) / 2, (s.from.v + s.to.v) / 2} }

// face of a surface whose loop takes edges forward (positive) or backward.
func (w *writer) face(name string, surface int, loop []int) int {
	edges := make([]int, len(loop))
	for i, e := range loop {
		sense := ".T."
		if e < 0 {
			sense, e = ".F.", -e
		}
		edges[i] = w.add("ORIENTED_EDGE('',*,*,#%d,%s)", e, sense)
	}
	ring := w.add("EDGE_LOOP('',(%s))", refs(edges))
	bound := w.add("FACE_OUTER_BOUND('',#%d,.T.)", ring)
	return w.add("ADVANCED_FACE('%s',(#%d),#%d,.T.)", name, bound, surface)
}

// side is the face that a segment becomes.
func (w *writer) side(p prism, s segment) int {
	lower, upper := w.rim(p, s, 0), w.rim(p, s, p.length)
	first, second := w.line(p.at(s.from, 0), p.at(s.from, p.length)), w.line(p.at(s.to, 0), p.at(s.to, p.length))
	loop := []int{lower, second, -upper, -first}
	if s.radius > 0 {
		axis := w.placement(p.at(s.centre(), 0), p.axis, p.u)
		return w.face(s.name, w.add("CYLINDRICAL_SURFACE('',#%d,%s)", axis, real(s.radius)), loop)
	}
	du, dv := s.to.u-s.from.u, s.to.v-s.from.v
	length := math.Hypot(du, dv)
	var normal [3]float64
	for i := range 3 { // to the right of a counter-clockwise segment is outside
		normal[i] = (dv*p.u[i] - du*p.v[i]) / length
	}
	return w.face(s.name, w.add("PLANE('',#%d)", w.placement(p.at(s.from, 0), normal, p.axis)), loop)
}

// ends are the two flat faces.
func (w *writer) ends(p prism) []int {
	var lower, upper []int
	for i, s := range p.profile {
		upper = append(upper, w.rim(p, s, p.length))
		lower = append(lower, -w.rim(p, p.profile[len(p.profile)-1-i], 0))
	}
	var back [3]float64
	for i := range 3 {
		back[i] = -p.axis[i]
	}
	return []int{
		w.face(p.start, w.add("PLANE('',#%d)", w.placement(p.at(point{}, 0), back, p.u)), lower),
		w.face(p.end, w.add("PLANE('',#%d)", w.placement(p.at(point{}, p.length), p.axis, p.u)), upper),
	}
}

// step is the file: AP214, millimetres, one named solid with named faces.
func (p prism) step() string {
	w := &writer{made: map[string]int{}}
	faces := w.ends(p)
	for _, s := range p.profile {
		faces = append(faces, w.side(p, s))
	}
	solid := w.add("MANIFOLD_SOLID_BREP('%s',#%d)", p.name, w.add("CLOSED_SHELL('',(%s))", refs(faces)))
	length := w.add("(LENGTH_UNIT()NAMED_UNIT(*)SI_UNIT(.MILLI.,.METRE.))")
	angle := w.add("(NAMED_UNIT(*)PLANE_ANGLE_UNIT()SI_UNIT($,.RADIAN.))")
	solidAngle := w.add("(NAMED_UNIT(*)SI_UNIT($,.STERADIAN.)SOLID_ANGLE_UNIT())")
	uncertainty := w.add("UNCERTAINTY_MEASURE_WITH_UNIT(LENGTH_MEASURE(1.E-06),#%d,'distance_accuracy_value','')", length)
	context := w.add("(GEOMETRIC_REPRESENTATION_CONTEXT(3)GLOBAL_UNCERTAINTY_ASSIGNED_CONTEXT((#%d))"+
		"GLOBAL_UNIT_ASSIGNED_CONTEXT((#%d,#%d,#%d))REPRESENTATION_CONTEXT('',''))", uncertainty, length, angle, solidAngle)
	frame := w.placement([3]float64{}, [3]float64{0, 0, 1}, [3]float64{1, 0, 0})
	shape := w.add("ADVANCED_BREP_SHAPE_REPRESENTATION('',(#%d,#%d),#%d)", frame, solid, context)
	app := w.add("APPLICATION_CONTEXT('core data for automotive mechanical design processes')")
	w.add("APPLICATION_PROTOCOL_DEFINITION('international standard','automotive_design',2000,#%d)", app)
	product := w.add("PRODUCT('%s','%s','',(#%d))", p.name, p.name, w.add("PRODUCT_CONTEXT('',#%d,'mechanical')", app))
	formation := w.add("PRODUCT_DEFINITION_FORMATION('','',#%d)", product)
	definition := w.add("PRODUCT_DEFINITION('design','',#%d,#%d)", formation, w.add("PRODUCT_DEFINITION_CONTEXT('part definition',#%d,'design')", app))
	w.add("SHAPE_DEFINITION_REPRESENTATION(#%d,#%d)", w.add("PRODUCT_DEFINITION_SHAPE('','',#%d)", definition), shape)
	return "ISO-10303-21;\nHEADER;\nFILE_DESCRIPTION((''),'2;1');\n" +
		"FILE_NAME('" + p.name + ".step','2025-01-01T00:00:00',(''),(''),'','atelier examples/parts','');\n" +
		"FILE_SCHEMA(('AUTOMOTIVE_DESIGN { 1 0 10303 214 1 1 1 1 }'));\nENDSEC;\nDATA;\n" + w.b.String() + "ENDSEC;\nEND-ISO-10303-21;\n"
}
