package solve

import (
	"encoding/json"

	"atelier/internal/quantity"
)

// FeaCondition is a boundary condition of fea.solve, of any of its classes.
type FeaCondition struct {
	Place
	Type       string    `json:"type"`
	Value      *Value    `json:"value,omitempty"`
	Components []string  `json:"components,omitempty"`
	Force      []float64 `json:"force,omitempty"`
	Pressure   *float64  `json:"pressure,omitempty"`
	Velocity   []float64 `json:"velocity,omitempty"`
	Profile    string    `json:"profile,omitempty"`
	H          *float64  `json:"h,omitempty"`
	Ambient    *float64  `json:"ambient,omitempty"`
	Moment     []float64 `json:"moment,omitempty"`
	Mass       *float64  `json:"mass,omitempty"`
	Gradient   []float64 `json:"gradient,omitempty"`
	Stiffness  *Value    `json:"stiffness,omitempty"`

	At []quantity.FileLength `json:"at,omitempty"`
}

// Rotation of a part about an axis.
type Rotation struct {
	Point []quantity.FileLength `json:"point,omitempty"`
	Axis  []float64             `json:"axis,omitempty"`
	Speed *float64              `json:"speed,omitempty"` // rad/s
	RPM   *float64              `json:"rpm,omitempty"`
}

// StressLineEnds are the ends of a line through a wall.
type StressLineEnds struct {
	From []quantity.FileLength `json:"from"`
	To   []quantity.FileLength `json:"to"`
}

// LoadCondition is a boundary condition that loads a part.
type LoadCondition struct {
	Place
	Type     string    `json:"type"`
	Value    *Value    `json:"value,omitempty"`
	Force    []float64 `json:"force,omitempty"`
	Pressure *float64  `json:"pressure,omitempty"`
	Moment   []float64 `json:"moment,omitempty"`
	Mass     *float64  `json:"mass,omitempty"`
	Gradient []float64 `json:"gradient,omitempty"`

	At []quantity.FileLength `json:"at,omitempty"`
}

// CaseTemperature is a change of temperature of a case.
type CaseTemperature struct {
	Value     json.RawMessage       `json:"value"` // K: a number, or one by body
	Reference *float64              `json:"reference"`
	Gradient  []float64             `json:"gradient,omitempty"` // K/m
	At        []quantity.FileLength `json:"at,omitempty"`
}

// LoadCase is a set of loads that act together on a part.
type LoadCase struct {
	Name         string          `json:"name,omitempty"`
	BCs          []LoadCondition `json:"bcs,omitempty"`
	Gravity      []float64       `json:"gravity,omitempty"`
	Acceleration []float64       `json:"acceleration,omitempty"`
	Rotation     *Rotation       `json:"rotation,omitempty"`
	BodyForce    *Value          `json:"body_force,omitempty"`

	Temperature *CaseTemperature `json:"temperature,omitempty"`
}

// Combination is a sum of load cases, each times a factor.
type Combination struct {
	Name    string             `json:"name"`
	Factors map[string]float64 `json:"factors"` // by the name of the case
}

// Damping of a vibration: one of a share of critical damping, Rayleigh's factors and the loss
// factor of the stiffness.
type Damping struct {
	Ratio      *float64 `json:"ratio,omitempty"`
	Alpha      *float64 `json:"alpha,omitempty"` // 1/s
	Beta       *float64 `json:"beta,omitempty"`  // s
	LossFactor *float64 `json:"loss_factor,omitempty"`
}

// TemperatureChange is what strains a part by heat: temperatures that are given, or those of a
// heat problem on the same mesh.
type TemperatureChange struct {
	Value     json.RawMessage       `json:"value,omitempty"` // K: a number, or one by body
	Reference *float64              `json:"reference,omitempty"`
	Gradient  []float64             `json:"gradient,omitempty"` // K/m
	At        []quantity.FileLength `json:"at,omitempty"`
	Heat      *HeatProblem          `json:"heat,omitempty"`
}

