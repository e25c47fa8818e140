package circuit

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"atelier/internal/evidence"
)

// A divider of random resistors, and a bridge with controlled sources: the
// operating point of a linear circuit is verified by a second solution, whose
// values are those of the closed form.
func TestLinearOperatingPointIsVerified(t *testing.T) {
	r := seeded(t)
	v, r1, r2, gain := between(r, 0.1, 100), between(r, 1, 1e6), between(r, 1, 1e6), between(r, 0.1, 50)
	result, out := simulated(t, input(t, map[string]any{
		"netlist":  fmt.Sprintf("divider\nV1 a 0 %g\nR1 a b %g\nR2 b 0 %g\nE1 c 0 b 0 %g\nR3 c d 1k\nL1 d 0 1m\nF1 0 e V1 2\nR4 e 0 10\n", v, r1, r2, gain),
		"analysis": "op", "probes": []string{"v(b)", "i(L1)", "v(e)", "i(R2)"}}))
	vb := v * r2 / (r1 + r2)
	for name, want := range map[string]float64{"v(b)": vb, "i(l1)": vb * gain / 1e3, "v(e)": -20 * v / (r1 + r2), "i(r2)": vb / r2} {
		q := quantity(t, result, pointer("operating_point", name))
		near(t, name, out.OperatingPoint[name], want, 1e-6*math.Abs(want))
		if q.Trust() != evidence.Verified {
			t.Errorf("%s is %s\n%s", name, q.Trust(), show(result))
		}
	}
}

// A check by nodal analysis has to fail when the result belongs to another value.
func TestNodalAnalysisSeesAnotherCircuit(t *testing.T) {
	r := seeded(t)
	res, l, c := between(r, 1, 1e3), between(r, 1e-5, 1e-2), between(r, 1e-10, 1e-6)
	read := func(c float64) *nodal {
		n, fault := parseNetlist(fmt.Sprintf("rlc\nV1 in 0 AC 2 30\nR1 in a %.12g\nL1 a o %.12g\nC1 o 0 %.12g\n", res, l, c))
		if fault != nil {
			t.Fatal(fault)
		}
		m, ok := n.nodal(true)
		if !ok {
			t.Fatal("the circuit is not taken as linear")
		}
		return m
	}
	w := 0.7 / math.Sqrt(l*c)
	want := 2 / math.Hypot(1-w*w*l*c, w*res*c)
	got, ok := read(c).magnitude("v(o)", w, "", 0, true)
	if !ok || math.Abs(got-want) > 1e-9*want {
		t.Errorf("%g, want %g", got, want)
	}
	if other, _ := read(1.01*c).magnitude("v(o)", w, "", 0, true); math.Abs(other-want) < nodalLimit*want {
		t.Error("a capacitor of another value gives the same")
	}
}

// Transistors in a subcircuit: all devices' currents are kept, and sum to zero. A
// line, whose current is not kept, leaves its nodes out, and the share is said.
func TestBalanceSaysItsShare(t *testing.T) {
	const circuit = `inverters
V1 vdd 0 5
R1 vdd q 1k
R2 q 0 1k
X1 vdd q d stage
X2 vdd d e stage
Q1 vdd e f qn
R3 f 0 1k
.subckt stage p i o
R1 p o 10k
M1 o i 0 0 nm w=10u l=1u
D1 o 0 dx
.ends
.model nm nmos vto=0.7 kp=100u
.model qn npn
.model dx d
`
	for _, row := range []struct{ more, share, outside string }{
		{"", "5 of 5 nodes", ""},
		{"T1 e 0 g 0 Z0=50 TD=1n\nR4 g 0 1k\n", "4 of 6 nodes", "/operating_point/v(e)"},
	} {
		result, _ := simulated(t, input(t, map[string]any{"netlist": circuit + row.more, "analysis": "op"}))
		said := false
		for _, c := range result.Evidence.Checks() {
			if c.Name != "current_balance" {
				continue
			}
			said = said || strings.Contains(c.Sentence, row.share)
			if !c.Passed || c.Figure == row.outside && row.outside != "" || c.Figure == "" && row.outside != "" {
				t.Errorf("%+v", c)
			}
		}
		if !said {
			t.Errorf("nothing says %q\n%s", row.share, show(result))
		}
	}
}

