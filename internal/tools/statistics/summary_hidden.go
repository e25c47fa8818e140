package statistics

import (
	"fmt"

	"atelier/internal/evidence"
)

// hiddenAt is the place of what is in the files only, in the answer.
const hiddenAt = "/not_shown"

// stateHidden adds what speaks against figures that stand in the CSV artifacts only:
// who reads these trusts them no less than those of the answer. all are the figures
// before the answer was shortened to out.
func (s *summarizer) stateHidden(st *evidence.Statement, all, out *summaryOutput) {
	seen := map[string]bool{}
	for _, g := range out.Groups {
		for _, c := range g.Columns {
			seen[g.Level+separatorOfLevels+c.Name] = true
		}
		for _, c := range g.Correlations {
			seen[g.Level+separatorOfLevels+c.A+separatorOfLevels+c.B] = true
		}
	}
	var doubts evidence.Statement
	for _, g := range all.Groups {
		for _, c := range g.Columns {
			if c.N > 0 && !seen[g.Level+separatorOfLevels+c.Name] {
				s.stateColumn(&doubts, hiddenAt, g.Level, c, false)
			}
		}
		for _, c := range g.Correlations {
			if !seen[g.Level+separatorOfLevels+c.A+separatorOfLevels+c.B] {
				s.stateCorrelation(&doubts, hiddenAt, g.Level, c)
			}
		}
	}
	counts := map[string]int{}
	var first []evidence.Check
	for _, c := range doubts.Checks {
		if c.Passed {
			continue
		}
		if counts[c.Name]++; counts[c.Name] == 1 {
			first = append(first, c)
		}
	}
	for _, c := range first {
		if n := counts[c.Name]; n > 1 {
			c.Sentence += fmt.Sprintf(" So it is with %d more that are in the CSV artifacts only.", n-1)
		}
		st.Check(c)
	}
}

// hidden says that figures of a column are in the artifacts only.
func hidden(all, out *summaryOutput, name string) bool {
	return len(places(out, name)) < len(places(all, name))
}
