package circuit

import (
	"fmt"
	"math"
	"testing"

	"atelier/internal/evidence"
)

// The phase of n equal RC sections with buffers between is -n atan(f/f0), which goes
// on to -90 n degrees: of three or more it wraps, and what the simulator measures of
// it is of the jumps.
func TestPhaseThatWraps(t *testing.T) {
	r := seeded(t)
	n, f0 := 3+r.IntN(3), between(r, 1e3, 1e5)
	netlist := "sections\nV1 n0 0 AC 1\n"
	for i := range n {
		netlist += fmt.Sprintf("R%d n%d m%d 1k\nC%d m%d 0 %.17g\nE%d n%d 0 m%d 0 1\n", i, i, i, i, i, 1/(2*math.Pi*1e3*f0), i, i+1, i)
	}
	out := fmt.Sprintf("n%d", n)
	at := func(f float64) float64 { return -float64(n) * math.Atan(f/f0) * 180 / math.Pi }
	from, to := f0/1e2, f0*1e3
	result, _ := simulated(t, input(t, map[string]any{"netlist": netlist, "probes": []string{"vp(" + out + ")", "cph(v(" + out + "))"}, "control": []string{
		fmt.Sprintf("ac dec 40 %.17g %.17g", from, to), "let w = 180/pi*vp(" + out + ")", "let p = 180/pi*cph(" + out + ")",
		"meas ac least min vp(" + out + ")", "meas ac span pp vp(" + out + ")", "meas ac mean avg vp(" + out + ")", "meas ac let_least min w",
		fmt.Sprintf("meas ac early min vp(%s) to=%.17g", out, 1.001*f0/10), fmt.Sprintf("meas ac place find vp(%s) at=%.17g", out, f0/10), "meas ac true_least min p"}}))
	for _, name := range []string{"least", "span", "mean", "let_least"} {
		if q := quantity(t, result, "/measurements/"+name); q.Trust() != evidence.Suspect {
			t.Errorf("%s = %g of a phase that wraps is %s: %v", name, *q.Value, q.Trust(), q.Reasons())
		}
	}
	for name, want := range map[string]float64{"early": at(f0/10) * math.Pi / 180, "place": at(f0/10) * math.Pi / 180, "true_least": at(to)} {
		q := quantity(t, result, "/measurements/"+name)
		near(t, name, *q.Value, want, 2e-2*math.Abs(want))
		if q.Trust() == evidence.Suspect {
			t.Errorf("%s is %s: %v", name, q.Trust(), q.Reasons())
		}
	}
	for pointer, want := range map[string]float64{"/series/1/final": at(to), "/series/1/min/y": at(to), "/series/1/max/y": at(from)} {
		q := quantity(t, result, pointer)
		near(t, pointer, *q.Value, want, *q.Error+1e-6)
		if q.Trust() != evidence.Verified {
			t.Errorf("%s is %s: %v", pointer, q.Trust(), q.Reasons())
		}
	}
	if q := quantity(t, result, "/series/0/min/y"); q.Quoted || q.Trust() == evidence.Verified {
		t.Errorf("the least value of a phase that wraps is %s", q.Trust())
	}
}

// The phase of a line that ends in its own impedance is -360 f TD degrees: of a sweep
// whose steps are several turns, no continuous phase is known.
func TestContinuousPhaseOfALine(t *testing.T) {
	r := seeded(t)
	delay := between(r, 1e-9, 1e-8)
	netlist := fmt.Sprintf("line\nV1 s 0 AC 1\nRs s a 50\nT1 a 0 b 0 Z0=50 TD=%.17g\nRl b 0 50\n", delay)
	for turns, known := range map[float64]bool{0.9: true, 30: false} {
		stop := turns / delay
		result, _ := simulated(t, input(t, map[string]any{"netlist": netlist, "analysis": "ac", "probes": []string{"cph(v(b))"}, "options": map[string]any{"ac": map[string]any{"fstart": stop / 1e3, "fstop": stop, "points": 10}}}))
		q := quantity(t, result, "/series/0/final")
		if known {
			near(t, "phase", *q.Value, -360*turns, 0.01)
		}
		if (q.Trust() == evidence.Suspect) == known {
			t.Errorf("%g turns: %g degrees is %s: %v", turns, *q.Value, q.Trust(), q.Reasons())
		}
	}
}
