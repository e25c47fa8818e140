package statistics

import (
	"fmt"
	"math"
	"time"
)

// calendar is a step of the calendar: so many months, quarters, years or business
// days, whose seconds are not all the same.
type calendar struct {
	unit string // "" where the step is none of the calendar
	each int    // units of a step
}

const (
	day = 24 * time.Hour
	// summerTime is how much the time of day of local midnights differs in UTC.
	summerTime = time.Hour
	// leastOfMonth is the shortest month.
	leastOfMonth = 28 * day
	// businessShare is the share of the business days that must be there: the others
	// are holidays.
	businessShare = 0.8
)

// lasting is a time that is so many steps, in words.
func (c calendar) lasting(steps float64) string {
	count := fmt.Sprintf("%.4g", steps*float64(c.each))
	if count == "1" {
		return "1 " + c.unit
	}
	return count + " " + c.unit + "s"
}

// calendarOf finds the step of the calendar that dates follow, and the place of each
// date on it.
func calendarOf(dates []time.Time) (calendar, []int) {
	days, ok := daysOf(dates)
	if !ok {
		return calendar{}, nil
	}
	shortest := time.Duration(math.MaxInt64)
	for i := 1; i < len(days); i++ {
		shortest = min(shortest, days[i].Sub(days[i-1]))
	}
	switch {
	case shortest >= leastOfMonth:
		return monthsOf(days)
	case shortest == day:
		return businessDaysOf(days)
	}
	return calendar{}, nil
}

// daysOf are the days of dates at one time of day, whatever the zone, and but for
// summer time.
func daysOf(dates []time.Time) ([]time.Time, bool) {
	shift := dates[0].Sub(dates[0].Truncate(day))
	if shift > day/2 { // an evening in UTC is the next day's midnight east of it
		shift -= day
	}
	days := make([]time.Time, len(dates))
	for i, d := range dates {
		local := d.Add(-shift)
		days[i] = local.Add(day / 2).Truncate(day)
		if off := local.Sub(days[i]); off > summerTime || off < -summerTime {
			return nil, false
		}
	}
	return days, true
}

// monthsOf takes days of the same number, or the last days of their months.
func monthsOf(days []time.Time) (calendar, []int) {
	last := func(d time.Time) int { return time.Date(d.Year(), d.Month()+1, 0, 0, 0, 0, 0, time.UTC).Day() }
	latest, ends := 0, true
	for _, d := range days {
		latest, ends = max(latest, d.Day()), ends && d.Day() == last(d)
	}
	places, common := make([]int, len(days)), 0
	for i, d := range days {
		if !ends && d.Day() != min(latest, last(d)) {
			return calendar{}, nil
		}
		places[i] = 12*(d.Year()-days[0].Year()) + int(d.Month()) - int(days[0].Month())
		common = divisor(common, places[i])
	}
	for i := range places {
		places[i] /= common
	}
	switch {
	case common%12 == 0:
		return calendar{"year", common / 12}, places
	case common == 3:
		return calendar{"quarter", 1}, places
	}
	return calendar{"month", common}, places
}

func divisor(a, b int) int {
	for b > 0 {
		a, b = b, a%b
	}
	return a
}

// businessDaysOf takes days from Monday to Friday over more than one week.
func businessDaysOf(days []time.Time) (calendar, []int) {
	monday := days[0].Add(-day * time.Duration((int(days[0].Weekday())+6)%7))
	places := make([]int, len(days))
	for i, d := range days {
		since := int(d.Sub(monday) / day)
		if since%7 > 4 {
			return calendar{}, nil
		}
		places[i] = since/7*5 + since%7
	}
	first := places[0]
	for i := range places {
		places[i] -= first
	}
	all := places[len(places)-1] + 1
	if float64(len(days)) < businessShare*float64(all) || days[len(days)-1].Sub(days[0]) < 7*day {
		return calendar{}, nil
	}
	return calendar{"business day", 1}, places
}
