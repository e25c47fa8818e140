package circuit

import (
	"math"
	"math/cmplx"
	"testing"

	"atelier/internal/contract"
	"atelier/internal/evidence"
)

func near(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if math.Abs(got-want) > tolerance {
		t.Errorf("%s = %.9g, want %.9g within %g", what, got, want, tolerance)
	}
}

// The example of api/spec/agent.md: 1 V across 1 kOhm is 1 mA, drawn from the source.
func TestExampleCall(t *testing.T) {
	result, out := simulated(t, `{"netlist":"V1 in 0 DC 1\nR1 in 0 1k\n.end","control":["op","quit"]}`)
	near(t, "v(in)", out.OperatingPoint["v(in)"], 1, 1e-12)
	near(t, "i(v1)", out.OperatingPoint["i(v1)"], -1e-3, 1e-12)
	if len(result.Warnings) != 1 || result.Warnings[0].Code != "title_added" {
		t.Errorf("warnings %+v", result.Warnings)
	}
	if result.Evidence.Trust() != evidence.Verified {
		t.Errorf("evidence %s", show(result))
	}
}

// Series RLC driven by 1 V at ac: v(out) across C is 1/(1 - w2LC + jwRC).
func TestRLCAgainstClosedForm(t *testing.T) {
	const r, l, c = 10.0, 1e-3, 1e-6
	result, out := simulated(t, input(t, map[string]any{
		"netlist": "rlc\nV1 in 0 DC 2 AC 1\nR1 in a 10\nL1 a out 1m\nC1 out 0 1u\n.end", "analysis": "ac", "probes": []string{"v(out)", "i(V1)", "i(C1)"},
		"options": map[string]any{"ac": map[string]any{"fstart": 100, "fstop": 1e5, "points": 10}},
	}))
	if len(out.Series) != 3 || len(out.Series[0].X) < 16 {
		t.Fatalf("series %+v", out.Series)
	}
	for i, f := range out.Series[0].X {
		w := 2 * math.Pi * f
		want := 1 / complex(1-w*w*l*c, w*r*c)
		got := complex(out.Series[0].Real[i], out.Series[0].Imag[i])
		if cmplx.Abs(got-want) > 1e-6*cmplx.Abs(want) {
			t.Errorf("at %g Hz v(out) = %v, want %v", f, got, want)
		}
		near(t, "phase", out.Series[0].PhaseDeg[i], cmplx.Phase(want)*180/math.Pi, 1e-6)
		current := -want * complex(0, w*c) // out of the source's plus end
		if got := complex(out.Series[1].Real[i], out.Series[1].Imag[i]); cmplx.Abs(got-current) > 1e-6*cmplx.Abs(current) {
			t.Errorf("at %g Hz i(V1) = %v, want %v", f, got, current)
		}
		if got := complex(out.Series[2].Real[i], out.Series[2].Imag[i]); cmplx.Abs(got+current) > 1e-6*cmplx.Abs(current) {
			t.Errorf("at %g Hz i(C1) = %v, want %v", f, got, -current)
		}
	}
	if out.Series[1].Unit != "A" || out.Series[1].XUnit != "Hz" || result.Evidence.Trust() != evidence.Verified {
		t.Errorf("units or evidence: %+v %+v", out.Series[1].Unit, result.Evidence)
	}
}

// The step response of RC is 1 - exp(-t/RC); the stated accuracy is 1e-3 V.
func TestStepResponse(t *testing.T) {
	result, out := simulated(t, input(t, map[string]any{
		"netlist": "rc\nV1 in 0 PULSE(0 1 0 1n 1n 1 2)\nR1 in out 1k\nC1 out 0 1u\n.end", "analysis": "tran", "probes": []string{"v(out)", "v(in,out)"},
		"options": map[string]any{"tran": map[string]any{"tstop": 5e-3}},
	}))
	for i, at := range out.Series[0].X {
		near(t, "v(out)", out.Series[0].Y[i], 1-math.Exp(-at/1e-3), 1e-3)
	}
	near(t, "v(in,out) at the end", out.Series[1].Final, math.Exp(-5), 1e-3)
	if out.Settings.MaxStep == nil || *out.Settings.MaxStep != 5e-6 || result.Evidence.Trust() != evidence.Verified {
		t.Errorf("settings %+v evidence %+v", out.Settings, result.Evidence)
	}
}

// A linear divider is swept exactly: v(out) = v(in) R2/(R1+R2).
func TestSweepOfLinearCircuitIsExact(t *testing.T) {
	_, out := simulated(t, input(t, map[string]any{
		"netlist": "divider\nV1 in 0 0\nR1 in out 3k\nR2 out 0 1k\n.end", "analysis": "dc", "probes": []string{"v(out)", "i(R2)"},
		"options": map[string]any{"dc": map[string]any{"source": "V1", "start": -2, "stop": 2, "step": 0.5}},
	}))
	if got := out.Series[0].Points; got != 9 {
		t.Fatalf("%d points, want 9", got)
	}
	for i, v := range out.Series[0].X {
		near(t, "v(out)", out.Series[0].Y[i], v/4, 1e-12)
		near(t, "i(R2)", out.Series[1].Y[i], v/4/1e3, 1e-14)
	}
}

