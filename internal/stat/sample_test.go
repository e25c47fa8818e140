package stat

import (
	"context"
	"math"
	"reflect"
	"runtime"
	"testing"
)

// Anscombe's third set (1973), against the closed forms of a line.
func TestTheSampleHoldsTheFiguresOfItsRows(t *testing.T) {
	x := []float64{10, 8, 13, 9, 11, 14, 6, 4, 12, 7, 5}
	y := []float64{7.46, 6.77, 12.74, 7.11, 7.81, 8.84, 6.08, 5.39, 8.15, 6.42, 5.73}
	b := Block{X: make([][]DD, 1)}
	for i := range x {
		b.X[0], b.Y, b.Row = append(b.X[0], F(x[i])), append(b.Y, F(y[i])), append(b.Row, int64(i+1))
	}
	fit, err := LeastSquares(context.Background(), Slices{b}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	d, err := fit.Diagnose(context.Background(), Slices{b})
	if err != nil || len(d.Sample) != len(x) {
		t.Fatalf("%v, %d points", err, len(d.Sample))
	}
	for i, p := range d.Sample {
		// Of a line, h = 1/n + (x-9)^2/110 in closed form, 110 being the sum of
		// the squares about the mean 9.
		h := 1.0/11 + (x[i]-9)*(x[i]-9)/110
		fitted := fit.Coef[0] + fit.Coef[1]*x[i]
		e := y[i] - fitted
		r := e / (fit.Sigma() * math.Sqrt(1-h))
		want := [5]float64{fitted, e, r, h, r * r * h / (1 - h) / 2}
		got := [5]float64{p.Fitted, p.Residual, p.Standardized, p.Leverage, p.Cook}
		for k := range want {
			if math.Abs(got[k]-want[k]) > 1e-13*(1+math.Abs(want[k])) {
				t.Errorf("row %d figure %d: %v, not %v", i+1, k, got[k], want[k])
			}
		}
		if p.Row != int64(i+1) {
			t.Errorf("row %d is said to be %d", i+1, p.Row)
		}
	}
}

// 104321 observations: every 32nd is the first power of two that leaves at most
// 4096, namely 3261 of them.
func TestTheSampleIsTheSameForAnyProcessors(t *testing.T) {
	src := many()
	at := int64(0)
	for i := range src {
		for range src[i].Y {
			at++
			src[i].Row = append(src[i].Row, at)
		}
	}
	var first []Point
	for _, n := range []int{1, 3} {
		before := runtime.GOMAXPROCS(n)
		fit, err := LeastSquares(context.Background(), src, Options{})
		if err != nil {
			t.Fatal(err)
		}
		d, err := fit.Diagnose(context.Background(), src)
		runtime.GOMAXPROCS(before)
		if err != nil || len(d.Sample) != 3261 {
			t.Fatalf("%v, %d points", err, len(d.Sample))
		}
		for i, p := range d.Sample {
			if p.Row != int64(32*i+1) {
				t.Fatalf("point %d is row %d", i, p.Row)
			}
		}
		if first == nil {
			first = d.Sample
		} else if !reflect.DeepEqual(first, d.Sample) {
			t.Error("the processors matter")
		}
	}
}
