package statistics

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"atelier/contract"
	"atelier/stat"
)

// maxGroups is the most levels of a grouping column.
const maxGroups = 1000

// inMemory is the most values that figures which need them all (quantiles,
// Levene's test) are computed of.
const inMemory = 1_000_000

// series is one column of a group: its sums, and its values while they are few.
type series struct {
	stat.Moments
	values  []stat.DD // nil beyond inMemory
	missing int64
	full    bool
}

func (s *series) add(v stat.DD) {
	s.Moments.Add(v)
	if !s.full {
		s.values = append(s.values, v)
	}
}

func (s *series) merge(o *series) {
	s.Moments.Merge(&o.Moments)
	s.missing += o.missing
	if s.full = s.full || o.full || len(s.values)+len(o.values) > inMemory; s.full {
		s.values = nil
		return
	}
	s.values = append(s.values, o.values...)
}

// table holds the series of some columns for every level of a grouping column;
// the level is "" where there is none.
type table struct {
	selected int64
	levels   []string
	groups   map[string][]*series
}

// gather reads the columns. group is -1 for none; rows without a level are left
// out. A value that is infinite is an error at the pointer of its column.
func (d *dataset) gather(ctx context.Context, columns []int, pointers []string, group int, at string) (*table, error) {
	all := &table{groups: map[string][]*series{}}
	err := stat.EachBlock(ctx, d.Blocks(), func(i int) (*table, error) {
		return d.gatherBlock(i, columns, pointers, group)
	}, func(part *table) {
		all.selected += part.selected
		for _, level := range part.levels {
			if all.groups[level] == nil {
				all.groups[level] = newSeries(len(columns))
			}
			for k, s := range part.groups[level] {
				all.groups[level][k].merge(s)
			}
		}
	})
	if err != nil {
		return nil, err
	}
	if all.selected == 0 {
		return nil, d.empty(0)
	}
	all.levels = slices.Sorted(maps.Keys(all.groups))
	if len(all.levels) > maxGroups {
		return nil, contract.Errorf(contract.CodeInvalidInput, "%q has %d levels; at most %d are compared", d.Columns[group].Name, len(all.levels), maxGroups).At(at)
	}
	return all, nil
}

func newSeries(n int) []*series {
	list := make([]*series, n)
	for i := range list {
		list[i] = &series{}
	}
	return list
}

func (d *dataset) gatherBlock(i int, columns []int, pointers []string, group int) (*table, error) {
	t := &table{groups: map[string][]*series{}}
	rows, err := d.Rows(i)
	if err != nil || rows.Len() == 0 {
		return t, err
	}
	t.selected = int64(rows.Len())
	words, without := make([]string, rows.Len()), make([]bool, rows.Len())
	if group >= 0 {
		if words, without, err = rows.Words(group); err != nil {
			return nil, err
		}
	}
	for k, column := range columns {
		values, absent, err := rows.Numbers(column)
		if err != nil {
			return nil, err
		}
		for r, v := range values {
			if without[r] {
				continue
			}
			list := t.groups[words[r]]
			if list == nil {
				list = newSeries(len(columns))
				t.groups[words[r]] = list
				t.levels = append(t.levels, words[r])
			}
			switch {
			case absent[r]:
				list[k].missing++
			case !v.Finite():
				return nil, contract.Errorf(contract.CodeInvalidInput, "the column %q has an infinite value in row %d", d.Columns[column].Name, firstRow(i)+rows.Row(r)).
					At(pointers[k]).WithHint("Select rows with a filter such as abs(x) < 1e300.")
			default:
				list[k].add(v)
			}
		}
	}
	return t, nil
}

// groupFigures are those of one group.
type groupFigures struct {
	Level string `json:"level"`
	N     int    `json:"n"`
	Mean  number `json:"mean"`
	SD    number `json:"standard_deviation"`
	Low   number `json:"low"`
	High  number `json:"high"`
}

// describe gives a group's mean with its interval by its own spread.
func describe(level string, m *stat.Moments, alpha float64) groupFigures {
	low, high := meanInterval(m, alpha)
	return groupFigures{level, m.N, number(m.Mean()), number(m.SD()), number(low), number(high)}
}

func plural(n int, what string) string {
	if n == 1 {
		return fmt.Sprintf("1 %s", what)
	}
	return fmt.Sprintf("%s %ss", thousands(n), what)
}
