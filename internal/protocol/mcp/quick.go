package mcp

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// A plain call (one message, no progress token, no task, no input of an earlier
// round) needs neither the stream nor the connection that the SDK makes for each
// message. It is given to view.receive here, which is where the SDK's way leads
// too, and answered with one JSON body. A call that does not plainly meet the
// protocol's rules goes to the SDK, which then refuses it. Without this file all
// answers are the same, at twice the time (docs/ARCHITECTURE.md has the figures).

// quickCall serves a tools/call; false leaves it to the SDK.
func (s *Server) quickCall(w http.ResponseWriter, r *http.Request, v *view, m message) bool {
	request, ok := plainCall(r, m)
	if !ok {
		return false
	}
	ctx := r.Context() // its end cancels a call that stands by itself
	if isModern(r) {
		if !modernHeaders(r.Header, m) || !modernMeta(request) {
			return false
		}
	} else {
		session := s.plainSession(r, request)
		if session == nil {
			return false
		}
		var cancel context.CancelFunc // by notifications/cancelled; a lost connection does not
		ctx, cancel = context.WithCancel(context.WithoutCancel(ctx))
		defer cancel()
		if !session.enter(string(m.ID), cancel) {
			return false
		}
		defer session.leave(string(m.ID))
		session.begin()
		defer session.end(s.sessions.timeout())
		v, request.Session = session.view, session.sdk
	}
	if tool, err := v.tools.Reach.Find(request.Params.Name); err != nil || s.needsTask(tool) {
		return false
	}
	result, err := v.receive(v.callDirectly)(ctx, m.Method, request)
	if err != nil {
		return false // none of the faults that receive has are left
	}
	if isModern(r) {
		result.GetMeta()[sdk.MetaKeyServerInfo] = v.info()
	}
	writeMessage(w, http.StatusOK, response{"2.0", m.ID, result})
	return true
}

// callDirectly stands behind receive in the place of the SDK's own handler.
func (v *view) callDirectly(ctx context.Context, _ string, req sdk.Request) (sdk.Result, error) {
	call := req.(*sdk.CallToolRequest)
	result, err := v.callTool(ctx, call)
	return complete(result, call.ProtocolVersion()), err
}

type response struct {
	JSONRPC string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Result  sdk.Result      `json:"result"`
}

// plainCall reads a call; ok is false when it is not a plain one.
func plainCall(r *http.Request, m message) (request *sdk.CallToolRequest, ok bool) {
	if !plainHeaders(r.Header) || !plainID(m.ID) {
		return nil, false
	}
	for name := range m.Params {
		switch name {
		case "name", "arguments", "_meta", "task": // task is the parameter of old clients, to be ignored
		default:
			return nil, false
		}
	}
	params := &sdk.CallToolParamsRaw{Name: m.text("name"), Arguments: m.Params["arguments"]}
	if raw := m.Params["_meta"]; len(raw) > 0 && json.Unmarshal(raw, &params.Meta) != nil {
		return nil, false
	}
	_, progress := params.Meta["progressToken"]
	//lint:ignore SA1019 clients that still ask for log lines go the SDK's way, which sends them
	_, level := params.Meta[sdk.MetaKeyLogLevel]
	return &sdk.CallToolRequest{Params: params, Extra: &sdk.RequestExtra{Header: r.Header}}, !progress && !level
}

// plainSession is the live session of a call; nil when the call is not a plain one.
func (s *Server) plainSession(r *http.Request, request *sdk.CallToolRequest) *session {
	if _, modern := request.Params.Meta[sdk.MetaKeyProtocolVersion]; modern || !slices.Contains(legacyVersions, r.Header.Get(headerVersion)) {
		return nil
	}
	session := s.sessions.find(r.Header.Get(headerSession))
	if session == nil || session.sdk.InitializeParams() == nil {
		return nil
	}
	return session
}

var legacyVersions = []string{"", "2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"}

// modernHeaders: those of 2026-07-28 say what the message says.
func modernHeaders(h http.Header, m message) bool {
	name := strings.TrimSpace(h.Get(headerName))
	return h.Get(headerVersion) == modernFrom && h.Get(headerMethod) == m.Method && name != "" && name == m.text("name")
}

// modernMeta holds _meta against the rules of 2026-07-28; false also for clients
// that take tasks.
func modernMeta(request *sdk.CallToolRequest) bool {
	meta := request.Params.Meta
	if _, object := meta[sdk.MetaKeyClientCapabilities].(map[string]any); !object || request.ProtocolVersion() != modernFrom {
		return false
	}
	capabilities := request.ClientCapabilities()
	if capabilities == nil || declaresTasks(capabilities, modernFrom) {
		return false
	}
	meta[sdk.MetaKeyClientCapabilities] = capabilities // decoded once
	info, given := meta[sdk.MetaKeyClientInfo]
	_, object := info.(map[string]any)
	return !given || object && request.ClientInfo() != nil
}

// plainHeaders: JSON, both kinds of answer accepted, and no further parameters
// in headers.
func plainHeaders(h http.Header) bool {
	accept := strings.Join(h.Values("Accept"), ",")
	if !strings.Contains(accept, "application/json") || !strings.Contains(accept, "text/event-stream") {
		return false
	}
	if contentType := h.Get("Content-Type"); contentType != "application/json" && contentType != "application/json; charset=utf-8" {
		return false
	}
	if len(h[headerVersion]) > 1 || len(h["Last-Event-Id"]) > 0 {
		return false
	}
	for name := range h {
		if strings.HasPrefix(name, "Mcp-Param-") {
			return false
		}
	}
	return true
}
