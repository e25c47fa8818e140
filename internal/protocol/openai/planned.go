package openai

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	"atelier/internal/agent"
	"atelier/internal/contract"
	"atelier/internal/job"
	"atelier/internal/llm"
	"atelier/internal/store"
)

// planned answers by the planner's rules where no model is; nil when the request
// is none that it understands.
func (s *Server) planned(ctx context.Context, t *turn, out sink) (*answer, error) {
	if s.Blobs == nil || t.choice.mode == "none" {
		return nil, nil
	}
	q, err := s.question(ctx, t)
	if err != nil || len(q.Said) == 0 {
		return nil, err
	}
	planner := agent.NewPlanner(t.offered.Reach, agent.Artifacts{Jobs: s.Jobs, Blobs: s.Blobs})
	wish, ok, err := planner.Read(ctx, q)
	if err != nil || !ok {
		return nil, err
	}
	b := &planHandler{handler: handler{s: s, t: t, out: out, calls: map[*agent.Call]*call{}}}
	budget := s.Budget
	if t.maxCalls != nil {
		budget = budget.Within(agent.Budget{Calls: *t.maxCalls})
	}
	if err := planner.Answer(ctx, wish, b, budget); err != nil {
		return nil, withJobs(err, b.results)
	}
	return &answer{results: b.results, finish: "stop", added: []llm.Message{llm.Text("assistant", b.said.String())}}, nil
}

// question is what the user said and the part that is meant: a file that is
// attached, else the newest of the session that the request names.
func (s *Server) question(ctx context.Context, t *turn) (q agent.Question, err error) {
	for _, m := range t.history {
		if m.Role != "user" {
			continue
		}
		text, file := readContent(m.Content)
		if text != "" {
			q.Said = append(q.Said, text)
		}
		if file != "" {
			q.File = file
		}
	}
	q.Name = func(ctx context.Context, reference string) (string, error) {
		f, err := s.DB.File(ctx, strings.TrimPrefix(reference, "file:"))
		return f.Name, err
	}
	var named struct {
		SessionID string `json:"session_id"`
	}
	if s.Session == nil || json.Unmarshal(t.context, &named) != nil || named.SessionID == "" {
		return q, nil
	}
	if q.Session, err = s.Session(ctx, named.SessionID); store.IsNotFound(err) {
		err = contract.AsError(err).At("/context/session_id")
	}
	return q, err
}

// readContent returns the text of a message and the last file that it attaches.
func readContent(raw json.RawMessage) (text, file string) {
	if json.Unmarshal(raw, &text) == nil {
		return text, ""
	}
	var parts []struct {
		Type string `json:"type"`
		Text string `json:"text"`
		File struct {
			ID string `json:"file_id"`
		} `json:"file"`
	}
	_ = json.Unmarshal(raw, &parts) // of another form: nothing is read of it
	var texts []string
	for _, p := range parts {
		if p.Text != "" {
			texts = append(texts, p.Text)
		}
		if p.File.ID != "" {
			file = "file:" + strings.TrimPrefix(p.File.ID, "file:")
		}
	}
	return strings.Join(texts, "\n"), file
}

// planHandler is a request as the planner's handler.
type planHandler struct {
	handler
	said strings.Builder
}

// Text implements agent.PlanHandler.
func (b *planHandler) Text(delta string) {
	delta = strings.TrimRight(delta, "\n")
	if b.said.Len() > 0 {
		b.said.WriteString("\n\n")
	}
	b.said.WriteString(delta)
	b.handler.Text(delta)
}

// Begin implements agent.PlanHandler.
func (b *planHandler) Begin(ctx context.Context, tool string, input, limits json.RawMessage) (agent.Work, error) {
	if limits == nil {
		limits = b.t.limits
	}
	c := &agent.Call{ID: store.NewID("call_"), Name: tool, Input: input, Limits: limits}
	work, err := b.handler.Start(ctx, c)
	if err != nil {
		return nil, err
	}
	b.Started(c)
	return planWork{work.(working), b, c}, nil
}

// Progress implements agent.PlanHandler: the standard streams know no such event.
func (b *planHandler) Progress(context.Context, float64, string) error { return nil }

// ReportError implements agent.PlanHandler: it is among the results.
func (b *planHandler) ReportError(context.Context, error) error { return nil }

// planWork is a step that the next one needs, so that it is waited for as long
// as the request may last.
type planWork struct {
	working
	handler *planHandler
	call    *agent.Call
}

// Wait implements agent.Work.
func (w planWork) Wait(ctx context.Context) (*job.Job, error) {
	wait := longestRun
	if !w.t.deadline.IsZero() {
		wait = max(time.Until(w.t.deadline), time.Millisecond)
	}
	j, err := w.s.waitFor(ctx, w.job, wait)
	if err != nil {
		return nil, err
	}
	w.handler.Done(agent.Outcome{Call: w.call, Job: j})
	if !j.State.Finished() && ctx.Err() == nil {
		return nil, contract.Errorf(contract.CodeTimeout, "%s still runs as job %s; its result comes at /v1/jobs/%s", j.Tool, j.ID, j.ID).
			WithHint("Requests in the background (background: true) and sessions wait longer.")
	}
	return j, nil
}
