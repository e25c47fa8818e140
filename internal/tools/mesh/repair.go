package mesh

import (
	"context"
	_ "embed"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"atelier/internal/contract"
	"atelier/internal/evidence"
	"atelier/internal/geometry"
	"atelier/internal/quantity"
)

//go:embed mesh_repair_pmp.json
var repairContract []byte

//go:embed mesh_repair_pmp.1.0.json
var repairContract10 []byte

type repairInput struct {
	InputPath             string  `json:"input_path"`
	TargetDecimationFaces int     `json:"target_decimation_faces"`
	FillHoles             bool    `json:"fill_holes"`
	ResolveIntersections  bool    `json:"resolve_intersections"`
	MaxHoleEdges          int     `json:"max_hole_edges"`
	MaxHoleAreaRatio      float64 `json:"max_hole_area_ratio"`
	OutputFormat          string  `json:"output_format"`
	LengthUnit            string  `json:"length_unit"`

	WrapOffset *quantity.FileLength `json:"wrap_offset"`
}

// defectReport holds the four figures of the predecessor's tool.
type defectReport struct {
	InitialHoles            int `json:"initial_holes"`
	InitialNonManifoldEdges int `json:"initial_non_manifold_edges"`
	InitialDegenerateFaces  int `json:"initial_degenerate_faces"`
	UnresolvedErrors        int `json:"unresolved_errors"`
}

// surfaceFacts are the figures of one surface; lengths in the file's unit.
type surfaceFacts struct {
	geometry.Topology
	Volume            *float64   `json:"volume"` // null for an open surface
	Area              float64    `json:"area"`
	BBoxMin           [3]float64 `json:"bbox_min"`
	BBoxMax           [3]float64 `json:"bbox_max"`
	IntersectingFaces int        `json:"intersecting_faces"`
	ContactFaces      *int       `json:"contact_faces,omitempty"`
}

type repairActions struct {
	VerticesJoined     int     `json:"vertices_joined"`
	JunctionsSplit     int     `json:"t_junctions_split"`
	DuplicatesRemoved  int     `json:"duplicate_faces_removed"`
	DegeneratesRemoved int     `json:"degenerate_faces_removed"`
	FinsRemoved        int     `json:"fin_faces_removed"`
	EdgesCut           int     `json:"non_manifold_edges_cut"`
	VerticesCopied     int     `json:"vertices_copied"`
	FacesFlipped       int     `json:"faces_flipped"`
	ComponentsFlipped  int     `json:"components_flipped"`
	Cavities           int     `json:"cavities"`
	HolesFilled        int     `json:"holes_filled"`
	HoleFaces          int     `json:"hole_faces"`
	HoleArea           float64 `json:"hole_area"`
	SheetsRemoved      int     `json:"sheets_removed"`
	IntersectionsFixed int     `json:"intersecting_faces_resolved"`
}

type decimationFacts struct {
	TargetFaces   int     `json:"target_faces"`
	Faces         int     `json:"faces"`
	TargetReached bool    `json:"target_reached"`
	Applied       bool    `json:"applied"`
	MaxDeviation  float64 `json:"max_deviation"`
	RMSDeviation  float64 `json:"rms_deviation"`
}

type repairOutput struct {
	RepairedFile      string          `json:"repaired_file"`
	ArtifactURL       string          `json:"artifact_url"`
	DecimatedFile     string          `json:"decimated_file"`
	DecimatedURL      string          `json:"decimated_artifact_url"`
	Format            string          `json:"format"`
	LengthUnit        string          `json:"length_unit"`
	LengthUnitAssumed bool            `json:"length_unit_assumed"`
	DefectReport      defectReport    `json:"defect_report"`
	Initial           surfaceFacts    `json:"initial"`
	Repaired          surfaceFacts    `json:"repaired"`
	Decimated         surfaceFacts    `json:"decimated"`
	Actions           repairActions   `json:"actions"`
	Decimation        decimationFacts `json:"decimation"`

	Wrap *geometry.Wrapping `json:"wrap,omitempty"`
}

var meshRepair = contract.Bind(repairContract, runRepair, repairContract10)

// repairJob carries one call through its steps.
type repairJob struct {
	ctx      context.Context
	call     *contract.Call
	in       repairInput
	format   geometry.Format
	mesh     *geometry.Mesh // as read
	repaired *geometry.Mesh
	small    *geometry.Mesh
	report   *geometry.RepairReport
	out      repairOutput
	result   *contract.Result
	readBack map[string]geometry.Topology
	known    *evidence.Origin // of the file, nil where nothing says where it comes from
	origin   *evidence.Origin // what the surface is held against
	apart    geometry.Apartness
	unit     []evidence.Check // of the length unit that the call names
}

func runRepair(ctx context.Context, call *contract.Call, in repairInput) (*contract.Result, error) {
	j := &repairJob{ctx: ctx, call: call, in: in, result: &contract.Result{Solver: "atelier"}, readBack: map[string]geometry.Topology{}}
	for _, step := range []func() error{j.read, j.repair, j.writeRepaired, j.decimate} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	j.conclude()
	return j.result, nil
}

