package plan

import (
	"cmp"
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"

	"atelier/internal/contract"
	"atelier/internal/quantity"
	"atelier/internal/shape"
)

// Names of the steps.
const (
	StepImport = "import"
	StepRepair = "repair"
	StepVolume = "volume"
	StepSolve  = "solve"
	StepRender = "render"
)

// Ref takes an argument of a step from the output of an earlier one.
type Ref struct {
	Argument string `json:"argument"` // JSON pointer into the input
	Step     string `json:"step"`
	Field    string `json:"field"` // of the earlier step's output
}

// Step is one call of a tool. Its arguments follow from the plan and from what
// the earlier steps gave: Plan.Call.
type Step struct {
	Name  string `json:"name"`
	Tool  string `json:"tool"`
	Needs []Ref  `json:"needs,omitempty"`
	Show  string `json:"show,omitempty"` // of a picture: the field
}

// Done is what the finished steps gave.
type Done struct {
	Outputs  map[string]json.RawMessage // by step
	Geometry *shape.Geometry            // of the repaired surface; nil before
	Options  Options                    // what error routes have changed
}

// Options are what the routes of errors change in a retry.
type Options struct {
	DX                   float64 `json:"dx,omitempty"` // spacing in the file's unit; 0 for the plan's
	ResolveIntersections bool    `json:"resolve_intersections,omitempty"`
	ColorOnly            bool    `json:"color_only,omitempty"` // no depth and normal images
}

// ToolCAD meshes a CAD model on its exact faces.
const ToolCAD = "volume_mesh_cad"

// Surfaced are the steps that mesh the CAD model's triangulation where they meshed
// the model itself at volume; ok is false where nothing has triangulated it.
func Surfaced(steps []Step, volume int) (out []Step, ok bool) {
	at := slices.IndexFunc(steps, func(s Step) bool { return s.Name == StepImport })
	if steps[volume].Tool != ToolCAD || at < 0 {
		return steps, false
	}
	out = slices.Clone(steps)
	out[volume] = Step{Name: StepVolume, Tool: "volume_mesh_quartet", Needs: []Ref{{Argument: "/input_path", Step: StepImport, Field: "artifact_url"}}}
	return Repaired(out, volume), true
}

// Repaired are the steps with a repair before the one at volume, which meshes a
// surface as it is.
func Repaired(steps []Step, volume int) []Step {
	repair := Step{Name: StepRepair, Tool: "mesh_repair_pmp", Needs: steps[volume].Needs}
	steps = slices.Insert(slices.Clone(steps), volume, repair)
	steps[volume+1].Needs = []Ref{{Argument: "/input_path", Step: StepRepair, Field: "artifact_url"}}
	return steps
}

// Kind of the file that a plan begins with.
func (p *Plan) fileKind() string {
	switch strings.ToLower(path.Ext(cmp.Or(p.FileName, p.File))) {
	case ".stl", ".obj", ".ply", ".off", ".glb":
		return "surface"
	case ".mesh", ".msh", ".vtu":
		return "volume"
	case ".iges", ".igs", ".brep", ".brp":
		return "untriangulated"
	}
	return "cad"
}

// exact says that the CAD model itself is meshed: always where no tool triangulates it.
func (p *Plan) exact() bool {
	kind := p.fileKind()
	return kind == "untriangulated" || kind == "cad" && p.Curved
}

// Steps is the sequence of calls: import, volume mesh, solve, and a picture for each
// field that is to be shown. A CAD model is meshed on its exact faces where that can
// be done, and its import tells where its faces are; else its triangulation is repaired
// and filled. A surface needs no import, a volume mesh only the solver.
func (p *Plan) Steps() []Step {
	if p.Physics == Circuit {
		return []Step{{Name: StepSolve, Tool: "circuits.simulate"}}
	}
	var steps []Step
	previous := Ref{}
	add := func(name, tool, argument string) {
		s := Step{Name: name, Tool: tool}
		if previous.Step != "" {
			previous.Argument = argument
			s.Needs = []Ref{previous}
		}
		steps = append(steps, s)
		previous = Ref{Step: name, Field: "artifact_url"}
	}
	kind := p.fileKind()
	if kind == "cad" {
		add(StepImport, "cad_import_truck", "/file_path")
	}
	switch {
	case p.exact():
		steps = append(steps, Step{Name: StepVolume, Tool: ToolCAD})
		previous = Ref{Step: StepVolume, Field: "artifact_url"}
	case kind != "volume":
		if !p.Unrepaired {
			add(StepRepair, "mesh_repair_pmp", "/input_path")
		}
		add(StepVolume, "volume_mesh_quartet", "/input_path")
	}
	add(StepSolve, map[Physics]string{Elasticity: "fea.solve", Heat: "heat.solve", Flow: "cfd.solve"}[p.Physics], "/mesh/path")
	for _, field := range p.Show {
		add(StepRender, "render_pack_vtk", "/input_path")
		last := &steps[len(steps)-1]
		last.Show, last.Needs[0].Step = field, StepSolve
	}
	return steps
}

