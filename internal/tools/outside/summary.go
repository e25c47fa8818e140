package outside

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"atelier/internal/contract"
	"atelier/internal/engine"
	"atelier/internal/evidence"
	"atelier/internal/jsonvalue"
	"atelier/internal/quantity"
)

// A summary is in the program's own words, and what most readers take away: the server
// shows it as such, with the quantities and their trust behind it. What can be read of it
// with certainty is held against these.

// longestRead bounds how much of a summary is looked at; the server cuts it far sooner.
const longestRead = 8 << 10

// trustWords are the server's: a summary with them would pass for its word. A solver may
// say that it converged.
var trustWords = regexp.MustCompile(`(?i)\bevidence\s*:|\btrust\w*\s*[:=]|\btrust\s+(?:is\s+)?(?:verified|converged|computed|suspect)\b|\bverified\b|\bconfidence\s*[:=]?\s*[01]\b`)

// trustWord is one of those that a name and a coverage, which need none, do not have.
var trustWord = regexp.MustCompile(`(?i)\b(?:verified|converged|suspect)\b`)

// summary holds the sentence of an answer against the rest of it. Figures of its own make
// a result suspect, and are a fault of a tool without quantities.
func (t *Tool) summary(reply *engine.Reply, statement *evidence.Statement, input map[string]json.RawMessage) error {
	text := reply.Summary
	if at := strings.IndexFunc(text, unprintable); at >= 0 {
		return fmt.Errorf("wrote the character %q into its summary: it is a sentence of what can be seen, on one line", []rune(text[at:])[0])
	}
	if word := trustWords.FindString(text); word != "" {
		return fmt.Errorf("wrote %q into its summary, which says how far a result may be believed: that is computed from the checks, and told by the server", word)
	}
	f := &foundation{}
	for name, raw := range input {
		f.call(decoded(raw), t.unitOf(name))
	}
	f.count(decoded(reply.Output))
	if statement != nil {
		f.figures = statement.Figures
		for _, q := range statement.Figures { // 95 % of a confidence interval
			f.call(q.Coverage+" "+q.Method, "")
			f.call(q.Name, "")
		}
		for _, c := range statement.Checks { // and what a check was held against
			f.compared(c)
		}
	}
	f.sort()
	var missing []string
	for _, n := range numbersIn(text[:min(len(text), longestRead)]) {
		if !f.holds(n) && !slices.Contains(missing, n.text) {
			missing = append(missing, n.text)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	if statement == nil {
		return fmt.Errorf("quoted %q in its summary, which is no number of the call and no count of its output, and its contract has no quantities", missing[0])
	}
	statement.Check(evidence.Holds("summary", evidence.Exact, "/summary", false, fmt.Sprintf(
		"The summary quotes %s, which no quantity of the result states in that unit, nor a check or the call: nothing is behind it.", contract.Listed(missing, 5))))
	return nil
}

// compared takes in the value and the limit of a check, but of one that shows nothing.
func (f *foundation) compared(c evidence.Check) {
	if !c.Kind.Tolerances() {
		return
	}
	for _, v := range []*float64{c.Value, c.Limit} {
		switch {
		case v == nil || math.IsNaN(*v):
		case c.Unit == "1":
			f.bare = append(f.bare, *v)
		default:
			f.written = append(f.written, written{value: *v, unit: c.Unit})
		}
	}
}

const zeroWidthNonJoiner, zeroWidthJoiner = '\u200c', '\u200d'

// unprintable characters move what a reader sees, or are not seen: they end lines, colour
// terminals, turn the direction of writing, and stand within words.
func unprintable(r rune) bool {
	return unicode.IsControl(r) && r != '\n' && r != '\t' || r == '\u2028' || r == '\u2029' || unicode.Is(unicode.Cf, r) && r != zeroWidthJoiner && r != zeroWidthNonJoiner // of Persian, Hindi
}

// foundation is what a summary can be held against.
type foundation struct {
	figures []evidence.Figure
	plain   []float64 // numbers of the call, in order
	bare    []float64 // what a number without a unit may be: counts, ratios of checks, arguments with a unit
	written []written // numbers with a unit in texts of the call and of checks
}

// unitOf is the unit in which the program is given an argument that is a quantity; "" of
// another, or of one that may be several.
func (t *Tool) unitOf(name string) string {
	for _, q := range t.contract.Quantities() {
		top, _, _ := strings.Cut(strings.TrimPrefix(q.Pointer, "/"), "/")
		if kind, known := quantity.ByID(q.Mark.Kind); known && jsonvalue.Unescape(top) == name {
			return cmp.Or(q.Mark.Unit, kind.SI)
		}
	}
	return ""
}

// call takes in every number of a value of the call, also those in texts.
func (f *foundation) call(v any, unit string) {
	switch v := v.(type) {
	case float64:
		if unit == "" {
			f.plain = append(f.plain, v)
			return
		}
		f.bare, f.written = append(f.bare, v), append(f.written, written{value: v, unit: unit})
	case string:
		for _, n := range numbersIn(v[:min(len(v), longestRead)]) {
			if n.unit == "" {
				f.plain = append(f.plain, n.value)
			} else {
				f.written = append(f.written, n)
			}
		}
	case []any:
		f.bare = append(f.bare, float64(len(v)))
		for _, item := range v {
			f.call(item, unit)
		}
	case map[string]any:
		for _, item := range v {
			f.call(item, "")
		}
	}
}

// count takes in the whole numbers of an output, and the lengths of its lists.
func (f *foundation) count(v any) {
	switch v := v.(type) {
	case float64:
		if v == math.Trunc(v) {
			f.bare = append(f.bare, v)
		}
	case []any:
		f.bare = append(f.bare, float64(len(v)))
		for _, item := range v {
			f.count(item)
		}
	case map[string]any:
		for _, item := range v {
			f.count(item)
		}
	}
}

func (f *foundation) sort() {
	slices.Sort(f.bare)
	slices.Sort(f.plain)
}

const (
	mostUncounted       = 10 // whole numbers up to it are no figures
	firstYear, lastYear = 1900, 2100
)

// holds says that something states the number, and notes the quantities that it quotes.
func (f *foundation) holds(n written) bool {
	found, taken := false, false
	for i, q := range f.figures {
		if q.Value == nil {
			continue
		}
		if n.of(q) {
			f.figures[i].Quoted = true // or it would not count for the result
			found = true
		}
		taken = taken || n.unit != "" && n.is(*q.Value) // its number, in another unit
	}
	if found || taken {
		return found
	}
	year := n.unit == "" && n.value == math.Trunc(n.value) && n.value >= firstYear && n.value <= lastYear
	return n.uncounted() || year || f.given(n)
}

// given says that the call states the number, or that it is a count. Tools are given
// values with units in SI.
func (f *foundation) given(n written) bool {
	forms := []written{n}
	if units, ok := quantity.ParseUnit(n.unit); ok && !n.bar {
		if si, err := quantity.Convert(n.value, n.unit, units[0].Dim.String()); err == nil {
			scale, _, _ := quantity.Affine(n.unit, units[0].Dim.String())
			forms = append(forms, written{value: si, half: n.half * math.Abs(scale)})
		}
	}
	bare := n.unit == "" && !n.bar
	if bare && n.among(f.bare) || slices.ContainsFunc(forms, func(form written) bool { return form.among(f.plain) }) {
		return true
	}
	return slices.ContainsFunc(f.written, func(w written) bool {
		value, ok := inUnit(w.value, w.unit, n.unit)
		return ok && n.unit != "" && n.is(value)
	})
}

func decoded(raw json.RawMessage) (v any) {
	_ = json.Unmarshal(raw, &v) // another part refuses what is no JSON
	return v
}
