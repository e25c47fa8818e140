package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"atelier/internal/contract"
	"atelier/internal/llm"
)

// Budget bounds what one answer may use. The zero value of a field means its
// standard, a negative one no bound.
type Budget struct {
	Turns  int           // replies of the model; 24
	Calls  int           // calls of tools; 64
	Tokens int           // read and written by the model, as its endpoint counts them; no bound
	Wall   time.Duration // of the whole answer, without waiting for a person; 1 h
	Tool   time.Duration // of one call, where the tool's own limit is longer; no bound
}

func (b Budget) filled() Budget {
	def := func(v *int, standard int) {
		if *v == 0 {
			*v = standard
		}
	}
	def(&b.Turns, 24)
	def(&b.Calls, 64)
	if b.Wall == 0 {
		b.Wall = time.Hour
	}
	return b
}

// Within narrows a budget by another, whose zero fields ask for nothing.
func (b Budget) Within(wish Budget) Budget {
	less := func(v *int, w int) {
		if w > 0 && (*v <= 0 || w < *v) {
			*v = w
		}
	}
	sooner := func(v *time.Duration, w time.Duration) {
		if w > 0 && (*v <= 0 || w < *v) {
			*v = w
		}
	}
	b = b.filled()
	less(&b.Turns, wish.Turns)
	less(&b.Calls, wish.Calls)
	less(&b.Tokens, wish.Tokens)
	sooner(&b.Wall, wish.Wall)
	sooner(&b.Tool, wish.Tool)
	return b
}

// errOverTime is the cause of a context whose answer has used up its time.
var errOverTime = errors.New("the time of the answer is used up")

// account is what an answer has used.
type account struct {
	Turns   int           `json:"turns"`
	Calls   int           `json:"calls"`
	Usage   llm.Usage     `json:"usage"`
	Spent   time.Duration `json:"spent"` // by earlier attempts
	Waited  time.Duration `json:"-"`     // for a person, by this attempt
	started time.Time
}

func (a *account) elapsed() time.Duration { return a.Spent + time.Since(a.started) - a.Waited }

// exhausted says which bound is reached; nil when none is.
func (a *account) exhausted(b Budget) *contract.Error {
	over := func(what string) *contract.Error {
		return contract.Errorf(contract.CodeBudgetExhausted, "the budget of %s is used up", what).
			WithHint("Ask again to go on from here, or raise the budget.")
	}
	switch tokens := a.Usage.Input + a.Usage.Output; {
	case b.Tokens > 0 && tokens >= b.Tokens:
		return over(fmt.Sprintf("%d tokens (%d were used)", b.Tokens, tokens))
	case b.Wall > 0 && a.elapsed() >= b.Wall:
		return over(b.Wall.String())
	}
	return nil
}

// within bounds a context by the time that is left.
func (a *account) within(ctx context.Context, b Budget) (context.Context, context.CancelFunc) {
	if b.Wall <= 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeoutCause(ctx, b.Wall-a.elapsed(), errOverTime)
}

// limits are a call's: the caller's wishes, with a time limit that neither the
// budget of one call nor the time that is left passes. nil leaves the tool's own.
func (a *account) limits(b Budget, c *contract.Contract, wish json.RawMessage) json.RawMessage {
	own, _, faults := c.ResolveLimits(wish)
	if len(faults) > 0 {
		return wish // refused where the call is made
	}
	most := own.Timeout()
	if b.Tool > 0 {
		most = min(most, b.Tool)
	}
	if b.Wall > 0 {
		most = min(most, b.Wall-a.elapsed())
	}
	most = max(most, time.Duration(c.Limits.MinTimeoutMS)*time.Millisecond, time.Millisecond)
	if most >= own.Timeout() {
		return wish
	}
	all := map[string]json.RawMessage{}
	if len(wish) > 0 {
		_ = json.Unmarshal(wish, &all) // ResolveLimits has read it
	}
	all["timeout_ms"] = json.RawMessage(fmt.Sprint(most.Milliseconds()))
	raw, _ := json.Marshal(all) // numbers always encode
	return raw
}

func (a *account) open() { a.started, a.Waited = time.Now(), 0 }
