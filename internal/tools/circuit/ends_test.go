package circuit

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"atelier/internal/contract"
	"atelier/internal/evidence"
)

func warned(result *contract.Result, code string) bool {
	return strings.Contains(fmt.Sprintf("%+v", result.Warnings), code)
}

// The last value of every kind of sweep is that at the frequency asked for, by the
// closed form of a low-pass, or it is told where the sweep ends.
func TestSweepsReachTheirEnds(t *testing.T) {
	r := seeded(t)
	ohms, farads := between(r, 100, 1e4), between(r, 1e-7, 1e-6)
	netlist := fmt.Sprintf("x\nV1 in 0 dc 0 ac 1\nR1 in out %.17g\nC1 out 0 %.17g\n", ohms, farads)
	for command, ends := range map[string]bool{
		"ac lin 2 100 1000": true, "ac lin 3 100 1000": true, "ac lin 17 33 77.7": true, "ac dec 3 100 5000": true, "ac dec 1 100 1000": true,
		"ac oct 2 100 1000": false, "ac lin 1 100 1000": false, "ac lin 1 100 100": true, "noise v(out) V1 dec 3 100 5000": false, "noise v(out) V1 lin 2 100 1000": true,
	} {
		fields := map[string]any{"netlist": netlist, "control": command}
		if strings.HasPrefix(command, "ac") {
			fields["probes"] = []string{"v(out)"}
		}
		result, out := simulated(t, input(t, fields))
		if warned(result, "sweep_ends_before") == ends {
			t.Errorf("%s: %s %v", command, result.Summary, result.Warnings)
		}
		if command == "ac lin 1 100 1000" && result.Evidence.Trust() != evidence.Suspect {
			t.Error(show(result))
		}
		if !ends || !strings.HasPrefix(command, "ac") {
			continue
		}
		s := out.Series[0]
		f, _ := parseNumber(strings.Fields(command)[4])
		near(t, command, s.X[len(s.X)-1], f, 1e-6*f)
		near(t, command, s.Final, 1/math.Hypot(1, 2*math.Pi*f*ohms*farads), 1e-6)
	}
}

// Couplings are refused exactly where the matrix of inductances has no Cholesky
// factor, whatever the inductances are.
func TestCouplingsThatCannotBeAtOnce(t *testing.T) {
	r := seeded(t)
	seen := map[bool]int{}
	for range 300 {
		size := 2 + r.IntN(5)
		m := mat.NewSymDense(size, nil)
		netlist, l := "x\nV1 a1 0 ac 1\n", make([]float64, size)
		for i := range size {
			l[i] = between(r, 1e-6, 0.1)
			m.SetSym(i, i, l[i])
			netlist += fmt.Sprintf("L%d a%d 0 %.17g\n", i+1, i+1, l[i])
		}
		reach := between(r, 0.1, 1)
		for i := range size {
			for j := range i {
				k := reach * (2*r.Float64() - 1)
				m.SetSym(i, j, k*math.Sqrt(l[i]*l[j]))
				netlist += fmt.Sprintf("K%d_%d L%d L%d %.17g\n", j, i, j+1, i+1, k)
			}
		}
		var factor mat.Cholesky
		good := factor.Factorize(m)
		seen[good]++
		_, fault := parseNetlist(netlist)
		if (fault == nil) != good {
			t.Errorf("Cholesky says %v, and %v of\n%s", good, fault, netlist)
		}
	}
	if seen[true] < 20 || seen[false] < 20 {
		t.Errorf("drawn: %v", seen)
	}
	const three = "x\nV1 a 0 ac 1\nL1 a 0 1m\nL2 b 0 1m\nL3 c 0 1m\nK1 L1 L2 0.9\nK2 L2 L3 0.9\nK3 L1 L3 %s\n"
	if _, fault := parseNetlist(fmt.Sprintf(three, "-0.9")); fault == nil || fault.Details["line"] != 8 || !strings.Contains(fault.Error()+fault.Hint, "0.5555") {
		t.Errorf("%v", fault)
	}
	for _, good := range []string{fmt.Sprintf(three, "0.9"), "x\nV1 a 0 ac 1\nL1 a 0 1m\nL2 b 0 1m\nK1 L1 L2 1\n", "x\nV1 a 0 ac 1\nL1 a 0 1m\nL2 b 0 1m\nL3 c 0 1m\nK1 L1 L2 L3 0.5\n"} {
		if _, fault := parseNetlist(good); fault != nil {
			t.Errorf("%s: %v", good, fault)
		}
	}
}

