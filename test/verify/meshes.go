package main

import (
	"fmt"
	"math"
	"strings"
)

// The kinds of cells, by MFEM's numbers.
const (
	segment  = 1
	triangle = 2
	quad     = 3
	tet      = 4
	hex      = 5
	prism    = 6
)

// mesh is a structured mesh over parameters in [0, 1]^dim that a shape maps to the part.
// Its boundary attributes are 1 and 2 where the first parameter is 0 and 1, 3 and 4 for
// the second, 5 and 6 for the third.
type mesh struct {
	dim    int
	curved bool         // second-order geometry: straight sides otherwise
	points [][3]float64 // parameters of the vertices
	cells  []cell
	sides  []cell
	shape  func([3]float64) [3]float64
}

type cell struct {
	attribute, kind int
	v               []int
}

// spacing says how a side of the parameters is divided: into n, the last as long as grade
// times the first, moved by up to jitter of a cell.
type spacing struct {
	n     int
	grade float64
}

// structured is a mesh of cells of a kind; jitter moves its inner vertices by up to that
// share of a cell.
func structured(d *draw, kind int, side []spacing, jitter float64, shape func([3]float64) [3]float64) *mesh {
	m := &mesh{dim: len(side), shape: shape}
	n := [3]int{0, 0, 0}
	var at [3][]float64
	for a := range at {
		at[a] = []float64{0}
		if a < m.dim {
			n[a] = side[a].n
			at[a] = divided(side[a])
		}
	}
	for i := 0; i <= n[0]; i++ {
		for j := 0; j <= n[1]; j++ {
			for k := 0; k <= n[2]; k++ {
				m.points = append(m.points, moved(d, [3]int{i, j, k}, n, at, jitter))
			}
		}
	}
	node := func(i, j, k int) int { return (i*(n[1]+1)+j)*(n[2]+1) + k }
	if m.dim == 2 {
		m.fill2(kind, n, node)
	} else {
		m.fill3(kind, n, node)
	}
	if jitter > leastJitter && m.inverted() {
		return structured(d, kind, side, jitter/2, shape)
	}
	return m
}

// leastJitter inverts no cell.
const leastJitter = 0.01

// The corners that edges lead to from each corner of a cell, in right-handed order.
var neighbours = map[int][][]int{
	triangle: {{1, 2}, {2, 0}, {0, 1}},
	quad:     {{1, 3}, {2, 0}, {3, 1}, {0, 2}},
	tet:      {{1, 2, 3}},
	hex:      {{1, 3, 4}, {2, 0, 5}, {3, 1, 6}, {0, 2, 7}, {7, 5, 0}, {4, 6, 1}, {5, 7, 2}, {6, 4, 3}},
}

// inverted says whether a corner of a cell is turned inside out.
func (m *mesh) inverted() bool {
	for _, c := range m.cells {
		for i, to := range neighbours[c.kind] {
			from := m.shape(m.points[c.v[i]])
			var e [3][3]float64
			e[2][2] = 1 // in 2-D
			for k, j := range to {
				x := m.shape(m.points[c.v[j]])
				for a := range m.dim {
					e[k][a] = x[a] - from[a]
				}
			}
			volume := e[0][0]*(e[1][1]*e[2][2]-e[1][2]*e[2][1]) - e[0][1]*(e[1][0]*e[2][2]-e[1][2]*e[2][0]) + e[0][2]*(e[1][0]*e[2][1]-e[1][1]*e[2][0])
			if volume <= 0 {
				return true
			}
		}
	}
	return false
}

func divided(s spacing) []float64 {
	ratio := 1.0
	if s.n > 1 && s.grade > 0 {
		ratio = math.Pow(s.grade, 1/float64(s.n-1))
	}
	x, step := []float64{0}, 1.0
	for range s.n {
		x = append(x, x[len(x)-1]+step)
		step *= ratio
	}
	for i := range x {
		x[i] /= x[s.n]
	}
	x[s.n] = 1
	return x
}

