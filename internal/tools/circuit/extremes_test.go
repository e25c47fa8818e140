package circuit

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"testing"

	"atelier/internal/evidence"
)

// What happens between the points of a sweep or a waveform: closed forms that are
// far from what the points show, so that no such figure may be verified.
func TestWhatLiesBetweenThePoints(t *testing.T) {
	r := seeded(t)
	at := 0.4 + 0.2*r.Float64()
	l, c := between(r, 5e-3, 2e-2), between(r, 5e-17, 2e-16)
	q := math.Sqrt(1e-3/1e-9) / 1 // of 1 mH, 1 nF and 1 Ohm
	noise := q * math.Sqrt(4*1.380649e-23*300.15)
	options := func(name string, fields map[string]any) map[string]any { return map[string]any{name: fields} }
	for name, row := range map[string]struct {
		in    map[string]any
		truth map[string]float64
	}{
		"two switches that are both closed for 30 ns": {map[string]any{"analysis": "tran", "probes": []string{"v(a)"}, "options": options("tran", map[string]any{"tstop": 1e-3}),
			"netlist": fmt.Sprintf("x\nVr r 0 PWL(0 0 1m 1)\nRr r 0 1k\nV1 s 0 5\nS1 s m r 0 s1\nS2 m a 0 r s2\nRm m 0 1e9\nC1 a 0 1p\nR1 a 0 1e12\n.model s1 SW(VT=%.9g VH=0 RON=1 ROFF=1e12)\n.model s2 SW(VT=%.9g VH=0 RON=1 ROFF=1e12)\n", at, -at-3e-5)},
			map[string]float64{"/series/0/final": 5, "/series/0/max/y": 5}},
		"a narrow function of a ramp": {map[string]any{"analysis": "tran", "probes": []string{"v(p)"}, "options": options("tran", map[string]any{"tstop": 1e-3}),
			"netlist": fmt.Sprintf("x\nVr r 0 PWL(0 0 1m 1)\nB1 p 0 V=v(r)+5*exp(-((v(r)-%.9g)/1e-5)^2)\nR1 p 0 1k\n", at)},
			map[string]float64{"/series/0/max/y": 5 + at}},
		"a narrow function in a dc sweep": {map[string]any{"analysis": "dc", "probes": []string{"v(e)"}, "options": options("dc", map[string]any{"source": "Vin", "start": 0, "stop": 1, "step": 0.1}),
			"netlist": fmt.Sprintf("x\nVin in 0 0\nE1 e 0 VALUE={1/(1+((v(in)-%.9g)/0.0002)**2)}\nR1 e 0 1k\n", at)},
			map[string]float64{"/series/0/max/y": 1}},
		"a series resonance in measurements": {map[string]any{"probes": []string{"v(in)"}, "control": []string{"ac dec 20 1k 1g", "meas ac lo MIN vm(a)", "meas ac hi MAX vm(n)"},
			"netlist": fmt.Sprintf("x\nV1 in 0 AC 1\nRs in a 9k\nRp a 0 1k\nLm a m %.17g\nCm m n %.17g\nRm n 0 1\n", l, c)},
			map[string]float64{"/measurements/lo": 1 / 9001. / (1 + 1/9001.) * 0.999, "/measurements/hi": 1.11e-4}},
		"a line": {map[string]any{"analysis": "ac", "probes": []string{"v(a)"}, "options": options("ac", map[string]any{"fstart": 1e3, "fstop": 3e6, "points": 20}),
			"netlist": fmt.Sprintf("x\nV1 in 0 AC 1\nRs in a 1k\nRp a 0 0.05\nCp a 0 10u\nT1 a 0 b 0 Z0=50 TD=%.9gu\nRo b 0 1e9\n", 20*at)},
			map[string]float64{"/series/0/min/y": 0}},
		"the peak of a noise spectrum": {map[string]any{"control": []string{"noise v(out) V1 dec 10 1k 10meg"},
			"netlist": "x\nV1 in 0 AC 1\nR1 in a 1\nL1 a out 1m\nC1 out 0 1n\n"},
			map[string]float64{"/series/1/max/y": noise}},
	} {
		result, _ := simulateFor(t, input(t, row.in))
		(&tally{}).hold(t, result, name, row.truth, 0)
		if t.Failed() {
			t.Log(show(result))
			return
		}
	}
}

// Noise over many points, whose total the simulator does not find, keeps its spectrum.
func TestNoiseWithoutATotal(t *testing.T) {
	result, out := simulated(t, input(t, map[string]any{"control": []string{"noise v(out) V1 dec 3000 1k 10meg"},
		"netlist": "x\nV1 in 0 AC 1\nR1 in a 1\nL1 a out 1m\nC1 out 0 1n\n"}))
	if len(out.Series) == 0 || len(out.Values) == 0 && len(result.Warnings) == 0 {
		t.Errorf("%+v %+v", out.Series, result.Warnings)
	}
}

// A bell on a ramp, narrower than a hundredth of a step, does not change the least
// and greatest value of the points, nor those of the whole curve.
func TestBumpsBetweenThePointsOfASweep(t *testing.T) {
	r := seeded(t)
	for _, height := range []float64{0, 2, 30} {
		at, width := 0.1*(0.3+0.4*r.Float64()+float64(1+r.IntN(8))), between(r, 3e-4, 1e-3)
		netlist := fmt.Sprintf("bell\nV1 in 0 0\nB1 o 0 V=10*V(in)+%g*exp(-((V(in)-%.9g)/%.9g)*((V(in)-%.9g)/%.9g))\nR1 o 0 1k\n", height, at, width, at, width)
		result, _ := simulated(t, input(t, map[string]any{"netlist": netlist, "control": []string{"dc V1 0 1 0.1", "meas dc mean avg v(o)"}, "probes": []string{"v(o)"}}))
		top, end, mean := quantity(t, result, "/series/0/max/y"), quantity(t, result, "/series/0/final"), quantity(t, result, "/measurements/mean")
		if missed := height > 0; (top.Trust() == evidence.Suspect) != missed || (mean.Trust() == evidence.Suspect) != missed || top.Error != nil {
			t.Errorf("a bell of %g V at %g, %g wide: the maximum is %s and the mean %s: %v", height, at, width, top.Trust(), mean.Trust(), result.Evidence.Reasons())
		}
		if near(t, "at the end", *end.Value, 10, *end.Error); end.Trust() != evidence.Verified {
			t.Errorf("the end is %s: %v", end.Trust(), end.Reasons())
		}
		if height == 0 {
			continue
		}
		told := regexp.MustCompile(`sweep, at ([\d.]+), v\(o\)`).FindStringSubmatch(fmt.Sprint(result.Evidence.Reasons()))
		if told == nil {
			t.Fatalf("no place is told: %v", result.Evidence.Reasons())
		}
		place, _ := strconv.ParseFloat(told[1], 64)
		near(t, "the place", place, at, width)
	}
}
