package statistics

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"atelier/internal/contract"
	"atelier/internal/evidence"
	"atelier/internal/testenv"
)

// twelveSubjects is a table of 12 subjects in two groups, 8 rows each: spread is
// that between subjects, in standard deviations within them.
func twelveSubjects(rng *rand.Rand, spread float64) []string {
	rows := []string{"y,g,sub"}
	for sub := range 12 {
		own := spread * rng.NormFloat64()
		for range 8 {
			rows = append(rows, fmt.Sprintf("%.4f,%d,%d", own+rng.NormFloat64(), sub%2, sub))
		}
	}
	return rows
}

// Tables whose rows are no independent replicates, or no values, beside tables
// without a fault, at random.
func TestRowsThatAreNoReplicates(t *testing.T) {
	rng := testenv.Random(t)
	good, alike := twelveSubjects(rng, 0), twelveSubjects(rng, 2)
	marked := append([]string{}, good...)
	for i := 7; i < len(marked); i += 20 {
		_, rest, _ := strings.Cut(marked[i], ",")
		marked[i] = "-999," + rest
	}
	for _, c := range []struct {
		rows  []string
		fault string
	}{{good, ""}, {alike, "replicates"}, {marked, "placeholder"}, {append(good, good[11:70]...), "pasted_rows"}} {
		table := strings.Join(c.rows, "\n")
		for arguments, tool := range map[string]contract.Tool{
			`"operation": "two_sample", "column": "y", "factor": "g"`:   tTest,
			`"operation": "mann_whitney", "column": "y", "factor": "g"`: tTest,
			`"operation": "one_way", "response": "y", "factor": "g"`:    anova,
		} {
			r, _ := onTable(t, tool, table, arguments)
			failed := failedChecks(r)
			for _, name := range []string{"replicates", "placeholder", "pasted_rows"} {
				if is := strings.Contains(failed, name); is != (c.fault == name) && (is && name != "replicates" || c.fault == name) {
					t.Errorf("%s: expected %q, failed: %s", arguments, c.fault, failed)
				}
			}
		}
	}
}

// Of 30 tables without alike rows at most two are told to have them: that more are
// has a chance of 1 in 200,000 at a level of 0.001.
func TestReplicatesAreSeldomDoubted(t *testing.T) {
	rng := testenv.Random(t)
	doubted := 0
	for range 30 {
		r, _ := onTable(t, tTest, strings.Join(twelveSubjects(rng, 0), "\n"), `"operation": "two_sample", "column": "y", "factor": "g"`)
		if strings.Contains(failedChecks(r), "replicates") {
			doubted++
		}
	}
	if doubted > 2 {
		t.Errorf("%d of 30 tables of independent rows are doubted", doubted)
	}
}

// A column of texts alone is summarised: its counts are what a reader quotes.
func TestTextsAloneAreSummarised(t *testing.T) {
	r, out := onTable(t, summaryStats, "name\nann\nbob\n\nann", `"columns": ["name"], "plots": false`)
	if r.Status != contract.StatusOK || quantity(t, r, "/groups/0/texts/0/n").Trust() != evidence.Verified {
		t.Errorf("%v %v", r.Errors, out)
	}
}
