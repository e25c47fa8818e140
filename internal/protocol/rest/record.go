package rest

import (
	"time"

	"atelier/internal/contract"
	"atelier/internal/job"
	"atelier/internal/store"
)

// Record is a job as it is shown to callers.
type Record struct {
	ID         string         `json:"id"`
	ToolName   string         `json:"tool_name"`
	CreatedAt  string         `json:"created_at"`
	StartedAt  string         `json:"started_at,omitempty"`
	FinishedAt string         `json:"finished_at,omitempty"`
	Status     job.State      `json:"status"`
	Attempt    int            `json:"attempt,omitempty"`
	Summary    string         `json:"summary,omitempty"`
	Result     map[string]any `json:"result,omitempty"`
	Error      *ErrorRecord   `json:"error,omitempty"`
}

// ErrorRecord is the error of a job.
type ErrorRecord struct {
	Code    string         `json:"code"`
	Message string         `json:"message"`
	Details map[string]any `json:"details,omitempty"`
}

func stamp(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format("2006-01-02T15:04:05.000Z")
}

// Result is the result of a finished job, made from its error where it has none.
func Result(j *job.Job) *contract.Result {
	if j.Result != nil {
		return j.Result
	}
	if j.Error != nil {
		return contract.Failure("atelier", j.Error)
	}
	return &contract.Result{Status: contract.StatusOK, Solver: "atelier",
		Summary: "The job is " + string(j.State) + "; its result comes at /v1/jobs/" + j.ID + "."}
}

// NewRecord projects a job; with its result when it has finished and full is set.
func NewRecord(j *job.Job, full bool) Record {
	rec := Record{
		ID: j.ID, ToolName: j.Tool, CreatedAt: stamp(j.Created), StartedAt: stamp(j.Started), FinishedAt: stamp(j.Finished),
		Status: j.State, Attempt: j.Attempt, Summary: j.Summary,
	}
	if j.Error != nil {
		rec.Error = newErrorRecord(j.Error)
	}
	if full && j.State.Finished() && (j.Result != nil || j.Error != nil) {
		rec.Result = Result(j).ToolResult(j.ID).Flat()
	}
	return rec
}

func newErrorRecord(e *contract.Error) *ErrorRecord {
	rec := &ErrorRecord{Code: e.Code, Message: e.Message, Details: map[string]any{}}
	for k, v := range e.Details {
		rec.Details[k] = v
	}
	if e.Field != "" {
		rec.Details["field"] = e.Field
	}
	if e.Hint != "" {
		rec.Details["hint"] = e.Hint
	}
	return rec
}

type fileRecord struct {
	FileID    string `json:"file_id"`
	Reference string `json:"reference"` // what a file argument takes
	Name      string `json:"name"`
	MIMEType  string `json:"mime_type"`
	Bytes     int64  `json:"bytes"`
	SHA256    string `json:"sha256"`
	CreatedAt string `json:"created_at"`
}

func newFileRecord(f store.File) fileRecord {
	return fileRecord{f.ID, "file:" + f.ID, f.Name, f.MIME, f.Bytes, f.SHA256, stamp(f.Created)}
}
