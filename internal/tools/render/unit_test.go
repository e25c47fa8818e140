package render

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"atelier/internal/contract"
	"atelier/internal/evidence"
)

// A field whose unit the file knows is shown in the unit asked for, with its values.
func TestUnitConverts(t *testing.T) {
	t.Parallel()
	g := hexBox([3]float64{0, 0, 0}, [3]float64{1, 1, 1}, 1)
	g.field("s", 1, func(p [3]float64) []float64 { return []float64{6e6 * p[0]} })
	g.field("T", 1, func(p [3]float64) []float64 { return []float64{320 + 10*p[0]} })
	g.field("bare", 1, xField)
	g.field("hot", 1, func(p [3]float64) []float64 { return []float64{-300 - p[0]} })
	g.note = `<!-- atelier {"length_unit":"m","units":{"s":"Pa","T":"K"}} -->`
	path := save(t, "box.vtu", g.vtu())
	for _, c := range []struct {
		field, unit string
		low, high   float64
		trust       evidence.Trust
	}{
		{"s", "Pa", 0, 6e6, evidence.Converged}, {"s", "MPa", 0, 6, evidence.Converged}, {"T", "degC", 46.85, 56.85, evidence.Converged},
		{"T", "degF", 116.33, 134.33, evidence.Converged}, {"bare", "MPa", 0, 1, evidence.Computed}, {"hot", "degC", -301, -300, evidence.Suspect},
	} {
		d := mustRun(t, fmt.Sprintf(`{"input_path":%q,"field":%q,"unit":%q,"width":64,"height":64,"output_glb":true,"output_normal":false,"output_depth":true}`, path, c.field, c.unit))
		f := d.out.Field
		if math.Abs(f.Min-c.low) > 1e-6 || math.Abs(f.Max-c.high) > 1e-6 || f.Unit != c.unit || f.Range != [2]float64{f.Min, f.Max} {
			t.Errorf("%s in %s: %+v", c.field, c.unit, f)
		}
		if got := d.result.Evidence.Trust(); got != c.trust {
			t.Errorf("%s in %s is %s, want %s: %v", c.field, c.unit, got, c.trust, d.result.Evidence.Reasons())
		}
		if told := fmt.Sprint(d.result.Warnings); strings.Contains(told, "argument alone") != (c.field == "bare" || c.field == "hot") {
			t.Errorf("%s in %s: warnings %v", c.field, c.unit, d.result.Warnings)
		}
	}
	for _, unit := range []string{"kg", "rubbish"} {
		_, err := run(t, fmt.Sprintf(`{"input_path":%q,"field":"s","unit":%q,"width":64,"height":64}`, path, unit))
		if e := wantCode(t, err, contract.CodeInvalidRequest, "/unit"); !strings.Contains(e.Hint, "Pa") {
			t.Errorf("hint %q", e.Hint)
		}
	}
}

// A length unit against the file's own is followed, and never without a word.
func TestLengthUnitAgainstTheFile(t *testing.T) {
	t.Parallel()
	g := hexBox([3]float64{0, 0, 0}, [3]float64{1, 1, 1}, 1)
	g.field("s", 1, xField)
	g.note = `<!-- atelier {"length_unit":"m","units":{"s":"Pa"}} -->`
	path := save(t, "box.vtu", g.vtu())
	for unit, want := range map[string]evidence.Trust{"m": evidence.Converged, "mm": evidence.Suspect} {
		d := mustRun(t, fmt.Sprintf(`{"input_path":%q,"field":"s","length_unit":%q,"width":64,"height":64,"output_normal":false}`, path, unit))
		if got := d.result.Evidence.Trust(); d.out.LengthUnit != unit || got != want {
			t.Errorf("%s: %s, %v", unit, got, d.result.Evidence.Reasons())
		}
	}
}
