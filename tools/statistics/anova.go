package statistics

import (
	"context"
	_ "embed"
	"fmt"
	"math"

	"atelier/contract"
	"atelier/stat"
)

//go:embed anova_tool.json
var anovaContract []byte

type anovaInput struct {
	source
	Operation string   `json:"operation"`
	Response  string   `json:"response"`
	Factor    string   `json:"factor"`
	Alpha     *float64 `json:"alpha"`
}

var anova = contract.Bind(anovaContract, runANOVA)

type anovaOutput struct {
	Model        string         `json:"model"`
	SampleCount  int            `json:"sample_count"`
	F            number         `json:"f_statistic"`
	PValue       number         `json:"p_value"`
	Between      squares        `json:"between"`
	Within       squares        `json:"within"`
	ResidualSD   number         `json:"residual_standard_deviation"`
	EtaSquared   number         `json:"eta_squared"`
	OmegaSquared number         `json:"omega_squared"`
	Welch        welchTest      `json:"welch"`
	Levene       tested         `json:"levene"`
	Groups       []groupFigures `json:"groups"`
	Pairwise     []pair         `json:"pairwise"`
	FamilySize   int            `json:"family_size"`
	Rows         rowCounts      `json:"rows"`
	Alpha        number         `json:"alpha"`
	Consequence  string         `json:"consequence"`
}

type squares struct {
	DF   int    `json:"df"`
	Sum  number `json:"sum_of_squares"`
	Mean number `json:"mean_square"`
}

type welchTest struct {
	Statistic number `json:"statistic"`
	DF1       number `json:"df1"`
	DF2       number `json:"df2"`
	PValue    number `json:"p_value"`
}

type pair struct {
	A          string `json:"a"`
	B          string `json:"b"`
	Difference number `json:"difference"`
	T          number `json:"t"`
	DF         number `json:"df"`
	PValue     number `json:"p_value"`
	Adjusted   number `json:"p_value_holm"`
	HedgesG    number `json:"hedges_g"`
}

// maxPairs is the most groups that are compared with each other.
const maxPairs = 20

func runANOVA(ctx context.Context, call *contract.Call, in anovaInput) (*contract.Result, error) {
	data, err := in.open(ctx, call)
	if err != nil {
		return nil, err
	}
	defer data.Close()
	response, err := data.column(in.Response, "/response", true)
	if err != nil {
		return nil, err
	}
	factor, err := data.column(in.Factor, "/factor", false)
	if err != nil {
		return nil, err
	}
	if response == factor {
		return nil, contract.Errorf(contract.CodeInvalidInput, "the response cannot be the factor").At("/factor")
	}
	groups, err := data.gather(ctx, []int{response}, []string{"/response"}, factor, "/factor")
	if err != nil {
		return nil, err
	}
	var levels []string
	var list []*series
	for _, level := range groups.levels {
		if s := groups.groups[level][0]; s.N > 0 {
			levels, list = append(levels, level), append(list, s)
		}
	}
	alpha := alphaOf(in.Alpha)
	var moments []*stat.Moments
	for _, s := range list {
		moments = append(moments, &s.Moments)
	}
	a, err := stat.OneWay(moments)
	if err != nil {
		return nil, contract.Errorf(contract.CodeInvalidInput, "%s in %s of %q: at least two groups, and more samples than groups, are needed",
			plural(a.N, "sample"), plural(len(levels), "group"), in.Factor).At("/factor")
	}
	out := newANOVA(a, levels, list, alpha)
	out.Rows = rowCounts{Selected: groups.selected, Used: int64(a.N), Dropped: groups.selected - int64(a.N), Missing: named{}}
	res := &contract.Result{Output: out, Summary: out.summary(in), Evidence: out.evidence(), Confidence: out.confidence()}
	if out.Rows.Dropped > 0 {
		res.Warnings = append(res.Warnings, contract.Warning{Code: "rows_dropped",
			Message: fmt.Sprintf("%d of %d selected rows lack the response or the factor and were left out.", out.Rows.Dropped, out.Rows.Selected)})
		if float64(out.Rows.Dropped) > droppedShare*float64(out.Rows.Selected) {
			res.Status = contract.StatusPartial
		}
	}
	return res, nil
}

func alphaOf(given *float64) float64 {
	if given == nil {
		return 0.05
	}
	return *given
}

