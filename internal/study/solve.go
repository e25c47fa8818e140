package study

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"atelier/internal/contract"
	"atelier/internal/material"
	"atelier/internal/quantity"
	"atelier/internal/shape"
)

// classes are the solver classes of the families.
var classes = map[family]string{structures: "LinearElasticity", heat: "HeatTransfer", flow: "NavierStokes"}

// input of the call that an analysis is; nil where its part has no mesh.
func (e *execution) input(ctx context.Context, name string) (*prepared, error) {
	a := e.study.Analyses[name]
	switch f := families[a.Type]; f {
	case structures, heat, flow:
		part, err := e.study.partOf(name)
		if err != nil {
			return nil, err
		}
		m, err := e.mesh(ctx, part)
		if err != nil || m == nil {
			return nil, err
		}
		return e.solve(name, f, part, m)
	case circuits:
		return e.circuit(ctx, name)
	}
	options, err := e.options(name)
	if err != nil {
		return nil, err
	}
	return &prepared{input: encode(options), files: e.tableFiles(options), places: map[string]string{"": "/analyses/" + escape(name) + "/options"}}, nil
}

// options of an analysis with its references replaced.
func (e *execution) options(name string) (map[string]any, error) {
	at := "/analyses/" + escape(name) + "/options"
	made, err := e.study.Analyses[name].resolved(func(r reference) (any, error) {
		raw, from := e.doc, "the study"
		pointer := r.Study
		if r.Result != "" {
			raw, from, pointer = e.run.results[r.Result].OutputJSON(), "the result of "+r.Result, r.Pointer
		}
		value, ok := contract.Figure(raw, pointer)
		if !ok {
			return nil, contract.Errorf(contract.CodeInvalidInput, "%s has nothing at %s", from, pointer)
		}
		return value, nil
	})
	if err != nil {
		return nil, contract.AsError(err).At(at)
	}
	return made, nil
}

// tableFiles are the pointers of the values of an input that are files of the study.
func (e *execution) tableFiles(options map[string]any) []string {
	var files []string
	for _, t := range e.study.Tables {
		files = append(files, t.File)
	}
	for _, p := range e.study.Parts {
		files = append(files, p.File)
	}
	var found []string
	var walk func(at string, v any)
	walk = func(at string, v any) {
		switch v := v.(type) {
		case map[string]any:
			for name, member := range v {
				walk(at+"/"+escape(name), member)
			}
		case []any:
			for i, item := range v {
				walk(fmt.Sprintf("%s/%d", at, i), item)
			}
		case string:
			if slices.Contains(files, v) {
				found = append(found, at)
			}
		}
	}
	walk("", options)
	return found
}

// circuit is the call of an analysis of a netlist.
func (e *execution) circuit(ctx context.Context, name string) (*prepared, error) {
	circuit, err := e.study.circuitOf(name)
	if err != nil {
		return nil, err
	}
	c, at := e.study.Circuits[circuit], "/circuits/"+escape(circuit)
	input, err := e.options(name)
	if err != nil {
		return nil, err
	}
	netlist := c.Netlist
	if c.File != "" {
		content, err := e.read(ctx, c.File)
		if err != nil {
			return nil, contract.AsError(err).At(at + "/file")
		}
		netlist = string(content)
	}
	if input["netlist"], err = withValues(netlist, c.Values, at); err != nil {
		return nil, err
	}
	return &prepared{input: encode(input), places: map[string]string{"": "/analyses/" + escape(name) + "/options", "/netlist": at + "/netlist"}}, nil
}

// solver is the input of a solver while it is made.
type solver struct {
	*execution
	name   string // of the analysis
	family family
	part   string
	mesh   *meshed
	config map[string]any
	places map[string]string
	resolv *shape.Resolver
	soft   []any // conditions that keep a part in place
}

