package harmony

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"

	"atelier/internal/contract"
	"atelier/internal/job"
	"atelier/internal/job/view"
	"atelier/internal/protocol/httpapi"
)

type callsRequest struct {
	Completion *string  `json:"completion"`
	WaitMS     *float64 `json:"wait_ms"`
	Context    *struct {
		SessionID *string `json:"session_id,omitempty"`
	} `json:"context"`
}

// session is what the job engine is told of the calls; nil without a session.
func (c *callsRequest) session() json.RawMessage {
	if c.Context == nil || c.Context.SessionID == nil {
		return nil
	}
	raw, _ := json.Marshal(c.Context) // a text always encodes
	return raw
}

// callRecord is one call that the completion holds, and its answer.
type callRecord struct {
	Recipient string          `json:"recipient"`
	Tool      string          `json:"tool,omitempty"` // canonical name
	JobID     string          `json:"job_id,omitempty"`
	Status    contract.Status `json:"status"`
	Arguments string          `json:"arguments"`
	Output    json.RawMessage `json:"output"`
	Text      string          `json:"text"`
}

// said is a message of the completion that calls nothing.
type said struct {
	Channel string `json:"channel"`
	Text    string `json:"text"`
}

type malformedCall struct {
	Seen   string `json:"seen"`
	Reason string `json:"reason"`
}

type callsAnswer struct {
	Calls     []callRecord    `json:"calls"`
	Messages  []said          `json:"messages"`
	Malformed []malformedCall `json:"malformed"`
	Final     *string         `json:"final"`
	Append    string          `json:"append"`
}

// calls reads a completion, runs its tool calls in their order, and answers with
// the text that the next completion goes on from.
func (s *Server) calls(w http.ResponseWriter, r *http.Request) error {
	var body callsRequest
	if err := httpapi.ReadJSON(r, &body, true); err != nil {
		return err
	}
	if body.Completion == nil {
		return contract.Errorf(contract.CodeInvalidRequest, "the request lacks the required field \"completion\"").At("/completion").
			WithHint("Send the text that the model wrote after <|start|>assistant.")
	}
	wait, err := httpapi.Wait(body.WaitMS, 0, "/wait_ms")
	if err != nil {
		return err
	}
	answer := callsAnswer{Calls: []callRecord{}, Messages: []said{}, Malformed: []malformedCall{}}
	var last Event
	for _, e := range Parse(*body.Completion) {
		switch {
		case e.Kind == Malformed:
			answer.Malformed = append(answer.Malformed, malformedCall{e.Fault.Seen, e.Fault.Reason})
			continue
		case e.IsCall():
			record, err := s.run(r, e, wait, job.Request{
				Context: body.session(), RequestID: httpapi.RequestID(r), IdempotencyKey: keyOf(r, len(answer.Calls)),
			})
			if err != nil {
				return err
			}
			answer.Calls = append(answer.Calls, record)
		case e.Header.Role == RoleAssistant:
			answer.Messages = append(answer.Messages, said{e.Header.Channel, e.Text})
			if e.Header.Channel == ChannelFinal {
				answer.Final = &e.Text
			}
		}
		last = e
	}
	answer.Append = continuation(answer.Calls, last)
	httpapi.JSON(w, http.StatusOK, answer)
	return nil
}

// continuation is what follows the completion: its end token where the endpoint
// kept that to itself, the answers, and the start of the next turn. Without a
// call there is nothing to go on from.
func continuation(calls []callRecord, last Event) string {
	if len(calls) == 0 {
		return ""
	}
	var b strings.Builder
	if last.End == "" {
		if last.IsCall() {
			b.WriteString(callToken)
		} else {
			b.WriteString(endToken)
		}
	}
	for _, c := range calls {
		b.WriteString(c.Text)
	}
	return b.String() + NextTurn
}

// run makes one call. What is wrong with the call is its answer, so that the
// model can mend it; a fault of the request, of the server or of its load is an
// error.
func (s *Server) run(r *http.Request, e Event, wait time.Duration, req job.Request) (callRecord, error) {
	record := callRecord{Recipient: e.Header.Recipient, Arguments: e.Text}
	result, err := s.submit(r.Context(), &record, e, wait, req)
	if err != nil {
		errs := contract.ErrorsOf(err)
		switch code := errs[0].Code; {
		case contract.HTTPStatus(errs) >= http.StatusInternalServerError, code == contract.CodeTooManyRequests, code == contract.CodeConflict,
			strings.HasPrefix(errs[0].Field, "/context/"):
			return record, err
		}
		result = contract.Failure("atelier", errs...).NotebookResult()
		record.Status = contract.StatusError
	}
	record.Output = result
	record.Text = Answer(e.Header, result)
	return record, nil
}

func (s *Server) submit(ctx context.Context, record *callRecord, e Event, wait time.Duration, req job.Request) (json.RawMessage, error) {
	tool, err := Find(s.Tools, e.Header.Recipient)
	if err != nil {
		return nil, err
	}
	record.Tool = tool.Contract.Name
	if req.Input, err = Arguments(e); err != nil {
		return nil, err
	}
	req.Tool, req.Wait = tool.Contract.Name, wait
	done, err := s.Jobs.Submit(ctx, req)
	if err != nil {
		return nil, err
	}
	record.JobID = done.ID
	if !done.State.Finished() {
		record.Status = contract.StatusOK
		return json.Marshal(pending{contract.StatusOK, done.ID, done.State,
			[]string{"The job goes on; its result will be at /v1/jobs/" + done.ID + "."}})
	}
	result := contract.LimitWords(limitWords).Result(view.Result(done))
	record.Status = result.ToolResult(done.ID).Status
	return result.NotebookResult(), nil
}

// pending is the answer of a call that outlasts wait_ms.
type pending struct {
	Status   contract.Status `json:"status"`
	JobID    string          `json:"job_id"`
	State    job.State       `json:"state"`
	Messages []string        `json:"messages"`
}

// keyOf makes the request's key one of each call, of no more than its length.
func keyOf(r *http.Request, index int) string {
	key := r.Header.Get("Idempotency-Key")
	if key == "" {
		return ""
	}
	return fmt.Sprintf("harmony/%x/%d", sha256.Sum256([]byte(key)), index)
}

// limitWords says where limits can be asked for: a completion has no place for them.
func limitWords(name string) string { return "limits." + name + " of POST /v1/jobs" }
