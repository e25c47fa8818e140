package mesh

import (
	"fmt"
	"math"

	"atelier/internal/evidence"
	"atelier/internal/geometry"
)

// agreement is how near a volume or an area must stay to those of the origin.
const agreement = 0.01

// originOf are the facts that a surface is held against: those of the CAD model
// that it came from, else its own as they were read.
func originOf(known *evidence.Origin, ref string, m *geometry.Mesh, top geometry.Topology) *evidence.Origin {
	if known != nil {
		return known
	}
	lo, hi := m.Bounds()
	area := m.Area()
	o := &evidence.Origin{Source: ref, LengthUnit: m.Meta.LengthUnit, Area: &area, Bodies: top.Components, Min: lo[:], Max: hi[:]}
	if top.Closed && top.Oriented {
		v := math.Abs(m.Volume())
		o.Volume = &v
	}
	return o
}

// unitOf is the factor from a length unit of the file to that of the origin. A
// unit that only one of them names is taken as the other's.
func unitOf(unit, origin string) float64 {
	from, ok := geometry.LengthUnits[unit]
	to, known := geometry.LengthUnits[origin]
	if !ok || !known {
		return 1
	}
	return from / to
}

// name is what a sentence calls the origin.
func name(o *evidence.Origin) string {
	if o.Exact {
		return "the exact CAD shape"
	}
	return "the surface as it was first handed in"
}

// holdVolume compares a volume with that of the origin, and gives the figure its
// error bar.
func holdVolume(s *evidence.Statement, f evidence.Figure, o *evidence.Origin, unit string) evidence.Figure {
	if f.Value == nil || o.Volume == nil || *o.Volume == 0 {
		s.Note("The volume could not be held against an origin: that shape is not closed.")
		return f
	}
	k := unitOf(unit, o.LengthUnit)
	there := *o.Volume / (k * k * k)
	off := *f.Value - there
	s.Check(evidence.Within("volume_of_origin", evidence.Independent, f.Pointer, off/there, agreement, "1", fmt.Sprintf(
		"Volume against that of %s, relative to it; beyond the limit the file is no longer that part.", name(o))))
	return f.PlusMinus(off, "difference from the origin")
}

// holdArea compares an area with that of the origin.
func holdArea(s *evidence.Statement, f evidence.Figure, o *evidence.Origin, unit string, limit float64) evidence.Figure {
	if f.Value == nil || o.Area == nil || *o.Area == 0 {
		return f
	}
	k := unitOf(unit, o.LengthUnit)
	there := *o.Area / (k * k)
	off := *f.Value - there
	s.Check(evidence.Within("area_of_origin", evidence.Independent, f.Pointer, off/there, limit, "1", fmt.Sprintf(
		"Area against that of %s, relative to it.", name(o))))
	return f.PlusMinus(off, "difference from the origin")
}
