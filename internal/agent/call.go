package agent

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"time"

	"atelier/internal/contract"
	"atelier/internal/job"
	"atelier/internal/llm"
	"atelier/internal/store"
)

// Work is a call that has been made.
type Work interface {
	// Decided returns when the call may run; a person may have to say so.
	Decided(ctx context.Context) error
	// Wait returns the job, normally at its end. It is called once unless Decided
	// has failed, also when ctx has ended.
	Wait(ctx context.Context) (*job.Job, error)
}

// maxAtOnce bounds the calls of one reply that run side by side.
const maxAtOnce = 8

// calls makes the calls of one reply and puts their results into the
// conversation in the order of the calls. Those that do not touch each other run
// side by side, any other alone and after those before it.
func (x *turn) calls(ctx context.Context, asked []llm.ToolCall) error {
	var own []*Call
	refusals := map[*Call]error{}
	for _, tc := range asked {
		if x.callersTool(tc.Function.Name) {
			x.answer.Calls = append(x.answer.Calls, tc)
			continue
		}
		c := &Call{ID: tc.ID, Name: tc.Function.Name, Limits: x.conversation.Limits}
		refusals[c] = x.check(c, tc.Function.Arguments)
		own = append(own, c)
	}
	for len(own) > 0 {
		n := 1
		for n < len(own) && n < maxAtOnce && independent(own[n-1]) && independent(own[n]) {
			n++
		}
		if err := x.group(ctx, own[:n], refusals); err != nil {
			return err
		}
		own = own[n:]
	}
	x.script.Pending = nil
	return x.handler.Save(ctx, &x.script)
}

func (x *turn) group(ctx context.Context, group []*Call, refusals map[*Call]error) error {
	outcomes, err := x.sideBySide(ctx, group, refusals)
	if err != nil {
		return err
	}
	for _, o := range outcomes {
		var notes []string
		if x.answer.Stopped == nil {
			if o, notes, err = x.recover(ctx, o); err != nil {
				return err
			}
		}
		x.script.Added = append(x.script.Added, llm.ToolOutput(o.Call.ID, o.Text(notes, x.room().result)))
		x.escalate(o)
		if len(x.answer.Calls) > 0 { // the answer ends here, and the caller's history may hold nothing but this text
			x.handler.Text(o.view().Summary)
		}
	}
	return nil
}

// escalate stops the answer for what only a person can decide.
func (x *turn) escalate(o Outcome) {
	fault := o.Err()
	if fault == nil || x.answer.Stopped != nil {
		return
	}
	if route, known := RouteOf(fault.Code); Denied(fault) || known && route.Escalates() {
		x.answer.Stopped = fault
	}
}

// independent says that a call neither changes the world nor depends on one that
// does: its job writes nothing but its own artifacts.
func independent(c *Call) bool {
	return c.Tool == nil || !c.Tool.Contract.Effects.Destructive && c.Tool.Contract.Effects.SideEffects != "external_write"
}

func (x *turn) callersTool(name string) bool {
	for _, tool := range x.conversation.Callers {
		if tool.Function.Name == name {
			return true
		}
	}
	return false
}

// check finds the tool and sees that the call may be made; what is wrong is told
// to the model, which may mend it.
func (x *turn) check(c *Call, arguments string) error {
	text := strings.TrimSpace(arguments)
	if text == "" {
		text = "{}"
	}
	c.Input = json.RawMessage(text)
	if !json.Valid(c.Input) {
		c.Input = json.RawMessage("{}")
		if _, err := x.conversation.Tools.Reach.Find(c.Name); err == nil && !x.conversation.Silent {
			return contract.Errorf(contract.CodeInvalidRequest, "the arguments are not valid JSON: %.200s", text)
		}
	}
	tool, input, _, err := x.conversation.Tools.Reach.Resolve(c.Name, c.Input)
	if forced := x.conversation.Forced; err != nil && forced != nil && (c.Name == forced.Contract.Name || c.Name == forced.Contract.Alias()) {
		tool, input, err = forced, c.Input, nil
	}
	used := &x.script.Account
	switch {
	case x.conversation.Silent, err != nil && contract.AsError(err).Code == contract.CodeUnknownTool && contract.AsError(err).Field == "":
		return contract.Errorf(contract.CodeUnknownTool, "%q is not among the tools of this request", c.Name).
			WithHint("They are %s.", strings.Join(x.conversation.Tools.Shown.Names(), ", "))
	case err != nil:
		return err
	}
	c.Name, c.Tool, c.Input = tool.Contract.Name, tool, input
	if faults := tool.Contract.ValidateInput(c.Input); len(faults) > 0 {
		return contract.Faults(faults)
	}
	if err := x.repeated(c); err != nil {
		return err
	}
	if x.budget.Calls > 0 && used.Calls >= x.budget.Calls {
		return contract.Errorf(contract.CodeBudgetExhausted, "at most %d calls of tools may be made for an answer, and as many were made", x.budget.Calls).
			WithHint("Answer with what there is.")
	}
	used.Calls++
	return nil
}

