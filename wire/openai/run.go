package openai

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"atelier/contract"
	"atelier/model"
	"atelier/store"
)

// maxRounds bounds how often a model may ask for tools in one answer.
const maxRounds = 8

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
	calls   []model.ToolCall // of the caller's own tools, for the caller to make
	finish  string           // stop, length, content_filter, tool_calls
	usage   model.Usage
	added   []model.Message // what the conversation has grown by
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
	case s.Model != nil:
		return s.converse(ctx, t, out)
	case c.tool != nil:
		return nil, contract.Errorf(contract.CodeModelMissing, "tool_choice names %s without arguments, and no model is configured that could fill them in", c.tool.Contract.Name).
			At(argumentsField).WithHint("Send the arguments: %s.", c.tool.Contract.Examples[0].Input)
	case c.caller != "":
		return nil, contract.Errorf(contract.CodeModelMissing, "tool_choice names your own tool %q, and no model is configured that could call it", c.caller).At("/tool_choice")
	}
	text := s.noModel(t)
	out.Text(text)
	return &answer{finish: "stop", added: []model.Message{model.Text("assistant", text)}}, nil
}

// noModel is what the routes say when nothing is forced and no model is there.
func (s *Server) noModel(t *turn) string {
	return "No language model is configured on this server (atelier serve --model-url URL --model NAME), so it cannot choose a tool by itself. " +
		"Force one with tool_choice {\"type\":\"function\",\"function\":{\"name\":…,\"arguments\":{…}}}; the tools are " +
		strings.Join(t.offered.Names(), ", ") + "."
}

