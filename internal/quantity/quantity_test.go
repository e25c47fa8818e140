package quantity_test

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"atelier/internal/quantity"
)

// Expected values: NIST SP 811 appendix B.8 to its printed digits, or exact by
// the definitions of the units; decimal literals of the exact products.
func TestConversions(t *testing.T) {
	cases := []struct {
		text string
		kind quantity.Kind
		want float64
	}{
		{"500 N", quantity.Force, 500},
		{"500N", quantity.Force, 500},
		{"1.5 kN", quantity.Force, 1500},
		{"3e3 N", quantity.Force, 3000},
		{"2×10^3 N", quantity.Force, 2000},
		{"210·10^9 Pa", quantity.YoungsModulus, 210e9},
		{"2 x 10⁻³ m", quantity.Length, 2e-3},
		{"2*10**3 N", quantity.Force, 2000},
		{"1,000 N", quantity.Force, 1000},
		{"12,345.5 N", quantity.Force, 12345.5},
		{"10 000 N", quantity.Force, 10000},
		{"−20 N", quantity.Force, -20},
		{"10 lbf", quantity.Force, 44.482216152605},
		{"1 kip", quantity.Force, 4448.2216152605},
		{"50 kgf", quantity.Force, 490.3325},
		{"2.5 KN", quantity.Force, 2500},
		{"3 kilonewtons", quantity.Force, 3000},
		{"7 newton", quantity.Force, 7},
		{"2 MPa", quantity.Pressure, 2e6},
		{"2 Mpa", quantity.Pressure, 2e6},
		{"40 N/mm^2", quantity.Pressure, 40e6},
		{"40 N/mm²", quantity.Pressure, 40e6},
		{"40 N/mm2", quantity.Pressure, 40e6},
		{"40 N mm^-2", quantity.Pressure, 40e6},
		{"1 psi", quantity.Pressure, 4.4482216152605 / 0.00064516}, // 6.894757 E+03 in B.8
		{"30 ksi", quantity.Stress, 30000 * 4.4482216152605 / 0.00064516},
		{"1 bar", quantity.Pressure, 1e5},
		{"5 mbar", quantity.Pressure, 500},
		{"210 GPa", quantity.YoungsModulus, 210e9},
		{"1 atm", quantity.Pressure, 101325},
		{"1 in", quantity.Length, 0.0254},
		{"3 ft", quantity.Length, 0.9144},
		{"5 um", quantity.Length, 5e-6},
		{"5 µm", quantity.Length, 5e-6},
		{"2 cm", quantity.Length, 0.02},
		{"1 km", quantity.Length, 1000},
		{"20 degC", quantity.Temperature, 293.15},
		{"20 °C", quantity.Temperature, 293.15},
		{"20 C", quantity.Temperature, 293.15},
		{"20 degrees Celsius", quantity.Temperature, 293.15},
		{"68 degF", quantity.Temperature, 293.15},
		{"212 °F", quantity.Temperature, 373.15},
		{"-40 F", quantity.Temperature, 233.15},
		{"300 K", quantity.Temperature, 300},
		{"18 degF", quantity.TemperatureDifference, 10},
		{"10 degC", quantity.TemperatureDifference, 10},
		{"5 W/m^2", quantity.HeatFlux, 5},
		{"5 kW/m2", quantity.HeatFlux, 5000},
		{"5 W/m^2/K", quantity.FilmCoefficient, 5},
		{"5 W/m2K", quantity.FilmCoefficient, 5},
		{"5 W/(m²K)", quantity.FilmCoefficient, 5},
		{"5 W/(m^2*K)", quantity.FilmCoefficient, 5},
		{"5 W/m²·K", quantity.FilmCoefficient, 5},
		{"5 W m^-2 K^-1", quantity.FilmCoefficient, 5},
		{"5 W/m^2/degC", quantity.FilmCoefficient, 5},
		{"16 W/m/K", quantity.Conductivity, 16},
		{"16 W/mK", quantity.Conductivity, 16},
		{"16 W/m K", quantity.Conductivity, 16},
		{"16 W/(m K)", quantity.Conductivity, 16},
		{"500 J/kg/K", quantity.SpecificHeat, 500},
		{"0.5 kJ/kgK", quantity.SpecificHeat, 500},
		{"7850 kg/m^3", quantity.Density, 7850},
		{"7.85 g/cm3", quantity.Density, 7850},
		{"0.2 m/s", quantity.Velocity, 0.2},
		{"36 km/h", quantity.Velocity, 10},
		{"30 mm/s", quantity.Velocity, 0.03},
		{"2 metres per second", quantity.Velocity, 2},
		{"50 cP", quantity.Viscosity, 0.05},
		{"1 mPa s", quantity.Viscosity, 0.001},
		{"1 mPas", quantity.Viscosity, 0.001},
		{"1 Pa*s", quantity.Viscosity, 1},
		{"2 L/min", quantity.FlowRate, 1.0 / 30000},
		{"10 min", quantity.Time, 600},
		{"2 h", quantity.Time, 7200},
		{"5 ms", quantity.Time, 0.005},
		{"12e-6 1/K", quantity.Expansion, 12e-6},
		{"9.81 m/s^2", quantity.Acceleration, 9.81},
		{"1 kOhm", quantity.Resistance, 1000},
		{"4.7 kΩ", quantity.Resistance, 4700},
		{"100 nF", quantity.Capacitance, 1e-7},
		{"10 Nm", quantity.Energy, 10},
		{"10 N m", quantity.Energy, 10},
		{"0.3", quantity.PoissonRatio, 0.3},
	}
	for _, c := range cases {
		got, err := quantity.ParseAs(c.text, c.kind)
		if err != nil || got != c.want {
			t.Errorf("%q as %s: %v, %v; want exactly %v", c.text, c.kind.Name, got, err, c.want)
		}
	}
}

