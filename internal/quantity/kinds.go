package quantity

import (
	"fmt"
	"math"
	"math/big"
	"slices"
	"strings"
)

// Kind is what a quantity is meant to be: its dimension, how to write it, and
// the band outside which it is refused as implausible.
type Kind struct {
	Name       string // "Young's modulus"
	Dim        Dimension
	SI         string     // the SI unit as written: "W/(m^2*K)"
	Example    string     // "210 GPa"
	Units      []string   // units to show it in, ascending
	Min, Max   float64    // plausible magnitudes in SI units
	Source     string     // where the band comes from
	Signed     bool       // the band holds the magnitude; the sign is free, and so is 0
	Zero       bool       // 0 is as good as any other value: when a clock starts
	Difference bool       // a temperature difference: the zero points do not count
	Possible   [2]float64 // what physics allows, both ends excluded, where it is not 0 to infinity
	// Bare is the magnitude in SI units below which a number without a unit is more
	// likely in another one, and why; 0 takes every number at its word.
	Bare    float64
	BareFor string
	// Scaled is the largest number of problems that are scaled to a range, where nothing
	// has a unit: textbooks give temperatures from 0 to 1. 0 for none.
	Scaled float64
}

// The kinds that the tools and the planner know.
var (
	Length = Kind{Name: "length", Dim: length, SI: "m", Example: "2 mm", Units: []string{"um", "mm", "m", "km"},
		Min: 1e-9, Max: 1e5, Signed: true, Source: "a nanometre to a hundred kilometres: continuum parts"}
	Displacement = Kind{Name: "displacement", Dim: length, SI: "m", Example: "0.1 mm", Units: []string{"um", "mm", "m"},
		Min: 0, Max: math.Inf(1), Signed: true}
	ElementSize = Kind{Name: "element size", Dim: length, SI: "m", Example: "2 mm", Units: []string{"um", "mm", "m"},
		Min: 1e-7, Max: 1e3, Source: "continuum elements of parts of up to kilometres"}
	Force = Kind{Name: "force", Dim: force, SI: "N", Example: "500 N", Units: []string{"mN", "N", "kN", "MN"},
		Min: 1e-9, Max: 1e9, Signed: true, Source: "largest forging presses: 8e8 N (800 MN, CNEIC 2013)"}
	Pressure = Kind{Name: "pressure", Dim: pressure, SI: "Pa", Example: "2 MPa", Units: []string{"Pa", "kPa", "MPa", "GPa"},
		Min: 1e-3, Max: 1e10, Signed: true, Source: "up to diamond synthesis, about 6 GPa (Bundy 1980, J. Geophys. Res. 85)"}
	Traction = Kind{Name: "traction", Dim: pressure, SI: "Pa", Example: "2 MPa", Units: []string{"Pa", "kPa", "MPa", "GPa"},
		Min: 0, Max: 1e10, Signed: true, Source: "as Pressure"}
	Stress = Kind{Name: "stress", Dim: pressure, SI: "Pa", Example: "235 MPa", Units: []string{"Pa", "kPa", "MPa", "GPa"},
		Min: 1e3, Max: 2e10, Source: "foams to whiskers (Ashby, Materials Selection in Mechanical Design, 4th ed., fig. 4.4)"}
	YoungsModulus = Kind{Name: "Young's modulus", Dim: pressure, SI: "Pa", Example: "210 GPa", Units: []string{"Pa", "kPa", "MPa", "GPa"},
		Min: 1e4, Max: 1.3e12, Source: "soft foams and gels to diamond, 1.05 to 1.2 TPa (Ashby, fig. 4.3)",
		Bare: 1e6, BareFor: "rubber has 1 MPa or more (Ashby, fig. 4.3), and the numbers of stiffer solids in MPa are below that"}
	PoissonRatio = Kind{Name: "Poisson's ratio", Dim: One, SI: "1", Example: "0.3", Units: []string{""},
		Min: 0, Max: 0.4999, Possible: [2]float64{-1, 0.5}, Source: "isotropic solids in use; the thermodynamic bounds are -1 and 0.5"}
	DampingRatio = Kind{Name: "damping ratio", Dim: One, SI: "1", Example: "2 %", Units: []string{""}, Min: 0, Max: 1,
		Possible: [2]float64{math.Inf(-1), math.Inf(1)}, Signed: true, Source: "none to critical damping; loss factors of damping layers reach 1"}
	Density = Kind{Name: "density", Dim: Dimension{0: -3, 1: 1}, SI: "kg/m^3", Example: "7850 kg/m^3", Units: []string{"kg/m^3"},
		Min: 0.05, Max: 23000, Source: "hydrogen 0.08 to osmium 22590 kg/m^3 (CRC Handbook, 97th ed.)"}
	Temperature = Kind{Name: "temperature", Dim: temperature, SI: "K", Example: "80 degC", Units: []string{"K"},
		Min: 0, Max: 6000, Source: "absolute zero to the boiling points of refractory metals, about 6000 K",
		Bare: 77, BareFor: "nitrogen boils at 77 K (CRC Handbook, 97th ed.) and only hydrogen, neon and helium cool below, while 20 or 60 are usual in degC", Scaled: 1}
	TemperatureDifference = Kind{Name: "temperature difference", Dim: temperature, SI: "K", Example: "10 K", Units: []string{"K"},
		Min: 1e-6, Max: 6000, Signed: true, Difference: true, Source: "as Temperature"}
	TemperatureGradient = Kind{Name: "temperature gradient", Dim: Dimension{0: -1, 4: 1}, SI: "K/m", Example: "2000 K/m", Units: []string{"K/m"},
		Min: 1e-6, Max: 1e10, Signed: true, Source: "as Temperature over Length of thin films"}
	Conductivity = Kind{Name: "thermal conductivity", Dim: Dimension{0: 1, 1: 1, 2: -3, 4: -1}, SI: "W/(m*K)", Example: "16 W/(m*K)", Units: []string{"W/(m*K)"},
		Min: 0.003, Max: 5000, Source: "vacuum panels 0.004 to diamond 3320 W/(m K) (CRC Handbook, 97th ed.)"}
	SpecificHeat = Kind{Name: "specific heat", Dim: Dimension{0: 2, 2: -2, 4: -1}, SI: "J/(kg*K)", Example: "500 J/(kg*K)", Units: []string{"J/(kg*K)"},
		Min: 100, Max: 15000, Source: "uranium 116 to hydrogen 14304 J/(kg K) (CRC Handbook, 97th ed.)"}
	HeatCapacity = Kind{Name: "heat capacity per volume", Dim: Dimension{0: -1, 1: 1, 2: -2, 4: -1}, SI: "J/(m^3*K)", Example: "3.9e6 J/(m^3*K)", Units: []string{"J/(m^3*K)"},
		Min: 5, Max: 3e8, Source: "as SpecificHeat times Density",
		Bare: 5e3, BareFor: "water has 4186 J/(kg K) (CRC Handbook, 97th ed.) and nearly all else less, while the lightest foams have 1e4 J/(m^3 K): it is probably per mass, and the density is missing"}
	LatentHeat = Kind{Name: "latent heat", Dim: Dimension{0: 2, 2: -2}, SI: "J/kg", Example: "334 kJ/kg", Units: []string{"J/kg", "kJ/kg", "MJ/kg"},
		Min: 1e3, Max: 1e7, Source: "of fusion: mercury 1.1e4 to boron 4.6e6 J/kg (CRC Handbook, 97th ed.)"}
	Expansion = Kind{Name: "coefficient of thermal expansion", Dim: Dimension{4: -1}, SI: "1/K", Example: "12e-6 1/K", Units: []string{"1/K"},
		Min: 1e-9, Max: 1e-3, Signed: true, Source: "Invar to rubbers (Ashby, fig. 4.12)"}
	Viscosity = Kind{Name: "dynamic viscosity", Dim: viscosity, SI: "Pa*s", Example: "1 mPa*s", Units: []string{"uPa*s", "mPa*s", "Pa*s"},
		Min: 1e-6, Max: 1e9, Source: "hydrogen 8.9e-6 to pitch 2.3e8 Pa s (CRC Handbook; Edgeworth 1984)"}
	KinematicViscosity = Kind{Name: "kinematic viscosity", Dim: kinematic, SI: "m^2/s", Example: "1e-6 m^2/s", Units: []string{"m^2/s"},
		Min: 1e-9, Max: 1e6, Source: "as Viscosity over Density"}
	FilmCoefficient = Kind{Name: "heat transfer coefficient", Dim: Dimension{1: 1, 2: -3, 4: -1}, SI: "W/(m^2*K)", Example: "10 W/(m^2*K)", Units: []string{"W/(m^2*K)"},
		Min: 0.1, Max: 1e6, Source: "free gas 2 to boiling 1e5 W/(m^2 K) (Incropera, 7th ed., table 1.1)"}
	HeatFlux = Kind{Name: "heat flux", Dim: Dimension{1: 1, 2: -3}, SI: "W/m^2", Example: "5 kW/m^2", Units: []string{"W/m^2", "kW/m^2", "MW/m^2"},
		Min: 1e-3, Max: 1e11, Signed: true, Source: "up to focused lasers"}
	HeatSource = Kind{Name: "heat source", Dim: Dimension{0: -1, 1: 1, 2: -3}, SI: "W/m^3", Example: "1 MW/m^3", Units: []string{"W/m^3", "kW/m^3", "MW/m^3"},
		Min: 1e-6, Max: 1e13, Signed: true, Source: "decay heat of rock to fuses"}
	ForceDensity = Kind{Name: "force per volume", Dim: Dimension{0: -2, 1: 1, 2: -2}, SI: "N/m^3", Example: "77 kN/m^3", Units: []string{"N/m^3", "kN/m^3"},
		Min: 1e-9, Max: 1e12, Signed: true, Source: "as Density times Acceleration"}
	FoundationStiffness = Kind{Name: "foundation stiffness", Dim: Dimension{0: -2, 1: 1, 2: -2}, SI: "N/m^3", Example: "50 MN/m^3", Units: []string{"N/m^3", "kN/m^3", "MN/m^3", "GN/m^3"},
		Min: 1, Max: 1e16, Source: "isolators of 0.1 Hz to thin layers of glue; soils have 5e6 to 1.3e8 N/m^3 (Bowles, Foundation Analysis and Design, table 9-1)", Signed: true}
	Power = Kind{Name: "power", Dim: powerDim, SI: "W", Example: "15 W", Units: []string{"mW", "W", "kW", "MW"},
		Min: 1e-9, Max: 1e10, Signed: true, Source: "up to the largest power stations"}
	Velocity = Kind{Name: "velocity", Dim: Dimension{0: 1, 2: -1}, SI: "m/s", Example: "0.2 m/s", Units: []string{"um/s", "mm/s", "m/s"},
		Min: 1e-9, Max: 3e3, Signed: true, Source: "creeping to hypersonic flow"}
	FlowRate = Kind{Name: "volume flow rate", Dim: Dimension{0: 3, 2: -1}, SI: "m^3/s", Example: "2 L/min", Units: []string{"m^3/s"},
		Min: 1e-15, Max: 1e6, Signed: true, Source: "microchannels to rivers (Amazon 2e5 m^3/s)"}
	SolidDensity = Kind{Name: "density of a solid", Dim: Dimension{0: -3, 1: 1}, SI: "kg/m^3", Example: "7850 kg/m^3", Units: []string{"kg/m^3"},
		Min: 10, Max: 23000, Source: "lightest foams in use to osmium (Ashby, fig. 4.3)"}
	Gravity = Kind{Name: "gravity", Dim: Dimension{0: 1, 2: -2}, SI: "m/s^2", Example: "9.81 m/s^2", Units: []string{"mm/s^2", "m/s^2"},
		Min: 1e-9, Max: 5000, Signed: true, Source: "microgravity to shocks of 500 g on a whole part"}
	Acceleration = Kind{Name: "acceleration", Dim: Dimension{0: 1, 2: -2}, SI: "m/s^2", Example: "9.81 m/s^2", Units: []string{"m/s^2"},
		Min: 1e-9, Max: 1e7, Signed: true, Source: "microgravity to ultracentrifuges (1e6 g)"}
	Time = Kind{Name: "time", Dim: duration, SI: "s", Example: "60 s", Units: []string{"ns", "us", "ms", "s"},
		Min: 1e-15, Max: 1e11, Source: "up to three thousand years", Zero: true}
	Angle = Kind{Name: "angle", Dim: One, SI: "rad", Example: "30 deg", Units: []string{"deg"},
		Min: 0, Max: math.Inf(1), Signed: true}
	Mass = Kind{Name: "mass", Dim: mass, SI: "kg", Example: "50 kg", Units: []string{"g", "kg"},
		Min: 1e-12, Max: 1e8, Source: "as Force over standard gravity"}
	Energy = Kind{Name: "energy or a moment", Dim: energy, SI: "N*m", Example: "10 N*m", Units: []string{"N*m"},
		Min: 0, Max: math.Inf(1), Signed: true}
	LineLoad = Kind{Name: "force per length", Dim: Dimension{1: 1, 2: -2}, SI: "N/m", Example: "500 N/m", Units: []string{"N/m", "kN/m"},
		Min: 0, Max: math.Inf(1), Signed: true}
	Resistance  = Kind{Name: "resistance", Dim: resistance, SI: "ohm", Example: "1 kohm", Units: []string{"ohm", "kohm", "Mohm"}, Min: 1e-9, Max: 1e18, Source: "superconducting joints to insulators"}
	Capacitance = Kind{Name: "capacitance", Dim: capacitance, SI: "F", Example: "1 uF", Units: []string{"pF", "nF", "uF", "mF", "F"}, Min: 1e-18, Max: 1e5, Source: "gates to supercapacitor banks"}
	Inductance  = Kind{Name: "inductance", Dim: inductance, SI: "H", Example: "10 mH", Units: []string{"nH", "uH", "mH", "H"}, Min: 1e-15, Max: 1e4, Source: "bond wires to magnets"}
	Voltage     = Kind{Name: "voltage", Dim: voltage, SI: "V", Example: "5 V", Units: []string{"uV", "mV", "V", "kV"}, Min: 1e-12, Max: 1e9, Signed: true, Source: "thermal noise to lightning"}
	Current     = Kind{Name: "current", Dim: current, SI: "A", Example: "10 mA", Units: []string{"uA", "mA", "A", "kA"}, Min: 1e-18, Max: 1e9, Signed: true, Source: "single electrons to pulsed power"}
	Frequency   = Kind{Name: "frequency", Dim: frequency, SI: "Hz", Example: "1 kHz", Units: []string{"mHz", "Hz", "kHz", "MHz", "GHz"}, Min: 1e-9, Max: 1e16, Source: "tides to light"}
)

