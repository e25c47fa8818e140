package circuit

import (
	"fmt"
	"math"
	"math/cmplx"
	"testing"

	"atelier/internal/evidence"
)

// The forms of 1/(1 + j w R C) in their units, as probes and as measurements; the
// simulator measures phases in radians unless it is told otherwise.
func TestFormsOfAnACSweep(t *testing.T) {
	r := seeded(t)
	tau, stop := between(r, 1e-4, 1e-2), between(r, 3e3, 3e4)
	h := func(f float64) complex128 { return 1 / complex(1, 2*math.Pi*f*tau) }
	netlist := fmt.Sprintf("rc\nV1 in 0 AC 1\nR1 in a 1k\nC1 a 0 %.17g\n", tau/1e3)
	probes := []string{"vdb(a)", "vp(a)", "vr(a)", "vi(a)", "ph(v(a))", "db(v(a))", "vm(a)", "idb(R1)", "im(v(in,a))"}
	at := h(stop)
	want := []struct {
		value float64
		unit  string
	}{{20 * math.Log10(cmplx.Abs(at)), "dB"}, {cmplx.Phase(at) * 180 / math.Pi, "deg"}, {real(at), "V"}, {imag(at), "V"}, {cmplx.Phase(at) * 180 / math.Pi, "deg"},
		{20 * math.Log10(cmplx.Abs(at)), "dB"}, {cmplx.Abs(at), "V"}, {20 * math.Log10(cmplx.Abs(1-at)/1e3), "dB"}, {-imag(at), "V"}}
	result, _ := simulated(t, input(t, map[string]any{"netlist": netlist, "probes": probes, "analysis": "ac",
		"options": map[string]any{"ac": map[string]any{"fstart": stop / 1e4, "fstop": stop, "points": 20}}}))
	for i, w := range want {
		q := quantity(t, result, fmt.Sprintf("/series/%d/final", i))
		near(t, probes[i], *q.Value, w.value, 1e-6*math.Max(1, math.Abs(w.value)))
		if q.Unit != w.unit || q.Trust() != evidence.Verified {
			t.Errorf("%s: %s, %s\n%s", probes[i], q.Unit, q.Trust(), show(result))
		}
	}
	f := stop / 10
	result, _ = simulated(t, input(t, map[string]any{"netlist": netlist, "control": []string{fmt.Sprintf("ac dec 50 %.17g %.17g", stop/1e4, stop),
		fmt.Sprintf("meas ac level FIND vdb(a) AT=%.17g", f), fmt.Sprintf("meas ac angle FIND vp(a) AT=%.17g", f), "set units=degrees",
		fmt.Sprintf("meas ac turned FIND vp(a) AT=%.17g", f), "meas ac corner WHEN vdb(a)=-3.01029995664"}}))
	for name, w := range map[string]struct {
		value float64
		unit  string
	}{"level": {20 * math.Log10(cmplx.Abs(h(f))), "dB"}, "angle": {cmplx.Phase(h(f)), "rad"}, "turned": {cmplx.Phase(h(f)) * 180 / math.Pi, "deg"}, "corner": {1 / (2 * math.Pi * tau), "Hz"}} {
		q := quantity(t, result, "/measurements/"+name)
		near(t, name, *q.Value, w.value, 2e-3*math.Abs(w.value))
		if q.Unit != w.unit || q.Error == nil || math.Abs(*q.Value-w.value) > *q.Error+1e-6*math.Abs(w.value) {
			t.Errorf("%s: %g %s ± %v, want %g\n%s", name, *q.Value, q.Unit, q.Error, w.value, show(result))
		}
	}
}

// Levels are of complex quantities: a transient has none.
func TestFormsOfARealVector(t *testing.T) {
	result, _ := simulateFor(t, input(t, map[string]any{"netlist": divider, "probes": []string{"vdb(out)"}, "analysis": "op"}))
	if len(result.Errors) == 0 || result.Errors[0].Code != "ERR_UNKNOWN_VECTOR" {
		t.Errorf("%v", result.Errors)
	}
}
