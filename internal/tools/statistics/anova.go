package statistics

import (
	"context"
	_ "embed"
	"fmt"
	"math"
	"slices"
	"strings"

	"atelier/internal/contract"
	"atelier/internal/stat"
)

//go:embed anova_tool.json
var anovaContract []byte

//go:embed anova_tool.1.0.json
var anovaContract10 []byte

type anovaInput struct {
	source
	Operation string   `json:"operation"`
	Response  string   `json:"response"`
	Factor    string   `json:"factor"`
	Factors   []string `json:"factors"`
	Terms     []string `json:"terms"`
	SumType   string   `json:"sum_type"`
	Subject   string   `json:"subject"`
	Between   string   `json:"between"`
	Alpha     float64  `json:"alpha"`
	Plots     bool     `json:"plots"`
}

var anova = contract.Bind(anovaContract, runANOVA, anovaContract10)

// maxPairs is the most groups that are compared with each other.
const maxPairs = 20

func runANOVA(ctx context.Context, call *contract.Call, in anovaInput) (*contract.Result, error) {
	if err := in.check(); err != nil {
		return nil, err
	}
	data, err := in.open(ctx, call)
	if err != nil {
		return nil, err
	}
	defer data.Close()
	response, err := data.column(in.Response, "/response", true)
	if err != nil {
		return nil, err
	}
	res := &contract.Result{}
	var out *anovaOutput
	switch in.Operation {
	case "two_way", "n_way":
		out, err = in.factorial(ctx, data, response, res)
	case "repeated_measures":
		out, err = in.repeated(ctx, data, response, res)
	default:
		out, err = in.oneFactor(ctx, data, response, res)
	}
	if err != nil {
		return nil, err
	}
	out.data = data.known(response)
	res.Output, res.Statement = out, out.statement()
	if err := data.stateRows(ctx, res, response); err != nil {
		return nil, err
	}
	if in.Factor != "" && in.Subject == "" {
		if err := data.stateReplicates(ctx, res.Statement, response, data.Find(in.Factor)); err != nil {
			return nil, err
		}
	}
	shortenComparisons(out, res)
	return res, out.picture(call, res, in)
}

// takes says which arguments an operation needs, and which it may have.
var anovaTakes = map[string]map[string]bool{
	"one_way":           {"factor": true},
	"welch":             {"factor": true},
	"kruskal_wallis":    {"factor": true},
	"two_way":           {"factors": true, "terms": false, "sum_type": false},
	"n_way":             {"factors": true, "terms": false, "sum_type": false},
	"repeated_measures": {"factor": true, "subject": true, "between": false},
}

// check holds the arguments against the operation.
func (in *anovaInput) check() error {
	given := []struct {
		name string
		is   bool
	}{{"factor", in.Factor != ""}, {"factors", in.Factors != nil}, {"terms", in.Terms != nil}, {"sum_type", in.SumType != ""},
		{"subject", in.Subject != ""}, {"between", in.Between != ""}}
	takes := anovaTakes[in.Operation]
	for _, g := range given {
		needed, known := takes[g.name]
		switch {
		case g.is && !known:
			return contract.Errorf(contract.CodeInvalidInput, "%s takes no %s", in.Operation, g.name).At("/" + g.name)
		case needed && !g.is:
			return contract.Errorf(contract.CodeInvalidInput, "%s needs %s", in.Operation, g.name).At("/"+g.name).With("fault", contract.FaultMissing)
		}
	}
	return nil
}

// another finds a column that is none of those already taken.
func (d *selectedData) another(name, pointer string, taken ...int) (int, error) {
	at, err := d.column(name, pointer, false)
	if err != nil {
		return 0, err
	}
	for _, other := range taken {
		if at == other {
			return 0, contract.Errorf(contract.CodeInvalidInput, "the column %q is already the response or another factor", name).At(pointer)
		}
	}
	d.takeLevels(at)
	return at, nil
}

