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

// Days written as 20240131 are dates, with a unit or without: half a unit a day is
// 0.5/86400 a second. As numbers of a regression they are none, unless all lie in one
// month.
func TestDatesWithoutSeparators(t *testing.T) {
	rng := testenv.Random(t)
	table := func(days int) string {
		rows, day := "t,x\n", time.Date(2023, 12, 1, 0, 0, 0, 0, time.UTC)
		for i := range days {
			rows += fmt.Sprintf("%s,%.4f\n", day.AddDate(0, 0, i).Format("20060102"), 3+0.5*float64(i)+0.1*rng.NormFloat64())
		}
		return rows
	}
	for _, unit := range []string{"", "d", "s"} {
		res, e := ofDates(t, table(120), unit)
		out := res.Output.(*timeSeriesOutput)
		if math.Abs(float64(out.Trend.Slope)*86400-0.5) > 0.002 || out.Time.Shape != regular || out.Time.Start != 20231201 || out.Time.StartISO != "2023-12-01T00:00:00.000Z" ||
			quantityOf(e, "/trend/slope") != evidence.Verified || warningOf(res, "compact_dates") == "" {
			t.Errorf("unit %q: %v, %+v, %s", unit, out.Trend.Slope, out.Time, quantityOf(e, "/trend/slope"))
		}
	}
	for days, told := range map[int]bool{120: true, 25: false} {
		r, _ := onTable(t, regression, table(days), `"operation": "linear_regression", "target": "x", "features": ["t"], "plots": false`)
		if r.Status == contract.StatusError || strings.Contains(failedChecks(r), "dates_as_numbers") != told {
			t.Errorf("%d days: %v, failed %s", days, r.Errors, failedChecks(r))
		}
	}
	rows := "t,x\n" // numbers of orders, of which some are no dates
	for i := range 60 {
		rows += fmt.Sprintf("%d,%d\n", 20240101+i*3+rng.IntN(3), rng.IntN(50))
	}
	if _, failed := summarised(t, rows); strings.Contains(failed, "dates_as_numbers") {
		t.Error(failed)
	}
}

// Years need no unit, and have none but years.
func TestYearsAsTimes(t *testing.T) {
	rng := testenv.Random(t)
	rows := "year,x\n"
	for i := range 64 {
		rows += fmt.Sprintf("%d,%.3f\n", 1960+i, 300+1.5*float64(i)+0.5*rng.NormFloat64())
	}
	input := func(more map[string]any) map[string]any {
		in := map[string]any{"column": "x", "time": "year", "plots": false}
		for k, v := range more {
			in[k] = v
		}
		return in
	}
	res, err := run(t, timeSeries, rows, input(nil))
	if err != nil {
		t.Fatal(err)
	}
	out := res.Output.(*timeSeriesOutput)
	if math.Abs(float64(out.Trend.Slope)-1.5) > 0.02 || out.Trend.Unit != "1/year" || out.Time.Start != 1960 || !strings.Contains(res.Summary, "per year") {
		t.Errorf("%+v %s", out.Trend, res.Summary)
	}
	_, err = run(t, timeSeries, rows, input(map[string]any{"time_unit": "d"}))
	if e := contract.AsError(err); err == nil || !strings.Contains(e.Hint, "Leave time_unit out") {
		t.Error(err)
	}
	_, err = run(t, timeSeries, strings.Replace(rows, "year", "when", 1), map[string]any{"column": "x", "time": "when", "plots": false})
	if e := contract.AsError(err); err == nil || !strings.Contains(e.Hint, "name the column year") {
		t.Error(err)
	}
}

// What has no unit is refused with a way that leads on; times that count by hundreds
// are taken in their unit.
func TestTimesThatAreNoNumbers(t *testing.T) {
	var clock, hundreds, months, back strings.Builder
	for _, b := range []*strings.Builder{&clock, &hundreds, &months, &back} {
		b.WriteString("t,x\n")
	}
	autumn := time.Date(2023, 10, 27, 0, 0, 0, 0, time.UTC)
	for i := range 72 {
		x := i * i % 17
		fmt.Fprintf(&clock, "%02d%02d,%d\n", 8+i/6, i%6*10, x)
		fmt.Fprintf(&hundreds, "%d,%d\n", 100*(i%24)+i/24*2400, x)
		fmt.Fprintf(&months, "%d-%02d,%d\n", 2015+i/12, 1+i%12, x)
		at := autumn.Add(time.Duration(i) * time.Hour)
		if at.Day() == 29 && at.Hour() > 2 { // 02:00 comes twice
			at = at.Add(-time.Hour)
		}
		fmt.Fprintf(&back, "%s,%d\n", at.Format("2006-01-02 15:04"), x)
	}
	for name, c := range map[string]struct{ table, unit, hint string }{
		"clock":          {clock.String(), "", "minutes since midnight"},
		"clock and unit": {clock.String(), "min", "minutes since midnight"},
		"months":         {months.String(), "", "2015-01-01"},
		"end of summer":  {back.String(), "", "offset from UTC"},
		"hundreds":       {hundreds.String(), "s", ""},
	} {
		input := map[string]any{"column": "x", "time": "t", "plots": false}
		if c.unit != "" {
			input["time_unit"] = c.unit
		}
		_, err := run(t, timeSeries, c.table, input)
		if c.hint == "" && err != nil || c.hint != "" && (err == nil || !strings.Contains(contract.AsError(err).Hint, c.hint)) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Growth by 4 % a step is no straight line; a line is, beside noise, memory and
// seasons: of 60 at a level of 1 % more than 4 seem curved once in 2,000 runs.
func TestCurvedTrendsAreSuspect(t *testing.T) {
	rng := testenv.Random(t)
	growth := make([]float64, 60)
	for i := range growth {
		growth[i] = 10 * math.Exp(0.04*float64(i)) * (1 + 0.01*rng.NormFloat64())
	}
	res, e := ofSeries(t, growth, 2, nil)
	if quantityOf(e, "/trend/slope") != evidence.Suspect || !strings.Contains(res.Summary, "curves") {
		t.Errorf("growth: %s %s", quantityOf(e, "/trend/slope"), res.Summary)
	}
	curved := map[string]int{}
	for range 60 {
		last := 0.0
		noise, memory, season := make([]float64, 120), make([]float64, 120), make([]float64, 120)
		for i := range noise {
			at, z := float64(i), rng.NormFloat64()
			last = 0.5*last + z
			noise[i], memory[i], season[i] = 0.1*at+z, 0.2*at+last, 0.1*at+5*math.Sin(2*math.Pi*at/12)+z
		}
		for name, values := range map[string][]float64{"noise": noise, "memory": memory, "season": season} {
			if res, _ := ofSeries(t, values, 4, nil); strings.Contains(res.Summary, "curves") {
				curved[name]++
			}
		}
	}
	t.Log(curved)
	for name, n := range curved {
		if n > 4 {
			t.Errorf("%s: %d of 60 straight trends seem curved", name, n)
		}
	}
}
