// Package jsonvalue is what encoding/json lacks and several packages need: the
// tokens of JSON pointers (RFC 6901), whether two texts are the same value, and
// where a text stops to be JSON.
package jsonvalue

import (
	"bytes"
	"encoding/json"
	"io"
	"strconv"
	"strings"
)

var (
	escaper   = strings.NewReplacer("~", "~0", "/", "~1")
	unescaper = strings.NewReplacer("~1", "/", "~0", "~")
)

// Escape is a name as one token of a JSON pointer.
func Escape(name string) string { return escaper.Replace(name) }

// Unescape is the name that a token of a JSON pointer stands for.
func Unescape(token string) string { return unescaper.Replace(token) }

// Same says whether two texts are the same JSON value: the order of keys and the
// spelling of a number (1, 1.0, 1e0) do not count. What is no JSON is compared
// byte by byte.
func Same(a, b json.RawMessage) bool {
	x, valid := decode(a)
	y, alsoValid := decode(b)
	if !valid || !alsoValid {
		return bytes.Equal(a, b)
	}
	return equal(x, y)
}

func decode(raw json.RawMessage) (v any, ok bool) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	if d.Decode(&v) != nil {
		return nil, false
	}
	_, err := d.Token()
	return v, err == io.EOF
}

func equal(a, b any) bool {
	switch x := a.(type) {
	case map[string]any:
		y, ok := b.(map[string]any)
		if !ok || len(x) != len(y) {
			return false
		}
		for key, value := range x {
			if other, ok := y[key]; !ok || !equal(value, other) {
				return false
			}
		}
		return true
	case []any:
		y, ok := b.([]any)
		if !ok || len(x) != len(y) {
			return false
		}
		for i := range x {
			if !equal(x[i], y[i]) {
				return false
			}
		}
		return true
	case json.Number:
		y, ok := b.(json.Number)
		return ok && (x == y || sameNumber(string(x), string(y)))
	}
	return a == b
}

// sameNumber compares whole numbers digit by digit, since two that a float
// cannot tell apart may be two keys or two seeds.
func sameNumber(x, y string) bool {
	if !strings.ContainsAny(x+y, ".eE") {
		return x == y
	}
	p, errP := strconv.ParseFloat(x, 64)
	q, errQ := strconv.ParseFloat(y, 64)
	return errP == nil && errQ == nil && p == q
}
