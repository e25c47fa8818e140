package words

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"atelier/internal/quantity"
	"atelier/internal/study"
	"atelier/internal/testenv"
)

// made reads a first sentence about bracket.step and returns the study.
func made(t *testing.T, sentence string) map[string]any {
	t.Helper()
	r := Read(sentence, Context{Files: []File{{Name: "bracket.step"}}})
	if !r.Runs() {
		t.Fatalf("%s\n%s", sentence, encode(r))
	}
	raw := apply(t, nil, r.Patch)
	if _, err := study.Read(raw); err != nil {
		t.Fatalf("%s: %v", sentence, err)
	}
	var doc map[string]any
	if err := json.Unmarshal(raw, &doc); err != nil {
		t.Fatal(err)
	}
	return doc
}

// followed reads a further sentence about a study that has been run.
func followed(t *testing.T, doc map[string]any, sentence string) (map[string]any, *Reading) {
	t.Helper()
	raw := encode(doc)
	r := Read(sentence, Context{Document: raw, Files: []File{{Name: "bracket.step"}}, LastRun: true})
	var out map[string]any
	if err := json.Unmarshal(apply(t, raw, r.Patch), &out); err != nil {
		t.Fatal(err)
	}
	return out, r
}

func at(doc any, pointer string) any {
	for _, token := range strings.Split(strings.TrimPrefix(pointer, "/"), "/") {
		switch v := doc.(type) {
		case map[string]any:
			doc = v[token]
		case []any:
			var i int
			if _, err := fmt.Sscan(token, &i); err != nil || i >= len(v) {
				return nil
			}
			doc = v[i]
		default:
			return nil
		}
	}
	return doc
}

func siOf(t *testing.T, v any, k quantity.Kind) float64 {
	t.Helper()
	if text, ok := v.(string); ok {
		si, err := quantity.ParseAs(text, k)
		if err != nil {
			t.Fatal(err)
		}
		return si
	}
	f, ok := v.(float64)
	if !ok {
		t.Fatalf("%v is no number", v)
	}
	return f
}

// Forces of drawn size, unit and direction, in both languages: the factors are those of the
// SI brochure and NIST SP 811.
func TestForcesAreReadWithUnitAndDirection(t *testing.T) {
	rng := testenv.Random(t)
	units := map[string]float64{"N": 1, "kN": 1e3, "lbf": 4.4482216152605, "MN": 1e6, "kip": 4448.2216152605}
	english := map[string][2]any{"downwards": {2, -1.0}, "in +x": {0, 1.0}, "along -y": {1, -1.0}, "upwards": {2, 1.0}, "to the left": {0, -1.0}, "in the -z direction": {2, -1.0}, "in negative y direction": {1, -1.0}}
	german := map[string][2]any{"nach unten": {2, -1.0}, "in +x-Richtung": {0, 1.0}, "in -y": {1, -1.0}, "nach oben": {2, 1.0}, "nach hinten": {1, 1.0}, "nach rechts": {0, 1.0}}
	for range 60 {
		unit := pick(rng, names(asAny(units)))
		value := math.Round(1+999*rng.Float64()) / 10
		glue := pick(rng, []string{"", " "})
		directions, sentence := english, "S235, fixed on the left, a force of %s%s%s %s on the back face"
		if rng.IntN(2) == 0 {
			sentence = pick(rng, []string{"steel S355, %[1]s%[2]s%[3]s on the back %[4]s, the left end is clamped", "Clamp the left. Apply %s%s%s %s to the back. Material 1.4301"})
			if strings.Contains(sentence, "[4]") {
				directions = map[string][2]any{"downwards": {2, -1.0}, "in +x": {0, 1.0}, "along -y": {1, -1.0}}
			}
		}
		number := fmt.Sprint(value)
		if rng.IntN(3) == 0 {
			directions, sentence = german, "S235, links fest eingespannt, auf die Rückseite wirken %s%s%s %s"
			number = strings.ReplaceAll(number, ".", ",")
		}
		said := pick(rng, names(asAny(directions)))
		text := fmt.Sprintf(sentence, number, glue, unit, said)
		doc := made(t, text)
		force := at(doc, "/loads/force/force").([]any)
		want := directions[said]
		for i, x := range force {
			exact := 0.0
			if i == want[0].(int) {
				exact = value * units[unit] * want[1].(float64)
			}
			if got := siOf(t, x, quantity.Force); math.Abs(got-exact) > 1e-9*math.Abs(exact) {
				t.Fatalf("%s: component %d is %v, not %g N", text, i, x, exact)
			}
		}
		if at(doc, "/loads/force/on") != "back" || at(doc, "/supports/support/on") != "left" {
			t.Fatalf("%s\n%s", text, encode(doc))
		}
	}
}

