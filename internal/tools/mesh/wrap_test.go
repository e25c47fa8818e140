package mesh

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"atelier/internal/contract"
	"atelier/internal/evidence"
	"atelier/internal/geometry"
	"atelier/internal/testenv"
)

// A sphere of triangles that are turned at random and of which each tenth is missing is
// no surface that a repair could close as it was. Its wrap is one, with the volume of the
// larger sphere, which the part does not have and nothing says that it has.
func TestWrapOfASoup(t *testing.T) {
	r := testenv.Random(t)
	radius := 5 + 5*r.Float64()
	offset := radius * (0.1 + 0.05*r.Float64())
	soup := &geometry.Mesh{Meta: geometry.Meta{LengthUnit: "mm"}}
	const rings = 24
	at := func(i, j int) geometry.Vec3 {
		a, b := math.Pi*float64(i)/rings, 2*math.Pi*float64(j)/(2*rings)
		return geometry.Vec3{radius * math.Sin(a) * math.Cos(b), radius * math.Sin(a) * math.Sin(b), radius * math.Cos(a)}
	}
	for i := range rings {
		for j := range 2 * rings {
			for _, c := range [][3]geometry.Vec3{{at(i, j), at(i+1, j), at(i+1, j+1)}, {at(i, j), at(i+1, j+1), at(i, j+1)}} {
				if r.IntN(10) == 0 {
					continue
				}
				k := r.IntN(2)
				n := int32(len(soup.Vertices))
				soup.Vertices = append(soup.Vertices, c[0], c[1+k], c[2-k])
				soup.Triangles = append(soup.Triangles, [3]int32{n, n + 1, n + 2})
			}
		}
	}
	path := filepath.Join(t.TempDir(), "soup.obj")
	if err := geometry.Write(path, soup); err != nil {
		t.Fatal(err)
	}
	out, res, dir, err := repairFile(t, map[string]any{"input_path": path, "wrap_offset": fmt.Sprintf("%v mm", offset), "target_decimation_faces": 4000})
	if err != nil {
		t.Fatal(err)
	}
	want := 4. / 3 * math.Pi * math.Pow(radius+offset, 3)
	for name, f := range map[string]surfaceFacts{"repaired": out.Repaired, "decimated": out.Decimated} {
		if !f.Closed || !f.Manifold || f.Components != 1 || f.Volume == nil || math.Abs(*f.Volume/want-1) > 0.02 {
			t.Errorf("%s: %+v, the larger sphere has %v", name, f, want)
		}
	}
	// Over the gaps the wrap has creases, where its vertices lie up to a third of a cell off.
	if w := out.Wrap; w == nil || math.Abs(w.Offset/offset-1) > 1e-12 || math.Max(offset-w.Nearest, w.Farthest-offset) > w.Spacing/3 {
		t.Errorf("%+v, asked for %v", w, offset)
	}
	if out.Initial.Closed || out.Initial.Triangles != len(soup.Triangles) {
		t.Errorf("what was given: %+v", out.Initial)
	}
	if q := res.Evidence.Quantities(); q[0].Trust() != evidence.Computed || !strings.Contains(fmt.Sprint(q[0].Reasons()), "not those of the part") || !strings.HasPrefix(res.Summary, "Wrapped at ") {
		t.Errorf("%s: %s %v", res.Summary, q[0].Trust(), q[0].Reasons())
	}
	if _, err := os.Stat(filepath.Join(dir, out.RepairedFile)); err != nil {
		t.Error(err)
	}
	_, _, _, err = repairFile(t, map[string]any{"input_path": path, "wrap_offset": radius / 1e4})
	if e := contract.AsError(err); err == nil || e.Field != "/wrap_offset" || e.Hint == "" {
		t.Errorf("far too fine: %v", err)
	}
}
