package solve

import (
	"atelier/internal/contract"
	"atelier/internal/evidence"
)

// Output is what every solver class answers; fields that a class lacks are
// absent. Quantities are in SI units.
type Output struct {
	SolverClass   string         `json:"solver_class"`
	Summary       string         `json:"summary"`
	Dimension     int            `json:"dimension"`
	Order         int            `json:"order"`
	Unknowns      int64          `json:"unknowns"`
	Energy        Figure         `json:"energy"`
	Iterations    int            `json:"iterations"`
	ErrorNorm     Figure         `json:"error_norm"` // relative residual
	Residual      Figure         `json:"residual"`
	Imbalance     Figure         `json:"imbalance"`
	ErrorEstimate *ErrorEstimate `json:"error_estimate,omitempty"`
	Solver        *Solver        `json:"solver,omitempty"`

	Analysis        string         `json:"analysis,omitempty"` // absent where it is static
	Modes           []Mode         `json:"modes,omitempty"`
	BucklingModes   []BucklingMode `json:"buckling_modes,omitempty"`
	Harmonic        *Harmonic      `json:"harmonic,omitempty"`
	Transient       *Transient     `json:"transient,omitempty"`
	RigidModes      *int           `json:"rigid_modes,omitempty"`
	Mass            *Figure        `json:"mass,omitempty"`
	MaxDisplacement *Extreme       `json:"max_displacement,omitempty"`
	VonMises        *VonMises      `json:"von_mises,omitempty"`
	SafetyFactor    *SafetyFactor  `json:"safety_factor,omitempty"`
	Materials       []UsedFigures  `json:"materials,omitempty"`
	Bolts           []BoltForce    `json:"bolts,omitempty"`
	Joints          []Joint        `json:"joints,omitempty"`
	PlasticStrain   *Peak          `json:"plastic_strain,omitempty"`
	Contacts        []ContactFound `json:"contacts,omitempty"`
	Solution        *ScalarRange   `json:"solution,omitempty"`
	Temperature     *Temperature   `json:"temperature,omitempty"`
	Heat            *HeatBalance   `json:"heat,omitempty"`
	MaxSpeed        *Extreme       `json:"max_speed,omitempty"`
	PressureDrop    *Figure        `json:"pressure_drop,omitempty"`
	Reynolds        *Reynolds      `json:"reynolds,omitempty"`
	ViscosityKind   string         `json:"viscosity_kind,omitempty"`
	Steps           *int           `json:"steps,omitempty"`
	Time            *Figure        `json:"time,omitempty"`
	Steady          *bool          `json:"steady,omitempty"`
	ChangeRate      *Figure        `json:"change_rate,omitempty"`
	Cases           []CaseResult   `json:"cases,omitempty"`
	Combinations    []CaseResult   `json:"combinations,omitempty"`
	Governing       *Governing     `json:"governing,omitempty"`
	Loads           []RegionLoad   `json:"loads"`
	Probes          []Probe        `json:"probes,omitempty"`
	StressLines     []StressLine   `json:"stress_lines,omitempty"`
	Accuracy        *Refinement    `json:"accuracy,omitempty"`
	Mesh            MeshSummary    `json:"mesh"`
	Fields          []FieldOutput  `json:"fields"`
	VTKFile         string         `json:"vtk_file"`
	SummaryFile     string         `json:"summary_file"`
	ArtifactURL     string         `json:"artifact_url"`
}

// Solver is how the linear systems were solved.
type Solver struct {
	Method        string  `json:"method"`
	Reason        string  `json:"reason"`
	Iterations    int     `json:"iterations"`
	FactorEntries *Figure `json:"factor_entries,omitempty"`
	// Of several load cases: matrices that were assembled, and loads that were solved with them.
	Matrices int `json:"matrices,omitempty"`
	Loads    int `json:"loads,omitempty"`
}

// CaseResult is what a load case or a combination does.
type CaseResult struct {
	Name            string        `json:"name"`
	MaxDisplacement *Extreme      `json:"max_displacement"`
	VonMises        CaseStress    `json:"von_mises"`
	SafetyFactor    *SafetyFactor `json:"safety_factor,omitempty"`
	Loads           []SupportLoad `json:"loads"`
	Probes          []Probe       `json:"probes,omitempty"`
	StressLines     []StressLine  `json:"stress_lines,omitempty"`
}

// CaseStress is the largest equivalent stress of a case.
type CaseStress struct {
	Max         Figure `json:"max"`
	At          Point  `json:"at"`
	Singularity string `json:"singularity"`
}

// SupportLoad is what a support bears in a case.
type SupportLoad struct {
	BC     int   `json:"bc"`
	Force  Point `json:"force"`
	Moment Point `json:"moment,omitempty"`
}

// Governing names what decides, by figure.
type Governing struct {
	VonMises        *Governs `json:"von_mises,omitempty"`
	MaxDisplacement *Governs `json:"max_displacement,omitempty"`
	SafetyFactor    *Governs `json:"safety_factor,omitempty"`
}

