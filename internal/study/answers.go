package study

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/expr-lang/expr"

	"atelier/internal/contract"
	"atelier/internal/evidence"
	"atelier/internal/quantity"
)

// Answer is a figure of a run that was asked for.
type Answer struct {
	Question string         `json:"question,omitempty"`
	Analysis string         `json:"analysis"`
	Figure   string         `json:"figure"` // JSON pointer in the result of the analysis
	Name     string         `json:"name"`
	Value    *float64       `json:"value"`
	Unit     string         `json:"unit"`
	Error    *float64       `json:"error"` // ± in the unit; nil where none is known
	Trust    evidence.Trust `json:"trust,omitempty"`
	Where    []float64      `json:"where,omitempty"` // m, or the time or frequency
	Reasons  []string       `json:"reasons,omitempty"`
	Text     string         `json:"text"`
	Missing  string         `json:"missing,omitempty"` // why there is no value
}

// Verdict of a requirement.
type Verdict string

// The verdicts. A figure whose error bar holds the limit, that has none, or that is
// suspect decides nothing.
const (
	Met       Verdict = "met"
	NotMet    Verdict = "not_met"
	Undecided Verdict = "undecided"
)

// Judgement is a requirement held against a run.
type Judgement struct {
	Requirement string   `json:"requirement"`
	Verdict     Verdict  `json:"verdict"`
	Answer      Answer   `json:"answer"`
	AtMost      *float64 `json:"at_most,omitempty"`
	AtLeast     *float64 `json:"at_least,omitempty"`
	Text        string   `json:"text"`
}

// Ask looks a figure up in a run.
func (r *Run) Ask(question, analysis, asked, at string) (Answer, error) {
	name, pointer, err := r.study.figureOf(analysis, asked, at)
	if err != nil {
		return Answer{}, err
	}
	a := Answer{Question: question, Analysis: name, Figure: pointer, Name: asked}
	result := r.results[name]
	if result == nil {
		a.Missing = strings.TrimSpace(fmt.Sprintf("The analysis %q has no result. %s", name, r.why(name)))
		a.Text = asked + ": " + strings.TrimSuffix(a.Missing, ".")
		return a, nil
	}
	if result.Evidence != nil {
		for _, q := range result.Evidence.Quantities() {
			if q.Pointer == pointer {
				if a.take(q); r.study.Analyses[name].weighs(asked) {
					r.weigh(&a, result.OutputJSON())
				}
				return a, nil
			}
		}
	}
	value, ok := contract.Figure(result.OutputJSON(), pointer)
	number, isNumber := value.(float64)
	if !isNumber {
		number, isNumber = magnitude(value)
	}
	if !ok || !isNumber {
		a.Missing = fmt.Sprintf("The result of %q has no number at %s.", name, pointer)
		a.Text = asked + ": " + strings.TrimSuffix(a.Missing, ".")
		return a, nil
	}
	a.Value, a.Reasons = &number, []string{"Nothing is said of this number's error."}
	if r.study.Analyses[name].weighs(asked) {
		r.weigh(&a, result.OutputJSON())
		return a, nil
	}
	a.Text = fmt.Sprintf("%s: %s, of which nothing is checked", asked, quantity.Number(number))
	return a, nil
}

func (a *Answer) take(q evidence.Quantity) {
	a.Name, a.Value, a.Unit, a.Error, a.Where = q.Name, q.Value, q.Unit, q.Error, q.Where
	a.Trust, a.Reasons = q.Trust(), q.Reasons()
	if a.Value == nil {
		a.Missing = "It is undefined."
		a.Text = a.Name + ": undefined"
		return
	}
	a.Text = fmt.Sprintf("%s: %s", a.Name, withUnit(*a.Value, a.Unit))
	if a.Error != nil {
		a.Text += fmt.Sprintf(" ± %s", difference(*a.Error, a.Unit))
	}
	a.Text += ", " + string(a.Trust)
	if a.Trust == evidence.Suspect && len(a.Reasons) > 0 {
		a.Text += ": " + a.Reasons[0]
	}
}

