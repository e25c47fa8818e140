package circuit

import (
	"fmt"
	"math"
	"math/cmplx"
	"regexp"
	"slices"
	"strings"
	"testing"

	"atelier/internal/contract"
	"atelier/internal/evidence"
)

// Windows of measurements of a sine: within the run they have closed forms, and
// beyond it no value.
func TestMeasurementsStayWithinTheRun(t *testing.T) {
	r := seeded(t)
	f, a, ratio := between(r, 100, 1e4), between(r, 0.5, 20), between(r, 0.1, 0.9)
	period := 1 / f
	stop := between(r, 2.1, 4) * period
	from, to := between(r, 0.1, 0.9)*period, between(r, 1.1, 2)*period
	b, w := a*ratio, 2*math.Pi*f
	area := func(from, to float64) float64 { return b / w * (math.Cos(w*from) - math.Cos(w*to)) }
	square := func(from, to float64) float64 {
		return b * b * ((to-from)/2 - (math.Sin(2*w*to)-math.Sin(2*w*from))/(4*w))
	}
	netlist := fmt.Sprintf("sine\nV1 in 0 SIN(0 %.17g %.17g)\nR1 in out %.17g\nR2 out 0 %.17g\n", a, f, 1e3*(1-ratio), 1e3*ratio)
	in := fmt.Sprintf("from=%.17g to=%.17g", from, to)
	past := fmt.Sprintf("from=%.17g to=%.17g", stop*1.1, stop*1.5)
	cut := fmt.Sprintf("from=%.17g to=%.17g", from, stop*1.5)
	scales, unitOne := map[string]float64{"V": b, "V*s": b * period, "A*s": b / ratio / 1e3 * period, "s": stop}, regexp.MustCompile(`[0-9] 1[.,]( |$)`)
	const nothing, part = "it has no value there", "the value is that of the part within"
	for name, c := range map[string]struct {
		meas, unit, says string
		want             float64 // NaN for none
	}{
		"integral":            {"INTEG v(out) " + in, "V*s", "", area(from, to)},
		"charge":              {"INTEG i(V1) " + in, "A*s", "", -area(from, to) / (1e3 * ratio)},
		"mean":                {"AVG v(out) " + in, "V", "", area(from, to) / (to - from)},
		"effective value":     {"RMS v(out) " + in, "V", "", math.Sqrt(square(from, to) / (to - from))},
		"maximum beyond":      {"MAX v(out) " + past, "V", nothing, math.NaN()},
		"mean beyond":         {"AVG v(out) " + past, "V", nothing, math.NaN()},
		"integral beyond":     {"INTEG v(out) " + past, "V*s", nothing, math.NaN()},
		"swing beyond":        {"PP v(out) " + past, "V", nothing, math.NaN()},
		"place beyond":        {fmt.Sprintf("FIND v(out) AT=%.17g", stop*1.2), "V", "looks at", math.NaN()},
		"integral cut":        {"INTEG v(out) " + cut, "V*s", part, area(from, stop)},
		"start beyond":        {fmt.Sprintf("TRIG AT=%.17g TARG v(out) VAL=%.17g RISE=1", stop*1.2, b/2), "s", "looks at", period/12 - stop*1.2},
		"a delay not read":    {fmt.Sprintf("MIN v(out) from=0 to=%.17g td=%.17g", period, 0.8*period), "V", "does not read td", -b},
		"less than one point": {fmt.Sprintf("PP v(out) from=%.17g to=%.17g", 0.9999*period, 1.0001*period), "V", "", 0},
	} {
		for _, form := range []string{"netlist", "control"} {
			fields := map[string]any{"netlist": netlist + fmt.Sprintf(".tran %.17g %.17g\n.meas tran q %s\n.end", period/1000, stop, c.meas)}
			if form == "control" {
				fields = map[string]any{"netlist": netlist, "control": []string{fmt.Sprintf("tran %.17g %.17g", period/1000, stop), "meas tran q " + c.meas}}
			}
			result, out := simulated(t, input(t, fields))
			q := quantity(t, result, "/measurements/q")
			text := strings.Join(q.Reasons(), " ")
			switch {
			case q.Unit != c.unit:
				t.Errorf("%s, %s: the unit is %s", name, form, q.Unit)
			case math.IsNaN(c.want) != (q.Value == nil), math.IsNaN(c.want) != (out.Measurements["q"] == nil):
				t.Errorf("%s, %s: %s", name, form, show(result))
			case q.Value != nil && math.Abs(*q.Value-c.want) > 2e-2*scales[c.unit],
				q.Trust() == evidence.Verified && math.Abs(*q.Value-c.want) > *q.Error:
				t.Errorf("%s, %s: %g, want %g: %s", name, form, *q.Value, c.want, show(result))
			case (q.Trust() == evidence.Suspect) != (c.says != "") || !strings.Contains(text, c.says):
				t.Errorf("%s, %s: %s, %s", name, form, q.Trust(), text)
			}
			if unitOne.MatchString(result.Summary) {
				t.Errorf("%s: %s", name, result.Summary)
			}
		}
	}
}

