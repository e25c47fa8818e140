package circuit

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"atelier/internal/contract"
	"atelier/internal/evidence"
)

// A tolerance or a rating leaves the circuit as it is: the card without it says the
// same.
func TestRatingsAreLeftOut(t *testing.T) {
	for card, want := range map[string]string{
		"R1 in 0 1k 5%": "R1 in 0 1k", "R1 in 0 1k 1W": "R1 in 0 1k", "R1 in 0 1k 5% 0.25W ; two": "R1 in 0 1k", "R1 in 0 1k\n+ 1%\n+ 1/4W": "R1 in 0 1k",
		"R1 in 0 {x} 5%": "R1 in 0 {x}", "R1 in 0 {x}5%": "R1 in 0 {x}", "R1 in 0 'x*2' 5%": "R1 in 0 'x*2'", "R1 in 0 R=1k 5%": "R1 in 0 R=1k", "R1 in 0 1k (5%)": "R1 in 0 1k",
		"R1 in 0 1k,5%": "R1 in 0 1k", "R1 in 0 1k 15% 5% TC1=1m": "R1 in 0 1k TC1=1m", "R1 in 0 2.5V 5V": "R1 in 0 2.5V", "R1 in 0 1k 5% $5%": "R1 in 0 1k", "R1 in 0 1k 5% // 5%": "R1 in 0 1k",
		"C1 in 0 1u 16V": "C1 in 0 1u", "C1 in 0 1u 10% 50V IC=2": "C1 in 0 1u IC=2", "L1 in 0 10m 3A": "L1 in 0 10m", "L1 in 0 10m 500mA": "L1 in 0 10m",
	} {
		for _, around := range []string{"%s\n", ".subckt s in\n%s\n.ends\n"} {
			n, fault := parseNetlist("t\nV1 in 0 1\n.param x=1k\nR9 in 0 1k\n" + fmt.Sprintf(around, card))
			if fault != nil {
				t.Errorf("%s: %v", card, fault)
				continue
			}
			e := n.elements[len(n.elements)-1]
			line := n.lines[e.number-1+n.shift]
			if len(n.warnings) != 1 || n.warnings[0].Code != "rating_left_out" || strings.Join(beforeComment(tokens(line)), " ") != strings.Join(tokens(want), " ") || strings.Join(e.tokens, " ") != strings.Join(tokens(want), " ") {
				t.Errorf("%s is %q, %v", card, line, n.warnings)
			}
		}
	}
}

// A second value that is no rating, and a unit apart from its number, are refused in
// their line; parameters, models and comments are neither.
func TestSecondValues(t *testing.T) {
	for card, says := range map[string]string{
		"R1 in 0 1k 5": "R1 has the values 1k and 5", "R1 in 0 1k 4m": "TC1=", "C1 in 0 1u 5": "C1 has the values 1u and 5", "L1 in 0 1m 5": "L1 has", "R1 in 0 5%": "a value was expected",
		"R1 in 0 1 m": "no space before the unit: 1m", "R1 in 0 1 k": "1k", "R1 in 0 1 kOhm": "1kOhm", "R1 in 0 3.3 Meg": "3.3Meg", "R1 in 0 1 M": "1MEG for mega", "C1 in 0 1 u": "1u", "C1 in 0 1 F": "femto",
		"C1 in 0 1 c": `"c" stands alone`, "L1 in 0 1 m": "1m", "L1 in 0 1 H": "1H", "V1 in 0 10 V": "10V", "V1 in 0 DC 5 m": "5m", "V1 in 0 SIN(0 10 1 kHz)": "1kHz", "V1 in 0 PWL(0 0 1 m 5)": "1m",
		"I1 0 in DC 5 mA": "5mA", "E1 in 0 a 0 10 k": "10k", "X1 in s r=2 k": "2k", ".param rv = 1 k": "1k", ".model d D(IS=1 n RS=1)": "1n", "M1 in a 0 0 mm w=1 u l=1u": "1u",
	} {
		_, fault := parseNetlist("t\nV9 in 0 1\nR9 in 0 1k\n" + card + "\n.model mm nmos\n.subckt s a r=1\nR1 a 0 {r}\n.ends\n")
		if fault == nil || fault.Code != "ERR_NETLIST_INVALID" || fault.Details["line"] != 4 || !strings.Contains(fault.Error()+fault.Hint, says) {
			t.Errorf("%s: %v, %v", card, fault, fault.Details)
		}
	}
	for _, card := range []string{
		"R1 in 0 1k tc=1m,2m", "R1 in 0 1k tc=1m 2m", "R1 in 0 1k tc 1m", "R1 in 0 1k $5%", "R1 in 0 1k // upper", "R1 in 0 rm 1k", "R1 in 0 1k rm", "R1 in 0 1k m", "R1 (in 0) 1k", "R1 in 0 R=max(1,2)", "R1 in 0 1k w=2 l=5",
		"C1 in 0 1u IC=5", "V1 in 0 AC 1 SIN(0 1 1k)", "X1 in s r=2k m=2", "E1 in 0 POLY(2) (a,0) (b,0) 0 1 1", ".model d D(IS=1n N 1.8)", ".model d D(IS 1n M 0.5)", ".param a=1 m=2", "B1 in 0 V=v(a)*2 + 1",
	} {
		n, fault := parseNetlist("t\nV9 in 0 1\nR9 in 0 1k\n" + card + "\n.model rm R\n.model m R\n.subckt s a r=1\nR1 a 0 {r}\n.ends\n")
		if fault != nil || len(n.warnings) > 0 {
			t.Errorf("%s: %v %v", card, fault, n)
		}
	}
}

