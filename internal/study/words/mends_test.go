package words

import (
	"slices"
	"strings"
	"testing"

	"atelier/internal/testenv"
)

// reads are sentences with what must stand in the study, as parts of its JSON without spaces,
// and none of what begins with an exclamation mark.
func reads(t *testing.T, file string, cases map[string][]string) {
	t.Helper()
	for say, want := range cases {
		f := File{Name: file}
		if file == "table.csv" {
			f.Columns = []string{"group", "value", "temperature", "strength"}
		}
		doc, r := read(t, say, f)
		raw := strings.ReplaceAll(string(encode(doc)), `\n`, "\n")
		raw = strings.NewReplacer(`\u003c`, "<", `\u003e`, ">").Replace(raw)
		if !r.Runs() {
			t.Errorf("%s\n   does not run: %s", say, encode(r))
			continue
		}
		for _, w := range want {
			if not, is := strings.CutPrefix(w, "!"); is == strings.Contains(raw, strings.TrimPrefix(w, "!")) {
				t.Errorf("%s\n   %q %q in %s", say, w, not, raw)
			}
		}
	}
}

// asks are sentences that must not run, with a word of the question or refusal.
func asks(t *testing.T, file string, cases map[string]string) {
	t.Helper()
	for say, want := range cases {
		f := File{Name: file}
		if file == "table.csv" {
			f.Columns = []string{"group", "value", "temperature", "strength"}
		}
		_, r := read(t, say, f)
		said := r.Refusal + strings.Join(r.Unused, " ")
		for _, q := range r.Questions {
			said += " " + q.Text
		}
		if r.Runs() || !strings.Contains(said, want) {
			t.Errorf("%s: no %q in %s", say, want, encode(r))
		}
	}
}

func TestHeatIsReadAsPower(t *testing.T) {
	reads(t, "heatsink.step", map[string][]string{
		"aluminium, 20 W into the bottom, convection h = 10 W/m2K to 20 degC on all other faces, max temperature?":           {`"power":"20 W"`, `"on":"bottom"`, `"on":"rest"`},
		"copper block, heat input of 0.5 kW on the top, the bottom is kept at 15 degC. Hottest temperature?":                 {`"power":"0.5 kW"`, `"on":"top"`},
		"steel, left at 20 degC, 75 W on the right. Maximum temperature?":                                                    {`"power":"75 W"`, `"on":"right"`},
		"Alu, unten 25 W Verlustleistung, freie Konvektion 8 W/(m²K) zu 30 °C an allen übrigen Flächen, höchste Temperatur?": {`"power":"25 W"`, `"on":"bottom"`},
		"Kupfer, links 20 °C, rechts 60 W. Maximale Temperatur?":                                                             {`"power":"60 W"`, `"on":"right"`},
		"Stahl, Heizleistung 100 W auf der Oberseite, Unterseite 40 °C. Höchste Temperatur?":                                 {`"power":"100 W"`, `"on":"top"`},
	})
	reads(t, "heatsink.step", map[string][]string{
		"aluminium, bottom at 80 degC, the fins have convection with h = 30 W/m2K to air at 25 degC. Which heat flow?": {`"feature":{"name":"fins"}`, `"h":30`},
		"copper, base kept at 70 °C, air of 20 °C with 15 W/(m²·K) cools the fins. Power?":                             {`"feature":{"name":"fins"}`},
		"Alu, Boden 90 °C, an den Kühlrippen Konvektion mit 20 W/(m²K) zu Luft mit 30 °C. Welcher Wärmestrom?":         {`"feature":{"name":"fins"}`},
		"Alu, Boden 12 W, Kühlrippen mit 20 W/(m²K) zu Luft mit 30 °C gekühlt. Wird er wärmer als 70 °C?":              {`"feature":{"name":"fins"}`, `"at_most":"70 °C"`},
		"aluminium, bottom 12 W, convection 9 W/(m²K) to 25 °C on all other faces. Does it get hotter than 60 °C?":     {`"at_most":"60 °C"`, `"max temperature"`},
		"copper, bottom 5 W, all other faces convection 9 W/(m²K) to 25 °C. It must not get warmer than 90 °C.":        {`"at_most":"90 °C"`},
	})
	asks(t, "heatsink.step", map[string]string{
		"aluminium, 20 W, convection h = 10 W/m2K to 20 degC on all other faces":              "face",
		"aluminium, bottom 20 W, top hotter than 80 degC, h = 10 W/m2K to 20 degC on the top": "",
	})
}

