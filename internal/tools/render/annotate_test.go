package render

import (
	"encoding/json"
	"fmt"
	"math"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"atelier/internal/testenv"
)

// The numbers beside a bar are those of a unit with a prefix, and times its size they
// are the values again.
func TestUnitsTakePrefixes(t *testing.T) {
	needEngine(t)
	r := testenv.Random(t)
	sizes := map[string]float64{"n": 1e-9, "µ": 1e-6, "m": 1e-3, "": 1, "k": 1e3, "M": 1e6, "G": 1e9}
	type row struct {
		Unit   string
		Value  float64
		Shown  string
		Factor float64
	}
	var rows []row
	for _, unit := range []string{"Pa", "W/m^2", "m", "m/s", "N", "K"} {
		for range 40 {
			most := 8.9
			if strings.HasPrefix(unit, "m") || unit == "K" {
				most = 2.9
			}
			rows = append(rows, row{Unit: unit, Value: math.Pow(10, -8.9+r.Float64()*(most+8.9))})
		}
	}
	in, err := json.Marshal(rows)
	if err != nil {
		t.Fatal(err)
	}
	script := "import json, sys\nfrom atelier_vtk.annotate import display_unit\nrows = json.load(sys.stdin)\nfor r in rows:\n    r['Shown'], r['Factor'] = display_unit(r['Unit'], r['Value'])\nprint(json.dumps(rows))\n"
	cmd := exec.Command(filepath.Join(testenv.Engines(), "vtk", "bin", "python"), "-c", script)
	cmd.Stdin = strings.NewReader(string(in))
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(out, &rows); err != nil {
		t.Fatal(err)
	}
	for _, r := range rows {
		shown := r.Value * r.Factor
		if shown < 0.0999 || shown >= 1000.001 {
			t.Errorf("%g %s is shown as %g %s", r.Value, r.Unit, shown, r.Shown)
		}
		prefix, ok := strings.CutSuffix(r.Shown, r.Unit)
		size, known := sizes[prefix]
		if _, err := fmt.Sscanf(prefix, "×10^%g", &size); err == nil {
			size, known = math.Pow(10, size), true
		}
		if !ok || !known || math.Abs(shown*size-r.Value) > 1e-9*r.Value {
			t.Errorf("%g %s is shown as %g %s", r.Value, r.Unit, shown, r.Shown)
		}
	}
}
