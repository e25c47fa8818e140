package geometry

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"strconv"
)

// offKind is what an OFF header keyword says: [ST][C][N][4][n]OFF.
type offKind struct{ st, color, normal, four, nd, binary bool }

// parseOffHeader reads the keyword; ok is false when the word is no OFF keyword.
func parseOffHeader(w []byte) (k offKind, ok bool) {
	rest, ok := bytes.CutSuffix(w, []byte("OFF"))
	if !ok {
		return k, false
	}
	for _, p := range []struct {
		prefix string
		flag   *bool
	}{{"ST", &k.st}, {"C", &k.color}, {"N", &k.normal}, {"4", &k.four}, {"n", &k.nd}} {
		var has bool
		rest, has = bytes.CutPrefix(rest, []byte(p.prefix))
		*p.flag = has
	}
	return k, len(rest) == 0
}

// offHeader says whether the content begins as an OFF file, after comments.
func offHeader(head []byte) bool {
	s := &scanner{data: head, line: 1}
	_, ok := parseOffHeader(s.token())
	return ok
}

// decodeOFF reads ASCII and binary OFF, with or without the keyword line, with
// comments, and with its counts on the keyword's line or the next.
func decodeOFF(data []byte) (*Mesh, error) {
	s := &scanner{data: data, line: 1}
	m := &Mesh{}
	if err := offComments(data, &m.Meta); err != nil {
		return nil, err
	}
	first := s.token()
	kind, isKeyword := parseOffHeader(first)
	if isKeyword {
		if kind.four || kind.nd {
			return nil, unreadable("line %d: %s has points of another dimension than 3", s.line, quote(first))
		}
		save := *s
		if w := s.word(); string(w) == "BINARY" {
			kind.binary = true
			s.next()
			return decodeBinaryOFF(data, s.pos, kind)
		}
		*s = save
	} else {
		*s = scanner{data: data, line: 1}
	}
	var n [3]int
	for i, what := range []string{"vertices", "faces", "edges"} {
		var w []byte
		if i < 2 {
			w = s.token()
		} else if w = s.word(); w == nil {
			break // some writers leave out the edge count
		}
		v, ok := parseInt(w)
		if !ok || v < 0 {
			return nil, unreadable("line %d: expected the number of %s, found %s", s.line, what, quote(w))
		}
		n[i] = v
	}
	// A vertex takes at least 6 bytes ("0 0 0\n"), a face at least 8.
	if int64(n[0])*5+int64(n[1])*7 > int64(len(data)) {
		return nil, unreadable("line %d: the header announces %d vertices and %d faces, more than %d bytes can hold", s.line, n[0], n[1], len(data))
	}
	return m, s.offBody(m, n[0], n[1])
}

// offComments takes the metadata from the comments at the top.
func offComments(data []byte, meta *Meta) error {
	at := bytes.Index(data[:min(len(data), 4096)], []byte("# "+marker))
	if at < 0 {
		return nil
	}
	line := data[at+2:]
	if end := bytes.IndexByte(line, '\n'); end >= 0 {
		line = line[:end]
	}
	if err := parseMeta(line, meta); err != nil {
		return unreadable("byte %d: %w", at, err)
	}
	return nil
}

func (s *scanner) offBody(m *Mesh, vertices, faces int) error {
	m.Vertices = make([]Vec3, vertices)
	for i := range m.Vertices {
		if s.next(); !s.blankTo() {
			return cutShort("line %d: the file ends after %d of %d vertices", s.line, i, vertices)
		}
		p, err := s.point()
		if err != nil {
			return err
		}
		m.Vertices[i] = p
	}
	m.Triangles = make([][3]int32, 0, faces)
	var fan triangulator
	var poly []int32
	for i := range faces {
		if s.next(); !s.blankTo() {
			return cutShort("line %d: the file ends after %d of %d faces", s.line, i, faces)
		}
		w := s.word()
		n, ok := parseInt(w)
		if !ok || n < 0 {
			return unreadable("line %d: expected the number of corners of face %d, found %s", s.line, i, quote(w))
		}
		poly = poly[:0]
		for range n {
			w := s.word()
			v, ok := parseInt(w)
			if !ok || v < 0 || v >= vertices {
				return unreadable("line %d: expected a vertex index from 0 to %d, found %s", s.line, vertices-1, quote(w))
			}
			poly = append(poly, int32(v))
		}
		if n < 3 {
			continue // points and lines are allowed in OFF and are no surface
		}
		m.appendPolygon(&fan, poly)
	}
	s.next()
	return m.leftoverText(s, fmt.Sprintf("%d vertices and %d faces", vertices, faces))
}

