package stuffing

import (
	"fmt"
	"math"
	"slices"

	"atelier/internal/contract"
	"atelier/internal/geometry"
)

// genus is the number of handles of a closed surface, summed over its shells. A
// vertex at which several fans of triangles touch counts once for each fan, as
// if they were apart.
func genus(tris [][3]int32) int {
	corners, shells := newUnion(3*len(tris)), newUnion(len(tris))
	for key, p := range edgeTriangles(tris) {
		if p[1] < 0 {
			continue
		}
		shells.join(p[0], p[1])
		for _, v := range [2]int32{int32(key >> 32), int32(uint32(key))} {
			corners.join(cornerOf(tris, p[0], v), cornerOf(tris, p[1], v))
		}
	}
	vertices, pieces := 0, 0
	for i := range corners.parent {
		if corners.find(int32(i)) == int32(i) {
			vertices++
		}
	}
	for i := range shells.parent {
		if shells.find(int32(i)) == int32(i) {
			pieces++
		}
	}
	euler := vertices - len(tris)*3/2 + len(tris)
	return pieces - euler/2
}

func cornerOf(tris [][3]int32, t, v int32) int32 {
	for k, u := range tris[t] {
		if u == v {
			return 3*t + int32(k)
		}
	}
	return 3 * t
}

// measure fills the report of a body's mesh from the mesh alone.
func (m *bodyMesh) measure(b *body, meta geometry.Meta) {
	r := &m.report
	r.Tetrahedra, r.Vertices = len(m.tets), len(m.pos)
	r.MinDihedral = 180
	for t, v := range m.tets {
		r.Volume += m.volumeOf(int32(t))
		least, most := dihedrals(m.pos[v[0]], m.pos[v[1]], m.pos[v[2]], m.pos[v[3]])
		if m.volumeOf(int32(t)) <= 0 {
			least = 0
		}
		r.MinDihedral, r.MaxDihedral = min(r.MinDihedral, least), max(r.MaxDihedral, most)
	}
	r.VolumeError = r.Volume/r.SurfaceVolume - 1
	r.Handles = genus(m.tris)
	m.faces = b.compareFaces(m, meta)
	for _, f := range m.faces {
		if f.Checked && math.Abs(f.Error) > areaTolerance {
			r.badFaces++
		}
	}
}

// compareFaces holds the area of each attribute against its CAD face; the
// expected area is that of the given triangles, which is what was meshed.
func (b *body) compareFaces(m *bodyMesh, meta geometry.Meta) []FaceReport {
	names := map[int32]string{}
	for _, f := range meta.Faces {
		names[f.ID] = f.Name
	}
	at := map[int32]*FaceReport{}
	var ids []int32
	for i, p := range b.patches {
		id := b.patchFace[i]
		f := at[id]
		if f == nil {
			f = &FaceReport{Attribute: id, Name: names[id], Body: b.id}
			at[id] = f
			ids = append(ids, id)
		}
		f.Expected += p.area
		f.Width = max(f.Width, p.width)
	}
	planes := make([]plane, len(b.patches))
	for i := range planes {
		planes[i] = b.planeOf(i)
	}
	spacing := map[int32]float64{} // largest on the face
	for i, t := range m.tris {
		f := at[b.patchFace[m.label[i]]]
		spacing[f.Attribute] = max(spacing[f.Attribute], m.sizeAt(t[0]), m.sizeAt(t[1]), m.sizeAt(t[2]))
		if on := planes[m.label[i]]; on.flat {
			f.Plane = true
			for _, v := range t {
				f.Bend = max(f.Bend, math.Abs(m.pos[v].Sub(on.point).Dot(on.normal)))
			}
		}
		p := m.pos[t[0]]
		f.Area += m.pos[t[1]].Sub(p).Cross(m.pos[t[2]].Sub(p)).Norm() / 2
		f.Triangles++
	}
	slices.Sort(ids)
	out := make([]FaceReport, 0, len(ids))
	for _, id := range ids {
		f := at[id]
		if f.Expected > 0 {
			f.Error = f.Area/f.Expected - 1
		}
		wide := spacing[id]
		if f.Triangles == 0 {
			wide = m.report.DX
		}
		f.Checked = f.Width > wideFace*wide
		out = append(out, *f)
	}
	return out
}

// plane is that of a flat patch.
type plane struct {
	flat          bool
	point, normal vec
}

