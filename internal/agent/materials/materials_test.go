package materials_test

import (
	"strings"
	"testing"

	"atelier/internal/agent/materials"
	"atelier/internal/quantity"
)

// Every row has a source, plausible values, and names that find it and no other.
func TestTable(t *testing.T) {
	for _, m := range materials.All() {
		for _, name := range append([]string{m.Name, strings.ToUpper(m.Name)}, m.Synonyms...) {
			if found, ok := materials.Find(name); !ok || found.Name != m.Name {
				t.Errorf("%q finds %q, want %q", name, found.Name, m.Name)
			}
		}
		if m.Source == "" {
			t.Errorf("%s has no source", m.Name)
		}
		for _, v := range []struct {
			kind  quantity.Kind
			value float64
			must  bool
		}{
			{quantity.YoungsModulus, m.YoungsModulus, !m.Fluid}, {quantity.PoissonRatio, m.PoissonRatio, !m.Fluid},
			{quantity.Density, m.Density, true}, {quantity.Stress, m.Yield, false}, {quantity.Conductivity, m.Conductivity, true},
			{quantity.SpecificHeat, m.SpecificHeat, true}, {quantity.Expansion, m.Expansion, !m.Fluid}, {quantity.Viscosity, m.Viscosity, m.Fluid},
		} {
			if v.value == 0 && !v.must {
				continue
			}
			if err := v.kind.Check(v.value); err != nil {
				t.Errorf("%s: %v", m.Name, err)
			}
		}
		// a strength far above E/50 or a yield strain of metals above 2 % is a slip of a prefix
		if m.Yield > 0 && m.Yield > m.YoungsModulus/20 {
			t.Errorf("%s: yield %g against E %g", m.Name, m.Yield, m.YoungsModulus)
		}
	}
}

func TestMentions(t *testing.T) {
	for text, want := range map[string]string{
		"a stainless steel 304 plate":         "stainless steel 304",
		"aluminium 6061-T6 or Al 6061":        "aluminium 6061-T6,aluminium 6061-T6",
		"steels and steely":                   "",
		"S 235 is not S235JR":                 "steel S235",
		"water and AIR":                       "water,air",
		"Ti-6Al-4V, ti6al4v; mild steel.":     "titanium Ti-6Al-4V,titanium Ti-6Al-4V,steel",
		"unobtainium, adamantium, steel-like": "steel",
	} {
		var names []string
		for _, m := range materials.Mentions(text) {
			names = append(names, m.Material.Name)
		}
		if got := strings.Join(names, ","); got != want {
			t.Errorf("%q mentions %q, want %q", text, got, want)
		}
	}
}