// blankTo moves over blank and comment lines to the next word; false at the end.
func (s *scanner) blankTo() bool {
	for {
		for s.pos < len(s.data) && isSpace(s.data[s.pos]) {
			s.pos++
		}
		if s.pos < len(s.data) && s.data[s.pos] != '\n' && s.data[s.pos] != '#' {
			return true
		}
		if !s.next() {
			return false
		}
	}
}

func (m *Mesh) appendPolygon(fan *triangulator, poly []int32) {
	if len(poly) == 3 {
		m.Triangles = append(m.Triangles, [3]int32{poly[0], poly[1], poly[2]})
		return
	}
	m.Triangles = fan.polygon(m.Triangles, m.Vertices, poly)
}

// decodeBinaryOFF reads Geomview's binary form: big-endian int32 and float32.
func decodeBinaryOFF(data []byte, pos int, kind offKind) (*Mesh, error) {
	word := func() uint32 { v := binary.BigEndian.Uint32(data[pos:]); pos += 4; return v }
	if len(data)-pos < 12 {
		return nil, unreadable("byte %d: the binary OFF file ends inside its header", pos)
	}
	nv, nf := int64(int32(word())), int64(int32(word()))
	word()
	stride := 12
	for _, extra := range []struct {
		has   bool
		bytes int
	}{{kind.normal, 12}, {kind.color, 16}, {kind.st, 8}} {
		if extra.has {
			stride += extra.bytes
		}
	}
	if nv < 0 || nf < 0 || nv*int64(stride)+nf*8 > int64(len(data)-pos) {
		return nil, unreadable("byte %d: the header announces %d vertices and %d faces, more than the %d bytes left can hold", pos, nv, nf, len(data)-pos)
	}
	m := &Mesh{Vertices: make([]Vec3, nv), Triangles: make([][3]int32, 0, nf)}
	for i := range m.Vertices {
		for k := range 3 {
			m.Vertices[i][k] = float64(math.Float32frombits(binary.BigEndian.Uint32(data[pos+4*k:])))
		}
		if !m.Vertices[i].Finite() {
			return nil, unreadable("byte %d: vertex %d is not finite", pos, i)
		}
		pos += stride
	}
	var fan triangulator
	var poly []int32
	for f := range nf {
		if len(data)-pos < 4 {
			return nil, cutShort("byte %d: the file ends after %d of %d faces", pos, f, nf)
		}
		n := int64(int32(word()))
		if n < 0 || 4*n+4 > int64(len(data)-pos) {
			return nil, unreadable("byte %d: face %d announces %d corners, more than the file holds", pos-4, f, n)
		}
		poly = poly[:0]
		for range n {
			v := word()
			if int64(v) >= nv {
				return nil, unreadable("byte %d: vertex index %d is out of range, the file has %d vertices", pos-4, v, nv)
			}
			poly = append(poly, int32(v))
		}
		colors := int64(int32(word()))
		if colors < 0 || 4*colors > int64(len(data)-pos) {
			return nil, unreadable("byte %d: face %d announces %d colour components", pos-4, f, colors)
		}
		pos += int(4 * colors)
		if n >= 3 {
			m.appendPolygon(&fan, poly)
		}
	}
	// A triangle takes 20 bytes: its number of corners, the corners, and that of colours.
	return m, m.leftover(data, pos, 20, fmt.Sprintf("%d vertices and %d faces", nv, nf))
}

// encodeOFF writes ASCII OFF, metadata as a comment; OFF has no place for face ids.
func encodeOFF(m *Mesh) ([]byte, error) {
	meta, err := m.metaJSON()
	if err != nil {
		return nil, err
	}
	b := append(make([]byte, 0, 60*len(m.Vertices)+24*len(m.Triangles)+64), "OFF\n"...)
	if meta != "" {
		b = append(append(append(b, "# "+marker...), meta...), '\n')
	}
	b = strconv.AppendInt(b, int64(len(m.Vertices)), 10)
	b = strconv.AppendInt(append(b, ' '), int64(len(m.Triangles)), 10)
	b = append(b, " 0\n"...)
	for _, p := range m.Vertices {
		b = appendPoint(b, p)
	}
	for _, t := range m.Triangles {
		b = append(b, '3')
		for _, v := range t {
			b = strconv.AppendInt(append(b, ' '), int64(v), 10)
		}
		b = append(b, '\n')
	}
	return b, nil
}

func appendPoint(b []byte, p Vec3) []byte {
	for k := range 3 {
		if k > 0 {
			b = append(b, ' ')
		}
		b = strconv.AppendFloat(b, p[k], 'g', -1, 64)
	}
	return append(b, '\n')
}
