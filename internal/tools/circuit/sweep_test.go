package circuit

import (
	"fmt"
	"math"
	"math/cmplx"
	"strings"
	"testing"

	"atelier/internal/contract"
	"atelier/internal/evidence"
)

// A zoom on a resonance is shorter than a step of a grid by decades. The peak of
// the voltage across the capacitor of a series circuit is at w0 sqrt(1 - 1/(2 Q^2)),
// where it is Q/sqrt(1 - 1/(4 Q^2)).
func TestSweepsWithinAStep(t *testing.T) {
	r := seeded(t)
	l, c, q := math.Pow(10, between(r, -6, -2)), math.Pow(10, between(r, -11, -7)), math.Pow(10, between(r, 2, 4))
	w0 := 1 / math.Sqrt(l*c)
	peak, f0 := q/math.Sqrt(1-1/(4*q*q)), w0*math.Sqrt(1-1/(2*q*q))/(2*math.Pi)
	netlist := fmt.Sprintf("tank\nV1 in 0 AC 1\nR1 in a %.17g\nL1 a out %.17g\nC1 out 0 %.17g\n", w0*l/q, l, c)
	from, to := f0*(1-between(r, 1, 3)/q), f0*(1+between(r, 1, 3)/q)
	last := 1 / cmplx.Abs(complex(1-math.Pow(2*math.Pi*to/w0, 2), 2*math.Pi*to/w0/q))
	for _, fields := range []map[string]any{
		{"netlist": netlist, "analysis": "ac", "options": map[string]any{"ac": map[string]any{"fstart": from, "fstop": to, "points": 1 + r.IntN(20)}}},
		{"netlist": netlist, "control": fmt.Sprintf("ac dec %d %.17g %.17g", 1+r.IntN(20), from, to)},
		{"netlist": netlist + fmt.Sprintf(".ac oct %d %.17g %.17g\n", 1+r.IntN(20), from, to)},
	} {
		fields["probes"] = []string{"v(out)"}
		result, out := simulated(t, input(t, fields))
		if n := out.Analyses[0].Points; n < narrowPoints {
			t.Errorf("%v: %d points", fields, n)
		}
		end, top := quantity(t, result, "/series/0/final"), quantity(t, result, "/series/0/max/y")
		near(t, "at the end", *end.Value, last, *end.Error)
		if top.Trust() == evidence.Verified || top.Error != nil && top.Trust() != evidence.Suspect {
			near(t, "the peak", *top.Value, peak, *top.Error+1e-6*peak)
		}
		if end.Trust() != evidence.Verified || !strings.Contains(fmt.Sprint(result.Warnings), "less than one step") {
			t.Errorf("%v: %v\n%s", fields, result.Warnings, show(result))
		}
	}
}

// One frequency is a sweep of one point, and the noise of a resistor there is
// sqrt(4 k T R).
func TestSweepsOfOneFrequency(t *testing.T) {
	r := seeded(t)
	f, ohms := between(r, 10, 1e6), between(r, 10, 1e6)
	netlist := fmt.Sprintf("r\nI1 0 a AC 1\nR1 a 0 %.17g\n", ohms)
	_, out := simulated(t, input(t, map[string]any{"netlist": netlist, "control": fmt.Sprintf("ac dec 10 %.17g %.17g", f, f)}))
	near(t, "impedance", out.Series[0].Final, ohms, 1e-6*ohms)
	want := math.Sqrt(4 * 1.380649e-23 * 300.15 * ohms)
	for _, ratio := range []float64{1, 1.01} {
		_, out = simulated(t, input(t, map[string]any{"netlist": netlist, "control": fmt.Sprintf("noise v(a) I1 dec 10 %.17g %.17g", f, f*ratio)}))
		shown := map[string]float64{}
		for _, s := range out.Series {
			shown[s.Probe] = s.Final
		}
		for _, v := range out.Values {
			shown[v.Name] = v.Value
		}
		near(t, "noise", shown["onoise_spectrum"], want, 1e-3*want)
	}
}

// A sweep that goes down is refused with its line.
func TestSweepsThatGoDown(t *testing.T) {
	for _, command := range []string{"ac dec 10 2k 1k", "ac lin 10 2k 1k", "noise v(out) V1 oct 10 2k 1k", "ac dec 10 0 1k"} {
		result, _ := simulateFor(t, input(t, map[string]any{"netlist": "d\nV1 in 0 AC 1\nR1 in out 1k\nR2 out 0 1k\n", "control": "op\n" + command}))
		if len(result.Errors) == 0 || result.Errors[0].Code != contract.CodeInvalidRequest || result.Errors[0].Details["line"] != 2 {
			t.Errorf("%s: %s %v", command, result.Summary, result.Errors)
		}
	}
}
