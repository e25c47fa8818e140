package stat

import (
	"context"
	"math"
	"reflect"
	"runtime"
	"testing"
)

// noise is a reproducible series between -1/2 and 1/2 (Knuth's MMIX generator).
type noise uint64

func (n *noise) next() float64 {
	*n = *n*6364136223846793005 + 1442695040888963407
	return float64(*n>>11)/(1<<53) - 0.5
}

// many is more rows than are fitted by reflections at once, in uneven blocks.
func many() Slices {
	var s Slices
	r := noise(7)
	for left := smallRows + 4321; left > 0; {
		n := min(left, 9000+len(s)*37)
		left -= n
		b := Block{X: make([][]DD, 3)}
		for range n {
			x := [3]float64{1e6 + r.next(), r.next(), 0}
			x[2] = x[1] + 1e-3*r.next()
			for j, v := range x {
				b.X[j] = append(b.X[j], F(v))
			}
			b.Y = append(b.Y, F(3+x[0]-2*x[1]+x[2]+r.next()))
		}
		s = append(s, b)
	}
	return s
}

// The two ways to a fit share no arithmetic beyond the columns, and must agree.
func TestCrossProductsAgreeWithReflections(t *testing.T) {
	src := many()
	fast, err := LeastSquares(context.Background(), src, Options{})
	if err != nil {
		t.Fatal(err)
	}
	slow, err := LeastSquares(context.Background(), src, Options{Reflections: true})
	if err != nil {
		t.Fatal(err)
	}
	if fast.Method != "cross_products" || slow.Method != "householder" {
		t.Fatalf("%s %s", fast.Method, slow.Method)
	}
	for i := range fast.Coef {
		for what, pair := range map[string][2]float64{"coefficient": {fast.Coef[i], slow.Coef[i]}, "error": {fast.SE[i], slow.SE[i]}} {
			if math.Abs(pair[0]-pair[1]) > 4e-16*math.Abs(pair[1]) {
				t.Errorf("%s %d: %v and %v", what, i, pair[0], pair[1])
			}
		}
	}
}

// Bit for bit the same figures come of any number of processors.
func TestTheProcessorsDoNotMatter(t *testing.T) {
	src := many()
	var first *Fit
	var diag *Diagnostics
	for _, n := range []int{1, 2, 5} {
		before := runtime.GOMAXPROCS(n)
		fit, err := LeastSquares(context.Background(), src, Options{})
		if err != nil {
			t.Fatal(err)
		}
		d, err := fit.Diagnose(context.Background(), src)
		runtime.GOMAXPROCS(before)
		if err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first, diag = fit, d
			continue
		}
		if !reflect.DeepEqual(fit.Coef, first.Coef) || !reflect.DeepEqual(fit.SE, first.SE) || !reflect.DeepEqual(d.HC, diag.HC) || d.DurbinWatson != diag.DurbinWatson {
			t.Errorf("%d processors give other figures", n)
		}
	}
}

func TestACancelledFitEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := LeastSquares(ctx, many(), Options{}); err != context.Canceled {
		t.Errorf("%v", err)
	}
}
