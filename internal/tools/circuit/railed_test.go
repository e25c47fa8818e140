package circuit

import (
	"fmt"
	"slices"
	"testing"

	"atelier/internal/contract"
)

// An amplifier at its limit and a saturated transistor are told beside the ac
// analysis, those in their range are not.
func TestSmallSignalsOfRailedDevices(t *testing.T) {
	r := seeded(t)
	gain, load := between(r, 1e3, 1e6), between(r, 800, 1.2e3)
	amplifier := func(dc float64) string {
		return fmt.Sprintf("x\nV1 in 0 DC %g AC 1\nB1 o 0 V=12*tanh(%g*(v(in)-v(n)))\nR1 n 0 1k\nR2 n o 10k\n", dc, gain)
	}
	stage := func(base float64) string {
		return fmt.Sprintf("x\nVcc vcc 0 12\nV1 in 0 DC 0 AC 1\nC1 in b 10u\nR1 vcc b %g\nRc vcc c %g\nQ1 c b 0 n\n.model n NPN(BF=100)\n", base, load)
	}
	for netlist, want := range map[string]bool{amplifier(between(r, 0.01, 0.5)): false, amplifier(between(r, 3, 10)): true, stage(300 * load): false, stage(10 * load): true} {
		result, _ := simulated(t, input(t, map[string]any{"netlist": netlist, "control": "ac dec 5 100 10k"}))
		if slices.ContainsFunc(result.Warnings, func(w contract.Warning) bool { return w.Code == "railed" }) != want {
			t.Errorf("want %v: %v\n%s", want, result.Warnings, netlist)
		}
	}
}
