package mesh

import (
	"cmp"
	"context"
	_ "embed"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"atelier/internal/contract"
	"atelier/internal/geometry"
	"atelier/internal/quantity"
	"atelier/internal/stuffing"
)

//go:embed volume_mesh_quartet.json
var volumeContract []byte

//go:embed volume_mesh_quartet.1.0.json
var volumeContract10 []byte

type volumeInput struct {
	InputPath             string               `json:"input_path"`
	OutputFile            string               `json:"output_file"`
	OutputFormat          string               `json:"output_format"`
	DX                    *quantity.FileLength `json:"dx"`
	MinDX                 *quantity.FileLength `json:"min_dx"`
	PerCircle             *float64             `json:"elements_per_circle"`
	Across                *float64             `json:"elements_across"`
	OptimizeQuality       bool                 `json:"optimize_quality"`
	FeatureAngleThreshold float64              `json:"feature_angle_threshold"`
	MaxTetrahedra         int                  `json:"max_tetrahedra"`
	LengthUnit            string               `json:"length_unit"`
}

type volumeStats struct {
	NodeCount           int     `json:"node_count"`
	TetrahedraCount     int     `json:"tetrahedra_count"`
	WorstElementQuality float64 `json:"worst_element_quality"`
}

type volumeOutput struct {
	OutputFile         string                `json:"output_file"`
	ArtifactURL        string                `json:"artifact_url"`
	Format             string                `json:"format"`
	Stats              volumeStats           `json:"stats"`
	DX                 float64               `json:"dx"`
	MinDX              float64               `json:"min_dx"`
	DXChosen           bool                  `json:"dx_chosen"`
	LengthUnit         string                `json:"length_unit"`
	MinDihedral        float64               `json:"min_dihedral_deg"`
	MaxDihedral        float64               `json:"max_dihedral_deg"`
	Volume             float64               `json:"volume"`
	VolumeError        float64               `json:"volume_error"`
	Bodies             []stuffing.BodyReport `json:"bodies"`
	BodyCount          int                   `json:"body_count"`
	BoundaryAttributes []attributeRow        `json:"boundary_attributes"`
	AttributeCount     int                   `json:"boundary_attribute_count"`
	AttributesFile     string                `json:"boundary_attributes_file"`
	AttributesURL      string                `json:"boundary_attributes_url"`
}

type attributeRow struct {
	Attribute int32   `json:"attribute"`
	Name      string  `json:"name"`
	Area      float64 `json:"area"`
	AreaError float64 `json:"area_error"`
}

// Rows shown inline; all of them are in the artifact.
const (
	inlineRows     = 20
	attributesFile = "boundary_attributes.json"
)

var volumeMesh = contract.Bind(volumeContract, runVolume, volumeContract10)

func runVolume(ctx context.Context, call *contract.Call, in volumeInput) (*contract.Result, error) {
	name, format, err := volumeFile(in)
	if err != nil {
		return nil, err
	}
	options := volumeOptions(call, in)
	path, err := call.File(ctx, in.InputPath, "/input_path")
	if err != nil {
		return nil, err
	}
	surface, err := geometry.Read(path)
	if err != nil {
		return nil, contract.AsError(err).At("/input_path")
	}
	known, err := call.Origin(ctx, in.InputPath)
	if err != nil {
		return nil, err
	}
	warnings, unitChecks := settleUnit(surface, in.LengthUnit, known)
	warnings = append(warnings, passedOver(surface)...)
	if err := setSpacings(&options, in, surface); err != nil {
		return nil, err
	}
	origin := originOf(known, in.InputPath, surface, surface.Check())
	made, err := stuffing.Generate(ctx, surface, options)
	if err != nil {
		return nil, volumeError(ctx, err)
	}
	if err := writeVolume(call, made.Mesh, name, format); err != nil {
		return nil, err
	}
	if err := writeAttributes(call, made); err != nil {
		return nil, err
	}
	result := volumeResult(call, made, name, format, in.DX == nil, surface.FaceID != nil, origin)
	result.Warnings = append(result.Warnings, warnings...)
	result.Statement.Checks = append(unitChecks, result.Statement.Checks...) // its reason comes before those that follow from it
	return result, nil
}