// withUnit writes a value of an SI unit as people do: 41.2 MPa.
func withUnit(v float64, unit string) string {
	for _, k := range quantity.Kinds {
		if k.SI == unit {
			return k.Format(v)
		}
	}
	if unit == "1" || unit == "" {
		return quantity.Number(v)
	}
	return quantity.Number(v) + " " + unit
}

// difference writes one of two values of a unit: 5 K are no temperature.
func difference(v float64, unit string) string {
	if unit == "K" {
		return quantity.Number(v) + " K"
	}
	return withUnit(v, unit)
}

// why an analysis has no result.
func (r *Run) why(name string) string {
	for _, s := range r.Steps {
		switch {
		case s.Name == name && s.Fault != nil:
			return s.Fault.Message
		case s.Name == name && s.Skipped != "":
			return s.Skipped
		}
	}
	return ""
}

// Answers are those of the study's questions.
func (r *Run) Answers() ([]Answer, error) {
	out := []Answer{}
	for _, name := range keys(r.study.Questions) {
		q := r.study.Questions[name]
		a, err := r.Ask(name, q.Analysis, q.Quantity, "/questions/"+escape(name))
		if err != nil {
			return nil, err
		}
		out = append(out, a)
	}
	return out, nil
}

// Judgements are the requirements held against the run.
func (r *Run) Judgements() ([]Judgement, error) {
	out := []Judgement{}
	for _, name := range keys(r.study.Requirements) {
		q, at := r.study.Requirements[name], "/requirements/"+escape(name)
		a, err := r.Ask("", q.Analysis, q.Quantity, at)
		if err != nil {
			return nil, err
		}
		j := Judgement{Requirement: name, Verdict: Undecided, Answer: a}
		if a.Value != nil {
			env := r.strengths(a.Analysis)
			if j.AtMost, err = q.AtMost.value(a.Unit, env, at+"/at_most"); err == nil {
				j.AtLeast, err = q.AtLeast.value(a.Unit, env, at+"/at_least")
			}
		}
		if j.judge(); err != nil { // the figure is there, and what it is held against is not
			fault := contract.AsError(err)
			j.Verdict, j.Text = Undecided, strings.TrimSpace(fmt.Sprintf("%s: undecided. At %s %s. %s", a.Text, fault.Field, fault.Message, fault.Hint))
		}
		out = append(out, j)
	}
	return out, nil
}

// strengths of the materials that an analysis has used: the least of each.
func (r *Run) strengths(analysis string) map[string]float64 {
	out := map[string]float64{}
	least := func(name string, v float64) {
		if out[name] == 0 || v < out[name] {
			out[name] = v
		}
	}
	for _, m := range r.study.Materials {
		for _, name := range strengthNames {
			if v, ok := pascals(m.Figures[name]); ok {
				least(name, v)
			}
		}
	}
	result := r.results[analysis]
	if result == nil {
		return out
	}
	var used struct {
		Materials []map[string]any `json:"materials"`
	}
	if json.Unmarshal(result.OutputJSON(), &used) != nil {
		return out
	}
	for _, m := range used.Materials {
		for _, name := range strengthNames {
			if v, ok := m[name].(float64); ok {
				least(name, v)
			}
		}
	}
	return out
}

var strengthNames = []string{"yield", "tensile"}

// pascals of a figure that is a number, or a text with a unit.
func pascals(raw json.RawMessage) (float64, bool) {
	var number float64
	if raw == nil {
		return 0, false
	}
	if json.Unmarshal(raw, &number) == nil {
		return number, true
	}
	var text string
	if json.Unmarshal(raw, &text) != nil {
		return 0, false
	}
	v, err := quantity.ParseAs(text, quantity.Pressure)
	return v, err == nil
}