// oneFactor makes the one-way tests: the classical one, Welch's, and by ranks.
func (in *anovaInput) oneFactor(ctx context.Context, d *selectedData, response int, res *contract.Result) (*anovaOutput, error) {
	factor, err := d.another(in.Factor, "/factor", response)
	if err != nil {
		return nil, err
	}
	t, err := d.gather(ctx, response, "/response", []int{factor}, "/factor")
	if err != nil {
		return nil, err
	}
	if in.Operation == "kruskal_wallis" && !t.whole {
		return nil, contract.Errorf(contract.CodeInvalidInput, "ranks are of at most %s values, and there are %s", thousands(inMemory), thousands(int(t.used()))).
			At("/operation").WithHint("Select fewer rows with a filter; with so many, one_way does not depend on normality.")
	}
	a, err := stat.OneWay(t.moments())
	if err != nil {
		return nil, contract.Errorf(contract.CodeInvalidInput, "%s in %s of %q: at least two groups, and more samples than groups, are needed",
			plural(a.N, "sample"), plural(len(t.keys), "group"), in.Factor).At("/factor")
	}
	alpha := in.Alpha
	out := newOneWay(a, t, alpha)
	switch in.Operation {
	case "welch":
		out.Model, out.F, out.PValue = "welch_anova", out.Welch.Statistic, out.Welch.PValue
		out.quoteWelch(a.P)
	case "kruskal_wallis":
		if err := out.rank(t, in); err != nil {
			return nil, err
		}
	default:
		out.quoteClassical(a.P)
	}
	out.Consequence = strings.Join(append([]string{out.Consequence}, out.againstDesign...), " ")
	out.Rows = t.rows()
	out.Rows.report(res, "lack the response or the factor")
	res.Summary = in.oneFactorSummary(out)
	return out, nil
}

func (t *table) moments() []*stat.Moments {
	var list []*stat.Moments
	for _, key := range t.keys {
		list = append(list, &t.groups[key].Moments)
	}
	return list
}

// newOneWay fills the figures that all one-factor operations share.
func newOneWay(a stat.Variances, t *table, alpha float64) *anovaOutput {
	low, high := a.Interval(alpha)
	out := &anovaOutput{Model: "one_way_anova", SampleCount: a.N, F: number(a.F), PValue: number(a.P), Alpha: number(alpha),
		Between:    squares{a.DFBetween, number(a.SSBetween), number(a.MSBetween)},
		Within:     squares{a.DFWithin, number(a.SSWithin), number(a.MSWithin)},
		ResidualSD: number(a.ResidualSD), EtaSquared: number(a.EtaSquared), OmegaSquared: number(a.OmegaSquared),
		Effect: &effectFigures{number(a.EtaSquared), number(a.EtaSquared), number(a.OmegaSquared), number(a.OmegaSquared),
			number(low), number(high)},
		Classical: &welchTest{number(a.F), number(float64(a.DFBetween)), number(float64(a.DFWithin)), number(a.P)},
		Welch:     welchTest{number(a.WelchF), number(float64(a.DFBetween)), number(a.WelchDF), number(a.WelchP)},
		Checks:    []check{}, Pairwise: []pair{}, Groups: []groupFigures{},
		reasons: []string{"Sums are about the first value of each group, in double-double arithmetic."},
	}
	for _, key := range t.keys {
		out.Groups = append(out.Groups, describe(cellName(key), &t.groups[key].Moments, alpha))
	}
	out.assumptions(t)
	var alone []string
	for _, key := range t.keys {
		if t.groups[key].N == 1 {
			alone = append(alone, cellName(key))
		}
	}
	out.alone(alone)
	out.compare(t, alpha)
	out.families(t, alpha)
	return out
}

// compare makes Welch's test of every pair, adjusted for their number.
func (out *anovaOutput) compare(t *table, alpha float64) {
	list := t.moments()
	if len(list) > maxPairs {
		return
	}
	for i := range list {
		for k := i + 1; k < len(list); k++ {
			out.Pairwise = append(out.Pairwise, pairOf(cellName(t.keys[i]), cellName(t.keys[k]), stat.Welch(list[i], list[k], alpha)))
		}
	}
	out.adjust()
}

func pairOf(a, b string, t stat.TTest) pair {
	return pair{A: a, B: b, Difference: number(t.Difference), T: number(t.T), DF: number(t.DF), PValue: number(t.P),
		HedgesG: number(t.HedgesG), GLow: number(t.GLow), GHigh: number(t.GHigh)}
}

// adjust fills the p values that are adjusted for the size of the family.
func (out *anovaOutput) adjust() {
	var p []float64
	for _, one := range out.Pairwise {
		p = append(p, float64(one.PValue))
	}
	holm, bonferroni := stat.Holm(p), stat.Bonferroni(p)
	for i := range p {
		out.Pairwise[i].Adjusted, out.Pairwise[i].Bonferroni = number(holm[i]), number(bonferroni[i])
	}
	out.FamilySize = len(p)
}

