package contract

import "atelier/internal/evidence"

// Status of a result. Partial exists in api/spec/invocation.md's dialect only; elsewhere
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
	Behind    string         `json:"-"`                // stands behind the summary, and is kept where that is cut
	OwnWords  bool           `json:"-"`                // the summary is the sentence of a program from outside, and shown as that
	Output    any            `json:"output,omitempty"` // a struct that encodes to what output_schema describes
	Artifacts []Artifact     `json:"artifacts,omitempty"`
	Metrics   map[string]any `json:"metrics,omitempty"`
	Log       Log            `json:"log"`
	Warnings  []Warning      `json:"warnings,omitempty"`
	Errors    []*Error       `json:"errors,omitempty"`
	// Statement is what the tool says of its figures: checks, never a trust. The
	// runner judges it, and puts what it finds into Evidence, output.quantities and
	// output.evidence.
	Statement *evidence.Statement `json:"-"`
	Evidence  *evidence.Evidence  `json:"evidence,omitempty"`
	// Inputs are the files that the result of a tool without evidence was made
	// from, and what else it says that its result stands on: trust passes through
	// them, and is never raised. The runner adds the files of the call.
	Inputs []evidence.Input `json:"inputs,omitempty"`
	// Confidence is set by the runner alone: see EvidenceSpec. It is nil where
	// nothing stands behind the result, 0 of an error, and never above that of the
	// weakest input.
	Confidence *float64 `json:"confidence"`
}

// Trust is how far the result may be believed, and why no further; "" where nobody
// says anything of it. One without evidence, such as a copy, stands no higher than
// the weakest result that it was made from.
func (r *Result) Trust() (evidence.Trust, []string) {
	if r.Evidence != nil {
		return r.Evidence.Trust(), r.Evidence.Reasons()
	}
	trust, reasons := evidence.Capped(evidence.Verified, nil, r.Inputs)
	if len(reasons) == 0 {
		return "", nil
	}
	return trust, reasons[:1]
}

// Limiting is the input that holds the trust of the result down; nil for none.
func (r *Result) Limiting() *evidence.Input {
	if r.Evidence != nil {
		return r.Evidence.Limiting()
	}
	return evidence.WeakestInput(r.Inputs)
}

// Artifact is a file that a call made. Name is its path relative to the job's
// folder, with forward slashes. Files names the further files of a series (a
// PVD collection and its VTUs), which count as one artifact with their head; once
// they are stored each is listed as an artifact too. Label is what an invocation
// calls it, where that is not its name.
type Artifact struct {
	Name   string   `json:"name"`
	Label  string   `json:"label,omitempty"`
	MIME   string   `json:"mime_type"`
	Bytes  int64    `json:"bytes"`
	SHA256 string   `json:"sha256,omitempty"`
	Files  []string `json:"files,omitempty"`
	// Primary marks the answer itself: when it passes a limit the call is an
	// error that says so; any other artifact is dropped with a warning.
	Primary bool `json:"primary,omitempty"`
	// Origin are the facts of the shape that the file was made from.
	Origin *evidence.Origin `json:"origin,omitempty"`
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