// Kinds lists all of them; the first of a dimension names it in messages.
var Kinds = []Kind{Length, Force, Pressure, Density, Temperature, Conductivity, SpecificHeat, Expansion, Viscosity,
	KinematicViscosity, FilmCoefficient, HeatFlux, HeatSource, Power, Velocity, FlowRate, Acceleration, Time, Mass,
	Energy, LineLoad, Resistance, Capacitance, Inductance, Voltage, Current, Frequency,
	HeatCapacity, ForceDensity, FoundationStiffness, DampingRatio, LatentHeat, Angle, SolidDensity, Gravity, Displacement, Traction,
	ElementSize, Stress, YoungsModulus, PoissonRatio, TemperatureDifference, TemperatureGradient}

// ID is the name as contracts write it: youngs_modulus.
func (k Kind) ID() string {
	return strings.ReplaceAll(strings.ReplaceAll(strings.ToLower(k.Name), "'", ""), " ", "_")
}

// ByID finds a kind.
func ByID(id string) (Kind, bool) {
	for _, k := range Kinds {
		if k.ID() == id {
			return k, true
		}
	}
	return Kind{}, false
}

// IDs lists the kinds by the names that contracts use, sorted.
func IDs() []string {
	ids := make([]string, len(Kinds))
	for i, k := range Kinds {
		ids[i] = k.ID()
	}
	slices.Sort(ids)
	return ids
}

