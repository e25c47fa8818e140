package main

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"atelier/internal/contract"
)

// faultyCall is a call with one fault: the code that api/spec/tool-contracts.md's words for the
// tool give it, and api/spec/invocation.md's.
type faultyCall struct {
	what, input, code, invocation string
	status                        int
}

// answered is a code and an HTTP status; 0 where the protocol has none.
type answered struct {
	code   string
	status int
}

// protocols call a tool and tell the code and the status of the answer. All but
// api/spec/invocation.md's dialect say the same code; a fault that is an answer of the
// protocol itself (Harmony, MCP) comes with 200.
func protocols(t *testing.T, s *server) map[string]func(tool, input string) answered {
	session := mcpClient(t, &sdk.StreamableClientTransport{Endpoint: s.url + "/mcp"}, "")
	text := func(v any) string { code, _ := v.(string); return code }
	either := func(refused, ran any) string { // before a job was made, or by the tool
		if code := text(refused); code != "" {
			return code
		}
		return text(ran)
	}
	return map[string]func(tool, input string) answered{
		"execute": func(tool, input string) answered {
			r := s.execute(tool, input)
			return answered{text(r.at("metrics", "error_code")), r.status}
		},
		"jobs": func(tool, input string) answered {
			r := s.post("/v1/jobs", fmt.Sprintf(`{"tool_name":%q,"mode":"sync","input":%s}`, tool, input))
			return answered{either(r.at("error", "code"), r.at("job", "error", "code")), r.status}
		},
		"chat": func(tool, input string) answered {
			r := s.post("/v1/chat/completions", fmt.Sprintf(`{"model":"m","tool_choice":{"name":%q,"arguments":%s}}`, tool, input))
			return answered{either(r.at("error", "code"), r.at("tool_results", 0, "error", "code")), r.status}
		},
		"responses": func(tool, input string) answered {
			r := s.post("/v1/responses", fmt.Sprintf(`{"model":"m","input":"x","tool_choice":{"name":%q,"arguments":%s}}`, tool, input))
			return answered{either(r.at("error", "code"), r.at("tool_results", 0, "error", "code")), r.status}
		},
		"direct": func(tool, input string) answered {
			r := s.post("/v1/tools/"+tool, input)
			return answered{text(r.at("error", "code")), r.status}
		},
		"harmony": func(tool, input string) answered {
			recipient := tool
			if found, err := s.app.tools.Find(tool); err == nil && !strings.Contains(tool, ".") {
				recipient = found.Contract.Family + "." + tool
			}
			completion, _ := json.Marshal(`<|channel|>commentary to=` + recipient + `<|message|>` + input + `<|call|>`)
			r := s.post("/v1/harmony/calls", fmt.Sprintf(`{"completion":%s}`, completion))
			if code := text(r.at("error", "code")); code != "" {
				return answered{code, r.status}
			}
			return answered{text(r.at("calls", 0, "output", "error_code")), r.status}
		},
		"mcp": func(tool, input string) answered {
			r, err := session.CallTool(context.Background(), &sdk.CallToolParams{Name: tool, Arguments: json.RawMessage(input)})
			var refusal *jsonrpc.Error
			var told struct {
				Code      string `json:"code"`
				ErrorCode string `json:"error_code"`
			}
			switch {
			case errors.As(err, &refusal):
				_ = json.Unmarshal(refusal.Data, &told) // no data, no code
				return answered{told.Code, 200}
			case err != nil && strings.Contains(err.Error(), "Request Entity Too Large"): // of the transport, without a message
				return answered{contract.CodePayloadTooLarge, 413}
			case err != nil:
				t.Fatal(err)
			}
			_ = json.Unmarshal([]byte(r.Content[0].(*sdk.TextContent).Text), &told)
			return answered{told.ErrorCode, 200}
		},
		"cli": func(tool, input string) answered {
			result, id := (&callCmd{Tool: tool}).submit(context.Background(), s.app, []byte(input))
			return answered{text(result.ToolResult(id).Metrics["error_code"]), 0}
		},
		"invocation": func(tool, input string) answered {
			version := "1.0.0"
			if found, err := s.app.tools.Find(tool); err == nil {
				version = found.Contract.Version
			}
			r := s.post("/v1/invocations", fmt.Sprintf(`{"tool_name":%q,"tool_version":%q,"capture_selection":{"capture_id":"","selectors":{}},
				"arguments":%s,"request_id":%q,"timeout_ms":30000}`, tool, version, input, rand.Text()))
			return answered{text(r.at("errors", 0, "code")), r.status}
		},
	}
}