// FeaConfig is the configuration of fea.solve: the fields of all its classes,
// of which each uses its own (see classFields).
type FeaConfig struct {
	Analysis            string                  `json:"analysis,omitempty"`
	Modes               *int                    `json:"modes,omitempty"`
	Prestress           *bool                   `json:"prestress,omitempty"`
	Frequencies         json.RawMessage         `json:"frequencies,omitempty"` // a list, or a sweep; Hz
	Damping             *Damping                `json:"damping,omitempty"`
	History             json.RawMessage         `json:"history,omitempty"` // [time, factor] rows, or a shape
	Time                *Duration               `json:"time,omitempty"`
	Start               string                  `json:"start,omitempty"`
	Materials           []Material              `json:"materials,omitempty"`
	Bolts               []Bolt                  `json:"bolts,omitempty"`
	SecondOpinion       *bool                   `json:"second_opinion,omitempty"`
	Temperature         *TemperatureChange      `json:"temperature,omitempty"`
	Plane               string                  `json:"plane,omitempty"`
	Density             *float64                `json:"density,omitempty"`
	Gravity             []float64               `json:"gravity,omitempty"`
	Acceleration        []float64               `json:"acceleration,omitempty"`
	Rotation            *Rotation               `json:"rotation,omitempty"`
	BodyForce           *Value                  `json:"body_force,omitempty"`
	RHS                 *float64                `json:"rhs,omitempty"`
	Load                *Value                  `json:"load,omitempty"`
	Coefficient         *float64                `json:"coefficient,omitempty"`
	FixedAttributes     []int                   `json:"fixed_attributes,omitempty"`
	Material            string                  `json:"material,omitempty"`
	Conductivity        *float64                `json:"conductivity,omitempty"`
	SpecificHeat        *float64                `json:"specific_heat,omitempty"`
	InitialTemperature  *float64                `json:"initial_temperature,omitempty"`
	Source              *float64                `json:"source,omitempty"`
	Viscosity           *float64                `json:"viscosity,omitempty"`
	G                   []float64               `json:"g,omitempty"`
	Dt                  *float64                `json:"dt,omitempty"`
	TFinal              *float64                `json:"t_final,omitempty"`
	OutputIntervalSteps *int                    `json:"output_interval_steps,omitempty"`
	Steady              *bool                   `json:"steady,omitempty"`
	Order               *int                    `json:"order,omitempty"`
	BCs                 []FeaCondition          `json:"bcs,omitempty"`
	Cases               []LoadCase              `json:"cases,omitempty"`
	Combinations        []Combination           `json:"combinations,omitempty"`
	Contacts            []Contact               `json:"contacts,omitempty"`
	Probes              [][]quantity.FileLength `json:"probes,omitempty"`
	StressLines         []StressLineEnds        `json:"stress_lines,omitempty"`
	Accuracy            *Accuracy               `json:"accuracy,omitempty"`
	AnalysisOpts        *AnalysisOpts           `json:"analysis_opts,omitempty"`
}

// HeatCondition is a boundary condition of heat.solve.
type HeatCondition struct {
	Place
	Type    string   `json:"type"`
	Value   *float64 `json:"value,omitempty"`
	H       *float64 `json:"h,omitempty"`
	Ambient *float64 `json:"ambient,omitempty"`

	Emissivity *float64 `json:"emissivity,omitempty"`
}

// HeatProblem is what heat.solve and the heat of fea.solve have in common.
type HeatProblem struct {
	PhaseChange         *PhaseChange    `json:"phase_change,omitempty"`
	Materials           []HeatMaterial  `json:"materials,omitempty"`
	Material            string          `json:"material,omitempty"`
	Conductivity        *Curve          `json:"conductivity,omitempty"`
	SpecificHeat        *Curve          `json:"specific_heat,omitempty"`
	Density             *float64        `json:"density,omitempty"`
	InitialTemperature  *float64        `json:"initial_temperature,omitempty"`
	Source              *float64        `json:"source,omitempty"`
	Dt                  *float64        `json:"dt,omitempty"`
	TFinal              *float64        `json:"t_final,omitempty"`
	Steady              *bool           `json:"steady,omitempty"`
	OutputIntervalSteps *int            `json:"output_interval_steps,omitempty"`
	BCs                 []HeatCondition `json:"bcs"`
	AnalysisOpts        *AnalysisOpts   `json:"analysis_opts,omitempty"`
}

// HeatConfig is the configuration of heat.solve.
type HeatConfig struct {
	HeatProblem
	Plane    string                  `json:"plane,omitempty"`
	Order    *int                    `json:"order,omitempty"`
	Probes   [][]quantity.FileLength `json:"probes,omitempty"`
	Accuracy *Accuracy               `json:"accuracy,omitempty"`
}

// FlowCondition is a boundary condition of cfd.solve.
type FlowCondition struct {
	Place
	Type     string    `json:"type"`
	Velocity []float64 `json:"velocity,omitempty"`
	Profile  string    `json:"profile,omitempty"`
	Pressure *float64  `json:"pressure,omitempty"`
}

// FlowConfig is the configuration of cfd.solve.
type FlowConfig struct {
	Viscosity           float64                 `json:"viscosity"`
	Density             float64                 `json:"density"`
	Dt                  float64                 `json:"dt"`
	TFinal              float64                 `json:"t_final"`
	BodyForce           []float64               `json:"body_force,omitempty"`
	G                   []float64               `json:"g,omitempty"`
	Steady              *bool                   `json:"steady,omitempty"`
	OutputIntervalSteps *int                    `json:"output_interval_steps,omitempty"`
	BCs                 []FlowCondition         `json:"bcs"`
	Probes              [][]quantity.FileLength `json:"probes,omitempty"`
	AnalysisOpts        *AnalysisOpts           `json:"analysis_opts,omitempty"`
}
