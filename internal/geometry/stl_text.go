package geometry

import "bytes"

// stlText holds the state of an ASCII STL file being read. The format has no count; that
// its blocks are closed is all that tells a whole file from the beginning of one.
type stlText struct {
	scanner
	mesh    *Mesh
	weld    *pointIndex
	tri     [3]int32
	corners int
	loops   int // of the present facet
	solid   int // line of the solid that is open, 0 outside
	facet   int // line of the facet that is open, 0 outside
}

// decodeASCIISTL reads facets of three corners, in one solid or several.
func decodeASCIISTL(data []byte) (*Mesh, error) {
	r := &stlText{scanner: scanner{data: data, line: 1}, mesh: &Mesh{}, weld: newPointIndex(len(data) / 300)}
	for more := true; more; more = r.next() {
		if err := r.record(); err != nil {
			return nil, err
		}
	}
	if r.facet > 0 || r.corners > 0 {
		return nil, cutShort("line %d: the file ends inside a facet", r.line)
	}
	if r.solid > 0 {
		return nil, unreadable("line %d: the file ends inside the solid of line %d, which has no endsolid", r.line, r.solid).
			WithHint("The file was cut short: a part of the surface is missing. Copy or upload it again, or export the surface again; where it is whole, a last line endsolid says so.")
	}
	return r.mesh, nil
}

func (r *stlText) record() error {
	w := bytes.ToLower(r.word())
	switch string(w) {
	case "vertex":
		p, err := r.point()
		if err != nil {
			return err
		}
		if r.corners == 3 {
			return unreadable("line %d: a facet has more than 3 vertices", r.line)
		}
		r.tri[r.corners] = r.weld.add(&r.mesh.Vertices, p)
		r.corners++
	case "endloop":
		if r.corners != 3 {
			return unreadable("line %d: a facet has %d vertices, expected 3", r.line, r.corners)
		}
		r.mesh.Triangles = append(r.mesh.Triangles, r.tri)
		r.corners, r.loops = 0, r.loops+1
		return r.lineEnds(w)
	case "solid", "facet", "endfacet", "endsolid":
		return r.block(string(w))
	case "", "outer", "color", "colour":
	default:
		return unreadable("line %d: expected facet, outer loop, vertex or their ends, found %s", r.line, quote(w))
	}
	return nil
}

// block opens and closes facets and solids; what is not closed before the next opens was cut.
func (r *stlText) block(w string) error {
	if r.corners > 0 {
		return cutShort("line %d: %s before the loop of the facet has its endloop", r.line, w)
	}
	if r.facet > 0 && w != "endfacet" {
		return cutShort("line %d: %s before the facet of line %d has its endfacet", r.line, w, r.facet)
	}
	switch w {
	case "facet":
		r.facet, r.loops = r.line, 0
		r.solid = max(r.solid, 1) // also one without its first line
	case "endfacet":
		if r.loops == 0 {
			return unreadable("line %d: the facet has no loop of 3 vertices", r.line).
				WithHint("A facet is written in seven lines: facet normal, outer loop, three times vertex, endloop, endfacet.")
		}
		r.facet, r.loops = 0, 0
		return r.lineEnds([]byte(w))
	case "solid":
		if r.solid > 0 {
			return cutShort("line %d: a solid begins before the solid of line %d has its endsolid", r.line, r.solid)
		}
		r.solid = r.line
	case "endsolid":
		r.solid = 0
	}
	return nil
}

// lineEnds refuses what stands behind a word that ends its line.
func (r *stlText) lineEnds(w []byte) error {
	if more := r.word(); more != nil {
		return unreadable("line %d: expected the end of the line after %s, found %s", r.line, w, quote(more)).
			WithHint("Each word of an ASCII STL file begins a line of its own: facet normal, outer loop, vertex, endloop, endfacet.")
	}
	return nil
}
