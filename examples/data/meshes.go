package main

import (
	"fmt"
	"strings"
)

// grid is a mesh of simplices in MFEM's terms: an element or boundary is its
// attribute and its points.
type grid struct {
	points   [][]float64
	elements [][]int
	boundary [][]int
}

// mesh is the grid in MFEM's format 1.0, with a comment of Atelier's own.
func (g *grid) mesh(comment string) string {
	var b strings.Builder
	dim := len(g.points[0])
	if comment != "" {
		comment = "\n" + comment
	}
	fmt.Fprintf(&b, "MFEM mesh v1.0%s\n\ndimension\n%d\n", comment, dim)
	list := func(name string, all [][]int, kind int) {
		fmt.Fprintf(&b, "\n%s\n%d\n", name, len(all))
		for _, e := range all {
			fmt.Fprintf(&b, "%d %d %s\n", e[0], kind, strings.Trim(fmt.Sprint(e[1:]), "[]"))
		}
	}
	elementKind, boundaryKind := 2, 1 // triangles and segments
	if dim == 3 {
		elementKind, boundaryKind = 4, 2 // tetrahedra and triangles
	}
	list("elements", g.elements, elementKind)
	list("boundary", g.boundary, boundaryKind)
	fmt.Fprintf(&b, "\nvertices\n%d\n%d\n", len(g.points), dim)
	for _, p := range g.points {
		b.WriteString(strings.Trim(fmt.Sprint(p), "[]") + "\n")
	}
	return b.String()
}

// rectangle is nx by ny squares of two triangles each; the attributes are those
// of its sides: x_min, x_max, y_min, y_max.
func rectangle(nx, ny int, lx, ly float64, attributes [4]int) *grid {
	g := &grid{}
	at := func(i, j int) int { return i*(ny+1) + j }
	for i := range nx + 1 {
		for j := range ny + 1 {
			g.points = append(g.points, []float64{float64(i) * lx / float64(nx), float64(j) * ly / float64(ny)})
		}
	}
	for i := range nx {
		for j := range ny {
			a, b, c, d := at(i, j), at(i+1, j), at(i+1, j+1), at(i, j+1)
			g.elements = append(g.elements, []int{1, a, b, c}, []int{1, a, c, d})
		}
	}
	for j := range ny {
		g.boundary = append(g.boundary, []int{attributes[0], at(0, j+1), at(0, j)}, []int{attributes[1], at(nx, j), at(nx, j+1)})
	}
	for i := range nx {
		g.boundary = append(g.boundary, []int{attributes[2], at(i, 0), at(i+1, 0)}, []int{attributes[3], at(i+1, ny), at(i, ny)})
	}
	return g
}

// kuhn are the six tetrahedra of a cube as paths along its axes; right tells
// those that are right-handed.
var kuhn = []struct {
	path  [3]int
	right bool
}{{[3]int{0, 1, 2}, true}, {[3]int{0, 2, 1}, false}, {[3]int{1, 0, 2}, false}, {[3]int{1, 2, 0}, true}, {[3]int{2, 0, 1}, true}, {[3]int{2, 1, 0}, false}}

// cuboid is n cubes along each axis, six tetrahedra each; its sides have the
// attributes 1 x_min, 2 x_max, 3 y_min, 4 y_max, 5 z_min, 6 z_max.
func cuboid(n [3]int, length [3]float64) *grid {
	g := &grid{}
	at := func(i [3]int) int { return (i[0]*(n[1]+1)+i[1])*(n[2]+1) + i[2] }
	for i := range n[0] + 1 {
		for j := range n[1] + 1 {
			for k := range n[2] + 1 {
				g.points = append(g.points, []float64{float64(i) * length[0] / float64(n[0]), float64(j) * length[1] / float64(n[1]), float64(k) * length[2] / float64(n[2])})
			}
		}
	}
	for i := range n[0] {
		for j := range n[1] {
			for k := range n[2] {
				for _, t := range kuhn {
					corner := [3]int{i, j, k}
					v := []int{at(corner)}
					for _, axis := range t.path {
						corner[axis]++
						v = append(v, at(corner))
					}
					if !t.right {
						v[1], v[2] = v[2], v[1]
					}
					g.elements = append(g.elements, append([]int{1}, v...))
					g.addSides(v, length)
				}
			}
		}
	}
	return g
}

// addSides adds the faces of a tetrahedron that lie on the cuboid's sides.
func (g *grid) addSides(v []int, length [3]float64) {
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
				g.boundary = append(g.boundary, []int{side + 1, v[f[0]], v[f[1]], v[f[2]]})
			}
		}
	}
}

// bent is the beam of 1 m x 0.1 m x 0.1 m, held at x = 0, with 1 kN downwards (-y)
// at its end, as beam theory has it: steel, I = 0.1^4/12 m^4.
func bent(g *grid) string {
	const force, modulus, inertia = 1000.0, 210e9, 1e-4 / 12
	var points, moved, stress, cells, ends, kinds strings.Builder
	for _, p := range g.points {
		x, y := p[0], p[1]-0.05
		slope := force * (x - x*x/2) / (modulus * inertia)
		fmt.Fprintf(&points, "%g %g %g\n", p[0], p[1], p[2])
		fmt.Fprintf(&moved, "%.9g %.9g 0\n", y*slope, -force*x*x*(3-x)/(6*modulus*inertia))
		fmt.Fprintf(&stress, "%.9g\n", max(y, -y)*force*(1-x)/inertia)
	}
	for n, e := range g.elements {
		cells.WriteString(strings.Trim(fmt.Sprint(e[1:]), "[]") + "\n")
		fmt.Fprintf(&ends, "%d\n", 4*(n+1))
		kinds.WriteString("10\n") // a tetrahedron
	}
	array := func(kind, name string, components int, values string) string {
		return fmt.Sprintf("<DataArray type=%q Name=%q NumberOfComponents=\"%d\" format=\"ascii\">\n%s</DataArray>\n", kind, name, components, values)
	}
	return "<VTKFile type=\"UnstructuredGrid\" version=\"0.1\" byte_order=\"LittleEndian\">\n<UnstructuredGrid>\n" +
		fmt.Sprintf("<Piece NumberOfPoints=\"%d\" NumberOfCells=\"%d\">\n", len(g.points), len(g.elements)) +
		"<PointData>\n" + array("Float64", "displacement", 3, moved.String()) + array("Float64", "von_mises", 1, stress.String()) + "</PointData>\n" +
		"<Points>\n" + array("Float64", "points", 3, points.String()) + "</Points>\n" +
		"<Cells>\n" + array("Int32", "connectivity", 1, cells.String()) + array("Int32", "offsets", 1, ends.String()) + array("UInt8", "types", 1, kinds.String()) + "</Cells>\n" +
		"</Piece>\n</UnstructuredGrid>\n</VTKFile>\n"
}
