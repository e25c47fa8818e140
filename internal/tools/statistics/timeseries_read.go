package statistics

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"atelier/internal/contract"
	"atelier/internal/dataset"
	"atelier/internal/stat"
)

// The shapes of a series' times.
const (
	regular   = "regular"
	gaps      = "gaps" // values are missing from a regular grid
	irregular = "irregular"
)

// stepTolerance is how far a step may be from a whole multiple of the median one,
// as a share of it.
const stepTolerance = 0.05

// timed is a series: the values that are there, with their times.
type timed struct {
	data     *selectedData
	column   int
	timeAt   int // -1: rows are the steps
	unit     string
	scale    stat.DD // seconds of a unit of the time column
	x, t     []stat.DD
	origin   stat.DD // first time, in the column's unit; t counts seconds from it
	rows     []int64 // in the table
	place    []int   // on the grid
	places   int     // of the grid
	step     float64 // seconds, or 1
	jitter   float64 // largest distance of a step from a multiple of the step, as a share
	longest  float64
	shape    string
	calendar calendar
	reading  reading // of the numbers in the time column
	notes    []contract.Warning
	selected int64
	without  int64 // rows without a time
	missing  int64 // and without a value
}

// reading is what the numbers of a time column are, beside times of a unit.
type reading int

const (
	readTimes reading = iota
	readDates         // 20240131
	readYears
)

// dated says that the times are dates.
func (s *timed) dated() bool {
	return s.timeAt >= 0 && (s.reading == readDates || s.data.Columns[s.timeAt].Type == dataset.Time)
}

func (s *timed) note(code, format string, args ...any) {
	s.notes = append(s.notes, contract.Warning{Code: code, Message: fmt.Sprintf(format, args...)})
}

func (s *timed) n() int { return len(s.x) }

// secondsOf is the scale of each unit, as a quotient.
var secondsOf = map[string][2]float64{"s": {1, 1}, "ms": {1, 1e3}, "us": {1, 1e6}, "ns": {1, 1e9}, "min": {60, 1}, "h": {3600, 1}, "d": {86400, 1}}

// points are the rows of a block, in their order.
type points struct {
	x, t    []stat.DD
	gone    []bool
	rows    []int64
	without int64
}

func (in *timeSeriesInput) read(ctx context.Context, d *selectedData) (*timed, error) {
	s := &timed{data: d, timeAt: -1}
	var err error
	if s.column, err = d.column(in.Column, "/column", true); err != nil {
		return nil, err
	}
	if err := in.timeColumn(ctx, s); err != nil {
		return nil, err
	}
	if s.selected, err = d.Selected(ctx); err != nil {
		return nil, err
	}
	if s.selected > maxSeries {
		return nil, contract.Errorf(contract.CodeInvalidInput, "the selection has %s rows; a series of at most %s is analysed", thousands(int(s.selected)), thousands(maxSeries)).
			At(d.at).WithHint("Narrow it with time_range or filters.")
	}
	all := &points{}
	if err := stat.EachBlock(ctx, d.Blocks(), func(i int) (*points, error) { return s.block(i) }, func(p *points) {
		all.x, all.t, all.gone, all.rows = append(all.x, p.x...), append(all.t, p.t...), append(all.gone, p.gone...), append(all.rows, p.rows...)
		all.without += p.without
	}); err != nil {
		return nil, err
	}
	s.without = all.without
	if err := s.regularity(all); err != nil {
		return nil, err
	}
	return s, s.dropMissing(all)
}

// timeColumn finds the times: the column named, or the capture's own. A series of
// a table without any has the rows as its steps.
func (in *timeSeriesInput) timeColumn(ctx context.Context, s *timed) error {
	name := in.Time
	if name == "" {
		name = s.data.TimeColumn
	}
	if name == "" || name == in.Column {
		s.unit, s.scale = "sample", stat.F(1)
		if in.TimeUnit != "" {
			return contract.Errorf(contract.CodeInvalidInput, "time_unit is given, but there is no time column").At("/time_unit").WithHint("Name it as time.")
		}
		return nil
	}
	var err error
	if s.timeAt, err = s.data.column(name, "/time", true); err != nil {
		return err
	}
	s.data.clock = s.timeAt
	if known, err := s.numberedTimes(ctx, in.TimeUnit); known || err != nil {
		s.unit, s.scale = "s", stat.F(1).Div(stat.F(1e3))
		if s.reading == readYears {
			s.unit, s.scale = "year", stat.F(1)
		}
		return err
	}
	unit := in.TimeUnit
	switch {
	case s.data.Columns[s.timeAt].Type == dataset.Time:
		unit = "ms" // as captures keep them
	case unit == "" && name == s.data.TimeColumn:
		unit = s.data.TimeUnit
	}
	if unit == "" {
		return s.unitless()
	}
	q := secondsOf[unit]
	s.unit, s.scale = "s", stat.F(q[0]).Div(stat.F(q[1]))
	return nil
}

