package cad

import (
	"fmt"
	"math"
	"strings"

	"atelier/internal/contract"
)

// agreement is how near the mesh's volume and area must come to the exact ones.
const agreement = 0.01

// evidence judges an import. Against an exact shape the mesh is verified when its
// volume agrees within 1 % and the shape is closed; without one (Truck) it is at
// best converged, when halving the deflection leaves the volume as it is. Any
// check that disagrees makes it suspect, with the check's reason.
func (a *answer) evidence() *contract.Evidence {
	var checks []contract.Check
	add := func(name string, value *float64, unit string, tolerance float64, ok bool, note string) {
		checks = append(checks, contract.Check{Name: name, Value: value, Unit: unit, Tolerance: &tolerance, OK: ok, Note: note})
	}
	open := float64(a.Shells - a.ClosedShells)
	loose := 1.0
	if a.Watertight {
		loose = 0
	}
	add("open_shells", &open, "1", 0, open == 0 && a.Shells > 0, "shells of the shape that are not closed")
	add("mesh_open", &loose, "1", 0, a.Watertight, "0 when every edge of the mesh is shared by two triangles, in opposite directions")
	within := func(x *float64) bool { return x != nil && math.Abs(*x) <= agreement }
	if a.ExactSurfaceArea == nil {
		add("volume_change", a.VolumeChange, "1", agreement, within(a.VolumeChange), "relative change of the volume when the deflection is halved")
	} else {
		add("volume_deviation", a.VolumeDeviation, "1", agreement, within(a.VolumeDeviation), "mesh against exact volume, relative")
		add("area_deviation", a.AreaDeviation, "1", agreement, within(a.AreaDeviation), "mesh against exact surface area, relative")
	}
	if a.Valid != nil {
		faults := 0.0
		if !*a.Valid {
			faults = 1
		}
		add("shape_invalid", &faults, "1", 0, *a.Valid, "1 when the exact shape breaks a rule of boundary representation")
	}
	return a.judge(checks)
}

func (a *answer) judge(checks []contract.Check) *contract.Evidence {
	ev := &contract.Evidence{Trust: contract.Verified, Checks: checks, Reasons: []string{}}
	var failed []string
	for _, c := range checks {
		if !c.OK {
			failed = append(failed, fmt.Sprintf("%s (%s)", c.Name, c.Note))
		}
	}
	switch {
	case len(failed) > 0:
		ev.Trust = contract.Suspect
		ev.Reasons = append(ev.Reasons, "These checks disagree: "+strings.Join(failed, "; ")+".")
	case a.ExactSurfaceArea == nil:
		ev.Trust = contract.Converged
		ev.Reasons = append(ev.Reasons, "The mesh is closed and its volume no longer changes with the deflection; this engine gives no exact volume to hold it against.")
	default:
		ev.Reasons = append(ev.Reasons, fmt.Sprintf("The mesh is closed as the exact shape is, and its volume agrees with the exact one to %.2g %%.", 100*math.Abs(*a.VolumeDeviation)))
	}
	return ev
}
