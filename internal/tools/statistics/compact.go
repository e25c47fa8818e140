package statistics

import (
	"context"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"time"

	"atelier/internal/contract"
	"atelier/internal/dataset"
	"atelier/internal/evidence"
)

// The years that numbers are taken for.
const (
	firstYear = 1800
	lastYear  = 2199
)

// compactDate reads 20240131.
func compactDate(v float64) (time.Time, bool) {
	if v != math.Trunc(v) || v < firstYear*10_000 || v > (lastYear+1)*10_000 {
		return time.Time{}, false
	}
	n := int(v)
	day := time.Date(n/10_000, time.Month(n/100%100), n%100, 0, 0, 0, 0, time.UTC)
	return day, compactOf(day) == n
}

// compactOf writes 20240131.
func compactOf(day time.Time) int { return day.Year()*10_000 + int(day.Month())*100 + day.Day() }

// mayBeDates says by its ends that a column may hold dates as 20240131.
func (d *selectedData) mayBeDates(column int) bool {
	c := d.Columns[column]
	return (c.Type == dataset.Integer || c.Type == dataset.Number) && c.Min != nil && *c.Min >= firstYear*10_000 && *c.Max < (lastYear+1)*10_000
}

// compactMonths is of how many months the dates are that all of the numbers are; 0
// where one is none. Within one month, they count the days as well.
func compactMonths(values []float64) int {
	months := map[int]bool{}
	for _, v := range values {
		if math.IsNaN(v) {
			continue
		}
		if _, ok := compactDate(v); !ok {
			return 0
		}
		months[int(v)/100] = true
	}
	return len(months)
}

// datesAsNumbers finds dates that are taken for numbers, whose differences are no
// times: from 20240131 to 20240201 they are 70.
func (d *selectedData) datesAsNumbers(ctx context.Context, _ *contract.Result, column int) (c evidence.Check, found bool, err error) {
	if !d.measured(column) || !d.mayBeDates(column) || slices.Contains(d.levels, column) {
		return c, false, nil
	}
	values, err := d.valuesOf(ctx, column)
	if err != nil || compactMonths(values) < 2 {
		return c, false, err
	}
	first := values[slices.IndexFunc(values, func(v float64) bool { return !math.IsNaN(v) })]
	at, _ := compactDate(first)
	return evidence.Holds("dates_as_numbers", evidence.Model, "", false, fmt.Sprintf(
		"%s holds dates such as %.0f, which are taken for numbers here: from the end of a month to the next day they rise by 70 and more. Write them as %s, or give the days since a date.",
		d.Columns[column].Name, first, at.Format(time.DateOnly))), true, nil
}

// yearNames are words for a year in the name of a column.
var yearNames = regexp.MustCompile(`(?i)(^|[^\p{L}])(years?|yr|jahr|année|annee|año|anno|ano|jaar|år|rok|год)([^\p{L}]|$)`)

// years says that a column is named after years and holds such numbers.
func (d *selectedData) years(column int) bool {
	c := d.Columns[column]
	return d.mayBeYears(column) && yearNames.MatchString(c.Name)
}

func (d *selectedData) mayBeYears(column int) bool {
	c := d.Columns[column]
	return (c.Type == dataset.Integer || c.Type == dataset.Number) && c.Min != nil && *c.Min >= firstYear && *c.Max < lastYear+1
}

// clockTimes says that whole numbers are times of day as 0830: as hours and minutes
// their steps are those of a clock, which as numbers they are not.
func clockTimes(values []float64) bool {
	var minutes []float64
	for _, v := range values {
		if v != math.Trunc(v) || v < 0 || v >= 2400 || math.Mod(v, 100) >= 60 {
			return false
		}
		minutes = append(minutes, 60*math.Floor(v/100)+math.Mod(v, 100))
	}
	return len(values) >= minSeries && evenly(minutes) && !evenly(values)
}

// evenly says that values rise by equal steps.
func evenly(values []float64) bool {
	for i := 1; i < len(values); i++ {
		if step := values[i] - values[i-1]; step <= 0 || math.Abs(step-(values[1]-values[0])) > stepTolerance*step {
			return false
		}
	}
	return true
}

// numberedTimes settles what the numbers of a time column are: dates as 20240131 and
// years need no unit, and times of day as 0830 have none.
func (s *timed) numberedTimes(ctx context.Context, unit string) (known bool, err error) {
	d, c := s.data, s.data.Columns[s.timeAt]
	if c.Type != dataset.Integer && c.Type != dataset.Number || c.Min == nil {
		return false, nil
	}
	fault := func(format string, args ...any) *contract.Error {
		return contract.Errorf(contract.CodeInvalidInput, format, args...).At("/time")
	}
	if d.years(s.timeAt) {
		if unit != "" {
			return false, fault("the column %q holds years (%g to %g), and time_unit is %s", c.Name, *c.Min, *c.Max, unit).At("/time_unit").
				WithHint("Leave time_unit out: times are then in years.")
		}
		s.reading = readYears
		s.note("years", "%q is taken for years: times, slopes and periods are in years.", c.Name)
		return true, nil
	}
	if !d.mayBeDates(s.timeAt) && !(c.Type == dataset.Integer && *c.Max < 2400) {
		return false, nil
	}
	values, err := d.valuesOf(ctx, s.timeAt)
	if err != nil {
		return false, err
	}
	values = slices.DeleteFunc(values, math.IsNaN)
	switch months := compactMonths(values); {
	case len(values) == 0:
		return false, nil
	case months > 1, months == 1 && unit == "":
		s.reading = readDates
		s.note("compact_dates", "%q holds dates as %.0f, and is read as such.", c.Name, values[0])
		return true, nil
	case clockTimes(values):
		return false, fault("the column %q holds times of day such as %04.0f, which are no numbers of one unit", c.Name, values[len(values)-1]).
			WithHint("Write full dates and times by ISO 8601, 2024-05-31T%02.0f:%02.0f, or minutes since midnight with time_unit min.",
				math.Floor(values[0]/100), math.Mod(values[0], 100))
	}
	return false, nil
}

// unitless is the error of numbers whose unit is not known.
func (s *timed) unitless() error {
	c := s.data.Columns[s.timeAt]
	hint := "Give time_unit: s, ms, us, ns, min, h or d."
	if s.data.mayBeYears(s.timeAt) {
		hint += " If these are years, name the column year."
	}
	return contract.Errorf(contract.CodeInvalidInput, "the unit of the times in %q is not known", c.Name).At("/time_unit").
		With("fault", contract.FaultMissing).WithHint("%s", hint)
}

// quotedColumn is the name of a column as filters take it.
func quotedColumn(name string) string {
	if plainName.MatchString(name) {
		return name
	}
	return "`" + strings.ReplaceAll(name, "`", "") + "`"
}

var plainName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)
