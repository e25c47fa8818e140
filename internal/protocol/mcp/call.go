//lint:file-ignore SA1019 sessions before 2026-07-28 set a log level, and later requests may ask for one

package mcp

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"atelier/internal/contract"
	"atelier/internal/job"
)

// The fields of a call's _meta that are ours.
const (
	metaLimits         = "limits"          // any subset of the limits
	metaIdempotencyKey = "idempotency_key" // a repeated call with it gets the first one's job
)

// receive is the middleware before the SDK's own methods: tools are found by
// name or alias, and what belongs to the tasks extension is served here.
func (v *view) receive(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, req sdk.Request) (sdk.Result, error) {
		switch r := req.(type) {
		case *sdk.ServerRequest[*sdk.InitializeParams]:
			v.server.sessions.add(r.Session, v)
		case *sdk.ServerRequest[*TaskParams]:
			if !DeclaresTasks(r) {
				return nil, TasksRequired()
			}
		case *sdk.CallToolRequest:
			tool, err := v.tools.Reach.Find(r.Params.Name)
			if err != nil && v.server.Extend != nil {
				return next(ctx, method, req) // the tool may be one that Extend added
			}
			if err != nil {
				return nil, v.unknown(r.Params.Name, err)
			}
			r.Params.Name = shownName(tool.Contract, v.canonical)
			if tool.Available != nil && tool.Available() != nil {
				result, _ := v.callTool(ctx, r) // it is not listed, but its error says what to install
				return complete(result, r.ProtocolVersion()), nil
			}
			if DeclaresTasks(r) {
				return v.callAsTask(ctx, r)
			}
			if v.server.needsTask(tool) {
				return nil, TasksRequired()
			}
			if _, err := v.tools.Shown.Find(tool.Contract.Name); err != nil {
				return v.callDirectly(ctx, method, r) // the SDK knows only what is listed
			}
		}
		result, err := next(ctx, method, req)
		if err != nil {
			err = lostCursor(method, req, err)
		}
		return result, err
	}
}

// unknown is the refusal of a call that names no tool, with what may have been meant
// and the code that every other protocol answers with.
func (v *view) unknown(name string, fault error) error {
	shown := []string{}
	for _, t := range v.tools.Reach.Available().All() {
		shown = append(shown, shownName(t.Contract, v.canonical))
	}
	const list = "tools/list names all tools."
	refusal := &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: fmt.Sprintf("unknown tool %q. %s", name, list)}
	data := contract.AsError(fault).At("/params/name").WithHint(list)
	if near := contract.Nearest(name, shown); near != "" {
		refusal.Message = fmt.Sprintf("unknown tool %q; did you mean %q? %s", name, near, list)
		data = data.WithHint("Did you mean %q? %s", near, list)
	}
	if raw, err := json.Marshal(data); err == nil {
		refusal.Data = raw
	}
	return refusal
}

// callTool answers a call when its job has ended. The error is always nil.
func (v *view) callTool(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
	ctx = withCaller(ctx, req)
	request, err := v.request(req)
	if err != nil {
		return answer(contract.Failure("atelier", contract.ErrorsOf(err)...), ""), nil
	}
	_, wantsLog := req.Params.Meta[sdk.MetaKeyLogLevel]
	if req.Params.GetProgressToken() != nil || wantsLog {
		return v.server.follow(ctx, req, request), nil
	}
	return v.server.run(ctx, request), nil
}

// stdioCaller identifies the only client of a stdio server, which sends no session id.
var stdioCaller = rand.Text()

// withCaller notes the session of a call, which is what tells clients apart.
func withCaller(ctx context.Context, req *sdk.CallToolRequest) context.Context {
	id := ""
	if req.Session != nil {
		id = req.Session.ID()
	}
	if id == "" {
		if contract.CallerOf(ctx) != "" {
			return ctx // a request of a client without sessions: the gate knows it
		}
		id = stdioCaller
	}
	return contract.WithCaller(ctx, "mcp:"+id)
}

