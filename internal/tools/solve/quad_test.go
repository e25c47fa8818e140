package solve

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"

	"atelier/internal/testenv"
)

// random gives numbers for dimensions and prints their seed.
func random(t *testing.T) func(low, high float64) float64 {
	t.Helper()
	r := testenv.Random(t)
	return func(low, high float64) float64 { return low + (high-low)*r.Float64() }
}

// quads is nx by ny quadrilaterals over the unit square, each vertex moved by at.
// Boundary attributes: 1 x_min, 2 x_max, 3 y_min, 4 y_max of the square.
func quads(nx, ny int, at func(x, y float64) [2]float64) *grid {
	g := &grid{dim: 2}
	node := func(i, j int) int { return i*(ny+1) + j }
	for i := 0; i <= nx; i++ {
		for j := 0; j <= ny; j++ {
			p := at(float64(i)/float64(nx), float64(j)/float64(ny))
			g.points = append(g.points, p[:])
		}
	}
	for i := range nx {
		for j := range ny {
			g.elements = append(g.elements, fmt.Sprintf("1 3 %d %d %d %d", node(i, j), node(i+1, j), node(i+1, j+1), node(i, j+1)))
		}
	}
	for j := range ny {
		g.boundary = append(g.boundary, fmt.Sprintf("1 1 %d %d", node(0, j+1), node(0, j)), fmt.Sprintf("2 1 %d %d", node(nx, j), node(nx, j+1)))
	}
	for i := range nx {
		g.boundary = append(g.boundary, fmt.Sprintf("3 1 %d %d", node(i, 0), node(i+1, 0)), fmt.Sprintf("4 1 %d %d", node(i+1, ny), node(i, ny)))
	}
	return g
}

// scaled maps the unit square to a rectangle.
func scaled(lx, ly float64) func(x, y float64) [2]float64 {
	return func(x, y float64) [2]float64 { return [2]float64{x * lx, y * ly} }
}

// hexes is n hexahedra over a box. Boundary attributes as of box.
func hexes(n [3]int, length [3]float64) *grid {
	g := &grid{dim: 3}
	node := func(i, j, k int) int { return (i*(n[1]+1)+j)*(n[2]+1) + k }
	for i := 0; i <= n[0]; i++ {
		for j := 0; j <= n[1]; j++ {
			for k := 0; k <= n[2]; k++ {
				g.points = append(g.points, []float64{float64(i) * length[0] / float64(n[0]), float64(j) * length[1] / float64(n[1]), float64(k) * length[2] / float64(n[2])})
			}
		}
	}
	for i := range n[0] {
		for j := range n[1] {
			for k := range n[2] {
				v := []int{node(i, j, k), node(i+1, j, k), node(i+1, j+1, k), node(i, j+1, k), node(i, j, k+1), node(i+1, j, k+1), node(i+1, j+1, k+1), node(i, j+1, k+1)}
				g.elements = append(g.elements, fmt.Sprintf("1 5 %d %d %d %d %d %d %d %d", v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7]))
				side := func(on bool, attribute, a, b, c, d int) {
					if on {
						g.boundary = append(g.boundary, fmt.Sprintf("%d 3 %d %d %d %d", attribute, v[a], v[b], v[c], v[d]))
					}
				}
				side(i == 0, 1, 0, 4, 7, 3)
				side(i == n[0]-1, 2, 1, 2, 6, 5)
				side(j == 0, 3, 0, 1, 5, 4)
				side(j == n[1]-1, 4, 3, 7, 6, 2)
				side(k == 0, 5, 0, 3, 2, 1)
				side(k == n[2]-1, 6, 4, 5, 6, 7)
			}
		}
	}
	return g
}

// rotated turns a mesh by an angle about an axis that is no coordinate axis.
func (g *grid) rotated(angle float64) *grid {
	axis := [3]float64{1 / math.Sqrt(14), 2 / math.Sqrt(14), 3 / math.Sqrt(14)}
	c, s := math.Cos(angle), math.Sin(angle)
	for _, p := range g.points {
		dot := axis[0]*p[0] + axis[1]*p[1] + axis[2]*p[2]
		x := [3]float64{p[0], p[1], p[2]}
		for k := range 3 {
			i, j := (k+1)%3, (k+2)%3
			p[k] = x[k]*c + (axis[i]*x[j]-axis[j]*x[i])*s + axis[k]*dot*(1-c)
		}
	}
	return g
}

// joined is one mesh of two, which share no nodes.
func joined(a, b *grid) *grid {
	shift := len(a.points)
	out := &grid{dim: a.dim, points: append(append([][]float64{}, a.points...), b.points...)}
	move := func(to, from []string) []string {
		for _, line := range from {
			fields := strings.Fields(line) // attribute, kind, vertices
			for i := 2; i < len(fields); i++ {
				v, _ := strconv.Atoi(fields[i])
				fields[i] = strconv.Itoa(v + shift)
			}
			to = append(to, strings.Join(fields, " "))
		}
		return to
	}
	out.elements = move(append([]string{}, a.elements...), b.elements)
	out.boundary = move(append([]string{}, a.boundary...), b.boundary)
	return out
}

// used is the mesh without the points that no element has.
func (g *grid) used() *grid {
	number := map[string]string{}
	out := &grid{dim: g.dim}
	renumber := func(lines []string) []string {
		var to []string
		for _, line := range lines {
			fields := strings.Fields(line)
			for i := 2; i < len(fields); i++ {
				n, ok := number[fields[i]]
				if !ok {
					v, _ := strconv.Atoi(fields[i])
					n = strconv.Itoa(len(out.points))
					number[fields[i]] = n
					out.points = append(out.points, g.points[v])
				}
				fields[i] = n
			}
			to = append(to, strings.Join(fields, " "))
		}
		return to
	}
	out.elements = renumber(g.elements)
	out.boundary = renumber(g.boundary)
	return out
}
