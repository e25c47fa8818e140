package circuit

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"atelier/internal/contract"
	"atelier/internal/evidence"
)

// amplifier is a circuit around an ideal operational amplifier, in negative
// feedback where sign is 1, in positive where it is -1.
func amplifier(r *rand.Rand, sign int) string {
	res := func() float64 { return between(r, 1e3, 1e6) }
	plus, minus := "p", "n"
	if sign < 0 {
		plus, minus = minus, plus
	}
	a, b, c := res(), res(), res()
	lines := []string{"amplifier", "V1 in 0 DC 0.1 AC 1", fmt.Sprintf("E1 o 0 %s %s %.6g", plus, minus, between(r, 1e5, 1e6)), fmt.Sprintf("RL o 0 %.6g", res())}
	add := func(format string, args ...any) { lines = append(lines, fmt.Sprintf(format, args...)) }
	switch r.IntN(6) {
	case 0:
		add("R1 in n %.6g\nR2 n o %.6g\nR3 p 0 %.6g", a, b, c)
	case 1:
		add("R1 n 0 %.6g\nR2 n o %.6g\nR3 in p %.6g", a, b, c)
	case 2:
		add("V2 i2 0 0.2\nR1 in n %.6g\nR2 n o %.6g\nR3 i2 p %.6g\nR4 p 0 %.6g", a, b, c, res())
	case 3: // Howland's source of current, whose load keeps the positive feedback below the negative
		add("R1 0 n %.6g\nR2 n o %.6g\nR3 in p %.6g\nR4 p o %.6g\nR5 p 0 %.6g", a, b, c, c*b/a, c*between(r, 0.1, 3))
	case 4: // integrator
		add("R1 in n %.6g\nC1 n o %.6g\nR2 n o %.6g\nR3 p 0 1k", a, between(r, 1e-11, 1e-6), between(r, 1e6, 1e8))
	case 5: // differentiator
		add("R3 in x %.6g\nC1 x n %.6g\nR2 n o %.6g\nR4 p 0 1k", a/100, between(r, 1e-11, 1e-7), b)
	}
	if r.IntN(2) == 0 {
		add("R8 o y %.6g\nC8 y 0 %.6g", res(), between(r, 1e-12, 1e-6))
	}
	return strings.Join(lines, "\n") + "\n"
}

// filter is an active filter of the second order, stable by its design.
func filter(r *rand.Rand) string {
	res, c, q := between(r, 1e3, 1e5), between(r, 1e-10, 1e-7), between(r, 0.6, 20)
	gain := between(r, 1e5, 1e6)
	switch r.IntN(4) {
	case 0: // Sallen and Key with equal parts: gain 3-1/Q
		return fmt.Sprintf("filter\nV1 in 0 DC 0.1 AC 1\nR1 in a %.9g\nR2 a p %.9g\nC1 a o %.9g\nC2 p 0 %.9g\nE1 o 0 p n %.6g\nR3 n o %.9g\nR4 n 0 1k\n", res, res, c, c, gain, 1e3*(2-1/q))
	case 1: // multiple feedback, band-pass
		return fmt.Sprintf("filter\nV1 in 0 DC 0.1 AC 1\nR1 in a %.9g\nR3 a 0 %.9g\nC1 a o %.9g\nC2 a n %.9g\nR2 n o %.9g\nE1 o 0 0 n %.6g\n", res, res/q, c, c, 4*res*q*q, gain)
	case 2: // a loop of two integrators and an inverter
		return fmt.Sprintf("filter\nV1 in 0 DC 0.1 AC 1\nR1 in a %.9g\nR2 a b1 %.9g\nC1 a b1 %.9g\nE1 b1 0 0 a %.6g\nR3 b1 c %.9g\nC2 c d %.9g\nE2 d 0 0 c %.6g\nR4 d e 10k\nR5 e f 10k\nE3 f 0 0 e %.6g\nR6 f a %.9g\n", res, res*q, c, gain, res, c, gain, gain, res)
	}
	// Two amplifiers as an inductor (Antoniou) that a capacitor makes a resonance with.
	return fmt.Sprintf("filter\nV1 in 0 DC 0.1 AC 1\nRs in a %.9g\nCp a 0 %.9g\nR1 a b %.9g\nR2 b m %.9g\nR3 m d %.9g\nC4 d g %.9g\nR5 g 0 %.9g\nE1 d 0 a m %.6g\nE2 b 0 g m %.6g\n", res*q, c, res, res, res, c, res, gain, gain)
}

func trustOf(t *testing.T, netlist string, more map[string]any) (*contract.Result, evidence.Trust) {
	t.Helper()
	more["netlist"] = netlist
	result, _ := simulateFor(t, input(t, more))
	if result.Status != contract.StatusOK {
		t.Fatalf("%v\n%s", result.Errors, netlist)
	}
	return result, result.Evidence.Trust()
}

