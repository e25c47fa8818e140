package circuit

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"atelier/internal/evidence"
)

// The noise of a parallel circuit of R, L and C has the mean square kT/C, all of it
// within a resonance that a coarse grid steps over.
func TestNoiseOfATank(t *testing.T) {
	r := seeded(t)
	for range 6 {
		c, f0 := between(r, 1e-12, 1e-8), between(r, 1e5, 1e8)
		l := 1 / (c * math.Pow(2*math.Pi*f0, 2))
		q := between(r, 0.5, 3e4)
		netlist := fmt.Sprintf("tank\nI1 0 out DC 0 AC 1\nR1 out 0 %.17g\nL1 out 0 %.17g\nC1 out 0 %.17g\n", q*math.Sqrt(l/c), l, c)
		want := math.Sqrt(1.380649e-23 * 300.15 / c)
		for _, points := range []int{10, 400} {
			result, out := simulated(t, input(t, map[string]any{"netlist": netlist, "control": fmt.Sprintf("noise v(out) I1 dec %d %.17g %.17g", points, f0/1e4, f0*1e4)}))
			k := 0
			for k < len(out.Values) && out.Values[k].Name != "onoise_total" {
				k++
			}
			if k == len(out.Values) {
				continue // the simulator found no finite sum, and says so
			}
			total := quantity(t, result, fmt.Sprintf("/values/%d/value", k))
			off := math.Abs(*total.Value - want)
			switch {
			case !total.Quoted || !strings.Contains(result.Summary, "onoise_total = "+format5(*total.Value)+" V"):
				t.Errorf("the total is not quoted: %s", result.Summary)
			case off > 0.02*want && total.Trust() != evidence.Suspect:
				t.Errorf("Q %g, %d points: %g V is %s, want %g\n%s", q, points, *total.Value, total.Trust(), want, show(result))
			case off < 0.003*want && total.Trust() == evidence.Suspect:
				t.Errorf("Q %g, %d points: %g V is suspect, want %g: %v", q, points, *total.Value, want, total.Reasons())
			case total.Trust() == evidence.Verified && off > *total.Error:
				t.Errorf("Q %g, %d points: %g ± %g V, want %g", q, points, *total.Value, *total.Error, want)
			}
		}
	}
}
