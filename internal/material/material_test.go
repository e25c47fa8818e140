package material

import (
	"math"
	"slices"
	"testing"
)

// Every figure has a source and lies where those of solids or fluids lie, and no name is that
// of two materials.
func TestTable(t *testing.T) {
	seen := map[string]string{}
	for i := range All {
		m := &All[i]
		for _, n := range m.names() {
			if other := seen[canonical(n)]; other != "" && other != m.Name {
				t.Errorf("%q is a name of %s and of %s", n, other, m.Name)
			}
			seen[canonical(n)] = m.Name
			if found, near := Find(n); found != m {
				t.Errorf("%q is not found: %v", n, near)
			}
		}
		for _, f := range m.figures() {
			if f.Source == "" {
				t.Errorf("%s: %g has no source", m.Name, f.Value)
			}
		}
		bands(t, m)
		if m.Yield != nil && m.Tensile != nil && m.Yield.Value >= m.Tensile.Value {
			t.Errorf("%s yields at %g and breaks at %g", m.Name, m.Yield.Value, m.Tensile.Value)
		}
		if m.FatigueLimit != nil && m.FatigueLimit.Value > 0.6*m.Tensile.Value {
			t.Errorf("%s: a fatigue limit of %g", m.Name, m.FatigueLimit.Value)
		}
		if c, d, k := m.SpecificHeat, m.Density, m.Conductivity; c != nil && d != nil && k != nil && k.Value/(c.Value*d.Value) > 1.3e-4 {
			t.Errorf("%s: a thermal diffusivity of %g", m.Name, k.Value/(c.Value*d.Value))
		}
	}
}

func bands(t *testing.T, m *Material) {
	t.Helper()
	type band struct {
		f         *Figure
		low, high float64
	}
	of := map[string]band{
		"E": {m.E, 3e8, 1e12}, "nu": {m.Nu, 0.15, 0.46}, "density": {m.Density, 850, 2e4}, "alpha": {m.Alpha, 1e-6, 2e-4},
		"conductivity": {m.Conductivity, 0.1, 430}, "specific heat": {m.SpecificHeat, 120, 2500}, "yield": {m.Yield, 1e7, 2e9},
		"tensile": {m.Tensile, 2e6, 3e9}, "fatigue limit": {m.FatigueLimit, 1e7, 1e9},
	}
	if m.Fluid {
		of = map[string]band{"density": {m.Density, 0.1, 2000}, "viscosity": {m.Viscosity, 1e-6, 10},
			"conductivity": {m.Conductivity, 0.01, 1}, "specific heat": {m.SpecificHeat, 900, 4300}}
	}
	given := 0
	for what, b := range of {
		if b.f == nil {
			continue
		}
		given++
		if b.f.Value < b.low || b.f.Value > b.high {
			t.Errorf("%s: %s of %g", m.Name, what, b.f.Value)
		}
	}
	if given != len(m.figures()) {
		t.Errorf("%s has a figure of another kind of matter", m.Name)
	}
}

func TestNamesAreMatchedLoosely(t *testing.T) {
	for given, want := range map[string]string{
		"Steel S235": "steel S235", "s235 jr": "steel S235", "St 37-2": "steel S235", "S355J2": "steel S355",
		"AISI 304": "stainless steel 304", "aisi304": "stainless steel 304", "1.4301": "stainless steel 304", "X5CrNi18-10": "stainless steel 304",
		"AA6061-T6": "aluminium 6061-T6", "EN AW-6082 T6": "aluminium 6082-T6", "Aluminum 7075-T6": "aluminium 7075-T6",
		"Ti-6Al-4V": "titanium Grade 5", "titanium grade 2": "titanium Grade 2", "EN-GJL-250": "cast iron EN-GJL-250", "GJS 400-15": "cast iron EN-GJS-400-15",
		"inconel 718": "Inconel 718", "hdpe": "PE-HD", "SAE 4140": "steel 42CrMo4", "C30/37": "concrete C30/37", "peek": "PEEK",
		"copper": "copper Cu-ETP annealed", "CW004A R240": "copper Cu-ETP R240", "Ti 64": "titanium Grade 5", "glycerol": "glycerine",
	} {
		m, near := Find(given)
		if m == nil || m.Name != want {
			t.Errorf("%q: %v, expected %s; near are %v", given, m, want, near)
		}
	}
}

// A name that could be several materials' is no material's.
func TestDoubtfulNamesAreNotGuessed(t *testing.T) {
	for given, near := range map[string]string{
		"steel": "steel S235", "titanium": "titanium Grade 5", "aluminium": "aluminium 6061-T6", "6061": "aluminium 6061-T6",
		"S253": "steel S235", "S355K": "steel S355", "stainless": "stainless steel 304", "": "", "unobtainium": "", "cast iron": "cast iron EN-GJL-250", "2": "",
	} {
		m, names := Find(given)
		if m != nil || near != "" && !slices.Contains(names, near) {
			t.Errorf("%q: %v, near are %v", given, m, names)
		}
	}
	if a := alike("steel", "steel"); math.Abs(a-1) > 1e-12 {
		t.Errorf("the same names are alike to %g", a)
	}
}
