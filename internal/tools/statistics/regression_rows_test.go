package statistics

import (
	"fmt"
	"strings"
	"testing"

	"atelier/internal/testenv"
)

// Rows of the same subject, who decides the group, are no replicates in a regression
// either, in any order; errors by cluster allow for them.
func TestReplicatesInRegressions(t *testing.T) {
	rng := testenv.Random(t)
	for _, c := range []struct {
		spread  float64
		cluster string
		failed  bool
	}{{3, "", true}, {0, "", false}, {3, `, "cluster": "sub"`, false}} {
		rows := twelveSubjects(rng, c.spread)
		rng.Shuffle(len(rows)-1, func(i, k int) { rows[i+1], rows[k+1] = rows[k+1], rows[i+1] })
		r, _ := onTable(t, regression, strings.Join(rows, "\n"), `"operation": "linear_regression", "target": "y", "features": ["g"], "plots": false`+c.cluster)
		if failed := strings.Contains(failedChecks(r), "replicates"); failed != c.failed {
			t.Errorf("%+v: failed checks %q", c, failedChecks(r))
		}
	}
}

// Signs and counts that follow a series of memory 0.95 are no independent samples
// (the signs agree with a probability of 1/2 + asin(0.95)/pi = 0.9, which is a
// correlation of 0.8); those of independent numbers are.
func TestSuccessiveRowsInLikelihoods(t *testing.T) {
	rng := testenv.Random(t)
	for _, memory := range []float64{0, 0.95} {
		x, z := remembering(rng, 300, memory), remembering(rng, 300, memory)
		for z[0]*z[299] > 0 { // signs of both kinds, not in order
			z = remembering(rng, 300, memory)
		}
		table := "b,n,x"
		for i, v := range z {
			sign, count := 0, poissonOf(rng, 3)
			if v > 0 {
				sign, count = 1, count+poissonOf(rng, 20)
			}
			table += fmt.Sprintf("\n%d,%d,%.3f", sign, count, x[i])
		}
		for _, arguments := range []string{`"operation": "logistic_regression", "target": "b"`, `"operation": "poisson_regression", "target": "n"`} {
			r, _ := onTable(t, regression, table, arguments+`, "features": ["x"], "plots": false`)
			if failed := strings.Contains(failedChecks(r), successiveName); failed != (memory > 0) {
				t.Errorf("%s, memory %v: failed checks %q", arguments, memory, failedChecks(r))
			}
		}
	}
}
