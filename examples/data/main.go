// Data makes the small files beside it, which the examples of the tools'
// contracts name: tables, a netlist, surfaces, meshes, a field, a notebook. They
// are of Atelier's own making; every figure in them follows from this program.
//
//	go run ./examples/data
package main

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
)

func main() {
	for name, text := range files() {
		if err := os.WriteFile(filepath.Join("examples", "data", name), []byte(text), 0o644); err != nil {
			fmt.Fprintln(os.Stderr, "data:", err)
			os.Exit(1)
		}
	}
}

// inMetres says the unit of a mesh; square.mesh is one of pure numbers.
const inMetres = `# atelier {"length_unit":"m"}`

// files are the contents by name.
func files() map[string]string {
	beam := cuboid([3]int{20, 2, 2}, [3]float64{1, 0.1, 0.1})
	tube := rectangle(8, 16, 1, 1, [4]int{1, 2, 3, 4})
	for _, p := range tube.points { // a quarter of it, radii 20 and 40 mm
		r, w := 0.02*(1+p[0]), p[1]*math.Pi/2
		p[0], p[1] = r*math.Cos(w), r*math.Sin(w)
	}
	part := cuboid([3]int{4, 4, 2}, [3]float64{40, 40, 20})
	return map[string]string{
		"latency.csv":  latency(),
		"scores.csv":   scores(),
		"run.csv":      run(),
		"parts.csv":    parts(),
		"filter.cir":   "RC low-pass, 1.6 kOhm and 100 nF: 995 Hz\nV1 in 0 PULSE(0 1 0 1n 1n 1 2)\nR1 in out 1.6k\nC1 out 0 100n\n.tran 5u 1m\n.end\n",
		"box.obj":      obj(""),
		"open_box.obj": obj("top"),
		"open_box.stl": stl("top"),
		"beam.mesh":    beam.mesh(inMetres),
		"tube.mesh":    tube.mesh(inMetres),
		"part.mesh":    part.mesh(`# atelier {"length_unit":"mm","faces":[{"id":6,"name":"Top"}]}`),
		"square.mesh":  rectangle(16, 16, 1, 1, [4]int{1, 1, 1, 1}).mesh(""),
		"domain.mesh":  rectangle(20, 8, 1, 0.4, [4]int{1, 2, 3, 4}).mesh(inMetres),
		"channel.mesh": rectangle(20, 6, 0.2, 0.02, [4]int{1, 3, 2, 2}).mesh(inMetres),
		"beam.vtu":     bent(beam),
		"beam.pvd":     "<VTKFile type=\"Collection\" version=\"0.1\">\n<Collection>\n<DataSet timestep=\"0\" file=\"beam.vtu\"/>\n</Collection>\n</VTKFile>\n",
		"lesson.ipynb": lesson(),
	}
}

// noise is a pseudo-random sequence in [0, 1): the minimal standard generator of
// Park and Miller.
type noise uint64

func (n *noise) next() float64 {
	*n = *n * 48271 % 2147483647
	return float64(*n) / 2147483647
}

// normal is nearly normal, by the sum of twelve.
func (n *noise) normal() float64 {
	sum := -6.0
	for range 12 {
		sum += n.next()
	}
	return sum
}

// sides are the six sides of the box of 40 x 30 x 20, two triangles each, by the
// numbers of its corners: x is the lowest bit, z the highest.
var sides = []struct {
	name      string
	triangles [2][3]int
}{
	{"back", [2][3]int{{0, 4, 6}, {0, 6, 2}}}, {"front", [2][3]int{{1, 3, 7}, {1, 7, 5}}},
	{"left", [2][3]int{{0, 1, 5}, {0, 5, 4}}}, {"right", [2][3]int{{2, 6, 7}, {2, 7, 3}}},
	{"bottom", [2][3]int{{0, 2, 3}, {0, 3, 1}}}, {"top", [2][3]int{{4, 5, 7}, {4, 7, 6}}},
}

func corner(n int) [3]int { return [3]int{40 * (n & 1), 30 * (n >> 1 & 1), 20 * (n >> 2)} }

// obj is the box without one of its sides.
func obj(without string) string {
	var b strings.Builder
	b.WriteString("# a box of 40 x 30 x 20 mm\n")
	for n := range 8 {
		c := corner(n)
		fmt.Fprintf(&b, "v %d %d %d\n", c[0], c[1], c[2])
	}
	for _, s := range sides {
		if s.name == without {
			continue
		}
		fmt.Fprintf(&b, "g %s\n", s.name)
		for _, t := range s.triangles {
			fmt.Fprintf(&b, "f %d %d %d\n", t[0]+1, t[1]+1, t[2]+1)
		}
	}
	return b.String()
}

func stl(without string) string {
	var b strings.Builder
	b.WriteString("solid box\n")
	for _, s := range sides {
		if s.name == without {
			continue
		}
		for _, t := range s.triangles {
			b.WriteString("facet normal 0 0 0\nouter loop\n")
			for _, n := range t {
				c := corner(n)
				fmt.Fprintf(&b, "vertex %d %d %d\n", c[0], c[1], c[2])
			}
			b.WriteString("endloop\nendfacet\n")
		}
	}
	b.WriteString("endsolid box\n")
	return b.String()
}
