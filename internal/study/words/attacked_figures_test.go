package words

import "testing"

// Conditions that change in time are none of a study.
func TestWhatFollowsInTimeIsRefused(t *testing.T) {
	asks(t, "block.step", map[string]string{
		"steel, initially 20 °C, left 100 °C for 1 h, then 20 °C, followed for 2 h, max temperature?":                                      "then",
		"steel, initially 20 °C, left 100 °C, afterwards 20 °C, followed for 2 h, max temperature?":                                        "afterwards",
		"aluminium, bottom 20 W, initially 20 °C, h = 20 W/m²K to 20 °C air on the rest, fan off after 10 min, max temperature after 1 h?": "off after",
		"steel, bottom fixed, first 500 N down on the top, then 300 N in x on the top, stress?":                                            "then",
		"Stahl, anfangs 20 °C, links 100 °C für 1 h, danach 20 °C, 2 h lang, höchste Temperatur?":                                          "danach",
		"Stahl, anfangs 20 °C, links 100 °C, dann 50 °C, 2 h lang, höchste Temperatur?":                                                    "dann",
		"steel, bottom fixed, 500 N down on the top and removed again, remaining deflection?":                                              "removed",
		"Stahl, unten fest, 500 N nach unten oben und wieder entfernt, bleibende Verformung?":                                              "bleibende",
		"S235, bottom fixed, 100 N falling onto the top face, stress?":                                                                     "blow",
		"S235, unten fest, 100 N fällt auf die Oberseite, Spannung?":                                                                       "Stoß",
		"steel, bottom fixed, first three natural frequencies, with a 2 kg mass at the 16 mm hole":                                         "vibrates",
		"steel, bottom fixed, 2 kg mass on the top, first natural frequency?":                                                              "vibrates",
		"steel, bottom fixed, mass of 2 kg at the hole, natural frequency?":                                                                "vibrates",
		"Stahl, unten fest, oben eine Masse von 2 kg, erste Eigenfrequenz?":                                                                "mitschwingt",
		"Stahl, unten fest, die ersten drei Eigenfrequenzen, mit einer Masse von 2 kg an der 16-mm-Bohrung":                                "mitschwingt",
	})
}

// Circuits under a direct voltage, and figures that are measured: 20 log(1/sqrt(1+(wRC)²)).
func TestCircuitsAreFedAndMeasured(t *testing.T) {
	reads(t, "x.csv", map[string][]string{
		"RC low-pass, 1 kOhm, 1 uF, input 5 V DC, output?":                   {`V1 in 0 DC 5` + "\nR1", `"analysis":"op"`},
		"RL low-pass, 1 kOhm, 10 mH, 5 V DC, current?":                       {`V1 in 0 DC 5` + "\nL1", `"i(V1)"`},
		"RC low-pass, 1 kOhm, 1 uF, 9 V battery, output?":                    {`V1 in 0 DC 9` + "\nR1", `"analysis":"op"`},
		"RC-Tiefpass, 1 kOhm, 1 uF an 5 V Gleichspannung, Ausgangsspannung?": {`V1 in 0 DC 5` + "\nR1", `"analysis":"op"`},
		"RC low-pass, 1 kOhm, 1 uF. Corner frequency and gain at 10 kHz?":    {"find vdb(out) at=10000", "when vdb(out)=-3.0103", "/measurements/gain_db", "/measurements/corner"},
		"RC low-pass, 1 kOhm, 1 uF, gain at 50 Hz in dB?":                    {"find vdb(out) at=50", "/measurements/gain_db"},
		"RC-Tiefpass, 1 kOhm, 1 uF, Verstärkung bei 50 Hz?":                  {"find vdb(out) at=50", "/measurements/gain_db"},
		"RC-Tiefpass, 1 kOhm, 1 uF, Grenzfrequenz?":                          {"when vdb(out)=-3.0103", "/measurements/corner"},
	})
	asks(t, "x.csv", map[string]string{"555 timer with 1k and 10k": "timer"})
}

