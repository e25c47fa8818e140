package geometry

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"strings"
)

const (
	stlHeader = 84
	stlRecord = 50
	stlMarker = "atelier length_unit="
)

// isBinarySTL judges by the size that the count at byte 80 implies: many binary
// files begin with "solid" and many have bytes after the last record.
func isBinarySTL(data []byte) bool {
	if len(data) < stlHeader {
		return false
	}
	want := stlHeader + stlRecord*int64(binary.LittleEndian.Uint32(data[80:]))
	if int64(len(data)) == want {
		return true
	}
	head := data[:min(len(data), 1024)]
	text := bytes.HasPrefix(bytes.TrimSpace(head), []byte("solid")) && bytes.IndexByte(head, 0) < 0
	return !text && int64(len(data)) > want && want > stlHeader && bytes.IndexByte(head[:stlHeader], 0) >= 0
}

// decodeSTL reads both kinds and joins corners with exactly equal coordinates,
// since the format itself has no vertex indices. The attribute of a triangle is
// its CAD face only under our own header; elsewhere it is a colour.
func decodeSTL(data []byte) (*Mesh, error) {
	if isBinarySTL(data) {
		return decodeBinarySTL(data)
	}
	// A binary file may begin with "solid" too, and text has no zeros.
	head := data[:min(len(data), 1024)]
	if bytes.HasPrefix(bytes.TrimSpace(head), []byte("solid")) && (len(data) < stlHeader || bytes.IndexByte(head, 0) < 0) {
		return decodeASCIISTL(data)
	}
	if len(data) < stlHeader {
		return nil, unreadable("the file has %d bytes; a binary STL has at least %d, an ASCII one begins with \"solid\"", len(data), stlHeader)
	}
	n := int64(binary.LittleEndian.Uint32(data[80:]))
	return nil, cutShort("byte 80: the header announces %d triangles (%d bytes), the file has %d bytes, which are %d triangles",
		n, stlHeader+stlRecord*n, len(data), (len(data)-stlHeader)/stlRecord)
}

func decodeBinarySTL(data []byte) (*Mesh, error) {
	n := int(binary.LittleEndian.Uint32(data[80:]))
	m := &Mesh{Vertices: make([]Vec3, 0, n/2+3), Triangles: make([][3]int32, 0, n)}
	weld := newPointIndex(n/2 + 3)
	unit, ours := strings.CutPrefix(string(data[:80]), stlMarker)
	if ours {
		if unit = strings.TrimRight(unit, " \x00"); knownUnit(unit) {
			m.Meta.LengthUnit = unit
		}
		m.FaceID = make([]int32, 0, n)
	}
	hasFace := false
	for i := range n {
		at := stlHeader + stlRecord*i
		rec := data[at : at+stlRecord]
		var tri [3]int32
		for k := range 3 {
			p := vec32(rec[12+12*k:])
			if !p.Finite() {
				return nil, unreadable("byte %d: a coordinate of triangle %d is not finite", at+12+12*k, i)
			}
			tri[k] = weld.add(&m.Vertices, p)
		}
		m.Triangles = append(m.Triangles, tri)
		if ours {
			id := int32(binary.LittleEndian.Uint16(rec[48:]))
			m.FaceID = append(m.FaceID, id)
			hasFace = hasFace || id != 0
		}
	}
	if !hasFace {
		m.FaceID = nil
	}
	return m, m.leftover(data, stlHeader+stlRecord*n, stlRecord, fmt.Sprintf("%d triangles at byte 80", n))
}

// encodeSTL writes binary STL; face ids above 65535 do not fit and become 0.
func encodeSTL(m *Mesh) ([]byte, error) {
	b := make([]byte, stlHeader+stlRecord*len(m.Triangles))
	unit := m.Meta.LengthUnit
	if unit == "" {
		unit = "unknown"
	}
	copy(b[:80], stlMarker+unit)
	binary.LittleEndian.PutUint32(b[80:], uint32(len(m.Triangles)))
	for t := range m.Triangles {
		rec := b[stlHeader+stlRecord*t:]
		p, q, r := m.Corners(t)
		for i, v := range [4]Vec3{m.TriangleNormal(t).Unit(), p, q, r} {
			for k := range 3 {
				binary.LittleEndian.PutUint32(rec[12*i+4*k:], math.Float32bits(float32(v[k])))
			}
		}
		if id := m.Face(t); id > 0 && id <= math.MaxUint16 {
			binary.LittleEndian.PutUint16(rec[48:], uint16(id))
		}
	}
	return b, nil
}

// pointIndex finds points with exactly equal coordinates (+0 and -0 are equal)
// by open addressing.
type pointIndex struct {
	slots []int32 // vertex + 1
	used  int
}

func newPointIndex(expect int) *pointIndex {
	size := 16
	for size < 2*expect {
		size *= 2
	}
	return &pointIndex{slots: make([]int32, size)}
}

func hashPoint(p Vec3) uint64 {
	h := math.Float64bits(p[0]+0)*0x9e3779b97f4a7c15 ^ math.Float64bits(p[1]+0)*0xc2b2ae3d27d4eb4f ^ math.Float64bits(p[2]+0)*0x165667b19e3779f9
	h ^= h >> 32
	h *= 0xd6e8feb86659fd93
	return h ^ h>>29
}

// add returns the index of p in vertices, appending it when it is new.
func (x *pointIndex) add(vertices *[]Vec3, p Vec3) int32 {
	mask := uint64(len(x.slots) - 1)
	for i := hashPoint(p) & mask; ; i = (i + 1) & mask {
		v := x.slots[i]
		if v == 0 {
			*vertices = append(*vertices, p)
			x.slots[i] = int32(len(*vertices))
			if x.used++; 2*x.used > len(x.slots) {
				x.grow(*vertices)
			}
			return int32(len(*vertices) - 1)
		}
		if (*vertices)[v-1] == p {
			return v - 1
		}
	}
}

func (x *pointIndex) grow(vertices []Vec3) {
	old := x.slots
	x.slots = make([]int32, 2*len(old))
	mask := uint64(len(x.slots) - 1)
	for _, v := range old {
		if v == 0 {
			continue
		}
		i := hashPoint(vertices[v-1]) & mask
		for x.slots[i] != 0 {
			i = (i + 1) & mask
		}
		x.slots[i] = v
	}
}
