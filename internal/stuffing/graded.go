package stuffing

import (
	"context"
	"errors"
	"math"
	"slices"

	"atelier/internal/contract"
)

// mostUnits bounds the whole coordinates of the points of a graded lattice, as key does.
const mostUnits = 1 << 21

// around is the lattice of a body, uniform where no cell is to be halved.
func (b *body) around(ctx context.Context, z sizing, most int, report *BodyReport) (background, error) {
	if z.depth == 0 {
		return newLattice(b.lo, b.hi, z.dx), nil
	}
	o, err := b.grade(ctx, z, most)
	if err != nil {
		return nil, err
	}
	if o.full {
		return nil, contract.Errorf(contract.CodeInvalidDx, "min_dx %.4g would give more than %d tetrahedra", z.least(), most).
			At("/min_dx").WithHint("Use a larger min_dx.")
	}
	report.MinDX, report.Expected = o.finest(), b.forecast
	return o, nil
}

// finest is the smallest spacing that the lattice has.
func (o *octree) finest() float64 {
	var level int8
	for _, l := range o.level {
		level = max(level, l)
	}
	return o.dx / float64(int(1)<<level)
}

// forecast is about how many tetrahedra a mesh will have: those inside, and one of each
// that the surface cuts, as measured: of some a part is left, others leave three.
func (o *octree) forecast(ctx context.Context, s *surface) (n int, err error) {
	f := &stuffer{background: o, s: s, keep: map[int32]bool{}}
	if err := f.classify(ctx, s); err != nil {
		return 0, err
	}
	if err := f.bridgeThin(ctx); err != nil {
		return 0, err
	}
	f.tets(func([4]int32) { n++ })
	return n, nil
}

// expected is the forecast for a body, infinite where it is more than the limit and
// the cells were not even made.
func (b *body) expected(ctx context.Context, z sizing, limit int) (float64, error) {
	if z.depth == 0 {
		return b.tetsAt(z.dx), nil
	}
	if latticeCells(b.lo, b.hi, z.dx) > maxCells {
		return math.Inf(1), nil
	}
	o, err := b.grade(ctx, z, limit)
	if err != nil {
		return 0, err
	}
	if o.full {
		return math.Inf(1), nil
	}
	b.forecast, err = o.forecast(ctx, b.surface)
	return float64(b.forecast), err
}

// sizings are those of the bodies: of the given dx, or else of the spacing that a plain
// part of the body's size gets, then such that min_dx is met exactly.
func (g *generator) sizings() []sizing {
	out := make([]sizing, len(g.bodies))
	for i := range g.bodies {
		b, z := &g.bodies[i], sizing{dx: g.DX, circle: g.PerCircle, across: g.Across}
		if g.DX == 0 {
			z.dx = g.MinDX
			for plain := g.plain(b, float64(g.MaxTetrahedra)); 2*z.dx <= plain; {
				z.dx *= 2
			}
		}
		for z.least()/2 >= g.MinDX*(1-1e-9) && b.deepest(z) {
			z.depth++
		}
		for z.depth > 0 && 2*z.dx > b.diagonal { // no cell is larger than the body
			z.dx, z.depth = z.dx/2, z.depth-1
		}
		out[i] = z
	}
	return out
}

// deepest says whether the coordinates allow one halving more.
func (b *body) deepest(z sizing) bool {
	return 4*(b.diagonal+6*z.dx)/z.least() < mostUnits
}

// graded meshes all bodies by lattices that follow curvature and thickness.
func (g *generator) graded(ctx context.Context) ([]*bodyMesh, error) {
	sizes := g.sizings()
	for i, z := range sizes {
		if b := &g.bodies[i]; z.least()/2 >= g.MinDX && !b.deepest(z) {
			return nil, contract.Errorf(contract.CodeInvalidDx, "min_dx %.4g is too small beside body %d, which is %.4g across", g.MinDX, b.id, b.diagonal).
				At("/min_dx").WithHint("Use min_dx %.4g or more.", z.least())
		}
	}
	if err := g.affordableGraded(ctx, sizes); err != nil {
		return nil, err
	}
	var meshes []*bodyMesh
	for i := range g.bodies {
		m, err := g.meshBody(ctx, &g.bodies[i], sizes[i], g.progress(i, 0, 1))
		if err != nil {
			return nil, err
		}
		if !m.sound() {
			return nil, g.gradeFiner(ctx, i, m, sizes[i])
		}
		meshes = append(meshes, m)
	}
	return meshes, nil
}

