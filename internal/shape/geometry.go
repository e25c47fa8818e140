// Package shape knows the shape of a part: its CAD faces and holes, and which of them a place
// such as "the holes of 12 mm on the left" means.
package shape

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"

	"atelier/internal/contract"
	"atelier/internal/geometry"
	"atelier/internal/quantity"
)

// Face is a CAD face as the import's faces.json tells it, in the file's unit.
type Face struct {
	ID       int        `json:"id"`
	Name     string     `json:"name"`
	Kind     string     `json:"kind"`
	Area     float64    `json:"area"`
	Body     int        `json:"body"`
	Centroid [3]float64 `json:"centroid"`
	Normal   []float64  `json:"normal"`
	Axis     []float64  `json:"axis"`
	Radius   float64    `json:"radius"`
	Concave  bool       `json:"concave"`
}

// Geometry is what is known of the part once its surface is there: enough to
// turn places into faces. Lengths are in the file's unit.
type Geometry struct {
	LengthUnit string
	Min, Max   geometry.Vec3
	Faces      []Face
	Holes      []Hole

	surface  *geometry.Mesh
	perUnit  float64      // LengthUnits in a unit of the file, where that is another; else 0
	imported []Face       // of the import, where Faces are those that bound a mesh of several bodies
	joints   map[int]bool // faces that lie between bodies of the mesh only
}

// ExactUnit is that of the meshes of volume_mesh_cad, whatever the file's.
const ExactUnit = "mm"

// Exact is the same geometry in the unit of the meshes of volume_mesh_cad.
func (g *Geometry) Exact() *Geometry {
	if g.LengthUnit == ExactUnit {
		return g
	}
	k := g.Metres() * 1000
	out := &Geometry{LengthUnit: ExactUnit, Min: g.Min.Scale(k), Max: g.Max.Scale(k), perUnit: k}
	surface := *g.surface
	surface.Vertices = nil
	for _, v := range g.surface.Vertices {
		surface.Vertices = append(surface.Vertices, v.Scale(k))
	}
	out.surface = &surface
	for _, f := range g.Faces {
		f.Area, f.Radius = f.Area*k*k, f.Radius*k
		for i := range f.Centroid {
			f.Centroid[i] *= k
		}
		out.Faces = append(out.Faces, f)
	}
	for _, h := range g.Holes {
		h.Radius, h.Centre = h.Radius*k, h.Centre.Scale(k)
		out.Holes = append(out.Holes, h)
	}
	return out
}

// Hole is a full cylindrical inner surface, of one face or of several.
type Hole struct {
	Faces  []int
	Radius float64
	Axis   geometry.Vec3
	Centre geometry.Vec3
}

// NewGeometry measures a surface; facesJSON is the import's list of faces, nil
// for a part that was no CAD file.
func NewGeometry(surface *geometry.Mesh, facesJSON []byte) (*Geometry, error) {
	g := &Geometry{LengthUnit: surface.Meta.LengthUnit, surface: surface}
	if len(surface.Vertices) == 0 {
		return nil, contract.Errorf(contract.CodeInvalidInput, "the surface has no vertices")
	}
	g.Min, g.Max = surface.Vertices[0], surface.Vertices[0]
	for _, v := range surface.Vertices {
		for i := range v {
			g.Min[i], g.Max[i] = min(g.Min[i], v[i]), max(g.Max[i], v[i])
		}
	}
	if facesJSON != nil {
		var file struct {
			LengthUnit string `json:"length_unit"`
			Faces      []Face `json:"faces"`
		}
		if err := json.Unmarshal(facesJSON, &file); err != nil {
			return nil, contract.Errorf(contract.CodeInvalidToolOutput, "the list of faces cannot be read: %w", err)
		}
		g.Faces, g.LengthUnit = file.Faces, file.LengthUnit
		g.findHoles()
	}
	if _, known := geometry.LengthUnits[g.LengthUnit]; !known {
		return nil, &UnknownUnit{surface.Extent()}
	}
	return g, nil
}

