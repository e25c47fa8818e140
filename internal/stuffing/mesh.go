// Package stuffing fills closed surfaces with tetrahedra by isosurface stuffing
// (Labelle and Shewchuk, ACM Transactions on Graphics 26(3), 2007): a
// body-centred cubic lattice is cut at the surface by stencils whose dihedral
// angles have a lower bound. The boundary is then drawn onto the faces, sharp
// edges and corners of the surface, as far as that bound allows, so that CAD
// faces come out as boundary attributes with their areas. No step ever makes an
// element worse than the bound: a part that cannot be followed is rounded off
// and reported, not inverted.
package stuffing

import (
	"context"
	"math"

	"atelier/internal/contract"
	"atelier/internal/geometry"
)

// Mesh is a tetrahedral mesh. Tetrahedra are positively oriented (the first
// three vertices run counter-clockwise seen from the fourth's far side, as MFEM
// and VTK have it); boundary triangles face outwards.
type Mesh struct {
	Vertices   []geometry.Vec3
	Tetrahedra [][4]int32
	Body       []int32 // of each tetrahedron, from 1
	Triangles  [][3]int32
	Attribute  []int32 // of each triangle: CAD face id, or one above the largest id
	Meta       geometry.Meta
}

// Options of Generate. Lengths are in the surface's unit.
type Options struct {
	DX float64 // lattice spacing, about the longest edge; 0: chosen for each body
	// MinDX, where above 0, asks for a graded lattice: of dx, halved down to no less than
	// this where the surface is curved or the body thin.
	MinDX         float64
	PerCircle     float64 // elements around a full circle of curvature
	Across        float64 // elements across a wall
	Optimize      bool    // raise the quality after the boundary has been fitted
	FeatureAngle  float64 // degrees; where a surface without face ids is sharp
	MaxTetrahedra int
	Progress      func(fraction float64, message string)
}

// Budgets of tetrahedra for the spacing that is chosen when none is given: what
// a plain part gets, what detail may raise it to, and what a thin part may need.
const (
	plainBudget  = 60_000
	detailBudget = 400_000
)

// tolerances of an accepted body.
const (
	volumeTolerance = 0.02
	areaTolerance   = 0.05
	wideFace        = 3 // spacings: narrower faces are not held to areaTolerance
)

// Result is a mesh with what was measured on it.
type Result struct {
	Mesh     *Mesh
	Bodies   []BodyReport
	Faces    []FaceReport
	Warnings []contract.Warning
	Apart    geometry.Apartness
}

// BodyReport is what was measured on one body.
type BodyReport struct {
	Body          int32   `json:"body"`
	DX            float64 `json:"dx"`
	MinDX         float64 `json:"min_dx"` // smallest spacing used
	Tetrahedra    int     `json:"tetrahedra"`
	Vertices      int     `json:"vertices"`
	Volume        float64 `json:"volume"`
	SurfaceVolume float64 `json:"surface_volume"`
	VolumeError   float64 `json:"volume_error"` // relative
	MinDihedral   float64 `json:"min_dihedral_deg"`
	MaxDihedral   float64 `json:"max_dihedral_deg"`
	Handles       int     `json:"handles"`         // of the boundary: its genus
	SurfaceHandle int     `json:"surface_handles"` // of the given surface
	Expected      int     `json:"-"`               // tetrahedra that were forecast
	pieces        int
	badFaces      int
	folded        bool // some tetrahedra lie over each other
}

// FaceReport compares one boundary attribute with its CAD face.
type FaceReport struct {
	Attribute int32   `json:"attribute"`
	Name      string  `json:"name,omitempty"`
	Body      int32   `json:"body"`
	Area      float64 `json:"area"`
	Expected  float64 `json:"expected_area"`
	Error     float64 `json:"area_error"` // relative
	Width     float64 `json:"width"`      // of the rectangle with the same area and perimeter
	Checked   bool    `json:"checked"`    // wider than three spacings, so held to 5 %
	Triangles int     `json:"triangles"`
	// Plane says that the given face has flat patches, and Bend how far the mesh
	// leaves their planes.
	Plane bool    `json:"plane"`
	Bend  float64 `json:"bend"`
}

// bodyMesh is one finished body.
type bodyMesh struct {
	*tetMesh
	tris   [][3]int32
	label  []int32
	report BodyReport
	faces  []FaceReport
}

// sound says whether the body's mesh stands for the body: one piece, with its
// volume and no holes that the part does not have.
func (b *bodyMesh) sound() bool {
	return b.report.pieces == 1 && !b.report.folded && math.Abs(b.report.VolumeError) <= volumeTolerance &&
		b.report.Handles <= b.report.SurfaceHandle
}

