package words

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"atelier/internal/testenv"
)

// follow reads a first sentence and another one about its study.
func follow(t *testing.T, file, first, second string) (string, *Reading) {
	t.Helper()
	in := Context{Files: []File{{Name: file}}}
	r := Read(first, in)
	if !r.Runs() {
		t.Fatalf("%s\n%s", first, encode(r))
	}
	in.Document, in.LastRun = apply(t, nil, r.Patch), true
	r = Read(second, in)
	var doc any
	if err := json.Unmarshal(apply(t, in.Document, r.Patch), &doc); err != nil {
		t.Fatal(err)
	}
	return string(encode(doc)), r
}

// Heat out of a face is negative whatever word says so, heat into one is not.
func TestHeatOutOfAFaceIsNegative(t *testing.T) {
	rng := testenv.Random(t)
	watts := 1 + rng.IntN(900)
	cold, kalt := "copper, left at 20 °C, %s, max temperature?", "Kupfer, links 20 °C, %s, maximale Temperatur?"
	power := func(sign int) string { return fmt.Sprintf(`"power":"%d W"`, sign*watts) }
	want := map[string][]string{}
	for frame, list := range map[string][]string{cold: {"%d W out of the right", "heat sink of %d W at the right", "the right gives off %d W", "%d W out through the right side", "%d W are removed at the right", "heat loss of %d W at the right", "%d W heat sink at the right", "%d W off the right"},
		kalt: {"rechts %d W Wärmeverlust", "%d W aus der rechten Seite heraus", "%d W aus der rechten Seite", "rechts %d W heraus"}} {
		for _, say := range list {
			want[fmt.Sprintf(frame, fmt.Sprintf(say, watts))] = []string{power(-1), `"on":"right"`, "!" + power(1)}
		}
	}
	for frame, list := range map[string][]string{cold: {"%d W into the right", "%d W on the right", "the heat sink gets %d W at the right"}, kalt: {"%d W in die rechte Seite", "Verlustleistung %d W rechts"}} {
		for _, say := range list {
			want[fmt.Sprintf(frame, fmt.Sprintf(say, watts))] = []string{power(1), "!" + power(-1)}
		}
	}
	want["copper, left at 20 °C, heat flux 100 W/m² out of the right, max temperature?"] = []string{`"value":"-100 W/m²"`}
	want["copper, left at 20 °C, 1 kW/m² off the bottom, max temperature?"] = []string{`"value":"-1 kW/m²"`, `"on":"bottom"`}
	want["Kupfer, links 20 °C, Wärmestromdichte 2 kW/m² aus der Oberseite, maximale Temperatur?"] = []string{`"value":"-2 kW/m²"`}
	want["copper, 20 W into the left and 5 W out of the right, top at 20 °C, max temperature?"] = []string{`"power":"20 W"`, `"power":"-5 W"`}
	want["Kupfer, links 20 W hinein und rechts 5 W heraus, oben 20 °C, maximale Temperatur?"] = []string{`"power":"20 W"`, `"power":"-5 W"`}
	want["part made out of copper, left at 20 °C, 5 W on the right, max temperature?"] = []string{`"power":"5 W"`}
	reads(t, "block.step", want)
	asks(t, "block.step", map[string]string{
		"copper, left at 20 °C, heat flux of -100 W/m² out of the right, max temperature?": "leave",
		"copper, left at 20 °C, losses of 15 W at the right, max temperature?":             "leave",
		"copper, left at 20 °C, the right dissipates 15 W, max temperature?":               "leave",
		"copper, left at 20 °C, the right is a heat sink with 15 W, max temperature?":      "leave",
		"copper, left at 20 °C, 15 W from the right, max temperature?":                     "",
		"Kupfer, links 20 °C, Kühlleistung 15 W rechts, maximale Temperatur?":              "heraus",
		"Kupfer, links 20 °C, rechts werden 15 W abgeführt, maximale Temperatur?":          "",
		"Kupfer, links 20 °C, rechts 15 W nach außen, maximale Temperatur?":                "",
	})
	for say, want := range map[string]string{"now 20 W": `"power":"-20 W"`, "now 20 W into the right": `"power":"20 W"`, "jetzt 7 W aus der rechten Seite": `"power":"-7 W"`} {
		if doc, r := follow(t, "block.step", "copper, left at 20 °C, 15 W out of the right, max temperature?", say); !r.Runs() || !strings.Contains(doc, want) {
			t.Errorf("%s: no %s in %s\n%s", say, want, doc, encode(r))
		}
	}
}

