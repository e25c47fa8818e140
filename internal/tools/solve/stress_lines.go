package solve

import (
	"encoding/json"
	"fmt"
	"math"
)

// lineChanges is by how much the linearised stresses of lines change on a finer mesh, by
// figure, Pa: the von Mises stress of the change of their tensors. It is a norm, so that von
// Mises stresses differ by no more, and may differ by less than what each of them is off by.
func lineChanges(lines []StressLine, finer json.RawMessage) map[string]float64 {
	var second struct {
		Lines []StressLine `json:"stress_lines"`
	}
	if len(lines) == 0 || json.Unmarshal(finer, &second) != nil || len(second.Lines) != len(lines) {
		return nil
	}
	changes := map[string]float64{}
	for i, one := range lines {
		membrane := difference(one.Membrane.Stress, second.Lines[i].Membrane.Stress)
		bending := difference(one.Bending.Stress, second.Lines[i].Bending.Stress)
		var from, to [6]float64
		for c := range membrane {
			from[c], to[c] = membrane[c]+bending[c], membrane[c]-bending[c]
		}
		line := fmt.Sprintf("/stress_lines/%d", i)
		changes[line+"/membrane/von_mises"] = vonMises(membrane)
		changes[line+"/membrane_plus_bending/from"] = vonMises(from)
		changes[line+"/membrane_plus_bending/to"] = vonMises(to)
	}
	return changes
}

// difference is that of two tensors; what one of them does not have counts as 0.
func difference(a, b []Figure) (d [6]float64) {
	for c := range min(len(a), len(b), len(d)) {
		d[c] = float64(b[c] - a[c])
	}
	return d
}

// vonMises is the equivalent stress of xx, yy, zz, xy, yz and xz.
func vonMises(s [6]float64) float64 {
	x, y, z := s[0]-s[1], s[1]-s[2], s[2]-s[0]
	return math.Sqrt((x*x+y*y+z*z)/2 + 3*(s[3]*s[3]+s[4]*s[4]+s[5]*s[5]))
}
