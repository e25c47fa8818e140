package contract

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"reflect"
	"slices"
	"strings"
)

// decodeInput decodes a validated input into the struct of its tool. JSON Schema
// takes any number without a fractional part as an integer (Core 2020-12, 4.2.3),
// 46.0 and 4.6e1 too, which Go's decoder refuses, so such numbers are written
// plainly first; not for a tool that asks for the digits as they were written, by a
// json.Number in its struct. One that the struct's field cannot hold is invalid_input.
func decodeInput(tool string, input json.RawMessage, into any) error {
	if !asksForDigits(reflect.TypeOf(into).Elem()) {
		input = plainIntegers(input)
	}
	err := json.Unmarshal(input, into)
	var unfit *json.UnmarshalTypeError
	if errors.As(err, &unfit) && strings.HasPrefix(unfit.Value, "number") {
		at := "/" + strings.ReplaceAll(unfit.Field, ".", "/")
		e := Errorf(CodeInvalidInput, "%s is %s, which a 64-bit integer cannot hold", at, strings.TrimPrefix(unfit.Value, "number "))
		return e.At(at).With("fault", FaultValue)
	}
	if err != nil {
		return fmt.Errorf("%s: the validated input does not fit its struct: %w", tool, err)
	}
	return nil
}

func asksForDigits(in reflect.Type) bool {
	if in.Kind() != reflect.Struct {
		return false
	}
	return slices.ContainsFunc(reflect.VisibleFields(in), func(f reflect.StructField) bool { return f.Type == reflect.TypeFor[json.Number]() })
}

// plainIntegers rewrites the numbers of a JSON text that are integers in
// disguise (46.0, 1e3) and leaves every other byte as it is.
func plainIntegers(raw []byte) []byte {
	if !bytes.ContainsAny(raw, ".eE") {
		return raw
	}
	var out []byte // nil until something changes
	kept := 0      // raw[:kept] is in out
	for i := 0; i < len(raw); {
		switch c := raw[i]; {
		case c == '"':
			i = afterString(raw, i)
		case c == '-' || c >= '0' && c <= '9':
			end := i + 1
			for end < len(raw) && strings.IndexByte("0123456789+-.eE", raw[end]) >= 0 {
				end++
			}
			if plain, ok := plainInteger(string(raw[i:end])); ok {
				out = append(append(out, raw[kept:i]...), plain...)
				kept = end
			}
			i = end
		default:
			i++
		}
	}
	if kept == 0 {
		return raw
	}
	return append(out, raw[kept:]...)
}

func afterString(raw []byte, i int) int {
	for i++; i < len(raw) && raw[i] != '"'; i++ {
		if raw[i] == '\\' {
			i++
		}
	}
	return i + 1
}

func plainInteger(number string) (string, bool) {
	if !strings.ContainsAny(number, ".eE") {
		return "", false
	}
	// Validation has refused exponents beyond those of a float64, so that this
	// is cheap.
	r, ok := new(big.Rat).SetString(number)
	if !ok || !r.IsInt() || r.Num().BitLen() > 64 {
		return "", false
	}
	return r.Num().String(), true
}
