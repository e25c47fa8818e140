package plan

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"atelier/internal/testenv"
)

const lowPassOf = "RC low-pass with R = 1 kOhm and C = 1 uF"

// Capacitors add in parallel and resistors in series; n equal ones of the other
// connection have the n-th part. Of a frequency or a time the product is meant, which the
// question writes out.
func TestProductsAreAskedAbout(t *testing.T) {
	r := testenv.Random(t)
	n, v := 2+r.IntN(4), 60*(1+r.IntN(2)) // parts and products stay below 1000 of a unit, and whole
	number := func(v int) string { return strconv.Itoa(v) }
	for text, want := range map[string][]string{
		fmt.Sprintf("RC low-pass with R = 1k and C = %d x %dnF, cutoff?", n, v):       {number(n*v) + " nF", number(v/n) + " nF"},
		fmt.Sprintf("RC low-pass with R = 1k and C = %d×%d nF, cutoff?", n, v):        {number(n*v) + " nF", number(v/n) + " nF"},
		fmt.Sprintf("RC low-pass with R = 1k and C = %d*%dn, cutoff?", n, v):          {number(n*v) + " nF", number(v/n) + " nF"},
		fmt.Sprintf("divider with %d x %dk and 5k at 10 V", n, v):                     {number(n*v) + " kΩ", number(v/n) + " kΩ"},
		fmt.Sprintf("divider with %d x %d kOhm at 10 V", n, v):                        {number(n*v) + " kΩ", number(v/n) + " kΩ"},
		fmt.Sprintf("%s, step of 5 V, voltage after %d x %d us", lowPassOf, n, v):     {number(n*v) + " µs"},
		fmt.Sprintf("%s, step of 5 V, voltage after %d times %d us", lowPassOf, n, v): {number(n*v) + " µs"},
		fmt.Sprintf("%s, gain at %d x %d kHz", lowPassOf, n, v):                       {number(n*v) + " kHz"},
	} {
		p := Read(text, Facts{})
		if len(p.Questions) != 1 {
			t.Errorf("%q is not asked about: %v", text, p.Network)
			continue
		}
		for _, w := range want {
			if !regexp.MustCompile(`(?:^|[^\d.])` + w).MatchString(p.Asks()) {
				t.Errorf("%q: %q does not say %q", text, p.Asks(), w)
			}
		}
	}
	for _, text := range []string{"gain at 10x the corner", "gain at 10 times the cutoff", "gain at 0.1 fc", "gain at 50 % of the corner frequency", "gain at a tenth of the corner",
		"gain at the tenfold corner", "2 capacitors of 100 nF", "step of 5 V, voltage after 3 x tau"} {
		if p := Read(lowPassOf+", "+text, Facts{}); len(p.Questions) == 0 {
			t.Errorf("%q is answered: %q", text, p.Assumptions)
		}
	}
	for _, text := range []string{"R = 1k and C = 100 nF x 2", "R = 1k and C = 100nF (x2)"} {
		if p := Read("RC low-pass with "+text+", cutoff?", Facts{}); len(p.Questions) == 0 {
			t.Errorf("%q is answered: %q", text, p.Assumptions)
		}
	}
}

// A number in scientific notation, a count of time constants and the two resistors of a
// divider are no products of parts.
func TestPowersOfTenAreNumbers(t *testing.T) {
	for text, want := range map[string]string{
		"RC low-pass with R = 4.7×10^3 ohm and C = 10×10⁻⁹ F, cutoff?":      "R1 in out 4700",
		"RC low-pass with R = 4.7 x 10^3 ohm and C = 1*10^-8 F, cutoff?":    "C1 out 0 1e-08",
		lowPassOf + ", step of 5 V, voltage after 2 tau":                    "V1 in 0 DC 0",
		"divider with 2 resistors of 1 kOhm each at 10 V":                   "R2 out 0 1000",
		"RC low-pass with R = 1k and C = 100 nF X7R, gain at 1 kHz, 5 V AC": "C1 out 0 1e-07",
	} {
		if p := Read(text, Facts{}); len(p.Questions) > 0 || !strings.Contains(p.Network.Netlist, want) {
			t.Errorf("%q: %v, asks %q", text, p.Network, p.Asks())
		}
	}
}

