package agent_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"path/filepath"
	"testing"

	"atelier/internal/agent/plan"
	"atelier/internal/contract"
	"atelier/internal/engine"
	"atelier/internal/runner"
	"atelier/internal/testenv"
	"atelier/internal/tools"
)

// simulator is the tool that simulates circuits.
func simulator(t *testing.T) *contract.Tool {
	t.Helper()
	host, err := engine.NewHost(engine.Options{Root: testenv.Engines(), Work: filepath.Join(t.TempDir(), "engines")})
	must(t, err)
	t.Cleanup(func() { host.Close() })
	testenv.NeedEngines(t, host, "ngspice")
	registry, err := contract.NewRegistry(tools.All(tools.Parts{Host: host}))
	must(t, err)
	tool, err := registry.Find("circuits.simulate")
	must(t, err)
	return tool
}

// measurements of a simulation, and its trust.
type measurements struct {
	Measurements map[string]*float64 `json:"measurements"`
	Evidence     struct {
		Trust string `json:"trust"`
	} `json:"evidence"`
}

// measured runs the circuit of a plan.
func measured(t *testing.T, tool *contract.Tool, p *plan.Plan) (out measurements, summary string) {
	t.Helper()
	call, err := p.Call(p.Steps()[0], plan.Done{})
	must(t, err)
	result := runner.New()(context.Background(), &runner.Request{Tool: tool, Input: call.Input, JobID: "job", Dir: t.TempDir(), Limits: tool.Contract.DefaultLimits()})
	must(t, json.Unmarshal(result.OutputJSON(), &out))
	return out, result.Summary
}

// Values at several frequencies are those of 1 / (1 + i f/fc), each of them; between
// two ends a sweep is wanted.
func TestValuesAtEveryFrequency(t *testing.T) {
	tool := simulator(t)
	r := testenv.Random(t)
	corner, one, two := math.Exp(r.Float64()*6+3), 1+r.IntN(99), 100+r.IntN(900)
	rc := fmt.Sprintf("RC low-pass with R = 1 kOhm and C = %.9g nF", 1e9/(2*math.Pi*1e3*corner))
	deck := fmt.Sprintf("```\nV1 in 0 AC 1\nR1 in out 1k\nC1 out 0 %.9gn\n.end\n```\n", 1e9/(2*math.Pi*1e3*corner))
	gain := func(f float64) float64 { return 1 / math.Hypot(1, f/corner) }
	a, b := float64(one), float64(two)
	for text, want := range map[string][]float64{
		rc + fmt.Sprintf(": gain at %d Hz and %d Hz", one, two):             {gain(a), gain(b)},
		rc + fmt.Sprintf(": gain at %d Hz, 5 kHz and at %d Hz", two, one):   {gain(b), gain(5e3), gain(a)},
		rc + fmt.Sprintf(": gain in dB at %d Hz and %d Hz", one, two):       {20 * math.Log10(gain(a)), 20 * math.Log10(gain(b))},
		rc + fmt.Sprintf(": phase at %d Hz and %d Hz", one, two):            {-math.Atan(a / corner), -math.Atan(b / corner)},
		rc + fmt.Sprintf(", 8 V peak-to-peak at %d Hz and %d Hz", one, two): {4 * gain(a), 4 * gain(b)},
		deck + fmt.Sprintf("v(out) at %d Hz and %d Hz", one, two):           {gain(a), gain(b)},
		rc + fmt.Sprintf(": gain at %d and %d Hz", one, two):                {gain(a), gain(b)},
		rc + fmt.Sprintf(": gain from %d Hz to %d Hz", one, two):            nil,
		rc + fmt.Sprintf(": gain between %d Hz and %d Hz", one, two):        nil,
	} {
		p := plan.Read(text, plan.Facts{})
		if len(p.Questions)+len(p.Unread)+len(p.Unused) > 0 || len(p.Network.Measures) != len(want) {
			t.Errorf("%q: asks %s, not answered %q, not used %q, measures %v", text, p.Asks(), p.Unread, p.Unused, p.Network.Measures)
			continue
		}
		out, summary := measured(t, tool, p)
		for i, w := range want {
			if got := out.Measurements[p.Network.Measures[i].Name]; got == nil || math.Abs(*got-w) > 1e-3*math.Abs(w)+1e-4 || out.Evidence.Trust == "suspect" {
				t.Errorf("%q: %v (%s), want %g; %s", text, out.Measurements, out.Evidence.Trust, w, summary)
			}
		}
	}
}

