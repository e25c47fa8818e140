package mcp

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"mime"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"atelier/internal/contract"
	"atelier/internal/jsonvalue"
)

// This file is where the messages of both transports are held against JSON-RPC,
// before the SDK sees them: what is wrong is told by a response, in words of ours.

// envelope is a message as its fields are compared: by their exact names, each once.
// What is within params and results is for others to read.
type envelope struct {
	JSONRPC json.RawMessage `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Method  json.RawMessage `json:"method"`
	Params  json.RawMessage `json:"params"`
	Result  json.RawMessage `json:"result"`
	Error   *struct {
		Code    int64           `json:"code"`
		Message string          `json:"message"`
		Data    json.RawMessage `json:"data"`
	} `json:"error"`
}

// callParams are those of tools/call: a second spelling of one of them would name
// another tool.
type callParams struct {
	Name      json.RawMessage            `json:"name"`
	Arguments json.RawMessage            `json:"arguments"`
	Meta      map[string]json.RawMessage `json:"_meta"`
}

// message is what the front needs to know of a JSON-RPC message.
type message struct {
	ID     json.RawMessage
	Method string
	sent   bool                       // it has a method: it is no response
	Params map[string]json.RawMessage // nil where they are no object
	given  json.RawMessage            // params as they came
}

// judged is what a value is as a message.
type judged struct {
	id     string          // of a call, in one spelling; else ""
	told   json.RawMessage // the id as it was written, where a client can find it again
	fault  json.RawMessage // the answer to what is no message
	fields map[string]json.RawMessage
}

func (m judged) refuse(code int64, text string, args ...any) judged {
	m.fault = faultOf(m.told, code, text, args...)
	return m
}

const theLine = "the line"

// judge says what a value is; subject is what it is called, the line or the body.
func judge(value []byte, subject string) judged {
	m := judged{}
	err := json.Unmarshal(value, &m.fields)
	var syntax *json.SyntaxError
	deep := jsonvalue.TooDeep(value)
	switch {
	case errors.As(err, &syntax) && !deep:
		return judged{fault: notJSON(value, subject)}
	case !deep && (err != nil || m.fields == nil):
		return m.refuse(jsonrpc.CodeInvalidRequest, "a message is a JSON object with jsonrpc, method and, for a call, id")
	}
	given, has := m.fields["id"]
	m.id = sameID(given)
	// A fraction can be found again on a line; over HTTP an id is a string or a whole number.
	fraction := has && subject == theLine && (given[0] == '-' || given[0] >= '0' && given[0] <= '9')
	if has && (m.id != "" || plainID(given) || fraction) {
		m.told = given
	}
	if deep {
		return m.refuse(jsonrpc.CodeInvalidRequest, "the message is nested more than %d deep; put fewer objects and lists into each other", jsonvalue.Deepest)
	}
	rules := jsonvalue.Rules{Open: true, Loose: true}
	if fit := jsonvalue.Fit(value, reflect.TypeFor[envelope](), rules); fit != nil {
		if fit.At == "/id" || strings.EqualFold(fit.Name, "id") {
			m.told = nil // which of the two would it be
		}
		return m.refuse(jsonrpc.CodeInvalidRequest, "the message cannot be read with certainty: %s", contract.Unfit(value, reflect.TypeFor[envelope](), rules))
	}
	if why := ambiguous(m.fields, rules); why != "" {
		return m.refuse(jsonrpc.CodeInvalidRequest, "params cannot be read with certainty: %s", why)
	}
	if fault := unclear(value, m.fields); fault != nil {
		if fault.Field == "/id" {
			m.told = nil // no client would find it again
		}
		return m.refuse(jsonrpc.CodeInvalidRequest, "the message cannot be read with certainty: %s. %s", fault.Message, fault.Hint)
	}
	return m.held(has)
}

// unclear is what RFC 8259 leaves open in a message: a key that stands twice, invalid
// UTF-8, half a surrogate pair. Of the arguments of a call the tool tells, as on every
// protocol; nil where nothing else is.
func unclear(value []byte, fields map[string]json.RawMessage) *contract.Error {
	fault := contract.StrictJSON(value, contract.CodeInvalidRequest)
	const own = "/params/arguments"
	if fault == nil || string(fields["method"]) != `"tools/call"` || fault.Field != own && !strings.HasPrefix(fault.Field, own+"/") {
		return fault
	}
	var params map[string]json.RawMessage
	_ = json.Unmarshal(fields["params"], &params) // it has arguments
	delete(params, "arguments")
	rest := maps.Clone(fields)
	delete(rest, "params")
	for _, part := range []struct {
		at     string
		fields map[string]json.RawMessage
	}{{"", rest}, {"/params", params}} {
		for _, name := range slices.Sorted(maps.Keys(part.fields)) {
			if fault := contract.StrictJSON(part.fields[name], contract.CodeInvalidRequest); fault != nil {
				at := part.at + "/" + jsonvalue.Escape(name)
				fault.Message = at + strings.TrimPrefix(fault.Message, "the value")
				return fault.At(at + fault.Field)
			}
		}
	}
	return nil
}

// ambiguous says why params could be read in two ways; "" where they are plain.
func ambiguous(fields map[string]json.RawMessage, rules jsonvalue.Rules) string {
	params := fields["params"]
	if len(params) == 0 || params[0] != '{' {
		return ""
	}
	kind := reflect.TypeFor[map[string]json.RawMessage]()
	if string(fields["method"]) == `"tools/call"` {
		kind = reflect.TypeFor[callParams]()
	}
	if m := jsonvalue.Fit(params, kind, rules); m == nil || m.Want != nil {
		return "" // misfit tells of another kind
	}
	return contract.Unfit(params, kind, rules)
}

// held holds the fields against JSON-RPC 2.0, and against what MCP makes of it.
func (m judged) held(hasID bool) judged {
	if string(m.fields["jsonrpc"]) != `"2.0"` {
		return m.refuse(jsonrpc.CodeInvalidRequest, `jsonrpc must be "2.0"`)
	}
	if hasID && m.id == "" {
		return m.refuse(jsonrpc.CodeInvalidRequest, "the id must be a string or a whole number from -2^53 to 2^53, in digits alone (7, not 7.0 or 7e0)")
	}
	method, isCall := m.fields["method"]
	_, result := m.fields["result"]
	_, failed := m.fields["error"]
	switch {
	case isCall && method[0] != '"':
		return m.refuse(jsonrpc.CodeInvalidRequest, "method must be a string")
	case isCall && (result || failed):
		return m.refuse(jsonrpc.CodeInvalidRequest, "a message has either a method, as a call, or a result or an error, as a response; send one of them")
	case result && failed:
		return m.refuse(jsonrpc.CodeInvalidRequest, "a response has either a result or an error; send one of them")
	}
	if !isCall {
		switch {
		case m.fields["result"] == nil && m.fields["error"] == nil:
			return m.refuse(jsonrpc.CodeInvalidRequest, "there is no method; give the name of what is called, such as ping")
		case !hasID:
			return m.refuse(jsonrpc.CodeInvalidRequest, "a response has the id of its call")
		}
		m.id = "" // a response gets none
	}
	return m
}

// message is a message that has been judged.
func (m judged) message() message {
	out := message{ID: m.fields["id"], sent: m.fields["method"] != nil, given: m.fields["params"]}
	_ = json.Unmarshal(m.fields["method"], &out.Method) // a response has none
	_ = json.Unmarshal(out.given, &out.Params)          // misfit tells of another kind
	return out
}

func notJSON(value []byte, subject string) json.RawMessage {
	what, hint := jsonvalue.Syntax(value)
	return faultOf(nil, jsonrpc.CodeParseError, "%s", strings.TrimSpace(subject+" is not JSON: "+what+". "+hint))
}

// readBody makes a message of a body of HTTP. whole is false for a batch, which the
// SDK takes of old clients, and for a body of another type, which it refuses.
func readBody(r *http.Request, body []byte) (m message, whole bool, fault json.RawMessage) {
	const subject = "the body"
	kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	text := bytes.TrimSpace(body)
	switch {
	case kind != "application/json":
		return m, false, nil
	case len(text) == 0:
		return m, false, faultOf(nil, jsonrpc.CodeParseError, "the body is empty; send one JSON-RPC message")
	case text[0] != '[':
		one := judge(text, subject)
		return one.message(), one.fault == nil, one.fault
	}
	var messages []json.RawMessage
	switch err := json.Unmarshal(text, &messages); {
	case err != nil:
		return m, false, notJSON(text, subject)
	case len(messages) == 0:
		return m, false, faultOf(nil, jsonrpc.CodeInvalidRequest, "the batch is empty; send one JSON-RPC message")
	case r.Header.Get(headerVersion) >= batchesUntil:
		return m, false, faultOf(nil, jsonrpc.CodeInvalidRequest, "batches are not taken from revision %s on; send each message by itself", batchesUntil)
	}
	for _, raw := range messages {
		one := judge(raw, subject)
		if one.fault != nil {
			return m, false, one.fault
		}
		if code, text := strange(one.message()); text != "" {
			return m, false, faultOf(one.told, code, "%s", text)
		}
	}
	return m, false, nil
}

// batchesUntil is the first revision without batches.
const batchesUntil = "2025-06-18"

var notifications = []string{"notifications/cancelled", "notifications/initialized", "notifications/progress", "notifications/roots/list_changed"}

var calls = slices.Sorted(maps.Keys(methodsWithParams))

// strange says what is wrong with a method; text is "" for one that is known, and
// for a response.
func strange(m message) (code int64, text string) {
	call := len(m.ID) > 0
	known := slices.Contains(calls, m.Method) || m.Method == "server/discover" || m.Method == methodListen
	switch notice := slices.Contains(notifications, m.Method); {
	case known && !call:
		return jsonrpc.CodeInvalidRequest, m.Method + " is a call; give it an id"
	case notice && call:
		return jsonrpc.CodeInvalidRequest, m.Method + " is a notification; send it without an id"
	case known, notice, !m.sent:
		return 0, ""
	}
	hint := ""
	if near := contract.Nearest(m.Method, slices.Concat(calls, notifications)); near != "" {
		hint = fmt.Sprintf("; did you mean %q?", near)
	}
	return jsonrpc.CodeMethodNotFound, fmt.Sprintf("there is no method %q", m.Method) + hint
}

// sameID is an id in one spelling; "" for what cannot be given back as it came.
func sameID(given json.RawMessage) string {
	if !plainID(given) {
		return ""
	}
	if given[0] == '"' {
		var text string
		if json.Unmarshal(given, &text) != nil {
			return ""
		}
		return strconv.Quote(text)
	}
	if v, err := strconv.ParseInt(string(given), 10, 64); err == nil && v <= largestID && v >= -largestID {
		return strconv.FormatInt(v, 10)
	}
	return ""
}

// plainID: a string or a whole number.
func plainID(id json.RawMessage) bool {
	if len(id) == 0 {
		return false
	}
	return id[0] == '"' || (id[0] == '-' || id[0] >= '0' && id[0] <= '9') && !bytes.ContainsAny(id, ".eE")
}

// faultOf is a response with an error; id is null where it is nil.
func faultOf(id json.RawMessage, code int64, text string, args ...any) json.RawMessage {
	raw, _ := json.Marshal(map[string]any{ // plain values
		"jsonrpc": "2.0", "id": id, "error": jsonrpc.Error{Code: code, Message: fmt.Sprintf(text, args...)},
	})
	return raw
}