// A transient to 10 m that reads 10 would end elsewhere.
func TestUnitsOfAnalyses(t *testing.T) {
	for card, says := range map[string]string{".tran 10u 10 m": "10m", ".tran 10 us 10m": "10us", ".ac dec 10 1 1 k": "1k", ".dc V1 0 5 0.1": "", ".dc V1 0 5 1 V 0 1 1": ""} {
		_, fault := readRequest(&simulateInput{Netlist: "t\nV1 a 0 1 AC 1\nV a b 0\nR1 b 0 1k\n" + card})
		if (fault != nil) != (says != "") || fault != nil && (fault.Details["line"] != 5 || !strings.Contains(fault.Hint, says)) {
			t.Errorf("%s: %v", card, fault)
		}
	}
}

// A resistor altered to 4 k would have 4 Ohm.
func TestUnitsOfAlter(t *testing.T) {
	for command, says := range map[string]string{"alter r1 = 4 k": "4k", "alter @r1[resistance]=4 k": "4k", "alter v1 dc = 5 m": "5m", "alter r1 = 4k": "", "alter r1=4M": ""} {
		r, fault := readRequest(&simulateInput{Netlist: divider, Control: controlText{lines: []string{"op", command, "op"}}})
		if (fault != nil) != (says != "") || fault != nil && (fault.Field != "/control" || fault.Details["line"] != 2 || !strings.Contains(fault.Hint, says)) {
			t.Errorf("%s: %v", command, fault)
		}
		if fault == nil && strings.Contains(fmt.Sprint(r.net.warnings), "milli_not_mega") != strings.HasSuffix(command, "M") {
			t.Errorf("%s: %v", command, r.net.warnings)
		}
	}
}

// A diode of IS and N in series with R: the current of R is Shockley's, whatever the
// tolerance of R is; in both tools.
func TestRatingsChangeNoFigure(t *testing.T) {
	r := seeded(t)
	ohms := between(r, 100, 1000)
	netlist := fmt.Sprintf("led\nV1 in 0 5\n.subckt limited a k\nR1 a k %.6g 5%% 0.25W\n.ends\nX1 in k limited\nD1 k 0 led\nC1 k 0 1u 16V\n.model led D(IS=1e-20 N=1.8)\n.op\n", ohms)
	result, out := simulated(t, input(t, map[string]any{"netlist": netlist, "probes": []string{"v(k)", "i(V1)"}}))
	thermal := 1.8 * 1.380649e-23 * 300.15 / 1.602176634e-19
	v, i := out.OperatingPoint["v(k)"], -out.OperatingPoint["i(v1)"]
	near(t, "current by Ohm", i, (5-v)/ohms, 1e-4*i)
	near(t, "current by Shockley", i, 1e-20*math.Exp(v/thermal), 1e-2*i)
	if result.Evidence.Trust() != evidence.Verified {
		t.Error(show(result))
	}
	path := filepath.Join(t.TempDir(), "led.cir")
	if err := os.WriteFile(path, []byte(netlist), 0o600); err != nil {
		t.Fatal(err)
	}
	result = runTool(t, Tools(ngspice(t))[1], input(t, map[string]any{"netlist_path": path, "target_vectors": []string{"v(k)"}}))
	var file vectorsOutput
	if err := json.Unmarshal(result.OutputJSON(), &file); err != nil {
		t.Fatal(err)
	}
	near(t, "v(k) of the file", file.Vectors["v(k)"][0], v, 1e-6)
	if said := fmt.Sprint(result.Warnings); !strings.Contains(said, "Line 4: tolerances and ratings") {
		t.Error(said)
	}
}

// 16V of a capacitor may be what a transient with uic begins with.
func TestRatingOrStartingValue(t *testing.T) {
	const netlist = "t\nV1 a 0 1\nR1 a b 1k\nC1 b 0 1u 16V\n.tran 1u 1m"
	if _, fault := readRequest(&simulateInput{Netlist: netlist}); fault != nil {
		t.Error(fault)
	}
	_, fault := readRequest(&simulateInput{Netlist: netlist + " uic"})
	if fault == nil || fault.Code != contract.CodeNetlistInvalid || fault.Details["line"] != 4 || !strings.Contains(fault.Hint, "IC=16V") {
		t.Errorf("%v", fault)
	}
}
