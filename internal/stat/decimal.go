package stat

import (
	"errors"
	"math"
	"math/big"
	"math/bits"
	"strconv"
	"strings"
)

// maxExactTen is the largest power of ten that is a float64.
const maxExactTen = 22

var tens = func() (t [maxExactTen + 1]float64) {
	t[0] = 1
	for i := 1; i <= maxExactTen; i++ {
		t[i] = t[i-1] * 10
	}
	return t
}()

// FromInt returns a whole number exactly.
func FromInt(m int64) DD {
	hi := float64(m)
	if hi == 1<<63 { // rounded up to what no int64 holds
		return DD{hi, float64(m-math.MaxInt64) - 1}
	}
	return DD{hi, float64(m - int64(hi))}
}

// FromDecimal returns mantissa / 10^places, for places of 0 to 22.
func FromDecimal(mantissa int64, places int) DD {
	d := FromInt(mantissa)
	if places == 0 || mantissa == 0 {
		return d
	}
	if d.Lo == 0 { // the remainder of one division is exact, so a second ends it
		t := tens[places]
		q := d.Hi / t
		return quickTwoSum(q, math.FMA(-q, t, d.Hi)/t)
	}
	return d.Div(F(tens[places]))
}

// ParseDecimal reads a decimal number as mantissa / 10^places, exactly. ok is
// false when the text is no number, or one that needs more than an int64 and 22
// places. Trailing zeros are kept: 2.50 is 250 / 10^2.
func ParseDecimal(text []byte) (mantissa int64, places int, ok bool) {
	i, negative := 0, false
	if len(text) > 0 && (text[0] == '-' || text[0] == '+') {
		negative, i = text[0] == '-', 1
	}
	var m uint64
	digits, point := 0, false
	for ; i < len(text); i++ {
		c := text[i]
		switch {
		case c >= '0' && c <= '9':
			hi, lo := bits.Mul64(m, 10)
			sum, carry := bits.Add64(lo, uint64(c-'0'), 0)
			if hi != 0 || carry != 0 || sum > math.MaxInt64 {
				return 0, 0, false
			}
			m = sum
			digits++
			if point {
				places++
			}
		case c == '.' && !point:
			point = true
		case (c == 'e' || c == 'E') && digits > 0:
			e, err := strconv.Atoi(string(text[i+1:]))
			if err != nil || e > 40 || e < -40 {
				return 0, 0, false
			}
			places -= e
			i = len(text)
		default:
			return 0, 0, false
		}
	}
	if digits == 0 || places > maxExactTen {
		return 0, 0, false
	}
	for ; places < 0; places++ {
		hi, lo := bits.Mul64(m, 10)
		if hi != 0 || lo > math.MaxInt64 {
			return 0, 0, false
		}
		m = lo
	}
	mantissa = int64(m)
	if negative {
		mantissa = -mantissa
	}
	return mantissa, places, true
}

// IsNumber says that Parse reads a text.
func IsNumber(text string) bool {
	_, err := Parse(text)
	return err == nil
}

// Parse reads a decimal number to double-double accuracy, as Plain writes it.
// Infinities are read; what is too large for float64 becomes one, and what is not 0
// but nearer to it than any float64 becomes NaN. The text NaN and hexadecimal are no
// numbers.
func Parse(text string) (DD, error) {
	text = string(Plain([]byte(text)))
	if m, places, ok := ParseDecimal([]byte(text)); ok {
		return FromDecimal(m, places), nil
	}
	hi, err := strconv.ParseFloat(text, 64)
	if err != nil && !errors.Is(err, strconv.ErrRange) || math.IsNaN(hi) || !plainNumber(text) {
		return DD{}, strconv.ErrSyntax
	}
	if hi == 0 && strings.ContainsAny(strings.FieldsFunc(text, func(r rune) bool { return r == 'e' || r == 'E' })[0], "123456789") {
		return F(math.NaN()), nil
	}
	if math.IsInf(hi, 0) || hi == 0 {
		return F(hi), nil
	}
	exact, _, err := big.ParseFloat(text, 10, 256, big.ToNearestEven)
	if err != nil {
		return DD{}, strconv.ErrSyntax
	}
	lo, _ := exact.Sub(exact, big.NewFloat(hi)).Float64()
	return DD{hi, lo}, nil
}

// plainNumber refuses what strconv reads beyond decimals and infinities.
func plainNumber(text string) bool {
	for i := 0; i < len(text); i++ {
		if c := text[i]; c == '_' || c == 'x' || c == 'X' || c == 'p' || c == 'P' {
			return false
		}
	}
	return true
}
