package mcp

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"atelier/internal/contract"
	"atelier/internal/protocol/httpapi"
)

// Headers of the protocol.
const (
	headerVersion = "Mcp-Protocol-Version"
	headerSession = "Mcp-Session-Id"
	headerMethod  = "Mcp-Method"
	headerName    = "Mcp-Name"
)

// largestGrown bounds what is set aside for a body because its header says so.
const largestGrown = 64 << 10

// start makes the SDK's two handlers. One alone cannot serve all revisions: the
// one with sessions refuses 2026-07-28, the other knows no sessions.
func (s *Server) start() {
	serverOf := func(r *http.Request) *sdk.Server {
		if v, err := s.requested(r); err == nil {
			return v.sdk
		}
		return nil
	}
	// Host and Origin are the gate's, bodies are capped and sessions ended here.
	options := sdk.StreamableHTTPOptions{MaxRequestBodyBytes: -1, DisableLocalhostProtection: true}
	s.legacy = sdk.NewStreamableHTTPHandler(serverOf, &options)
	modern := options
	modern.Stateless, modern.PropagateRequestCancellation = true, true
	s.modern = sdk.NewStreamableHTTPHandler(serverOf, &modern)
}

// text is a parameter that is a string, or "".
func (m message) text(name string) string {
	var text string
	_ = json.Unmarshal(m.Params[name], &text) // another kind is the SDK's to refuse
	return text
}

func isModern(r *http.Request) bool { return r.Header.Get(headerVersion) >= modernFrom }

// serve is the route's handler for every method.
func (s *Server) serve(w http.ResponseWriter, r *http.Request) error {
	s.once.Do(s.start)
	v, err := s.requested(r)
	if err != nil {
		return err
	}
	if r.Method != http.MethodPost {
		return s.forwardToSDK(w, r)
	}
	body, err := s.body(w, r)
	if err != nil {
		return err
	}
	m, ok, fault := readBody(r, body)
	if fault != nil {
		writeMessage(w, http.StatusBadRequest, fault)
		return nil
	}
	if ok && m.sent && s.refuseEarly(w, r, m) || ok && s.serveDirectly(w, r, v, m) {
		return nil
	}
	if ok && m.Method == methodInitialize {
		if err := s.sessions.capacity(); err != nil {
			return err
		}
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	return s.forwardToSDK(w, r)
}

// refuseEarly answers a call that cannot be served, in words that need no knowledge
// of this program; false where nothing is wrong.
func (s *Server) refuseEarly(w http.ResponseWriter, r *http.Request, m message) bool {
	id := r.Header.Get(headerSession)
	begun := s.sessions.find(id) != nil
	if id != "" && !begun {
		return false // the SDK says that there is no such session
	}
	if code, text := strange(m); text != "" && s.Extend == nil {
		if code == jsonrpc.CodeMethodNotFound && len(m.ID) == 0 { // what a server does not know it leaves alone: nobody waits for an answer
			w.WriteHeader(http.StatusAccepted)
			return true
		}
		status := http.StatusBadRequest
		switch {
		case m.Method == "", m.Params == nil && len(m.given) > 0: // no name; null or a list, which no method takes
		case code == jsonrpc.CodeMethodNotFound && isModern(r):
			status = http.StatusNotFound
		case len(m.ID) > 0 && !isModern(r):
			status = http.StatusOK
		}
		writeMessage(w, status, faultOf(m.ID, code, "%s", text))
		return true
	}
	if len(m.ID) == 0 {
		return false
	}
	if text := misfit(m.Method, m.given); text != "" {
		status := http.StatusOK // clients before 2026-07-28 take another status for a fault of the connection
		if isModern(r) {
			status = http.StatusBadRequest
		}
		writeMessage(w, status, faultOf(m.ID, jsonrpc.CodeInvalidParams, "%s", text))
		return true
	}
	if text := outOfTurn(m, begun); text != "" && !isModern(r) {
		refuse(w, m.ID, jsonrpc.CodeInvalidRequest, text)
		return true
	}
	return false
}

func (s *Server) body(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	var buf bytes.Buffer
	if r.ContentLength > 0 {
		buf.Grow(int(min(r.ContentLength, largestGrown)) + bytes.MinRead)
	}
	_, err := buf.ReadFrom(http.MaxBytesReader(w, r.Body, s.maxBody()))
	var over *http.MaxBytesError
	switch {
	case errors.As(err, &over):
		return nil, contract.Errorf(contract.CodePayloadTooLarge, "the message is larger than %d bytes", over.Limit).
			WithHint("Send large files with POST /v1/files and name them as file:<id>.")
	case err != nil:
		return nil, contract.Errorf(contract.CodeInvalidRequest, "the body could not be read: %w", err)
	}
	return buf.Bytes(), nil
}

// forwardToSDK hands a request to the SDK.
func (s *Server) forwardToSDK(w http.ResponseWriter, r *http.Request) error {
	if isModern(r) {
		s.modern.ServeHTTP(w, r)
		return nil
	}
	if session := s.sessions.find(r.Header.Get(headerSession)); session != nil {
		session.begin()
		defer session.end(s.sessions.timeout())
	}
	s.legacy.ServeHTTP(w, r)
	return nil
}

// serveDirectly serves what the SDK cannot, or not fast enough; false leaves the
// request to it, untouched.
func (s *Server) serveDirectly(w http.ResponseWriter, r *http.Request, v *view, m message) bool {
	switch m.Method {
	case "tools/call":
		return s.quickCall(w, r, v, m)
	case "notifications/cancelled":
		if session := s.sessions.find(r.Header.Get(headerSession)); session != nil && session.cancel(string(m.Params["requestId"])) {
			w.WriteHeader(http.StatusAccepted)
			return true
		}
	case methodTaskGet, methodTaskUpdate, methodTaskCancel:
		if name := r.Header.Get(headerName); isModern(r) && strings.TrimSpace(name) != m.text("taskId") {
			refuse(w, m.ID, sdk.CodeHeaderMismatch, "the header "+headerName+" must be the taskId of the request")
			return true
		}
	case methodListen:
		return isModern(r) && s.listenHTTP(w, r, m)
	}
	return false
}

// refuse answers a request with an error and the status that revision 2026-07-28
// gives it.
func refuse(w http.ResponseWriter, id json.RawMessage, code int64, text string) {
	writeMessage(w, http.StatusBadRequest, map[string]any{
		"jsonrpc": "2.0", "id": id, "error": jsonrpc.Error{Code: code, Message: text},
	})
}

func writeMessage(w http.ResponseWriter, status int, message any) {
	w.Header().Set("Cache-Control", "no-cache, no-transform")
	httpapi.JSON(w, status, message)
}
