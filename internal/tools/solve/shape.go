package solve

import (
	"math"

	"atelier/internal/evidence"
	"atelier/internal/geometry"
)

// sameShape is how near volume and areas of a mesh lie to those of the CAD model
// where its elements are that shape: curved ones come within 1e-5 around a hole of
// 24 elements, while flat ones would need 290, since a cylinder of n facets lacks
// 1-(n/π) sin(π/n) of its area.
const sameShape = 2e-5

// shape is what the driver measured of the mesh, in metres.
type shape struct {
	Volume float64 `json:"volume"`
	Faces  []struct {
		ID   int     `json:"id"`
		Area float64 `json:"area"`
	} `json:"faces"`
}

// holdShape names the difference between the mesh and the CAD model that it was
// made of, which is in no error bar of the solver's.
func holdShape(s *evidence.Statement, mesh shape, origin *evidence.Origin, class string) {
	if origin == nil || !origin.Exact {
		if class != classFlow {
			s.Note("Error bars are those of the discretisation: the mesh is taken as the part's shape.")
		}
		return
	}
	worst := mesh.furthest(origin)
	if worst <= sameShape {
		s.Note("Volume and areas of the mesh are those of the exact CAD model to %.2g.", worst)
		return
	}
	for i, f := range s.Figures {
		if f.Error == nil || f.Coverage == "bound" {
			continue
		}
		s.Figures[i] = f.Omitting(facets)
	}
	s.Note("Volume or areas of the mesh differ from the exact CAD model by up to %.2g of them.", worst)
}

const facets = "The mesh is not quite the exact CAD model: its facets are in no error bar."

// furthest is the largest relative difference of volume and face areas.
func (mesh shape) furthest(origin *evidence.Origin) float64 {
	unit, ok := geometry.LengthUnits[origin.LengthUnit]
	if !ok || origin.Volume == nil || *origin.Volume == 0 {
		return math.Inf(1)
	}
	worst := math.Abs(mesh.Volume/(*origin.Volume*unit*unit*unit) - 1)
	exact := map[int]float64{}
	for _, f := range origin.Faces {
		exact[f.ID] = f.Area * unit * unit
	}
	for _, f := range mesh.Faces {
		if area := exact[f.ID]; area > 0 {
			worst = math.Max(worst, math.Abs(f.Area/area-1))
		}
	}
	return worst
}