// UnknownUnit says that nobody named the unit of the part's file, on which every
// figure of a solver depends: a person has to.
type UnknownUnit struct {
	Extent float64 // the longest edge of the box, in the file's numbers; 0 when not known
}

func (e *UnknownUnit) Error() string {
	if e.Extent > 0 {
		return fmt.Sprintf("In which unit is the part drawn? Its file does not say: it would be %s.", geometry.Sizes(e.Extent))
	}
	return "In which unit is the part drawn? Its file does not say."
}

// mostAreaApart is how far the areas of one face may differ, relative to it, that two
// programs have measured.
const mostAreaApart = 0.01

// SameFaces holds the faces against those that a mesh of the CAD model lists, and
// leaves of them what bounds the mesh. Of two that touch, the mesh has their common
// part once, by one of their numbers, and no condition can act there.
func (g *Geometry) SameFaces(facesJSON []byte) error {
	var file struct {
		Faces []struct {
			Face int     `json:"face"`
			Name string  `json:"name"`
			Area float64 `json:"exact_area"`
			// Bodies on its sides: one of an outer face, two of one between bodies.
			Bodies []int `json:"bodies"`
		} `json:"faces"`
		Interfaces []json.RawMessage `json:"interfaces"`
	}
	if err := json.Unmarshal(facesJSON, &file); err != nil {
		return contract.Errorf(contract.CodeInvalidToolOutput, "the mesh's list of faces cannot be read: %w", err)
	}
	imported := g.Faces
	if g.imported != nil {
		imported = g.imported
	}
	areas, outer := map[int]float64{}, map[int]float64{}
	for _, f := range file.Faces {
		areas[f.Face] += f.Area
		if len(f.Bodies) < 2 {
			outer[f.Face] += f.Area
		}
	}
	for _, f := range file.Faces {
		f.Area = areas[f.Face]
		own, ok := faceOf(imported, f.Face)
		shared := len(file.Interfaces) > 0 && f.Area < own.Area
		if !ok || own.Name != f.Name || !shared && math.Abs(own.Area-f.Area) > mostAreaApart*max(own.Area, f.Area) {
			return contract.Errorf(contract.CodeInvalidToolOutput, "face %d of the mesh, %q of %.4g mm², is not that of the import, %q of %.4g mm²", f.Face, f.Name, f.Area, own.Name, own.Area)
		}
	}
	if len(file.Interfaces) > 0 {
		g.imported = imported
		g.bound(outer)
	}
	return nil
}

// bound leaves of the faces the parts that bound the mesh, by their areas.
func (g *Geometry) bound(areas map[int]float64) {
	var faces []Face
	g.joints = map[int]bool{}
	for _, f := range g.imported {
		if f.Area = areas[f.ID]; f.Area > 0 {
			faces = append(faces, f)
		} else {
			g.joints[f.ID] = true
		}
	}
	g.Faces = faces
	var holes []Hole
	for _, h := range g.Holes {
		h.Faces = slices.DeleteFunc(slices.Clone(h.Faces), func(id int) bool { return g.joints[id] })
		if len(h.Faces) > 0 {
			holes = append(holes, h)
		}
	}
	g.Holes = holes
}

// Unmeasured is a part of which only the unit is known.
func Unmeasured(unit string) *Geometry {
	return &Geometry{LengthUnit: unit, surface: &geometry.Mesh{}}
}

// Metres is the length of the file's unit.
func (g *Geometry) Metres() float64 {
	v, err := quantity.Convert(1, g.LengthUnit, "m")
	if err != nil {
		return 1
	}
	return v
}

// Diagonal of the bounding box.
func (g *Geometry) Diagonal() float64 { return g.Max.Sub(g.Min).Norm() }