// solve is the call of an analysis by finite elements.
func (e *execution) solve(name string, f family, part string, m *meshed) (*prepared, error) {
	options, err := e.options(name)
	if err != nil {
		return nil, err
	}
	s := &solver{
		execution: e, name: name, family: f, part: part, mesh: m, config: options,
		places: map[string]string{"": "/analyses/" + escape(name), "/config": "/analyses/" + escape(name) + "/options", "/mesh": "/parts/" + escape(part)},
		resolv: &shape.Resolver{Geometry: m.shape, Spacing: m.size},
	}
	if kind := e.study.Analyses[name].Type; f == structures && kind != "static" {
		s.config["analysis"] = kind
	}
	if err := s.modesUpTo(); err != nil {
		return nil, err
	}
	for _, fill := range []func() error{s.conditions, s.materials, s.heated, s.accuracy} {
		if err := fill(); err != nil {
			return nil, err
		}
	}
	reference := map[string]any{"type": "file", "path": m.url}
	if m.unit != "" {
		reference["length_unit"] = m.unit
	}
	input := map[string]any{"solver_class": classes[f], "mesh": reference, "config": s.config}
	return &prepared{input: encode(input), files: []string{"/mesh/path"}, places: s.places, notes: s.resolv.Assumed}, nil
}

// acting is a condition of the analysis, with its place in the study.
type acting struct {
	Condition
	at string
}

// acting are the conditions that an analysis has, supports before loads, by name.
func (s *solver) acting() []acting {
	var out []acting
	for _, section := range []string{"supports", "loads"} {
		if section == "loads" && s.study.Analyses[s.name].Type == "modal" && s.config["prestress"] != true {
			if len(s.study.Loads) > 0 {
				s.resolv.Assume("Loads change no frequency of linear theory and are left out; with prestress in the options they act.")
			}
			continue
		}
		list := map[string]map[string]Condition{"supports": s.study.Supports, "loads": s.study.Loads}[section]
		for _, name := range keys(list) {
			c := list[name]
			if of, known := conditionFamilies[c.Type]; known && of != s.family || c.Part != "" && c.Part != s.part || len(c.Analyses) > 0 && !slices.Contains(c.Analyses, s.name) {
				continue
			}
			out = append(out, acting{c, "/" + section + "/" + escape(name)})
		}
	}
	return out
}

// conditions are written as the solver takes them.
func (s *solver) conditions() error {
	list := s.acting()
	for _, c := range list {
		s.resolv.Taken = append(s.resolv.Taken, shapes(c.On)...)
	}
	bcs := []any{}
	if given, ok := s.config["bcs"].([]any); ok {
		bcs = given
	}
	for _, c := range list {
		switch c.Type {
		case gravity:
			s.config["gravity"] = value(c.Fields["acceleration"])
			s.places["/config/gravity"] = c.at + "/acceleration"
			continue
		case rotation:
			s.config["rotation"] = c.Fields
			s.places["/config/rotation"] = c.at
			continue
		}
		if len(c.On) == 0 {
			return contract.Errorf(contract.CodeInvalidInput, "a condition of type %s needs the place on which it acts", c.Type).At(c.at + "/on").
				WithHint(`Such as "on": "left", "face 7", or {"hole": {"diameter": "12 mm"}}.`)
		}
		made, err := s.boundary(c)
		if err != nil {
			return err
		}
		s.places["/config/bcs/"+strconv.Itoa(len(bcs))] = c.at
		bcs = append(bcs, made)
	}
	s.config["bcs"] = append(bcs, s.soft...) // behind the others, whose places in the list are asked for
	return nil
}

func value(raw json.RawMessage) any {
	if raw == nil {
		return nil
	}
	return decoded(raw)
}

