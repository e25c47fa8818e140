package contract

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"sort"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
	"golang.org/x/text/language"
	"golang.org/x/text/message"

	"atelier/internal/jsonvalue"
)

func compileSchema(name string, raw json.RawMessage) (*jsonschema.Schema, error) {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		return nil, err
	}
	if m, ok := doc.(map[string]any); !ok || m["type"] != "object" {
		return nil, fmt.Errorf("the top level must be of type object")
	}
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	c.AssertFormat()
	url := "contract:///" + name
	if err := c.AddResource(url, doc); err != nil {
		return nil, err
	}
	return c.Compile(url)
}

// lazySchema is a schema that is compiled when it is first needed: a program that
// makes one call needs those of one tool.
type lazySchema struct {
	once   sync.Once
	schema *jsonschema.Schema
	err    error
}

func (s *lazySchema) get(name string, raw json.RawMessage) (*jsonschema.Schema, error) {
	s.once.Do(func() { s.schema, s.err = compileSchema(name, raw) })
	return s.schema, s.err
}

func (c *Contract) compiledInput() (*jsonschema.Schema, error) {
	return c.input.get(c.Name+"/input", c.marked.raw) // in which a marked argument is a number
}

func (c *Contract) compiledOutput() (*jsonschema.Schema, error) {
	return c.output.get(c.Name+"/output", c.OutputSchema)
}

// ValidateInput returns every violation of the input schema, in a stable order;
// none means that the input is good. Unknown fields and invalid UTF-8 are
// violations. They have the codes that callers see.
func (c *Contract) ValidateInput(raw json.RawMessage) []*Error { return c.Answered(c.inputFaults(raw)) }

func (c *Contract) inputFaults(raw json.RawMessage) []*Error {
	if !utf8.Valid(raw) {
		if fault := StrictJSON(raw, CodeInvalidInput); fault != nil {
			return []*Error{fault} // with its place
		}
		return []*Error{Errorf(CodeInvalidInput, "the input is not valid UTF-8").WithHint("Send valid UTF-8.")}
	}
	if len(bytes.TrimSpace(raw)) == 0 {
		raw = json.RawMessage("{}")
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		return []*Error{notJSON(CodeInvalidInput, "the input", raw, err)}
	}
	if fault := StrictJSON(raw, CodeInvalidInput); fault != nil {
		return []*Error{fault}
	}
	if faults := hugeNumbers(doc, nil, CodeInvalidInput, nil); len(faults) > 0 {
		return faults
	}
	schema, err := c.compiledInput()
	if err != nil {
		return []*Error{Errorf(CodeInternal, "the input schema of %s: %v", c.Name, err)}
	}
	r := reader{root: c.marked.get()}
	doc = r.walk(r.root, doc, "", nil)
	for _, v := range violations(schema, doc, CodeInvalidInput) {
		if !slices.ContainsFunc(r.faults, func(f *Error) bool { return f.Field == v.Field }) {
			r.faults = append(r.faults, v)
		}
	}
	sort.SliceStable(r.faults, func(i, j int) bool { return r.faults[i].Field < r.faults[j].Field })
	return r.faults
}

// ValidateOutput returns every violation of the output schema. Their pointers lead
// into the output; OutputFaults makes of them the errors of a call.
func (c *Contract) ValidateOutput(raw json.RawMessage) []*Error {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		return []*Error{notJSON(CodeInvalidToolOutput, "the output", raw, err)}
	}
	if faults := hugeNumbers(doc, nil, CodeInvalidToolOutput, nil); len(faults) > 0 {
		return faults
	}
	schema, err := c.compiledOutput()
	if err != nil {
		return []*Error{Errorf(CodeInternal, "the output schema of %s: %v", c.Name, err)}
	}
	return violations(schema, doc, CodeInvalidToolOutput)
}

// Kinds of a violation, as api/spec/invocation.md tells them apart.
const (
	FaultMissing = "missing"
	FaultUnknown = "unknown"
	FaultType    = "type"
	FaultValue   = "value"
)

var printer = message.NewPrinter(language.English)

