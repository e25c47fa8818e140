package stuffing

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"atelier/internal/contract"
)

// given meshes all bodies at the caller's spacing, or says why that cannot be.
func (g *generator) given(ctx context.Context) ([]*bodyMesh, error) {
	if err := g.affordable(g.DX); err != nil {
		return nil, err
	}
	for i := range g.bodies { // nothing of the work that follows would be of use
		if b := &g.bodies[i]; g.DX > hopeless*b.typical {
			if err := g.outOfReach(b, float64(g.MaxTetrahedra)); err != nil {
				return nil, err
			}
		}
	}
	meshes, thin, err := g.all(ctx, g.DX)
	if err != nil || thin == nil {
		return meshes, err
	}
	return nil, g.tooCoarse(ctx, thin)
}

// affordable refuses a spacing whose mesh would be larger than allowed.
func (g *generator) affordable(dx float64) error {
	total := 0.0
	for i := range g.bodies {
		total += g.bodies[i].tetsAt(dx)
	}
	if total <= float64(g.MaxTetrahedra) {
		return nil
	}
	return contract.Errorf(contract.CodeInvalidDx, "dx %.4g would give about %.3g tetrahedra; at most %d are made", dx, total, g.MaxTetrahedra).
		At("/dx").WithHint("Use dx %.4g or more, or raise max_tetrahedra.", g.smallest()).
		With("estimated_tetrahedra", math.Round(total)).With("max_tetrahedra", g.MaxTetrahedra).With("smallest_dx", g.smallest())
}

// smallest is the least spacing whose mesh stays within the limit, rounded up
// to three digits.
func (g *generator) smallest() float64 {
	lo, hi := 0.0, 0.0
	for i := range g.bodies {
		hi = max(hi, g.bodies[i].diagonal)
	}
	for range 60 {
		mid, total := (lo+hi)/2, 0.0
		for i := range g.bodies {
			total += g.bodies[i].tetsAt(mid)
		}
		if total > float64(g.MaxTetrahedra) {
			lo = mid
		} else {
			hi = mid
		}
	}
	return roundUp(hi)
}

func roundUp(x float64) float64 { return round3(x, math.Ceil) }

func roundDown(x float64) float64 { return round3(x, math.Floor) }

func round3(x float64, how func(float64) float64) float64 {
	if x <= 0 || math.IsInf(x, 0) || math.IsNaN(x) {
		return x
	}
	unit := math.Pow(10, math.Floor(math.Log10(x))-2)
	return how(x/unit) * unit
}

// all meshes every body at one spacing, up to the first that is too thin for it.
func (g *generator) all(ctx context.Context, dx float64) (meshes []*bodyMesh, thin *bodyMesh, err error) {
	for i := range g.bodies {
		m, err := g.meshBody(ctx, &g.bodies[i], sizing{dx: dx}, g.progress(i, 0, 1))
		if err != nil {
			return nil, nil, err
		}
		meshes = append(meshes, m)
		if !m.sound() {
			return meshes, m, nil
		}
	}
	return meshes, nil, nil
}

func (g *generator) progress(bodyIndex int, from, to float64) func(float64) {
	n := float64(len(g.bodies))
	return func(f float64) {
		g.Progress(0.02+0.9*(float64(bodyIndex)+from+f*(to-from))/n, fmt.Sprintf("body %d of %d", bodyIndex+1, len(g.bodies)))
	}
}

// showing is how many spacings wide a face must be to come out well.
const showing = 2.5

// hopeless is a multiple of a wall's thickness: no coarser lattice sees the wall.
const hopeless = 2.5

// outOfReach says that the walls of a body ask for more tetrahedra than are allowed,
// which is known before any of them is made; nil where it may be tried.
func (g *generator) outOfReach(b *body, limit float64) error {
	dx := hopeless * b.typical
	if b.tetsAt(dx) <= limit {
		return nil
	}
	return contract.Errorf(contract.CodeDxTooCoarse, "half of the surface of body %d lies on walls of %.3g or less: dx %.3g would be needed and give about %.3g tetrahedra, at most %d are made",
		b.id, b.typical, dx, b.tetsAt(dx), g.MaxTetrahedra).
		At("/max_tetrahedra").WithHint("Raise max_tetrahedra, or mesh the CAD file by volume_mesh_cad, whose elements may be flat.").
		With("body", b.id).With("estimated_tetrahedra", math.Round(b.tetsAt(dx)))
}