func (j *repairJob) warn(code, format string, args ...any) {
	j.result.Warnings = append(j.result.Warnings, contract.Warning{Code: code, Message: fmt.Sprintf(format, args...)})
}

// bytesPerTriangle is what repair and decimation together use at their peak; a
// million triangles were measured at 290 MB, which is doubled here.
const bytesPerTriangle = 600

func (j *repairJob) read() error {
	path, err := j.call.File(j.ctx, j.in.InputPath, "/input_path")
	if err != nil {
		return err
	}
	j.call.Progress(0.02, "reading")
	j.mesh, j.format, err = geometry.ReadFormat(path)
	if err != nil {
		return contract.AsError(err).At("/input_path")
	}
	if need := int64(len(j.mesh.Triangles)) * bytesPerTriangle >> 20; j.call.Limits.MemoryMB > 0 && need > j.call.Limits.MemoryMB {
		return contract.Errorf(contract.CodeMemoryExceeded, "the surface has %d triangles; repairing it takes about %d MB, the limit is %d MB",
			len(j.mesh.Triangles), need, j.call.Limits.MemoryMB).At("/input_path").WithHint("Raise memory_mb, or decimate the surface before.")
	}
	if j.in.OutputFormat != "" {
		j.format = geometry.Format(j.in.OutputFormat)
	} else if !geometry.Writable(j.format) {
		j.format = geometry.OBJ
	}
	j.out.Format = string(j.format)
	known, err := j.call.Origin(j.ctx, j.in.InputPath)
	if err != nil {
		return err
	}
	warnings, checks := settleUnit(j.mesh, j.in.LengthUnit, known)
	j.result.Warnings, j.unit = append(j.result.Warnings, warnings...), checks
	j.out.LengthUnit, j.out.LengthUnitAssumed = named(j.mesh.Meta.LengthUnit), j.mesh.Meta.LengthUnit == ""
	j.result.Warnings = append(j.result.Warnings, passedOver(j.mesh)...)
	j.known, j.origin = known, originOf(known, j.in.InputPath, j.mesh, j.mesh.Check())
	return nil
}

// passedOver tells what the reader of a file left out of the surface.
func passedOver(m *geometry.Mesh) []contract.Warning {
	var out []contract.Warning
	for _, what := range m.Remarks {
		out = append(out, contract.Warning{Code: "file", Message: capital(what) + "."})
	}
	return out
}

func (j *repairJob) repair() error {
	opt := geometry.RepairOptions{
		FillHoles: j.in.FillHoles, ResolveIntersections: j.in.ResolveIntersections,
		MaxHoleEdges: j.in.MaxHoleEdges, MaxHoleArea: j.in.MaxHoleAreaRatio,
		Single:   j.format == geometry.STL || j.format == geometry.GLB,
		Progress: func(f float64, what string) { j.call.Progress(0.05+0.55*f, what) },
	}
	source, err := j.wrap()
	if err != nil {
		return err
	}
	j.repaired, j.report, err = geometry.Repair(j.ctx, source, opt)
	if err != nil {
		if j.ctx.Err() != nil {
			return j.ctx.Err()
		}
		e := contract.AsError(err).With("initial_holes", j.report.Initial.BoundaryLoops).
			With("initial_non_manifold_edges", j.report.Initial.NonManifoldEdges).
			With("initial_degenerate_faces", j.report.Initial.DegenerateFaces)
		if e.Field == "" {
			e.At("/input_path")
		}
		return e
	}
	copies := j.report.DuplicatesRemoved
	if j.out.Wrap != nil { // the initial surface is the one that was read, and not the wrap
		found, err := geometry.Inspect(j.ctx, j.mesh, opt)
		if err != nil {
			return err
		}
		j.report.Initial, j.report.InitialIntersecting, copies = found.Initial, found.InitialIntersecting, found.DuplicatesRemoved
	}
	if copies > 0 && j.known == nil { // they count twice in what was read
		once := j.mesh.WithoutCopies()
		j.origin = originOf(nil, j.in.InputPath, once, once.Check())
	}
	if j.report.Final.Closed {
		if j.apart, err = j.repaired.Apart(j.ctx); err != nil {
			return err
		}
		j.apart.Turned = j.report.TurnedCavities
	}
	if r := j.report; !j.origin.Exact && (r.InitialIntersecting > 0 || r.Initial.Components > 1) {
		j.origin.Volume, j.origin.Area = nil, nil // overlaps count twice in them, and parts of either sense cancel
	}
	for _, w := range j.report.Warnings {
		j.warn("repair", "%s.", strings.TrimSuffix(capital(w), "."))
	}
	return nil
}

func capital(sentence string) string { return strings.ToUpper(sentence[:1]) + sentence[1:] }

