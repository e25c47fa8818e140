package evidence

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
)

// Input is a file that a result was made from.
type Input struct {
	Reference string `json:"reference"` // as the caller named it
	SHA256    string `json:"sha256"`
	// JobID and Tool tell what made it, and Trust how good that result is; all are
	// empty for a file that the caller brought.
	JobID string `json:"job_id,omitempty"`
	Tool  string `json:"tool,omitempty"`
	Trust Trust  `json:"trust,omitempty"`
	// Reason is the first one of that result where it is not verified.
	Reason string `json:"reason,omitempty"`
	// Path is where a file lay that the reference names by a path. It is the server's,
	// and not told.
	Path string `json:"-"`
}

// Statement is what a tool or an engine says: checks and figures, never a trust.
type Statement struct {
	// Accuracy is the relative error that the caller allows; 0 means DefaultAccuracy.
	Accuracy float64  `json:"accuracy,omitempty"`
	Checks   []Check  `json:"checks"`
	Figures  []Figure `json:"quantities"`
	Notes    []string `json:"notes,omitempty"` // sentences about the method
	// Size is the largest extent of the part that the figures are of, in metres; 0
	// where there is none. No part moves by more than its size.
	Size float64 `json:"-"`
}

// Check adds checks.
func (s *Statement) Check(checks ...Check) { s.Checks = append(s.Checks, checks...) }

// Figure adds figures.
func (s *Statement) Figure(figures ...Figure) { s.Figures = append(s.Figures, figures...) }

// Note adds a sentence about the method.
func (s *Statement) Note(format string, args ...any) {
	s.Notes = append(s.Notes, fmt.Sprintf(format, args...))
}

// Evidence is a judged statement.
type Evidence struct {
	said       Statement
	inputs     []Input
	selftest   *Selftest
	trust      Trust
	reasons    []string
	quantities []Quantity
}

// Selftest is the last golden case that the engine has passed or failed on this
// machine.
type Selftest struct {
	Engine  string `json:"engine"`
	Version string `json:"version"`
	Passed  bool   `json:"passed"`
	At      string `json:"at"` // RFC 3339, UTC
}

// Judge computes the trust of a statement and of each of its figures. A statement
// that is malformed is an error: a check without a kind or sentence, a figure
// without a unit, two figures of one name.
func Judge(s Statement) (*Evidence, error) {
	if s.Accuracy == 0 {
		s.Accuracy = DefaultAccuracy
	}
	seen := map[string]bool{}
	for _, c := range s.Checks {
		if f := c.fault(); f != "" {
			return nil, errors.New("evidence: " + f)
		}
	}
	for _, f := range s.Figures {
		if fault := f.fault(); fault != "" {
			return nil, errors.New("evidence: " + fault)
		}
		if seen[f.Name] {
			return nil, fmt.Errorf("evidence: there are two figures %q", f.Name)
		}
		seen[f.Name] = true
	}
	e := &Evidence{said: s}
	e.judge()
	return e, nil
}

// WithInputs is the evidence of a result that was made from these files.
func (e *Evidence) WithInputs(inputs []Input) *Evidence {
	with := *e
	with.inputs = append(slices.Clone(e.inputs), inputs...)
	with.judge()
	return &with
}

// WithSelftest is the evidence with the state of its engine. An engine that failed
// its golden case makes every figure suspect.
func (e *Evidence) WithSelftest(s Selftest) *Evidence {
	with := *e
	with.selftest = &s
	with.judge()
	return &with
}

func (e *Evidence) judge() {
	checks := e.checks()
	e.quantities = make([]Quantity, len(e.said.Figures))
	for i, f := range e.said.Figures {
		e.quantities[i] = f.judge(checks, e.said.Accuracy).below(e.inputs)
	}
	e.trust, e.reasons = e.headline(checks)
	e.reasons = append(e.reasons, e.said.Notes...)
}

// checks are those of the statement and that of the engine's golden case.
func (e *Evidence) checks() []Check {
	if e.selftest == nil {
		return e.said.Checks
	}
	sentence := fmt.Sprintf("The engine %s %s passed its golden case on this machine at %s.", e.selftest.Engine, e.selftest.Version, e.selftest.At)
	if !e.selftest.Passed {
		sentence = fmt.Sprintf("The engine %s %s failed its golden case on this machine at %s; `atelier doctor --selftest` shows how.", e.selftest.Engine, e.selftest.Version, e.selftest.At)
	}
	return append(slices.Clip(e.said.Checks), Holds("engine_selftest", Bounds, "", e.selftest.Passed, sentence))
}