// Check refuses a value that is not finite, or implausible for its kind: a
// Young's modulus of 210 Pa. Where a lost prefix would explain it the hint says so.
func (k Kind) Check(si float64) error {
	size := si
	if k.Signed {
		size = math.Abs(si)
	}
	if size >= k.Min && size <= k.Max || (k.Signed || k.Zero) && si == 0 {
		return nil
	}
	e := fault("%s of %s is implausible", k.article(), k.Format(si))
	e.Expected = k.Format(k.Min) + " to " + k.Format(k.Max)
	e.Actual = k.Format(si)
	if better, found := k.prefixed(si); found {
		return e.WithHint("Did you mean %s? Write the unit, as in %s.", better, k.Example)
	}
	return e.WithHint("Plausible is %s (%s). Write it as in %s.", e.Expected, k.Source, k.Example)
}

// CheckBare refuses a number that was given without a unit and is too small to be
// believed so: 20 as a temperature is hardly 20 K.
func (k Kind) CheckBare(si float64) error {
	if math.Abs(si) >= k.Bare {
		return nil
	}
	e := fault("%s of %s, given as a number without a unit, is implausible", k.article(), k.Format(si))
	e.Expected, e.Actual = k.Format(k.Bare)+" and more", k.Format(si)
	guess := ""
	if better, found := k.prefixed(si); found {
		guess = "Did you mean " + better + "? "
	} else if k.Dim == temperature {
		guess = fmt.Sprintf("Did you mean %s degC? ", Number(si))
	}
	return e.WithHint("%sNumbers are in %s, and %s. Write the unit where it is meant, as in %s.", guess, k.SI, k.BareFor, k.Example)
}

