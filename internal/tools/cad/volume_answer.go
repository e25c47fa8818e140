package cad

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"

	"atelier/internal/contract"
	"atelier/internal/evidence"
)

// volumeAnswer is what the engine sends; lengths in mm.
type volumeAnswer struct {
	Tetrahedra   int             `json:"tetrahedra"`
	Nodes        int             `json:"nodes"`
	Order        int             `json:"order"`
	Curved       int             `json:"curved"`
	Straightened int             `json:"straightened"`
	Jacobian     float64         `json:"jacobian"`
	MaxSize      float64         `json:"max_size"`
	PerCircle    float64         `json:"elements_per_circle"`
	Expected     int             `json:"expected_tetrahedra"`
	Attempts     []meshAttempt   `json:"attempts"`
	Diagonal     float64         `json:"diagonal"`
	BBoxMin      []float64       `json:"bbox_min"`
	BBoxMax      []float64       `json:"bbox_max"`
	MinDihedral  float64         `json:"min_dihedral"`
	MaxDihedral  float64         `json:"max_dihedral"`
	Volume       float64         `json:"volume"`
	ExactVolume  float64         `json:"exact_volume"`
	Area         float64         `json:"area"`
	ExactArea    float64         `json:"exact_area"`
	Bodies       []meshBody      `json:"bodies"`
	TotalBodies  int             `json:"total_bodies"`
	LooseFaces   int             `json:"loose_faces"` // of no solid, and not meshed
	Faces        []meshFace      `json:"faces"`
	Interfaces   []bodyInterface `json:"interfaces"`
	Groups       [][]int         `json:"groups"`
	Distance     struct {
		MeshToCAD float64 `json:"mesh_to_cad"`
		CADToMesh float64 `json:"cad_to_mesh"`
		OffPlane  float64 `json:"off_plane"`
		Samples   int     `json:"samples"`
	} `json:"distance"`
}

// meshAttempt is one try of a mesher; the last has no error.
type meshAttempt struct {
	Mesher  string  `json:"mesher"`
	Seconds float64 `json:"seconds"`
	Error   string  `json:"error"`
}

type meshBody struct {
	Body        int     `json:"body"`
	Attribute   int     `json:"attribute"`
	Name        string  `json:"name"`
	Tetrahedra  int     `json:"tetrahedra"`
	Volume      float64 `json:"volume"`
	ExactVolume float64 `json:"exact_volume"`
}

type meshFace struct {
	Face      int     `json:"face"`
	Name      string  `json:"name"`
	Bodies    []int   `json:"bodies"`
	Triangles int     `json:"triangles"`
	Area      float64 `json:"area"`
	ExactArea float64 `json:"exact_area"`
}

type bodyInterface struct {
	Bodies []int   `json:"bodies"`
	Faces  int     `json:"faces"`
	Area   float64 `json:"area"`
}

// volumeOutput is what the contract's output schema describes.
type volumeOutput struct {
	OutputFile      string          `json:"output_file"`
	ArtifactURL     string          `json:"artifact_url"`
	LengthUnit      string          `json:"length_unit"`
	ElementOrder    int             `json:"element_order"`
	Tetrahedra      int             `json:"tetrahedra"`
	Nodes           int             `json:"nodes"`
	Curved          int             `json:"curved_elements"`
	Straightened    int             `json:"straightened_elements"`
	MinJacobian     float64         `json:"min_jacobian"`
	MaxSize         float64         `json:"max_size"`
	PerCircle       float64         `json:"elements_per_circle"`
	Expected        int             `json:"expected_tetrahedra"`
	Attempts        []meshAttempt   `json:"attempts"`
	MinDihedral     float64         `json:"min_dihedral_deg"`
	MaxDihedral     float64         `json:"max_dihedral_deg"`
	Volume          float64         `json:"volume"`
	ExactVolume     float64         `json:"exact_volume"`
	Area            float64         `json:"surface_area"`
	ExactArea       float64         `json:"exact_surface_area"`
	DistanceToCAD   float64         `json:"distance_to_cad"`
	DistanceFromCAD float64         `json:"distance_from_cad"`
	DistanceSamples int             `json:"distance_samples"`
	OffPlane        float64         `json:"off_plane"`
	FaceCount       int             `json:"face_count"`
	Faces           []meshFace      `json:"faces"`
	FacesFile       string          `json:"faces_file"`
	FacesURL        string          `json:"faces_url"`
	BodyCount       int             `json:"body_count"`
	BodiesInFile    int             `json:"bodies_in_file"`
	Bodies          []meshBody      `json:"bodies"`
	InterfaceCount  int             `json:"interface_count"`
	Interfaces      []bodyInterface `json:"interfaces"`
	Groups          [][]int         `json:"separate_groups"`
	GroupCount      int             `json:"separate_group_count"`
}