// The same amplifier is verified in negative feedback, and suspect with its inputs
// exchanged; active filters are verified.
func TestPositiveFeedbackIsSuspect(t *testing.T) {
	r := seeded(t)
	for range 2 * *circuits {
		for sign, want := range map[int]bool{1: false, -1: true} {
			netlist := amplifier(r, sign)
			for _, more := range []map[string]any{{"analysis": "op"}, {"analysis": "dc", "options": map[string]any{"dc": map[string]any{"source": "V1", "start": -1, "stop": 1, "step": 0.1}}, "probes": []string{"v(o)"}},
				{"analysis": "ac", "probes": []string{"v(o)"}, "options": map[string]any{"ac": map[string]any{"fstart": 1, "fstop": 1e5, "points": 20}}}} {
				result, trust := trustOf(t, netlist, more)
				if has(result, "stability") != want || !want && quantity(t, result, map[any]string{"op": "/operating_point/v(o)", "dc": "/series/0/final", "ac": "/series/0/final"}[more["analysis"]]).Trust() != evidence.Verified {
					t.Errorf("%v, sign %d: %s\n%s%v", more["analysis"], sign, trust, netlist, result.Evidence.Reasons())
				}
			}
		}
		netlist := filter(r)
		if result, trust := trustOf(t, netlist, map[string]any{"analysis": "op"}); trust != evidence.Verified || has(result, "stability") {
			t.Errorf("%s\n%s%v", trust, netlist, result.Evidence.Reasons())
		}
	}
}

// Of three capacitors the simulator's search finds ten poles, seven of them beyond 1e19
// 1/s: a differentiator with a gain of 371,369 has its poles at -1/(R3 C1) and, by what
// slows the gain, far to the left of it.
func TestPolesBeyondAllCircuitsAreNone(t *testing.T) {
	const netlist = "differentiator\nV1 in 0 DC 0.1 AC 1\nE1 o 0 p n 371369\nRL o 0 586891\nR3 in x 6237.2\nC1 x n 6.51903e-08\nR2 n o 2471.35\nR4 p 0 1k\n"
	if result, trust := trustOf(t, netlist, map[string]any{"analysis": "op"}); trust != evidence.Verified {
		t.Errorf("%s: %v", trust, result.Evidence.Reasons())
	}
}

