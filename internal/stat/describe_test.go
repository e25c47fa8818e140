package stat

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func ints(n int) []DD {
	out := make([]DD, n)
	for i := range out {
		out[i] = F(float64(i + 1))
	}
	return out
}

// The figures of 1 to n: mean (n+1)/2, variance n(n+1)/12, and the corrected
// excess kurtosis of a discrete uniform sample, which is -6/5 for every n.
func TestMomentsOfTheFirstWholeNumbers(t *testing.T) {
	const n = 1000
	for _, cut := range []int{0, 1, 7, 500, 999} {
		for _, offset := range []float64{0, 1e12, -1e15} {
			values := ints(n)
			for i := range values {
				values[i] = values[i].Add(F(offset))
			}
			c := CentralOf(values[:cut])
			c.Merge(CentralOf(values[cut:]))
			near(t, "mean", c.Mean(), offset+(n+1)/2.0, 1e-16)
			near(t, "variance", c.Variance(), n*(n+1)/12.0, 1e-15)
			if g := c.Skewness(); math.Abs(g) > 1e-15 {
				t.Errorf("skewness of a symmetric sample is %v", g)
			}
			near(t, "kurtosis", c.Kurtosis(), -1.2, 1e-14)
			near(t, "max", c.Max.Float(), offset+n, 0)
		}
	}
}

func TestUndefinedMoments(t *testing.T) {
	one, equal := CentralOf(ints(1)), CentralOf([]DD{F(3), F(3), F(3), F(3)})
	for name, v := range map[string]float64{"mean of none": CentralOf(nil).Mean(), "sd of one": one.SD(), "skewness of equal": equal.Skewness(),
		"kurtosis of equal": equal.Kurtosis(), "skewness of two": CentralOf(ints(2)).Skewness()} {
		if !math.IsNaN(v) {
			t.Errorf("%s is %v", name, v)
		}
	}
	if equal.SD() != 0 {
		t.Errorf("equal values have the deviation %v", equal.SD())
	}
}

// Anscombe (1973): four data sets of r = 0.816; the first here, whose r to five
// places R's documentation of anscombe gives as 0.81642.
func TestAnscombesCorrelation(t *testing.T) {
	x := []float64{10, 8, 13, 9, 11, 14, 6, 4, 12, 7, 5}
	y := []float64{8.04, 6.95, 7.58, 8.81, 8.33, 9.96, 7.24, 4.26, 10.84, 4.82, 5.68}
	var a, b []DD
	for i := range x {
		a, b = append(a, F(x[i])), append(b, F(y[i]))
	}
	c := PairOf(a, b).Pearson(0.05)
	if got := fmt.Sprintf("%.5f", c.R); got != "0.81642" {
		t.Errorf("r is %s", got)
	}
	// The same p value as that of the slope, which Anscombe's fit has at 0.00217.
	if got := fmt.Sprintf("%.5f", c.P); got != "0.00217" {
		t.Errorf("p is %s", got)
	}
	// In parts, in another order of the sums.
	p := PairOf(a[:4], b[:4])
	p.Merge(PairOf(a[4:], b[4:]))
	near(t, "r of parts", p.Pearson(0.05).R, c.R, 1e-15)
	line := PairOf(a, a).Pearson(0.05)
	if line.R != 1 || line.P != 0 || line.Low != 1 || line.High != 1 {
		t.Errorf("a line has %+v", line)
	}
}

// Ranks do not change under a rising function, and ties share the mean of theirs.
func TestSpearmanByRanks(t *testing.T) {
	x, cubed := ints(20), make([]DD, 20)
	for i, v := range x {
		cubed[i] = v.Mul(v).Mul(v)
	}
	if s := Spearman(x, cubed, 0.05); s.R != 1 {
		t.Errorf("rho is %v", s.R)
	}
	got := Ranks([]DD{F(5), F(1), F(5), F(9)})
	if !slices.Equal(got, []DD{F(2.5), F(1), F(2.5), F(4)}) {
		t.Errorf("ranks are %v", got)
	}
}

// The rank of an estimate is within the largest centroid that the scale function
// k1 allows around it, 2 pi/compression sqrt(q(1-q)) of the values, whatever the
// order that they come in.
func TestDigestOfAnyOrder(t *testing.T) {
	const n, run = 100_000, 16_384
	rng := rand.New(rand.NewPCG(7, 7))
	orders := map[string]func(i int) float64{
		"ascending":   func(i int) float64 { return float64(i) },
		"descending":  func(i int) float64 { return float64(-i) },
		"organ pipe":  func(i int) float64 { return float64(min(i, n-i)) },
		"alternating": func(i int) float64 { return float64(i) * float64(1-2*(i%2)) },
		"normal":      func(int) float64 { return rng.NormFloat64() },
		"heavy tail":  func(int) float64 { return math.Exp(20 * rng.NormFloat64()) },
		"few values":  func(int) float64 { return float64(rng.IntN(5)) },
		"one outlier": func(i int) float64 { return map[bool]float64{true: 1e300, false: float64(i % 1000)}[i == n/2] },
	}
	for name, value := range orders {
		values := make([]float64, n)
		for i := range values {
			values[i] = value(i)
		}
		d := NewDigest(500)
		for lo := 0; lo < n; lo += run {
			part := NewDigest(500)
			part.Add(slices.Clone(values[lo:min(lo+run, n)]))
			d.Merge(part)
		}
		if len(d.list) > 500 {
			t.Errorf("%s: %d centroids", name, len(d.list))
		}
		sorted := slices.Sorted(slices.Values(values))
		for _, q := range []float64{0, 0.0001, 0.001, 0.01, 0.25, 0.5, 0.9, 0.999, 1} {
			v := d.Quantile(q)
			low, found := slices.BinarySearch(sorted, v)
			high, _ := slices.BinarySearch(sorted, math.Nextafter(v, math.Inf(1)))
			if !found {
				low--
			} else {
				high--
			}
			rank := q * (n - 1)
			off := math.Max(0, math.Max(float64(low)-rank, rank-float64(high))) / n
			if limit := 2*math.Pi/500*math.Sqrt(q*(1-q)) + 2.0/n; off > limit {
				t.Errorf("%s: the rank of the %v quantile is off by %v, over %v", name, q, off, limit)
			}
		}
	}
}

// The edges of ten bins from 0 to 10 are whole numbers, each of which belongs to
// the bin above it, and 10 to the last.
func TestHistogramEdges(t *testing.T) {
	h := NewHistogram(1000, F(0), F(10), 2.5, 2.5+5) // 2*5/10 = 1 wide
	if len(h.Counts) != 10 || h.Rule != "freedman_diaconis" {
		t.Fatalf("%d bins by %s", len(h.Counts), h.Rule)
	}
	for i := range 11 {
		h.Add(float64(i))
	}
	if want := []int64{1, 1, 1, 1, 1, 1, 1, 1, 1, 2}; !slices.Equal(h.Counts, want) {
		t.Errorf("counts are %v", h.Counts)
	}
	if s := NewHistogram(1024, F(0), F(1), 0.5, 0.5); s.Rule != "sturges" || len(s.Counts) != 11 { // log2(1024) + 1
		t.Errorf("%d bins by %s", len(s.Counts), s.Rule)
	}
	if s := NewHistogram(5, F(3), F(3), 3, 3); len(s.Counts) != 1 {
		t.Errorf("equal values have %d bins", len(s.Counts))
	}
}
