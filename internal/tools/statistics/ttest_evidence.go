package statistics

import (
	"math"

	"atelier/internal/evidence"
	"atelier/internal/stat"
)

// statement is what stands behind the figures of a comparison of two means, or by
// ranks.
func (out *tTestOutput) statement() *evidence.Statement {
	s := &evidence.Statement{Notes: []string{"Sums are in double-double arithmetic.", out.Consequence}}
	s.Check(missingRows(out.Rows.Selected, out.Rows.Dropped), out.data.size())
	sd := float64(out.SE) / math.Sqrt(out.share)
	if c, ok := out.data.spread(sd); ok {
		s.Check(c)
	}
	out.stateArithmetic(s)
	for _, c := range out.Checks {
		if c.Name == "levene" || c.Name == successiveName {
			continue // Welch's test, the main figures here, needs no equal variances; see below
		}
		if one, made := c.evidence("/p_value"); made {
			s.Check(one)
		}
	}
	stateSuccessive(s, out.successive, "/p_value", "/equivalence")
	switch {
	case out.doubts:
		s.Check(evidence.Holds("tests_agree", evidence.Model, "/p_value", false, "Student's test, which needs equal variances, comes to another conclusion than Welch's: quote Welch's, and say so."))
	case out.agreed && out.Student != nil:
		s.Check(evidence.Holds("tests_agree", evidence.Model, "/p_value", true, "Student's test comes to the same conclusion as Welch's."))
	}
	out.stateFigures(s)
	return s
}

func (out *tTestOutput) stateArithmetic(s *evidence.Statement) {
	// A sum of squares loses digits where the values share theirs.
	spread := float64(out.SE) / math.Sqrt(out.share) * math.Sqrt(float64(out.SampleCount))
	off := stat.SquaresRounding(out.SampleCount, out.data.largest, spread*spread)
	sentence := "Means are summed in double-double arithmetic: rounding leaves all digits of the difference that the data determine."
	s.Check(evidence.Within("arithmetic", evidence.Exact, "/difference", off, arithmeticLimit, "1", sentence))
	switch {
	case out.Ranks == nil:
		s.Check(evidence.Within("arithmetic", evidence.Exact, "/p_value", off, arithmeticLimit, "1", "Rounding leaves at least six digits of t, and the tails of its distribution are known to more."))
		s.Check(evidence.Within("arithmetic", evidence.Exact, "/equivalence", off, arithmeticLimit, "1", "Rounding leaves at least six digits of both one-sided tests."))
	case out.Ranks.Exact:
		s.Check(evidence.Holds("arrangements", evidence.Exact, "/p_value", true, "p counts every arrangement of the ranks."))
	default:
		s.Check(evidence.Holds("ranks", evidence.Residual, "/p_value", true, "The ranks are counted; their distribution is taken as normal, with the corrections for ties and for continuity."))
	}
	if out.Ranks != nil {
		s.Check(evidence.Holds("ranks", evidence.Exact, "/ranks", true, "Ranks are counted without rounding."))
	}
}

// stateFigures names the figures. An error u/sqrt(3) of each value moves a
// difference of means by that times sqrt(1/n1 + 1/n2), and the variance by its
// square (Sheppard) and by chance.
func (out *tTestOutput) stateFigures(s *evidence.Statement) {
	u, variance := out.data.deviation(), float64(out.SE)*float64(out.SE)/out.share
	off := twoSigma*u*math.Sqrt(out.share) + stat.MeanRounding(out.data.largest)
	shown := out.PValue.defined() && out.PValue < out.Alpha
	d := evidence.Of("difference of the means", "/difference", float64(out.Difference), "unit of "+out.data.name, "difference of sums").PlusMinus(off, "estimate")
	d.Scale, d.Quoted = zeroIfNaN(float64(out.SE)), shown && out.Ranks == nil
	s.Figure(d)
	relative := 0.0
	if u > 0 && variance > 0 {
		relative = u*u/2/variance + twoSigma*u/math.Sqrt(variance*math.Max(float64(out.test.DF), 1))
	}
	df := out.test.DF
	tOff := func(t float64) float64 { return off/float64(out.SE) + math.Abs(t)*relative }
	p := evidence.Of("p value", "/p_value", float64(out.PValue), "1", out.Model).Quote()
	if p.Scale = pScale(float64(out.Alpha)); p.Value != nil {
		switch {
		case out.Ranks == nil:
			t := math.Abs(float64(out.T))
			p = p.PlusMinus(tailError(func(v float64) float64 { return stat.TTail2(v, df) }, t, tOff(t)), "estimate")
		case out.Ranks.Exact && out.Model == "mann_whitney":
			// Values that are written differently are in the right order whatever
			// their last digit stands for.
			p = p.PlusMinus(tailDigits*float64(out.PValue), "bound")
		case out.Ranks.Exact:
			// Differences may change their order with their last digits.
			if _, moved := out.ranks.SignedRankMoves(out.differences, out.half); !math.IsNaN(moved) {
				p = p.PlusMinus(moved+tailDigits*float64(out.PValue), "bound")
			}
		}
	}
	s.Figure(p)
	if r := out.Ranks; r != nil {
		c := evidence.Of("rank-biserial correlation", "/ranks/rank_biserial", float64(r.RankBiserial), "1", "counts of pairs")
		switch c.Quoted = shown; {
		case c.Value != nil && out.Model == "mann_whitney":
			c = c.PlusMinus(tailDigits, "bound")
		case c.Value != nil && r.Exact:
			if sum, _ := out.ranks.SignedRankMoves(out.differences, out.half); !math.IsNaN(sum) {
				n := float64(r.Used)
				c = c.PlusMinus(4*sum/(n*(n+1))+tailDigits, "bound")
			}
		}
		s.Figure(c)
	}
	if e := out.Equivalence; e != nil {
		near := math.Min(math.Abs(float64(out.Difference)-e.Low), math.Abs(e.High-float64(out.Difference))) / float64(out.SE)
		f := evidence.Of("p value of equivalence", "/equivalence/p_value", float64(e.PValue), "1", "two one-sided tests (Schuirmann 1987)")
		if f.Scale = pScale(float64(out.Alpha)); f.Value != nil {
			f = f.PlusMinus(tailError(func(v float64) float64 { return stat.TTail2(v, df) }, near, tOff(near)), "estimate")
		}
		f.Quoted = e.Shown != nil && out.PValue.defined()
		s.Figure(f)
	}
}