// Governs is the case or combination with the extreme of a figure.
type Governs struct {
	Name   string `json:"name"`
	Figure string `json:"figure"` // JSON pointer
	Value  Figure `json:"value"`
	// Undecided are others whose error bars leave open whether they exceed it.
	Undecided []string `json:"undecided,omitempty"`
}

// Mode is one natural mode of vibration.
type Mode struct {
	Number    int      `json:"number"`
	Frequency Figure   `json:"frequency"`  // Hz
	MassShare []Figure `json:"mass_share"` // along x, y, z
}

// BucklingMode is one shape into which a part buckles.
type BucklingMode struct {
	Number     int    `json:"number"`
	LoadFactor Figure `json:"load_factor"` // times the loads given
}

// ErrorEstimate holds relative errors.
type ErrorEstimate struct {
	EnergyNorm *Figure `json:"relative_energy_norm,omitempty"`
	Energy     *Figure `json:"relative_energy,omitempty"`
	Gradient   *Figure `json:"relative_gradient,omitempty"`
	Time       *Figure `json:"time,omitempty"`
}

// Extreme is a largest magnitude with its place (m).
type Extreme struct {
	Value  Figure `json:"value"`
	Vector Point  `json:"vector,omitempty"`
	At     Point  `json:"at"`
	Unit   string `json:"unit"`
}

// VonMises is the equivalent stress: its peak, what 99 % of the volume stays
// below, and whether the peak can be trusted.
type VonMises struct {
	Max         Figure `json:"max"`
	P99         Figure `json:"p99"`
	At          Point  `json:"at"`
	Unit        string `json:"unit"`
	AtSupport   bool   `json:"at_support"`
	ElementJump Figure `json:"element_jump"`
	Singularity string `json:"singularity"`
}

// SafetyFactor is yield over von Mises stress where it is least.
type SafetyFactor struct {
	Min   Figure `json:"min"`
	At    Point  `json:"at"`
	Yield Figure `json:"yield"` // Pa
}

// UsedFigures are those of a material with their sources, in SI units.
type UsedFigures struct {
	Attribute    int     `json:"attribute,omitempty"`
	Name         string  `json:"name,omitempty"`
	E            *Figure `json:"E,omitempty"`
	Nu           *Figure `json:"nu,omitempty"`
	Density      *Figure `json:"density,omitempty"`
	Yield        *Figure `json:"yield,omitempty"`
	Conductivity *Figure `json:"conductivity,omitempty"`
	SpecificHeat *Figure `json:"specific_heat,omitempty"`
	Source       string  `json:"source"`
}

// BoltForce is what a preloaded bolt carries; lengths in metres.
type BoltForce struct {
	Body          int      `json:"body"`
	Axis          []Figure `json:"axis"`
	AxisFrom      string   `json:"axis_from"` // given or shape
	Length        Figure   `json:"length"`
	Area          Figure   `json:"area"`
	Preload       Figure   `json:"preload"`    // N
	Service       Figure   `json:"service"`    // N
	Additional    Figure   `json:"additional"` // N
	LoadShare     *Figure  `json:"load_share,omitempty"`
	LoadFactor    Figure   `json:"load_factor"`
	Stress        Figure   `json:"stress"` // Pa
	Utilisation   *Figure  `json:"utilisation,omitempty"`
	InitialStrain Figure   `json:"initial_strain"`
	Elongation    Figure   `json:"elongation"`
}

// Joint is what passes through the faces between two bodies that bolts press together.
type Joint struct {
	Bodies          []int  `json:"bodies"`           // element attributes
	ClampForce      Figure `json:"clamp_force"`      // N
	TransverseForce Figure `json:"transverse_force"` // N
}

// Peak is the largest value of a field with its place (m).
type Peak struct {
	Max Figure `json:"max"`
	At  Point  `json:"at"`
}

// ScalarRange is the range of a scalar solution.
type ScalarRange struct {
	Min      Figure `json:"min"`
	Max      Figure `json:"max"`
	MaxAt    Point  `json:"max_at"`
	Integral Figure `json:"integral"`
}

// Temperature is the final state, K.
type Temperature struct {
	Min   Figure `json:"min"`
	MinAt Point  `json:"min_at"`
	Max   Figure `json:"max"`
	MaxAt Point  `json:"max_at"`
	Mean  Figure `json:"mean"`
	Unit  string `json:"unit"`
}

// HeatBalance says where the heat came from: J over the whole time, W when steady.
type HeatBalance struct {
	Stored       Figure  `json:"stored"`
	Source       Figure  `json:"source"`
	BoundaryFlux Figure  `json:"boundary_flux"`
	Convection   Figure  `json:"convection"`
	Radiation    *Figure `json:"radiation,omitempty"` // where a face radiates
	FixedTemp    Figure  `json:"fixed_temp"`
	Unit         string  `json:"unit"`
}

