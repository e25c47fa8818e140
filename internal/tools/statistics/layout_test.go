package statistics

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"atelier/internal/contract"
	"atelier/internal/evidence"
	"atelier/internal/testenv"
)

// germanNumber writes a whole number with points between the thousands.
func germanNumber(n int) string {
	if n < 1000 {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%d.%03d", n/1000, n%1000)
}

// summarised is whether the summary of a table is suspect, and by which checks.
func summarised(t *testing.T, table string) (*contract.Result, string) {
	t.Helper()
	r, _ := onTable(t, summaryStats, table, `"plots": false`)
	if r.Status == contract.StatusError {
		t.Fatalf("%.80q: %v", table, r.Errors)
	}
	return r, failedChecks(r)
}

// Where semicolons separate fields, points before groups of three digits may separate
// thousands: both readings are told. Any number that shows what points are settles it.
func TestPointsThatMaySeparateThousands(t *testing.T) {
	rng := testenv.Random(t)
	column := func(format func(i int) string, separator string) string {
		rows := "shop" + separator + "sales\n"
		for i := range 40 {
			rows += fmt.Sprintf("S%d%s%s\n", i, separator, format(i))
		}
		return rows
	}
	thousands := func(i int) string { return germanNumber([]int{700, 1000 + rng.IntN(99_000)}[min(i, 1)]) }
	for name, c := range map[string]struct {
		table string
		told  bool
	}{
		"thousands":            {column(thousands, ";"), true},
		"all above 1000":       {column(func(int) string { return germanNumber(1000 + rng.IntN(99_000)) }, ";"), true},
		"commas":               {column(thousands, ","), false},
		"decimals below 1":     {column(func(i int) string { return fmt.Sprintf("%.3f", 0.5+float64(i)) }, ";"), false},
		"two decimals":         {column(func(int) string { return fmt.Sprintf("%.2f", 1+99*rng.Float64()) }, ";"), false},
		"1000 without a point": {column(func(i int) string { return []string{"2500", thousands(i)}[min(i, 1)] }, ";"), false},
		"another column tells": {column(func(i int) string { return thousands(i) + ";" + fmt.Sprintf("%d.5", i) }, ";"), false},
		"commas and 0.123":     {column(func(int) string { return fmt.Sprintf("%.3f", 0.1+0.8*rng.Float64()) }, ","), false},
	} {
		table := strings.Replace(c.table, "sales\n", "sales"+map[bool]string{true: ";share"}[name == "another column tells"]+"\n", 1)
		r, failed := summarised(t, table)
		if strings.Contains(failed, "decimal_point") != c.told || c.told && r.Evidence.Trust() != evidence.Suspect {
			t.Errorf("%s: %s, failed: %s", name, r.Evidence.Trust(), failed)
		}
	}
}

// A first line of numbers that lie where the values of its columns do is a row: of
// y = 2.1 x from 0 to 18 the first would be missing. Years and counted columns are
// names, which is told.
func TestFirstLineOfNumbers(t *testing.T) {
	var line, years, counted strings.Builder
	years.WriteString("2019,2020,2021\n")
	counted.WriteString("0,1\n")
	for i := range 19 {
		fmt.Fprintf(&line, "%d,%.1f\n", i, 2.1*float64(i))
		fmt.Fprintf(&years, "%d,%d,%d\n", 1900+i*7, 2300-i*11, 2000+i)
		fmt.Fprintf(&counted, "%d,%d\n", i%3, 2*i)
	}
	for name, c := range map[string]struct {
		table        string
		failed, told bool
	}{
		"a row":   {line.String(), true, false},
		"names":   {"x,y\n" + line.String(), false, false},
		"texts":   {"a,1.5\n" + strings.Repeat("a,1.0\nb,2.5\nb,2.0\n", 4), true, false},
		"years":   {years.String(), false, true},
		"counted": {counted.String(), false, true},
		"a title": {"region,1.5\n" + strings.Repeat("a,1.0\nb,2.5\nb,2.0\n", 4), false, false},
	} {
		r, failed := summarised(t, c.table)
		if strings.Contains(failed, "header") != c.failed || (warningOf(r, "header_of_numbers") != "") != c.told {
			t.Errorf("%s: failed %s, %v", name, failed, r.Warnings)
		}
	}
	r, _ := onTable(t, regression, line.String(), `"operation": "linear_regression", "target": "0.0", "features": ["0"], "plots": false`)
	if r.Status != contract.StatusError && r.Evidence.Trust() != evidence.Suspect {
		t.Errorf("%s %s", r.Evidence.Trust(), r.Summary)
	}
}

// Rows that sum up others are no values: they are found by what they are called and
// what they hold, and a filter leaves them out.
func TestRowsThatSumUpOthers(t *testing.T) {
	rng := testenv.Random(t)
	table := func(label string, value func(list []float64) float64, more string) string {
		rows, list := "month,sales\n", []float64{}
		for i := range 12 {
			v := 50 + rng.IntN(100)
			list = append(list, float64(v))
			rows += fmt.Sprintf("m%d,%d\n", i, v)
		}
		return rows + fmt.Sprintf("%s,%.2f\n", label, value(list)) + more
	}
	sum := func(list []float64) (all float64) {
		for _, v := range list {
			all += v
		}
		return all
	}
	largest := func(list []float64) (most float64) {
		for _, v := range list {
			most = math.Max(most, v)
		}
		return most
	}
	for name, c := range map[string]struct {
		table        string
		failed, told bool
	}{
		"total":           {table("Total", sum, ""), true, false},
		"of Germany":      {table("Summe:", sum, ""), true, false},
		"mean":            {table("Mean", func(l []float64) float64 { return sum(l) / 12 }, ""), true, false},
		"mean and SD":     {table("Average", func(l []float64) float64 { return sum(l) / 12 }, "SD,29.1\n"), true, false},
		"no sum":          {table("Total", func(l []float64) float64 { return sum(l) / 2 }, ""), false, true},
		"someone's name":  {table("Max", largest, ""), false, false},
		"another's label": {table("total cost", sum, ""), false, false},
	} {
		r, failed := summarised(t, c.table)
		if strings.Contains(failed, "total_rows") != c.failed || (warningOf(r, "total_row") != "") != c.told {
			t.Errorf("%s: failed %s, %v", name, failed, r.Warnings)
		}
	}
	r, _ := onTable(t, summaryStats, table("Total", sum, ""), `"plots": false, "capture": {"selectors": {"filters": ["month != \"Total\""]}}`)
	if r.Status == contract.StatusError || strings.Contains(failedChecks(r), "total_rows") {
		t.Errorf("filtered: %v %s", r.Errors, failedChecks(r))
	}
}

// Heights of which some are in metres among centimetres are told; values that vary by
// themselves are not, whatever their distribution.
func TestMixturesOfUnits(t *testing.T) {
	rng := testenv.Random(t)
	table := func(value func(i int) float64) string {
		rows := "h\n"
		for i := range 80 {
			rows += fmt.Sprintf("%.4g\n", value(i))
		}
		return rows
	}
	height := func() float64 { return math.Max(140, math.Min(210, 172+9*rng.NormFloat64())) }
	for factor, failed := range map[float64]bool{100: true, 1000: true, 0.01: true, 10: false} {
		r, checks := summarised(t, table(func(i int) float64 {
			if i%27 == 3 {
				return height() / factor
			}
			return height()
		}))
		if strings.Contains(checks, "unit_mixture") != failed || (warningOf(r, "unit_mixture") != "") == failed {
			t.Errorf("factor %g: %s %v", factor, checks, r.Warnings)
		}
	}
	for name, value := range map[string]func(int) float64{
		"heights":   func(int) float64 { return height() },
		"lognormal": func(int) float64 { return math.Exp(1.5 * rng.NormFloat64()) },
		"Pareto":    func(int) float64 { return math.Pow(1-rng.Float64(), -1/1.2) },
		"decades":   func(i int) float64 { return math.Pow(10, float64(i%4)) },
		"pulses":    func(i int) float64 { return 1 + 0.2*rng.Float64() + []float64{0, 57}[i%20/19] },
		"counts":    func(int) float64 { return float64(1 + rng.IntN(100)) },
	} {
		for range 10 {
			if r, checks := summarised(t, table(value)); strings.Contains(checks, "unit_mixture") {
				t.Errorf("%s: %s %v", name, checks, r.Warnings)
			}
		}
	}
}

// The event of two texts is the one that is asked for, in any case, and the summary
// names it with the direction: y follows x with a slope of 2 in the log odds.
func TestTheEventIsNamed(t *testing.T) {
	rng := testenv.Random(t)
	for _, c := range []struct{ other, event string }{{"no", "Yes"}, {"No", "yes"}, {"FALSE", "TRUE"}, {"failure", "Success"}, {"Low", "high"}, {"Negative", "positive"},
		{"apple", "Pear"}, {"Apple", "pear"}, {"9", "10"}, {"nein", "Ja"}} {
		rows := "x,churn\n"
		for range 300 {
			x := rng.NormFloat64()
			level := c.other
			if rng.Float64() < 1/(1+math.Exp(-2*x)) {
				level = c.event
			}
			rows += fmt.Sprintf("%.4f,%s\n", x, level)
		}
		arguments := `"operation": "logistic_regression", "target": "churn", "features": ["x"], "plots": false`
		if c.other == "9" {
			arguments += `, "event": "10"`
		}
		r, _ := onTable(t, regression, rows, arguments)
		if !strings.Contains(r.Summary, "The event is churn = "+strings.ToLower(c.event)) && !strings.Contains(r.Summary, "The event is churn = "+c.event) || !strings.Contains(r.Summary, "x raises its odds") {
			t.Errorf("%v: %s %v", c, r.Summary, r.Errors)
		}
	}
	if other, event := inOrder("9", "10"); other != "9" || event != "10" {
		t.Errorf("numbers: %s, %s", other, event)
	}
}

// The summary of a comparison says which side is above, whatever the order of the
// groups: treated values are 2 above the others.
func TestComparisonsNameTheHigherSide(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 8))
	for _, treated := range []string{"treat", "a_treat"} {
		rows, wide := "y,g\n", "before,after\n"
		for i := range 60 {
			y := rng.NormFloat64() / 3
			rows += fmt.Sprintf("%.4f,%s\n", y+float64(i%2*2), []string{"control", treated}[i%2])
			wide += fmt.Sprintf("%.4f,%.4f\n", y, y+2+rng.NormFloat64()/9)
		}
		for operation, want := range map[string]string{"two_sample": "the mean of y is higher in " + treated + " than in control by ", "mann_whitney": "y is mostly higher in " + treated + " than in control"} {
			r, _ := onTable(t, tTest, rows, fmt.Sprintf(`"operation": %q, "column": "y", "factor": "g"`, operation))
			if !strings.Contains(r.Summary, want) {
				t.Errorf("%s: %s", operation, r.Summary)
			}
		}
		for operation, want := range map[string]string{"paired": "the mean of after is above that of before by ", "signed_rank": "after is mostly above before"} {
			r, _ := onTable(t, tTest, wide, fmt.Sprintf(`"operation": %q, "column": "before", "with": "after"`, operation))
			if !strings.Contains(r.Summary, want) {
				t.Errorf("%s: %s", operation, r.Summary)
			}
		}
		r, _ := onTable(t, tTest, rows, `"operation": "one_sample", "column": "y", "value": 5`)
		if !strings.Contains(r.Summary, "the mean of y is below 5 by ") {
			t.Error(r.Summary)
		}
	}
}