// total is the forecast for all bodies.
func (g *generator) total(ctx context.Context, sizes []sizing) (sum float64, err error) {
	for i := range g.bodies {
		n, err := g.bodies[i].expected(ctx, sizes[i], g.MaxTetrahedra)
		if sum += n; err != nil || math.IsInf(sum, 1) {
			return sum, err
		}
	}
	return sum, nil
}

// affordableGraded refuses sizes whose mesh would be larger than allowed, and names the
// smallest spacing that would do with the same largest.
func (g *generator) affordableGraded(ctx context.Context, sizes []sizing) error {
	limit := float64(g.MaxTetrahedra)
	total, err := g.total(ctx, sizes)
	if err != nil || total <= limit {
		return err
	}
	least, spacing, fits, depth := math.Inf(1), 0.0, 0.0, 0
	for _, z := range sizes {
		least, depth = min(least, z.least()), max(depth, z.depth)
	}
	left := depth
	for d := range depth { // from the coarsest, which are counted soonest
		coarser := slices.Clone(sizes)
		finest := math.Inf(1)
		for i := range coarser {
			coarser[i].depth = min(coarser[i].depth, d)
			finest = min(finest, coarser[i].least())
		}
		n, err := g.total(ctx, coarser)
		if err != nil {
			return err
		}
		if n > limit {
			break
		}
		spacing, fits, left = finest, n, depth-d
	}
	if fits == 0 {
		if g.DX > 0 {
			if err := g.affordable(g.DX); err != nil {
				return err
			}
		}
		return contract.Errorf(contract.CodeInvalidDx, "min_dx %.4g would give more than %d tetrahedra", least, g.MaxTetrahedra).
			At("/min_dx").WithHint("Use min_dx %.4g or more, or raise max_tetrahedra.", g.smallest()).
			With("max_tetrahedra", g.MaxTetrahedra).With("smallest_min_dx", g.smallest())
	}
	if math.IsInf(total, 1) { // it was not counted: a surface has four times as many at half the spacing
		total = max(fits*math.Pow(4, float64(left)), limit+1)
	}
	return contract.Errorf(contract.CodeInvalidDx, "min_dx %.4g would give about %.3g tetrahedra; at most %d are made", least, total, g.MaxTetrahedra).
		At("/min_dx").WithHint("Use min_dx %.4g, which gives about %.3g, or raise max_tetrahedra.", spacing, fits).
		With("estimated_tetrahedra", math.Round(total)).With("max_tetrahedra", g.MaxTetrahedra).With("smallest_min_dx", spacing)
}

// gradeFiner finds, by trying, a smallest spacing at which a body can be meshed.
func (g *generator) gradeFiner(ctx context.Context, i int, thin *bodyMesh, z sizing) error {
	b := &g.bodies[i]
	e := contract.Errorf(contract.CodeDxTooCoarse, "body %d is too thin for dx %.4g with min_dx %.4g: %s", b.id, z.dx, z.least(), thin.fault()).
		At("/min_dx").With("body", b.id).With("volume_error", thin.report.VolumeError)
	for b.deepest(z) {
		z.depth++
		n, err := b.expected(ctx, z, g.MaxTetrahedra)
		if err != nil {
			return err
		}
		if n > float64(g.MaxTetrahedra) {
			break
		}
		finer, err := g.meshBody(ctx, b, z, g.progress(i, 0, 1))
		switch {
		case errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded):
			return err
		case err != nil:
			return e.WithHint("Use a smaller dx, or leave dx and min_dx out, so that one is chosen for each body.")
		case finer.sound():
			return e.WithHint("Use min_dx %.4g, which has been tried on this body.", z.least()).With("suggested_min_dx", z.least())
		case finer.overlaps(thin) && len(finer.tets) > 2*len(thin.tets):
			return overlapping(finer)
		case len(finer.tets) <= 2*len(thin.tets): // of a surface that asks for them, there were four times as many
			return e.WithHint("A smaller min_dx changes little here, since curvature and walls ask for no smaller elements: raise elements_per_circle (now %g) or elements_across (now %g), or use a smaller dx.", z.circle, z.across)
		}
		thin = finer
	}
	return e.WithHint("No min_dx within max_tetrahedra %d will do with this dx; use a smaller dx, or raise max_tetrahedra.", g.MaxTetrahedra).
		With("tried_min_dx", z.least())
}
