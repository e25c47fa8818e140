package agent_test

import (
	"context"
	"encoding/json"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"atelier/internal/agent/plan"
	"atelier/internal/contract"
	"atelier/internal/engine"
	"atelier/internal/runner"
	"atelier/internal/testenv"
	"atelier/internal/tools"
)

// ask is what a request is to bring that must not be answered.
var ask = math.NaN()

// circuitRequests are requests for circuits with the value of the output by hand:
// of R1 above R2 it is V·R2/(R1+R2), of a step V·(1-exp(-t/RC)), and of a sweep
// the gain at its end.
var circuitRequests = []struct {
	text  string
	value float64 // of the output; NaN where it is to be asked
	told  string  // what is to be told as not used; "" for nothing
}{
	{"divider with R1 = 1 kOhm and R2 = 2 kOhm, 10 V", 10 * 2. / 3, ""},
	{"divider with R2 = 2 kOhm and R1 = 1 kOhm, 10 V", 10 * 2. / 3, ""},
	{"divider with R1 = 1 kOhm and R2 = 2 kOhm, 10 V, but with R2 shorted", 0, ""},
	{"divider with R1 = 1 kOhm and R2 = 2 kOhm, 10 V, R1 open", 0, ""},
	{"divider with R1 = 1 kOhm and R2 = 2 kOhm, 10 V, with R2 removed", 10, ""},
	{"divider with R1 = 1 kOhm and R2 = 2 kOhm, 10 V, output across R1", 10 * 1. / 3, ""},
	{"divider with R1 = 1 kOhm and R2 = 2 kOhm, 10 V with the resistors swapped", 10 * 1. / 3, ""},
	{"divider with R1 = 1 kOhm and R2 = 2 kOhm, 10 V, with a 1 kOhm load", 10 * (2. / 3) / (1 + 2./3), ""},
	{"divider with R1 = 1 kOhm and R2 = 2 kOhm, 10 V, loaded with 2 kOhm", 5, ""},
	{"divider 12 V, 10 kOhm and 4.7 kOhm", 12 * 4.7 / 14.7, ""},
	{"voltage divider from 12 V with 4k7 and 10k: what is the output voltage?", 12 * 10 / 14.7, ""},
	{"divider of 10K over 20K at 9 V", 6, ""},
	{"divider, upper resistor 3.3 kOhm, lower resistor 6.8 kOhm, 5 V supply", 5 * 6.8 / 10.1, ""},
	{"divider, lower resistor 6.8k, upper resistor 3.3k, Vin = 5 V", 5 * 6.8 / 10.1, ""},
	{"A 10 V source, 1 kohm and 2 kohm in series. What is the voltage across the 2 kohm?", 10 * 2. / 3, ""},
	{"10 V source, 1 kohm and 2 kohm in series. What is the voltage across the 1 kohm resistor?", 10 * 1. / 3, ""},
	{"divider with R1 = 1 kOhm and R2 = 2 kOhm, 10 V AC at 1 kHz", 10 * 2. / 3, ""},
	{"divider with R1 = 1000, R2 = 3000 at 8 V", 6, ""},
	{"Dear assistant, could you please tell me the output of a voltage divider made of R1 = 1k and R2 = 1k on 3.3 V? Thanks!", 1.65, "assistant"},
	{"divider with R1 = 1 kOhm and R2 = 2 kOhm, 10 V, at 80 °C", 10 * 2. / 3, "80 °C"},
	{"power in the upper resistor of a divider of 100 and 200 ohm at 24 V", 16, "power in the upper resistor"},
	{"divider of 1, 2 kOhm at 24 V", 16, ""},
	{"How long does a 100 uF capacitor take to charge to 3 V through 10k?", ask, ""},
	{"How long does a 100 uF capacitor take to discharge to 3 V through 10k with a supply of 5 V?", ask, ""},
	{"A capacitor of 1 uF at 9 V is discharged through 10 kOhm: voltage after 10 ms?", 9 * math.Exp(-1), ""},
	{"RC low-pass with R = 1 kOhm and C = 1 uF, charging and discharging at 5 V", ask, ""},
	{"A 10 uF capacitor discharges through 1 kOhm with a supply of 9 V: when is it at 5 V?", ask, ""},
	{"1 uF, 9 V, discharging through 10 kOhm: voltage of the capacitor after 10 ms?", 9 * math.Exp(-1), ""},
	{"RC low-pass with R = 1 kOhm and C = 1 uF, initially discharged, step of 5 V, voltage after 1 ms", 5 * (1 - math.Exp(-1)), ""},
	{"A 10 uF capacitor charged to 5 V is discharged through 1 kOhm: how long until 1 V is left?", ask, ""},
	{"divider with R1 = 1 kOhm and R2 = 2 kOhm, 10 V, power in R2?", 10 * 2. / 3, "power in R2"},

	{"RC low-pass with R = 1 kOhm and C = 1 uF, gain at 1000 rad/s", 1 / math.Sqrt2, ""},
	{"RC low-pass with R = 1 kOhm and C = 1 uF, step of 5 V, voltage after 2 ms", 5 * (1 - math.Exp(-2)), ""},
	{"RC low-pass with R = 1 kOhm and C = 1 uF, capacitor charged to 3 V, voltage after 1 ms", 3 * math.Exp(-1), ""},
	{"RC low-pass with R = 1 kOhm and C = 1 uF, step of 5 V, capacitor charged to 3 V, voltage after 1 ms", 5 - 2*math.Exp(-1), ""},
	{"5 V source, 100 ohm and 10 uF in series, voltage of the capacitor after 1 ms", 5 * (1 - math.Exp(-1)), ""},
	{"RC low pass with 1k and 1uF, step of 1 V, value after three time constants", 1 - math.Exp(-3), ""},
	{"RC low pass with 1k and 1uF: what is the cutoff frequency?", math.Sqrt(0.5), ""},
	{"RC low-pass with R = 1 kOhm and C = 1 uF, 5 V at 50 Hz: output voltage?", 5 / math.Hypot(1, 2*math.Pi*50*1e-3), ""},
	{"RC low-pass with R = 1 kOhm and C = 1 uF, gain in dB at 1 kHz", -20 * math.Log10(math.Hypot(1, 2*math.Pi)), ""},
	{"RC high-pass with R = 4.7 kOhm and C = 22 nF, gain at 50 Hz", 1 / math.Hypot(1, 1/(2*math.Pi*50*4.7e3*22e-9)), ""},
	{"RC high-pass with R = 1 kOhm and C = 1 uF, phase at the corner", 45, ""},
	{"RC low-pass with R = 1 kOhm and C = 1 uF, output over the resistor, gain at 50 Hz", 1 / math.Hypot(1, 1/(2*math.Pi*50*1e-3)), ""},
	{"RC low-pass with R = 1 kOhm and C = 1 uF, without the capacitor, gain at 1 kHz", 1, ""},
	{"RC low-pass with R = 1 kOhm, C = 1 uF and a load of 1 kOhm, step of 2 V, voltage after 1 ms", 1 - math.Exp(-2), ""},
	{"RL low-pass with R = 1 kOhm and L = 1 mH, step of 5 V, voltage after 2 us", 5 * (1 - math.Exp(-2)), ""},
	{"RL high-pass with R = 1 kOhm and L = 1 mH: gain at 100 kHz", 1 / math.Hypot(1, 1e3/(2*math.Pi*1e5*1e-3)), ""},
	{"RC high-pass with R = 1 kOhm and C = 1 uF, step of 5 V, voltage after 2 ms", 5 * math.Exp(-2), ""},
	{"A capacitor of 1 uF charged to 9 V discharges through a resistor of 10 kOhm: voltage after 10 ms?", 9 * math.Exp(-1), ""},
	{"RC low-pass with R = 1 kOhm ± 5 % and C = 1 uF, gain at 50 Hz", 1 / math.Hypot(1, 2*math.Pi*50*1e-3), "5 %"},

	{"RC low-pass with R = 1 kOhm and C = 1 uF and no source, driven by a current source of 1 mA", ask, ""},
	{"RC low-pass with R = 1 kOhm and C = 1 uF, noise", ask, ""},
	{"RC low-pass with R = 1 kOhm and C = 1 uF, square wave of 5 V at 100 Hz", ask, ""},
	{"RC low-pass with R = 1 kOhm and C = 1 uF, without the resistor", ask, ""},
	{"RC low-pass with R = 1 kOhm and C = 1 uF, cascade of two", ask, ""},
	{"divider of three resistors 1 kOhm, 2 kOhm and 3 kOhm, 12 V", ask, ""},
	{"divider with R1 = 1 kOhm and R2 = 2 kOhm, 10 V, R2 not shorted but open or bridged by a diode", ask, ""},
	{"divider with R1 = 1 kOhm and R2 = 2 kOhm, 10 V, R2 in parallel with 2 kOhm", ask, ""},
	{"divider with R1 = 1 kOhm and R2 twice as large, 10 V", ask, ""},
	{"divider with R1 = 1 kOhm and R2 = 2 kOhm, 10 V, polarity of the source reversed", ask, ""},
	{"divider with R1 = 1 kOhm and R2 = 2 kOhm, output 5 V, which input?", ask, ""},
	{"divider with R1 = 1 kOhm and R2 = 2 kOhm, 10 V and a second source of 5 V", ask, ""},
	{"divider with R1 = 1 kOhm and R2 = 2 kOhm, 10 V, both resistors shorted", ask, ""},
	{"divider with R1 = 1 kOhm and R2 = 2 kOhm, 10 V, all except R1 removed", ask, ""},
	{"divider with R1 = 1 kOhm and R2 = 2 kOhm, 10 V, R1 shorted and R2 shorted", ask, ""},
	{"divider with R1 = 1 kOhm and R2 = 2 kOhm, 10 V, with a 100 nF capacitor across R2, voltage after 10 us", ask, ""},
	{"divider with R1 = 1 kOhm and R2 = 2 kOhm, 10 V, current limited to 1 mA", ask, ""},
	{"RC low-pass with C = 1 uF and cutoff 1 kHz, which R?", ask, ""},
	{"RC low-pass with R = 1 kOhm and C = 1 uF, cutoff moved to 1 kHz", ask, ""},
	{"An LED with 2 V forward voltage on 5 V with 150 ohm, what current?", ask, ""},
	{"RC low-pass with R = 1 kOhm and C = 1 uF, input inverted, step of 5 V, voltage after 2 ms", ask, ""},
	{"RC low-pass with R = 4,7 kOhm and C = 10 nF", ask, ""},
	{"divider with 1 kOhm and 2 kOhm on 10 V, the output shorted to ground", 0, ""},
	{"divider with R1 = 1 kOhm and R2 = 2 kOhm, 10 V, output resistance?", 10 * 2. / 3, "resistance"},
	{"divider with R1 = 1 kOhm and R2 = 2 kOhm, 10 V, voltage drop on R1", 10 * 1. / 3, ""},
	{"RC low-pass with R = 1 kOhm and C = 1 uF, initially at 2 V, step of 5 V, voltage after 1 ms", 5 - 3*math.Exp(-1), ""},
	{"10 V AC at 50 Hz through 1 kohm and 1 uF in series: voltage across the capacitor", 10 / math.Hypot(1, 2*math.Pi*50*1e-3), ""},
	{"What is Vout of a voltage divider with Vin = 24 V, R1 = 22k and R2 = 3.3k?", 24 * 3.3 / 25.3, ""},
	{"divider with R1 = 1 kOhm and R2 = 2 kOhm, 10 V, source turned around", ask, ""},
	{"divider with R1 = 1 kOhm and R2 = 2 kOhm, 10 V switched off", ask, ""},
	{"divider with R1 = 1 kOhm and R2 = 2 kOhm, 10 V, followed by the same divider", ask, ""},
	{"Simulate with R1 shorted:\n```\nV1 in 0 10\nR1 in out 1k\nR2 out 0 1k\n.op\n.end\n```", ask, ""},
	{"divider R1=1k (bottom), R2=2k (top), 10 V", 10 * 1. / 3, ""},
	{"divider with a 1 kOhm resistor to ground and 2 kOhm to the supply of 10 V", 10 * 1. / 3, ""},
	{"divider with two resistors of 1 kOhm each, 10 V", 5, ""},
	{"RC low-pass with R = 1 kOhm and C = 1 uF, 5 V DC, output?", 5, ""},
	{"divider with R1 = 1 kOhm and R2 = 2 kOhm, 10 V, R2 shorted to the input", ask, ""},
	{"divider with R1 = 1 kOhm and R2 = 2 kOhm, 10 V, load of 1 kOhm to the supply", ask, ""},
	{"RC low-pass with R = 1 kOhm and C = 1 uF, step from 5 V down, voltage after 1 ms", ask, ""},
	{"divider with R1 = 1 kOhm and R2 = 2 kOhm, 10 V, voltage at the input", ask, ""},
	{"divider with R1 = 1 kOhm and R2 = 2 kOhm, 10 V, nothing at R2", ask, ""},
	{"RC low-pass with R = 4.7K Ohm and C = 33 nF, gain at 1 kHz", 1 / math.Hypot(1, 2*math.Pi*1e3*4.7e3*33e-9), ""},
	{"RC low-pass with R = 4.7 k Ohm and C = 33 nF, gain at 1 kHz", 1 / math.Hypot(1, 2*math.Pi*1e3*4.7e3*33e-9), ""},
	{"voltage divider of 12 V with 10 K and 4.7 K", 12 * 4.7 / 14.7, ""},
	{"voltage divider with R1 = 10 K and R2 = 4.7 K at 12 V", 12 * 4.7 / 14.7, ""},
	{"voltage divider with R1 = 10K and R2 = 20K at 12 V and 300 K", 8, "300 K"},
	{"divider of 10 kOhm and 20 kOhm on 12 V at 300 K", 8, "300 K"},
	{"voltage divider with R1 = 10 M and R2 = 20 MEG at 12 V", 8, ""},
	{"RC low-pass R=1e3 C=1e-6, gain at 50 Hz", 1 / math.Hypot(1, 2*math.Pi*50*1e-3), ""},
	{"RL low-pass with R = 1e3 and L = 1e-3, gain at 1 kHz", 1 / math.Hypot(1, 2*math.Pi*1e3*1e-6), ""},
	{"RC low-pass with R = 1 kOhm and C = 100, gain at 50 Hz", ask, ""},
	{"R=1e3 C=1e-6 corner", ask, ""},
	{"divider 12 V, 4.7k lower and 10k upper", 12 * 4.7 / 14.7, ""},
	{"divider 12 V with lower R = 4.7k and upper R = 10k", 12 * 4.7 / 14.7, ""},
	{"divider 12 V with R_lower = 4.7k and R_upper = 10k", 12 * 4.7 / 14.7, ""},
	{"divider 12 V with Rbottom = 4.7k and Rtop = 10k", 12 * 4.7 / 14.7, ""},
	{"divider 12 V, R1 (lower) = 4.7k, R2 (upper) = 10k", 12 * 4.7 / 14.7, ""},
	{"divider of 12 V with 10k and 4.7k: what is the voltage and the current?", 12 * 4.7 / 14.7, ""},
	{"RC low-pass with R = 1 kOhm and C = 1 uF, 12 V peak-to-peak at 50 Hz: output voltage?", 6 / math.Hypot(1, 2*math.Pi*50*1e-3), ""},
	{"divider with R1 = 1 kOhm and R2 = 2 kOhm, 12 Vpp at 1 kHz", 4, ""},
	{"divider with R1 = 1 kOhm and R2 = 2 kOhm, peak-to-peak voltage of 600 mV at 1 kHz", 0.2, ""},
	{"RC low-pass with R = 1 kOhm and C = 1 uF, step of 12 V peak-to-peak, voltage after 1 ms", ask, ""},
	{"RC low-pass with R = 1 kOhm and C = 1 uF: at which frequency has the gain dropped by 20 dB?", ask, ""},
	{"RC low-pass with R = 1 kOhm and C = 1 uF: at which frequency is the gain 20 dB?", ask, ""},
	{"RC low-pass with R = 1 kOhm and C = 1 uF, gain and phase at 50 Hz", 1 / math.Hypot(1, 2*math.Pi*50*1e-3), ""},
}

