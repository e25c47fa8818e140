package geometry

import (
	"context"
	"fmt"
	"math"

	"atelier/internal/contract"
)

// RepairOptions say what Repair may do. The zero value cleans, welds, orients
// and cuts, but fills no hole.
type RepairOptions struct {
	FillHoles            bool
	ResolveIntersections bool
	// MaxHoleEdges refuses a hole with more border edges; 0: no limit.
	MaxHoleEdges int
	// MaxHoleArea refuses a hole whose patch would have more than this share of
	// its component's area; 0: the default of 1.
	MaxHoleArea float64
	// Single rounds coordinates to single precision first, as STL and GLB do, so
	// that what is checked is what those files will hold.
	Single bool
	// Progress, when not nil, is told how far the work is (0 to 1).
	Progress func(fraction float64, message string)
}

// RepairReport says what was found and what was done.
type RepairReport struct {
	Initial             Topology // after equal points were joined
	Final               Topology
	InitialIntersecting int // triangles that meet others where they should not
	FinalIntersecting   int
	ContactTriangles    int // triangles that meet only triangles of other bodies, at the end

	VerticesJoined     int // cracks closed: border vertices joined with a neighbour
	JunctionsSplit     int
	DuplicatesRemoved  int
	DegeneratesRemoved int
	FinsRemoved        int
	EdgesCut           int // non-manifold edges taken apart
	VerticesCopied     int
	TrianglesFlipped   int
	ComponentsFlipped  int
	Cavities           int
	TurnedCavities     int // that faced outwards, as a body of its own does
	TurnedCrossing     int // triangles of components that were inside out and cross others that were not
	HolesFilled        int
	HoleTriangles      int
	HoleArea           float64
	SheetsRemoved      int
	IntersectionsFixed int // intersecting triangles that the union of the parts did away with
	OpenHoles          int
	Warnings           []string
}

func (r *RepairReport) warn(format string, args ...any) {
	r.Warnings = append(r.Warnings, fmt.Sprintf(format, args...))
}

// repairer carries one repair through its steps.
type repairer struct {
	ctx context.Context
	m   *Mesh
	opt RepairOptions
	r   *RepairReport
	// crumbs lets components of next to no volume go: what uniting parts leaves.
	crumbs bool
	// turned are the triangles of components that were inside out.
	turned []bool
}

// Repair returns a closed, oriented, manifold copy of the surface with outward
// normals, or an error that says why that would be guessing:
// ERR_NON_MANIFOLD_UNRESOLVABLE, ERR_HOLE_TOO_LARGE, ERR_MESH_PROCESSING_FAILED.
// Without FillHoles the copy keeps its holes. The input is not changed. Every
// triangle keeps its face id; coordinates keep their unit.
func Repair(ctx context.Context, in *Mesh, opt RepairOptions) (*Mesh, *RepairReport, error) {
	if opt.MaxHoleArea == 0 {
		opt.MaxHoleArea = 1
	}
	if opt.Progress == nil {
		opt.Progress = func(float64, string) {}
	}
	p := &repairer{ctx: ctx, m: in.Clone(), opt: opt, r: &RepairReport{}}
	steps := []struct {
		name string
		run  func() error
	}{
		{"joining equal points", p.clean},
		{"looking for self-intersections", p.countInitial},
		{"closing cracks", p.closeCracks},
		{"orienting and cutting", p.makeManifold},
		{"filling holes", p.fillHoles},
		{"pointing outward", p.finish},
		{"resolving self-intersections", p.resolve},
		{"checking", p.verify},
	}
	for i, s := range steps {
		opt.Progress(float64(i)/float64(len(steps)), s.name)
		if err := ctx.Err(); err != nil {
			return nil, p.r, err
		}
		if err := s.run(); err != nil {
			return nil, p.r, err
		}
	}
	return p.m, p.r, nil
}

// Inspect is what Repair finds before it closes or turns anything: Initial,
// InitialIntersecting, DuplicatesRemoved and DegeneratesRemoved of its report.
func Inspect(ctx context.Context, in *Mesh, opt RepairOptions) (*RepairReport, error) {
	p := &repairer{ctx: ctx, m: in.Clone(), opt: opt, r: &RepairReport{}}
	p.round()
	p.tidy()
	if len(p.m.Triangles) == 0 {
		return p.r, nil
	}
	return p.r, p.countInitial()
}

// WithoutCopies is the surface with equal points joined and copies of triangles removed.
func (m *Mesh) WithoutCopies() *Mesh {
	p := &repairer{m: m.Clone(), r: &RepairReport{}}
	p.tidy()
	return p.m
}