// A balance over currents that do not sum up fails.
func TestBalanceFails(t *testing.T) {
	n, fault := parseNetlist("t\nV1 a 0 1\nR1 a b 1k\nR2 b 0 1k\n")
	if fault != nil {
		t.Fatal(fault)
	}
	amount := map[string]complex128{"v1": -1e-3, "r1": 1e-3, "r2": 0.9e-3}
	p := &plot{vectors: []vector{{name: "v(a)", re: []float64{1}}}}
	b := sumCurrents(n.elements, p, 0, func(e *element, _ int) ([]complex128, bool) {
		return []complex128{amount[e.name], -amount[e.name]}, true
	})
	if c := b.check(""); c.Passed || b.node != "b" || b.nodes != 2 {
		t.Errorf("%+v", c)
	}
}

// The current g (v-a)(v-b)(v-c) of an expression is zero at its roots, where a last digit
// of v is still a current of its slope: no Kirchhoff's law is hurt by that.
func TestZeroCurrentsOfSteepExpressions(t *testing.T) {
	r := seeded(t)
	netlist := func(g, a, b, c float64) string {
		return fmt.Sprintf("cubic\nI1 0 n 0\nB1 n 0 I=%.17g*(v(n)-%.17g)*(v(n)-%.17g)*(v(n)-%.17g)\n", g, a, b, c)
	}
	steep := 0
	for k := range 6 {
		g, roots := 1e3, []float64{1, 2, 3}
		if k > 0 {
			g, roots[0] = between(r, 10, 1e4), between(r, 0.5, 2)
			roots[1] = roots[0] + between(r, 0.5, 2)
			roots[2] = roots[1] + between(r, 0.5, 2)
		}
		result, out := simulated(t, input(t, map[string]any{"netlist": netlist(g, roots[0], roots[1], roots[2]), "analysis": "op"}))
		v, off := out.OperatingPoint["v(n)"], math.Inf(1)
		for _, root := range roots {
			off = math.Min(off, math.Abs(v-root))
		}
		near(t, "the distance from a root", off, 0, 1e-3*v)
		for _, c := range result.Evidence.Checks() {
			if c.Name != "current_balance" {
				continue
			}
			if !c.Passed {
				t.Errorf("g = %g, roots %g: %s", g, roots, c.Sentence)
			}
			if strings.Contains(c.Sentence, "vntol") {
				steep++
			}
		}
	}
	if steep == 0 {
		t.Error("no remainder was above the limit of currents: the test shows nothing")
	}
	result, _ := simulated(t, input(t, map[string]any{"netlist": "shunt\nI1 0 n 0\nB1 n 0 I=1e-3*v(n)+v(n)*v(n)*v(n)\n", "analysis": "op"}))
	if said := strings.Join(result.Evidence.Reasons(), " "); result.Evidence.Trust() == evidence.Suspect || !strings.Contains(said, "abstol") {
		t.Error(show(result))
	}
}

// Tolerances of one volt and one ampere, which the caller set, are not believed:
// the diode of 1e-14 A at 4.3 mA stands at 0.6928 V by Shockley's equation.
func TestLooseTolerancesAreSuspect(t *testing.T) {
	result, _ := simulated(t, input(t, map[string]any{"netlist": "diode\nV1 a 0 5\nR1 a b 1k\nD1 b 0 dm\n.model dm d(is=1e-14)\n.options abstol=1 vntol=1\n", "analysis": "op"}))
	thermal := 1.380649e-23 * 300.15 / 1.602176634e-19
	right := 0.6
	for range 50 {
		right = thermal * math.Log((5-right)/1e3/1e-14+1)
	}
	q := quantity(t, result, "/operating_point/v(b)")
	if math.Abs(*q.Value-right) < 1e-3 {
		t.Fatalf("%g is right: the test shows nothing", *q.Value)
	}
	if q.Trust() != evidence.Suspect {
		t.Error(show(result))
	}
}