func TestRefusals(t *testing.T) {
	cases := []struct {
		text string
		kind quantity.Kind
		says string
	}{
		{"500 mm", quantity.Force, "a length, not a force"},
		{"500", quantity.Force, "a number without a unit"},
		{"1,5 kN", quantity.Force, "two ways"},
		{"1.000,5 N", quantity.Force, "two ways"},
		{"1.234.567 N", quantity.Force, "two ways"},
		{"12,34 N", quantity.Force, "two ways"},
		{"5 furlongs", quantity.Length, "no unit"},
		{"5 nm", quantity.Energy, "a length"},
		{"2 x 1000 N", quantity.Force, "no unit"}, // not 2e00 N
		{"", quantity.Force, "does not begin with a number"},
		{"kN", quantity.Force, "does not begin with a number"},
		{"5 N/", quantity.Force, "no unit"},
		{"5 (N", quantity.Force, "no unit"},
		{"5 N)", quantity.Force, "no unit"},
		{"5 W/m^2", quantity.FilmCoefficient, "heat flux"},
		{"20 degC/s", quantity.Temperature, "not a temperature"},
		{"5e400 Pa", quantity.Pressure, "beyond what a number can hold"},
		{"-1e308 GPa", quantity.Pressure, "beyond what a number can hold"},
		{"1e400 mm", quantity.Length, "beyond what a number can hold"},
		{"1e-400 mm", quantity.Length, "beyond what a number can hold"},
		{"1e999 degC", quantity.Temperature, "beyond what a number can hold"},
	}
	for _, c := range cases {
		v, err := quantity.ParseAs(c.text, c.kind)
		if err == nil || !strings.Contains(err.Error(), c.says) || hintOf(err) == "" && !strings.Contains(c.says, "number without") {
			t.Errorf("%q as %s: %v, %v; want an error with %q and a hint", c.text, c.kind.Name, v, err, c.says)
		}
	}
}

