package quantity

import (
	"cmp"
	"fmt"
	"math"
	"math/big"
	"strings"
)

// reach is what a figure of a dimension can be in a result, in SI units. The limits
// are those of the world, wider than the bands of arguments: a figure beyond them is
// a slip of units, a singularity or a solver that ran away.
type reach struct {
	kind        Kind
	least, most float64
	// below and above say why nothing lies beyond either end, with a source. Where one
	// reason holds for both signs, below is empty.
	below, above string
}

var reaches = []reach{
	{Pressure, -2e10, 2e10, "", "no solid in use bears more (whiskers: Ashby, Materials Selection in Mechanical Design, 4th ed., fig. 4.4)"},
	{Temperature, 0, 10_000, "absolute zero is the lowest temperature that there is (SI brochure, 9th ed.)",
		"that is well above the boiling point of every element (tungsten 6203 K, CRC Handbook, 97th ed.)"},
	{Velocity, -299_792_458, 299_792_458, "", "the speed of light (SI brochure, 9th ed.)"},
	{Density, 0, 23_000, "no mass is negative", "osmium has 22 590 kg/m³ (CRC Handbook, 97th ed.)"},
	{Voltage, -1e9, 1e9, "", "lightning reaches about 1 GV"},
	{Current, -1e8, 1e8, "", "the largest pulsed-power machines reach 26 MA (Z, Sandia)"},
	{Power, -1e16, 1e16, "", "the strongest laser pulses reach 1e16 W (ELI-NP)"},
	{Frequency, 0, 1e17, "a frequency counts cycles and has no sign", "the limit of ultraviolet light is 3e16 Hz"},
}

// BeyondReach says why a figure in a unit cannot be of this world; "" where it can
// be, or where nothing is known of its unit.
func BeyondReach(value float64, unit string) string {
	units, ok := ParseUnit(unit)
	x := new(big.Rat).SetFloat64(value)
	if !ok || len(units) == 0 || x == nil {
		return ""
	}
	si := units[0].SI(x, false)
	for _, r := range reaches {
		if units[0].Dim != r.kind.Dim {
			continue
		}
		if r.kind.Dim == frequency && !strings.Contains(unit, "Hz") {
			r.least = -r.most // a rate decays, a shaft turns back
		}
		switch {
		case si < r.least:
			return fmt.Sprintf("%s is below %s: %s", r.kind.Format(si), r.kind.Format(r.least), cmp.Or(r.below, r.above))
		case si > r.most:
			return fmt.Sprintf("%s is above %s: %s", r.kind.Format(si), r.kind.Format(r.most), r.above)
		}
	}
	return ""
}

// Metres is a figure in a unit of length in metres; ok is false for any other unit.
func Metres(value float64, unit string) (metres float64, ok bool) {
	units, ok := ParseUnit(unit)
	x := new(big.Rat).SetFloat64(value)
	if !ok || len(units) == 0 || units[0].Dim != length || x == nil {
		return math.NaN(), false
	}
	return units[0].SI(x, false), true
}