// A sweep of two sources with a transistor, and a deck of branches, are good work.
func TestGoodWorkIsNotSuspect(t *testing.T) {
	for _, in := range []map[string]any{
		{"netlist": "family\nV1 d 0 5\nV2 g 0 1.5\nM1 d g 0 0 nm w=10u l=1u\n.model nm nmos vto=0.7 kp=100u\n", "control": "dc v1 0 5 0.5 v2 0 3 1"},
		{"netlist": "branches\n.param k=1\nV1 a 0 1\n.if (k==1)\nR1 a b 1k\n.else\nR1 a b 2k\n.endif\nR2 b 0 1k\n", "control": "op"},
	} {
		result, _ := simulated(t, input(t, in))
		if result.Evidence.Trust() == evidence.Suspect {
			t.Error(show(result))
		}
	}
}

// P-channel devices, a sweep of a diode up to volts, and shunts from an option are
// right and not suspect: Kirchhoff's law holds with the signs and tolerances of
// what the simulator keeps.
func TestRightCurrentsAreNotSuspect(t *testing.T) {
	r := seeded(t)
	res := between(r, 3e3, 3e4)
	for name, in := range map[string]map[string]any{
		"pmos":   {"netlist": fmt.Sprintf("x\nVdd vdd 0 3\nVg g 0 1\nM1 d g vdd vdd p W=10u L=1u\nR1 d 0 %g\n.model p PMOS(LEVEL=1 VTO=-0.7 KP=50u)\n", res), "control": "op"},
		"pnp":    {"netlist": fmt.Sprintf("x\nVdd vdd 0 3\nQ1 c b vdd p\nR1 c 0 100\nR2 b 0 %g\n.model p PNP\n", res), "control": "op"},
		"pjf":    {"netlist": fmt.Sprintf("x\nVdd vdd 0 3\nJ1 d g s p\nR1 d 0 100\nR2 s vdd %g\nR3 g vdd 1k\n.model p PJF(VTO=-2)\n", res), "control": "op"},
		"diode":  {"netlist": fmt.Sprintf("x\nV1 a 0 0\nR1 a b %g\nD1 b 0 d\n.model d D(IS=1e-14)\n", res/10), "control": "dc V1 0 5 0.5"},
		"shunts": {"netlist": fmt.Sprintf("x\nV1 a 0 0\nR1 a b %g\nD1 b 0 d\n.model d D(IS=1e-14)\n.options rshunt=1k\n", res/10), "control": "dc V1 0 5 0.5"},
	} {
		result, _ := simulated(t, input(t, in))
		if result.Evidence.Trust() == evidence.Suspect || result.Evidence.Trust() == evidence.Computed {
			t.Errorf("%s\n%s", name, show(result))
		}
	}
}

// A closed switch carries V/(R + RON); what the simulator keeps of it at an operating
// point is the current of an open one.
func TestSwitchesAtRest(t *testing.T) {
	r := seeded(t)
	volts, res, on := between(r, 0.1, 10), between(r, 10, 1e4), between(r, 0.1, 10)
	netlist := fmt.Sprintf("switch\nV1 in 0 %.17g\nVc c 0 5\nS1 in o c 0 sw\nR1 o 0 %.17g\n.model sw SW(VT=2.5 VH=0.1 RON=%.17g ROFF=1e9)\n", volts, res, on)
	result, _ := simulated(t, input(t, map[string]any{"netlist": netlist, "analysis": "op"}))
	current := quantity(t, result, "/operating_point/i(v1)")
	near(t, "the current", *current.Value, -volts/(res+on), *current.Error)
	if current.Trust() != evidence.Verified || result.Evidence.Trust() != evidence.Verified {
		t.Errorf("a closed switch is %s: %v", result.Evidence.Trust(), result.Evidence.Reasons())
	}
	result, _ = simulated(t, input(t, map[string]any{"netlist": netlist, "analysis": "op", "probes": []string{"@s1[i]"}}))
	if kept := quantity(t, result, "/operating_point/@s1[i]"); math.Abs(*kept.Value-volts/(res+on)) > 0.01*volts/(res+on) && kept.Trust() != evidence.Suspect {
		t.Errorf("@s1[i] = %g is %s", *kept.Value, kept.Trust())
	}
}
