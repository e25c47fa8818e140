package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"atelier/internal/contract"
	"atelier/internal/llm"
)

// Loop lets a model plan: it speaks and calls tools, reads their results, and
// goes on until it is done. Errors that the routing table knows are mended
// without asking it; a budget bounds the whole.
type Loop struct {
	Model  *llm.Client
	Budget Budget // of one answer, unless the conversation narrows it
	Window int    // tokens that the model reads at once; 0 for DefaultWindow
}

// Conversation is what a loop is to continue.
type Conversation struct {
	ID       string // of the trace; "" for none
	Messages []llm.Message
	Tools    contract.Offer  // those that the model is shown, and those that it may call
	Forced   *contract.Tool  // one more that it may call, as the caller has named it
	Callers  []llm.Tool      // the caller's own: a call of one ends the answer
	Choice   json.RawMessage // tool_choice of the first reply; nil for the model's
	Silent   bool            // the model may call no tool of the server
	Settings llm.Settings
	Budget   Budget          // narrows the loop's
	Limits   json.RawMessage // of every call, as in job.Request
	Resumed  *Transcript     // of an interrupted attempt; nil for none
	// Persist asks again for a reply that broke off, even before a tool has run;
	// else the caller may do so.
	Persist bool
}

// Handler is where an answer is made: it receives the text and runs the calls. Its
// methods but Start's functions are called from one goroutine.
type Handler interface {
	Text(delta string)
	Refusal(delta string)
	// Started tells of every call in its order, also of one that is refused, and
	// Done of its end.
	Started(c *Call)
	Done(o Outcome)
	// Start makes a call whose input is valid. An error refuses it.
	Start(ctx context.Context, c *Call) (Work, error)
	// Save notes how far the answer is.
	Save(ctx context.Context, t *Transcript) error
}

// Answer is what a conversation came to.
type Answer struct {
	Outcomes []Outcome
	Calls    []llm.ToolCall // of the caller's tools, for the caller to make
	Finish   string         // stop, length, content_filter, tool_calls
	Usage    llm.Usage
	Added    []llm.Message // what the conversation has grown by
	// Stopped says why the answer ends before the model was done: a budget, or an
	// error that a person has to decide about.
	Stopped *contract.Error
}

// Transcript is an answer while it is made, to be kept over a crash.
type Transcript struct {
	Added   []llm.Message     `json:"added"`
	Account account           `json:"account"`
	Pending []llm.ToolCall    `json:"pending,omitempty"` // of the last reply, not yet answered
	Tried   map[string]int    `json:"tried,omitempty"`   // error routes taken
	Made    map[string]string `json:"made,omitempty"`    // calls by their content, with how they ended
	Jobs    []string          `json:"jobs,omitempty"`    // of the calls that are answered
}

// turn is one run of the loop.
type turn struct {
	loop          *Loop
	conversation  *Conversation
	handler       Handler
	budget        Budget
	script        Transcript
	answer        *Answer
	toolsDisabled bool // the model repeats itself: it may only speak now
	again         int  // repeated calls in a row
	badReplies    int  // replies in a row that could not be read
}

// maxRepeats is how many repeated calls are refused before the model may call
// nothing more.
const maxRepeats = 3

// Run makes the answer. What the model's endpoint fails with is an error; the
// outcomes so far come with it.
func (l *Loop) Run(ctx context.Context, conversation *Conversation, handler Handler) (a *Answer, err error) {
	ctx, s := agentSpan(ctx, conversation.ID)
	defer func() { endSpan(s, err) }()
	x := &turn{loop: l, conversation: conversation, handler: handler, budget: l.Budget.Within(conversation.Budget), answer: &Answer{}}
	if conversation.Resumed != nil {
		x.script = *conversation.Resumed
	}
	x.script.open()
	err = x.run(ctx)
	x.answer.Usage, x.answer.Added = x.script.Account.Usage, x.script.Added
	return x.answer, err
}

func (x *turn) run(ctx context.Context) error {
	for {
		if len(x.script.Pending) > 0 {
			if err := x.calls(ctx, x.script.Pending); err != nil {
				return err
			}
			if len(x.answer.Calls) > 0 {
				x.answer.Finish = "tool_calls"
				return nil
			}
		}
		if err := ctx.Err(); err != nil {
			return contract.Errorf(contract.CodeCancelled, "the request ended")
		}
		if x.answer.Stopped == nil {
			x.answer.Stopped = x.script.Account.exhausted(x.budget)
		}
		if x.answer.Stopped != nil {
			x.stop()
			return nil
		}
		done, err := x.reply(ctx)
		if done || err != nil {
			return err
		}
		if err := x.handler.Save(ctx, &x.script); err != nil {
			return err
		}
	}
}

