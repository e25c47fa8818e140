package solve

import (
	"fmt"
	"strings"
)

// grid makes meshes for tests: points in rows, then simplices and boundary.
type grid struct {
	dim      int
	points   [][]float64
	elements []string
	boundary []string
}

func (g *grid) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "MFEM mesh v1.0\n\ndimension\n%d\n\nelements\n%d\n%s\n\nboundary\n%d\n%s\n\nvertices\n%d\n%d\n",
		g.dim, len(g.elements), strings.Join(g.elements, "\n"), len(g.boundary), strings.Join(g.boundary, "\n"), len(g.points), g.dim)
	for _, p := range g.points {
		for _, x := range p {
			fmt.Fprintf(&b, "%.17g ", x)
		}
		b.WriteString("\n")
	}
	return b.String()
}

// rectangle is nx by ny squares, two triangles each, alternating in direction.
// Boundary attributes: 1 x_min, 2 x_max, 3 y_min, 4 y_max.
func rectangle(nx, ny int, lx, ly float64) *grid {
	g := &grid{dim: 2}
	at := func(i, j int) int { return i*(ny+1) + j }
	for i := 0; i <= nx; i++ {
		for j := 0; j <= ny; j++ {
			g.points = append(g.points, []float64{float64(i) * lx / float64(nx), float64(j) * ly / float64(ny)})
		}
	}
	for i := 0; i < nx; i++ {
		for j := 0; j < ny; j++ {
			a, b, c, d := at(i, j), at(i+1, j), at(i+1, j+1), at(i, j+1)
			one, two := [3]int{a, b, c}, [3]int{a, c, d}
			if (i+j)%2 == 0 {
				one, two = [3]int{a, b, d}, [3]int{b, c, d}
			}
			for _, t := range [][3]int{one, two} {
				g.elements = append(g.elements, fmt.Sprintf("1 2 %d %d %d", t[0], t[1], t[2]))
			}
		}
	}
	for j := 0; j < ny; j++ {
		g.boundary = append(g.boundary, fmt.Sprintf("1 1 %d %d", at(0, j+1), at(0, j)), fmt.Sprintf("2 1 %d %d", at(nx, j), at(nx, j+1)))
	}
	for i := 0; i < nx; i++ {
		g.boundary = append(g.boundary, fmt.Sprintf("3 1 %d %d", at(i, 0), at(i+1, 0)), fmt.Sprintf("4 1 %d %d", at(i+1, ny), at(i, ny)))
	}
	return g
}

// The six tetrahedra of a cube (Kuhn), as paths along the axes.
var kuhn = [][3]int{{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}}

// box is nx by ny by nz cubes, six tetrahedra each. Boundary attributes: 1
// x_min, 2 x_max, 3 y_min, 4 y_max, 5 z_min, 6 z_max.
func box(n [3]int, length [3]float64) *grid {
	g := &grid{dim: 3}
	at := func(i [3]int) int { return (i[0]*(n[1]+1)+i[1])*(n[2]+1) + i[2] }
	each := func(n [3]int, visit func([3]int)) {
		for i := 0; i < n[0]; i++ {
			for j := 0; j < n[1]; j++ {
				for k := 0; k < n[2]; k++ {
					visit([3]int{i, j, k})
				}
			}
		}
	}
	each([3]int{n[0] + 1, n[1] + 1, n[2] + 1}, func(i [3]int) {
		p := make([]float64, 3)
		for k := range p {
			p[k] = length[k] // exactly, since addSides asks for it
			if i[k] < n[k] {
				p[k] = float64(i[k]) * length[k] / float64(n[k])
			}
		}
		g.points = append(g.points, p)
	})
	each(n, func(i [3]int) {
		for m, path := range kuhn {
			corner := i
			v := []int{at(corner)}
			for _, axis := range path {
				corner[axis]++
				v = append(v, at(corner))
			}
			if m == 1 || m == 2 || m == 5 { // odd permutations are left-handed
				v[1], v[2] = v[2], v[1]
			}
			g.elements = append(g.elements, fmt.Sprintf("1 4 %d %d %d %d", v[0], v[1], v[2], v[3]))
			g.addSides(v, n, length)
		}
	})
	return g
}

// addSides adds the faces of a tetrahedron that lie on the box's sides.
func (g *grid) addSides(v []int, n [3]int, length [3]float64) {
	for _, f := range [][3]int{{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}} {
		for side := range 6 {
			axis, want := side/2, 0.0
			if side%2 == 1 {
				want = length[axis]
			}
			on := true
			for _, k := range f {
				on = on && g.points[v[k]][axis] == want
			}
			if on {
				g.boundary = append(g.boundary, fmt.Sprintf("%d 2 %d %d %d", side+1, v[f[0]], v[f[1]], v[f[2]]))
			}
		}
	}
}
