package render

import (
	"fmt"
	"image/color"
	"math"
	"testing"
)

var (
	low  = [3]float64{-1, -0.5, 0}
	high = [3]float64{3, 1.5, 2}
)

// A box of known size: what each named view must see at the middle of the
// picture is the face towards it, at twice the diagonal less half the extent.
func TestNamedViewsOfABox(t *testing.T) {
	t.Parallel()
	path := save(t, "box.obj", boxOBJ(low, high))
	d := mustRun(t, fmt.Sprintf(`{"input_path":%q,"width":321,"height":241,"views":["front","back","left","right","top","bottom","isometric"]}`, path))
	diagonal := math.Sqrt(16 + 4 + 4)
	for i, want := range []struct {
		view   string
		half   float64
		normal [3]float64
	}{
		{"front", 1, [3]float64{0, 0, 1}}, {"back", 1, [3]float64{0, 0, -1}}, {"left", 2, [3]float64{-1, 0, 0}},
		{"right", 2, [3]float64{1, 0, 0}}, {"top", 1, [3]float64{0, 1, 0}}, {"bottom", 1, [3]float64{0, -1, 0}},
	} {
		v := d.out.Views[i]
		if v.View != want.view || v.ColorPath != fmt.Sprintf("%d_%s_color.png", i, want.view) {
			t.Errorf("view %d is %s in %s", i, v.View, v.ColorPath)
		}
		depth := d.depth(v.DepthPath)
		if got, exact := depth.at(160, 120), 2*diagonal-want.half; math.Abs(got/exact-1) > 1e-4 {
			t.Errorf("%s: depth at the middle is %g, want %g", want.view, got, exact)
		}
		if depth.at(0, 0) != 0 {
			t.Errorf("%s: depth of the background is %g", want.view, depth.at(0, 0))
		}
		normals := d.picture(v.NormalPath)
		if got := rgb(normals, 160, 120); !near(got, encode(want.normal), 1) {
			t.Errorf("%s: normal at the middle is %v, want %v", want.view, got, encode(want.normal))
		}
		if got := rgb(normals, 0, 0); got != [3]int{} {
			t.Errorf("%s: normal of the background is %v", want.view, got)
		}
	}
	if d.result.Evidence.Trust() != "converged" {
		t.Errorf("evidence: %+v", d.result.Evidence)
	}
}

func encode(n [3]float64) [3]int {
	var c [3]int
	for i := range n {
		c[i] = int(math.Round((n[i]*0.5 + 0.5) * 255))
	}
	return c
}

// The matrices must map the corners of the box to where the picture has them:
// the three faces of the isometric view meet at the corner nearest to the eye.
func TestMatricesMapCornersToPixels(t *testing.T) {
	t.Parallel()
	path := save(t, "box.stl", boxSTL(low, high))
	d := mustRun(t, fmt.Sprintf(`{"input_path":%q,"width":640,"height":480,"output_color":false,
		"views":["isometric",{"name":"own","position":[9,7,10],"focal_point":[1,0.5,1],"view_up":[0,0,1]}]}`, path))
	for i, v := range d.out.Views {
		normals, depth := d.picture(v.NormalPath), d.depth(v.DepthPath)
		u, w, z := d.project(i, high)
		faces := map[[3]int]bool{}
		best := math.Inf(1)
		for dx := -1; dx <= 1; dx++ {
			for dy := -1; dy <= 1; dy++ {
				x, y := int(math.Round(u))+dx, int(math.Round(w))+dy
				faces[rgb(normals, x, y)] = true
				best = math.Min(best, math.Abs(depth.at(x, y)/z-1))
			}
		}
		for _, n := range [][3]float64{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}} {
			found := false
			for f := range faces {
				found = found || near(f, encode(n), 1)
			}
			if !found {
				t.Errorf("%s: no pixel within 1 of (%.1f, %.1f) has the normal %v", v.View, u, w, n)
			}
		}
		if best > 1e-3 {
			t.Errorf("%s: depth at the corner misses %g by %g", v.View, z, best)
		}
		// Nothing is drawn outside of the corners' hull.
		x0, x1, y0, y1 := extent(depth)
		cx0, cx1, cy0, cy1 := math.Inf(1), math.Inf(-1), math.Inf(1), math.Inf(-1)
		for _, c := range boxCorners(low, high) {
			u, w, _ := d.project(i, c)
			cx0, cx1, cy0, cy1 = math.Min(cx0, u), math.Max(cx1, u), math.Min(cy0, w), math.Max(cy1, w)
		}
		for k, pair := range [4][2]float64{{float64(x0), cx0}, {float64(x1), cx1}, {float64(y0), cy0}, {float64(y1), cy1}} {
			if math.Abs(pair[0]-pair[1]) > 1.5 { // a tip thinner than a pixel may miss its centre
				t.Errorf("%s: side %d of the silhouette is at pixel %g, the corners' is at %.2f", v.View, k, pair[0], pair[1])
			}
		}
	}
}

// extent is the range of pixels that show something.
func extent(d depthImage) (x0, x1, y0, y1 int) {
	x0, y0 = d.width, d.height
	for y := range d.height {
		for x := range d.width {
			if d.at(x, y) > 0 {
				x0, x1, y0, y1 = min(x0, x), max(x1, x), min(y0, y), max(y1, y)
			}
		}
	}
	return x0, x1, y0, y1
}

