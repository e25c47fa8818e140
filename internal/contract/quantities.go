package contract

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"atelier/internal/contract/join"
	"atelier/internal/evidence"
	"atelier/internal/jsonvalue"
	"atelier/internal/quantity"
)

// marked is the input schema with its marks of quantities, as the contract's
// source has them; the schema that callers see is made of it.
type marked struct {
	raw  json.RawMessage
	once sync.Once
	doc  any // nil without marks
}

func (m *marked) get() any {
	m.once.Do(func() {
		if !bytes.Contains(m.raw, []byte(`"quantity"`)) {
			return
		}
		m.doc, _ = jsonschema.UnmarshalJSON(bytes.NewReader(m.raw)) // it has been compiled
	})
	return m.doc
}

// open keeps the marks of the input schema and makes of it the one that callers see.
func (c *Contract) open() error {
	c.marked.raw = c.InputSchema
	var err error
	c.InputSchema, err = join.InputSchema(c.InputSchema)
	return err
}

// Normalise returns a validated input as the tool gets it: each text with a unit
// where the contract marks a quantity is a number in the unit that the contract
// names. A length in the unit of a file that only the tool will read stays a text,
// in metres (quantity.Coordinate). All else keeps its bytes.
func (c *Contract) Normalise(raw json.RawMessage) json.RawMessage {
	root := c.marked.get()
	if root == nil || len(raw) == 0 {
		return raw
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		return raw
	}
	r := reader{root: root}
	r.walk(root, doc, "", nil)
	return splice(raw, r.texts)
}

// Implausible are checks that fail: one of each quantity of an input that is
// possible and that nobody is likely to mean, such as a Young's modulus of 210 Pa.
func (c *Contract) Implausible(raw json.RawMessage) []evidence.Check {
	root := c.marked.get()
	if root == nil || len(raw) == 0 {
		return nil
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		return nil
	}
	r := reader{root: root, judge: true}
	r.walk(root, doc, "", nil)
	for _, d := range r.doubts {
		if r.largest[d.kind.Name] > d.kind.Scaled { // else the problem is scaled
			r.checks = append(r.checks, d.check)
		}
	}
	return r.checks
}

// doubt is a check of a number that would be believed with a unit.
type doubt struct {
	kind  quantity.Kind
	check evidence.Check
}

// reader walks a schema with marks beside an instance.
type reader struct {
	root   any
	judge  bool
	texts  map[string]string // what takes the place of a text, by its pointer
	faults []*Error
	checks []evidence.Check
	doubts []doubt
	// largest is the largest magnitude of a kind in the input.
	largest map[string]float64
}

// walk returns the value with numbers in the place of texts with a unit.
func (r *reader) walk(schema, value any, at string, beside map[string]any) any {
	s, ok := schema.(map[string]any)
	if !ok {
		return value
	}
	if mark, ok := join.ReadMark(s); ok {
		return r.marked(mark, value, at, beside)
	}
	if ref, ok := s["$ref"].(string); ok {
		if target, found := localTarget(r.root, ref); found {
			value = r.walk(target, value, at, beside)
		}
	}
	for _, key := range []string{"oneOf", "anyOf", "allOf"} {
		branches, _ := s[key].([]any)
		for _, b := range branches {
			if key == "allOf" || r.mayBe(b, value) {
				value = r.walk(b, value, at, beside)
			}
		}
	}
	switch v := value.(type) {
	case map[string]any:
		properties, _ := s["properties"].(map[string]any)
		for _, name := range slices.Sorted(maps.Keys(v)) {
			if property, known := properties[name]; known {
				v[name] = r.walk(property, v[name], at+"/"+jsonvalue.Escape(name), v)
			} else {
				v[name] = r.walk(s["additionalProperties"], v[name], at+"/"+jsonvalue.Escape(name), v)
			}
		}
	case []any:
		for i := range v {
			v[i] = r.walk(s["items"], v[i], at+"/"+strconv.Itoa(i), nil)
		}
	}
	return value
}

// mayBe says whether a value may be of the type that a branch of a choice states. Lists and
// objects are no numbers; what else is wrong with a value, its validation says.
func (r *reader) mayBe(branch, value any) bool {
	b, _ := declared{root: r.root}.resolved(branch).(map[string]any)
	kind, typed := b["type"].(string)
	_, object := value.(map[string]any)
	_, list := value.([]any)
	return !typed || object == (kind == "object") && (!list || kind == "array")
}

