package statistics

import (
	"context"
	"maps"
	"slices"

	"atelier/internal/contract"
	"atelier/internal/dataset"
	"atelier/internal/stat"
)

// summarizer goes through the data once for sums, values or digests, and where
// there are more values than are kept, once more for histograms and ranks.
type summarizer struct {
	data      *selectedData
	numeric   []int
	pointers  []string // of the numeric columns among the arguments
	texts     []int
	group     int // -1: none
	alpha     float64
	quantiles []float64
	pairs     bool
	exact     bool // all values are kept
	selected  int64

	withoutGroup int64
	levels       []string
	cells        map[string]*cell
	figures      [][]columnSummary // by level and numeric column
}

// cell is one group.
type cell struct {
	rows    int64
	numbers []*tally
	words   []*wordCounts
	pairs   []stat.Pair // of the numeric columns, (0,1), (0,2), …, (1,2), …
}

// digestCompression bounds the centroids of a digest: ranks at the median are
// then right to about a thousandth, those at the ends to far less.
const digestCompression = 500

// maxCommon is the most different values that are counted for a mode where not
// all values are kept.
const maxCommon = 4096

// tally is one numeric column of a group.
type tally struct {
	stat.Central
	missing int64
	values  []stat.DD // row by row, with those that are missing
	gone    []bool
	digest  *stat.Digest
	common  []counted // different values in ascending order; nil where all are kept
	many    bool      // more than maxCommon different values
}

// counted is a value with how often it occurs.
type counted struct {
	value float64
	n     int64
}

// maxWords is the most different texts of a column of a group that are counted.
const maxWords = 20_000

type wordCounts struct {
	n, missing, beyond int64 // beyond: of texts that came after maxWords others
	count              map[string]int64
}

func (s *summarizer) gather(ctx context.Context) error {
	s.cells = map[string]*cell{}
	err := stat.EachBlock(ctx, s.data.Blocks(), s.block, func(part *blockSummary) {
		s.withoutGroup += part.without
		for _, level := range part.levels {
			if into := s.cells[level]; into != nil {
				into.merge(part.cells[level])
			} else {
				s.cells[level] = part.cells[level]
			}
		}
	})
	if err != nil {
		return err
	}
	if s.selected == 0 || len(s.cells) == 0 {
		return s.data.empty(s.selected)
	}
	s.levels = slices.Sorted(maps.Keys(s.cells))
	return s.tooMany(len(s.levels))
}

func (s *summarizer) tooMany(levels int) error {
	if levels > maxGroups || levels*(len(s.numeric)+len(s.texts)) > maxTallies {
		return contract.Errorf(contract.CodeInvalidInput, "%s of %s are more than the %d summaries of a call",
			plural(levels, "group"), plural(len(s.numeric)+len(s.texts), "column"), maxTallies).At("/group_by").
			WithHint("Group by a column with fewer values (at most %d), or name fewer columns.", maxGroups)
	}
	return nil
}

// blockSummary is what one block adds; levels are in the order of their first
// rows.
type blockSummary struct {
	without int64
	levels  []string
	cells   map[string]*cell
}

func (s *summarizer) block(i int) (*blockSummary, error) {
	part := &blockSummary{cells: map[string]*cell{}}
	rows, index, err := s.split(i, part)
	if err != nil || rows == nil {
		return part, err
	}
	if err := s.tooMany(len(part.levels)); err != nil {
		return nil, err
	}
	values, gone := make([][]stat.DD, len(s.numeric)), make([][]bool, len(s.numeric))
	for k, column := range s.numeric {
		if values[k], gone[k], err = rows.Numbers(column); err != nil {
			return nil, err
		}
		for r, v := range values[k] {
			if !gone[k][r] && !v.Finite() {
				return nil, s.data.beyond(column, rows.Number(r), v).At(s.pointers[k])
			}
		}
	}
	for _, level := range part.levels {
		part.cells[level] = s.cellOf(index[level], values, gone)
	}
	for _, column := range s.texts {
		words, absent, err := rows.Words(column)
		if err != nil {
			return nil, err
		}
		for _, level := range part.levels {
			c := part.cells[level]
			c.words = append(c.words, countWords(index[level], words, absent))
		}
	}
	return part, nil
}

// split names the rows of each level of a block; rows is nil where it has none.
func (s *summarizer) split(i int, part *blockSummary) (*dataset.Rows, map[string][]int32, error) {
	rows, err := s.data.Rows(i)
	if err != nil || rows.Len() == 0 {
		return nil, nil, err
	}
	words, without := make([]string, rows.Len()), make([]bool, rows.Len())
	if s.group >= 0 {
		if words, without, err = rows.Words(s.group); err != nil {
			return nil, nil, err
		}
	}
	index := map[string][]int32{}
	for r, level := range words {
		if without[r] {
			part.without++
			continue
		}
		if _, known := index[level]; !known {
			part.levels = append(part.levels, level)
		}
		index[level] = append(index[level], int32(r))
	}
	return rows, index, nil
}