// longest is the axis of the longest edge of the bounding box.
func (g *Geometry) Longest() int {
	size := g.Max.Sub(g.Min)
	axis := 0
	for i := range size {
		if size[i] > size[axis]*(1+1e-9) {
			axis = i
		}
	}
	return axis
}

// tolerance of a coordinate, as the solver has it.
func (g *Geometry) Tolerance() float64 { return 1e-3 * g.Diagonal() }

// facesIn lists the CAD faces that lie wholly in an extreme plane.
func (g *Geometry) FacesIn(plane string) []int {
	n, at := Normals[plane], g.Extreme(plane)
	axis := axisOf(plane)
	var ids []int
	for _, f := range g.Faces {
		if f.Kind == "plane" && len(f.Normal) == 3 && Along(f.Normal, n) > 0.999 && math.Abs(f.Centroid[axis]-at) < g.Tolerance() {
			ids = append(ids, f.ID)
		}
	}
	return ids
}

func axisOf(plane string) int { return int(plane[0] - 'x') }

func (g *Geometry) Extreme(plane string) float64 {
	if plane[2:] == "min" {
		return g.Min[axisOf(plane)]
	}
	return g.Max[axisOf(plane)]
}

// planeArea is the area of the surface in an extreme plane.
func (g *Geometry) PlaneArea(plane string) float64 {
	axis, at, tol := axisOf(plane), g.Extreme(plane), g.Tolerance()
	area := 0.0
	for _, t := range g.surface.Triangles {
		a, b, c := g.surface.Vertices[t[0]], g.surface.Vertices[t[1]], g.surface.Vertices[t[2]]
		if math.Abs(a[axis]-at) < tol && math.Abs(b[axis]-at) < tol && math.Abs(c[axis]-at) < tol {
			area += b.Sub(a).Cross(c.Sub(a)).Norm() / 2
		}
	}
	return area
}

func (g *Geometry) Face(id int) (Face, bool) { return faceOf(g.Faces, id) }

func faceOf(faces []Face, id int) (Face, bool) {
	i := slices.IndexFunc(faces, func(f Face) bool { return f.ID == id })
	if i < 0 {
		return Face{}, false
	}
	return faces[i], true
}

func (g *Geometry) FaceNamed(name string) (Face, bool) {
	i := slices.IndexFunc(g.Faces, func(f Face) bool { return f.Name == name })
	if i < 0 {
		i = slices.IndexFunc(g.Faces, func(f Face) bool { return f.Name != "" && Spaced(f.Name) == Spaced(name) })
	}
	if i < 0 {
		return Face{}, false
	}
	return g.Faces[i], true
}

// widestGap is the angle, in rad, that the wall of a hole may leave open: a keyway, a rib
// that runs in. Fillets and the ends of slots leave half of the circle and more.
const widestGap = 1.0

// findHoles gathers concave cylinders about one axis into holes and leaves out those that
// reach round a part of the circle only.
func (g *Geometry) findHoles() {
	var found []Hole
	for _, f := range g.Faces {
		if f.Kind != "cylinder" || !f.Concave || f.Radius <= 0 || len(f.Axis) != 3 {
			continue
		}
		axis := geometry.Vec3{f.Axis[0], f.Axis[1], f.Axis[2]}.Unit()
		centre, length, ok := g.cylinder(f.ID, axis)
		if !ok || length == 0 {
			continue
		}
		joined := false
		for i := range found {
			o := &found[i]
			off := centre.Sub(o.Centre)
			off = off.Sub(axis.Scale(off.Dot(axis)))
			if math.Abs(axis.Dot(o.Axis)) > 0.999 && math.Abs(o.Radius-f.Radius) < 1e-3*f.Radius && off.Norm() < 0.05*f.Radius {
				o.Faces, joined = append(o.Faces, f.ID), true
			}
		}
		if !joined {
			found = append(found, Hole{[]int{f.ID}, f.Radius, axis, centre})
		}
	}
	for _, h := range found {
		if g.gap(h) < widestGap {
			g.Holes = append(g.Holes, h)
		}
	}
}

