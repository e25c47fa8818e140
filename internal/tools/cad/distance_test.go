package cad

import (
	"bufio"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"atelier/internal/evidence"
	"atelier/internal/testenv"
)

type point [3]float64

// outerTriangles reads the boundary of a mesh in MFEM's format: the six nodes of each
// triangle, three corners and then the middles of the edges 12, 02, 01.
func outerTriangles(t *testing.T, m meshed) [][6]point {
	t.Helper()
	f, err := os.Open(m.path())
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	words := bufio.NewScanner(f)
	words.Split(bufio.ScanWords)
	words.Buffer(nil, 1<<20)
	next := func() float64 {
		words.Scan()
		v, err := strconv.ParseFloat(words.Text(), 64)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	to := func(word string) {
		for words.Scan() && words.Text() != word {
		}
	}
	cells := func(title string, corners int) [][]int {
		to(title)
		rows := make([][]int, int(next()))
		for i := range rows {
			next()
			next()
			for range corners {
				rows[i] = append(rows[i], int(next()))
			}
		}
		return rows
	}
	read := func() point { return point{next(), next(), next()} }
	solid, outer := cells("elements", 4), cells("boundary", 3)
	to("vertices")
	vertices := int(next())
	var nodes []point
	if m.out.ElementOrder == 1 {
		next() // the dimension
	} else {
		to("Ordering:")
		next()
	}
	for range vertices {
		nodes = append(nodes, read())
	}
	middle := map[[2]int]point{}
	key := func(a, b int) [2]int { return [2]int{min(a, b), max(a, b)} }
	for _, s := range solid {
		for _, e := range [][2]int{{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}} {
			k := key(s[e[0]], s[e[1]])
			if _, known := middle[k]; known {
				continue
			}
			if m.out.ElementOrder == 2 {
				middle[k] = read() // edges are numbered as they first occur
				continue
			}
			a, b := nodes[k[0]], nodes[k[1]]
			middle[k] = point{(a[0] + b[0]) / 2, (a[1] + b[1]) / 2, (a[2] + b[2]) / 2}
		}
	}
	var out [][6]point
	for _, c := range outer {
		out = append(out, [6]point{nodes[c[0]], nodes[c[1]], nodes[c[2]], middle[key(c[1], c[2])], middle[key(c[0], c[2])], middle[key(c[0], c[1])]})
	}
	return out
}

// furthest is the largest value of a distance over a fine lattice on each triangle.
func furthest(triangles [][6]point, from func([6]point) func(point) float64) float64 {
	const n = 20
	worst := 0.0
	for _, nodes := range triangles {
		distance := from(nodes)
		for i := range n + 1 {
			for j := range n + 1 - i {
				b, c := float64(i)/n, float64(j)/n
				a := 1 - b - c
				shape := [6]float64{a * (2*a - 1), b * (2*b - 1), c * (2*c - 1), 4 * b * c, 4 * a * c, 4 * a * b}
				var p point
				for k, s := range shape {
					for x := range p {
						p[x] += s * nodes[k][x]
					}
				}
				worst = max(worst, distance(p))
			}
		}
	}
	return worst
}

// fromSegment is the distance of (r, z) from the segment a to b in that plane.
func fromSegment(r, z float64, a, b [2]float64) float64 {
	dr, dz := b[0]-a[0], b[1]-a[1]
	t := min(1, max(0, ((r-a[0])*dr+(z-a[1])*dz)/(dr*dr+dz*dz)))
	return math.Hypot(r-a[0]-t*dr, z-a[1]-t*dz)
}

// frustum is the distance from the face of a cylinder or cone on which a triangle
// lies: a face's outline counts, so an edge that cuts into a flat end is off the side.
func frustum(bottom, top, h float64, meridian func(point) (float64, float64)) func([6]point) func(point) float64 {
	return func(nodes [6]point) func(point) float64 {
		low, high := true, true
		for _, p := range nodes {
			_, z := meridian(p)
			low, high = low && math.Abs(z) < 1e-9*h, high && math.Abs(z-h) < 1e-9*h
		}
		a, b := [2]float64{bottom, 0}, [2]float64{top, h}
		switch {
		case low:
			b = [2]float64{}
		case high:
			a = [2]float64{0, h}
		}
		return func(p point) float64 {
			r, z := meridian(p)
			return fromSegment(r, z, a, b)
		}
	}
}

func everywhere(distance func(point) float64) func([6]point) func(point) float64 {
	return func([6]point) func(point) float64 { return distance }
}

// The distance from a ball, a cylinder, a cone and a ring is known in closed form. They
// stand far from the origin, where single precision would be coarse.
func TestDistanceIsThatOfClosedForms(t *testing.T) {
	host := newHost(t, netgen)
	r := random(t)
	cx, cy, cz := between(r, 100, 900), between(r, 100, 900), between(r, -900, -100)
	a, b, h := between(r, 5, 20), between(r, 1, 4), between(r, 10, 60)
	meridian := func(p point) (float64, float64) { return math.Hypot(p[0]-cx, p[1]-cy), p[2] - cz }
	for _, c := range []struct {
		name, shape string
		distance    func([6]point) func(point) float64
	}{
		{"ball", fmt.Sprintf("Sphere(Pnt(%v,%v,%v),%v)", cx, cy, cz, a), everywhere(func(p point) float64 {
			return math.Abs(math.Hypot(math.Hypot(p[0]-cx, p[1]-cy), p[2]-cz) - a)
		})},
		{"cylinder", fmt.Sprintf("Cylinder((%v,%v,%v),Z,r=%v,h=%v)", cx, cy, cz, a, h), frustum(a, a, h, meridian)},
		{"cone", fmt.Sprintf("Cone(Axes((%v,%v,%v),Z,X),%v,%v,%v,2*3.141592653589793)", cx, cy, cz, a, b, h), frustum(a, b, h, meridian)},
		{"ring", fmt.Sprintf("WorkPlane(Axes((%v,%v,%v),Y,X)).Circle(%v).Face().Revolve(Axis((%v,%v,%v),Z),360)", cx+a, cy, cz, b, cx, cy, cz), everywhere(func(p point) float64 {
			rho, z := meridian(p)
			return math.Abs(math.Hypot(rho-a, z) - b)
		})},
	} {
		path := part(t, c.name+".step", c.shape)
		for order := 1; order <= 2; order++ {
			m := mesh(t, host, map[string]any{"file_path": path, "element_order": order, "elements_per_circle": between(r, 8, 24)})
			want := furthest(outerTriangles(t, m), c.distance)
			t.Logf("%s, order %d: %.4g mm off; measured %.4g there and %.4g back", c.name, order, want, m.out.DistanceToCAD, m.out.DistanceFromCAD)
			near(t, c.name+" from mesh to CAD", m.out.DistanceToCAD, want, 0.1)
			near(t, c.name+" from CAD to mesh", m.out.DistanceFromCAD, want, 0.15)
			diagonal := math.Sqrt(math.Pow(m.Artifacts[0].Origin.Max[0]-m.Artifacts[0].Origin.Min[0], 2) +
				math.Pow(m.Artifacts[0].Origin.Max[1]-m.Artifacts[0].Origin.Min[1], 2) + math.Pow(m.Artifacts[0].Origin.Max[2]-m.Artifacts[0].Origin.Min[2], 2))
			if want > 1.2*mostDistance*diagonal && m.Evidence.Trust() != evidence.Suspect {
				t.Errorf("%s lies %v mm off and is %s", c.name, want, m.Evidence.Trust())
			}
		}
	}
}

// A mesh that has lost a cap of a ball is nowhere off the ball; only the way back
// from the ball shows it: the pole is as far as the rim of what is left.
func TestDistanceFromCADSeesWhatIsMissing(t *testing.T) {
	newHost(t, netgen)
	radius := between(random(t), 2, 50)
	script := fmt.Sprintf(`
import numpy as np, netgen.occ as occ
from atelier_netgen import distance, finish, mesher, model, sizing
r = %v
occ.Sphere(occ.Pnt(0, 0, 0), r).WriteStep("ball.step")
ball = model.Model("ball.step")
mesh = finish.finish(mesher.generate(ball, sizing.Sizes({"growth": 0.3, "elements_per_circle": 24}, ball), 60, "."), 2)
pole = np.array([r, 0, 0])
keep = np.linalg.norm(mesh.points[mesh.triangles] - pole, axis=2).min(axis=1) > r / 2
mesh.triangles, mesh.faces, mesh.uv = mesh.triangles[keep], mesh.faces[keep], mesh.uv[keep]
found = distance.distances(mesh, ball)
rim = np.linalg.norm(mesh.points[mesh.triangles] - pole, axis=2).min()
print("FOUND", found["mesh_to_cad"] / r, found["cad_to_mesh"] / r, rim / r)
`, radius)
	cmd := exec.Command(filepath.Join(testenv.Engines(), netgen, "bin", "python"), "-c", script)
	cmd.Dir = t.TempDir()
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	_, figures, _ := strings.Cut(string(out), "FOUND")
	var there, back, rim float64
	if _, err := fmt.Sscan(figures, &there, &back, &rim); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if there > 1e-3 {
		t.Errorf("what is left lies %v radii off", there)
	}
	near(t, "distance of the ball", back, rim, 0.15)
}

// A node off the plane of its face counts as far as it is off, but for what a vertex of the
// CAD model, which has a tolerance, is off itself.
func TestHowFarNodesLieOffTheirPlane(t *testing.T) {
	newHost(t, netgen)
	off := between(random(t), 1e-8, 1e-6)
	python := filepath.Join(testenv.Engines(), netgen, "bin", "python")
	out, err := exec.Command(python, "-c", fmt.Sprintf(`
import numpy as np
from atelier_netgen import distance
grid = np.array([(x, y, 0.0) for x in range(21) for y in range(21)])
corners = grid[[0, 20, 420, 440]]
bent, vertex = grid.copy(), corners.copy()
bent[220, 2] = %[1]v
vertex[0, 2] = bent[0, 2] = %[1]v
print(distance._off_plane(grid, corners), distance._off_plane(bent, corners), distance._off_plane(bent, vertex), distance._off_plane(10 * bent, corners))
`, off)).Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	var none, bent, own, more float64
	if _, err := fmt.Sscan(string(out), &none, &bent, &own, &more); err != nil {
		t.Fatal(err)
	}
	// The plane fits all nodes, so that one in 441 takes a little of its distance with it.
	if none > 1e-14 || math.Abs(bent/off-1) > 0.05 || own > 0.05*off || math.Abs(more/(10*off)-1) > 0.05 {
		t.Errorf("%v off: %v, %v, %v, %v", off, none, bent, own, more)
	}
}