// marked reads a value at a marked place: a number, a text, or lists of them.
func (r *reader) marked(mark join.Mark, value any, at string, beside map[string]any) any {
	if len(mark.Columns) > 0 {
		return r.table(mark.Columns, value, at, beside)
	}
	kinds := kindsOf(mark, beside)
	if len(kinds) == 0 {
		return value
	}
	_, bare := value.(json.Number)
	value = r.numbers(kinds, mark.Unit, value, at)
	if r.judge {
		r.plausible(kinds, value, at, bare)
	}
	return value
}

// table reads rows, whose items are marked one by one.
func (r *reader) table(columns []join.Mark, value any, at string, beside map[string]any) any {
	rows, _ := value.([]any)
	for i := range rows {
		row, _ := rows[i].([]any)
		for k := range min(len(row), len(columns)) {
			row[k] = r.marked(columns[k], row[k], fmt.Sprintf("%s/%d/%d", at, i, k), beside)
		}
	}
	return value
}

// numbers puts numbers in the place of texts; when the input is judged these are
// in SI units, else in the unit of the mark.
func (r *reader) numbers(kinds []quantity.Kind, unit string, value any, at string) any {
	switch v := value.(type) {
	case []any:
		for i := range v {
			v[i] = r.numbers(kinds, unit, v[i], at+"/"+strconv.Itoa(i))
		}
	case string:
		return r.text(kinds, unit, v, at)
	case json.Number:
		return r.number(kinds, unit, v, at)
	default:
		e := Errorf(CodeInvalidInput, "%s is of type %s, expected number or string", at, jsonType(v)).At(at).
			WithHint("Write a number, or a text with a unit, as in %q.", kinds[0].Example).With("fault", FaultType)
		e.Expected, e.Actual = "number or string", jsonType(v)
		r.faults = append(r.faults, e)
	}
	return value
}

func jsonType(v any) string {
	switch v.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	}
	return "object"
}

func (r *reader) text(kinds []quantity.Kind, unit, text, at string) any {
	var first error
	for _, k := range kinds {
		in := unit
		if in == "" || in == join.FileUnit || r.judge {
			in = k.SI
		}
		v, err := quantity.ParseIn(text, k, in)
		if err == nil {
			err = k.CheckPossible(k.InSI(v, in))
		}
		if err != nil {
			first = cmp.Or(first, err)
			continue
		}
		plain, err := json.Marshal(v)
		if err != nil { // infinite
			first = cmp.Or(first, err)
			continue
		}
		if r.texts == nil {
			r.texts = map[string]string{}
		}
		r.texts[at] = string(plain)
		if unit == join.FileUnit {
			r.texts[at] = `"` + string(plain) + " " + k.SI + `"`
		}
		return json.Number(plain)
	}
	r.fault(first, at)
	return text
}

func (r *reader) number(kinds []quantity.Kind, unit string, number json.Number, at string) any {
	v, err := number.Float64()
	if err != nil || unit == join.FileUnit {
		if r.judge {
			return nil // of an unknown size
		}
		return number
	}
	var first error
	for _, k := range kinds {
		si := k.InSI(v, cmp.Or(unit, k.SI))
		if err := k.CheckPossible(si); err != nil {
			first = cmp.Or(first, err)
			continue
		}
		if r.judge {
			return json.Number(strconv.FormatFloat(si, 'g', -1, 64))
		}
		return number
	}
	r.fault(first, at)
	return number
}

func (r *reader) fault(err error, at string) {
	e := AsError(err)
	r.faults = append(r.faults, e.At(at).With("fault", FaultValue))
}

// plausible adds a failed check where no kind takes a value for likely; of a
// vector its largest component counts, as the others may be rounding. bare says that
// the value came without a unit.
func (r *reader) plausible(kinds []quantity.Kind, value any, at string, bare bool) {
	largest, found := 0.0, false
	list, ok := value.([]any)
	if !ok {
		list = []any{value}
	}
	for _, item := range list {
		if nested, ok := item.([]any); ok {
			r.plausible(kinds, nested, at, bare)
			continue
		}
		number, ok := item.(json.Number)
		if !ok {
			continue
		}
		if v, err := number.Float64(); err == nil && (!found || math.Abs(v) > math.Abs(largest)) {
			largest, found = v, true
		}
	}
	if !found {
		return
	}
	var first error
	for _, k := range kinds {
		err := k.Check(largest)
		if err == nil {
			r.believe(k, largest, at, bare)
			return
		}
		first = cmp.Or(first, err)
	}
	r.checks = append(r.checks, implausible(first, at))
}

