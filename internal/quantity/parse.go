package quantity

import (
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"strings"

	"atelier/internal/contract"
)

// Parse reads "1.5 kN", "30 degC", "3e3Pa". A text without a unit is a pure
// number. Errors are invalid_input with what was expected and how to write it.
func Parse(text string) (Quantity, error) {
	q, units, err := split(text)
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
func ParseAs(text string, k Kind) (float64, error) {
	q, units, err := split(text)
	if err != nil {
		return 0, err
	}
	if u, ok := Fitting(units, k); ok {
		q.Unit = u
		return q.Unit.SI(q.Number, k.Difference), nil
	}
	e := fault("%q is %s, not %s", strings.TrimSpace(text), naming(units[0].Dim), k.article()).
		WithHint("Write it as %s.", k.Example)
	e.Expected, e.Actual = k.expected(), units[0].Dim.String()
	return 0, e
}

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

// FromJSON reads an argument that is a number in SI units or a string with a
// unit, checks dimension and plausibility, and puts the pointer into the error.
func FromJSON(raw json.RawMessage, k Kind, pointer string) (float64, error) {
	var text string
	var number float64
	switch {
	case json.Unmarshal(raw, &number) == nil:
	case json.Unmarshal(raw, &text) == nil:
		v, err := ParseAs(text, k)
		if err != nil {
			return 0, contract.AsError(err).At(pointer)
		}
		number = v
	default:
		e := fault("%s must be a number in %s or a text with a unit", pointer, k.SI).At(pointer).
			WithHint("Write it as %q.", k.Example)
		return 0, e.With("fault", contract.FaultType)
	}
	if err := k.Check(number); err != nil {
		return 0, contract.AsError(err).At(pointer)
	}
	return number, nil
}

// Convert turns a number from one unit into another of the same dimension.
func Convert(number float64, from, to string) (float64, error) {
	f, okFrom := ParseUnit(from)
	t, okTo := ParseUnit(to)
	if !okFrom || !okTo {
		return 0, fault("unknown unit in %q to %q", from, to)
	}
	if f[0].Dim != t[0].Dim {
		return 0, fault("%s is %s and %s is %s", from, naming(f[0].Dim), to, naming(t[0].Dim))
	}
	x := new(big.Rat).SetFloat64(number)
	if x == nil {
		return 0, fault("%v cannot be converted", number)
	}
	u := t[0]
	if f[0].offset != nil {
		x.Add(x, f[0].offset)
	}
	x.Quo(x.Mul(x, f[0].factor), u.factor)
	if u.offset != nil {
		x.Sub(x, u.offset)
	}
	v, _ := x.Float64()
	return v * f[0].turns(u), nil
}

// turns is 2 pi to the power in which radians stand for whole turns: an angular
// frequency of 1 rad/s is a frequency of 1/(2 pi) Hz.
func (u Unit) turns(to Unit) float64 {
	if n := u.cycles - to.cycles; n == to.angles-u.angles {
		return math.Pow(2*math.Pi, float64(n))
	}
	return 1
}

func split(text string) (Quantity, []Unit, error) {
	trimmed := strings.TrimSpace(text)
	number, n, err := NumberAt(trimmed)
	switch {
	case err != nil:
		return Quantity{}, nil, err
	case n == 0:
		return Quantity{}, nil, fault("%q does not begin with a number", text).WithHint("Write a number and a unit, as in 500 N.")
	}
	q := Quantity{Number: number, Text: trimmed}
	rest := strings.TrimSpace(trimmed[n:])
	if rest == "" {
		return q, []Unit{one()}, nil
	}
	units, ok := ParseUnit(rest)
	if !ok {
		return q, nil, fault("%q is no unit that is known here", rest).
			WithHint("Units are written as N, kN, lbf, Pa, MPa, psi, mm, in, degC, K, W/(m^2*K), kg/m^3, m/s; capital and small letters differ.")
	}
	return q, units, nil
}

func fault(format string, args ...any) *contract.Error {
	return contract.Errorf(contract.CodeInvalidInput, format, args...).With("fault", contract.FaultValue)
}

// naming says what a dimension is: "a length", "a force".
func naming(d Dimension) string {
	if d == One {
		return "a number without a unit"
	}
	for _, k := range Kinds {
		if k.Dim == d {
			return k.article()
		}
	}
	return fmt.Sprintf("a quantity in %s", d)
}
