package quantity

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"math/big"
	"slices"
	"strings"
)

// Parse reads "1.5 kN", "30 degC", "3e3Pa". A text without a unit is a pure
// number. Errors are invalid_input with what was expected and how to write it.
func Parse(text string) (Quantity, error) {
	q, units, err := split(text, Kind{})
	if err != nil {
		return Quantity{}, err
	}
	if q.Unit = units[0]; len(units) > 1 && units[0].Dim != units[1].Dim {
		return Quantity{}, fault("the unit of %q can be read in two ways", text).
			WithHint("Put the denominator in parentheses, as in W/(m*K).")
	}
	return q, nil
}

// ParseAs reads a quantity of a kind and returns its SI value. Of several
// readings of the unit it takes the one that fits. It does not judge whether the
// value is plausible: Kind.Check does.
func ParseAs(text string, k Kind) (float64, error) { return ParseIn(text, k, k.SI) }

// ParseIn is ParseAs with the value in a unit of the kind, rounded once.
func ParseIn(text string, k Kind, unit string) (float64, error) {
	number, u, err := reading(text, k)
	if err != nil {
		return 0, err
	}
	in, ok := k.unit(unit)
	if !ok {
		return 0, fault("%q is no unit of %s", unit, k.article())
	}
	v := convert(number, u, in, k.Difference)
	if err := held(v, k.InSI(v, unit), number); err != nil {
		return 0, fault("%q is beyond what a number can hold here: %s", strings.TrimSpace(text), err).WithHint("Write %s.", k.expected())
	}
	return v, nil
}

// SIOf is a number of a unit that fits the kind in SI; angular frequencies are
// turned into frequencies, and the other way about, where the kind wants it.
func (k Kind) SIOf(number *big.Rat, u Unit) float64 {
	in, ok := k.unit(k.SI)
	if !ok {
		return u.SI(number, k.Difference)
	}
	return convert(number, u, in, k.Difference)
}

// held says why a number is lost in a unit or in SI: it has become infinite, or
// zero though it is not.
func held(v, si float64, number *big.Rat) error {
	switch {
	case math.IsInf(v, 0) || math.IsInf(si, 0):
		return fmt.Errorf("its size must be below %.2g in its unit and in SI", math.MaxFloat64)
	case number.Sign() != 0 && (v == 0 || si == 0) && smaller(number):
		return fmt.Errorf("its size must be 0 or at least %.1g in its unit and in SI", math.SmallestNonzeroFloat64)
	}
	return nil
}

// smaller says whether a number is so small that units make it zero; one that is
// zero in another scale of temperature is not.
func smaller(number *big.Rat) bool {
	v, _ := number.Float64()
	return math.Abs(v) < 1e-200
}

// reading is the number of a text and the reading of its unit that a kind wants.
func reading(text string, k Kind) (*big.Rat, Unit, error) {
	q, units, err := split(text, k)
	if err != nil {
		return nil, Unit{}, err
	}
	if u, ok := Fitting(units, k); ok && (k.Difference || !u.zeroless()) {
		return q.Number, u, nil
	} else if ok {
		e := fault("the unit of %q is a product with a scale that has a zero of its own, and says no temperature", strings.TrimSpace(text))
		e.Expected, e.Actual = k.expected(), q.Text
		return nil, Unit{}, e.WithHint("Write the scale alone, as in %s.", k.Example)
	}
	e := fault("%q is %s, not %s", strings.TrimSpace(text), naming(units[0].Dim), k.article()).
		WithHint("Write %s.", k.expected())
	e.Expected, e.Actual = k.expected(), units[0].Dim.String()
	if better, found := k.lastLetter(q.Text); found {
		e.WithHint("%q: did you mean %s?", q.Text, better)
	}
	if k.Dim == Gravity.Dim && units[0].equal(symbols["g"]) {
		fall, _ := new(big.Rat).Mul(q.Number, freeFall).Float64()
		e.WithHint("g is gram. As a multiple of the acceleration of free fall it is %.6g m/s^2: write that.", fall)
	}
	return nil, Unit{}, e
}

// freeFall is the standard acceleration of free fall, m/s^2 (3rd CGPM, 1901).
var freeFall = big.NewRat(980665, 100000)

