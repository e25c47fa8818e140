package openai

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"strings"
	"time"

	"atelier/internal/agent"
	"atelier/internal/contract"
	"atelier/internal/job"
	"atelier/internal/job/view"
	"atelier/internal/store"
)

// outcome is an entry of tool_results.
type outcome struct {
	ToolName string         `json:"tool_name"`
	JobID    string         `json:"job_id"`
	Status   string         `json:"status"`
	Result   map[string]any `json:"result,omitempty"`
	Error    *view.Error    `json:"error,omitempty"`

	text   string        // for the message: one sentence, and how far it may be believed where it is suspect
	failed bool          // status is error
	of     agent.Outcome // what it is the outcome of
}

// call is a tool of the server being called.
type call struct {
	id        string // call_…, of the model or made here
	name      string // canonical
	arguments json.RawMessage
	limits    json.RawMessage
	job       *job.Job // nil where the call was refused
}

// errStopped is the cause of a context whose caller asked for the end.
var errStopped = errors.New("the response was cancelled")

// submit makes the job, which goes on whatever becomes of the request.
func (s *Server) submit(ctx context.Context, t *turn, c *call, key string) error {
	made, err := s.Jobs.Submit(ctx, job.Request{
		Tool: c.name, Input: c.arguments, Limits: c.limits, LimitsAt: "/context/limits", Context: t.context,
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
	j, err := s.waitFor(ctx, c.job, wait)
	if err != nil {
		return outcome{}, err
	}
	return newOutcome(j), nil
}

func (s *Server) waitFor(ctx context.Context, j *job.Job, wait time.Duration) (_ *job.Job, err error) {
	if !j.State.Finished() {
		if j, err = s.Jobs.Wait(ctx, j.ID, wait); err != nil {
			return nil, err
		}
	}
	if !j.State.Finished() && errors.Is(context.Cause(ctx), errStopped) {
		if ended, err := s.Jobs.Cancel(context.WithoutCancel(ctx), j.ID); err == nil {
			j = ended
		}
	}
	return j, nil
}

func newOutcome(j *job.Job) outcome {
	out := outcome{ToolName: j.Tool, JobID: j.ID, Status: string(j.State), of: agent.Outcome{Call: &agent.Call{Name: j.Tool}, Job: j}}
	if !j.State.Finished() {
		out.text = j.Tool + " is " + string(j.State) + " as job " + j.ID + "; its result comes at /v1/jobs/" + j.ID + "."
		return out
	}
	words := contract.LimitWords(contract.InContext)
	worded := *j
	worded.Error, worded.Result = words.Error(j.Error), words.Result(j.Result)
	record, result := view.New(&worded, true), view.Result(&worded)
	shown := result.ToolResult(j.ID)
	out.Status, out.Result, out.Error = string(shown.Status), record.Result, record.Error
	out.text, out.failed = result.Summary, shown.Status == contract.StatusError
	if caveat := result.Caveat(); caveat != "" { // most clients show the message and nothing beside it
		out.text = strings.TrimSpace(out.text + "\n\n" + caveat)
	}
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
		ToolName: name, Status: string(contract.StatusError), Result: shown.Flat(), failed: true, of: agent.Outcome{Call: &agent.Call{Name: name}, Refusal: err},
		Error: &view.Error{Code: first.Code, Message: first.Message, Details: details},
		text:  name + " failed: " + err.Error(),
	}
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