func violations(schema *jsonschema.Schema, doc any, code string) []*Error {
	err := schema.Validate(doc)
	if err == nil {
		return nil
	}
	var root *jsonschema.ValidationError
	if v, ok := err.(*jsonschema.ValidationError); ok {
		root = v
	} else {
		return []*Error{Errorf(code, "%v", err)}
	}
	var out []*Error
	collect(schema, root, code, &out)
	sort.SliceStable(out, func(i, j int) bool { return out[i].Field < out[j].Field })
	return dedupe(out)
}

func dedupe(errs []*Error) []*Error {
	seen := map[string]bool{}
	out := errs[:0]
	for _, e := range errs {
		key := e.Field + "\x00" + e.Message
		if !seen[key] {
			seen[key] = true
			out = append(out, e)
		}
	}
	return out
}

// collect keeps the leaves: each is one fault at one place. Of the branches of
// an anyOf or oneOf only the one that got furthest is told, since the others
// would only confuse.
func collect(schema *jsonschema.Schema, v *jsonschema.ValidationError, code string, out *[]*Error) {
	if len(v.Causes) == 0 {
		*out = append(*out, leaf(schema, v, code)...)
		return
	}
	switch v.ErrorKind.(type) {
	case *kind.AnyOf, *kind.OneOf:
		collectBranch(schema, v, code, out)
		return
	}
	for _, c := range v.Causes {
		collect(schema, c, code, out)
	}
}

// collectBranch tells of one branch: of those that take the value's type, one that does
// not ask for another constant in a field of it, as in its type; of these the one that
// got furthest.
func collectBranch(schema *jsonschema.Schema, v *jsonschema.ValidationError, code string, out *[]*Error) {
	at := len(v.InstanceLocation)
	best, wanted := v.Causes[0], []string{}
	var constants []*jsonschema.ValidationError
	for _, c := range v.Causes {
		if types := wrongType(c, at); types != nil {
			wanted = append(wanted, types...)
			continue
		}
		other, had := otherConstant(c, at), otherConstant(best, at)
		if constants = append(constants, other); wrongType(best, at) != nil || had != nil && other == nil || (had == nil) == (other == nil) && depth(c) > depth(best) {
			best = c
		}
	}
	if types := wrongType(best, at); types != nil { // no branch takes its type
		slices.Sort(wanted)
		merged := leafOf(best)
		merged.ErrorKind = &kind.Type{Got: merged.ErrorKind.(*kind.Type).Got, Want: slices.Compact(wanted)}
		*out = append(*out, leaf(schema, &merged, code)...)
		return
	}
	if merged := sameConstant(constants); merged != nil {
		*out = append(*out, leaf(schema, merged, code)...)
		return
	}
	collect(schema, best, code, out)
}

// otherConstant is the complaint of a branch about a constant in a field of the value at
// this depth; nil for none.
func otherConstant(v *jsonschema.ValidationError, depth int) *jsonschema.ValidationError {
	switch k := v.ErrorKind.(type) {
	case *kind.Const:
		if len(v.InstanceLocation) == depth+1 {
			return v
		}
	case *kind.Enum:
		if len(k.Want) == 1 && len(v.InstanceLocation) == depth+1 {
			return v
		}
	case *kind.AnyOf, *kind.OneOf:
		return nil // one of these may do
	}
	for _, c := range v.Causes {
		if found := otherConstant(c, depth); found != nil {
			return found
		}
	}
	return nil
}

// sameConstant is one complaint of all branches that want another constant in the same
// field; nil where there are fewer than two, or one does not.
func sameConstant(list []*jsonschema.ValidationError) *jsonschema.ValidationError {
	if len(list) < 2 || slices.Contains(list, nil) {
		return nil
	}
	merged := *list[0]
	var got any
	var want []any
	for _, c := range list {
		if !slices.Equal(c.InstanceLocation, merged.InstanceLocation) {
			return nil
		}
		switch k := c.ErrorKind.(type) {
		case *kind.Const:
			got, want = k.Got, append(want, k.Want)
		case *kind.Enum:
			got, want = k.Got, append(want, k.Want...)
		}
	}
	merged.ErrorKind = &kind.Enum{Got: got, Want: want}
	return &merged
}