// headline is the trust of the result: suspect when any check failed, else that
// of the weakest figure that the summary quotes. A result without figures is at
// best converged, since verified is a word about a figure.
func (e *Evidence) headline(checks []Check) (Trust, []string) {
	reasons := []string{}
	met := ""
	for _, c := range checks {
		if !c.Passed {
			reasons = append(reasons, c.failed()+c.measured())
		} else if c.Kind.Tolerances() && met == "" {
			met = c.Sentence
		}
	}
	if len(reasons) > 0 {
		return Suspect, reasons
	}
	trust, of := Verified, Quantity{}
	quoted := 0
	for _, q := range e.quantities {
		if q.Quoted {
			quoted++
			if q.trust.Below(trust) || quoted == 1 {
				trust, of = Weakest(trust, q.trust), q
			}
		}
	}
	switch {
	case quoted > 0:
		reasons = append([]string{fmt.Sprintf("%s is %s.", of.Name, of.trust)}, of.reasons...)
		if weakest, why := Capped(Verified, nil, e.inputs); weakest == trust && len(why) > 0 { // that is why, before all else
			reasons = append(why[:1], slices.DeleteFunc(reasons, func(r string) bool { return r == why[0] })...)
		}
		return trust, reasons
	case met != "":
		trust, reasons = Converged, append(reasons, met)
	default:
		trust, reasons = Computed, append(reasons, "Nothing was checked.")
	}
	return Capped(trust, reasons, e.inputs)
}

// below caps the trust of a quantity by the results that it was made from.
func (q Quantity) below(inputs []Input) Quantity {
	q.trust, q.reasons = Capped(q.trust, q.reasons, inputs)
	return q
}

// Capped is a trust that does not stand above that of the results that something was
// made from, with a reason of each of these that lowered it before the others, the
// weakest first: that is the cause.
func Capped(trust Trust, reasons []string, inputs []Input) (Trust, []string) {
	for _, in := range inputs {
		if in.Trust.Known() && in.Trust.Below(trust) {
			trust = in.Trust
			why := fmt.Sprintf("The input %s, made by %s, is only %s.", in.Reference, in.Tool, in.Trust)
			if in.Reason != "" {
				why += " " + in.Reason
			}
			reasons = append([]string{why}, reasons...)
		}
	}
	return trust, reasons
}

// Limiting is the input that holds the trust of the result down; nil where its own
// checks do, or nothing does.
func (e *Evidence) Limiting() *Input {
	for _, c := range e.checks() {
		if !c.Passed {
			return nil
		}
	}
	if in := WeakestInput(e.inputs); in != nil && in.Trust == e.trust {
		return in
	}
	return nil
}

// WeakestInput is the first of the inputs that are trusted least; nil where all that
// say anything are verified.
func WeakestInput(inputs []Input) *Input {
	var weakest *Input
	for i, in := range inputs {
		if in.Trust.Known() && in.Trust.Below(Verified) && (weakest == nil || in.Trust.Below(weakest.Trust)) {
			weakest = &inputs[i]
		}
	}
	return weakest
}

// Trust is that of the result.
func (e *Evidence) Trust() Trust { return e.trust }

// Reasons say why the trust is what it is, and how the figures were found.
func (e *Evidence) Reasons() []string { return e.reasons }

// Checks are all that were made.
func (e *Evidence) Checks() []Check { return e.said.Checks }

// Quantities are the figures with their trust.
func (e *Evidence) Quantities() []Quantity { return e.quantities }

// Inputs are the files that the result was made from.
func (e *Evidence) Inputs() []Input { return e.inputs }

// Accuracy is the relative error bar that a verified figure has at most.
func (e *Evidence) Accuracy() float64 { return e.said.Accuracy }

// Document is the evidence as the output of a tool shows it; the quantities stand
// beside it there.
type Document struct {
	Trust    Trust     `json:"trust"`
	Reasons  []string  `json:"reasons"`
	Accuracy float64   `json:"accuracy"`
	Checks   []Check   `json:"checks"`
	Inputs   []Input   `json:"inputs"`
	Selftest *Selftest `json:"selftest,omitempty"`
}

// Document is the evidence without its quantities.
func (e *Evidence) Document() Document {
	d := Document{Trust: e.trust, Reasons: e.reasons, Accuracy: e.said.Accuracy, Checks: e.said.Checks, Inputs: e.inputs, Selftest: e.selftest}
	if d.Checks == nil {
		d.Checks = []Check{}
	}
	if d.Inputs == nil {
		d.Inputs = []Input{}
	}
	return d
}

type stored struct {
	Document
	Notes      []string   `json:"notes,omitempty"`
	Quantities []Quantity `json:"quantities"`
}

// MarshalJSON writes the evidence whole.
func (e *Evidence) MarshalJSON() ([]byte, error) {
	return json.Marshal(stored{e.Document(), e.said.Notes, e.quantities})
}

// UnmarshalJSON reads evidence back and judges it anew.
func (e *Evidence) UnmarshalJSON(raw []byte) error {
	var s struct {
		Statement
		Inputs   []Input   `json:"inputs"`
		Selftest *Selftest `json:"selftest"`
	}
	if err := json.Unmarshal(raw, &s); err != nil {
		return err
	}
	made, err := Judge(s.Statement)
	if err != nil {
		return err
	}
	made.inputs, made.selftest = s.Inputs, s.Selftest
	made.judge()
	*e = *made
	return nil
}