// wrap is the surface that is repaired: a wrap around the one that was read, where the
// call asks for it.
func (j *repairJob) wrap() (*geometry.Mesh, error) {
	if j.in.WrapOffset == nil {
		return j.mesh, nil
	}
	offset, err := lengthIn(j.in.WrapOffset, j.mesh, "wrap_offset", contract.CodeInvalidInput)
	if err != nil {
		return nil, err
	}
	j.call.Progress(0.05, "wrapping")
	around, told, err := geometry.Wrap(j.ctx, j.mesh, offset)
	if err != nil {
		if j.ctx.Err() != nil {
			return nil, j.ctx.Err()
		}
		return nil, contract.AsError(err).At("/wrap_offset")
	}
	j.out.Wrap = &told
	return around, nil
}

// writeRepaired writes the repaired surface and reads it back: the file is what
// the next tool gets, so the file is what must be sound.
func (j *repairJob) writeRepaired() error {
	j.out.RepairedFile = "repaired_mesh." + string(j.format)
	top, err := j.write(j.out.RepairedFile, j.repaired, true)
	if err != nil {
		return err
	}
	if !top.Manifold || top.Closed != j.report.Final.Closed {
		// STL has no vertex indices: points that coincide become one again.
		if n := j.repaired.SpreadCoincident(1e-5); n > 0 {
			j.warn("coincident_vertices", "%d vertices at which solids touch were drawn apart by 1e-5 of the size, since %s cannot tell them apart.", n, j.format)
			j.result.Artifacts = nil
			if top, err = j.write(j.out.RepairedFile, j.repaired, true); err != nil {
				return err
			}
		}
	}
	j.readBack[j.out.RepairedFile] = top
	return nil
}

func (j *repairJob) write(name string, m *geometry.Mesh, primary bool) (geometry.Topology, error) {
	path := filepath.Join(j.call.Dir, name)
	if err := geometry.Write(path, m); err != nil {
		return geometry.Topology{}, err
	}
	info, err := os.Stat(path)
	if err != nil {
		return geometry.Topology{}, contract.Errorf(contract.CodeMeshProcessingFailed, "%s was not written: %w", name, err)
	}
	back, err := geometry.Read(path)
	if err != nil {
		return geometry.Topology{}, contract.Errorf(contract.CodeMeshProcessingFailed, "%s cannot be read back: %w", name, err)
	}
	j.result.Artifacts = append(j.result.Artifacts, contract.Artifact{
		Name: name, MIME: j.format.MIME(), Bytes: info.Size(), Primary: primary,
	})
	return back.Check(), nil
}

func (j *repairJob) decimate() error {
	target := j.in.TargetDecimationFaces
	j.call.Progress(0.65, "decimating")
	small, rep, err := geometry.Decimate(j.ctx, j.repaired, geometry.DecimateOptions{TargetFaces: target, Intersecting: &j.report.FinalIntersecting})
	if err != nil {
		if j.ctx.Err() != nil {
			return j.ctx.Err()
		}
		return contract.Errorf(contract.CodeMeshProcessingFailed, "the decimation failed: %w", err)
	}
	j.out.DecimatedFile = "decimated_mesh." + string(j.format)
	top, err := j.write(j.out.DecimatedFile, small, false)
	if err != nil {
		return err
	}
	before := j.report.Final
	applied := rep.Collapses > 0
	if !top.Manifold || !top.Oriented || top.Closed != before.Closed || (small.Volume() > 0) != (j.repaired.Volume() > 0) {
		j.warn("decimation", "The decimated surface was not sound and is the repaired one instead.")
		j.result.Artifacts = j.result.Artifacts[:1]
		small, applied = j.repaired, false
		rep = &geometry.DecimateReport{Intersecting: j.report.FinalIntersecting}
		if top, err = j.write(j.out.DecimatedFile, small, false); err != nil {
			return err
		}
	}
	if len(small.Triangles) > target {
		j.warn("decimation", "%d triangles are left instead of %d: fewer would lose a CAD face or fold the surface.", len(small.Triangles), target)
	}
	j.readBack[j.out.DecimatedFile] = top
	j.small = small
	if rep.Collapses == 0 {
		rep.Intersecting = j.report.FinalIntersecting
	}
	j.out.Decimation = decimationFacts{
		TargetFaces: target, Faces: len(small.Triangles), TargetReached: len(small.Triangles) <= target,
		Applied: applied, MaxDeviation: rep.MaxDeviation, RMSDeviation: rep.RMSDeviation,
	}
	j.out.Decimated = facts(small, top, rep.Intersecting)
	return nil
}

func facts(m *geometry.Mesh, top geometry.Topology, intersecting int) surfaceFacts {
	lo, hi := m.Bounds()
	f := surfaceFacts{Topology: top, Area: m.Area(), BBoxMin: lo, BBoxMax: hi, IntersectingFaces: intersecting}
	if top.Closed && top.Oriented {
		v := m.Volume()
		f.Volume = &v
	}
	return f
}
