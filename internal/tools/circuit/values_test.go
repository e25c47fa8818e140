package circuit

import (
	"fmt"
	"strings"
	"testing"

	"atelier/internal/contract"
	"atelier/internal/evidence"
)

// What the simulator would read as another number is refused, and the hint says
// what to write.
func TestMisreadValues(t *testing.T) {
	for value, write := range map[string]string{
		"2,2k": "2.2k", "1,000": "no comma between thousands", "2k2": "2.2k", "4K7": "4.7K", "2R2": "2.2", "4u7": "4.7u", "1meg5": "1.5meg", "R=2k2": "2.2k",
	} {
		_, fault := parseNetlist("t\nV1 in 0 10\n* a comment\nR1 in out " + value + "\nR2 out 0 2.2k\n")
		if fault == nil || fault.Code != "ERR_NETLIST_INVALID" || fault.Details["line"] != 4 || !strings.Contains(fault.Hint, write) {
			t.Errorf("%s: %v", value, fault)
		}
	}
	for _, card := range []string{"V1 in 0 2,5", "V1 in 0 DC 2,5", "C1 in 0 4n7", "L1 in 0 1m5", "E1 in 0 a 0 1k5", "X1 in 0 s r=2k2", "I1 0 in 1m5", ".param r=2k2"} {
		if _, fault := parseNetlist("t\n" + card + "\nR9 in 0 1k\n.subckt s a b r=1\nR1 a b {r}\n.ends\n"); fault == nil {
			t.Errorf("%s is accepted", card)
		}
	}
	for _, card := range []string{
		"R1 in 0 2.2k", "R1 in 0 1e3", "R1 in 0 10k5% ", "R1 in 0 1e-3", "V1 in 0 PULSE(0,1,0,1n,1n,1m,2m)", "V1 in 0 PWL 0,0 1m,5", "V1 in 0 PWL(0,0,1m,5)",
		"B1 in 0 V=pow(v(in),2)", "R1 in,0 1k", "Q1 in in 0 2N2222", "D1 in 0 1N4148", "E1 in 0 POLY(2) (a,0) (b,0) 0 1 1", "R1 in 0 R={max(1,2k)}", "C1 in 0 1\u00b5", "C1 in 0 4.7\u03bcF",
	} {
		if _, fault := parseNetlist("t\n" + card + "\nR9 in 0 1k\n.model 2N2222 npn\n.model 1N4148 d\n"); fault != nil {
			t.Errorf("%s: %v", card, fault)
		}
	}
}

// 1 microfarad by the sign of micro is 1e-6: RC = 1 ms.
func TestMicroSign(t *testing.T) {
	result, _ := simulated(t, input(t, map[string]any{"netlist": "rc\nV1 in 0 PULSE(0 1 0 1n 1n 1 2)\nR1 in out 1k\nC1 out 0 1\u00b5F\n",
		"control": "tran 2u 5m\nmeas tran tau when v(out)=0.6321205588"}))
	tau := quantity(t, result, "/measurements/tau")
	near(t, "tau", *tau.Value, 1e-3, 2e-6)
	if tau.Unit != "s" || tau.Trust() != evidence.Verified {
		t.Error(show(result))
	}
}

func TestMilliAndPowersAreTold(t *testing.T) {
	n, fault := parseNetlist("t\nV1 a 0 3\nR1 a b 1M\nB1 c 0 V=V(a)^3\nR2 b 0 10m\nR3 c 0 1MEG\n")
	if fault != nil {
		t.Fatal(fault)
	}
	codes := []string{}
	for _, w := range n.warnings {
		codes = append(codes, w.Code)
	}
	if fmt.Sprint(codes) != "[milli_not_mega power_of_magnitude]" {
		t.Errorf("%v", n.warnings)
	}
}