// A window without extent, and a measurement of what is not there, are errors that
// name the line.
func TestMeasurementsThatCannotBe(t *testing.T) {
	netlist := divider + ".tran 1u 1m\n.meas tran q %s\n"
	for meas, c := range map[string]struct {
		code string
		says string
	}{
		"MAX v(out) from=0.7m to=0.2m":     {contract.CodeInvalidRequest, "0.0007 to 0.0002"},
		"AVG v(out) from = 0.2m to = 200u": {contract.CodeInvalidRequest, "no range"},
		"MAX v(nope)":                      {contract.CodeUnknownVector, `"v(nope)"`},
	} {
		result, _ := simulateFor(t, input(t, map[string]any{"netlist": fmt.Sprintf(netlist, meas)}))
		if len(result.Errors) == 0 {
			t.Fatalf("%s: %s", meas, result.Summary)
		}
		e := result.Errors[0]
		if e.Code != c.code || e.Field != "/netlist" || !strings.Contains(e.Message, c.says) || e.Details["line"] != strings.Count(netlist, "\n") {
			t.Errorf("%s: %+v", meas, e)
		}
	}
}

// At the only frequency of a sweep R and C give 1/(1 + jwRC), whatever is measured of
// it; at another frequency there is nothing.
func TestMeasuredAtTheOnlyPoint(t *testing.T) {
	r := seeded(t)
	ohms, farads, hertz := between(r, 1e2, 1e5), between(r, 1e-10, 1e-6), between(r, 1e2, 1e5)
	h := 1 / complex(1, 2*math.Pi*hertz*ohms*farads)
	want := map[string]float64{"vdb(out)": 20 * math.Log10(cmplx.Abs(h)), "vp(out)": cmplx.Phase(h), "vm(out)": cmplx.Abs(h), "vr(out)": real(h), "v(out)": real(h)}
	netlist := fmt.Sprintf("rc\nV1 in 0 AC 1\nR1 in out %.17g\nC1 out 0 %.17g\n", ohms, farads)
	for what, value := range want {
		result, out := simulated(t, input(t, map[string]any{"netlist": netlist + fmt.Sprintf(".ac lin 1 %.9g %.9g\n.meas ac found find %s at=%.9g\n", hertz, hertz, what, hertz)}))
		found := out.Measurements["found"]
		if found == nil || math.Abs(*found-value) > 1e-6*math.Max(1, math.Abs(value)) || !slices.Contains([]evidence.Trust{evidence.Converged, evidence.Verified}, quantity(t, result, "/measurements/found").Trust()) {
			t.Errorf("%s is %v, want %g: %s %v", what, found, value, result.Summary, quantity(t, result, "/measurements/found").Reasons())
		}
	}
	result, out := simulated(t, input(t, map[string]any{"netlist": netlist, "control": fmt.Sprintf("ac lin 1 %.9g %.9g\nmeas ac found find vdb(out) at=%.9g", hertz, hertz, 2*hertz)}))
	if out.Measurements["found"] != nil || quantity(t, result, "/measurements/found").Trust() != evidence.Suspect {
		t.Errorf("beside the point %v is %s", out.Measurements["found"], result.Evidence.Trust())
	}
}
