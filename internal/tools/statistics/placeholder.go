package statistics

import (
	"context"
	"fmt"
	"maps"
	"math"
	"strings"

	"atelier/internal/contract"
	"atelier/internal/dataset"
	"atelier/internal/evidence"
	"atelier/internal/stat"
)

const (
	// A number of nines alone stands for a missing value in many formats (-999, 99): it
	// is taken for one where it is an end of the column and as far from all other
	// values as ninesGap times their range.
	ninesGap = 3
	// So does -1 where all else is positive and as far as minusGap of their deviation:
	// fewer than minusDistinct other values are codes (-1, 1).
	minusGap      = 0.5
	minusDistinct = 5
	// And 0, which is a value more often, so that it is told and no more: all else is
	// positive, a deviation off, and on average zeroMean of them.
	zeroGap, zeroMean, zeroDistinct = 1, 4, 10
)

func allNines(v float64) bool {
	text := strings.TrimPrefix(fmt.Sprintf("%g", v), "-")
	return len(text) >= 2 && strings.Trim(text, "9") == ""
}

// placeholder finds a number that stands for a missing value among the selected
// ones of a column. The ends of the whole column say whether to look at all.
func (d *selectedData) placeholder(ctx context.Context, res *contract.Result, column int) (c evidence.Check, found bool, err error) {
	about := d.Columns[column]
	if about.Type != dataset.Integer && about.Type != dataset.Number {
		return c, false, nil
	}
	for _, end := range []*float64{about.Min, about.Max} {
		if end == nil || *about.Min == *about.Max || !allNines(*end) && (*end != *about.Min || *end != -1 && *end != 0) {
			continue
		}
		o, err := d.beside(ctx, column, *end)
		if err != nil {
			return c, false, err
		}
		if !o.odd(*end) {
			continue
		}
		sentence := fmt.Sprintf(
			"%g stands in %d of %d values of %s, whose others lie between %g and %g: such a number is mostly a mark for a missing value. If it is, leave it out with the filter %s != %g, or leave the cells empty.",
			*end, o.n, o.n+o.rest.N, about.Name, o.rest.Min.Hi, o.rest.Max.Hi, about.Name, *end)
		if *end == 0 {
			res.Warnings = append(res.Warnings, contract.Warning{Code: "zeros", Message: strings.Replace(sentence, "mostly", "often", 1)})
			continue
		}
		return evidence.Holds("placeholder", evidence.Model, "", false, sentence), true, nil
	}
	return c, false, nil
}

// others are the values of a column beside one of them.
type others struct {
	n        int // how often that one is there
	rest     stat.Moments
	distinct map[float64]bool // of the rest, while they are few
}

// odd says that the value is so far from the rest that it is none of them.
func (o *others) odd(value float64) bool {
	if o.n == 0 || o.rest.N < 2 {
		return false
	}
	low, high := o.rest.Min.Hi, o.rest.Max.Hi
	if allNines(value) {
		return math.Max(low-value, value-high) > ninesGap*(high-low)
	}
	sd := o.rest.SD()
	switch {
	case o.n < 2 || low <= 0:
		return false
	case value == 0:
		return len(o.distinct) >= zeroDistinct && low >= zeroGap*sd && o.rest.Mean() >= zeroMean*sd
	}
	return len(o.distinct) >= minusDistinct && low-value >= minusGap*sd
}

// beside reads how often a value stands in the selected rows of a column, and what
// the others are.
func (d *selectedData) beside(ctx context.Context, column int, value float64) (all others, err error) {
	all.distinct = map[float64]bool{}
	err = stat.EachBlock(ctx, d.Blocks(), func(i int) (*others, error) {
		p := &others{distinct: map[float64]bool{}}
		rows, err := d.Rows(i)
		if err != nil || rows.Len() == 0 {
			return p, err
		}
		defer rows.Free()
		values, absent, err := rows.Numbers(column)
		for r, v := range values {
			switch {
			case absent[r] || !v.Finite():
			case v.Hi == value:
				p.n++
			default:
				if p.rest.Add(v); len(p.distinct) < zeroDistinct {
					p.distinct[v.Hi] = true
				}
			}
		}
		return p, err
	}, func(p *others) {
		all.n += p.n
		all.rest.Merge(&p.rest)
		maps.Copy(all.distinct, p.distinct)
	})
	return all, err
}
