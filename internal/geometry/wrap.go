package geometry

import (
	"context"
	"fmt"
	"math"

	"atelier/internal/contract"
)

// Wrapping is what Wrap measured.
type Wrapping struct {
	Offset  float64 `json:"offset"`
	Spacing float64 `json:"spacing"` // of the grid
	// Nearest and Farthest are the least and the largest distance of the wrap's vertices
	// from the surface that it is around.
	Nearest  float64 `json:"nearest"`
	Farthest float64 `json:"farthest"`
}

const (
	stepsPerOffset = 2          // grid cells in an offset: no cell then reaches through a wall
	mostGridNodes  = 60_000_000 // four bytes each
	finestPart     = 6          // cells: larger triangles are divided before their surroundings are looked at
)

// Wrap is a closed, manifold, outward surface around any triangles, however torn: the
// points at the distance offset from them that can be reached from outside. Holes narrower
// than twice the offset are closed, and what is inside is left out. Face ids are those of
// the nearest triangle. It is the isosurface of the distance on a grid, by marching
// tetrahedra (Doi and Koide 1991) in Kuhn's division of its cubes, whose pieces always fit;
// what is between two and two and a half offsets wide may be closed by the grid.
func Wrap(ctx context.Context, m *Mesh, offset float64) (*Mesh, Wrapping, error) {
	g, err := newDistanceGrid(m, offset)
	if err != nil {
		return nil, Wrapping{}, err
	}
	for t := range m.Triangles {
		if t%4096 == 0 && ctx.Err() != nil {
			return nil, Wrapping{}, ctx.Err()
		}
		p, q, r := m.Corners(t)
		g.around(p, q, r)
	}
	g.flood()
	out, err := g.surface(ctx)
	if err != nil {
		return nil, Wrapping{}, err
	}
	out.Meta = m.Meta
	w := Wrapping{Offset: offset, Spacing: g.h, Nearest: math.Inf(1)}
	tree := NewBVH(m)
	for i, p := range out.Vertices {
		if i%4096 == 0 && ctx.Err() != nil {
			return nil, w, ctx.Err()
		}
		_, _, d := tree.Nearest(p)
		w.Nearest, w.Farthest = min(w.Nearest, d), max(w.Farthest, d)
	}
	if m.FaceID != nil {
		out.FaceID = make([]int32, len(out.Triangles))
		for t := range out.Triangles {
			p, q, r := out.Corners(t)
			_, nearest, _ := tree.Nearest(p.Add(q).Add(r).Scale(1.0 / 3))
			out.FaceID[t] = m.FaceID[nearest]
		}
	}
	return out, w, nil
}

// distanceGrid holds the distance from the triangles at the nodes near them, less the offset:
// positive outside.
type distanceGrid struct {
	origin Vec3
	h      float64
	offset float64
	n      [3]int
	value  []float32
}

func newDistanceGrid(m *Mesh, offset float64) (*distanceGrid, error) {
	lo, hi := m.Bounds()
	g := &distanceGrid{h: offset / stepsPerOffset, offset: offset}
	margin := offset + 2*g.h
	nodes := 1.0
	for k := range 3 {
		g.origin[k] = lo[k] - margin
		cells := math.Ceil((hi[k]-lo[k]+2*margin)/g.h) + 1
		nodes *= cells
		g.n[k] = int(min(cells, mostGridNodes))
	}
	if nodes > mostGridNodes {
		fitting := offset * math.Cbrt(nodes/mostGridNodes) * 1.05
		return nil, contract.Errorf(contract.CodeInvalidInput, "an offset of %.4g needs a grid of %.2g nodes around the surface, which is %.4g across; at most %.1g are made", offset, nodes, hi.Sub(lo).Norm(), float64(mostGridNodes)).
			WithHint("Use an offset of %.3g or more.", fitting)
	}
	g.value = make([]float32, g.n[0]*g.n[1]*g.n[2])
	for i := range g.value {
		g.value[i] = math.MaxFloat32
	}
	return g, nil
}

func (g *distanceGrid) index(i, j, k int) int { return (k*g.n[1]+j)*g.n[0] + i }

func (g *distanceGrid) at(i, j, k int) Vec3 {
	return Vec3{g.origin[0] + float64(i)*g.h, g.origin[1] + float64(j)*g.h, g.origin[2] + float64(k)*g.h}
}

// around brings the distance from a triangle to the nodes near it.
func (g *distanceGrid) around(p, q, r Vec3) {
	a, b, c := q.Sub(p).Norm(), r.Sub(q).Norm(), p.Sub(r).Norm()
	if longest := max(a, b, c); longest > finestPart*g.h { // its box would be mostly far from it
		switch longest {
		case a:
			middle := p.Add(q).Scale(0.5)
			g.around(p, middle, r)
			g.around(middle, q, r)
		case b:
			middle := q.Add(r).Scale(0.5)
			g.around(p, q, middle)
			g.around(p, middle, r)
		default:
			middle := r.Add(p).Scale(0.5)
			g.around(p, q, middle)
			g.around(middle, q, r)
		}
		return
	}
	band := g.offset + 2*g.h
	var from, to [3]int
	for k := range 3 {
		from[k] = max(0, int(math.Floor((min(p[k], q[k], r[k])-band-g.origin[k])/g.h)))
		to[k] = min(g.n[k]-1, int(math.Ceil((max(p[k], q[k], r[k])+band-g.origin[k])/g.h)))
	}
	for k := from[2]; k <= to[2]; k++ {
		for j := from[1]; j <= to[1]; j++ {
			for i := from[0]; i <= to[0]; i++ {
				x := g.at(i, j, k)
				d := float32(x.Sub(closestOnTriangle(x, p, q, r)).Norm() - g.offset)
				if at := g.index(i, j, k); d < g.value[at] {
					g.value[at] = d
				}
			}
		}
	}
}

