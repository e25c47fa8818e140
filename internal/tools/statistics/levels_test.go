package statistics

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"atelier/internal/evidence"
	"atelier/internal/testenv"
)

// Levels that look alike are as many groups as are written, and are told; numbers
// and levels that differ are not.
func TestLevelsThatLookAlikeAreKeptApart(t *testing.T) {
	rng := testenv.Random(t)
	for _, c := range []struct {
		levels []string
		told   bool
	}{
		{[]string{"007", "7", "9"}, true}, {[]string{"1.10", "1.1", "1.9"}, true}, {[]string{"1e5", "100000", "5"}, true},
		{[]string{"A", " A", "B"}, true}, {[]string{"a", "A", "B"}, true}, {[]string{"S01", "S1", "S2"}, true},
		{[]string{"A\u00a0b", "A b", "B"}, true}, {[]string{"\u00e9", "e\u0301", "B"}, true},
		{[]string{"1", "2", "10"}, false}, {[]string{"v1.05", "v1.5", "v10"}, false}, {[]string{"1.0", "2.0", "2.5"}, false}, {[]string{"S1", "S10", "S100"}, false},
	} {
		rows := []string{"y,g"}
		for i := range 60 {
			rows = append(rows, fmt.Sprintf("%.6f,%s", rng.NormFloat64(), c.levels[i%3]))
		}
		table := strings.Join(rows, "\n")
		r, out := onTable(t, anova, table, `"operation": "one_way", "response": "y", "factor": "g"`)
		if groups, _ := out["groups"].([]any); len(groups) != 3 {
			t.Errorf("%q: %d groups", c.levels, len(groups))
		}
		reg, _ := onTable(t, regression, table, `"operation": "linear_regression", "target": "y", "features": ["g"], "categorical": ["g"], "plots": false`)
		sum, _ := onTable(t, summaryStats, table, `"columns": ["y"], "group_by": "g", "plots": false`)
		for name, w := range map[string]string{"anova": warningOf(r, "alike_levels"), "regression": warningOf(reg, "alike_levels"), "summary": warningOf(sum, "alike_levels")} {
			if (w != "") != c.told {
				t.Errorf("%s of %q: %q", name, c.levels, w)
			}
		}
	}
	// As numbers they are equal: y = 2x through 007 and 7.
	r, out := onTable(t, regression, "x,y\n007,14\n7,14\n1.10,2.2\n1.1,2.2\n3,6\n4,8.5\n", `"operation": "linear_regression", "target": "y", "features": ["x"], "plots": false`)
	if w := warningOf(r, "alike_levels"); w != "" || out["sample_count"] != 6.0 {
		t.Errorf("%v %q", out, w)
	}
}

// Words that are taken for missing levels are named with how many there are.
func TestMissingLevelsAreNamed(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 1))
	rows := []string{"y,g"}
	for i := range 60 {
		rows = append(rows, fmt.Sprintf("%.6f,%s", rng.NormFloat64(), []string{"A", "B", "NA", "C", "None"}[i%5]))
	}
	r, _ := onTable(t, anova, strings.Join(rows, "\n"), `"operation": "one_way", "response": "y", "factor": "g"`)
	for _, want := range []string{`"g"`, `"NA" 12 times`, `"None" 12 times`, "(NA)"} {
		if w := warningOf(r, "missing_words"); !strings.Contains(w, want) {
			t.Errorf("%q lacks %q", w, want)
		}
	}
	if w := warningOf(r, "rows_dropped"); !strings.Contains(w, "(g: 24)") {
		t.Errorf("%q", w)
	}
}

// An exact test by signed ranks is verified where the last digits of the values
// leave the order of the differences as it is, and not where they do not. The p
// value is that of the smallest sum of n ranks but one: 2 (1 + 1)/2^n.
func TestExactSignedRanksAreVerified(t *testing.T) {
	var fine strings.Builder
	fine.WriteString("a,b\n")
	const n = 12
	for i := range n {
		d := float64(i + 1)
		if i == 0 {
			d = -d
		}
		fmt.Fprintf(&fine, "%.4f,%.4f\n", 50+d, 50.0)
	}
	const p = 4 / 4096.0
	r, out := onTable(t, tTest, fine.String(), `"operation": "signed_rank", "column": "a", "with": "b"`)
	digits(t, "p", out["p_value"], p, 1e-12)
	if q := quantity(t, r, "/p_value"); q.Trust() != evidence.Verified {
		t.Errorf("p is %s: %v", q.Trust(), q.Reasons())
	}
	// Differences of 1.0 and -1.1 within 0.1 of each other may be the other way round.
	r, _ = onTable(t, tTest, "a,b\n1.0,0.0\n0.0,1.1\n1.2,0.0\n0.0,1.3\n1.4,0.0\n1.5,0.0\n1.6,0.0\n1.7,0.0\n", `"operation": "signed_rank", "column": "a", "with": "b"`)
	if q := quantity(t, r, "/p_value"); q.Trust() == evidence.Verified || math.Abs(*q.Value-1) < 0.1 {
		t.Errorf("p is %s, %v", q.Trust(), *q.Value)
	}
	r, _ = onTable(t, tTest, "a,g\n1.0,x\n2.0,x\n3.0,x\n4.0,x\n5.0,y\n6.0,y\n7.0,y\n8.0,y\n", `"operation": "mann_whitney", "column": "a", "factor": "g"`)
	if q := quantity(t, r, "/p_value"); q.Trust() != evidence.Verified {
		t.Errorf("p is %s: %v", q.Trust(), q.Reasons())
	}
}

