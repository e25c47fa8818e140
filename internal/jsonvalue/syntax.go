package jsonvalue

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"unicode/utf8"
)

// Syntax says why a text is no JSON, with line and column, and what to do where
// that can be told; what is "" for JSON.
func Syntax(text []byte) (what, hint string) {
	var fault *json.SyntaxError
	if !errors.As(json.Unmarshal(text, new(any)), &fault) {
		return "", ""
	}
	at := min(max(int(fault.Offset)-1, 0), len(text)) // Offset counts the byte that was wrong
	if fault.Error() == "unexpected end of JSON input" {
		at = len(text)
	}
	before := text[:at]
	line := 1 + bytes.Count(before, []byte("\n"))
	column := 1 + utf8.RuneCount(before[bytes.LastIndexByte(before, '\n')+1:])
	return fmt.Sprintf("%s (line %d, column %d)", fault, line, column), remedy(bytes.TrimSpace(before), text[at:])
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
	case rest[0] == '\'':
		return "Keys and texts stand in double quotation marks."
	case rest[0] == '/' || rest[0] == '#':
		return "JSON has no comments."
	}
	return ""
}
