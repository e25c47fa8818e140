package stat

import (
	"math"
	"testing"

	"atelier/internal/testenv"
)

// A cubic is fitted exactly: its slopes at the ends are those of its derivative, at
// times that are not even either. A line has no curve beside noise.
func TestBendOfACubic(t *testing.T) {
	r := testenv.Random(t)
	var at, cubic, straight []DD
	time := 0.0
	for range 60 {
		time += 0.5 + r.Float64()
		noise := 1e-6 * r.NormFloat64()
		at = append(at, F(time))
		cubic = append(cubic, F(2*time+0.3*time*time-0.004*time*time*time+noise))
		straight = append(straight, F(2*time+noise))
	}
	of := func(y []DD) Bend {
		l := Line(at, y, 0.05)
		return BendOf(all64(at), all64(l.Rest(at, y)), l, 0)
	}
	b := of(cubic)
	for _, end := range []struct{ at, got float64 }{{at[0].Hi, b.Start}, {time, b.End}} {
		if want := 2 + 0.6*end.at - 0.012*end.at*end.at; math.Abs(end.got-want) > 1e-4*(1+math.Abs(want)) {
			t.Errorf("slope at %v: %v, not %v", end.at, end.got, want)
		}
	}
	if !(b.P < 1e-6) || !(b.Share > 0.08) {
		t.Errorf("%+v", b)
	}
	if s := of(straight); !(s.Share < 1e-5) || math.Abs(s.Start-2) > 1e-5 || math.Abs(s.End-2) > 1e-5 {
		t.Errorf("%+v", s)
	}
	// x² on 0…n-1: the curve is the second Legendre polynomial, whose size by that of
	// the line is, in the limit of many values, sqrt(4/45) (1/4) by sqrt(1/3) (1/2).
	at, cubic = nil, nil
	for i := range 4000 {
		at, cubic = append(at, F(float64(i))), append(cubic, F(float64(i)*float64(i)))
	}
	if got, want := of(cubic).Share, math.Sqrt(4./45)/4/(math.Sqrt(1./3)/2); math.Abs(got-want) > 1e-3*want {
		t.Errorf("share %v, not %v", got, want)
	}
}

func all64(values []DD) (out []float64) {
	for _, v := range values {
		out = append(out, v.Float())
	}
	return out
}
