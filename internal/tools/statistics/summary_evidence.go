package statistics

import (
	"fmt"
	"math"

	"atelier/internal/evidence"
	"atelier/internal/stat"
)

// state names the figures that the answer shows, each with a bound: values that
// are known to half a unit u of their last digit move a mean, a median and an end
// of the range by u at most, and a standard deviation by u sqrt(n/(n-1)), as the
// length of a vector moves by no more than the length of what is added to it.
func (s *summarizer) state(st *evidence.Statement, out *summaryOutput) {
	quoted := len(s.levels) == 1 && len(s.numeric) == 1
	for g, group := range out.Groups {
		stateCount(st, fmt.Sprintf("/groups/%d/rows", g), "rows"+inGroup(group.Level), group.Rows, len(s.numeric) == 0)
		for i, t := range group.Texts {
			stateCount(st, fmt.Sprintf("/groups/%d/texts/%d/n", g, i), "values of "+t.Name+inGroup(group.Level), t.N, len(s.numeric) == 0)
		}
		for i, c := range group.Columns {
			if c.N > 0 {
				s.stateColumn(st, fmt.Sprintf("/groups/%d/columns/%d", g, i), group.Level, c, quoted)
			}
		}
		for i, c := range group.Correlations {
			s.stateCorrelation(st, fmt.Sprintf("/groups/%d/correlations/%d", g, i), group.Level, c)
		}
	}
}

// stateCount names a number of rows or values, which is exact.
func stateCount(st *evidence.Statement, at, what string, n int64, quoted bool) {
	st.Check(evidence.Holds("counted", evidence.Exact, at, true, "Every row was counted."))
	q := evidence.Of(what, at, float64(n), "1", "count").PlusMinus(0, "bound")
	q.Quoted = quoted
	st.Figure(q)
}

// places are where the figures of a column stand in the answer.
func places(out *summaryOutput, name string) []string {
	var list []string
	for g, group := range out.Groups {
		for i, c := range group.Columns {
			if c.Name == name {
				list = append(list, fmt.Sprintf("/groups/%d/columns/%d", g, i))
			}
		}
		for i, c := range group.Correlations {
			if c.A == name || c.B == name {
				list = append(list, fmt.Sprintf("/groups/%d/correlations/%d", g, i))
			}
		}
	}
	return list
}

func inGroup(level string) string {
	if level == "" {
		return ""
	}
	return " in " + level
}

func (s *summarizer) stateColumn(st *evidence.Statement, at, level string, c columnSummary, quoted bool) {
	k := s.data.known(s.data.Find(c.Name))
	missing := missingRows(int64(c.N)+c.Missing, c.Missing)
	missing.Figure = at
	if !missing.Passed {
		missing.Sentence = fmt.Sprintf("Of %s%s: %s", c.Name, inGroup(level), missing.Sentence)
	}
	st.Check(missing)
	n, sd := float64(c.N), zeroIfNaN(float64(c.SD))
	off := stat.SquaresRounding(c.N, k.largest, sd*sd*(n-1))
	sentence := "Sums are in double-double arithmetic: rounding leaves all digits that the data determine."
	if !(off <= arithmeticLimit) {
		sentence = fmt.Sprintf("The values of %s agree in more digits than double-double arithmetic has.", c.Name)
	}
	st.Check(evidence.Within("arithmetic", evidence.Exact, at, off, arithmeticLimit, "1", sentence))
	size := k.size()
	size.Figure = at
	st.Check(size)
	rounding := stat.MeanRounding(k.largest)
	for _, f := range []struct {
		name, key string
		value     number
		bound     float64
		known     bool
	}{
		{"mean", "mean", c.Mean, k.half, true},
		{"standard deviation", "standard_deviation", c.SD, k.half * math.Sqrt(n/math.Max(n-1, 1)), true},
		{"median", "median", c.Median, k.half, s.exact},
		{"smallest value", "min", c.Min, k.half, true},
		{"largest value", "max", c.Max, k.half, true},
	} {
		q := evidence.Of(f.name+" of "+c.Name+inGroup(level), at+"/"+f.key, float64(f.value), "unit of "+c.Name, "sums in double-double arithmetic")
		if q.Scale = sd; q.Value != nil && f.known {
			q = q.PlusMinus(f.bound+rounding, "bound")
		}
		if f.key == "median" && !s.exact {
			q.Method = "estimate by a t-digest, whose rank a second pass counts"
		}
		q.Quoted = quoted && f.key != "standard_deviation"
		st.Figure(q)
	}
}

// stateCorrelation estimates how far a correlation moves: errors of the variance
// v, as a share of each column's own, draw it to 0 by half of v, and move it by
// chance.
func (s *summarizer) stateCorrelation(st *evidence.Statement, at, level string, c correlation) {
	v := 0.0
	for g, name := range s.levels {
		for _, f := range s.figures[g] {
			if name == level && (f.Name == c.A || f.Name == c.B) {
				u := s.data.known(s.data.Find(f.Name)).deviation() / float64(f.SD)
				v += u * u
			}
		}
	}
	f := evidence.Of("correlation of "+c.A+" and "+c.B+inGroup(level), at+"/pearson", float64(c.Pearson), "1", "products in double-double arithmetic")
	if f.Scale = 1; f.Value != nil {
		st.Check(evidence.Holds("arithmetic", evidence.Exact, at, true, "Products are summed about the means in double-double arithmetic."))
		r := float64(c.Pearson)
		off := math.Abs(r)*v/2 + twoSigma*math.Sqrt(v*(1-math.Min(r*r, 1))/float64(c.N)) + tailDigits
		f = f.PlusMinus(off, "estimate")
		if share := off / math.Max(math.Abs(r), 1/math.Sqrt(float64(c.N))); share > movedMost {
			st.Check(evidence.Within("last_digits", evidence.Bounds, at, share, movedMost, "1", fmt.Sprintf(
				"The last digits of %s and %s may move their correlation by %.2g of itself or of what chance makes: it is of how the values were rounded. Write more digits.", c.A, c.B, share)))
		}
	}
	st.Figure(f)
}
