package cad

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"atelier/internal/contract"
	"atelier/internal/engine"
	"atelier/internal/geometry"
	"atelier/internal/quantity"
)

//go:embed cad_import_truck.json
var importContract []byte

//go:embed cad_import_truck.1.0.json
var importContract10 []byte

//go:embed cad_import_truck.1.1.json
var importContract11 []byte

//go:embed cad_import_truck.1.2.json
var importContract12 []byte

// Names of the engines.
const (
	occt  = "occt"
	truck = "truck"
)

type importInput struct {
	FilePath         string               `json:"file_path"`
	LinearDeflection *quantity.FileLength `json:"linear_deflection"`
	AngularDegrees   float64              `json:"angular_deflection_deg"`
	OutputFormat     string               `json:"output_format"`
	OutputFile       string               `json:"output_file"`
	LengthUnit       string               `json:"length_unit"`
	Engine           string               `json:"engine"`
	Heal             bool                 `json:"heal"`
	MaxTriangles     int64                `json:"max_triangles"`
}

// plan is what the call comes down to: the engine, and names inside the job folder.
type plan struct {
	engine, format      string
	cadFile             string
	meshFile, facesFile string
}

// request is the engines' import operation.
type request struct {
	Op                string  `json:"op"`
	Path              string  `json:"path"`
	LinearDeflection  float64 `json:"linear_deflection,omitempty"`    // file unit
	LinearMM          float64 `json:"linear_deflection_mm,omitempty"` // the same, where it was given with a unit
	LengthUnit        string  `json:"length_unit,omitempty"`          // of a file that names none
	AngularDeflection float64 `json:"angular_deflection,omitempty"`   // radians
	MaxTriangles      int64   `json:"max_triangles"`
	Heal              bool    `json:"heal"`
	OutputFormat      string  `json:"output_format"`
	OutputFile        string  `json:"output_file"`
	FacesFile         string  `json:"faces_file"`
	Seconds           float64 `json:"seconds"` // that the call has; OpenCASCADE ends before
}

func runImport(ctx context.Context, host engine.Host, call *contract.Call, in importInput) (*contract.Result, error) {
	part, err := open(ctx, call, in.FilePath, in.LengthUnit)
	if err != nil {
		return nil, err
	}
	p, warnings, err := choose(host, in, part.format)
	if err != nil {
		return nil, err
	}
	p.cadFile = part.inside
	warnings = append(warnings, part.warnings()...)
	if err := makeFolder(call, p.meshFile); err != nil {
		return nil, err
	}
	reply, err := host.Run(ctx, call, engine.Job{Engine: p.engine, Request: in.request(ctx, p), Inputs: map[string]string{part.inside: part.file}})
	if err != nil {
		return nil, part.explain(explain(err, p.engine))
	}
	return conclude(ctx, call, p, reply, warnings, part)
}

// choose fixes the engine and the names of the files.
func choose(host engine.Host, in importInput, format string) (plan, []contract.Warning, error) {
	p := plan{engine: in.Engine, format: in.OutputFormat}
	name, err := outputName(in.OutputFile, p.format)
	if err != nil {
		return p, nil, err
	}
	p.meshFile, p.facesFile = name, path.Join(path.Dir(name), "faces.json")
	if p.engine == truck && format != "step" {
		return p, nil, contract.Errorf(contract.CodeInvalidInput, "Truck reads STEP files only, and this is %s", strings.ToUpper(format)).
			At("/engine").WithHint("Use engine occt or auto.")
	}
	if p.engine == occt || p.engine == truck {
		return p, nil, host.Check(p.engine)
	}
	p.engine = occt
	missing := host.Check(occt)
	if missing == nil {
		return p, nil, nil
	}
	if host.Check(truck) != nil || format != "step" {
		return p, nil, missing
	}
	p.engine = truck
	return p, []contract.Warning{{Code: "engine_fallback", Message: "OpenCASCADE is not installed, so Truck was used: it reads fewer files and gives no exact figures. " + contract.AsError(missing).Hint}}, nil
}

// meshExtensions are stripped from a wished name before the format's own is added.
var meshExtensions = []string{".obj", ".stl", ".glb", ".gltf", ".ply", ".step", ".stp", ".iges", ".igs", ".brep", ".brp"}

// outputName is the wished name with the extension that the format forces.
func outputName(wish, format string) (string, error) {
	bad := func(why string) error {
		return contract.Errorf(contract.CodeInvalidInput, "output_file %q %s", wish, why).At("/output_file").
			WithHint("Give a plain file name such as %q; the file lands in the job's folder.", "mesh."+format)
	}
	if slices.Contains(meshExtensions, strings.ToLower(path.Ext(wish))) {
		wish = strings.TrimSuffix(wish, path.Ext(wish))
	}
	name := wish + "." + format
	switch {
	case strings.ContainsFunc(wish, func(r rune) bool { return r == '\\' || r < ' ' || r == 0x7f }):
		return "", bad("holds a backslash or a control character")
	case path.IsAbs(wish) || !filepath.IsLocal(filepath.FromSlash(name)) || path.Clean(name) != name:
		return "", bad("leads out of the job's folder")
	case strings.HasPrefix(name, "in/") || strings.Trim(path.Base(wish), ".") == "" || strings.HasSuffix(wish, "/"):
		return "", bad("is not a name for a mesh")
	case len(path.Base(name)) > 200:
		return "", bad("is too long")
	}
	return name, nil
}

