package contract

import (
	"encoding/json"
	"fmt"
	"slices"
	"sort"
	"strings"
)

// Registry is the fixed set of tools of a program, found by name or alias.
type Registry struct {
	byName map[string]*Tool
	sorted []*Tool
}

// NewRegistry refuses contracts with a fault, and duplicate names and aliases,
// naming them.
func NewRegistry(tools []Tool) (*Registry, error) {
	r := &Registry{byName: map[string]*Tool{}}
	for i := range tools {
		t := &tools[i]
		if err := t.Check(); err != nil {
			return nil, err
		}
		names := []string{t.Contract.Name}
		if alias := t.Contract.Alias(); alias != t.Contract.Name {
			names = append(names, alias)
		}
		for _, n := range names {
			if other, taken := r.byName[n]; taken {
				return nil, fmt.Errorf("tool name or alias %q is used by both %s and %s", n, other.Contract.Name, t.Contract.Name)
			}
			r.byName[n] = t
		}
		r.sorted = append(r.sorted, t)
	}
	sort.Slice(r.sorted, func(i, j int) bool { return r.sorted[i].Contract.Name < r.sorted[j].Contract.Name })
	return r, nil
}

// Find returns the tool of a name or alias, or an unknown_tool error that
// suggests the nearest name.
func (r *Registry) Find(name string) (*Tool, error) {
	if t, ok := r.byName[name]; ok {
		return t, nil
	}
	e := Errorf(CodeUnknownTool, "no tool is named %q", name)
	if near := Nearest(name, r.Names()); near != "" {
		return nil, e.WithHint("Did you mean %q? GET /v1/tools and `atelier tools` list all tools.", near)
	}
	return nil, e.WithHint("GET /v1/tools and `atelier tools` list all tools.")
}

// Names lists the canonical names, sorted.
func (r *Registry) Names() []string {
	names := make([]string, len(r.sorted))
	for i, t := range r.sorted {
		names[i] = t.Contract.Name
	}
	return names
}

// All lists the tools by name.
func (r *Registry) All() []*Tool { return r.sorted }

// Filter lists the tools of a stability level ("" for all) that carry any of
// the tags (none for all); an unknown level is an error with what is accepted.
// A tag that no tool carries matches nothing: clients may ask for families that
// this server does not have.
func (r *Registry) Filter(stability string, tags []string) ([]*Tool, error) {
	if stability != "" && !slices.Contains(Stabilities, stability) {
		return nil, Errorf(CodeInvalidRequest, "stability is %q", stability).At("stability").
			With("field", "stability").With("accepted", Stabilities).
			WithHint("Use one of %s.", strings.Join(Stabilities, ", "))
	}
	out := []*Tool{}
	for _, t := range r.sorted {
		if stability != "" && t.Contract.Stability != stability {
			continue
		}
		if len(tags) > 0 && !slices.ContainsFunc(tags, func(tag string) bool { return slices.Contains(t.Contract.Tags, tag) }) {
			continue
		}
		out = append(out, t)
	}
	return out, nil
}

// Nearest returns the candidate that is close enough to a misspelt word to be
// what was meant (Distance of at most a third of its length), or "".
func Nearest(word string, candidates []string) string {
	best, bestDistance := "", len(word)/3+1
	for _, c := range candidates {
		if d := Distance(strings.ToLower(word), strings.ToLower(c)); d < bestDistance {
			best, bestDistance = c, d
		}
	}
	return best
}

// Distance is the optimal string alignment distance (Damerau and Levenshtein,
// neighbours exchanged count one), in bytes.
func Distance(a, b string) int {
	var rows [3][]int // the row before the last, the last, and the new one
	for i := range rows {
		rows[i] = make([]int, len(b)+1)
	}
	for j := range rows[1] {
		rows[1][j] = j
	}
	for i := 1; i <= len(a); i++ {
		rows[2][0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			rows[2][j] = min(rows[1][j]+1, rows[2][j-1]+1, rows[1][j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				rows[2][j] = min(rows[2][j], rows[0][j-2]+1)
			}
		}
		rows[0], rows[1], rows[2] = rows[1], rows[2], rows[0]
	}
	return rows[1][len(b)]
}

// Admit is nil when this machine can answer this call, whose input has been
// validated.
func (t *Tool) Admit(input json.RawMessage) error {
	switch {
	case t.Admits != nil:
		return t.Admits(t.Contract.Normalise(input))
	case t.Available != nil:
		return t.Available()
	}
	return nil
}
