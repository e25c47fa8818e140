package statistics

import (
	"fmt"
	"strings"

	"atelier/internal/stat"
)

// anovaOutput is what every operation answers. The figures of the first block are
// those of the whole model and of its error.
type anovaOutput struct {
	Model        string         `json:"model"`
	SampleCount  int            `json:"sample_count"`
	F            number         `json:"f_statistic"`
	PValue       number         `json:"p_value"`
	Quoted       quotedTest     `json:"quoted"`
	Between      squares        `json:"between"`
	Within       squares        `json:"within"`
	ResidualSD   number         `json:"residual_standard_deviation"`
	EtaSquared   number         `json:"eta_squared"`
	OmegaSquared number         `json:"omega_squared"`
	Effect       *effectFigures `json:"effect,omitempty"`
	Classical    *welchTest     `json:"classical,omitempty"`
	Welch        welchTest      `json:"welch"`
	Levene       tested         `json:"levene"`

	SumType    string         `json:"sum_type,omitempty"`
	Balanced   *bool          `json:"balanced,omitempty"`
	EmptyCells []string       `json:"empty_cells,omitempty"`
	Terms      []anovaTerm    `json:"terms,omitempty"`
	Sphericity *sphericity    `json:"sphericity,omitempty"`
	Subjects   *subjectCounts `json:"subjects,omitempty"`
	Ranks      *rankFigures   `json:"kruskal_wallis,omitempty"`
	Checks     []check        `json:"checks"`
	Groups     []groupFigures `json:"groups"`
	Pairwise   []pair         `json:"pairwise"`
	PostHoc    []comparisons  `json:"post_hoc,omitempty"`
	FamilySize int            `json:"family_size"`
	Rows       rowsUsed       `json:"rows"`
	Alpha      number         `json:"alpha"`

	Consequence string `json:"consequence"`

	againstDesign []string // what speaks against how the samples were taken

	confounded []confounded // terms that the cells do not tell apart
	partly     []string     // terms of which empty cells take degrees

	doubts  []string // other tests that come to another conclusion
	agreed  string   // what another test confirms
	reasons []string
	quotes  []string // pointers of the terms' p values that the summary has
	data    known    // of the response
}

// quotedTest is the one of the tests to quote.
type quotedTest struct {
	Test   string `json:"test"`
	PValue number `json:"p_value"`
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

type effectFigures struct {
	EtaSquared          number `json:"eta_squared"`
	PartialEtaSquared   number `json:"partial_eta_squared"`
	OmegaSquared        number `json:"omega_squared"`
	PartialOmegaSquared number `json:"partial_omega_squared"`
	Low                 number `json:"low"`
	High                number `json:"high"`
}

func effectOf(s stat.Share) effectFigures {
	return effectFigures{number(s.EtaSquared), number(s.PartialEtaSquared), number(s.OmegaSquared), number(s.PartialOmegaSquared),
		number(s.Low), number(s.High)}
}

// anovaTerm is one effect of a factorial or repeated-measures analysis.
type anovaTerm struct {
	Name   string `json:"name"`
	DF     int    `json:"df"`
	SS     number `json:"sum_of_squares"`
	MS     number `json:"mean_square"`
	F      number `json:"f_statistic"`
	PValue number `json:"p_value"`
	effectFigures
	*ownError
	Aliased bool `json:"aliased,omitempty"`
}

// ownError is what a term of repeated measures has beside the others.
type ownError struct {
	DF                    int    `json:"error_df"`
	SS                    number `json:"error_sum_of_squares"`
	PGreenhouse           number `json:"p_value_greenhouse_geisser"`
	PHuynh                number `json:"p_value_huynh_feldt"`
	GeneralizedEtaSquared number `json:"generalized_eta_squared"`
}

type sphericity struct {
	GreenhouseGeisser number `json:"greenhouse_geisser"`
	HuynhFeldt        number `json:"huynh_feldt"`
	W                 number `json:"mauchly_w"`
	Chi               number `json:"chi_squared"`
	DF                int    `json:"df"`
	PValue            number `json:"p_value"`
}

type subjectCounts struct {
	Used       int      `json:"used"`
	Dropped    int      `json:"dropped"`
	Incomplete []string `json:"incomplete"`
}

type rankFigures struct {
	H         number   `json:"h"`
	DF        int      `json:"df"`
	PValue    number   `json:"p_value"`
	EpsilonSq number   `json:"epsilon_squared"`
	EtaSq     number   `json:"eta_squared_h"`
	Ties      bool     `json:"ties"`
	MeanRanks []number `json:"mean_ranks"`
}

type pair struct {
	A          string `json:"a"`
	B          string `json:"b"`
	Difference number `json:"difference"`
	T          number `json:"t"`
	DF         number `json:"df"`
	PValue     number `json:"p_value"`
	Adjusted   number `json:"p_value_holm"`
	Bonferroni number `json:"p_value_bonferroni"`
	HedgesG    number `json:"hedges_g"`
	GLow       number `json:"hedges_g_low"`
	GHigh      number `json:"hedges_g_high"`
}

// comparisons are those of every pair of groups by one method.
type comparisons struct {
	Method     string       `json:"method"`
	FamilySize int          `json:"family_size"`
	Pairs      []comparison `json:"pairs"`
}

type comparison struct {
	A          string `json:"a"`
	B          string `json:"b"`
	Difference number `json:"difference"`
	Statistic  number `json:"statistic"`
	DF         number `json:"df"`
	PValue     number `json:"p_value_adjusted"`
	Low        number `json:"low"`
	High       number `json:"high"`
}

// addCheck notes a check; held says that p must be at least the level.
func (out *anovaOutput) addCheck(name string, statistic, p, level float64, good, bad, none string) bool {
	c := check{Name: name, Statistic: number(statistic), PValue: number(p), Consequence: none}
	ok := true
	if c.PValue.defined() {
		ok = p >= level
		c.OK, c.Consequence = &ok, good
		if !ok {
			c.Consequence = bad
		}
	}
	out.Checks = append(out.Checks, c)
	return ok
}

// level is how a group of several factors is named.
func cellName(key string) string { return strings.ReplaceAll(key, separatorOfLevels, ":") }

// verdict is a sentence on one effect.
func verdict(response, name string, p, alpha number, test string) string {
	switch {
	case !p.defined():
		return fmt.Sprintf("The effect of %s on %s cannot be tested.", name, response)
	case p < alpha:
		return fmt.Sprintf("%s has an effect on %s (%s, p = %.3g).", name, response, test, float64(p))
	}
	return fmt.Sprintf("No effect of %s on %s is shown (%s, p = %.3g).", name, response, test, float64(p))
}
