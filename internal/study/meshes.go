package study

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"

	"atelier/internal/contract"
	"atelier/internal/geometry"
	"atelier/internal/quantity"
	"atelier/internal/shape"
)

// meshed is a part that has become a volume mesh.
type meshed struct {
	url    string // of the mesh, or the file itself
	unit   string // of a file that does not say its own
	file   bool   // the mesh is the part's own file
	shape  *shape.Geometry
	bodies []body
	size   float64 // of its elements, in the file's unit; 0 where that is not known
	made   *contract.Result
}

// body of a mesh.
type body struct {
	Body      int    `json:"body"`
	Attribute int    `json:"attribute"`
	Name      string `json:"name"`
}

// mesh makes the volume mesh of a part once; nil where a step of it has failed.
func (e *execution) mesh(ctx context.Context, name string) (*meshed, error) {
	if m, made := e.parts[name]; made {
		return m, nil
	}
	m, err := e.makeMesh(ctx, name)
	if err != nil {
		return nil, err
	}
	e.parts[name] = m
	return m, nil
}

func (e *execution) makeMesh(ctx context.Context, name string) (*meshed, error) {
	part, at := e.study.Parts[name], "/parts/"+escape(name)
	switch part.kind() {
	case volumeFile:
		return &meshed{url: part.File, unit: part.LengthUnit, file: true, shape: shape.Unmeasured(orMetres(part.LengthUnit))}, nil
	case surfaceFile:
		return e.filled(ctx, name, part.File, part.LengthUnit, at)
	}
	m := &meshed{shape: shape.Unmeasured(shape.ExactUnit)}
	var surface string
	if part.kind() == cadFile {
		imported, err := e.step(ctx, Step{stepImport + " " + name, "cad_import_truck", at}, fileCall("/file_path", part.File, at+"/file", nil))
		if err != nil || imported == nil {
			return nil, err
		}
		if m.shape, surface, err = e.measured(ctx, imported); err != nil {
			return nil, e.failed(Step{stepImport + " " + name, "cad_import_truck", at}, contract.AsError(err).At(at+"/file"))
		}
	}
	options, notes := e.study.Mesh.ofCAD(m.shape)
	if part.LengthUnit != "" {
		options["length_unit"] = part.LengthUnit
	}
	local, more, err := e.study.Mesh.localSizes(name, m.shape)
	if err != nil {
		return nil, e.failed(Step{stepMesh + " " + name, "volume_mesh_cad", at}, err)
	}
	if len(local) > 0 {
		options["local_sizes"] = local
	}
	call := fileCall("/file_path", part.File, at+"/file", options)
	call.notes = append(notes, more...)
	call.places["/max_size"], call.places["/elements_per_circle"], call.places["/length_unit"] = "/mesh/size", "/mesh/elements_per_circle", at+"/length_unit"
	made, err := e.step(ctx, Step{stepMesh + " " + name, "volume_mesh_cad", at}, call)
	switch {
	case err != nil:
		return nil, err
	case made == nil && surface != "":
		return e.filledInstead(ctx, name, surface, m.shape, at)
	case made == nil:
		return nil, nil
	}
	if err := e.take(ctx, made, m); err != nil {
		return nil, e.failed(Step{stepMesh + " " + name, "volume_mesh_cad", at}, contract.AsError(err).At(at))
	}
	return m, nil
}

func orMetres(unit string) string {
	if unit == "" {
		return "m"
	}
	return unit
}

// fileCall is a call of a tool that reads a file.
func fileCall(argument, file, at string, options map[string]any) prepared {
	input := map[string]any{strings.TrimPrefix(argument, "/"): file}
	for k, v := range options {
		input[k] = v
	}
	return prepared{input: encode(input), files: []string{argument}, places: map[string]string{argument: at}}
}

