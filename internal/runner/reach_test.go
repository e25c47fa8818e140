package runner

import (
	"math"
	"strings"
	"testing"

	"atelier/internal/contract"
	"atelier/internal/evidence"
)

// A figure that cannot be of this world is suspect by its unit alone, whatever the
// tool and however good its checks.
func TestFiguresBeyondReachAreSuspect(t *testing.T) {
	for _, c := range []struct {
		value float64
		unit  string
		size  float64
		says  string // "" for a figure that can be
	}{
		{19e9, "Pa", 0, ""}, {21e9, "Pa", 0, "20 GPa"}, {-21, "GPa", 0, "20 GPa"}, {3.1e6, "psi", 0, "20 GPa"},
		{0, "K", 0, ""}, {-1e-3, "K", 0, "below 0 K"}, {-274, "degC", 0, "below 0 K"}, {9999, "K", 0, ""}, {10001, "K", 0, "10000 K"},
		{299792457, "m/s", 0, ""}, {3e8, "m/s", 0, "speed of light"}, {-3e5, "km/s", 0, "speed of light"},
		{1.5, "m", 0, ""}, {1.5, "m", 1, "size of the part"}, {-1500, "mm", 1, "size of the part"}, {0.9, "m", 1, ""},
		{2e9, "V", 0, "lightning"}, {-5000, "rad/s", 0, ""}, {-10, "rpm", 0, ""}, {-1, "Hz", 0, "below 0 Hz"}, {1e18, "rad/s", 0, "ultraviolet"}, {1e30, "1", 0, ""}, {1e30, "dB", 0, ""}, {1e30, "file_unit^3", 1, ""}, {math.NaN(), "Pa", 0, ""},
	} {
		s := &evidence.Statement{Size: c.size}
		s.Check(evidence.Within("again", evidence.Independent, "/size/x", 0, 1, "1", "A second way gives it."))
		f := evidence.Of("x", "/size/x", c.value, c.unit, "measured").Quote()
		var shown any = c.value
		if math.IsNaN(c.value) {
			shown = nil
		} else {
			f = f.PlusMinus(0, "bound")
		}
		s.Figure(f)
		r := state(t, shown, s)
		if r.Status != contract.StatusOK {
			t.Fatalf("%g %s: %v", c.value, c.unit, r.Errors)
		}
		q := r.Evidence.Quantities()[0]
		reasons := strings.Join(q.Reasons(), " ")
		if suspect := q.Trust() == evidence.Suspect; suspect != (c.says != "") || !strings.Contains(reasons, c.says) {
			t.Errorf("%g %s of a part of %g m is %s: %s", c.value, c.unit, c.size, q.Trust(), reasons)
		}
	}
}
