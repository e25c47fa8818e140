package statistics

import (
	"fmt"
	"math"
	"strconv"

	"atelier/internal/contract"
	"atelier/internal/stat/plot"
)

// picture draws the histograms and writes the report of a summary.
func (s *summarizer) picture(call *contract.Call, res *contract.Result, in summaryInput) ([]contract.Artifact, error) {
	r := &report{Title: "Summary statistics", Summary: s.summary(), Warnings: res.Warnings, Method: res.Statement.Notes, Call: callText(call, in),
		Facts: []reportFact{rowFacts(s.selected, s.selected-s.withoutGroup, "")}}
	var counted []plot.Counted
	figures := reportTable{Caption: "Numeric columns", Header: []string{"group", "column", "n", "missing", "mean", "low", "high", "sd", "skewness", "kurtosis", "min", "q1", "median", "q3", "max"}}
	var says [][]string
	for g, level := range s.levels {
		for _, c := range s.figures[g] {
			row := []string{level, c.Name, strconv.Itoa(c.N), strconv.FormatInt(c.Missing, 10)}
			for _, v := range []number{c.Mean, c.MeanLow, c.MeanHigh, c.SD, c.Skewness, c.Kurtosis, c.Min, c.Q1, c.Median, c.Q3, c.Max} {
				row = append(row, v.sixDigits())
			}
			figures.Rows = append(figures.Rows, row)
			says = append(says, []string{level, c.Name, c.Consequence})
			if c.bins != nil {
				name := c.Name
				if level != "" {
					name = level + ": " + name
				}
				counted = append(counted, plot.Counted{Name: name, N: c.N, Bins: c.bins, Mean: float64(c.Mean), SD: float64(c.SD)})
			}
		}
	}
	r.table(figures)
	r.table(reportTable{Caption: "What the shapes mean", Header: []string{"group", "column", "consequence"}, Rows: says})
	pairs := reportTable{Caption: "Correlations", Header: []string{"group", "a", "b", "n", "Pearson", "low", "high", "p", "Spearman", "low", "high", "p"}}
	for _, row := range s.correlationRows()[1:] {
		for i := 4; i < len(row); i++ {
			row[i] = shorter(row[i])
		}
		pairs.Rows = append(pairs.Rows, row)
	}
	r.table(pairs)
	r.table(reportTable{Caption: "Texts", Header: []string{"group", "column", "value", "count"}, Rows: s.textRows()[1:]})
	var list []*plot.Figure
	if f := plot.Histograms(counted); f != nil {
		list = append(list, f)
	}
	return r.publish(call, res, list)
}

// reportRows is the most rows of a table of the report; the CSV artifacts have
// all.
const reportRows = 100

func (r *report) table(t reportTable) {
	if len(t.Rows) == 0 {
		return
	}
	if len(t.Rows) > reportRows {
		t.Caption += fmt.Sprintf(" (the first %d of %d)", reportRows, len(t.Rows))
		t.Rows = t.Rows[:reportRows]
	}
	r.Tables = append(r.Tables, t)
}

func shorter(text string) string {
	v, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return "–"
	}
	return number(v).sixDigits()
}

// picture draws a time series and writes its report.
func (a *analysis) picture(call *contract.Call, res *contract.Result, out *timeSeriesOutput) ([]contract.Artifact, error) {
	r := &report{Title: "Time series of " + a.in.Column, Summary: res.Summary, Warnings: res.Warnings, Method: res.Statement.Notes, Call: callText(call, a.in)}
	step := fmt.Sprintf("%s %s, %s", out.Time.Step.sixDigits(), a.s.unit, a.s.shape)
	r.Facts = []reportFact{rowFacts(a.s.selected, int64(a.s.n()), " (or the time)"), {"Step", step}, {"Detrended", out.Detrended},
		{"Trend", out.Trend.Consequence}, {"Dependence", out.Autocorrelation.Consequence}, {"Changes", out.Changes.Consequence}}
	if out.Spectrum != nil {
		r.Facts = append(r.Facts, reportFact{"Spectrum", out.Spectrum.Consequence})
	}
	l := out.Trend
	r.table(reportTable{Caption: "Trend per " + a.s.unit, Header: []string{"", "slope", "low", "high", "standard error", "p"}, Rows: [][]string{
		{"least squares, HAC", l.Slope.sixDigits(), l.Low.sixDigits(), l.High.sixDigits(), l.SE.sixDigits(), l.P.sixDigits()},
		{"Theil-Sen, Mann-Kendall", out.MannKendall.Slope.sixDigits(), out.MannKendall.Low.sixDigits(), out.MannKendall.High.sixDigits(), "–", out.MannKendall.P.sixDigits()}}})
	if out.Spectrum != nil {
		t := reportTable{Caption: "Strongest peaks", Header: []string{"period (" + a.s.unit + ")", "frequency", "power", "share of variance", "false alarm, white noise", "false alarm, red noise"}}
		for _, p := range out.Spectrum.Peaks {
			t.Rows = append(t.Rows, []string{p.Period.sixDigits(), p.Frequency.sixDigits(), p.Power.sixDigits(), p.Share.sixDigits(), p.White.sixDigits(), p.Red.sixDigits()})
		}
		r.table(t)
	}
	parts := reportTable{Caption: "Parts of one mean", Header: []string{"from row", "time", "values", "mean", "sd"}}
	for _, p := range a.changes.Segments {
		raw, iso := a.s.when(p.Start)
		if iso == "" {
			iso = number(raw).sixDigits()
		}
		parts.Rows = append(parts.Rows, []string{strconv.FormatInt(a.s.rows[p.Start], 10), iso, strconv.Itoa(p.End - p.Start), number(p.Mean).sixDigits(), number(p.SD).sixDigits()})
	}
	r.table(parts)
	for _, c := range out.Checks {
		r.Checks = append(r.Checks, shownCheck(c))
	}
	drawn := plot.Series{Name: a.in.Column, Unit: a.s.unit, T: floats(a.s.t), X: floats(a.s.x), Changes: a.changes.Segments, Start: a.line.Start, Slope: math.NaN(),
		Correlated: a.acf, Spectrum: a.power, Peaks: a.peaks}
	if a.power != nil && a.power.Method == "periodogram" {
		drawn.Background = a.noise
	}
	if a.line.P < a.alpha {
		drawn.Slope = a.line.Slope
	}
	return r.publish(call, res, drawn.Figures())
}
