// Package view shows a job to callers, in the same fields on every protocol.
package view

import (
	"time"

	"atelier/internal/contract"
	"atelier/internal/job"
)

// Job is a job as callers see it.
type Job struct {
	ID         string         `json:"id"`
	ToolName   string         `json:"tool_name"`
	CreatedAt  string         `json:"created_at"`
	StartedAt  string         `json:"started_at,omitempty"`
	FinishedAt string         `json:"finished_at,omitempty"`
	Status     job.State      `json:"status"`
	Attempt    int            `json:"attempt,omitempty"`
	Summary    string         `json:"summary,omitempty"`
	Result     map[string]any `json:"result,omitempty"`
	Error      *Error         `json:"error,omitempty"`
}

// Error is the error of a job.
type Error struct {
	Code    string         `json:"code"`
	Message string         `json:"message"`
	Details map[string]any `json:"details,omitempty"`
}

// Stamp writes a time as RFC 3339 in UTC with milliseconds; "" for none.
func Stamp(t time.Time) string {
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

// New shows a job; with its result when it has finished and full is set.
func New(j *job.Job, full bool) Job {
	rec := Job{
		ID: j.ID, ToolName: j.Tool, CreatedAt: Stamp(j.Created), StartedAt: Stamp(j.Started), FinishedAt: Stamp(j.Finished),
		Status: j.State, Attempt: j.Attempt, Summary: j.Summary,
	}
	if j.Error != nil {
		rec.Error = newError(j.Error)
	}
	if full && j.State.Finished() && (j.Result != nil || j.Error != nil) {
		rec.Result = Result(j).ToolResult(j.ID).Flat()
	}
	return rec
}

func newError(e *contract.Error) *Error {
	rec := &Error{Code: e.Code, Message: e.Message, Details: map[string]any{}}
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
