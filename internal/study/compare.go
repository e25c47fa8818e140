package study

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"atelier/internal/evidence"
)

// Comparison of two runs.
type Comparison struct {
	Inputs   []Difference `json:"inputs"`
	MeshOnly bool         `json:"mesh_only"` // nothing but the mesh was asked for otherwise
	Figures  []Pair       `json:"figures"`
}

// Pair is a figure of both runs.
type Pair struct {
	Analysis string         `json:"analysis"`
	Figure   string         `json:"figure"`
	Name     string         `json:"name"`
	Unit     string         `json:"unit"`
	Before   *float64       `json:"before"`
	After    *float64       `json:"after"`
	Change   *float64       `json:"change"` // relative to before; nil where that is 0
	Error    *float64       `json:"error"`  // ± of the difference, of both error bars; nil where one is not known
	Trust    evidence.Trust `json:"trust,omitempty"`
	// Verdict: different, not_distinguishable, or unknown where an error bar is missing or a
	// figure is suspect.
	Verdict string `json:"verdict"`
	Text    string `json:"text"`
}

// Compare holds two runs against each other: what went in, and the quoted figures of the
// analyses that both have.
func Compare(a, b *Run) (*Comparison, error) {
	inputs, err := differences(a.Document, b.Document)
	if err != nil {
		return nil, err
	}
	for _, ref := range keys(a.Files) {
		if now, also := b.Files[ref]; also && now != a.Files[ref] {
			inputs = append(inputs, Difference{Path: "content of " + ref, From: encode(a.Files[ref]), To: encode(now)})
		}
	}
	c := &Comparison{Inputs: inputs, Figures: []Pair{}}
	c.MeshOnly = len(inputs) > 0 && !slices.ContainsFunc(inputs, func(d Difference) bool { return !ofMesh(d.Path) })
	for _, name := range keys(a.results) {
		before, after := a.results[name], b.results[name]
		if before == nil || after == nil || before.Evidence == nil || after.Evidence == nil {
			continue
		}
		for _, q := range before.Evidence.Quantities() {
			for _, p := range after.Evidence.Quantities() {
				if p.Pointer == q.Pointer {
					c.Figures = append(c.Figures, pair(figureOf(name, q), figureOf(name, p)))
				}
			}
		}
	}
	return c, nil
}

// ofMesh says whether a place of the document only decides how finely is computed.
func ofMesh(path string) bool {
	return path == "/mesh" || strings.HasPrefix(path, "/mesh/") ||
		strings.HasPrefix(path, "/questions/") || strings.HasPrefix(path, "/analyses/") && strings.HasSuffix(path, "/options/order")
}

func pair(q, p Figure) Pair {
	out := Pair{Analysis: q.Analysis, Figure: q.Pointer, Name: q.Name, Unit: q.Unit, Before: q.Value, After: p.Value, Verdict: "unknown"}
	out.Trust = evidence.Weakest(q.Trust, p.Trust)
	if q.Value == nil || p.Value == nil {
		out.Text = q.Name + ": one of both is undefined"
		return out
	}
	change := *p.Value - *q.Value
	if *q.Value != 0 {
		relative := change / math.Abs(*q.Value)
		out.Change = &relative
	}
	out.Text = fmt.Sprintf("%s: %s -> %s", q.Name, withUnit(*q.Value, q.Unit), withUnit(*p.Value, p.Unit))
	if out.Change != nil {
		out.Text += fmt.Sprintf(" (%+.3g %%)", 100**out.Change)
	}
	if q.Error == nil || p.Error == nil || out.Trust == evidence.Suspect {
		return out
	}
	sum := *q.Error + *p.Error
	out.Error = &sum
	if out.Verdict = "different"; math.Abs(change) <= sum {
		out.Verdict = "not_distinguishable"
		out.Text += ", not distinguishable: both error bars together are " + difference(sum, q.Unit)
	}
	return out
}
