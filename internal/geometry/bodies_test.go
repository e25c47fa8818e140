package geometry

import "testing"

// Two bodies of an assembly, one standing half on the other: they stay two
// solids, their contact is told and is no defect; each body by itself is united.
func TestBodiesOfAnAssembly(t *testing.T) {
	a, b := cube(Vec3{}, Vec3{2, 2, 1}), cube(Vec3{1, 0, 1}, Vec3{3, 2, 2})
	inner := cube(Vec3{0.5, 0.5, -0.5}, Vec3{1.5, 1.5, 0.25}) // overlaps a, and is of a's body
	for i := range b.FaceID {
		b.FaceID[i] += 6
	}
	m := a.append(inner).append(b)
	for id := int32(1); id <= 12; id++ {
		m.Meta.Faces = append(m.Meta.Faces, Face{ID: id, Body: (id-1)/6 + 1})
	}
	m.weldExact()
	out, rep := repaired(t, m, RepairOptions{FillHoles: true, ResolveIntersections: true})
	near(t, "volume", out.Volume(), 4+4+0.5, 1e-8) // inner adds the half below a
	if rep.Initial.NonManifoldEdges != 0 || rep.Final.Components != 2 || rep.FinalIntersecting != 0 || rep.ContactTriangles == 0 || rep.InitialIntersecting == 0 {
		t.Errorf("%+v", rep)
	}
}
