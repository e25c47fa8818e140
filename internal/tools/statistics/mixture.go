package statistics

import (
	"context"
	"fmt"
	"math"
	"slices"

	"atelier/internal/contract"
	"atelier/internal/evidence"
)

const (
	// mixtureLeast is the fewest values that a mixture of units is told from, and
	// mixtureShare the largest share that those in the other unit have.
	mixtureLeast = 10
	mixtureShare = 0.2
)

// unitFactors are how much units of one kind differ (mm and cm, cm and m, g and kg, Pa
// and MPa), and within which factor the other values must lie for the values far from
// them to be told from natural ones.
var unitFactors = []struct{ times, within float64 }{{10, 2}, {100, 3.5}, {1000, 10}, {1e6, 100}}

// mixedUnits finds a few values that would lie among the others if they were 100, 1000
// or a million times larger or smaller. Of a factor of ten, which nature has as well,
// it warns.
func (d *selectedData) mixedUnits(ctx context.Context, res *contract.Result, column int) (c evidence.Check, found bool, err error) {
	about := d.Columns[column]
	if !d.measured(column) || slices.Contains(d.levels, column) || about.Min == nil || *about.Min <= 0 && *about.Max >= 0 {
		return c, false, nil
	}
	low, high := math.Abs(*about.Min), math.Abs(*about.Max)
	if low, high = min(low, high), max(low, high); high < 4*low {
		return c, false, nil
	}
	values, err := d.valuesOf(ctx, column)
	if err != nil {
		return c, false, err
	}
	m, ok := mixtureOf(values)
	if !ok {
		return c, false, nil
	}
	side, op := "smaller", ">="
	if m.larger {
		side, op = "larger", "<="
	}
	bound := m.rest[0]
	if m.larger {
		bound = m.rest[1]
	}
	sentence := fmt.Sprintf(
		"%d of %d values of %s (%g to %g) are about %g times %s than the others (%g to %g), as values in another unit or with a shifted decimal point are. Write all in one unit, or leave them out with the filter abs(%s) %s %g.",
		m.count, m.all, about.Name, m.few[0], m.few[1], m.times, side, m.rest[0], m.rest[1], quotedColumn(about.Name), op, bound)
	if m.times < 100 {
		res.Warnings = append(res.Warnings, contract.Warning{Code: "unit_mixture", Message: sentence})
		return c, false, nil
	}
	return evidence.Holds("unit_mixture", evidence.Model, "", false, sentence), true, nil
}

// mixture is a few values in another unit than the rest: their sizes and their ends.
type mixture struct {
	count, all int
	few, rest  [2]float64
	times      float64
	larger     bool
}

func mixtureOf(values []float64) (m mixture, ok bool) {
	var sizes []float64
	for _, v := range values {
		if v != 0 && !math.IsNaN(v) {
			sizes = append(sizes, math.Abs(v))
		}
	}
	slices.Sort(sizes)
	n := len(sizes)
	if n < mixtureLeast {
		return m, false
	}
	at, widest := 0, 0.0
	for i := 1; i < n; i++ {
		if gap := sizes[i] / sizes[i-1]; gap > widest {
			at, widest = i, gap
		}
	}
	few, rest := sizes[:at], sizes[at:]
	if m.larger = at > n/2; m.larger {
		few, rest = rest, few
	}
	m.count, m.all = len(few), n
	m.few, m.rest = [2]float64{few[0], few[len(few)-1]}, [2]float64{rest[0], rest[len(rest)-1]}
	if float64(m.count) > mixtureShare*float64(n) || len(slices.Compact(slices.Clone(rest))) < mixtureLeast/2 {
		return m, false
	}
	for _, f := range unitFactors {
		times := f.times
		if m.larger {
			times = 1 / times
		}
		if m.times = f.times; m.rest[1] <= f.within*m.rest[0] && m.few[0]*times >= 0.9*m.rest[0] && m.few[1]*times <= 1.1*m.rest[1] {
			return m, true
		}
	}
	return m, false
}