// forced runs one tool, without a model.
func (s *Server) forced(ctx context.Context, t *turn, input json.RawMessage, out sink) (*answer, error) {
	c := &call{id: store.NewID("call_"), name: t.choice.tool.Contract.Name, arguments: input}
	if err := s.submit(ctx, t, c, t.key); err != nil {
		return nil, atArguments(err)
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
	asked := model.Message{Role: "assistant", ToolCalls: []model.ToolCall{{
		ID: c.id, Type: "function", Function: model.FunctionCall{Name: strings.ReplaceAll(c.name, ".", "_"), Arguments: string(c.arguments)},
	}}}
	return &answer{
		results: []outcome{o}, finish: "stop",
		added: []model.Message{asked, model.ToolOutput(c.id, o.forModel()), model.Text("assistant", o.text)},
	}
}

// atArguments makes the place of an input's fault one of the request's.
func atArguments(err error) error {
	for _, e := range contract.ErrorsOf(err) {
		if e.Code == contract.CodeInvalidInput {
			e.Field = argumentsField + e.Field
		}
	}
	return err
}

// converse lets the model speak, runs the server's tools that it calls, and
// lets it go on with their results, until it is done or calls a tool of the
// caller's.
func (s *Server) converse(ctx context.Context, t *turn, out sink) (*answer, error) {
	if len(t.history) == 0 {
		return nil, contract.Errorf(contract.CodeInvalidRequest, "the conversation is empty; the model needs at least one message").At("/messages")
	}
	a := &answer{}
	for round := 0; ; round++ {
		reply, err := s.Model.Stream(ctx, t.request(a, round), func(d model.Delta) {
			if d.Text != "" {
				out.Text(d.Text)
			}
			if d.Refusal != "" {
				out.Refusal(d.Refusal)
			}
		})
		if err != nil {
			return nil, withJobs(err, a.results)
		}
		a.usage, a.finish = a.usage.Add(reply.Usage), finishReason(reply)
		a.added = append(a.added, reply.Message())
		if len(reply.ToolCalls) == 0 {
			return a, nil
		}
		if round >= maxRounds { // it was told to call nothing
			a.added[len(a.added)-1].ToolCalls = nil
			out.Text(fmt.Sprintf("The model still asks for tools after %d rounds; the answer ends here.", maxRounds))
			return a, nil
		}
		if err := s.runCalls(ctx, t, a, reply.ToolCalls, out); err != nil {
			return nil, withJobs(err, a.results)
		}
		if len(a.calls) > 0 {
			a.finish = "tool_calls"
			return a, nil
		}
		if err := ctx.Err(); err != nil {
			return nil, withJobs(contract.Errorf(contract.CodeCancelled, "the request ended"), a.results)
		}
	}
}

// request is what the model is asked in a round. What tool_choice demands holds
// for the first; the last may only speak.
func (t *turn) request(a *answer, round int) model.Request {
	req := model.Request{Settings: t.settings}
	req.Messages = append(append(append(req.Messages, t.system...), t.history...), a.added...)
	if t.choice.mode != "none" {
		for _, tool := range t.offered.Available().All() {
			req.Tools = append(req.Tools, model.ToolOf(tool.Contract))
		}
		if forced := t.choice.tool; forced != nil {
			if _, err := t.offered.Find(forced.Contract.Name); err != nil {
				req.Tools = append(req.Tools, model.ToolOf(forced.Contract))
			}
		}
	}
	req.Tools = append(req.Tools, t.callers...)
	switch {
	case round == 0:
		req.ToolChoice = t.choice.upstream()
	case round >= maxRounds, t.maxCalls != nil && len(a.results) >= *t.maxCalls:
		req.ToolChoice = json.RawMessage(`"none"`)
	}
	return req
}

// runCalls makes the jobs of one reply's calls, side by side, and puts their
// results into the conversation in the order of the calls.
func (s *Server) runCalls(ctx context.Context, t *turn, a *answer, asked []model.ToolCall, out sink) error {
	var own []*call
	for _, tc := range asked {
		if t.callersTool(tc.Function.Name) {
			a.calls = append(a.calls, tc)
			continue
		}
		c := &call{id: tc.ID, name: tc.Function.Name}
		if c.refusal = s.begin(ctx, t, c, tc, len(a.results)+len(own)); c.refusal == nil {
			out.ToolStarted(c)
		}
		own = append(own, c)
	}
	for _, c := range own {
		o, err := s.await(ctx, c, t.waitFor(chosenWait))
		if err != nil {
			return err
		}
		if c.refusal != nil {
			out.ToolStarted(c)
		}
		out.ToolDone(c, o)
		if len(a.calls) > 0 { // the turn ends here, and the caller's history may hold nothing but this text
			out.Text(o.text)
		}
		a.results = append(a.results, o)
		a.added = append(a.added, model.ToolOutput(c.id, o.forModel()))
	}
	return nil
}

// begin checks a call of the model and makes its job; what is wrong is told to
// the model, which may mend it.
func (s *Server) begin(ctx context.Context, t *turn, c *call, asked model.ToolCall, before int) error {
	text := strings.TrimSpace(asked.Function.Arguments)
	if text == "" {
		text = "{}"
	}
	c.arguments = json.RawMessage(text)
	tool, err := t.offered.Find(c.name)
	if forced := t.choice.tool; err != nil && forced != nil && (c.name == forced.Contract.Name || c.name == forced.Contract.Alias()) {
		tool, err = forced, nil
	}
	switch {
	case err != nil || t.choice.mode == "none":
		return contract.Errorf(contract.CodeUnknownTool, "%q is not among the tools of this request", c.name).
			WithHint("They are %s.", strings.Join(t.offered.Names(), ", "))
	case t.maxCalls != nil && before >= *t.maxCalls:
		return contract.Errorf(contract.CodeTooManyRequests, "max_tool_calls is %d, and as many calls were made", *t.maxCalls).
			WithHint("Answer with what there is.")
	case !json.Valid(c.arguments):
		c.arguments = json.RawMessage("{}")
		return contract.Errorf(contract.CodeInvalidInput, "the arguments are not valid JSON: %.200s", text)
	}
	c.name = tool.Contract.Name
	return s.submit(ctx, t, c, derivedKey(t.key, c))
}

func finishReason(r *model.Reply) string {
	switch r.FinishReason {
	case "length", "content_filter":
		return r.FinishReason
	}
	return "stop"
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
