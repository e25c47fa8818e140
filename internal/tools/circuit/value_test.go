package circuit

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"atelier/internal/evidence"
)

// The poles of a series circuit of R, L and C are -a ± j sqrt(w0^2 - a^2) with
// a = R/2L, and real where a is above w0.
func TestPolesAreShownComplex(t *testing.T) {
	r := seeded(t)
	for _, q := range []float64{between(r, 0.6, 50), between(r, 0.1, 0.4)} {
		l, c := math.Pow(10, between(r, -5, -2)), math.Pow(10, between(r, -9, -5))
		w0 := 1 / math.Sqrt(l*c)
		a := w0 / (2 * q)
		result, out := simulated(t, input(t, map[string]any{"netlist": fmt.Sprintf("rlc\nV1 in 0 DC 1 AC 1\nR1 in a %.17g\nL1 a out %.17g\nC1 out 0 %.17g\n.pz in 0 out 0 vol pol\n", w0*l/q, l, c)}))
		if result.Evidence.Trust() == evidence.Suspect || len(out.Values) != 2 {
			t.Fatalf("%d values\n%s", len(out.Values), show(result))
		}
		if q < 0.5 {
			d := math.Sqrt(a*a - w0*w0)
			near(t, "slow pole", math.Max(out.Values[0].Value, out.Values[1].Value), d-a, 1e-6*w0)
			near(t, "fast pole", math.Min(out.Values[0].Value, out.Values[1].Value), -d-a, 1e-6*a)
			if strings.Contains(result.Summary, "damping") {
				t.Error(result.Summary)
			}
			continue
		}
		for k := range out.Values {
			for key, want := range map[string]float64{"value": -a, "natural_frequency": w0 / (2 * math.Pi), "damping_ratio": 1 / (2 * q)} {
				f := quantity(t, result, fmt.Sprintf("/values/%d/%s", k, key))
				near(t, key, *f.Value, want, 1e-6*math.Max(math.Abs(want), w0/1e6))
			}
			f := quantity(t, result, fmt.Sprintf("/values/%d/imag", k))
			near(t, "imaginary part", math.Abs(*f.Value), math.Sqrt(w0*w0-a*a), 1e-6*w0)
		}
		for _, says := range []string{" ± j" + format5(math.Abs(*out.Values[0].Imag)), "natural frequency " + format5(*out.Values[0].NaturalFrequency) + " Hz", "damping ratio " + format5(*out.Values[0].DampingRatio)} {
			if strings.Count(result.Summary, says) != 1 {
				t.Errorf("the summary does not say %q once: %s", says, result.Summary)
			}
		}
		quoted := 0
		for _, q := range result.Evidence.Quantities() {
			if q.Quoted {
				quoted++
			}
		}
		if quoted != 4 {
			t.Errorf("%d figures are quoted", quoted)
		}
	}
}

// Into a short circuit goes 1/(R1 + R2) of a voltage, and R1 and R2 are what either
// source sees: that of a current the simulator does not find, and nothing may stand in
// its place. An open input has no impedance.
func TestTransferToACurrent(t *testing.T) {
	r := seeded(t)
	one, two := between(r, 1, 1e6), between(r, 1, 1e6)
	netlist := fmt.Sprintf("t\nV1 in 0 1\nR1 in a %.17g\nR2 a b %.17g\nV2 b 0 0\nV3 c 0 1\nE1 d 0 c 0 2\nR3 d 0 1k\n", one, two)
	result, out := simulated(t, input(t, map[string]any{"netlist": netlist, "control": "tf i(V2) V1\ntf i(V2) V2\ntf v(d) V3"}))
	var names []string
	for k, v := range out.Values {
		names = append(names, v.Name)
		if v.Name == "transfer_function" {
			want, unit := []float64{1 / (one + two), -1 / (one + two), 2}[k/2], []string{"S", "S", "1"}[k/2]
			f := quantity(t, result, fmt.Sprintf("/values/%d/value", k))
			near(t, "transfer function in "+f.Unit, v.Value, want, 1e-6*math.Abs(want))
			if f.Unit != unit {
				t.Errorf("%s in %s, want %s", v.Name, f.Unit, unit)
			}
		} else if strings.HasPrefix(v.Name, "v") {
			near(t, v.Name, v.Value, one+two, 1e-6*(one+two))
		}
	}
	if want := "transfer_function v1#input_impedance transfer_function v2#input_impedance v2#output_impedance transfer_function output_impedance_at_v(d)"; strings.Join(names, " ") != want {
		t.Errorf("%v, want %s", names, want)
	}
	if said := fmt.Sprint(result.Warnings); strings.Count(said, "left out") != 2 || !strings.Contains(said, "tf i(v2) v2") || !strings.Contains(said, "V3 drives no current") {
		t.Error(said)
	}
}