// Fitting picks the reading that a kind wants. Where temperatures are wanted C
// and F are degrees, not coulomb and farad.
func Fitting(units []Unit, k Kind) (Unit, bool) {
	for _, u := range units {
		if u.Dim == k.Dim {
			return u, true
		}
		if k.Dim == temperature && u.offset == nil {
			switch {
			case u.equal(symbols["C"]):
				return symbols["degC"], true
			case u.equal(symbols["F"]):
				return symbols["degF"], true
			}
		}
	}
	return Unit{}, false
}

// Convert turns a number from one unit into another of the same dimension, rounded
// once to the nearest float64. Its errors name the unit that is at fault.
func Convert(number float64, from, to string) (float64, error) {
	f, okFrom := ParseUnit(from)
	t, okTo := ParseUnit(to)
	if angle := okFrom && angles[to].factor != nil && !okTo || okTo && angles[from].factor != nil && !okFrom; angle {
		return 0, unlike(from, to, f, t)
	}
	if !okFrom {
		return 0, unknownUnit(from)
	} else if !okTo {
		return 0, unknownUnit(to)
	}
	if f[0].Dim != t[0].Dim {
		return 0, unlike(from, to, f, t)
	}
	if f[0].zeroless() {
		return 0, unknownUnit(from)
	} else if t[0].zeroless() {
		return 0, unknownUnit(to)
	}
	x := new(big.Rat).SetFloat64(number)
	if x == nil {
		return 0, fault("%v cannot be converted", number)
	}
	v := convert(x, f[0], t[0], false)
	if err := held(v, v, x); err != nil {
		return 0, fault("%v %s is beyond what a number can hold in %s: %s", number, from, to, err)
	}
	return v, nil
}

// unlike says what two units are that do not convert into each other. One without a
// reading is of an angle.
func unlike(from, to string, f, t []Unit) *Error {
	e := fault("%s is %s and %s is %s", from, called(from, f), to, called(to, t))
	e.Expected = "two units of one dimension"
	if f != nil && t != nil {
		e.Actual = f[0].Dim.String() + " and " + t[0].Dim.String()
	} else {
		e.Actual = called(from, f) + " and " + called(to, t)
	}
	return e.WithHint("Units of one dimension convert into each other, such as MPa and psi, or degC and K.")
}

// called is what a unit is of. One that has no name of its own is called by its parts,
// as it is written: W/m is of a power per length, N/s of a force per time.
func called(symbol string, readings []Unit) string {
	if angles[symbol].factor != nil {
		return Angle.article()
	}
	dim := readings[0].Dim
	name := naming(dim)
	above, below, divided := strings.Cut(symbol, "/")
	if !strings.HasSuffix(name, dim.String()) || !divided {
		return name
	}
	over, okOver := ParseUnit(above)
	under, okUnder := ParseUnit(strings.Trim(below, "() "))
	if !okOver || !okUnder || strings.Contains(below, "/") {
		return name
	}
	first, second := naming(over[0].Dim), naming(under[0].Dim)
	if strings.HasSuffix(first, over[0].Dim.String()) || strings.HasSuffix(second, under[0].Dim.String()) {
		return name
	}
	_, per, _ := strings.Cut(second, " ")
	return first + " per " + per
}

func unknownUnit(symbol string) *Error {
	e := fault("%q is no unit that is known", symbol)
	e.Expected, e.Actual = "the symbol of a unit, or of several, such as kN or W/(m^2 K)", symbol
	return e.WithHint("Write symbols, with their prefixes, as in mm, kN, N/mm^2 or degC.")
}

// Affine is how numbers of one unit become those of another of the same dimension:
// times the factor, plus the offset, which only scales of temperature have.
func Affine(from, to string) (factor, offset float64, err error) {
	if offset, err = Convert(0, from, to); err != nil {
		return 0, 0, err
	}
	f, _ := ParseUnit(from)
	t, _ := ParseUnit(to)
	return convert(big.NewRat(1, 1), f[0], t[0], true), offset, nil
}

