// Package openai serves the OpenAI-style routes. Here a caller forces a tool:
// tool_choice names it and carries its arguments (document 002), so that no
// model is needed. The answer is a plain assistant message, and the tool's
// result stands beside it in tool_results, the one shape that every SDK and
// agent framework accepts for a tool that the server itself ran.
package openai

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strings"
	"time"

	"atelier/contract"
	"atelier/job"
	"atelier/store"
	"atelier/wire/rest"
	"atelier/wire/web"
)

const defaultWait = 500 * time.Millisecond

// Server holds what the handlers need.
type Server struct {
	Tools *contract.Registry
	Jobs  job.API
}

// Routes lists the wire's routes.
func (s *Server) Routes() []web.Route {
	return []web.Route{
		{Path: "/v1/chat/completions", Methods: web.Methods{"POST": {Serve: s.chat}}, Envelope: Envelope},
		{Path: "/v1/responses", Methods: web.Methods{"POST": {Serve: s.responses}}, Envelope: Envelope},
	}
}

// Envelope is the error object that the SDKs parse.
func Envelope(w http.ResponseWriter, r *http.Request, errs []*contract.Error) {
	kind := "invalid_request_error"
	status := web.Status(errs)
	switch {
	case status == http.StatusTooManyRequests:
		kind = "rate_limit_error"
	case status == http.StatusUnauthorized:
		kind = "authentication_error"
	case status >= 500:
		kind = "server_error"
	}
	lines := make([]string, len(errs))
	for i, e := range errs {
		lines[i] = strings.TrimPrefix(e.Error(), e.Code+": ")
	}
	var param any
	if errs[0].Field != "" {
		param = errs[0].Field
	}
	web.RetryAfter(w, errs)
	web.JSON(w, status, map[string]any{"error": map[string]any{
		"message": strings.Join(lines, "; "), "type": kind, "param": param, "code": errs[0].Code,
	}})
}

// request is what both routes share; fields that are not ours are let through,
// as OpenAI's own clients send many.
type request struct {
	Model      string          `json:"model"`
	Messages   json.RawMessage `json:"messages"`
	Input      json.RawMessage `json:"input"`
	ToolChoice json.RawMessage `json:"tool_choice"`
	WaitMS     *float64        `json:"wait_ms"`
}

// forced is a tool_choice that names a tool.
type forced struct {
	Name      string
	Arguments json.RawMessage
}

func read(r *http.Request) (*request, error) {
	req := &request{}
	if err := web.ReadJSON(r, req, false); err != nil {
		return nil, err
	}
	if req.Model == "" {
		return nil, contract.Errorf(contract.CodeInvalidRequest, "model is missing or empty").At("model").
			WithHint("Any name is accepted, e.g. autosage-0.1.")
	}
	return req, nil
}

// choice reads tool_choice. The predecessor's forms are accepted: a tool's name
// as a string, name or function.name, and the arguments as input, arguments or
// function.arguments, an object or a string that holds one.
func (s *Server) choice(raw json.RawMessage) (*forced, error) {
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 || string(raw) == "null" {
		return nil, nil
	}
	var word string
	if json.Unmarshal(raw, &word) == nil {
		if word == "auto" || word == "none" || word == "required" {
			return nil, nil
		}
		return &forced{Name: word}, nil
	}
	var object struct {
		Type      string          `json:"type"`
		Name      string          `json:"name"`
		Input     json.RawMessage `json:"input"`
		Arguments json.RawMessage `json:"arguments"`
		Function  struct {
			Name      string          `json:"name"`
			Arguments json.RawMessage `json:"arguments"`
		} `json:"function"`
	}
	if err := json.Unmarshal(raw, &object); err != nil {
		return nil, contract.Errorf(contract.CodeInvalidRequest, "tool_choice is neither a word nor an object").At("tool_choice")
	}
	name := object.Function.Name
	if name == "" {
		name = object.Name
	}
	if object.Type == "none" || (name == "" && object.Type == "allowed_tools") {
		return nil, nil
	}
	if name == "" {
		return nil, contract.Errorf(contract.CodeInvalidRequest, "tool_choice names no tool").At("tool_choice.function.name")
	}
	for _, given := range []json.RawMessage{object.Function.Arguments, object.Arguments, object.Input} {
		if len(given) > 0 && string(given) != "null" {
			args, err := arguments(given)
			return &forced{name, args}, err
		}
	}
	return &forced{Name: name}, nil
}