func TestTemperaturesAtSeveralTimes(t *testing.T) {
	reads(t, "block.step", map[string][]string{
		"steel block at 300 °C, dropped into oil at 40 °C, h = 800 W/m2K on all faces. Hottest temperature after 10 s and 30 s?": {`"t_final":10`, `"t_final":30`, `"heat to 10 s"`},
		"copper, initially at 90 °C, convection 50 W/(m²K) to 20 °C on all faces, max temperature after 1 min, 2 min and 5 min?": {`"t_final":60`, `"t_final":120`, `"t_final":300`},
		"Stahl, anfangs 200 °C, überall Konvektion mit 100 W/(m²K) zu 20 °C, höchste Temperatur nach 20 s, 40 s und 80 s?":       {`"t_final":20`, `"t_final":40`, `"t_final":80`},
	})
}

// Two times for two figures are no row of times: the one that is not followed is named.
func TestATimeIsNeverDropped(t *testing.T) {
	asks(t, "block.step", map[string]string{
		"copper block, 90 °C at start, h = 20 W/m²K with 20 °C air everywhere; max temperature after 1 min and min temperature after 2 min?": "1 min",
		"Stahlblock, anfangs 90 °C, h = 20 W/m²K, Luft 20 °C überall; höchste Temperatur nach 60 s, tiefste Temperatur nach 120 s?":          "60 s",
	})
	reads(t, "block.step", map[string][]string{
		"copper, left 90 °C, right 20 °C, max temperature and min temperature?": {`"max temperature"`, `"min temperature"`},
	})
}

func TestFlowsOfTubes(t *testing.T) {
	reads(t, "pipe.step", map[string][]string{
		"Oil with 900 kg/m3 and 100 mm²/s is pumped through the pipe at 5 l/min. Pressure drop?":            {`"flow_rate":"5 l/min"`, `"kinematic_viscosity":"100 mm²/s"`, `"density":"900 kg/m3"`, `"on":"end_min"`, `"on":"end_max"`},
		"water flows through the tube with a mean velocity of 0.05 m/s, pressure loss?":                     {`"speed":"0.05 m/s"`, `"on":"end_min"`},
		"glycerine in the pipe, the inlet pressure is 300 Pa above the outlet, which flow rate?":            {`"pressure":"300 Pa"`, `"flow rate of outlet"`},
		"Durch das Rohr fließt Wasser mit einem Volumenstrom von 0,5 l/min, Druckverlust?":                  {`"flow_rate":"0.5 l/min"`},
		"Luft strömt mit 0,1 m/s durch den Kanal. Druckverlust?":                                            {`"speed":"0.1 m/s"`, `"material":"air"`},
		"Durch das Rohr strömt Glycerin, Druckdifferenz 500 Pa. Volumenstrom?":                              {`"pressure":"500 Pa"`, `"flow rate of outlet"`, "!pressure drop"},
		"Water enters on the left with 2 l/min and leaves at the right. Pressure loss?":                     {`"flow_rate":"2 l/min"`, `"on":"left"`, `"on":"right"`},
		"water through the pipe: mean speed 0.2 m/s at the inlet and 0.2 m/s at the outlet, pressure drop?": {`"speed":"0.2 m/s"`},
	})
	asks(t, "pipe.step", map[string]string{
		"water through the pipe, 0.2 m/s at the inlet and 0.5 m/s at the outlet, pressure drop?": "incompressible",
		"Wasser im Rohr, am Einlass 0,2 m/s und am Auslass 0,1 m/s, Druckverlust?":               "inkompressib",
	})
	asks(t, "bracket.step", map[string]string{"water flows through bracket.step at 1 l/min, pressure drop?": "enter"})
}

