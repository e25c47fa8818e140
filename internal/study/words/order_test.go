package words

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"atelier/internal/testenv"
)

// clauses of a set-up with ways to say each, and what it is in the study. They may come in
// any order, and the study is the same.
type clause struct {
	section string
	value   map[string]any
	say     []string
	maybe   bool // it can be left out
}

var holes12 = map[string]any{"holes": map[string]any{"diameter": "12 mm"}}

var clauses = []struct {
	language string
	list     []clause
}{
	{English, []clause{
		{"materials", map[string]any{"material": "steel S355"}, []string{"S355", "material: S355", "made of steel S355", "the material is S355"}, false},
		{"supports", map[string]any{"type": "fixed", "on": "left"}, []string{"left fixed", "fixed on the left", "clamp the left face", "the left end is held", "held at the left end", "the left side is rigidly clamped", "fixed support at the left"}, false},
		{"loads", map[string]any{"type": "load", "on": "right", "force": []any{0.0, 0.0, "-750 N"}}, []string{"750 N down on the right", "a force of 750 N acts downwards on the right face", "the right end carries 750 N downwards", "on the right 750 N in -z", "apply 750 N in -z to the right side", "push down with 750 N on the right", "a downward load of 750 N at the right end", "the right face is loaded with 750 N downwards"}, false},
		{"loads", map[string]any{"type": "pressure", "on": "top", "value": "2 bar"}, []string{"2 bar on the top", "a pressure of 2 bar on the top face", "the top sees a pressure of 2 bar", "pressure 2 bar on the upper surface"}, true},
		{"mesh", map[string]any{"size": "3 mm"}, []string{"mesh size 3 mm", "3 mm mesh", "elements of 3 mm", "mesh it with 3 mm elements"}, true},
		{"questions", map[string]any{"quantity": "max von Mises"}, []string{"maximum stress", "what is the peak von Mises stress", "I need the stress", "max von Mises"}, true},
	}},
	{German, []clause{
		{"materials", map[string]any{"material": "steel S355"}, []string{"S355", "Material: S355", "aus Stahl S355", "der Werkstoff ist S355"}, false},
		{"supports", map[string]any{"type": "fixed", "on": "left"}, []string{"links eingespannt", "links fest", "die linke Seite ist fest eingespannt", "Festeinspannung links", "an der linken Seite gehalten", "linkes Ende fixiert"}, false},
		{"loads", map[string]any{"type": "load", "on": "right", "force": []any{0.0, 0.0, "-750 N"}}, []string{"750 N nach unten auf der rechten Seite", "rechts wirken 750 N nach unten", "auf die rechte Seite wirkt eine Kraft von 750 N nach unten", "rechts 750 N senkrecht nach unten", "eine Last von 750 N in -z auf die rechte Fläche", "die rechte Seite wird mit 750 N nach unten belastet"}, false},
		{"loads", map[string]any{"type": "pressure", "on": "top", "value": "2 bar"}, []string{"2 bar auf der Oberseite", "ein Druck von 2 bar auf die Oberseite", "Flächenlast 2 bar oben", "oben ein Druck von 2 bar"}, true},
		{"mesh", map[string]any{"size": "3 mm"}, []string{"Netz 3 mm", "3 mm Netz", "Elementgröße 3 mm", "vernetzt mit 3 mm"}, true},
		{"questions", map[string]any{"quantity": "max von Mises"}, []string{"maximale Spannung", "wie groß ist die Vergleichsspannung", "gesucht ist die größte Spannung", "Vergleichsspannung"}, true},
	}},
	{English, []clause{
		{"materials", map[string]any{"material": "aluminium 6061-T6"}, []string{"6061-T6", "aluminium 6061-T6", "it is made of aluminium 6061-T6"}, false},
		{"supports", map[string]any{"type": "fixed", "on": holes12}, []string{"fixed at the 12 mm holes", "the 12 mm holes are fixed", "bolted at the holes of 12 mm diameter", "clamp all 12 mm holes", "the Ø12 holes are held"}, false},
		{"loads", map[string]any{"type": "moment", "on": "top", "moment": []any{0.0, 0.0, "30 N m"}}, []string{"a moment of 30 N m about z on the top", "a torque of 30 N m about the z axis acts on the top face", "30 N m about z at the top"}, false},
		{"loads", map[string]any{"type": "gravity", "acceleration": []any{0.0, 0.0, -9.80665}}, []string{"gravity", "under its own weight", "with self-weight"}, true},
		{"requirements", map[string]any{"quantity": "max von Mises", "at_most": "120 MPa"}, []string{"the stress must stay below 120 MPa", "von Mises at most 120 MPa", "the peak stress must not exceed 120 MPa"}, true},
		{"questions", map[string]any{"quantity": "max displacement"}, []string{"how much does it deform", "maximum displacement", "what is the largest deflection"}, true},
	}},
	{English, []clause{
		{"materials", map[string]any{"material": "copper Cu-ETP annealed"}, []string{"copper", "made of copper"}, false},
		{"supports", map[string]any{"type": "fixed_temp", "on": "bottom", "value": "80 degC"}, []string{"the bottom is at 80 degC", "bottom kept at 80 degC", "the base stays at 80 degC", "80 degC on the bottom face"}, false},
		{"supports", map[string]any{"type": "convection", "on": "top", "h": "20 W/(m^2 K)", "ambient": "25 degC"}, []string{"convection with h = 20 W/(m^2 K) to air at 25 degC on the top", "the top is cooled by air at 25 degC with 20 W/(m^2 K)", "the top face loses heat to air of 25 degC, h = 20 W/(m^2 K)"}, false},
		{"loads", map[string]any{"type": "heat_flux", "on": "right", "value": "3 kW/m^2"}, []string{"a heat flux of 3 kW/m^2 into the right face", "3 kW/m^2 on the right", "the right side receives a heat flux of 3 kW/m^2"}, true},
		{"questions", map[string]any{"quantity": "max temperature"}, []string{"maximum temperature", "what is the highest temperature"}, true},
	}},
}

