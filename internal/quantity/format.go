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
// kelvin and degrees Celsius. A value beyond a limit of its kind that would be rounded
// to that limit has as many more digits as tell the two apart.
func (k Kind) Format(si float64) string {
	limit, near := k.passed(si)
	text := k.format(si, digits)
	for n := digits + 1; near && n <= exactDigits && mantissa(text) == mantissa(k.format(limit, digits)); n++ {
		text = k.format(si, n)
	}
	return text
}

// mantissa is the number that a text begins with.
func mantissa(text string) string {
	number, _, _ := strings.Cut(text, " ")
	return number
}

// exactDigits tell any two numbers apart.
const exactDigits = 17

// passed finds a limit of the kind that a value lies beyond, so near that both may be
// rounded to the same text: of its band, of physics, or of what is in reach.
func (k Kind) passed(si float64) (limit float64, near bool) {
	size, sign := si, 1.0
	if k.Signed && si < 0 { // the band holds the magnitude
		size, sign = -si, -1
	}
	if limit, near = beyond(size, k.Min, k.Max); near {
		return sign * limit, true
	}
	ranges := [][2]float64{{k.Bare, math.Inf(1)}, k.Possible}
	for _, r := range reaches {
		if r.kind.Dim == k.Dim {
			ranges = append(ranges, [2]float64{r.least, r.most})
		}
	}
	for _, r := range ranges {
		if limit, near = beyond(si, r[0], r[1]); near {
			return limit, true
		}
	}
	return 0, false
}

// beyond is the end of a range that a value lies outside of, but nearly at.
func beyond(v, least, most float64) (end float64, near bool) {
	switch {
	case v < least && least-v <= 1e-3*math.Abs(least):
		return least, true
	case v > most && v-most <= 1e-3*math.Abs(most):
		return most, true
	}
	return 0, false
}

func (k Kind) format(si float64, digits int) string {
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
		return rounded(si, digits)
	}
	return rounded(inUnit(si, best), digits) + " " + pretty(best)
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

// Significant rounds to 12 digits, so that a conversion does not show its last bits.
func Significant(v float64) float64 {
	out, err := strconv.ParseFloat(strconv.FormatFloat(v, 'g', 12, 64), 64)
	if err != nil {
		return v
	}
	return out
}
