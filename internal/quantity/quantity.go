// Package quantity is the project's one place for units: it reads "210 GPa",
// "5 W/m^2/K" or "68 degF" into SI, checks the dimension, says what is
// implausible for what it is meant to be, and writes numbers back for people.
//
// Factors are exact rational numbers as NIST Special Publication 811 (2008,
// appendix B) and the SI brochure (BIPM, 9th edition) define them: an inch is
// 0.0254 m, a pound-force 4.4482216152605 N, and psi follows from both. The
// number is read as a decimal and rounded once, when it has become SI, so that a
// conversion is exact to the rounding of a double.
//
// What was looked at first: gonum.org/v1/gonum/unit has dimensions but reads no
// text and has no customary units; github.com/bcicen/go-units and
// github.com/martinlindhe/unit convert single named units in floating point,
// without products, powers or dimensions; github.com/ctessum/unit has dimensions
// and no parser. None refuses "500 mm" where a force is wanted.
package quantity

import (
	"math/big"
	"strconv"
	"strings"
)

// Dimension holds the exponents of the SI base quantities in the order length,
// mass, time, current, temperature, amount, luminous intensity.
type Dimension [7]int

var baseUnits = [7]string{"m", "kg", "s", "A", "K", "mol", "cd"}

// One is the dimension of pure numbers and angles.
var One = Dimension{}

// String is the dimension in SI base units: kg·m⁻¹·s⁻² is "kg/(m·s^2)".
func (d Dimension) String() string {
	var over, under []string
	for _, i := range []int{1, 0, 2, 3, 4, 5, 6} { // kg first, as the SI brochure does
		switch n := d[i]; {
		case n > 0:
			over = append(over, power(baseUnits[i], n))
		case n < 0:
			under = append(under, power(baseUnits[i], -n))
		}
	}
	text := strings.Join(over, "·")
	switch {
	case len(over)+len(under) == 0:
		return "1"
	case len(over) == 0:
		text = "1"
	}
	switch len(under) {
	case 0:
		return text
	case 1:
		return text + "/" + under[0]
	}
	return text + "/(" + strings.Join(under, "·") + ")"
}

func power(unit string, n int) string {
	if n == 1 {
		return unit
	}
	return unit + "^" + strconv.Itoa(n)
}

// Unit is a unit of measurement: SI = (x + offset) · factor.
type Unit struct {
	Dim    Dimension
	factor *big.Rat
	offset *big.Rat // degrees Celsius and Fahrenheit; nil for every other unit
	// angles and cycles are the powers of the radian and of the whole turn. The SI
	// gives both the dimension 1, so that only these tell rad/s from Hz.
	angles, cycles int
	// relative says that a scale with a zero of its own is a factor of it, as of
	// W/(m²·°C): numbers in it are of differences.
	relative bool
}

// times multiplies by another unit to the n-th power. An offset belongs to a
// temperature that stands alone, not to the difference in W/(m²·°C).
func (u Unit) times(v Unit, n int) Unit {
	f := new(big.Rat).Set(u.factor)
	for range max(n, -n) {
		if n > 0 {
			f.Mul(f, v.factor)
		} else {
			f.Quo(f, v.factor)
		}
	}
	out := Unit{Dim: u.Dim, factor: f, angles: u.angles + n*v.angles, cycles: u.cycles + n*v.cycles,
		relative: u.relative || v.relative || v.offset != nil}
	for i := range out.Dim {
		out.Dim[i] += n * v.Dim[i]
	}
	return out
}

func (u Unit) equal(v Unit) bool {
	same := (u.offset == nil) == (v.offset == nil) && u.relative == v.relative
	return same && u.Dim == v.Dim && u.factor.Cmp(v.factor) == 0 && (u.offset == nil || u.offset.Cmp(v.offset) == 0)
}

// zeroless says that the unit is of a temperature and made of a scale with a zero, as
// degC/m*m: nobody can tell whether a temperature or a difference is meant.
func (u Unit) zeroless() bool { return u.relative && u.Dim == temperature }

// SI converts a number in this unit. A difference ignores the zero point of a
// temperature scale.
func (u Unit) SI(number *big.Rat, difference bool) float64 {
	x := new(big.Rat).Set(number)
	if u.offset != nil && !difference {
		x.Add(x, u.offset)
	}
	v, _ := x.Mul(x, u.factor).Float64()
	return v
}

// From is the inverse of SI.
func (u Unit) From(si float64, difference bool) float64 {
	x := new(big.Rat).SetFloat64(si)
	if x == nil {
		return si // infinite or not a number
	}
	x.Quo(x, u.factor)
	if u.offset != nil && !difference {
		x.Sub(x, u.offset)
	}
	v, _ := x.Float64()
	return v
}

// Quantity is a number with its unit as it was written.
type Quantity struct {
	Number *big.Rat
	Unit   Unit
	Text   string // as written: "1.5 kN"
}

// SI is the value in SI base units.
func (q Quantity) SI() float64 { return q.Unit.SI(q.Number, false) }

// Difference is the value as a difference: 10 degC are 10 K.
func (q Quantity) Difference() float64 { return q.Unit.SI(q.Number, true) }
