package openai

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"strings"
	"time"

	"atelier/contract"
	"atelier/job"
	"atelier/store"
	"atelier/wire/rest"
)

// outcome is an entry of tool_results.
type outcome struct {
	ToolName string            `json:"tool_name"`
	JobID    string            `json:"job_id"`
	Status   string            `json:"status"`
	Result   map[string]any    `json:"result,omitempty"`
	Error    *rest.ErrorRecord `json:"error,omitempty"`

	text   string               // one sentence for the message
	failed bool                 // status is error
	tool   *contract.ToolResult // nil while the job runs, or where there is none
}

// call is a tool of the server being called.
type call struct {
	id        string // call_…, of the model or made here
	name      string // canonical
	arguments json.RawMessage
	job       *job.Job // nil where the call was refused
	refusal   error
}

// errStopped is the cause of a context whose caller asked for the end.
var errStopped = errors.New("the response was cancelled")

// submit makes the job, which goes on whatever becomes of the request.
func (s *Server) submit(ctx context.Context, t *turn, c *call, key string) error {
	made, err := s.Jobs.Submit(ctx, job.Request{
		Tool: c.name, Input: c.arguments, Limits: t.limits, Context: t.context,
		RequestID: t.requestID, IdempotencyKey: key, Async: true,
	})
	if err != nil {
		return err
	}
	c.job, t.started = made, true
	return nil
}

// await waits for the job for a while, and says how it stands then.
func (s *Server) await(ctx context.Context, c *call, wait time.Duration) (outcome, error) {
	if c.refusal != nil {
		return refused(c.name, c.refusal), nil
	}
	j := c.job
	if !j.State.Finished() {
		var err error
		if j, err = s.Jobs.Wait(ctx, j.ID, wait); err != nil {
			return outcome{}, err
		}
	}
	if !j.State.Finished() && errors.Is(context.Cause(ctx), errStopped) {
		if ended, err := s.Jobs.Cancel(context.WithoutCancel(ctx), j.ID); err == nil {
			j = ended
		}
	}
	return newOutcome(j), nil
}

func newOutcome(j *job.Job) outcome {
	out := outcome{ToolName: j.Tool, JobID: j.ID, Status: string(j.State)}
	if !j.State.Finished() {
		out.text = j.Tool + " is " + string(j.State) + " as job " + j.ID + "; its result comes at /v1/jobs/" + j.ID + "."
		return out
	}
	record, result := rest.NewRecord(j, true), rest.Result(j)
	shown := result.ToolResult(j.ID)
	out.Status, out.Result, out.Error, out.tool = string(shown.Status), record.Result, record.Error, &shown
	out.text, out.failed = result.Summary, shown.Status == contract.StatusError
	if j.State != store.Succeeded && len(result.Errors) > 0 {
		out.text = j.Tool + " failed: " + result.Errors[0].Error()
	}
	return out
}

// refused is the outcome of a call that never became a job.
func refused(name string, err error) outcome {
	shown := contract.Failure("atelier", contract.ErrorsOf(err)...).ToolResult("")
	first := contract.ErrorsOf(err)[0]
	details := map[string]any{}
	if first.Field != "" {
		details["field"] = first.Field
	}
	if first.Hint != "" {
		details["hint"] = first.Hint
	}
	return outcome{
		ToolName: name, Status: string(contract.StatusError), Result: shown.Flat(), failed: true, tool: &shown,
		Error: &rest.ErrorRecord{Code: first.Code, Message: first.Message, Details: details},
		text:  name + " failed: " + err.Error(),
	}
}

// maxToolText bounds what one result takes of a model's context, in bytes.
const maxToolText = 24 << 10

// forModel is the outcome as the model reads it: all but what the log says of a
// call that went well.
func (o outcome) forModel() string {
	view := struct {
		Status    string                  `json:"status"`
		JobID     string                  `json:"job_id,omitempty"`
		Summary   string                  `json:"summary"`
		Output    json.RawMessage         `json:"output,omitempty"`
		Artifacts []contract.ArtifactLink `json:"artifacts,omitempty"`
		Warnings  any                     `json:"warnings,omitempty"`
		Errors    any                     `json:"errors,omitempty"`
		Stderr    string                  `json:"stderr,omitempty"`
	}{Status: o.Status, JobID: o.JobID, Summary: o.text}
	if t := o.tool; t != nil {
		view.Artifacts, view.Warnings, view.Errors = t.Artifacts, t.Metrics["warnings"], t.Metrics["errors"]
		if o.failed {
			view.Stderr = t.Stderr[max(0, len(t.Stderr)-2000):]
		} else {
			view.Output = t.Output
		}
	}
	raw, err := json.Marshal(view)
	if err == nil && len(raw) > maxToolText && view.Output != nil {
		view.Output, _ = json.Marshal("The output is too large to be shown here; it is at /v1/jobs/" + o.JobID + ".") // a string always encodes
		raw, err = json.Marshal(view)
	}
	if err != nil {
		return o.text
	}
	return strings.ToValidUTF8(string(raw), "\uFFFD")
}

// derivedKey gives each call that a model makes a key of its own, so that a
// repeated request does not run the same call again.
func derivedKey(key string, c *call) string {
	if key == "" {
		return ""
	}
	sum := sha256.Sum256(append([]byte(c.name+"\x00"), c.arguments...))
	return key + "/" + hex.EncodeToString(sum[:8])
}
