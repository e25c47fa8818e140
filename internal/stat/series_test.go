package stat

import (
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"atelier/internal/testenv"
)

func dds(values ...float64) []DD {
	out := make([]DD, len(values))
	for i, v := range values {
		out[i] = F(v)
	}
	return out
}

// Of n values that alternate between 1 and -1, r(k) is (-1)^k (n-k)/n.
func TestAutocorrelationOfAnAlternatingSeries(t *testing.T) {
	const n = 40
	x := make([]DD, n)
	for i := range x {
		x[i] = F(float64(1 - 2*(i%2)))
	}
	a := Autocorrelate(x, nil, 10, 0.05)
	for k := 1; k <= 10; k++ {
		near(t, "r", a.R[k-1], math.Pow(-1, float64(k))*float64(n-k)/n, 1e-15)
	}
	near(t, "partial at lag 1", a.Partial[0], a.R[0], 0)
	near(t, "band at lag 1", a.Band[0], 1.959963984540054/math.Sqrt(n), 1e-15)
}

// A place without a value takes part in no product.
func TestAutocorrelationOfAGridWithGaps(t *testing.T) {
	absent := []bool{false, false, true, false, false, false}
	a := Autocorrelate(dds(1, -1, 999, -1, 1, 0), absent, 2, 0.05)
	near(t, "r(1)", a.R[0], -2.0/4, 1e-15) // 1 with -1 twice, the squares sum to 4
	near(t, "r(2)", a.R[1], 1.0/4, 1e-15)  // -1 with -1 once; 0 and the gap add nothing
}

// A wave of amplitude a that fits k times into n values has the density a^2 n/2 at
// its frequency and none elsewhere, and densities sum to the mean square times n
// (Parseval), for lengths of small and of large prime factors.
func TestPeriodogramOfAWave(t *testing.T) {
	for _, n := range []int{64, 90, 97, 1009, 2 * 1009} {
		x := make([]float64, n)
		for i := range x {
			x[i] = 3 * math.Cos(2*math.Pi*7*float64(i)/float64(n)+0.3)
		}
		s := Periodogram(x)
		for k, p := range s.Power {
			want := 0.0
			if k == 7 {
				want = 9 * float64(n) / 2
			}
			if math.Abs(p-want) > 1e-11*float64(n) {
				t.Errorf("n %d: the density at %d is %v, not %v", n, k, p, want)
			}
		}
		rng := rand.New(rand.NewPCG(3, uint64(n)))
		square, sum := 0.0, 0.0
		for i := range x {
			x[i] = rng.NormFloat64()
			square += x[i] * x[i]
		}
		for _, p := range Periodogram(x).Power {
			sum += p
		}
		near(t, "Parseval's sum", sum, square, 1e-12)
	}
}

// The level of Welch's averages of white noise is twice its variance.
func TestLevelOfAveragedPeriodograms(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	x := make([]float64, 100_000)
	for i := range x {
		x[i] = 2 * rng.NormFloat64()
	}
	s := AveragedPeriodogram(x, 128)
	mean := 0.0
	for _, p := range s.Power[2:63] {
		mean += p / 61
	}
	if math.Abs(mean-8) > 0.1 { // a hundred thousand values: to about 1 %
		t.Errorf("the level is %v, not 8", mean)
	}
}

// With one wave and no noise, all of the variance is at its frequency.
func TestLombScargleOfAWave(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	var at, y []float64
	now := 0.0
	for range 80 {
		now += 0.2 + rng.Float64()
		at, y = append(at, now), append(y, 5+2*math.Sin(2*math.Pi*0.21*now+1))
	}
	s := LombScargle(at, y, []float64{0.21, 0.13})
	near(t, "the share of the wave", s.Power[0], 1, 1e-12)
	if s.Power[1] > 0.3 {
		t.Errorf("another frequency has the share %v", s.Power[1])
	}
}

// Of two shares of white noise, the larger is even between 1/2 and 1, so it
// exceeds g with the probability 2(1-g).
func TestFishersTest(t *testing.T) {
	for _, g := range []float64{0.5, 0.6, 0.9, 0.999} {
		near(t, "p", fisher(g, 2), 2*(1-g), 1e-12)
	}
	if p := fisher(0.002, 2000); math.Abs(p-1) > 0.05 { // twice its mean is passed by some
		t.Errorf("p is %v", p)
	}
}