// Shocks are given in g, which is the unit gram: what it is in m/s^2 is told.
func TestMultiplesOfFreeFall(t *testing.T) {
	for text, says := range map[string]string{"-15 g": "-147.1 m/s^2", "1 g": "9.80665 m/s^2"} {
		for _, kind := range []quantity.Kind{quantity.Gravity, quantity.Acceleration} {
			if _, err := quantity.ParseAs(text, kind); err == nil || !strings.Contains(hintOf(err), says) {
				t.Errorf("%q as %s: %v", text, kind.Name, err)
			}
		}
	}
	if _, err := quantity.ParseAs("15 g", quantity.Force); err == nil || strings.Contains(hintOf(err), "free fall") {
		t.Error(err)
	}
}

func TestPlausibility(t *testing.T) {
	if err := quantity.YoungsModulus.Check(210); err == nil || !strings.Contains(err.Error(), "Did you mean 210 GPa") {
		// kilo and mega would be a foam and a polymer; the metal is told first
		t.Errorf("E = 210 Pa: %v", err)
	}
	for _, c := range []struct {
		kind quantity.Kind
		v    float64
		ok   bool
	}{
		{quantity.YoungsModulus, 210e9, true}, {quantity.YoungsModulus, 210e12, false},
		{quantity.Temperature, -10, false}, {quantity.Temperature, 293.15, true}, {quantity.Temperature, 1e5, false},
		{quantity.PoissonRatio, 0.5, false}, {quantity.Density, 7.85, true}, {quantity.Density, 78500, false},
		{quantity.Force, 0, true}, {quantity.Force, -5e10, false}, {quantity.Viscosity, math.NaN(), false},
		{quantity.SpecificHeat, 0.5, false},
	} {
		if err := c.kind.Check(c.v); (err == nil) != c.ok {
			t.Errorf("%s of %v: %v", c.kind.Name, c.v, err)
		}
	}
}

func TestFormat(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{quantity.Stress.Format(2.41834e8), "241.8 MPa"},
		{quantity.Stress.Format(999.99e6), "1 GPa"},
		{quantity.Length.Format(1.2346e-5), "12.35 µm"},
		{quantity.Force.Format(-1500), "-1.5 kN"},
		{quantity.Force.Format(0), "0 N"},
		{quantity.Temperature.Format(373.15), "373.15 K (100 °C)"},
		{quantity.Density.Format(7850), "7850 kg/m³"},
		{quantity.Velocity.Format(0.2), "200 mm/s"},
		{quantity.Viscosity.Format(0.001), "1 mPa·s"},
		{quantity.Number(123456), "123500"},
		{quantity.Number(1.5e-7), "1.5e-7"},
	} {
		if c.got != c.want {
			t.Errorf("%q, want %q", c.got, c.want)
		}
	}
}

// A sentence is full of words that look like units.
func TestUnitsInProse(t *testing.T) {
	for _, c := range []struct{ text, unit string }{
		{"N on top", "N"}, {"kN downwards", "kN"}, {"W/m^2/K to air", "W/m^2/K"}, {"W/(m²K), ambient", "W/(m²K)"},
		{"in the z direction", ""}, {"in thick", "in"}, {"at the top", ""}, {"as shown", ""}, {"m in x", "m"},
		{"degC and", "degC"}, {"degrees Celsius at", "degrees Celsius"}, {"N/mm², steel", "N/mm²"},
		{"mPa s.", "mPa s"}, {"N in", "N"}, {"N m on", "N m"}, {"N.", "N"}, {"C; front", "C"}, {"holes", ""},
		{"m/s and out", "m/s"}, {"metres per second.", "metres per second"}, {"W go into", "W"}, {"pounds force up", "pounds force"},
		{"kW/m2 into", "kW/m2"}, {"W/m K and", "W/m K"}, {"kg/m^3 fluid", "kg/m^3"}, {"% error", "%"},
	} {
		units, n := quantity.UnitAt(c.text)
		if c.text[:n] != c.unit || (n > 0) != (len(units) > 0) {
			t.Errorf("%q begins with the unit %q, want %q", c.text, c.text[:n], c.unit)
		}
	}
}

func hintOf(err error) string {
	var e *quantity.Error
	errors.As(err, &e)
	return e.Hint
}