// A parameter brings the same milli to where it is used.
func TestMilliOfParameters(t *testing.T) {
	for text, told := range map[string]bool{
		".param rv=1M": true, ".param rv = {2*1M}": true, "X1 a 0 s rin=2M": true, ".subckt u a b rin=1M\nR1 a b {rin}\n.ends": true, "R1 a 0 {1M}": true, "B1 a 0 I=v(a)/1M": true, ".model sm SW(ROFF=1M)": true,
		".param rv=1MEG": false, ".param rv=1m": false, "X1 a 0 s rin=2MEG": false, "C1 a 0 1M": false, ".param M=2": false, ".param a={2*M}": false,
	} {
		n, fault := parseNetlist("t\nR9 a 0 1\n.subckt s a b rin=1\nR1 a b {rin}\n.ends\n" + text + "\n")
		if fault != nil {
			t.Errorf("%s: %v", text, fault)
			continue
		}
		if got := strings.Contains(fmt.Sprint(n.warnings), "milli_not_mega"); got != told {
			t.Errorf("%s: %v", text, n.warnings)
		}
	}
}

// Names that would fall together are refused; those of comments and titles are not
// read.
func TestNamesBeyondASCII(t *testing.T) {
	_, fault := parseNetlist("t\nV1 in 0 9\nR1 in n\u00e4 1k\nR2 n\u00e4 n\u00fc 1k\nR3 n\u00fc 0 1k\n")
	if fault == nil || fault.Details["line"] != 3 || !strings.Contains(fault.Error(), "ASCII") {
		t.Errorf("%v", fault)
	}
	if _, fault := parseNetlist("Verst\u00e4rker\n* f\u00fcr alle\nV1 in 0 9\nR1 in 0 1k ; Gr\u00f6\u00dfe\n"); fault != nil {
		t.Error(fault)
	}
}

// The transconductance of a level-1 MOSFET in saturation is KP W/L (VGS - VTO).
func TestDeviceParameters(t *testing.T) {
	r := seeded(t)
	w, vgs := between(r, 5e-6, 50e-6), 1+r.Float64()
	result, out := simulated(t, input(t, map[string]any{
		"netlist":  fmt.Sprintf("gm\nV1 d 0 5\nV2 g 0 %g\nM1 d g 0 0 nm w=%g l=1u\n.model nm nmos vto=0.7 kp=100u\n", vgs, w),
		"analysis": "op", "probes": []string{"@m1[gm]", "@m1[id]", "@m1[vgs]"}}))
	gm := quantity(t, result, "/operating_point/@m1[gm]")
	near(t, "gm", *gm.Value, 100e-6*w/1e-6*(vgs-0.7), 1e-4**gm.Value)
	near(t, "id", out.OperatingPoint["@m1[id]"], 100e-6/2*w/1e-6*(vgs-0.7)*(vgs-0.7), 1e-4*out.OperatingPoint["@m1[id]"])
	if gm.Unit != "S" || out.Series[1].Unit != "A" || out.Series[2].Unit != "V" {
		t.Errorf("units %s %s %s", gm.Unit, out.Series[1].Unit, out.Series[2].Unit)
	}
	if gm.Trust() != evidence.Verified {
		t.Error(show(result))
	}
}

// A current source of an expression: 1 mA/V of 2 V into 1 kOhm is 2 V.
func TestExpressionOfACurrentSource(t *testing.T) {
	for _, form := range []string{"VALUE={V(a)*1m}", "cur='V(a)*1m'", "TABLE {V(a)} = (0,0) (10,10m)", "POLY(1) a 0 0 1m", "a 0 1m"} {
		result, out := simulateFor(t, input(t, map[string]any{"netlist": "g\nV1 a 0 2\nG1 0 o " + form + "\nR1 o 0 1k\n", "analysis": "op"}))
		if result.Status == contract.StatusError {
			if code := result.Errors[0].Code; code == contract.CodeInternal {
				t.Errorf("%s: %v", form, result.Errors[0])
			}
			continue
		}
		near(t, form, out.OperatingPoint["v(o)"], 2, 1e-3)
		if result.Evidence.Trust() == evidence.Suspect {
			t.Errorf("%s\n%s", form, show(result))
		}
	}
}
