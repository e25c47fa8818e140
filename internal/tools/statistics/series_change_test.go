package statistics

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"atelier/internal/contract"
	"atelier/internal/evidence"
	"atelier/internal/testenv"
)

// Series that depend on their past seem to change their mean: in few of sixty may
// that be said, where a test at 5 % that knows the process would say it in three.
// Steps that are there are told.
func TestDependentSeriesHaveNoChangesOfTheMean(t *testing.T) {
	r := testenv.Random(t)
	for _, c := range []struct {
		phi, step float64
		n         int
	}{{1, 0, 60}, {1, 0, 240}, {0.9, 0, 60}, {0, 0, 240}, {0, 4, 240}} {
		said := 0
		for range 60 {
			x, last := make([]float64, c.n), 0.0
			for i := range x {
				last = c.phi*last + r.NormFloat64()
				if x[i] = last; i >= c.n/2 {
					x[i] += c.step
				}
			}
			res, _ := ofSeries(t, x, 3, map[string]any{"spectrum": "none"})
			if strings.Contains(res.Summary, "mean changes") {
				said++
			}
		}
		t.Logf("phi %v, n %d, step %v: %d of 60 are said to change", c.phi, c.n, c.step, said)
		if c.step == 0 && said > 9 || c.step > 0 && said < 54 { // 9: 3.5 deviations above three
			t.Errorf("phi %v, n %d, step %v: %d of 60", c.phi, c.n, c.step, said)
		}
	}
}

// One value of a million in noise is an outlier and no change of the mean; two
// hundred values on another level are a change.
func TestOneValueIsNoChangeOfTheMean(t *testing.T) {
	r := testenv.Random(t)
	changed := 0
	for range 20 {
		x := make([]float64, 240)
		for i := range x {
			x[i] = r.NormFloat64()
		}
		at := 3 + r.IntN(230)
		x[at] = 1e6
		res, _ := ofSeries(t, x, 2, nil)
		out := res.Output.(*timeSeriesOutput)
		near, far := false, false
		for _, p := range out.Changes.Points {
			near = near || p.Index > at-6 && p.Index < at+6
			far = far || math.Abs(float64(p.Before))+math.Abs(float64(p.After)) > 10
		}
		if near {
			changed++
		}
		if far || !strings.Contains(res.Summary, fmt.Sprintf("The value in row %d is an outlier", at+1)) {
			t.Errorf("%s: %+v", res.Summary, out.Changes.Points)
		}
		warned := false
		for _, w := range res.Warnings {
			warned = warned || w.Code == "outliers" && strings.Contains(w.Message, fmt.Sprintf("row %d", at+1))
		}
		if !warned {
			t.Errorf("no warning: %+v", res.Warnings)
		}
	}
	// Noise alone makes a change in about 7 % of the series, and there in 0.4 %: more
	// than two of 20 have a chance of 6e-5.
	if changed > 2 {
		t.Errorf("%d of 20 outliers make a change of the mean", changed)
	}
}

