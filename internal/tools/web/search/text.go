package search

import (
	"html"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/araddon/dateparse"
	"golang.org/x/net/html/atom"
)

var (
	element = regexp.MustCompile(`</?([a-zA-Z][a-zA-Z0-9]*)(?:\s[^<>]*)?/?>`)
	hidden  = regexp.MustCompile(`(?is)<script\b.*?</script\s*>|<style\b.*?</style\s*>|<!--.*?-->`)
)

// inline are elements that part no words.
var inline = map[string]bool{"b": true, "i": true, "em": true, "strong": true, "mark": true, "span": true, "a": true, "u": true, "s": true, "sub": true, "sup": true, "code": true, "small": true, "wbr": true, "font": true}

// plainText makes text of a title or snippet: tags out, entities read, one line.
// What looks like a tag and is no element of HTML stays: services give text too.
func plainText(text string) string {
	if strings.Contains(text, "<") {
		text = element.ReplaceAllStringFunc(hidden.ReplaceAllString(text, " "), func(tag string) string {
			name := strings.ToLower(element.FindStringSubmatch(tag)[1])
			switch {
			case atom.Lookup([]byte(name)) == 0:
				return tag
			case inline[name]:
				return ""
			}
			return " "
		})
	}
	if strings.Contains(text, "&") {
		text = html.UnescapeString(html.UnescapeString(text)) // many services escape twice
	}
	text = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && !unicode.IsSpace(r) || r == '\ue000' || r == '\ue001' { // marks of highlighting
			return -1
		}
		return r
	}, strings.ToValidUTF8(text, ""))
	return strings.Join(strings.Fields(text), " ")
}

var (
	ago      = regexp.MustCompile(`(?i)^(?:(\d{1,3})|an?|one)\s+(minute|min|hour|hr|day|week)s?\s+ago$`)
	wellMade = regexp.MustCompile(`^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2})?)(?:[.,]\d+)?\s*(Z|[+-]\d{2}:?\d{2})?)?$`)
	onlyYear = regexp.MustCompile(`^\D*\d{4}$`)
	number   = regexp.MustCompile(`^\d+$`)
)

// isoDate reads a date in the forms that services use. Its precision is kept: a
// day, or a time with or without zone. A date that leaves the day open, or is
// read as two different days in different countries (03/04/2026), gives nil.
// "3 days ago" counts from now, to the day; "2 months ago" names no day.
func isoDate(text string, now time.Time) *string {
	text = strings.TrimSpace(text)
	if text == "" || len(text) > 64 {
		return nil
	}
	made := func(s string) *string { return &s }
	if m := wellMade.FindStringSubmatch(text); m != nil {
		if _, err := time.Parse(time.DateOnly, m[1]); err != nil {
			return nil
		}
		if m[2] == "" {
			return made(m[1])
		}
		clock := m[2]
		if len(clock) == 5 {
			clock += ":00"
		}
		if _, err := time.Parse(time.TimeOnly, clock); err != nil {
			return nil
		}
		zone := m[3]
		if len(zone) == 5 {
			zone = zone[:3] + ":" + zone[3:]
		}
		return made(m[1] + "T" + clock + zone)
	}
	switch strings.ToLower(text) {
	case "today", "just now":
		return made(now.Format(time.DateOnly))
	case "yesterday":
		return made(now.AddDate(0, 0, -1).Format(time.DateOnly))
	}
	if m := ago.FindStringSubmatch(text); m != nil {
		return made(relative(m, now).Format(time.DateOnly))
	}
	if onlyYear.MatchString(text) || number.MatchString(text) && len(text) != 8 && len(text) != 10 && len(text) != 13 {
		return nil // a year, or a month of it: no day
	}
	t, ok := absolute(text)
	if !ok || t.Year() < 1900 || t.Year() > now.Year()+2 {
		return nil
	}
	if t.Hour() == 0 && t.Minute() == 0 && t.Second() == 0 && !strings.Contains(text, ":") {
		return made(t.Format(time.DateOnly))
	}
	return made(t.Format(time.RFC3339))
}

func relative(m []string, now time.Time) time.Time {
	n := 1
	if m[1] != "" {
		n, _ = strconv.Atoi(m[1]) // the pattern lets only digits through
	}
	switch strings.ToLower(m[2]) {
	case "minute", "min":
		return now.Add(-time.Duration(n) * time.Minute)
	case "hour", "hr":
		return now.Add(-time.Duration(n) * time.Hour)
	case "week":
		n *= 7
	}
	return now.AddDate(0, 0, -n)
}

// absolute reads a date by the library's forms; a form that the library
// stumbles over is no date.
func absolute(text string) (t time.Time, ok bool) {
	defer func() {
		if recover() != nil {
			ok = false
		}
	}()
	t, err := dateparse.ParseStrict(text)
	return t, err == nil
}
