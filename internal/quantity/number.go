package quantity

import (
	"math"
	"math/big"
	"regexp"
	"strconv"
	"strings"
)

// Spelling of numbers: digits with a point, groups of three by commas, thin
// spaces or apostrophes, an exponent as e6 or ×10^6.
const (
	plain    = `\d+(?:\.\d+)?|\.\d+`
	grouped  = `\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d{1,3}(?:[\x{202f}\x{2009}\x{a0}']\d{3})+(?:\.\d+)?|\d{1,3}(?: \d{3})+(?:\.\d+)?`
	tenPower = `(?:[eE][+-]?\d+|\s?[×x*·⋅]\s?10(?:\^|\*\*)\(?[+-]?\d+\)?|\s?[×x*·⋅]\s?10[⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+)?`
)

var (
	numberPattern  = regexp.MustCompile(`^[+-]?(?:` + grouped + `|` + plain + `)` + tenPower)
	commaPattern   = regexp.MustCompile(`^[+-]?\d+(?:[.,]\d+)*,\d+`)
	pointsPattern  = regexp.MustCompile(`^[+-]?\d+(?:\.\d+){2,}`)
	powerPattern   = regexp.MustCompile(`\s?[×x*·⋅]\s?10(?:(?:\^|\*\*)\(?([+-]?\d+)\)?|([⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+))$`)
	groupedPattern = regexp.MustCompile(`^[+-]?(?:` + grouped + `)` + tenPower + `$`)
)

// NumberAt reads the number that text begins with and how many bytes it takes;
// 0 without one. "1,000" is a thousand; "1,5" and "1.000,5" could be meant in
// two ways and are refused with an error that says how to write them.
func NumberAt(text string) (*big.Rat, int, error) {
	short := text
	if strings.HasPrefix(text, "−") {
		short = "-" + strings.TrimPrefix(text, "−")
	}
	skipped := len(text) - len(short)
	comma := commaPattern.FindString(short)
	found := numberPattern.FindString(short)
	points := pointsPattern.FindString(short)
	switch {
	case points != "":
		return nil, len(points) + skipped, ambiguous(points)
	case comma != "" && !groupedPattern.MatchString(found[:min(len(found), max(len(comma), len(found)))]):
		return nil, len(comma) + skipped, ambiguous(comma)
	case comma != "" && len(comma) > len(found):
		return nil, len(comma) + skipped, ambiguous(comma)
	case found == "":
		return nil, 0, nil
	}
	if tooLarge(found) {
		return nil, len(found) + skipped, fault("the exponent of %q is too large", found).WithHint("Numbers are between 1e-323 and 1.8e308 in size; write the exponent with at most three digits.")
	}
	r, ok := value(found)
	if !ok {
		return nil, len(found) + skipped, fault("%q is not a number", found)
	}
	return r, len(found) + skipped, nil
}

// tooLarge says that the exponent has more than three digits, which no number of a
// computer has.
func tooLarge(text string) bool {
	digits := ""
	if m := powerPattern.FindStringSubmatch(text); m != nil {
		digits = plainDigits(m[1] + m[2])
	} else if _, after, found := strings.Cut(strings.ToLower(text), "e"); found {
		digits = after
	}
	return len(strings.TrimLeft(digits, "+-0")) > 3
}

func value(text string) (*big.Rat, bool) {
	exp := "0"
	if m := powerPattern.FindStringSubmatch(text); m != nil {
		exp = plainDigits(m[1] + m[2])
		text = strings.TrimSuffix(text, m[0])
	}
	for _, group := range []string{",", "\u202f", "\u2009", "\u00a0", "'", " "} {
		text = strings.ReplaceAll(text, group, "")
	}
	text = strings.TrimPrefix(text, "+")
	if exp != "0" {
		text += "e" + exp
	}
	return new(big.Rat).SetString(text)
}

func plainDigits(s string) string {
	return strings.TrimPrefix(strings.Map(func(r rune) rune {
		if d, ok := superscripts[r]; ok {
			return d
		}
		return r
	}, s), "+")
}

// ambiguous refuses a comma that is no group of three digits: 1,5 is 1.5 to one
// reader, a list or a slip to another. A wrong load is worse than a question.
func ambiguous(text string) error {
	return fault("%q can be read in two ways", text).
		WithHint("Write the decimals behind a point (1.5) and thousands without a separator or with commas (1,500).")
}

// HalfDigit is half a unit of the last digit of a number as it is written, in plain
// digits with a point and an exponent: 1.9 stands for 1.85 to 1.95. Zeros at the end
// of a whole number may be digits or may only hold the place; two digits count then:
// 20 stands for 19.5 to 20.5, and 1500 for 1450 to 1550. A bare 0 has no digit that
// could be rounded.
func HalfDigit(text string) float64 {
	mantissa, exponent, scientific := strings.Cut(strings.ToLower(text), "e")
	power := 0
	if scientific {
		power, _ = strconv.Atoi(exponent) // a JSON number's, which may begin with 0
	}
	if dot := strings.IndexByte(mantissa, '.'); dot >= 0 {
		return 0.5 * math.Pow(10, float64(power-(len(mantissa)-dot-1)))
	}
	digits := strings.TrimLeft(mantissa, "-+0")
	if digits == "" {
		return 0
	}
	counted := max(len(strings.TrimRight(digits, "0")), min(2, len(digits)))
	return 0.5 * math.Pow(10, float64(power+len(digits)-counted))
}
