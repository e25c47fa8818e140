package openai

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"atelier/internal/agent"
	"atelier/internal/contract"
	"atelier/internal/llm"
	"atelier/internal/store"
)

// sink is told what happens, in its order, from one goroutine.
type sink interface {
	Text(delta string)
	Refusal(delta string)
	ToolStarted(c *call)
	ToolDone(c *call, o outcome)
}

// answer is what a turn came to.
type answer struct {
	results []outcome
	calls   []llm.ToolCall // of the caller's own tools, for the caller to make
	finish  string         // stop, length, content_filter, tool_calls
	usage   llm.Usage
	added   []llm.Message // what the conversation has grown by
}

// run does what the turn asks for. Errors before t.started are faults of the
// request or of the model; those after it are told with the jobs that ran.
func (s *Server) run(ctx context.Context, t *turn, out sink) (*answer, error) {
	c := t.choice
	switch {
	case c.tool != nil && c.arguments != nil:
		return s.forced(ctx, t, c.arguments, out)
	case c.tool != nil && len(c.tool.Contract.ValidateInput(nil)) == 0:
		return s.forced(ctx, t, json.RawMessage("{}"), out) // there is nothing to fill in
	case t.model != nil:
		return s.converse(ctx, t, out)
	case c.tool != nil:
		return nil, contract.Errorf(contract.CodeModelMissing, "tool_choice names %s without arguments, and no model is configured that could fill them in", c.tool.Contract.Name).
			At(c.at).WithHint("Send the arguments: %s.", c.tool.Contract.Examples[0].Input)
	case c.caller != "":
		return nil, contract.Errorf(contract.CodeModelMissing, "tool_choice names your own tool %q, and no model is configured that could call it", c.caller).At("/tool_choice")
	}
	if a, err := s.planned(ctx, t, out); a != nil || err != nil {
		return a, err
	}
	text := s.noModel(t)
	out.Text(text)
	return &answer{finish: "stop", added: []llm.Message{llm.Text("assistant", text)}}, nil
}

// noModel is what the routes say when nothing is forced and no model is there.
func (s *Server) noModel(t *turn) string {
	return "No language model is configured on this server (atelier serve --model-url URL --model NAME), so it cannot choose a tool by itself. " +
		"It reads simple requests about a part or a circuit: name an uploaded file and say, for example, " +
		"\"file:file_…, steel, fixed at the bottom, 500 N on top, show the stress\". " +
		"Force one with tool_choice {\"type\":\"function\",\"function\":{\"name\":…,\"arguments\":{…}}}; the tools are " +
		strings.Join(t.offered.Reach.Names(), ", ") + "."
}

// forced runs one tool, without a model.
func (s *Server) forced(ctx context.Context, t *turn, input json.RawMessage, out sink) (*answer, error) {
	c := &call{id: store.NewID("call_"), name: t.choice.tool.Contract.Name, arguments: input, limits: t.limits}
	if err := s.submit(ctx, t, c, t.key); err != nil {
		return nil, atArguments(err, t.choice.at)
	}
	out.ToolStarted(c)
	o, err := s.await(ctx, c, t.waitFor(forcedWait))
	if err != nil {
		return nil, err
	}
	return s.finishForced(c, o, out), nil
}

// finishForced tells the outcome of a forced call.
func (s *Server) finishForced(c *call, o outcome, out sink) *answer {
	out.ToolDone(c, o)
	out.Text(o.text)
	asked := llm.Message{Role: "assistant", ToolCalls: []llm.ToolCall{{
		ID: c.id, Type: "function", Function: llm.FunctionCall{Name: strings.ReplaceAll(c.name, ".", "_"), Arguments: string(c.arguments)},
	}}}
	return &answer{
		results: []outcome{o}, finish: "stop",
		added: []llm.Message{asked, llm.ToolOutput(c.id, o.of.Text(nil, 0)), llm.Text("assistant", o.text)},
	}
}

// atArguments makes the place of an input's fault one of the request's.
func atArguments(err error, at string) error {
	for _, e := range contract.ErrorsOf(err) {
		if contract.InArgument(e) {
			if e.Field != "" && strings.HasPrefix(e.Message, e.Field) {
				e.Message = at + e.Message
			}
			e.Field = at + e.Field
		}
	}
	return err
}

// converse lets the model speak and run the server's tools until it is done or
// calls a tool of the caller's.
func (s *Server) converse(ctx context.Context, t *turn, out sink) (*answer, error) {
	if len(t.history) == 0 {
		return nil, contract.Errorf(contract.CodeInvalidRequest, "the conversation is empty; the model needs at least one message").At("/messages")
	}
	conversation := &agent.Conversation{
		Messages: append(slices.Clone(t.system), t.history...), Tools: t.offered, Forced: t.choice.tool, Callers: t.callers,
		Choice: t.choice.upstream(), Silent: t.choice.mode == "none", Settings: t.settings, Limits: t.limits,
	}
	if t.maxCalls != nil {
		conversation.Budget.Calls = *t.maxCalls
	}
	d := &handler{s: s, t: t, out: out, calls: map[*agent.Call]*call{}}
	loop := agent.Loop{Model: t.model, Budget: s.Budget, Window: s.Window}
	a, err := loop.Run(ctx, conversation, d)
	if err != nil {
		return nil, withJobs(err, d.results)
	}
	return &answer{results: d.results, calls: a.Calls, finish: a.Finish, usage: a.Usage, added: a.Added}, nil
}

// withJobs names the jobs that ran before an error, as their results are not
// lost.
func withJobs(err error, results []outcome) error {
	var ran []string
	for _, o := range results {
		if o.JobID != "" {
			ran = append(ran, fmt.Sprintf("%s (%s)", o.JobID, o.ToolName))
		}
	}
	if len(ran) == 0 {
		return err
	}
	e := *contract.AsError(err)
	return e.WithHint("%s", strings.TrimSpace(e.Hint+" The tools that ran are kept as jobs: "+strings.Join(ran, ", ")+"."))
}
