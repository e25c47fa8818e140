package solve

// Harmonic is the steady response to loads that vary as sin(2 pi f t). Displacements are
// the largest length over a cycle, m.
type Harmonic struct {
	Damping     Damping         `json:"damping"`
	Frequencies int             `json:"frequencies"`
	Modes       int             `json:"modes"`
	Corrections int             `json:"corrections"`
	Table       string          `json:"table"`
	Peak        ResponseStep    `json:"peak"`
	Response    []ResponseStep  `json:"response"`
	Probes      []ProbeResponse `json:"probes,omitempty"`
}

// ResponseStep is the response at one frequency.
type ResponseStep struct {
	Frequency    Figure  `json:"frequency"` // Hz
	Displacement Figure  `json:"displacement"`
	At           Point   `json:"at"`
	Residual     *Figure `json:"residual,omitempty"`
}

// ProbeResponse is the component at a probe that is largest in the sweep, where it is.
type ProbeResponse struct {
	At        Point  `json:"at"`
	Static    Point  `json:"static"`
	Frequency Figure `json:"frequency"` // Hz
	Component string `json:"component"`
	Amplitude Figure `json:"amplitude"` // m
	Phase     Figure `json:"phase"`     // degrees ahead of the load
}