func asAny[T any](m map[string]T) map[string]any {
	out := map[string]any{}
	for k, v := range m {
		out[k] = v
	}
	return out
}

func pick[T any](rng *rand.Rand, list []T) T { return list[rng.IntN(len(list))] }

// A study is changed over many turns; each says one thing.
func TestFollowUpsAreChangesOfTheStudy(t *testing.T) {
	doc := made(t, "S235, clamped on the left, 900 N in -z on the right side, max stress?")
	for _, c := range []struct {
		say, pointer string
		want         any
	}{
		{"half the force", "/loads/force/force/2", "-450 N"},
		{"twice the load", "/loads/force/force/2", "-900 N"},
		{"apply the force on the front instead", "/loads/force/on", "front"},
		{"hold it at the back rather than the left", "/supports/support/on", "back"},
		{"and with 2 kN", "/loads/force/force/2", "-2 kN"},
		{"now in aluminium 6061-T6", "/materials/aluminium/material", "aluminium 6061-T6"},
		{"nochmal mit 2 mm Netz", "/mesh/size", "2 mm"},
		{"a finer mesh please", "/mesh/size", "1 mm"},
		{"also a pressure of 3 bar on the top", "/loads/pressure/value", "3 bar"},
		{"half the pressure", "/loads/pressure/value", "1.5 bar"},
		{"move the load to the right", "/loads/force/on", "right"},
		{"without the pressure", "/loads/pressure", nil},
		{"now upwards", "/loads/force/force/2", "2 kN"},
		{"increase the load by 50 %", "/loads/force/force/2", "3 kN"},
		{"stattdessen 4 kN", "/loads/force/force/2", "4 kN"},
		{"jetzt aus Titan", "/materials/titanium/material", "titanium Grade 5"},
		{"the stress must stay below 160 MPa", "/requirements/stress/at_most", "160 MPa"},
		{"within 2 %", "/questions/stress/accuracy", 0.02},
		{"and the first natural frequency", "/questions/frequency/quantity", "first natural frequency"},
	} {
		next, r := followed(t, doc, c.say)
		if !r.Runs() || at(next, c.pointer) != c.want {
			t.Fatalf("%q: %s is %v, not %v\n%s", c.say, c.pointer, at(next, c.pointer), c.want, encode(r))
		}
		if _, err := study.Read(encode(next)); err != nil {
			t.Fatalf("%q: %v", c.say, err)
		}
		doc = next
	}
	for _, c := range []struct{ say, asks string }{{"where is the peak?", "where"}, {"is it safe?", "is it safe"}, {"wo ist die größte Spannung?", "max von Mises"}, {"hält das?", "is it safe"}, {"how much does it deflect?", "max displacement"}} {
		next, r := followed(t, doc, c.say)
		if !slices.Contains(r.Asks, c.asks) || len(r.Patch) > 0 || string(encode(next)) != string(encode(doc)) {
			t.Errorf("%q: %s", c.say, encode(r))
		}
	}
	if _, r := followed(t, doc, "undo the last 3 changes"); r.Undo != 3 {
		t.Errorf("%s", encode(r))
	}
	if _, r := followed(t, doc, "undo that"); r.Undo != 1 || len(r.Patch) > 0 {
		t.Errorf("%s", encode(r))
	}
	// A sentence that changes nothing is not answered as if it had.
	for _, same := range []string{"use 4 kN", "hold it at the back", "jetzt aus Titan"} {
		if _, r := followed(t, doc, same); r.Runs() {
			t.Errorf("%q: %s", same, encode(r))
		}
	}
}

