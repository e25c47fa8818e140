package outside

import (
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"atelier/internal/contract"
	"atelier/internal/engine"
	"atelier/internal/evidence"
	"atelier/internal/quantity"
)

// A summary is in the program's own words, and what most readers take away. What can be
// read of it is held against the quantities; those of them that cannot be found in it
// are put behind it, and all of them where it has figures that cannot be read with
// certainty, so that the figures with something behind them always stand there.

// longestRead bounds how much of a summary is looked at; the server cuts it far sooner.
const longestRead = 8 << 10

// ownWords stands behind the summary of an exact tool with figures that are not read.
const ownWords = " (Figures in these words are the tool's own.)"

// trustWords are the server's: a summary with them would pass for its word. A solver may
// say that it converged.
var trustWords = regexp.MustCompile(`(?i)\bevidence\s*:|\btrust\w*\s*[:=]|\btrust\s+(?:is\s+)?(?:verified|converged|computed|suspect)\b|\bverified\b|\bconfidence\s*[:=]?\s*[01]\b`)

// trustWord is one of those that a name and a coverage, which need none, do not have.
var trustWord = regexp.MustCompile(`(?i)\b(?:verified|converged|suspect)\b`)

// summary holds the sentence of an answer against the rest of it, and gives what is put
// behind it. Figures of its own make a result suspect, and are a fault of an exact tool.
func (t *Tool) summary(reply *engine.Reply, statement *evidence.Statement, input map[string]json.RawMessage) (string, error) {
	text := reply.Summary
	if at := strings.IndexFunc(text, unprintable); at >= 0 {
		return "", fmt.Errorf("wrote the control character %q into its summary: it is a sentence, on one line", []rune(text[at:])[0])
	}
	if word := trustWords.FindString(text); word != "" {
		return "", fmt.Errorf("wrote %q into its summary, which says how far a result may be believed: that is computed from the checks, and told by the server", word)
	}
	if statement == nil && !t.contract.Evidence.Exact() {
		return "", nil
	}
	f := &foundation{}
	for _, raw := range input {
		f.learn(decoded(raw), true)
	}
	f.learn(decoded(reply.Output), false)
	if statement != nil {
		f.figures, f.seen = statement.Figures, make([]bool, len(statement.Figures))
		for _, q := range statement.Figures { // 95 % of a confidence interval
			f.learn(q.Coverage+" "+q.Method, true)
			f.learn(q.Name, true)
		}
		for _, c := range statement.Checks { // and what a check was held against
			f.limits = append(f.limits, number(c.Value), number(c.Limit))
		}
	}
	f.sort()
	var missing []string
	numbers, unread := numbersIn(text[:min(len(text), longestRead)])
	f.unread = unread
	for _, n := range numbers {
		if !f.holds(n) && !slices.Contains(missing, n.text) {
			missing = append(missing, n.text)
		}
	}
	switch {
	case statement == nil && len(missing) > 0:
		return "", fmt.Errorf("quoted %q in its summary, which is no number of the call and no count of its output, and its contract has no quantities", missing[0])
	case len(missing) > 0:
		statement.Check(evidence.Holds("summary", evidence.Exact, "/summary", false, fmt.Sprintf(
			"The summary quotes %s, which no quantity of the result states in that unit, nor the call: no check is behind it.", contract.Listed(missing, 5))))
	}
	if statement == nil && unread {
		return ownWords, nil
	}
	return f.unseen(), nil
}

// unprintable characters move what a reader sees: they end lines, and colour terminals.
func unprintable(r rune) bool {
	return unicode.IsControl(r) && r != '\n' && r != '\t' || r == '\u2028' || r == '\u2029'
}

// foundation is what a summary can be held against.
type foundation struct {
	figures []evidence.Figure
	seen    []bool    // which of them the summary quotes
	plain   []float64 // numbers of the call, in order
	counts  []float64 // of the output, without units
	limits  []float64 // values and limits of checks, without units
	unread  bool      // the summary has figures with no quantity, or such as cannot be read
	written []written // numbers with a unit in texts of the call
}

// learn takes in what a JSON value says: of the call every number, also those in texts,
// of the output whole numbers and the lengths of lists.
func (f *foundation) learn(v any, call bool) {
	switch v := v.(type) {
	case float64:
		switch {
		case call:
			f.plain = append(f.plain, v)
		case v == math.Trunc(v):
			f.counts = append(f.counts, v)
		}
	case string:
		if !call {
			return
		}
		numbers, _ := numbersIn(v[:min(len(v), longestRead)])
		for _, n := range numbers {
			if n.unit == "" {
				f.plain = append(f.plain, n.value)
			} else {
				f.written = append(f.written, n)
			}
		}
	case []any:
		f.counts = append(f.counts, float64(len(v)))
		for _, item := range v {
			f.learn(item, call)
		}
	case map[string]any:
		for _, item := range v {
			f.learn(item, call)
		}
	}
}

func (f *foundation) sort() {
	f.limits = slices.DeleteFunc(f.limits, math.IsNaN) // of checks without a value
	slices.Sort(f.limits)
	slices.Sort(f.counts)
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
		stated, same := n.of(q)
		if stated {
			f.seen[i] = f.seen[i] || same
			f.figures[i].Quoted = true // or it would not count for the result
			found = true
		}
		taken = taken || n.unit != "" && n.is(*q.Value) // its number, in another unit
	}
	if found || taken {
		return found
	}
	if n.uncounted() {
		f.unread = f.unread || n.unit != "" // 5 V, or 5 in all
		return true
	}
	if n.unit == "" && n.value == math.Trunc(n.value) && n.value >= firstYear && n.value <= lastYear {
		f.unread = true // or a number of cycles
		return true
	}
	return f.given(n)
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
	if bare && n.among(f.limits) || slices.ContainsFunc(forms, func(form written) bool { return form.among(f.plain) }) {
		return true
	}
	if bare && n.among(f.counts) {
		f.unread = true // nothing checks it
		return true
	}
	return slices.ContainsFunc(f.written, func(w written) bool {
		value, ok := inUnit(w.value, w.unit, n.unit)
		return ok && n.unit != "" && n.is(value)
	})
}

// unseen is what is put behind a summary: the quoted quantities that cannot be read in
// it; all of them where something else in it cannot be read.
func (f *foundation) unseen() string {
	var list []string
	for i, q := range f.figures {
		if !f.unread && (!q.Quoted || f.seen[i]) {
			continue
		}
		name := q.Name
		if strings.ContainsFunc(name, unicode.IsNumber) { // 2 mm is the value of "sag at 500 mm"
			name = strconv.Quote(name)
		}
		text := name + " undefined"
		if q.Value != nil {
			text = name + " " + quantity.Number(*q.Value)
			if q.Unit != "1" {
				text += " " + q.Unit
			}
		}
		if q.Error != nil {
			text += fmt.Sprintf(" ± %.2g", *q.Error)
		}
		list = append(list, text)
	}
	if len(list) == 0 {
		return ""
	}
	return " Stated: " + contract.Listed(list, 8) + "."
}

func decoded(raw json.RawMessage) (v any) {
	_ = json.Unmarshal(raw, &v) // another part refuses what is no JSON
	return v
}
