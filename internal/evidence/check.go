package evidence

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strings"
)

// Check is one comparison that supports or contradicts figures of a result.
type Check struct {
	Name string `json:"name"` // force_balance, mesh_refinement, kirchhoff …
	Kind Kind   `json:"kind"`
	// Figure is the JSON pointer of the figure in the output, or of an object of
	// several; "" means the whole result.
	Figure string `json:"figure"`
	// Value is what was measured, nil where it is undefined; Limit what it was held
	// against, nil where a yes or no was asked. Both are in Unit ("1" for a ratio).
	Value  *float64 `json:"value"`
	Limit  *float64 `json:"limit"`
	Unit   string   `json:"unit"`
	Passed bool     `json:"passed"`
	// Sentence tells a person what was compared, and of a failed check what
	// follows from it.
	Sentence string `json:"sentence"`
}

// Within is a check that passes when |value| is at most limit; one of NaN fails.
func Within(name string, kind Kind, figure string, value, limit float64, unit, sentence string) Check {
	return Check{Name: name, Kind: kind, Figure: figure, Value: number(value), Limit: number(limit), Unit: unit,
		Passed: math.Abs(value) <= limit, Sentence: sentence}
}

// AtLeast is a check that passes when value is not below limit; one of NaN fails.
func AtLeast(name string, kind Kind, figure string, value, limit float64, unit, sentence string) Check {
	c := Within(name, kind, figure, value, limit, unit, sentence)
	c.Passed = value >= limit
	return c
}

// Holds is a check of a yes or no.
func Holds(name string, kind Kind, figure string, passed bool, sentence string) Check {
	return Check{Name: name, Kind: kind, Figure: figure, Unit: "1", Passed: passed, Sentence: sentence}
}

// number is nil for what JSON cannot say.
func number(v float64) *float64 {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return nil
	}
	return &v
}

// concerns says whether a check is about the figure at a pointer: about the whole
// result, the figure, an object that holds it, or a part of it.
func (c Check) concerns(pointer string) bool {
	return c.Figure == "" || within(pointer, c.Figure) || within(c.Figure, pointer)
}

// within says whether a pointer leads into what another one points to, or is it.
func within(pointer, to string) bool {
	return pointer == to || strings.HasPrefix(pointer, to+"/")
}

// fault says what is wrong with a check; "" for none.
func (c Check) fault() string {
	switch {
	case c.Name == "":
		return "a check has no name"
	case !c.Kind.known():
		return fmt.Sprintf("check %q: there is no kind %q", c.Name, c.Kind)
	case c.Figure != "" && !strings.HasPrefix(c.Figure, "/"):
		return fmt.Sprintf("check %q: %q is no JSON pointer", c.Name, c.Figure)
	case c.Sentence == "":
		return fmt.Sprintf("check %q has no sentence", c.Name)
	case c.Passed && c.Limit != nil && c.Value == nil:
		return fmt.Sprintf("check %q passed with an undefined value", c.Name)
	}
	return ""
}

// UnmarshalJSON reads a check as an engine or the store wrote it. One whose kind
// is unknown is refused, so that it cannot be lost on the way.
func (c *Check) UnmarshalJSON(raw []byte) error {
	type plain Check
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.DisallowUnknownFields() // a trust, say, which nobody states
	if err := dec.Decode((*plain)(c)); err != nil {
		return err
	}
	if c.Unit == "" {
		c.Unit = "1"
	}
	if f := c.fault(); f != "" {
		return fmt.Errorf("evidence: %s", f)
	}
	return nil
}