// An angle has no dimension, so that only its own units are taken.
func TestAngles(t *testing.T) {
	for text, want := range map[string]float64{"30 deg": 30, "0.5 turn": 180, "45°": 45, "-90 degrees": -90, "0 rad": 0, "3.141592653589793 rad": 180} {
		if got, err := quantity.ParseIn(text, quantity.Angle, "deg"); err != nil || got != want {
			t.Errorf("%q: %v, %v", text, got, err)
		}
	}
	for _, text := range []string{"30", "30 %", "30 degC", "30 m"} {
		if got, err := quantity.ParseIn(text, quantity.Angle, "deg"); err == nil {
			t.Errorf("%q is %v degrees", text, got)
		}
	}
}

func TestNearUnits(t *testing.T) {
	for text, near := range map[string]string{"210 GP": "210 GPa", "2 mmm": "2 mm", "5 Gpax": ""} {
		k := quantity.YoungsModulus
		if strings.Contains(text, "m") {
			k = quantity.Length
		}
		_, err := quantity.ParseAs(text, k)
		if err == nil || strings.Contains(err.Error(), "did you mean") != (near != "") || !strings.Contains(err.Error(), near) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// Every kind is found by its id, its example is plausible and reads as itself.
func TestKinds(t *testing.T) {
	seen := map[string]bool{}
	for _, k := range quantity.Kinds {
		if found, ok := quantity.ByID(k.ID()); !ok || found.Name != k.Name || seen[k.ID()] {
			t.Errorf("%s is not found by %q", k.Name, k.ID())
		}
		seen[k.ID()] = true
		v, err := quantity.ParseAs(k.Example, k)
		if err != nil || k.Check(v) != nil || k.CheckPossible(v) != nil {
			t.Errorf("%s: %q is %v, %v, %v", k.Name, k.Example, v, err, k.Check(v))
		}
	}
}

func TestImpossible(t *testing.T) {
	for _, c := range []struct {
		kind  quantity.Kind
		value float64
	}{{quantity.Temperature, -19700}, {quantity.Density, -1}, {quantity.PoissonRatio, 0.5}, {quantity.PoissonRatio, -1}, {quantity.Temperature, math.NaN()}} {
		if c.kind.CheckPossible(c.value) == nil {
			t.Errorf("%s of %v is taken", c.kind.Name, c.value)
		}
	}
	for _, c := range []struct {
		kind  quantity.Kind
		value float64
	}{{quantity.Temperature, 0}, {quantity.PoissonRatio, -0.3}, {quantity.YoungsModulus, 210}, {quantity.Force, -5}} {
		if err := c.kind.CheckPossible(c.value); err != nil {
			t.Errorf("%s of %v: %v", c.kind.Name, c.value, err)
		}
	}
}

func TestConvert(t *testing.T) {
	for _, c := range []struct {
		v        float64
		from, to string
		want     float64
	}{{100, "degC", "degF", 212}, {1, "in", "mm", 25.4}, {1, "psi", "kPa", 4.4482216152605 / 0.64516}, {0, "K", "degC", -273.15},
		// A pole of 1 krad/s is at 159.15 Hz, and a turn a second is 2 pi rad/s.
		{-1000, "rad/s", "Hz", -500 / math.Pi}, {-1, "krad/s", "Hz", -500 / math.Pi}, {1, "kHz", "rad/s", 2000 * math.Pi}, {60, "rpm", "rad/s", 2 * math.Pi},
		{120, "rpm", "Hz", 2}, {7, "rad/s", "1/s", 7}, {3, "krad/s", "rad/s", 3000}, {2, "Hz", "1/s", 2}} {
		if got, err := quantity.Convert(c.v, c.from, c.to); err != nil || math.Abs(got-c.want) > 1e-15*math.Abs(c.want) {
			t.Errorf("%v %s in %s: %v, %v", c.v, c.from, c.to, got, err)
		}
	}
	if v, err := quantity.Convert(1e308, "GPa", "Pa"); err == nil {
		t.Errorf("1e308 GPa became %v Pa", v)
	}
	for _, c := range []struct{ from, to, says string }{
		{"m", "s", "m is a length and s is a time"}, {"furlongs per hour", "m/s", `"furlongs per hour" is no unit`}, {"m", "parrots", `"parrots" is no unit`},
	} {
		_, err := quantity.Convert(1, c.from, c.to)
		var e *quantity.Error
		if !errors.As(err, &e) || !strings.Contains(e.Message, c.says) || e.Hint == "" || e.Expected == "" {
			t.Errorf("%s in %s: %+v", c.from, c.to, err)
		}
	}
}

// A prefix may stand apart from its unit; a unit that goes on after it is read whole.
func TestPrefixesOfNames(t *testing.T) {
	for text, want := range map[string]string{
		"kilohm": "1000 ohm", "kilo-ohm": "1000 ohm", "kiloohms": "1000 ohm", "4.7": "", "milliohm": "0.001 ohm", "megohm": "1000000 ohm", "Megohms": "1000000 ohm", "meg ohm": "1000000 ohm",
		"K Ohm": "1000 ohm", "k ohms": "1000 ohm", "M Ω": "1000000 ohm", "kilo newtons/m^2": "1000 Pa", "mega-pascals": "1000000 Pa", "newtons per square metre": "1 Pa", "kilo-newtons per square metre": "1000 Pa", "kg per cubic metre": "1 kg/m^3", "K of heat": "1 K", "k ohmic": "", "kilo of sugar": "",
	} {
		units, n := quantity.UnitAt(text + " at 20 V")
		number, unit, _ := strings.Cut(want, " ")
		if want == "" || want == "1 K" {
			if n > 1 {
				t.Errorf("%q is read as a unit: %v", text, units)
			}
			continue
		}
		v, err := quantity.Convert(1, text, unit)
		if err != nil || fmt.Sprint(v) != number && fmt.Sprintf("%.0f", v) != number || n != len(text) || len(units) == 0 {
			t.Errorf("%q: %v %v, %d of %d bytes", text, v, err, n, len(text))
		}
	}
}

// Each end of what a figure can be has a reason of its own.
func TestBeyondReachSaysWhy(t *testing.T) {
	for _, c := range []struct {
		v               float64
		unit, says, not string
	}{
		{-300, "K", "lowest temperature", "tungsten"}, {20_000, "K", "tungsten", "zero"}, {-300, "degC", "lowest temperature", "tungsten"},
		{-1, "kg/m^3", "no mass is negative", "osmium"}, {30_000, "kg/m^3", "osmium", "negative"}, {-3e10, "Pa", "no solid", ""},
	} {
		if why := quantity.BeyondReach(c.v, c.unit); !strings.Contains(why, c.says) || c.not != "" && strings.Contains(why, c.not) {
			t.Errorf("%v %s: %q", c.v, c.unit, why)
		}
	}
}

// A value beyond a limit is never written as the limit itself: one of two texts that
// are equal would say that a number is above itself. By hand: 20 001 MPa is 20.001 GPa.
func TestAValueBeyondALimitIsNotWrittenAsTheLimit(t *testing.T) {
	for _, c := range []struct {
		v          float64
		unit, says string
	}{
		{20_001, "MPa", "20.001 GPa is above 20 GPa: "}, {-20_001, "MPa", "-20.001 GPa is below -20 GPa: "}, {20_010, "MPa", "20.01 GPa is above 20 GPa: "},
		{23_000.4, "kg/m^3", "23000.4 kg/m³ is above 23000 kg/m³: "}, {10_000.01, "K", "10000.01 K (9726.86 °C) is above 10000 K (9727 °C): "},
	} {
		if got := quantity.BeyondReach(c.v, c.unit); !strings.HasPrefix(got, c.says) {
			t.Errorf("%v %s: %q, want %q", c.v, c.unit, got, c.says)
		}
	}
	for _, k := range quantity.Kinds {
		limits := []float64{k.Min, k.Max}
		if k.Signed {
			limits = append(limits, -k.Min, -k.Max)
		}
		for _, limit := range limits {
			for _, off := range []float64{1e-3, 1e-5, 1e-12} {
				for _, v := range []float64{limit * (1 + off), limit * (1 - off)} {
					if err := k.Check(v); err != nil && !math.IsInf(limit, 0) && limit != 0 && k.Format(v) == k.Format(limit) {
						t.Errorf("%s: %v is refused and written as the limit %v: %v", k.Name, v, limit, err)
					}
				}
			}
		}
	}
	// Within its limits a value keeps its four digits.
	if got := quantity.Pressure.Format(math.Nextafter(1e10, 0)); got != "10 GPa" {
		t.Errorf("just below 10 GPa: %q", got)
	}
}

// The example of a hint is one of the kind that is wanted, and not the value that the
// text would have: the sentence says so.
func TestHintsTellAnExampleFromAnAnswer(t *testing.T) {
	for text, c := range map[string]struct {
		kind quantity.Kind
		want string
	}{
		"3 kg":       {quantity.Length, "Write a length, such as 2 mm."},
		"1e999 degC": {quantity.Temperature, "Write a temperature, such as " + quantity.Temperature.Example + "."},
		"30 m":       {quantity.Angle, "Write an angle, such as 30 deg."},
	} {
		if _, err := quantity.ParseAs(text, c.kind); err == nil || hintOf(err) != c.want {
			t.Errorf("%q: %v, want the hint %q", text, err, c.want)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"1.5 kN", "5 W/(m²K)", "1,5", "3 ^", "9 m^99", "1e999 N", "1e308 GPa", "-9e307 km", "1e-320 nm", "2 per per", "10 °C/°C"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		_, _ = quantity.Parse(s)
		for _, k := range quantity.Kinds {
			if v, err := quantity.ParseAs(s, k); err == nil && (math.IsInf(v, 0) || math.IsNaN(v)) {
				t.Errorf("%q as %s is %v", s, k.Name, v)
			}
		}
		units, n := quantity.UnitAt(s)
		if n > len(s) || n > 0 && len(units) == 0 {
			t.Errorf("%q: %d bytes of a unit", s, n)
		}
	})
}

// Units that do not convert are called by what they are of, those of angles too, and
// those without a name of their own by the parts that they are written in.
func TestUnlikeUnitsAreNamed(t *testing.T) {
	for _, row := range [][3]string{
		{"W", "W/m", "W is a power and W/m is a power per length"},
		{"N/s", "W", "N/s is a force per time and W is a power"},
		{"V/m", "V", "V/m is a voltage per length and V is a voltage"},
		{"degC", "deg", "degC is a temperature and deg is an angle"},
		{"°C", "deg", "°C is a temperature and deg is an angle"},
		{"deg", "Hz", "deg is an angle and Hz is a frequency"},
		{"rad", "m", "rad is an angle and m is a length"},
		{"m^2", "m^3", "m^2 is an area and m^3 is a volume"},
		{"N*s", "N", "N*s is a quantity in kg·m/s and N is a force"},
	} {
		if _, err := quantity.Convert(1, row[0], row[1]); err == nil || !strings.HasPrefix(err.Error(), row[2]+" ") {
			t.Errorf("%s to %s: %v, want %q", row[0], row[1], err, row[2])
		}
	}
}

// By hand: a number stands for what rounds to it.
func TestHalfDigit(t *testing.T) {
	for number, half := range map[string]float64{"20": 0.5, "1500": 50, "1000": 50, "41200000": 5e4, "2": 0.5, "1.50": 0.005, "1.500e3": 0.5, "1e-3": 5e-4, "1e-08": 5e-9, "-9.9e-09": 5e-11, "4e+08": 5e7, "0": 0, "0.0": 0.05, "-100": 5} {
		if got := quantity.HalfDigit(number); math.Abs(got-half) > 1e-12*half {
			t.Errorf("%s stands for ± %v, want %v", number, got, half)
		}
	}
}
