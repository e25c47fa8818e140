package cad

import (
	"atelier/internal/contract"
	"atelier/internal/geometry"
	"atelier/internal/pmi"
)

// answer is what both engines send; lengths are in the file's unit. A pointer is
// null where the engine has no such figure.
type answer struct {
	VertexCount   int        `json:"vertex_count"`
	TriangleCount int        `json:"triangle_count"`
	Volume        float64    `json:"volume"`
	SurfaceArea   float64    `json:"surface_area"`
	BBoxMin       [3]float64 `json:"bbox_min"`
	BBoxMax       [3]float64 `json:"bbox_max"`
	Watertight    bool       `json:"watertight"`
	LengthUnit    string     `json:"length_unit"`

	ExactVolume      *float64 `json:"exact_volume"`
	ExactSurfaceArea *float64 `json:"exact_surface_area"`
	VolumeDeviation  *float64 `json:"volume_deviation"` // (mesh - exact) / exact
	AreaDeviation    *float64 `json:"area_deviation"`
	VolumeChange     *float64 `json:"volume_change"` // on halving the deflection (Truck)

	LinearDeflection  float64  `json:"linear_deflection"`
	AngularDeflection *float64 `json:"angular_deflection"` // radians
	ChordDeviation    *float64 `json:"max_chord_deviation"`

	Solids       int   `json:"solids"`
	Shells       int   `json:"shells"`
	ClosedShells int   `json:"closed_shells"`
	BodyCount    int   `json:"body_count"`
	Faces        int   `json:"faces"`
	Valid        *bool `json:"valid"`

	Products       []string    `json:"products"`
	Bodies         []bodyInfo  `json:"bodies"`
	NamedFaces     []namedFace `json:"named_faces"`
	NamedFaceCount int         `json:"named_face_count"`
}

type bodyInfo struct {
	ID           int         `json:"id"`
	Name         string      `json:"name"`
	Path         string      `json:"path,omitempty"`
	Kind         string      `json:"kind"`
	Faces        int         `json:"faces"`
	Volume       *float64    `json:"volume"`
	Area         float64     `json:"area"`
	Shells       int         `json:"shells"`
	ClosedShells int         `json:"closed_shells"`
	Watertight   bool        `json:"watertight"`
	Color        *[3]float64 `json:"color,omitempty"`
}

// touching are two bodies that lie on each other.
type touching struct {
	Bodies [2]int32 `json:"bodies"`
	Area   float64  `json:"area"`
}

type namedFace struct {
	ID   int     `json:"id"`
	Name string  `json:"name"`
	Kind string  `json:"kind"`
	Area float64 `json:"area"`
	Body int     `json:"body"`
}

// listedFace is a face in the list of all faces, as far as it is of use here.
type listedFace struct {
	namedFace
	Instance int `json:"step_instance"` // of the STEP file that it is, 0 for none
}

// importOutput is what the contract's output schema describes.
type importOutput struct {
	FileName      string     `json:"file_name"`
	Format        string     `json:"format"`
	ArtifactURL   string     `json:"artifact_url"`
	VertexCount   int        `json:"vertex_count"`
	TriangleCount int        `json:"triangle_count"`
	Volume        *float64   `json:"volume"`
	SurfaceArea   float64    `json:"surface_area"`
	BBoxMin       [3]float64 `json:"bbox_min"`
	BBoxMax       [3]float64 `json:"bbox_max"`
	Watertight    bool       `json:"watertight"`
	LengthUnit    string     `json:"length_unit"`
	Engine        string     `json:"engine"`

	ExactVolume      *float64 `json:"exact_volume"`
	ExactSurfaceArea *float64 `json:"exact_surface_area"`
	VolumeDeviation  *float64 `json:"volume_deviation"`
	AreaDeviation    *float64 `json:"area_deviation"`
	LinearDeflection float64  `json:"linear_deflection"`
	AngularDegrees   *float64 `json:"angular_deflection_deg"`
	ChordDeviation   *float64 `json:"max_chord_deviation"`

	Solids         int              `json:"solids"`
	Shells         int              `json:"shells"`
	ClosedShells   int              `json:"closed_shells"`
	Faces          int              `json:"faces"`
	BodyCount      int              `json:"body_count"`
	Products       []string         `json:"products"`
	Bodies         []bodyInfo       `json:"bodies"`
	NamedFaces     []namedFace      `json:"named_faces"`
	NamedFaceCount int              `json:"named_face_count"`
	PMI            []pmi.Annotation `json:"pmi"`
	PMICount       int              `json:"pmi_count"`
	PMIDrawn       int              `json:"pmi_drawn_count"`
	PMIFile        string           `json:"pmi_file,omitempty"`
	PMIURL         string           `json:"pmi_url,omitempty"`
	InterfaceCount int              `json:"interface_count"`
	Interfaces     []touching       `json:"interfaces"`
	Groups         [][]int32        `json:"separate_groups"`
	GroupCount     int              `json:"separate_group_count"`
	FacesFile      string           `json:"faces_file"`
	FacesURL       string           `json:"faces_url"`
}

const degrees = 57.29577951308232

// output makes the tool's output of an engine's answer. The volume of a surface
// that is not closed is no volume and is left null.
func (a *answer) output(call *contract.Call, p plan, contacts geometry.Contacts) importOutput {
	out := importOutput{
		FileName: p.meshFile, Format: p.format, ArtifactURL: contract.ArtifactURL(call.JobID, p.meshFile),
		VertexCount: a.VertexCount, TriangleCount: a.TriangleCount, SurfaceArea: a.SurfaceArea,
		BBoxMin: a.BBoxMin, BBoxMax: a.BBoxMax, Watertight: a.Watertight, LengthUnit: a.LengthUnit, Engine: p.engine,
		ExactVolume: a.ExactVolume, ExactSurfaceArea: a.ExactSurfaceArea, AreaDeviation: a.AreaDeviation,
		LinearDeflection: a.LinearDeflection, ChordDeviation: a.ChordDeviation,
		Solids: a.Solids, Shells: a.Shells, ClosedShells: a.ClosedShells, Faces: a.Faces, BodyCount: a.BodyCount,
		Products: nonNil(a.Products), Bodies: nonNil(a.Bodies), NamedFaces: nonNil(a.NamedFaces), NamedFaceCount: a.NamedFaceCount,
		FacesFile: p.facesFile, FacesURL: contract.ArtifactURL(call.JobID, p.facesFile),
	}
	out.InterfaceCount, out.GroupCount = len(contacts.Pairs), max(1, len(contacts.Groups))
	out.Interfaces, out.Groups = []touching{}, [][]int32{}
	for _, c := range contacts.Pairs[:min(len(contacts.Pairs), inlineRows)] {
		out.Interfaces = append(out.Interfaces, touching{[2]int32{c.A, c.B}, c.Area})
	}
	for _, g := range contacts.Groups[:min(len(contacts.Groups), inlineRows)] {
		out.Groups = append(out.Groups, g.Bodies[:min(len(g.Bodies), inlineRows)])
	}
	if a.Watertight {
		out.Volume, out.VolumeDeviation = &a.Volume, a.VolumeDeviation
	}
	if a.AngularDeflection != nil {
		deg := *a.AngularDeflection * degrees
		out.AngularDegrees = &deg
	}
	for i := range out.Bodies {
		if b := &out.Bodies[i]; b.ClosedShells < b.Shells || b.Shells == 0 {
			b.Volume = nil
		}
	}
	return out
}

func nonNil[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}
