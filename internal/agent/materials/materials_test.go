package materials

import (
	"slices"
	"strings"
	"testing"

	"atelier/internal/material"
	"atelier/internal/quantity"
)

// Every name of the table finds its row, unless words say less of it or it is mostly
// something else in a sentence, and the values are plausible.
func TestEveryRowIsFound(t *testing.T) {
	said := map[string]bool{}
	for _, w := range prose {
		for _, n := range w.said {
			said[spell(n).letters] = true
		}
	}
	for i := range material.All {
		row := &material.All[i]
		found := 0
		for _, name := range append([]string{row.Name, strings.ToUpper(row.Name)}, row.Aliases...) {
			m, ok := Find(name)
			switch {
			case ok && m.Name == row.Name:
				found++
			case ok:
				t.Errorf("%q finds %q, not %q", name, m.Name, row.Name)
			case !said[spell(name).letters] && len(name) > 2 && !partName.MatchString(name) && !slices.Contains(others, strings.ToLower(name)) && !slices.Contains(others, name):
				t.Errorf("%q is not found", name)
			}
		}
		if found == 0 {
			t.Errorf("no name of %s is found", row.Name)
		}
		plausible(t, taken(row, "", ""))
	}
}

func plausible(t *testing.T, m Material) {
	t.Helper()
	for p, k := range map[Property]quantity.Kind{YoungsModulus: quantity.YoungsModulus, PoissonRatio: quantity.PoissonRatio, Density: quantity.Density,
		Yield: quantity.Stress, Conductivity: quantity.Conductivity, SpecificHeat: quantity.SpecificHeat, Expansion: quantity.Expansion, Viscosity: quantity.Viscosity} {
		v, source := m.Value(p), m.Sources[p]
		if (v == 0) != (source == "") {
			t.Errorf("%s: %s is %g from %q", m.Name, p, v, source)
		}
		if v == 0 {
			continue
		}
		if err := k.Check(v); err != nil {
			t.Errorf("%s: %v", m.Name, err)
		}
	}
	// a strength far above E/50 or a yield strain of metals above 2 % is a slip of a prefix
	if m.Yield > m.YoungsModulus/20 {
		t.Errorf("%s: yield %g against E %g", m.Name, m.Yield, m.YoungsModulus)
	}
}

// What words mean is in the table and begins as they leave it open; where they leave
// something open they say what is assumed. No two rows share a word.
func TestWordsMeanARow(t *testing.T) {
	seen := map[string]bool{}
	for _, w := range prose {
		if !slices.ContainsFunc(material.All, func(m material.Material) bool { return m.Name == w.row }) {
			t.Errorf("%q is no row", w.row)
		}
		if !strings.HasPrefix(w.row, w.family) || w.family != "" && w.note == "" {
			t.Errorf("%+v", w)
		}
		for _, n := range w.said {
			if m, ok := Find(strings.ToUpper(n)); !ok || m.Name != w.row || !strings.HasPrefix(m.Note, w.note) || seen[n] {
				t.Errorf("%q finds %q (%s), want %q", n, m.Name, m.Note, w.row)
			}
			seen[n] = true
		}
	}
	for word, name := range Vague {
		if _, ok := Find(word); ok {
			t.Errorf("%q is found, and said to be vague", word)
		}
		if _, ok := Find(name); !ok {
			t.Errorf("%q is not found", name)
		}
	}
}

func TestMentions(t *testing.T) {
	for text, want := range map[string]string{
		"a stainless steel 304 plate":         "stainless steel 304",
		"aluminium 6061-T6 or Al 6061":        "aluminium 6061-T6,aluminium 6061-T6",
		"Aluminum, gray iron":                 "aluminium of EN 1999,cast iron EN-GJL-250",
		"steels and steely":                   "",
		"S 235 is not S235JR":                 "steel S235",
		"water and AIR":                       "water,air",
		"Ti-6Al-4V, ti6al4v; mild steel.":     "titanium Grade 5,titanium Grade 5,steel S235",
		"unobtainium, adamantium, steel-like": "steel S235",
		"steel copper":                        "steel S235,copper Cu-ETP annealed",
		"PA66, nylon  6/6 and PE":             "PA6,PA6,PE-HD",
		"in 718 mm of Al2O3":                  "alumina 99.5 %",
		"Ölfilm über Stahl, °C, pla":          "PLA",
		// Numbers are materials where they are said to be, or are widely known as such.
		"AISI 1045 and material: 1.0503":      "steel C45,steel C45",
		"304 and 1.4301":                      "stainless steel 304,stainless steel 304",
		"1045 of 304.5 and 2,304 at x = 1.1 ": "",
		// So are parts of a circuit, and what leads.
		"C110, R304, a lead of zinc and W": "",
		"C11000 and pure lead":             "copper Cu-ETP annealed,lead",
	} {
		var names []string
		for _, m := range Mentions(text) {
			names = append(names, m.Material.Name)
		}
		if got := strings.Join(names, ","); got != want {
			t.Errorf("%q mentions %q, want %q", text, got, want)
		}
	}
}

// Words that leave the grade open go with a grade of theirs, and the grade holds.
func TestOpenWordsFitTheirGrades(t *testing.T) {
	for pair, want := range map[[2]string]bool{
		{"steel", "S355"}: true, {"steel", "stainless steel"}: false, {"aluminium", "6061"}: true, {"6061", "7075-T6"}: false, {"6061", "6061-T6"}: true,
		{"titanium", "grade 2 titanium"}: true, {"S235", "S355"}: false, {"copper", "Cu-ETP half hard"}: true, {"stainless", "316L"}: true, {"nylon", "PA12"}: true,
	} {
		open, grade := find(t, pair[0]), find(t, pair[1])
		if open.Fits(grade) != want || grade.Fits(open) != want {
			t.Errorf("%q fits %q: want %v", pair[0], pair[1], want)
		}
		if want && (!grade.Closer(open) || open.Closer(grade)) {
			t.Errorf("%q is not closer than %q", pair[1], pair[0])
		}
	}
}

func find(t *testing.T, name string) Material {
	t.Helper()
	m, ok := Find(name)
	if !ok {
		t.Fatalf("%q is not found", name)
	}
	return m
}

// What the prompt gives counts, and the table stays as it is.
func TestThePromptCounts(t *testing.T) {
	steel := find(t, "steel")
	m := Material{YoungsModulus: 2e11}.Over(steel)
	if m.YoungsModulus != 2e11 || m.Sources[YoungsModulus] != "the prompt" || m.Density != 7850 || m.Name != "steel S235" || m.Note != steel.Note {
		t.Errorf("%+v", m)
	}
	if again := find(t, "steel"); again.YoungsModulus != 210e9 || !strings.HasPrefix(again.Sources[YoungsModulus], "EN 1993") {
		t.Errorf("%+v", again)
	}
}
