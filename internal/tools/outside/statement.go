package outside

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"atelier/internal/contract"
	"atelier/internal/evidence"
	"atelier/internal/quantity"
)

// said is what a program says of its figures: evidence.Statement, with checks as
// a program writes them.
type said struct {
	Accuracy float64           `json:"accuracy"`
	Checks   []saidCheck       `json:"checks"`
	Figures  []evidence.Figure `json:"quantities"`
	Notes    []string          `json:"notes"`
}

// saidCheck is a check of a program. Whether a value is within its limit is
// computed here; which side of the limit is the good one only the program knows.
type saidCheck struct {
	Name     string        `json:"name"`
	Kind     evidence.Kind `json:"kind"`
	Figure   string        `json:"figure"`
	Value    *float64      `json:"value"`
	Limit    *float64      `json:"limit"`
	Unit     string        `json:"unit"`
	AtLeast  bool          `json:"at_least"`
	Passed   *bool         `json:"passed"`
	Sentence string        `json:"sentence"`
}

// absurd bounds what a limit, an error bar or a scale can be: nothing that is
// measured is as large, and against it anything passes.
const absurd = 1e100

// longestName is how many characters the name of a quantity may have.
const longestName = 80

// knownUnits says which units are understood; docs/units.md has them all.
const knownUnits = "write an SI unit with or without a prefix, one of docs/units.md such as mm, MPa, degC, in, lbf, % or rpm, a product or quotient of them such as W/(m^2*K), dB, or 1 for a ratio or a count"

func (t *Tool) statement(raw json.RawMessage, input map[string]json.RawMessage) (*evidence.Statement, error) {
	if !t.contract.Evidence.Checked() {
		return nil, nil
	}
	var s said
	if len(raw) > 0 {
		dec := json.NewDecoder(bytes.NewReader(raw))
		dec.DisallowUnknownFields()
		if err := dec.Decode(&s); err != nil {
			return nil, fmt.Errorf("sent evidence that cannot be used: %s", contract.Misfit(err))
		}
	}
	if err := s.accuracy(input); err != nil {
		return nil, err
	}
	statement := &evidence.Statement{Accuracy: s.Accuracy, Notes: s.Notes, Figures: s.Figures}
	for i, f := range s.Figures {
		if err := figure(f, fmt.Sprintf("/evidence/quantities/%d", i)); err != nil {
			return nil, err
		}
	}
	for _, fault := range []func() error{s.places, s.telling, s.barred} {
		if err := fault(); err != nil {
			return nil, err
		}
	}
	for i, c := range s.Checks {
		made, err := c.check()
		if err != nil {
			return nil, fmt.Errorf("sent the check %q (/evidence/checks/%d) %w", c.Name, i, err)
		}
		statement.Check(made)
	}
	return statement, nil
}

// places refuses two quantities of one number, of which a claim about it could take
// either, and a check at a place where no quantity is: it would stand behind nothing
// and, failed, take nothing away.
func (s *said) places() error {
	var stated []string
	for i, f := range s.Figures {
		if first := slices.Index(stated, f.Pointer); first >= 0 {
			return fmt.Errorf("stated the quantities %q and %q of the same number, %s (/evidence/quantities/%d/figure): one number is one quantity, in one unit", s.Figures[first].Name, f.Name, f.Pointer, i)
		}
		stated = append(stated, f.Pointer)
	}
	for i, c := range s.Checks {
		if c.Figure == "" || slices.ContainsFunc(stated, func(at string) bool { return inside(at, c.Figure) }) {
			continue
		}
		return fmt.Errorf("sent the check %q of the figure %q (/evidence/checks/%d/figure), which is none of its quantities%s; write one that is, or leave figure out of a check of the whole result", c.Name, c.Figure, i, strings.TrimSuffix(": "+strings.Join(stated, ", "), ": "))
	}
	return nil
}

// inside says whether a JSON pointer is another one or leads to a part of what that does.
func inside(pointer, of string) bool { return strings.HasPrefix(pointer+"/", of+"/") }

// asks are names of arguments by which a caller says how wide an error bar may be.
var asks = regexp.MustCompile(`(?i)accuracy|tolerance|precision|rel_?err`)

// leastOfChange is the share of the change under a refinement that an error bar holds at
// least: halving the step of a method of fourth order leaves 1/15 of the change.
const leastOfChange = 1.0 / 20

// mostChange is the largest change under a refinement, relative to the figure, from which
// its error is estimated at all: beyond it nobody knows the order.
const mostChange = 0.5

