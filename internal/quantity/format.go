package quantity

import (
	"math"
	"strconv"
	"strings"
)

// digits that a figure in a sentence is given with: more than engineering data
// are good for, few enough to read.
const digits = 4

// Format writes an SI value in the unit of the kind that gives 1 to 1000, with
// four significant digits: 2.4183e8 Pa is "241.8 MPa". Temperatures are given in
// kelvin and degrees Celsius.
func (k Kind) Format(si float64) string {
	if k.Dim == temperature && !k.Difference && !math.IsInf(si, 0) {
		return rounded(si, digits+1) + " K (" + rounded(math.Round((si-273.15)*1e9)/1e9, digits) + " °C)"
	}
	best := k.Units[0]
	for _, symbol := range k.Units {
		if math.Abs(inUnit(si, symbol)) < 0.9995 && si != 0 {
			break
		}
		best = symbol
	}
	if si == 0 {
		best = k.SI
	}
	if best == "" || best == "1" {
		return Number(si)
	}
	return Number(inUnit(si, best)) + " " + pretty(best)
}

func inUnit(si float64, symbol string) float64 {
	if symbol == "" {
		return si
	}
	units, ok := ParseUnit(symbol)
	if !ok {
		return si
	}
	return units[0].From(si, true)
}

// Number writes a number with four significant digits, without an exponent
// between 0.001 and 1e6.
func Number(v float64) string {
	return rounded(v, digits)
}

func rounded(v float64, digits int) string {
	if v == 0 {
		return "0"
	}
	short := strconv.FormatFloat(v, 'g', digits, 64)
	value, err := strconv.ParseFloat(short, 64)
	if err != nil || math.IsInf(v, 0) {
		return short
	}
	if a := math.Abs(value); a >= 1e-3 && a < 1e6 {
		return strconv.FormatFloat(value, 'f', -1, 64)
	}
	mantissa, exp, _ := strings.Cut(strconv.FormatFloat(value, 'e', -1, 64), "e")
	n, _ := strconv.Atoi(exp) // written by FormatFloat
	return mantissa + "e" + strconv.Itoa(n)
}

var prettier = strings.NewReplacer("um", "µm", "uPa", "µPa", "us", "µs", "uF", "µF", "uH", "µH", "uV", "µV", "uA", "µA",
	"ohm", "Ω", "*", "·", "^2", "²", "^3", "³")

func pretty(unit string) string { return prettier.Replace(unit) }