// A capacitor bears no direct current, so that a divider keeps its voltage, and adds to
// the capacitor it lies in parallel with: f = 1/(2πR(C + CL)). What would need another
// formula is asked about.
func TestLoadsOfEveryKind(t *testing.T) {
	r := testenv.Random(t)
	ohms, nano, load := float64(100+r.IntN(900)), float64(1+r.IntN(99)), float64(1+r.IntN(99))
	text := fmt.Sprintf("RC low-pass R = %g Ohm C = %g nF with a load of %g nF, cutoff?", ohms, nano, load)
	p := Read(text, Facts{})
	corner := 1 / (2 * math.Pi * ohms * (nano + load) * 1e-9)
	if len(p.Questions) > 0 || math.Abs(p.Network.Stop/corner-1) > 1e-3 || math.Abs(p.Network.Elements["CL"]/load/1e-9-1) > 1e-12 {
		t.Errorf("%q: %v, want %g Hz; %s", text, p.Network, corner, p.Asks())
	}
	if said := strings.Join(p.Assumptions, " "); !strings.Contains(said, fmt.Sprintf("load CL of %g nF", load)) {
		t.Errorf("%q: the load is not told: %s", text, said)
	}
	for text, want := range map[string]string{
		"divider with 10k and 10k at 10 V with 100 nF load":    "CL out 0 1e-07",
		"divider with 10k and 10k at 10 V loaded with 100 nF":  "CL out 0 1e-07",
		"divider with 10k and 10k at 10 V, C_load = 100 nF":    "CL out 0 1e-07",
		"divider with 10k and 10k at 10 V with 1 uH load":      "LL out 0 1e-06",
		"divider with 10k and 10k at 10 V with a load of 10 k": "RL out 0 10000",
	} {
		if p := Read(text, Facts{}); len(p.Questions) > 0 || p.Network.Analysis != "op" || !strings.Contains(p.Network.Netlist, want) {
			t.Errorf("%q: %v, want %q; %s", text, p.Network, want, p.Asks())
		}
	}
	for _, text := range []string{"RC low-pass R=1k C=100n with a load of 10 mH, cutoff?", "RC high-pass R=1k C=100n with a load of 10 nF, cutoff?",
		"RL low-pass R=1k L=1mH with a load of 10 nF, cutoff?", "divider with 10k and 10k at 10 V with 100 nF load, cutoff?"} {
		if p := Read(text, Facts{}); !strings.Contains(p.Asks(), "The load ") {
			t.Errorf("%q: %v, asks %q", text, p.Network, p.Asks())
		}
	}
}

// Both signs before a voltage leave open which source is meant, in every spelling; behind
// a value they are its spread, and one sign is that of the source.
func TestASupplyOfBothSignsIsAskedAbout(t *testing.T) {
	const divider = "divider with R1 = 1 kOhm and R2 = 2 kOhm at "
	for _, v := range []string{"±15 V", "± 15V", "+/-15 V", "+/- 15 V", "+-15 V", "+ / - 15 V", "-/+15 V", "∓15 V", "plus/minus 15 V", "plus minus 15 V", "plus or minus 15 V",
		"+15/-15 V", "+15 V/-15 V", "15 V/-15 V", "-15 V/+15 V", "+15 V and -15 V", "±12 Vpp", "±500 mV"} {
		if p := Read(divider+v, Facts{}); len(p.Questions) != 1 || !strings.Contains(p.Asks(), "one supply") {
			t.Errorf("%q: %v, asks %q", v, p.Network, p.Asks())
		}
	}
	for v, want := range map[string]string{"-15 V": "DC -15 ", "+15 V": "DC 15 ", "15 V ± 5 %": "DC 15 ", "15 V ± 0.5 V": "DC 15 ", "15 V +/-5%": "DC 15 "} {
		p := Read(divider+v, Facts{})
		if len(p.Questions) > 0 || !strings.Contains(p.Network.Netlist, want) || strings.Contains(v, "5") && v[0] == '1' && len(p.Unused) != 1 {
			t.Errorf("%q: %v, unused %q, asks %q", v, p.Network, p.Unused, p.Asks())
		}
	}
	if p := Read(divider+"15 V on a symmetric supply", Facts{}); len(p.Questions) == 0 {
		t.Errorf("a symmetric supply: %v", p.Network)
	}
}