// Two directions of one force, the second of which is named like a side.
func TestASecondDirectionIsAsked(t *testing.T) {
	cases := map[string]string{}
	for _, say := range []string{"500 N downwards and to the left on the top", "500 N down and left on the top", "on the top 500 N down and to the left", "500 N down-left on the top", "500 N down and in +x on the top, 300 N on the left",
		"500 N downwards and sideways on the top", "500 N down and to the back on the top"} {
		cases["S235, fixed at the bottom, "+say] = ""
	}
	for _, say := range []string{"oben 500 N nach unten und links", "oben 500 N nach unten und nach links", "oben 500 N nach unten und in +x", "500 N nach unten und nach links auf die Oberseite", "oben 500 N nach rechts und hinten"} {
		cases["S235, unten fest, "+say] = ""
	}
	asks(t, "bracket.step", cases)
	reads(t, "bracket.step", map[string][]string{
		"S235, 500 N down on the top and left fixed":                    {`[0,0,"-500 N"]`, `"on":"left"`, `"on":"top"`},
		"S235, rechts 500 N nach unten und links fest":                  {`[0,0,"-500 N"]`, `"on":"left"`, `"on":"right"`},
		"S235, fixed at the bottom, 500 N to the left on the top":       {`["-500 N",0,0]`, `"on":"top"`},
		"S235, unten fest, oben 500 N nach unten, rechts 300 N nach +x": {`[0,0,"-500 N"]`, `["300 N",0,0]`},
	})
}

// Two sides that nothing joins are an edge, of which nobody can tell the face.
func TestEdgesAndCornersAreAsked(t *testing.T) {
	cases := map[string]string{}
	for _, say := range []string{"fixed at the lower left, 500 N down on the right", "fixed bottom left, 500 N down on the right", "fixed at the bottom back, 500 N down on the top", "fixed at the bottom, 500 N down on the top left",
		"fixed at the bottom, 500 N down at the upper right", "fixed at the bottom-left, 500 N down on the right", "fixed at the left and the lower right, 500 N down on the top", "fixed at the left side of the bottom, 500 N down on the right",
		"fixed at the bottom on the left, 500 N down on the right", "lower left hole fixed, 500 N down on the top", "fixed at the bottom, 2 MPa on the top right", "fixed at the bottom, 10 N m about z on the top left",
		"unten links fest, rechts 500 N nach unten", "hinten unten eingespannt, oben 500 N nach unten", "an der Unterkante der linken Seite fest, rechts 500 N nach unten", "unten fest, links oben 500 N nach unten",
		"unten an der linken Seite eingespannt, rechts 500 N nach unten", "unten an den Bohrungen fest, oben 500 N nach unten", "am unteren Ende der linken Seite fest, oben 500 N nach unten", "untere linke Bohrungen fest, oben 500 N nach unten"} {
		cases["S235, "+say] = ""
	}
	asks(t, "bracket.step", cases)
	reads(t, "bracket.step", map[string][]string{
		"S235, left and right fixed, 500 N down on the top":                        {`["left","right"]`},
		"S235, oben und unten fest, rechts 500 N nach unten":                       {`["top","bottom"]`},
		"S235, fixed at the left/right, 500 N down on the top":                     {`["left","right"]`},
		"S235, unten, links und rechts fest, oben 500 N nach unten":                {`["bottom","left","right"]`},
		"S235, bottom, left and right fixed, 500 N down on the top":                {`["bottom","left","right"]`},
		"S235, holes on the left fixed, 500 N down on the top":                     {`"side":"left"`},
		"S235, fixed at the left end, 500 N down on the right end":                 {`"on":"left"`, `"on":"right"`},
		"S235, unten fest oben 500 N nach unten":                                   {`"on":"bottom"`, `"on":"top"`},
		"S235, fixed at the bottom, on the top 500 N down, and 1 MPa on the right": {`"on":"top"`, `"on":"right"`},
	})
	for _, say := range []string{"hold it at the right instead of the lower left", "statt links unten rechts einspannen", "double the load on the top left", "without the load on the top left", "move the load to the bottom right"} {
		if doc, r := follow(t, "bracket.step", "S235, left fixed, 500 N down on the top", say); r.Runs() {
			t.Errorf("%s: %s", say, doc)
		}
	}
}