// barred refuses an error bar that the check behind it has found to be too narrow, and a
// check that cannot be held against it.
func (s *said) barred() error {
	for i, c := range s.Checks {
		if !c.Kind.Covers() || c.Value == nil || c.Figure == "" {
			continue
		}
		for _, f := range s.Figures {
			if f.Pointer != c.Figure || f.Value == nil || f.Error == nil {
				continue
			}
			apart, ok := c.apart(f)
			switch {
			case !ok:
				return fmt.Errorf("sent the check %q of kind %s (/evidence/checks/%d) in the unit %q, and the quantity %q is in %s: the difference that it found is in the quantity's unit or a ratio; what is compared in another one is of kind balance, residual, bounds or model", c.Name, c.Kind, i, cmp.Or(c.Unit, "1"), f.Name, f.Unit)
			}
			how, held := "another way", apart
			switch c.Kind {
			case evidence.Refinement:
				if how = "a refinement"; apart <= mostChange*math.Abs(*f.Value) {
					held = apart * leastOfChange
				}
			case evidence.Exact:
				how = "an identity"
			}
			if held > *f.Error*(1+1e-9) {
				return fmt.Errorf("stated the quantity %q with the error bar %v, and the check %q (/evidence/checks/%d) found it %.3g off by %s: the bar must hold that", f.Name, *f.Error, c.Name, i, apart, how)
			}
		}
	}
	return nil
}

// telling refuses checks that anything passes.
func (s *said) telling() error {
	for i, c := range s.Checks {
		if why := c.vacuous(s.Figures); why != "" {
			return fmt.Errorf("sent the check %q of kind %s (/evidence/checks/%d) %s", c.Name, c.Kind, i, why)
		}
	}
	return nil
}

// vacuous says why a check shows nothing that its kind stands for: that a difference is
// small beside what it is a difference of.
func (c saidCheck) vacuous(figures []evidence.Figure) string {
	if !c.Kind.Tolerances() || c.Limit == nil || math.Abs(*c.Limit) > absurd { // of which check tells
		return ""
	}
	if c.AtLeast {
		return "with at_least: its value is a difference, which is small; a yardstick that is to be reached is of kind bounds or model"
	}
	if ratio, _, err := quantity.Affine(cmp.Or(c.Unit, "1"), "1"); err == nil && math.Abs(*c.Limit*ratio) > 1 && c.Kind != evidence.Exact {
		return fmt.Sprintf("with the limit %v %s: a difference as large as the whole passes it; say what the value is really held against", *c.Limit, cmp.Or(c.Unit, "1"))
	}
	for _, f := range figures {
		if f.Pointer != c.Figure || f.Value == nil || f.Unit == "1" {
			continue
		}
		if scale, _, err := quantity.Affine(cmp.Or(c.Unit, "1"), f.Unit); err == nil && math.Abs(*c.Limit*scale) > math.Abs(*f.Value) && *f.Value != 0 {
			return fmt.Sprintf("with the limit %v %s, more than the quantity %q itself: it would pass whatever that is", *c.Limit, c.Unit, f.Name)
		}
	}
	return ""
}

// apart is the difference that a check found, in the unit of the figure; of a ratio it is
// the share of the figure's value.
func (c saidCheck) apart(f evidence.Figure) (float64, bool) {
	unit := cmp.Or(c.Unit, "1")
	if scale, _, err := quantity.Affine(unit, f.Unit); err == nil {
		return math.Abs(*c.Value * scale), true
	}
	if unit == f.Unit {
		return math.Abs(*c.Value), true
	}
	scale, _, err := quantity.Affine(unit, "1")
	return math.Abs(*c.Value * scale * *f.Value), err == nil
}

// accuracy refuses a wish of the tool's own that makes a wide error bar a good one:
// only the caller may ask for less.
func (s *said) accuracy(input map[string]json.RawMessage) error {
	asked := s.Accuracy <= evidence.DefaultAccuracy
	for name, raw := range input {
		var v float64
		if asks.MatchString(name) && json.Unmarshal(raw, &v) == nil {
			asked = asked || v == s.Accuracy
		}
	}
	if s.Accuracy < 0 || s.Accuracy >= 1 || !asked {
		return fmt.Errorf("sent the accuracy %v (/evidence/accuracy): it is a relative error of at most %v, or the one that the caller asks for in an argument", s.Accuracy, evidence.DefaultAccuracy)
	}
	return nil
}

