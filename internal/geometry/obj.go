package geometry

import (
	"bytes"
	"strconv"
)

// objReader holds the state of an OBJ file being read.
type objReader struct {
	scanner
	mesh    *Mesh
	face    int32 // CAD face of the present group
	anyFace bool
	poly    []int32
	fan     triangulator
	pending []objPolygon // faces that name a vertex further down
}

type objPolygon struct {
	line  int
	verts []int32
	face  int32
}

// decodeOBJ reads v and f records, `g face_<id>` groups and the atelier comment;
// normals, texture coordinates, materials, lines and curves are passed over.
func decodeOBJ(data []byte) (*Mesh, error) {
	r := &objReader{scanner: scanner{data: data, line: 1}, mesh: &Mesh{}}
	r.mesh.Vertices = make([]Vec3, 0, len(data)/60)
	r.mesh.Triangles = make([][3]int32, 0, len(data)/40)
	for more := len(data) > 0; more; more = r.next() {
		if err := r.record(); err != nil {
			return nil, err
		}
	}
	for _, p := range r.pending {
		if err := r.emit(p.verts, p.face, p.line); err != nil {
			return nil, err
		}
	}
	if !r.anyFace {
		r.mesh.FaceID = nil
	}
	return r.mesh, nil
}

func (r *objReader) record() error {
	key := r.word()
	switch {
	case len(key) == 1 && key[0] == 'v':
		p, err := r.point()
		if err != nil {
			return err
		}
		r.mesh.Vertices = append(r.mesh.Vertices, p)
	case len(key) == 1 && key[0] == 'f':
		return r.polygon()
	case len(key) == 1 && key[0] == 'g':
		r.group(r.word())
	case objLost[string(key)] != "":
		return unreadable("line %d: the record %s is %s, which is not read here", r.line, quote(key), objLost[string(key)]).
			WithHint("It is a part of the surface and is not left out unasked. Write v and f in small letters; export free-form surfaces as triangles, and what is in another file into this one.")
	case key == nil && r.pos < len(r.data) && r.data[r.pos] == '#':
		r.pos++
		if err := parseMeta(r.rest(), &r.mesh.Meta); err != nil {
			return unreadable("line %d: %w", r.line, err)
		}
	case key != nil && !plainWord(key):
		return unreadable("line %d: expected an OBJ record (v, f, g, …), found %s", r.line, quote(key))
	}
	return nil
}

// objLost are the records that give surface, so that the rest is not all of it.
var objLost = map[string]string{
	"V": "written with a capital letter", "F": "written with a capital letter", "fo": "a face of an old form",
	"surf": "a free-form surface", "bzp": "a Bézier patch", "bsp": "a B-spline patch", "call": "a reference to another file",
}

// plainWord says whether a record's keyword is printable ASCII, which tells an
// OBJ file with unknown records from noise.
func plainWord(w []byte) bool {
	for _, c := range w {
		if c <= ' ' || c >= 0x7f {
			return false
		}
	}
	return true
}

func (r *objReader) group(name []byte) {
	r.face = 0
	if id, ok := bytes.CutPrefix(name, []byte("face_")); ok {
		if n, ok := parseInt(id); ok && n > 0 && n <= maxIndex {
			r.face, r.anyFace = int32(n), true
		}
	}
}

const maxIndex = 1<<31 - 1

// polygon reads one f record. An index may be v, v/vt, v//vn or v/vt/vn;
// negative ones count back from the last vertex.
func (r *objReader) polygon() error {
	r.poly = r.poly[:0]
	line, ahead := r.line, false
	for w := r.word(); w != nil; w = r.word() {
		first := w
		if k := bytes.IndexByte(w, '/'); k >= 0 {
			first = w[:k]
		}
		n, ok := parseInt(first)
		switch {
		case !ok || n == 0:
			return unreadable("line %d: expected a vertex index (1, 2, … or -1, -2, …), found %s", r.line, quote(w))
		case n < 0:
			n += len(r.mesh.Vertices)
			if n < 0 {
				return unreadable("line %d: index %s counts back before the first of %d vertices", r.line, quote(first), len(r.mesh.Vertices))
			}
		default:
			n--
		}
		if n > maxIndex {
			return unreadable("line %d: vertex index %d is above the largest possible", r.line, n+1)
		}
		ahead = ahead || n >= len(r.mesh.Vertices)
		r.poly = append(r.poly, int32(n))
	}
	if len(r.poly) < 3 {
		return unreadable("line %d: a face needs at least 3 vertices, found %d", line, len(r.poly))
	}
	if ahead {
		r.pending = append(r.pending, objPolygon{line, append([]int32(nil), r.poly...), r.face})
		return nil
	}
	return r.emit(r.poly, r.face, line)
}

func (r *objReader) emit(poly []int32, face int32, line int) error {
	m := r.mesh
	for _, v := range poly {
		if int(v) >= len(m.Vertices) {
			return unreadable("line %d: vertex index %d is out of range, the file has %d vertices", line, v+1, len(m.Vertices))
		}
	}
	before := len(m.Triangles)
	if len(poly) == 3 {
		m.Triangles = append(m.Triangles, [3]int32{poly[0], poly[1], poly[2]})
	} else {
		m.Triangles = r.fan.polygon(m.Triangles, m.Vertices, poly)
	}
	for range len(m.Triangles) - before {
		m.FaceID = append(m.FaceID, face)
	}
	return nil
}

// encodeOBJ writes full-precision coordinates, one group per CAD face.
func encodeOBJ(m *Mesh) ([]byte, error) {
	meta, err := m.metaJSON()
	if err != nil {
		return nil, err
	}
	b := make([]byte, 0, 60*len(m.Vertices)+24*len(m.Triangles)+len(meta)+64)
	if meta != "" {
		b = append(append(append(b, "# "+marker...), meta...), '\n')
	}
	for _, p := range m.Vertices {
		b = append(b, 'v')
		for k := range 3 {
			b = strconv.AppendFloat(append(b, ' '), p[k], 'g', -1, 64)
		}
		b = append(b, '\n')
	}
	face := int32(0)
	for _, t := range m.orderByFace() {
		if id := m.Face(int(t)); id != face {
			face = id
			b = append(b, "g face_"...)
			b = append(strconv.AppendInt(b, int64(id), 10), '\n')
		}
		b = append(b, 'f')
		for _, v := range m.Triangles[t] {
			b = strconv.AppendInt(append(b, ' '), int64(v)+1, 10)
		}
		b = append(b, '\n')
	}
	return b, nil
}
