package statistics

import (
	"math"
	"slices"

	"atelier/internal/contract"
	"atelier/internal/dataset"
	"atelier/internal/stat"
)

// Blocks implements stat.Source.
func (m *design) Blocks() int { return m.data.Blocks() }

// Load implements stat.Source.
func (m *design) Load(i int) (stat.Block, error) {
	b, _, err := m.LoadExtra(i)
	return b, err
}

// LoadExtra implements stat.ExtraSource.
func (m *design) LoadExtra(i int) (stat.Block, stat.Extra, error) {
	var b stat.Block
	var extra stat.Extra
	rows, err := m.data.Rows(i)
	if err != nil || rows.Len() == 0 {
		return b, extra, err
	}
	c, err := m.decode(rows)
	if err != nil {
		return b, extra, err
	}
	b.Free, b.Row = rows.Free, rows.KeptNumbers(c.keep)
	m.assemble(c, &b)
	if m.cluster >= 0 {
		extra.Group = kept(c.words[m.cluster], c.keep)
	}
	extra.Offset, err = m.offsets(c, b.Row)
	return b, extra, err
}

// assemble makes response, weights and terms of decoded columns.
func (m *design) assemble(c *columns, b *stat.Block) {
	if b.Y = kept(c.numericColumn(m.target), c.keep); m.targetSet != nil {
		b.Y = make([]stat.DD, 0, len(b.Row))
		for _, w := range kept(c.words[m.target], c.keep) {
			y := stat.DD{}
			if w == m.event {
				y = stat.F(1)
			}
			b.Y = append(b.Y, y)
		}
	}
	if m.weight >= 0 {
		b.W = kept(c.numericColumn(m.weight), c.keep)
	}
	for _, t := range m.terms {
		b.X = append(b.X, kept(t.values(c, len(c.keep)), c.keep))
	}
}

// columns are the decoded columns of a block's selected rows.
type columns struct {
	numbers map[int][]stat.DD
	words   map[int][]string
	levels  map[*factor][]int
	keep    []bool
	taken   map[int]bool
}

// numericColumn is a numeric column that the taker may overwrite once the block is made.
func (c *columns) numericColumn(column int) []stat.DD {
	v := c.numbers[column]
	if c.taken[column] {
		return slices.Clone(v)
	}
	c.taken[column] = true
	return v
}

func (m *design) decode(rows *dataset.Rows) (*columns, error) {
	c := &columns{numbers: map[int][]stat.DD{}, words: map[int][]string{}, levels: map[*factor][]int{}, keep: make([]bool, rows.Len()), taken: map[int]bool{}}
	for k := range c.keep {
		c.keep[k] = true
	}
	drop := func(absent []bool) {
		for k, a := range absent {
			c.keep[k] = c.keep[k] && !a
		}
	}
	for _, column := range m.numeric {
		v, absent, err := rows.Numbers(column)
		if err != nil {
			return nil, err
		}
		c.numbers[column] = v
		drop(absent)
	}
	for _, column := range m.words {
		w, absent, err := rows.Words(column)
		if err != nil {
			return nil, err
		}
		c.words[column] = w
		drop(absent)
	}
	for _, f := range m.factors {
		index := make([]int, len(c.keep))
		for k, w := range c.words[f.column] {
			index[k] = f.index[w]
		}
		c.levels[f] = index
	}
	return c, nil
}

// offsets are the offset, or the logarithms of the exposure; row is of the kept
// rows.
func (m *design) offsets(c *columns, row []int64) ([]stat.DD, error) {
	if m.offset >= 0 {
		return kept(c.numericColumn(m.offset), c.keep), nil
	}
	if m.exposure < 0 {
		return nil, nil
	}
	out := kept(c.numericColumn(m.exposure), c.keep)
	for k, v := range out {
		if !(v.Hi > 0) || !v.Finite() {
			return nil, contract.Errorf(contract.CodeInvalidInput, "the exposure in row %d is %v", row[k], v.Float()).At("/exposure").
				With("row", row[k]).WithHint("An exposure is positive: a time, an area, a number at risk. Select the rows that have one.")
		}
		out[k] = stat.F(math.Log(v.Hi)).Add(stat.F(v.Lo / v.Hi))
	}
	return out, nil
}

// values is the term's column, of every selected row.
func (t term) values(c *columns, n int) []stat.DD {
	if len(t.codes) == 0 && len(t.powers) == 1 && t.powers[0].power == 1 {
		return c.numericColumn(t.powers[0].column)
	}
	out := make([]stat.DD, n)
	for k := range out {
		out[k] = stat.F(1)
	}
	for i, code := range t.codes {
		levels, values := c.levels[code.factor], code.factor.values[code.column]
		for k, l := range levels {
			if i == 0 {
				out[k] = values[l]
			} else {
				out[k] = out[k].Mul(values[l])
			}
		}
	}
	for i, p := range t.powers {
		column := c.numbers[p.column]
		for k, x := range column {
			power := x
			for range p.power - 1 {
				power = power.Mul(x)
			}
			if i == 0 && len(t.codes) == 0 {
				out[k] = power
			} else {
				out[k] = out[k].Mul(power)
			}
		}
	}
	return out
}

// kept are the values of the rows that are kept, in the same memory where all are.
func kept[T any](values []T, keep []bool) []T {
	if !slices.Contains(keep, false) {
		return values
	}
	out := make([]T, 0, len(values))
	for k, v := range values {
		if keep[k] {
			out = append(out, v)
		}
	}
	return out
}