func TestFollowUpsInGerman(t *testing.T) {
	doc := made(t, "Halter aus S235, links fest, 1 kN nach unten auf der rechten Seite")
	for _, c := range []struct {
		say, pointer string
		want         any
	}{
		{"die doppelte Kraft", "/loads/force/force/2", "-2 kN"},
		{"die Kraft soll oben angreifen", "/loads/force/on", "top"},
		{"nicht links, sondern hinten einspannen", "/supports/support/on", "back"},
		{"nimm Edelstahl statt Stahl", "/materials/stainless/material", "stainless steel 304"},
		{"zusätzlich Eigengewicht", "/loads/gravity/acceleration/2", -9.80665},
		{"ohne Eigengewicht", "/loads/gravity", nil},
		{"Netz gröber", "/mesh/fineness", "coarse"},
		{"Elementgröße 1,5 mm", "/mesh/size", "1.5 mm"},
		{"Kraft umkehren", "/loads/force/force/2", "2 kN"},
		{"statt 2 kN nur 500 N", "/loads/force/force/2", "500 N"},
		{"und in x-Richtung", "/loads/force/force/0", "500 N"},
		{"auch rechts einspannen", "/supports/support 2/on", "right"},
		{"auf 2 % genau", "/questions/stress/accuracy", 0.02},
		{"dritte Eigenfrequenz?", "/questions/third natural frequency/quantity", "third natural frequency"},
		{"die Last auf 2,5 kN erhöhen", "/loads/force/force/0", "2.5 kN"},
		{"die Last um 10 % verringern", "/loads/force/force/0", "2.25 kN"},
	} {
		next, r := followed(t, doc, c.say)
		if !r.Runs() || at(next, c.pointer) != c.want {
			t.Fatalf("%q: %s is %v, not %v\n%s", c.say, c.pointer, at(next, c.pointer), c.want, encode(r))
		}
		doc = next
	}
	for _, say := range []string{"die Last um 500 N erhöhen", "dicker machen", "die Last auf die Fase setzen", "nur die halbe Wahrheit"} {
		if _, r := followed(t, doc, say); r.Runs() {
			t.Errorf("%q: %s", say, encode(r))
		}
	}
}

// What cannot be carried out is asked about or refused, and never run.
func TestWhatIsMissingOrImpossibleDoesNotRun(t *testing.T) {
	base := "S235, fixed at the bottom, "
	for _, c := range []string{
		"500 N on the top", "500 on the top downwards", "5 t on the top", "10 lb on the top downwards", "80 kg on the right", "500 N downwards",
		"2 kN downwards on the top and 400 N in +y on the lug", "500 N down on the top of the rib", "500 N down on the upright", "500 N down on the top except the flange",
		"500 N down on the top or 600 N", "500 N down on the bottom", "500 N down on the top, nu 0.7", "500 N down on the top, E = -210 GPa",
		"500 N down on the top and heated to -300 degC", "500 N down on the top, unless it is raining", "500 N down on the 12 mm hole without the fribble",
		"500 N each down on the 12 mm holes", "1,5 kN down on the top", "500 mpa on the top", "a moment of 10 N m on the top", "2 MPa", "a fribble of 2 MPa on the top",
		"500 N down on the top, copper", "500 N at 50 deg on the top", "500 N down on the top, mesh of 2", "500 N down on the top, element size of -2 mm",
	} {
		if r := Read(base+c, Context{Files: []File{{Name: "bracket.step"}}}); r.Runs() {
			t.Errorf("%s%s\n%s", base, c, encode(r))
		}
	}
	for _, c := range []string{"S235, fixed at the bottom, 500 N down on the top", "S235, unten eingespannt, 500 N nach unten auf die Oberseite"} {
		if r := Read(c, Context{}); r.Runs() || !strings.Contains(encodeText(r), ".step") {
			t.Errorf("without a file: %s", encode(r))
		}
	}
	// Holes that an import has told.
	in := Context{Files: []File{{Name: "bracket.step", Holes: []float64{0.009, 0.009, 0.016}, Faces: []string{"load_hole", "wall"}}}}
	for say, runs := range map[string]bool{
		base + "800 N along +y on the 16 mm bore": true, base + "800 N along +y on the 12 mm bore": false, base + "800 N along +y on the hole": false,
		base + "800 N along +y on the load hole": true, "S235, wall fixed, 800 N in +y on load_hole": true, base + "800 N along +y on the two 9 mm holes": true,
		base + "800 N along +y on the three 9 mm holes": false, base + "800 N along +y on the M8 holes": true, base + "800 N along +y on the lug": false,
	} {
		if r := Read(say, in); r.Runs() != runs {
			t.Errorf("%s: %s", say, encode(r))
		}
	}
}

func encodeText(v any) string { return string(encode(v)) }

// Numbers of grades are numbers where a unit stands behind them.
func TestNumbersOfGradesAreNumbers(t *testing.T) {
	for _, n := range []string{"304", "316", "4140", "6061", "1045", "2024"} {
		doc := made(t, "steel S235, left fixed, "+n+" N down on the right")
		if got := at(doc, "/loads/force/force/2"); got != "-"+n+" N" {
			t.Errorf("%s N: %v", n, got)
		}
	}
	if got := at(made(t, "stainless steel 316, left fixed, 316 N down on the right"), "/materials/stainless/material"); got != "stainless steel 316" {
		t.Errorf("%v", got)
	}
}

