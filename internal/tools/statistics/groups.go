package statistics

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync/atomic"

	"atelier/internal/contract"
	"atelier/internal/stat"
)

// maxGroups is the most combinations of levels of the grouping columns.
const maxGroups = 1000

// inMemory is the most values that are kept for figures which need them all
// (ranks, medians, normality).
const inMemory = 1_000_000

// series is one column of a group: its sums, and its values while they are few.
type series struct {
	stat.Moments
	values []stat.DD // nil where the table is not whole
	rows   []int64   // theirs, from 1
}

// table holds the series of a column for every combination of the levels of some
// grouping columns: one of the key "" where there is none.
type table struct {
	selected int64
	missing  map[string]int64 // rows that lack a value, by column
	keys     []string
	groups   map[string]*series
	whole    bool // every value is kept
	// inOrderOf names a column by which the rows were put in order; nil where that
	// cannot be asked.
	inOrderOf func() string
}

// separatorOfLevels joins the levels of a key; no text of a table holds it.
const separatorOfLevels = "\x1f"

// gather reads a column by the levels of others. Rows that lack a value or a level
// are left out and counted. A value that is infinite is an error at the pointer.
func (d *selectedData) gather(ctx context.Context, column int, pointer string, by []int, at string) (*table, error) {
	all := &table{groups: map[string]*series{}, missing: map[string]int64{}, whole: true}
	kept := 0
	var tooMany atomic.Bool // values to keep: then blocks need not collect theirs
	err := stat.EachBlock(ctx, d.Blocks(), func(i int) (*table, error) {
		return d.gatherBlock(i, column, pointer, by, !tooMany.Load())
	}, func(part *table) {
		all.selected += part.selected
		for name, n := range part.missing {
			all.missing[name] += n
		}
		for _, key := range part.keys {
			from, to := part.groups[key], all.groups[key]
			if to == nil && len(all.groups) <= maxGroups {
				to = &series{}
				all.groups[key], all.keys = to, append(all.keys, key)
			}
			if to == nil {
				continue // too many: refused below
			}
			to.Merge(&from.Moments)
			if kept += len(from.values); kept <= inMemory {
				to.values, to.rows = append(to.values, from.values...), append(to.rows, from.rows...)
			}
		}
		if kept > inMemory && all.whole {
			tooMany.Store(true)
			all.forget()
		}
	})
	if err != nil {
		return nil, err
	}
	if all.selected == 0 {
		return nil, d.empty(0)
	}
	if len(all.keys) > maxGroups {
		return nil, contract.Errorf(contract.CodeInvalidInput, "there are more than %d groups; at most as many are compared", maxGroups).At(at).
			WithHint("Name a column of few values, or select some of them with a filter.")
	}
	all.sort(all.levels(len(by)))
	all.inOrderOf = func() string { return d.inOrderOf(ctx, all, column, by) }
	return all, nil
}

// levels are the sorted levels of each of n grouping columns.
func (t *table) levels(n int) [][]string {
	sets := make([]map[string]bool, n)
	for i := range sets {
		sets[i] = map[string]bool{}
	}
	out := make([][]string, n)
	for _, key := range t.keys {
		for i, level := range strings.SplitN(key, separatorOfLevels, max(n, 1)) {
			if i < n {
				sets[i][level] = true
			}
		}
	}
	for i, set := range sets {
		out[i] = sortLevels(set)
	}
	return out
}

// sort puts the groups in the order of the levels, the first column's first.
func (t *table) sort(levels [][]string) {
	order := make([]map[string]int, len(levels))
	for i, names := range levels {
		order[i] = map[string]int{}
		for at, name := range names {
			order[i][name] = at
		}
	}
	place := func(key string) (at []int) {
		for i, level := range strings.Split(key, separatorOfLevels) {
			if i < len(order) {
				at = append(at, order[i][level])
			}
		}
		return at
	}
	slices.SortFunc(t.keys, func(a, b string) int { return slices.Compare(place(a), place(b)) })
}

// forget gives up the values, which have become too many.
func (t *table) forget() {
	t.whole = false
	for _, s := range t.groups {
		s.values, s.rows = nil, nil
	}
}

func (d *selectedData) gatherBlock(i, column int, pointer string, by []int, keep bool) (*table, error) {
	t := &table{groups: map[string]*series{}, missing: map[string]int64{}}
	rows, err := d.Rows(i)
	if err != nil || rows.Len() == 0 {
		return t, err
	}
	defer rows.Free()
	t.selected = int64(rows.Len())
	keys, without := make([]string, rows.Len()), make([]bool, rows.Len())
	joined := map[[2]string]string{} // so that a key is made once for a block
	for k, c := range by {
		words, absent, err := rows.Words(c)
		if err != nil {
			return nil, err
		}
		for r, w := range words {
			if absent[r] {
				t.missing[d.Columns[c].Name]++
				without[r] = true
			}
			if k > 0 {
				both := [2]string{keys[r], w}
				if w = joined[both]; w == "" {
					w = both[0] + separatorOfLevels + both[1]
					joined[both] = w
				}
			}
			keys[r] = w
		}
	}
	values, absent, err := rows.Numbers(column)
	if err != nil {
		return nil, err
	}
	for r, v := range values {
		if absent[r] {
			t.missing[d.Columns[column].Name]++
		}
		if without[r] || absent[r] {
			continue
		}
		if !v.Finite() {
			return nil, d.beyond(column, rows.Number(r), v).At(pointer)
		}
		s := t.groups[keys[r]]
		if s == nil {
			s = &series{}
			t.groups[keys[r]], t.keys = s, append(t.keys, keys[r])
		}
		s.Add(v)
		if keep {
			s.values, s.rows = append(s.values, v), append(s.rows, rows.Number(r))
		}
	}
	return t, nil
}

// used is how many values the groups hold.
func (t *table) used() int64 {
	n := 0
	for _, s := range t.groups {
		n += s.N
	}
	return int64(n)
}

// rows tells what was left out.
func (t *table) rows() rowsUsed {
	r := rowsUsed{Selected: t.selected, Used: t.used(), Missing: named{}}
	r.Dropped = r.Selected - r.Used
	for _, name := range slices.Sorted(maps.Keys(t.missing)) {
		r.Missing = append(r.Missing, entry{name, t.missing[name]})
	}
	return r
}

// rowsUsed says how many rows a test takes, and what the others lack.
type rowsUsed struct {
	Selected int64 `json:"selected"`
	Used     int64 `json:"used"`
	Dropped  int64 `json:"dropped"`
	Missing  named `json:"missing"`
}

// report adds the warning that rows were dropped; the answer is partial where they
// are many.
func (r rowsUsed) report(res *contract.Result, lack string) {
	if r.Dropped == 0 {
		return
	}
	var of []string
	for _, m := range r.Missing {
		of = append(of, fmt.Sprintf("%s: %v", m.name, m.value))
	}
	where := ""
	if len(of) > 0 {
		where = " (" + strings.Join(of[:min(len(of), 10)], ", ") + ")"
	}
	res.Warnings = append(res.Warnings, contract.Warning{Code: "rows_dropped",
		Message: fmt.Sprintf("%d of %d selected rows %s%s and were left out.", r.Dropped, r.Selected, lack, where)})
	if float64(r.Dropped) > droppedShare*float64(r.Selected) {
		res.Status = contract.StatusPartial
	}
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
