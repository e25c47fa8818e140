package contract

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"atelier/internal/evidence"
)

// EvidenceSpec says what stands behind a tool's results. In a contract file it is
// one of
//
//	"exact"                 a copy, a record or a count: there is nothing to doubt
//	"none"                  text or judgement without a figure: nothing is claimed
//	{"quantities": [...]}   figures that checks are made for
//
// A result of the third kind carries quantities and evidence in its output, whose
// schemas are joined to the contract's own when it loads.
type EvidenceSpec struct {
	kind string
	// Quantities are the figures that a reader would quote. Each is the pattern of
	// a JSON pointer into the output, in which * stands for any one token.
	Quantities []QuantitySpec
}

// QuantitySpec is a figure that a result may state.
type QuantitySpec struct {
	Figure string `json:"figure"`
	What   string `json:"what"`
}

const (
	evidenceExact   = "exact"
	evidenceNone    = "none"
	evidenceChecked = "checked"
)

// Exact says whether the tool's results are right by construction.
func (s EvidenceSpec) Exact() bool { return s.kind == evidenceExact }

// Names says whether a place in the output is one of the quantities.
func (s EvidenceSpec) Names(pointer string) bool {
	return slices.ContainsFunc(s.Quantities, func(q QuantitySpec) bool { return matches(q.Figure, pointer) })
}

// Checked says whether the tool's results carry evidence.
func (s EvidenceSpec) Checked() bool { return s.kind == evidenceChecked }

// Confidence is the number that the protocols show: that of the trust, 1 of an
// exact result, 0 of an error, and nil where nothing stands behind a result. A result
// without evidence stands no higher than the weakest of the inputs it was made from.
func (s EvidenceSpec) Confidence(status Status, e *evidence.Evidence, inputs []evidence.Input) *float64 {
	var v float64
	switch {
	case status == StatusError:
	case e != nil && !s.Exact():
		v = e.Trust().Confidence() // the inputs are counted in it
	default:
		weakest, known := evidence.Verified, false
		for _, in := range inputs {
			if in.Trust.Known() {
				weakest, known = evidence.Weakest(weakest, in.Trust), true
			}
		}
		switch {
		case s.Exact() && !known:
			v = 1
		case s.Exact() || weakest.Below(evidence.Computed):
			v = weakest.Confidence()
		default: // what claims nothing is no better than computed
			return nil
		}
	}
	return &v
}

// UnmarshalJSON reads the three forms.
func (s *EvidenceSpec) UnmarshalJSON(raw []byte) error {
	if err := json.Unmarshal(raw, &s.kind); err == nil {
		if s.kind != evidenceExact && s.kind != evidenceNone {
			return fmt.Errorf(`evidence is %q; it must be "exact", "none" or an object with quantities`, s.kind)
		}
		return nil
	}
	var of struct {
		Quantities *[]QuantitySpec `json:"quantities"`
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&of); err != nil || of.Quantities == nil {
		return fmt.Errorf(`evidence must be "exact", "none" or an object with quantities, a list of {figure, what}`)
	}
	s.kind, s.Quantities = evidenceChecked, *of.Quantities
	return nil
}

// MarshalJSON writes the form that was read.
func (s EvidenceSpec) MarshalJSON() ([]byte, error) {
	if s.Checked() {
		return json.Marshal(map[string]any{"quantities": s.Quantities})
	}
	return json.Marshal(s.kind)
}

// checkEvidence refuses a contract whose figures would go unchecked.
func (c *Contract) checkEvidence() error {
	var root map[string]any
	if err := json.Unmarshal(c.OutputSchema, &root); err != nil {
		return err
	}
	switch c.Evidence.kind {
	case "":
		return fmt.Errorf(`the contract must say what stands behind a result: "exact", "none" or {"quantities": [...]}`)
	case evidenceNone:
		if at, ok := findNumber(root, root, "", 0); ok {
			return fmt.Errorf(`it is "none", but the output has the number %s: name it in quantities`, at)
		}
	case evidenceChecked:
		return c.Evidence.checkQuantities(root)
	}
	return nil
}

func (s EvidenceSpec) checkQuantities(root map[string]any) error {
	for _, q := range s.Quantities {
		if !strings.HasPrefix(q.Figure, "/") || q.What == "" {
			return fmt.Errorf("quantity %q needs a JSON pointer and says what it is", q.Figure)
		}
		if !slices.ContainsFunc(schemasAt(root, root, strings.Split(q.Figure[1:], "/"), 0), isNumber) {
			return fmt.Errorf("the output schema has no number at %s", q.Figure)
		}
	}
	if len(s.Quantities) > 0 {
		return nil
	}
	if properties, _ := root["properties"].(map[string]any); properties != nil {
		delete(properties, "evidence") // whose own numbers are joined to every output
		delete(properties, "quantities")
	}
	if at, ok := findNumber(root, root, "", 0); ok {
		return fmt.Errorf(`it has no quantities, but the output has the number %s: name it there, or say "exact" if all are counts and copies`, at)
	}
	return nil
}

// NumberInOutput is the place of a number in the output schema that is no count.
func (c *Contract) NumberInOutput() (at string, found bool) {
	var root map[string]any
	if json.Unmarshal(c.OutputSchema, &root) != nil {
		return "", false // Check refuses it
	}
	return findNumber(root, root, "", 0)
}

