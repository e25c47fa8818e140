package contract

import (
	"bytes"
	"errors"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"atelier/internal/jsonvalue"
)

// StrictJSON refuses what RFC 8259 leaves open and readers disagree about: a key
// that stands twice in an object, and text that is no Unicode (invalid UTF-8, a
// lone surrogate). nil where the text is one good JSON value. The error has the
// code, and the place as a JSON pointer.
func StrictJSON(raw []byte, code string) *Error {
	if jsonvalue.TooDeep(raw) {
		return tooDeep(code, "the value").With("fault", FaultValue)
	}
	dec := jsontext.NewDecoder(bytes.NewReader(raw))
	err := dec.SkipValue()
	if err == nil {
		return nil
	}
	var fault *jsontext.SyntacticError
	if !errors.As(err, &fault) {
		return Errorf(code, "it is not valid JSON: %w", err)
	}
	if what, hint := jsonvalue.Encoding(raw); what != "" {
		return Errorf(code, "the value is not good JSON: %s", what).WithHint("%s", hint).With("fault", FaultValue)
	}
	at := string(fault.JSONPointer)
	where := at
	if where == "" {
		where = "the value"
	}
	what := strings.TrimPrefix(fault.Err.Error(), "jsontext: ")
	if pair := "invalid surrogate pair"; strings.HasPrefix(what, pair) {
		what = pair // without the bytes that follow, which the decoder quotes
	}
	e := Errorf(code, "%s is not good JSON: %s", where, what)
	switch {
	case errors.Is(err, jsontext.ErrDuplicateName):
		e = twice(code, where)
	case !errors.Is(err, jsontext.ErrNonStringName):
		e = e.WithHint("Send valid UTF-8, and \\u escapes of surrogates in pairs only.")
	}
	return e.At(at).With("fault", FaultValue)
}

func twice(code, where string) *Error {
	return Errorf(code, "%s stands twice in its object", where).WithHint("Send each key once: readers disagree about which one counts.")
}

func tooDeep(code, subject string) *Error {
	return Errorf(code, "%s is nested more than %d deep", subject, jsonvalue.Deepest).WithHint("Put fewer objects and lists into each other.")
}

// notJSON is the error of a text that is no JSON, with the place and what to do.
func notJSON(code, subject string, raw []byte, err error) *Error {
	if jsonvalue.TooDeep(raw) {
		return tooDeep(code, subject)
	}
	what, hint := jsonvalue.Syntax(raw)
	if what == "" {
		what = err.Error() // a fault of another kind than syntax
	}
	e := Errorf(code, "%s is not valid JSON: %s", subject, what)
	if hint != "" {
		e = e.WithHint("%s", hint)
	}
	return e
}
