package geometry

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// plyType is a scalar type of PLY.
type plyType struct {
	size  int
	float bool
	sign  bool
}

var plyTypes = map[string]plyType{
	"char": {1, false, true}, "int8": {1, false, true}, "uchar": {1, false, false}, "uint8": {1, false, false},
	"short": {2, false, true}, "int16": {2, false, true}, "ushort": {2, false, false}, "uint16": {2, false, false},
	"int": {4, false, true}, "int32": {4, false, true}, "uint": {4, false, false}, "uint32": {4, false, false},
	"float": {4, true, true}, "float32": {4, true, true}, "double": {8, true, true}, "float64": {8, true, true},
}

type plyProperty struct {
	name  string
	typ   plyType
	list  bool
	count plyType
}

type plyElement struct {
	name  string
	count int64
	props []plyProperty
}

// minBytes is the least that one row of the element takes.
func (e *plyElement) minBytes(ascii bool) int64 {
	if ascii {
		return int64(2 * len(e.props))
	}
	n := 0
	for _, p := range e.props {
		if p.list {
			n += p.count.size
		} else {
			n += p.typ.size
		}
	}
	return int64(n)
}

// plyReader walks over the values of a PLY body.
type plyReader struct {
	scanner
	ascii bool
	order binary.ByteOrder
	mesh  *Mesh
	elems []plyElement
	poly  []int32
	fan   triangulator
	faces bool // some face has an id
}

func decodePLY(data []byte) (*Mesh, error) {
	r := &plyReader{scanner: scanner{data: data, line: 1}, mesh: &Mesh{}}
	if err := r.header(); err != nil {
		return nil, err
	}
	for i := range r.elems {
		e := &r.elems[i]
		if need := e.minBytes(r.ascii); e.count > 0 && (need == 0 || need*e.count > int64(len(data)-r.pos)+1) {
			return nil, cutShort("byte %d: the header announces %d rows of element %s, more than the %d bytes left can hold",
				r.pos, e.count, e.name, len(data)-r.pos)
		}
		if err := r.element(e); err != nil {
			return nil, err
		}
	}
	if err := r.leftover(); err != nil {
		return nil, err
	}
	if !r.faces {
		r.mesh.FaceID = nil
	}
	for i, t := range r.mesh.Triangles {
		for _, v := range t {
			if int(v) >= len(r.mesh.Vertices) {
				return nil, unreadable("triangle %d: vertex index %d is out of range, the file has %d vertices", i, v, len(r.mesh.Vertices))
			}
		}
	}
	return r.mesh, nil
}

// leftover refuses what stands after the last element's rows.
func (r *plyReader) leftover() error {
	var parts []string
	least := int64(1 << 20)
	for i := range r.elems {
		e := &r.elems[i]
		parts = append(parts, fmt.Sprintf("%d %s", e.count, e.name))
		if n := e.minBytes(false); n > 0 {
			least = min(least, n)
		}
	}
	announced := strings.Join(parts, ", ")
	if r.ascii {
		return r.mesh.leftoverText(&r.scanner, announced)
	}
	return r.mesh.leftover(r.data, r.pos, int(least), announced)
}

func (r *plyReader) header() error {
	if string(r.word()) != "ply" {
		return unreadable("line 1: a PLY file begins with the word ply")
	}
	format := false
	for r.next() {
		key := string(r.word())
		switch key {
		case "format":
			kind := string(r.word())
			r.ascii = kind == "ascii"
			r.order = binary.LittleEndian
			if kind == "binary_big_endian" {
				r.order = binary.BigEndian
			} else if kind != "ascii" && kind != "binary_little_endian" {
				return unreadable("line %d: expected ascii, binary_little_endian or binary_big_endian, found %s", r.line, quote([]byte(kind)))
			}
			format = true
		case "comment":
			if err := parseMeta(r.rest(), &r.mesh.Meta); err != nil {
				return unreadable("line %d: %w", r.line, err)
			}
		case "element", "property":
			if err := r.declare(key); err != nil {
				return err
			}
		case "obj_info", "":
		case "end_header":
			if !format {
				return unreadable("line %d: the header has no format line", r.line)
			}
			r.next()
			return nil
		default:
			return unreadable("line %d: expected a header keyword, found %s", r.line, quote([]byte(key)))
		}
	}
	return unreadable("line %d: the header has no end_header", r.line)
}

