package cad

import (
	"cmp"
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"atelier/internal/contract"
	"atelier/internal/engine"
	"atelier/internal/geometry"
)

var (
	//go:embed volume_mesh_cad.json
	volumeContract []byte
	//go:embed volume_mesh_cad.1.0.json
	volumeContract10 []byte
	//go:embed volume_mesh_cad.1.1.json
	volumeContract11 []byte
	//go:embed volume_mesh_cad.1.2.json
	volumeContract12 []byte
)

const netgen = "netgen"

type volumeInput struct {
	FilePath          string            `json:"file_path"`
	OutputFile        string            `json:"output_file"`
	ElementOrder      int               `json:"element_order"`
	MaxSize           float64           `json:"max_size"`
	MinSize           float64           `json:"min_size"`
	Growth            float64           `json:"growth"`
	ElementsPerCircle float64           `json:"elements_per_circle"`
	LocalSizes        []json.RawMessage `json:"local_sizes"`
	Bodies            []json.RawMessage `json:"bodies"`
	JoinBodies        bool              `json:"join_bodies"`
	MaxTetrahedra     int64             `json:"max_tetrahedra"`
	Mesher            string            `json:"mesher"`
	LengthUnit        string            `json:"length_unit"`
	RefineFrom        string            `json:"refine_from"`
	RefineFactor      float64           `json:"refine_factor"`
}

// volumeRequest is the engine's; lengths in mm. Zero leaves a size to the engine.
type volumeRequest struct {
	Path              string            `json:"path"`
	OutputFile        string            `json:"output_file"`
	Order             int               `json:"order"`
	MaxSize           float64           `json:"max_size,omitempty"`
	MinSize           float64           `json:"min_size,omitempty"`
	Growth            float64           `json:"growth"`
	ElementsPerCircle float64           `json:"elements_per_circle,omitempty"`
	LocalSizes        []json.RawMessage `json:"local_sizes,omitempty"`
	Bodies            []json.RawMessage `json:"bodies,omitempty"`
	Join              bool              `json:"join"`
	MaxTetrahedra     int64             `json:"max_tetrahedra"`
	Budget            float64           `json:"budget_s"`
	Scale             float64           `json:"scale,omitempty"` // of a file whose unit the caller knows
	Refine            *refinement       `json:"refine,omitempty"`
	Names             *nameList         `json:"names,omitempty"`
	handover
}

const (
	meshFacesFile = "mesh_faces.json"
	inlineRows    = 20
	defaultGrown  = 3 // times the elements of the earlier mesh
)

func runVolume(ctx context.Context, host engine.Host, call *contract.Call, in volumeInput) (*contract.Result, error) {
	part, err := open(ctx, call, in.FilePath, in.LengthUnit)
	if err != nil {
		return nil, err
	}
	if part.mirrored && in.Mesher != stuffed {
		return nil, contract.AsError(placedWrong("a mirror")).WithHint("Use mesher %s, which reads it right, or export the part with its mirrored bodies as geometry of their own.", stuffed)
	}
	name, err := meshName(in.OutputFile)
	if err != nil {
		return nil, err
	}
	if err := makeFolder(call, name); err != nil {
		return nil, err
	}
	makers := &meshers{host: host, call: call, files: map[string]string{part.inside: part.file}, request: in.request(part, name), unit: in.LengthUnit}
	switch {
	case in.RefineFrom == "" && in.RefineFactor > 0:
		return nil, contract.Errorf(contract.CodeInvalidInput, "refine_factor says how many elements a solution asks for, and refine_from names none").At("/refine_factor").
			WithHint("Give refine_from, the id of a solve's job, or leave refine_factor out.")
	case in.RefineFrom != "":
		if err := makers.refine(ctx, in.RefineFrom, cmp.Or(in.RefineFactor, defaultGrown)); err != nil {
			return nil, err
		}
	}
	untold, err := makers.names(ctx, part.format, in)
	if err != nil {
		return nil, err
	}
	reply, err := makers.run(ctx, in.Mesher)
	if err != nil {
		return nil, part.explain(unnamed(err, untold))
	}
	var made volumeAnswer
	if err := json.Unmarshal(reply.Output, &made); err != nil {
		return nil, contract.Errorf(contract.CodeInternal, "the answer of engine %s does not fit: %w", netgen, err)
	}
	untold = append(untold, makers.naming.name(&made)...)
	if err := made.writeFaces(call.Dir); err != nil {
		return nil, err
	}
	out := made.output(call, name)
	warnings := slices.Concat(part.warnings(), made.warnings(), reply.Warnings, untold)
	return &contract.Result{
		Solver: made.mesher(), Summary: made.summary(), Output: out, Metrics: reply.Metrics,
		Artifacts: []contract.Artifact{
			{Name: name, MIME: contract.MIMEType(name), Primary: true, Origin: made.origin(part.ref)},
			{Name: meshFacesFile, MIME: contract.MIMEType(meshFacesFile)},
		},
		Log: reply.Log, Warnings: warnings, Statement: made.statement(warnings),
	}, nil
}

