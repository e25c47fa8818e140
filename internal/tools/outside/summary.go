package outside

import (
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"

	"atelier/internal/engine"
	"atelier/internal/evidence"
	"atelier/internal/quantity"
)

// unfounded are the numbers of a summary that nothing beside it states: no quantity
// with its error bar, no number or text of the output or the input, no length of a
// list. A summary is what most readers take away, and no check is behind these. Whole
// numbers up to ten, names as M8 or ISO 4017, ranges and dates are no figures.
func unfounded(summary string, figures []evidence.Figure, known []any) []string {
	f := &foundation{figures: figures}
	for _, v := range known {
		f.learn(v)
	}
	var missing []string
	for _, n := range numbersIn(summary) {
		if !f.holds(n) {
			missing = append(missing, n.text)
		}
	}
	return missing
}

// written is a number as it stands in a sentence.
type written struct {
	text  string
	value float64
	half  float64 // half a unit of its last digit
	unit  string  // "" where none stands behind it
}

var (
	// numberStart is a place where a number may begin: what follows a letter or a
	// hyphen is a name or a range.
	numberStart = regexp.MustCompile(`(?:^|[\s(=±~≈<>≤≥:])([+\-−]?\.?\d)`)
	standard    = regexp.MustCompile(`\b[A-Z]{2,}\s$`) // ISO 4017
	angleUnit   = regexp.MustCompile(`^(?:deg|rad|turn|°)\b?`)
	powerOfTen  = regexp.MustCompile(`\s?[×x*·⋅]\s?10\^?\(?([+-]?\d+)\)?$`)
	grouping    = regexp.MustCompile(`[,'\s]`)
)

// numbersIn are the numbers of a sentence, with the unit behind each.
func numbersIn(text string) []written {
	var found []written
	end := 0
	for _, m := range numberStart.FindAllStringSubmatchIndex(text, -1) {
		at := m[2]
		if at < end || standard.MatchString(text[:at]) {
			continue
		}
		number, n, err := quantity.NumberAt(text[at:])
		if err != nil || n == 0 {
			continue
		}
		end = at + n
		rest := text[end:]
		gap := len(rest) - len(strings.TrimLeft(rest, " "))
		unit := angleUnit.FindString(rest[gap:])
		if _, long := quantity.UnitAt(rest[gap:]); long > 0 {
			unit = rest[gap : gap+long]
		}
		if unit == "" && !endsNumber(rest) {
			continue
		}
		value, _ := number.Float64()
		digits := grouping.ReplaceAllString(powerOfTen.ReplaceAllString(strings.Replace(text[at:end], "−", "-", 1), "e$1"), "")
		shown := text[at:end]
		if unit != "" {
			shown = text[at : end+gap+len(unit)]
			end += gap + len(unit)
		}
		found = append(found, written{shown, value, quantity.HalfDigit(digits), unit})
	}
	return found
}

// endsNumber says that what follows a number is no part of a name, a range or a date.
func endsNumber(rest string) bool {
	if rest == "" || strings.ContainsRune(" \n\t)];%", rune(rest[0])) {
		return true
	}
	return strings.ContainsRune(".,:", rune(rest[0])) && (len(rest) == 1 || strings.ContainsRune(" \n\t)", rune(rest[1])))
}

// foundation is what a summary can be held against.
type foundation struct {
	figures []evidence.Figure
	stated  []written // by the output and the input
}

// learn takes in every number of a JSON value, those inside of its texts, and the
// lengths of its lists.
func (f *foundation) learn(v any) {
	switch v := v.(type) {
	case float64:
		f.stated = append(f.stated, written{value: v})
	case string:
		f.stated = append(f.stated, numbersIn(v)...)
	case []any:
		f.stated = append(f.stated, written{value: float64(len(v))})
		for _, item := range v {
			f.learn(item)
		}
	case map[string]any:
		for _, item := range v {
			f.learn(item)
		}
	}
}

const mostUncounted = 10

func (f *foundation) holds(n written) bool {
	if n.unit == "" && n.value == math.Trunc(n.value) && math.Abs(n.value) <= mostUncounted {
		return true
	}
	otherUnit := false // it is the number of a quantity, and not in its unit
	for _, q := range f.figures {
		if q.Value == nil {
			continue
		}
		value, ok := inUnit(*q.Value, q.Unit, n.unit)
		if n.is(value) {
			return true
		}
		if q.Error != nil {
			if upper, okUpper := inUnit(*q.Value+*q.Error, q.Unit, n.unit); okUpper && n.is(upper-value) {
				return true
			}
		}
		otherUnit = otherUnit || ok && n.unit != "" && n.is(*q.Value)
	}
	return !otherUnit && slices.ContainsFunc(f.stated, func(s written) bool {
		value, ok := s.value, s.unit != "" && n.unit != ""
		if ok {
			value, ok = inUnit(s.value, s.unit, n.unit)
		}
		return n.is(s.value) && !ok || ok && n.is(value)
	})
}

// is says that a number rounds to what is written. A summary may leave the sign to a
// word: 5 mm downwards.
func (n written) is(value float64) bool {
	if n.value >= 0 {
		value = math.Abs(value)
	}
	return math.Abs(n.value-value) <= n.half*(1+1e-6)+1e-12*math.Abs(value)
}

// inUnit is a value in another unit, where that is of its dimension; without one it is
// the value itself.
func inUnit(value float64, from, to string) (float64, bool) {
	if to == "" || to == from {
		return value, true
	}
	if v, err := quantity.Convert(value, from, to); err == nil {
		return v, true
	}
	if to == "°" {
		to = "deg"
	}
	v, err := quantity.ParseIn(fmt.Sprintf("%.17g %s", value, from), quantity.Angle, to)
	return v, err == nil
}

// summary holds the sentence of an answer against the rest of it: figures of its own
// make a result suspect, and are a fault of a tool that is to have none.
func (t *Tool) summary(reply *engine.Reply, statement *evidence.Statement, input map[string]json.RawMessage) error {
	checked := statement != nil
	if !checked && !t.contract.Evidence.Exact() {
		return nil
	}
	known := []any{decoded(reply.Output)}
	for _, raw := range input {
		known = append(known, decoded(raw))
	}
	var figures []evidence.Figure
	if checked {
		figures = statement.Figures
	}
	missing := unfounded(reply.Summary, figures, known)
	switch {
	case len(missing) == 0:
		return nil
	case !checked:
		return fmt.Errorf("quoted %q in its summary, which is no number of its output or of the call, and its contract has no quantities", missing[0])
	}
	statement.Check(evidence.Holds("summary", evidence.Exact, "/summary", false, fmt.Sprintf(
		"The summary quotes %s, which is none of the result's quantities in that unit and no number of its output or of the call: no check is behind it.", strings.Join(missing[:min(len(missing), 5)], ", "))))
	return nil
}

func decoded(raw json.RawMessage) (v any) {
	_ = json.Unmarshal(raw, &v) // another part refuses what is no JSON
	return v
}
