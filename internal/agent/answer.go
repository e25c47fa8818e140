package agent

import (
	"context"
	"errors"
	"strings"

	"atelier/internal/agent/answer"
	"atelier/internal/agent/plan"
	"atelier/internal/contract"
	"atelier/internal/session"
	"atelier/internal/shape"
)

// Question is a request of a conversation that no session keeps.
type Question struct {
	Said    []string          // what the user said, oldest first
	File    string            // reference of the part, "" for the one that is named in the last words
	Session *session.Manifest // whose newest part is meant where no file is named; nil for none
	// Name gives the name of a file by its reference, which tells its format.
	Name func(ctx context.Context, reference string) (string, error)
}

// Wish is what a question was read as.
type Wish struct{ plan *plan.Plan }

// Read understands a question by the planner's rules; ok is false for one that
// holds nothing that it plans, or that asks for tools that are not there. The
// error is that of Question.Name.
func (p *Planner) Read(ctx context.Context, q Question) (w Wish, ok bool, err error) {
	if len(q.Said) == 0 || !plan.Says(q.Said[len(q.Said)-1]) {
		return w, false, nil
	}
	facts := plan.Facts{}
	if q.Session != nil {
		facts = factsOf(q.Session)
	}
	facts.Curved = p.curved()
	if q.File != "" {
		facts.File, facts.Faces = q.File, nil
	}
	w.plan = p.understand(q.Said, facts)
	if strings.HasPrefix(w.plan.File, "file:") && q.Name != nil {
		if w.plan.FileName, err = q.Name(ctx, w.plan.File); err != nil {
			return w, false, err
		}
	}
	steps := w.plan.Steps()
	here := p.tools.Available()
	for _, s := range steps {
		if _, err := here.Find(s.Tool); err != nil {
			return w, false, nil
		}
	}
	return w, len(w.plan.Questions) == 0 || w.plan.File != "" || w.plan.Physics == plan.Circuit, nil
}

// mostTurns are the messages of a conversation that are read.
const mostTurns = 50

// understand reads a conversation message by message.
func (p *Planner) understand(said []string, facts plan.Facts) (read *plan.Plan) {
	var talk plan.Talk
	for _, text := range said[max(0, len(said)-mostTurns):] {
		read, talk = talk.Next(text, facts)
	}
	return read
}

// Answer asks for what is missing in a wish, or carries it out, and says what
// came of it. What a tool fails with is said too; an error is that the work could
// not go on at all.
func (p *Planner) Answer(ctx context.Context, w Wish, handler PlanHandler, budget Budget) (err error) {
	ctx, s := agentSpan(ctx, "")
	defer func() { endSpan(s, err) }()
	if len(w.plan.Questions) > 0 {
		handler.Text(w.plan.Asks())
		return nil
	}
	handler.Text(announcement(w.plan))
	found, err := p.execute(ctx, handler, w.plan, budget)
	if ctx.Err() != nil {
		return contract.Errorf(contract.CodeCancelled, "the request ended")
	}
	var unit *shape.UnknownUnit
	if errors.As(err, &unit) {
		w.plan.Questions = append(w.plan.Questions, plan.AskUnit(unit))
		handler.Text(w.plan.Asks())
		return nil
	}
	var fault *contract.Error
	if errors.As(err, &fault) {
		handler.Text(Stopping(fault))
		return nil
	}
	if err != nil {
		return err
	}
	text, err := answer.Write(found)
	if err == nil {
		handler.Text(text)
	}
	return err
}
