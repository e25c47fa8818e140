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

// totalWords are what rows that sum up others are called, with what they hold. They
// are compared in lower case.
var totalWords = map[string][]string{
	"sum": {"total", "totals", "grand total", "subtotal", "sub-total", "sum", "sums", "overall", "gesamt", "gesamtsumme", "zwischensumme", "summe", "insgesamt",
		"somme", "total général", "sous-total", "suma", "total general", "totale", "somma", "totaal", "som", "razem", "итого", "всего", "合计", "総計", "合計"},
	"mean": {"mean", "average", "avg", "mittelwert", "mittel", "durchschnitt", "schnitt", "moyenne", "media", "promedio", "gemiddelde", "średnia", "среднее", "平均"},
	"standard deviation": {"sd", "std", "stdev", "stddev", "std dev", "std. dev.", "st. dev.", "standard deviation", "standardabweichung", "stabw", "écart-type", "écart type",
		"desviación estándar", "deviazione standard"},
	"minimum": {"min", "minimum", "mínimo", "minimo"},
	"maximum": {"max", "maximum", "máximo", "massimo"},
	"median":  {"median", "médiane", "mediana", "mediane"},
	"number":  {"n", "count", "anzahl", "nombre", "número", "numero", "aantal"},
}

// surely are those of them whose value alone tells that a row sums up others: a
// largest value may stand in a row called Max by chance.
var surely = []string{"sum", "mean", "standard deviation"}

// totalOf is what a row of this label may hold; "" of other labels.
func totalOf(label string) string {
	label = strings.Trim(strings.ToLower(strings.Join(strings.Fields(label), " ")), ":=∑ ")
	for what, words := range totalWords {
		if slices.Contains(words, label) {
			return what
		}
	}
	return ""
}

// totalRow is a row with such a label.
type totalRow struct {
	at            int // among the selected rows
	row           int64
	what          string
	label, column string
}

// totals finds rows that hold the sum, the mean or another figure of the rows before
// them: they would count as values of their own.
func (d *selectedData) totals(ctx context.Context, res *contract.Result, column int) (c evidence.Check, found bool, err error) {
	if !d.measured(column) {
		return c, false, nil
	}
	rows, err := d.totalRows(ctx)
	if err != nil || len(rows) == 0 {
		return c, false, err
	}
	values, err := d.valuesOf(ctx, column)
	if err != nil {
		return c, false, err
	}
	held := slices.DeleteFunc(slices.Clone(rows), func(r totalRow) bool { return !d.sumsUp(column, values, rows, r) })
	sure := slices.ContainsFunc(held, func(r totalRow) bool { return slices.Contains(surely, r.what) })
	name := d.Columns[column].Name
	if !sure && len(held) < 2 {
		last := rows[len(rows)-1]
		if slices.Contains(surely, last.what) && last.at == len(values)-1 && len(rows) < mostTotals {
			res.Warnings = append(res.Warnings, contract.Warning{Code: "total_row", Message: fmt.Sprintf(
				"Row %d is called %s in %s, and is taken for a value of %s as the others: if it sums them up, leave it out with the filter %s.", last.row, last.label, last.column, name, apart(held, last))})
		}
		return c, false, nil
	}
	var told []string
	for _, r := range held[:min(len(held), shownInline)] {
		told = append(told, fmt.Sprintf("row %d (%s) the %s", r.row, r.label, r.what))
	}
	return evidence.Holds("total_rows", evidence.Model, "", false, fmt.Sprintf(
		"Rows sum up others of %s and are taken for values as these: %s. Leave them out with the filter %s.", name, strings.Join(told, ", "), apart(rows, held[0]))), true, nil
}

// mostTotals is the most rows that a label of a total has where it is no level.
const mostTotals = 8

// apart is the filter that leaves out rows of totals.
func apart(rows []totalRow, first totalRow) string {
	var labels []string
	for _, r := range append(slices.Clone(rows), first) {
		if text := fmt.Sprintf("%q", r.label); r.column == first.column && !slices.Contains(labels, text) {
			labels = append(labels, text)
		}
	}
	if len(labels) == 1 {
		return fmt.Sprintf("%s != %s", quotedColumn(first.column), labels[0])
	}
	return fmt.Sprintf("not %s in (%s)", quotedColumn(first.column), strings.Join(labels, ", "))
}

// totalRows are the selected rows that a column of texts calls a total, a mean or the
// like; none of a table that is too large to be searched.
func (d *selectedData) totalRows(ctx context.Context) ([]totalRow, error) {
	if d.called != nil || int64(len(d.Columns))*d.Info.Rows > mostPasted {
		return d.called, nil
	}
	list, selected := []totalRow{}, 0
	for block := range d.Blocks() {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		rows, err := d.Rows(block)
		if err != nil {
			return nil, err
		}
		if rows.Len() == 0 {
			continue
		}
		part, err := d.totalsIn(rows, selected)
		if err != nil {
			return nil, err
		}
		list = append(list, part...)
		selected += rows.Len()
		rows.Free()
	}
	slices.SortFunc(list, func(a, b totalRow) int { return a.at - b.at })
	d.called = list
	return list, nil
}

// totalsIn are those of a block, of which before were selected before it.
func (d *selectedData) totalsIn(rows *dataset.Rows, before int) (list []totalRow, err error) {
	seen := map[int]bool{}
	for column, about := range d.Columns {
		if about.Type != dataset.String {
			continue
		}
		words, absent, err := rows.Words(column)
		if err != nil {
			return nil, err
		}
		known := map[string]string{}
		for r, w := range words {
			if absent[r] || seen[r] {
				continue
			}
			what, had := known[w]
			if !had {
				what = totalOf(w)
				known[w] = what
			}
			if what != "" {
				seen[r] = true
				list = append(list, totalRow{before + r, rows.Number(r), what, w, about.Name})
			}
		}
	}
	return list, nil
}

// sumsUp says that a row holds what its label says of the rows before it, of all or of
// those since the last row with such a label.
func (d *selectedData) sumsUp(column int, values []float64, rows []totalRow, r totalRow) bool {
	if r.at >= len(values) || math.IsNaN(values[r.at]) {
		return false
	}
	since := 0
	for _, other := range rows {
		if other.at < r.at && other.what == r.what {
			since = other.at + 1
		}
	}
	for _, from := range []int{since, 0} {
		var list []float64
		labels := 0
		for i := from; i < r.at; i++ {
			for labels < len(rows) && rows[labels].at < i {
				labels++
			}
			if !(labels < len(rows) && rows[labels].at == i) && !math.IsNaN(values[i]) {
				list = append(list, values[i])
			}
		}
		if len(list) < 3 {
			continue
		}
		half, n := d.known(column).half, float64(len(list))
		want, off := figureOf(r.what, list), 2*half
		if r.what == "sum" {
			off = half * (1 + 2*math.Sqrt(n))
		}
		if math.Abs(values[r.at]-want) <= off+1e-9*math.Abs(want) {
			return true
		}
	}
	return false
}

// figureOf is the figure of that name.
func figureOf(what string, values []float64) float64 {
	var m stat.Moments
	for _, v := range values {
		m.Add(stat.F(v))
	}
	switch what {
	case "sum":
		return m.Mean() * float64(m.N)
	case "mean":
		return m.Mean()
	case "standard deviation":
		return m.SD()
	case "minimum":
		return m.Min.Hi
	case "maximum":
		return m.Max.Hi
	case "median":
		return stat.Quantile(slices.Sorted(slices.Values(values)), 0.5)
	}
	return float64(m.N)
}
