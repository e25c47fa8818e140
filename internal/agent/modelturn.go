package agent

import (
	"context"
	"encoding/json"
	"strings"

	"atelier/internal/contract"
	"atelier/internal/llm"
	"atelier/internal/session"
	"atelier/internal/store"
)

// DocumentKind is that of the transcripts of runs, kept until a run has ended.
const DocumentKind = "agent_run"

// converse works a turn with the model.
func (a *Agent) converse(ctx context.Context, r *session.Run, wish Budget) (string, error) {
	m, err := r.Manifest(ctx)
	if err != nil {
		return "", err
	}
	d := &sessionHandler{handler: newRunHandler(r, a.Planner.artifacts.Jobs), db: a.DB, tools: a.Planner.tools, ctx: ctx}
	conversation := &Conversation{ID: r.Session, Messages: a.messages(m, r.Turn.Prompt), Tools: a.offer(), Budget: wish, Persist: true}
	if r.Turn.Attempt > 1 {
		if conversation.Resumed, err = d.resume(ctx); err != nil {
			return "", err
		}
	}
	answer, err := a.Loop.Run(ctx, conversation, d)
	if err != nil {
		if ctx.Err() == nil { // it has failed for good
			_ = a.DB.DeleteDocument(ctx, DocumentKind, r.ID) // else the sweep does it
		}
		return "", err
	}
	if answer.Stopped != nil {
		if err := r.ReportError(ctx, answer.Stopped); err != nil {
			return "", err
		}
	}
	if err := a.DB.DeleteDocument(ctx, DocumentKind, r.ID); err != nil {
		return "", err
	}
	if err := d.plan(ctx, ""); err != nil {
		return "", err
	}
	if r.Turn.Attempt > 1 { // an earlier attempt has said a part of it
		return assistantText(answer.Added), nil
	}
	return "", nil
}

func assistantText(added []llm.Message) string {
	var texts []string
	for _, m := range added {
		var text string
		if m.Role == "assistant" && json.Unmarshal(m.Content, &text) == nil && text != "" {
			texts = append(texts, text)
		}
	}
	return strings.Join(texts, "\n\n")
}

// sessionHandler is a session's run as the loop's handler.
type sessionHandler struct {
	handler *runHandler
	db      *store.DB
	tools   *contract.Registry
	ctx     context.Context // of the run
	planned string          // the manifest's planned_tool
	version int64           // of the transcript
	spoken  bool
	gap     bool // a tool ran since the last text
}

// Text implements Handler.
func (d *sessionHandler) Text(delta string) {
	if d.gap && d.spoken {
		delta = "\n\n" + delta
	}
	d.gap, d.spoken = false, true
	d.handler.Text(delta)
}

// Refusal implements Handler.
func (d *sessionHandler) Refusal(delta string) { d.Text(delta) }

// Started implements Handler: the session tells the beginning of a step itself.
func (d *sessionHandler) Started(c *Call) {
	d.gap = true
	if c.Action != "" {
		_ = d.handler.Progress(d.ctx, -1, "Calling "+c.Name+", as the error rule "+c.Action+" prescribes.") // the step itself tells it too
	}
}

// Done implements Handler: a refused call is no step, so it is told as an error.
func (d *sessionHandler) Done(o Outcome) {
	if o.Job == nil && o.Refusal != nil {
		fault := *contract.ErrorsOf(o.Refusal)[0]
		fault.Message = o.Call.Name + ": " + fault.Message
		_ = d.handler.ReportError(d.ctx, &fault) // the model is told it in any case
	}
}

// Start implements Handler.
func (d *sessionHandler) Start(ctx context.Context, c *Call) (Work, error) {
	return d.handler.Begin(ctx, c.Name, c.Input, c.Limits)
}

// plan writes the tool that comes next into the manifest.
func (d *sessionHandler) plan(ctx context.Context, tool string) error {
	if d.planned == tool {
		return nil
	}
	d.planned = tool
	_, err := d.handler.Update(ctx, func(draft *session.Draft) error {
		draft.PlannedTool = tool
		return nil
	})
	return err
}

// Save implements Handler.
func (d *sessionHandler) Save(ctx context.Context, t *Transcript) error {
	if len(t.Pending) > 0 {
		call := t.Pending[0].Function
		if tool, _, _, err := d.tools.Resolve(call.Name, json.RawMessage(call.Arguments)); err == nil {
			if err := d.plan(ctx, tool.Contract.Name); err != nil {
				return err
			}
		}
	}
	kept := *t
	kept.Account.Spent = t.Account.elapsed()
	raw, err := json.Marshal(kept)
	if err != nil {
		return contract.Errorf(contract.CodeInternal, "encode the transcript: %w", err)
	}
	doc, err := d.db.PutDocument(ctx, DocumentKind, d.handler.ID, d.version, raw)
	d.version = doc.Version
	return err
}

// resume reads what an earlier attempt has kept.
func (d *sessionHandler) resume(ctx context.Context) (*Transcript, error) {
	doc, err := d.db.Document(ctx, DocumentKind, d.handler.ID)
	if store.IsNotFound(err) {
		return nil, nil // it had not come so far
	}
	if err != nil {
		return nil, err
	}
	t := &Transcript{}
	if err := json.Unmarshal(doc.Body, t); err != nil {
		return nil, contract.Errorf(contract.CodeInternal, "the transcript of the run cannot be read: %w", err)
	}
	d.version, d.spoken, d.planned = doc.Version, len(t.Added) > 0, "?" // what the manifest says is not known
	d.handler.past.account(t)
	return t, nil
}