// check is the check as it is judged.
func (c saidCheck) check() (evidence.Check, error) {
	none := evidence.Check{}
	unit := c.Unit
	if unit == "" {
		unit = "1"
	}
	switch {
	case strings.TrimSpace(c.Sentence) == "":
		return none, errors.New("without a sentence, which says what was compared and what follows")
	case c.Limit != nil && math.Abs(*c.Limit) > absurd:
		return none, fmt.Errorf("with the limit %v, beyond anything that is measured: say what the value is really held against", *c.Limit)
	case c.AtLeast && c.Limit == nil:
		return none, fmt.Errorf("with at_least and without the limit that the value must reach")
	case !known(unit):
		return none, fmt.Errorf("in the unit %q, which is not known: %s", c.Unit, knownUnits)
	case c.Limit == nil && c.Passed == nil:
		return none, fmt.Errorf("without value and limit, and without passed: one of the two says how it ended")
	}
	var made evidence.Check
	switch value := number(c.Value); {
	case c.Limit == nil:
		made = evidence.Holds(c.Name, c.Kind, c.Figure, *c.Passed, c.Sentence)
		made.Value, made.Unit = c.Value, unit
	case c.AtLeast:
		made = evidence.AtLeast(c.Name, c.Kind, c.Figure, value, *c.Limit, unit, c.Sentence)
	default:
		made = evidence.Within(c.Name, c.Kind, c.Figure, value, *c.Limit, unit, c.Sentence)
	}
	if c.Passed == nil || *c.Passed == made.Passed {
		return made, nil
	}
	rule := "|value| is at most the limit"
	if c.AtLeast {
		rule = "the value is at least the limit (at_least)"
	}
	shown := "null"
	if c.Value != nil {
		shown = fmt.Sprint(*c.Value)
	}
	return none, fmt.Errorf("with passed %v, value %s and limit %v, which contradict each other: it passes where %s; leave passed out, or write \"at_least\": true where larger is better", *c.Passed, shown, *c.Limit, rule)
}

// number is NaN where a value is undefined, which passes no check.
func number(v *float64) float64 {
	if v == nil {
		return math.NaN()
	}
	return *v
}

// figure refuses what makes nonsense of a quantity.
func figure(f evidence.Figure, at string) error {
	switch {
	case strings.TrimSpace(f.Name) == "" || utf8.RuneCountInString(f.Name) > longestName:
		return fmt.Errorf("stated a quantity whose name has %d characters (%s/name): a few words, at most %d characters, as the summary shows them", utf8.RuneCountInString(strings.TrimSpace(f.Name)), at, longestName)
	case f.Value == nil && f.Error != nil:
		return fmt.Errorf("stated the quantity %q without a value and with an error bar (%s/error): leave that out", f.Name, at)
	case !known(f.Unit):
		return fmt.Errorf("stated the quantity %q in the unit %q (%s/unit), which is not known: %s", f.Name, f.Unit, at, knownUnits)
	case f.Error != nil && *f.Error > absurd:
		return fmt.Errorf("stated the quantity %q with the error bar %v (%s/error), against which nothing is known", f.Name, *f.Error, at)
	case f.Error != nil && *f.Error < 0:
		return fmt.Errorf("stated the quantity %q with the error bar %v (%s/error): it is ±, and 0 at least", f.Name, *f.Error, at)
	case strings.ContainsFunc(f.Name+f.Coverage+f.Method, unicode.IsControl):
		return fmt.Errorf("stated the quantity %q with a line break or another control character in its name, coverage or method (%s): each is a few words on one line", f.Name, at)
	case trustWord.MatchString(f.Name + " " + f.Coverage):
		return fmt.Errorf("stated the quantity %q (%s) with a word of trust in its name or coverage, which the server computes from the checks", f.Name, at)
	case f.Scale != 0:
		return fmt.Errorf("stated the quantity %q with a scale (%s/scale), which is the server's own: an error bar is held against the value, or the accuracy that the caller asks for", f.Name, at)
	case f.Error != nil && strings.TrimSpace(f.Coverage) == "":
		return fmt.Errorf("stated the quantity %q with an error bar and without coverage (%s/coverage), which says what the bar means: bound, 95 %%, estimate, or what it is the difference of", f.Name, at)
	}
	return nil
}

// known says whether a unit is one that figures are judged and compared in: an
// angle's has a table of its own, and decibels are compared with decibels alone.
func known(unit string) bool {
	if _, err := quantity.Convert(1, unit, unit); err == nil || unit == "dB" {
		return true
	}
	_, err := quantity.ParseAs("1 "+unit, quantity.Angle)
	return err == nil && unit != ""
}