func TestFeaturesOfParts(t *testing.T) {
	leg := `"on":{"feature":{"name":"horizontal_leg","side":"top"}}`
	reads(t, "bracket.step", map[string][]string{
		"S235, hole fixed, 500 N down on the horizontal leg. Max displacement?":                             {leg, `"-500 N"`},
		"steel, bottom fixed, 2 MPa on the top of the horizontal leg, maximum stress?":                      {leg, `"2 MPa"`},
		"aluminium, back face of the upright fixed, 300 N downwards on the horizontal leg, stress?":         {leg, `{"name":"upright","side":"back"}`},
		"Stahl, Bohrung eingespannt, 1 kN nach unten auf den waagerechten Schenkel, Spannung?":              {leg, `"-1 kN"`},
		"S355, unten fest, auf die Oberseite des horizontalen Schenkels wirken 800 N nach unten, Spannung?": {leg, `"-800 N"`},
		"Alu, Bohrung fest, 200 N nach unten auf die Rippe, Verformung?":                                    {`{"name":"rib"}`},
		"steel, bottom fixed, 200 N down on the rib, displacement?":                                         {`{"name":"rib"}`},
		"S235, hole fixed, 100 N down on the gusset, stress?":                                               {`{"name":"rib"}`},
	})
	reads(t, "plate.step", map[string][]string{
		"steel plate, both short edges fixed, 0.1 MPa on the top, deflection?":                                     {`{"name":"short_edges"}`},
		"aluminium plate, the long edges are clamped, 5 kPa on the top face, stress?":                              {`{"name":"long_edges"}`},
		"steel plate clamped on all four edges, 10 kPa on the top, max deflection?":                                {`{"name":"edges"}`, `"type":"fixed"`},
		"Stahlplatte, beide kurzen Kanten eingespannt, 0,1 MPa auf der Oberseite, Durchbiegung?":                   {`{"name":"short_edges"}`},
		"Platte aus Alu, alle vier Kanten eingespannt, 10 kPa auf der Oberseite, Spannung?":                        {`{"name":"edges"}`},
		"aluminium plate simply supported on the short edges, 5 kPa downwards on the top, max deflection":          {`"type":"simply_supported"`, `"on":"top"`},
		"steel plate clamped at the long edges, 3 kPa from above, deflection?":                                     {`"on":"top"`, `"3 kPa"`},
		"Stahlplatte, an den beiden kurzen Rändern gelenkig gelagert, Flächenlast 2 kN/m² von oben, Durchbiegung?": {`"on":"top"`, `"type":"simply_supported"`},
		"steel plate simply supported on all four edges, 10 kPa on the top, max deflection?":                       {`"type":"simply_supported"`},
	})
	asks(t, "bracket.step", map[string]string{
		"S235, fixed at the bottom, 500 N down on the upright": "upright",
		"S235, fixed at the bottom, 500 N down on the leg":     "leg",
		"S235, unten fest, 500 N nach unten auf den Schenkel":  "Schenkel",
	})
}

func TestMeshesAtPlacesAndAlone(t *testing.T) {
	reads(t, "shaft.step", map[string][]string{
		"mesh shaft.step with 3 mm elements, 0.5 mm at the shoulder":                     {`"type":"mesh"`, `"size":"3 mm"`, `"size":"0.5 mm"`, `{"name":"shoulder"}`},
		"Just mesh it, 2nd order tets, 4 mm and 1 mm at the hole. Don't solve anything.": {`"type":"mesh"`, `"size":"4 mm"`, `{"hole":{}}`},
		"Vernetze shaft.step mit 2 mm, an der Schulter 0,4 mm":                           {`"type":"mesh"`, `"size":"2 mm"`, `"size":"0.4 mm"`},
	})
	asks(t, "shaft.step", map[string]string{"mesh shaft.step with 3 mm elements and 2 mm elements": "", "mesh shaft.step, 4 mm, 1 at the hole": ""})
}

