package circuit

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"atelier/internal/evidence"
)

// A sine switched on at its zero makes, in R and L in series, the current
// U/|Z| (sin(wt - p) + sin(p) exp(-t R/L)); its mean power is that of R when it has
// settled, and what a parameter of a device is measured as has the parameter's unit.
func TestMeasuredDeviceParameters(t *testing.T) {
	r := seeded(t)
	ohms, henry := between(r, 5, 20), between(r, 20e-3, 60e-3)
	w, peak := 2*math.Pi*50, 325.27
	z, p := math.Hypot(ohms, w*henry), math.Atan2(w*henry, ohms)
	top := 0.0
	for at := 0.0; at < 0.2; at += 1e-6 {
		top = math.Max(top, peak/z*(math.Sin(w*at-p)+math.Sin(p)*math.Exp(-at*ohms/henry)))
	}
	netlist := fmt.Sprintf("rl\nV1 in 0 SIN(0 %g 50) AC 1\nR1 in a %.12g\nL1 a 0 %.12g\n", peak, ohms, henry)
	result, out := simulated(t, input(t, map[string]any{"netlist": netlist + ".ac dec 10 10 1k\n.tran 20u 200m\n.meas tran x MAX @r1[i]\n.meas tran p AVG @r1[p] from=160m to=200m\n.meas ac y MAX v(in)\n"}))
	near(t, "largest current", *out.Measurements["x"], top, 1e-3*top)
	mean := peak * peak / 2 / z / z * ohms
	near(t, "mean power", *out.Measurements["p"], mean, 1e-3*mean)
	near(t, "magnitude in ac", *out.Measurements["y"], 1, 1e-6)
	for at, unit := range map[string]string{"x": "A", "p": "W"} {
		if q := quantity(t, result, "/measurements/"+at); q.Unit != unit || q.Trust() != evidence.Verified {
			t.Errorf("%s in %q is %s\n%s", at, q.Unit, q.Trust(), show(result))
		}
	}
}

// The collector current of a transistor without Early effect rises by q/kT of its
// logarithm.
func TestMeasuredParametersInADCSweep(t *testing.T) {
	r := seeded(t)
	top := between(r, 0.55, 0.65)
	step := (top - 0.5) / 20
	end := top + step/1000 // so that rounding does not leave out the last point
	thermal := 1.380649e-23 * 300.15 / 1.602176634e-19
	netlist := "q\nVCC c 0 5\nVB b 0 0.6\nQ1 c b 0 qn\n.model qn NPN(IS=1e-14 BF=100)\n"
	for _, form := range []map[string]any{
		{"netlist": netlist + fmt.Sprintf(".dc VB 0.5 %.9g %.9g\n.meas dc x MAX @q1[ic]\n", end, step)},
		{"netlist": netlist, "control": []string{fmt.Sprintf("dc VB 0.5 %.9g %.9g", end, step), "let g=@q1[ic]", "meas dc x MAX g"}},
	} {
		result, out := simulated(t, input(t, form))
		want := 1e-14 * math.Exp(top/thermal)
		near(t, "collector current", *out.Measurements["x"], want, 2e-3*want)
		if result.Evidence.Trust() == evidence.Suspect {
			t.Error(show(result))
		}
	}
}

// In ac the simulator has of device parameters nothing, or the operating point.
func TestAmplitudesOfDeviceParameters(t *testing.T) {
	const netlist = "q\nVCC c 0 5\nVB b 0 0.6 AC 1\nR1 c k 1k\nQ1 k b 0 qn\n.model qn NPN(IS=1e-14 BF=100)\n"
	for card, says := range map[string]string{
		".ac dec 10 1 1k\n.meas ac x MAX @r1[i]": "i(R1)", ".ac dec 10 1 1k\n.meas ac x MAX @q1[ic]": "0 V in series with Q1", ".op\n.ac dec 10 1 1k\n.meas ac x MAX @q1[vbe]": "op analysis", ".ac dec 10 1 1k\n.print ac @r1[p]": "series",
		".ac dec 10 1 1k\n.meas ac x MAX @q1[gm]": "", ".op\n.ac dec 10 1 1k\n.print op @r1[i]\n.meas ac x MAX v(k)": "",
	} {
		r, fault := readRequest(&simulateInput{Netlist: netlist + card})
		if (fault != nil) != (says != "") || fault != nil && !strings.Contains(fault.Hint, says) {
			t.Errorf("%s: %v", card, fault)
		}
		if fault == nil && strings.Contains(card, "@r1[i]") {
			if text := r.deck().text(); !strings.Contains(text, "delete all\nsave all @r1[i]\nop") || !strings.Contains(text, "delete all\nsave all\nac") {
				t.Error(text)
			}
		}
	}
}

// Into a matched line of Z0 flows u/2/Z0: an ampere, though the simulator keeps it as
// the voltage of an inner node.
func TestCurrentsOfLines(t *testing.T) {
	r := seeded(t)
	u, z := between(r, 1, 10), between(r, 30, 100)
	for _, line := range []string{fmt.Sprintf("T1 a 0 b 0 Z0=%.9g TD=5n", z), fmt.Sprintf("O1 a 0 b 0 lm\n.model lm LTRA(R=0 L=%.12g C=%.12g LEN=1)", z*5e-9, 5e-9/z)} {
		netlist := fmt.Sprintf("line\nV1 in 0 PULSE(0 %.9g 0 0.1n 0.1n 50n 100n)\nR1 in a %.9g\n%s\nR2 b 0 %.9g\n.tran 0.1n 20n\n", u, z, line, z)
		probe := fmt.Sprintf("v(%s#i1)", strings.ToLower(line[:2]))
		_, out := simulated(t, input(t, map[string]any{"netlist": netlist, "probes": []string{probe, "v(a)"}}))
		near(t, "current", out.Series[0].Final, u/2/z, 1e-3*u/z)
		if out.Series[0].Unit != "A" || out.Series[1].Unit != "V" {
			t.Errorf("%s: units %s and %s", line, out.Series[0].Unit, out.Series[1].Unit)
		}
	}
}
