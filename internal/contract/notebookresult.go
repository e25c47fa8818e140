package contract

import (
	"bytes"
	"encoding/json"
	"fmt"
)

const (
	maxMessages      = 10  // warnings that an answer's messages hold
	maxMessageLetter = 400 // of one of them
)

// NotebookFamily are the tools of api/spec/notebooks.md. Their output is an answer
// of that dialect on every protocol: it has status, and messages where there are
// warnings.
const NotebookFamily = "notebook"

// NotebookResult is a result in the flat dialect of api/spec/notebooks.md, which
// Harmony and MCP text speak of every tool: status, the fields of the output, and
// messages with the warnings; of a failure error_code and error_message, and
// errors with every fault, its place and what to do.
func (r *Result) NotebookResult() json.RawMessage {
	if r.Status == StatusError {
		return r.notebookError()
	}
	return withMessages(withStatus(r.OutputJSON()), r.Warnings)
}

func (r *Result) notebookError() json.RawMessage {
	flat := map[string]any{"status": StatusError, "error_code": CodeInternal, "error_message": r.Summary}
	if messages := messagesOf(r.Warnings); len(messages) > 0 {
		flat["messages"] = messages
	}
	if len(r.Errors) > 0 {
		flat["error_code"], flat["error_message"] = r.Errors[0].Code, r.Errors[0].Error()
		flat["errors"] = r.Errors
		if escalate, _ := r.Errors[0].Details["escalate"].(bool); escalate { // section 3: two errors in a row
			flat["escalate"] = true
		}
	}
	raw, err := json.Marshal(flat)
	if err != nil { // only an error's details could do that
		return json.RawMessage(`{"status":"error","error_code":"` + CodeInternal + `","error_message":"the result could not be encoded"}`)
	}
	return raw
}

// errorOutput is the output that a ToolResult shows of a failure.
func errorOutput(e *Error) json.RawMessage {
	raw, err := json.Marshal(struct {
		Status  Status `json:"status"`
		Code    string `json:"error_code"`
		Message string `json:"error_message"`
	}{StatusError, e.Code, e.Error()})
	if err != nil {
		return json.RawMessage("{}") // texts always encode
	}
	return raw
}

// NotebookOutput gives the output of a tool of api/spec/notebooks.md the status that its
// schema asks for; other tools keep theirs.
func (c *Contract) NotebookOutput(output json.RawMessage) json.RawMessage {
	if c.Family != NotebookFamily {
		return output
	}
	return withStatus(output)
}

// NotebookMessages adds the warnings to the output of a tool of api/spec/notebooks.md.
func (c *Contract) NotebookMessages(r *Result) {
	if output := r.OutputJSON(); c.Family == NotebookFamily && r.Status != StatusError && len(output) > 0 {
		r.Output = withMessages(output, r.Warnings)
	}
}

func withStatus(output json.RawMessage) json.RawMessage {
	body := bytes.TrimSpace(output)
	switch {
	case len(body) == 0 || bytes.Equal(body, []byte("{}")):
		return json.RawMessage(`{"status":"ok"}`)
	case bytes.HasPrefix(body, []byte(`{"status":`)) || body[0] != '{':
		return output
	}
	return append(json.RawMessage(`{"status":"ok",`), body[1:]...)
}

func withMessages(output json.RawMessage, warnings []Warning) json.RawMessage {
	messages := messagesOf(warnings)
	if len(messages) == 0 || !bytes.HasSuffix(output, []byte("}")) || hasMember(output, "messages") {
		return output
	}
	raw, err := json.Marshal(messages)
	if err != nil {
		return output // texts always encode
	}
	body := append(bytes.Clone(output[:len(output)-1]), `,"messages":`...)
	return append(append(body, raw...), '}')
}

func hasMember(object json.RawMessage, name string) bool {
	if !bytes.Contains(object, []byte(`"`+name+`"`)) {
		return false
	}
	var members map[string]json.RawMessage
	return json.Unmarshal(object, &members) == nil && members[name] != nil
}

func messagesOf(warnings []Warning) []string {
	messages := make([]string, 0, min(len(warnings), maxMessages+1))
	for i, w := range warnings {
		if i == maxMessages {
			messages = append(messages, fmt.Sprintf("… and %d more warnings, which the job's record holds.", len(warnings)-i))
			break
		}
		message := w.Message
		if letters := []rune(message); len(letters) > maxMessageLetter {
			message = string(letters[:maxMessageLetter]) + " …"
		}
		messages = append(messages, message)
	}
	return messages
}

// notebookSchema adds status and messages, which every answer of api/spec/notebooks.md
// has, to the output schema of one of its tools, where they do not stand yet.
func notebookSchema(schema json.RawMessage) json.RawMessage {
	const status = `"status":{"type":"string","const":"ok","description":"ok; of a failure the answer has status error, error_code and error_message instead of these fields."}`
	const messages = `"messages":{"type":"array","items":{"type":"string"},"description":"Warnings, one sentence each; absent where there are none."}`
	var has struct {
		Properties map[string]json.RawMessage
		Required   []string
	}
	if json.Unmarshal(schema, &has) != nil || has.Properties["status"] != nil {
		return schema // what is no schema is refused by the contract's check
	}
	add := status + "," + messages
	schema = insertInto(schema, "properties", add, len(has.Properties) > 0)
	return insertInto(schema, "required", `"status"`, len(has.Required) > 0)
}

// insertInto writes members at the head of an object's member that is an object
// or a list; more says that something follows them. The order of the rest is kept.
func insertInto(object json.RawMessage, name, members string, more bool) json.RawMessage {
	dec := json.NewDecoder(bytes.NewReader(object))
	for depth := 0; ; {
		token, err := dec.Token()
		if err != nil {
			return object
		}
		switch token {
		case json.Delim('{'), json.Delim('['):
			depth++
		case json.Delim('}'), json.Delim(']'):
			depth--
		}
		if depth != 1 || token != name {
			continue
		}
		if _, err := dec.Token(); err != nil { // its opening bracket
			return object
		}
		at := dec.InputOffset()
		if more {
			members += ","
		}
		return append(append(bytes.Clone(object[:at]), members...), object[at:]...)
	}
}
