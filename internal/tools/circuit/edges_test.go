package circuit

import (
	"fmt"
	"math"
	"testing"

	"atelier/internal/evidence"
)

// A square wave without rise and fall times: V(end) of a series RC is that of a
// geometric sum, whatever step is asked for, or it is not verified. The mean of
// half a period on is 0.5.
func TestEdgesWithoutLength(t *testing.T) {
	r := seeded(t)
	tau := between(r, 5e-3, 2e-2)
	want := 0.0
	for range 20 { // charged for 1 ms, then discharged for 1 ms
		want = (1 + (want-1)*math.Exp(-1e-3/tau)) * math.Exp(-1e-3/tau)
	}
	netlist := fmt.Sprintf("x\nV1 in 0 PULSE(0 1 0 0 0 1m 2m)\nR1 in a 1k\nC1 a 0 %.17g\n", tau/1e3)
	for _, more := range []map[string]any{
		{"analysis": "tran", "options": map[string]any{"tran": map[string]any{"tstop": 0.04, "step": 5e-4}}},
		{"analysis": "tran", "options": map[string]any{"tran": map[string]any{"tstop": 0.04}}},
		{"control": "tran 0.1m 40m\nmeas tran mean AVG v(in)"},
		{"control": "tran 0.5m 40m\nmeas tran mean AVG v(in)"},
		{"control": "tran 1u 40m\nmeas tran mean AVG v(in)"},
	} {
		more["netlist"], more["probes"] = netlist, []string{"v(a)"}
		result, _ := simulated(t, input(t, more))
		c := &tally{}
		c.hold(t, result, fmt.Sprint(more), map[string]float64{"/series/0/final": want, "/measurements/mean": 0.5}, 1e-9)
		told := false
		for _, w := range result.Warnings {
			told = told || w.Code == "edge_without_length"
		}
		if !told {
			t.Errorf("no warning: %v", result.Warnings)
		}
		if more["analysis"] == nil && result.Evidence.Trust() == evidence.Verified && c.verified == 0 {
			t.Error(show(result))
		}
	}
}

// An exponential pulse much shorter than a step, at any time: its height by closed
// form, or the answer is suspect.
func TestAnExponentialPulseIsNotMissed(t *testing.T) {
	r := seeded(t)
	for range 4 {
		at, tau := between(r, 0.1, 0.9), between(r, 1e-10, 1e-6)
		netlist := fmt.Sprintf("x\nV1 a m EXP(0 5 %.17g %.17g %.17g %.17g)\nV2 m 0 1\nR1 a 0 1k\n", at, tau, at+10*tau, tau)
		result, _ := simulated(t, input(t, map[string]any{"netlist": netlist, "analysis": "tran", "probes": []string{"v(a)"}, "options": map[string]any{"tran": map[string]any{"tstop": 1}}}))
		want := 1 + 5*(1-math.Exp(-10))
		for _, q := range result.Evidence.Quantities() {
			if q.Pointer == "/series/0/max/y" && math.Abs(*q.Value-want) > 0.01*want && q.Trust() != evidence.Suspect {
				t.Errorf("the highest voltage is %g and %s, expected %g\n%s", *q.Value, q.Trust(), want, netlist)
			}
		}
	}
}

// A parameter that no model has is left out by the simulator: the result is of
// another device. What LTspice adds for the reader is no such parameter.
func TestIgnoredModelParameters(t *testing.T) {
	netlist := "x\nV1 a 0 2\nVd d 0 5\nR1 d o 100k\nM1 o a 0 0 nm w=1u l=1u\n.model nm nmos(%s=1.5 kp=100u)\n"
	for name, suspect := range map[string]bool{"vth0": true, "vto": false, "vto=1.5 mfg": false} {
		result, _ := simulated(t, input(t, map[string]any{"netlist": fmt.Sprintf(netlist, name), "analysis": "op", "probes": []string{"v(o)"}}))
		if got := result.Evidence.Trust() == evidence.Suspect; got != suspect {
			t.Errorf("%s: %s", name, show(result))
		}
	}
}