// A name in quotation marks, or with an underscore, is that of a face; where an import has
// told the faces, one of them.
func TestFacesAreCalledByTheirNames(t *testing.T) {
	for say, on := range map[string]string{"S235, base_plate fixed, 800 N in +y on load_hole": "load_hole", `S235, face "base plate" fixed, 800 N in +y on the face "Load Hole"`: "Load Hole", "S235, base_plate fixed, 800 N in +y on face 7": "face 7"} {
		if got := at(made(t, say), "/loads/force/on"); got != on {
			t.Errorf("%s: %v", say, got)
		}
		r := Read(say, Context{Files: []File{{Name: "bracket.step", Faces: []string{"load_hole"}}}})
		if r.Runs() {
			t.Errorf("%s: there is no base plate: %s", say, encode(r))
		}
	}
}

// Sentences that are understood, with their words in any order that people say.
var understood = []string{
	"S235, clamped on the left, 900 N in -z on the right side",
	"The bracket is made of aluminium 6061-T6. Its base is fixed and a pressure of 2 MPa acts on the top. What is the maximum stress?",
	"steel, fixed at the 12 mm holes, 1.5 kN downwards on the top, the stress must stay below 160 MPa",
	"Stahl S355, links fest eingespannt, auf der rechten Seite 300 N nach unten; wie groß ist die Durchbiegung?",
	"Aluminium 6082-T6, unten eingespannt, Flächenlast von 0,2 MPa auf der Oberseite, Netz 3 mm",
	"first four natural frequencies, steel S235, bottom clamped",
	"copper; the bottom stays at 85 degC, convection with h = 120 W/(m^2 K) to oil at 60 degC on all other faces",
	"buckling of the bracket, S235, bottom fixed, 10 kN down on the top",
}

var follows = []string{"half the force", "now in aluminium", "hold the back instead", "2 mm mesh", "move the load to the front", "and with 2 kN", "nochmal mit 3 mm Netz", "where is the peak?", "undo that"}

// A content word that means nothing here is named or asked about wherever it stands.
func TestANonsenseWordIsNamedWhereverItStands(t *testing.T) {
	rng := testenv.Random(t)
	draws, missed := 0, 0
	check := func(sentence string, in Context) {
		words := strings.Fields(sentence)
		place := rng.IntN(len(words) + 1)
		nonsense := pick(rng, []string{"fribble", "quorvel", "blonkern", "zwirbeln", "snargle", "dorfling", "gnarvik", "wubbeln", "trindel", "klompf"})
		said := strings.Join(slices.Insert(slices.Clone(words), place, nonsense), " ")
		r := Read(said, in)
		draws++
		if r.Runs() || !strings.Contains(encodeText(r), nonsense) && len(r.Questions) == 0 {
			missed++
			t.Logf("%s\n%s", said, encode(r))
		}
	}
	for range 40 {
		for _, s := range understood {
			in := Context{Files: []File{{Name: "bracket.step"}}}
			if draws < len(understood) {
				if r := Read(s, in); !r.Runs() {
					t.Errorf("%s\n%s", s, encode(r))
				}
			}
			check(s, in)
		}
		for _, s := range follows {
			check(s, Context{Document: encode(made(t, understood[0])), Files: []File{{Name: "bracket.step"}}, LastRun: true})
		}
	}
	if float64(missed) > 0.01*float64(draws) {
		t.Errorf("of %d words %d were passed over", draws, missed)
	}
}

// A word left out of an understood sentence never becomes another plan with the same
// certainty: what hangs on it is asked for.
func TestANumberIsNeverDropped(t *testing.T) {
	rng := testenv.Random(t)
	for range 200 {
		s := pick(rng, understood)
		words := strings.Fields(s)
		place := rng.IntN(len(words) + 1)
		number := pick(rng, []string{"17", "23.5", "41 mm", "19 V", "31 kg/m^3", "7 ohm"})
		said := strings.Join(slices.Insert(slices.Clone(words), place, number), " ")
		r := Read(said, Context{Files: []File{{Name: "bracket.step"}}})
		if r.Runs() && !strings.Contains(string(r.Patch)+strings.Join(r.Assumptions, " "), strings.Fields(number)[0]) {
			t.Errorf("%s\n%s", said, encode(r))
		}
	}
}