// The diode's voltage satisfies Shockley's equation for its own current.
func TestDiode(t *testing.T) {
	result, out := simulated(t, input(t, map[string]any{
		"netlist": "diode\nV1 a 0 5\nR1 a b 1k\nD1 b 0 dm\n.model dm D(IS=1e-14 N=1)\n.end", "analysis": "op", "probes": []string{"v(b)", "i(D1)"}}))
	v, i := out.OperatingPoint["v(b)"], out.OperatingPoint["i(d1)"]
	thermal := 1.380649e-23 * 300.15 / 1.602176634e-19 // 27 degrees Celsius
	near(t, "i(D1)", i, 1e-14*math.Expm1(v/thermal), 1e-3*i)
	near(t, "i(D1) by Ohm", i, (5-v)/1e3, 1e-3*i) // reltol
	if result.Evidence.Trust() != evidence.Verified || !has(result, "refinement") || !has(result, "current_balance") {
		t.Errorf("evidence %s", show(result))
	}
}

func TestMeasurementsAndOtherAnalyses(t *testing.T) {
	_, out := simulated(t, input(t, map[string]any{
		"netlist": "rc\nV1 in 0 DC 0 AC 1 PULSE(0 1 0 1n 1n 1 2)\nR1 in out 1k\nC1 out 0 1u\n.end",
		"control": "tran 5u 5m\nmeas tran tau when v(out)=0.6321205588\nmeas tran never when v(out)=3\ntf v(out) V1\npz in 0 out 0 vol pz\nnoise v(out) V1 dec 50 1m 1e7\nquit",
	}))
	if v := out.Measurements["tau"]; v == nil || math.Abs(*v-1e-3) > 2e-6 {
		t.Errorf("tau %v", v)
	}
	if v, ok := out.Measurements["never"]; v != nil || !ok {
		t.Errorf("never %v", v)
	}
	got := map[string]float64{}
	for _, v := range out.Values {
		got[v.Name] = v.Value
	}
	near(t, "gain", got["transfer_function"], 1, 1e-9)
	near(t, "pole", got["pole(1)"], -1e3, 1e-6) // -1/RC
	// The total noise of RC is sqrt(kT/C), whatever R is; the band leaves out less than 1e-4 of it.
	noise := math.Sqrt(1.380649e-23 * 300.15 / 1e-6)
	near(t, "noise", got["onoise_total"], noise, 1e-3*noise)
}

func TestFloatingNodeIsSuspect(t *testing.T) {
	result, _ := simulated(t, `{"netlist":"t\nV1 a 0 1\nC1 a b 1n\nC2 b 0 1n\n.end","analysis":"op"}`)
	if result.Evidence.Trust() != evidence.Suspect {
		t.Errorf("evidence %s", show(result))
	}
	found := false
	for _, w := range result.Warnings {
		found = found || w.Code == "floating_node"
	}
	if !found {
		t.Errorf("warnings %+v", result.Warnings)
	}
}

func TestNothingIsLeftBehind(t *testing.T) {
	result, out := simulated(t, `{"netlist":"t\nV1 a 0 1\nD1 a 0 dm\n.model dm d\n.end","analysis":"op"}`)
	names := map[string]bool{}
	for _, a := range result.Artifacts {
		names[a.Name] = true
	}
	for _, want := range []string{"circuit.cir", "ngspice.log", "ngspice.raw", "data.csv"} {
		if !names[want] {
			t.Errorf("no artifact %s in %v", want, names)
		}
	}
	if out.ArtifactURL != "/v1/jobs/job/artifacts/data.csv" {
		t.Errorf("url %s", out.ArtifactURL)
	}
}

// An LC oscillator without loss, held by trapezoidal steps that are far too long,
// loses its phase: the second run must say so.
func TestCoarseTransientIsSuspect(t *testing.T) {
	result, _ := simulated(t, input(t, map[string]any{
		"netlist": "lc\nL1 a 0 1m ic=0\nC1 a 0 1u ic=1\nR1 a 0 1g\n.end", "control": "tran 20u 20m 0 60u uic",
	}))
	if result.Evidence.Trust() != evidence.Suspect {
		t.Errorf("evidence %s", show(result))
	}
}

func TestLimits(t *testing.T) {
	tool := Tools(ngspice(t))[0]
	limits := tool.Contract.DefaultLimits()
	limits.TimeoutMS = 400
	for control, code := range map[string]string{
		"tran 1n 10m": contract.CodeTimeout,        // ten million points take seconds
		"tran 1n 1":   contract.CodeMemoryExceeded, // 1e9 points of 8 bytes at once
	} {
		netlist := "t\nV1 in 0 SIN(0 1 1meg)\nR1 in out 1k\nC1 out 0 1n\n.end"
		result := runLimited(t, tool, input(t, map[string]any{"netlist": netlist, "control": control}), limits)
		if result.Status != contract.StatusError || result.Errors[0].Code != code {
			t.Errorf("%s: %v, want %s", control, result.Errors, code)
		}
	}
}
