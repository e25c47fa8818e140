package statistics

import (
	"fmt"
	"math"
	"slices"

	"atelier/internal/contract"
	"atelier/internal/stat"
)

// assumptions tests equal variances and normality of what remains beside the
// means of the groups.
func (out *anovaOutput) assumptions(t *table) {
	f, p, fm, pm := math.NaN(), math.NaN(), math.NaN(), math.NaN()
	var residuals []float64
	if t.whole {
		values := t.values()
		f, p = stat.Levene(values)
		fm, pm = stat.LeveneMean(values)
		residuals = t.residuals()
	}
	out.Levene = tested{number(f), number(p)}
	successive := t.successive()
	none := "It cannot be tested: there are too many values to keep, or too few in the groups."
	out.Checks = append(out.Checks, together([]assumption{{name: "levene", statistic: f, p: p, none: none,
		sign: "that the variances about the medians differ (Brown and Forsythe)",
		bad:  "The variances differ: quote the tests that do not need equal ones (Welch, Games-Howell)."}, out.normality(residuals)})...)
	out.addCheck("levene_mean", fm, pm, signLevel, "About the means (Levene): no sign that the variances differ.",
		"About the means (Levene) the variances differ; where the values are skewed this test is too ready to say so, and the one about the medians counts.", none)
	out.Checks = append(out.Checks, successive)
	if ok := successive.OK; ok != nil && !*ok {
		out.againstDesign = append(out.againstDesign, successive.Consequence)
	}
}

// alone says which groups or cells have one value that the model goes through
// whatever it is.
func (out *anovaOutput) alone(names []string) {
	if len(names) == 0 {
		return
	}
	ok := false
	c := check{Name: "influence", Statistic: number(math.NaN()), PValue: number(math.NaN()), OK: &ok, Consequence: fmt.Sprintf(
		"The single value of %s alone decides its mean: the model goes through it whatever it is (leverage 1), no other value can confirm or contradict it, and it is taken to vary as the others do. Measure more values there, or leave it out.", contract.Listed(names, 5))}
	out.Checks = append(out.Checks, c)
	out.againstDesign = append(out.againstDesign, c.Consequence)
}

// normality tests residuals: Shapiro and Wilk up to 5000, beyond that by skewness
// and kurtosis.
func (out *anovaOutput) normality(residuals []float64) assumption {
	a := assumption{name: "shapiro_wilk", statistic: math.NaN(), p: math.NaN(), sign: "that the residuals are not normal",
		none: "Normality cannot be tested: there is no spread, or too few or too many values.",
		bad:  "The residuals are not normal; with so few values, compare with kruskal_wallis before you quote the p value."}
	if len(residuals) > stat.ShapiroWilkMost {
		a.name = "dagostino_pearson"
		a.statistic, a.p = stat.DAgostinoPearson(residuals)
	} else if len(residuals) > 0 {
		a.statistic, a.p = stat.ShapiroWilk(residuals)
	}
	if len(residuals) >= enoughInGroup*max(1, len(out.Groups)) {
		a.harmless = "The residuals are not normal; with thirty values or more for each group the test of the means hardly depends on it."
	}
	return a
}

// enoughInGroup is how many values of each group make the test of their means
// hardly depend on the form of their distribution.
const enoughInGroup = 30

func (t *table) values() [][]stat.DD {
	var out [][]stat.DD
	for _, key := range t.keys {
		out = append(out, t.groups[key].values)
	}
	return out
}

// residuals are the values less the mean of their group.
func (t *table) residuals() []float64 {
	var out []float64
	for _, key := range t.keys {
		s := t.groups[key]
		mean := s.MeanDD()
		for _, v := range s.values {
			out = append(out, v.Sub(mean).Float())
		}
	}
	return out
}

// families compares every pair by the studentized range.
func (out *anovaOutput) families(t *table, alpha float64) {
	list := t.moments()
	if len(list) < 2 || len(list) > maxPairs {
		return
	}
	for _, m := range []struct {
		name string
		make func([]*stat.Moments, float64) []stat.Contrast
	}{{"tukey_hsd", stat.Tukey}, {"games_howell", stat.GamesHowell}} {
		family := comparisons{Method: m.name, FamilySize: len(list) * (len(list) - 1) / 2}
		made := m.make(list, alpha)
		for i := range list {
			for k := i + 1; k < len(list); k++ {
				c := made[len(family.Pairs)]
				family.Pairs = append(family.Pairs, comparison{cellName(t.keys[i]), cellName(t.keys[k]), number(c.Difference), number(c.Q),
					number(c.DF), number(c.P), number(c.Low), number(c.High)})
			}
		}
		out.PostHoc = append(out.PostHoc, family)
	}
}