// filledInstead meshes the triangulation of a CAD model whose exact faces could not be
// meshed, and says so.
func (e *execution) filledInstead(ctx context.Context, name, surface string, g *shape.Geometry, at string) (*meshed, error) {
	failed := &e.run.Steps[len(e.run.Steps)-1]
	failed.Notes = append(failed.Notes, "The triangulation of the part is repaired and filled with straight elements instead, which follow its faces to a part of their size only; stresses at curves are less exact.")
	m, err := e.filled(ctx, name, surface, "", at)
	if m != nil {
		m.shape = g
	}
	return m, err
}

// filled repairs a surface and fills it.
func (e *execution) filled(ctx context.Context, name, surface, unit, at string) (*meshed, error) {
	options := map[string]any{}
	if unit != "" {
		options["length_unit"] = unit
	}
	repaired, err := e.step(ctx, Step{stepRepair + " " + name, "mesh_repair_pmp", at}, fileCall("/input_path", surface, at+"/file", options))
	if err != nil || repaired == nil {
		return nil, err
	}
	g, url, err := e.measured(ctx, repaired)
	if err != nil {
		return nil, e.failed(Step{stepRepair + " " + name, "mesh_repair_pmp", at}, contract.AsError(err).At(at+"/length_unit"))
	}
	volume := map[string]any{}
	if dx := e.study.Mesh.spacing(g); dx > 0 {
		volume["dx"] = dx
	}
	call := fileCall("/input_path", url, at+"/file", volume)
	call.places["/dx"] = "/mesh/size"
	made, err := e.step(ctx, Step{"fill " + name, "volume_mesh_quartet", at}, call)
	if err != nil || made == nil {
		return nil, err
	}
	m := &meshed{shape: g, made: made}
	var out struct {
		URL string  `json:"artifact_url"`
		DX  float64 `json:"dx"`
	}
	if err := json.Unmarshal(made.OutputJSON(), &out); err != nil {
		return nil, unreadable("volume_mesh_quartet", err)
	}
	m.url, m.size = out.URL, out.DX
	return m, nil
}

func unreadable(tool string, err error) error {
	return contract.Errorf(contract.CodeInvalidToolOutput, "the answer of %s cannot be read: %w", tool, err)
}

// measured learns the shape of a part from the surface that an import or a repair has made.
func (e *execution) measured(ctx context.Context, made *contract.Result) (g *shape.Geometry, url string, err error) {
	var out struct {
		URL    string          `json:"artifact_url"`
		Format geometry.Format `json:"format"`
		Unit   string          `json:"length_unit"`
		Faces  string          `json:"faces_url"`
	}
	if err := json.Unmarshal(made.OutputJSON(), &out); err != nil {
		return nil, "", unreadable("the import", err)
	}
	data, err := e.read(ctx, out.URL)
	if err != nil {
		return nil, "", err
	}
	surface, err := geometry.Decode(data, out.Format)
	if err != nil {
		return nil, "", err
	}
	surface.Meta.LengthUnit = out.Unit
	var faces []byte
	if out.Faces != "" {
		if faces, err = e.read(ctx, out.Faces); err != nil {
			return nil, "", err
		}
	}
	g, err = shape.NewGeometry(surface, faces)
	return g, out.URL, err
}

// take learns what a mesh of the CAD model has: its bodies, and that its faces are those
// of the import.
func (e *execution) take(ctx context.Context, made *contract.Result, m *meshed) error {
	var out struct {
		URL    string `json:"artifact_url"`
		Faces  string `json:"faces_url"`
		Bodies []body `json:"bodies"`
	}
	if err := json.Unmarshal(made.OutputJSON(), &out); err != nil {
		return unreadable("volume_mesh_cad", err)
	}
	m.url, m.bodies, m.made = out.URL, out.Bodies, made
	if len(m.shape.Faces) == 0 {
		return nil
	}
	faces, err := e.read(ctx, out.Faces)
	if err != nil {
		return err
	}
	m.shape = m.shape.Exact()
	return m.shape.SameFaces(faces)
}