// wrongType lists the types that a branch wanted, where the value itself, at
// this depth, is of another; nil otherwise.
func wrongType(v *jsonschema.ValidationError, depth int) []string {
	at := leafOf(v)
	if k, ok := at.ErrorKind.(*kind.Type); ok && len(at.InstanceLocation) == depth {
		return k.Want
	}
	return nil
}

// leafOf follows references to what they complain of.
func leafOf(v *jsonschema.ValidationError) jsonschema.ValidationError {
	for len(v.Causes) == 1 {
		v = v.Causes[0]
	}
	return *v
}

func depth(v *jsonschema.ValidationError) int {
	d := len(v.InstanceLocation)
	for _, c := range v.Causes {
		d = max(d, depth(c))
	}
	return d
}

func leaf(schema *jsonschema.Schema, v *jsonschema.ValidationError, code string) []*Error {
	at := pointer(v.InstanceLocation)
	where := placeIn(code, at)
	mk := func(fault, at, format string, args ...any) *Error {
		return Errorf(code, format, args...).At(at).With("fault", fault)
	}
	switch k := v.ErrorKind.(type) {
	case *kind.Required:
		var out []*Error
		for _, name := range k.Missing {
			e := mk(FaultMissing, at+"/"+jsonvalue.Escape(name), "%s lacks the required field %q", where, name)
			if code != CodeInvalidToolOutput { // the description tells a caller what to send
				e = fieldsOf(schema, v.SchemaURL).missing(e, name)
			}
			out = append(out, e)
		}
		return out
	case *kind.AdditionalProperties:
		var out []*Error
		for _, name := range k.Properties {
			e := mk(FaultUnknown, at+"/"+jsonvalue.Escape(name), "%s has an unknown field %q", where, name)
			if code != CodeInvalidToolOutput {
				e = fieldsOf(schema, v.SchemaURL).unknown(e, name)
			}
			out = append(out, e)
		}
		return out
	case *kind.DependentRequired:
		var out []*Error
		for _, name := range k.Missing {
			e := mk(FaultMissing, at+"/"+jsonvalue.Escape(name), "%s has the field %q and lacks %q, which goes with it", where, k.Prop, name)
			out = append(out, e)
		}
		return out
	case *kind.Type:
		e := mk(FaultType, at, "%s is of type %s, expected %s", where, k.Got, strings.Join(k.Want, " or "))
		e.Expected, e.Actual = strings.Join(k.Want, " or "), k.Got
		return []*Error{e}
	}
	e := mk(FaultValue, at, "%s: %s", where, v.ErrorKind.LocalizedString(printer))
	if rule, actual := constraint(v.ErrorKind); rule != "" {
		e.Message = fmt.Sprintf("%s is %s; it must be %s", where, actual, rule)
		e.Expected, e.Actual = rule, actual
	}
	return []*Error{e}
}

// constraint tells a broken rule in words, and what was there instead.
func constraint(k jsonschema.ErrorKind) (rule, actual string) {
	switch k := k.(type) {
	case *kind.Minimum:
		return "at least " + decimal(k.Want), decimal(k.Got)
	case *kind.Maximum:
		return "at most " + decimal(k.Want), decimal(k.Got)
	case *kind.ExclusiveMinimum:
		return "greater than " + decimal(k.Want), decimal(k.Got)
	case *kind.ExclusiveMaximum:
		return "less than " + decimal(k.Want), decimal(k.Got)
	case *kind.Enum:
		words := make([]string, len(k.Want))
		for i, w := range k.Want {
			words[i] = brief(w)
		}
		return "one of " + strings.Join(words, ", "), brief(k.Got)
	case *kind.Const:
		return brief(k.Want), brief(k.Got)
	case *kind.Pattern:
		return "a match of " + k.Want, brief(k.Got)
	case *kind.Format:
		return "a valid " + k.Want, brief(k.Got)
	case *kind.MinLength:
		if k.Want == 1 {
			return "a text that is not empty", "empty"
		}
		return fmt.Sprintf("at least %d characters long", k.Want), fmt.Sprintf("%d characters long", k.Got)
	case *kind.MaxLength:
		return fmt.Sprintf("at most %d characters long", k.Want), fmt.Sprintf("%d characters long", k.Got)
	case *kind.MinItems:
		if k.Want == 1 {
			return "a list that is not empty", "empty"
		}
		return fmt.Sprintf("a list of at least %d", k.Want), fmt.Sprintf("a list of %d", k.Got)
	case *kind.MaxItems:
		return fmt.Sprintf("a list of at most %d", k.Want), fmt.Sprintf("a list of %d", k.Got)
	}
	return rarer(k)
}

