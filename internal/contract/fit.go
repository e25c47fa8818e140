package contract

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"

	"atelier/internal/jsonvalue"
)

// Body reads the body of a request into a struct of ours: the one place where
// objects of callers become fields. Names are compared exactly. A key that is no
// field is refused, or, of an open body, let through unless it differs from a field
// in its case alone: encoding/json would take it for that field.
func Body(raw []byte, into any, open bool) *Error {
	return decodeBody(raw, into, jsonvalue.Rules{Open: open}, "", "the body")
}

// Part is Body for a part of a body, which stands at a place; other readers have
// seen to it that it is good JSON.
func Part(raw []byte, into any, open bool, at string) *Error {
	return decodeBody(raw, into, jsonvalue.Rules{Open: open}, at, at)
}

func decodeBody(raw []byte, into any, rules jsonvalue.Rules, at, subject string) *Error {
	if len(bytes.TrimSpace(raw)) == 0 {
		return Errorf(CodeInvalidRequest, "%s is empty; a JSON object was expected", subject).At(at)
	}
	if jsonvalue.TooDeep(raw) {
		return tooDeep(CodeInvalidRequest, subject).At(at)
	}
	if m := jsonvalue.Fit(raw, reflect.TypeOf(into), rules); m != nil {
		return misfitIn(raw, m, at, subject)
	}
	if err := json.Unmarshal(raw, into); err != nil { // what decodes itself
		return Errorf(CodeInvalidRequest, "%s is not what is expected here: %s", subject, strings.TrimPrefix(err.Error(), "json: ")).At(at)
	}
	return nil
}

func misfitIn(raw []byte, m *jsonvalue.Misfit, at, subject string) *Error {
	place := at + m.At
	switch {
	case m.Text != nil:
		if what, _ := jsonvalue.Syntax(raw); strings.Contains(what, "after top-level value") {
			return Errorf(CodeInvalidRequest, "%s holds more than one JSON value", subject)
		} else if what != "" {
			return notJSON(CodeInvalidRequest, subject, raw, m.Text)
		}
		fault := StrictJSON(raw, CodeInvalidRequest)
		if fault == nil {
			return Errorf(CodeInvalidRequest, "%s is not valid JSON: %w", subject, m.Text).At(at)
		}
		return fault.At(at + fault.Field)
	case m.Twice:
		return twice(CodeInvalidRequest, place).At(place)
	case m.Unknown:
		if what, _ := jsonvalue.Syntax(raw); what != "" { // further on, and the first to mend
			return notJSON(CodeInvalidRequest, subject, raw, nil)
		}
		where := subject
		if m.Parent() != "" {
			where = at + m.Parent()
		}
		e := Errorf(CodeInvalidRequest, "%s has an unknown field %q", where, m.Name)
		return e.At(place).WithHint("%s", instead(m))
	}
	where := subject
	if m.At != "" {
		where = place
	}
	given, _, _ := strings.Cut(m.Got, " ") // without the digits of a number
	e := Errorf(CodeInvalidRequest, "%s is a JSON %s, expected %s", where, given, typeName(m.Want)).At(place)
	e.Expected, e.Actual = typeName(m.Want), given
	return e
}

// instead is what an object takes that has a key it does not know.
func instead(m *jsonvalue.Misfit) string {
	if len(m.Known) == 0 {
		return "It takes no fields."
	}
	near := m.Near()
	if near == "" {
		near = Nearest(m.Name, m.Known)
	}
	if near != "" {
		return "Did you mean \"" + near + "\"? " + takes(m.Known)
	}
	return takes(m.Known)
}

// typeName is what JSON calls the values that a type is read from.
func typeName(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Pointer:
		return typeName(t.Elem())
	case reflect.Struct, reflect.Map:
		return "object"
	case reflect.Slice, reflect.Array:
		return "array"
	case reflect.String:
		return "string"
	case reflect.Bool:
		return "boolean"
	case reflect.Float32, reflect.Float64:
		return "number"
	}
	return "whole number"
}

// Unfit says in plain words, with its place, why a JSON text is not what a type is
// read from, by the same rules as Body; "" where it is. It is for what programs and
// files say, whose authors know JSON and not Go.
func Unfit(raw []byte, t reflect.Type, rules jsonvalue.Rules) string {
	m := jsonvalue.Fit(raw, t, rules)
	switch {
	case m == nil:
		return ""
	case m.Text != nil:
		if what, hint := jsonvalue.Syntax(raw); what != "" {
			return strings.TrimSuffix("it is not valid JSON: "+what+". "+hint, ". ")
		}
		if fault := StrictJSON(raw, CodeInvalidRequest); fault != nil {
			return fault.Message
		}
		return "it is not valid JSON: " + m.Text.Error()
	case m.Twice:
		return twice(CodeInvalidRequest, m.At).Message
	case m.Unknown:
		where := m.Parent()
		if where == "" {
			where = "it"
		}
		return where + " has the unknown field \"" + m.Name + "\". " + strings.TrimSuffix(instead(m), ".")
	}
	where := m.At
	if where == "" {
		where = "it"
	}
	return where + " is " + withArticle(m.Got) + "; " + jsonKind(m.Want) + " is expected"
}
