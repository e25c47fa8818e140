package circuit

import (
	"fmt"
	"math"
	"math/big"
	"strings"
	"testing"

	"atelier/internal/evidence"
)

// A shunt before a light load: the voltage across it, and the current that the
// simulator finds from it, are differences of almost equal numbers. The truth is
// V/(R1+R2), in rational numbers.
func TestBarsOfDifferences(t *testing.T) {
	r := seeded(t)
	verified := 0
	for k := range 12 {
		v, shunt, load := fmt.Sprintf("%.3g", between(r, 1, 50)), fmt.Sprintf("%.3g", between(r, 1e-6, 1)), fmt.Sprintf("%.3g", between(r, 1e3, 1e9))
		netlist := fmt.Sprintf("shunt\nV1 in 0 DC %s AC %s\nR1 in out %s\nR2 out 0 %s\n", v, v, shunt, load)
		if k%3 == 2 { // the tolerances of an iteration, for the same figures
			netlist += "I9 0 x 1m\nD1 x 0 d\n.model d D(IS=1e-14)\n"
		}
		rat := func(text string) *big.Rat { x, _ := new(big.Rat).SetString(text); return x }
		i := new(big.Rat).Quo(rat(v), new(big.Rat).Add(rat(shunt), rat(load)))
		current, _ := i.Float64()
		across, _ := new(big.Rat).Mul(i, rat(shunt)).Float64()
		out, _ := new(big.Rat).Mul(i, rat(load)).Float64()
		want := map[string]float64{"v(in,out)": across, "i(V1)": -current, "v(out)": out}
		for _, control := range []string{"op", "dc V1 0 " + v + " " + v, "ac dec 5 1 1k"} {
			for probe, truth := range want {
				result, _ := simulated(t, input(t, map[string]any{"netlist": netlist, "control": control, "probes": []string{probe}}))
				at := "/series/0/final"
				if control == "op" {
					at = pointer("operating_point", strings.ToLower(probe))
				}
				if control[0] == 'a' {
					truth = math.Abs(truth)
				}
				q := quantity(t, result, at)
				off := math.Abs(*q.Value - truth)
				switch {
				// A current that is what two 1e14 times as large leave is not
				// known to its third digit, and is told as such.
				case q.Trust() == evidence.Suspect && off <= 1e-3*math.Abs(truth):
					t.Errorf("%s, %s, %s: %s is suspect: %v", netlist, control, probe, format5(*q.Value), q.Reasons())
				case q.Trust() == evidence.Verified && off > *q.Error:
					t.Errorf("%s, %s, %s: %.17g ± %g, want %.17g, off by %g", netlist, control, probe, *q.Value, *q.Error, truth, off)
				case q.Trust() == evidence.Verified:
					verified++
				}
			}
		}
	}
	if verified < 60 {
		t.Errorf("%d of 108 figures are verified", verified)
	}
}

// The numbers have 31 digits: (1+e)^2 - 1 - 2 e is e^2, and a quotient times its
// divisor is the dividend.
func TestLongNumbers(t *testing.T) {
	r := seeded(t)
	for range 100 {
		e := between(r, 1e-12, 1e-3)
		one := long{hi: 1}
		x := one.plus(long{hi: e})
		near(t, "square", x.times(x).minus(one).minus(long{hi: 2 * e}).hi, e*e, 1e-29+1e-12*e*e)
		a := wide{long{hi: between(r, 1e-6, 1e6)}, long{hi: -between(r, 1e-6, 1e6)}}
		b := wide{long{hi: between(r, 1e-6, 1e6)}, long{hi: between(r, 1e-6, 1e6)}}
		if rest := a.over(b).times(b).minus(a).size(); rest > 1e-27*a.size() {
			t.Errorf("%v over %v leaves %g", a, b, rest)
		}
	}
}
