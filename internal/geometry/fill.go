package geometry

import (
	"fmt"

	"atelier/internal/contract"
)

// fillHoles closes every border, or refuses the ones that would be guessing.
func (p *repairer) fillHoles() error {
	m := p.m
	g := m.glue()
	g.zip(m)
	borders := g.loops()
	p.r.OpenHoles = len(borders)
	if len(borders) == 0 || !p.opt.FillHoles {
		return nil
	}
	comp, n := g.components()
	area := make([]float64, n)
	for t := range m.Triangles {
		area[comp[t]] += m.TriangleArea(t)
	}
	loops := make([][]int32, len(borders))
	for i, b := range borders {
		for _, h := range b {
			loops[i] = append(loops[i], origin(m.Triangles, h))
		}
		if p.opt.MaxHoleEdges > 0 && len(b) > p.opt.MaxHoleEdges {
			return p.tooLarge(loops[i], "has %d border edges, more than max_hole_edges = %d", len(b), p.opt.MaxHoleEdges).
				With("edges", len(b))
		}
	}
	f := newFiller(p.ctx, m, borders)
	for _, group := range m.islands(loops) {
		if err := p.fillGroup(f, loops, borders, group, area, comp); err != nil {
			return err
		}
	}
	return nil
}

// fillGroup fills one loop, or an outer loop with the islands in it.
func (p *repairer) fillGroup(f *filler, loops, borders [][]int32, group []int, area []float64, comp []int32) error {
	m := p.m
	outer := loops[group[0]]
	whole := area[comp[borders[group[0]][0]/3]]
	limit := p.opt.MaxHoleArea * whole * (1 + 1e-9)
	if len(group) > 1 {
		inner := make([][]int32, 0, len(group)-1)
		for _, i := range group[1:] {
			inner = append(inner, loops[i])
		}
		f.fillRing(outer, inner)
	} else if err := f.fill(outer); err != nil {
		return err
	} else if m.patchArea(f.out) > limit { // a fold more may save much area
		f.leastArea = true
		err := f.fill(outer)
		f.leastArea = false
		if err != nil {
			return err
		}
	}
	patch := m.patchArea(f.out)
	if patch > limit {
		return p.tooLarge(outer, "needs a patch of %.4g times the area of the surface around it, more than max_hole_area_ratio = %g", patch/whole, p.opt.MaxHoleArea).
			With("edges", len(outer)).With("patch_area", patch)
	}
	f.commit()
	m.Triangles = append(m.Triangles, f.out...)
	if m.FaceID != nil {
		id := m.patchFace(borders, group, patch <= 1e-3*whole)
		for range f.out {
			m.FaceID = append(m.FaceID, id)
		}
	}
	p.r.HolesFilled += len(group)
	p.r.HoleTriangles += len(f.out)
	p.r.HoleArea += patch
	return nil
}

func (m *Mesh) patchArea(patch [][3]int32) float64 {
	p := &Mesh{Vertices: m.Vertices, Triangles: patch}
	return p.Area()
}

func (p *repairer) tooLarge(loop []int32, format string, args ...any) *contract.Error {
	s := p.m.shapeOf(loop)
	return contract.Errorf(contract.CodeHoleTooLarge, "the hole around (%.6g, %.6g, %.6g), %.4g across, %s",
		s.center[0], s.center[1], s.center[2], s.extent, fmt.Sprintf(format, args...)).
		WithHint("Close the hole in the CAD model, or raise the limit if a smooth patch is what is wanted there.").
		With("center", s.center).With("extent", s.extent)
}

// patchFace is the CAD face of a patch: that of the faces around it when they
// are all the same, that of the longest border when the patch is tiny, else 0.
func (m *Mesh) patchFace(borders [][]int32, group []int, tiny bool) int32 {
	length := map[int32]float64{}
	best, bestLength := int32(0), 0.0
	for _, i := range group {
		for _, h := range borders[i] {
			id := m.FaceID[h/3]
			length[id] += m.Vertices[origin(m.Triangles, h)].Sub(m.Vertices[target(m.Triangles, h)]).Norm()
			if length[id] > bestLength {
				best, bestLength = id, length[id]
			}
		}
	}
	if len(length) > 1 && !tiny {
		return 0
	}
	return best
}

// zip joins borders of two edges, which run to and fro over the same vertices.
func (g *gluing) zip(m *Mesh) {
	for _, l := range g.loops() {
		if len(l) == 2 {
			g.join(l[0], l[1])
		}
	}
}