// counts of how requests were met.
type counts struct{ right, told, asked, needless, wrong int }

func TestNoCircuitIsAnsweredForAnother(t *testing.T) {
	host, err := engine.NewHost(engine.Options{Root: testenv.Engines(), Work: filepath.Join(t.TempDir(), "engines")})
	must(t, err)
	t.Cleanup(func() { host.Close() })
	testenv.NeedEngines(t, host, "ngspice")
	registry, err := contract.NewRegistry(tools.All(tools.Parts{Host: host}))
	must(t, err)
	tool, err := registry.Find("circuits.simulate")
	must(t, err)
	var n counts
	for _, q := range circuitRequests {
		p := plan.Read(q.text, plan.Facts{})
		left := append(slices.Clone(p.Unread), p.Unused...)
		if len(p.Questions) > 0 {
			if math.IsNaN(q.value) {
				n.asked++
			} else {
				n.needless++
				t.Logf("%q asks: %s", q.text, p.Asks())
			}
			continue
		}
		got, trust := output(t, *tool, p)
		near := math.Abs(got-q.value) <= 1e-3*math.Max(1e-6, math.Abs(q.value))
		switch {
		case near && len(left) == 0 && q.told == "":
			n.right++
		case near && q.told != "" && slices.Contains(left, q.told):
			n.told++
		case near:
			t.Errorf("%q: told %q, want %q", q.text, left, q.told)
		case len(left) == 0:
			n.wrong++
			t.Errorf("%q: %g (%s), want %g; nothing is told\n%s", q.text, got, trust, q.value, p.Network.Netlist)
		default:
			t.Errorf("%q: %g, want %g, and told is %q", q.text, got, q.value, left)
		}
	}
	t.Logf("of %d requests: %+v", len(circuitRequests), n)
	if n.needless > 0 {
		t.Errorf("%d requests are asked about that could be answered", n.needless)
	}
}

// output runs the plan's circuit and gives the figure of its output.
func output(t *testing.T, tool contract.Tool, p *plan.Plan) (float64, string) {
	t.Helper()
	call, err := p.Call(p.Steps()[0], plan.Done{})
	must(t, err)
	result := runner.New()(context.Background(), &runner.Request{Tool: &tool, Input: call.Input, JobID: "job", Dir: t.TempDir(), Limits: tool.Contract.DefaultLimits()})
	if result.Status == contract.StatusError {
		t.Fatalf("%q: %s\n%s", p.Prompt, result.Summary, p.Network.Netlist)
	}
	var out struct {
		OperatingPoint map[string]float64 `json:"operating_point"`
		Series         []struct {
			Final float64 `json:"final"`
		} `json:"series"`
		Evidence struct {
			Trust string `json:"trust"`
		} `json:"evidence"`
	}
	must(t, json.Unmarshal(result.OutputJSON(), &out))
	if v, ok := out.OperatingPoint[strings.ToLower(p.Network.Probes[0])]; ok {
		return v, out.Evidence.Trust
	}
	if len(out.Series) == 0 {
		t.Fatalf("%q: no output in %s", p.Prompt, result.OutputJSON())
	}
	return out.Series[0].Final, out.Evidence.Trust
}