// tooCoarse finds, by trying, a spacing at which every body can be meshed.
func (g *generator) tooCoarse(ctx context.Context, thin *bodyMesh) error {
	e := contract.Errorf(contract.CodeDxTooCoarse, "body %d is too thin for dx %.4g: %s", thin.report.Body, g.DX, thin.fault()).
		At("/dx").With("body", thin.report.Body).With("volume_error", thin.report.VolumeError)
	dx := 0.75 * g.DX
	for i := range g.bodies {
		dx = min(dx, max(hopeless*g.bodies[i].thickness, 0.01*g.bodies[i].diagonal), 0.5*g.bodies[i].diagonal)
	}
	for {
		dx = roundDown(dx)
		if fault := g.affordable(dx); fault != nil {
			return e.WithHint("No spacing within max_tetrahedra %d will do; raise max_tetrahedra, or mesh only the thin body.", g.MaxTetrahedra).
				With("tried_dx", dx)
		}
		_, still, err := g.all(ctx, dx)
		if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
			return err
		}
		if err != nil {
			return e.WithHint("Leave dx out, so that it is chosen for each body.")
		}
		if still != nil && still.overlaps(thin) {
			return overlapping(still)
		}
		if still == nil {
			return e.WithHint("Use dx %.4g, which has been tried, or leave dx out.", dx).With("suggested_dx", dx)
		}
		thin = still
		dx *= 0.75
	}
}

// overlaps says whether a body misses its volume by the same amount at two
// spacings: then not the spacing is at fault but the surface, which counts a
// volume twice where it passes through itself.
func (b *bodyMesh) overlaps(coarser *bodyMesh) bool {
	return coarser != nil && coarser.report.Body == b.report.Body && b.report.pieces == 1 && len(b.tets) > 0 &&
		len(coarser.tets) > 0 && math.Abs(b.report.VolumeError) > volumeTolerance &&
		math.Abs(b.report.VolumeError-coarser.report.VolumeError) < 0.1*math.Abs(b.report.VolumeError)
}

func overlapping(b *bodyMesh) error {
	return contract.Errorf(contract.CodeVolumeMeshFailed, "the mesh of body %d has %.1f %% of the volume that its surface counts, at any dx: the surface seems to pass through itself",
		b.report.Body, 100*(1+b.report.VolumeError)).At("/input_path").
		WithHint("Run mesh_repair_pmp with resolve_intersections first.").With("body", b.report.Body).With("volume_error", b.report.VolumeError)
}

func (b *bodyMesh) fault() string {
	switch r := &b.report; {
	case len(b.tets) == 0:
		return "no lattice point lies inside"
	case r.pieces != 1:
		return fmt.Sprintf("its mesh falls into %d pieces", r.pieces)
	case r.folded:
		return "tetrahedra of its mesh lie over each other"
	case math.Abs(r.VolumeError) > volumeTolerance:
		return fmt.Sprintf("the mesh has %.1f %% of its volume", 100*(1+r.VolumeError))
	}
	return fmt.Sprintf("the mesh has %d handles where the part has %d", b.report.Handles, b.report.SurfaceHandle)
}

// own chooses a spacing for each body: from its size, its thinnest wall and its
// narrow faces, refined while the result is not sound or faces miss their areas.
func (g *generator) own(ctx context.Context) ([]*bodyMesh, error) {
	meshes := make([]*bodyMesh, len(g.bodies))
	left := float64(g.MaxTetrahedra)
	for i := range g.bodies {
		b := &g.bodies[i]
		m, err := g.ownBody(ctx, b, i, left)
		if err != nil {
			return nil, err
		}
		left -= float64(len(m.tets))
		meshes[i] = m
	}
	return meshes, nil
}

// plain is the spacing that a body without thin walls or detail gets.
func (g *generator) plain(b *body, limit float64) float64 {
	share := 1 / float64(len(g.bodies))
	return b.spacingFor(min(limit, max(plainBudget*math.Sqrt(share), 8000)))
}

