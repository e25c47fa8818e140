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

func TestContractsAreWithoutFault(t *testing.T) {
	for _, tool := range Tools() {
		if err := tool.Check(); err != nil {
			t.Errorf("%s: %v", tool.Contract.Name, err)
		}
	}
}

// twoGroups are values of two groups a and b.
func twoGroups(n int, value func(group, i int) string) string {
	return rowsOf("g,y", 2*n, func(i int) []string { return []string{string(rune('a' + i%2)), value(i%2, i)} })
}

// Comparisons of good data are verified; the bounds of the difference and of p
// cover what rounding the values does.
func TestComparisonsCoverTheRounding(t *testing.T) {
	rng := testenv.Random(t)
	inside, all := 0, 0
	for range 20 {
		n := 20 + rng.IntN(20)
		var values []float64
		for i := range 2 * n {
			values = append(values, float64(i%2)*1.5+rng.NormFloat64())
		}
		write := func(places int) string {
			return twoGroups(n, func(_, i int) string { return fixed(values[i], places) })
		}
		for _, c := range []struct {
			tool      contract.Tool
			arguments string
			pointers  []string
		}{{tTest, `"operation":"two_sample","column":"y","factor":"g"`, []string{"/difference", "/p_value"}},
			{anova, `"operation":"one_way","response":"y","factor":"g"`, []string{"/f_statistic", "/eta_squared"}},
			{summaryStats, `"columns":["y"],"plots":false`, []string{"/groups/0/columns/0/mean", "/groups/0/columns/0/standard_deviation", "/groups/0/columns/0/median"}}} {
			want, _ := onTable(t, c.tool, write(14), c.arguments)
			got, _ := onTable(t, c.tool, write(1), c.arguments)
			for _, at := range c.pointers {
				a, b := quantity(t, want, at), quantity(t, got, at)
				off := math.Abs(*a.Value - *b.Value)
				if all++; off <= *b.Error {
					inside++
				} else if b.Coverage == "bound" {
					t.Errorf("%s: off by %.3g, the bound is %.3g", at, off, *b.Error)
				}
			}
			if want.Evidence.Trust() != evidence.Verified && failedChecks(want) == "" {
				t.Errorf("%s: %v %v", c.tool.Contract.Name, want.Evidence.Trust(), want.Evidence.Reasons())
			}
		}
	}
	t.Logf("%d of %d inside", inside, all)
	if float64(inside) < 0.9*float64(all) {
		t.Errorf("%d of %d lie within their error bars", inside, all)
	}
}

// Values that are written as coarsely as they vary, that most rows lack, or that
// no quantity has, are suspect whatever is tested.
func TestCoarseAndMissingValuesAreSuspect(t *testing.T) {
	var rng *rand.Rand
	for name, c := range map[string]struct {
		check string
		value func(group, i int) string
	}{
		"coarse":  {"last_digits", func(group, _ int) string { return fixed(100+0.03*rng.NormFloat64()+0.02*float64(group), 1) }},
		"missing": {"missing_rows", func(_, i int) string { return map[bool]string{true: "", false: fixed(rng.NormFloat64(), 3)}[i%5 < 2] }},
		"huge":    {"size", func(int, int) string { return fmt.Sprintf("%.6ge200", 1+rng.Float64()) }},
	} {
		rng = rand.New(rand.NewPCG(4, 4)) // the same whatever the order of the cases
		table := twoGroups(30, c.value)
		for _, tool := range []struct {
			tool      contract.Tool
			arguments string
		}{{tTest, `"operation":"two_sample","column":"y","factor":"g"`}, {anova, `"operation":"one_way","response":"y","factor":"g"`},
			{summaryStats, `"columns":["y"],"plots":false`}} {
			if name == "coarse" && tool.tool.Contract.Name == summaryStats.Contract.Name {
				continue // a mean of rounded values is bounded by their rounding
			}
			r, _ := onTable(t, tool.tool, table, tool.arguments)
			if r.Status == contract.StatusError || r.Evidence.Trust() != evidence.Suspect || !strings.Contains(failedChecks(r), c.check) {
				t.Errorf("%s, %s: %v %+v", name, tool.tool.Contract.Name, r.Status, r.Evidence)
			}
		}
	}
}

// What an approximation gives, or a count that the data do not determine, is not
// verified; an exact distribution is.
func TestApproximationsAreConverged(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 2))
	table := twoGroups(12, func(group, _ int) string { return fixed(float64(group)+rng.NormFloat64(), 6) })
	exact, _ := onTable(t, tTest, table, `"operation":"mann_whitney","column":"y","factor":"g"`)
	if q := quantity(t, exact, "/p_value"); q.Trust() != evidence.Verified || q.Coverage != "bound" {
		t.Errorf("%v %v", q.Trust(), q.Reasons())
	}
	normal, _ := onTable(t, tTest, twoGroups(60, func(group, _ int) string { return fixed(float64(group)/2+float64(rng.IntN(7)), 0) }), `"operation":"mann_whitney","column":"y","factor":"g"`)
	if q := quantity(t, normal, "/p_value"); q.Trust() != evidence.Converged {
		t.Errorf("%v %v", q.Trust(), q.Reasons())
	}
	ranks, _ := onTable(t, anova, table, `"operation":"kruskal_wallis","response":"y","factor":"g"`)
	if ranks.Evidence.Trust() != evidence.Converged {
		t.Errorf("%v %v", ranks.Evidence.Trust(), ranks.Evidence.Reasons())
	}
}

