// Package plan turns a prompt into a plan of tool calls without a model: it
// reads the physics, the material, loads, supports, places, resolution and what
// to show, takes the rest from the session's facts and documented defaults, and
// asks for what it cannot understand. Nothing is guessed silently: every default
// is one of the plan's assumptions, everything missing one of its questions.
//
// Conventions, told as assumptions where they matter: z is up; front is -y; left
// is -x (as the renderer's up_axis z has them); "end" is an end of the longest
// axis; a load on a flat face without a direction pushes into it.
package plan

import (
	"fmt"
	"strings"

	"atelier/internal/agent/materials"
)

// Physics of a plan.
type Physics string

// What can be computed.
const (
	Elasticity Physics = "elasticity"
	Heat       Physics = "heat"
	Flow       Physics = "flow"
	Circuit    Physics = "circuit"
)

// Kind of a condition.
type Kind string

// The kinds of conditions, with what Value, Vector and Ambient hold in SI units.
const (
	Fixed        Kind = "fixed"        // Components: those that are held; none for all
	Force        Kind = "force"        // Vector: total force, N; or Value with Toward
	Pressure     Kind = "pressure"     // Value: Pa, positive into the part
	Traction     Kind = "traction"     // Vector: Pa
	Displacement Kind = "displacement" // Vector: m
	Gravity      Kind = "gravity"      // Vector: m/s^2; no place
	FixedTemp    Kind = "fixed_temp"   // Value: K
	HeatFlux     Kind = "heat_flux"    // Value: W/m^2 into the body
	HeatPower    Kind = "heat_power"   // Value: W into the body, over all places
	Convection   Kind = "convection"   // Value: W/(m^2 K); Ambient: K
	Insulated    Kind = "insulated"    // nothing: faces without a condition are insulated
	Inlet        Kind = "inlet"        // Vector: m/s; or Value, normal to the face, inward; or Rate
	Outlet       Kind = "outlet"       // Value: Pa
	Wall         Kind = "wall"         // Vector: m/s, nil at rest
)

// Condition is a load, support or other boundary condition.
type Condition struct {
	Kind       Kind      `json:"kind"`
	Places     []Place   `json:"places,omitempty"`
	Value      float64   `json:"value,omitempty"`
	Vector     []float64 `json:"vector,omitempty"`
	Toward     Toward    `json:"toward,omitempty"`
	Ambient    float64   `json:"ambient,omitempty"`
	Components []string  `json:"components,omitempty"`
	Profile    string    `json:"profile,omitempty"`
	Rate       float64   `json:"rate,omitempty"` // of an inlet: m^3/s
	Each       bool      `json:"each,omitempty"` // Vector or Value holds for each place by itself

	given, hasAmbient bool
	unsaid            bool       // the direction is assumed
	notes             []string   // what was assumed to read it
	axis              *direction // as said, before it is made a vector
	at                int        // byte of the trigger
	sentence          int
	fault             bool // stands for a load that could not be read
}

// Toward says how a force stands to its face where no direction was said.
type Toward string

// Into the part, or out of it.
const (
	Inward  Toward = "inward"
	Outward Toward = "outward"
)

// Question names something missing or not understood, with an example of an answer.
type Question struct {
	Topic   string `json:"topic"` // material, support, load, unit, number, geometry …
	Text    string `json:"text"`
	Example string `json:"example"`
	at      int    // where in the text; -1 for what is missing altogether
}

// Network is a circuit to be simulated.
type Network struct {
	Netlist  string             `json:"netlist"`
	Analysis string             `json:"analysis,omitempty"`
	Probes   []string           `json:"probes,omitempty"`
	Start    float64            `json:"fstart,omitempty"` // Hz
	Stop     float64            `json:"fstop,omitempty"`  // Hz
	TStop    float64            `json:"tstop,omitempty"`  // s
	Elements map[string]float64 `json:"elements,omitempty"`
	Measures []Measure          `json:"measures,omitempty"`
}

