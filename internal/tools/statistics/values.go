package statistics

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"atelier/internal/contract"
	"atelier/internal/dataset"
	"atelier/internal/evidence"
	"atelier/internal/stat"
)

// stateRows adds what values and rows say against the figures of a test or a model of
// a response; rows that lack a value of any column that the call names are none.
func (d *selectedData) stateRows(ctx context.Context, res *contract.Result, response int) error {
	if err := d.stateValues(ctx, res, nil); err != nil {
		return err
	}
	return d.statePasted(ctx, res.Statement, []int{response}, d.named)
}

// stateValues adds what the values of the columns that a call names say against
// the figures made of them: those at the places of a column, or all. It warns of
// words that were taken as missing, of texts that are nearly all numbers, and of
// levels that look alike.
func (d *selectedData) stateValues(ctx context.Context, res *contract.Result, places func(column string) []string) error {
	s := res.Statement
	for _, column := range d.named {
		if err := d.warnOfWords(res, column); err != nil {
			return err
		}
		if err := d.warnOfLevels(ctx, res, column); err != nil {
			return err
		}
		checks, err := d.doubts(ctx, res, column)
		if err != nil {
			return err
		}
		if places == nil {
			s.Check(checks...)
			continue
		}
		for _, at := range places(d.Columns[column].Name) {
			for _, check := range checks {
				check.Figure = at
				s.Check(check)
			}
		}
	}
	d.stateHeader(res)
	return nil
}

// doubts are the failed checks of the values of a column.
func (d *selectedData) doubts(ctx context.Context, res *contract.Result, column int) (list []evidence.Check, err error) {
	for _, find := range []func(context.Context, *contract.Result, int) (evidence.Check, bool, error){
		d.placeholder, d.separatedThousands, d.datesAsNumbers, d.mixedUnits, d.totals,
	} {
		check, found, err := find(ctx, res, column)
		if err != nil {
			return nil, err
		}
		if found {
			list = append(list, check)
		}
	}
	return list, nil
}

// valuesOf are the selected values of a numeric column, those that are missing as NaN;
// none of a table that is too large to be searched.
func (d *selectedData) valuesOf(ctx context.Context, column int) (all []float64, err error) {
	if d.Info.Rows > mostPasted {
		return nil, nil
	}
	err = stat.EachBlock(ctx, d.Blocks(), func(i int) ([]float64, error) {
		rows, err := d.Rows(i)
		if err != nil || rows.Len() == 0 {
			return nil, err
		}
		defer rows.Free()
		values, absent, err := rows.Numbers(column)
		part := make([]float64, len(values))
		for r, v := range values {
			if part[r] = v.Hi; absent[r] || !v.Finite() {
				part[r] = math.NaN()
			}
		}
		return part, err
	}, func(part []float64) { all = append(all, part...) })
	return all, err
}

// nearlyNumeric is the share of numbers from which a text column was meant to be
// one of numbers.
const nearlyNumeric = 0.8

// mostLevels is the share of different ones among values like numbers up to which
// they may be levels.
const mostLevels = 0.5

// alike tells of values that are like numbers; "" of none.
func alike(count int64) string {
	switch count {
	case 0:
		return ""
	case 1:
		return " and 1 is like one"
	}
	return fmt.Sprintf(" and %d are like numbers", count)
}

// warnOfWords says which words among numbers are taken as missing, and which value
// makes a text of a column of numbers, or of numbers as they are written elsewhere.
func (d *selectedData) warnOfWords(res *contract.Result, column int) error {
	c := d.Columns[column]
	if len(c.Words) > 0 {
		var list []string
		for _, word := range slices.Sorted(maps.Keys(c.Words)) {
			list = append(list, fmt.Sprintf("%q %s", word, times(int(c.Words[word]))))
		}
		message := fmt.Sprintf("Among the numbers of %q stands %s: taken as missing.", c.Name, strings.Join(list, ", "))
		if c.Type == dataset.String {
			message = fmt.Sprintf("Among the texts of %q stands %s: taken as missing, so such rows have no level. Where it is a level, write it in another way in the table, such as (%s).",
				c.Name, strings.Join(list, ", "), slices.Min(slices.Collect(maps.Keys(c.Words))))
		}
		res.Warnings = append(res.Warnings, contract.Warning{Code: "missing_words", Message: message})
	}
	if c.Type == dataset.Time && column != d.clock {
		res.Warnings = append(res.Warnings, contract.Warning{Code: "times_as_numbers",
			Message: fmt.Sprintf("%q holds dates: its figures are in milliseconds, places in time counted from 1970-01-01T00:00:00Z.", c.Name)})
	}
	if c.Type != dataset.String {
		return nil
	}
	w, err := d.Written(column, likeNumber)
	if err != nil || w.Numbers == w.All {
		return err
	}
	// Levels of a factor may have units; numbers that hardly two rows share are meant as such.
	many := float64(w.Levels) > mostLevels*float64(w.Alike)
	row, first, err := d.FirstText(column)
	many = many || w.Numbers > 0 && amongNumbers(first)
	if err != nil || float64(w.Numbers) < nearlyNumeric*float64(w.All) && (!many || float64(w.Numbers+w.Alike) < nearlyNumeric*float64(w.All)) && !elsewhere(first) {
		return err
	}
	e := d.notNumber(column, row, first)
	res.Warnings = append(res.Warnings, contract.Warning{Code: "nearly_numeric",
		Message: fmt.Sprintf("%d of the %d values of %q are numbers%s, but it is taken as text, whose values are only counted: %s. %s",
			w.Numbers, w.All, c.Name, alike(w.Alike), e.Message, e.Hint)})
	return nil
}