// read is the content of an artifact.
func (e *execution) read(ctx context.Context, url string) ([]byte, error) {
	path, err := e.call.Files.Path(ctx, url)
	if err != nil {
		return nil, err
	}
	return os.ReadFile(path)
}

// Sizes of elements as shares of the part's diagonal: of curved ones of second order on
// the CAD faces, which are worth several straight ones, and of straight ones.
var (
	exactShares    = map[string]float64{"coarse": 1.0 / 12, "fine": 1.0 / 40}
	exactCircles   = map[string]float64{"coarse": 16, "fine": 72}
	straightShares = map[string]float64{"coarse": 1.0 / 25, "fine": 1.0 / 60}
)

// ofCAD are the wishes as volume_mesh_cad takes them, in mm.
func (m *Mesh) ofCAD(g *shape.Geometry) (map[string]any, []string) {
	out := map[string]any{}
	if m == nil {
		return out, nil
	}
	var notes []string
	switch share := exactShares[m.Fineness]; {
	case m.Size != nil:
		out["max_size"] = quantity.Significant(1000 * m.Size.Metres)
	case share > 0 && g != nil && len(g.Faces) > 0:
		size := quantity.Significant(1000 * g.Metres() * g.Diagonal() * share)
		out["max_size"], out["elements_per_circle"] = size, exactCircles[m.Fineness]
		notes = append(notes, fmt.Sprintf("A %s mesh has elements of at most %g mm, %.2g of the part's diagonal, and %g around a circle.", m.Fineness, size, share, exactCircles[m.Fineness]))
	case m.Fineness != "" && m.Fineness != "medium":
		notes = append(notes, fmt.Sprintf("The mesh is not made %s: the size of the part is not known before it is meshed. Give a size.", m.Fineness))
	}
	if m.ElementsPerCircle != nil {
		out["elements_per_circle"] = *m.ElementsPerCircle
	}
	return out, notes
}

// spacing is the wish as volume_mesh_quartet takes it, in the file's unit; 0 for none.
func (m *Mesh) spacing(g *shape.Geometry) float64 {
	switch {
	case m == nil:
		return 0
	case m.Size != nil:
		return quantity.Significant(m.Size.Metres / g.Metres())
	}
	return quantity.Significant(g.Diagonal() * straightShares[m.Fineness])
}

// localSizes are the wishes for single places of a part as volume_mesh_cad takes them.
func (m *Mesh) localSizes(part string, g *shape.Geometry) (list []any, notes []string, err error) {
	if m == nil {
		return nil, nil, nil
	}
	r := &shape.Resolver{Geometry: g}
	for _, name := range keys(m.Local) {
		l, at := m.Local[name], "/mesh/local/"+escape(name)
		if l.Part != "" && l.Part != part {
			continue
		}
		if len(g.Faces) == 0 {
			return nil, nil, contract.Errorf(contract.CodeInvalidInput, "the faces of the part %q are not known before it is meshed", part).At(at).WithHint("Give a STEP file, or one size for the whole mesh.")
		}
		sites, err := r.Sites(shapes(l.On))
		if err != nil {
			return nil, nil, contract.AsError(err).At(at + "/on")
		}
		for _, s := range sites {
			ids := s.Selector.Attribute
			for _, face := range s.Selector.Face {
				f, _ := g.FaceNamed(face)
				ids = append(ids, f.ID)
			}
			if len(ids) == 0 {
				return nil, nil, contract.Errorf(contract.CodeInvalidInput, "%s is no CAD face of the part", s.Place).At(at + "/on").WithHint("Name faces by number, name or feature.")
			}
			for _, id := range ids {
				list = append(list, map[string]any{"face": id, "size": quantity.Significant(1000 * l.Size.Metres)})
			}
		}
	}
	return list, r.Assumed, nil
}