// boundary is one condition; its places together are one selection, over which a total is
// spread by area.
func (s *solver) boundary(c acting) (map[string]any, error) {
	sites, err := s.resolv.Sites(shapes(c.On))
	if err != nil {
		return nil, contract.AsError(err).At(c.at + "/on")
	}
	out := map[string]any{"type": c.Type}
	for name, raw := range c.Fields {
		out[name] = decoded(raw)
	}
	var attributes []int
	var faces []string
	for _, site := range sites {
		attributes = append(attributes, site.Selector.Attribute...)
		faces = append(faces, site.Selector.Face...)
		if site.Selector.Where != nil {
			if len(sites) > 1 {
				return nil, contract.Errorf(contract.CodeInvalidInput, "%s of this part is told by its place alone and cannot be taken together with others", site.Place).At(c.at + "/on").
					WithHint("Give each place a condition of its own.")
			}
			out["where"] = site.Selector.Where
		}
	}
	if len(attributes) > 0 {
		slices.Sort(attributes)
		out["attribute"] = slices.Compact(attributes)
	}
	if len(faces) > 0 {
		out["face"] = faces
	}
	if err := s.hinged(c, sites, out); err != nil {
		return nil, err
	}
	return out, s.spread(c, sites, out)
}

// figures are the properties that the materials of a family take.
var figures = map[family][]string{
	structures: {"E", "nu", "density", "yield", "alpha", "hardening", "tangent_modulus"},
	heat:       {"conductivity", "specific_heat", "density", "phase_change", "source"},
	flow:       {"density", "viscosity", "kinematic_viscosity"},
}

// materials of the part, the one of all bodies first.
func (s *solver) materials() error {
	var general, own []any
	var at []string
	for _, first := range []bool{true, false} {
		for _, name := range keys(s.study.Materials) {
			m := s.study.Materials[name]
			if m.Part != "" && m.Part != s.part || (m.Body == nil) != first {
				continue
			}
			here := "/materials/" + escape(name)
			if s.family == flow {
				return s.fluid(m, here)
			}
			entry := map[string]any{}
			if m.Name != "" {
				entry["material"] = m.Name
			}
			for _, f := range figures[s.family] {
				if raw, ok := m.Figures[f]; ok {
					entry[f] = decoded(raw)
				}
			}
			if m.Body != nil {
				attribute, err := s.mesh.attribute(m.Body)
				if err != nil {
					return err.At(here + "/body")
				}
				entry["attribute"] = attribute
				own = append(own, entry)
			} else {
				general = append(general, entry)
			}
			at = append(at, here)
			if len(general) > 1 {
				return contract.Errorf(contract.CodeInvalidInput, "two materials are those of the whole part %q: %s and %s", s.part, at[0], here).At(here).
					WithHint("Give one of them a body, or take it out.")
			}
		}
	}
	if len(general)+len(own) == 0 {
		return contract.Errorf(contract.CodeInvalidInput, "the part %q has no material", s.part).At("/materials").
			WithHint(`Add one: {"op": "add", "path": "/materials/steel", "value": {"material": "steel S235"}}.`)
	}
	s.config["materials"] = append(general, own...)
	for i, here := range at {
		s.places["/config/materials/"+strconv.Itoa(i)] = here
	}
	return nil
}

// attribute of a body that is named by its number or name.
func (m *meshed) attribute(raw json.RawMessage) (int, *contract.Error) {
	var number int
	var name string
	if json.Unmarshal(raw, &number) != nil {
		_ = json.Unmarshal(raw, &name) // the schema has one of both
	}
	var names []string
	for _, b := range m.bodies {
		if b.Body == number || name != "" && shape.Spaced(b.Name) == shape.Spaced(name) {
			return b.Attribute, nil
		}
		names = append(names, fmt.Sprintf("%d (%s)", b.Body, b.Name))
	}
	if m.file && number > 0 {
		return number, nil
	}
	return 0, contract.Errorf(contract.CodeInvalidInput, "the part has no body %s", raw).WithHint("It has %s.", strings.Join(names, ", "))
}

// fluid fills density and viscosity.
func (s *solver) fluid(m Material, at string) error {
	for _, f := range []string{"density", "viscosity"} {
		if raw, ok := m.Figures[f]; ok {
			s.config[f] = decoded(raw)
		}
		s.places["/config/"+f] = at + "/" + f
	}
	if m.Name == "" {
		return s.kinematic(m, at)
	}
	row, near := material.Find(m.Name)
	if row == nil {
		e := contract.Errorf(contract.CodeInvalidInput, "no material is named %q", m.Name).At(at + "/material")
		if len(near) > 0 {
			e = e.WithHint("Near are %s.", strings.Join(near, ", "))
		}
		return e
	}
	for f, figure := range map[string]*material.Figure{"density": row.Density, "viscosity": row.Viscosity} {
		if _, own := m.Figures[f]; !own && figure != nil && (f != "viscosity" || m.Figures["kinematic_viscosity"] == nil) {
			s.config[f] = figure.Value
			s.resolv.Assume("%s of %s is %g (%s).", f, row.Name, figure.Value, figure.Source)
		}
	}
	return s.kinematic(m, at)
}