// moved is a vertex, moved only along the sides that it lies on.
func moved(d *draw, i, n [3]int, at [3][]float64, jitter float64) [3]float64 {
	var p [3]float64
	for a := range p {
		p[a] = at[a][i[a]]
		if jitter > 0 && i[a] > 0 && i[a] < n[a] {
			room := math.Min(p[a]-at[a][i[a]-1], at[a][i[a]+1]-p[a])
			p[a] += jitter * room * d.between(-1, 1)
		}
	}
	return p
}

func (m *mesh) fill2(kind int, n [3]int, node func(i, j, k int) int) {
	for i := range n[0] {
		for j := range n[1] {
			a, b, c, e := node(i, j, 0), node(i+1, j, 0), node(i+1, j+1, 0), node(i, j+1, 0)
			switch {
			case kind == quad:
				m.cells = append(m.cells, cell{1, quad, []int{a, b, c, e}})
			case (i+j)%2 == 0:
				m.cells = append(m.cells, cell{1, triangle, []int{a, b, e}}, cell{1, triangle, []int{b, c, e}})
			default:
				m.cells = append(m.cells, cell{1, triangle, []int{a, b, c}}, cell{1, triangle, []int{a, c, e}})
			}
		}
	}
	for j := range n[1] {
		m.sides = append(m.sides, cell{1, segment, []int{node(0, j+1, 0), node(0, j, 0)}}, cell{2, segment, []int{node(n[0], j, 0), node(n[0], j+1, 0)}})
	}
	for i := range n[0] {
		m.sides = append(m.sides, cell{3, segment, []int{node(i, 0, 0), node(i+1, 0, 0)}}, cell{4, segment, []int{node(i+1, n[1], 0), node(i, n[1], 0)}})
	}
}

// The six tetrahedra of a hexahedron (Kuhn), right-handed, by its corners.
var kuhn = [][4]int{{0, 1, 2, 6}, {0, 5, 1, 6}, {0, 2, 3, 6}, {0, 3, 7, 6}, {0, 4, 5, 6}, {0, 7, 4, 6}}

func (m *mesh) fill3(kind int, n [3]int, node func(i, j, k int) int) {
	for i := range n[0] {
		for j := range n[1] {
			for k := range n[2] {
				v := []int{node(i, j, k), node(i+1, j, k), node(i+1, j+1, k), node(i, j+1, k), node(i, j, k+1), node(i+1, j, k+1), node(i+1, j+1, k+1), node(i, j+1, k+1)}
				if kind == hex {
					m.cells = append(m.cells, cell{1, hex, v})
				} else {
					for _, t := range kuhn {
						m.cells = append(m.cells, cell{1, tet, []int{v[t[0]], v[t[1]], v[t[2]], v[t[3]]}})
					}
				}
				// The first corner of each is the lowest, the third the highest: Kuhn's diagonal.
				m.side(kind, i == 0, 1, v[0], v[4], v[7], v[3])
				m.side(kind, i == n[0]-1, 2, v[1], v[2], v[6], v[5])
				m.side(kind, j == 0, 3, v[0], v[1], v[5], v[4])
				m.side(kind, j == n[1]-1, 4, v[3], v[7], v[6], v[2])
				m.side(kind, k == 0, 5, v[0], v[3], v[2], v[1])
				m.side(kind, k == n[2]-1, 6, v[4], v[5], v[6], v[7])
			}
		}
	}
}

func (m *mesh) side(kind int, on bool, attribute, a, b, c, d int) {
	switch {
	case !on:
	case kind == hex:
		m.sides = append(m.sides, cell{attribute, quad, []int{a, b, c, d}})
	default:
		m.sides = append(m.sides, cell{attribute, triangle, []int{a, b, c}}, cell{attribute, triangle, []int{a, c, d}})
	}
}

