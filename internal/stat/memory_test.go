package stat

import (
	"flag"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"atelier/internal/testenv"
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

// Independent values give the error of least squares but for what is added, and a
// random walk that of its closed form, sqrt(6/(5n)) innovations for long series.
func TestMemoryHasTheErrorsOfItsLimits(t *testing.T) {
	r := testenv.Random(t)
	const n = 4000
	for _, c := range []struct{ phi, want float64 }{{0, math.Sqrt(12 / math.Pow(n, 3))}, {1, math.Sqrt(6. / 5 / n)}, {0.5, 2 * math.Sqrt(12/math.Pow(n, 3))}} {
		var errors []float64 // one walk of twenty is taken for something else
		for range 15 {
			x := dependent(r, n, c.phi)
			l := Line(steps(n), x, 0.05)
			errors = append(errors, Remembered(float64s(steps(n)), float64s(l.Rest(steps(n), x)), l.Slope, 0).SE)
		}
		slices.Sort(errors)
		if math.Abs(errors[7]/c.want-1) > 0.15 {
			t.Errorf("phi %v: %v, want %v", c.phi, errors, c.want)
		}
	}
}

var seriesOfEach = flag.Int("series", 150, "series of each kind that are tested for a trend")

// Series without a trend are to seem to have one in at most alpha of the cases,
// whatever their memory; the errors of Newey and West alone fail that. A trend that
// is there is to be seen.
func TestMemoryKeepsTheLevelOfTheTrend(t *testing.T) {
	r := testenv.Random(t)
	const alpha = 0.05
	lengths, kinds := []int{30, 50, 100, 200, 500}, []struct {
		name       string
		phi, trend float64
	}{{"walk", 1, 0}, {"AR .9", 0.9, 0}, {"AR .5", 0.5, 0}, {"noise", 0, 0}, {"trend+noise", 0, 3}, {"trend+AR .5", 0.5, 3}}
	shares := map[string][]float64{}
	for _, n := range lengths {
		for _, k := range kinds {
			found := 0
			for range *seriesOfEach {
				x := dependent(r, n, k.phi)
				for i := range x {
					x[i] = x[i].Add(F(k.trend * float64(i) / float64(n)))
				}
				l := Line(steps(n), x, alpha)
				if m := Remembered(float64s(steps(n)), float64s(l.Rest(steps(n), x)), l.Slope, 0); l.P < alpha && m.P < alpha {
					found++
				}
			}
			shares[k.name] = append(shares[k.name], float64(found)/float64(*seriesOfEach))
		}
	}
	all := float64(*seriesOfEach * len(lengths))
	for _, k := range kinds {
		t.Logf("%-12s %.3f of %v values", k.name, shares[k.name], lengths)
		sum := 0.0
		for _, s := range shares[k.name] {
			sum += s / float64(len(lengths))
		}
		if k.trend == 0 && sum > alpha+3.5*math.Sqrt(alpha*(1-alpha)/all) {
			t.Errorf("%s: %.3f of the series have a trend", k.name, sum)
		}
		if last := shares[k.name][len(lengths)-1]; k.trend > 0 && last < 0.95 {
			t.Errorf("%s: of 500 values %.3f of the trends are seen", k.name, last)
		}
	}
}

// Pulses that are not quite evenly spaced repeat only with their whole pattern; a
// wave repeats with its period, whatever its length, its harmonics and the noise.
func TestRepeatsOfAPeriod(t *testing.T) {
	r := testenv.Random(t)
	repeats := func(x []float64) int {
		_, rest := Centre(dds(x...))
		s := Periodogram(float64s(rest))
		return s.Repeats(s.Peaks(1, len(x), 0)[0].Frequency)
	}
	for range 50 {
		x := make([]float64, 300)
		for i := range x {
			if x[i] = 0.02 * r.NormFloat64(); i%25 == 0 || i%25 == 8 || i%25 == 16 {
				x[i]++
			}
		}
		if m := repeats(x); m != 3 && m != 6 { // the peak is at 3/25 or 6/25
			t.Errorf("pulses in 25 repeat after %d periods of their peak", m)
		}
	}
	wrong := 0
	for range 400 {
		n, period, red := 200+r.IntN(400), 5+15*r.Float64(), 0.0
		noise, second := 2*r.Float64(), r.Float64()
		x := make([]float64, n)
		for i := range x {
			red = 0.6*red + noise*r.NormFloat64()
			at := 2 * math.Pi * float64(i) / period
			x[i] = 2*math.Sin(at) + second*math.Sin(2*at+1) + red
		}
		if repeats(x) != 1 {
			wrong++
		}
	}
	t.Logf("%d of 400 waves were said to repeat after several periods", wrong)
	if wrong > 4 {
		t.Error("too many")
	}
}