// Plan is what is to be done. It is complete when it has no questions.
type Plan struct {
	Prompt     string              `json:"prompt"`
	Physics    Physics             `json:"physics"`
	File       string              `json:"file,omitempty"`
	FileName   string              `json:"file_name,omitempty"`   // tells the format where File has no ending
	LengthUnit string              `json:"length_unit,omitempty"` // "" for the file's own
	Material   *materials.Material `json:"material,omitempty"`    // with the values of the prompt put in
	Conditions []Condition         `json:"conditions,omitempty"`

	Steady             bool    `json:"steady,omitempty"`
	InitialTemperature float64 `json:"initial_temperature,omitempty"` // K
	FinalTime          float64 `json:"t_final,omitempty"`             // s; 0: chosen once the part's size is known
	TimeStep           float64 `json:"dt,omitempty"`                  // s; 0: a hundredth of FinalTime
	Source             float64 `json:"source,omitempty"`              // W/m^3

	ElementSize float64  `json:"element_size,omitempty"` // m; 0: by Mesh
	Mesh        string   `json:"mesh,omitempty"`         // fine, coarse, or "" for the mesher's choice
	Accuracy    float64  `json:"accuracy,omitempty"`     // wished relative error; 0 for none
	Show        []string `json:"show,omitempty"`         // von_mises, displacement, temperature, velocity, pressure
	Views       []string `json:"views,omitempty"`        // of the renderer
	Buffers     bool     `json:"buffers,omitempty"`      // depth and normal images beside the pictures
	Unrepaired  bool     `json:"unrepaired,omitempty"`   // the surface goes to the mesher as it is
	Curved      bool     `json:"curved,omitempty"`       // a CAD model is meshed on its exact faces
	Moments     bool     `json:"moments,omitempty"`      // the moments of the reactions are told as well

	Network *Network `json:"network,omitempty"`

	// Unread is what was asked for and is not in the plan, as it was written.
	Unread []string `json:"unread,omitempty"`
	// Unused are numbers, materials and words of the request that no step uses.
	Unused      []string   `json:"unused,omitempty"`
	Assumptions []string   `json:"assumptions,omitempty"`
	Questions   []Question `json:"questions,omitempty"`
}

// Facts are what the session knows beside the prompt.
type Facts struct {
	File       string   // reference of the geometry: the newest upload that is one; "" without
	LengthUnit string   // of the file, where known
	Faces      []string // names of CAD faces, when an import has told them
	Earlier    []string // the user's earlier messages of the same matter, oldest first
	Answers    []int    // which of Earlier, and of the prompt behind them, answer questions about the one before
	Asked      []string // topics of the questions that the prompt answers; it is then one of Answers
	Curved     bool     // volume_mesh_cad can be called
}

func (p *Plan) assume(format string, args ...any) {
	s := fmt.Sprintf(format, args...)
	for _, have := range p.Assumptions {
		if have == s {
			return
		}
	}
	p.Assumptions = append(p.Assumptions, s)
}

// assume records what was assumed to read a condition, for as long as it is in force.
func (c *Condition) assume(format string, args ...any) {
	c.notes = append(c.notes, fmt.Sprintf(format, args...))
}

// ask records a question once for each topic.
func (p *Plan) ask(at int, topic, text, example string) {
	for _, q := range p.Questions {
		if q.Topic == topic {
			return
		}
	}
	p.Questions = append(p.Questions, Question{Topic: topic, Text: text, Example: example, at: at})
}

// Sentence puts the question to a person.
func (q Question) Sentence() string { return q.Text + " For example: \"" + q.Example + "\"." }

// Asks says in sentences what is missing; "" when nothing is.
func (p *Plan) Asks() string {
	var b strings.Builder
	for i, q := range p.Questions {
		if i > 0 {
			b.WriteString("\n")
		}
		b.WriteString(q.Sentence())
	}
	return b.String()
}