func arguments(raw json.RawMessage) (json.RawMessage, error) {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		if strings.TrimSpace(text) == "" {
			return json.RawMessage("{}"), nil
		}
		raw = json.RawMessage(text)
	}
	var object map[string]json.RawMessage
	if err := json.Unmarshal(raw, &object); err != nil {
		return nil, contract.Errorf(contract.CodeInvalidRequest, "the tool's arguments are not a JSON object: %v", err).
			At("tool_choice.function.arguments").WithHint("Send an object, or a string that holds one.")
	}
	return raw, nil
}

// outcome is an entry of tool_results.
type outcome struct {
	ToolName string         `json:"tool_name"`
	JobID    string         `json:"job_id"`
	Status   string         `json:"status"`
	Result   map[string]any `json:"result,omitempty"`
	Error    any            `json:"error,omitempty"`
}

// run makes the job and waits for it for a moment. A call that does not
// validate comes back as an error of the route; a tool that ran and failed is
// an outcome, since SDKs repeat requests that end with 5xx.
func (s *Server) run(r *http.Request, req *request, call *forced) (*outcome, string, error) {
	wait, err := web.Wait(req.WaitMS, defaultWait, "wait_ms")
	if err != nil {
		return nil, "", err
	}
	made, err := s.Jobs.Submit(r.Context(), job.Request{
		Tool: call.Name, Input: call.Arguments, Wait: wait, RequestID: web.RequestID(r),
		IdempotencyKey: r.Header.Get("Idempotency-Key"),
	})
	if err != nil {
		return nil, "", err
	}
	out := &outcome{ToolName: made.Tool, JobID: made.ID, Status: string(made.State)}
	if !made.State.Finished() {
		return out, made.Tool + " is " + string(made.State) + " as job " + made.ID + "; its result comes at /v1/jobs/" + made.ID + ".", nil
	}
	record := rest.NewRecord(made, true)
	result := rest.Result(made)
	out.Status, out.Result = string(result.ToolResult(made.ID).Status), record.Result
	if record.Error != nil {
		out.Error = record.Error
	}
	text := result.Summary
	if made.State != store.Succeeded && len(result.Errors) > 0 {
		text = made.Tool + " failed: " + result.Errors[0].Error()
	}
	return out, text, nil
}

// noModel is what the routes say when nothing is forced and no model is there.
func (s *Server) noModel() string {
	return "No language model is configured on this server, so it cannot choose a tool by itself. " +
		"Force one with tool_choice {\"type\":\"function\",\"function\":{\"name\":…,\"arguments\":{…}}}; the tools are " +
		strings.Join(s.Tools.Names(), ", ") + "."
}

func (s *Server) answer(r *http.Request) (*request, *outcome, string, error) {
	req, err := read(r)
	if err != nil {
		return nil, nil, "", err
	}
	call, err := s.choice(req.ToolChoice)
	if err != nil {
		return nil, nil, "", err
	}
	if call == nil {
		return req, nil, s.noModel(), nil
	}
	out, text, err := s.run(r, req, call)
	return req, out, text, err
}

func (s *Server) chat(w http.ResponseWriter, r *http.Request) error {
	req, out, text, err := s.answer(r)
	if err != nil {
		return err
	}
	body := map[string]any{
		"id": store.NewID("chatcmpl_"), "object": "chat.completion", "created": time.Now().Unix(), "model": req.Model,
		"choices": []any{map[string]any{
			"index": 0, "finish_reason": "stop", "logprobs": nil,
			"message": map[string]any{"role": "assistant", "content": text, "refusal": nil},
		}},
		"usage": map[string]int{"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0},
	}
	if out != nil {
		body["tool_results"] = []*outcome{out}
	}
	web.JSON(w, http.StatusOK, body)
	return nil
}

func (s *Server) responses(w http.ResponseWriter, r *http.Request) error {
	req, out, text, err := s.answer(r)
	if err != nil {
		return err
	}
	now := time.Now().Unix()
	body := map[string]any{
		"id": store.NewID("resp_"), "object": "response", "created_at": now, "completed_at": now, "status": "completed", "model": req.Model,
		"error": nil, "incomplete_details": nil, "instructions": nil, "metadata": map[string]string{}, "parallel_tool_calls": true,
		"previous_response_id": nil, "tools": []any{}, "tool_choice": "auto", "temperature": 1.0, "top_p": 1.0,
		"output": []any{map[string]any{
			"id": store.NewID("msg_"), "type": "message", "role": "assistant", "status": "completed",
			"content": []any{map[string]any{"type": "output_text", "text": text, "annotations": []any{}, "logprobs": []any{}}},
		}},
		"usage": nil,
	}
	if out != nil {
		body["tool_results"] = []*outcome{out}
	}
	web.JSON(w, http.StatusOK, body)
	return nil
}

// Schemas implements web.Wire.
func (s *Server) Schemas() map[string]web.Schema { return nil }