func (a *volumeAnswer) output(call *contract.Call, name string) volumeOutput {
	groups := make([][]int, 0, len(a.Groups))
	for _, g := range a.Groups[:min(len(a.Groups), inlineRows)] {
		groups = append(groups, g[:min(len(g), inlineRows)])
	}
	return volumeOutput{
		OutputFile: name, ArtifactURL: contract.ArtifactURL(call.JobID, name), LengthUnit: "mm",
		ElementOrder: a.Order, Tetrahedra: a.Tetrahedra, Nodes: a.Nodes, Curved: a.Curved, Straightened: a.Straightened,
		MinJacobian: a.Jacobian, MaxSize: a.MaxSize, PerCircle: a.PerCircle, Expected: a.Expected, Attempts: a.Attempts, MinDihedral: a.MinDihedral, MaxDihedral: a.MaxDihedral,
		Volume: a.Volume, ExactVolume: a.ExactVolume, Area: a.Area, ExactArea: a.ExactArea,
		DistanceToCAD: a.Distance.MeshToCAD, DistanceFromCAD: a.Distance.CADToMesh, DistanceSamples: a.Distance.Samples, OffPlane: a.Distance.OffPlane,
		FaceCount: len(a.Faces), Faces: largestFaces(a.Faces), FacesFile: meshFacesFile, FacesURL: contract.ArtifactURL(call.JobID, meshFacesFile),
		BodyCount: len(a.Bodies), BodiesInFile: a.TotalBodies, Bodies: a.Bodies[:min(len(a.Bodies), inlineRows)],
		InterfaceCount: len(a.Interfaces), Interfaces: nonNil(a.Interfaces[:min(len(a.Interfaces), inlineRows)]),
		Groups: groups, GroupCount: len(a.Groups),
	}
}

// writeFaces keeps every body, face and pair beside the mesh.
func (a *volumeAnswer) writeFaces(dir string) error {
	data, err := json.MarshalIndent(struct {
		Bodies     []meshBody      `json:"bodies"`
		Interfaces []bodyInterface `json:"interfaces"`
		Groups     [][]int         `json:"separate_groups"`
		Faces      []meshFace      `json:"faces"`
	}{a.Bodies, nonNil(a.Interfaces), a.Groups, a.Faces}, "", " ")
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, meshFacesFile), append(data, '\n'), 0o644)
}

// What a mesh must keep of the CAD model to stand for it.
const (
	mostVolumeOff   = 1e-3 // of a body's volume
	mostFaceAreaOff = 0.02 // of a face's area
	mostDistance    = 1e-3 // of the model's diagonal
	mostOffPlane    = 1e-9 // of the model's diagonal
	leastMeshAngle  = 5.0  // degrees
	leastJacobian   = 0.02
)

