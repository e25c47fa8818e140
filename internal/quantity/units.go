package quantity

import (
	"math/big"
	"strings"
)

// Dimensions of the derived quantities that have units of their own.
var (
	length      = Dimension{0: 1}
	mass        = Dimension{1: 1}
	duration    = Dimension{2: 1}
	current     = Dimension{3: 1}
	temperature = Dimension{4: 1}
	frequency   = Dimension{2: -1}
	force       = Dimension{0: 1, 1: 1, 2: -2}
	pressure    = Dimension{0: -1, 1: 1, 2: -2}
	energy      = Dimension{0: 2, 1: 1, 2: -2}
	powerDim    = Dimension{0: 2, 1: 1, 2: -3}
	charge      = Dimension{2: 1, 3: 1}
	voltage     = Dimension{0: 2, 1: 1, 2: -3, 3: -1}
	resistance  = Dimension{0: 2, 1: 1, 2: -3, 3: -2}
	capacitance = Dimension{0: -2, 1: -1, 2: 4, 3: 2}
	inductance  = Dimension{0: 2, 1: 1, 2: -2, 3: -2}
	fluxDensity = Dimension{1: 1, 2: -2, 3: -1}
	magFlux     = Dimension{0: 2, 1: 1, 2: -2, 3: -1}
	conductance = Dimension{0: -2, 1: -1, 2: 3, 3: 2}
	volume      = Dimension{0: 3}
	viscosity   = Dimension{0: -1, 1: 1, 2: -1}
	kinematic   = Dimension{0: 2, 2: -1}
)

// entry is a row of the table: its symbols and names, its factor to SI as a
// rational number, and whether it takes SI prefixes (symbols the short ones,
// names the long ones).
type entry struct {
	symbols string
	names   string
	factor  string
	dim     Dimension
	prefix  bool
	offset  string
}

// Factors: NIST SP 811 (2008), appendix B.8 and B.9, where not defined by the SI.
var table = []entry{
	{"m", "meter metre", "1", length, true, ""},
	{`in "`, "inch inche", "0.0254", length, false, ""},
	{"ft", "foot feet", "0.3048", length, false, ""},
	{"yd", "yard", "0.9144", length, false, ""},
	{"mi", "mile", "1609.344", length, false, ""},
	{"thou", "", "0.0000254", length, false, ""},
	{"", "micron", "0.000001", length, false, ""},
	{"g", "gram gramme", "0.001", mass, true, ""},
	{"t", "tonne", "1000", mass, false, ""},
	{"lb lbm lbs", "", "0.45359237", mass, false, ""},
	{"oz", "ounce", "0.028349523125", mass, false, ""},
	{"s sec secs", "second", "1", duration, true, ""},
	{"min mins", "minute", "60", duration, false, ""},
	{"h hr hrs", "hour", "3600", duration, false, ""},
	{"d", "day", "86400", duration, false, ""},
	{"A", "ampere amp", "1", current, true, ""},
	{"K", "kelvin", "1", temperature, true, ""},
	{"degC °C ℃", "celsius centigrade", "1", temperature, false, "273.15"},
	{"degF °F ℉", "fahrenheit", "5/9", temperature, false, "459.67"},
	{"degR °R", "rankine", "5/9", temperature, false, ""},
	{"mol", "mole", "1", Dimension{5: 1}, true, ""},
	{"cd", "candela", "1", Dimension{6: 1}, true, ""},
	{"Hz", "hertz", "1", frequency, true, ""},
	{"N", "newton", "1", force, true, ""},
	{"lbf", "", "4.4482216152605", force, false, ""},
	{"kip", "", "4448.2216152605", force, false, ""},
	{"kgf kp", "kilopond", "9.80665", force, false, ""},
	{"tf", "", "9806.65", force, false, ""},
	{"dyn", "dyne", "0.00001", force, false, ""},
	{"Pa", "pascal", "1", pressure, true, ""},
	{"bar", "", "100000", pressure, true, ""},
	{"bars", "", "100000", pressure, false, ""},
	{"atm", "atmosphere", "101325", pressure, false, ""},
	{"Torr torr", "", "101325/760", pressure, false, ""},
	{"mmHg", "", "133.322387415", pressure, false, ""},
	{"J", "joule", "1", energy, true, ""},
	{"Wh", "", "3600", energy, true, ""},
	{"cal", "calorie", "4.184", energy, true, ""},
	{"Btu BTU", "", "1055.05585262", energy, false, ""},
	{"W", "watt", "1", powerDim, true, ""},
	{"C", "coulomb", "1", charge, true, ""},
	{"V", "volt", "1", voltage, true, ""},
	{"Ω Ω Ohm ohm", "ohm", "1", resistance, true, ""},
	{"ohms Ohms", "", "1", resistance, true, ""},
	{"", "kilohm", "1000", resistance, false, ""},
	{"", "megohm", "1000000", resistance, false, ""},
	{"F", "farad", "1", capacitance, true, ""},
	{"H", "henry henrie", "1", inductance, true, ""},
	{"T", "tesla", "1", fluxDensity, true, ""},
	{"Wb", "weber", "1", magFlux, true, ""},
	{"S", "siemen siemens", "1", conductance, true, ""},
	{"L l", "liter litre", "0.001", volume, true, ""},
	{"P", "poise", "0.1", viscosity, true, ""},
	{"St", "stokes", "0.0001", kinematic, true, ""},
	{"rad", "radian", "1", One, true, ""},
	{"%", "percent", "0.01", One, false, ""},
	{"ppm", "", "0.000001", One, false, ""},
	{"rpm", "", "1/60", frequency, false, ""},
}