func TestPartsAreWeighed(t *testing.T) {
	reads(t, "bracket.step", map[string][]string{
		"What does the bracket weigh in aluminium?":               {`"quantity":"mass"`, `"tool":"cad_import_truck"`, "aluminium"},
		"mass of bracket.step in steel, and its outer dimensions": {`"quantity":"mass"`},
		"Wie viel wiegt der Halter aus Titan?":                    {`"quantity":"mass"`, "titanium"},
	})
	asks(t, "bracket.step", map[string]string{"What does the bracket weigh?": "made of"})
}

func TestModesGoUpToAFrequency(t *testing.T) {
	reads(t, "bracket.step", map[string][]string{
		"natural frequencies up to 3 kHz, steel, bottom fixed":                 {`"up_to":"3 kHz"`, "!requirements"},
		"aluminium, hole fixed, all modes below 500 Hz":                        {`"up_to":"500 Hz"`, "!requirements"},
		"Eigenfrequenzen bis 2 kHz, S235, unten eingespannt":                   {`"up_to":"2 kHz"`},
		"S235, unten fest, alle Moden unter 800 Hz":                            {`"up_to":"800 Hz"`, "!requirements"},
		"steel, bottom fixed, the first natural frequency must be above 80 Hz": {`"at_least":"80 Hz"`, "!up_to"},
		"modal analysis, steel, bottom fixed, effective mass in x":             {`"/modes/0/mass_share/0"`},
	})
}

func TestColumns(t *testing.T) {
	reads(t, "tube.step", map[string][]string{
		"Euler case 2 for the tube in steel, compressive force of 20 kN, load factor?":            {`"push":"20 kN"`, `"simply_supported"`, `"counterforce"`},
		"Knickung nach Euler-Fall 1, Stahl, Druckkraft 5 kN, Knicksicherheit?":                    {`"push":"5 kN"`, `"type":"fixed"`, "!counterforce"},
		"Euler-Fall 3, Rohr aus S355, Druckkraft 8 kN. Knicksicherheit? Gefordert ist 2.":         {`"push":"8 kN"`, `"at_least":2`},
		"steel, bottom fixed, top free, a mass of 120 kg stands on it, does it buckle?":           {`"on":"top"`, `"at_least":1`},
		"Stahlrohr, unten eingespannt, oben frei. Darauf stehen 200 kg. Knickt es?":               {`"on":"top"`, `"at_least":1`},
		"buckling, steel, left clamped, compress the right along x, step through 5, 10 and 20 kN": {`"force":["-5 kN",0,0]`, `"at_least":4`, `"at_least":2`},
		"Knicken, Stahl, links fest, rechts wird mit 2, 4 und 6 kN nacheinander gedrückt":         {`"force":["-2 kN",0,0]`, `"at_least":3`},
	})
	reads(t, "tube.step", map[string][]string{
		"buckling of a steel column, hinged at both ends, 10 kN in -z on the top":    {`"on":["bottom","top"]`, `"simply_supported"`, `"push":"10 kN"`, `"on":"bottom"`},
		"steel, pinned at both ends, 5 kN in -x on the right, buckling load factor?": {`"on":["left","right"]`, `"push":"5 kN"`},
		"Knicken, Stahl, an beiden Enden gelenkig, rechts 5 kN in -x":                {`"on":["left","right"]`, `"push":"5 kN"`},
	})
	asks(t, "tube.step", map[string]string{
		"static stress, steel, pinned at both ends, 5 kN in -z on the top":                            "hinge",
		"Euler case 4, steel, compressive force of 20 kN, load factor?":                               "case 4",
		"Euler case 2, steel, load factor?":                                                           "force",
		"static stress, steel, left clamped, 5, 10 and 20 kN in +x on the right, one after the other": "one size",
	})
}

