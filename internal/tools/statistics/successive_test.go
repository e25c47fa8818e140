package statistics

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"atelier/internal/contract"
	"atelier/internal/evidence"
	"atelier/internal/stat"
	"atelier/internal/testenv"
)

// remembering are values of which each keeps a share of the one before.
func remembering(rng *rand.Rand, n int, share float64) []float64 {
	x := make([]float64, n)
	last := rng.NormFloat64()
	for i := range x {
		last = share*last + math.Sqrt(1-share*share)*rng.NormFloat64()
		x[i] = last
	}
	return x
}

// By Bartlett, the mean of n values of memory phi varies (1+phi)/(1-phi) times as
// much as that of independent ones: 19 times at 0.9, so that p says nothing.
func TestValuesThatFollowEachOther(t *testing.T) {
	rng := testenv.Random(t)
	type call struct {
		tool      func(string) (string, evidence.Trust)
		arguments string
	}
	var calls []call
	for _, arguments := range []string{`"operation":"two_sample","column":"y","factor":"g"`, `"operation":"mann_whitney","column":"y","factor":"g"`,
		`"operation":"one_sample","column":"y"`, `"operation":"paired","column":"y","with":"z"`, `"operation":"signed_rank","column":"y"`,
		`"operation":"one_way","response":"y","factor":"g"`, `"operation":"kruskal_wallis","response":"y","factor":"g"`} {
		calls = append(calls, call{func(table string) (string, evidence.Trust) {
			tool := tTest
			if strings.Contains(arguments, "response") {
				tool = anova
			}
			r, _ := onTable(t, tool, table, arguments)
			return sentenceOf(r, successiveName), quantity(t, r, "/p_value").Trust()
		}, arguments})
	}
	table := func(x []float64, group func(i int) int) string {
		var b strings.Builder
		b.WriteString("g,y,z\n")
		for i, v := range x {
			fmt.Fprintf(&b, "%c,%.3f,%.3f\n", 'A'+group(i), 10+v, 10+0.1*rng.NormFloat64())
		}
		return b.String()
	}
	halves := func(i int) int { return i / 60 }
	x := remembering(rng, 120, 0.9)
	sorted := slices.Clone(x)
	slices.Sort(sorted)
	for _, c := range calls {
		if s, trust := c.tool(table(x, halves)); !strings.Contains(s, "no independent samples") || trust == evidence.Verified {
			t.Errorf("%s: %v %q", c.arguments, trust, s)
		}
		if strings.Contains(c.arguments, "paired") {
			continue // differences from noise are not sorted
		}
		if s, _ := c.tool(table(sorted, halves)); s != "" {
			t.Errorf("sorted: %s: %q", c.arguments, s)
		}
	}
}

// The level is 0.005, so that 1,000 draws of independent values give 5 in the mean,
// and more than 14 once in 4,000 times; whatever the groups and the distribution.
func TestIndependentValuesDoNotFollowEachOther(t *testing.T) {
	rng := testenv.Random(t)
	draws := map[string]func() float64{"normal": rng.NormFloat64, "skewed": func() float64 { return math.Exp(rng.NormFloat64()) },
		"coarse": func() float64 { return float64(rng.IntN(4)) }, "heavy": func() float64 { return rng.NormFloat64() / rng.NormFloat64() }}
	for _, sizes := range [][]int{{12}, {40}, {6, 6}, {30, 30}, {5, 40}, {4, 4, 4}, {8, 8, 8, 8}} {
		for name, draw := range draws {
			said := 0
			for range 1000 {
				found := &table{groups: map[string]*series{}, whole: true}
				row := int64(0)
				for g, n := range sizes {
					s := &series{}
					for range n {
						v := stat.F(draw())
						s.Add(v)
						row++
						s.values, s.rows = append(s.values, v), append(s.rows, row)
					}
					key := fmt.Sprint(g)
					found.groups[key], found.keys = s, append(found.keys, key)
				}
				if c := found.successive(); c.OK != nil && !*c.OK {
					said++
				}
			}
			t.Logf("%v %s: %d in 1000", sizes, name, said)
			if said > 14 {
				t.Errorf("%v %s: %d in 1000", sizes, name, said)
			}
		}
	}
}

// Values of a series that chance deals out to groups are as good for a comparison
// as independent ones (Fisher's randomisation): in such an order nothing is said
// more often than of these.
func TestDealtOutGroupsMayFollowEachOther(t *testing.T) {
	rng := testenv.Random(t)
	said, found := 0, 0
	for range 400 {
		x := remembering(rng, 80, 0.9)
		for _, dealt := range []bool{true, false} {
			var rest [2][]float64
			var at [2][]int64
			for i, v := range x {
				g := 2 * i / len(x)
				if dealt {
					g = rng.IntN(2)
				}
				rest[g], at[g] = append(rest[g], v), append(at[g], int64(i))
			}
			for g := range rest {
				mean := 0.0
				for _, v := range rest[g] {
					mean += v / float64(len(rest[g]))
				}
				for i := range rest[g] {
					rest[g][i] -= mean
				}
			}
			s := stat.Successives(rest[:], at[:])
			if s.P < successiveLevel && s.R > successiveLeast {
				if dealt {
					said++
				} else {
					found++
				}
			}
		}
	}
	t.Logf("of 400: %d of dealt out groups, %d of halves", said, found)
	if said > 40 || found < 380 {
		t.Errorf("of 400: %d of dealt out groups, %d of halves", said, found)
	}
}

// A trial whose table is in the order of a second factor is no series: with that
// factor in every group alike, the groups differ no more than in any other order.
func TestATableInTheOrderOfASecondFactor(t *testing.T) {
	rng := testenv.Random(t)
	trial := func(memory float64, doses int) string {
		var b strings.Builder
		b.WriteString("g,dose,y\n")
		x := remembering(rng, 120, memory)
		for i, v := range x {
			dose := i % 60 * doses / 60
			fmt.Fprintf(&b, "%c,%d,%.3f\n", 'A'+i/60, dose, 20+3*float64(dose)+v)
		}
		return b.String()
	}
	for _, arguments := range []string{`"operation":"two_sample","column":"y","factor":"g"`, `"operation":"one_way","response":"y","factor":"g"`} {
		with := tTest
		if strings.Contains(arguments, "response") {
			with = anova
		}
		missed := 0
		for range 20 { // the residuals of a table look alike by chance once in fifty
			if r, _ := onTable(t, with, trial(0, 3), arguments); strings.Contains(failedChecks(r), successiveName) || !strings.Contains(passedSentence(r, successiveName), "in the order of dose") {
				missed++
			}
		}
		if missed > 4 { // more are missed once in 10^5
			t.Errorf("%s: %d of 20", arguments, missed)
		}
		if r, _ := onTable(t, with, trial(0.9, 3), arguments); sentenceOf(r, successiveName) == "" {
			t.Errorf("%s: with memory: %q", arguments, passedSentence(r, successiveName))
		}
	}
}

func passedSentence(r *contract.Result, name string) string {
	for _, c := range r.Evidence.Checks() {
		if c.Name == name && c.Passed {
			return c.Sentence
		}
	}
	return ""
}