// On a sphere every pixel's depth and normal have a closed form: the ray's first
// root, and the place over the radius.
func TestSphereDepthAndNormals(t *testing.T) {
	t.Parallel()
	const r = 2.5
	path := save(t, "ball.ply", spherePLY(r))
	d := mustRun(t, fmt.Sprintf(`{"input_path":%q,"width":400,"height":400,"output_color":false,
		"views":[{"position":[0,0,12],"focal_point":[0,0,0]}]}`, path))
	depth, normals := d.depth(d.out.Views[0].DepthPath), d.picture(d.out.Views[0].NormalPath)
	k := d.out.Intrinsics
	worst, worstNormal := 0.0, 0
	for y := 0; y < 400; y += 7 {
		for x := 0; x < 400; x += 7 {
			a, b := (float64(x)-k[0][2])/k[0][0], (float64(y)-k[1][2])/k[1][1]
			// |(a z, b z, 12 - z)| = r
			p, q := 12/(a*a+b*b+1), (144-r*r)/(a*a+b*b+1)
			root := p*p - q
			if root < 0.3 { // the facets' rim is not the sphere's
				continue
			}
			z := p - math.Sqrt(root)
			worst = math.Max(worst, math.Abs(depth.at(x, y)/z-1))
			n := encode([3]float64{a * z / r, -b * z / r, (12 - z) / r})
			got := rgb(normals, x, y)
			for i := range 3 {
				worstNormal = max(worstNormal, int(math.Abs(float64(got[i]-n[i]))))
			}
		}
	}
	if worst > 1e-3 {
		t.Errorf("depth misses the sphere by %g", worst)
	}
	if worstNormal > 2 { // normals are interpolated over facets of 2 degrees
		t.Errorf("a normal misses the sphere's by %d levels", worstNormal)
	}
}

// In the camera's space the normal of the face towards the camera is +z, which
// ever view it is.
func TestNormalsInCameraSpace(t *testing.T) {
	t.Parallel()
	path := save(t, "box.obj", boxOBJ(low, high))
	d := mustRun(t, fmt.Sprintf(`{"input_path":%q,"width":100,"height":100,"views":["left","top"],"output_color":false,"output_depth":false,"normal_space":"camera"}`, path))
	for _, v := range d.out.Views {
		if got := rgb(d.picture(v.NormalPath), 50, 50); !near(got, encode([3]float64{0, 0, 1}), 1) {
			t.Errorf("%s: %v", v.View, got)
		}
		if v.DepthPath != "" || v.ColorPath != "" {
			t.Errorf("%s has images that were not asked for", v.View)
		}
	}
}

// With z up, top looks down along z, and up in the front view is z.
func TestUpAxisZ(t *testing.T) {
	t.Parallel()
	path := save(t, "box.obj", boxOBJ(low, high))
	d := mustRun(t, fmt.Sprintf(`{"input_path":%q,"width":100,"height":100,"views":["top","front"],"output_color":false,"up_axis":"z"}`, path))
	for i, n := range [][3]float64{{0, 0, 1}, {0, -1, 0}} {
		if got := rgb(d.picture(d.out.Views[i].NormalPath), 50, 50); !near(got, encode(n), 1) {
			t.Errorf("%s: %v", d.out.Views[i].View, got)
		}
	}
	_, above, _ := d.project(1, [3]float64{1, 0.5, 2})
	_, below, _ := d.project(1, [3]float64{1, 0.5, 0})
	if above >= below {
		t.Errorf("the top of the part is at row %g, its foot at %g", above, below)
	}
}

// Tight views hold the whole part and fill most of the picture in one direction.
func TestTightFit(t *testing.T) {
	t.Parallel()
	path := save(t, "box.obj", boxOBJ(low, high))
	d := mustRun(t, fmt.Sprintf(`{"input_path":%q,"width":400,"height":300,"views":["isometric","front"],"fit":"tight","output_color":false,"annotations":false}`, path))
	for _, v := range d.out.Views {
		x0, x1, y0, y1 := extent(d.depth(v.DepthPath))
		if x0 == 0 || x1 == 399 || y0 == 0 || y1 == 299 {
			t.Errorf("%s: the part leaves the picture: columns %d to %d, rows %d to %d", v.View, x0, x1, y0, y1)
		}
		if x1-x0 < 340 && y1-y0 < 255 {
			t.Errorf("%s: the part is small: columns %d to %d, rows %d to %d", v.View, x0, x1, y0, y1)
		}
	}
}

// Annotations change only the picture of colours, and there they must be seen:
// axes at the bottom left, where without them is nothing but background.
func TestAnnotations(t *testing.T) {
	t.Parallel()
	path := save(t, "box.obj", boxOBJ(low, high))
	count := func(annotations bool) int {
		d := mustRun(t, fmt.Sprintf(`{"input_path":%q,"output_depth":false,"output_normal":false,"views":["front"],"annotations":%v}`, path, annotations))
		img, n := d.picture(d.out.Views[0].ColorPath), 0
		for y := 640; y < 768; y++ {
			for x := range 130 {
				if img.At(x, y) != (color.RGBA{255, 255, 255, 255}) {
					n++
				}
			}
		}
		return n
	}
	if n := count(false); n != 0 {
		t.Errorf("%d pixels are drawn without annotations", n)
	}
	if n := count(true); n < 300 {
		t.Errorf("only %d pixels are drawn with annotations", n)
	}
}