// value of a limit in an SI unit; nil for none.
func (l *Limit) value(unit string, env map[string]float64, at string) (*float64, error) {
	switch {
	case l == nil:
		return nil, nil
	case l.Number != nil:
		return l.Number, nil
	}
	if q, err := quantity.Parse(l.Text); err == nil {
		return inUnit(q, l.Text, unit, at)
	}
	code, err := expr.Compile(l.Text, expr.Env(env), expr.AsFloat64())
	if err != nil {
		return nil, contract.Errorf(contract.CodeInvalidInput, "the limit %q is no number with a unit and no formula in %s", l.Text, known(env)).At(at).
			WithHint(`Such as 1.6e8, "160 MPa" or "yield / 1.5". yield and tensile are known where the material has them.`)
	}
	if unit != "Pa" && slices.ContainsFunc(keys(env), func(name string) bool { return strings.Contains(l.Text, name) }) {
		return nil, contract.Errorf(contract.CodeInvalidInput, "the limit %q is a stress, and the figure is in %s", l.Text, cmp.Or(unit, "no unit")).At(at).
			WithHint("Hold a stress against a strength; a safety factor is held against a number.")
	}
	v, err := expr.Run(code, env)
	if err != nil {
		return nil, contract.Errorf(contract.CodeInvalidInput, "the limit %q cannot be computed: %w", l.Text, err).At(at)
	}
	return finite(v.(float64), l.Text, at) // AsFloat64
}

// known names what a formula may use.
func known(env map[string]float64) string {
	if len(env) == 0 {
		return "the strengths of the materials, of which none is known"
	}
	return strings.Join(keys(env), " and ")
}

// inUnit is a quantity in a unit; one of another dimension is refused.
func inUnit(q quantity.Quantity, text, unit, at string) (*float64, error) {
	wanted, ok := quantity.ParseUnit(unit)
	if unit == "1" || unit == "" {
		wanted, ok = []quantity.Unit{{}}, true
	}
	if !ok || !slices.ContainsFunc(wanted, func(u quantity.Unit) bool { return u.Dim == q.Unit.Dim }) {
		return nil, contract.Errorf(contract.CodeInvalidInput, "the limit %q is of another dimension than the figure, which is in %s", text, unit).At(at)
	}
	return finite(q.SI(), text, at)
}

// finite refuses a limit that no figure can be held against, such as yield / 0.
func finite(v float64, text, at string) (*float64, error) {
	if math.IsInf(v, 0) || math.IsNaN(v) {
		return nil, contract.Errorf(contract.CodeInvalidInput, "the limit %q is no finite number", text).At(at)
	}
	return &v, nil
}

// judge compares the figure and its error bar with the limits.
func (j *Judgement) judge() {
	a := j.Answer
	said := []string{}
	if j.AtMost != nil {
		said = append(said, "at most "+withUnit(*j.AtMost, a.Unit))
	}
	if j.AtLeast != nil {
		said = append(said, "at least "+withUnit(*j.AtLeast, a.Unit))
	}
	limits := strings.Join(said, " and ")
	undecided := func(why string) { j.Text = fmt.Sprintf("%s, %s: undecided. %s", a.Text, limits, why) }
	switch {
	case a.Value == nil:
		j.Text = "undecided. " + a.Text
		return
	case len(said) == 0:
		undecided("The requirement has no limit")
		return
	case a.Trust == evidence.Suspect:
		undecided("A check speaks against the figure")
		return
	case a.Error == nil:
		undecided("The figure has no error bar: ask for it with an accuracy")
		return
	}
	low, high := *a.Value-*a.Error, *a.Value+*a.Error
	least, most := math.Inf(-1), math.Inf(1)
	if j.AtLeast != nil {
		least = *j.AtLeast
	}
	if j.AtMost != nil {
		most = *j.AtMost
	}
	switch {
	case low >= least && high <= most:
		j.Verdict = Met
	case high < least || low > most:
		j.Verdict = NotMet
	default:
		undecided("The limit lies within the error bar: ask for a smaller one with an accuracy")
		return
	}
	j.Text = fmt.Sprintf("%s, %s: %s", a.Text, limits, strings.ReplaceAll(string(j.Verdict), "_", " "))
}
