package statistics

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"atelier/internal/contract"
	"atelier/internal/jsonvalue"
	"atelier/internal/stat"
)

// lone are the samples that determine coefficients alone (leverage 1): without them
// the model has no such coefficients, and no residual, Cook's distance or HC3 error
// can say how far they lead it. A frequency is not one sample.
func (r *fitted) lone() []stat.Influence {
	if r.diag == nil || r.untestable || r.glm != nil && r.in.Weights != "" {
		return nil
	}
	return r.diag.Alone
}

// loneCheck says which rows those are, and what rests on them.
func (r *fitted) loneCheck(lone []stat.Influence) check {
	ok := false
	c := check{Name: "influence", Statistic: number(math.NaN()), PValue: number(math.NaN()), OK: &ok}
	var rows, names []string
	for _, in := range lone {
		rows = append(rows, fmt.Sprint(in.Row))
		for _, k := range in.Decides {
			if name := r.names[k]; !slices.Contains(names, name) {
				names = append(names, name)
				at := jsonvalue.Escape(name)
				c.figures = append(c.figures, "/standard_errors/"+at)
				if k >= r.slopes() {
					c.figures = append(c.figures, "/p_values/"+at)
				}
			}
		}
	}
	whose, which := "Row "+rows[0]+" alone decides", "it"
	if len(rows) > 1 {
		whose, which = "Each of the rows "+contract.Listed(rows, 5)+" alone decides coefficients", "them"
	}
	what := "the coefficient of " + strings.Join(names, "")
	switch {
	case len(rows) > 1:
		what = "(" + contract.Listed(names, 5) + ")"
	case len(names) > 1:
		what = "the coefficients of " + contract.Listed(names, 5)
	}
	c.Consequence = fmt.Sprintf("%s %s: the fit goes through %s whatever the value there (leverage 1), no other row can confirm or contradict it, and HC3 errors cannot be computed. Measure more rows like it, or leave it out.", whose, what, which)
	return c
}
