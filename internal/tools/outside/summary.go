package outside

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"

	"atelier/internal/contract"
	"atelier/internal/engine"
	"atelier/internal/evidence"
	"atelier/internal/quantity"
)

// A summary is in the program's own words, and what most readers take away. What can be
// read of it is held against the quantities; those of them that cannot be found in it
// are put behind it, so that the figures with something behind them always stand there.

// longestRead bounds how much of a summary is looked at; the server cuts it far sooner.
const longestRead = 8 << 10

// summary holds the sentence of an answer against the rest of it, and gives the one that
// is shown. Figures of its own make a result suspect, and are a fault of an exact tool.
func (t *Tool) summary(reply *engine.Reply, statement *evidence.Statement, input map[string]json.RawMessage) (string, error) {
	text := reply.Summary
	if statement == nil && !t.contract.Evidence.Exact() {
		return text, nil
	}
	f := &foundation{}
	for _, raw := range input {
		f.learn(decoded(raw), true)
	}
	f.learn(decoded(reply.Output), false)
	if statement != nil {
		f.figures, f.seen = statement.Figures, make([]bool, len(statement.Figures))
		for _, q := range statement.Figures { // 95 % of a confidence interval
			f.learn(q.Coverage+" "+q.Method+" "+q.Name, true)
		}
	}
	f.sort()
	var missing []string
	for _, n := range numbersIn(text[:min(len(text), longestRead)]) {
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
	return strings.TrimSpace(text + f.unseen()), nil
}

// foundation is what a summary can be held against.
type foundation struct {
	figures []evidence.Figure
	seen    []bool    // which of them the summary quotes
	plain   []float64 // numbers of the call, and counts of the output, in order
	written []written // numbers with a unit in texts of the call
}

// learn takes in what a JSON value says: of the call every number, also those in texts,
// of the output whole numbers and the lengths of lists.
func (f *foundation) learn(v any, call bool) {
	switch v := v.(type) {
	case float64:
		if call || v == math.Trunc(v) {
			f.plain = append(f.plain, v)
		}
	case string:
		if !call {
			return
		}
		for _, n := range numbersIn(v[:min(len(v), longestRead)]) {
			if n.unit == "" {
				f.plain = append(f.plain, n.value)
			} else {
				f.written = append(f.written, n)
			}
		}
	case []any:
		f.plain = append(f.plain, float64(len(v)))
		for _, item := range v {
			f.learn(item, call)
		}
	case map[string]any:
		for _, item := range v {
			f.learn(item, call)
		}
	}
}

func (f *foundation) sort() { slices.Sort(f.plain) }

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
	whole := n.value == math.Trunc(n.value)
	if whole && math.Abs(n.value) <= mostUncounted && (n.unit == "" || n.ambiguous() || !f.measures(n.unit)) {
		return true
	}
	if n.unit == "" && whole && n.value >= firstYear && n.value <= lastYear {
		return true
	}
	return f.given(n)
}

// measures says that some quantity is of the dimension of a unit.
func (f *foundation) measures(unit string) bool {
	return slices.ContainsFunc(f.figures, func(q evidence.Figure) bool {
		_, ok := inUnit(1, q.Unit, unit)
		return ok
	})
}

// given says that the call states the number, or that it is a count. Tools are given
// values with units in SI.
func (f *foundation) given(n written) bool {
	forms := []written{n}
	if units, ok := quantity.ParseUnit(n.unit); ok {
		if si, err := quantity.Convert(n.value, n.unit, units[0].Dim.String()); err == nil {
			scale, _, _ := quantity.Affine(n.unit, units[0].Dim.String())
			forms = append(forms, written{value: si, half: n.half * math.Abs(scale)})
		}
	}
	for _, form := range forms {
		slack := form.half*(1+1e-6) + 1e-12*math.Abs(form.value)
		if at, _ := slices.BinarySearch(f.plain, form.value-slack); at < len(f.plain) && f.plain[at] <= form.value+slack {
			return true
		}
	}
	return slices.ContainsFunc(f.written, func(w written) bool {
		value, ok := inUnit(w.value, w.unit, n.unit)
		return ok && n.unit != "" && n.is(value)
	})
}

// unseen is what is put behind a summary: the quoted quantities that cannot be read in
// it.
func (f *foundation) unseen() string {
	var list []string
	for i, q := range f.figures {
		if !q.Quoted || f.seen[i] {
			continue
		}
		value := "undefined"
		if q.Value != nil {
			value = quantity.Number(*q.Value)
		}
		text := q.Name + " " + value
		if q.Unit != "1" {
			text += " " + q.Unit
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
