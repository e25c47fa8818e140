package statistics

import (
	"fmt"
	"math"
	"slices"

	"atelier/internal/evidence"
	"atelier/internal/stat"
)

// known is how exactly the values of a column are known.
type known struct {
	half    float64 // half a unit of the last digit
	largest float64
	name    string
}

func (d *selectedData) known(column int) known {
	c := d.Columns[column]
	k := known{name: c.Name}
	for _, end := range []*float64{c.Min, c.Max} {
		if end != nil {
			k.largest = math.Max(k.largest, math.Abs(*end))
		}
	}
	k.half = d.Resolution(column).Of(k.largest)
	return k
}

// deviation is that of an error which is anywhere within half a unit.
func (k known) deviation() float64 { return k.half / math.Sqrt(3) }

// size is the check that the values are of a size that can be.
func (k known) size() evidence.Check {
	ok := k.largest <= extreme && (k.largest == 0 || k.largest >= 1/extreme)
	sentence := "The values have the size of a measured quantity."
	if !ok {
		sentence = fmt.Sprintf("No measured quantity has values of the size of %s (%.0e): look for a wrong unit or a damaged export before any figure is used.", k.name, k.largest)
	}
	return evidence.Holds("size", evidence.Bounds, "", ok, sentence)
}

// coarse is the largest share of the spread that the rounding of the values may
// be: beyond, they say how they were rounded rather than how they vary.
const coarse = 0.5

// spread is the check that the values are written finely enough for their spread.
func (k known) spread(sd float64) (c evidence.Check, ok bool) {
	if !(sd > 0) || k.half == 0 {
		return c, false
	}
	share := k.deviation() / sd
	sentence := fmt.Sprintf("The last digit of the values is %.2g of their spread.", share)
	if share > coarse {
		sentence = fmt.Sprintf("The values of %s are written to ±%.2g, which is as coarse as their spread of %.2g: the tests judge the rounding.", k.name, k.half, sd)
	}
	return evidence.Within("last_digits", evidence.Bounds, "", share, coarse, "1", sentence), true
}

// relativeF estimates how far F = (SS/df)/MSE may be off, relative to it, as its
// values are written to half a unit u: errors of that size, alike everywhere
// within, move SS by 2 e sqrt(SS) + e^2 with e = 2 u/sqrt(3) sqrt(df), and MSE by
// u^2/3 (Sheppard) and by their chance. Arithmetic adds its own.
func (k known) relativeF(n, df, dfe int, ss, mse float64) float64 {
	u := k.deviation()
	e := twoSigma * u * math.Sqrt(float64(df))
	by := stat.SquaresRounding(n, k.largest, ss) + stat.SquaresRounding(n, k.largest, mse*float64(dfe))
	if ss > 0 && mse > 0 && u > 0 {
		by += (2*e*math.Sqrt(ss)+e*e)/ss + u*u/mse + 2*twoSigma*u/math.Sqrt(mse*float64(dfe))
	}
	return by
}

// statement is what stands behind the figures of an analysis of variance.
func (out *anovaOutput) statement() *evidence.Statement {
	s := &evidence.Statement{Notes: append(out.reasons, out.Consequence)}
	s.Check(missingRows(out.Rows.Selected, out.Rows.Dropped), out.data.size())
	if c, ok := out.data.spread(float64(out.ResidualSD)); ok {
		s.Check(c)
	}
	out.stateArithmetic(s)
	out.stateAssumptions(s)
	out.stateTerms(s)
	out.stateFigures(s)
	return s
}

func (out *anovaOutput) stateArithmetic(s *evidence.Statement) {
	off := stat.SquaresRounding(out.SampleCount, out.data.largest, float64(out.Between.Sum)) + stat.SquaresRounding(out.SampleCount, out.data.largest, float64(out.Within.Sum))
	sentence := fmt.Sprintf("Rounding in double-double arithmetic changes sums of squares by %.1g of themselves at most.", off)
	if !(off <= arithmeticLimit) {
		sentence = "The groups differ by less than arithmetic resolves: take a fixed value off before the table is written."
	}
	for _, figure := range []string{"/quoted", "/f_statistic", "/p_value", "/eta_squared", "/welch", "/terms"} {
		if figure != "/terms" || len(out.Terms) > 0 {
			s.Check(evidence.Within("arithmetic", evidence.Exact, figure, off, arithmeticLimit, "1", sentence))
		}
	}
}

