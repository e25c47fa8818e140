package solve

// Duration is the time that a transient analysis follows.
type Duration struct {
	End   float64 `json:"end"` // s
	Count *int    `json:"count,omitempty"`
}

// Transient is the response to loads that vary in time.
type Transient struct {
	Damping            Damping       `json:"damping"`
	History            string        `json:"history"` // step, half_sine or table
	Start              string        `json:"start"`
	End                Figure        `json:"end"` // s
	Steps              int           `json:"steps"`
	Modes              int           `json:"modes"`
	HighestFrequency   Figure        `json:"highest_frequency"` // Hz
	Table              string        `json:"table"`
	Peak               TransientPeak `json:"peak"`
	StaticDisplacement *Figure       `json:"static_displacement,omitempty"` // m
	DynamicLoadFactor  *Figure       `json:"dynamic_load_factor,omitempty"`
	StressTime         Figure        `json:"stress_time"` // s
	SafetyTime         *Figure       `json:"safety_time,omitempty"`
	Probes             []ProbePeak   `json:"probes,omitempty"`
}

// TransientPeak is the largest displacement of all times, m and s.
type TransientPeak struct {
	Time         Figure `json:"time"`
	Displacement Figure `json:"displacement"`
	Vector       Point  `json:"vector"`
	At           Point  `json:"at"`
}

// ProbePeak is the component at a probe that is largest of all times, m and s.
type ProbePeak struct {
	At           Point  `json:"at"`
	Static       Point  `json:"static"`
	Time         Figure `json:"time"`
	Component    string `json:"component"`
	Displacement Figure `json:"displacement"`
}
