package contract

// Status of a result. Partial exists in document 003's dialect only; elsewhere
// it is shown as ok with metrics.partial and its warning.
type Status string

// The three outcomes of a call.
const (
	StatusOK      Status = "ok"
	StatusPartial Status = "partial"
	StatusError   Status = "error"
)

// Result is the one result inside the program; every protocol projects it.
type Result struct {
	Status    Status         `json:"status"`
	Solver    string         `json:"solver"` // the engine that did the work: mfem, ngspice, occt, atelier …
	Summary   string         `json:"summary"`
	Output    any            `json:"output,omitempty"` // a struct that encodes to what output_schema describes
	Artifacts []Artifact     `json:"artifacts,omitempty"`
	Metrics   map[string]any `json:"metrics,omitempty"`
	Log       Log            `json:"log"`
	Warnings  []Warning      `json:"warnings,omitempty"`
	Errors    []*Error       `json:"errors,omitempty"`
	// Evidence is copied by the runner into output.evidence, where the
	// contract's output schema describes it.
	Evidence   *Evidence `json:"evidence,omitempty"`
	Confidence float64   `json:"confidence"`
}

// Artifact is a file that a call made. Name is its path relative to the job's
// folder, with forward slashes. Files names the further files of a series (a
// PVD collection and its VTUs), which count as one artifact with their head; once
// they are stored each is listed as an artifact too.
type Artifact struct {
	Name   string   `json:"name"`
	MIME   string   `json:"mime_type"`
	Bytes  int64    `json:"bytes"`
	SHA256 string   `json:"sha256,omitempty"`
	Files  []string `json:"files,omitempty"`
	// Primary marks the answer itself: when it passes a limit the call is an
	// error that says so; any other artifact is dropped with a warning.
	Primary bool `json:"primary,omitempty"`
	// Content is that of an artifact which a tool has made in memory; nil for one
	// that is a file in the job's folder.
	Content []byte `json:"-"`
}

// OnDisk says whether a part of the artifact is a file in the job's folder.
func (a Artifact) OnDisk() bool { return a.Content == nil || len(a.Files) > 0 }

// Log is what a native program wrote.
type Log struct {
	Stdout   string `json:"stdout"`
	Stderr   string `json:"stderr"`
	ExitCode int    `json:"exit_code"`
	// Bytes that were left out already while the program wrote; the runner tells
	// them in the metrics, together with what it cuts itself.
	StdoutLost int64 `json:"-"`
	StderrLost int64 `json:"-"`
}

// Warning is a non-fatal finding.
type Warning struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

// Trust says how far a number may be believed.
type Trust string

// The trust vocabulary of all families, from weakest to strongest; suspect
// means that a check disagrees. A failed call is an error and has no trust.
const (
	Suspect   Trust = "suspect"
	Computed  Trust = "computed"  // it ran, nothing was checked
	Converged Trust = "converged" // a residual or tolerance was met
	Verified  Trust = "verified"  // an error bar, a balance or an independent check agrees
)

// Evidence is what stands behind a result's numbers.
type Evidence struct {
	Trust   Trust    `json:"trust"`
	Reasons []string `json:"reasons"`
	Checks  []Check  `json:"checks"`
}

// Check is one figure that supports or contradicts a result.
type Check struct {
	Name      string   `json:"name"`                // load_balance, residual, error_estimate …
	Value     *float64 `json:"value"`               // null where it is undefined
	Unit      string   `json:"unit"`                // SI, "1" for a ratio
	Tolerance *float64 `json:"tolerance,omitempty"` // what it was held against
	OK        bool     `json:"ok"`
	Note      string   `json:"note,omitempty"`
}

// Confidence is the documented rule from trust to the number of document 003:
// suspect 0.2, computed 0.5, converged 0.8, verified 0.95, error 0.
func Confidence(status Status, ev *Evidence) float64 {
	if status == StatusError {
		return 0
	}
	if ev == nil {
		return 1
	}
	switch ev.Trust {
	case Verified:
		return 0.95
	case Converged:
		return 0.8
	case Suspect:
		return 0.2
	}
	return 0.5
}
