package stuffing

import (
	"encoding/base64"
	"encoding/binary"
	"math"
	"slices"
	"strconv"
)

// groupBy lists the indices of each value, values in order.
func groupBy(values []int32) (keys []int32, members map[int32][]int32) {
	members = map[int32][]int32{}
	for i, v := range values {
		if members[v] == nil {
			keys = append(keys, v)
		}
		members[v] = append(members[v], int32(i))
	}
	slices.Sort(keys)
	return keys, members
}

// writeGmsh writes MSH 4.1 ASCII: one entity and one physical group for each
// boundary attribute and each body.
func (m *Mesh) writeGmsh(w *textWriter) {
	faces, inFace := groupBy(m.Attribute)
	bodies, inBody := groupBy(m.Body)
	w.line("$MeshFormat\n4.1 0 8\n$EndMeshFormat")
	w.line("$Comments\natelier " + m.metaLine() + "\n$EndComments")
	w.line("$PhysicalNames")
	w.count(len(faces) + len(bodies))
	names := map[int32]string{}
	for _, f := range m.Meta.Faces {
		names[f.ID] = f.Name
	}
	for _, id := range faces {
		name := names[id]
		if name == "" {
			name = "face_" + strconv.Itoa(int(id))
		}
		w.line("2 " + strconv.Itoa(int(id)) + ` "` + mapPrintable(name) + `"`)
	}
	for _, id := range bodies {
		w.line("3 " + strconv.Itoa(int(id)) + ` "body_` + strconv.Itoa(int(id)) + `"`)
	}
	w.line("$EndPhysicalNames\n$Entities")
	w.ints(0, 0, int32(len(faces)), int32(len(bodies)))
	m.entities(w, faces, inFace, func(i int32) []int32 { return m.Triangles[i][:] })
	m.entities(w, bodies, inBody, func(i int32) []int32 { return m.Tetrahedra[i][:] })
	w.line("$EndEntities\n$Nodes")
	n := int32(len(m.Vertices))
	w.ints(1, n, 1, n)
	w.ints(3, bodies[0], 0, n)
	for i := range n {
		w.ints(i + 1)
	}
	for _, p := range m.Vertices {
		w.point(p)
	}
	w.line("$EndNodes\n$Elements")
	total := int32(len(m.Triangles) + len(m.Tetrahedra))
	w.ints(int32(len(faces)+len(bodies)), total, 1, total)
	tag := int32(0)
	for _, id := range faces {
		w.ints(2, id, 2, int32(len(inFace[id])))
		for _, i := range inFace[id] {
			t := m.Triangles[i]
			tag++
			w.ints(tag, t[0]+1, t[1]+1, t[2]+1)
		}
	}
	for _, id := range bodies {
		w.ints(3, id, 4, int32(len(inBody[id])))
		for _, i := range inBody[id] {
			t := m.Tetrahedra[i]
			tag++
			w.ints(tag, t[0]+1, t[1]+1, t[2]+1, t[3]+1)
		}
	}
	w.line("$EndElements")
}

func mapPrintable(name string) string {
	out := []rune(name)
	for i, r := range out {
		out[i] = printable(r)
	}
	return string(out)
}

// entities writes tag, bounding box, one physical group and no bounding
// entities for each group.
func (m *Mesh) entities(w *textWriter, keys []int32, members map[int32][]int32, corners func(i int32) []int32) {
	for _, id := range keys {
		inf := math.Inf(1)
		lo, hi := vec{inf, inf, inf}, vec{-inf, -inf, -inf}
		for _, i := range members[id] {
			for _, v := range corners(i) {
				lo, hi = vmin(lo, m.Vertices[v]), vmax(hi, m.Vertices[v])
			}
		}
		w.text(strconv.Itoa(int(id)))
		for _, p := range [2]vec{lo, hi} {
			for _, x := range p {
				w.text(" " + strconv.FormatFloat(x, 'g', -1, 64))
			}
		}
		w.line(" 1 " + strconv.Itoa(int(id)) + " 0")
	}
}

// writeVTU writes tetrahedra and boundary triangles as one unstructured grid
// with the cell data "body" (0 on triangles) and "attribute" (0 on tetrahedra),
// as base64 with 64-bit headers.
func (m *Mesh) writeVTU(w *textWriter) {
	cells := len(m.Tetrahedra) + len(m.Triangles)
	w.line(`<?xml version="1.0"?>`)
	w.line(`<VTKFile type="UnstructuredGrid" version="1.0" byte_order="LittleEndian" header_type="UInt64">`)
	w.line(`<UnstructuredGrid><Piece NumberOfPoints="` + strconv.Itoa(len(m.Vertices)) + `" NumberOfCells="` + strconv.Itoa(cells) + `">`)
	points := make([]byte, 0, 24*len(m.Vertices))
	for _, p := range m.Vertices {
		for _, x := range p {
			points = binary.LittleEndian.AppendUint64(points, math.Float64bits(x))
		}
	}
	w.line("<Points>")
	w.array("Points", "Float64", 3, points)
	w.line("</Points>\n<Cells>")
	var links, ends, body, attribute []byte
	kinds := make([]byte, 0, cells)
	end := int32(0)
	cell := func(verts []int32, kind byte, b, a int32) {
		for _, v := range verts {
			links = binary.LittleEndian.AppendUint32(links, uint32(v))
		}
		end += int32(len(verts))
		ends = binary.LittleEndian.AppendUint32(ends, uint32(end))
		kinds = append(kinds, kind)
		body = binary.LittleEndian.AppendUint32(body, uint32(b))
		attribute = binary.LittleEndian.AppendUint32(attribute, uint32(a))
	}
	const vtkTriangle, vtkTetra = 5, 10
	for i, t := range m.Tetrahedra {
		cell(t[:], vtkTetra, m.Body[i], 0)
	}
	for i, t := range m.Triangles {
		cell(t[:], vtkTriangle, 0, m.Attribute[i])
	}
	w.array("connectivity", "Int32", 1, links)
	w.array("offsets", "Int32", 1, ends)
	w.array("types", "UInt8", 1, kinds)
	w.line("</Cells>\n<CellData>")
	w.array("body", "Int32", 1, body)
	w.array("attribute", "Int32", 1, attribute)
	w.line("</CellData></Piece></UnstructuredGrid></VTKFile>")
}

func (w *textWriter) array(name, kind string, components int, data []byte) {
	w.text(`<DataArray type="` + kind + `" Name="` + name + `" NumberOfComponents="` + strconv.Itoa(components) + `" format="binary">`)
	head := binary.LittleEndian.AppendUint64(nil, uint64(len(data)))
	w.text(base64.StdEncoding.EncodeToString(head))
	w.text(base64.StdEncoding.EncodeToString(data))
	w.line("</DataArray>")
}