// convert expresses a number of one unit in another, rounded once.
func convert(number *big.Rat, from, to Unit, difference bool) float64 {
	x := new(big.Rat).Set(number)
	if from.offset != nil && !difference {
		x.Add(x, from.offset)
	}
	x.Quo(x.Mul(x, from.factor), to.factor)
	if to.offset != nil && !difference {
		x.Sub(x, to.offset)
	}
	v, _ := x.Float64()
	return v * from.turns(to)
}

// turns is 2 pi to the power in which radians stand for whole turns: an angular
// frequency of 1 rad/s is a frequency of 1/(2 pi) Hz.
func (u Unit) turns(to Unit) float64 {
	if n := u.cycles - to.cycles; n == to.angles-u.angles {
		return math.Pow(2*math.Pi, float64(n))
	}
	return 1
}

// split reads the number and every reading of the unit; the kind that is wanted
// is for the hint, and for units that only this kind has.
func split(text string, k Kind) (Quantity, []Unit, error) {
	trimmed := strings.TrimSpace(text)
	number, n, err := NumberAt(trimmed)
	switch {
	case err != nil:
		return Quantity{}, nil, err
	case n == 0:
		e := fault("%q does not begin with a number", text).WithHint("Write a number and a unit, as in %s.", cmp.Or(k.Example, "500 N"))
		e.Expected = k.expected()
		return Quantity{}, nil, e
	}
	q := Quantity{Number: number, Text: trimmed}
	rest := strings.TrimSpace(trimmed[n:])
	if u, ok := k.own(rest); ok {
		return q, []Unit{u}, nil
	} else if k.isAngle() {
		e := fault("%q is %s without a unit of angle", trimmed, k.article()).WithHint("Write %s.", k.expected())
		e.Expected, e.Actual = k.expected(), trimmed
		return q, nil, e
	}
	if rest == "" {
		return q, []Unit{one()}, nil
	}
	units, ok := ParseUnit(rest)
	if ok {
		return q, units, nil
	}
	e := fault("%q is no unit that is known here", rest)
	e.Expected, e.Actual = k.expected(), trimmed
	if near := k.near(rest); near != "" {
		return q, nil, e.WithHint("%q: did you mean %s %s?", trimmed, strings.TrimSpace(trimmed[:n]), near)
	}
	return q, nil, e.WithHint("Units are written as N, kN, lbf, Pa, MPa, psi, mm, in, degC, K, W/(m^2*K), kg/m^3, m/s; capital and small letters differ.")
}

// lastLetter finds a unit of this kind that the last letter was dropped from, or
// doubled: GP is a gigapoise, and as a pressure a slip.
func (k Kind) lastLetter(text string) (string, bool) {
	for _, u := range k.Units {
		for _, slip := range []string{u[:max(len(u)-1, 0)], u + u[max(len(u)-1, 0):]} {
			if number, ok := strings.CutSuffix(text, " "+slip); ok && len(slip) > 1 {
				return number + " " + u, true
			}
		}
	}
	return "", false
}

// near finds the unit of a kind that differs from a text in one letter, first
// among those that the kind is shown in.
func (k Kind) near(text string) string {
	for _, u := range k.Units {
		if oneLetterApart(u, text) {
			return u
		}
	}
	for _, symbol := range slices.Sorted(maps.Keys(symbols)) {
		if len(k.Units) > 0 && symbols[symbol].Dim == k.Dim && oneLetterApart(symbol, text) {
			return symbol
		}
	}
	return ""
}

func oneLetterApart(a, b string) bool {
	if len(a) < len(b) {
		a, b = b, a
	}
	if len(a)-len(b) > 1 || len(a) < 2 {
		return false
	}
	i := 0
	for i < len(b) && a[i] == b[i] {
		i++
	}
	if len(a) == len(b) {
		return i < len(b) && a[i+1:] == b[i+1:]
	}
	return a[i+1:] == b[i:]
}

// naming says what a dimension is: "a length", "a force".
func naming(d Dimension) string {
	if d == One {
		return "a number without a unit"
	}
	switch d {
	case Dimension{0: 2}:
		return "an area"
	case volume:
		return "a volume"
	}
	for _, k := range Kinds {
		if k.Dim == d {
			return k.article()
		}
	}
	return fmt.Sprintf("a quantity in %s", d)
}
