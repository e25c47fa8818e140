package study

import (
	"cmp"
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"

	"atelier/internal/contract"
)

// Family of analyses: those that one solver answers.
type family string

const (
	structures family = "structures"
	heat       family = "heat"
	flow       family = "flow"
	circuits   family = "circuits"
	meshes     family = "meshes" // of a part alone
	others     family = "others" // any tool
)

// families of the types of analyses.
var families = map[string]family{
	"static": structures, "modal": structures, "harmonic": structures, "transient": structures, "buckling": structures, "nonlinear": structures,
	"heat": heat, "flow": flow, "circuit": circuits, "mesh": meshes, "tool": others,
}

// solvers are the tools of the families.
var solvers = map[family]string{structures: "fea.solve", heat: "heat.solve", flow: "cfd.solve", circuits: "circuits.simulate"}

// conditionFamilies are those in which a condition acts, by its type. A test holds them
// against the contracts.
var conditionFamilies = map[string]family{
	"fixed": structures, "load": structures, "pressure": structures, "moment": structures, "remote_force": structures,
	"remote_mass": structures, "bearing": structures, "elastic": structures, "symmetry": structures, "frictionless": structures, "cylindrical": structures,
	gravity: structures, rotation: structures, simplySupported: structures,
	"fixed_temp": heat, "heat_flux": heat, "convection": heat, "radiation": heat,
	"inlet": flow, "wall": flow, "outlet": flow,
}

// Conditions of the whole part.
const (
	gravity  = "gravity"
	rotation = "rotation"
)

// Step is a call that a study makes.
type Step struct {
	Name string `json:"name"`
	Tool string `json:"tool"`
	At   string `json:"at"` // JSON pointer of what asks for it
}

// fileKind of a part decides how it becomes a mesh.
type fileKind string

const (
	cadFile     fileKind = "cad"     // STEP: its faces are known before it is meshed
	otherCAD    fileKind = "brep"    // IGES, BREP
	surfaceFile fileKind = "surface" // triangles
	volumeFile  fileKind = "volume"  // a mesh already
)

// kindOf a part by the name of its file.
func (p Part) kind() fileKind {
	switch strings.ToLower(path.Ext(p.File)) {
	case ".stl", ".obj", ".ply", ".off", ".glb":
		return surfaceFile
	case ".mesh", ".msh", ".vtu":
		return volumeFile
	case ".iges", ".igs", ".brep", ".brp":
		return otherCAD
	}
	return cadFile
}

// Steps are the calls that the study makes, in their order: what is to be meshed, then
// the analyses. A fault of the document that only shows here is told with its pointer.
func (s *Study) Steps() ([]Step, error) {
	var out []Step
	done := map[string]bool{}
	add := func(name, tool, at string) {
		if !done[name] {
			done[name] = true
			out = append(out, Step{name, tool, at})
		}
	}
	order, err := s.order()
	if err != nil {
		return nil, err
	}
	for _, name := range order {
		a, at := s.Analyses[name], "/analyses/"+escape(name)
		switch f := families[a.Type]; f {
		case structures, heat, flow, meshes:
			part, err := s.partOf(name)
			if err != nil {
				return nil, err
			}
			for _, call := range s.Parts[part].meshing() {
				add(call.Name+" "+part, call.Tool, "/parts/"+escape(part))
			}
			if f != meshes {
				add(name, solvers[f], at)
			}
		case circuits:
			if _, err := s.circuitOf(name); err != nil {
				return nil, err
			}
			add(name, solvers[f], at)
		default:
			if a.Tool == "" {
				return nil, contract.Errorf(contract.CodeInvalidInput, "an analysis of type tool needs the name of the tool").At(at + "/tool").WithHint("find it with GET /v1/tools.")
			}
			if strings.HasPrefix(a.Tool, "study_") {
				return nil, contract.Errorf(contract.CodeInvalidInput, "a study cannot call %s", a.Tool).At(at + "/tool").WithHint("Put its analyses into this study.")
			}
			add(name, a.Tool, at)
		}
	}
	return out, nil
}

// meshing are the calls that make a volume mesh of a part.
func (p Part) meshing() []Step {
	switch p.kind() {
	case cadFile:
		return []Step{{Name: stepImport, Tool: "cad_import_truck"}, {Name: stepMesh, Tool: "volume_mesh_cad"}}
	case otherCAD:
		return []Step{{Name: stepMesh, Tool: "volume_mesh_cad"}}
	case surfaceFile:
		return []Step{{Name: stepRepair, Tool: "mesh_repair_pmp"}, {Name: stepMesh, Tool: "volume_mesh_quartet"}}
	}
	return nil
}

const (
	stepImport = "import"
	stepRepair = "repair"
	stepMesh   = "mesh"
)

// partOf an analysis: the one that it names, else the only one.
func (s *Study) partOf(analysis string) (string, error) {
	names := keys(s.Parts)
	switch part := s.Analyses[analysis].Part; {
	case part != "":
		return part, nil
	case len(names) == 1:
		return names[0], nil
	case len(names) == 0:
		return "", contract.Errorf(contract.CodeInvalidInput, "the analysis %q needs a part, and the study has none", analysis).At("/parts").
			WithHint(`Add one: {"op": "add", "path": "/parts/bracket", "value": {"file": "bracket.step"}}.`)
	}
	return "", contract.Errorf(contract.CodeInvalidInput, "the study has %d parts; say which one the analysis %q is of", len(names), analysis).At("/analyses/"+escape(analysis)+"/part").
		WithHint("One of %s.", strings.Join(names, ", "))
}