// What a part is rated for is told as not used, and the source has the voltage that is
// said of it; 1 V where none is.
func TestRatingsAreNotTheSource(t *testing.T) {
	for _, q := range []struct {
		text   string
		source string
		told   []string
	}{
		{"RC low-pass with R = 1k and C = 100 nF/63 V, cutoff?", "DC 1 ", []string{"63 V"}},
		{"RC low-pass with R = 1k and C = 100n/63V, cutoff?", "DC 1 ", []string{"63V"}},
		{"RC low-pass with R = 1k and C = 100 nF 63 V, cutoff?", "DC 1 ", []string{"63 V"}},
		{"RC low-pass with R = 1k and C = 100 nF (63 V), cutoff?", "DC 1 ", []string{"63 V"}},
		{"RC low-pass with R = 1k and C = 100nF@63V, cutoff?", "DC 1 ", []string{"63V"}},
		{"RC low-pass with R = 1k and C = 100 nF, rated for 63 V, cutoff?", "DC 1 ", []string{"63 V"}},
		{"RC low-pass with R = 1k and a 63 V capacitor of 100 nF, cutoff?", "DC 1 ", []string{"63 V"}},
		{"RC low-pass with R = 1k/0.25 W/1 % and C = 100 nF/63 V/5 %, 12 V at 1 kHz", "DC 12 ", []string{"63 V", "0.25 W", "1 %", "5 %"}},
		{"RC low-pass with R = 1k and C = 100 nF 63 V, step of 5 V, voltage after 1 ms", "1e-10 5)", []string{"63 V"}},
		{"RL low-pass with R = 1k and L = 10 mH/2 A, cutoff?", "DC 1 ", []string{"2 A"}},
		{"A 10 uF/16 V capacitor charged to 5 V discharges through 1 kOhm: voltage after 10 ms?", "out)=5", []string{"16 V"}},
		{"divider of 10k and 20k/200 V at 12 V", "DC 12 ", []string{"200 V"}},
		{"divider of 10k 20k 12 V", "DC 12 ", nil},
		{"RC low-pass with 1k and 1uF 5 V at 50 Hz: output voltage?", "DC 5 ", nil},
		{"RC low-pass with 1k and 1uF 5 V step, voltage after 1 ms", "1e-09 5)", nil},
	} {
		p := Read(q.text, Facts{})
		if len(p.Questions) > 0 || !strings.Contains(strings.ReplaceAll(p.Network.Netlist, "9.999999999999999e-11", "1e-10"), q.source) || !slices.Equal(p.Unused, q.told) {
			t.Errorf("%q: %v, unused %q, asks %q", q.text, p.Network, p.Unused, p.Asks())
		}
	}
	for _, text := range []string{"RC low-pass with R = 1k and C = 100 nF 63 V, voltage after 50 us", "divider of 10k/20k/12 V", "A 10 uF (9 V) capacitor discharges through 1 kOhm: voltage after 10 ms?"} {
		if p := Read(text, Facts{}); len(p.Questions) != 1 || !strings.Contains(p.Asks(), "rating") {
			t.Errorf("%q: %v, asks %q", text, p.Network, p.Asks())
		}
	}
}