// Dates at steps of the calendar are regular, their period is in its units, and a
// season has no changes of the mean.
func TestCalendar(t *testing.T) {
	r := testenv.Random(t)
	start := time.Date(2005, 1, 1, 0, 0, 0, 0, time.UTC)
	business, d := []time.Time{}, start
	for ; len(business) < 300; d = d.AddDate(0, 0, 1) {
		if d.Weekday() != time.Saturday && d.Weekday() != time.Sunday {
			business = append(business, d)
		}
	}
	for _, c := range []struct {
		name, unit string
		period     float64
		date       func(i int) time.Time
	}{
		{"months", "months", 12, func(i int) time.Time { return start.AddDate(0, i, 0) }},
		{"ends of months", "months", 12, func(i int) time.Time { return start.AddDate(0, i+1, -1) }},
		{"quarters", "quarters", 4, func(i int) time.Time { return start.AddDate(0, 3*i, 14) }},
		{"years", "years", 11, func(i int) time.Time { return start.AddDate(i-200, 0, 0) }},
		{"business days", "business days", 5, func(i int) time.Time { return business[i] }},
	} {
		// The tests of phase and means are at 1 and 5 %, so that one of three may fail.
		const draws = 3
		held := 0
		for range draws {
			var b strings.Builder
			b.WriteString("t,x\n")
			for i := range 240 {
				fmt.Fprintf(&b, "%s,%.3f\n", c.date(i).Format("2006-01-02"), 3*math.Sin(2*math.Pi*float64(i)/c.period+1)+0.01*float64(i)+0.5*r.NormFloat64())
			}
			res, e := ofDates(t, b.String(), "")
			out := res.Output.(*timeSeriesOutput)
			period := float64(out.Spectrum.Peaks[0].Period) / float64(out.Time.Step)
			if out.Time.Shape != regular || math.Abs(period/c.period-1) > 0.02 || !strings.Contains(res.Summary, " "+c.unit) {
				t.Errorf("%s: %s; %s, period %v", c.name, res.Summary, out.Time.Shape, period)
			}
			if !strings.Contains(res.Summary, "mean changes") && quantityOf(e, "/spectrum/peaks/0/period") == evidence.Verified {
				held++
			}
		}
		if held < draws-1 {
			t.Errorf("%s: %d of %d periods are verified without changes", c.name, held, draws)
		}
	}
}

// A sine at random times has no changes of the mean either.
func TestRandomTimes(t *testing.T) {
	r, changed := testenv.Random(t), 0
	for range 20 {
		var b strings.Builder
		b.WriteString("t,x\n")
		now := 0.0
		for range 240 {
			now += 0.01 + 2*r.Float64()
			fmt.Fprintf(&b, "%.3f,%.3f\n", now, math.Sin(2*math.Pi*now/24)+0.1*r.NormFloat64())
		}
		res, _ := ofDates(t, b.String(), "s")
		out := res.Output.(*timeSeriesOutput)
		if out.Changes.Count > 0 {
			changed++
		}
		if math.Abs(float64(out.Spectrum.Peaks[0].Period)/24-1) > 0.01 {
			t.Errorf("random times: %s", res.Summary)
		}
	}
	// White noise has a change in about 7 % of such series: more than six have a chance of 4e-4.
	if changed > 6 {
		t.Errorf("%d of 20 sines at random times have changes of the mean", changed)
	}
}

// ofDates runs the tool on a table of times t and values x.
func ofDates(t *testing.T, table, unit string) (*contract.Result, *evidence.Evidence) {
	t.Helper()
	input := map[string]any{"column": "x", "time": "t", "plots": false}
	if unit != "" {
		input["time_unit"] = unit
	}
	res, err := run(t, timeSeries, table, input)
	if err != nil {
		t.Fatal(err)
	}
	e, err := evidence.Judge(*res.Statement)
	if err != nil {
		t.Fatal(err)
	}
	return res, e
}

// Periods of sines are verified, but for some of two or three cycles, and their bars cover the truth as they say.
func TestPeriodsOfSinesAreVerified(t *testing.T) {
	r := testenv.Random(t)
	verified, covered := 0, 0
	const all = 100
	for range all {
		n, period, phase, noise := 100+r.IntN(300), 5+40*r.Float64(), 6*r.Float64(), 0.1+0.3*r.Float64()
		x := make([]float64, n)
		for i := range x {
			x[i] = math.Sin(2*math.Pi*float64(i)/period+phase) + noise*r.NormFloat64()
		}
		_, e := ofSeries(t, x, 3, nil)
		for _, q := range e.Quantities() {
			if q.Pointer == "/spectrum/peaks/0/period" && q.Trust() == evidence.Verified {
				if verified++; math.Abs(*q.Value-period) <= *q.Error {
					covered++
				}
			}
		}
	}
	t.Logf("%d of %d periods are verified, %d of these covered", verified, all, covered)
	if verified < 85 || covered < verified-10 {
		t.Error("too few")
	}
}