// circuitOf an analysis: the one that it names, else the only one.
func (s *Study) circuitOf(analysis string) (string, error) {
	names := keys(s.Circuits)
	switch circuit := s.Analyses[analysis].Circuit; {
	case circuit != "":
		return circuit, nil
	case len(names) == 1:
		return names[0], nil
	}
	return "", contract.Errorf(contract.CodeInvalidInput, "the study has %d circuits; the analysis %q needs one", len(names), analysis).At("/analyses/" + escape(analysis) + "/circuit").
		WithHint("Add it to circuits, or name one of them in circuit.")
}

// order of the analyses: those that others need come first, else by name.
func (s *Study) order() ([]string, error) {
	var out []string
	state := map[string]int{} // 1 while its needs are looked at, 2 when it is in the list
	var visit func(name, from string) error
	visit = func(name, from string) error {
		switch state[name] {
		case 1:
			return contract.Errorf(contract.CodeInvalidInput, "the analyses %q and %q need each other's results", from, name).At("/analyses/" + escape(name) + "/options")
		case 2:
			return nil
		}
		state[name] = 1
		for _, need := range s.Analyses[name].needs() {
			if _, ok := s.Analyses[need]; !ok {
				return contract.Errorf(contract.CodeInvalidInput, "the analysis %q needs the result of %q, which the study does not have", name, need).At("/analyses/" + escape(name) + "/options")
			}
			if err := visit(need, name); err != nil {
				return err
			}
		}
		state[name] = 2
		out = append(out, name)
		return nil
	}
	for _, name := range keys(s.Analyses) {
		if err := visit(name, ""); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// needs are the analyses whose results the options refer to.
func (a Analysis) needs() []string {
	var names []string
	_, _ = a.resolved(func(r reference) (any, error) {
		if r.Result != "" && !slices.Contains(names, r.Result) {
			names = append(names, r.Result)
		}
		return nil, nil
	})
	return names
}

// reference in the options of an analysis to a value of the study or of another result.
type reference struct {
	Study   string `json:"$study"`
	Result  string `json:"$result"`
	Pointer string `json:"pointer"`
}

// resolved are the options with every reference replaced.
func (a Analysis) resolved(value func(reference) (any, error)) (map[string]any, error) {
	out := map[string]any{}
	for name, raw := range a.Options {
		v, err := replaced(decoded(raw), value)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		out[name] = v
	}
	return out, nil
}

func replaced(v any, value func(reference) (any, error)) (any, error) {
	switch v := v.(type) {
	case map[string]any:
		if r, ok := referenceOf(v); ok {
			return value(r)
		}
		for name, member := range v {
			made, err := replaced(member, value)
			if err != nil {
				return nil, err
			}
			v[name] = made
		}
	case []any:
		for i, item := range v {
			made, err := replaced(item, value)
			if err != nil {
				return nil, err
			}
			v[i] = made
		}
	}
	return v, nil
}

func referenceOf(v map[string]any) (reference, bool) {
	text := func(name string) string { s, _ := v[name].(string); return s }
	r := reference{text("$study"), text("$result"), text("pointer")}
	return r, cmp.Or(r.Study, r.Result) != ""
}

// decoded is a JSON value with its numbers as they are written.
func decoded(raw json.RawMessage) any {
	dec := json.NewDecoder(strings.NewReader(string(raw)))
	dec.UseNumber()
	var v any
	if dec.Decode(&v) != nil {
		return nil // it has been read before
	}
	return v
}

// Open is what a run still lacks, in sentences.
func (s *Study) Open() []string {
	out := []string{}
	if len(s.Analyses) == 0 {
		return append(out, "There is no analysis: say what is to be computed.")
	}
	for _, fault := range s.unanswerable() {
		out = append(out, fmt.Sprintf("%s (%s).", fault.Message, fault.Field))
	}
	for _, name := range keys(s.Analyses) {
		f := families[s.Analyses[name].Type]
		if f != structures && f != heat && f != flow {
			continue
		}
		if len(s.Materials) == 0 {
			out = append(out, fmt.Sprintf("The analysis %s has no material.", name))
		}
		if f == structures && s.Analyses[name].Type != "modal" && !s.has(f, s.Supports) {
			out = append(out, fmt.Sprintf("Nothing holds the part in %s: give a support.", name))
		}
		if f == structures && s.Analyses[name].Type != "modal" && !s.has(f, s.Loads) && s.Analyses[name].Options["temperature"] == nil {
			out = append(out, fmt.Sprintf("Nothing loads the part in %s: give a load.", name))
		}
		if f != structures && !s.has(f, s.Supports) && !s.has(f, s.Loads) {
			out = append(out, fmt.Sprintf("The analysis %s has no condition.", name))
		}
	}
	return out
}

// has says whether a section has a condition of a family.
func (s *Study) has(f family, section map[string]Condition) bool {
	for _, c := range section {
		if of, known := conditionFamilies[c.Type]; of == f || !known {
			return true
		}
	}
	return false
}

// ConditionTypes are the types of conditions of a family's solver, which its contract
// lists.
func ConditionTypes(tool string) []string {
	var out []string
	for _, kind := range keys(conditionFamilies) {
		if solvers[conditionFamilies[kind]] == tool && kind != gravity && kind != rotation && kind != simplySupported {
			out = append(out, kind)
		}
	}
	return out
}