// A figure that is asked of a circuit is measured in its simulation, and is that
// of the exponential of a first-order circuit of any size.
func TestFiguresOfCircuitsAreMeasured(t *testing.T) {
	tool := simulator(t)
	r := testenv.Random(t)
	ohms, nanofarads := 10+r.IntN(9000), 1+r.IntN(900)
	tau := float64(ohms) * float64(nanofarads) * 1e-9
	p := 5 + r.IntN(90)
	rc := fmt.Sprintf("RC low-pass with R = %d ohm and C = %d nF", ohms, nanofarads)
	high := fmt.Sprintf("RC high-pass with R = %d ohm and C = %d nF", ohms, nanofarads)
	for text, want := range map[string]float64{
		rc + fmt.Sprintf(", 5 V step: time to reach %d %%?", p):                                       -tau * math.Log(1-float64(p)/100),
		rc + ". How long does it take to reach 99.9 % of the final value?":                            tau * math.Log(1000),
		rc + ", 5 V step: when does the output reach 3 V?":                                            tau * math.Log(2.5),
		rc + ", step of 5 V: rise time":                                                               tau * math.Log(9),
		rc + ", step of 5 V: rise time from 20 % to 80 %":                                             tau * math.Log(4),
		rc + ", step of 5 V: rise time from 20 to 80 percent":                                         tau * math.Log(4),
		rc + ": at which frequency is the gain -20 dB?":                                               math.Sqrt(99) / (2 * math.Pi * tau), // 1 + (f/fc)^2 = 100
		rc + ": frequency where the gain has dropped to 0.5":                                          math.Sqrt(3) / (2 * math.Pi * tau),
		high + ": what is the frequency at which the gain is -6 dB?":                                  1 / (2 * math.Pi * tau) / math.Sqrt(math.Pow(10, 0.6)-1),
		rc + ": settling time":                                                                        tau * math.Log(50), // to 2 %
		rc + ": settling time to 5 %":                                                                 tau * math.Log(20),
		rc + ": what is the -3 dB bandwidth?":                                                         1 / (2 * math.Pi * tau),
		rc + fmt.Sprintf(" loaded with %d ohm: bandwidth?", ohms):                                     1 / (math.Pi * tau), // half of R
		high + fmt.Sprintf(", 5 V step: when does the output fall to %d %% of its initial value?", p): -tau * math.Log(float64(p)/100),
		fmt.Sprintf("How long does a %d nF capacitor charged to 400 V take to discharge to 50 V through %d ohm?", nanofarads, ohms):        tau * math.Log(8),
		fmt.Sprintf("A %d nF capacitor charged to 400 V discharges through %d ohm. After what time is it down to 50 V?", nanofarads, ohms): tau * math.Log(8),
		fmt.Sprintf("How long to discharge a %d nF capacitor from 12 V to 1 V with a %d ohm resistor?", nanofarads, ohms):                  tau * math.Log(12),
		fmt.Sprintf("How long does a %d nF capacitor charged to 400 V take to discharge to 10 %% through %d ohm?", nanofarads, ohms):       tau * math.Log(10),
		fmt.Sprintf("How long does a %d nF capacitor take to charge to 3 V from 5 V through %d ohm?", nanofarads, ohms):                    tau * math.Log(2.5),
		fmt.Sprintf("How long does a %d nF capacitor connected to 12 V through %d ohm take to charge to 3 V?", nanofarads, ohms):           tau * math.Log(4./3),
		fmt.Sprintf("How long does it take to charge a %d nF capacitor from 1 V to 3 V through %d ohm with 5 V?", nanofarads, ohms):        tau * math.Log(2),
		fmt.Sprintf("How long does a %d nF capacitor take to reach 3 V when charged from 5 V through %d ohm?", nanofarads, ohms):           tau * math.Log(2.5),
		fmt.Sprintf("How long will a %d nF capacitor at 24 V take to discharge below 6 V through %d ohm?", nanofarads, ohms):               tau * math.Log(4),
		rc + ": the input rises to 5 V; when does the output reach 3 V?":                                                                   tau * math.Log(2.5),
		fmt.Sprintf("Capacitor of %d nF charged to 10 V discharges through %d ohm: time until it drops to 1 V", nanofarads, ohms):          tau * math.Log(10),
	} {
		p := plan.Read(text, plan.Facts{})
		if len(p.Questions)+len(p.Unread)+len(p.Unused) > 0 || len(p.Network.Measures) != 1 {
			t.Errorf("%q: asks %s, not answered %q, not used %q, measures %v", text, p.Asks(), p.Unread, p.Unused, p.Network.Measures)
			continue
		}
		out, summary := measured(t, tool, p)
		got := out.Measurements[p.Network.Measures[0].Name]
		if got == nil || math.Abs(*got-want) > 1e-3*want || out.Evidence.Trust == "suspect" {
			t.Errorf("%q: %v (%s), want %g; %s", text, out.Measurements, out.Evidence.Trust, want, summary)
		} else {
			t.Logf("%q: %g, want %g (%s)", text, *got, want, out.Evidence.Trust)
		}
	}
	for text, want := range map[string]string{ // what no plan measures is told
		high + ", 5 V step: time to reach 90 %":                                             "time to reach 90 %",
		rc + ", 5 V step: when does the output reach 7 V?":                                  "when does the output reach 7 V",
		rc + ", 5 V step: fall time":                                                        "fall time",
		high + ": bandwidth":                                                                "bandwidth",
		rc + ", 5 V step: ripple when it reaches 90 %":                                      "ripple",
		rc + ": phase margin":                                                               "phase margin",
		rc + ", 5 V step: when does the output fall to 3 V?":                                "when does the output fall to 3 V",
		rc + ", 5 V step: propagation delay":                                                "propagation delay",
		"How long does a 470 uF capacitor charged to 400 V take to discharge through 100k?": "How long",
		"How long does a 470 uF capacitor charged to 400 V take to discharge to 50 V through 100k with a supply of 60 V?": "discharge to 50 V",
		"RC low-pass\n```\nV1 in 0 1\nR1 in out 1k\nC1 out 0 1u\n.end\n```\ntransient up to 5 ms, time to reach 90 %":     "time to reach 90 %",
	} {
		p := plan.Read(text, plan.Facts{})
		if len(p.Unread) != 1 || p.Unread[0] != want || len(p.Questions) > 0 {
			t.Errorf("%q: told %q, asks %s", text, p.Unread, p.Asks())
		}
	}
}
