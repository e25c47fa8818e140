package plan

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"atelier/internal/testenv"
)

// What stands in the way of a circuit is named.
func TestObstaclesAreNamed(t *testing.T) {
	for text, want := range map[string]string{
		"RC-Tiefpass mit R = 1 kOhm und C = 100 nF, Grenzfrequenz?":                         `"tiefpass" is "low-pass"`,
		"filtre passe-bas RC avec R = 1 kOhm et C = 100 nF, fréquence de coupure ?":         `"passe-bas" is "low-pass"`,
		"RC low-pass with R = 1k and C = 100 nF and 10 kOhm across C, cutoff?":              `"1k", "100 nF" and "10 kOhm"`,
		"RC low-pass with R = 1k and C = 100 nF, 50 Ohm generator, cutoff?":                 `"50 Ohm"`,
		"A 100nF capacitor and a 1M resistor: cutoff frequency?":                            `how "1M" and "100nF" are connected`,
		"RC low-pass with R = 1 kOhm, cutoff?":                                              `only "1 kOhm"`,
		"RC low-pass with R = 1 kOhm and C = 1 uF, load of 1 kOhm and load of 2 kOhm, gain": "two loads",
	} {
		if p := Read(text, Facts{}); !strings.Contains(p.Asks(), want) {
			t.Errorf("%q: asks %q, want %q", text, p.Asks(), want)
		}
	}
}

// A temperature beside the values of parts makes no problem of heat of them.
func TestATemperatureLeavesACircuitOne(t *testing.T) {
	for text, want := range map[string]Physics{
		"RC low-pass with R = 1k and C = 100n, cutoff at 60 °C?": Circuit,
		"copper, 80 °C at the left, 20 °C at the right":          Heat,
	} {
		if p := Read(text, Facts{File: "file:part.step"}); p.Physics != want || len(p.Questions) > 0 || want == Circuit && !slices.Equal(p.Unused, []string{"60 °C"}) {
			t.Errorf("%q: %s, unused %q, asks %q", text, p.Physics, p.Unused, p.Asks())
		}
	}
}

// Of a step of 5 V the output passes 3.3 V once; from 10 to 90 % it goes through 0.1 and
// 0.9 of its way, and a band of n % leaves it at 1 - n/100.
func TestTimesAsTheyAreWritten(t *testing.T) {
	r := testenv.Random(t)
	band := 1 + r.IntN(9)
	level := fmt.Sprintf("VAL=%.12g RISE", 1-float64(band)/100)
	for text, want := range map[string]string{
		"5 V step, time to 3.3V":                        "VAL=3.3 RISE",
		"5 V step, the time to 3.3 V":                   "VAL=3.3 RISE",
		"5 V step, charging time to 3.3 V":              "VAL=3.3 RISE",
		"5 V step, time to 90 %":                        "VAL=4.5 RISE",
		"10 to 90 rise time":                            "VAL=0.1 RISE=1 TARG v(out) VAL=0.9",
		"20-80 rise time":                               "VAL=0.2 RISE=1 TARG v(out) VAL=0.8",
		"rise time (10-90)":                             "VAL=0.1 RISE=1 TARG v(out) VAL=0.9",
		fmt.Sprintf("%d%% settling time", band):         level,
		fmt.Sprintf("settling time (%d %%)", band):      level,
		fmt.Sprintf("the settling time to %d %%", band): level,
		fmt.Sprintf("settling time %d percent", band):   level,
	} {
		p := Read(lowPassOf+", "+text, Facts{})
		if len(p.Questions)+len(p.Unused)+len(p.Unread) > 0 || len(p.Network.Measures) != 1 || !strings.Contains(p.Network.Measures[0].Command, want) {
			t.Errorf("%q: %v, unused %q, unread %q, asks %q", text, p.Network, p.Unused, p.Unread, p.Asks())
		}
	}
}

// Right behind a value its spread may stand.
func TestSpreadsBehindValues(t *testing.T) {
	p := Read("RC low-pass with R=1k±5% and C=100n+/-10%, gain at 1 kHz", Facts{})
	if len(p.Questions) > 0 || p.Network.Elements["R1"] != 1000 || p.Network.Elements["C1"] != 1e-7 || !slices.Equal(p.Unused, []string{"5%", "10%"}) {
		t.Errorf("%v, unused %q, asks %q", p.Network, p.Unused, p.Asks())
	}
}

// The corner frequency that is asked for is measured, where the output is 1/√2 of that in
// the passband, which a load R2 divides by 1 + R/R2; as the place of a figure it is not.
func TestTheCornerIsMeasured(t *testing.T) {
	for text, want := range map[string]string{
		"What is the cutoff of an " + lowPassOf + "?":                  fmt.Sprintf("VAL %.12g FALL", math.Sqrt(0.5)),
		lowPassOf + ", load of 1 kOhm, corner frequency?":              fmt.Sprintf("VAL %.12g FALL", math.Sqrt(0.5)/2),
		lowPassOf + ", -3 dB frequency?":                               fmt.Sprintf("VAL %.12g FALL", math.Sqrt(0.5)),
		"RC high-pass with R = 1 kOhm and C = 1 uF: cutoff frequency?": fmt.Sprintf("VAL %.12g RISE", math.Sqrt(0.5)),
		lowPassOf + ", output at the corner frequency":                 "",
		lowPassOf + ", phase at the corner":                            "",
		lowPassOf + ", gain at the cutoff":                             "",
	} {
		p := Read(text, Facts{})
		got := ""
		for _, m := range p.Network.Measures {
			got += strings.ReplaceAll(m.Command, "vm(out)=", "VAL ")
		}
		if len(p.Questions) > 0 || (want == "") != (got == "") || !strings.Contains(got, want) {
			t.Errorf("%q: %q, want %q; asks %q", text, got, want, p.Asks())
		}
	}
}