// output is a field of an earlier step's output.
func (d Done) output(r Ref) (string, error) {
	var fields map[string]json.RawMessage
	var value string
	if json.Unmarshal(d.Outputs[r.Step], &fields) != nil || json.Unmarshal(fields[r.Field], &value) != nil || value == "" {
		return "", contract.Errorf(contract.CodeInvalidToolOutput, "the step %s gave no %s", r.Step, r.Field)
	}
	return value, nil
}

// spacing of the volume mesh, as the mesher tells it.
func (d Done) spacing() float64 {
	var v struct {
		DX float64 `json:"dx"`
	}
	if json.Unmarshal(d.Outputs[StepVolume], &v) != nil {
		return 0
	}
	return v.DX
}

// Call is the input of a step, and what is to be told of it.
type Call struct {
	Input   json.RawMessage
	Assumed []string // what had to be assumed to make the input
	Places  []string // of a solve: where each boundary condition acts, in their order
	Spacing float64  // of a volume mesh: dx in the file's unit; 0 for the mesher's choice
}

// Call makes the input of a step. The caller holds it against the tool's contract.
func (p *Plan) Call(s Step, d Done) (Call, error) {
	file := p.File
	for _, need := range s.Needs {
		v, err := d.output(need)
		if err != nil {
			return Call{}, err
		}
		file = v
	}
	var in any
	var c Call
	var err error
	switch s.Name {
	case StepImport:
		in = importInput{FilePath: file}
	case StepRepair:
		in = repairInput{InputPath: file, LengthUnit: p.surfaceUnit(), ResolveIntersections: d.Options.ResolveIntersections}
	case StepVolume:
		if s.Tool == ToolCAD {
			var volume exactInput
			volume, c.Assumed = p.exactInput(file, d)
			in, c.Spacing = volume, volume.MaxSize
			break
		}
		volume, assumed := p.volumeInput(file, d)
		in, c.Assumed, c.Spacing = volume, assumed, volume.DX
	case StepRender:
		in = p.renderInput(s, file, d.Options)
	case StepSolve:
		if p.Physics == Circuit {
			in = p.circuitInput()
			break
		}
		in, err = p.solveInput(file, d, &c)
	}
	if err != nil {
		return Call{}, err
	}
	c.Input, err = json.Marshal(in)
	return c, err
}

// surfaceUnit is the unit of a file that does not know its own.
func (p *Plan) surfaceUnit() string {
	if kind := p.fileKind(); kind == "cad" || kind == "untriangulated" {
		return ""
	}
	return p.LengthUnit
}

type importInput struct {
	FilePath string `json:"file_path"`
}

type repairInput struct {
	InputPath            string `json:"input_path"`
	LengthUnit           string `json:"length_unit,omitempty"`
	ResolveIntersections bool   `json:"resolve_intersections,omitempty"`
}

type volumeInput struct {
	InputPath  string  `json:"input_path"`
	DX         float64 `json:"dx,omitempty"`
	LengthUnit string  `json:"length_unit,omitempty"`
}

// Shares of the bounding box's diagonal that a fine and a coarse mesh have as
// their spacing: some 60 and 25 elements over the part.
const fineShare, coarseShare = 1.0 / 60, 1.0 / 25

func (p *Plan) volumeInput(file string, d Done) (volumeInput, []string) {
	in := volumeInput{InputPath: file, LengthUnit: p.surfaceUnit(), DX: d.Options.DX}
	if in.DX > 0 || d.Geometry == nil {
		return in, nil
	}
	switch {
	case p.ElementSize > 0:
		in.DX = quantity.Significant(p.ElementSize / d.Geometry.Metres())
	case p.Mesh == "" && p.exact(): // it was to be another mesh
		return in, []string{chosenSize}
	case p.Mesh == "fine":
		in.DX = quantity.Significant(d.Geometry.Diagonal() * fineShare)
		return in, []string{"A fine mesh has elements of a sixtieth of the part's diagonal."}
	case p.Mesh == "coarse":
		in.DX = quantity.Significant(d.Geometry.Diagonal() * coarseShare)
		return in, []string{"A coarse mesh has elements of a twenty-fifth of the part's diagonal."}
	}
	return in, nil
}

