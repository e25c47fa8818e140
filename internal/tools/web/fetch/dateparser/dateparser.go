// Package dateparser stands in this build for the module of the same name, by
// the replace line of go.mod. go-htmldate, which go-trafilatura finds dates
// with, names that module for one thing: dates in the free text of 200
// languages, in its extensive search. The original makes tables for them
// whenever the program starts, even for `atelier version`: 95 MB and 0.17 s
// (v1.4.7, GODEBUG=inittrace=1). Pages are read here without that search, so
// what go-htmldate needs of the module is its types, and dates in the plain
// formats that Parse knows.
package dateparser

import (
	"errors"
	"strings"
	"time"
)

// ParserType chooses kinds of dates; this parser knows absolute ones alone.
type ParserType uint8

// The kinds that go-htmldate asks for.
const (
	AbsoluteTime ParserType = iota
	CustomFormat
)

// PreferredDateSource decides about dates without a year.
type PreferredDateSource uint8

// The year of a date without one is that of CurrentTime, or with Past the
// latest in which the date is not after it.
const (
	CurrentPeriod PreferredDateSource = iota
	Past
)

// Configuration of a call.
type Configuration struct {
	CurrentTime         time.Time // zero: now
	StrictParsing       bool      // refuses dates without a year
	PreferredDateSource PreferredDateSource
}

// Parser parses dates.
type Parser struct {
	ParserTypes []ParserType
}

// Date is a date as it was found.
type Date struct {
	Time time.Time
}

// ErrNoDate says that a text is not a date.
var ErrNoDate = errors.New("the text is no date in a known format")

// Formats with a year and, after them, without.
var (
	whole = []string{
		time.RFC3339, time.RFC1123, time.RFC1123Z, time.RFC822, time.RFC822Z, time.RFC850, time.ANSIC, time.UnixDate, time.RubyDate,
		"2006-01-02", "2006-01-02 15:04", "2006-01-02 15:04:05", "2006/01/02", "02.01.2006", "2.1.2006",
		"2 January 2006", "2 Jan 2006", "January 2, 2006", "Jan 2, 2006", "January 2 2006", "Jan 2 2006",
		"Monday, 2 January 2006", "Monday, January 2, 2006", "Mon, Jan 2, 2006", "Mon, 2 Jan 2006",
	}
	yearless = []string{"2 January", "2 Jan", "January 2", "Jan 2"}
)

// Parse reads a date in one of a few absolute formats, English where they have
// words. Formats of the caller, in Go's notation, are tried first.
func (p *Parser) Parse(c *Configuration, text string, formats ...string) (Date, error) {
	text = strings.Join(strings.Fields(text), " ")
	for _, list := range [][]string{formats, whole} {
		for _, format := range list {
			if t, err := time.Parse(format, text); err == nil {
				return Date{t}, nil
			}
		}
	}
	if c == nil {
		c = &Configuration{}
	}
	if c.StrictParsing {
		return Date{}, ErrNoDate
	}
	now := c.CurrentTime
	if now.IsZero() {
		now = time.Now()
	}
	for _, format := range yearless {
		if t, err := time.Parse(format, text); err == nil {
			t = t.AddDate(now.Year()-t.Year(), 0, 0)
			if c.PreferredDateSource == Past && t.After(now) {
				t = t.AddDate(-1, 0, 0)
			}
			return Date{t}, nil
		}
	}
	return Date{}, ErrNoDate
}
