package claim

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"atelier/internal/contract"
	"atelier/internal/evidence"
	"atelier/internal/jsonvalue"
)

var (
	ofSeries = regexp.MustCompile(`^(.*?)(?:/min|/max)?/([xy])(?:/\d+)?$`)
	// ofList is a component of a vector or tensor.
	ofList = regexp.MustCompile(`/\d+$`)
	// unitless are members that stand beside a unit and are not in it: places, counts
	// and ratios.
	unitless = regexp.MustCompile(`(?:^|_)(?:at|where|n|count|points|components|index|finite|jump|ratio|coverage|error_norm)$`)
)

// inName are the units with which names end: phase_deg stands in the object of a voltage.
var (
	unitInName = regexp.MustCompile(`_(deg|rad|db|hz|ms|s|seconds|mm)$`)
	inName     = map[string]string{"deg": "deg", "rad": "rad", "db": decibel, "hz": "Hz", "ms": "ms", "s": "s", "seconds": "s", "mm": "mm"}
)

// unitBeside is the unit that an output states for a figure that is none of its
// quantities: x_unit or unit of a series, that in its name, unit in its object, that
// of a quantity in the same object, or of the field of that name; "" for none.
func unitBeside(output json.RawMessage, path string, known []evidence.Quantity) string {
	if m := ofSeries.FindStringSubmatch(path); m != nil {
		return text(output, m[1]+map[string]string{"x": "/x_unit", "y": "/unit"}[m[2]])
	}
	member := ofList.ReplaceAllString(path, "")
	cut := strings.LastIndexByte(member, '/')
	if cut < 0 || unitless.MatchString(member[cut+1:]) {
		return ""
	}
	object, name := member[:cut], jsonvalue.Unescape(member[cut+1:])
	if m := unitInName.FindStringSubmatch(name); m != nil {
		return inName[m[1]]
	}
	if unit := text(output, object+"/unit"); unit != "" && !another(known, object, name) {
		return unit
	}
	for _, q := range known {
		if ofList.ReplaceAllString(q.Pointer, "") == member || extreme[name] && strings.HasPrefix(q.Pointer, object+"/") && extreme[q.Pointer[len(object)+1:]] {
			return q.Unit
		}
	}
	return ofField(output, name)
}

// another says that a quantity stands in the same object, whose unit that is, under a name
// that does not share it.
func another(known []evidence.Quantity, object, name string) bool {
	return slices.ContainsFunc(known, func(q evidence.Quantity) bool {
		member, beside := strings.CutPrefix(q.Pointer, object+"/")
		return beside && !strings.Contains(member, "/") && member != name && !(extreme[member] && extreme[name])
	})
}

// extreme are members of one object that share a unit by what they are.
var extreme = map[string]bool{"min": true, "max": true, "mean": true, "median": true, "value": true}

// ofField is the unit of the field of a name in the list of fields.
func ofField(output json.RawMessage, name string) string {
	var o struct {
		Fields []struct{ Name, Unit string } `json:"fields"`
	}
	_ = json.Unmarshal(output, &o) // an output whose fields are something else names no unit
	for _, f := range o.Fields {
		if f.Name == name {
			return f.Unit
		}
	}
	return ""
}

func text(output json.RawMessage, pointer string) string {
	found, _ := contract.Figure(output, pointer)
	unit, _ := found.(string)
	return unit
}
