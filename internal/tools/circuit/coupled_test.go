package circuit

import (
	"fmt"
	"math"
	"math/cmplx"
	"testing"

	"atelier/internal/evidence"
)

// Two coupled windings, each in a loop with its resistor and capacitor, against the
// two equations of their loops. Tight coupling moves the resonances to
// f0/sqrt(1+k) and f0/sqrt(1-k), far from those of an inductor with a capacitor.
func TestResonancesOfCoupledInductors(t *testing.T) {
	r := seeded(t)
	c := &tally{}
	for range 3 * *circuits {
		l1, l2, k := between(r, 1e-5, 1e-2), between(r, 1e-5, 1e-2), 1-between(r, 1e-4, 0.5)
		c1, c2 := between(r, 1e-11, 1e-8), between(r, 1e-11, 1e-8)
		r1, r2 := math.Sqrt(l1/c1)/between(r, 5, 3e3), math.Sqrt(l2/c2)/between(r, 5, 3e3)
		mutual := k * math.Sqrt(l1*l2)
		value := func(f float64) float64 {
			w := 2 * math.Pi * f
			z1, z2 := complex(r1, w*l1-1/(w*c1)), complex(r2, w*l2-1/(w*c2))
			x := complex(0, w*mutual)
			i2 := -x / (z1*z2 - x*x)
			return cmplx.Abs(i2) / (w * c2)
		}
		f0 := 1 / (2 * math.Pi * math.Sqrt(math.Sqrt(l1*c1*l2*c2)))
		from, points := f0/100, []int{5, 10, 30, 100}[r.IntN(4)]
		netlist := fmt.Sprintf("coupled\nV1 in 0 AC 1\nR1 in a %.15g\nC1 a b %.15g\nL1 b 0 %.15g\nL2 c 0 %.15g\nK1 L1 L2 %.15g\nR2 c o %.15g\nC2 o 0 %.15g\n", r1, c1, l1, l2, k, r2, c2)
		result, out := simulateFor(t, input(t, map[string]any{"netlist": netlist, "probes": []string{"v(o)"}, "control": fmt.Sprintf("ac dec %d %.12g %.12g", points, from, 300*f0)}))
		if len(out.Series) == 0 {
			t.Fatal(result.Errors)
		}
		last := out.Series[0].X[len(out.Series[0].X)-1]
		lo, hi := extremesOf(value, from, last)
		c.hold(t, result, netlist, map[string]float64{"/series/0/final": value(last), "/series/0/min/y": lo, "/series/0/max/y": hi}, 1e-7*hi) // what rounding leaves of windings that are coupled by 0.9999
		if q := quantity(t, result, "/series/0/final"); q.Trust() != evidence.Verified && q.Trust() != evidence.Suspect {
			t.Errorf("the final value is %s: %v", q.Trust(), q.Reasons())
		}
	}
	c.report(t)
}

// extremesOf are those of a function between two frequencies, by a grid and golden
// sections around its best points.
func extremesOf(value func(f float64) float64, from, to float64) (lo, hi float64) {
	const dense = 200_000
	at := func(i float64) float64 { return from * math.Pow(to/from, i/dense) }
	search := func(sign float64, best int) float64 {
		a, b := math.Max(0, float64(best-1)), math.Min(dense, float64(best+1))
		for range 60 {
			p, q := b-0.618*(b-a), a+0.618*(b-a)
			if sign*value(at(p)) > sign*value(at(q)) {
				b = q
			} else {
				a = p
			}
		}
		return value(at((a + b) / 2))
	}
	top, bottom := 0, 0
	highest, lowest := math.Inf(-1), math.Inf(1)
	for i := range dense + 1 {
		v := value(at(float64(i)))
		if v > highest {
			top, highest = i, v
		}
		if v < lowest {
			bottom, lowest = i, v
		}
	}
	return math.Min(lowest, search(-1, bottom)), math.Max(highest, search(1, top))
}
