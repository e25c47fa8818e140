package contract

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"math/big"
	"unicode/utf8"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"atelier/internal/jsonvalue"
)

// InvocationSchema is the JSON Schema of a ToolInvocation's envelope.
//
//go:embed invocation.json
var InvocationSchema []byte

var invocationShape = mustCompile("invocation", InvocationSchema)

func mustCompile(name string, raw []byte) *jsonschema.Schema {
	s, err := compileSchema(name, raw)
	if err != nil {
		panic(name + ": " + err.Error())
	}
	return s
}

// Invocation is a call in the form of api/spec/invocation.md. TimeoutMS is clamped to 2^53.
type Invocation struct {
	ToolName    string
	ToolVersion string
	Capture     CaptureSelection
	Arguments   json.RawMessage
	RequestID   string
	TimeoutMS   int64
}

// CaptureSelection says which part of which capture a tool works on.
type CaptureSelection struct {
	CaptureID string           `json:"capture_id"` // "" for none
	Selectors CaptureSelectors `json:"selectors"`
}

// CaptureSelectors narrow a capture; absent ones select all.
type CaptureSelectors struct {
	TimeRange *TimeRange `json:"time_range,omitempty"`
	Channels  []string   `json:"channels,omitempty"`
	Filters   []string   `json:"filters,omitempty"`
}

// TimeRange is inclusive, in milliseconds; StartMS is never after EndMS.
type TimeRange struct {
	StartMS int64 `json:"start_ms"`
	EndMS   int64 `json:"end_ms"`
}

// callContext is what a Call's Context holds of an invocation.
type callContext struct {
	Capture *CaptureSelection `json:"capture_selection,omitempty"`
}

// Context is the invocation's capture selection as the context of a call.
func (inv *Invocation) Context() json.RawMessage {
	raw, err := json.Marshal(callContext{&inv.Capture})
	if err != nil {
		return nil // strings and whole numbers always encode
	}
	return raw
}

// Capture is the selection that the call came with; none where it was no invocation.
func (c *Call) Capture() (CaptureSelection, bool) {
	var given callContext
	if len(c.Context) == 0 || json.Unmarshal(c.Context, &given) != nil || given.Capture == nil {
		return CaptureSelection{}, false
	}
	return *given.Capture, true
}

// ParseInvocation reads the envelope of a ToolInvocation and returns every
// fault of it (invalid_request with details.fault, pointers into the envelope).
// The arguments must be an object; what is in it is the tool's to validate.
func ParseInvocation(raw []byte) (*Invocation, []*Error) {
	if !utf8.Valid(raw) {
		return nil, []*Error{Errorf(CodeInvalidRequest, "the body is not valid UTF-8")}
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(raw, &fields); err != nil || fields == nil {
		if what, _ := jsonvalue.Syntax(raw); what != "" {
			return nil, []*Error{notJSON(CodeInvalidRequest, "the body", raw, err)}
		}
		e := Errorf(CodeInvalidRequest, "the body is not a JSON object")
		return nil, []*Error{e.WithHint("Send a ToolInvocation: tool_name, tool_version, capture_selection, arguments, request_id, timeout_ms.")}
	}
	arguments := bytes.TrimSpace(fields["arguments"])
	if len(arguments) > 0 && arguments[0] == '{' {
		fields["arguments"] = json.RawMessage("{}") // of any size; the tool's own schema judges it
	}
	envelope, err := json.Marshal(fields)
	if err != nil {
		return nil, []*Error{Errorf(CodeInvalidRequest, "the body cannot be read: %w", err)}
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(envelope))
	if err != nil {
		return nil, []*Error{Errorf(CodeInvalidRequest, "the body is not valid JSON: %v", err)}
	}
	if faults := envelopeFaults(doc); len(faults) > 0 {
		return nil, faults
	}
	inv := readInvocation(doc.(map[string]any))
	inv.Arguments = arguments
	return inv, nil
}

// Faults are those of a well-formed envelope for a tool in the version c: a
// time range that ends before it starts, a time limit too small, a request of
// payload bytes that is too large. maxBody is the server's own limit.
func (inv *Invocation) Faults(c *Contract, payload int, maxBody int64) []*Error {
	var faults []*Error
	if t := inv.Capture.Selectors.TimeRange; t != nil && t.StartMS > t.EndMS {
		faults = append(faults, Errorf(CodeInvalidRequest, "start_ms %d is after end_ms %d", t.StartMS, t.EndMS).
			At("/capture_selection/selectors/time_range").With("fault", FaultValue))
	}
	if least := c.MinTimeoutMS(); inv.TimeoutMS < least {
		faults = append(faults, Errorf(CodeTimeoutTooSmall, "timeout_ms is %d; %s needs at least %d", inv.TimeoutMS, c.Alias(), least).
			At("/timeout_ms").With("min_timeout_ms", least).WithHint("The default of this tool is %d.", c.DefaultLimits().TimeoutMS))
	}
	if most := c.MaxPayloadBytes(maxBody); int64(payload) > most {
		faults = append(faults, Errorf(CodePayloadTooLarge, "the request has %d bytes; %s takes %d", payload, c.Alias(), most).
			WithHint("Send large contents with POST /v1/files and name them as file:<id>."))
	}
	return faults
}

func envelopeFaults(doc any) []*Error {
	faults := hugeNumbers(doc, nil, CodeInvalidInput, nil)
	if len(faults) == 0 {
		return violations(invocationShape, doc, CodeInvalidRequest)
	}
	for _, f := range faults {
		f.Code = CodeInvalidRequest
	}
	return faults
}

// readInvocation reads a document that fits the schema. Whole numbers may be
// written as 45000.0 or 4.5e4, which no decoder into int64 takes.
func readInvocation(doc map[string]any) *Invocation {
	capture := doc["capture_selection"].(map[string]any)
	inv := &Invocation{
		ToolName: doc["tool_name"].(string), ToolVersion: doc["tool_version"].(string),
		RequestID: doc["request_id"].(string), TimeoutMS: whole(doc["timeout_ms"]),
	}
	inv.Capture.CaptureID = capture["capture_id"].(string)
	selectors, _ := capture["selectors"].(map[string]any)
	if span, ok := selectors["time_range"].(map[string]any); ok {
		inv.Capture.Selectors.TimeRange = &TimeRange{whole(span["start_ms"]), whole(span["end_ms"])}
	}
	inv.Capture.Selectors.Channels = words(selectors["channels"])
	inv.Capture.Selectors.Filters = words(selectors["filters"])
	return inv
}

func whole(v any) int64 {
	const most = 1 << 53
	number, ok := new(big.Rat).SetString(v.(json.Number).String())
	if !ok || number.Cmp(big.NewRat(most, 1)) > 0 {
		return most
	}
	return number.Num().Int64()
}

func words(v any) []string {
	list, _ := v.([]any)
	var out []string
	for _, item := range list {
		out = append(out, item.(string))
	}
	return out
}
