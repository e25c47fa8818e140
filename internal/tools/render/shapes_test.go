package render

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Inputs are made here: every expected number follows from how they are made.

func save(t *testing.T, name, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

var boxQuads = [6][4]int{{0, 3, 2, 1}, {4, 5, 6, 7}, {0, 1, 5, 4}, {2, 3, 7, 6}, {0, 4, 7, 3}, {1, 2, 6, 5}}

func boxCorners(lo, hi [3]float64) [8][3]float64 {
	return [8][3]float64{
		{lo[0], lo[1], lo[2]}, {hi[0], lo[1], lo[2]}, {hi[0], hi[1], lo[2]}, {lo[0], hi[1], lo[2]},
		{lo[0], lo[1], hi[2]}, {hi[0], lo[1], hi[2]}, {hi[0], hi[1], hi[2]}, {lo[0], hi[1], hi[2]},
	}
}

// boxOBJ is a box with its edges along the axes.
func boxOBJ(lo, hi [3]float64) string {
	var b strings.Builder
	for _, c := range boxCorners(lo, hi) {
		fmt.Fprintf(&b, "v %g %g %g\n", c[0], c[1], c[2])
	}
	for _, q := range boxQuads {
		fmt.Fprintf(&b, "f %d %d %d %d\n", q[0]+1, q[1]+1, q[2]+1, q[3]+1)
	}
	return b.String()
}

// boxSTL is the same as binary STL.
func boxSTL(lo, hi [3]float64) string {
	var b bytes.Buffer
	b.Write(make([]byte, 80))
	_ = binary.Write(&b, binary.LittleEndian, uint32(12))
	corners := boxCorners(lo, hi)
	for _, q := range boxQuads {
		for _, tri := range [2][3]int{{q[0], q[1], q[2]}, {q[0], q[2], q[3]}} {
			_ = binary.Write(&b, binary.LittleEndian, [3]float32{})
			for _, v := range tri {
				for _, x := range corners[v] {
					_ = binary.Write(&b, binary.LittleEndian, float32(x))
				}
			}
			_ = binary.Write(&b, binary.LittleEndian, uint16(0))
		}
	}
	return b.String()
}

// spherePLY is a finely divided sphere about the origin as ASCII PLY.
func spherePLY(radius float64) string {
	const n = 96 // facets lie below the sphere by at most r (1 - cos(pi/n)^2), 0.11 %
	var points, faces []string
	for i := range n + 1 {
		theta := math.Pi * float64(i) / n
		for j := range 2 * n {
			phi := math.Pi * float64(j) / n
			points = append(points, fmt.Sprintf("%.9g %.9g %.9g", radius*math.Sin(theta)*math.Cos(phi), radius*math.Sin(theta)*math.Sin(phi), radius*math.Cos(theta)))
		}
	}
	for i := range n {
		for j := range 2 * n {
			a, b := i*2*n+j, i*2*n+(j+1)%(2*n)
			if i > 0 {
				faces = append(faces, fmt.Sprintf("3 %d %d %d", a, a+2*n, b))
			}
			if i < n-1 {
				faces = append(faces, fmt.Sprintf("3 %d %d %d", b, a+2*n, b+2*n))
			}
		}
	}
	return fmt.Sprintf("ply\nformat ascii 1.0\nelement vertex %d\nproperty float x\nproperty float y\nproperty float z\nelement face %d\nproperty list uchar int vertex_indices\nend_header\n%s\n%s\n",
		len(points), len(faces), strings.Join(points, "\n"), strings.Join(faces, "\n"))
}

// grid collects an unstructured VTK grid.
type grid struct {
	points [][3]float64
	conn   []int
	ends   []int
	kinds  []int
	point  []namedArray
	cell   []namedArray
	note   string
}

type namedArray struct {
	name       string
	components int
	values     []float64
	unit       string
}

func (g *grid) add(kind int, points ...[3]float64) {
	for _, p := range points {
		g.conn = append(g.conn, len(g.points))
		g.points = append(g.points, p)
	}
	g.ends = append(g.ends, len(g.conn))
	g.kinds = append(g.kinds, kind)
}

// field adds an array of the points from a function of place.
func (g *grid) field(name string, components int, f func(p [3]float64) []float64) {
	a := namedArray{name: name, components: components}
	for _, p := range g.points {
		a.values = append(a.values, f(p)...)
	}
	g.point = append(g.point, a)
}

func numbers[T any](values []T) string {
	var b strings.Builder
	for i, v := range values {
		if i > 0 {
			b.WriteByte(' ')
		}
		fmt.Fprint(&b, v)
	}
	return b.String()
}

func (a namedArray) xml() string {
	unit := ""
	if a.unit != "" {
		unit = fmt.Sprintf(`<InformationKey name="UNITS_LABEL" location="vtkDataArray">%s</InformationKey>`, a.unit)
	}
	return fmt.Sprintf(`<DataArray type="Float64" Name="%s" NumberOfComponents="%d" format="ascii">%s%s</DataArray>`,
		a.name, a.components, numbers(a.values), unit)
}

func (g *grid) vtu() string {
	var b strings.Builder
	b.WriteString(`<?xml version="1.0"?>` + g.note + `<VTKFile type="UnstructuredGrid" version="1.0" byte_order="LittleEndian" header_type="UInt64"><UnstructuredGrid>`)
	fmt.Fprintf(&b, `<Piece NumberOfPoints="%d" NumberOfCells="%d"><PointData>`, len(g.points), len(g.kinds))
	for _, a := range g.point {
		b.WriteString(a.xml())
	}
	b.WriteString(`</PointData><CellData>`)
	for _, a := range g.cell {
		b.WriteString(a.xml())
	}
	flat := make([]float64, 0, 3*len(g.points))
	for _, p := range g.points {
		flat = append(flat, p[:]...)
	}
	fmt.Fprintf(&b, `</CellData><Points><DataArray type="Float64" NumberOfComponents="3" format="ascii">%s</DataArray></Points>`, numbers(flat))
	fmt.Fprintf(&b, `<Cells><DataArray type="Int64" Name="connectivity" format="ascii">%s</DataArray>`, numbers(g.conn))
	fmt.Fprintf(&b, `<DataArray type="Int64" Name="offsets" format="ascii">%s</DataArray>`, numbers(g.ends))
	fmt.Fprintf(&b, `<DataArray type="UInt8" Name="types" format="ascii">%s</DataArray></Cells></Piece></UnstructuredGrid></VTKFile>`, numbers(g.kinds))
	return b.String()
}

const (
	vtkHexahedron    = 12
	vtkQuadraticTet  = 24
	vtkQuadraticQuad = 23
)

// hexBox is a box of n x n x n hexahedra, each with points of its own, as
// solvers write them.
func hexBox(lo, hi [3]float64, n int) *grid {
	g := &grid{}
	at := func(i, j, k int) [3]float64 {
		var p [3]float64
		for a, s := range [3]int{i, j, k} {
			p[a] = lo[a] + (hi[a]-lo[a])*float64(s)/float64(n)
		}
		return p
	}
	for i := range n {
		for j := range n {
			for k := range n {
				g.add(vtkHexahedron, at(i, j, k), at(i+1, j, k), at(i+1, j+1, k), at(i, j+1, k),
					at(i, j, k+1), at(i+1, j, k+1), at(i+1, j+1, k+1), at(i, j+1, k+1))
			}
		}
	}
	return g
}
