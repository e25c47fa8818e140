package render

import (
	"fmt"

	"atelier/internal/contract"
	"atelier/internal/evidence"
	"atelier/internal/quantity"
)

// conversion turns values of the file's unit into those of the unit asked for.
type conversion struct {
	Factor float64 `json:"factor"`
	Offset float64 `json:"offset"`
}

// convert is the way from the field's own unit to the one asked for. A unit of the
// file that cannot be read says nothing: the values then stay as they are.
func convert(field, own, asked string) (*conversion, error) {
	if _, readable := quantity.ParseUnit(own); !readable {
		return &conversion{Factor: 1}, nil
	}
	factor, offset, err := quantity.Affine(own, asked)
	if err != nil {
		e := contract.AsError(err).At("/unit").WithHint("Leave unit out to see the field in %s, or name another unit of that dimension.", own)
		e.Message = fmt.Sprintf("the field %q is in %s, which cannot be shown in %q: %s", field, own, asked, e.Message)
		e.Expected, e.Actual = "a unit of the dimension of "+own, asked
		return nil, e
	}
	return &conversion{factor, offset}, nil
}

// knownUnit says that the unit shown is the file's, not the caller's word alone.
func knownUnit(asked, own string) bool {
	if asked == "" || asked == own {
		return true
	}
	_, readable := quantity.ParseUnit(own)
	return readable
}

// unitWarning tells that the unit of a field is the caller's word.
func (o *output) unitWarning(asked string) []contract.Warning {
	if o.Field == nil || knownUnit(asked, o.FieldOwnUnit) {
		return nil
	}
	says := "the file gives the field no unit"
	if o.FieldOwnUnit != "" {
		says = fmt.Sprintf("the file gives the field the unit %q, which cannot be read", o.FieldOwnUnit)
	}
	return []contract.Warning{{Code: "unit_of_field", Message: fmt.Sprintf("The unit %s is that of the argument alone: %s, and the values were not converted.", asked, says)}}
}

// lengthUnit is a failed check where the call contradicts the file.
func lengthUnit(asked, own string) (evidence.Check, bool) {
	if asked == "" || own == "" || asked == own {
		return evidence.Check{}, false
	}
	times, err := quantity.Convert(1, own, asked)
	if err != nil || times == 1 {
		return evidence.Check{}, false
	}
	return evidence.Holds("length_unit", evidence.Bounds, "", false, fmt.Sprintf(
		"The file says its coordinates are in %s; length_unit = %s was followed, so that lengths are %.4g of what the file says. Leave length_unit out to take the file's.", own, asked, 1/times)), true
}