// CheckPossible refuses what physics does not allow: a temperature below
// absolute zero, a negative density.
func (k Kind) CheckPossible(si float64) error {
	if k.Signed {
		return nil
	}
	ok, expected := si >= 0, "at least "+k.Format(0)
	if k.Possible[1] != 0 {
		ok = si > k.Possible[0] && si < k.Possible[1]
		expected = "between " + k.Format(k.Possible[0]) + " and " + k.Format(k.Possible[1])
	}
	if ok {
		return nil
	}
	e := fault("%s of %s is impossible", k.article(), k.Format(si))
	e.Expected, e.Actual = expected, k.Format(si)
	return e.WithHint("It must be %s. A number without a unit is in %s; write the unit, as in %s.", expected, k.SI, k.Example)
}

// prefixed looks for the same digits with another prefix inside the band.
func (k Kind) prefixed(si float64) (string, bool) {
	if k.Dim == temperature || si == 0 {
		return "", false
	}
	for _, factor := range []float64{1e9, 1e6, 1e3, 1e-3, 1e-6} {
		if v := si * factor; v >= k.Min*10 && v <= k.Max/2 && mantissa(k.format(v, digits)) == mantissa(k.format(si, digits)) {
			return k.Format(v), true
		}
	}
	return "", false
}

func (k Kind) expected() string {
	if k.Name == "" {
		return ""
	}
	return k.article() + ", such as " + k.Example
}