// flood turns the sign of what the outside, seen from a corner, does not reach.
func (g *distanceGrid) flood() {
	reached := make([]bool, len(g.value))
	stack := []int32{0}
	reached[0] = true
	steps := [3]int{1, g.n[0], g.n[0] * g.n[1]}
	for len(stack) > 0 {
		at := int(stack[len(stack)-1])
		stack = stack[:len(stack)-1]
		place := [3]int{at % g.n[0], at / g.n[0] % g.n[1], at / steps[2]}
		for k, step := range steps {
			if next := at - step; place[k] > 0 && !reached[next] && g.value[next] > 0 {
				reached[next] = true
				stack = append(stack, int32(next))
			}
			if next := at + step; place[k] < g.n[k]-1 && !reached[next] && g.value[next] > 0 {
				reached[next] = true
				stack = append(stack, int32(next))
			}
		}
	}
	for i, v := range g.value {
		if v > 0 && !reached[i] {
			g.value[i] = -float32(g.h)
		}
	}
}

// kuhn are the six tetrahedra of a cube along its diagonal: the order in which the axes
// are gone, by corners that have a bit for each axis.
var kuhn = [6][4]int{{0, 1, 3, 7}, {0, 1, 5, 7}, {0, 2, 3, 7}, {0, 2, 6, 7}, {0, 4, 5, 7}, {0, 4, 6, 7}}

// marching collects the surface.
type marching struct {
	*distanceGrid
	out   *Mesh
	nodes map[[2]int32]int32 // of the vertices on edges
}

func (g *distanceGrid) surface(ctx context.Context) (*Mesh, error) {
	m := marching{g, &Mesh{}, map[[2]int32]int32{}}
	for k := range g.n[2] - 1 {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		for j := range g.n[1] - 1 {
			for i := range g.n[0] - 1 {
				m.cube(i, j, k)
			}
		}
	}
	if len(m.out.Triangles) == 0 {
		return nil, fmt.Errorf("no surface lies around the triangles")
	}
	return m.out, nil
}

func (m *marching) cube(i, j, k int) {
	var corner [8]int
	inside := 0
	for c := range 8 {
		corner[c] = m.index(i+c&1, j+c>>1&1, k+c>>2)
		if m.value[corner[c]] <= 0 {
			inside++
		}
	}
	if inside == 0 || inside == 8 {
		return
	}
	for _, tet := range kuhn {
		m.tetrahedron([4]int{corner[tet[0]], corner[tet[1]], corner[tet[2]], corner[tet[3]]})
	}
}

// tetrahedron adds the one or two triangles between its inner and outer corners.
func (m *marching) tetrahedron(corner [4]int) {
	var in, out []int
	for _, c := range corner {
		if m.value[c] <= 0 {
			in = append(in, c)
		} else {
			out = append(out, c)
		}
	}
	switch len(in) {
	case 1:
		m.triangle(in[0], out[0], [3]int32{m.vertex(in[0], out[0]), m.vertex(in[0], out[1]), m.vertex(in[0], out[2])})
	case 3:
		m.triangle(in[0], out[0], [3]int32{m.vertex(in[0], out[0]), m.vertex(in[1], out[0]), m.vertex(in[2], out[0])})
	case 2:
		a, b, c, d := m.vertex(in[0], out[0]), m.vertex(in[0], out[1]), m.vertex(in[1], out[1]), m.vertex(in[1], out[0])
		m.triangle(in[0], out[0], [3]int32{a, b, c})
		m.triangle(in[0], out[0], [3]int32{a, c, d})
	}
}

// triangle faces the outer corner.
func (m *marching) triangle(in, out int, t [3]int32) {
	p, q, r := m.out.Vertices[t[0]], m.out.Vertices[t[1]], m.out.Vertices[t[2]]
	if q.Sub(p).Cross(r.Sub(p)).Dot(m.place(out).Sub(m.place(in))) < 0 {
		t[1], t[2] = t[2], t[1]
	}
	m.out.Triangles = append(m.out.Triangles, t)
}

func (m *marching) place(at int) Vec3 {
	return m.at(at%m.n[0], at/m.n[0]%m.n[1], at/(m.n[0]*m.n[1]))
}

// vertex lies on the edge between an inner and an outer node, away from both, so that no
// triangle is without an area.
func (m *marching) vertex(in, out int) int32 {
	key := [2]int32{int32(in), int32(out)}
	if at, known := m.nodes[key]; known {
		return at
	}
	const away = 0.02
	f, g := float64(m.value[in]), min(float64(m.value[out]), 2*m.h)
	t := min(max(f/(f-g), away), 1-away)
	p, q := m.place(in), m.place(out)
	at := int32(len(m.out.Vertices))
	m.out.Vertices = append(m.out.Vertices, p.Add(q.Sub(p).Scale(t)))
	m.nodes[key] = at
	return at
}