// nonlinear are circuits of transistors and expressions with an operating point
// that they keep, or do not keep.
func nonlinear(r *rand.Rand) map[string]struct {
	netlist, control string
	unstable         bool
} {
	const bipolar = ".model n NPN(BF=100 VAF=80 CJE=1p CJC=1p TF=0.3n)\n.model p PNP(BF=60 VAF=50 CJE=1p CJC=1p TF=1n)\n"
	const mos = ".model nm NMOS(LEVEL=1 VTO=0.5 KP=200u LAMBDA=0.05)\n.model pm PMOS(LEVEL=1 VTO=-0.5 KP=200u LAMBDA=0.05)\n"
	load, base := between(r, 500, 5e3), between(r, 8e3, 6e4)
	type row = struct {
		netlist, control string
		unstable         bool
	}
	inverter := func(name, in, out string) string {
		return fmt.Sprintf("M%sp %s %s vdd vdd pm W=10u L=1u\nM%sn %s %s 0 0 nm W=10u L=1u\n", name, out, in, name, out, in)
	}
	return map[string]row{
		"common emitter":              {fmt.Sprintf("x\nVcc vcc 0 12\nV1 in 0 DC 0 AC 1\nC1 in b 10u\nR1 vcc b %g\nR2 b 0 %g\nRc vcc c %g\nRe e 0 %g\nCe e 0 100u\nQ1 c b e n\n", 5*base, base, load, load/5) + bipolar, "op", false},
		"feedback pair":               {fmt.Sprintf("x\nVcc vcc 0 12\nRc1 vcc c1 %g\nRc2 vcc c2 1k\nRe e2 0 %g\nRf e2 b1 %g\nQ1 c1 b1 0 n\nQ2 c2 c1 e2 n\n", 4*load, load, base) + bipolar, "op", false},
		"mirror":                      {fmt.Sprintf("x\nVcc vcc 0 12\nR1 vcc a %g\nQ1 a a 0 n\nQ2 o a 0 n\nR2 vcc o %g\n", 4*load, load) + bipolar, "op", false},
		"regulator":                   {fmt.Sprintf("x\nVcc vcc 0 12\nVr r 0 2.5\nQ1 vcc g o n\nQ2 g f s n\nQ3 h r s n\nR1 vcc g 10k\nR4 vcc h 1k\nRs s 0 1k\nRa o f 10k\nRb f 0 10k\nRl o 0 %g\nCo o 0 10u\n", load) + bipolar, "op", false},
		"inverter":                    {"x\nVdd vdd 0 1.8\nV1 a 0 0.9\n" + inverter("1", "a", "b") + "R1 b 0 1meg\n" + mos, "op", false},
		"biased inverter":             {"x\nVdd vdd 0 1.8\n" + inverter("1", "a", "b") + fmt.Sprintf("R1 a b %g\nC1 a 0 1p\n", 100*base) + mos, "op", false},
		"sine oscillator's transient": {"x\nL1 a 0 1m\nC1 a 0 1u\nB1 a 0 I=-0.01*tanh(v(a))\nI1 0 a PULSE(1m 0 0 1u 1u 1 2)\n", "tran 1u 1m", false},

		"latch":                {"x\nVdd vdd 0 1.8\n" + inverter("1", "a", "b") + inverter("2", "b", "a") + mos, "op", true},
		"latch in a cell":      {"x\nVdd vdd 0 1.8\nX1 a b vdd cell\n.subckt cell a b vdd\n" + inverter("1", "a", "b") + inverter("2", "b", "a") + ".ends\n" + mos, "op", true},
		"flip-flop":            {fmt.Sprintf("x\nVcc vcc 0 5\nR1 vcc c1 %g\nR2 vcc c2 %g\nR3 c1 b2 %g\nR4 c2 b1 %g\nQ1 c1 b1 0 n\nQ2 c2 b2 0 n\n", load, load, base, base) + bipolar, "op", true},
		"trigger":              {fmt.Sprintf("x\nVcc vcc 0 12\nV1 in 0 2.6\nQ1 c1 in e n\nQ2 vo b2 e n\nRc1 vcc c1 4.7k\nR1 c1 b2 1k\nR2 b2 0 %g\nRe e 0 1k\nRc2 vcc vo 2.2k\n", 100*base) + bipolar, "dc V1 0 1 0.05", false},
		"latch swept":          {"x\nVdd vdd 0 1.8\n" + inverter("1", "a", "b") + inverter("2", "b", "a") + mos, "dc Vdd 1.5 2 0.05", true},
		"gyrator's oscillator": {fmt.Sprintf("x\nG1 0 a b 0 1m\nG2 b 0 a 0 1m\nC1 a 0 1n\nC2 b 0 1n\nR1 a 0 -%g\n", 10*base), "op", true},
		"ring":                 {"x\nVdd vdd 0 1.8\n" + inverter("1", "a", "b") + inverter("2", "b", "c") + inverter("3", "c", "a") + "C1 a 0 10f\nC2 b 0 10f\nC3 c 0 10f\n" + mos, "op", true},
		"negative resistance":  {fmt.Sprintf("x\nV1 in 0 1 AC 1\nR1 in a %g\nR2 a 0 -%g\nC1 a 0 1n\n", base, base/2), "op", true},
		"Wien's oscillator":    {fmt.Sprintf("x\nV1 in 0 0 AC 1\nR1 o a %g\nC1 a p 10n\nR2 p in %g\nC2 p in 10n\nE1 o 0 p 0 %g\n", base, base, between(r, 3.1, 6)), "op", true},
	}
}

// Points at which a circuit of transistors or expressions does not stay are
// suspect, others are not.
func TestUnstableOperatingPoints(t *testing.T) {
	r := seeded(t)
	for range max(1, *circuits/3) {
		for name, row := range nonlinear(r) {
			result, trust := trustOf(t, row.netlist, map[string]any{"control": row.control})
			if has(result, "stability") != row.unstable || (trust == evidence.Suspect) != row.unstable {
				t.Errorf("%s is %s: %v\n%s", name, trust, result.Evidence.Reasons(), row.netlist)
			}
		}
	}
}

// Wien's bridge oscillates above a gain of 3 (Barkhausen): a transient that begins at rest
// and stays there, since nothing moves it, is no more than its operating point.
func TestATransientAtRestIsAnOperatingPoint(t *testing.T) {
	r := seeded(t)
	res, c := between(r, 1e3, 1e5), between(r, 1e-9, 1e-6)
	for gain, suspect := range map[float64]bool{3 + between(r, 0.02, 1): true, 3 - between(r, 0.02, 1): false} {
		netlist := fmt.Sprintf("bridge\nE1 o 0 p 0 %.9g\nR1 o a %.9g\nC1 a p %.9g\nR2 p 0 %.9g\nC2 p 0 %.9g\n.tran %.9g %.9g\n", gain, res, c, res, c, res*c/10, 50*res*c)
		_, trust := trustOf(t, netlist, map[string]any{})
		if (trust == evidence.Suspect) != suspect {
			t.Errorf("gain %.4g: %s", gain, trust)
		}
	}
}