// repeated stops a call that was made before with the same input, unless it
// failed with an error that a second try may not meet, or something has changed
// the world since.
func (x *turn) repeated(c *Call) error {
	key := c.key()
	how, made := x.script.Made[key]
	switch {
	case !made || how == madeRetryable:
		x.again = 0
		x.script.Made[key] = madeOnce
		if made {
			x.script.Made[key] = madeTwice
		}
		return nil
	case !c.Tool.Contract.Effects.Idempotent && !c.Tool.Contract.Effects.ReadOnly:
		return nil
	}
	x.again++
	x.toolsDisabled = x.toolsDisabled || x.again >= maxRepeats
	return contract.Errorf(contract.CodeRepeatedCall, "%s was called with the same input before in this answer; it was not run again", c.Name).
		WithHint("Its result is above. Change the input, or answer with what there is.")
}

// How a call was made before.
const (
	madeOnce      = "once"
	madeTwice     = "twice"
	madeRetryable = "retryable" // once, and it failed with a retryable error
)

// key is the same for calls of a tool with the same input.
func (c *Call) key() string {
	var v any
	decoder := json.NewDecoder(bytes.NewReader(c.Input))
	decoder.UseNumber()
	if decoder.Decode(&v) != nil {
		return c.Name + " " + string(c.Input)
	}
	raw, _ := json.Marshal(v) // sorts the keys; it was JSON before
	return c.Name + " " + string(raw)
}

// sideBySide makes the calls of a group and returns their outcomes in order. An
// error is the end of the answer's context, or an error of the handler itself.
func (x *turn) sideBySide(ctx context.Context, group []*Call, refusals map[*Call]error) ([]Outcome, error) {
	outcomes, works := make([]Outcome, len(group)), make([]Work, len(group))
	for i, c := range group {
		outcomes[i] = Outcome{Call: c, Refusal: refusals[c]}
		if outcomes[i].Refusal == nil && x.answer.Stopped != nil {
			outcomes[i].Refusal = contract.Errorf(contract.CodeCancelled, "the answer stopped before this call")
		}
		if outcomes[i].Refusal == nil {
			c.Limits = x.script.Account.limits(x.budget, c.Tool.Contract, c.Limits)
			works[i], outcomes[i].Refusal = x.handler.Start(ctx, c)
		}
		x.handler.Started(c)
	}
	var running sync.WaitGroup
	failed := make([]error, len(group))
	for i, work := range works {
		if work == nil {
			continue
		}
		since := time.Now()
		if outcomes[i].Refusal = work.Decided(ctx); outcomes[i].Refusal != nil {
			continue
		}
		x.script.Account.Waited += time.Since(since)
		within, cancel := x.script.Account.within(ctx, x.budget)
		defer cancel()
		running.Go(func() { failed[i] = await(ctx, within, work, &outcomes[i]) })
	}
	running.Wait()
	if ctx.Err() != nil {
		return nil, contract.Errorf(contract.CodeCancelled, "the request ended")
	}
	for i, o := range outcomes {
		if failed[i] != nil {
			return nil, failed[i]
		}
		x.note(o)
		x.handler.Done(o)
	}
	return outcomes, nil
}

// await waits for the end of one call, bounded by within, which is made of ctx.
// That the time of the answer is used up is an outcome, as is what the tool
// fails with.
func await(ctx, within context.Context, work Work, o *Outcome) error {
	within, s := toolSpan(within, o.Call.Name, o.Call.ID)
	j, err := work.Wait(within)
	o.Job = j
	var fault *contract.Error
	switch {
	case err != nil && ctx.Err() == nil && errors.Is(context.Cause(within), errOverTime):
		o.Job, o.Refusal = nil, contract.Errorf(contract.CodeBudgetExhausted, "%s was ended, as the time of the answer is used up", o.Call.Name)
		err = nil
	case err != nil && ctx.Err() == nil && j == nil && errors.As(err, &fault):
		o.Refusal, err = fault, nil // it never became a job
	}
	if j != nil {
		s.SetAttributes(attrJob.String(j.ID))
	}
	if fault := o.Err(); fault != nil {
		endSpan(s, fault)
	} else {
		endSpan(s, err)
	}
	return err
}

// note remembers what came of a call.
func (x *turn) note(o Outcome) {
	x.answer.Outcomes = append(x.answer.Outcomes, o)
	if o.Job == nil || o.Call.Tool == nil {
		return
	}
	x.script.Jobs = append(x.script.Jobs, o.Job.ID)
	if !independent(o.Call) {
		clear(x.script.Made)
		return
	}
	key := o.Call.key()
	if fault := o.Err(); fault != nil && fault.Retryable && x.script.Made[key] == madeOnce {
		x.script.Made[key] = madeRetryable
	}
}

// single makes one call of the loop's own.
func (x *turn) single(ctx context.Context, tool *contract.Tool, input json.RawMessage, action string) (Outcome, error) {
	c := &Call{ID: store.NewID("call_"), Name: tool.Contract.Name, Tool: tool, Input: input, Limits: x.conversation.Limits, Action: action}
	refusals := map[*Call]error{}
	if faults := tool.Contract.ValidateInput(input); len(faults) > 0 {
		refusals[c] = contract.Faults(faults)
	}
	x.script.Account.Calls++
	x.script.Made[c.key()] = madeOnce
	outcomes, err := x.sideBySide(ctx, []*Call{c}, refusals)
	if err != nil {
		return Outcome{}, err
	}
	return outcomes[0], nil
}
