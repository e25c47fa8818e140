// Package study is one editable document behind every way in: what is there (parts,
// materials), what acts on it (supports, loads), what is computed (analyses) and what is
// asked (questions, requirements). The package keeps its revisions, turns it into calls of
// tools, and runs of these only what has changed since an earlier run.
package study

import (
	"bytes"
	"encoding/json"
	"regexp"
	"sync"

	api "atelier/api/study"
	"atelier/internal/contract"
)

// Version of the document that this program writes.
const Version = "1.0"

// schema is that of the document.
var schema = &contract.Document{Name: "study", Schema: api.Schema}

// Study is the document. Members of its sections are named.
type Study struct {
	Version      string                 `json:"study"`
	Title        string                 `json:"title,omitempty"`
	Parts        map[string]Part        `json:"parts,omitempty"`
	Materials    map[string]Material    `json:"materials,omitempty"`
	Supports     map[string]Condition   `json:"supports,omitempty"`
	Loads        map[string]Condition   `json:"loads,omitempty"`
	Mesh         *Mesh                  `json:"mesh,omitempty"`
	Circuits     map[string]Circuit     `json:"circuits,omitempty"`
	Tables       map[string]Table       `json:"tables,omitempty"`
	Analyses     map[string]Analysis    `json:"analyses,omitempty"`
	Questions    map[string]Question    `json:"questions,omitempty"`
	Requirements map[string]Requirement `json:"requirements,omitempty"`
	Assumptions  []string               `json:"assumptions,omitempty"`
}

// Part is a file.
type Part struct {
	File       string `json:"file"`
	LengthUnit string `json:"length_unit,omitempty"`
}

// Material is what a part, a body of it or everything is made of.
type Material struct {
	Name    string
	Part    string
	Body    json.RawMessage            // a number or a name; nil for all bodies
	Figures map[string]json.RawMessage // E, nu, conductivity …, as the tools take them
}

// Condition is a support or a load.
type Condition struct {
	Type     string
	On       []Place // none for what acts on the whole part
	Part     string
	Analyses []string                   // none for all that have such a condition
	Fields   map[string]json.RawMessage // force, value, components …, as the tools take them
}

// Mesh are wishes for the mesh.
type Mesh struct {
	Size              *Length  `json:"size,omitempty"`
	Fineness          string   `json:"fineness,omitempty"`
	ElementsPerCircle *float64 `json:"elements_per_circle,omitempty"`
	// Local are smaller elements at places of CAD parts.
	Local map[string]LocalSize `json:"local,omitempty"`
}

// LocalSize is the largest element at a place.
type LocalSize struct {
	On   places  `json:"on"`
	Part string  `json:"part,omitempty"`
	Size *Length `json:"size"`
}

// Circuit is a netlist or its file, and values that devices have instead of theirs.
type Circuit struct {
	Netlist string                 `json:"netlist,omitempty"`
	File    string                 `json:"file,omitempty"`
	Values  map[string]DeviceValue `json:"values,omitempty"`
}

// Table is a file of data.
type Table struct {
	File string `json:"file"`
}

// Analysis is something to be computed.
type Analysis struct {
	Type    string                     `json:"type"`
	Part    string                     `json:"part,omitempty"`
	Circuit string                     `json:"circuit,omitempty"`
	Tool    string                     `json:"tool,omitempty"`
	Options map[string]json.RawMessage `json:"options,omitempty"`
}

// Question asks for a figure of an analysis.
type Question struct {
	Analysis string   `json:"analysis,omitempty"`
	Quantity string   `json:"quantity"`
	Accuracy *float64 `json:"accuracy,omitempty"`
}

// Requirement is a limit of a figure.
type Requirement struct {
	Analysis string `json:"analysis,omitempty"`
	Quantity string `json:"quantity"`
	AtMost   *Limit `json:"at_most,omitempty"`
	AtLeast  *Limit `json:"at_least,omitempty"`
}

// Limit is a number in SI units, a text with a unit, or a formula.
type Limit struct {
	Number *float64
	Text   string
}

// UnmarshalJSON accepts 1.6e8 and "160 MPa".
func (l *Limit) UnmarshalJSON(raw []byte) error {
	if bytes.HasPrefix(bytes.TrimSpace(raw), []byte(`"`)) {
		return json.Unmarshal(raw, &l.Text)
	}
	return json.Unmarshal(raw, &l.Number)
}

// Read holds a document against the schema and decodes it. All faults are told at once.
func Read(raw json.RawMessage) (*Study, error) {
	if faults := append(unnamed(raw), schema.Faults(raw)...); len(faults) > 0 {
		return nil, contract.Faults(faults)
	}
	s := &Study{}
	if err := json.Unmarshal(raw, s); err != nil {
		return nil, contract.AsError(err)
	}
	if faults := s.references(); len(faults) > 0 {
		return nil, contract.Faults(faults)
	}
	return s, nil
}

// memberName is what names in the sections look like, as the schema says it.
var memberName = sync.OnceValue(func() *regexp.Regexp {
	var of struct {
		Defs struct {
			Name struct{ Pattern string } `json:"name"`
		} `json:"$defs"`
	}
	if err := json.Unmarshal(api.Schema, &of); err != nil {
		panic(err)
	}
	return regexp.MustCompile(of.Defs.Name.Pattern)
})

// unnamed are names in the sections that are none; the schema refuses them without a place.
func unnamed(raw json.RawMessage) (faults []*contract.Error) {
	var sections map[string]json.RawMessage
	if json.Unmarshal(raw, &sections) != nil {
		return nil // which the schema says
	}
	for _, section := range keys(sections) {
		var members map[string]json.RawMessage
		if section == "mesh" || json.Unmarshal(sections[section], &members) != nil {
			continue
		}
		for _, name := range keys(members) {
			if !memberName().MatchString(name) {
				faults = append(faults, contract.Errorf(contract.CodeInvalidInput, "%q is no name here", name).At("/"+section+"/"+escape(name)).
					WithHint("Names have letters, digits, spaces, and _ . -, begin with a letter or digit, and have at most 60 characters."))
			}
		}
	}
	return faults
}

// UnmarshalJSON separates the fields of the study from those of the tools.
func (m *Material) UnmarshalJSON(raw []byte) error {
	fields, err := split(raw, map[string]any{"material": &m.Name, "part": &m.Part, "body": &m.Body})
	m.Figures = fields
	return err
}

// UnmarshalJSON separates the fields of the study from those of the tools.
func (c *Condition) UnmarshalJSON(raw []byte) error {
	var on places
	fields, err := split(raw, map[string]any{"type": &c.Type, "on": &on, "part": &c.Part, "analyses": &c.Analyses})
	c.Fields, c.On = fields, on
	return err
}

// split decodes the known fields of an object and returns the others.
func split(raw []byte, known map[string]any) (map[string]json.RawMessage, error) {
	var rest map[string]json.RawMessage
	if err := json.Unmarshal(raw, &rest); err != nil {
		return nil, err
	}
	for name, into := range known {
		value, given := rest[name]
		if !given {
			continue
		}
		if err := json.Unmarshal(value, into); err != nil {
			return nil, err
		}
		delete(rest, name)
	}
	return rest, nil
}