func (v *view) request(req *sdk.CallToolRequest) (job.Request, error) {
	request := job.Request{Tool: req.Params.Name, Input: arguments(req.Params.Arguments)}
	if req.Extra != nil {
		request.RequestID = req.Extra.Header.Get("X-Request-Id")
	}
	if limits, ok := req.Params.Meta[metaLimits]; ok {
		if raw, err := json.Marshal(limits); err == nil {
			request.Limits, request.LimitsAt = raw, "/_meta/limits"
		}
	}
	if key, given := req.Params.Meta[metaIdempotencyKey]; given {
		var ok bool
		if request.IdempotencyKey, ok = key.(string); !ok {
			return request, contract.Errorf(contract.CodeInvalidRequest, "_meta.idempotency_key is not a string").At("/_meta/idempotency_key")
		}
	}
	return request, nil
}

// arguments: null counts as absent, as several clients send it for no arguments.
func arguments(raw json.RawMessage) json.RawMessage {
	if string(raw) == "null" {
		return nil
	}
	return raw
}

// run makes a job of a call and waits for its end. The end of ctx, which is the
// client's cancellation, ends the job.
func (s *Server) run(ctx context.Context, request job.Request) *sdk.CallToolResult {
	done, err := s.Jobs.Submit(ctx, request)
	if err != nil {
		return answer(contract.Failure("atelier", contract.ErrorsOf(err)...), "")
	}
	return s.ended(ctx, done)
}

// ended is the answer of a job; one that has not ended is cancelled, since its
// caller is gone.
func (s *Server) ended(ctx context.Context, j *job.Job) *sdk.CallToolResult {
	if !j.State.Finished() && ctx.Err() != nil {
		if cancelled, err := s.Jobs.Cancel(context.WithoutCancel(ctx), j.ID); err == nil {
			j = cancelled
		}
	}
	return s.illustrated(ctx, j)
}

// follow answers a call whose client wants to see its progress, or its log.
func (s *Server) follow(ctx context.Context, req *sdk.CallToolRequest, request job.Request) *sdk.CallToolResult {
	request.Async = true
	j, err := s.Jobs.Submit(ctx, request)
	if err != nil {
		return answer(contract.Failure("atelier", contract.ErrorsOf(err)...), "")
	}
	if events, err := s.Jobs.Events(ctx, j.ID, 0); err == nil {
		forwardEvents(ctx, req.Session, req.Params.GetProgressToken(), events)
	}
	for id := j.ID; !j.State.Finished() && ctx.Err() == nil; {
		if j, err = s.Jobs.Wait(ctx, id, time.Minute); err != nil {
			return answer(contract.Failure("atelier", contract.ErrorsOf(err)...), id)
		}
	}
	return s.ended(ctx, j)
}

// forwardEvents passes on what happens to a job until its end, or ctx's. The protocol
// wants progress to grow with each notification, so one of unknown or smaller
// extent counts on a little.
func forwardEvents(ctx context.Context, session *sdk.ServerSession, token any, events <-chan job.Event) {
	const total, step = 100.0, 0.01
	last := 0.0
	for e := range events {
		switch e.Type {
		case "progress":
			if token == nil {
				continue
			}
			at := last + step
			if e.Fraction != nil {
				at = max(at, *e.Fraction*total)
			}
			last = min(at, total)
			// A client that cannot be told still gets its result, or cancels.
			_ = session.NotifyProgress(ctx, &sdk.ProgressNotificationParams{
				ProgressToken: token, Progress: last, Total: total, Message: e.Message,
			})
		case "log":
			_ = session.Log(ctx, &sdk.LoggingMessageParams{Level: logLevel(e.Level), Logger: "job", Data: e.Message})
		}
	}
}

func logLevel(level string) sdk.LoggingLevel {
	switch level {
	case "warn":
		return "warning"
	case "error":
		return "error"
	case "debug":
		return "debug"
	}
	return "info"
}

// limitWords are how a call asks for a limit.
var limitWords contract.LimitWords = func(name string) string { return "_meta." + metaLimits + "." + name }
