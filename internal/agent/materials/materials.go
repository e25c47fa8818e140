// Package materials is the small table of materials that a prompt may name:
// engineering values at room temperature in SI units, each with its source.
// Grades differ, so that an answer names the row it used; a material that is not
// here is asked for, never guessed.
package materials

import (
	"regexp"
	"slices"
	"strings"
	"sync"
)

// Material is a row of the table. A value of 0 is not known.
type Material struct {
	Name     string   `json:"name"`
	Synonyms []string `json:"synonyms,omitempty"`
	Fluid    bool     `json:"fluid,omitempty"`

	YoungsModulus float64 `json:"youngs_modulus,omitempty"` // Pa
	PoissonRatio  float64 `json:"poisson_ratio,omitempty"`  // 1
	Density       float64 `json:"density,omitempty"`        // kg/m^3
	Yield         float64 `json:"yield_strength,omitempty"` // Pa, 0.2 % proof stress; 0 for brittle ones
	Conductivity  float64 `json:"conductivity,omitempty"`   // W/(m K)
	SpecificHeat  float64 `json:"specific_heat,omitempty"`  // J/(kg K)
	Expansion     float64 `json:"expansion,omitempty"`      // 1/K
	Viscosity     float64 `json:"viscosity,omitempty"`      // Pa s, dynamic

	Source string `json:"source"`
	Note   string `json:"note,omitempty"` // what the value holds for
}

// All lists the table, solids first.
func All() []Material { return slices.Clone(table) }

// Find returns the material with this name or synonym; spaces, hyphens and the
// case do not matter.
func Find(name string) (Material, bool) {
	for _, m := range Mentions(name) {
		if m.Start == 0 && m.End == len(name) {
			return m.Material, true
		}
	}
	return Material{}, false
}

// Mention is a place in a text that names a material.
type Mention struct {
	Material   Material
	Start, End int
}

// Mentions finds the materials that a text names, the longest name at each
// place, in order: "stainless steel 304" is one mention, not two.
func Mentions(text string) []Mention {
	var out []Mention
	all := patterns()
	for i, m := range table {
		for _, at := range all[i].FindAllStringSubmatchIndex(text, -1) {
			out = append(out, Mention{m, at[2], at[3]})
		}
	}
	slices.SortStableFunc(out, func(a, b Mention) int {
		if a.Start != b.Start {
			return a.Start - b.Start
		}
		return b.End - a.End
	})
	kept := out[:0]
	for _, m := range out {
		if n := len(kept); n == 0 || m.Start >= kept[n-1].End {
			kept = append(kept, m)
		}
	}
	return kept
}

// patterns are made when a text is first read: most programs read none.
var patterns = sync.OnceValue(makePatterns)

func makePatterns() []*regexp.Regexp {
	out := make([]*regexp.Regexp, len(table))
	for i, m := range table {
		names := append([]string{m.Name}, m.Synonyms...)
		slices.SortFunc(names, func(a, b string) int { return len(b) - len(a) })
		for j, n := range names {
			words := strings.FieldsFunc(n, func(r rune) bool { return r == ' ' || r == '-' })
			for k, w := range words {
				words[k] = regexp.QuoteMeta(w)
			}
			names[j] = strings.Join(words, `[\s-]*`)
		}
		out[i] = regexp.MustCompile(`(?i)(?:^|[^\pL\pN_])(` + strings.Join(names, "|") + `)(?:$|[^\pL\pN_])`)
	}
	return out
}
