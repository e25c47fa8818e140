package contract

import (
	"path"
	"slices"
	"strings"
)

// Selection narrows the tools that a protocol shows: too many overwhelm a model.
// Empty lists select all.
type Selection struct {
	Families []string // families, or the names of MCP servers (a contract's endpoint)
	Tools    []string // names or aliases; * and ? stand for any characters
}

// Empty says that nothing is narrowed.
func (s Selection) Empty() bool { return len(s.Families) == 0 && len(s.Tools) == 0 }

// Matches says whether a tool is selected: by its family, or by its name.
func (s Selection) Matches(c *Contract) bool {
	if s.Empty() || slices.Contains(s.Families, c.Family) || slices.Contains(s.Families, c.Endpoint) {
		return true
	}
	return slices.ContainsFunc(s.Tools, func(pattern string) bool {
		byName, _ := path.Match(pattern, c.Name)
		byAlias, _ := path.Match(pattern, c.Alias())
		return byName || byAlias
	})
}

// Select is the registry of the selected tools. A family or pattern that
// selects nothing is an error that lists what there is: it is a slip of the
// operator's or caller's, and an empty list of tools would hide it.
func (r *Registry) Select(s Selection) (*Registry, error) {
	if s.Empty() {
		return r, nil
	}
	for _, family := range s.Families {
		if !r.any(Selection{Families: []string{family}}) {
			return nil, Errorf(CodeInvalidRequest, "no tool is of the family %q", family).At("family").
				With("accepted", r.Families()).WithHint("Families are %s.", strings.Join(r.Families(), ", "))
		}
	}
	for _, pattern := range s.Tools {
		if _, err := path.Match(pattern, ""); err != nil || !r.any(Selection{Tools: []string{pattern}}) {
			return nil, Errorf(CodeInvalidRequest, "no tool matches %q", pattern).At("tools").
				WithHint("Tools are %s.", strings.Join(r.Names(), ", "))
		}
	}
	return r.filter(func(t *Tool) bool { return s.Matches(t.Contract) }), nil
}

// Available is the registry of the tools that this machine can run.
func (r *Registry) Available() *Registry {
	return r.filter(func(t *Tool) bool { return t.Available == nil || t.Available() == nil })
}

// Families lists the families, sorted.
func (r *Registry) Families() []string {
	var families []string
	for _, t := range r.sorted {
		families = append(families, t.Contract.Family)
	}
	slices.Sort(families)
	return slices.Compact(families)
}

func (r *Registry) any(s Selection) bool {
	return slices.ContainsFunc(r.sorted, func(t *Tool) bool { return s.Matches(t.Contract) })
}

func (r *Registry) filter(wanted func(*Tool) bool) *Registry {
	kept := &Registry{byName: map[string]*Tool{}}
	for _, t := range r.sorted {
		if !wanted(t) {
			continue
		}
		kept.sorted = append(kept.sorted, t)
		kept.byName[t.Contract.Name], kept.byName[t.Contract.Alias()] = t, t
	}
	return kept
}