// Generate meshes every body of a closed surface. Errors are *contract.Error:
// ERR_NOT_WATERTIGHT, ERR_INVALID_DX, ERR_DX_TOO_COARSE, ERR_VOLUME_MESH_FAILED,
// or the context's.
func Generate(ctx context.Context, surface *geometry.Mesh, o Options) (*Result, error) {
	if o.Progress == nil {
		o.Progress = func(float64, string) {}
	}
	bodies, warnings, err := splitBodies(surface)
	if err != nil {
		return nil, err
	}
	o.Progress(0.01, "surface read")
	apart, err := apartness(ctx, bodies, surface.Meta)
	if err != nil {
		return nil, err
	}
	for i := range bodies {
		bodies[i].prepare(o.FeatureAngle * math.Pi / 180)
		bodies[i].size()
	}
	g := &generator{Options: o, bodies: bodies, meta: surface.Meta}
	var meshes []*bodyMesh
	switch {
	case o.MinDX > 0:
		meshes, err = g.graded(ctx)
	case o.DX > 0:
		meshes, err = g.given(ctx)
	default:
		meshes, err = g.own(ctx)
	}
	if err != nil {
		return nil, err
	}
	result := g.assemble(meshes)
	result.Warnings = append(warnings, result.Warnings...)
	result.Apart = apart
	return result, nil
}

// apartness looks for space that several bodies claim.
func apartness(ctx context.Context, bodies []body, meta geometry.Meta) (geometry.Apartness, error) {
	all := &geometry.Mesh{Meta: meta}
	var of []int32
	for i := range bodies {
		base := int32(len(all.Vertices))
		all.Vertices = append(all.Vertices, bodies[i].verts...)
		all.FaceID = append(all.FaceID, bodies[i].face...)
		for _, t := range bodies[i].tris {
			all.Triangles = append(all.Triangles, [3]int32{t[0] + base, t[1] + base, t[2] + base})
			of = append(of, bodies[i].id)
		}
	}
	return all.ApartBy(ctx, of)
}

type generator struct {
	Options
	bodies []body
	meta   geometry.Meta
}

// tetsAt is about how many tetrahedra a body has at a spacing: a lattice cell
// of volume dx³ holds twelve; the cut cells add some four per dx² of surface, and
// fifteen where a wall is as thin as a cell (measured on the STEP parts).
func (b *body) tetsAt(dx float64) float64 {
	thin := min(max(1.7-b.thickness/dx, 0), 1)
	return (12*b.vol + (4+11*thin)*b.area*dx) / (dx * dx * dx)
}

// spacingFor is the spacing at which the body has about n tetrahedra.
func (b *body) spacingFor(n float64) float64 {
	lo, hi := 0.0, b.diagonal
	for range 60 {
		if mid := (lo + hi) / 2; b.tetsAt(mid) > n {
			lo = mid
		} else {
			hi = mid
		}
	}
	return hi
}

// meshBody makes one body's mesh at one spacing and measures it.
func (g *generator) meshBody(ctx context.Context, b *body, z sizing, report func(float64)) (*bodyMesh, error) {
	dx := z.dx
	if latticeCells(b.lo, b.hi, dx) > maxCells {
		return nil, contract.Errorf(contract.CodeInvalidDx, "dx %.4g would need a lattice of %.3g cells around body %d; at most %.3g are made",
			dx, latticeCells(b.lo, b.hi, dx), b.id, float64(maxCells)).At("/dx").WithHint("Use a larger dx.")
	}
	out := &bodyMesh{tetMesh: &tetMesh{}}
	out.report = BodyReport{Body: b.id, DX: dx, MinDX: dx, SurfaceVolume: b.vol, SurfaceHandle: b.handles, VolumeError: -1, Expected: int(b.tetsAt(dx))}
	if dx > b.diagonal { // no lattice that could hold it
		return out, nil
	}
	around, err := b.around(ctx, z, g.MaxTetrahedra, &out.report)
	if err != nil {
		return nil, err
	}
	m, err := stuff(ctx, b.surface, around, dx)
	if err != nil {
		return nil, err
	}
	out.tetMesh = m
	if len(m.tets) > 0 {
		out.report.pieces = m.manifold()
	}
	if len(m.tets) == 0 {
		return out, nil
	}
	if m.size != nil {
		out.report.folded = len(folds(m.tets, faceNeighbours(m.tets, len(m.pos)))) > 0
	}
	r := newRelaxer(m, b.surface)
	out.report.Handles = genus(r.tris)
	if out.report.pieces != 1 || out.report.folded || out.report.Handles > b.handles {
		out.report.VolumeError = m.volume()/b.vol - 1
		return out, nil // too thin already: fitting the boundary cannot mend it
	}
	if err := r.relax(ctx, g.Optimize, report); err != nil {
		return nil, err
	}
	for t, number := 0, m.dropUnusedVertices(); t < len(r.tris); t++ {
		for k, v := range r.tris[t] {
			r.tris[t][k] = number[v]
		}
	}
	out.tris, out.label = r.tris, r.label
	out.measure(b, g.meta)
	return out, nil
}

// maxCells bounds the memory of a lattice.
const maxCells = 80_000_000
