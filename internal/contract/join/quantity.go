package join

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"atelier/internal/quantity"
)

// marker is the keyword by which the source of a contract says what quantity an
// argument is. It stands on a number, or above numbers that share it: a vector, a
// choice of a number and a vector.
//
//	"quantity": "youngs_modulus"                     a kind of package quantity, in SI units
//	"quantity": {"kind": "angle", "unit": "deg"}     the number is in another unit
//	"quantity": {"kind": "length", "unit": "file"}   the number is in the unit of a file
//	"quantity": {"any": ["voltage", "current"]}      one of several
//	"quantity": {"by": "type", "of": {"fixed_temp": "temperature"}}
//	                                                 by the value of the field beside it, in
//	                                                 any case; "" where that is absent, v* for
//	                                                 what begins with v, * for all else
//	"quantity": {"columns": ["temperature", "stress"]}
//	                                                 above a table: a mark for each item of a row
const marker = "quantity"

// FileUnit is the unit of a mark whose numbers are in the unit of a file.
const FileUnit = "file"

// Mark says what quantity an argument is.
type Mark struct {
	Kind    string            `json:"kind"`
	Unit    string            `json:"unit"`
	Any     []string          `json:"any"`
	By      string            `json:"by"`
	Of      map[string]string `json:"of"`
	Columns []Mark            `json:"columns"`
}

// UnmarshalJSON also reads the name of a kind alone.
func (m *Mark) UnmarshalJSON(raw []byte) error {
	if bytes.HasPrefix(raw, []byte(`"`)) {
		return json.Unmarshal(raw, &m.Kind)
	}
	type fields Mark // without this method
	return json.Unmarshal(raw, (*fields)(m))
}

// ReadMark reads the keyword of a schema that was decoded; ok is false where the
// schema has none.
func ReadMark(schema map[string]any) (m Mark, ok bool) {
	switch v := schema[marker].(type) {
	case string, map[string]any:
		raw, err := json.Marshal(v)
		return m, err == nil && json.Unmarshal(raw, &m) == nil
	}
	return m, false
}

// Named is the kind that the value of the field beside the argument names; "" for none.
func (m Mark) Named(value any, given bool) string {
	if !given {
		return m.Of[""]
	}
	word, _ := value.(string)
	if id, ok := m.Of[word]; ok && word != "" {
		return id
	}
	for _, key := range slices.Backward(slices.Sorted(maps.Keys(m.Of))) { // v* before *
		prefix, ok := strings.CutSuffix(key, "*")
		if ok && strings.HasPrefix(strings.ToLower(word), prefix) {
			return m.Of[key]
		}
	}
	return ""
}

// ids lists the kinds that a mark may mean.
func (m Mark) ids() []string {
	ids := slices.Clone(m.Any)
	if m.Kind != "" {
		ids = append(ids, m.Kind)
	}
	for _, id := range m.Of {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	for _, c := range m.Columns {
		ids = append(ids, c.ids()...)
	}
	return slices.Compact(ids)
}

// InputSchema makes of a joined schema with marks the one that callers see: plain
// JSON Schema in which a marked number may also be a text, and whose description
// shows how one is written.
func InputSchema(marked json.RawMessage) (json.RawMessage, error) {
	if !bytes.Contains(marked, []byte(`"`+marker+`"`)) {
		return marked, nil
	}
	doc, err := parse(marked)
	if err != nil {
		return nil, err
	}
	open, err := opened(doc, "")
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	err = write(&out, open)
	return out.Bytes(), err
}

func opened(value any, at string) (any, error) {
	switch v := value.(type) {
	case object:
		properties := strings.HasSuffix(at, "/properties") || strings.HasSuffix(at, "/$defs") // whose members are names
		if i := v.find(marker); i >= 0 && !properties {
			return openMarked(v, i, at)
		}
		out := make(object, len(v))
		for i, m := range v {
			next, err := opened(m.value, at+"/"+m.key)
			if err != nil {
				return nil, err
			}
			out[i] = member{m.key, next}
		}
		return out, nil
	case []any:
		out := make([]any, len(v))
		for i, item := range v {
			next, err := opened(item, at+"/-")
			if err != nil {
				return nil, err
			}
			out[i] = next
		}
		return out, nil
	}
	return value, nil
}

func openMarked(o object, i int, at string) (any, error) {
	var text bytes.Buffer
	if err := write(&text, object{o[i]}); err != nil {
		return nil, err
	}
	var plain map[string]any
	if err := json.Unmarshal(text.Bytes(), &plain); err != nil {
		return nil, err
	}
	mark, ok := ReadMark(plain)
	ids := mark.ids()
	if !ok || len(ids) == 0 {
		return nil, fmt.Errorf("%s/%s is no mark of a quantity", at, marker)
	}
	var examples []string
	for _, id := range ids {
		kind, known := quantity.ByID(id)
		if !known {
			return nil, fmt.Errorf("%s/%s: there is no kind of quantity %q; kinds are %s", at, marker, id, strings.Join(quantity.IDs(), ", "))
		}
		if mark.Unit != "" && mark.Unit != FileUnit {
			if _, err := quantity.ParseAs("1 "+mark.Unit, kind); err != nil {
				return nil, fmt.Errorf("%s/%s: the unit %q is none of a %s: one is %s", at, marker, mark.Unit, kind.Name, cmp.Or(kind.SI, kind.Example))
			}
		}
		examples = append(examples, `"`+kind.Example+`"`)
	}
	out, numbers := withTexts(slices.Delete(slices.Clone(o), i, i+1))
	if numbers == 0 {
		return nil, fmt.Errorf("%s: a quantity is a number, or a list of numbers", at)
	}
	phrase := "Or with a unit: " + strings.Join(examples, ", ") + "."
	if len(examples) > 3 {
		phrase = "Or with a unit: " + strings.Join(examples[:3], ", ") + ", …"
	}
	result := out.(object)
	switch d := result.find("description"); {
	case d >= 0:
		said, _ := result[d].value.(string)
		result[d].value = strings.TrimSpace(said + " " + phrase)
	default:
		result = append(result, member{"description", phrase})
	}
	return result, nil
}

// withTexts lets every number within a schema be a text too, and counts them.
func withTexts(value any) (any, int) {
	switch v := value.(type) {
	case object:
		out, count := slices.Clone(v), 0
		for i, m := range out {
			if m.key == "type" && m.value == "number" {
				out[i].value = []any{"number", "string"}
				count++
				continue
			}
			next, n := withTexts(m.value)
			out[i].value = next
			count += n
		}
		return out, count
	case []any:
		out, count := slices.Clone(v), 0
		for i, item := range out {
			next, n := withTexts(item)
			out[i] = next
			count += n
		}
		return out, count
	}
	return value, 0
}