// planeOf is the plane that all triangles of a patch lie in.
func (b *body) planeOf(patch int) plane {
	p := plane{flat: true}
	for _, t := range b.patches[patch].tris {
		n := b.normal[t]
		switch {
		case n == (vec{}): // a degenerate triangle
		case p.normal == (vec{}):
			p.normal, p.point = n, b.verts[b.tris[t][0]]
		case n.Dot(p.normal) < 1-1e-9:
			return plane{}
		}
	}
	p.flat = p.normal != (vec{})
	return p
}

// assemble joins the bodies into one mesh; they share no vertices.
func (g *generator) assemble(meshes []*bodyMesh) *Result {
	none := g.unnamed()
	out := &Mesh{Meta: g.meta}
	result := &Result{Mesh: out}
	for _, m := range meshes {
		first := int32(len(out.Vertices))
		out.Vertices = append(out.Vertices, m.pos...)
		for _, t := range m.tets {
			out.Tetrahedra = append(out.Tetrahedra, [4]int32{t[0] + first, t[1] + first, t[2] + first, t[3] + first})
			out.Body = append(out.Body, m.report.Body)
		}
		body := g.body(m.report.Body)
		for i, t := range m.tris {
			out.Triangles = append(out.Triangles, [3]int32{t[0] + first, t[1] + first, t[2] + first})
			id := body.patchFace[m.label[i]]
			if id == 0 {
				id = none
			}
			out.Attribute = append(out.Attribute, id)
		}
		for _, f := range m.faces {
			if f.Attribute == 0 {
				f.Attribute = none
			}
			result.Faces = append(result.Faces, f)
		}
		result.Bodies = append(result.Bodies, m.report)
	}
	result.Warnings = g.warnings(result)
	return result
}

func (g *generator) body(id int32) *body {
	for i := range g.bodies {
		if g.bodies[i].id == id {
			return &g.bodies[i]
		}
	}
	return nil
}

// unnamed is the attribute of triangles without a CAD face.
func (g *generator) unnamed() int32 {
	var most int32
	for i := range g.bodies {
		for _, id := range g.bodies[i].face {
			most = max(most, id)
		}
	}
	for _, f := range g.meta.Faces {
		most = max(most, f.ID)
	}
	return most + 1
}

func (g *generator) warnings(r *Result) []contract.Warning {
	var out []contract.Warning
	if len(r.Bodies) > 1 {
		out = append(out, contract.Warning{Code: "bodies_not_joined", Message: fmt.Sprintf(
			"The %d bodies are meshed one by one and share no vertices: where they touch, nothing passes from one to the other.", len(r.Bodies))})
	}
	var lost, off []int32
	for _, f := range r.Faces {
		switch {
		case f.Triangles == 0:
			lost = append(lost, f.Attribute)
		case f.Checked && math.Abs(f.Error) > areaTolerance:
			off = append(off, f.Attribute)
		}
	}
	if len(lost) > 0 {
		out = append(out, contract.Warning{Code: "faces_lost", Message: fmt.Sprintf(
			"%d faces are too small for the spacing and have no boundary triangle: %s.", len(lost), list(lost))})
	}
	if len(off) > 0 {
		out = append(out, contract.Warning{Code: "face_areas_off", Message: fmt.Sprintf(
			"%d faces miss their area by more than 5 %%: %s. A smaller dx follows them better.", len(off), list(off))})
	}
	return out
}

// list shows the first few ids.
func list(ids []int32) string {
	s := ""
	for i, id := range ids {
		if i == 12 {
			return s + ", …"
		}
		if i > 0 {
			s += ", "
		}
		s += fmt.Sprint(id)
	}
	return s
}

// WorstQuality is the lowest value over all tetrahedra of 6√2·V/L³ with L the
// root mean square of the edges: 1 for a regular one, 0 for a flat one.
func (m *Mesh) WorstQuality() float64 {
	worst := 1.0
	for _, t := range m.Tetrahedra {
		var p [4]vec
		for k, v := range t {
			p[k] = m.Vertices[v]
		}
		sum := 0.0
		for i := range 4 {
			for j := range i {
				sum += norm2(p[i].Sub(p[j]))
			}
		}
		l := math.Sqrt(sum / 6)
		worst = min(worst, math.Sqrt2*orient3(p[0], p[1], p[2], p[3])/(l*l*l))
	}
	return worst
}
