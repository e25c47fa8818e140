package statistics

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"atelier/internal/evidence"
	"atelier/internal/testenv"
)

// pastedTimes is a table whose rows stand in it so many times.
func pastedTimes(header string, rows []string, times int) string {
	return header + "\n" + strings.Join(slices.Repeat(rows, times), "\n")
}

// poissonOf is a count of that mean (Knuth's product of uniform numbers).
func poissonOf(rng *rand.Rand, mean float64) (n int) {
	for p := rng.Float64(); p > math.Exp(-mean); p *= rng.Float64() {
		n++
	}
	return n
}

// A table of 60 rows pasted twice or three times has no more to say of a correlation
// than the 60 rows; the rows alone raise no alarm, nor do periods of a wave.
func TestPastedRowsInSummaries(t *testing.T) {
	rng := testenv.Random(t)
	for round := range 6 {
		var rows, waves []string
		for i := range 60 {
			rows = append(rows, fmt.Sprintf("%.3f,%.3f", rng.NormFloat64(), rng.NormFloat64()))
			waves = append(waves, fmt.Sprintf("%.6f,%.6f", math.Sin(2*math.Pi*float64(i)/60), math.Cos(2*math.Pi*float64(i)/60)))
		}
		for times, table := range map[int]string{1: pastedTimes("x,y", rows, 1), 2 + round%2: pastedTimes("x,y", rows, 2+round%2), 0: pastedTimes("x,y", waves, 5)} {
			r, _ := onTable(t, summaryStats, table, `"plots": false`)
			failed := strings.Contains(failedChecks(r), "pasted_rows")
			if failed != (times > 1) {
				t.Errorf("%d times: failed checks %q", times, failedChecks(r))
			}
			if trust, _ := r.Evidence.At("/groups/0/correlations/0/p_value"); times > 1 && trust != evidence.Suspect {
				t.Errorf("%d times: the p value of the correlation is %s", times, trust)
			}
		}
	}
}

// Noise has no period: pasted two or three times it is pasted, and alone, or a sine of
// 20 values and more in any number of periods, it is not.
func TestPastedSeries(t *testing.T) {
	rng := testenv.Random(t)
	for round := range 12 {
		n, times := 50+rng.IntN(60), 1+round%3
		var rows, sine []string
		for range n {
			rows = append(rows, fmt.Sprintf("%.3f", rng.NormFloat64()))
		}
		period := 20 + rng.IntN(20)
		for i := range period * (2 + round%6) {
			sine = append(sine, fmt.Sprintf("%.4f", math.Sin(2*math.Pi*float64(i%period)/float64(period))))
		}
		r, _ := onTable(t, timeSeries, pastedTimes("v", rows, times), `"column": "v", "plots": false`)
		if failed := strings.Contains(failedChecks(r), "pasted_rows"); failed != (times > 1) {
			t.Errorf("%d values %d times: failed checks %q", n, times, failedChecks(r))
		}
		r, _ = onTable(t, timeSeries, pastedTimes("v", sine, 1), `"column": "v", "plots": false`)
		if strings.Contains(failedChecks(r), "pasted_rows") {
			t.Errorf("a sine of %d values in %d is taken for a copy", period, len(sine))
		}
	}
}

// Counts of few values in groups in turn are the same in runs by chance: the groups
// come back in order whatever the counts are. At a level of 1e-4 none of 30 tables is
// doubted. Rows without a response are no rows.
func TestCountsInTurnAreNoCopies(t *testing.T) {
	rng := testenv.Random(t)
	for round := range 30 {
		var rows, gaps []string
		for i := range 120 {
			rows = append(rows, fmt.Sprintf("%c,%d", 'a'+i%4, poissonOf(rng, 0.5)))
			gaps = append(gaps, fmt.Sprintf("%c,%.3f", 'a'+i/30, 20+2*rng.NormFloat64()))
		}
		r, _ := onTable(t, anova, pastedTimes("g,v", rows, 1), `"operation": "kruskal_wallis", "response": "v", "factor": "g"`)
		if strings.Contains(failedChecks(r), "pasted_rows") {
			t.Errorf("counts in turn are taken for copies: %s", sentenceOf(r, "pasted_rows"))
		}
		r, _ = onTable(t, regression, pastedTimes("g,v", rows, 1), `"operation": "poisson_regression", "target": "v", "features": ["g"], "plots": false`)
		if strings.Contains(failedChecks(r), "pasted_rows") {
			t.Errorf("counts in turn are taken for copies: %s", sentenceOf(r, "pasted_rows"))
		}
		if round > 2 {
			continue
		}
		r, _ = onTable(t, anova, pastedTimes("g,v", rows, 2), `"operation": "kruskal_wallis", "response": "v", "factor": "g"`)
		if !strings.Contains(failedChecks(r), "pasted_rows") {
			t.Error("counts in turn that were pasted twice are not noticed")
		}
		for i := 92; i < 115; i++ {
			gaps[i] = "d,"
		}
		r, _ = onTable(t, anova, pastedTimes("g,v", gaps, 1), `"operation": "one_way", "response": "v", "factor": "g"`)
		if strings.Contains(failedChecks(r), "pasted_rows") {
			t.Errorf("rows without a response are taken for copies: %s", sentenceOf(r, "pasted_rows"))
		}
	}
}

// What speaks against a column speaks against the file that holds its figures,
// wherever the column stands: beyond the sixth as in the first.
func TestColumnsThatAreNotShownAreChecked(t *testing.T) {
	rng := testenv.Random(t)
	for _, fault := range []string{"", "placeholder", "missing_rows"} {
		at := 6 + rng.IntN(3)
		table := "c0,c1,c2,c3,c4,c5,c6,c7,c8"
		for i := range 60 {
			row := make([]string, 9)
			for k := range row {
				row[k] = fmt.Sprintf("%.3f", 20+2*rng.NormFloat64())
			}
			switch {
			case fault == "placeholder" && i%20 == 7:
				row[at] = "999"
			case fault == "missing_rows" && i < 49:
				row[at] = ""
			}
			table += "\n" + strings.Join(row, ",")
		}
		r, _ := onTable(t, summaryStats, table, `"plots": false`)
		if failed := failedChecks(r); failed != fault {
			t.Errorf("column %d: failed checks %q, not %q", at, failed, fault)
		}
		if fault != "" && r.Evidence.Trust() != evidence.Suspect {
			t.Errorf("column %d with %s: %s", at, fault, r.Evidence.Trust())
		}
	}
}
