// Package agent is the loop between a request and the tools: plan, call, read
// the result, route errors by a table, stop at a budget. With a language model
// the model plans (Loop); without one the prompt is read by rules (Planner).
// Either way tools really run as jobs, and what happens is told as it happens.
package agent

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"time"

	"atelier/internal/contract"
	"atelier/internal/session"
	"atelier/internal/store"
)

// Agent works the turns of sessions.
type Agent struct {
	Planner *Planner
	Loop    *Loop // nil without a model
	Budget  Budget
	DB      *store.DB // of the transcripts of runs
	// Standard is what a model is shown of the tools; the zero value shows all. The others
	// may be called all the same.
	Standard contract.Selection
}

func (a *Agent) offer() contract.Offer {
	offer, _ := a.Planner.tools.Offer(contract.Selection{}, a.Standard) // of an empty selection, which cannot fail
	return offer
}

// Resumes says that a run that a process has left goes on in the next.
func (a *Agent) Resumes() {}

// Check implements session.Checker.
func (a *Agent) Check(t session.Turn) error {
	_, err := readOptions(t.Options)
	return err
}

// Run implements session.Runner.
func (a *Agent) Run(ctx context.Context, r *session.Run) (string, error) {
	wish, err := readOptions(r.Turn.Options)
	if err != nil {
		return "", err
	}
	if a.Loop != nil && !wish.Planner {
		return a.converse(ctx, r, wish.budget())
	}
	if err := a.needsModel(ctx, r); err != nil {
		return "", err
	}
	ctx, s := agentSpan(ctx, r.Session)
	reply, err := a.Planner.run(ctx, r, a.Budget.Within(wish.budget()))
	endSpan(s, err)
	return reply, err
}

// needsModel keeps a run that a model has begun in another process from being
// gone on with by rules.
func (a *Agent) needsModel(ctx context.Context, r *session.Run) error {
	if r.Turn.Attempt < 2 {
		return nil
	}
	_, err := a.DB.Document(ctx, DocumentKind, r.ID)
	switch {
	case store.IsNotFound(err):
		return nil
	case err != nil:
		return err
	}
	return contract.Errorf(contract.CodeModelMissing, "a model worked on this run when its process stopped, and this process has none").
		WithHint("What was done is in the manifest; ask again to go on.")
}

// Options are those of a turn. What is absent, null or 0 asks for nothing.
type Options struct {
	MaxTurns     whole   `json:"max_turns"`
	MaxToolCalls whole   `json:"max_tool_calls"`
	MaxTokens    whole   `json:"max_tokens"`
	MaxSeconds   float64 `json:"max_seconds"`
	ToolSeconds  float64 `json:"tool_seconds"` // of one call
	Planner      bool    `json:"planner"`      // no model, even where there is one
}

// whole is a JSON number without a fraction: 3, 3.0 and 3e2 are some.
type whole int

// UnmarshalJSON implements json.Unmarshaler.
func (w *whole) UnmarshalJSON(raw []byte) error {
	var v float64
	if err := json.Unmarshal(raw, &v); err != nil {
		return err
	}
	if v != math.Trunc(v) {
		return fmt.Errorf("%s is not a whole number", raw)
	}
	*w = whole(max(min(v, math.MaxInt32), math.MinInt32)) // beyond any budget
	return nil
}

func readOptions(raw json.RawMessage) (o Options, err error) {
	if len(raw) == 0 || string(raw) == "null" {
		return o, nil
	}
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&o); err != nil {
		return o, contract.Errorf(contract.CodeInvalidRequest, "the options of the agent cannot be read: %w", err).At("/options").
			WithHint("They are max_turns, max_tool_calls, max_tokens, max_seconds, tool_seconds and planner.")
	}
	if min(float64(min(o.MaxTurns, o.MaxToolCalls, o.MaxTokens)), o.MaxSeconds, o.ToolSeconds) < 0 {
		return o, contract.Errorf(contract.CodeInvalidRequest, "a budget must not be negative").At("/options")
	}
	return o, nil
}

func (o Options) budget() Budget {
	seconds := func(s float64) time.Duration { return time.Duration(min(s, 1e6) * float64(time.Second)) }
	return Budget{
		Turns: int(o.MaxTurns), Calls: int(o.MaxToolCalls), Tokens: int(o.MaxTokens),
		Wall: seconds(o.MaxSeconds), Tool: seconds(o.ToolSeconds),
	}
}
