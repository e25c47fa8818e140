package extract

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"atelier/internal/testenv"
)

// A date of numbers that can be read two ways is read as the page itself tells, and
// else not at all.
func TestDatesOfNumbers(t *testing.T) {
	r := testenv.Random(t)
	for range 20 {
		day, month := 1+r.IntN(12), 1+r.IntN(11)
		if month >= day {
			month++
		}
		year := 2000 + r.IntN(25)
		a := time.Date(year, time.Month(month), day, 0, 0, 0, 0, time.UTC) // day first
		b := time.Date(year, time.Month(day), month, 0, 0, 0, 0, time.UTC)
		numbers := fmt.Sprintf("%02d/%02d/%d", day, month, year)
		for _, c := range []struct {
			lang, more, address string
			want                time.Time // zero: none
		}{
			{"", "", "", time.Time{}},
			{"en", "", "", time.Time{}},
			{"en-CA", "", "", time.Time{}},
			{"en-GB", "", "", a},
			{"en-US", "", "", b},
			{"de", "", "", a},
			{"", "Revised on " + b.Format("January 2, 2006") + ".", "", b},
			{"en-US", "Dated " + a.Format("2 January 2006") + " in words.", "", a},
			{"", "", a.Format("/2006/01/02/") + "manual", a},
			{"", "See also the issue of 25/01/1998.", "", a},
			{"", "See also the issue of 01/25/1998.", "", b},
			{"", "See also 01/25/1998 and 25/01/1998.", "", time.Time{}},
		} {
			prose := "<p>" + strings.Repeat("The pump is started by hand and runs until the vessel is full. ", 12) + "</p>"
			body := fmt.Sprintf("<html lang='%s'><head><title>T</title><meta name=date content='%s'></head><body><article><h1>Manual</h1>%s<p>%s</p></article></body></html>", c.lang, numbers, prose, c.more)
			d := Read(Request{Body: []byte(body), URL: "http://x.example" + c.address})
			want := ""
			if !c.want.IsZero() {
				want = c.want.Format("2006-01-02")
			}
			if d.Published != want {
				t.Errorf("%s, lang %q, %q, %q: %q, want %q", numbers, c.lang, c.more, c.address, d.Published, want)
			}
			if told := strings.Contains(strings.Join(d.Warnings, " "), numbers+" may be"); told != (want == "") {
				t.Errorf("%s: warnings %v", numbers, d.Warnings)
			}
		}
	}
}
