package statistics

import (
	"bytes"
	"encoding/json"
	"math"
	"strconv"
)

// number is a figure; one that is undefined is null, never 0.
type number float64

// MarshalJSON implements json.Marshaler.
func (n number) MarshalJSON() ([]byte, error) {
	f := float64(n)
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return []byte("null"), nil
	}
	return json.Marshal(f)
}

func (n number) defined() bool { return !math.IsNaN(float64(n)) && !math.IsInf(float64(n), 0) }

// text is the number with all its digits, empty where it is undefined.
func (n number) text() string {
	if !n.defined() {
		return ""
	}
	return strconv.FormatFloat(float64(n), 'g', -1, 64)
}

// named are figures by name, in the order of the columns.
type named []entry

type entry struct {
	name  string
	value any
}

// MarshalJSON implements json.Marshaler.
func (n named) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, e := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		key, err := json.Marshal(e.name)
		if err != nil {
			return nil, err
		}
		value, err := json.Marshal(e.value)
		if err != nil {
			return nil, err
		}
		b.Write(key)
		b.WriteByte(':')
		b.Write(value)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

func name(names []string, values []float64) named {
	out := make(named, len(names))
	for i, n := range names {
		out[i] = entry{n, number(values[i])}
	}
	return out
}

// thousands writes 18204 as 18,204.
func thousands(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
