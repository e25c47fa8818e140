package cad

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"

	"atelier/internal/contract"
	"atelier/internal/evidence"
	"atelier/internal/geometry"
)

// agreement is how near the mesh's volume and area must come to the exact ones.
const agreement = 0.01

// statement says what stands behind an import. Volume and area of the mesh are
// held against those of the exact shape; Truck has none, and is held against its
// own mesh of half the deflection.
func (a *answer) statement(between relations, warnings []contract.Warning) *evidence.Statement {
	s := &evidence.Statement{}
	s.Check(
		evidence.Holds("shells_closed", evidence.Bounds, "", a.Shells > 0 && a.Shells == a.ClosedShells,
			"Every shell of the shape is closed; an open one encloses no volume and cannot be meshed as a solid."),
		evidence.Holds("mesh_closed", evidence.Bounds, "", a.Watertight,
			"Every edge of the mesh is shared by two triangles in opposite directions; where not, a face is missing or torn and there is no volume."))
	if a.Valid != nil {
		s.Check(evidence.Holds("shape_valid", evidence.Bounds, "", *a.Valid,
			"The exact shape keeps the rules of boundary representation; where not, the file holds a damaged part and every figure of it is doubtful."))
	}
	volume := evidence.Of("volume", "/volume", math.NaN(), a.LengthUnit+"^3", "sum of signed tetrahedra over the triangles").Quote()
	if a.Watertight {
		volume.Value = &a.Volume
	}
	area := evidence.Of("surface_area", "/surface_area", a.SurfaceArea, a.LengthUnit+"^2", "sum of the triangles")
	if a.ExactSurfaceArea == nil {
		a.refined(s, &volume)
	} else {
		a.compared(s, &volume, &area)
	}
	s.Figure(volume, area)
	if c, ok := between.apart.Check("", a.bodyName); ok {
		s.Check(c)
	}
	if c, ok := between.contacts.Check("", a.bodyName); ok {
		s.Check(c)
	}
	doubted(s, warnings)
	return s
}

// bodyName is what a sentence calls a body.
func (a *answer) bodyName(body int32) string {
	for _, b := range a.Bodies {
		if b.ID == int(body) && b.Name != "" {
			return fmt.Sprintf("body %d (%s)", body, b.Name)
		}
	}
	return fmt.Sprintf("body %d", body)
}

// relations are what the bodies are to each other.
type relations struct {
	apart    geometry.Apartness
	contacts geometry.Contacts
}

// between looks for bodies that touch, and for space that several bodies of a closed mesh
// claim.
func (a *answer) between(ctx context.Context, dir string, p plan) (r relations, err error) {
	if a.BodyCount < 2 {
		return r, nil
	}
	mesh, err := geometry.Read(filepath.Join(dir, filepath.FromSlash(p.meshFile)))
	if err != nil {
		return r, err
	}
	if len(mesh.Meta.Faces) == 0 { // STL says the faces' ids, not their bodies
		listed, err := facesOf(dir, p)
		if err != nil {
			return r, err
		}
		for _, f := range listed {
			mesh.Meta.Faces = append(mesh.Meta.Faces, geometry.Face{ID: int32(f.ID), Kind: f.Kind, Body: int32(f.Body)})
		}
	}
	mesh.Meta.LengthUnit = a.LengthUnit
	if a.Watertight {
		if r.apart, err = mesh.Apart(ctx); err != nil {
			return r, err
		}
	}
	r.contacts, err = mesh.Contacts(ctx, r.apart.Overlaps)
	return r, err
}

// refined holds the volume against that at half the deflection.
func (a *answer) refined(s *evidence.Statement, volume *evidence.Figure) {
	if a.VolumeChange != nil && volume.Value != nil {
		s.Check(evidence.Within("volume_refinement", evidence.Refinement, "/volume", *a.VolumeChange, agreement, "1",
			"Relative change of the volume when the deflection is halved. This engine gives no exact volume, and a face that it has bent or dropped at every deflection would not show."))
	}
	s.Note("Truck gives no exact figures; engine occt does.")
}

// compared holds the mesh against the exact shape.
func (a *answer) compared(s *evidence.Statement, volume, area *evidence.Figure) {
	if a.AreaDeviation != nil && a.ExactSurfaceArea != nil {
		s.Check(evidence.Within("area_of_exact_shape", evidence.Independent, "/surface_area", *a.AreaDeviation, agreement, "1",
			"Area of the mesh against the area of the exact shape, relative to it."))
		*area = area.PlusMinus(*a.AreaDeviation**a.ExactSurfaceArea, "difference from the exact shape")
	}
	if volume.Value == nil {
		return
	}
	deviation := math.NaN()
	if a.VolumeDeviation != nil && a.ExactVolume != nil {
		deviation = *a.VolumeDeviation
		*volume = volume.PlusMinus(deviation**a.ExactVolume, "difference from the exact shape")
	}
	s.Check(evidence.Within("volume_of_exact_shape", evidence.Independent, "/volume", deviation, agreement, "1",
		"Volume of the mesh against the volume of the exact shape, relative to it."))
	if a.ExactVolume == nil {
		return
	}
	s.Check(evidence.Within("volume_of_mesh", evidence.Independent, "/exact_volume", deviation, agreement, "1",
		"Volume of the exact shape against that of its mesh, relative to it."))
	s.Figure(evidence.Of("exact_volume", "/exact_volume", *a.ExactVolume, a.LengthUnit+"^3", "integral over the exact faces").
		PlusMinus(deviation**a.ExactVolume, "difference from the mesh").Quote())
}

// origin are the facts of the shape, which every later step is held against.
func (a *answer) origin(dir string, p plan, source string) (*evidence.Origin, error) {
	o := &evidence.Origin{Source: source, Exact: a.ExactSurfaceArea != nil, LengthUnit: a.LengthUnit, Bodies: a.BodyCount,
		Min: a.BBoxMin[:], Max: a.BBoxMax[:]}
	o.Volume, o.Area = a.ExactVolume, a.ExactSurfaceArea
	if !o.Exact {
		o.Area = &a.SurfaceArea
		if a.Watertight {
			o.Volume = &a.Volume
		}
	}
	listed, err := facesOf(dir, p)
	for _, f := range listed {
		o.Faces = append(o.Faces, evidence.OriginFace{ID: f.ID, Name: f.Name, Area: f.Area})
	}
	return o, err
}

// facesOf reads the list of all faces that the engine has written.
func facesOf(dir string, p plan) ([]listedFace, error) {
	raw, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(p.facesFile)))
	if err != nil {
		return nil, contract.Errorf(contract.CodeInternal, "the list of faces cannot be read: %w", err)
	}
	var listed struct {
		Faces []listedFace `json:"faces"`
	}
	if err := json.Unmarshal(raw, &listed); err != nil {
		return nil, contract.Errorf(contract.CodeInternal, "the list of faces does not fit: %w", err)
	}
	return listed.Faces, nil
}