type exactInput struct {
	FilePath          string  `json:"file_path"`
	MaxSize           float64 `json:"max_size,omitempty"` // mm
	ElementsPerCircle float64 `json:"elements_per_circle,omitempty"`
}

// A curved element of order 2 is worth several straight ones: fewer will do.
const fineExact, coarseExact = 1.0 / 40, 1.0 / 12

// exactInput asks for curved elements; lengths are in mm.
func (p *Plan) exactInput(file string, d Done) (exactInput, []string) {
	in := exactInput{FilePath: file, MaxSize: d.Options.DX}
	switch {
	case in.MaxSize > 0:
	case p.ElementSize > 0:
		in.MaxSize = quantity.Significant(1000 * p.ElementSize)
	case d.Geometry == nil || p.Mesh == "":
		return in, []string{"Elements are at most a twentieth of the part's diagonal, and up to 48 lie around a circle. For smaller ones say \"with a fine mesh\" or \"with 2 mm elements\"."}
	case p.Mesh == "fine":
		in.MaxSize, in.ElementsPerCircle = quantity.Significant(1000*d.Geometry.Metres()*d.Geometry.Diagonal()*fineExact), 72
		return in, []string{"A fine mesh has elements of a fortieth of the part's diagonal, and 72 around a circle."}
	case p.Mesh == "coarse":
		in.MaxSize, in.ElementsPerCircle = quantity.Significant(1000*d.Geometry.Metres()*d.Geometry.Diagonal()*coarseExact), 16
		return in, []string{"A coarse mesh has elements of a twelfth of the part's diagonal, and 16 around a circle."}
	}
	return in, nil
}

type renderInput struct {
	InputPath    string      `json:"input_path"`
	Field        string      `json:"field"`
	Unit         string      `json:"unit,omitempty"`
	LengthUnit   string      `json:"length_unit"`
	Views        []string    `json:"views,omitempty"`
	Warp         *renderWarp `json:"warp,omitempty"`
	OutputDepth  bool        `json:"output_depth"`
	OutputNormal bool        `json:"output_normal"`
	OutputGLB    bool        `json:"output_glb"`
	UpAxis       string      `json:"up_axis"`
	Fit          string      `json:"fit"`
}

type renderWarp struct {
	Field string `json:"field"`
	Scale string `json:"scale"`
}

func (p *Plan) renderInput(s Step, file string, o Options) renderInput {
	in := renderInput{
		InputPath: file, Field: s.Show, LengthUnit: "m", Views: p.Views, OutputGLB: true, UpAxis: "z", Fit: "tight",
		OutputDepth: p.Buffers && !o.ColorOnly, OutputNormal: p.Buffers && !o.ColorOnly,
		Unit: map[string]string{"von_mises": "Pa", "displacement": "m", "temperature": "K", "velocity": "m/s", "pressure": "Pa"}[s.Show],
	}
	if p.Physics == Elasticity {
		in.Warp = &renderWarp{Field: "displacement", Scale: "auto"}
	}
	return in
}

type circuitInput struct {
	Netlist  string          `json:"netlist"`
	Analysis string          `json:"analysis,omitempty"`
	Control  []string        `json:"control,omitempty"`
	Probes   []string        `json:"probes,omitempty"`
	Options  *circuitOptions `json:"options,omitempty"`
}

type circuitOptions struct {
	Tran *tranOptions `json:"tran,omitempty"`
	AC   *acOptions   `json:"ac,omitempty"`
}

type tranOptions struct {
	TStop float64 `json:"tstop"`
}

type acOptions struct {
	Start  float64 `json:"fstart"`
	Stop   float64 `json:"fstop"`
	Points int     `json:"points"`
}

func (p *Plan) circuitInput() circuitInput {
	n := p.Network
	in := circuitInput{Netlist: n.Netlist, Analysis: n.Analysis, Probes: slices.Clone(n.Probes)}
	if len(n.Measures) > 0 {
		in.Analysis, in.Control = "", n.control()
		return in
	}
	switch n.Analysis {
	case "tran":
		in.Options = &circuitOptions{Tran: &tranOptions{n.TStop}}
	case "ac":
		in.Options = &circuitOptions{AC: &acOptions{n.Start, n.Stop, 20}}
	}
	return in
}

// control runs the analysis and measures in it what is asked for.
func (n *Network) control() []string {
	lines := []string{fmt.Sprintf("ac dec 100 %.12g %.12g", n.Start, n.Stop)}
	if n.Analysis == "tran" {
		lines[0] = fmt.Sprintf("tran %.12g %.12g 0 %.12g", n.TStop/1000, n.TStop, n.TStop/1000)
	}
	for _, m := range n.Measures {
		lines = append(lines, m.Command)
	}
	return append(lines, "quit")
}