func (in importInput) request(ctx context.Context, p plan) request {
	r := request{
		Op: "import", Path: p.cadFile, LengthUnit: in.LengthUnit, AngularDeflection: in.AngularDegrees / degrees,
		MaxTriangles: in.MaxTriangles, Heal: in.Heal,
		OutputFormat: p.format, OutputFile: p.meshFile, FacesFile: p.facesFile,
		Seconds: left(ctx),
	}
	switch l := in.LinearDeflection; {
	case l == nil:
	case l.Metres && in.LengthUnit != "":
		r.LinearDeflection = l.Value / geometry.LengthUnits[in.LengthUnit]
	case l.Metres:
		r.LinearMM = l.Value * 1e3
	default:
		r.LinearDeflection = l.Value
	}
	if p.engine == truck {
		r.OutputFormat, r.OutputFile = "obj", p.truckFile()
	}
	return r
}

// truckFile is the OBJ that Truck's driver writes, before it is converted.
func (p plan) truckFile() string { return strings.TrimSuffix(p.meshFile, "."+p.format) + ".obj" }

// explain adds what to do to the failures that are an engine's own way.
func explain(err error, name string) error {
	e := contract.AsError(err)
	if name != truck {
		return e
	}
	switch e.Code {
	case contract.CodeTimeout, contract.CodeMemoryExceeded, contract.CodeEngineCrashed:
		return e.WithHint("Truck does not come to an end on some files; use engine occt.")
	}
	return e
}

func conclude(ctx context.Context, call *contract.Call, p plan, reply *engine.Reply, warnings []contract.Warning, part source) (*contract.Result, error) {
	var a answer
	if err := json.Unmarshal(reply.Output, &a); err != nil {
		return nil, contract.Errorf(contract.CodeInternal, "the answer of engine %s does not fit: %w", p.engine, err)
	}
	if p.engine == truck && p.format != "obj" {
		if err := convert(call.Dir, p); err != nil {
			return nil, err
		}
	}
	warnings = append(warnings, reply.Warnings...)
	if !a.Watertight && !slices.ContainsFunc(warnings, func(w contract.Warning) bool { return w.Code == "mesh_not_closed" }) {
		warnings = append(warnings, contract.Warning{Code: "mesh_not_closed", Message: "The mesh is not closed, so it has no volume; mesh_repair_pmp can close it."})
	}
	origin, err := a.origin(call.Dir, p, part.ref)
	if err != nil {
		return nil, err
	}
	between, err := a.between(ctx, call.Dir, p)
	if err != nil {
		return nil, err
	}
	out := a.output(call, p, between.contacts)
	untold, err := out.annotate(call, p, part.pmi)
	if err != nil {
		return nil, err
	}
	artifacts := []contract.Artifact{
		{Name: p.meshFile, MIME: contract.MIMEType(p.meshFile), Primary: true, Origin: origin},
		{Name: p.facesFile, MIME: contract.MIMEType(p.facesFile)},
	}
	if out.PMIFile != "" {
		artifacts = append(artifacts, contract.Artifact{Name: out.PMIFile, MIME: contract.MIMEType(out.PMIFile)})
	}
	metrics := map[string]any{"triangle_count": a.TriangleCount, "vertex_count": a.VertexCount}
	maps.Copy(metrics, reply.Metrics)
	return &contract.Result{
		Solver: p.engine, Summary: summary(&a, p) + out.annotated(), Output: out, Metrics: metrics, Artifacts: artifacts,
		Log: reply.Log, Warnings: append(warnings, untold...), Statement: a.statement(between, warnings),
	}, nil
}

// convert turns Truck's OBJ into the format asked for, face ids and unit included.
func convert(dir string, p plan) error {
	from := filepath.Join(dir, filepath.FromSlash(p.truckFile()))
	mesh, err := geometry.Read(from)
	if err != nil {
		return err
	}
	if err := geometry.Write(filepath.Join(dir, filepath.FromSlash(p.meshFile)), mesh); err != nil {
		return err
	}
	return os.Remove(from)
}

func summary(a *answer, p plan) string {
	closed := "not watertight"
	if a.Watertight {
		closed = "watertight"
	}
	name := map[string]string{occt: "OpenCASCADE", truck: "Truck"}[p.engine]
	text := fmt.Sprintf("%s: %d solid(s), %d faces, %d triangles, %s", name, a.Solids, a.Faces, a.TriangleCount, closed)
	switch {
	case a.Watertight && a.VolumeDeviation != nil:
		text += fmt.Sprintf(", volume %.6g %s³ (mesh %+.3f %% of exact)", *a.ExactVolume, a.LengthUnit, 100**a.VolumeDeviation)
	case a.Watertight:
		text += fmt.Sprintf(", volume %.6g %s³", a.Volume, a.LengthUnit)
	}
	return text + "."
}