// differ says whether two tests come to different conclusions.
func (out *anovaOutput) differ(a, b number) bool {
	return a.defined() && b.defined() && (a < out.Alpha) != (b < out.Alpha)
}

// unequal says that the variances differ.
func (out *anovaOutput) unequal() bool {
	return slices.ContainsFunc(out.Checks, func(c check) bool { return c.Name == "levene" && c.OK != nil && !*c.OK })
}

// quoteClassical decides between the classical test and Welch's.
func (out *anovaOutput) quoteClassical(p float64) {
	out.Quoted = quotedTest{"classical", number(p)}
	switch {
	case !number(p).defined() && out.Between.Sum > 0:
		out.Consequence = "The groups differ and none of them has any spread: F is infinite, and no test is needed or possible."
	case !number(p).defined():
		out.Consequence = "No group has any spread, so nothing can be tested."
	case out.differ(number(p), out.Welch.PValue):
		out.Quoted = quotedTest{"welch", out.Welch.PValue}
		out.Consequence = "The classical test and Welch's come to different conclusions: quote Welch's, which does not need equal variances."
		out.doubts = append(out.doubts, "Two tests of the same hypothesis disagree at alpha.")
	case out.unequal() && out.Welch.PValue.defined():
		out.Quoted = quotedTest{"welch", out.Welch.PValue}
		out.Consequence = "The variances of the groups differ: quote Welch's test, which does not need equal ones. It comes to the same conclusion."
		out.agreed = "Two tests with different assumptions agree."
	case !out.Welch.PValue.defined():
		out.Consequence = "Welch's test cannot be made, as a group has one value or no spread: the classical test rests on equal variances."
	default:
		out.Consequence = "Welch's test, which does not need equal variances, comes to the same conclusion."
		if !out.Levene.PValue.defined() {
			out.Consequence = "Equal variances could not be tested; Welch's test, which does not need them, comes to the same conclusion."
		}
		out.agreed = "Two tests with different assumptions agree."
	}
}

// quoteWelch is for the operation that asks for Welch's test.
func (out *anovaOutput) quoteWelch(classical float64) {
	out.Quoted = quotedTest{"welch", out.Welch.PValue}
	switch {
	case !out.Welch.PValue.defined():
		out.Consequence = "Welch's test needs two values and some spread in every group; the classical test is given beside it."
	case out.differ(number(classical), out.Welch.PValue):
		out.Consequence = "The classical test, which needs equal variances, comes to another conclusion: quote Welch's."
		out.doubts = append(out.doubts, "Two tests of the same hypothesis disagree at alpha.")
	default:
		out.Consequence = "The classical test comes to the same conclusion."
		out.agreed = "Two tests with different assumptions agree."
	}
}

func (in *anovaInput) oneFactorSummary(out *anovaOutput) string {
	what := map[string]string{"kruskal_wallis": "Kruskal-Wallis test", "welch": "Welch's analysis of variance"}[in.Operation]
	if what == "" {
		what = "One-way analysis of variance"
	}
	s := fmt.Sprintf("%s of %s samples in %s.", what, thousands(out.SampleCount), plural(len(out.Groups), "group"))
	p := out.Quoted.PValue
	switch {
	case !p.defined():
		return s + " " + out.Consequence
	case p < out.Alpha && in.Operation == "kruskal_wallis":
		return s + fmt.Sprintf(" %s tends to be larger at some levels of %s than at others (p = %.3g).", in.Response, in.Factor, float64(p))
	case p < out.Alpha:
		return s + fmt.Sprintf(" The mean of %s differs between the levels of %s (p = %.3g).", in.Response, in.Factor, float64(p))
	}
	return s + fmt.Sprintf(" No difference of %s between the levels of %s is shown (p = %.3g).", in.Response, in.Factor, float64(p))
}

// meanInterval is that of a mean by Student's t.
func meanInterval(m *stat.Moments, alpha float64) (low, high float64) {
	if m.N < 2 {
		return math.NaN(), math.NaN()
	}
	half := stat.TQuantile(alpha, float64(m.N-1)) * m.SD() / math.Sqrt(float64(m.N))
	return m.Mean() - half, m.Mean() + half
}