// Ten rising values: S is 45, its variance 10*9*25/18 = 125, tau 1; values 3t+1
// have the slope 3 between any two.
func TestMannKendallOfRisingValues(t *testing.T) {
	at, y := ints(10), ints(10)
	for i := range y {
		y[i] = y[i].Mul(F(3)).Add(F(1))
	}
	m := MannKendall(at, y, 0.05)
	if m.S != 45 || m.Variance != 125 || m.Tau != 1 {
		t.Errorf("%+v", m)
	}
	near(t, "p", m.P, math.Erfc(44/math.Sqrt(125)/math.Sqrt2), 1e-15)
	for _, v := range []float64{m.Slope, m.Low, m.High} {
		near(t, "slope", v, 3, 1e-15)
	}
	l := Line(at, y, 0.05)
	near(t, "slope of the line", l.Slope, 3, 1e-15)
	near(t, "start of the line", l.Start, 1, 1e-15)
	if !math.IsNaN(l.SE) {
		t.Errorf("a line without errors has the standard error %v", l.SE)
	}
	// Three of ten pairs tie at the slope 0, the median.
	m = MannKendall(ints(5), dds(1, 2, 1, 2, 1), 0.05)
	if m.Slope != 0 || m.S != 0 {
		t.Errorf("%+v", m)
	}
}

// The slope at each rank is that of all slopes sorted.
func TestKthSlopeIsThatOfAllPairs(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 6))
	for range 20 {
		n := 5 + rng.IntN(30)
		at, y := make([]DD, n), make([]DD, n)
		now := 0.0
		for i := range y {
			now += 1 + float64(rng.IntN(3))
			at[i], y[i] = F(now), F(math.Round(rng.NormFloat64()*4)/4)
		}
		var all []float64
		for i := range y {
			for k := i + 1; k < n; k++ {
				all = append(all, y[k].Sub(y[i]).Div(at[k].Sub(at[i])).Float())
			}
		}
		slices.Sort(all)
		k := kthSlope(at, y)
		for _, rank := range []int{1, len(all) / 3, len(all) / 2, len(all)} {
			if got, want := k(max(rank, 1)), all[max(rank, 1)-1]; math.Abs(got-want) > 1e-15*math.Max(math.Abs(want), 0) && got != want {
				t.Errorf("n %d: slope %d is %v, not %v", n, rank, got, want)
			}
		}
	}
}

// Every partition of a short series is tried; none is cheaper.
func TestChangePointsAreTheCheapestOfAll(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 8))
	for range 60 {
		n, least := 10+rng.IntN(5), 1+rng.IntN(3)
		x := make([]DD, n)
		for i := range x {
			x[i] = F(rng.NormFloat64() + 4*float64(i*3/n))
		}
		c := ChangePoints(x, 0, least, 1)
		best := math.Inf(1)
		for cuts := range 1 << (n - 1) { // bit i: a change after value i
			cost, start, fits := c.Penalty*float64(bits.OnesCount(uint(cuts))), 0, true
			for i := range n {
				if i == n-1 || cuts>>i&1 == 1 {
					part := x[start : i+1]
					fits = fits && len(part) >= least
					for _, v := range part {
						d := v.Sub(meanOf(part)).Float()
						cost += d * d
					}
					start = i + 1
				}
			}
			if fits {
				best = math.Min(best, cost)
			}
		}
		near(t, "cost", c.Cost, best, 1e-12)
	}
}

// A step of a hundred standard deviations is found at its place, and none else.
func TestChangePointOfOneStep(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 9))
	x := make([]DD, 3000)
	for i := range x {
		x[i] = F(rng.NormFloat64())
		if i >= 1234 {
			x[i] = x[i].Add(F(100))
		}
	}
	c := ChangePoints(x, 0, 5, 2)
	if len(c.Segments) != 2 || c.Segments[1].Start != 1234 {
		t.Errorf("%+v", c.Segments)
	}
	if math.Abs(c.Noise-1) > 0.1 {
		t.Errorf("the noise is %v, not about 1", c.Noise)
	}
}

// Steps that cut a sine rise and fall between their edges; those of a mean do not.
func TestRampsAreNoSteps(t *testing.T) {
	r := testenv.Random(t)
	for range 20 {
		n := 400 + r.IntN(400)
		curve, steps := make([]DD, n), make([]DD, n)
		for i := range curve {
			curve[i] = F(math.Sin(2*math.Pi*2.5*float64(i)/float64(n)) + 0.02*r.NormFloat64())
			steps[i] = F(float64(5*i/n) + 0.2*r.NormFloat64())
		}
		c, s := ChangePoints(curve, 0, 5, 2), ChangePoints(steps, 0, 5, 2)
		if len(c.Segments) < 5 || !c.Ramps(curve) || s.Ramps(steps) {
			t.Errorf("curve: %d parts, ramps %v; steps: %d parts, ramps %v", len(c.Segments), c.Ramps(curve), len(s.Segments), s.Ramps(steps))
		}
	}
}