// A support holds in the axes that stand before or behind its word; a guide is asked about.
func TestAxesOfSupportsAreKept(t *testing.T) {
	reads(t, "bracket.step", map[string][]string{
		"S235, unten nur in z gehalten, links fest, oben 1 kN nach unten":       {`{"components":["z"],"on":"bottom","type":"fixed"}`, `{"on":"left","type":"fixed"}`, `[0,0,"-1 kN"]`},
		"S235, bottom only in z held and left fixed in x, 1 kN down on the top": {`{"components":["z"],"on":"bottom","type":"fixed"}`, `{"components":["x"],"on":"left","type":"fixed"}`},
		"S235, left fixed, bottom held only in z, 1 kN down on the top":         {`{"components":["z"],"on":"bottom","type":"fixed"}`, `{"on":"left","type":"fixed"}`},
		"S235, bottom in x and z held, left fixed, 500 N down on the top":       {`{"components":["x","z"],"on":"bottom","type":"fixed"}`},
		"S235, unten nur in x und y gehalten, links fest, oben 1 kN nach unten": {`{"components":["x","y"],"on":"bottom","type":"fixed"}`},
		"S235, in z gehalten unten, links fest, oben 500 N nach unten":          {`{"components":["z"],"on":"bottom","type":"fixed"}`, `{"on":"left","type":"fixed"}`},
		"S235, left fixed, frictionless at the bottom, 1 kN down on the top":    {`{"on":"bottom","type":"frictionless"}`},
		"S235, links fest, unten reibungsfrei, oben 1 kN nach unten":            {`"on":"bottom"`},
	})
	asks(t, "bracket.step", map[string]string{
		"S235, left fixed and bottom guided in z, 1 kN down on the top":        "held",
		"S235, left fixed, the bottom is guided along x, 1 kN down on the top": "held",
		"S235, left fixed, bottom slides along x, 1 kN down on the top":        "held",
		"S235, left fixed, guide at the bottom in z, 1 kN down on the top":     "held",
		"S235, links fest, unten in z geführt, oben 1 kN nach unten":           "gehalten",
		"S235, links fest, in z geführt unten, oben 1 kN nach unten":           "gehalten",
		"S235, links fest, unten gleitend in x-Richtung, oben 1 kN nach unten": "gehalten",
		"S235, symmetry in x on the left, bottom fixed, 500 N on the right":    "direction",
		"S235, left symmetric in x, bottom fixed, 500 N on the top":            "direction",
	})
	if doc, r := follow(t, "bracket.step", "S235, left fixed, 500 N down on the top", "hold the bottom only in z as well"); !r.Runs() || !strings.Contains(doc, `{"on":"left","type":"fixed"}`) || !strings.Contains(doc, `{"components":["z"],"on":"bottom","type":"fixed"}`) {
		t.Errorf("%s\n%s", doc, encode(r))
	}
	if _, r := follow(t, "bracket.step", "S235, left fixed, 500 N down on the top", "unten nur in z halten"); r.Runs() {
		t.Error(encodeText(r))
	}
}