func (r *plyReader) declare(key string) error {
	if key == "element" {
		name := string(r.word())
		w := r.word()
		n, err := strconv.ParseInt(string(w), 10, 64)
		if err != nil || n < 0 || n > maxIndex {
			return unreadable("line %d: expected the number of rows of element %s, found %s", r.line, name, quote(w))
		}
		r.elems = append(r.elems, plyElement{name: name, count: n})
		return nil
	}
	if len(r.elems) == 0 {
		return unreadable("line %d: a property before any element", r.line)
	}
	e := &r.elems[len(r.elems)-1]
	if len(e.props) >= 256 {
		return unreadable("line %d: element %s has more than 256 properties", r.line, e.name)
	}
	var p plyProperty
	typ := string(r.word())
	if typ == "list" {
		p.list = true
		ct := string(r.word())
		var ok bool
		if p.count, ok = plyTypes[ct]; !ok || p.count.float {
			return unreadable("line %d: expected an integer type for the list's length, found %s", r.line, quote([]byte(ct)))
		}
		typ = string(r.word())
	}
	var ok bool
	if p.typ, ok = plyTypes[typ]; !ok {
		return unreadable("line %d: expected a scalar type, found %s", r.line, quote([]byte(typ)))
	}
	p.name = string(r.word())
	e.props = append(e.props, p)
	return nil
}

func (r *plyReader) element(e *plyElement) error {
	switch e.name {
	case "vertex":
		return r.vertices(e)
	case "face", "tristrips":
		return r.faceRows(e)
	}
	for i := range e.count {
		for k := range e.props {
			if _, err := r.property(e, &e.props[k], i, nil); err != nil {
				return err
			}
		}
	}
	return nil
}

func (r *plyReader) vertices(e *plyElement) error {
	axis := make([]int, len(e.props))
	found := 0
	for k := range e.props {
		axis[k] = -1
		switch p := &e.props[k]; {
		case p.list:
		case p.name == "x" || p.name == "y" || p.name == "z":
			axis[k] = int(p.name[0] - 'x')
			found++
		}
	}
	if found != 3 {
		return unreadable("the header's element vertex lacks one of the properties x, y, z")
	}
	r.mesh.Vertices = make([]Vec3, e.count)
	for i := range e.count {
		for k := range e.props {
			v, err := r.property(e, &e.props[k], i, nil)
			if err != nil {
				return err
			}
			if axis[k] >= 0 {
				r.mesh.Vertices[i][axis[k]] = v
			}
		}
		if !r.mesh.Vertices[i].Finite() {
			return unreadable("%s: vertex %d is not finite", r.where(), i)
		}
	}
	return nil
}

func (r *plyReader) faceRows(e *plyElement) error {
	for i := range e.count {
		r.poly = r.poly[:0]
		id := int32(0)
		for k := range e.props {
			p := &e.props[k]
			var into *[]int32
			if p.list && (p.name == "vertex_indices" || p.name == "vertex_index") {
				into = &r.poly
			}
			v, err := r.property(e, p, i, into)
			if err != nil {
				return err
			}
			if p.name == "face_id" && !p.list && v > 0 && v <= maxIndex {
				id = int32(v)
				r.faces = true
			}
		}
		for _, v := range r.poly {
			if v != -1 && int(v) >= len(r.mesh.Vertices) {
				return unreadable("%s: vertex index %d of face %d is out of range, the file has %d vertices", r.where(), v, i, len(r.mesh.Vertices))
			}
		}
		before := len(r.mesh.Triangles)
		if e.name == "tristrips" {
			r.strip()
		} else if err := r.polygonRow(i); err != nil {
			return err
		}
		for range len(r.mesh.Triangles) - before {
			r.mesh.FaceID = append(r.mesh.FaceID, id)
		}
	}
	return nil
}

func (r *plyReader) polygonRow(row int64) error {
	for _, v := range r.poly {
		if v < 0 {
			return unreadable("%s: face %d has the vertex index %d", r.where(), row, v)
		}
	}
	if len(r.poly) >= 3 {
		r.mesh.appendPolygon(&r.fan, r.poly)
	}
	return nil
}