func (s *timed) block(i int) (*points, error) {
	p := &points{}
	rows, err := s.data.Rows(i)
	if err != nil || rows.Len() == 0 {
		return p, err
	}
	values, gone, err := rows.Numbers(s.column)
	if err != nil {
		return nil, err
	}
	times, without := make([]stat.DD, rows.Len()), make([]bool, rows.Len())
	if s.timeAt >= 0 {
		if times, without, err = rows.Numbers(s.timeAt); err != nil {
			return nil, err
		}
	}
	for r, v := range values {
		row := rows.Number(r)
		if without[r] {
			p.without++
			continue
		}
		switch {
		case !gone[r] && !v.Finite():
			return nil, s.data.beyond(s.column, row, v).At("/column")
		case !times[r].Finite():
			return nil, s.data.beyond(s.timeAt, row, times[r]).At("/time")
		}
		if s.reading == readDates {
			date, _ := compactDate(times[r].Hi)
			times[r] = stat.F(float64(date.UnixMilli()))
		}
		p.x, p.t, p.gone, p.rows = append(p.x, v), append(p.t, times[r]), append(p.gone, gone[r]), append(p.rows, row)
	}
	return p, nil
}

// regularity puts the times in seconds from the first, and finds the step.
func (s *timed) regularity(all *points) error {
	n := len(all.x)
	if n == 0 {
		return s.data.empty(s.selected)
	}
	s.place = make([]int, n)
	if s.timeAt < 0 {
		s.step, s.shape = 1, regular
		for i := range all.t {
			all.t[i], s.place[i] = stat.F(float64(i)), i
		}
		s.places, s.longest = n, 1
		return nil
	}
	s.origin = all.t[0]
	for i := range all.t {
		all.t[i] = all.t[i].Sub(s.origin).Mul(s.scale)
	}
	steps := make([]float64, 0, n)
	for i := 1; i < n; i++ {
		d := all.t[i].Sub(all.t[i-1]).Float()
		if d <= 0 {
			return s.disordered(all, i, d)
		}
		steps = append(steps, d)
		s.longest = math.Max(s.longest, d)
	}
	if n < 2 {
		s.step, s.shape = 1, regular
		return nil
	}
	if s.byCalendar(all) {
		return nil
	}
	sorted := slices.Sorted(slices.Values(steps))
	s.grid(steps, stat.Quantile(sorted, 0.5), all.t[n-1])
	return nil
}

// byCalendar gives dates at steps of the calendar their places, and says whether
// they are.
func (s *timed) byCalendar(all *points) bool {
	if !s.dated() {
		return false
	}
	dates := make([]time.Time, len(all.t))
	for i, t := range all.t {
		dates[i] = time.UnixMilli(int64(math.Round(s.origin.Add(t.Div(s.scale)).Float()))).UTC()
	}
	c, places := calendarOf(dates)
	if c.unit == "" {
		return false
	}
	at := places[len(places)-1]
	if at+1 > 2*len(places) {
		return false // more holes than values
	}
	s.calendar, s.place, s.places, s.shape = c, places, at+1, regular
	if at+1 > len(places) {
		s.shape = gaps
	}
	s.step = all.t[len(all.t)-1].Div(stat.F(float64(at))).Float()
	return true
}

// grid gives every time its place on a regular grid, if there is one. last is the
// last time in seconds.
func (s *timed) grid(steps []float64, median float64, last stat.DD) {
	s.shape, s.step = regular, median
	at := 0
	for i, d := range steps {
		k := math.Round(d / median)
		s.jitter = math.Max(s.jitter, math.Abs(d-k*median)/median)
		if k < 1 || s.jitter > stepTolerance {
			s.shape = irregular
			s.jitter = math.Max(s.jitter, math.Abs(d-median)/median)
			return
		}
		at += int(k)
		s.place[i+1] = at
	}
	s.step, s.places = last.Div(stat.F(float64(at))).Float(), at+1
	switch {
	case at+1 > 2*len(s.place) || at+1 > maxSeries:
		s.shape = irregular // more holes than values
	case at+1 > len(s.place):
		s.shape = gaps
	}
}