// round takes the coordinates to single precision where the files to be written do so.
func (p *repairer) round() {
	if !p.opt.Single {
		return
	}
	for i := range p.m.Vertices {
		for k := range 3 {
			p.m.Vertices[i][k] = float64(float32(p.m.Vertices[i][k]))
		}
	}
}

// tidy joins equal points, counts what is wrong, and lets go what is there twice.
func (p *repairer) tidy() {
	p.m.weldExact()
	p.m.splitBodies()
	p.r.Initial = p.m.Check()
	p.r.DegeneratesRemoved += p.m.dropRepeated()
	p.r.DuplicatesRemoved += p.m.dropDuplicates()
}

func (p *repairer) clean() error {
	m := p.m
	p.round()
	if d := m.Diagonal(); !(d > 1e-100 && d < 1e100) {
		return contract.Errorf(contract.CodeMeshProcessingFailed, "the surface has an extent of %g; it cannot be worked on in double precision", d).
			WithHint("Check the file's scale.")
	}
	p.tidy()
	if len(m.Triangles) == 0 {
		return contract.Errorf(contract.CodeNonManifoldUnresolvable, "every triangle of the surface is degenerate or stands twice").
			WithHint("Export the part again; nothing in this file encloses a volume.")
	}
	return nil
}

func (p *repairer) countInitial() error {
	var err error
	p.r.InitialIntersecting, p.r.ContactTriangles, err = p.m.intersecting(p.ctx)
	p.r.FinalIntersecting = p.r.InitialIntersecting
	return err
}

// changed says whether the triangles' places differ from those first counted.
func (r *RepairReport) changed() bool {
	return r.VerticesJoined+r.JunctionsSplit+r.DuplicatesRemoved+r.DegeneratesRemoved+r.FinsRemoved+
		r.VerticesCopied+r.HolesFilled+r.SheetsRemoved > 0
}

// maxPairs ends the count of intersections of a surface that is all knots.
const maxPairs = 200_000

// closeCracks joins borders that lie close together, from tiny distances to
// larger ones, as long as that leaves fewer border edges and no new defect.
func (p *repairer) closeCracks() error {
	diagonal := p.m.Diagonal()
	borders := len(p.m.borderEdges())
	for _, rel := range []float64{1e-9, 1e-7, 1e-6, 1e-5, 1e-4, 5e-4} {
		if borders == 0 {
			break
		}
		if err := p.ctx.Err(); err != nil {
			return err
		}
		trial := p.m.Clone()
		joined := trial.stitchBorders(rel * diagonal)
		split := 0
		for range 4 {
			n := trial.splitJunctions(rel * diagonal)
			if n == 0 {
				break
			}
			split += n
			joined += trial.stitchBorders(rel * diagonal)
		}
		if joined+split == 0 {
			continue
		}
		copies := trial.dropDuplicates()
		edges := buildEdges(trial.Triangles, len(trial.Vertices))
		open, complex := 0, 0
		for e := range edges.len() {
			switch n := len(edges.of(e)); {
			case n == 1:
				open++
			case n > 2:
				complex++
			}
		}
		if open < borders && complex <= p.r.Initial.NonManifoldEdges {
			trial.compact()
			p.m, borders = trial, open
			p.r.VerticesJoined += joined
			p.r.JunctionsSplit += split
			p.r.DuplicatesRemoved += copies
		}
	}
	return nil
}

func (p *repairer) makeManifold() error {
	m := p.m
	for range 8 { // a fin may hang on a fin
		n := m.dropFins()
		p.r.FinsRemoved += n
		if n == 0 {
			break
		}
	}
	if p.r.FinsRemoved > 0 {
		m.compact()
		p.r.warn("%d triangles that hang as open fins on a surface closed without them were removed", p.r.FinsRemoved)
	}
	var oneSided int
	p.r.TrianglesFlipped, oneSided = m.orient()
	if oneSided > 0 {
		return contract.Errorf(contract.CodeNonManifoldUnresolvable,
			"the surface is one-sided (a Möbius band): no orientation agrees across %d of its edges", oneSided).
			WithHint("A solid's surface has two sides; the part must be modelled again at those edges.").With("edges", oneSided)
	}
	g := m.glue()
	p.r.EdgesCut = g.cut
	p.r.VerticesCopied = m.separate(g)
	for range 8 { // an edge may be doubled more than once, a triangle at two edges
		n := m.splitDoubled(g)
		p.r.VerticesCopied += n
		if n == 0 {
			break
		}
		g = m.glue()
		p.r.VerticesCopied += m.separate(g)
	}
	return nil
}

