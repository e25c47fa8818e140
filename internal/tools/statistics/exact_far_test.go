package statistics

import (
	"strings"
	"testing"

	"atelier/internal/testenv"
)

// A line that goes through every sample is exact wherever it lies: in whole
// thousandths, y = 2 (x - far) + 1 has no rounding, so the slope is 2, the intercept
// 1 - 2 far, and no residual is left.
func TestAnExactLineFarFromZero(t *testing.T) {
	rng := testenv.Random(t)
	for _, far := range []int{0, 1_000, 1_000_000_000, 1_000_000_000_000} {
		r, out := linear(t, rowsOf("x,y", 50, func(int) []string {
			off := float64(int(1000*rng.NormFloat64())) / 1000
			return []string{fixed(float64(far)+off, 3), fixed(2*off+1, 3)}
		}), `["x"]`)
		if warningOf(r, "exact_fit") == "" || strings.Contains(failedChecks(r), "normal_equations") {
			t.Errorf("far %d: %v; %s", far, r.Warnings, failedChecks(r))
		}
		digits(t, "slope", in(out, "coefficients", "x"), 2, 1e-12)
		digits(t, "intercept", in(out, "coefficients", "intercept"), 1-2*float64(far), 1e-12)
	}
	// A residual is none of rounding where the numbers have the digits for it.
	r, _ := linear(t, rowsOf("x,y", 50, func(i int) []string {
		off := float64(int(1000*rng.NormFloat64())) / 1000
		return []string{fixed(1e9+off, 3), fixed(2*off+1+float64(i%2)/1000, 3)}
	}), `["x"]`)
	if warningOf(r, "exact_fit") != "" || strings.Contains(failedChecks(r), "normal_equations") {
		t.Errorf("%v; %s", r.Warnings, failedChecks(r))
	}
}
