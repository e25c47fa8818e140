package harmony

import (
	"encoding/json"
	"strings"

	"atelier/internal/contract"
	"atelier/internal/jsonvalue"
	"atelier/internal/schema"
)

// Answer renders what a tool says to the assistant: a message from the name
// that was called, on the channel of the call. Output is a JSON object.
func Answer(to Header, output json.RawMessage) string {
	m := Message{Role: RoleTool, Name: to.Recipient, Recipient: RoleAssistant, Channel: to.Channel, Text: Defuse(output)}
	if m.Channel == "" {
		m.Channel = ChannelCommentary
	}
	s, err := Render([]Message{m})
	if err != nil { // only for a call without a recipient, which is none
		return ""
	}
	return s
}

// Defuse writes JSON compactly and so that a completion endpoint, which turns
// the text of a special token into the token, finds none in it: every "<|"
// becomes "\u003c|". JSON has a < inside strings only, so the value is the same.
func Defuse(output json.RawMessage) string {
	compact := string(output)
	if n, err := schema.Parse(output); err == nil {
		compact = n.JSON()
	}
	return strings.ReplaceAll(compact, "<|", `\u003c|`)
}

// Arguments are the arguments of a call as a JSON object; a call without any
// text has none. Errors: invalid_request, which says what stands there.
func Arguments(call Event) (json.RawMessage, error) {
	text := strings.TrimSpace(call.Text)
	if text == "" {
		return json.RawMessage("{}"), nil
	}
	n, err := schema.Parse([]byte(text))
	switch {
	case err != nil && call.End == "":
		return nil, contract.Errorf(contract.CodeInvalidRequest, "the arguments of %s are cut off: %v", call.Header.Recipient, err).
			WithHint("The completion ended before the call did; write the call again, shorter, or let the completion be longer.")
	case err != nil:
		return nil, contract.Errorf(contract.CodeInvalidRequest, "the arguments of %s are not one JSON value: %v", call.Header.Recipient, err).
			WithHint(`Write one JSON object after the header, and nothing else; "<|" inside a string as "\u003c|".`)
	case n.Kind != schema.ObjectKind:
		kind := jsonvalue.KindOf([]byte(text))
		e := contract.Errorf(contract.CodeInvalidRequest, "the arguments of %s are no JSON object: the input is of type %s, expected object", call.Header.Recipient, kind).
			WithHint(`Write one JSON object after the header, such as {"name": "value"}.`).With("fault", contract.FaultType)
		e.Expected, e.Actual = "object", kind // as a contract says it
		return nil, e
	}
	return json.RawMessage(text), nil
}
