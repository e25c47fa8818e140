// Package material holds the properties of engineering materials by name, each figure
// with its source. Figures are at room temperature; strengths are least values of the
// standards where those give any.
package material

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

//go:embed materials.json
var table []byte

// Figure is a property in SI units with the place where it is printed.
type Figure struct {
	Value  float64
	Source string
}

// Material is a material with what is known of it; a figure that is not known is nil.
type Material struct {
	Name         string
	Aliases      []string
	Fluid        bool    // it is the material of no solid
	Note         string  // what the figures hold for, where no source says it
	E            *Figure // Pa
	Nu           *Figure
	Density      *Figure // kg/m^3
	Alpha        *Figure // 1/K
	Conductivity *Figure // W/(m K)
	SpecificHeat *Figure `json:"specific_heat"` // J/(kg K)
	Yield        *Figure // Pa, or 0.2 % proof stress
	Tensile      *Figure // Pa
	FatigueLimit *Figure `json:"fatigue_limit"` // Pa, amplitude of a fully reversed stress
	Viscosity    *Figure // Pa s, dynamic
	Temperature  *Temperatures
}

// Temperatures is the range, in K, in which the figures hold or the material serves; an end
// that is not known is nil.
type Temperatures struct {
	Least, Most *float64
	Source      string
}

// UnmarshalJSON reads [value, source].
func (f *Figure) UnmarshalJSON(raw []byte) error { return tuple(raw, &f.Value, &f.Source) }

// UnmarshalJSON reads [least, most, source].
func (t *Temperatures) UnmarshalJSON(raw []byte) error {
	return tuple(raw, &t.Least, &t.Most, &t.Source)
}

func tuple(raw []byte, into ...any) error {
	var parts []json.RawMessage
	if err := json.Unmarshal(raw, &parts); err != nil {
		return err
	}
	if len(parts) != len(into) {
		return fmt.Errorf("%s has %d parts, not %d", raw, len(parts), len(into))
	}
	for i, part := range parts {
		if err := json.Unmarshal(part, into[i]); err != nil {
			return err
		}
	}
	return nil
}

// All is every material of the table.
var All = load()

func load() []Material {
	var file struct {
		Sources   map[string]string
		Materials []Material
	}
	if err := json.Unmarshal(table, &file); err != nil {
		panic(fmt.Sprintf("materials.json: %v", err)) // a fault of the build
	}
	for i := range file.Materials {
		m := &file.Materials[i]
		for _, f := range m.figures() {
			f.Source = file.Sources[f.Source]
		}
		if m.Temperature != nil {
			m.Temperature.Source = file.Sources[m.Temperature.Source]
		}
	}
	return file.Materials
}

func (m *Material) figures() []*Figure {
	all := []*Figure{m.E, m.Nu, m.Density, m.Alpha, m.Conductivity, m.SpecificHeat, m.Yield, m.Tensile, m.FatigueLimit, m.Viscosity}
	return slices.DeleteFunc(all, func(f *Figure) bool { return f == nil })
}

// Find is the material of a name or alias, whatever its case and spacing and whether or not
// it is called steel, alloy or EN AW. Where there is none, or more than one, near holds the
// names of solids that come closest.
func Find(name string) (m *Material, near []string) {
	var found []*Material
	key := canonical(name)
	for i := range All {
		if slices.ContainsFunc(All[i].names(), func(n string) bool { return canonical(n) == key }) {
			found = append(found, &All[i])
		}
	}
	if len(found) == 1 && key != "" {
		return found[0], nil
	}
	return nil, nearest(name)
}

func (m *Material) names() []string { return append([]string{m.Name}, m.Aliases...) }

// Words that say what kind of material or of name it is.
var kinds = []string{"steel", "stainless", "structural", "carbon", "alloy", "aluminium", "titanium", "cast", "iron", "concrete",
	"brass", "bronze", "magnesium", "en", "aw", "din", "aisi", "sae", "astm", "uns", "iso", "aa", "type", "grade", "material"}

// canonical leaves the letters and digits that tell materials apart. A name of such words
// alone is kept: titanium is no number.
func canonical(name string) string {
	words := words(name)
	telling := slices.DeleteFunc(slices.Clone(words), func(w string) bool { return slices.Contains(kinds, w) })
	joined := strings.Join(telling, "")
	for _, prefix := range []string{"aisi", "aa", "sae", "en"} {
		if rest, ok := strings.CutPrefix(joined, prefix); ok && rest != "" && rest[0] >= '0' && rest[0] <= '9' {
			joined = rest
		}
	}
	// What is left of "titanium grade 2" is a digit that could be anything's.
	if len(joined) < 2 {
		return strings.Join(words, "")
	}
	return joined
}

func words(name string) []string {
	name = strings.ReplaceAll(strings.ToLower(name), "aluminum", "aluminium")
	name = strings.ReplaceAll(name, ".", "") // of numbers: 1.4301
	return strings.FieldsFunc(name, func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') })
}

// mostNear is how many names a refusal offers.
const mostNear = 5

// nearest orders the solids by how alike their names are to the one that was given.
func nearest(name string) []string {
	type scored struct {
		name  string
		score float64
	}
	var all []scored
	for _, m := range All {
		if m.Fluid {
			continue
		}
		best := 0.0
		for _, n := range m.names() {
			best = max(best, alike(name, n), slips(name, n))
		}
		all = append(all, scored{m.Name, best})
	}
	slices.SortStableFunc(all, func(a, b scored) int {
		switch {
		case a.score > b.score:
			return -1
		case a.score < b.score:
			return 1
		}
		return 0
	})
	var out []string
	for _, s := range all {
		if s.score > 0 && len(out) < mostNear {
			out = append(out, s.name)
		}
	}
	return out
}

// alike is Dice's coefficient of the pairs of letters of two names.
func alike(a, b string) float64 {
	pairs := func(s string) map[string]int {
		s, out := strings.Join(words(s), ""), map[string]int{}
		for i := 0; i+1 < len(s); i++ {
			out[s[i:i+2]]++
		}
		return out
	}
	one, two := pairs(a), pairs(b)
	common, total := 0, 0
	for p, n := range one {
		common += min(n, two[p])
		total += n
	}
	for _, n := range two {
		total += n
	}
	if total == 0 {
		return 0
	}
	return 2 * float64(common) / float64(total)
}

// slips is the share of letters that need no change to make one name of the other
// (Levenshtein's distance), 0 where that is no slip of a key.
func slips(a, b string) float64 {
	a, b = canonical(a), canonical(b)
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := diagonal
			if a[i] != b[j] {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(change, row[j]+1, diagonal+1)
		}
	}
	share := 1 - float64(row[len(b)])/float64(max(len(a), len(b), 1))
	if share < 0.5 {
		return 0
	}
	return share
}