// -1 among positive values is told, and -1 among codes, differences and values that
// reach down to it is not; so are zeros, which fail nothing.
func TestMinusOneAmongPositives(t *testing.T) {
	rng := testenv.Random(t)
	for name, c := range map[string]struct {
		value  func(i int) string
		failed bool
		zeros  bool
	}{
		"ages":        {func(i int) string { return []string{fmt.Sprint(18 + rng.IntN(70)), "-1"}[i%12/11] }, true, false},
		"marks":       {func(i int) string { return []string{fmt.Sprint(1 + rng.IntN(10)), "-1"}[i%12/11] }, true, false},
		"codes":       {func(i int) string { return []string{"-1", "0", "1"}[i%3] }, false, false},
		"signs":       {func(i int) string { return []string{"-1", "1"}[i%2] }, false, false},
		"differences": {func(i int) string { return fmt.Sprint(rng.IntN(12) - 1) }, false, false},
		"negative":    {func(i int) string { return fmt.Sprintf("%.2f", rng.NormFloat64()-0.5) }, false, false},
		"weights":     {func(i int) string { return []string{fmt.Sprintf("%.1f", 60+30*rng.Float64()), "0"}[i%12/11] }, false, true},
		"counts":      {func(i int) string { return fmt.Sprint(rng.IntN(9)) }, false, false},
		"rain":        {func(i int) string { return fmt.Sprintf("%.1f", math.Max(0, 5*rng.NormFloat64())) }, false, false},
		"doses":       {func(i int) string { return []string{"0", "50", "55", "60"}[i%4] }, false, false},
	} {
		rows := []string{"x,y"}
		for i := range 96 {
			rows = append(rows, fmt.Sprintf("%s,%.5f", c.value(i), rng.NormFloat64()))
		}
		r, _ := onTable(t, summaryStats, strings.Join(rows, "\n"), `"columns": ["x"], "plots": false`)
		if failed := strings.Contains(failedChecks(r), "placeholder"); failed != c.failed {
			t.Errorf("%s: failed checks %q", name, failedChecks(r))
		}
		if told := warningOf(r, "zeros") != ""; told != c.zeros {
			t.Errorf("%s: %v", name, r.Warnings)
		}
	}
}

// Copies of rows are noticed in any order, and coarse values, of which chance makes
// rows that agree, raise no alarm: at a level of 1e-4 one of 240 tables is doubted
// one time in 40, two never.
func TestCopiesInAnyOrder(t *testing.T) {
	rng := testenv.Random(t)
	doubted := 0
	for round := range 240 {
		n := 20 + rng.IntN(180)
		rows := make([]string, n)
		places, spread := rng.IntN(3), math.Exp(3*rng.Float64()-1)
		for i := range rows {
			switch y := spread * rng.NormFloat64(); round % 4 {
			case 0: // coarse values of two groups
				rows[i] = fmt.Sprintf("%.*f,%d", places, y, i%2)
			case 1: // alone
				rows[i] = fmt.Sprintf("%.*f,0", places, y)
			case 2: // with what follows from them
				rows[i] = fmt.Sprintf("%.*f,%.*f", places, y, places, 2*math.Round(y))
			default: // skewed
				rows[i] = fmt.Sprintf("%.*f,%d", places, math.Exp(y/spread), rng.IntN(3))
			}
		}
		r, _ := onTable(t, regression, "y,x\n"+strings.Join(append([]string{"0.125,5"}, rows...), "\n"), `"operation": "linear_regression", "target": "y", "features": ["x"], "plots": false`)
		if r.Evidence != nil && strings.Contains(failedChecks(r), "pasted_rows") {
			doubted++
			t.Logf("round %d: %d places, spread %.2g, %d rows", round, places, spread, n)
		}
		if round >= 20 {
			continue
		}
		n = 100 + rng.IntN(100)
		rows = make([]string, n)
		for i := range rows {
			rows[i] = fmt.Sprintf("%.4f,%d", rng.NormFloat64(), i%2)
		}
		rows = append(rows, rows[:n/(1+round%3)]...)
		rng.Shuffle(len(rows), func(i, k int) { rows[i], rows[k] = rows[k], rows[i] })
		r, _ = onTable(t, tTest, "y,x\n"+strings.Join(rows, "\n"), `"operation": "two_sample", "column": "y", "factor": "x"`)
		if !strings.Contains(failedChecks(r), "pasted_rows") {
			t.Errorf("the copies of %d rows in %d are not noticed", len(rows)-n, len(rows))
		}
	}
	if doubted > 1 {
		t.Errorf("%d tables of independent rows are doubted", doubted)
	}
	for range 20 { // an instrument shows no more than 1
		rows := make([]string, 80)
		for i := range rows {
			rows[i] = fmt.Sprintf("%.6f,%d", math.Min(1, rng.NormFloat64()), i%2)
		}
		r, _ := onTable(t, tTest, "y,x\n"+strings.Join(rows, "\n"), `"operation": "two_sample", "column": "y", "factor": "x"`)
		if strings.Contains(failedChecks(r), "pasted_rows") {
			t.Errorf("values at a limit are taken for copies: %s", failedChecks(r))
		}
	}
}
