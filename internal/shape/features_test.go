package shape

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"atelier/internal/geometry"
	"atelier/internal/testenv"
)

// prism is a profile in x and z pulled along y, with its CAD faces: one of each edge of the
// profile by its name, then front and back. Areas follow from the corners.
func prism(t *testing.T, depth float64, names []string, corners [][2]float64) *Geometry {
	t.Helper()
	surface := &geometry.Mesh{}
	surface.Meta.LengthUnit = "mm"
	var faces []Face
	n := len(corners)
	for _, y := range []float64{0, depth} {
		for _, c := range corners {
			surface.Vertices = append(surface.Vertices, geometry.Vec3{c[0], y, c[1]})
		}
	}
	triangle := func(id int, a, b, c int) {
		surface.Triangles = append(surface.Triangles, [3]int32{int32(a), int32(b), int32(c)})
		surface.FaceID = append(surface.FaceID, int32(id))
	}
	area := 0.0
	for i := range n {
		j := (i + 1) % n
		dx, dz := corners[j][0]-corners[i][0], corners[j][1]-corners[i][1]
		length := math.Hypot(dx, dz)
		area += (corners[i][0]*corners[j][1] - corners[j][0]*corners[i][1]) / 2
		faces = append(faces, Face{ID: i + 1, Name: names[i], Kind: "plane", Area: length * depth, Normal: []float64{dz / length, 0, -dx / length},
			Centroid: [3]float64{(corners[i][0] + corners[j][0]) / 2, depth / 2, (corners[i][1] + corners[j][1]) / 2}})
		triangle(i+1, i, j, n+j)
		triangle(i+1, i, n+j, n+i)
	}
	for k, y := range []float64{0, depth} {
		faces = append(faces, Face{ID: n + 1 + k, Name: []string{"front", "back"}[k], Kind: "plane", Area: area, Normal: []float64{0, float64(2*k - 1), 0}, Centroid: [3]float64{0, y, 0}})
		for i := 1; i+1 < n; i++ {
			triangle(n+1+k, k*n, k*n+i, k*n+i+1)
		}
	}
	raw, err := json.Marshal(map[string]any{"length_unit": "mm", "faces": faces})
	if err != nil {
		t.Fatal(err)
	}
	g, err := NewGeometry(surface, raw)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// found are the names of the faces of a feature, sorted.
func found(t *testing.T, g *Geometry, name, near string) (string, error) {
	t.Helper()
	r := &Resolver{Geometry: g}
	sites, err := r.Sites([]Place{{Kind: "feature", Name: name, Near: near}})
	if err != nil {
		return "", err
	}
	var names []string
	for _, id := range sites[0].Selector.Attribute {
		f, _ := g.Face(id)
		names = append(names, f.Name)
	}
	slices.Sort(names)
	if len(r.Assumed) == 0 {
		t.Errorf("%s: nothing is told", name)
	}
	return strings.Join(names, " "), nil
}

// An L of drawn sizes: the leg's top is the broad upward face, not the end of the upright,
// which looks the same way; a leg as thin as the upright is wide is not told apart.
func TestLegsOfABracket(t *testing.T) {
	rng := testenv.Random(t)
	names := []string{"base", "leg_end", "leg_top", "upright_inner", "upright_top", "upright_outer"}
	for range 40 {
		thick, depth := 2+6*rng.Float64(), 20+40*rng.Float64()
		length, height := thick*(3+4*rng.Float64()), thick*(3+4*rng.Float64())
		g := prism(t, depth, names, [][2]float64{{0, 0}, {length, 0}, {length, thick}, {thick, thick}, {thick, height}, {0, height}})
		for place, want := range map[[2]string]string{{"horizontal_leg", ""}: "leg_top", {"horizontal_leg", "z_min"}: "base", {"upright", "x_max"}: "upright_inner", {"upright", "x_min"}: "upright_outer"} {
			if got, err := found(t, g, place[0], place[1]); err != nil || got != want {
				t.Errorf("%v: %s, not %s (%v)", place, got, want, err)
			}
		}
		for _, place := range [][2]string{{"upright", ""}, {"upright", "y_max"}, {"rib", ""}, {"fins", ""}, {"shoulder", ""}} {
			if got, err := found(t, g, place[0], place[1]); err == nil {
				t.Errorf("%v is %s", place, got)
			}
		}
		_, err := found(t, g, "upright", "")
		if err == nil || !strings.Contains(fmt.Sprintf("%+v", err), "not clear") {
			t.Errorf("%v", err)
		}
		ribbed := prism(t, depth, append(slices.Clone(names[:3]), "slope", "upright_inner", "upright_top", "upright_outer"),
			[][2]float64{{0, 0}, {length, 0}, {length, thick}, {thick + 0.4*length, thick}, {thick, thick + 0.4*height}, {thick, height}, {0, height}})
		if got, err := found(t, ribbed, "rib", ""); err != nil || got != "slope" {
			t.Errorf("rib: %s (%v)", got, err)
		}
	}
	if got, err := found(t, prism(t, 10, names, [][2]float64{{0, 0}, {11, 0}, {11, 5}, {6, 5}, {6, 20}, {0, 20}}), "horizontal_leg", ""); err == nil {
		t.Errorf("a leg of 5 mm beside an upright of 6 mm is %s", got)
	}
}

// A comb of drawn sizes: the sides and tips of its fins, with the outer sides that reach down
// to the base, and neither the base nor the front and back.
func TestFinsOfAComb(t *testing.T) {
	rng := testenv.Random(t)
	for range 40 {
		count := 3 + rng.IntN(6)
		thick, gap, base, height := 1+2*rng.Float64(), 2+5*rng.Float64(), 2+4*rng.Float64(), 12+20*rng.Float64()
		width := float64(count)*thick + float64(count-1)*gap
		corners := [][2]float64{{0, 0}, {width, 0}}
		names := []string{"base"}
		x := width
		var want []string
		side := func(name string) { names, want = append(names, name), append(want, name) }
		for fin := count; fin >= 1; fin-- {
			side(fmt.Sprintf("right%d", fin))
			corners = append(corners, [2]float64{x, base + height})
			side(fmt.Sprintf("tip%d", fin))
			corners = append(corners, [2]float64{x - thick, base + height})
			side(fmt.Sprintf("left%d", fin))
			if fin == 1 {
				break
			}
			corners = append(corners, [2]float64{x - thick, base})
			names = append(names, fmt.Sprintf("floor%d", fin))
			x -= thick + gap
			corners = append(corners, [2]float64{x, base})
		}
		slices.Sort(want)
		g := prism(t, 40, names, corners)
		if got, err := found(t, g, "fins", ""); err != nil || got != strings.Join(want, " ") {
			t.Errorf("%d fins: %s, not %s (%v)", count, got, strings.Join(want, " "), err)
		}
	}
}

// A plate of drawn sizes: its short edges are the ends of its longest axis.
func TestEdgesOfAPlate(t *testing.T) {
	rng := testenv.Random(t)
	for range 40 {
		thick, width := 1+3*rng.Float64(), 30+30*rng.Float64()
		length := width * (1.2 + rng.Float64())
		for _, along := range []bool{true, false} {
			x, depth, short, long := length, width, "left right", "back front"
			if !along {
				x, depth, short, long = width, length, "back front", "left right"
			}
			g := prism(t, depth, []string{"bottom", "right", "top", "left"}, [][2]float64{{0, 0}, {x, 0}, {x, thick}, {0, thick}})
			for name, want := range map[string]string{"short_edges": short, "long_edges": long, "edges": "back front left right"} {
				if got, err := found(t, g, name, ""); err != nil || got != want {
					t.Errorf("%s of %g x %g x %g: %s, not %s (%v)", name, x, depth, thick, got, want, err)
				}
			}
		}
		square := prism(t, width, []string{"bottom", "right", "top", "left"}, [][2]float64{{0, 0}, {width, 0}, {width, thick}, {0, thick}})
		block := prism(t, width, []string{"bottom", "right", "top", "left"}, [][2]float64{{0, 0}, {width, 0}, {width, width}, {0, width}})
		for _, g := range []*Geometry{square, block} {
			if got, err := found(t, g, "short_edges", ""); err == nil {
				t.Errorf("short edges of a square are %s", got)
			}
		}
	}
}

// A stepped shaft of drawn sizes along z: the ring between its two diameters.
func TestShoulderOfAShaft(t *testing.T) {
	rng := testenv.Random(t)
	for range 20 {
		small, lower, upper := 5+10*rng.Float64(), 20+30*rng.Float64(), 20+30*rng.Float64()
		large := small * (1.2 + rng.Float64())
		surface := &geometry.Mesh{}
		surface.Meta.LengthUnit = "mm"
		ring := func(id int, radius, z0, z1 float64) {
			at := int32(len(surface.Vertices))
			for i := range 24 {
				a := 2 * math.Pi * float64(i) / 24
				surface.Vertices = append(surface.Vertices, geometry.Vec3{radius * math.Cos(a), radius * math.Sin(a), z0}, geometry.Vec3{radius * math.Cos(a), radius * math.Sin(a), z1})
			}
			for i := range int32(24) {
				j := (i + 1) % 24
				surface.Triangles = append(surface.Triangles, [3]int32{at + 2*i, at + 2*j, at + 2*j + 1}, [3]int32{at + 2*i, at + 2*j + 1, at + 2*i + 1})
				surface.FaceID = append(surface.FaceID, int32(id), int32(id))
			}
		}
		ring(1, large, 0, lower)
		ring(2, small, lower, lower+upper)
		ring(3, large, lower, lower)
		ring(4, large, 0, 0)
		ring(5, small, lower+upper, lower+upper)
		disc := func(r float64) float64 { return math.Pi * r * r }
		faces := []Face{
			{ID: 1, Name: "thick", Kind: "cylinder", Axis: []float64{0, 0, 1}, Radius: large, Area: 2 * math.Pi * large * lower},
			{ID: 2, Name: "thin", Kind: "cylinder", Axis: []float64{0, 0, 1}, Radius: small, Area: 2 * math.Pi * small * upper},
			{ID: 3, Name: "ring", Kind: "plane", Normal: []float64{0, 0, 1}, Centroid: [3]float64{0, 0, lower}, Area: disc(large) - disc(small)},
			{ID: 4, Name: "foot", Kind: "plane", Normal: []float64{0, 0, -1}, Area: disc(large)},
			{ID: 5, Name: "head", Kind: "plane", Normal: []float64{0, 0, 1}, Centroid: [3]float64{0, 0, lower + upper}, Area: disc(small)},
		}
		raw, err := json.Marshal(map[string]any{"length_unit": "mm", "faces": faces})
		if err != nil {
			t.Fatal(err)
		}
		g, err := NewGeometry(surface, raw)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := found(t, g, "shoulder", ""); err != nil || got != "ring" {
			t.Errorf("shoulder: %s (%v)", got, err)
		}
	}
}