// Insulated faces have nothing of what all others have.
func TestInsulatedFacesAreLeftOut(t *testing.T) {
	reads(t, "block.step", map[string][]string{
		"copper, bottom at 80 °C, the rest cooled by air at 20 °C with 15 W/m²K, but the top is insulated, max temperature?":                 {`{"all_but":["bottom","top"]}`},
		"copper, insulated top, bottom at 80 °C, the rest cooled by air at 20 °C with 15 W/m²K, max temperature?":                            {`{"all_but":["bottom","top"]}`},
		"copper, 5 W into the left, the rest cooled by air at 20 °C with 15 W/m²K, but the top and the back are insulated, max temperature?": {`{"all_but":["left","top","back"]}`},
		"Kupfer, unten 80 °C, alle übrigen Flächen Konvektion 10 W/m²K zu 20 °C, oben isoliert, maximale Temperatur?":                        {`{"all_but":["bottom","top"]}`},
		"Kupfer, unten 80 °C, Konvektion 10 W/m²K zu 20 °C auf allen Flächen, oben isoliert, maximale Temperatur?":                           {`{"all_but":["top"]}`},
		"copper, bottom at 80 °C, top convection 10 W/m²K to 20 °C, the rest is insulated, max temperature?":                                 {`"on":"top"`, "!all_but"},
		"copper, bottom at 80 °C, top at 20 °C, the sides are insulated, max temperature?":                                                   {"!all_but", `"on":"top"`},
	})
	asks(t, "block.step", map[string]string{
		"Kupfer, unten 80 °C, oben Konvektion 10 W/m²K zu 20 °C, oben isoliert, maximale Temperatur?":                             "isoliert",
		"copper, top at 80 °C, the rest cooled by air at 20 °C with 15 W/m²K, the top is insulated, max temperature?":             "insulated",
		"copper, bottom at 80 °C, convection 10 W/m²K to air at 20 °C everywhere else, the sides are adiabatic, max temperature?": "insulated",
		"copper, bottom at 80 °C, the rest cooled by air at 20 °C with 15 W/m²K, the top is not insulated, max temperature?":      "",
		"copper, bottom at 80 °C, the rest cooled by air at 20 °C with 15 W/m²K, the rest insulated, max temperature?":            "insulated",
	})
	for _, say := range []string{"top insulated", "the top is insulated", "insulated top", "oben isoliert", "die Oberseite ist isoliert", "now the top is adiabatic"} {
		doc, r := follow(t, "block.step", "copper, bottom at 80 °C, the rest cooled by air at 20 °C with 15 W/m²K, max temperature?", say)
		if !r.Runs() || !strings.Contains(doc, `{"all_but":["bottom","top"]}`) {
			t.Errorf("%s: %s\n%s", say, doc, encode(r))
		}
	}
}

// What is said to be opposite, or the same, elsewhere is no further face of the load.
func TestTheOppositeElsewhereIsAsked(t *testing.T) {
	cases := map[string]string{}
	for _, say := range []string{"S235, fixed at the bottom, 500 N down on the top, and the opposite at the back", "S235, fixed at the bottom, 500 N down on the top and the same at the back", "S235, fixed at the bottom, 500 N to the left on the right and opposite on the left",
		"S235, fixed at the bottom, 500 N down on the top, reversed at the back", "S235, fixed at the bottom, 500 N down on the top and an equal and opposite force at the back",
		"S235, unten fest, oben 500 N nach unten und hinten das Gegenteil", "S235, unten fest, oben 500 N nach unten und hinten entgegengesetzt", "S235, unten fest, oben 500 N nach unten und gegenüber ebenso"} {
		cases[say] = ""
	}
	asks(t, "bracket.step", cases)
}

// The inertia of a part that is accelerated acts the other way: a = (0, 0, 3 g) is the body
// force of gravity (0, 0, -3 g), with g = 9.80665 m/s^2.
func TestInertiaActsTheOtherWay(t *testing.T) {
	reads(t, "bracket.step", map[string][]string{
		"S235, fixed at the bottom, accelerated upwards with 3 g":            {`"acceleration":[0,0,-29.41995]`},
		"S235, fixed at the bottom, the part accelerates in +x with 20 m/s²": {`"acceleration":["-20 m/s²",0,0]`},
		"S235, unten fest, beschleunigt in +x mit 2 g":                       {`"acceleration":[-19.6133,0,0]`},
		"S235, unten fest, das Teil beschleunigt mit 20 m/s² nach unten":     {`"acceleration":[0,0,"20 m/s²"]`},
		"S235, fixed at the bottom, gravity of 3 g downwards":                {`"acceleration":[0,0,-29.41995]`},
		"S235, unten fest, oben 500 N nach unten, Eigengewicht":              {`"acceleration":[0,0,-9.80665]`},
	})
	asks(t, "bracket.step", map[string]string{
		"S235, fixed at the bottom, acceleration of 3 g upwards":         "inertia",
		"S235, fixed at the bottom, acceleration of 3 g in +x":           "inertia",
		"S235, unten fest, Beschleunigung 30 m/s² nach rechts":           "Trägheit",
		"S235, unten fest, das Teil wird mit 3 g nach oben beschleunigt": "",
	})
	asks(t, "duct.step", map[string]string{
		"Wasser strömt nach oben mit 3 cm/s durch duct.step, Druckverlust?": "welche Fläche",
		"Wasser strömt durch duct.step nach oben, 3 cm/s, Druckverlust?":    "welche Fläche",
		"water flows upwards through duct.step with 3 cm/s, pressure drop?": "which face",
		"water flows in +x through duct.step with 3 cm/s, pressure drop?":   "which face",
	})
	reads(t, "duct.step", map[string][]string{"water through duct.step at 3 cm/s, pressure drop?": {`"on":"end_min"`, `"speed":"3 cm/s"`}})
}

