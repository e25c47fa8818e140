package contract

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
)

// Misfit says in plain words why a JSON text does not fit what it is read into:
// the decoder's own sentences name types of the program, which no reader knows.
func Misfit(err error) string {
	var unfit *json.UnmarshalTypeError
	var syntax *json.SyntaxError
	switch {
	case errors.As(err, &unfit):
		at := "/" + strings.ReplaceAll(unfit.Field, ".", "/")
		if unfit.Field == "" {
			at = "it"
		}
		return fmt.Sprintf("%s is %s; %s is expected", at, withArticle(unfit.Value), jsonKind(unfit.Type))
	case errors.Is(err, io.EOF):
		return "it is empty"
	case errors.Is(err, io.ErrUnexpectedEOF):
		return "it ends too early"
	case errors.As(err, &syntax):
		return "it is not valid JSON: " + syntax.Error()
	}
	if name, ok := strings.CutPrefix(err.Error(), "json: unknown field "); ok {
		return "it has the unknown field " + name
	}
	return strings.TrimPrefix(err.Error(), "json: ")
}

// withArticle is a kind of value as the decoder names it, in a sentence.
func withArticle(kind string) string {
	switch {
	case kind == "bool":
		return "true or false"
	case strings.HasPrefix(kind, "array"), strings.HasPrefix(kind, "object"):
		return "an " + kind
	}
	return "a " + kind
}

// jsonKind is what JSON calls the values of a type.
func jsonKind(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Pointer:
		return jsonKind(t.Elem())
	case reflect.String:
		return "a text"
	case reflect.Bool:
		return "true or false"
	case reflect.Float32, reflect.Float64:
		return "a number of at most 1.8e308"
	case reflect.Slice, reflect.Array:
		return "a list"
	case reflect.Map, reflect.Struct:
		return "an object"
	}
	return "a whole number"
}
