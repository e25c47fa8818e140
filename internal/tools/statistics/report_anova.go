package statistics

import (
	"fmt"
	"strconv"
	"strings"

	"atelier/internal/contract"
	"atelier/internal/stat/plot"
)

// picture draws the means of the groups and writes the report of an analysis of
// variance, where the call does not do without.
func (out *anovaOutput) picture(call *contract.Call, res *contract.Result, in anovaInput) error {
	if !in.Plots {
		return nil
	}
	title := strings.ReplaceAll(out.Model, "_", " ")
	r := &report{Title: strings.ToUpper(title[:1]) + title[1:] + " of " + in.Response, Summary: res.Summary, Warnings: res.Warnings,
		Method: res.Statement.Notes, Call: callText(call, in), Facts: out.facts()}
	r.table(out.termTable())
	factor := strings.Join(append([]string{in.Factor}, in.Factors...), ":")
	factor = strings.Trim(factor, ":")
	groups := reportTable{Caption: fmt.Sprintf("Groups with %.4g %% intervals", 100*(1-float64(out.Alpha))), Header: []string{factor, "n", "mean", "sd", "low", "high"}}
	var list []plot.Group
	for _, g := range out.Groups {
		groups.Rows = append(groups.Rows, []string{g.Level, strconv.Itoa(g.N), g.Mean.sixDigits(), g.SD.sixDigits(), g.Low.sixDigits(), g.High.sixDigits()})
		list = append(list, plot.Group{Level: g.Level, N: g.N, Mean: float64(g.Mean), Low: float64(g.Low), High: float64(g.High)})
	}
	r.table(groups)
	for _, family := range out.PostHoc {
		t := reportTable{Caption: fmt.Sprintf("%s, family of %d", strings.ReplaceAll(family.Method, "_", " "), family.FamilySize),
			Header: []string{"a", "b", "difference", "statistic", "df", "adjusted p", "low", "high"}}
		for _, c := range family.Pairs {
			t.Rows = append(t.Rows, []string{c.A, c.B, c.Difference.sixDigits(), c.Statistic.sixDigits(), c.DF.sixDigits(), c.PValue.sixDigits(), c.Low.sixDigits(), c.High.sixDigits()})
		}
		r.table(t)
	}
	for _, c := range out.Checks {
		r.Checks = append(r.Checks, shownCheck(c))
	}
	var figures []*plot.Figure
	if f := plot.Groups(list, in.Response, factor, float64(out.Alpha)); f != nil {
		figures = append(figures, f)
	}
	files, err := r.publish(call, res, figures)
	res.Artifacts = append(res.Artifacts, files...)
	return err
}

func (out *anovaOutput) facts() []reportFact {
	list := []reportFact{rowFacts(out.Rows.Selected, out.Rows.Used, "")}
	add := func(name string, n number, format string, args ...any) {
		if n.defined() {
			list = append(list, reportFact{name, fmt.Sprintf(format, args...)})
		}
	}
	add("Test to quote", out.Quoted.PValue, "%s, p %s", strings.ReplaceAll(out.Quoted.Test, "_", " "), out.Quoted.PValue.sixDigits())
	add("F", out.F, "%s on %d and %d degrees of freedom, p %s", out.F.sixDigits(), out.Between.DF, out.Within.DF, out.PValue.sixDigits())
	add("Welch's F", out.Welch.Statistic, "%s on %s and %s degrees of freedom, p %s", out.Welch.Statistic.sixDigits(), out.Welch.DF1.sixDigits(), out.Welch.DF2.sixDigits(), out.Welch.PValue.sixDigits())
	if k := out.Ranks; k != nil {
		add("Kruskal-Wallis H", k.H, "%s, p %s", k.H.sixDigits(), k.PValue.sixDigits())
	}
	add("Eta squared", out.EtaSquared, "%s", out.EtaSquared.sixDigits())
	add("Omega squared", out.OmegaSquared, "%s", out.OmegaSquared.sixDigits())
	add("Residual standard deviation", out.ResidualSD, "%s", out.ResidualSD.sixDigits())
	list = append(list, reportFact{"What it means", out.Consequence})
	return list
}

// termTable holds the effects of several factors, or of repeated measures.
func (out *anovaOutput) termTable() reportTable {
	t := reportTable{Caption: "Effects", Header: []string{"term", "df", "sum of squares", "mean square", "F", "p", "partial eta squared", "partial omega squared"}}
	for _, e := range out.Terms {
		t.Rows = append(t.Rows, []string{e.Name, strconv.Itoa(e.DF), e.SS.sixDigits(), e.MS.sixDigits(), e.F.sixDigits(), e.PValue.sixDigits(), e.PartialEtaSquared.sixDigits(), e.PartialOmegaSquared.sixDigits()})
	}
	return t
}
