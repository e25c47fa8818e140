package circuit

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"atelier/internal/contract"
	"atelier/internal/evidence"
	"atelier/internal/testenv"
)

// seeded is a source of random dimensions whose seed is printed, so that a failure
// can be run again.
func seeded(t *testing.T) *rand.Rand {
	t.Helper()
	return testenv.Random(t)
}

// between is log-uniform.
func between(r *rand.Rand, lo, hi float64) float64 {
	return lo * math.Pow(hi/lo, r.Float64())
}

// holds says whether a verified figure is within its error bar of the truth, and
// whether one that is further off than the accuracy leaves the result unverified.
func holds(t *testing.T, result *contract.Result, q evidence.Quantity, want float64) {
	t.Helper()
	off := math.Abs(*q.Value - want)
	if q.Trust() == evidence.Verified && (q.Error == nil || off > 2**q.Error+1e-9*math.Abs(want)) {
		t.Errorf("%s = %g is verified, but %g is right\n%s", q.Name, *q.Value, want, show(result))
	}
	if off > accuracy*math.Abs(want) && result.Evidence.Trust() == evidence.Verified {
		t.Errorf("%s = %g, %g is right, and the result is %s\n%s", q.Name, *q.Value, want, result.Evidence.Trust(), show(result))
	}
}

// The voltage across C of a series resonance peaks at Q/sqrt(1-1/(4 Q^2)) for 1 V.
func TestResonanceBetweenThePoints(t *testing.T) {
	r := seeded(t)
	missed := 0
	for range 5 {
		l, c, q := between(r, 1e-4, 1e-2), between(r, 1e-10, 1e-8), between(r, 200, 20000)
		f0, res := 1/(2*math.Pi*math.Sqrt(l*c)), math.Sqrt(l/c)/q
		peak := q / math.Sqrt(1-1/(4*q*q))
		netlist := fmt.Sprintf("resonance\nV1 in 0 AC 1\nR1 in a %g\nL1 a o %g\nC1 o 0 %g\n", res, l, c)
		result, _ := simulated(t, input(t, map[string]any{"netlist": netlist, "probes": []string{"v(o)"}, "analysis": "ac",
			"options": map[string]any{"ac": map[string]any{"fstart": f0 / 30, "fstop": f0 * 40, "points": 20}}}))
		top := quantity(t, result, "/series/0/max/y")
		holds(t, result, top, peak)
		if *top.Value < 0.99*peak {
			missed++
			if !strings.Contains(strings.Join(top.Reasons(), " "), "Raise the points") {
				t.Errorf("the sentence does not say what to do: %v", top.Reasons())
			}
		}
		// A sweep that is fine enough is verified: 200 points over the width of the peak.
		result, _ = simulated(t, input(t, map[string]any{"netlist": netlist, "probes": []string{"v(o)"},
			"control": fmt.Sprintf("ac lin 1001 %.12g %.12g", f0*(1-3/q), f0*(1+3/q))}))
		top = quantity(t, result, "/series/0/max/y")
		holds(t, result, top, peak)
		if top.Trust() != evidence.Verified {
			t.Errorf("a fine sweep is %s\n%s", top.Trust(), show(result))
		}
	}
	if missed == 0 {
		t.Error("no sweep was too coarse: the test shows nothing")
	}
}

// A crystal's series resonance lies far from the largest value of a coarse sweep:
// there the load sees 1 V by RL/(Rs+Rm+RL), but for the current through C0.
func TestCrystalIsNotMissed(t *testing.T) {
	r := seeded(t)
	lm, cm, rm := between(r, 5e-3, 2e-2), between(r, 1e-14, 3e-14), between(r, 8, 30)
	f := 1 / (2 * math.Pi * math.Sqrt(lm*cm))
	netlist := fmt.Sprintf("crystal\nV1 in 0 AC 1\nRs in x 50\nLm x y %g\nCm y z %g\nRm z out %g\nC0 x out 5p\nRL out 0 50\n", lm, cm, rm)
	result, _ := simulated(t, input(t, map[string]any{"netlist": netlist, "probes": []string{"v(out)"},
		"control": fmt.Sprintf("ac dec 20 %.12g %.12g", f/7, f*11)}))
	top := quantity(t, result, "/series/0/max/y")
	if want := 50 / (100 + rm); *top.Value > 0.9*want {
		t.Fatalf("the coarse sweep found %g of %g: the test shows nothing", *top.Value, want)
	}
	if top.Trust() != evidence.Suspect || result.Evidence.Trust() != evidence.Suspect {
		t.Errorf("%s\n%s", top.Trust(), show(result))
	}
}

