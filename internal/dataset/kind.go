// Package dataset keeps tables of observations as typed columns on disk, in
// blocks with their ranges, and selects rows by time, channel and filters.
// Numbers are kept as the decimals they were written as, so that nothing is
// lost between the text and double-double arithmetic.
package dataset

import (
	"bytes"
	"strings"
	"time"

	"atelier/internal/stat"
)

// Kind is the type of a column.
type Kind string

// The types of columns. A time is kept in milliseconds since 1970 UTC.
const (
	none    Kind = "" // nothing but missing values so far
	Integer Kind = "integer"
	Number  Kind = "number"
	Boolean Kind = "boolean"
	Time    Kind = "time"
	String  Kind = "string"
)

// Numeric says that the values are numbers; booleans are 0 and 1.
func (k Kind) Numeric() bool { return k != String }

// join is the narrowest type that holds the values of both.
func join(a, b Kind) Kind {
	switch {
	case a == b || b == none:
		return a
	case a == none:
		return b
	case a == Integer && b == Number, a == Number && b == Integer:
		return Number
	}
	return String
}

// missingWords are what tables write for a value that is not there.
var missingWords = map[string]bool{
	"": true, "NA": true, "N/A": true, "#N/A": true, "NaN": true, "nan": true, "-nan": true, "NAN": true,
	"null": true, "NULL": true, "None": true, "NONE": true,
}

func missing(text []byte) bool {
	if len(text) == 0 {
		return true
	}
	if len(text) > 4 || text[0]|0x20 != 'n' && text[0] != '#' && text[0] != '-' {
		return false
	}
	return missingWords[string(text)]
}

// standIns are what people write for a value that is not there, and what may be a
// text as well: they are missing where the rest of the column is numbers. They are
// compared in lower case.
var standIns = map[string]bool{
	"-": true, "--": true, "---": true, "–": true, "—": true, ".": true, "..": true, "?": true,
	"n/a": true, "na": true, "#n/a": true, "nil": true, "none": true, "null": true, "nan": true, "missing": true,
}

func standIn(text []byte) bool {
	return len(text) <= 7 && standIns[strings.ToLower(string(text))]
}

// kindOf is the narrowest type of a value that is not missing.
func kindOf(text []byte) Kind {
	text = stat.Plain(text)
	if _, places, ok := stat.ParseDecimal(text); ok {
		if places == 0 && !bytes.ContainsAny(text, ".eE") {
			return Integer
		}
		return Number
	}
	if _, ok := boolean(text); ok {
		return Boolean
	}
	if _, ok := instant(text); ok {
		return Time
	}
	if _, err := stat.Parse(string(text)); err == nil {
		return Number
	}
	return String
}

func boolean(text []byte) (int64, bool) {
	switch string(text) {
	case "true", "True", "TRUE":
		return 1, true
	case "false", "False", "FALSE":
		return 0, true
	}
	return 0, false
}

var layouts = []string{
	time.RFC3339Nano, "2006-01-02T15:04:05.999999999", "2006-01-02 15:04:05.999999999Z07:00",
	"2006-01-02 15:04:05.999999999", "2006-01-02T15:04Z07:00", "2006-01-02T15:04", "2006-01-02 15:04", "2006-01-02",
}

// timePlaces are those of a time in milliseconds kept in nanoseconds.
const timePlaces = 6

// instant reads ISO 8601; without a zone it is UTC. The result is nanoseconds
// since 1970, of the years 1678 to 2261.
func instant(text []byte) (int64, bool) {
	if len(text) < 10 || len(text) > 40 || text[4] != '-' || text[7] != '-' {
		return 0, false
	}
	for _, layout := range layouts {
		if t, err := time.Parse(layout, string(text)); err == nil {
			return t.UnixNano(), t.Year() >= 1678 && t.Year() < 2262
		}
	}
	return 0, false
}
