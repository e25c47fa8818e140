package contract

import (
	"encoding/json"
	"maps"
	"strings"
)

// ToolResult is a result in the form of api/spec/execute.md.
type ToolResult struct {
	Status    Status          `json:"status"`
	Solver    string          `json:"solver"`
	Summary   string          `json:"summary"`
	Stdout    string          `json:"stdout"`
	Stderr    string          `json:"stderr"`
	ExitCode  int             `json:"exit_code"`
	Artifacts []ArtifactLink  `json:"artifacts"`
	Metrics   map[string]any  `json:"metrics"`
	Output    json.RawMessage `json:"output"`
}

// ArtifactLink is an artifact as it is shown to callers.
type ArtifactLink struct {
	Name     string `json:"name"`
	Path     string `json:"path"`
	MIMEType string `json:"mime_type"`
	Bytes    int64  `json:"bytes"`
}

// Links projects artifacts for a job.
func Links(jobID string, artifacts []Artifact) []ArtifactLink {
	links := make([]ArtifactLink, len(artifacts))
	for i, a := range artifacts {
		links[i] = ArtifactLink{Name: a.Name, Path: ArtifactURL(jobID, a.Name), MIMEType: a.MIME, Bytes: a.Bytes}
	}
	return links
}

// ToolResult projects a result to the form of api/spec/execute.md. Partial becomes ok with
// metrics.partial; errors and warnings go whole into metrics, and the errors'
// sentences also stand at the head of stderr, where older clients look. The
// output of a failure has the status, error_code and error_message of api/spec/notebooks.md.
func (r *Result) ToolResult(jobID string) ToolResult {
	t := ToolResult{
		Status: r.Status, Solver: r.Solver, Summary: r.Summary,
		Stdout: r.Log.Stdout, Stderr: r.Log.Stderr, ExitCode: r.Log.ExitCode,
		Artifacts: Links(jobID, r.Artifacts), Metrics: map[string]any{},
	}
	maps.Copy(t.Metrics, r.Metrics)
	if jobID != "" {
		t.Metrics["job_id"] = jobID
	}
	if r.Status == StatusPartial {
		t.Status = StatusOK
		t.Metrics["partial"] = true
	}
	if len(r.Warnings) > 0 {
		t.Metrics["warnings"] = r.Warnings
	}
	t.Output = json.RawMessage("{}")
	if raw := r.OutputJSON(); len(raw) > 0 && r.Status != StatusError {
		t.Output = raw
	}
	if r.Status == StatusError {
		t.failed(r.Errors)
	}
	return t
}

func (t *ToolResult) failed(errs []*Error) {
	if len(errs) == 0 {
		return
	}
	t.Output = errorOutput(errs[0])
	t.Metrics["error_code"] = errs[0].Code
	t.Metrics["errors"] = errs
	lines := make([]string, 0, len(errs)+1)
	for _, e := range errs {
		lines = append(lines, e.Error())
	}
	if t.Stderr != "" {
		lines = append(lines, t.Stderr)
	}
	t.Stderr = strings.Join(lines, "\n")
	if t.ExitCode == 0 {
		t.ExitCode = 1
	}
}

// OutputJSON is the output as JSON; nil when there is none. After the runner it
// is always encoded already.
func (r *Result) OutputJSON() json.RawMessage {
	switch o := r.Output.(type) {
	case nil:
		return nil
	case json.RawMessage:
		return o
	default:
		raw, err := json.Marshal(o)
		if err != nil {
			return nil
		}
		return raw
	}
}

// Flat is a ToolResult with the keys of an object output copied to the top
// where they do not collide, and messages with the warnings, as jobs and
// tool_results show it. The values stay the texts that they are: a float64 would make
// another number of 9007199254740993, and 0 of 1e-400.
func (t ToolResult) Flat() map[string]any {
	flat := map[string]any{}
	var output map[string]json.RawMessage
	if json.Unmarshal(t.Output, &output) == nil {
		for name, value := range output {
			flat[name] = value
		}
	}
	if warnings, ok := t.Metrics["warnings"].([]Warning); ok && (flat["messages"] == nil || string(output["messages"]) == "null") {
		flat["messages"] = messagesOf(warnings)
	}
	flat["status"], flat["solver"], flat["summary"] = t.Status, t.Solver, t.Summary
	flat["stdout"], flat["stderr"], flat["exit_code"] = t.Stdout, t.Stderr, t.ExitCode
	flat["artifacts"], flat["metrics"], flat["output"] = t.Artifacts, t.Metrics, t.Output
	return flat
}

// Failure is the result of a call that ended with errors.
func Failure(solver string, errs ...*Error) *Result {
	r := &Result{Status: StatusError, Solver: solver, Errors: errs}
	if len(errs) > 0 {
		r.Summary = errs[0].Message
		if errs[0].Log != nil {
			r.Log = *errs[0].Log
		}
	}
	return r
}