// Reynolds is the Reynolds number with what it was made of.
type Reynolds struct {
	Value    Figure `json:"value"`
	Velocity Figure `json:"velocity"`
	Length   Figure `json:"length"`
	Note     string `json:"note"`
}

// RegionLoad is what one boundary condition holds and carries.
type RegionLoad struct {
	BC           int     `json:"bc"`
	Type         string  `json:"type"`
	Place        string  `json:"place"`
	Faces        int     `json:"faces"`
	Area         Figure  `json:"area"`
	Centroid     Point   `json:"centroid"`
	Force        Point   `json:"force,omitempty"`
	Moment       Point   `json:"moment,omitempty"`
	Flux         *Figure `json:"flux,omitempty"`
	HeatRate     *Figure `json:"heat_rate,omitempty"`
	FlowRate     *Figure `json:"flow_rate,omitempty"`
	MeanPressure *Figure `json:"mean_pressure,omitempty"`
}

// Probe is the solution at a point (m).
type Probe struct {
	At           Point   `json:"at"`
	Value        *Figure `json:"value,omitempty"`
	Temperature  *Figure `json:"temperature,omitempty"` // K
	Displacement Point   `json:"displacement,omitempty"`
	Stress       Point   `json:"stress,omitempty"` // xx yy zz xy yz xz
	Velocity     Point   `json:"velocity,omitempty"`
	Pressure     *Figure `json:"pressure,omitempty"`
}

// StressLine holds the stresses along a line through a wall, linearised; Pa, lengths in m.
type StressLine struct {
	From               Point            `json:"from"`
	To                 Point            `json:"to"`
	Length             Figure           `json:"length"`
	Membrane           LinearisedStress `json:"membrane"`
	Bending            LinearisedStress `json:"bending"` // at From
	MembraneAndBending StressAtEnds     `json:"membrane_plus_bending"`
	Total              StressAtEnds     `json:"total"`
	Table              string           `json:"table"`
	Unit               string           `json:"unit"`
}

// LinearisedStress is a part of the stresses along a line.
type LinearisedStress struct {
	VonMises Figure   `json:"von_mises"`
	Stress   []Figure `json:"stress"` // xx yy zz xy yz xz
}

// StressAtEnds are von Mises stresses at the ends of a line.
type StressAtEnds struct {
	From Figure `json:"from"`
	To   Figure `json:"to"`
}

// Refinement is how a figure came to the accuracy that was asked, or why it did not.
type Refinement struct {
	Quantity string   `json:"quantity"`
	Target   float64  `json:"target"`
	Reached  bool     `json:"reached"`
	Reason   string   `json:"reason,omitempty"` // why not
	Error    *Figure  `json:"error,omitempty"`  // in the unit of the figure
	Steps    []Refine `json:"steps"`
	Step     int      `json:"step"` // whose mesh the answer is that of
}

// Refine is a figure on one of the meshes.
type Refine struct {
	Unknowns int64  `json:"unknowns"`
	Value    Figure `json:"value"`
}

// MeshSummary describes the mesh that was solved on; lengths in metres.
type MeshSummary struct {
	Elements   int    `json:"elements"`
	Vertices   int    `json:"vertices"`
	LengthUnit string `json:"length_unit"`
	Min        Point  `json:"min"`
	Max        Point  `json:"max"`
}

// FieldOutput is one field of the last state; the range of a vector or tensor
// is that of its magnitude.
type FieldOutput struct {
	Name        string `json:"name"`
	Location    string `json:"location"`
	Components  int    `json:"components"`
	Unit        string `json:"unit"`
	Min         Figure `json:"min"`
	Max         Figure `json:"max"`
	File        string `json:"file"`
	ArtifactURL string `json:"artifact_url"`
}

// driverOutput is what the driver answers: the output, and the checks and figures
// that stand behind it.
type driverOutput struct {
	Output
	// Name and Warnings are those of a load case or a combination, which is answered like a
	// solve of its own.
	Name         string             `json:"name"`
	Warnings     []contract.Warning `json:"warnings"`
	Cases        []driverOutput     `json:"cases"`
	Combinations []driverOutput     `json:"combinations"`
	Evidence     evidence.Statement `json:"evidence"`
	Shape        shape              `json:"shape"`
	Refined      *refined           `json:"refined"`
	Peak         *peak              `json:"peak"`
	// TimeErrors are the parts of the error bars that the time step makes, or modes that
	// are left out, by figure: no finer mesh shows them. Nil where nothing varies in time.
	TimeErrors map[string]float64 `json:"time_errors"`
	// AboveNodes is by how much peaks of vibrations may lie above the nodes, by pointer: a part
	// of their error bars on any mesh.
	AboveNodes map[string]float64 `json:"above_nodes"`
	// Omits is what the model leaves out: its figures are at most converged.
	Omits []string `json:"omits"`
}