// middle is the mean of the corners, in parameters.
func (m *mesh) middle(c cell) [3]float64 {
	var x [3]float64
	for _, v := range c.v {
		for a := range x {
			x[a] += m.points[v][a] / float64(len(c.v))
		}
	}
	return x
}

// rename gives cells or sides of an attribute another one where their middle, in parameters,
// is as asked.
func (m *mesh) rename(of []cell, attribute, other int, where func(middle [3]float64) bool) {
	for i, c := range of {
		if c.attribute == attribute && where(m.middle(c)) {
			of[i].attribute = other
		}
	}
}

// triangular is a mesh of triangles over x, y >= 0, x + y <= 1, or, with layers over the
// third parameter, of prisms. Attributes: 1 where x = 0, 3 where y = 0, 2 where x + y = 1,
// 5 and 6 at the ends of the third parameter.
func triangular(n int, layers []float64, shape func([3]float64) [3]float64) *mesh {
	m := &mesh{dim: 3, shape: shape}
	if layers == nil {
		m.dim, layers = 2, []float64{0}
	}
	number := map[[3]int]int{}
	for k, z := range layers {
		for i := 0; i <= n; i++ {
			for j := 0; i+j <= n; j++ {
				number[[3]int{i, j, k}] = len(m.points)
				m.points = append(m.points, [3]float64{float64(i) / float64(n), float64(j) / float64(n), z})
			}
		}
	}
	last := max(1, len(layers)-1)
	for k := range last {
		for i := range n {
			for j := 0; i+j < n; j++ {
				m.column(number, [3][2]int{{i, j}, {i + 1, j}, {i, j + 1}}, k)
				if i+j < n-1 {
					m.column(number, [3][2]int{{i + 1, j}, {i + 1, j + 1}, {i, j + 1}}, k)
				}
			}
			m.wall(number, 1, [2]int{0, i + 1}, [2]int{0, i}, k)
			m.wall(number, 3, [2]int{i, 0}, [2]int{i + 1, 0}, k)
			m.wall(number, 2, [2]int{n - i, i}, [2]int{n - i - 1, i + 1}, k)
		}
	}
	return m
}

// column adds a triangle or, between two layers, a prism with the ends that lie outside.
func (m *mesh) column(number map[[3]int]int, t [3][2]int, k int) {
	low, high := make([]int, 3), make([]int, 3)
	top := false
	for i, p := range t {
		low[i] = number[[3]int{p[0], p[1], k}]
		high[i], top = number[[3]int{p[0], p[1], k + 1}]
	}
	if !top {
		m.cells = append(m.cells, cell{1, triangle, low})
		return
	}
	m.cells = append(m.cells, cell{1, prism, append(append([]int{}, low...), high...)})
	if k == 0 {
		m.sides = append(m.sides, cell{5, triangle, []int{low[0], low[2], low[1]}})
	}
	if _, more := number[[3]int{0, 0, k + 2}]; !more {
		m.sides = append(m.sides, cell{6, triangle, high})
	}
}

func (m *mesh) wall(number map[[3]int]int, attribute int, p, q [2]int, k int) {
	a, b := number[[3]int{p[0], p[1], k}], number[[3]int{q[0], q[1], k}]
	if m.dim == 2 {
		m.sides = append(m.sides, cell{attribute, segment, []int{a, b}})
		return
	}
	m.sides = append(m.sides, cell{attribute, quad, []int{a, b, number[[3]int{q[0], q[1], k + 1}], number[[3]int{p[0], p[1], k + 1}]}})
}

