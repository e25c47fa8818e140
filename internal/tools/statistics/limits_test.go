package statistics

import (
	"fmt"
	"strings"
	"testing"

	"atelier/internal/testenv"
)

// Limits of detection and the negative numbers of accounts among numbers make a
// column of texts, whose values are only counted: that is told, with what to write.
// Where no number is among them they are levels.
func TestNumbersAsLaboratoriesAndAccountsWriteThem(t *testing.T) {
	rng := testenv.Random(t)
	for cell, hint := range map[string]string{"<0.5": "only a limit is known", "< 0.5": "only a limit is known", "≤0.5": "only a limit is known", ">100": "only a limit is known",
		"<LOD": "only a limit is known", "n.d.": "only a limit is known", "(20.3)": "with a minus: -20.3", "$(1,200.50)": "with a minus: -1,200.50", "(€ 5)": "with a minus: -5"} {
		for _, n := range []int{3, 5} { // of 10
			at := rng.Perm(10)
			var b strings.Builder
			b.WriteString("x;y\n")
			for i := range 10 {
				value := fmt.Sprintf("%.1f", 1+rng.Float64())
				if at[i] < n {
					value = cell
				}
				fmt.Fprintf(&b, "%s;%d\n", value, i)
			}
			res, err := run(t, summaryStats, b.String(), map[string]any{"plots": false})
			if err != nil {
				t.Fatal(err)
			}
			w := warningOf(res, "nearly_numeric")
			if !strings.Contains(w, hint) || !strings.Contains(w, fmt.Sprintf("%d of the 10 values", 10-n)) {
				t.Errorf("%d of %s: %q", n, cell, w)
			}
		}
	}
	for _, levels := range [][]string{{"<18", ">=18"}, {"(1)", "(2)"}, {"nd", "sd"}, {"<5", "5-10", ">10"}} {
		var b strings.Builder
		b.WriteString("x;y\n")
		for i := range 12 {
			fmt.Fprintf(&b, "%s;%d\n", levels[i%len(levels)], i)
		}
		res, err := run(t, summaryStats, b.String(), map[string]any{"plots": false})
		if err != nil {
			t.Fatal(err)
		}
		if w := warningOf(res, "nearly_numeric"); w != "" {
			t.Errorf("%v: %q", levels, w)
		}
	}
}
