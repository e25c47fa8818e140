package circuit

import (
	"fmt"
	"math"
	"testing"

	"atelier/internal/evidence"
)

// A divider returns the part b of an amplifier's output tanh(k v) to its input: at
// rest its gain is k b, and from 1 on it does not stay there.
func TestExpressionsThatFeedBack(t *testing.T) {
	r := seeded(t)
	for _, gain := range []float64{between(r, 0.1, 0.8), between(r, 1.3, 30)} {
		b := between(r, 0.1, 0.9)
		netlist := fmt.Sprintf("loop\nE1 out 0 VALUE={5*tanh(%.17g*v(fb)/5)}\nR1 out fb %.17g\nR2 fb 0 %.17g\n", gain/b, 1e3*(1-b), 1e3*b)
		result, _ := simulated(t, input(t, map[string]any{"netlist": netlist, "control": "op", "probes": []string{"v(out)"}}))
		if suspect := result.Evidence.Trust() == evidence.Suspect; suspect != (gain > 1) {
			t.Errorf("a loop gain of %g: %s", gain, show(result))
		}
	}
}

// A current of g (v^3/u^2 - v) beside a resistor has the slope g (3 v^2/u^2 - 1) + 1/R:
// where that is negative the operating point is one that the circuit leaves.
func TestExpressionsOfNegativeResistance(t *testing.T) {
	r := seeded(t)
	kept, left := 0, 0
	for k := range 10 {
		g, u, drive := between(r, 1e-5, 1e-2), between(r, 0.3, 3), between(r, 0.01, 0.3)
		part := between(r, 1.5, 20) // of the slope at 0 V, that the resistor is
		if k%2 == 0 {
			part = between(r, 0.05, 0.6)
		}
		netlist := fmt.Sprintf("cubic\nI1 0 a %.17g\nR1 a 0 %.17g\nB1 a 0 I=%.17g*(v(a)*v(a)*v(a)/%.17g-v(a))\n", drive*g*u, 1/(part*g), g, u*u)
		control := []string{"op", fmt.Sprintf("dc I1 %.17g %.17g %.17g", drive*g*u, 1.01*drive*g*u, 0.01*drive*g*u)}[k%4/2]
		result, out := simulated(t, input(t, map[string]any{"netlist": netlist, "control": control, "probes": []string{"v(a)"}}))
		v, at := out.OperatingPoint["v(a)"], "/operating_point/v(a)"
		if control != "op" {
			v, at = out.Series[0].Y[0], "/series/0/final"
		}
		slope := g*(3*v*v/(u*u)-1) + part*g
		trust := quantity(t, result, at).Trust()
		if math.Abs(slope) < 0.02*g {
			continue // too near to the fold to tell
		}
		if slope < 0 {
			left++
		} else {
			kept++
		}
		if (slope < 0) != (trust == evidence.Suspect) {
			t.Errorf("%s%s: %g V, slope %g S, is %s: %s", netlist, control, v, slope, trust, show(result))
		}
	}
	if kept == 0 || left == 0 {
		t.Logf("%d points are kept and %d are left: this seed shows one side alone", kept, left)
	}
}
