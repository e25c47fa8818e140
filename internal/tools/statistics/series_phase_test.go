package statistics

import (
	"math"
	"strings"
	"testing"

	"atelier/internal/evidence"
	"atelier/internal/testenv"
)

// A resonance that noise drives and a frequency that drifts have no period; a sine has
// one, and of two sines both are named.
func TestOnlyPhasesThatStayMakePeriods(t *testing.T) {
	r := testenv.Random(t)
	const pointer = "/spectrum/peaks/0/period"
	w, verified := 2*math.Pi/20, map[string]int{}
	const all = 20
	for range all {
		x := map[string][]float64{"cycle": make([]float64, 300), "drift": make([]float64, 300), "sine": make([]float64, 300), "two": make([]float64, 300)}
		a, b := 0.0, 0.0
		for i := -300; i < 300; i++ {
			if a, b = 2*0.97*math.Cos(w)*a-0.97*0.97*b+r.NormFloat64(), a; i < 0 {
				continue
			}
			at := float64(i)
			x["cycle"][i] = a
			x["drift"][i] = math.Sin(w*(at+at*at/300*(20./17-1)/2)) + 0.2*r.NormFloat64()
			x["sine"][i] = math.Sin(w*at) + 0.4*r.NormFloat64()
			x["two"][i] = 0.8*math.Sin(2*math.Pi*at/6) + math.Sin(2*math.Pi*at/4) + 0.2*r.NormFloat64()
		}
		for name, values := range x {
			res, e := ofSeries(t, values, 4, nil)
			if quantityOf(e, pointer) == evidence.Verified {
				verified[name]++
			}
			if name == "two" && !strings.Contains(res.Summary, "beside it one of 6") && !strings.Contains(res.Summary, "beside it one of 5.99") {
				t.Errorf("two: %s", res.Summary)
			}
			if name == "drift" && !strings.Contains(res.Summary, "no fixed period") {
				t.Errorf("drift: %s", res.Summary)
			}
		}
	}
	t.Logf("verified of %d: %v", all, verified)
	if verified["cycle"] > 3 || verified["drift"] > 0 || verified["sine"] < all-3 {
		t.Error("a period is verified where there is none, or not where there is one")
	}
}