func TestClausesMayComeInAnyOrder(t *testing.T) {
	rng := testenv.Random(t)
	asked, wrong, draws := 0, 0, 600
	for range draws {
		set := pick(rng, clauses)
		language, list := set.language, set.list
		var said []string
		want := map[string][]map[string]any{}
		mesh := map[string]any(nil)
		for _, i := range rng.Perm(len(list)) {
			c := list[i]
			if c.maybe && rng.IntN(2) == 0 {
				continue
			}
			said = append(said, pick(rng, c.say))
			if c.section == "mesh" {
				mesh = c.value
			} else {
				want[c.section] = append(want[c.section], c.value)
			}
		}
		sentence := strings.Join(said, pick(rng, []string{", ", "; ", ". ", ", "}))
		if rng.IntN(3) == 0 && len(said) > 2 {
			and := map[string]string{English: " and ", German: " und "}[language]
			sentence = strings.Join(said[:len(said)-1], ", ") + and + said[len(said)-1]
		}
		r := Read(sentence, Context{Files: []File{{Name: "bracket.step"}}})
		if !r.Runs() {
			asked++
			if asked <= 12 {
				t.Logf("asked: %s\n    %q %q %s", sentence, r.Unused, r.Questions, r.Refusal)
			}
			continue
		}
		var doc map[string]any
		if err := json.Unmarshal(apply(t, nil, r.Patch), &doc); err != nil {
			t.Fatal(err)
		}
		same := (mesh == nil) == (doc["mesh"] == nil) && (mesh == nil || reflect.DeepEqual(doc["mesh"], any(mesh)))
		for _, name := range []string{"materials", "supports", "loads", "questions", "requirements"} {
			same = same && len(section(doc, name)) == len(want[name])
			for _, w := range want[name] {
				found := false
				for _, have := range section(doc, name) {
					found = found || reflect.DeepEqual(have, any(w))
				}
				same = same && found
			}
		}
		if !same {
			wrong++
			t.Errorf("%s\n%s", sentence, encode(doc))
		}
	}
	t.Logf("of %d set-ups %d were asked about, %d wrong", draws, asked, wrong)
	if asked > draws/10 {
		t.Errorf("of %d set-ups %d were asked about", draws, asked)
	}
}
