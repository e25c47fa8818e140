package stat

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"
)

// dependent are n values of an autoregression of the first order; phi 1 is a
// random walk.
func dependent(r *rand.Rand, n int, phi float64) []DD {
	x := make([]DD, n)
	last := 0.0
	if phi < 1 {
		last = r.NormFloat64() / math.Sqrt(1-phi*phi)
	}
	for i := range x {
		last = phi*last + r.NormFloat64()
		x[i] = F(last)
	}
	return x
}

func steps(n int) []DD {
	t := make([]DD, n)
	for i := range t {
		t[i] = F(float64(i))
	}
	return t
}

func float64s(x []DD) []float64 {
	out := make([]float64, len(x))
	for i, v := range x {
		out[i] = v.Float()
	}
	return out
}

// Series without a trend are to seem to have one in about alpha of the cases,
// whatever their memory; the errors of Newey and West alone fail that.
func TestMemoryKeepsTheLevelOfTheTrend(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 1))
	const series, n, alpha = 400, 200, 0.05
	for _, phi := range []float64{1, 0.95, 0.9, 0.8, 0.5, 0, -0.5} {
		west, both := 0, 0
		for range series {
			x := dependent(r, n, phi)
			l := Line(steps(n), x, alpha)
			m := Remembered(float64s(steps(n)), float64s(l.Rest(steps(n), x)), l.Slope)
			if l.P < alpha {
				west++
				if m.P < alpha {
					both++
				}
			}
		}
		t.Logf("phi %4v: Newey and West %.3f, with memory %.3f", phi, float64(west)/series, float64(both)/series)
		if share := float64(both) / series; share > 0.12 {
			t.Errorf("phi %v: %v of the series have a trend", phi, share)
		}
	}
}