// String is the mesh in MFEM's text format.
func (m *mesh) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "MFEM mesh v1.0\n\ndimension\n%d\n", m.dim)
	for _, part := range []struct {
		name  string
		cells []cell
	}{{"elements", m.cells}, {"boundary", m.sides}} {
		fmt.Fprintf(&b, "\n%s\n%d\n", part.name, len(part.cells))
		for _, c := range part.cells {
			fmt.Fprintf(&b, "%d %d %s\n", c.attribute, c.kind, strings.Trim(fmt.Sprint(c.v), "[]"))
		}
	}
	fmt.Fprintf(&b, "\nvertices\n%d\n", len(m.points))
	if !m.curved {
		fmt.Fprintf(&b, "%d\n", m.dim)
		for _, p := range m.points {
			m.write(&b, p)
		}
		return b.String()
	}
	fmt.Fprintf(&b, "\nnodes\nFiniteElementSpace\nFiniteElementCollection: L2_T1_%dD_P2\nVDim: %d\nOrdering: 1\n\n", m.dim, m.dim)
	for _, c := range m.cells {
		m.nodes(&b, c)
	}
	return b.String()
}

func (m *mesh) write(b *strings.Builder, parameters [3]float64) {
	x := m.shape(parameters)
	for a := range m.dim {
		fmt.Fprintf(b, "%.17g ", x[a])
	}
	b.WriteString("\n")
}

// nodes writes the second-order nodes of a cell, the first coordinate running fastest.
func (m *mesh) nodes(b *strings.Builder, c cell) {
	simplex := c.kind == triangle || c.kind == tet
	for k := range 3 {
		for j := range 3 {
			for i := range 3 {
				switch {
				case m.dim == 2 && k > 0, simplex && i+j+k > 2, c.kind == prism && i+j > 2:
					continue
				}
				var p [3]float64
				for v, w := range weights(c.kind, float64(i)/2, float64(j)/2, float64(k)/2) {
					for a := range p {
						p[a] += w * m.points[c.v[v]][a]
					}
				}
				m.write(b, p)
			}
		}
	}
}

// weights are the linear shape functions of a cell.
func weights(kind int, x, y, z float64) []float64 {
	switch kind {
	case triangle:
		return []float64{1 - x - y, x, y}
	case tet:
		return []float64{1 - x - y - z, x, y, z}
	case prism:
		return []float64{(1 - x - y) * (1 - z), x * (1 - z), y * (1 - z), (1 - x - y) * z, x * z, y * z}
	case quad:
		return []float64{(1 - x) * (1 - y), x * (1 - y), x * y, (1 - x) * y}
	}
	flat := weights(quad, x, y, 0)
	all := make([]float64, 0, 8)
	for _, s := range []float64{1 - z, z} {
		for _, w := range flat {
			all = append(all, w*s)
		}
	}
	return all
}

// boxed maps the parameters to a box.
func boxed(l ...float64) func([3]float64) [3]float64 {
	return func(p [3]float64) [3]float64 {
		for a := range l {
			p[a] *= l[a]
		}
		return p
	}
}

// ring maps the parameters to a quarter ring between two radii, the first along the
// radius and the second around, from x to y; the third is the height.
func ring(in, out, height float64) func([3]float64) [3]float64 {
	return func(p [3]float64) [3]float64 {
		r, w := in+(out-in)*p[0], p[1]*math.Pi/2
		return [3]float64{r * math.Cos(w), r * math.Sin(w), height * p[2]}
	}
}

// shell maps a triangular mesh with layers to an octant of a spherical shell.
func shell(in, out float64) func([3]float64) [3]float64 {
	return func(p [3]float64) [3]float64 {
		q := [3]float64{p[0], p[1], 1 - p[0] - p[1]}
		size := math.Sqrt(q[0]*q[0] + q[1]*q[1] + q[2]*q[2])
		r := in + (out-in)*p[2]
		return [3]float64{r * q[0] / size, r * q[1] / size, r * q[2] / size}
	}
}

// quarterDisk maps a triangular mesh to a quarter of an ellipse.
func quarterDisk(a, b float64) func([3]float64) [3]float64 {
	return func(p [3]float64) [3]float64 {
		s := p[0] + p[1]
		if s == 0 {
			return [3]float64{}
		}
		w := math.Pi / 2 * p[1] / s
		return [3]float64{a * s * math.Cos(w), b * s * math.Sin(w), 0}
	}
}
