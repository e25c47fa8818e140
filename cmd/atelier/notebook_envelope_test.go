package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// Document 001: every answer has status, a failure error_code and error_message,
// and warnings are messages, whatever protocol the call came by.
func TestNotebookAnswersHaveTheirEnvelopeOnEveryProtocol(t *testing.T) {
	s := start(t, nil)
	const right = `{"package":"torch","version":"2.4.0","manager":"pip"}`
	const wrong = `{"package":"torch","version":"latest","manager":"pip"}`
	call := func(body, input string) string { return `{"model":"m","input":"x",` + body + input + `}}}` }
	session := mcpClient(t, &sdk.StreamableClientTransport{Endpoint: s.url + "/mcp"}, "")
	overMCP := func(input string) (text, structured map[string]any, failed bool) {
		r, err := session.CallTool(context.Background(), &sdk.CallToolParams{Name: "notebook_add_dependency", Arguments: json.RawMessage(input)})
		if err != nil {
			t.Fatal(err)
		}
		_ = json.Unmarshal([]byte(r.Content[0].(*sdk.TextContent).Text), &text) // an answer without JSON lacks status below
		structured, _ = r.StructuredContent.(map[string]any)
		return text, structured, r.IsError
	}
	text, structured, failed := overMCP(right)
	answers := map[string]any{
		"direct": s.post("/v1/tools/notebook.add_dependency", right).body, "execute": s.execute("notebook.add_dependency", right).at("output"),
		"responses": s.post("/v1/responses", call(`"tool_choice":{"name":"notebook.add_dependency","arguments":`, right[:len(right)-1])).at("tool_results", 0, "result"),
		"MCP text":  text, "MCP structured": structured,
	}
	for protocol, got := range answers {
		answer, _ := got.(map[string]any)
		if failed || answer["status"] != "ok" || answer["dependency_id"] != "pip::torch@2.4.0" || answer["manifest_position"] != 1.0 {
			t.Errorf("%s: %v", protocol, got)
		}
	}
	text, structured, failed = overMCP(wrong)
	if !failed || structured != nil {
		t.Errorf("a failure has structured content: %v", structured)
	}
	refusals := map[string]any{
		"direct": s.post("/v1/tools/notebook.add_dependency", wrong).body, "execute": s.execute("notebook.add_dependency", wrong).at("output"), "MCP text": text,
	}
	job := s.post("/v1/jobs", `{"tool_name":"mesh_repair_pmp","mode":"sync","input":{"input_path":"nobody.stl"}}`)
	refusals["job"] = job.at("job", "result")
	for protocol, got := range refusals {
		answer, _ := got.(map[string]any)
		code := "invalid_request"
		if protocol == "job" {
			code = "ERR_FILE_NOT_FOUND"
		}
		if message, _ := answer["error_message"].(string); answer["status"] != "error" || answer["error_code"] != code || message == "" {
			t.Errorf("%s: %v", protocol, got)
		}
	}
	// A warning is a message: what is in the manifest already is said, and a limit
	// above the ceiling is reduced.
	text, structured, _ = overMCP(right)
	for protocol, got := range map[string]any{
		"direct": s.post("/v1/tools/notebook.add_dependency", right).body, "execute": s.execute("notebook.add_dependency", right).at("output"), "MCP text": text, "MCP structured": structured,
	} {
		answer, _ := got.(map[string]any)
		messages, _ := answer["messages"].([]any)
		if len(messages) != 1 || !strings.Contains(fmt.Sprint(messages[0]), "already") {
			t.Errorf("%s: %v", protocol, got)
		}
	}
	r := s.post("/v1/tools/notebook.add_dependency?timeout_ms=99999999999", right)
	if message, _ := r.at("messages", 0).(string); !strings.Contains(message, "ceiling") {
		t.Errorf("%s", r.raw)
	}
}

// The listed output schema is what structuredContent is held against.
func TestMCPListsTheEnvelopeOfNotebookTools(t *testing.T) {
	s := start(t, nil)
	list, err := mcpClient(t, &sdk.StreamableClientTransport{Endpoint: s.url + "/mcp?tools=*"}, "").ListTools(context.Background(), nil)
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for _, tool := range list.Tools {
		schema := tool.OutputSchema.(map[string]any)
		properties, _ := schema["properties"].(map[string]any)
		_, has := properties["status"]
		if family := tool.Meta["family"] == "notebook"; has != family {
			t.Errorf("%s: status is listed: %v", tool.Name, has)
		} else if family {
			seen++
		}
	}
	if seen < 13 {
		t.Errorf("%d tools of api/spec/notebooks.md", seen)
	}
}
