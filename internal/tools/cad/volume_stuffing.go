package cad

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"time"

	"atelier/internal/contract"
	"atelier/internal/engine"
	"atelier/internal/geometry"
	"atelier/internal/stuffing"
)

// stuffed names isosurface stuffing (Labelle and Shewchuk 2007) among the meshers: it
// fills the closed triangulation of a part with straight elements, and needs nothing of
// its faces.
const stuffed = "stuffing"

// Of the triangulation that stuffing fills.
const (
	surfaceFile      = "surface.obj"
	surfaceFacesFile = "faces.json"
	mostTriangles    = 2_000_000
	featureAngle     = 45 // degrees; edges between CAD faces are sharp in any case
)

// stuffing fills the part's triangulation, in the way of a reply of the other meshers.
func (m *meshers) stuffing(ctx context.Context, attempts []meshAttempt) (*engine.Reply, error) {
	begun := time.Now()
	s, err := m.triangulated(ctx)
	if err != nil {
		return nil, err
	}
	made, err := stuffing.Generate(ctx, s.surface, stuffing.Options{DX: m.request.MaxSize, Optimize: true, FeatureAngle: featureAngle,
		MaxTetrahedra: int(m.request.MaxTetrahedra), Progress: m.call.Progress})
	if err != nil {
		return nil, err
	}
	made.Mesh.Meta.LengthUnit = "mm"
	out, err := s.answer(ctx, made)
	if err != nil {
		return nil, err
	}
	out.Attempts = append(attempts, meshAttempt{stuffed, time.Since(begun).Seconds(), ""})
	if err := made.Mesh.Write(filepath.Join(m.call.Dir, filepath.FromSlash(m.request.OutputFile)), "mesh"); err != nil {
		return nil, contract.Errorf(contract.CodeVolumeMeshFailed, "the mesh could not be written: %w", err)
	}
	if r := m.request; len(r.LocalSizes) > 0 || r.ElementsPerCircle > 0 || r.MinSize > 0 || r.Refine != nil || r.Order == 2 {
		s.warnings = append(s.warnings, contract.Warning{Code: "sizes_ignored", Message: "Isosurface stuffing makes straight elements of order 1 and about one size, max_size: element_order 2 and other sizes were not followed."})
	}
	raw, err := json.Marshal(out)
	return &engine.Reply{Output: raw, Warnings: append(s.warnings, made.Warnings...), Metrics: map[string]any{"mesh_seconds": time.Since(begun).Seconds()}}, err
}

// triangulation is a part as OpenCASCADE's triangles, in mm, with what is exact of it.
type triangulation struct {
	surface  *geometry.Mesh
	imported answer
	faces    []listedFace // of the bodies that are kept
	bodies   []bodyInfo   // likewise
	scale    float64      // mm in the file's unit
	warnings []contract.Warning
}

// triangulated imports the part, and keeps the bodies that are asked for.
func (m *meshers) triangulated(ctx context.Context) (*triangulation, error) {
	if err := m.host.Check(occt); err != nil {
		return nil, err
	}
	p := plan{engine: occt, format: "obj", cadFile: m.request.Path, meshFile: surfaceFile, facesFile: surfaceFacesFile}
	in := importInput{LengthUnit: m.unit, Heal: true, MaxTriangles: mostTriangles}
	reply, err := m.host.Run(ctx, m.call, engine.Job{Engine: occt, Request: in.request(ctx, p), Inputs: m.files})
	if err != nil {
		return nil, err
	}
	t := &triangulation{warnings: reply.Warnings}
	if err := json.Unmarshal(reply.Output, &t.imported); err != nil {
		return nil, contract.Errorf(contract.CodeInternal, "the answer of engine %s does not fit: %w", occt, err)
	}
	defer os.Remove(m.inDir(surfaceFile))
	defer os.Remove(m.inDir(surfaceFacesFile))
	if t.faces, err = facesOf(m.call.Dir, p); err != nil {
		return nil, err
	}
	listed, err := readList(m.call.Dir, p)
	if err != nil {
		return nil, err
	}
	t.imported.Bodies = listed.Bodies // the answer has only the first
	if t.surface, err = geometry.Read(m.inDir(surfaceFile)); err != nil {
		return nil, err
	}
	t.scale = geometry.LengthUnits[t.imported.LengthUnit] / geometry.LengthUnits["mm"]
	for i, v := range t.surface.Vertices {
		t.surface.Vertices[i] = v.Scale(t.scale)
	}
	t.surface.Meta.LengthUnit = "mm"
	return t, t.only(m.request.Bodies)
}

// only keeps the bodies of these numbers and names; all for none.
func (t *triangulation) only(wanted []json.RawMessage) error {
	t.bodies = t.imported.Bodies
	if len(wanted) == 0 {
		return nil
	}
	kept := map[int32]bool{}
	for i, raw := range wanted {
		var number int
		var name string
		_, _ = json.Unmarshal(raw, &number), json.Unmarshal(raw, &name) // it is one of the two
		found := false
		for _, b := range t.imported.Bodies {
			if b.ID == number || name != "" && b.Name == name {
				kept[int32(b.ID)], found = true, true
			}
		}
		if !found {
			return contract.Errorf(contract.CodeInvalidInput, "no body is %s", raw).At(fmt.Sprintf("/bodies/%d", i)).
				WithHint("cad_import_truck lists the bodies with their numbers and names.")
		}
	}
	t.bodies = slices.DeleteFunc(slices.Clone(t.bodies), func(b bodyInfo) bool { return !kept[int32(b.ID)] })
	of := map[int32]int32{}
	for _, f := range t.surface.Meta.Faces {
		of[f.ID] = f.Body
	}
	t.surface.Meta.Faces = slices.DeleteFunc(t.surface.Meta.Faces, func(f geometry.Face) bool { return !kept[f.Body] })
	t.faces = slices.DeleteFunc(t.faces, func(f listedFace) bool { return !kept[int32(f.Body)] })
	triangles, faces := t.surface.Triangles[:0], t.surface.FaceID[:0]
	for i, tri := range t.surface.Triangles {
		if face := t.surface.Face(i); kept[of[face]] {
			triangles, faces = append(triangles, tri), append(faces, face)
		}
	}
	meta := t.surface.Meta
	t.surface = used(t.surface.Vertices, triangles)
	t.surface.FaceID, t.surface.Meta = faces, meta
	return nil
}

