package statistics

import (
	"fmt"
	"strings"
	"testing"

	"atelier/internal/contract"
	"atelier/internal/evidence"
	"atelier/internal/testenv"
)

// A factor whose levels follow from those of another has no effect that is its own:
// sums of type I give it to whichever is named first. Both are named and suspect; the
// test of the whole model is the same for both orders and stands.
func TestConfoundedFactorsHaveNoEffectsOfTheirOwn(t *testing.T) {
	rng := testenv.Random(t)
	table := func(second func(a, i int) int) string {
		return rowsOf("a,b,y", 60, func(i int) []string {
			a := i % 3
			return []string{fmt.Sprintf("a%d", a), fmt.Sprintf("b%d", second(a, i)), fixed(3*float64(a)+rng.NormFloat64(), 2)}
		})
	}
	whole := table(func(a, _ int) int { return a })
	nested := table(func(a, _ int) int { return a / 2 })
	crossed := table(func(a, i int) int { return i / 3 % (3 - a/2) }) // one of nine cells is empty
	for name, c := range map[string]struct {
		table, arguments string
		suspect          []int // terms
	}{
		"alike, a first": {whole, `"factors":["a","b"],"terms":["a","b"],"sum_type":"I"`, []int{0, 1}},
		"alike, b first": {whole, `"factors":["b","a"],"terms":["b","a"],"sum_type":"I"`, []int{0, 1}},
		"type II":        {whole, `"factors":["a","b"],"terms":["a","b"],"sum_type":"II"`, []int{0, 1}},
		"all terms":      {whole, `"factors":["a","b"],"sum_type":"I"`, []int{0, 1, 2}},
		"in part":        {nested, `"factors":["b","a"],"terms":["a","b"],"sum_type":"I"`, []int{0, 1}},
		"an empty cell":  {crossed, `"factors":["a","b"],"sum_type":"II"`, nil},
		"main effects":   {crossed, `"factors":["a","b"],"terms":["a","b"],"sum_type":"I"`, nil},
	} {
		r, out := onTable(t, anova, c.table, `"operation":"n_way","response":"y",`+c.arguments)
		if r.Status == contract.StatusError {
			t.Fatalf("%s: %+v", name, r.Errors)
		}
		for i := range out["terms"].([]any) {
			q := quantity(t, r, fmt.Sprintf("/terms/%d/p_value", i))
			doubted := strings.Contains(strings.Join(q.Reasons(), " "), "every_term")
			if want := len(c.suspect) > i; doubted != want || want && q.Trust() != evidence.Suspect {
				t.Errorf("%s: %s is %v: %v", name, q.Pointer, q.Trust(), q.Reasons())
			}
		}
		if q := quantity(t, r, "/quoted/p_value"); strings.Contains(strings.Join(q.Reasons(), " "), "every_term") {
			t.Errorf("%s: %v", name, q.Reasons())
		}
		sentence, passed := termsSentence(r)
		if passed != (c.suspect == nil) || !passed && (!strings.Contains(r.Summary, "cannot be told from that of") || !strings.Contains(fmt.Sprint(r.Warnings), "aliased")) {
			t.Errorf("%s: %s %s", name, sentence, r.Summary)
		}
		if name == "an empty cell" && !strings.Contains(sentence, "a:b (3 degrees of freedom)") { // eight cells: 1 + 2 + 2 + 3
			t.Error(sentence)
		}
	}
}
