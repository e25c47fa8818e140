package statistics

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"atelier/internal/contract"
	"atelier/internal/dataset"
	"atelier/internal/evidence"
	"atelier/internal/stat"
)

// measured says that a column holds numbers, and is no clock of a series.
func (d *selectedData) measured(column int) bool {
	kind := d.Columns[column].Type
	return (kind == dataset.Integer || kind == dataset.Number) && column != d.clock
}

// separatedThousands says that the points of a column may separate thousands.
func (d *selectedData) separatedThousands(ctx context.Context, _ *contract.Result, column int) (c evidence.Check, found bool, err error) {
	if !d.Grouped(column) {
		return c, false, nil
	}
	values, err := d.valuesOf(ctx, column)
	if err != nil {
		return c, false, err
	}
	example := 1.234
	if i := slices.IndexFunc(values, func(v float64) bool { return v != math.Trunc(v) && !math.IsNaN(v) }); i >= 0 {
		example = values[i]
	}
	return evidence.Holds("decimal_point", evidence.Model, "", false, fmt.Sprintf(
		"Three digits follow every point in %s, and semicolons separate the fields: %.3f may be that decimal, as it is taken, or %.0f with a point between the thousands. If points separate thousands, write the numbers without them; if they are decimal signs, separate the fields by commas.",
		d.Columns[column].Name, example, 1000*example)), true, nil
}

// stateHeader says that the first line of a table, which is taken for the names of its
// columns, may be a row: each name of a column of numbers is a number, and lies where
// the column's values do.
func (d *selectedData) stateHeader(res *contract.Result) {
	if d.Separator() == "" || d.Info.Rows < 2 {
		return
	}
	var names []float64
	var list []string
	near, whole := true, false
	for i, c := range d.Columns {
		list = append(list, c.Name)
		switch c.Type {
		case dataset.Integer, dataset.Number:
			v, err := stat.Parse(c.Name)
			if err != nil {
				return
			}
			names = append(names, v.Hi)
			whole = whole || c.Type == dataset.Integer || strings.Contains(c.Name, ".")
			near = near && d.couldHold(i, v.Hi)
		case dataset.String:
			known, err := d.Written(i, func(value string) bool { return value == c.Name })
			if err != nil || known.Alike == 0 {
				return // names, or a level that no row has
			}
		default:
			return
		}
	}
	if len(names) == 0 {
		return
	}
	row := strings.Join(list[:min(len(list), shownInline)], ", ")
	sentence := fmt.Sprintf("The first line of the table (%s) is taken for the names of the columns, and holds numbers. If it is a row, it is missing from every figure: write a line with the names before it.", row)
	if near && whole && !numbered(names) {
		res.Statement.Check(evidence.Holds("header", evidence.Model, "", false, sentence))
		return
	}
	res.Warnings = append(res.Warnings, contract.Warning{Code: "header_of_numbers", Message: sentence})
}

// couldHold says that a number is written as the values of a column are, and lies no
// farther from them than they from each other.
func (d *selectedData) couldHold(column int, v float64) bool {
	c := d.Columns[column]
	if c.Min == nil || c.Max == nil || c.Type == dataset.Integer && strings.Contains(c.Name, ".") {
		return false
	}
	width := *c.Max - *c.Min
	return v >= *c.Min-width && v <= *c.Max+width
}

// numbered says that numbers count, as the names that programs give to columns do, or
// rise by equal steps as years, times and wavelengths do.
func numbered(names []float64) bool {
	step := 1.0
	if len(names) > 1 {
		step = names[1] - names[0]
	}
	for i := 1; i < len(names); i++ {
		if names[i]-names[i-1] != step {
			return false
		}
	}
	return len(names) > 2 && step > 0 || step == 1 && (names[0] == 0 || names[0] == 1)
}
