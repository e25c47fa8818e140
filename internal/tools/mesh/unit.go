package mesh

import (
	"cmp"
	"fmt"
	"math"

	"atelier/internal/contract"
	"atelier/internal/evidence"
	"atelier/internal/geometry"
	"atelier/internal/quantity"
)

// settleUnit gives a surface its length unit: the call's, else the file's own, else
// that of the shape that the file is known to come from. Without any of them it has
// none: the figures are then in the file's own numbers and say so, and what depends
// on the unit is refused or asked by the tool that needs it. A unit of the call that
// contradicts what is known is followed, and a failed check says so of every figure.
func settleUnit(m *geometry.Mesh, asked string, known *evidence.Origin) ([]contract.Warning, []evidence.Check) {
	meta := &m.Meta
	own, whose := meta.LengthUnit, "The file says its unit is %s"
	if own == "" && sizeOf(m, known) {
		own, whose = known.LengthUnit, "The shape that the file comes from has the same size in %s"
	}
	meta.LengthUnit = cmp.Or(asked, own)
	if asked != "" && own != "" && asked != own {
		said := fmt.Sprintf(whose+"; the argument length_unit = %s was followed.", own, asked)
		return warning("length_unit", "%s", said), []evidence.Check{evidence.Holds("length_unit", evidence.Model, "", false,
			said+" Every length, area and volume is that of a part of another size, unless the file's own unit is wrong: leave length_unit out.")}
	}
	if meta.LengthUnit == "" {
		return warning("length_unit_unknown", "Neither the file nor the call says the unit of its coordinates: lengths, areas and volumes are in the file's numbers. The part is %s across. Say length_unit before a solver needs it.",
			geometry.Sizes(m.Extent())), nil
	}
	return nil, nil
}

func warning(code, format string, args ...any) []contract.Warning {
	return []contract.Warning{{Code: code, Message: fmt.Sprintf(format, args...)}}
}

// sameSize is how near the extents of a file must be to those of the shape that it
// comes from to be in the same unit; the units differ by a factor of 2.54 at least.
const sameSize = 0.05

func sizeOf(m *geometry.Mesh, o *evidence.Origin) bool {
	if o == nil || len(o.Min) != 3 || len(o.Max) != 3 {
		return false
	}
	if _, ok := geometry.LengthUnits[o.LengthUnit]; !ok {
		return false
	}
	lo, hi := m.Bounds()
	for i := range lo {
		there := o.Max[i] - o.Min[i]
		if math.Abs(hi[i]-lo[i]-there) > sameSize*there {
			return false
		}
	}
	return true
}

// named is the unit as a result shows it.
func named(unit string) string { return cmp.Or(unit, geometry.FileUnit) }

// spacing is dx in the surface's unit; 0 has it chosen.
func spacing(dx *quantity.FileLength, m *geometry.Mesh) (float64, error) {
	if dx == nil {
		return 0, nil
	}
	return lengthIn(dx, m, "dx", contract.CodeInvalidDx)
}

// lengthIn is a length argument, which must be positive, in the surface's unit.
func lengthIn(length *quantity.FileLength, m *geometry.Mesh, name, code string) (float64, error) {
	if length.Metres && m.Meta.LengthUnit == "" {
		return 0, contract.Errorf(contract.CodeInvalidInput, "%s is a length of %s, and the unit of the file's coordinates is not known", name, quantity.Length.Format(length.Value)).
			At("/length_unit").WithHint("The part is %s across: give length_unit, or %s as a number in the file's own unit.", geometry.Sizes(m.Extent()), name)
	}
	v, err := length.In(m.Meta.LengthUnit)
	if err != nil {
		return 0, contract.AsError(err).At("/" + name)
	}
	if !(v > 0) || math.IsInf(v, 0) {
		return 0, contract.Errorf(code, "%s must be a positive length", name).At("/"+name).WithHint("Leave %s out, or give a length above 0.", name)
	}
	return v, nil
}
