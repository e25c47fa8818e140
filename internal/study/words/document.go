package words

import (
	"fmt"
	"maps"
	"math"
	"math/big"
	"reflect"
	"slices"
	"strings"

	"atelier/internal/quantity"
)

// set puts a member into a section of the study.
func (r *reader) set(sectionName, name string, value any) {
	s := section(r.doc, sectionName)
	if s == nil {
		s = map[string]any{}
		r.doc[sectionName] = s
	}
	s[name] = value
}

// remove takes a member out, and the section with its last one.
func (r *reader) remove(sectionName, name string) {
	s := section(r.doc, sectionName)
	delete(s, name)
	if len(s) == 0 {
		delete(r.doc, sectionName)
	}
}

// unique is a name that a section does not have yet: force, force 2.
func (r *reader) unique(sectionName, name string) string {
	s := section(r.doc, sectionName)
	for n := 1; ; n++ {
		try := name
		if n > 1 {
			try = fmt.Sprintf("%s %d", name, n)
		}
		if _, taken := s[try]; !taken {
			return try
		}
	}
}

func names(s map[string]any) []string { return slices.Sorted(maps.Keys(s)) }

// member of a section.
type member struct {
	section, name string
	value         map[string]any
}

func (m member) kind() string { return text(m.value["type"]) }

// members of a section of a kind of conditions, by name.
func (r *reader) members(sectionName string, kinds ...string) []member {
	var out []member
	s := section(r.doc, sectionName)
	for _, name := range names(s) {
		value, _ := s[name].(map[string]any)
		m := member{sectionName, name, value}
		if len(kinds) == 0 || slices.Contains(kinds, m.kind()) {
			out = append(out, m)
		}
	}
	return out
}

// samePlace compares two places of the document.
func samePlace(a, b any) bool {
	return reflect.DeepEqual(listed(a), listed(b))
}

// listed is a place, or a list of them, as a sorted list.
func listed(v any) []string {
	list, ok := v.([]any)
	if !ok {
		list = []any{v}
	}
	var out []string
	for _, p := range list {
		out = append(out, string(encode(plain(p))))
	}
	slices.Sort(out)
	return out
}

// plain writes the planes of a box by one name: x_min is left.
func plain(v any) any {
	switch v {
	case "x_min":
		return "left"
	case "x_max":
		return "right"
	case "y_min":
		return "front"
	case "y_max":
		return "back"
	case "z_min":
		return "bottom"
	case "z_max":
		return "top"
	}
	return v
}

// on is a list of places as the document has it: one alone is no list.
func on(list []any) any {
	if len(list) == 1 {
		return list[0]
	}
	return list
}

// times multiplies a number, or the number of a text with a unit, or each of a list.
func times(v any, factor float64) any {
	switch v := v.(type) {
	case float64:
		return v * factor
	case string:
		number, n, err := quantity.NumberAt(v)
		if err != nil || n == 0 {
			return v
		}
		f := new(big.Rat).SetFloat64(factor)
		if exact := ratio(math.Abs(factor)); exact != nil {
			if f = exact; factor < 0 {
				f.Neg(f)
			}
		}
		out := new(big.Rat).Mul(number, f)
		return strings.TrimSpace(decimal(out) + " " + strings.TrimSpace(v[n:]))
	case []any:
		out := make([]any, len(v))
		for i, x := range v {
			out[i] = times(x, factor)
		}
		return out
	}
	return v
}

// ratio is a factor as a fraction of small numbers, so that a third is one.
func ratio(f float64) *big.Rat {
	for d := int64(1); d <= 1000; d++ {
		n := f * float64(d)
		if whole := int64(n + 0.5); whole > 0 && abs(n-float64(whole)) < 1e-9*n {
			return big.NewRat(whole, d)
		}
	}
	return nil
}

func abs(v float64) float64 {
	if v < 0 {
		return -v
	}
	return v
}

// overlap says whether two places of the document have one in common; all has every one.
func overlap(a, b any) bool {
	for _, p := range listed(a) {
		if p == `"all"` || slices.Contains(listed(b), p) {
			return true
		}
	}
	return false
}
