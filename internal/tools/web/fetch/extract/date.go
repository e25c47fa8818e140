package extract

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"golang.org/x/text/language"
)

// order is the one of day and month in dates such as 03/04/2021.
type order uint8

const (
	unknown order = iota
	dayFirst
	monthFirst
)

// numericDate is a date of three numbers, its year last. With full stops between
// them the day is always first.
var numericDate = regexp.MustCompile(`(?:^|[^\d/.-])(\d{1,2})([/-])(\d{1,2})([/-])((?:19|20)?\d\d)(?:[^\d/-]|$)`)

// settleDate looks whether the date that was found stands on the page in numbers that
// can be read two ways. The page itself decides, by the same date in words or in
// ISO's form, by other dates of that kind and by the country of its language. Where
// it does not, there is no date, but a warning.
func settleDate(d *Document, page, address, lang string) {
	const iso = "2006-01-02"
	if len(d.Published) < len(iso) {
		return
	}
	found, err := time.Parse(iso, d.Published[:len(iso)])
	if err != nil || found.Day() > 12 || found.Day() == int(found.Month()) {
		return
	}
	other := time.Date(found.Year(), time.Month(found.Day()), int(found.Month()), 0, 0, 0, 0, time.UTC)
	written, first, kind := numbersOf(page, found)
	if written == "" {
		return
	}
	right := found
	switch here, there := plain(page+"\n"+address, found), plain(page+"\n"+address, other); {
	case here != there:
		if there {
			right = other
		}
	default:
		if kind == unknown {
			kind = orderOf(lang)
		}
		if kind == unknown {
			d.Published = ""
			a, b := found, other
			if b.Before(a) {
				a, b = b, a
			}
			d.Warnings = append(d.Warnings, fmt.Sprintf("The page's date %s may be %s or %s, and nothing on the page tells which: published_at is left out.", written, a.Format("2 January 2006"), b.Format("2 January 2006")))
			return
		}
		if (found.Day() == first) != (kind == dayFirst) {
			right = other
		}
	}
	d.Published = right.Format(iso) + d.Published[len(iso):]
}

// numbersOf finds a date as it is written in numbers, which of them is first, and the
// order of other such dates of the page, which have a day beyond the 12th.
func numbersOf(page string, date time.Time) (written string, first int, kind order) {
	seen := map[order]bool{}
	for _, m := range numericDate.FindAllStringSubmatch(page, 10_000) {
		a, _ := strconv.Atoi(m[1]) // digits
		b, _ := strconv.Atoi(m[3])
		year := m[5]
		switch {
		case m[2] != m[4]:
		case a > 12 && a <= 31 && b <= 12:
			seen[dayFirst] = true
		case b > 12 && b <= 31 && a <= 12:
			seen[monthFirst] = true
		case written == "" && strings.HasSuffix(date.Format("2006"), year) && (a == date.Day() && b == int(date.Month()) || b == date.Day() && a == int(date.Month())):
			written, first = m[1]+m[2]+m[3]+m[4]+year, a
		}
	}
	switch {
	case seen[dayFirst] && !seen[monthFirst]:
		kind = dayFirst
	case seen[monthFirst] && !seen[dayFirst]:
		kind = monthFirst
	}
	return written, first, kind
}

// plain says whether a date stands in a text in words or with its year first.
func plain(text string, date time.Time) bool {
	y, m, d := date.Year(), int(date.Month()), date.Day()
	return regexp.MustCompile(fmt.Sprintf(`(?:^|\D)(?:%[1]d([-/.])0?%[2]d([-/.])0?%[3]d|%[1]d%02[2]d%02[3]d|0?%[3]d(?:st|nd|rd|th|er|º|\.)?\s+(?:of\s+|de\s+)?\p{L}{3,12}\.?,?\s+(?:de\s+)?%[1]d|\p{L}{3,12}\.?\s+0?%[3]d(?:st|nd|rd|th)?,?\s+%[1]d)(?:\D|$)`, y, m, d)).MatchString(text)
}

// daysFirst are languages that put the day first wherever they are written.
var daysFirst = strings.Fields("ar bg cs da de el es et fi fr he hr id is it lv nb nl nn no pl pt ro ru sk sl sr tr uk vi")

// orderOf is the order of a language's country; English by itself tells none.
func orderOf(lang string) order {
	tag, err := language.Parse(lang)
	if err != nil {
		return unknown
	}
	base, _, region := tag.Raw()
	switch country := region.String(); {
	case country == "CA" || base.String() != "en" && country == "US":
		return unknown
	case base.String() == "en" && (country == "US" || country == "PH"):
		return monthFirst
	case base.String() == "en" && country != "ZZ":
		return dayFirst
	}
	for _, known := range daysFirst {
		if base.String() == known {
			return dayFirst
		}
	}
	return unknown
}
