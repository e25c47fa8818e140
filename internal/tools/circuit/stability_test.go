package circuit

import (
	"fmt"
	"testing"

	"atelier/internal/evidence"
)

// Two cross-coupled transistors have three operating points; the balanced one is
// unstable, and may not be verified. An amplifier of two stages has one.
func TestBalancedFlipFlop(t *testing.T) {
	r := seeded(t)
	load, base := between(r, 500, 2e3), between(r, 8e3, 3e4)
	flipflop := fmt.Sprintf("x\nVcc vcc 0 5\nR1 vcc c1 %.9g\nR2 vcc c2 %.9g\nR3 c1 b2 %.9g\nR4 c2 b1 %.9g\nQ1 c1 b1 0 n\nQ2 c2 b2 0 n\n.model n NPN(BF=100)\n", load, load, base, base)
	result, _ := simulated(t, input(t, map[string]any{"netlist": flipflop, "control": "op"}))
	if q := quantity(t, result, "/operating_point/v(c1)"); q.Trust() == evidence.Verified || result.Evidence.Trust() == evidence.Verified {
		t.Errorf("the balanced point is %s\n%s", q.Trust(), show(result))
	}
	amplifier := fmt.Sprintf("x\nVcc vcc 0 5\nR1 vcc c1 %.9g\nR2 vcc c2 %.9g\nR3 c1 b2 %.9g\nR4 vcc b1 1meg\nQ1 c1 b1 0 n\nQ2 c2 b2 0 n\n.model n NPN(BF=100)\n", load, load, base)
	result, _ = simulated(t, input(t, map[string]any{"netlist": amplifier, "control": "op"}))
	if q := quantity(t, result, "/operating_point/v(c1)"); q.Trust() != evidence.Verified {
		t.Errorf("the amplifier is %s\n%s", q.Trust(), show(result))
	}
}