// rank adds the test by ranks, and Dunn's of every pair.
func (out *anovaOutput) rank(t *table, in *anovaInput) error {
	r, err := stat.KruskalWallis(t.values())
	if err != nil {
		return contract.Errorf(contract.CodeInvalidInput, "ranks need two groups, and more samples than groups").At("/factor")
	}
	out.Model, out.F, out.PValue = "kruskal_wallis", number(math.NaN()), number(r.P)
	out.Quoted = quotedTest{"kruskal_wallis", number(r.P)}
	out.Ranks = &rankFigures{H: number(r.H), DF: r.DF, PValue: number(r.P), EpsilonSq: number(r.EpsilonSq), EtaSq: number(r.EtaSq), Ties: r.Tied, MeanRanks: []number{}}
	for _, m := range r.MeanRanks {
		out.Ranks.MeanRanks = append(out.Ranks.MeanRanks, number(m))
	}
	out.reasons = append(out.reasons, "H is the analysis of variance of the mid-ranks, which is its form with the correction for ties; p is that of chi squared.")
	switch classical := out.Classical.PValue; {
	case !out.PValue.defined():
		out.Consequence = "All values are equal, so nothing can be tested."
	case out.SampleCount < 5*len(t.keys):
		out.Consequence = "With fewer than five values for each group, p by chi squared is rough."
	case out.differ(classical, out.PValue):
		out.Consequence = "The analysis of variance comes to another conclusion: it compares means, this test compares ranks; say which of the two you ask about."
	default:
		out.Consequence = "The analysis of variance comes to the same conclusion."
		out.agreed = "A test of the means agrees with the test by ranks."
	}
	nan := number(math.NaN())
	if len(t.keys) > maxPairs {
		return nil
	}
	family := comparisons{Method: "dunn_holm", FamilySize: len(r.DunnP)}
	holm := stat.Holm(r.DunnP)
	for i := range t.keys {
		for k := i + 1; k < len(t.keys); k++ {
			at := len(family.Pairs)
			family.Pairs = append(family.Pairs, comparison{cellName(t.keys[i]), cellName(t.keys[k]), number(r.MeanRanks[i] - r.MeanRanks[k]),
				number(r.DunnZ[at]), nan, number(holm[at]), nan, nan})
		}
	}
	out.PostHoc = []comparisons{family}
	return nil
}

// inlinePairs is the most comparisons of a family that an answer carries itself.
const inlinePairs = 15

// comparisonsFile holds all comparisons where they are too many for the answer.
const comparisonsFile = "comparisons.csv"

// shortenComparisons keeps long families short in the answer, the smallest p values
// first; whole they are an artifact.
func shortenComparisons(out *anovaOutput, res *contract.Result) {
	rows := [][]string{{"method", "a", "b", "difference", "statistic", "df", "p_value_adjusted", "low", "high"}}
	long := false
	for i, family := range out.PostHoc {
		for _, c := range family.Pairs {
			rows = append(rows, []string{family.Method, c.A, c.B, c.Difference.text(), c.Statistic.text(), c.DF.text(), c.PValue.text(), c.Low.text(), c.High.text()})
		}
		if len(family.Pairs) > inlinePairs {
			long = true
			kept := slices.Clone(family.Pairs)
			slices.SortStableFunc(kept, func(a, b comparison) int { return orderOf(a.PValue, b.PValue) })
			out.PostHoc[i].Pairs = kept[:inlinePairs]
		}
	}
	if !long {
		return
	}
	res.Artifacts = append(res.Artifacts, csvFile(comparisonsFile, rows))
	res.Warnings = append(res.Warnings, contract.Warning{Code: "comparisons_shortened",
		Message: fmt.Sprintf("post_hoc holds the %d comparisons of each method with the smallest p values; %s holds all.", inlinePairs, comparisonsFile)})
}

// orderOf puts undefined figures last.
func orderOf(a, b number) int {
	switch {
	case !a.defined() && !b.defined():
		return 0
	case !a.defined() || b < a:
		return 1
	case !b.defined() || a < b:
		return -1
	}
	return 0
}
