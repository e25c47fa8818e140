package circuit

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"atelier/internal/contract"
	"atelier/internal/evidence"
)

// What other simulators take and this one does not is refused with what to write, and
// with the line that it stands in.
func TestFormsOfOtherSimulators(t *testing.T) {
	const around = "t\nV1 in 0 SIN(0 5 50) AC 1\n"
	for text, says := range map[string]string{
		"Q1 in in 0 2N2222\n.op":               "NPN(",
		"M1 in in 0 0 nm\n.op":                 "NMOS(",
		"S1 in 0 in 0 sm\n.op":                 "SW(",
		"D1 in 0 dm\n.op":                      "D(IS=1e-14)",
		"R1 in 0 1k\nR1 in 0 2k\n.op":          "a name of its own",
		"R1 in 0 1k\n.step param r 1 2 1\n.op": "alter r1=2k",
		"E1 b 0 LAPLACE {v(in)} = {1/(1+s*1m)}\nR2 b 0 1k\n.ac dec 10 1 1k":                    "s_xfer",
		"B1 b 0 V=if(v(in)>1,5,0)\nR2 b 0 1k\n.op":                                             "v(in)>1 ? 5 : 0",
		"R0 in a 1\nL1 a 0 1m\nL2 b 0 1m\nL3 c 0 1m\nK1 L1 L2 L3 0.9\nR2 b 0 1\nR3 c 0 1\n.op": "K2 L1 L3",
		"S1 in 0 in 0 sm\n.model sm VSWITCH(RON=1 ROFF=1MEG VON=2 VOFF=1)\n.op":                "SW(VT=",
		"R1 in b 1\nM1 b in 0 nm\n.model nm NMOS\n.op":                                         "M1 b in 0 0 nm",
		"R1 in 0 {rr*2}\n.op":                                                   ".param rr=",
		"R1 in b 1 Tol=5%\nR2 b 0 1\n.op":                                       "leave it out",
		"C1 in b 1u Rser=1\nR2 b 0 1\n.op":                                      "in series",
		"R1 in b 1\nR2 b 0 1\n.tran 1u 1m\n.meas tran p RMS v(in,b)":            "let d = v(in)-v(b)",
		"R1 in b 1\nR2 b 0 1\n.tran 1u 1m\n.meas tran p AVG v(in)*i(V1)":        "let d = v(in)*i(v1)",
		"R1 in b 1\nR2 b 0 1\n.tran 1u 1m\n.meas tran p AVG par('v(in)*i(V1)')": "then meas tran p avg pp",
	} {
		result, _ := simulateFor(t, input(t, map[string]any{"netlist": around + text}))
		if result.Status != contract.StatusError || !strings.Contains(result.Errors[0].Hint, says) || result.Errors[0].Details["line"] == nil {
			t.Errorf("%s: %v", text, result.Errors)
		}
	}
}

// What the hints say to write works: the mean of a product is that of the source's
// power, U^2/2 R/|Z|^2, and the difference is the voltage of the resistor.
func TestMeasuredOfComputed(t *testing.T) {
	r := seeded(t)
	ohms := between(r, 5, 20)
	z2 := ohms*ohms + math.Pow(2*math.Pi*50*50e-3, 2)
	_, out := simulated(t, input(t, map[string]any{"netlist": fmt.Sprintf("rl\nV1 in 0 SIN(0 100 50)\nR1 in a %.12g\nL1 a 0 50m\n", ohms),
		"control": "tran 20u 200m\nlet pp = -v(in)*i(v1)\nmeas tran p avg pp from=160m to=200m\nlet d = v(in)-v(a)\nmeas tran u rms d from=160m to=200m"}))
	near(t, "power", *out.Measurements["p"], 5000*ohms/z2, 2e-3*5000*ohms/z2)
	near(t, "voltage", *out.Measurements["u"], math.Sqrt(5000/z2)*ohms, 2e-3*math.Sqrt(5000/z2)*ohms)
}

// A bridge on a floating source: the hint names the model and the node, and each of its
// two ways leads to the voltage of the peaks less two diodes.
func TestBridgeWithoutCapacitance(t *testing.T) {
	const bridge = "bridge\nV1 a b SIN(0 17 50)\nD1 a p dm\nD2 b p dm\nD3 0 a dm\nD4 0 b dm\nC1 p 0 1000u\nRL p 0 100\n.model dm D(IS=1n N=1.8 RS=0.05%s)\n%s\n.tran 50u 100m\n.meas tran top MAX v(p) from=60m to=100m\n"
	result, _ := simulateFor(t, input(t, map[string]any{"netlist": fmt.Sprintf(bridge, "", "")}))
	if result.Status == contract.StatusError && !strings.Contains(result.Errors[0].Hint, "CJO=10p to the model dm, or a resistor of 1MEG from b") {
		t.Error(result.Errors)
	}
	for _, way := range [][2]any{{" CJO=10p", ""}, {"", "Rg b 0 1MEG"}} {
		_, out := simulated(t, input(t, map[string]any{"netlist": fmt.Sprintf(bridge, way[0], way[1])}))
		if top := *out.Measurements["top"]; top < 17-2*1.1 || top > 17-2*0.5 {
			t.Errorf("%v: %g V", way, top)
		}
	}
}

// A power MOSFET has three nodes, and in saturation the current KP/2 (VGS - VTO)^2; the
// words of its maker's model say nothing to a simulator.
func TestPowerMOSFET(t *testing.T) {
	r := seeded(t)
	kp, over := between(r, 0.1, 1), between(r, 1, 2)
	netlist := fmt.Sprintf("t\nVD d 0 12\nVG g 0 %.9g AC 1\nRD d k 1\nM1 k g 0 IRF\n.model IRF VDMOS(Vto=3 Kp=%.9g Cgs=1n\n+ mfg=International_Rectifier type=silicon Vds=100 Ron=44m)\n", 3+over, kp)
	result, out := simulated(t, input(t, map[string]any{"netlist": netlist, "analysis": "op", "probes": []string{"i(M1)"}}))
	want := kp / 2 * over * over
	near(t, "current", out.OperatingPoint["i(m1)"], want, 0.01*want)
	if result.Evidence.Trust() != evidence.Verified || !has(result, "current_balance") || !strings.Contains(fmt.Sprint(result.Warnings), "mfg=International_Rectifier, type=silicon") {
		t.Error(show(result), result.Warnings)
	}
	result, out = simulated(t, input(t, map[string]any{"netlist": netlist + ".ac dec 10 1 10\n.dc VG 4 5 0.1\n", "probes": []string{"v(k)"}}))
	gain := kp * over // transconductance, into 1 Ohm
	near(t, "gain", out.Series[0].Y[0], gain, 0.01*gain)
	if result.Evidence.Trust() == evidence.Suspect {
		t.Error(show(result))
	}
}
