package evidence

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
)

// DefaultAccuracy is the relative error bar that a verified figure may have at
// most where the caller asks for none.
const DefaultAccuracy = 0.05

// Figure is a number of the output that a reader would quote, as a tool states it.
type Figure struct {
	Name    string   `json:"name"`
	Pointer string   `json:"figure"` // JSON pointer into the output
	Value   *float64 `json:"value"`  // nil where it is undefined
	Unit    string   `json:"unit"`   // SI, "1" for a ratio
	// Error is the error bar, ± in Unit; nil where none is known. Coverage says what
	// it means: "bound", "95 %", "estimate".
	Error    *float64  `json:"error"`
	Coverage string    `json:"coverage,omitempty"`
	Method   string    `json:"method"`          // how the figure and its error were found
	Where    []float64 `json:"where,omitempty"` // its place in metres, or the time or frequency
	// Scale is what the accuracy of a figure that may vanish is relative to.
	Scale float64 `json:"scale,omitempty"`
	// Accuracy is the relative error bar that it may have at most where this is not that
	// of the whole result, as of an input of another kind; 0 else. It is not served.
	Accuracy float64 `json:"accuracy,omitempty"`
	// Omits are sentences on what the error bar leaves out. A figure with one is at
	// most converged.
	Omits []string `json:"omits,omitempty"`
	// Quoted figures stand in the summary; the result is as good as the weakest.
	Quoted bool `json:"quoted"`
}

// Quantity is a figure with its trust. Only this package makes one.
type Quantity struct {
	Figure
	trust   Trust
	reasons []string
}

// Trust is that of the figure.
func (q Quantity) Trust() Trust { return q.trust }

// Reasons say why the trust is what it is.
func (q Quantity) Reasons() []string { return q.reasons }

// MarshalJSON writes the figure with its trust and reasons.
func (q Quantity) MarshalJSON() ([]byte, error) {
	q.Accuracy = 0
	return json.Marshal(struct {
		Figure
		Trust   Trust    `json:"trust"`
		Reasons []string `json:"reasons"`
	}{q.Figure, q.trust, q.reasons})
}

// Of is a figure of a value; one that is not finite is undefined.
func Of(name, pointer string, value float64, unit, method string) Figure {
	return Figure{Name: name, Pointer: pointer, Value: number(value), Unit: unit, Method: method}
}

// Quote is the figure as one of the summary.
func (f Figure) Quote() Figure { f.Quoted = true; return f }

// PlusMinus is the figure with an error bar.
func (f Figure) PlusMinus(err float64, coverage string) Figure {
	f.Error, f.Coverage = number(math.Abs(err)), coverage
	return f
}

// At is the figure with its place.
func (f Figure) At(where ...float64) Figure { f.Where = where; return f }

// judge computes the trust of a figure from the checks that concern it.
func (f Figure) judge(checks []Check, accuracy float64) Quantity {
	q := Quantity{Figure: f, trust: Computed, reasons: []string{}}
	met, covered := "", ""
	for _, c := range checks {
		switch {
		case !c.concerns(f.Pointer):
		case !c.Passed:
			q.trust = Suspect
			q.reasons = append(q.reasons, c.failed())
		case c.Kind.Covers() && c.Figure != "" && within(f.Pointer, c.Figure):
			covered, met = c.Sentence, c.Sentence
		case c.Kind.Tolerances() && met == "":
			met = c.Sentence
		}
	}
	if q.trust == Suspect {
		return q
	}
	switch allowed := f.Allowed(accuracy); {
	case f.Value == nil:
		q.reasons = append(q.reasons, "The figure is undefined here.")
	case met == "":
		q.reasons = append(q.reasons, "Nothing checks this figure.")
	case covered == "" && f.Error != nil:
		q.trust = Converged
		q.reasons = append(q.reasons, met, fmt.Sprintf("No check stands behind its error bar of ±%.2g %s.", *f.Error, f.Unit))
	case covered == "":
		q.trust = Converged
		q.reasons = append(q.reasons, met, "No error bar covers this figure.")
	case f.Error == nil:
		q.trust = Converged
		q.reasons = append(q.reasons, covered, "No error bar is known.")
	case *f.Error > allowed:
		q.trust = Converged
		digits := 2
		for digits < 17 && fmt.Sprintf("%.*g", digits, *f.Error) == fmt.Sprintf("%.*g", digits, allowed) {
			digits++ // a reader sees that they differ
		}
		q.reasons = append(q.reasons, covered, fmt.Sprintf("The error bar of ±%.*g %s is wider than the accuracy asked, ±%.*g %s.", digits, *f.Error, f.Unit, digits, allowed, f.Unit))
	case len(f.Omits) > 0:
		q.trust = Converged
	default:
		q.trust = Verified
		q.reasons = append(q.reasons, covered)
		return q
	}
	for _, omitted := range f.Omits { // also of a figure that nothing checks, where it may be why
		if !slices.Contains(q.reasons, omitted) {
			q.reasons = append(q.reasons, omitted)
		}
	}
	return q
}

// Omitting is the figure with a sentence on what its error bar leaves out.
func (f Figure) Omitting(sentence string) Figure {
	f.Omits = append(slices.Clip(f.Omits), sentence)
	return f
}

// Allowed is the widest error bar of a verified figure, in a result of some accuracy.
func (f Figure) Allowed(accuracy float64) float64 {
	if f.Accuracy > 0 {
		accuracy = f.Accuracy
	}
	return accuracy * f.Size()
}

// Size is what the accuracy of the figure is relative to.
func (f Figure) Size() float64 {
	scale := math.Abs(f.Scale)
	if f.Value != nil {
		scale = math.Max(scale, math.Abs(*f.Value))
	}
	return scale
}

func (c Check) failed() string { return "Failed: " + c.Name + ". " + c.Sentence }

// measured is the value of a check beside its limit, where it has both.
func (c Check) measured() string {
	if c.Value == nil || c.Limit == nil {
		return ""
	}
	unit := " " + c.Unit
	if c.Unit == "1" {
		unit = ""
	}
	return fmt.Sprintf(" (Value %.3g%s, limit %.3g%s.)", *c.Value, unit, *c.Limit, unit)
}

func (f Figure) fault() string {
	switch {
	case f.Name == "":
		return "a figure has no name"
	case f.Name[0] == '/': // who quotes a figure names it or points to it
		return fmt.Sprintf("figure %q: a name does not begin as a JSON pointer does", f.Name)
	case f.Pointer == "" || f.Pointer[0] != '/':
		return fmt.Sprintf("figure %q: %q is no JSON pointer", f.Name, f.Pointer)
	case f.Unit == "" || f.Method == "":
		return fmt.Sprintf("figure %q needs a unit and a method", f.Name)
	case f.Error != nil && (*f.Error < 0 || f.Value == nil):
		return fmt.Sprintf("figure %q has an error bar that is negative or belongs to no value", f.Name)
	}
	return ""
}