// One fault, one code, one status: every tool with every kind of fault, by every
// protocol. The codes are those of the contract files: the code that lists the
// argument in its fields, else invalid_request.
func TestEveryProtocolGivesAFaultTheSameCode(t *testing.T) {
	s := start(t, nil)
	call := protocols(t, s)
	kinds, own := map[string]int{}, map[string]bool{}
	for _, tool := range s.app.tools.All() {
		for _, fault := range faultyCalls(t, tool.Contract) {
			kind, _, _ := strings.Cut(fault.what, " ")
			kinds[kind]++
			own[fault.code] = true
			for _, protocol := range slices.Sorted(maps.Keys(call)) {
				want := answered{fault.code, fault.status}
				switch protocol {
				case "invocation":
					want = answered{fault.invocation, 200}
				case "harmony", "mcp":
					want.status = 200
				case "cli":
					want.status = 0
				}
				if got := call[protocol](tool.Contract.Alias(), fault.input); got != want {
					t.Errorf("%s, %s by %s: %v, want %v", tool.Contract.Name, fault.what, protocol, got, want)
				}
			}
		}
	}
	if n := len(s.app.tools.All()); kinds["missing"] < n-6 || kinds["unknown"] != n || kinds["type"] < n-3 || kinds["value"] < n/2 {
		t.Errorf("too few faults were made: %v of %d tools", kinds, n)
	}
	for _, code := range []string{"invalid_query", "invalid_port", "invalid_request"} { // api/spec/tool-contracts.md's own
		if !own[code] {
			t.Errorf("no fault has the code %s", code)
		}
	}
}

// What is wrong before a tool is even looked at is told by one code as well.
func TestEveryProtocolGivesAnUnknownToolAndALargePayloadTheSameCode(t *testing.T) {
	s := start(t, nil)
	call := protocols(t, s)
	large := `{"message":"` + strings.Repeat("x", 2<<20) + `"}` // the server takes 1 MiB
	for protocol, tell := range call {
		want, wantLarge := answered{"unknown_tool", 404}, answered{"payload_too_large", 413}
		switch protocol {
		case "invocation":
			want, wantLarge = answered{"UNKNOWN_TOOL", 200}, answered{"PAYLOAD_TOO_LARGE", 413}
		case "harmony", "mcp":
			want.status = 200
		case "cli": // an argument of a command has no limit but the tool's
			want.status = 0
			wantLarge = answered{}
		}
		if got := tell("nobody_knows_it", `{}`); got != want {
			t.Errorf("unknown tool by %s: %v, want %v", protocol, got, want)
		}
		if got := tell("echo_json", large); got != wantLarge {
			t.Errorf("large payload by %s: %v, want %v", protocol, got, wantLarge)
		}
	}
	// A tool's own limit, of the one tool that has one.
	text := `{"text":"` + strings.Repeat("word ", 7<<20) + `"}`
	if got := call["cli"]("transcript_clean", text); got.code != "payload_too_large" {
		t.Errorf("the tool's own limit: %v", got)
	}
}