// cellOf sums the rows of one level.
func (s *summarizer) cellOf(index []int32, values [][]stat.DD, gone [][]bool) *cell {
	c := &cell{rows: int64(len(index))}
	centred := make([]stat.Centred, len(values))
	for k := range values {
		t := &tally{values: make([]stat.DD, len(index)), gone: make([]bool, len(index))}
		there := make([]stat.DD, 0, len(index))
		for at, r := range index {
			t.values[at], t.gone[at] = values[k][r], gone[k][r]
			if t.gone[at] {
				t.missing++
			} else {
				there = append(there, values[k][r])
			}
		}
		t.Central = *stat.CentralOf(there)
		if s.pairs && t.missing == 0 {
			centred[k] = stat.CentredOf(there)
		}
		c.numbers = append(c.numbers, t)
	}
	if s.pairs {
		c.pair(centred)
	}
	if !s.exact {
		for _, t := range c.numbers {
			t.condense()
		}
	}
	return c
}

// pair sums the products of the columns, of the rows that have both values.
func (c *cell) pair(centred []stat.Centred) {
	for a := range c.numbers {
		for b := a + 1; b < len(c.numbers); b++ {
			if centred[a].Rest != nil && centred[b].Rest != nil {
				c.pairs = append(c.pairs, stat.PairAbout(centred[a], centred[b]))
				continue
			}
			x, y := c.complete(a, b)
			c.pairs = append(c.pairs, stat.PairOf(x, y))
		}
	}
}

// complete are the values of two columns in the rows that have both.
func (c *cell) complete(a, b int) (x, y []stat.DD) {
	for r, v := range c.numbers[a].values {
		if !c.numbers[a].gone[r] && !c.numbers[b].gone[r] {
			x, y = append(x, v), append(y, c.numbers[b].values[r])
		}
	}
	return x, y
}

// there are the values that are not missing.
func (t *tally) there() []stat.DD {
	if t.missing == 0 {
		return t.values
	}
	out := make([]stat.DD, 0, t.N)
	for r, v := range t.values {
		if !t.gone[r] {
			out = append(out, v)
		}
	}
	return out
}

// condense turns the values into a digest and counts.
func (t *tally) condense() {
	sorted := make([]float64, 0, t.N)
	for _, v := range t.there() {
		sorted = append(sorted, v.Float())
	}
	t.digest = stat.NewDigest(digestCompression)
	t.digest.Add(sorted) // and sorts them
	for i, v := range sorted {
		if i == 0 || v != sorted[i-1] {
			t.common = append(t.common, counted{value: v})
		}
		t.common[len(t.common)-1].n++
	}
	t.limitCommon()
	t.values, t.gone = nil, nil
}

func (t *tally) limitCommon() {
	if len(t.common) > maxCommon {
		t.many, t.common = true, nil
	}
}

// join merges two ascending lists.
func join(a, b []counted) []counted {
	out := make([]counted, 0, len(a)+len(b))
	for len(a) > 0 && len(b) > 0 {
		switch {
		case a[0].value < b[0].value:
			out, a = append(out, a[0]), a[1:]
		case a[0].value > b[0].value:
			out, b = append(out, b[0]), b[1:]
		default:
			out = append(out, counted{a[0].value, a[0].n + b[0].n})
			a, b = a[1:], b[1:]
		}
	}
	return append(append(out, a...), b...)
}

func (c *cell) merge(o *cell) {
	c.rows += o.rows
	for k, t := range c.numbers {
		t.merge(o.numbers[k])
	}
	for k, w := range c.words {
		w.merge(o.words[k])
	}
	for k := range c.pairs {
		c.pairs[k].Merge(o.pairs[k])
	}
}

func (t *tally) merge(o *tally) {
	t.Central.Merge(&o.Central)
	t.missing += o.missing
	t.values, t.gone = append(t.values, o.values...), append(t.gone, o.gone...)
	if t.digest == nil {
		return
	}
	t.digest.Merge(o.digest)
	if t.many = t.many || o.many; t.many {
		t.common = nil
		return
	}
	t.common = join(t.common, o.common)
	t.limitCommon()
}

func countWords(index []int32, words []string, absent []bool) *wordCounts {
	w := &wordCounts{count: map[string]int64{}}
	for _, r := range index {
		if absent[r] {
			w.missing++
			continue
		}
		w.n++
		w.count[words[r]]++
	}
	return w
}

// merge adds counts; which texts are beyond the limit depends on the order of
// the blocks and of the alphabet only.
func (w *wordCounts) merge(o *wordCounts) {
	w.n, w.missing, w.beyond = w.n+o.n, w.missing+o.missing, w.beyond+o.beyond
	for _, text := range slices.Sorted(maps.Keys(o.count)) {
		if _, known := w.count[text]; !known && len(w.count) >= maxWords {
			w.beyond += o.count[text]
			continue
		}
		w.count[text] += o.count[text]
	}
}
