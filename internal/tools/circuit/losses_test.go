package circuit

import (
	"slices"
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