func TestRampsAndReactions(t *testing.T) {
	reads(t, "beam.step", map[string][]string{
		"steel, left fixed, ramp from 0 to 500 N in 0.2 s on the right downwards, then hold until 1 s, displacement over time": {`"history":[[0,0],[0.2,1]]`, `"end":1`, `"-500 N"`},
		"aluminium, bottom fixed, 2 kN down on the top, ramped up in 10 ms, then hold until 50 ms, displacement":               {`"history":[[0,0],[0.01,1]]`, `"end":0.05`},
		"Stahl, links fest, rechts Rampe von 0 auf 500 N in 0,2 s nach unten, dann bis 1 s halten, Verschiebung":               {`"history":[[0,0],[0.2,1]]`, `"end":1`},
		"steel, both ends fixed, heated from 20 °C to 90 °C, reaction force?":                                                  {`"reaction force of support"`, `"reaction force of support 2"`},
		"Stahl, beide Enden fest, von 20 °C auf 70 °C erwärmt, Lagerkraft?":                                                    {`"reaction force of support 2"`},
	})
}

func TestWhatIsSetAside(t *testing.T) {
	reads(t, "bracket.step", map[string][]string{
		"The top picture shows the old part, never mind that. S235, bottom fixed, 500 N down on the horizontal leg, stress?":   {`"bottom"`, "!picture"},
		"My colleague clamped the left side last year, ignore that. Steel, bottom fixed, 1 kN in +x on the top, stress?":       {`"on":"bottom"`, `!"left"`},
		"Das linke Bild zeigt den alten Halter, das kannst du ignorieren. Stahl, unten fest, 500 N nach unten oben, Spannung?": {`"on":"bottom"`, `!"left"`},
	})
	asks(t, "bracket.step", map[string]string{"500 N down on the top, never mind that. Steel, bottom fixed.": ""})
}

func TestStagesAreDrawn(t *testing.T) {
	reads(t, "x.csv", map[string][]string{
		"LED with a forward voltage of 2.1 V and 330 ohm on 9 V, current?":                                             {"V1 in 0 9", "R1 in led 330", "Vled led 0 2.1"},
		"three LEDs in series, forward voltage 2 V, 150 ohm, 12 V supply: which current, which power in the resistor?": {"Vled led 0 6", "@R1[p]"},
		"Blaue LED, Flussspannung 3,2 V, Vorwiderstand 100 Ohm, an 5 V. Welcher Strom fließt?":                         {"Vled led 0 3.2", "R1 in led 100"},
		"inverting op amp, Rin = 1k, Rf = 10k, 100 mV at the input, output voltage?":                                   {"V1 in 0 0.1", "R1 in n 1000", "R2 n out 10000"},
		"non-inverting amplifier, R1 = 2k, R2 = 18k, 50 mV input, output?":                                             {"R1 n 0 2000", "R2 out n 18000", "E1 out 0 in n"},
		"Invertierender Verstärker mit Rin = 10k und Rf = 47k, Eingang 0,2 V, Ausgangsspannung?":                       {"R1 in n 10000", "R2 n out 47000"},
		"half-wave rectifier, 10 V rms 60 Hz supply, 470uF, 1k load, ripple?":                                          {"SIN(0 14.142135", "C1 out 0 0.00047", "R1 out 0 1000", "/measurements/ripple"},
		"half-wave rectifier, amplitude 10 V, 60 Hz supply, 470uF, 1k load, ripple?":                                   {"SIN(0 10 60)"},
		"bridge rectifier, 12 V rms 50 Hz supply, smoothing capacitor 2200uF, load 100 ohm. Ripple pk-pk?":             {"D4 0 b DSI", "C1 out 0 0.0022"},
		"Brückengleichrichter, 9 V effektiv 50 Hz, Ladekondensator 1000uF, Last 220 Ohm. Brummspannung?":               {"D4 0 b DSI", "SIN(0 12.727922"},
		"RC low-pass, 1 kOhm, 1 uF, behind a PWM of 0/3.3 V with 1 kHz and a duty cycle of 25 %. Ripple when settled?": {"PULSE(0 3.3", "/measurements/ripple"},
		"RC-Tiefpass mit 4,7k und 220nF hinter einem Rechteck 0/5 V, 2 kHz, Tastverhältnis 30 %. Welligkeit?":          {"PULSE(0 5", "R1 in out 4700"},
	})
	reads(t, "filter.cir", map[string][]string{
		"In filter.cir set R2 to 4.7k and sweep from 10 Hz to 10 kHz with 50 points per decade":         {`"values":{"R2":4700}`, `"points":50`},
		"filter.cir: C1 = 220 nF, frequency response 1 Hz to 1 MHz":                                     {`"values":{"C1":2.2e-7}`},
		"filter.cir mit R1 = 10k: Arbeitspunkt":                                                         {`"values":{"R1":10000}`, `"analysis":"op"`},
		"step response of filter.cir to 5 V at the input over 2 ms, with the rise time from 10 to 90 %": {`PULSE(0 5`, "val=0.1", "val=0.9", "tran 2e-06 0.002"},
		"filter.cir: Sprungantwort auf 2 V am Eingang über 1 ms, Anstiegszeit":                          {`PULSE(0 2`, "meas tran rise"},
	})
	asks(t, "x.csv", map[string]string{
		"LED with 330 ohm on 9 V, current?":                                "forward voltage",
		"LED with a forward voltage of 3 V and 330 ohm on 2 V, current?":   "no current",
		"op amp with 1k and 10k, 50 mV, output?":                           "inverting",
		"inverting op amp with 1k and 10k, 50 mV at the input, output?":    "feedback",
		"half-wave rectifier, 10 V 60 Hz supply, 470uF, 1k load, ripple?":  "rms",
		"RC low-pass, 1 kOhm, 1 uF, behind a PWM of 0/3.3 V with 1 kHz":    "duty",
		"5 V source in parallel with a 9 V source, which current?":         "solution",
		"Eine 5-V-Quelle parallel zu einer Quelle mit 3 V, welcher Strom?": "",
	})
}