var prefixes = []struct{ symbol, name, factor string }{
	{"Y", "yotta", "1000000000000000000000000"}, {"Z", "zetta", "1000000000000000000000"},
	{"E", "exa", "1000000000000000000"}, {"P", "peta", "1000000000000000"},
	{"T", "tera", "1000000000000"}, {"G", "giga", "1000000000"}, {"M", "mega", "1000000"},
	{"k", "kilo", "1000"}, {"h", "hecto", "100"}, {"da", "deca", "10"},
	{"d", "deci", "1/10"}, {"c", "centi", "1/100"}, {"m", "milli", "1/1000"},
	{"u", "micro", "1/1000000"}, {"n", "nano", "1/1000000000"}, {"p", "pico", "1/1000000000000"},
	{"f", "femto", "1/1000000000000000"}, {"a", "atto", "1/1000000000000000000"},
}

// symbols maps every symbol and name, with prefixes, to its unit; folded maps
// lower-case spellings to the symbols that they may mean.
var symbols, folded = makeSymbols()

func rat(text string) *big.Rat {
	r, ok := new(big.Rat).SetString(text)
	if !ok {
		panic("quantity: bad factor " + text)
	}
	return r
}

func makeSymbols() (map[string]Unit, map[string][]string) {
	all, byFold := map[string]Unit{}, map[string][]string{}
	add := func(symbol string, u Unit) {
		if _, taken := all[symbol]; taken {
			return // a unit of its own wins over a prefixed one: min, ft, Pa
		}
		all[symbol] = u
		low := strings.ToLower(symbol)
		byFold[low] = append(byFold[low], symbol)
	}
	for _, e := range table {
		u := e.unit()
		for _, s := range strings.Fields(e.symbols) {
			add(s, u)
		}
		for _, n := range strings.Fields(e.names) {
			add(n, u)
			add(n+"s", u)
		}
	}
	psi := Unit{Dim: pressure, factor: new(big.Rat).Quo(rat("4.4482216152605"), rat("0.00064516"))}
	add("psi", psi)
	add("ksi", Unit{Dim: pressure, factor: new(big.Rat).Mul(psi.factor, rat("1000"))})
	for _, e := range table {
		if e.prefix {
			addPrefixed(e, add)
		}
	}
	return all, byFold
}

// unit is that of the row, without a prefix.
func (e entry) unit() Unit {
	u := Unit{Dim: e.dim, factor: rat(e.factor)}
	if e.offset != "" {
		u.offset = rat(e.offset)
	}
	switch e.symbols {
	case "rad":
		u.angles = 1
	case "Hz", "rpm":
		u.cycles = 1
	}
	return u
}

func addPrefixed(e entry, add func(string, Unit)) {
	for _, p := range prefixes {
		u := e.unit()
		u.factor.Mul(u.factor, rat(p.factor))
		for _, s := range strings.Fields(e.symbols) {
			add(p.symbol+s, u)
		}
		for _, n := range strings.Fields(e.names) {
			add(p.name+n, u)
			add(p.name+n+"s", u)
		}
	}
}