// rarer are the rules that few contracts have.
func rarer(k jsonschema.ErrorKind) (rule, actual string) {
	switch k := k.(type) {
	case *kind.MinProperties:
		return fmt.Sprintf("an object of at least %d fields", k.Want), fmt.Sprintf("one of %d", k.Got)
	case *kind.MaxProperties:
		return fmt.Sprintf("an object of at most %d fields", k.Want), fmt.Sprintf("one of %d", k.Got)
	case *kind.MultipleOf:
		return "a multiple of " + decimal(k.Want), decimal(k.Got)
	case *kind.UniqueItems:
		return "a list whose items all differ", fmt.Sprintf("a list whose items %d and %d are equal", k.Duplicates[0], k.Duplicates[1])
	case *kind.Contains:
		return "a list with an item of the form that the contract asks for", "a list without one"
	case *kind.MinContains:
		return fmt.Sprintf("a list with at least %d items of the form that the contract asks for", k.Want), fmt.Sprintf("a list with %d", len(k.Got))
	case *kind.MaxContains:
		return fmt.Sprintf("a list with at most %d items of that form", k.Want), fmt.Sprintf("a list with %d", len(k.Got))
	case *kind.Not:
		return "none of the values that the contract excludes", "one of them"
	case *kind.FalseSchema:
		return "left out", "there"
	case *kind.OneOf:
		if len(k.Subschemas) > 1 {
			return "of exactly one of the forms that the contract lists", fmt.Sprintf("of %d of them at once", len(k.Subschemas))
		}
	case *kind.PropertyNames:
		return "an object whose names are of the form that the contract asks for", fmt.Sprintf("an object with the name %q", k.Property)
	}
	return "", ""
}

func decimal(r *big.Rat) string {
	f, _ := r.Float64()
	return strconv.FormatFloat(f, 'g', -1, 64)
}

func brief(v any) string {
	raw, err := json.Marshal(v)
	if err != nil || len(raw) > 80 {
		return "a long value"
	}
	return string(raw)
}

// hugeNumbers finds numbers that no float64 holds. They are refused before the
// schema sees them, as exact arithmetic on 1e999999999 would never end.
func hugeNumbers(doc any, at []string, code string, faults []*Error) []*Error {
	switch v := doc.(type) {
	case map[string]any:
		for _, k := range slices.Sorted(maps.Keys(v)) {
			faults = hugeNumbers(v[k], append(at, k), code, faults)
		}
	case []any:
		for i, item := range v {
			faults = hugeNumbers(item, append(at, strconv.Itoa(i)), code, faults)
		}
	case json.Number:
		text := strings.ToLower(v.String())
		_, exponent, _ := strings.Cut(text, "e")
		e, err := strconv.Atoi(strings.TrimPrefix(exponent, "+"))
		huge := len(text) > 400 || exponent != "" && (err != nil || e > 308 || e < -400)
		if !huge {
			_, err = strconv.ParseFloat(text, 64)
			huge = err != nil
		}
		if huge {
			faults = append(faults, Errorf(code, "%s is a number that no 64-bit float holds", placeIn(code, pointer(at))).
				At(pointer(at)).With("fault", FaultValue))
		}
	}
	return faults
}

func pointer(tokens []string) string {
	var b strings.Builder
	for _, t := range tokens {
		b.WriteString("/" + jsonvalue.Escape(t))
	}
	return b.String()
}