func (k Kind) article() string {
	switch {
	case strings.ContainsRune("aeiou", rune(k.Name[0])):
		return "an " + k.Name
	}
	return "a " + k.Name
}

// Angles have units of their own, as "deg" and "°" without C, F or K are no unit
// in a sentence. A turn has 360 of them; pi is given to more digits than a double has.
var angles = map[string]Unit{}

func init() {
	turn := rat("6.28318530717958647692528676655900576839")
	for names, parts := range map[string]string{"deg ° degree degrees": "360", "rad radian radians": "", "mrad": "", "turn turns": "1"} {
		u := one()
		switch {
		case parts != "":
			u.factor = new(big.Rat).Quo(turn, rat(parts))
		case names == "mrad":
			u.factor = rat("1/1000")
		}
		for _, n := range strings.Fields(names) {
			angles[n] = u
		}
	}
}

// own is a unit that only this kind has. An angle has no others.
func (k Kind) own(symbol string) (Unit, bool) {
	if !k.isAngle() {
		return Unit{}, false
	}
	u, ok := angles[symbol]
	return u, ok
}

func (k Kind) isAngle() bool { return k.SI == "rad" }

// unit is a unit of this kind by its symbol.
func (k Kind) unit(symbol string) (Unit, bool) {
	if u, ok := k.own(symbol); ok {
		return u, true
	}
	if symbol == "1" && k.Dim == One {
		return one(), true
	}
	units, ok := ParseUnit(symbol)
	if !ok {
		return Unit{}, false
	}
	return Fitting(units, k)
}

// InSI turns a number in a unit of this kind into SI units; one in another unit
// stays as it is.
func (k Kind) InSI(v float64, unit string) float64 {
	u, ok := k.unit(unit)
	x := new(big.Rat).SetFloat64(v)
	if !ok || x == nil || unit == k.SI {
		return v
	}
	return u.SI(x, k.Difference)
}