func (in volumeInput) request(part source, name string) volumeRequest {
	scale := 0.0
	if in.LengthUnit != "" {
		assumed := map[string]string{"iges": "in"}[part.format]
		scale = geometry.LengthUnits[in.LengthUnit] / geometry.LengthUnits[cmp.Or(assumed, "mm")]
	}
	return volumeRequest{
		Scale: scale,
		Path:  part.inside, OutputFile: name, Order: in.ElementOrder, MaxSize: in.MaxSize, MinSize: in.MinSize, Growth: in.Growth,
		ElementsPerCircle: in.ElementsPerCircle, LocalSizes: in.LocalSizes, Bodies: in.Bodies, Join: in.JoinBodies,
		MaxTetrahedra: in.MaxTetrahedra,
	}
}

// cadExtensions are the formats by the extension that OpenCASCADE wants to see.
var cadExtensions = map[string]string{".step": "step", ".stp": "step", ".iges": "iges", ".igs": "iges", ".brep": "brep", ".brp": "brep"}

// cadFile looks at a CAD file and gives the name under which the engine sees it. A
// reference without an extension of CAD is told by its first bytes.
func cadFile(ref, file string) (inside, format string, err error) {
	format = cadExtensions[strings.ToLower(path.Ext(ref))]
	if format == "" {
		format = cadExtensions[strings.ToLower(filepath.Ext(file))]
	}
	switch head := firstBytes(file, 100); {
	case len(strings.TrimSpace(head)) == 0:
		return "", "", contract.Errorf(contract.CodeFileEmpty, "the file has no content").
			WithHint("Export the part again, or upload the file again: nothing arrived.")
	case strings.HasPrefix(head, "DBRep_DrawableShape") || strings.Contains(head, "CASCADE Topology"):
		return "in/part.brep", "brep", nil
	case len(head) >= 73 && head[72] == 'S': // column 73 of an IGES card is its section (IGES 5.3, 2.2.3)
		return "in/part.iges", "iges", nil
	case format == "iges" || format == "brep":
		return "", "", contract.Errorf(contract.CodeFileUnreadable, "the file is named %s and does not begin like one", strings.ToUpper(format)).
			WithHint("Export the part again, as STEP if you can.")
	}
	return "in/part.step", "step", checkSTEP(file)
}

func firstBytes(file string, n int) string {
	f, err := os.Open(file)
	if err != nil {
		return ""
	}
	defer f.Close()
	head := make([]byte, n)
	got, _ := f.Read(head)
	return string(head[:got])
}

// meshName is the wished name with the extension .mesh.
func meshName(wish string) (string, error) {
	name, err := outputName(strings.TrimSuffix(wish, ".mesh"), "mesh")
	if err == nil && path.Base(name) == meshFacesFile {
		err = contract.Errorf(contract.CodeInvalidInput, "output_file must not be %s", meshFacesFile).At("/output_file")
	}
	return name, err
}

func (a *volumeAnswer) summary() string {
	text := fmt.Sprintf("%d tetrahedra of order %d (%d curved)%s, volume within %.2g %% of the CAD model, surface within %.2g mm of it",
		a.Tetrahedra, a.Order, a.Curved, geometry.InBodies(len(a.Bodies)), 100*math.Abs(a.Volume/a.ExactVolume-1), math.Max(a.Distance.MeshToCAD, a.Distance.CADToMesh))
	if len(a.Groups) > 1 {
		text += fmt.Sprintf("; %d groups of bodies do not touch", len(a.Groups))
	}
	return text + "."
}

func (a *volumeAnswer) warnings() []contract.Warning {
	var out []contract.Warning
	if len(a.Groups) > 1 {
		out = append(out, contract.Warning{Code: "loose_bodies", Message: fmt.Sprintf(
			"The bodies form %d groups that share no face, so no force or heat passes between them: %s. Close the gaps in the CAD model, choose one group with bodies, or hold each group in the solve.", len(a.Groups), listGroups(a.Groups))})
	}
	if w := a.tried(); w.Code != "" {
		out = append(out, w)
	}
	if a.LooseFaces > 0 {
		out = append(out, contract.Warning{Code: "faces_left_out", Message: fmt.Sprintf(
			"%d faces of the file belong to no solid and are not in the mesh; cad_import_truck lists the open shells.", a.LooseFaces)})
	}
	if a.Straightened > 0 {
		out = append(out, contract.Warning{Code: "elements_straightened", Message: fmt.Sprintf(
			"%d elements would fold over if their edges followed the CAD faces; some of these are flatter, or straight. A smaller max_size or more elements_per_circle avoids it.", a.Straightened)})
	}
	return out
}

func listGroups(groups [][]int) string {
	var parts []string
	for _, g := range groups[:min(len(groups), 6)] {
		text := fmt.Sprint(g[:min(len(g), 6)])
		if len(g) > 6 {
			text = strings.TrimSuffix(text, "]") + fmt.Sprintf(" and %d more]", len(g)-6)
		}
		parts = append(parts, text)
	}
	if n := len(groups); n > 6 {
		parts = append(parts, fmt.Sprintf("and %d more", n-6))
	}
	return strings.Join(parts, ", ")
}

// largestFaces are the faces that are shown inline.
func largestFaces(faces []meshFace) []meshFace {
	sorted := slices.Clone(faces)
	slices.SortStableFunc(sorted, func(a, b meshFace) int { return cmp.Compare(b.ExactArea, a.ExactArea) })
	return sorted[:min(len(sorted), inlineRows)]
}