func (p *repairer) finish() error {
	m := p.m
	g := m.glue()
	removed, left := m.flattenCaps(g)
	p.r.DegeneratesRemoved += removed
	if left > 0 {
		p.r.warn("%d triangles without area were left, since flipping an edge there would fold the surface", left)
	}
	comp, n := g.components()
	all := m.shells(comp, n)
	if err := p.dropSheets(all); err != nil {
		return err
	}
	g = m.glue()
	comp, n = g.components()
	all = m.shells(comp, n)
	if len(g.loops()) > 0 { // open by the caller's wish: inside and outside are not known
		return nil
	}
	if err := m.pointOutward(p.ctx, all); err != nil {
		return err
	}
	p.warnOfFlipped(all)
	return nil
}

// maxNamed is how many components a warning names before it only counts.
const maxNamed = 8

// warnOfFlipped counts cavities and names the components that were turned round.
func (p *repairer) warnOfFlipped(all []shell) {
	turned, walls := 0, 0
	p.turned = make([]bool, len(p.m.Triangles))
	for i, s := range all {
		if s.inward {
			p.r.Cavities++
		}
		if !s.flipped {
			continue
		}
		p.r.ComponentsFlipped++
		p.r.TrianglesFlipped += len(s.tris)
		for _, t := range s.tris {
			p.turned[t] = !s.inward
		}
		if s.inward {
			p.r.TurnedCavities++
			if walls++; walls <= maxNamed {
				p.r.warn("component %d (%d triangles, volume %.6g) lies inside another one and was taken as the wall of a cavity", i+1, len(s.tris), -s.volume)
			}
		} else if turned++; turned <= maxNamed {
			p.r.warn("component %d (%d triangles, volume %.6g) was inside out and was turned", i+1, len(s.tris), s.volume)
		}
	}
	if turned > maxNamed {
		p.r.warn("%d components were inside out and were turned", turned)
	}
	if walls > maxNamed {
		p.r.warn("%d components lie inside others and were taken as walls of cavities", walls)
	}
}

// sheetLimit is the volume, relative to area^1.5, below which a closed
// component encloses nothing (a cube has 0.068).
const sheetLimit = 1e-7

// dropSheets removes closed components that enclose nothing when they are a
// negligible part of the surface, and refuses the surface otherwise.
func (p *repairer) dropSheets(all []shell) error {
	var drop []int32
	var area, total float64
	sheets := 0
	var largest float64
	for _, s := range all {
		largest = max(largest, math.Abs(s.volume))
	}
	for _, s := range all {
		total += s.area
		crumb := p.crumbs && math.Abs(s.volume) <= 1e-9*largest
		if p.opt.FillHoles && math.Abs(s.volume) <= sheetLimit*math.Pow(s.area, 1.5) || crumb {
			sheets++
			area += s.area
			drop = append(drop, s.tris...)
		}
	}
	if sheets == 0 {
		return nil
	}
	if area > 0.1*total && !p.crumbs || sheets == len(all) {
		return contract.Errorf(contract.CodeNonManifoldUnresolvable,
			"%d of %d components are open sheets that enclose no volume (%.3g %% of the area)", sheets, len(all), 100*area/total).
			WithHint("Give the sheets a thickness or remove them; a solid needs a surface that encloses it.").
			With("sheets", sheets).With("components", len(all))
	}
	p.m.dropTriangles(drop)
	p.m.compact()
	p.r.SheetsRemoved = sheets
	p.r.warn("%d components that enclose no volume (%d triangles, %.3g %% of the area) were removed", sheets, len(drop), 100*area/total)
	return nil
}

func (p *repairer) verify() error {
	p.m.compact()
	p.r.Final = p.m.Check()
	p.r.OpenHoles = p.r.Final.BoundaryLoops
	f := p.r.Final
	if !f.Manifold || !f.Oriented || p.opt.FillHoles && !f.Closed {
		return contract.Errorf(contract.CodeNonManifoldUnresolvable,
			"after the repair %d border edges, %d non-manifold edges, %d non-manifold vertices and %d inconsistent edges are left",
			f.BoundaryEdges, f.NonManifoldEdges, f.NonManifoldVertices, f.InconsistentEdges).
			WithHint("The surface contradicts itself there; look at it in a mesh editor, or export the part again from its CAD model.")
	}
	return nil
}
