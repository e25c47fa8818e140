package mesh

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"atelier/internal/contract"
	"atelier/internal/evidence"
	"atelier/internal/geometry"
	"atelier/internal/testenv"
)

// A surface that names no unit is meshed and repaired in its own numbers, which the
// answer says; a spacing with a unit needs one. With a unit the same box has the same
// numbers in it.
func TestASurfaceWithoutAUnitKeepsItsNumbers(t *testing.T) {
	rng := testenv.Random(t)
	x, y := 15+10*rng.Float64(), 8+4*rng.Float64()
	named := plate(t, x, y, y)
	raw, err := os.ReadFile(named)
	if err != nil {
		t.Fatal(err)
	}
	bare := filepath.Join(t.TempDir(), "bare.obj")
	text := regexp.MustCompile(`(?m)^# atelier.*$`).ReplaceAll(raw, nil)
	if err := os.WriteFile(bare, text, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		path string
		more map[string]any
		unit string
	}{
		{named, map[string]any{"dx": "0.2 cm"}, "mm"}, {bare, map[string]any{"dx": 2}, "file_unit"},
		{bare, map[string]any{"dx": "2 mm", "length_unit": "mm"}, "mm"}, {bare, map[string]any{"dx": "2 in", "length_unit": "in"}, "in"},
	} {
		input := map[string]any{"input_path": c.path}
		for k, v := range c.more {
			input[k] = v
		}
		out, res, dir, err := meshVolume(t, input)
		if err != nil {
			t.Fatal(err)
		}
		if out.LengthUnit != c.unit || math.Abs(out.DX-2) > 1e-9 || math.Abs(out.Volume-x*y*y) > 1e-3*x*y*y {
			t.Errorf("%v: %s, dx %g, volume %g of %g", input, out.LengthUnit, out.DX, out.Volume, x*y*y)
		}
		if q := res.Evidence.Quantities()[0]; q.Unit != c.unit+"^3" {
			t.Errorf("%v: the volume is in %s", input, q.Unit)
		}
		if told := strings.Contains(fmt.Sprint(res.Warnings), "length_unit_unknown"); told != (c.unit == "file_unit") {
			t.Errorf("%v: %v", input, res.Warnings)
		}
		mesh, err := os.ReadFile(filepath.Join(dir, out.OutputFile))
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(mesh), `"length_unit"`) != (c.unit != "file_unit") {
			t.Errorf("%v: the mesh begins with %.120q", input, mesh)
		}
	}
	_, _, _, err = meshVolume(t, map[string]any{"input_path": bare, "dx": "2 mm"})
	e := contract.AsError(err)
	if err == nil || e.Field != "/length_unit" || !strings.Contains(e.Hint, fmt.Sprintf("%.4g mm in millimetres", x)) {
		t.Errorf("a spacing in mm of a file without a unit: %+v", e)
	}
	fixed, _, _, err := repairFile(t, map[string]any{"input_path": bare})
	if err != nil || fixed.LengthUnit != "file_unit" || !fixed.LengthUnitAssumed || fixed.Repaired.Volume == nil || math.Abs(*fixed.Repaired.Volume-x*y*y) > 1e-3*x*y*y {
		t.Errorf("repaired: %v %+v", err, fixed)
	}
}

// A surface of the size of the shape that it is known to come from has its unit.
func TestASurfaceHasTheUnitOfItsOrigin(t *testing.T) {
	m, err := geometry.Read(plate(t, 12, 5, 3))
	if err != nil {
		t.Fatal(err)
	}
	for scale, want := range map[float64]string{1: "mm", 1.02: "mm", 2: "", 1e-3: ""} {
		m.Meta.LengthUnit = ""
		settleUnit(m, "", &evidence.Origin{LengthUnit: "mm", Min: []float64{0, 0, 0}, Max: []float64{12 * scale, 5 * scale, 3 * scale}})
		if m.Meta.LengthUnit != want {
			t.Errorf("%g times as large: %q", scale, m.Meta.LengthUnit)
		}
	}
}

// A unit of the call that contradicts the file's own, or that of the shape which the
// file comes from, is followed, and no figure is better than suspect.
func TestAUnitAgainstTheFilesIsSuspect(t *testing.T) {
	path := plate(t, 12, 5, 3) // says mm
	for asked, want := range map[string]evidence.Trust{"in": evidence.Suspect, "m": evidence.Suspect, "mm": evidence.Verified, "": evidence.Verified} {
		input := map[string]any{"input_path": path, "length_unit": asked}
		if asked == "" {
			delete(input, "length_unit")
		}
		_, fixed, _, err := repairFile(t, input)
		if err != nil {
			t.Fatal(err)
		}
		_, meshed, _, err := meshVolume(t, input)
		if err != nil {
			t.Fatal(err)
		}
		for tool, res := range map[string]*contract.Result{"repair": fixed, "volume mesh": meshed} {
			if e := res.Evidence; e.Trust() != want || e.Quantities()[0].Trust() != want || (want == evidence.Suspect) != strings.Contains(e.Reasons()[0], "leave length_unit out") {
				t.Errorf("%s as %q: %s %v", tool, asked, e.Trust(), e.Reasons())
			}
		}
	}
	m, err := geometry.Read(path)
	if err != nil {
		t.Fatal(err)
	}
	m.Meta.LengthUnit = ""
	if _, checks := settleUnit(m, "in", &evidence.Origin{LengthUnit: "mm", Min: []float64{0, 0, 0}, Max: []float64{12, 5, 3}}); m.Meta.LengthUnit != "in" || len(checks) != 1 {
		t.Errorf("against the shape it comes from: %q %v", m.Meta.LengthUnit, checks)
	}
}