// disordered is the error of a time that does not come after the one before.
func (s *timed) disordered(all *points, i int, d float64) error {
	name := s.data.Columns[s.timeAt].Name
	if s.repeatedHour(all.t[i], d) {
		return contract.Errorf(contract.CodeInvalidInput, "the %s of row %d is not after that of row %d, in the hour that local times repeat when summer time ends", name, all.rows[i], all.rows[i-1]).
			At("/time").WithHint("Add the offset from UTC, as in %s+02:00 before and +01:00 after the change, or write all times in UTC.",
			time.UnixMilli(int64(math.Round(s.origin.Add(all.t[i].Div(s.scale)).Float()))).UTC().Format("2006-01-02T15:04"))
	}
	if d == 0 {
		return contract.Errorf(contract.CodeInvalidInput, "rows %d and %d have the same %s: this is more than one series, or a value was written twice", all.rows[i-1], all.rows[i], name).
			At("/time").WithHint("Select one series by selectors.channels or a filter.")
	}
	return contract.Errorf(contract.CodeInvalidInput, "the %s of row %d is before that of row %d: a series is in the order of time", name, all.rows[i], all.rows[i-1]).
		At("/time").WithHint("Sort the table by %s before it becomes a capture, or select one series by selectors.channels or a filter.", name)
}

// repeatedHour says that a time which goes back by up to an hour lies in the small
// hours of a Sunday, when summer time ends nearly everywhere.
func (s *timed) repeatedHour(at stat.DD, back float64) bool {
	if !s.dated() || back <= -2*summerTime.Seconds() {
		return false
	}
	t := time.UnixMilli(int64(math.Round(s.origin.Add(at.Div(s.scale)).Float()))).UTC()
	return t.Weekday() == time.Sunday && t.Hour() >= 1 && t.Hour() <= 3
}

// dropMissing leaves out what has no value; its place on the grid stays empty.
func (s *timed) dropMissing(all *points) error {
	at := 0
	for i, v := range all.x {
		if all.gone[i] {
			s.missing++
			continue
		}
		s.x, s.t, s.rows = append(s.x, v), append(s.t, all.t[i]), append(s.rows, all.rows[i])
		s.place[at] = s.place[i]
		at++
	}
	s.place = s.place[:at]
	if s.missing > 0 && s.shape == regular {
		s.shape = gaps
	}
	name := s.data.Columns[s.column].Name
	if at < minSeries {
		return contract.Errorf(contract.CodeInvalidInput, "the series %q has %s; at least %d are needed", name, plural(at, "value"), minSeries).At("/column").
			WithHint("Widen time_range or filters.")
	}
	if c := stat.CentralOf(s.x); c.Min == c.Max {
		return contract.Errorf(contract.CodeInvalidInput, "every value of %q is %v: there is nothing to analyse in a constant series", name, c.Mean()).At("/column")
	}
	return nil
}

// onGrid spreads values over the grid; absent is nil where every place has one.
func (s *timed) onGrid(values []stat.DD) (x []stat.DD, absent []bool) {
	if s.shape != gaps {
		return values, nil
	}
	x, absent = make([]stat.DD, s.places), make([]bool, s.places)
	for i := range absent {
		absent[i] = true
	}
	for i, v := range values {
		x[s.place[i]], absent[s.place[i]] = v, false
	}
	return x, absent
}

func (s *timed) why() string {
	if s.shape == gaps {
		return fmt.Sprintf("%d of %d places of the grid have none", s.places-s.n(), s.places)
	}
	return fmt.Sprintf("the steps are from %.3g to more than %.3g times the median one", 1-math.Min(s.jitter, 1), 1+stepTolerance)
}

// when is the time of a value as the table has it; iso is empty where it is no
// date.
func (s *timed) when(i int) (raw float64, iso string) {
	if s.timeAt < 0 {
		return s.t[i].Float(), ""
	}
	raw = s.origin.Add(s.t[i].Div(s.scale)).Float()
	if s.dated() {
		date := time.UnixMilli(int64(math.Round(raw))).UTC()
		if iso = date.Format("2006-01-02T15:04:05.000Z"); s.reading == readDates {
			raw = float64(compactOf(date))
		}
	}
	return raw, iso
}