// volumeFile checks the output's name and finds its format: output_format, else
// the extension, else MFEM's.
func volumeFile(in volumeInput) (name, format string, err error) {
	name = in.OutputFile
	if filepath.IsAbs(name) || strings.ContainsAny(name, "\\\x00") || !filepath.IsLocal(name) || filepath.Clean(name) != name {
		return "", "", contract.Errorf(contract.CodeInvalidInput, "output_file %q is no plain name inside the job's folder", in.OutputFile).
			At("/output_file").WithHint("Use a name such as volume_mesh.mesh.")
	}
	ext := strings.ToLower(strings.TrimPrefix(filepath.Ext(name), "."))
	format = cmp.Or(in.OutputFormat, ext, "mesh")
	if !slices.Contains(stuffing.Formats, format) {
		return "", "", contract.Errorf(contract.CodeInvalidInput, "output_file %q has none of the extensions .mesh, .tet, .msh, .vtu", name).
			At("/output_file").WithHint("Change the extension or give output_format.")
	}
	if ext != format {
		name += "." + format
	}
	if name == attributesFile {
		return "", "", contract.Errorf(contract.CodeInvalidInput, "output_file must not be %s", attributesFile).At("/output_file")
	}
	return name, format, nil
}

func volumeOptions(call *contract.Call, in volumeInput) stuffing.Options {
	return stuffing.Options{Optimize: in.OptimizeQuality, FeatureAngle: in.FeatureAngleThreshold, MaxTetrahedra: in.MaxTetrahedra, Progress: call.Progress}
}

// What a graded lattice makes of curvature and walls, unless told otherwise.
const (
	perCircle = 48
	across    = 2
)

// setSpacings reads the spacings, in the surface's unit.
func setSpacings(o *stuffing.Options, in volumeInput, surface *geometry.Mesh) (err error) {
	if o.DX, err = spacing(in.DX, surface); err != nil {
		return err
	}
	if in.MinDX == nil {
		name := "elements_per_circle"
		if in.PerCircle == nil {
			if name = "elements_across"; in.Across == nil {
				return nil
			}
		}
		return contract.Errorf(contract.CodeInvalidInput, "%s says where a graded lattice is refined, and without min_dx there is none", name).
			At("/"+name).WithHint("Give min_dx, the smallest spacing, or leave %s out.", name)
	}
	if o.MinDX, err = lengthIn(in.MinDX, surface, "min_dx", contract.CodeInvalidDx); err != nil {
		return err
	}
	if in.DX != nil && o.MinDX > o.DX {
		return contract.Errorf(contract.CodeInvalidDx, "min_dx %.4g is larger than dx %.4g", o.MinDX, o.DX).
			At("/min_dx").WithHint("Give a min_dx of at most dx, or leave it out for one spacing everywhere.")
	}
	o.PerCircle, o.Across = perCircle, across
	if in.PerCircle != nil {
		o.PerCircle = *in.PerCircle
	}
	if in.Across != nil {
		o.Across = *in.Across
	}
	return nil
}

// volumeError lets the context's error and the kernel's own through and names
// the rest.
func volumeError(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	e := contract.AsError(err)
	if e.Code == contract.CodeInternal {
		return contract.Errorf(contract.CodeVolumeMeshFailed, "no valid mesh could be made: %w", err)
	}
	if e.Code == contract.CodeNotWatertight {
		return e.At("/input_path")
	}
	return e
}

func writeVolume(call *contract.Call, m *stuffing.Mesh, name, format string) error {
	path := filepath.Join(call.Dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return contract.Errorf(contract.CodeInvalidInput, "no file can be named %q: %w", name, err).At("/output_file")
	}
	call.Progress(0.95, "writing")
	if err := m.Write(path, format); err != nil {
		return contract.Errorf(contract.CodeVolumeMeshFailed, "the mesh could not be written: %w", err)
	}
	return nil
}

func writeAttributes(call *contract.Call, r *stuffing.Result) error {
	data, err := json.MarshalIndent(struct {
		Bodies     []stuffing.BodyReport `json:"bodies"`
		Attributes []stuffing.FaceReport `json:"boundary_attributes"`
	}{r.Bodies, r.Faces}, "", " ")
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(call.Dir, attributesFile), append(data, '\n'), 0o644)
}
