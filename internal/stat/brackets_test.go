package stat

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// The quartiles by brackets are those of the sorted series, whether the brackets
// hold them or miss, and also of series with ties.
func TestBracketsHoldTheQuartiles(t *testing.T) {
	r := noise(11)
	for name, make := range map[string]func(i int) float64{
		"alike":    func(int) float64 { return r.next() },
		"ties":     func(int) float64 { return math.Floor(5 * r.next()) },
		"drifting": func(i int) float64 { return r.next() + float64(i)/50000 },
	} {
		var all []float64
		for i := range 300_001 {
			all = append(all, make(i))
		}
		b := expect(slices.Clone(all[:8000]))
		for at := 0; at < len(all); at += 8000 {
			part := b.empty()
			part.add(all[at:min(at+8000, len(all))])
			b.merge(part)
		}
		got, ok := b.five()
		if ok == (name == "drifting") {
			t.Errorf("%s: found %v", name, ok)
		}
		if !ok {
			got = quantiles(slices.Clone(all), 0, 0.25, 0.5, 0.75, 1)
		}
		slices.Sort(all)
		// 300001 values: the shares fall on whole ranks.
		for k, rank := range []int{0, 75000, 150000, 225000, 300000} {
			if got[k] != all[rank] {
				t.Errorf("%s: figure %d is %v, not %v", name, k, got[k], all[rank])
			}
		}
		if kept := len(b.inside[0]) + len(b.inside[1]) + len(b.inside[2]); name == "alike" && kept > len(all)/3 {
			t.Errorf("%d of %d are kept", kept, len(all))
		}
	}
}

// A fit whose first rows are unlike the rest has the quartiles of all of them.
func TestQuartilesOfResidualsThatDrift(t *testing.T) {
	src := many()
	n := 0
	for i := range src {
		for k := range src[i].Y {
			src[i].Y[k] = src[i].Y[k].Add(F(math.Sin(float64(n) / 2e4)))
			n++
		}
	}
	src = append(src, many()...)
	fit, err := LeastSquares(t.Context(), src, Options{})
	if err != nil {
		t.Fatal(err)
	}
	d, err := fit.Diagnose(t.Context(), src)
	if err != nil {
		t.Fatal(err)
	}
	var e []float64
	for _, b := range src {
		for i, y := range b.Y {
			fitted := F(fit.Coef[0])
			for j := range b.X {
				fitted = fitted.Add(F(fit.Coef[j+1]).Mul(b.X[j][i]))
			}
			e = append(e, y.Sub(fitted).Float())
		}
	}
	slices.Sort(e)
	for k, share := range []float64{0, 0.25, 0.5, 0.75, 1} {
		// The coefficients above are rounded: of 1e6 times 1, a part in 1e16.
		if want := Quantile(e, share); math.Abs(d.Quantiles[k]-want) > 1e-9 {
			t.Errorf("share %v: %v, not %v", share, d.Quantiles[k], want)
		}
	}
}

// Against sorting, in orders that are good and bad for it.
func TestNeighbours(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 11))
	for name, at := range map[string]func(i, n int) float64{
		"random": func(int, int) float64 { return random.NormFloat64() }, "few values": func(int, int) float64 { return float64(random.IntN(3)) },
		"rising": func(i, _ int) float64 { return float64(i) }, "falling": func(i, _ int) float64 { return float64(-i) },
		"equal": func(int, int) float64 { return 2 }, "organ pipe": func(i, n int) float64 { return float64(min(i, n-i)) },
	} {
		for _, n := range []int{2, 3, 10, 1000, 4097} {
			values := make([]float64, n)
			for i := range values {
				values[i] = at(i, n)
			}
			sorted := slices.Sorted(slices.Values(values))
			for _, rank := range []int{0, n / 4, min(n/2, n-2), n - 2} {
				if v, next := neighbours(slices.Clone(values), rank); v != sorted[rank] || next != sorted[rank+1] {
					t.Fatalf("%s of %d, rank %d: %v %v, not %v %v", name, n, rank, v, next, sorted[rank], sorted[rank+1])
				}
			}
		}
	}
}