// CheckQuantities holds the quantities of a result against its contract and its
// output: each must be declared, and be the very figure that the output shows. A
// result that shows figures of its contract must state some.
func (c *Contract) CheckQuantities(e *evidence.Evidence, output json.RawMessage) *Error {
	var doc any
	if err := json.Unmarshal(output, &doc); err != nil {
		return Errorf(CodeInvalidToolOutput, "the output is not valid JSON: %v", err)
	}
	if len(e.Quantities()) == 0 {
		for _, q := range c.Evidence.Quantities {
			if shows(doc, strings.Split(q.Figure, "/")[1:]) {
				return Errorf(CodeInvalidToolOutput, "%s shows %s and states none of its quantities", c.Name, q.Figure)
			}
		}
	}
	for _, q := range e.Quantities() {
		if !c.Evidence.Names(q.Pointer) {
			return Errorf(CodeInvalidToolOutput, "%s states the quantity %s at %s, which its contract does not declare", c.Name, q.Name, q.Pointer)
		}
		shown, ok := lookup(doc, q.Pointer)
		value, isFloat := shown.(float64)
		switch {
		case !ok:
			return Errorf(CodeInvalidToolOutput, "%s states the quantity %s at %s, where its output has nothing", c.Name, q.Name, q.Pointer)
		case (q.Value == nil) != (shown == nil),
			q.Value != nil && (!isFloat || math.Abs(value-*q.Value) > 1e-8*math.Abs(value)):
			return Errorf(CodeInvalidToolOutput, "%s states %s as %s, but its output shows %s at %s", c.Name, q.Name, brief(q.Value), brief(shown), q.Pointer)
		}
	}
	return nil
}

// shows says whether a document has a number where a pattern points.
func shows(doc any, tokens []string) bool {
	if len(tokens) == 0 {
		_, number := doc.(float64)
		return number
	}
	switch d := doc.(type) {
	case map[string]any:
		for name, v := range d {
			if (tokens[0] == "*" || tokens[0] == name) && shows(v, tokens[1:]) {
				return true
			}
		}
	case []any:
		for i, v := range d {
			if (tokens[0] == "*" || tokens[0] == strconv.Itoa(i)) && shows(v, tokens[1:]) {
				return true
			}
		}
	}
	return false
}

// matches says whether a pointer fits a pattern.
func matches(pattern, pointer string) bool {
	p, q := strings.Split(pattern, "/"), strings.Split(pointer, "/")
	return slices.EqualFunc(p, q, func(a, b string) bool { return a == b || a == "*" && b != "" })
}

func isNumber(s map[string]any) bool {
	types, ok := s["type"].([]any)
	if !ok {
		types = []any{s["type"]}
	}
	return slices.Contains(types, any("number")) || slices.Contains(types, any("integer"))
}

// deepestSchema ends the search in schemas that refer to themselves.
const deepestSchema = 40

// branches are a schema and the schemas that it is composed of.
func branches(root, s map[string]any, depth int) []map[string]any {
	all := []map[string]any{s}
	if depth > deepestSchema {
		return all
	}
	add := func(of any) {
		if m, ok := of.(map[string]any); ok {
			all = append(all, branches(root, m, depth+1)...)
		}
	}
	if ref, ok := s["$ref"].(string); ok {
		if target, ok := lookup(root, strings.TrimPrefix(ref, "#")); ok {
			add(target)
		}
	}
	for _, key := range []string{"oneOf", "anyOf", "allOf"} {
		list, _ := s[key].([]any)
		for _, of := range list {
			add(of)
		}
	}
	return all
}

// schemasAt are the schemas of what a pattern points to.
func schemasAt(root, s map[string]any, tokens []string, depth int) []map[string]any {
	if len(tokens) == 0 {
		return branches(root, s, depth)
	}
	var found []map[string]any
	into := func(of any) {
		if m, ok := of.(map[string]any); ok {
			found = append(found, schemasAt(root, m, tokens[1:], depth+1)...)
		}
	}
	_, notIndex := strconv.Atoi(tokens[0])
	for _, b := range branches(root, s, depth) {
		properties, _ := b["properties"].(map[string]any)
		if p, ok := properties[tokens[0]]; ok {
			into(p)
		} else if tokens[0] == "*" || b["additionalProperties"] != false {
			into(b["additionalProperties"])
		}
		if tokens[0] == "*" || notIndex == nil {
			into(b["items"])
		}
	}
	return found
}

// findNumber finds a number that is no count in a schema, with its place.
func findNumber(root, s map[string]any, at string, depth int) (string, bool) {
	if depth > deepestSchema {
		return "", false
	}
	for _, b := range branches(root, s, depth) {
		types, ok := b["type"].([]any)
		if !ok {
			types = []any{b["type"]}
		}
		if slices.Contains(types, any("number")) {
			return at, true
		}
		properties, _ := b["properties"].(map[string]any)
		for name, p := range properties {
			if m, ok := p.(map[string]any); ok {
				if found, ok := findNumber(root, m, at+"/"+name, depth+1); ok {
					return found, true
				}
			}
		}
		for _, key := range []string{"items", "additionalProperties"} {
			if m, ok := b[key].(map[string]any); ok {
				if found, ok := findNumber(root, m, at+"/*", depth+1); ok {
					return found, true
				}
			}
		}
	}
	return "", false
}