func newANOVA(a stat.Variances, levels []string, list []*series, alpha float64) *anovaOutput {
	out := &anovaOutput{Model: "one_way_anova", SampleCount: a.N, F: number(a.F), PValue: number(a.P), Alpha: number(alpha),
		Between:    squares{a.DFBetween, number(a.SSBetween), number(a.MSBetween)},
		Within:     squares{a.DFWithin, number(a.SSWithin), number(a.MSWithin)},
		ResidualSD: number(a.ResidualSD), EtaSquared: number(a.EtaSquared), OmegaSquared: number(a.OmegaSquared),
		Welch:    welchTest{number(a.WelchF), number(float64(a.DFBetween)), number(a.WelchDF), number(a.WelchP)},
		Pairwise: []pair{}, Groups: []groupFigures{},
	}
	values, whole := [][]stat.DD{}, true
	for i, s := range list {
		out.Groups = append(out.Groups, describe(levels[i], &s.Moments, alpha))
		values, whole = append(values, s.values), whole && !s.full
	}
	f, p := math.NaN(), math.NaN()
	if whole {
		f, p = stat.Levene(values)
	}
	out.Levene = tested{number(f), number(p)}
	out.compare(levels, list, alpha)
	out.Consequence = out.consequence(alpha)
	return out
}

// compare makes Welch's test of every pair, adjusted by Holm for their number.
func (out *anovaOutput) compare(levels []string, list []*series, alpha float64) {
	if len(list) > maxPairs {
		return
	}
	var p []float64
	for i := range list {
		for k := i + 1; k < len(list); k++ {
			t := stat.Welch(&list[i].Moments, &list[k].Moments, alpha)
			out.Pairwise = append(out.Pairwise, pair{A: levels[i], B: levels[k], Difference: number(t.Difference), T: number(t.T),
				DF: number(t.DF), PValue: number(t.P), HedgesG: number(t.HedgesG)})
			p = append(p, t.P)
		}
	}
	for i, adjusted := range stat.Holm(p) {
		out.Pairwise[i].Adjusted = number(adjusted)
	}
	out.FamilySize = len(p)
}

// differs says whether Welch's test comes to another conclusion.
func (out *anovaOutput) differs() bool {
	alpha := out.Alpha
	return out.PValue.defined() && out.Welch.PValue.defined() && (out.PValue < alpha) != (out.Welch.PValue < alpha)
}

func (out *anovaOutput) consequence(alpha float64) string {
	switch {
	case !out.F.defined():
		return "No group has any spread, so nothing can be tested."
	case out.differs():
		return "The classical test and Welch's come to different conclusions: quote Welch's, which does not need equal variances."
	case out.Levene.PValue.defined() && out.Levene.PValue < 0.01:
		return "The variances of the groups differ: quote Welch's test, which does not need equal ones. It comes to the same conclusion."
	}
	return "No sign that the variances of the groups differ; Welch's test comes to the same conclusion."
}

func (out *anovaOutput) summary(in anovaInput) string {
	s := fmt.Sprintf("One-way analysis of variance of %s samples in %s.", thousands(out.SampleCount), plural(len(out.Groups), "group"))
	p := out.PValue
	if out.differs() {
		p = out.Welch.PValue
	}
	switch {
	case !out.F.defined():
		return s + " " + out.Consequence
	case p < out.Alpha:
		return s + fmt.Sprintf(" The mean of %s differs between the levels of %s (p = %.3g).", in.Response, in.Factor, float64(p))
	}
	return s + fmt.Sprintf(" No difference of %s between the levels of %s is shown (p = %.3g).", in.Response, in.Factor, float64(p))
}

func (out *anovaOutput) evidence() *contract.Evidence {
	ev := &contract.Evidence{Trust: contract.Computed, Checks: []contract.Check{}, Reasons: []string{
		"Sums are about the first value of each group, in double-double arithmetic.", out.Consequence}}
	if p := float64(out.Levene.PValue); out.Levene.PValue.defined() {
		level := 0.01
		ev.Checks = append(ev.Checks, contract.Check{Name: "levene", Value: &p, Unit: "1", Tolerance: &level, OK: p >= level})
	}
	if out.Welch.PValue.defined() && !out.differs() {
		ev.Trust = contract.Verified
		ev.Reasons = append(ev.Reasons, "Two tests with different assumptions agree.")
	}
	if out.differs() {
		ev.Trust = contract.Suspect
	}
	return ev
}

// confidence starts from 0.95 and takes off 0.15 below ten samples for each
// group, 0.1 where Welch's test comes to another conclusion, 0.05 where Levene's
// test fails or cannot be made; it is 0.5 where nothing can be tested.
func (out *anovaOutput) confidence() float64 {
	if !out.F.defined() {
		return 0.5
	}
	off := 0
	if out.SampleCount < 10*len(out.Groups) {
		off += 15
	}
	if out.differs() {
		off += 10
	}
	if !out.Levene.PValue.defined() || out.Levene.PValue < 0.01 {
		off += 5
	}
	return float64(95-off) / 100
}

// meanInterval is that of a mean by Student's t.
func meanInterval(m *stat.Moments, alpha float64) (low, high float64) {
	if m.N < 2 {
		return math.NaN(), math.NaN()
	}
	half := stat.TQuantile(alpha, float64(m.N-1)) * m.SD() / math.Sqrt(float64(m.N))
	return m.Mean() - half, m.Mean() + half
}