// strip unrolls triangle strips, which -1 separates.
func (r *plyReader) strip() {
	start := 0
	for i, v := range r.poly {
		if v < 0 {
			start = i + 1
			continue
		}
		if i-start < 2 {
			continue
		}
		a, b := r.poly[i-2], r.poly[i-1]
		if (i-start)%2 == 1 {
			a, b = b, a
		}
		r.mesh.Triangles = append(r.mesh.Triangles, [3]int32{a, b, v})
	}
}

func (r *plyReader) where() string {
	if r.ascii {
		return "line " + strconv.Itoa(r.line)
	}
	return "byte " + strconv.Itoa(r.pos)
}

// property reads one value, or a whole list into the given slice.
func (r *plyReader) property(e *plyElement, p *plyProperty, row int64, into *[]int32) (float64, error) {
	if !p.list {
		return r.scalar(e, p.typ, row)
	}
	n, err := r.scalar(e, p.count, row)
	if err != nil {
		return 0, err
	}
	if n < 0 || int64(n)*int64(p.typ.size) > int64(len(r.data)) {
		return 0, unreadable("%s: a list of %s %d announces %g values", r.where(), e.name, row, n)
	}
	for range int(n) {
		v, err := r.scalar(e, p.typ, row)
		if err != nil {
			return 0, err
		}
		if into == nil {
			continue
		}
		if v < -1 || v > maxIndex || v != math.Trunc(v) {
			return 0, unreadable("%s: %g in %s %d is no vertex index", r.where(), v, e.name, row)
		}
		*into = append(*into, int32(v))
	}
	return 0, nil
}

func (r *plyReader) scalar(e *plyElement, t plyType, row int64) (float64, error) {
	if r.ascii {
		w := r.token()
		if w == nil {
			return 0, cutShort("line %d: the file ends inside %s %d of %d", r.line, e.name, row, e.count)
		}
		f, ok := parseFloat(w)
		if !ok {
			return 0, unreadable("line %d: expected a number of %s %d, found %s", r.line, e.name, row, quote(w))
		}
		return f, nil
	}
	if len(r.data)-r.pos < t.size {
		return 0, cutShort("byte %d: the file ends inside %s %d of %d", r.pos, e.name, row, e.count)
	}
	b := r.data[r.pos:]
	r.pos += t.size
	switch t {
	case plyType{4, true, true}:
		return float64(math.Float32frombits(r.order.Uint32(b))), nil
	case plyType{8, true, true}:
		return math.Float64frombits(r.order.Uint64(b)), nil
	case plyType{1, false, true}:
		return float64(int8(b[0])), nil
	case plyType{1, false, false}:
		return float64(b[0]), nil
	case plyType{2, false, true}:
		return float64(int16(r.order.Uint16(b))), nil
	case plyType{2, false, false}:
		return float64(r.order.Uint16(b)), nil
	case plyType{4, false, true}:
		return float64(int32(r.order.Uint32(b))), nil
	}
	return float64(r.order.Uint32(b)), nil
}

// encodePLY writes binary little-endian PLY with double coordinates.
func encodePLY(m *Mesh) ([]byte, error) {
	meta, err := m.metaJSON()
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	b.WriteString("ply\nformat binary_little_endian 1.0\n")
	if meta != "" {
		b.WriteString("comment " + marker + meta + "\n")
	}
	b.WriteString("element vertex " + strconv.Itoa(len(m.Vertices)) +
		"\nproperty double x\nproperty double y\nproperty double z\nelement face " + strconv.Itoa(len(m.Triangles)) +
		"\nproperty list uchar int vertex_indices\n")
	if m.FaceID != nil {
		b.WriteString("property int face_id\n")
	}
	b.WriteString("end_header\n")
	out := b.Bytes()
	for _, p := range m.Vertices {
		for k := range 3 {
			out = binary.LittleEndian.AppendUint64(out, math.Float64bits(p[k]))
		}
	}
	for i, t := range m.Triangles {
		out = append(out, 3)
		for _, v := range t {
			out = binary.LittleEndian.AppendUint32(out, uint32(v))
		}
		if m.FaceID != nil {
			out = binary.LittleEndian.AppendUint32(out, uint32(m.FaceID[i]))
		}
	}
	return out, nil
}