// A level that is not reached is said, is null, and the answer is not whole.
func TestALevelThatIsNotReached(t *testing.T) {
	netlist := "x\nV1 in 0 PULSE(0 1 0 1u 1u 1 2)\nR1 in out 1k\nC1 out 0 1u\n"
	result, out := simulated(t, input(t, map[string]any{"netlist": netlist, "probes": []string{"v(out)"},
		"control": []string{"tran 1u 1m", "meas tran t5 when v(out)=0.5", "meas tran t9 when v(out)=0.9"}}))
	if !strings.Contains(result.Summary, "t9: v(out) never reaches 0.9 in the run") || out.Measurements["t9"] != nil || result.Evidence.Trust() != evidence.Suspect {
		t.Errorf("%s %v\n%s", result.Summary, out.Measurements, show(result))
	}
	near(t, "t5", *out.Measurements["t5"], 0.5e-6+1e-3*math.Ln2, 2e-6) // the ramp delays by half its length
}

// The summary has the number that a transfer function was asked for.
func TestTheTransferFunctionIsQuoted(t *testing.T) {
	r := seeded(t)
	a, b := between(r, 10, 1e4), between(r, 10, 1e4)
	result, _ := simulated(t, input(t, map[string]any{"netlist": fmt.Sprintf("x\nV1 in 0 1\nR1 in out %.17g\nR2 out 0 %.17g\n.tf v(out) V1\n", a, b)}))
	for _, want := range []float64{b / (a + b), a * b / (a + b), a + b} {
		if !strings.Contains(result.Summary, format5(want)) {
			t.Errorf("%s lacks %g", result.Summary, want)
		}
	}
}

// Of several operating points it is said which one stands, and all are there.
func TestOperatingPointsOneAfterTheOther(t *testing.T) {
	result, out := simulated(t, input(t, map[string]any{"netlist": divider, "control": []string{"op", "alter r1 3k", "op"}}))
	var values []float64
	for _, s := range out.Series {
		if s.Probe == "v(out)" {
			values = append(values, s.Final)
		}
	}
	if len(values) != 2 || !strings.Contains(result.Summary, `line 3 after "alter r1 3k"`) {
		t.Fatalf("%v %s", values, result.Summary)
	}
	near(t, "first", values[0], 0.5, 1e-9)
	near(t, "second", values[1], 0.25, 1e-9)
	near(t, "standing", out.OperatingPoint["v(out)"], 0.25, 1e-9)
}

func TestTwoTemperatures(t *testing.T) {
	_, fault := parseNetlist(divider + ".temp 27 77\n")
	if fault == nil || fault.Details["line"] != 5 || !strings.Contains(fault.Hint, "again with .temp 77") {
		t.Errorf("%v", fault)
	}
	if _, fault := parseNetlist(divider + ".temp 27\n"); fault != nil {
		t.Error(fault)
	}
}

// A pulse much shorter than a step arrives at the end of a matched line with half
// of the source's voltage, or the result is suspect and says what to do; with the
// step that it names the pulse is seen.
func TestAShortPulseThroughALine(t *testing.T) {
	netlist := "x\nV1 s 0 PULSE(0 2 0.3m 1n 1n 8n 1)\nRs s a 50\nT1 a 0 b 0 Z0=50 TD=%s\nRl b 0 50\n"
	result, _ := simulated(t, input(t, map[string]any{"netlist": fmt.Sprintf(netlist, "0.2m"), "probes": []string{"v(b)"}, "control": "tran 1u 1m"}))
	if result.Evidence.Trust() != evidence.Suspect || !warned(result, "pulse_within_a_step") {
		t.Errorf("%s %v\n%s", result.Summary, result.Warnings, show(result))
	}
	result, out := simulated(t, input(t, map[string]any{"netlist": fmt.Sprintf(netlist, "0.2u"), "probes": []string{"v(b)"}, "control": "tran 1n 301u 299.9u 2n"}))
	near(t, "the pulse", out.Series[0].Max.Y, 1, 0.02)
	if warned(result, "pulse_within_a_step") {
		t.Errorf("%v", result.Warnings)
	}
}