// ownBody refines one body until it is sound and its faces have their areas.
// Detail is followed up to detailBudget, thinness up to the limit.
func (g *generator) ownBody(ctx context.Context, b *body, index int, limit float64) (*bodyMesh, error) {
	if err := g.outOfReach(b, limit); err != nil {
		return nil, err
	}
	share := 1 / float64(len(g.bodies))
	dx := g.plain(b, limit)
	detail := b.spacingFor(min(limit, max(detailBudget*share, 30_000)))
	dx = max(min(dx, 1.5*b.thickness, b.detail), detail)
	if dx > 1.6*b.thickness { // a thin part needs what it needs
		dx = max(1.6*b.thickness, b.spacingFor(limit))
	}
	var best, last *bodyMesh
	for try := 0; ; try++ {
		m, err := g.meshBody(ctx, b, sizing{dx: dx}, g.progress(index, float64(try)/(float64(try)+1), float64(try+1)/(float64(try)+2)))
		if err != nil {
			return nil, err
		}
		if best == nil || m.better(best) {
			best = m
		}
		if m.overlaps(last) {
			return nil, overlapping(m)
		}
		last = m
		next := 0.8 * dx
		switch {
		case !m.sound() && b.tetsAt(next) <= limit && try < 12:
			dx = next
		case m.sound() && m.report.badFaces > 0 && b.tetsAt(next) <= 2*detailBudget*max(share, 0.1) && try < 3:
			dx = next
		case best.sound():
			return best, nil
		default:
			return nil, contract.Errorf(contract.CodeDxTooCoarse, "body %d is so thin that no spacing within max_tetrahedra will do: at dx %.4g %s", b.id, dx, m.fault()).
				At("/max_tetrahedra").WithHint("Raise max_tetrahedra above %d.", g.MaxTetrahedra).
				With("body", b.id).With("tried_dx", dx)
		}
	}
}

func (b *bodyMesh) better(other *bodyMesh) bool {
	if b.sound() != other.sound() {
		return b.sound()
	}
	return b.report.badFaces < other.report.badFaces
}

// size measures what the choice of a spacing needs: volume, area, walls, faces.
func (b *body) size() {
	b.lo, b.hi = b.bounds()
	b.diagonal = b.hi.Sub(b.lo).Norm()
	b.vol = b.volume()
	for t := range b.tris {
		b.area += b.surface.area(t)
	}
	b.handles = genus(b.tris)
	b.thickness, b.typical = b.walls()
	widths := make([]float64, 0, len(b.patches))
	for _, p := range b.patches {
		if p.width > 0 {
			widths = append(widths, p.width)
		}
	}
	slices.Sort(widths)
	b.detail = widths[len(widths)/10] / showing
}

// wall is how thick the body is below a point of its surface with this normal, where
// that is less than reach and the other side about parallel: else it is an edge or a
// corner. With the normal turned round it is the gap above.
func (b *body) wall(p, n vec, reach float64) (thickness float64, found bool) {
	start := p.Sub(n.Scale(1e-6 * b.diagonal))
	hit, prim := b.tree.FirstHit(start, p.Sub(n.Scale(reach)), 0)
	if prim < 0 || b.normal[prim].Dot(n) > -0.5 {
		return 0, false
	}
	return hit * reach, true
}

// walls are the wall thicknesses that all but two hundredths of the surface exceed, and
// that half of it does, by rays from the triangles straight into the body.
func (b *body) walls() (thinnest, typical float64) {
	type wall struct{ thickness, area float64 }
	stride := 1 + len(b.tris)/4000
	walls := make([]wall, 0, len(b.tris)/stride+1)
	total := 0.0
	for t := 0; t < len(b.tris); t += stride {
		p, q, r := b.corners(t)
		n := b.normal[t]
		area := b.surface.area(t)
		if area == 0 {
			continue
		}
		centre := p.Add(q).Add(r).Scale(1.0 / 3)
		thickness, found := b.wall(centre, n, b.diagonal)
		if !found {
			continue
		}
		walls = append(walls, wall{thickness, area})
		total += area
	}
	slices.SortFunc(walls, func(a, b wall) int {
		switch {
		case a.thickness < b.thickness:
			return -1
		case a.thickness > b.thickness:
			return 1
		}
		return 0
	})
	least := func(share float64) float64 {
		sum := 0.0
		for _, w := range walls {
			if sum += w.area; sum >= share*total {
				return w.thickness
			}
		}
		return b.diagonal
	}
	return least(0.02), least(0.5)
}
