package solve

import (
	"fmt"
	"math"
	"strings"

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
	// Curved is what lies between curved faces and the round surface that they follow.
	Curved float64 `json:"curved"`
	// Facets are flat faces that meet one after the other at small angles, as those of
	// a round surface do.
	Facets struct {
		Count   int     `json:"count"`
		Turn    float64 `json:"turn"`    // radians, the largest between two of them
		Sagitta float64 `json:"sagitta"` // how far the round surface is off at most
		Volume  float64 `json:"volume"`  // between them and the round surface
	} `json:"facets"`
}

// holdShape names the difference between the mesh and the CAD model that it was
// made of, which is in no error bar of the solver's.
func holdShape(s *evidence.Statement, mesh shape, origin *evidence.Origin, class string) {
	if origin == nil || !origin.Exact {
		if class != classFlow {
			s.Note("Error bars are those of the discretisation: the mesh is taken as the part's shape.")
		}
		mesh.nameFacets(s)
		return
	}
	worst := mesh.furthest(origin)
	if worst <= sameShape {
		s.Note("Volume and areas of the mesh are those of the exact CAD model to %.2g.", worst)
		return
	}
	for i, f := range s.Figures {
		if dependsOnShape(f) {
			s.Figures[i] = f.Omitting(facets)
		}
	}
	if math.IsInf(worst, 1) {
		s.Note("The CAD model has no volume of its own, since it is not closed: the mesh is not held against it.")
		return
	}
	s.Note("Volume or areas of the mesh differ from the exact CAD model by up to %.2g of them.", worst)
}

const facets = "The mesh is not quite the exact CAD model: its facets are in no error bar."

// dependsOnShape leaves out what has no error bar to mend, and what is prescribed.
func dependsOnShape(f evidence.Figure) bool {
	return f.Error != nil && (f.Coverage != "bound" || ofMesh(f)) // pressure and weight act on the facets
}

// ofMesh says whether a bound of a figure is one on the mesh as it is, and no more.
func ofMesh(f evidence.Figure) bool {
	return f.Pointer == "/mass" || strings.HasPrefix(f.Pointer, "/loads/")
}

const (
	// facetSafety is how many times its share of the volume the round part between
	// surface and facets may change a figure, where some walls are thinner than others.
	facetSafety = 10
	// mostFacets is the change, of a figure's size, beyond which that is no estimate.
	mostFacets = 0.025
	// leastShape is a change of the figures that needs no word.
	leastShape = 1e-6
)

// nameFacets allows for a mesh of unknown origin that looks like a round part made
// flat, or that follows one with curved elements, in the error bars; where much is
// missing, in words as well.
func (mesh shape) nameFacets(s *evidence.Statement) {
	f := mesh.Facets
	if mesh.Volume <= 0 {
		return
	}
	change := facetSafety * mesh.Curved / mesh.Volume
	said := ""
	if f.Count > 0 && f.Volume > sameShape*mesh.Volume {
		change += facetSafety * f.Volume / mesh.Volume
		said = fmt.Sprintf("The mesh has %d flat faces that meet at up to %.3g degrees, like the facets of a round surface: if the part is round there, its surface is up to %.2g m away from them, and the space between is about %.2g %% of its volume.",
			f.Count, f.Turn*180/math.Pi, f.Sagitta, 100*f.Volume/mesh.Volume)
	} else if change > leastShape {
		said = fmt.Sprintf("Between their nodes the curved elements leave a round surface: the space between is about %.2g %% of the volume.", 100*mesh.Curved/mesh.Volume)
	}
	if said == "" {
		return
	}
	if change <= mostFacets {
		s.Note("%s The error bars allow for that.", said)
	}
	for i, f := range s.Figures {
		if !dependsOnShape(f) {
			continue
		}
		// Relative to what the accuracy of the figure is relative to; that of a reaction
		// counts nodal forces which cancel, while its load follows the area.
		more := change / evidence.DefaultAccuracy * f.Allowed(accuracyOf(s))
		if ofMesh(f) && f.Coverage == "bound" {
			more = change * math.Abs(*f.Value)
		}
		s.Figures[i] = f.PlusMinus(*f.Error+more, "estimate")
		if change > mostFacets {
			s.Figures[i] = s.Figures[i].Omitting(said + " Its error bar holds ten times that, which is a guess where facets are so coarse: use curved elements or finer ones.")
		}
	}
}

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