// A fault of the call that only the run finds, as a column that the table lacks,
// has that code as well; its status is the one that docs/http.md gives for it.
func TestEveryProtocolGivesAFaultOfTheRunTheSameCode(t *testing.T) {
	s := start(t, nil)
	if err := os.WriteFile(filepath.Join(s.root, "t.csv"), []byte("y,g\n1,a\n2,a\n3,b\n5,b\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for protocol, tell := range protocols(t, s) {
		want := answered{"invalid_request", 200}
		switch protocol {
		case "invocation":
			want.code = "INVALID_VALUE"
		case "direct", "execute":
			want.status = 400
		case "cli":
			want.status = 0
		}
		if got := tell("anova_tool", `{"operation":"one_way","response":"nobody","factor":"g","path":"t.csv"}`); got != want {
			t.Errorf("by %s: %v, want %v", protocol, got, want)
		}
	}
}

// GET /v1/tools/{name} lists what is really answered.
func TestContractsListTheCodesThatAreAnswered(t *testing.T) {
	s := start(t, nil)
	for _, tool := range s.app.tools.All() {
		listed := map[string]float64{}
		for _, e := range s.get("/v1/tools/" + tool.Contract.Name).at("errors").([]any) {
			entry := e.(map[string]any)
			listed[entry["code"].(string)] = entry["http_status"].(float64)
		}
		if listed["invalid_request"] != 400 || listed["invalid_input"] != 0 {
			t.Errorf("%s lists %v", tool.Contract.Name, listed)
		}
		for _, fault := range faultyCalls(t, tool.Contract) {
			if listed[fault.code] != float64(fault.status) {
				t.Errorf("%s answers %s %d and lists %v", tool.Contract.Name, fault.code, fault.status, listed)
			}
		}
	}
}

// faultyCalls breaks the contract's first example in every way that its schema
// knows, one fault at a time.
func faultyCalls(t *testing.T, c *contract.Contract) []faultyCall {
	t.Helper()
	var schema struct {
		Properties map[string]json.RawMessage
		Required   []string
	}
	if err := json.Unmarshal(c.InputSchema, &schema); err != nil {
		t.Fatal(err)
	}
	var calls []faultyCall
	add := func(kind, field string, change func(input map[string]any)) bool {
		var input map[string]any
		if err := json.Unmarshal(c.Examples[0].Input, &input); err != nil {
			t.Fatal(err)
		}
		change(input)
		raw, err := json.Marshal(input)
		if err != nil {
			t.Fatal(err)
		}
		faults := c.ValidateInput(raw) // only to know which fault was made
		if len(faults) != 1 || faults[0].Field != "/"+field || faults[0].Details["fault"] != kind {
			return false
		}
		code, status := codeOfField(c, "/"+field)
		words := map[string]string{"missing": "MISSING_ARGUMENT", "unknown": "UNKNOWN_ARGUMENT", "type": "INVALID_TYPE", "value": "INVALID_VALUE"}
		calls = append(calls, faultyCall{kind + " " + field, string(raw), code, words[kind], status})
		return true
	}
	for _, name := range schema.Required {
		add("missing", name, func(input map[string]any) { delete(input, name) })
	}
	add("unknown", "nobody_knows_it", func(input map[string]any) { input["nobody_knows_it"] = 1 })
	typed := 0
	for _, name := range slices.Sorted(maps.Keys(schema.Properties)) {
		code, _ := codeOfField(c, "/"+name)
		owned := code != contract.CodeInvalidRequest
		for _, wrong := range []any{true, 7, "seven", []any{}, map[string]any{}} {
			if (typed < 2 || owned) && add("type", name, func(input map[string]any) { input[name] = wrong }) {
				typed++
				break
			}
		}
		for _, wrong := range []any{-1, 0, 1_000_000, "", "\x01", []any{}} {
			if add("value", name, func(input map[string]any) { input[name] = wrong }) {
				break
			}
		}
	}
	return calls
}

// codeOfField reads the contract: the code that lists the argument, with its
// status, or invalid_request.
func codeOfField(c *contract.Contract, field string) (string, int) {
	for _, e := range c.Errors {
		if slices.Contains(e.Fields, field) {
			return e.Code, e.HTTPStatus
		}
	}
	return "invalid_request", 400
}
