package statistics

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"atelier/internal/dataset"
	"atelier/internal/evidence"
	"atelier/internal/stat"
)

// successiveName is the check of values that follow each other.
const successiveName = "successive_values"

const (
	// successiveLevel is the p value of the correlation of successive values below
	// which they are taken to be no independent samples.
	successiveLevel = 0.005
	// successiveLeast is the correlation that matters: it makes the variance of a mean
	// 1.7 times what it is of independent values.
	successiveLeast = 0.25
)

// successive looks whether values that follow each other in the order of the rows
// are alike, as those of a series in time are: then they are fewer samples than rows.
func (t *table) successive() check {
	none := check{Name: successiveName, Statistic: number(math.NaN()), PValue: number(math.NaN()),
		Consequence: "Whether successive values are alike cannot be told: there are too many values to keep, or too few."}
	if !t.whole {
		return none
	}
	s := t.successives()
	if s.Sorted {
		none.Consequence = "The values stand in ascending or descending order, so the order of the rows cannot tell whether they follow each other in time."
		return none
	}
	ok := !(s.P < successiveLevel && s.R > successiveLeast)
	c := judged(successiveName, s.R, s.P, ok, "Successive rows are no more alike than others.", fmt.Sprintf(
		"Values of successive rows are alike (lag-1 correlation %.2f beside the means, p = %.1g): if the rows are in the order of measurement, they are no independent samples and p is far too small; test means of stretches that are longer than the memory, or use timeseries_tool. Only if the rows were put in order by another quantity does this say nothing.", s.R, s.P))
	if c.OK == nil {
		c.Consequence = none.Consequence
	}
	if !ok && t.inOrderOf != nil {
		if name := t.inOrderOf(); name != "" {
			*c.OK = true
			c.Consequence = fmt.Sprintf("Successive rows are alike, as the table is in the order of %s within the groups; beside that they are not.", name)
		}
	}
	return c
}

func (t *table) successives() stat.Successive {
	var residuals [][]float64
	var at [][]int64
	for _, key := range t.keys {
		s := t.groups[key]
		residuals, at = append(residuals, residualsOf(s)), append(at, s.rows)
	}
	return stat.Successives(residuals, at)
}

const (
	// mostOrders is the most columns that are tried for the order of the rows.
	mostOrders = 50
	// leastInCell is how many rows of a cell show whether these are alike.
	leastInCell = 4
)

// inOrderOf looks for a column whose levels lie in every group, each in one run of
// rows, and beside which successive rows are not alike: then the table was sorted by
// it, as those of designed trials are, and is no series in time.
func (d *selectedData) inOrderOf(ctx context.Context, t *table, column int, by []int) string {
	if len(t.keys) < 2 {
		return "" // levels that are alike are what a single mean must not have
	}
	tried := 0
	for at, about := range d.Columns {
		if at == column || slices.Contains(by, at) || about.Type == dataset.Time || tried == mostOrders {
			continue
		}
		tried++
		cells, err := d.gather(ctx, column, "", append(slices.Clone(by), at), "")
		if err != nil || !cells.whole || cells.used() != t.used() {
			continue
		}
		levels := len(cells.levels(len(by) + 1)[len(by)])
		if levels < 2 || len(cells.keys) != levels*len(t.keys) || int(t.used()) < leastInCell*len(cells.keys) || !cells.inRuns() {
			continue
		}
		if s := cells.successives(); s.Sorted || !(s.P < signLevel || s.R > successiveLeast) {
			return about.Name
		}
	}
	return ""
}

// inRuns says that no row of another group stands between those of a group.
func (t *table) inRuns() bool {
	type run struct{ first, last int64 }
	var runs []run
	for _, s := range t.groups {
		runs = append(runs, run{s.rows[0], s.rows[len(s.rows)-1]})
	}
	slices.SortFunc(runs, func(a, b run) int { return cmp.Compare(a.first, b.first) })
	for i := 1; i < len(runs); i++ {
		if runs[i].first < runs[i-1].last {
			return false
		}
	}
	return true
}

func residualsOf(s *series) []float64 {
	mean := s.MeanDD()
	out := make([]float64, 0, len(s.values))
	for _, v := range s.values {
		out = append(out, v.Sub(mean).Float())
	}
	return out
}

// stateSuccessive adds that check where it was made.
func stateSuccessive(s *evidence.Statement, c check, figures ...string) {
	for _, figure := range figures {
		if one, made := c.evidence(figure); made {
			s.Check(one)
		}
	}
}
