package circuit

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"atelier/internal/evidence"
)

// Where the simulator's powers of a negative base are not x^3, it is told, and the form
// that the warning names gives x^3.
func TestPowersOfNegativeBases(t *testing.T) {
	r := seeded(t)
	x := -between(r, 0.5, 3)
	cube := x * x * x
	for k, power := range []string{"x^3", "x**3", "pow(x,3)", "pwr(x,3)", "x*x*x"} {
		source := strings.ReplaceAll(power, "x", "v(in)")
		if power == "pwr(x,3)" || power == "pow(x,3)" {
			source = strings.Replace(power, "(x", "(v(in)", 1)
		}
		netlist := fmt.Sprintf("t\n.param x=%.9g\nV1 in 0 {x}\nR1 in 0 1k\nB1 out 0 V=%s\nR2 out 0 1k\nV2 par 0 {%s}\nR3 par 0 1k\nV3 fun 0 {f(x)}\nR4 fun 0 1k\n.func f(x) {%s}\n", x, source, power, power)
		result, out := simulated(t, input(t, map[string]any{"netlist": netlist, "analysis": "op"}))
		told := fmt.Sprint(result.Warnings)
		for node, line := range map[string]int{"out": 5, "par": 7} {
			got := out.OperatingPoint["v("+node+")"]
			wrong := abs(got-cube) > 1e-3*abs(cube)
			if suspect := quantity(t, result, "/operating_point/v("+node+")").Trust() == evidence.Suspect; suspect != wrong {
				t.Errorf("%s of %g is %g at %s: %s", power, x, got, node, show(result))
			}
			if wrong != strings.Contains(told, fmt.Sprintf("Line %d: in ", line)) {
				t.Errorf("%s of %g is %g at %s: %s", power, x, got, node, told)
			}
		}
		if strings.Contains(told, "Line 11: ") != (k < 4) {
			t.Errorf(".func of %s: %s", power, told)
		}
	}
}

// A power that has the right sign whatever its base is, is not told.
func TestPowersWithoutSign(t *testing.T) {
	for text, told := range map[string]bool{
		"B1 a 0 V=v(b)^2": false, "B1 a 0 V=v(b)**4*3": false, "B1 a 0 V=pow(v(b),2)": false, "B1 a 0 V=10^v(b)": false, "B1 a 0 V=abs(v(b)-1)^0.5": false, "B1 a 0 V=pow(abs(v(b)),1.5)": false,
		"B1 a 0 V=v(b)^2.5": true, "B1 a 0 V=v(b2)^3": true, "B1 a 0 V=pow(max(v(b),1),3)": true, "B1 a 0 V=pow(v(b),v(c))": true, "B1 a 0 V=v(b)^20": false, "B1 a 0 V=v(b)^21": true, "B1 a 0 V=v(b)^2k": true,
		"E1 a 0 VALUE={pow(v(b),3)}": true, "R1 a 0 {pow(x,3)}": false, "R1 a 0 {pwr(x,3)}": true, "R1 a 0 {x**3}": true, "C1 a 0 {x**3}": true, ".param y={x**3}": true, ".param y=x^2": false, ".param y={10**3}": false, ".model d D(IS={x**3})": true,
	} {
		n, fault := parseNetlist("t\nR9 a 0 1\n.param x=1\n" + text + "\n")
		if fault != nil {
			t.Errorf("%s: %v", text, fault)
			continue
		}
		if got := strings.Contains(fmt.Sprint(n.warnings), "power_of_magnitude"); got != told {
			t.Errorf("%s: %v", text, n.warnings)
		}
	}
}

// A base that stays positive changes nothing, and neither do even powers by a name.
func TestPowersOfPositiveBases(t *testing.T) {
	r := seeded(t)
	netlist := fmt.Sprintf("t\n.param two=2\nV1 in 0 SIN(%.9g 1 1k)\nR1 in 0 1k\nV2 n 0 -2\nR2 n 0 1\nB1 out 0 V=v(in)^3+pow(v(in),1.5)/2+v(in) ** 5 + v(n)^{two}\nR3 out 0 1k\n.tran 1u 2m\n.meas tran top MAX v(out)\n", between(r, 1.5, 3))
	result, _ := simulated(t, input(t, map[string]any{"netlist": netlist, "probes": []string{"v(out)"}}))
	if result.Evidence.Trust() == evidence.Suspect || !strings.Contains(fmt.Sprint(result.Warnings), "power_of_magnitude") {
		t.Error(show(result), result.Warnings)
	}
	result, _ = simulated(t, input(t, map[string]any{"netlist": strings.Replace(netlist, "SIN(", "SIN(-", 1), "probes": []string{"v(out)"}}))
	if q := quantity(t, result, "/measurements/top"); q.Trust() != evidence.Suspect {
		t.Error(show(result))
	}
}

// What is written anew has the operands of the power alone.
func TestSignedPowers(t *testing.T) {
	for text, want := range map[string]string{
		"1+v(a,b)^3*2": "1+P(v(a,b);3)*2", "x**3": "P(x;3)", "(a+b)**(c+1)-d": "P((a+b);(c+1))-d", "2*max(a,b)^n": "2*P(max(a,b);n)", "a^3+b^3": "P(a;3)+P(b;3)", "pow(v(a),3)/2": "P(v(a);3)/2",
		"a^2+10^b+pow(abs(c),d)": "a^2+10^b+pow(abs(c),d)", "x ^ -3 + 1": "P(x;-3) + 1", "a^max(b,c)": "P(a;max(b,c))", "v(a)^{n}*2": "P(v(a);{n})*2",
	} {
		power := func(base, exponent string) string {
			return fmt.Sprintf("(pow(abs(%s),(%s))*((%s)<0 ? cos(3.14159265358979*(%s)) : 1))", base, exponent, base, exponent)
		}
		wanted := regexp.MustCompile(`P\(((?:[^;])+);((?:[^();]|\([^()]*\))+)\)`).ReplaceAllStringFunc(want, func(s string) string {
			base, exponent, _ := strings.Cut(s[2:len(s)-1], ";")
			return power(base, exponent)
		})
		if got, ok := signed(text, "pow"); !ok || got != wanted {
			t.Errorf("%s: %s, want %s", text, got, wanted)
		}
	}
}
