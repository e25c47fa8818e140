package solve

import (
	"fmt"
	"math"

	"atelier/internal/contract"
	"atelier/internal/evidence"
	"atelier/internal/geometry"
)

// checkUnit fails where the size of the part is nobody's word. A solve on a mesh
// without a unit is answered, as the calls of api/spec/agent.md are, but what it says
// of a part in metres is an assumption. Poisson's equation has no units: its figures
// are in those of the mesh.
func checkUnit(out *driverOutput, warnings []contract.Warning, class string) {
	for _, w := range warnings {
		switch {
		case w.Code == "length_unit_overridden":
			out.Evidence.Check(evidence.Holds("length_unit", evidence.Model, "", false,
				w.Message+" Every figure is that of a part of another size, unless the mesh's own unit is wrong: leave length_unit out."))
		case w.Code == "length_unit_assumed" && class == classPoisson:
			out.Evidence.Note("The unit of the mesh was not stated: the figures are in its own coordinates.")
		case w.Code == "length_unit_assumed":
			out.Evidence.Check(evidence.Holds("length_unit", evidence.Model, "", false, fmt.Sprintf(
				"The unit of the mesh was not stated and metres were assumed: the part is %.4g m long. The same numbers are %s. Give /mesh/length_unit.",
				out.Mesh.extent(), geometry.Sizes(out.Mesh.extent()))))
		}
	}
}

// withUnit is the shape that a mesh comes from where its unit is known; one without a
// unit, as of a surface whose unit nobody said, gives the mesh none.
func withUnit(origin *evidence.Origin) *evidence.Origin {
	if origin == nil {
		return nil
	}
	if _, ok := geometry.LengthUnits[origin.LengthUnit]; !ok {
		return nil
	}
	return origin
}

// diagonal is that of the mesh's box.
func (m MeshSummary) diagonal() float64 {
	sum := 0.0
	for i := range min(len(m.Min), len(m.Max)) {
		sum += math.Pow(float64(m.Max[i]-m.Min[i]), 2)
	}
	return math.Sqrt(sum)
}

// extent is the longest edge of the mesh's box.
func (m MeshSummary) extent() float64 {
	longest := 0.0
	for i := range min(len(m.Min), len(m.Max)) {
		longest = max(longest, float64(m.Max[i]-m.Min[i]))
	}
	return longest
}