// answer measures a mesh against the CAD model, as the other meshers' are: exact volumes
// and areas are OpenCASCADE's, distances those from the triangulation and how far that
// leaves the CAD faces.
func (t *triangulation) answer(ctx context.Context, made *stuffing.Result) (*volumeAnswer, error) {
	m := made.Mesh
	out := &volumeAnswer{Tetrahedra: len(m.Tetrahedra), Nodes: len(m.Vertices), Order: 1, Jacobian: 1, MinDihedral: 180, TotalBodies: t.imported.BodyCount}
	lo, hi := t.surface.Bounds()
	out.BBoxMin, out.BBoxMax, out.Diagonal = lo[:], hi[:], hi.Sub(lo).Norm()
	if err := t.measureBodies(out, made); err != nil {
		return nil, err
	}
	t.measureFaces(out, made.Faces)
	boundary := used(m.Vertices, m.Triangles)
	apart, _, err := geometry.Deviation(ctx, t.surface, boundary)
	if err != nil {
		return nil, err
	}
	if c := t.imported.ChordDeviation; c != nil {
		apart += *c * t.scale
	}
	out.Distance.MeshToCAD, out.Distance.CADToMesh = apart, apart
	out.Distance.Samples = len(boundary.Vertices) + len(boundary.Triangles) + len(t.surface.Vertices)
	return out, nil
}

func (t *triangulation) measureBodies(out *volumeAnswer, made *stuffing.Result) error {
	cubed, seen := math.Pow(t.scale, 3), map[int]bool{}
	for _, r := range made.Bodies {
		body := t.bodyOf(r.Body, made.Faces)
		at := slices.IndexFunc(t.bodies, func(b bodyInfo) bool { return b.ID == body })
		switch {
		case at < 0 || t.bodies[at].Volume == nil:
			return contract.Errorf(contract.CodeVolumeMeshFailed, "body %d has no exact volume to hold its mesh against", body)
		case seen[body]:
			return contract.Errorf(contract.CodeVolumeMeshFailed, "body %d has pieces that do not hang together", body)
		}
		seen[body] = true
		exact := *t.bodies[at].Volume * cubed
		out.Bodies = append(out.Bodies, meshBody{Body: body, Attribute: int(r.Body), Name: t.bodies[at].Name, Tetrahedra: r.Tetrahedra, Volume: r.Volume, ExactVolume: exact})
		out.Groups = append(out.Groups, []int{body}) // no two bodies share a node
		out.Volume, out.ExactVolume = out.Volume+r.Volume, out.ExactVolume+exact
		out.MaxSize, out.Expected = math.Max(out.MaxSize, r.DX), out.Expected+r.Expected
		out.MinDihedral, out.MaxDihedral = math.Min(out.MinDihedral, r.MinDihedral), math.Max(out.MaxDihedral, r.MaxDihedral)
	}
	return nil
}

// bodyOf is the CAD body of one that was filled, by its faces; 0 for none.
func (t *triangulation) bodyOf(filled int32, faces []stuffing.FaceReport) int {
	for _, r := range faces {
		if r.Body != filled {
			continue
		}
		if at := slices.IndexFunc(t.faces, func(f listedFace) bool { return f.ID == int(r.Attribute) }); at >= 0 {
			return t.faces[at].Body
		}
	}
	return 0
}

func (t *triangulation) measureFaces(out *volumeAnswer, made []stuffing.FaceReport) {
	squared := t.scale * t.scale
	for _, f := range t.faces {
		row := meshFace{Face: f.ID, Name: f.Name, Bodies: []int{f.Body}, ExactArea: f.Area * squared}
		for _, r := range made {
			if int(r.Attribute) != f.ID {
				continue
			}
			row.Triangles, row.Area = r.Triangles, r.Area
			if f.Kind == "plane" {
				out.Distance.OffPlane = math.Max(out.Distance.OffPlane, r.Bend)
			}
		}
		out.Area, out.ExactArea = out.Area+row.Area, out.ExactArea+row.ExactArea
		out.Faces = append(out.Faces, row)
	}
}

// used is a surface of the vertices that these triangles have, without the others.
func used(vertices []geometry.Vec3, triangles [][3]int32) *geometry.Mesh {
	out, number := &geometry.Mesh{}, map[int32]int32{}
	for _, t := range triangles {
		var moved [3]int32
		for k, v := range t {
			at, seen := number[v]
			if !seen {
				at = int32(len(out.Vertices))
				number[v] = at
				out.Vertices = append(out.Vertices, vertices[v])
			}
			moved[k] = at
		}
		out.Triangles = append(out.Triangles, moved)
	}
	return out
}