// stateAssumptions says what the quoted tests rest on. Where a test is quoted that
// does without an assumption, that is not held against it.
func (out *anovaOutput) stateAssumptions(s *evidence.Statement) {
	for _, c := range out.Checks {
		switch {
		case c.Name == "levene_mean", c.Name == "mauchly", out.Ranks != nil && c.Name != successiveName:
			continue // information; the test was chosen by it; ranks need neither
		case c.Name == "levene" && out.Quoted.Test == "welch":
			continue
		}
		if one, made := c.evidence(""); made {
			s.Check(one)
		}
	}
	for _, doubt := range out.doubts {
		s.Check(evidence.Holds("tests_agree", evidence.Model, "", false, doubt))
	}
	if len(out.doubts) == 0 && out.agreed != "" {
		s.Check(evidence.Holds("tests_agree", evidence.Model, "", true, out.agreed))
	}
	if out.Ranks != nil {
		few := out.SampleCount < 5*len(out.Groups)
		sentence := "There are five values or more for each group, enough for p by chi squared."
		if few {
			sentence = "With fewer than five values for each group, p by chi squared is rough."
		}
		s.Check(evidence.Holds("group_sizes", evidence.Model, "/quoted", !few, sentence))
	}
}

// stateFigures names the figures with their error bars.
func (out *anovaOutput) stateFigures(s *evidence.Statement) {
	b, w := out.Between, out.Within
	by := out.data.relativeF(out.SampleCount, b.DF, w.DF, float64(b.Sum), float64(w.Mean))
	factorial := out.SumType != ""
	if out.Ranks == nil {
		f := evidence.Of("F", "/f_statistic", float64(out.F), "1", "ratio of mean squares")
		if f.Value != nil {
			f = f.PlusMinus(by*float64(out.F), "estimate")
		}
		eta := evidence.Of("eta squared", "/eta_squared", float64(out.EtaSquared), "1", "ratio of sums of squares")
		if eta.Scale = r2Scale; eta.Value != nil {
			eta = eta.PlusMinus(by*float64(out.EtaSquared), "estimate")
		}
		s.Figure(f, eta)
	}
	out.tested(s, "/p_value", out.Model, out.PValue, out.pError(out.Model, by), false)
	out.tested(s, "/quoted/p_value", out.Quoted.Test+" test", out.Quoted.PValue, out.pError(out.Quoted.Test, by), !factorial)
	if out.Welch.PValue.defined() {
		out.tested(s, "/welch/p_value", "Welch's test", out.Welch.PValue, out.pError("welch", by), false)
	}
	for i, t := range out.Terms {
		dfe, mse, scale := w.DF, float64(w.Mean), 1.0
		if t.ownError != nil {
			dfe, mse = t.ownError.DF, float64(t.ownError.SS)/float64(t.ownError.DF)
		}
		rel := out.data.relativeF(out.SampleCount, t.DF, dfe, float64(t.SS), mse)
		off := tailError(func(f float64) float64 { return stat.FTail(f, float64(t.DF), float64(dfe)) }, float64(t.F), rel*float64(t.F))
		at := fmt.Sprintf("/terms/%d/p_value", i)
		out.tested(s, at, "effect of "+t.Name, t.PValue, off, slices.Contains(out.quotes, at))
		if at += "_greenhouse_geisser"; t.ownError != nil && t.PGreenhouse.defined() {
			if out.Sphericity != nil && out.Sphericity.GreenhouseGeisser.defined() {
				scale = float64(out.Sphericity.GreenhouseGeisser)
			}
			off := tailError(func(f float64) float64 { return stat.FTail(f, scale*float64(t.DF), scale*float64(dfe)) }, float64(t.F), rel*float64(t.F))
			out.tested(s, at, "effect of "+t.Name+", corrected", t.PGreenhouse, off, slices.Contains(out.quotes, at))
		}
	}
}

func (out *anovaOutput) tested(s *evidence.Statement, pointer, what string, p number, off float64, quote bool) {
	f := evidence.Of("p value at "+pointer, pointer, float64(p), "1", what)
	if f.Scale = pScale(float64(out.Alpha)); f.Value != nil {
		f = f.PlusMinus(off, "estimate") // one that is not known is no number
	}
	f.Quoted = quote
	s.Figure(f)
}

// pError is the error of the p value of a test whose F is off by a share; NaN
// where no error is known, as of approximations.
func (out *anovaOutput) pError(test string, by float64) float64 {
	var f, df1, df2 float64
	switch test {
	case "kruskal_wallis":
		return math.NaN()
	case "welch", "welch_anova":
		f, df1, df2 = float64(out.Welch.Statistic), float64(out.Welch.DF1), float64(out.Welch.DF2)
	case "greenhouse_geisser":
		e := float64(out.Sphericity.GreenhouseGeisser)
		f, df1, df2 = float64(out.F), e*float64(out.Between.DF), e*float64(out.Within.DF)
	default:
		f, df1, df2 = float64(out.F), float64(out.Between.DF), float64(out.Within.DF)
	}
	return tailError(func(v float64) float64 { return stat.FTail(v, df1, df2) }, f, by*f)
}
