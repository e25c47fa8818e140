package stat

import (
	"fmt"
	"math"
	"testing"
)

// The expected probabilities are mpmath's in 30 digits: of F the Poisson mixture
// of incomplete beta functions, of t a quadrature over chi.
func TestNoncentralProbabilities(t *testing.T) {
	for _, c := range []struct{ f, d1, d2, lambda, below, above float64 }{
		{3.5, 2, 30, 4, 0.64554466944435826, 0.35445533055564174},
		{0.2, 3, 20, 10, 0.0013010697366945161, 0.99869893026330548},
		{80, 2, 15, 20, 0.99972346098033698, 0.00027653901966301655},
		{5000, 4, 300, 15000, 0.9994784080087236, 0.00052159199127640057},
		{2.5, 5, 1e5, 1, 0.93765725075069887, 0.062342749249301134},
		{0.001, 2, 10, 3, 0.00022319704454676355, 0.99977680295545324},
		{60, 3, 40, 2, 0.99999999999901915, 9.8085035808872914e-13},
	} {
		below, above := NoncentralF(c.f, c.d1, c.d2, c.lambda)
		near(t, "F below", below, c.below, 3e-13)
		near(t, "F above", above, c.above, 3e-13)
	}
	for _, c := range []struct{ t, df, delta, below, above float64 }{
		{2.1, 10, 1, 0.82914787014843211, 0.17085212985156789},
		{2.1, 10, -3, 0.99999825752987421, 1.742470125788866e-6},
		{0.3, 4, 5, 1.3529995132080014e-6, 0.99999864700048679},
		{15, 5, 12, 0.66650219699956776, 0.33349780300043224},
		{40, 30, 35, 0.81201060061330817, 0.18798939938669183},
		{1000, 8, 700, 0.86426602829458014, 0.13573397170541986},
		{30, 3, 5, 0.99305724943527144, 0.0069427505647285617},
		{8, 400, 6, 0.97257453005232294, 0.027425469947677059},
	} {
		below, above := NoncentralT(c.t, c.df, c.delta)
		near(t, "t below", below, c.below, 3e-13)
		near(t, "t above", above, c.above, 3e-13)
	}
}

func near(t *testing.T, what string, got, want, limit float64) {
	t.Helper()
	if e := math.Abs(got-want) / math.Abs(want); !(e <= limit) && got != want {
		t.Errorf("%s: %v is not %v (%.1e)", what, got, want, e)
	}
}

// Without noncentrality both are the central distributions, and the square of
// noncentral t is noncentral F.
func TestNoncentralRelations(t *testing.T) {
	for _, df := range []float64{1, 3, 12.5, 200} {
		for _, x := range []float64{0.01, 0.7, 2, 9, 60} {
			_, above := NoncentralF(x, 3, df, 0)
			near(t, "central F", above, FTail(x, 3, df), 1e-13)
			below, above := NoncentralT(x, df, 0)
			near(t, "central t", above, TTail2(x, df)/2, 2e-13)
			near(t, "sum", below+above, 1, 1e-13)
			for _, delta := range []float64{0.3, 2, 8, 40} {
				below, above := NoncentralF(x*x, 1, df, delta*delta)
				upto, beyond := NoncentralT(x, df, delta)
				minus, under := NoncentralT(-x, df, delta)
				near(t, "t squared above", beyond+minus, above, 1e-12)
				if below > 1e-3 { // a difference
					near(t, "t squared below", upto-minus, below, 1e-11)
				}
				near(t, "sum of t", minus+under, 1, 1e-13)
			}
		}
	}
}

// The sum by strides takes over at a noncentrality of 20000 without a step, and
// agrees with noncentral t squared beyond.
func TestLargeNoncentralities(t *testing.T) {
	for _, f := range []float64{4600, 5000, 5400} {
		below, above := NoncentralF(f, 4, 300, 2e4)
		beneath, beyond := NoncentralF(f, 4, 300, math.Nextafter(2e4, 3e4))
		near(t, "below", beneath, below, 2e-12)
		near(t, "above", beyond, above, 2e-12)
	}
	for _, c := range [][3]float64{{5000, 2e6, 4999}, {1e4, 1, 300}, {200, 1e4, 203}, {1e6, 5, 7e5}} {
		_, above := NoncentralF(c[0]*c[0], 1, c[1], c[2]*c[2])
		_, beyond := NoncentralT(c[0], c[1], c[2])
		near(t, "t squared", beyond, above, 1e-11) // minus t is beyond all reach
	}
	low, high := NoncentralityF(1e12, 3, 20, 0.05)
	if !(low > 1e12 && high < 1e13 && high > low) {
		t.Errorf("%v %v", low, high)
	}
}

// Intervals put the observed value at the wanted tails.
func TestNoncentralityIntervals(t *testing.T) {
	for _, f := range []float64{0.4, 4, 40, 4e4} {
		low, high := NoncentralityF(f, 3, 25, 0.05)
		if _, above := NoncentralF(f, 3, 25, low); low > 0 {
			near(t, "lower", above, 0.025, 1e-12)
		} else if FTail(f, 3, 25) < 0.025 {
			t.Errorf("F %v: a lower end of 0", f)
		}
		below, _ := NoncentralF(f, 3, 25, high)
		near(t, "upper", below, 0.025, 1e-11)
	}
	for _, x := range []float64{-30, -2, 0, 0.5, 3, 900} {
		low, high := NoncentralityT(x, 11, 0.1)
		_, above := NoncentralT(x, 11, low)
		near(t, "lower t", above, 0.05, 1e-11)
		below, _ := NoncentralT(x, 11, high)
		near(t, "upper t", below, 0.05, 1e-11)
	}
}

// Of two means the studentized range is the root of two times |t|; of more, the
// expected tails are trapezoidal sums in 40 digits by mpmath, and the quantiles
// those of published tables (Harter 1960).
func TestStudentizedRange(t *testing.T) {
	for _, df := range []float64{1, 4, 33.3, 500, 1e6} {
		for _, q := range []float64{1e-3, 0.5, 3, 8, 30} {
			near(t, fmt.Sprint("two means ", q, df), rangeTail(q, 2, df), TTail2(q/math.Sqrt2, df), 1e-12)
		}
	}
	for _, c := range []struct {
		q    float64
		k    int
		df   float64
		tail float64
	}{{3.5, 3, 20, 0.055891849081748989}, {6, 10, 8, 0.046585580700201033}, {20, 4, 12, 4.0349361546981315e-8},
		{0.5, 5, 30, 0.99646381713658231}, {40, 5, 60, 2.1664673918434959e-35}, {5, 20, 15, 0.15350872279344807},
		{2, 20, 300, 0.99740635477566857}, {9, 12, 4000, 1.4412253411699362e-8}} {
		near(t, "tail", RangeTail(c.q, c.k, c.df), c.tail, 1e-12)
	}
	for _, c := range []struct {
		p    float64
		k    int
		df   float64
		want float64
	}{{0.05, 3, 10, 3.877}, {0.05, 5, 20, 4.232}, {0.01, 4, 12, 5.502}, {0.05, 10, 60, 4.646}, {0.05, 3, math.Inf(1), 3.314}, {0.01, 10, 5, 10.24}, {0.05, 2, math.Inf(1), 2.772}} {
		q := RangeQuantile(c.p, c.k, c.df)
		if math.Abs(q-c.want) > 2e-3 {
			t.Errorf("%+v: %v", c, q)
		}
		near(t, "back", RangeTail(q, c.k, c.df), c.p, 1e-12)
	}
}