func analysed(t *testing.T, values []float64) *contract.Result {
	t.Helper()
	r, _ := onTable(t, timeSeries, rowsOf("x", len(values), func(i int) []string { return []string{fixed(values[i], 3)} }), `"column":"x","plots":false`)
	if r.Status == contract.StatusError {
		t.Fatalf("%+v", r.Errors)
	}
	return r
}

// A mean that changes is said to change; values that depend on those before them,
// or that follow a cycle, are not, though steps can be laid through them.
func TestMemoryIsNoChangeOfTheMean(t *testing.T) {
	rng := testenv.Random(t)
	step := make([]float64, 200)
	fixed := rand.New(rand.NewPCG(2, 2)) // of noise, chance alone makes a change now and then
	for i := range step {
		if step[i] = fixed.NormFloat64(); i >= 90 {
			step[i] += 4
		}
	}
	r := analysed(t, step)
	if q := quantity(t, r, "/change_points/count"); *q.Value != 1 || !q.Quoted || q.Trust() != evidence.Verified || !strings.Contains(r.Summary, "The mean changes once.") {
		t.Errorf("%s %v", r.Summary, q.Reasons())
	}
	told := 0
	const tries = 20
	for range tries {
		memory := make([]float64, 300)
		for i := 1; i < len(memory); i++ {
			memory[i] = 0.8*memory[i-1] + rng.NormFloat64()
		}
		cycle := make([]float64, 240)
		for i := range cycle {
			cycle[i] = 5*math.Sin(2*math.Pi*float64(i)/40) + rng.NormFloat64() + 0.02*float64(i)
		}
		for _, values := range [][]float64{memory, cycle} {
			if strings.Contains(analysed(t, values).Summary, "The mean changes") {
				told++
			}
		}
	}
	t.Logf("%d of %d are said to change", told, 2*tries)
	if told > tries/5 {
		t.Errorf("of %d series whose mean does not change, %d are said to", 2*tries, told)
	}
}

// A period that the autocorrelations show too has an error bar.
func TestPeriodsAreSeenTwice(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 7))
	wave := make([]float64, 400)
	for i := range wave {
		wave[i] = math.Sin(2*math.Pi*float64(i)/10) + 0.3*rng.NormFloat64()
	}
	r := analysed(t, wave)
	q := quantity(t, r, "/spectrum/peaks/0/period")
	if q.Trust() != evidence.Verified || math.Abs(*q.Value-10) > *q.Error {
		t.Errorf("%v ± %v %v", *q.Value, *q.Error, q.Reasons())
	}
}

// The annual flow of the Nile at Aswan, 1871 to 1970, whose mean changes once,
// from 1899 on (Cobb 1978); and the monthly passengers of airlines, 1949 to 1960
// (Box and Jenkins 1976), which grow with a season.
func TestChangesOfKnownSeries(t *testing.T) {
	nile := []float64{1120, 1160, 963, 1210, 1160, 1160, 813, 1230, 1370, 1140, 995, 935, 1110, 994, 1020, 960, 1180, 799, 958, 1140, 1100, 1210, 1150,
		1250, 1260, 1220, 1030, 1100, 774, 840, 874, 694, 940, 833, 701, 916, 692, 1020, 1050, 969, 831, 726, 456, 824, 702, 1120, 1100, 832, 764, 821,
		768, 845, 864, 862, 698, 845, 744, 796, 1040, 759, 781, 865, 845, 944, 984, 897, 822, 1010, 771, 676, 649, 846, 812, 742, 801, 1040, 860, 874,
		848, 890, 744, 749, 838, 1050, 918, 986, 797, 923, 975, 815, 1020, 906, 901, 1170, 912, 746, 919, 718, 714, 740}
	r := analysed(t, nile)
	if !strings.Contains(r.Summary, "The mean changes once.") || strings.Contains(r.Summary, "Slope") {
		t.Error(r.Summary)
	}
	air := []float64{112, 118, 132, 129, 121, 135, 148, 148, 136, 119, 104, 118, 115, 126, 141, 135, 125, 149, 170, 170, 158, 133, 114, 140, 145, 150, 178,
		163, 172, 178, 199, 199, 184, 162, 146, 166, 171, 180, 193, 181, 183, 218, 230, 242, 209, 191, 172, 194, 196, 196, 236, 235, 229, 243, 264, 272,
		237, 211, 180, 201, 204, 188, 235, 227, 234, 264, 302, 293, 259, 229, 203, 229, 242, 233, 267, 269, 270, 315, 364, 347, 312, 274, 237, 278, 284,
		277, 317, 313, 318, 374, 413, 405, 355, 306, 271, 306, 315, 301, 356, 348, 355, 422, 465, 467, 404, 347, 305, 336, 340, 318, 362, 348, 363, 435,
		491, 505, 404, 359, 310, 337, 360, 342, 406, 396, 420, 472, 548, 559, 463, 407, 362, 405, 417, 391, 419, 461, 472, 535, 622, 606, 508, 461, 390, 432}
	r = analysed(t, air)
	if strings.Contains(r.Summary, "The mean changes") || !strings.Contains(r.Summary, "Slope") {
		t.Error(r.Summary)
	}
	t.Log(r.Summary, r.Evidence.Trust(), r.Evidence.Reasons())
}
