package circuit

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"atelier/internal/contract"
)

// What is written and not done, or done and not returned, is told.
func TestLossesAreTold(t *testing.T) {
	for code, in := range map[string]simulateInput{
		"initial_condition_unused": {Netlist: "x\nR1 a 0 1k\nC1 a 0 1u IC=5\n.tran 1u 1m\n"},
		"sweep_ends_before":        {Netlist: divider, Control: controlText{lines: []string{"dc V1 0 1 0.3"}}},
		"not_returned":             {Netlist: divider, Control: controlText{lines: []string{"op", "let p=v(out)*v(out)", "print p"}}},
		"zero_resistance":          {Netlist: "x\nV1 a 0 1\nR1 a b 0\nR2 b 0 1m\n.op\n"},
		"femto_not_farad":          {Netlist: "x\nV1 a 0 1\nR1 a b 1k\nC1 b 0 1F\n.op\n"},
	} {
		r, fault := readRequest(&in)
		if fault != nil {
			t.Fatal(fault)
		}
		if !slices.ContainsFunc(r.net.warnings, func(w contract.Warning) bool { return w.Code == code }) {
			t.Errorf("%s is not told: %v", code, r.net.warnings)
		}
	}
	for _, in := range []simulateInput{
		{Netlist: "x\nR1 a 0 1k\nC1 a 0 1uF IC=5\n.tran 1u 1m uic\n"},
		{Netlist: divider, Control: controlText{lines: []string{"dc V1 0 1 0.1", "dc V1 1 -1 -0.25", "print v(out)"}}},
	} {
		if r, fault := readRequest(&in); fault != nil || len(r.net.warnings) > 0 {
			t.Errorf("%v %v", fault, r.net.warnings)
		}
	}
}

// One name for two values, and windings that would make energy, are refused.
func TestLossesAreRefused(t *testing.T) {
	in := simulateInput{Netlist: divider, Control: controlText{lines: []string{"dc V1 0 1 0.1", "meas dc m MAX v(out)", "meas dc m MIN v(out)"}}}
	if _, fault := readRequest(&in); fault == nil || fault.Code != contract.CodeInvalidInput || fault.Field != "/control" || fault.Hint == "" {
		t.Errorf("%v", fault)
	}
	if _, fault := parseNetlist("x\nV1 a 0 1\nL1 a 0 1m\nL2 b 0 1m\nR1 b 0 1k\nK1 L1 L2 1.2\n"); fault == nil || fault.Details["line"] != 6 {
		t.Errorf("%v", fault)
	}
	if _, fault := parseNetlist("x\nV1 a 0 1\nL1 a 0 1m\nL2 b 0 1m\nR1 b 0 1k\nK1 L1 L2 1\n"); fault != nil {
		t.Error(fault)
	}
}

// A capacitor that begins at u falls to half of it after RC ln 2. The netlist's
// measurement and its uic hold for the analysis that is given as an argument, and what
// is not run is told.
func TestCardsBesideAnAnalysis(t *testing.T) {
	r := seeded(t)
	u, ohms, farads := between(r, 1, 10), between(r, 1e2, 1e4), 1e-6
	netlist := fmt.Sprintf("rc\nR1 a 0 %.9g\nC1 a 0 1u IC=%.9g\n.tran 1u 10m uic\n.ac dec 10 1 10\n.meas tran half WHEN v(a)=%.9g\n.meas ac no MAX v(a)\n", ohms, u, u/2)
	result, out := simulated(t, input(t, map[string]any{"netlist": netlist, "analysis": "tran", "probes": []string{"v(a)"}, "options": map[string]any{"tran": map[string]any{"tstop": 2 * ohms * farads}}}))
	if half := out.Measurements["half"]; half == nil || len(out.Measurements) != 1 {
		t.Fatalf("%v", out.Measurements)
	}
	near(t, "half life", *out.Measurements["half"], ohms*farads*math.Ln2, 1e-3*ohms*farads)
	near(t, "v(a) at the end", out.Series[0].Final, u*math.Exp(-2), 1e-3*u)
	if told := fmt.Sprint(result.Warnings); !strings.Contains(told, `line 4, "tran 1u 10m uic" and line 5`) || !strings.Contains(told, "line 7") || strings.Contains(told, "line 6") || !strings.Contains(told, "uic is kept") {
		t.Error(told)
	}
	for control, told := range map[string]bool{"tran 1u 1m": true, "run": false} {
		in := simulateInput{Netlist: strings.Replace(netlist, "C1 a 0", "V1 b 0 AC 1\nC1 a b", 1), Control: controlText{lines: []string{control}}}
		got, fault := readRequest(&in)
		if fault != nil {
			t.Fatal(fault)
		}
		if strings.Contains(fmt.Sprint(got.net.warnings), "cards_not_run") != told || len(got.script.analyses()) != map[bool]int{true: 1, false: 2}[told] {
			t.Errorf("%s: %v, %v", control, got.net.warnings, got.script.commands)
		}
	}
}
