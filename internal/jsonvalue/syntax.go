package jsonvalue

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// Syntax says why a text is no JSON, with line and column, and what to do where
// that can be told; what is "" for JSON.
func Syntax(text []byte) (what, hint string) {
	if what, hint = Encoding(text); what != "" {
		return what, hint
	}
	var fault *json.SyntaxError
	if !errors.As(json.Unmarshal(text, new(any)), &fault) {
		return "", ""
	}
	at := min(max(int(fault.Offset)-1, 0), len(text)) // Offset counts the byte that was wrong
	if fault.Error() == "unexpected end of JSON input" {
		at = len(text)
	}
	if strings.HasSuffix(fault.Error(), "exceeded max depth") {
		return fmt.Sprintf("it is nested more than %d deep", Deepest), ""
	}
	before := text[:at]
	line := 1 + bytes.Count(before, []byte("\n"))
	column := 1 + utf8.RuneCount(before[bytes.LastIndexByte(before, '\n')+1:])
	return fmt.Sprintf("%s (line %d, column %d)", fault, line, column), remedy(bytes.TrimSpace(before), text[at:])
}

// Encoding says what a text is that is not plain UTF-8 and does not begin as JSON
// does, and what to do; what is "" for any other.
func Encoding(text []byte) (what, hint string) {
	begins := func(signs ...string) bool {
		return slices.ContainsFunc(signs, func(s string) bool { return bytes.HasPrefix(text, []byte(s)) })
	}
	switch {
	case begins("\xef\xbb\xbf"):
		return "it begins with a byte order mark (U+FEFF)", "Write UTF-8 without a byte order mark (in Python encoding=\"utf-8\", not \"utf-8-sig\")."
	case begins("\xff\xfe", "\xfe\xff", "\x00"), len(text) > 1 && text[1] == 0:
		return "it is in UTF-16 or UTF-32", "Write UTF-8."
	}
	return "", ""
}

func remedy(before, rest []byte) string {
	last := byte(0)
	if len(before) > 0 {
		last = before[len(before)-1]
	}
	switch {
	case len(rest) == 0 && last == 0:
		return "It is empty."
	case len(rest) == 0:
		return "It ends too early: a closing }, ] or quotation mark is missing."
	case last == ',' && (rest[0] == '}' || rest[0] == ']'):
		return fmt.Sprintf("Take the comma before the %c away.", rest[0])
	case bytes.HasPrefix(rest, []byte("NaN")), bytes.HasPrefix(rest, []byte("Infinity")):
		return "NaN and Infinity are no numbers of JSON; null stands for what is undefined."
	case rest[0] == '\'':
		return "Keys and texts stand in double quotation marks."
	case rest[0] == '/' || rest[0] == '#':
		return "JSON has no comments."
	}
	return ""
}
