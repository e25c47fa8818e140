package circuit

import (
	"fmt"
	"math"
	"testing"

	"atelier/internal/evidence"
)

// No error bar is below what rounding and the tolerances leave, whichever analysis
// and however exact the figure is; and voltages that are zero are still verified.
func TestBarsHaveAFloor(t *testing.T) {
	r := seeded(t)
	v, r1, r2, c := between(r, 0.1, 10), between(r, 100, 1e5), between(r, 100, 1e5), between(r, 1e-10, 1e-6)
	circuit := fmt.Sprintf("divider\nV1 a 0 DC %.9g AC 1\nR1 a b %.9g\nR2 b 0 %.9g\nC1 b 0 %.9g\nR3 z 0 1k\n", v, r1, r2, c)
	diode := circuit + "D1 b y d\nR4 y 0 1k\n.model d D(IS=1e-14)\n"
	for _, netlist := range []string{circuit, diode} {
		for _, control := range []any{"op", "dc V1 0 1 0.1", "ac dec 10 1 1meg", fmt.Sprintf("tran %g %g", r1*c/100, 5*r1*c), []string{"ac dec 10 1 1meg", "meas ac top MAX vm(b)"}} {
			result, _ := simulated(t, input(t, map[string]any{"netlist": netlist, "control": control}))
			bars := 0
			for _, q := range result.Evidence.Quantities() {
				if q.Value == nil || q.Error == nil {
					continue
				}
				bars++
				least := 1e-9 * math.Abs(*q.Value)
				if control == "op" && netlist == diode {
					least += 1e-13
				}
				if *q.Error < least || *q.Error == 0 {
					t.Errorf("%v: %s = %g ± %g %s", control, q.Pointer, *q.Value, *q.Error, q.Unit)
				}
			}
			if bars == 0 {
				t.Errorf("%v: no figure has an error bar", control)
			}
			if control == "op" && quantity(t, result, "/operating_point/v(z)").Trust() != evidence.Verified && netlist == circuit {
				t.Errorf("a voltage of zero is not verified: %s", show(result))
			}
		}
	}
}