func TestRowsAndRanks(t *testing.T) {
	reads(t, "table.csv", map[string][]string{
		"mean of strength per group, only rows where temperature is below 100":    {`"filters":["temperature < 100"]`},
		"summary of value, leave out rows where temperature is above 100":         {`"filters":["temperature <= 100"]`},
		"Mittelwert von strength je group, nur Zeilen mit temperature über 20":    {`"filters":["temperature > 20"]`},
		"strength is not normally distributed. Compare it between the groups.":    {`"kruskal_wallis"`},
		"average strength per group, excluding rows where temperature exceeds 80": {`"filters":["temperature <= 80"]`},
		"rank test of strength between the groups":                                {`"kruskal_wallis"`},
		"Rangtest: unterscheidet sich strength nach group?":                       {`"kruskal_wallis"`},
	})
	asks(t, "table.csv", map[string]string{"Cp and Cpk of value, limits 9 and 11": "not computed", "mean of strength, leave out rows where hardness is above 3": "rows"})
}

// A sentence that was asked about is read again with the answer to it.
func TestAnswersToWhatWasAsked(t *testing.T) {
	for _, c := range []struct{ earlier, answer, want string }{
		{"steel, left fixed, load of 500 on the right downwards, deflection", "N of course", `"-500 N"`},
		{"steel, left fixed, load of 2 on the right downwards, deflection", "kN", `"-2 kN"`},
		{"Stahl, links fest, Last von 500 rechts nach unten, Durchbiegung", "natürlich N", `"-500 N"`},
		{"steel, left fixed, 500 N on the right, deflection", "downwards", `"-500 N"`},
		{"left fixed, 500 N down on the right, deflection", "aluminium", `aluminium`},
		{"Stahl, 500 N nach unten rechts, Durchbiegung", "links eingespannt", `"on":"left"`},
		{"mesh beam.step with element size 3", "mm", `"3 mm"`},
	} {
		r := Read(c.answer, Context{Files: []File{{Name: "beam.step"}}, Earlier: c.earlier})
		if !r.Runs() || !strings.Contains(string(r.Patch), c.want) {
			t.Errorf("%s + %s: no %s in %s", c.earlier, c.answer, c.want, encode(r))
		}
	}
	for _, c := range [][2]string{{"steel, left fixed, load of 500 on the right downwards, deflection", "fribble"}, {"steel, left fixed, 500 N on the right, deflection", "kN"}} {
		if r := Read(c[1], Context{Files: []File{{Name: "beam.step"}}, Earlier: c[0]}); r.Runs() {
			t.Errorf("%v: %s", c, encode(r))
		}
	}
}

