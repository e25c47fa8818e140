package statistics

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"atelier/internal/contract"
	"atelier/internal/evidence"
	"atelier/internal/testenv"
)

// ofSeries runs the tool on values at steps of one.
func ofSeries(t *testing.T, values []float64, digits int, more map[string]any) (*contract.Result, *evidence.Evidence) {
	t.Helper()
	var b strings.Builder
	b.WriteString("t,x\n")
	for i, v := range values {
		fmt.Fprintf(&b, "%d,%.*f\n", i, digits, v)
	}
	input := map[string]any{"column": "x", "time": "t", "time_unit": "s", "plots": false}
	for k, v := range more {
		input[k] = v
	}
	res, err := run(t, timeSeries, b.String(), input)
	if err != nil {
		t.Fatal(err)
	}
	e, err := evidence.Judge(*res.Statement)
	if err != nil {
		t.Fatal(err)
	}
	return res, e
}

// Of sixty series without a trend few may be said to have one: the share of false
// alarms of a test at 5 % that knows the process would be three.
func TestDependentSeriesHaveNoVerifiedTrend(t *testing.T) {
	r := testenv.Random(t)
	for _, phi := range []float64{1, 0.9, 0.5, 0} {
		before, after, sloped := 0, 0, 0
		for range 60 {
			x, last := make([]float64, 200), 0.0
			for i := range x {
				last = phi*last + r.NormFloat64()
				x[i] = last
			}
			res, e := ofSeries(t, x, 4, nil)
			out := res.Output.(*timeSeriesOutput)
			said := strings.Contains(res.Summary, " Slope ")
			if float64(out.Trend.P) < 0.05 {
				before++
			}
			if said {
				sloped++
			}
			if q := quantityOf(e, "/trend/p_value"); float64(out.Trend.P) < 0.05 && q == evidence.Verified {
				after++
			}
		}
		t.Logf("phi %v: %d of 60 beyond chance by Newey and West, %d verified, %d in the summary", phi, before, after, sloped)
		if after > 10 || sloped > 10 {
			t.Errorf("phi %v: too many", phi)
		}
	}
	const draws = 20 // of a trend, which some draws bend by chance
	found := 0
	for range draws {
		x, last := make([]float64, 200), 0.0
		for i := range x {
			last = 0.5*last + r.NormFloat64()
			x[i] = 0.1*float64(i) + last
		}
		res, e := ofSeries(t, x, 4, nil)
		if quantityOf(e, "/trend/p_value") == evidence.Verified && strings.Contains(res.Summary, " Slope 0.") {
			found++
		}
	}
	t.Logf("%d of %d real trends are verified", found, draws)
	if found < draws*7/10 {
		t.Errorf("only %d of %d real trends are verified", found, draws)
	}
}

func quantityOf(e *evidence.Evidence, pointer string) evidence.Trust {
	for _, q := range e.Quantities() {
		if q.Pointer == pointer {
			return q.Trust()
		}
	}
	return ""
}

// A wave whose values are rounded has no changes of the mean, and pulses that are
// not evenly spaced have not the period of their peak.
func TestRoundingMakesNoChangesAndPulsesNoPeriod(t *testing.T) {
	wave := make([]float64, 120)
	for i := range wave {
		wave[i] = 20 + math.Sin(2*math.Pi*float64(i)/12)
	}
	res, _ := ofSeries(t, wave, 3, nil)
	out := res.Output.(*timeSeriesOutput)
	if out.Changes.Count != 0 || strings.Contains(res.Summary, "changes") || !strings.Contains(res.Summary, "Period 12 s") {
		t.Errorf("%d changes: %s", out.Changes.Count, res.Summary)
	}
	r := testenv.Random(t)
	pulses := make([]float64, 300)
	for i := range pulses {
		if pulses[i] = 0.02 * r.NormFloat64(); i%25 == 0 || i%25 == 8 || i%25 == 16 {
			pulses[i]++
		}
	}
	res, e := ofSeries(t, pulses, 4, nil)
	if e.Trust() != evidence.Suspect || !strings.Contains(res.Summary, "25 s") || res.Output.(*timeSeriesOutput).Seasonality.Period != 25 {
		t.Errorf("pulses: %s: %s", e.Trust(), res.Summary)
	}
	line := make([]float64, 50)
	for i := range line {
		line[i] = 3 + 0.5*float64(i)
	}
	if res, _ = ofSeries(t, line, 1, nil); !strings.Contains(res.Summary, "straight line of slope 0.5 per s") {
		t.Error(res.Summary)
	}
	res, _ = ofSeries(t, pulses, 4, map[string]any{"penalty": 0})
	if text := res.Output.(*timeSeriesOutput).Changes.Consequence; !strings.Contains(text, "no changes were looked for") {
		t.Error(text)
	}
}