// believe notes a plausible value, and the doubt in one that came without a unit.
func (r *reader) believe(k quantity.Kind, v float64, at string, bare bool) {
	if r.largest == nil {
		r.largest = map[string]float64{}
	}
	r.largest[k.Name] = max(r.largest[k.Name], math.Abs(v))
	if err := k.CheckBare(v); bare && err != nil {
		r.doubts = append(r.doubts, doubt{k, implausible(err, at)})
	}
}

func implausible(err error, at string) evidence.Check {
	e := AsError(err)
	return evidence.Holds("plausible"+strings.ReplaceAll(at, "/", "_"), evidence.Bounds, "", false,
		fmt.Sprintf("%s: %s, outside %s. %s", at, e.Message, e.Expected, e.Hint))
}

func kindsOf(mark join.Mark, beside map[string]any) []quantity.Kind {
	ids := slices.Clone(mark.Any)
	if mark.By != "" {
		value, given := beside[mark.By]
		ids = append(ids, mark.Named(value, given))
	}
	ids = append(ids, mark.Kind)
	var kinds []quantity.Kind
	for _, id := range ids {
		if k, ok := quantity.ByID(id); ok {
			kinds = append(kinds, k)
		}
	}
	return kinds
}

// splice puts other texts in the place of values of a JSON text, by pointer.
func splice(raw []byte, by map[string]string) json.RawMessage {
	if len(by) == 0 {
		return raw
	}
	var out []byte
	kept := int64(0)
	dec := jsontext.NewDecoder(bytes.NewReader(raw), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	for {
		before := dec.InputOffset()
		token, err := dec.ReadToken()
		if errors.Is(err, io.EOF) {
			return append(out, raw[kept:]...)
		}
		if err != nil {
			return raw // it has been validated
		}
		text, ok := by[string(dec.StackPointer())]
		if !ok || token.Kind() != '"' || isName(dec) {
			continue
		}
		start := before + int64(bytes.IndexByte(raw[before:], '"')) // behind a colon, a comma and white space
		out = append(append(out, raw[kept:start]...), text...)
		kept = dec.InputOffset()
	}
}

// isName says that the token before was the name of a member.
func isName(dec *jsontext.Decoder) bool {
	kind, n := dec.StackIndex(dec.StackDepth())
	return kind == '{' && n%2 == 1
}

// QuantityArgument is an argument that is a quantity: its place, in which * stands
// for any index, and what it may be.
type QuantityArgument struct {
	Pointer string
	Mark    join.Mark
}

// Quantities lists the arguments that are quantities, sorted by their place.
func (c *Contract) Quantities() []QuantityArgument {
	var list []QuantityArgument
	root := c.marked.get()
	marks(root, root, "", &list)
	slices.SortFunc(list, func(a, b QuantityArgument) int { return cmp.Compare(a.Pointer, b.Pointer) })
	return slices.CompactFunc(list, func(a, b QuantityArgument) bool { return a.Pointer == b.Pointer })
}

func marks(root, schema any, at string, list *[]QuantityArgument) {
	s, ok := schema.(map[string]any)
	if !ok {
		return
	}
	if mark, ok := join.ReadMark(s); ok {
		for i, column := range mark.Columns {
			*list = append(*list, QuantityArgument{fmt.Sprintf("%s/*/%d", at, i), column})
		}
		if len(mark.Columns) == 0 {
			*list = append(*list, QuantityArgument{at, mark})
		}
		return
	}
	if ref, ok := s["$ref"].(string); ok {
		if target, found := localTarget(root, ref); found {
			marks(root, target, at, list)
		}
	}
	for _, key := range []string{"oneOf", "anyOf", "allOf"} {
		branches, _ := s[key].([]any)
		for _, b := range branches {
			marks(root, b, at, list)
		}
	}
	properties, _ := s["properties"].(map[string]any)
	for name, p := range properties {
		marks(root, p, at+"/"+jsonvalue.Escape(name), list)
	}
	marks(root, s["items"], at+"/*", list)
}