// What is not understood is named in the families that the sentences above are of, wherever
// it stands: a word that is none, and a number that nothing needs.
func TestNothingIsDroppedInTheMends(t *testing.T) {
	rng := testenv.Random(t)
	missed, draws := 0, 0
	for range 40 {
		for say, file := range map[string]string{
			"aluminium, 20 W into the bottom, convection h = 10 W/m2K to 20 degC on the fins, max temperature?":                      "heatsink.step",
			"steel block at 300 °C, dropped into oil at 40 °C, h = 800 W/m2K on all faces. Hottest temperature after 10 s and 30 s?": "block.step",
			"Oil with 900 kg/m3 and 100 mm²/s is pumped through the pipe at 5 l/min. Pressure drop?":                                 "pipe.step",
			"glycerine in the pipe, the inlet pressure is 300 Pa above the outlet, which flow rate?":                                 "pipe.step",
			"Stahl, Bohrung eingespannt, 1 kN nach unten auf den waagerechten Schenkel, Spannung?":                                   "bracket.step",
			"steel plate, both short edges fixed, 3 kPa from above, deflection?":                                                     "plate.step",
			"mesh shaft.step with 3 mm elements, 0.5 mm at the shoulder":                                                             "shaft.step",
			"What does the bracket weigh in aluminium?":                                                                              "bracket.step",
			"natural frequencies up to 3 kHz, steel, bottom fixed":                                                                   "bracket.step",
			"Euler case 2 for the tube in steel, compressive force of 20 kN, load factor?":                                           "tube.step",
			"steel, left fixed, ramp from 0 to 500 N in 0.2 s on the right downwards, then hold until 1 s, displacement":             "beam.step",
			"LED with a forward voltage of 2.1 V and 330 ohm on 9 V, current?":                                                       "x.csv",
			"inverting op amp, Rin = 1k, Rf = 10k, 100 mV at the input, output voltage?":                                             "x.csv",
			"half-wave rectifier, amplitude 10 V, 60 Hz supply, 470uF, 1k load, ripple?":                                             "x.csv",
			"RC low-pass, 1 kOhm, 1 uF, behind a PWM of 0/3.3 V with 1 kHz and a duty cycle of 25 %. Ripple?":                        "x.csv",
			"filter.cir: C1 = 220 nF, frequency response 1 Hz to 1 MHz":                                                              "filter.cir",
			"mean of strength per group, only rows where temperature is below 100":                                                   "table.csv",
		} {
			words := strings.Fields(say)
			for _, stray := range []string{pick(rng, []string{"fribble", "quorvel", "snargle", "wubbeln"}), "731"} {
				at := rng.IntN(len(words) + 1)
				said := strings.Join(slices.Insert(slices.Clone(words), at, stray), " ")
				in := File{Name: file}
				if file == "table.csv" {
					in.Columns = []string{"group", "value", "temperature", "strength"}
				}
				r := Read(said, Context{Files: []File{in}})
				draws++
				if r.Runs() && !strings.Contains(string(r.Patch)+strings.Join(r.Assumptions, " "), stray) {
					missed++
					t.Logf("%s\n%s", said, encode(r))
				}
			}
		}
	}
	if float64(missed) > 0.01*float64(draws) {
		t.Errorf("of %d stray words and numbers %d were passed over", draws, missed)
	}
}