// The step response of a series RLC of damping d overshoots by exp(-pi d/sqrt(1-d^2)).
func TestOvershootOfCoarseSteps(t *testing.T) {
	r := seeded(t)
	wrong := 0
	for _, points := range []float64{5, 5, 5, 6, 6, 6, 7, 8, 9, 10, 400} { // steps in a period
		l, c, d := between(r, 1e-3, 1e-2), between(r, 1e-8, 1e-6), 0.2+0.3*r.Float64()
		res, period := 2*d*math.Sqrt(l/c), 2*math.Pi*math.Sqrt(l*c)
		want := 1 + math.Exp(-math.Pi*d/math.Sqrt(1-d*d))
		result, _ := simulated(t, input(t, map[string]any{
			"netlist": fmt.Sprintf("step\nV1 in 0 PULSE(0 1 0 %g 1n 1 2)\nR1 in a %g\nL1 a o %g\nC1 o 0 %g\n", period*1e-6, res, l, c),
			"probes":  []string{"v(o)"}, "control": fmt.Sprintf("tran %g %g", period/points, 5*period)}))
		top := quantity(t, result, "/series/0/max/y")
		holds(t, result, top, want)
		if math.Abs(*top.Value-want) > accuracy*want {
			wrong++
		}
		if points == 400 && top.Trust() != evidence.Verified {
			t.Errorf("400 steps in a period: %s\n%s", top.Trust(), show(result))
		}
	}
	if wrong == 0 {
		t.Error("no step was too coarse: the test shows nothing")
	}
}

// A pulse much shorter than the step: the corners of PULSE are met, those of an
// expression are not seen, and two runs that see nothing prove nothing.
func TestShortPulses(t *testing.T) {
	r := seeded(t)
	at := 1e-4 + 8e-4*r.Float64()
	run := func(source string) (*contract.Result, evidence.Quantity) {
		result, _ := simulated(t, input(t, map[string]any{"netlist": "pulse\n" + source + "\nR1 o 0 1k\n", "probes": []string{"v(o)"}, "control": "tran 1u 1m"}))
		return result, quantity(t, result, "/series/0/max/y")
	}
	result, top := run(fmt.Sprintf("V1 o 0 PULSE(0 1 %g 1n 1n 10n 1)", at))
	if *top.Value < 0.999 || top.Trust() != evidence.Verified {
		t.Errorf("the pulse of a source: %g, %s\n%s", *top.Value, top.Trust(), show(result))
	}
	for _, source := range []string{
		fmt.Sprintf("B1 o 0 V=exp(-((time-%g)/5n)*((time-%g)/5n))", at, at),
		fmt.Sprintf("B1 o 0 V=0.1*sin(6283*time)+exp(-((time-%g)/5n)*((time-%g)/5n))", at, at),
		fmt.Sprintf("V1 o 0 EXP(0 1 %g 2n %g 2n)", at, at+1e-8),
		fmt.Sprintf("E1 o 0 VALUE={exp(-((time-%g)/5n)*((time-%g)/5n))}", at, at),
	} {
		result, top := run(source)
		if top.Trust() == evidence.Verified || result.Evidence.Trust() == evidence.Verified {
			t.Errorf("%s: %g is verified\n%s", source, *top.Value, show(result))
		}
	}
}

// A sine sampled once a period looks like something else.
func TestAliasedSine(t *testing.T) {
	r := seeded(t)
	f := 1e6 * (0.9 + 0.2*r.Float64())
	result, _ := simulated(t, input(t, map[string]any{"netlist": fmt.Sprintf("alias\nV1 a 0 SIN(0 1 %g)\nR1 a 0 1k\n", f), "control": "tran 1u 1m"}))
	if result.Evidence.Trust() != evidence.Suspect || !has(result, "source_resolution") {
		t.Error(show(result))
	}
}

// An oscillator that did not start shows nothing in either run.
func TestOscillatorWithoutStart(t *testing.T) {
	result, _ := simulated(t, input(t, map[string]any{"netlist": "tank\nL1 a 0 1m\nC1 a 0 1u\nB1 a 0 I=-tanh(v(a)*1m)\nR1 a 0 10k\n", "control": "tran 1u 1m"}))
	if result.Evidence.Trust() != evidence.Computed {
		t.Error(show(result))
	}
}

// A ring of three inverters oscillates; a drift of the phase between the two runs
// fails no figure, and the value at the end is not claimed.
func TestRingOscillator(t *testing.T) {
	result, _ := simulated(t, input(t, map[string]any{"netlist": `ring
Vdd vdd 0 1.8
.subckt inv i o vdd
M1 o i vdd vdd pm w=4u l=0.18u
M2 o i 0 0 nm w=2u l=0.18u
C1 o 0 20f
.ends
X1 a b vdd inv
X2 b c vdd inv
X3 c a vdd inv
.ic v(a)=1.8
.model nm nmos vto=0.4 kp=200u
.model pm pmos vto=-0.4 kp=80u
`, "control": "tran 5p 20n", "probes": []string{"v(a)"}}))
	if result.Evidence.Trust() == evidence.Suspect {
		t.Error(show(result))
	}
	if end := quantity(t, result, "/series/0/final"); end.Trust() == evidence.Verified || end.Quoted && strings.Contains(result.Summary, "at the end") {
		t.Errorf("the value at the end is %s: %s", end.Trust(), result.Summary)
	}
	if top := quantity(t, result, "/series/0/max/y"); top.Trust() != evidence.Verified {
		t.Errorf("%s\n%s", top.Trust(), show(result))
	}
}

// Random numbers are not compared between runs.
func TestNoiseSourcesAreOnlyComputed(t *testing.T) {
	result, _ := simulated(t, input(t, map[string]any{"netlist": "noise\nV1 a 0 DC 0 TRNOISE(10m 1u 0 0)\nR1 a 0 1k\n", "control": "tran 1u 1m"}))
	if result.Evidence.Trust() != evidence.Computed {
		t.Error(show(result))
	}
}
