//lint:file-ignore SA1019 requests may ask for a log level, though 2026-07-28 deprecates it

package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"atelier/internal/job"
	"atelier/internal/protocol/httpapi"
)

// A plain call (one message, no progress token, no task, no input of an earlier
// round) needs nothing of the SDK but its rules, and the SDK's way costs several
// times the call's own work. So it is answered here, with one JSON body; the
// rules are checked, and whatever does not meet them plainly goes to the SDK,
// which then refuses it. Switching this file off changes no answer but its time.

// quickCall serves a tools/call; false leaves it to the SDK.
func (s *Server) quickCall(w http.ResponseWriter, r *http.Request, v *view, m message) bool {
	if !plainHeaders(r.Header) || !plainID(m.ID) {
		return false
	}
	for name := range m.Params {
		switch name {
		case "name", "arguments", "_meta", "task": // task is the parameter of old clients, to be ignored
		default:
			return false
		}
	}
	if isModern(r) {
		return s.quickModern(w, r, v, m)
	}
	meta, ok := readMeta(m.Params["_meta"])
	if !ok {
		return false
	}
	return s.quickSession(w, r, m, meta)
}

// quickSession serves a call of a live session, which a lost connection does not
// cancel, but notifications/cancelled does.
func (s *Server) quickSession(w http.ResponseWriter, r *http.Request, m message, meta map[string]json.RawMessage) bool {
	if _, modern := meta[sdk.MetaKeyProtocolVersion]; modern || !slices.Contains(legacyVersions, r.Header.Get(headerVersion)) {
		return false
	}
	session := s.sessions.find(r.Header.Get(headerSession))
	if session == nil || session.sdk.InitializeParams() == nil {
		return false
	}
	request, ok := session.view.quickRequest(r, m, meta)
	if !ok {
		return false
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(r.Context()))
	defer cancel()
	if !session.enter(string(m.ID), cancel) {
		return false
	}
	defer session.leave(string(m.ID))
	session.begin()
	defer session.end(s.sessions.timeout())
	writeAnswer(w, m.ID, complete(s.run(ctx, request), ""))
	return true
}

var legacyVersions = []string{"", "2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"}

// quickModern serves a call that stands by itself; the end of its connection
// cancels it.
func (s *Server) quickModern(w http.ResponseWriter, r *http.Request, v *view, m message) bool {
	name := strings.TrimSpace(r.Header.Get(headerName))
	if r.Header.Get(headerVersion) != modernFrom || r.Header.Get(headerMethod) != m.Method || name == "" || name != m.text("name") {
		return false
	}
	var meta map[string]json.RawMessage
	raw := m.Params["_meta"]
	if last := s.plainMeta.Load(); last == nil || !bytes.Equal(*last, raw) {
		var ok bool
		if meta, ok = readMeta(raw); !ok || !modernMeta(meta) {
			return false
		}
		if meta[metaLimits] == nil && meta[metaIdempotencyKey] == nil {
			s.plainMeta.Store(&raw) // a client sends the same again with each call
		}
	}
	request, ok := v.quickRequest(r, m, meta)
	if !ok {
		return false
	}
	result := s.run(r.Context(), request)
	result.Meta[sdk.MetaKeyServerInfo] = v.info()
	writeAnswer(w, m.ID, complete(result, modernFrom))
	return true
}

// modernMeta holds _meta against the rules of 2026-07-28; false also for clients
// that take tasks.
func modernMeta(meta map[string]json.RawMessage) bool {
	var version string
	if json.Unmarshal(meta[sdk.MetaKeyProtocolVersion], &version) != nil || version != modernFrom {
		return false
	}
	var capabilities struct {
		Extensions map[string]json.RawMessage `json:"extensions"`
	}
	raw := meta[sdk.MetaKeyClientCapabilities]
	if !isObject(raw) || json.Unmarshal(raw, new(sdk.ClientCapabilities)) != nil || json.Unmarshal(raw, &capabilities) != nil {
		return false
	}
	if _, tasks := capabilities.Extensions[TasksExtension]; tasks {
		return false
	}
	info, given := meta[sdk.MetaKeyClientInfo]
	return !given || isObject(info) && json.Unmarshal(info, new(sdk.Implementation)) == nil
}

func (v *view) quickRequest(r *http.Request, m message, meta map[string]json.RawMessage) (job.Request, bool) {
	tool, err := v.tools.Find(m.text("name"))
	if err != nil || v.server.needsTask(tool) {
		return job.Request{}, false
	}
	request := job.Request{
		Tool: tool.Contract.Name, Input: arguments(m.Params["arguments"]), Limits: meta[metaLimits],
		RequestID: r.Header.Get("X-Request-Id"),
	}
	if key, given := meta[metaIdempotencyKey]; given && json.Unmarshal(key, &request.IdempotencyKey) != nil {
		return job.Request{}, false
	}
	return request, true
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

// plainID: a string or a whole number; other ids are the SDK's to refuse.
func plainID(id json.RawMessage) bool {
	if len(id) == 0 {
		return false
	}
	return id[0] == '"' || (id[0] == '-' || id[0] >= '0' && id[0] <= '9') && !bytes.ContainsAny(id, ".eE")
}

// readMeta reads _meta; ok is false when a call with it is not a plain one.
func readMeta(raw json.RawMessage) (meta map[string]json.RawMessage, ok bool) {
	if len(raw) == 0 {
		return nil, true
	}
	if json.Unmarshal(raw, &meta) != nil {
		return nil, false
	}
	_, progress := meta["progressToken"]
	_, level := meta[sdk.MetaKeyLogLevel]
	return meta, !progress && !level
}

func isObject(raw json.RawMessage) bool { return len(raw) > 0 && raw[0] == '{' }

func (v *view) info() *sdk.Implementation {
	return &sdk.Implementation{Name: "atelier", Title: "Atelier", Version: v.server.Version}
}

// writeAnswer writes the response of a call. Its frame is always the same, so it
// is written without reflection.
func writeAnswer(w http.ResponseWriter, id json.RawMessage, a *completed) {
	w.Header().Set("Cache-Control", "no-cache, no-transform")
	httpapi.Encoded(w, http.StatusOK, func(buf *bytes.Buffer) error {
		buf.WriteString(`{"jsonrpc":"2.0","id":`)
		buf.Write(id)
		buf.WriteString(`,"result":{"_meta":`)
		err := encode(buf, a.Meta)
		if a.ResultType != "" {
			buf.WriteString(`,"resultType":"` + a.ResultType + `"`)
		}
		buf.WriteString(`,"content":[`)
		for i, c := range a.Content {
			if i > 0 {
				buf.WriteByte(',')
			}
			err = errors.Join(err, encodeContent(buf, c))
		}
		buf.WriteByte(']')
		if output, ok := a.StructuredContent.(json.RawMessage); ok { // the runner has made it, and checked it
			buf.WriteString(`,"structuredContent":`)
			buf.Write(output)
		}
		if a.IsError {
			buf.WriteString(`,"isError":true`)
		}
		buf.WriteString("}}")
		return err
	})
}

func encodeContent(buf *bytes.Buffer, c sdk.Content) error {
	text, ok := c.(*sdk.TextContent)
	if !ok {
		return encode(buf, c)
	}
	buf.WriteString(`{"type":"text","text":`)
	err := encode(buf, text.Text)
	buf.WriteByte('}')
	return err
}

func encode(buf *bytes.Buffer, value any) error {
	raw, err := json.Marshal(value)
	buf.Write(raw)
	return err
}