// A limit is a requirement, whichever word says it.
func TestLimitsAreRequirements(t *testing.T) {
	reads(t, "pipe.step", map[string][]string{
		"water flows through the pipe at 1 l/min, pressure drop under 1 mbar?":        {`"at_most":"1 mbar"`, `!"pressure":`},
		"water flows through the pipe at 1 l/min, pressure loss no more than 1 mbar?": {`"at_most":"1 mbar"`, `!"pressure":`},
		"Durch das Rohr fließt Wasser mit 1 l/min, Druckverlust unter 1 mbar?":        {`"at_most":"1 mbar"`, `!"pressure":`},
		"Durch das Rohr fließt Wasser mit 1 l/min, Druckverlust höchstens 1 mbar?":    {`"at_most":"1 mbar"`, `!"pressure":`},
		"Durch das Rohr fließt Wasser mit 1 l/min, Druckverlust kleiner als 1 mbar?":  {`"at_most":"1 mbar"`, `!"pressure":`},
		"water flows through the pipe at 1 l/min, pressure loss less than 1 mbar?":    {`"at_most":"1 mbar"`, `!"pressure":`},
	})
	reads(t, "bracket.step", map[string][]string{
		"steel, bottom fixed, first natural frequency under 500 Hz?":        {`"at_most":"500 Hz"`, "!up_to"},
		"steel, bottom fixed, first natural frequency over 500 Hz?":         {`"at_least":"500 Hz"`, "!up_to"},
		"Stahl, unten fest, erste Eigenfrequenz unter 500 Hz?":              {`"at_most":"500 Hz"`, "!up_to"},
		"steel, bottom fixed, 500 N down on the top, stress under 100 MPa?": {`"at_most":"100 MPa"`},
		"Stahl, unten fest, 500 N nach unten oben, Spannung unter 100 MPa?": {`"at_most":"100 MPa"`},
		"steel, bottom fixed, 1.35 times 500 N down on the top, stress?":    {`"-675 N"`, "!requirements"},
		"Stahl, unten fest, 500 N mal 1,35 nach unten oben, Spannung?":      {`"-675 N"`, "!requirements"},
	})
	asks(t, "bracket.step", map[string]string{
		"steel, bottom fixed, 500 N down on the top times 1.35, stress?":             "factor",
		"steel, bottom fixed, own weight times 3, stress?":                           "factor",
		"Stahl, unten fest, Eigengewicht mal 3, Spannung?":                           "Faktor",
		"Stahl, unten fest, 500 N nach unten oben mal 1,35, Spannung?":               "Faktor",
		"steel, bottom fixed, 500 N down on the top, max stress greater than 1 MPa?": "above",
	})
}

// A stress has no sign and no least value here, a mass is no figure of a static analysis, and
// the largest load is not computed.
func TestFiguresOfOtherKindsAreNotTheLargest(t *testing.T) {
	for _, figure := range []string{"minimum stress", "lowest stress", "compressive stress", "tensile stress", "max bending stress", "smallest displacement", "stress and the weight of the part", "how much could it carry", "stress at the rib and at the shoulder, not the maximum"} {
		asks(t, "bracket.step", map[string]string{"steel, bottom fixed, 500 N down on the top, " + figure + "?": ""})
	}
	for _, figure := range []string{"kleinste Spannung", "Biegespannung", "Zugspannung", "Druckspannung", "kleinste Verschiebung", "wie schwer ist es", "wie viel könnte es tragen"} {
		asks(t, "bracket.step", map[string]string{"Stahl, unten fest, 500 N nach unten oben, " + figure + "?": ""})
	}
	asks(t, "bracket.step", map[string]string{"Stahl, unten fest, 500 N nach unten oben, maximale Last?": "größte Last"})
	reads(t, "bracket.step", map[string][]string{
		"Stahl, unten fest, die maximale Last von 500 N nach unten oben, Spannung?":             {"-500 N"},
		"steel, fix the bottom, then push 500 N down on the top, stress?":                       {"-500 N"},
		"steel, bottom fixed, 500 N down on the top, not the stress but the displacement":       {"max displacement", "!von Mises"},
		"Stahl, unten fest, 500 N nach unten oben, nicht die Spannung sondern die Verschiebung": {"max displacement", "!von Mises"},
	})
}

func TestTemperaturesAreTakenAsSaid(t *testing.T) {
	at := func(reference, value string) []string {
		return []string{`"reference":"` + reference + ` °C","value":"` + value + ` °C"`}
	}
	reads(t, "beam.step", map[string][]string{
		"Stahl, beide Enden fest, bei 100 °C montiert, jetzt 20 °C, Spannung?":  at("100", "20"),
		"Stahl, beide Enden fest, bei 20 °C eingebaut, jetzt 100 °C, Spannung?": at("20", "100"),
		"Stahl, beide Enden fest, jetzt 100 °C, bei 20 °C montiert, Spannung?":  at("20", "100"),
		"Stahl, beide Enden fest, montiert bei 100 °C, jetzt 20 °C, Spannung?":  at("100", "20"),
		"steel, both ends fixed, assembled at 100 °C, now 20 °C, stress?":       at("100", "20"),
		"steel, both ends fixed, at 100 °C stress-free, now 20 °C, stress?":     at("100", "20"),
	})
	english, german := "aluminium, bottom 80 °C, convection 10 W/m²K to 20 °C on the rest", "Alu, unten 80 °C, Konvektion 10 W/m²K zu 20 °C auf allen übrigen Flächen"
	reads(t, "heatsink.step", map[string][]string{
		english + ", coldest point?":                                    {"min temperature", "!max temperature"},
		english + ". How cold does it get?":                             {"min temperature", "!max temperature"},
		english + ", max and min temperature?":                          {"min temperature", "max temperature"},
		german + ", kälteste Stelle?":                                   {"min temperature", "!max temperature"},
		english + ". How hot does the top get and how much heat flows?": {"max temperature", "heat rate of temperature"},
		german + ". Wie viel Wärme fließt?":                             {"heat rate of temperature"},
		"k = 0.6 W/mK, bottom 80 °C, top 20 °C, max temperature?":       {`"conductivity":0.6`},
		"λ = 0,6 W/(mK), unten 80 °C, oben 20 °C, höchste Temperatur?":  {`"conductivity":0.6`},
	})
	asks(t, "heatsink.step", map[string]string{english + ", temperature at the top?": "top", german + ", Temperatur oben?": "oben"})
}