// statement says what the mesh keeps of the CAD model, and what its elements are worth.
func (a *volumeAnswer) statement(warnings []contract.Warning) *evidence.Statement {
	s := &evidence.Statement{}
	const mm2, mm3 = "mm^2", "mm^3"
	a.faceChecks(s)
	doubted(s, warnings)
	worst := 0.0
	for _, b := range a.Bodies {
		if off := b.Volume/b.ExactVolume - 1; math.Abs(off) > math.Abs(worst) {
			worst = off
		}
	}
	s.Check(
		evidence.Within("body_volume", evidence.Independent, "/volume", worst, mostVolumeOff, "1", "Volume of the body that is furthest off, relative to that of the CAD body."),
		evidence.Within("surface_area", evidence.Independent, "/surface_area", a.Area/a.ExactArea-1, mostFaceAreaOff, "1", "Outer area relative to that of the CAD model."),
		evidence.Within("distance_to_cad", evidence.Bounds, "/distance_to_cad", a.Distance.MeshToCAD/a.Diagonal, mostDistance, "1", fmt.Sprintf("Largest distance from the mesh to its CAD faces relative to the diagonal; %d points were looked at, those with the largest bounds measured.", a.Distance.Samples)),
		evidence.Within("distance_from_cad", evidence.Bounds, "/distance_from_cad", a.Distance.CADToMesh/a.Diagonal, mostDistance, "1", "Largest distance from the CAD faces and their outlines to the mesh, relative to the diagonal."),
		evidence.Within("planes_flat", evidence.Exact, "/off_plane", a.Distance.OffPlane/a.Diagonal, mostOffPlane, "1", "How far nodes of plane faces lie off their plane, beyond what the CAD model's own vertices do, relative to the diagonal."),
		evidence.AtLeast("jacobian", evidence.Exact, "/min_jacobian", a.Jacobian, leastJacobian, "1", "Smallest ratio of least to largest Jacobian determinant; Bernstein coefficients bound it over each element."),
		evidence.AtLeast("smallest_dihedral_angle", evidence.Exact, "/min_dihedral_deg", a.MinDihedral, leastMeshAngle, "deg", "Smallest dihedral angle of all tetrahedra; flatter ones spoil stress and conditioning."),
		evidence.Holds("bodies_hang_together", evidence.Bounds, "", len(a.Groups) == 1, "Every body shares a face with the others; a loose one carries no load and has to be held by itself."))
	measured := "computed for every element"
	s.Figure(
		evidence.Of("volume", "/volume", a.Volume, mm3, "sum of the elements, each integrated exactly").PlusMinus(a.Volume-a.ExactVolume, "difference from the CAD model").Quote(),
		evidence.Of("surface_area", "/surface_area", a.Area, mm2, "quadrature over the outer triangles").PlusMinus(a.Area-a.ExactArea, "difference from the CAD model"),
		evidence.Of("distance_to_cad", "/distance_to_cad", a.Distance.MeshToCAD, "mm", "largest of the samples"),
		evidence.Of("distance_from_cad", "/distance_from_cad", a.Distance.CADToMesh, "mm", "largest of the samples"),
		evidence.Of("off_plane", "/off_plane", a.Distance.OffPlane, "mm", "largest over the nodes of plane faces"),
		evidence.Of("min_dihedral", "/min_dihedral_deg", a.MinDihedral, "deg", measured).PlusMinus(0, "bound"),
		evidence.Of("min_jacobian", "/min_jacobian", a.Jacobian, "1", "Bernstein coefficients of every element").PlusMinus(0, "bound"))
	return s
}

// faceChecks looks for faces that are missing or bent.
func (a *volumeAnswer) faceChecks(s *evidence.Statement) {
	lost, worst, worstFace := 0, 0.0, meshFace{}
	for _, f := range a.Faces {
		if f.Triangles == 0 {
			lost++
		}
		if off := f.Area/f.ExactArea - 1; math.Abs(off) > math.Abs(worst) {
			worst, worstFace = off, f
		}
	}
	s.Check(
		evidence.Within("faces_lost", evidence.Exact, "", float64(lost), 0, "1", fmt.Sprintf("CAD faces without a face of an element, of %d.", len(a.Faces))),
		evidence.Within("face_area", evidence.Independent, "", worst, mostFaceAreaOff, "1", fmt.Sprintf("Area of face %d, the furthest off, relative to that of the CAD face.", worstFace.Face)))
}

// origin are the facts of the CAD model that the mesh was made from.
func (a *volumeAnswer) origin(source string) *evidence.Origin {
	o := &evidence.Origin{Source: source, Exact: true, LengthUnit: "mm", Bodies: len(a.Bodies), Min: a.BBoxMin, Max: a.BBoxMax, Volume: &a.ExactVolume, Area: &a.ExactArea}
	for _, f := range a.Faces {
		if len(f.Bodies) == 1 {
			o.Faces = append(o.Faces, evidence.OriginFace{ID: f.Face, Name: f.Name, Area: f.ExactArea})
		}
	}
	return o
}