// A load on every hole is that of one or of all; a load that is moved in a direction may act
// elsewhere or turn.
func TestEveryHoleAndMovedLoadsAreAsked(t *testing.T) {
	cases := map[string]string{}
	for _, say := range []string{"S235, fixed at the bottom, 500 N down on every hole", "S235, fixed at the bottom, 500 N down on each hole", "S235, fixed at the bottom, 5 N m about z on each hole", "S235, fixed at the bottom, 500 N down on the left and the right each",
		"S235, unten fest, jeweils 500 N nach unten auf die Bohrungen", "S235, unten fest, 500 N nach unten auf jede Bohrung", "S235, unten fest, je 500 N nach unten auf links und rechts"} {
		cases[say] = ""
	}
	asks(t, "bracket.step", cases)
	reads(t, "bracket.step", map[string][]string{
		"S235, fixed at the bottom, 2 MPa on every hole": {`"value":"2 MPa"`},
		"S235, jede Bohrung fest, oben 500 N nach unten": {`{"holes":{}}`},
	})
	base := "S235, fixed at the bottom, 500 N down on the right"
	for _, say := range []string{"Last oben verschieben nach links", "die Last nach links verschieben", "Last nach oben verlegen", "move the load upwards", "shift the load downwards", "verschiebe die Kraft nach hinten"} {
		if doc, r := follow(t, "bracket.step", base, say); r.Runs() {
			t.Errorf("%s: %s", say, doc)
		}
	}
	for say, want := range map[string]string{"move the load to the top": `"on":"top"`, "now upwards": `[0,0,"500 N"]`, "Last auf die linke Seite verschieben": `"on":"left"`} {
		if doc, r := follow(t, "bracket.step", base, say); !r.Runs() || !strings.Contains(doc, want) {
			t.Errorf("%s: %s\n%s", say, doc, encode(r))
		}
	}
}

// The hole is the only one of which a load says more.
func TestTheLoadOnTheHole(t *testing.T) {
	one := "S235, fixed at the bottom, 500 N down on the hole of 16 mm, 300 N in +x on the top"
	two := "S235, fixed at the bottom, 500 N down on the hole of 16 mm, 300 N in +x on the 9 mm hole"
	for say, want := range map[string]string{"without the load on the hole": `!500 N`, "ohne die Last auf der Bohrung": `!500 N`, "double the load on the hole": `"-1000 N"`, "verdopple die Last an der Bohrung": `"-1000 N"`,
		"half the load on the hole": `"-250 N"`, "without the load on the top": `!300 N`, "without the load on the 16 mm hole": `!500 N`} {
		doc, r := follow(t, "bracket.step", one, say)
		if not, is := strings.CutPrefix(want, "!"); !r.Runs() || is == strings.Contains(doc, not) {
			t.Errorf("%s: %s\n%s", say, doc, encode(r))
		}
		if _, r := follow(t, "bracket.step", two, say); r.Runs() && !strings.Contains(say, "16 mm") {
			t.Errorf("%s of two: %s", say, encode(r))
		}
	}
	if _, r := follow(t, "bracket.step", one, "double the load on the 9 mm hole"); r.Runs() {
		t.Error(encodeText(r))
	}
}
