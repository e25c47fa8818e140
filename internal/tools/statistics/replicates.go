package statistics

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"atelier/internal/dataset"
	"atelier/internal/evidence"
	"atelier/internal/stat"
)

// alikeLevel is the p value below which rows of a level are alike, divided by how
// many columns are looked at.
const alikeLevel = 0.001

// stateReplicates looks for a column whose levels each lie in one group only, as
// subjects or batches do, and whose rows are alike within a level: then the levels
// are the replicates and not the rows, and every p value is too small
// (pseudoreplication: Hurlbert 1984, Ecological Monographs 54, 187).
func (d *selectedData) stateReplicates(ctx context.Context, s *evidence.Statement, response, factor int) error {
	all := map[int]*nested{}
	for column, about := range d.Columns {
		if column != response && column != factor && about.Type != dataset.Number && about.Type != dataset.Time {
			all[column] = &nested{name: about.Name, levels: map[string]*level{}, groups: map[string]*stat.Moments{}}
		}
	}
	for block := 0; block < d.Blocks() && len(all) > 0; block++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := d.nest(block, response, factor, all); err != nil {
			return err
		}
	}
	var found []*nested
	for _, column := range slices.Sorted(maps.Keys(all)) {
		if all[column].tested() {
			found = append(found, all[column])
		}
	}
	for _, n := range found {
		if p, share := n.alike(); p*float64(len(found)) < alikeLevel {
			s.Check(evidence.Holds("replicates", evidence.Model, "", false, fmt.Sprintf(
				"Rows of the same %s are alike (%.0f %% of the spread within the groups is between them, p = %.1g), and each %s is in one group only: the %d of them are the replicates, not the %d rows, and p is too small. Test the mean of each %s, or use the regression tool with cluster: %q.",
				n.name, 100*share, p, n.name, len(n.levels), n.rows, n.name, n.name)))
		}
	}
	return nil
}

// nested are the rows of the levels of a column that may lie within groups.
type nested struct {
	name   string
	levels map[string]*level
	groups map[string]*stat.Moments
	rows   int
}

type level struct {
	group string
	stat.Moments
}

// nest adds the rows of a block to all columns that may be nested, and takes out
// those that are not: a level lies in two groups, or there are too many.
func (d *selectedData) nest(block, response, factor int, all map[int]*nested) error {
	rows, err := d.Rows(block)
	if err != nil || rows.Len() == 0 {
		return err
	}
	defer rows.Free()
	values, absent, err := rows.Numbers(response)
	if err != nil {
		return err
	}
	groups, without, err := rows.Words(factor)
	if err != nil {
		return err
	}
	for column, n := range all {
		names, unnamed, err := rows.Words(column)
		if err != nil {
			return err
		}
		for r, v := range values {
			if absent[r] || without[r] || unnamed[r] || !v.Finite() {
				continue
			}
			if !n.add(names[r], groups[r], v) {
				delete(all, column)
				break
			}
		}
	}
	return nil
}

// add adds a value; false where the levels are not nested.
func (n *nested) add(name, group string, v stat.DD) bool {
	l := n.levels[name]
	if l == nil {
		l = &level{group: group}
		n.levels[name] = l
	}
	if l.group != group || len(n.levels) > maxGroups {
		return false
	}
	g := n.groups[group]
	if g == nil {
		g = &stat.Moments{}
		n.groups[group] = g
	}
	l.Add(v)
	g.Add(v)
	n.rows++
	return true
}

// tested says whether levels within groups can be compared: at least two of them
// in some group, with rows enough to tell them apart.
func (n *nested) tested() bool {
	return len(n.groups) >= 2 && len(n.levels) >= len(n.groups)+2 && n.rows >= 2*len(n.levels)
}

// alike is the p value of the F test between levels within groups, and their share
// of the spread (the intraclass correlation; 3.2 of Searle, Casella and McCulloch
// 1992).
func (n *nested) alike() (p, share float64) {
	var between, within float64
	for _, l := range n.levels {
		m := l.Mean() - n.groups[l.group].Mean()
		size := float64(l.N)
		between += size * m * m
		within += l.Variance() * max(size-1, 0)
	}
	d1, d2 := float64(len(n.levels)-len(n.groups)), float64(n.rows-len(n.levels))
	b, w := between/d1, within/d2
	if b <= w {
		return 1, 0
	}
	if w == 0 {
		return 0, 1
	}
	mean := float64(n.rows) / float64(len(n.levels))
	return stat.FTail(b/w, d1, d2), (b - w) / (b + (mean-1)*w)
}