// reply lets the model speak once; done when it calls no tool.
func (x *turn) reply(ctx context.Context) (done bool, err error) {
	last := x.budget.Turns > 0 && x.script.Account.Turns+1 >= x.budget.Turns
	within, cancel := x.script.Account.within(ctx, x.budget)
	defer cancel()
	within, s := chatSpan(within, x.loop.Model)
	reply, err := x.loop.Model.Stream(within, x.request(last), x.forward)
	if reply != nil {
		s.SetAttributes(attrInput.Int(reply.Usage.Input), attrOutput.Int(reply.Usage.Output), attrFinish.StringSlice([]string{reply.FinishReason}))
	}
	endSpan(s, err)
	if err != nil {
		return false, x.broken(ctx, within, x.explain(err))
	}
	x.badReplies = 0
	x.script.Account.Turns++
	x.script.Account.Usage = x.script.Account.Usage.Add(reply.Usage)
	x.answer.Finish = finishReason(reply)
	x.script.Added = append(x.script.Added, reply.Message())
	if len(reply.ToolCalls) == 0 {
		return true, nil
	}
	if last { // it was told to call nothing
		x.script.Added[len(x.script.Added)-1].ToolCalls = nil
		x.answer.Stopped = contract.Errorf(contract.CodeBudgetExhausted, "the budget of %d turns is used up", x.budget.Turns)
		x.handler.Text(fmt.Sprintf("The model still asks for tools after %d turns; the answer ends here.", x.budget.Turns))
		return true, nil
	}
	x.script.Pending = reply.ToolCalls
	return false, nil
}

// maxBreaks is how often a reply is asked for again that broke off or could not
// be read.
const maxBreaks = 2

// broken says whether the answer goes on after a reply that failed: nil when it
// does. That the time is used up is seen at the next look at the budget.
func (x *turn) broken(ctx, within context.Context, err error) error {
	switch code := contract.AsError(err).Code; {
	case ctx.Err() != nil:
		return err
	case errors.Is(context.Cause(within), errOverTime):
		return nil
	case code != contract.CodeModelReplyInvalid && code != contract.CodeModelUnavailable, x.badReplies >= maxBreaks,
		!x.conversation.Persist && x.script.Account.Calls == 0:
		return err
	}
	x.badReplies++
	return nil
}

func (x *turn) forward(d llm.Delta) {
	if d.Text != "" {
		x.handler.Text(d.Text)
	}
	if d.Refusal != "" {
		x.handler.Refusal(d.Refusal)
	}
}

func finishReason(r *llm.Reply) string {
	switch r.FinishReason {
	case "length", "content_filter":
		return r.FinishReason
	}
	return "stop"
}

// request is what the model is asked. What the choice demands holds for the
// first reply; where no call would be run any more, it may only speak.
func (x *turn) request(last bool) llm.Request {
	conversation, used := x.conversation, &x.script.Account
	req := llm.Request{Settings: conversation.Settings, Tools: x.tools()}
	req.Messages = append(append(req.Messages, conversation.Messages...), recent(x.script.Added, x.room().results)...)
	switch {
	case used.Turns == 0:
		req.ToolChoice = conversation.Choice
	case last, x.toolsDisabled, x.budget.Calls > 0 && used.Calls >= x.budget.Calls:
		req.ToolChoice = json.RawMessage(`"none"`)
	}
	return req
}

// tools are those that the model is shown.
func (x *turn) tools() (list []llm.Tool) {
	conversation := x.conversation
	if !conversation.Silent {
		for _, tool := range conversation.Tools.Shown.Available().All() {
			list = append(list, llm.ToolOf(tool.Contract))
		}
		if forced := conversation.Forced; forced != nil {
			if _, err := conversation.Tools.Shown.Find(forced.Contract.Name); err != nil {
				list = append(list, llm.ToolOf(forced.Contract))
			}
		}
	}
	return append(list, conversation.Callers...)
}

// stop says in the model's place why the answer ends.
func (x *turn) stop() {
	x.answer.Finish = "stop"
	text := Stopping(x.answer.Stopped)
	x.handler.Text(text)
	x.script.Added = append(x.script.Added, llm.Text("assistant", text))
}

// Stopping tells a person why the work stopped and what is asked of them.
func Stopping(fault *contract.Error) string {
	route, known := RouteOf(fault.Code)
	switch {
	case known && route.Escalates():
		return "I stopped, because this needs your decision: " + fault.Message + ". " + fault.Hint +
			" Upload a corrected file, or say which part may be left out."
	case Denied(fault):
		return "I stopped, because you did not allow this: " + fault.Message + ". Say how to go on without it."
	}
	return "I stopped: " + fault.Message + ". " + fault.Hint
}

// Denied says that a person has refused the call.
func Denied(fault *contract.Error) bool {
	return fault.Code == contract.CodeCancelled && fault.Details["decision"] == "denied"
}

func (t *Transcript) open() {
	if t.Tried == nil {
		t.Tried = map[string]int{}
	}
	if t.Made == nil {
		t.Made = map[string]string{}
	}
	t.Account.open()
}
