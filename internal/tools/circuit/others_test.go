package circuit

import (
	"fmt"
	"math"
	"strings"
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

// inverters are two of them, each at the other's output.
func inverters(kp float64) string {
	return fmt.Sprintf("M1p b a vdd vdd pm W=10u L=1u\nM1n b a 0 0 nm W=10u L=1u\nM2p a b vdd vdd pm W=10u L=1u\nM2n a b 0 0 nm W=10u L=1u\n"+
		".model nm NMOS(LEVEL=1 VTO=0.5 KP=%.9g LAMBDA=0.05)\n.model pm PMOS(LEVEL=1 VTO=-0.5 KP=%.9g LAMBDA=0.05)\n", kp, kp)
}

// Circuits of three operating points, two of which they keep: a loop of inverters
// whose outputs are at the supply and at ground, or the other way round; a comparator
// with positive feedback at either limit of its output; a tunnel diode whose load line
// crosses its curve three times. Found by chance, none is believed; chosen, one is
// converged, and the reasons name the other.
func TestSeveralOperatingPoints(t *testing.T) {
	r := seeded(t)
	limit, ratio := between(r, 2, 20), between(r, 0.2, 0.8)
	source := 0.5 * limit * ratio * r.Float64()
	load := between(r, 130, 145)
	for _, row := range []struct{ netlist, node, choice string }{
		{fmt.Sprintf("latch\nVdd vdd 0 1.8\nRb a 0 %.9g\n", between(r, 1e5, 1e7)) + inverters(between(r, 5e-5, 5e-4)), "a", ".nodeset v(a)=1.8 v(b)=0\n"},
		{"cell\nVdd vdd 0 1.8\nX1 a b vdd cell\nRb b 0 1meg\n.subckt cell a b vdd\n" + inverters(between(r, 5e-5, 5e-4)) + ".ends\n", "b", ".nodeset v(a)=0 v(b)=1.8\n"},
		{fmt.Sprintf("trigger\nV1 in 0 %.9g\nB1 o 0 V=%.9g*tanh(1000*(V(p)-V(in)))\nR1 o p %.9g\nR2 p 0 %.9g\n", source, limit, 1e4*(1-ratio), 1e4*ratio), "o", fmt.Sprintf(".nodeset v(o)=%.9g v(p)=%.9g\n", limit, limit*ratio)},
		{fmt.Sprintf("tunnel diode\n.options reltol=1e-6\nV1 s 0 1\nR1 s d %.9g\nB1 d 0 I=0.1*v(d)*exp(1-v(d)/0.1)+1e-9*exp(v(d)/0.0259)\n", load), "d", ".nodeset v(d)=0.35\n"},
	} {
		for _, analysis := range []string{"op", "tf v(" + row.node + ") V1"} {
			if strings.HasPrefix(analysis, "tf") && !strings.Contains(row.netlist, "V1 ") {
				continue
			}
			result, trust := trustOf(t, row.netlist, map[string]any{"control": analysis})
			if trust != evidence.Suspect {
				t.Errorf("%s is %s: %v\n%s", analysis, trust, result.Evidence.Reasons(), row.netlist)
			}
		}
		for begin, verified := range map[string]bool{"": false, strings.Replace(row.choice, ".nodeset", ".ic", 1): !strings.Contains(row.netlist, "exp(")} {
			result, _ := trustOf(t, row.netlist+begin, map[string]any{"analysis": "tran", "options": map[string]any{"tran": map[string]any{"tstop": 1e-6}}, "probes": []string{"v(" + row.node + ")"}})
			if q := quantity(t, result, "/series/0/max/y"); (q.Trust() == evidence.Verified) != verified {
				t.Errorf("a transient with %q is %s: %v\n%s", begin, q.Trust(), q.Reasons(), row.netlist)
			}
		}
		result, _ := trustOf(t, row.netlist+row.choice, map[string]any{"control": "op"})
		q := quantity(t, result, "/operating_point/v("+row.node+")")
		if q.Trust() != evidence.Converged || !strings.Contains(fmt.Sprint(q.Reasons()), "another operating point") {
			t.Errorf("chosen, v(%s) = %g is %s: %v\n%s", row.node, *q.Value, q.Trust(), q.Reasons(), row.netlist)
		}
	}
}

// A load line that crosses the curve once, a follower and a biased inverter have one.
func TestSingleOperatingPoints(t *testing.T) {
	r := seeded(t)
	for _, netlist := range []string{
		fmt.Sprintf("tunnel diode\n.options reltol=1e-6\nV1 s 0 0.5\nR1 s d %.9g\nB1 d 0 I=0.1*v(d)*exp(1-v(d)/0.1)+1e-9*exp(v(d)/0.0259)\n", between(r, 5, 15)),
		fmt.Sprintf("follower\nV1 in 0 %.9g\nB1 o 0 V=12*tanh(1e4*(v(in)-v(n)))\nR1 o n 1k\nR2 n 0 %.9g\n", between(r, 0.1, 5), between(r, 1e3, 1e6)),
		fmt.Sprintf("inverter\nVdd vdd 0 1.8\nRf a b %.9g\nM1p b a vdd vdd pm W=10u L=1u\nM1n b a 0 0 nm W=10u L=1u\n.model nm NMOS(LEVEL=1 VTO=0.5 KP=200u LAMBDA=0.05)\n.model pm PMOS(LEVEL=1 VTO=-0.5 KP=200u LAMBDA=0.05)\n", between(r, 1e4, 1e7)),
	} {
		if result, trust := trustOf(t, netlist, map[string]any{"control": "op"}); trust != evidence.Verified {
			t.Errorf("%s: %v\n%s", trust, result.Evidence.Reasons(), netlist)
		}
	}
}

// products is the polynomial of a voltage that has the given roots, in mA.
func products(v string, roots []float64) string {
	text := "1m"
	for _, root := range roots {
		text += fmt.Sprintf("*(%s-(%.9g))", v, root)
	}
	return text
}

// A resistor whose conductance rises by a hundredth with its voltage has a second zero,
// at 200 times the supply: that is no other operating point of the circuit.
func TestSlightCurvatureIsNoSecondPoint(t *testing.T) {
	r := seeded(t)
	supply, ohms := between(r, 1, 20), between(r, 1e2, 1e5)
	netlist := fmt.Sprintf("slight\nV1 s 0 %.9g\nR1 s a %.9g\nB1 a 0 I=v(a)/%.9g*(1+0.01*v(a)/%.9g)\n", supply, ohms, ohms, supply)
	if result, trust := trustOf(t, netlist, map[string]any{"control": "op"}); trust != evidence.Verified {
		t.Errorf("%s: %v\n%s", trust, result.Evidence.Reasons(), netlist)
	}
}

// A source that switches on at a voltage far beyond the supply holds the node there, at
// the supply and the voltage that its current makes; where that is less than what it
// switches on at, it holds nothing.
func TestPointsFarBeyondTheSupplies(t *testing.T) {
	r := seeded(t)
	for _, several := range []bool{true, false} {
		supply, ohms, on := between(r, 0.5, 5), between(r, 100, 1e5), between(r, 80, 500)
		made := on * between(r, 1.5, 3)
		if !several {
			made = on * between(r, 0.3, 0.5)
		}
		for name, current := range map[string]string{
			"smooth": fmt.Sprintf("(0.5+0.5*tanh((v(a)-%.9g)/%.9g))", on, on/12),
			"sudden": fmt.Sprintf("(v(a) < %.9g ? 0 : 1)", on),
		} {
			netlist := fmt.Sprintf("%s\nV1 s 0 %.9g\nR1 s a %.9g\nB1 a 0 I=-%.9g*%s\n", name, supply, ohms, made/ohms, current)
			result, trust := trustOf(t, netlist, map[string]any{"control": "op"})
			if said := fmt.Sprint(result.Evidence.Reasons()); several != strings.Contains(said, "another operating point") || !several && trust == evidence.Suspect {
				t.Errorf("%s: %v\n%s", trust, said, netlist)
			}
		}
	}
}

// Expressions whose operating points are the roots that were drawn, wherever the
// supplies lie: what the resistor carries is part of the expression, so that the
// currents sum to the polynomial alone. Every figure that differs between them says
// so; with a single root none does.
func TestRootsOfExpressions(t *testing.T) {
	r := seeded(t)
	for k := range max(3, *circuits-2) {
		sign := float64(1 - 2*r.IntN(2))
		roots := []float64{sign * between(r, 0.1, 10)}
		for range 2 * (1 + r.IntN(2)) {
			last := roots[len(roots)-1]
			roots = append(roots, last+sign*between(r, 0.2, 1)*math.Max(1, math.Abs(last)))
		}
		load, supply := math.Pow(10, between(r, 1.3, 5)), between(r, 0.1, 15)
		several := k%3 > 0
		polynomial := func(v string) string {
			if several {
				return products(v, roots)
			}
			return fmt.Sprintf("1m*(%s-(%.9g))*((%s-(%.9g))^2+%.9g)", v, roots[0], v, roots[1], math.Pow(roots[1]-roots[0], 2)+1)
		}
		carried := func(v string) string { return fmt.Sprintf("(%.9g-%s)/%.9g", supply, v, load) }
		for name, netlist := range map[string]string{
			"to ground":   fmt.Sprintf("V1 s 0 %.9g\nR1 s a %.9g\nB1 a 0 I=%s+%s\n", supply, load, carried("v(a)"), polynomial("v(a)")),
			"floating":    fmt.Sprintf("V1 s 0 %.9g\nR1 s a %.9g\nR2 b 0 1\nB1 a b I=(%.9g-v(a,b))/%.9g+%s\n", supply, load, supply, load+1, polynomial("v(a,b)")),
			"in a cell":   fmt.Sprintf("V1 s 0 %.9g\nX1 s 0 cell\n.subckt cell p n\nR1 p a %.9g\nB1 a n I=%s+%s\n.ends\nR2 x1.a 0 1e15\n", supply, load, carried("v(a)"), polynomial("v(a)")),
			"of voltage":  fmt.Sprintf("B1 o 0 V=v(a)-1k*%s\nR1 o a %.9g\nV1 s 0 %.9g\nR2 s 0 1k\n", polynomial("v(a)"), load, supply),
			"of its own":  fmt.Sprintf("B1 a 0 V=v(a)-1k*%s\nR1 a 0 %.9g\n", polynomial("v(a)"), load),
			"conductance": fmt.Sprintf("V1 s 0 %.9g\nR1 s a %.9g\nG1 a 0 cur='%s+%s'\n", supply, load, carried("v(a)"), polynomial("v(a)")),
		} {
			result, out := simulated(t, input(t, map[string]any{"netlist": name + "\n" + netlist, "control": "op"}))
			if said := fmt.Sprint(result.Evidence.Reasons()); several != strings.Contains(said, "another operating point") || !several && result.Evidence.Trust() == evidence.Suspect {
				t.Errorf("%s with roots %v is %s at %v: %v\n%s", name, roots, result.Evidence.Trust(), out.OperatingPoint, said, netlist)
			}
		}
	}
}