// gap is the largest angle about its axis in which a hole has no vertex, rad.
func (g *Geometry) gap(h Hole) float64 {
	e1, e2 := across(h.Axis)
	var angles []float64
	for i, t := range g.surface.Triangles {
		if g.surface.FaceID == nil || !slices.Contains(h.Faces, int(g.surface.FaceID[i])) {
			continue
		}
		for _, v := range t {
			p := g.surface.Vertices[v].Sub(h.Centre)
			angles = append(angles, math.Atan2(p.Dot(e2), p.Dot(e1)))
		}
	}
	if len(angles) == 0 {
		return 2 * math.Pi
	}
	slices.Sort(angles)
	widest := 2*math.Pi - (angles[len(angles)-1] - angles[0])
	for i := 1; i < len(angles); i++ {
		widest = max(widest, angles[i]-angles[i-1])
	}
	return widest
}

// across are two directions at right angles to an axis and to each other.
func across(axis geometry.Vec3) (e1, e2 geometry.Vec3) {
	e1 = axis.Cross(geometry.Vec3{1, 0, 0})
	if e1.Norm() < 0.1 {
		e1 = axis.Cross(geometry.Vec3{0, 1, 0})
	}
	e1 = e1.Unit()
	return e1, axis.Cross(e1)
}

// cylinder fits the axis of a face's triangles, by least squares of the circle
// equation x²+y² = 2ax + 2by + c (Kåsa 1976), and measures its length.
func (g *Geometry) cylinder(id int, axis geometry.Vec3) (centre geometry.Vec3, length float64, ok bool) {
	e1, e2 := across(axis)
	seen := map[int32]bool{}
	var points [][2]float64
	low, high := math.Inf(1), math.Inf(-1)
	for i, t := range g.surface.Triangles {
		if g.surface.FaceID == nil || int(g.surface.FaceID[i]) != id {
			continue
		}
		for _, v := range t {
			p := g.surface.Vertices[v]
			low, high = min(low, p.Dot(axis)), max(high, p.Dot(axis))
			if !seen[v] {
				seen[v] = true
				points = append(points, [2]float64{p.Dot(e1), p.Dot(e2)})
			}
		}
	}
	x, y, ok := circle(points)
	centre = e1.Scale(x).Add(e2.Scale(y)).Add(axis.Scale((low + high) / 2))
	return centre, high - low, ok
}

func circle(points [][2]float64) (x, y float64, ok bool) {
	n := float64(len(points))
	if n < 3 {
		return 0, 0, false
	}
	var mx, my float64
	for _, p := range points {
		mx, my = mx+p[0]/n, my+p[1]/n
	}
	var uu, uv, vv, uz, vz float64
	for _, p := range points {
		u, v := p[0]-mx, p[1]-my
		z := u*u + v*v
		uu, uv, vv, uz, vz = uu+u*u, uv+u*v, vv+v*v, uz+u*z, vz+v*z
	}
	det := uu*vv - uv*uv
	if math.Abs(det) < 1e-12*(uu+vv)*(uu+vv) {
		return 0, 0, false
	}
	return mx + (uz*vv-vz*uv)/(2*det), my + (vz*uu-uz*uv)/(2*det), true
}

// found describes the holes of the part, for an error or an assumption.
func (g *Geometry) Found() string {
	if len(g.Holes) == 0 {
		return "no hole"
	}
	var names []string
	counts := map[string]int{}
	for _, h := range g.Holes {
		name := quantity.Length.Format(2 * h.Radius * g.Metres())
		if counts[name] == 0 {
			names = append(names, name)
		}
		counts[name]++
	}
	for i, name := range names {
		names[i] = fmt.Sprintf("%d of %s diameter", counts[name], name)
	}
	return List(names)
}
