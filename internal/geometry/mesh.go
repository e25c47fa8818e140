// Package geometry holds triangle surfaces: their file formats, their topology,
// their repair to a closed, oriented, manifold surface, and their decimation.
// Coordinates are in the file's own unit (Meta.LengthUnit); nothing here scales
// them. CAD face ids ride along on every triangle through every operation.
package geometry

import (
	"cmp"
	"math"
	"slices"
)

// Vec3 is a point or a vector.
type Vec3 [3]float64

// Add is a + b.
func (a Vec3) Add(b Vec3) Vec3 { return Vec3{a[0] + b[0], a[1] + b[1], a[2] + b[2]} }

// Sub is a - b.
func (a Vec3) Sub(b Vec3) Vec3 { return Vec3{a[0] - b[0], a[1] - b[1], a[2] - b[2]} }

// Scale is s·a.
func (a Vec3) Scale(s float64) Vec3 { return Vec3{s * a[0], s * a[1], s * a[2]} }

// Dot is the scalar product.
func (a Vec3) Dot(b Vec3) float64 { return a[0]*b[0] + a[1]*b[1] + a[2]*b[2] }

// Cross is the vector product.
func (a Vec3) Cross(b Vec3) Vec3 {
	return Vec3{a[1]*b[2] - a[2]*b[1], a[2]*b[0] - a[0]*b[2], a[0]*b[1] - a[1]*b[0]}
}

// Norm is the Euclidean length.
func (a Vec3) Norm() float64 { return math.Sqrt(a.Dot(a)) }

// Unit is the vector of length 1 in a's direction, or zero for the zero vector.
func (a Vec3) Unit() Vec3 {
	n := a.Norm()
	if n == 0 {
		return Vec3{}
	}
	return a.Scale(1 / n)
}

// Lerp is the point at fraction t from a to b.
func (a Vec3) Lerp(b Vec3, t float64) Vec3 { return a.Add(b.Sub(a).Scale(t)) }

// Finite says whether no coordinate is NaN or infinite.
func (a Vec3) Finite() bool {
	s := a[0] - a[0] + a[1] - a[1] + a[2] - a[2]
	return s == 0
}

// Mesh is an indexed triangle surface. FaceID gives each triangle the CAD face
// that it came from (0: none); nil means that no triangle has one.
type Mesh struct {
	Vertices  []Vec3
	Triangles [][3]int32
	FaceID    []int32
	Meta      Meta
	// Remarks are what the reader of the file passed over, to be told; no copy has them.
	Remarks []string
}

// Meta is what travels inside a mesh file beside the triangles.
type Meta struct {
	LengthUnit string `json:"length_unit,omitempty"` // m, mm, cm, um, in, ft, km; empty: unknown
	Faces      []Face `json:"faces,omitempty"`
}

// Face describes one CAD face. Area is the exact one, in the file's unit squared.
type Face struct {
	ID   int32   `json:"id"`
	Name string  `json:"name,omitempty"`
	Area float64 `json:"area,omitempty"`
	Kind string  `json:"kind,omitempty"` // plane, cylinder, cone, sphere, torus, bspline …
	Body int32   `json:"body,omitempty"` // 1-based solid that the face belongs to
}

// Face returns the CAD face id of triangle t, 0 when it has none.
func (m *Mesh) Face(t int) int32 {
	if m.FaceID == nil {
		return 0
	}
	return m.FaceID[t]
}

// Clone is a deep copy.
func (m *Mesh) Clone() *Mesh {
	c := &Mesh{Meta: m.Meta}
	c.Meta.Faces = append([]Face(nil), m.Meta.Faces...)
	c.Vertices = append([]Vec3(nil), m.Vertices...)
	c.Triangles = append([][3]int32(nil), m.Triangles...)
	if m.FaceID != nil {
		c.FaceID = append([]int32(nil), m.FaceID...)
	}
	return c
}

// Bounds is the axis-aligned box of the vertices that triangles use; both
// corners are zero for a mesh without triangles.
func (m *Mesh) Bounds() (lo, hi Vec3) {
	if len(m.Triangles) == 0 {
		return lo, hi
	}
	inf := math.Inf(1)
	lo, hi = Vec3{inf, inf, inf}, Vec3{-inf, -inf, -inf}
	for _, t := range m.Triangles {
		for _, v := range t {
			p := &m.Vertices[v]
			for k := range 3 {
				lo[k] = min(lo[k], p[k])
				hi[k] = max(hi[k], p[k])
			}
		}
	}
	return lo, hi
}

// Diagonal is the length of the bounding box's diagonal.
func (m *Mesh) Diagonal() float64 {
	lo, hi := m.Bounds()
	return hi.Sub(lo).Norm()
}

// Volume is the signed volume that the triangles enclose, by the divergence
// theorem, in the unit cubed; negative for an inside-out surface and without
// meaning for an open one. Measured from the box centre to keep digits.
func (m *Mesh) Volume() float64 {
	lo, hi := m.Bounds()
	c := lo.Add(hi).Scale(0.5)
	var sum float64
	for _, t := range m.Triangles {
		a, b, d := m.Vertices[t[0]].Sub(c), m.Vertices[t[1]].Sub(c), m.Vertices[t[2]].Sub(c)
		sum += a.Dot(b.Cross(d))
	}
	return sum / 6
}

// Area is the sum of the triangles' areas, in the unit squared.
func (m *Mesh) Area() float64 {
	var sum float64
	for t := range m.Triangles {
		sum += m.TriangleArea(t)
	}
	return sum
}

// TriangleNormal is the normal of triangle t with twice its area as length.
func (m *Mesh) TriangleNormal(t int) Vec3 {
	a, b, c := m.Corners(t)
	return b.Sub(a).Cross(c.Sub(a))
}

// TriangleArea is the area of triangle t.
func (m *Mesh) TriangleArea(t int) float64 { return m.TriangleNormal(t).Norm() / 2 }

// Corners are the three points of triangle t.
func (m *Mesh) Corners(t int) (a, b, c Vec3) {
	v := m.Triangles[t]
	return m.Vertices[v[0]], m.Vertices[v[1]], m.Vertices[v[2]]
}

// orderByFace lists the triangles sorted by face id, stable; those without a
// face come first, so that no group name stands above them.
func (m *Mesh) orderByFace() []int32 {
	order := make([]int32, len(m.Triangles))
	for i := range order {
		order[i] = int32(i)
	}
	if m.FaceID != nil {
		slices.SortStableFunc(order, func(a, b int32) int { return cmp.Compare(m.FaceID[a], m.FaceID[b]) })
	}
	return order
}