// kinematic makes the dynamic viscosity of a fluid of its kinematic one.
func (s *solver) kinematic(m Material, at string) error {
	raw, given := m.Figures["kinematic_viscosity"]
	if !given {
		return nil
	}
	if _, both := m.Figures["viscosity"]; both {
		return contract.Errorf(contract.CodeInvalidInput, "viscosity and kinematic_viscosity are given, and each says what the other does").At(at + "/kinematic_viscosity").WithHint("Leave one out.")
	}
	nu, err := siOf(raw, quantity.KinematicViscosity)
	if err != nil {
		return contract.AsError(err).At(at + "/kinematic_viscosity")
	}
	density, err := siOf(encode(s.config["density"]), quantity.Density)
	if err != nil || s.config["density"] == nil {
		return contract.Errorf(contract.CodeInvalidInput, "a kinematic viscosity needs the density of the fluid").At(at + "/density").WithHint(`Such as "density": "850 kg/m^3".`)
	}
	s.config["viscosity"] = quantity.Significant(nu * density)
	return nil
}

// heated puts the heat problem of another analysis into a change of temperature:
// {"temperature": {"from": "heat", "reference": …}}.
func (s *solver) heated() error {
	t, ok := s.config["temperature"].(map[string]any)
	if !ok {
		return nil
	}
	from, ok := t["from"].(string)
	if !ok {
		return nil
	}
	at := "/analyses/" + escape(s.name) + "/options/temperature/from"
	if families[s.study.Analyses[from].Type] != heat {
		return contract.Errorf(contract.CodeInvalidInput, "%q is no analysis of heat of this study", from).At(at)
	}
	if part, err := s.study.partOf(from); err != nil || part != s.part {
		return contract.Errorf(contract.CodeInvalidInput, "%q heats the part %q, and this analysis is of %q", from, part, s.part).At(at).
			WithHint("Take an analysis of heat of the same part.")
	}
	own, err := s.solve(from, heat, s.part, s.mesh)
	if err != nil {
		return err
	}
	var input struct {
		Config map[string]any `json:"config"`
	}
	if err := json.Unmarshal(own.input, &input); err != nil {
		return contract.AsError(err)
	}
	for _, f := range []string{"order", "probes", "accuracy"} {
		delete(input.Config, f)
	}
	delete(t, "from")
	t["heat"] = input.Config
	for from, to := range own.places {
		if strings.HasPrefix(from, "/config") {
			s.places["/config/temperature/heat"+strings.TrimPrefix(from, "/config")] = to
		}
	}
	return nil
}

// accuracy is what a question asks of the analysis.
func (s *solver) accuracy() error {
	var asked string
	for _, name := range keys(s.study.Questions) {
		q := s.study.Questions[name]
		if q.Accuracy == nil {
			continue
		}
		analysis, pointer, err := s.study.figureOf(q.Analysis, q.Quantity, "/questions/"+escape(name))
		switch {
		case err != nil:
			return err
		case analysis != s.name:
			continue
		case asked != "":
			return contract.Errorf(contract.CodeInvalidInput, "two questions ask the analysis %q for an accuracy, which refines its mesh for one figure: %s and %s", s.name, asked, name).At("/questions/" + escape(name) + "/accuracy").
				WithHint("Give the second one an analysis of its own, of the same type.")
		}
		asked = name
		s.config["accuracy"] = map[string]any{"quantity": pointer, "target": *q.Accuracy}
		s.places["/config/accuracy"] = "/questions/" + escape(name) + "/accuracy"
	}
	return nil
}
