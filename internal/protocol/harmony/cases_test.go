package harmony

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"atelier/internal/testenv"
)

// notes reads a file of the folder that ATELIER_SHARED names, which holds what
// openai-harmony 0.0.8 itself rendered; without it the test is skipped.
func notes(t *testing.T, name string, into any) {
	t.Helper()
	raw, err := os.ReadFile(testenv.Shared(t, "notebook", name))
	if err == nil {
		err = json.Unmarshal(raw, into)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// Every case was rendered by openai-harmony 0.0.8.
func TestCasesOfOpenAIHarmony(t *testing.T) {
	var cases []struct {
		ID, Where, Rendered string
		Namespaces          []Namespace
	}
	notes(t, "harmony_cases.json", &cases)
	if len(cases) < 19 {
		t.Fatalf("%d cases; there were 19", len(cases))
	}
	for _, c := range cases {
		m := Message{Role: RoleSystem, System: NewSystem()}
		m.System.Tools = c.Namespaces
		if c.Where == RoleDeveloper {
			m = Message{Role: RoleDeveloper, Developer: &Developer{Instructions: "Do it.", Tools: c.Namespaces}}
		}
		got, err := Render([]Message{m})
		if err != nil || got != c.Rendered {
			t.Errorf("%s: %v\n got %q\nwant %q", c.ID, err, got, c.Rendered)
		}
	}
}

// The conversation of a call and its answer, rendered by openai-harmony 0.0.8.
func TestCallFlowOfOpenAIHarmony(t *testing.T) {
	var flow struct{ Rendered string }
	notes(t, "harmony_callflow.json", &flow)
	system := NewSystem()
	system.Date = "2025-06-28"
	system.Tools = []Namespace{{Name: "notebook", Description: "NB", Tools: []ToolDescription{{
		Name: "add_dependency", Description: "Registers a runtime requirement and returns the canonical dependency manifest entry.",
		Parameters: json.RawMessage(`{"type":"object","required":["package","version","manager"],"properties":{"package":{"type":"string","minLength":1},
			"version":{"type":"string"},"manager":{"type":"string","enum":["pip","conda","apt"]},
			"import_check":{"type":"string","description":"Python import statement to verify install"},
			"notes":{"type":"string","description":"Short justification surfaced in setup markdown"}}}`),
	}}}}
	got, err := RenderForCompletion([]Message{
		{Role: RoleSystem, System: system},
		{Role: RoleDeveloper, Developer: &Developer{Instructions: "Always call notebook.add_dependency first."}},
		{Role: RoleUser, Text: "Make a notebook"},
		{Role: RoleAssistant, Channel: ChannelAnalysis, Text: "Need dep."},
		{Role: RoleAssistant, Channel: ChannelCommentary, Recipient: "notebook.add_dependency", ContentType: "<|constrain|>json",
			Text: `{"package":"torch","version":"2.4.0","manager":"pip"}`},
		{Role: RoleTool, Name: "notebook.add_dependency", Recipient: RoleAssistant, Channel: ChannelCommentary,
			Text: `{"status":"ok","dependency_id":"pip::torch@2.4.0","manifest_position":1}`},
	})
	if err != nil || got != flow.Rendered {
		t.Errorf("%v\n got %q\nwant %q", err, got, flow.Rendered)
	}
}

// Conversations of our own; their texts are openai-harmony's (test/conformance/harmony.sh
// --write made them, test/conformance/harmony.sh holds them against it).
func TestConversations(t *testing.T) {
	raw, err := os.ReadFile(filepath.Join("testdata", "conversations.json"))
	if err != nil {
		t.Fatal(err)
	}
	var cases []struct {
		ID, Rendered string
		Messages     []Message
	}
	if err := json.Unmarshal(raw, &cases); err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		got, err := Render(c.Messages)
		if err != nil || got != c.Rendered {
			t.Errorf("%s: %v\n got %q\nwant %q", c.ID, err, got, c.Rendered)
		}
	}
}

func TestMessagesThatCannotBe(t *testing.T) {
	for name, m := range map[string]Message{
		"tool without a name":       {Role: RoleTool, Text: "x"},
		"system content of a user":  {Role: RoleUser, System: NewSystem()},
		"developer content of tool": {Role: RoleTool, Name: "t", Developer: &Developer{}},
		"schema that is no JSON":    {Role: RoleDeveloper, Developer: &Developer{Tools: []Namespace{{Name: "n", Tools: []ToolDescription{{Name: "t", Parameters: json.RawMessage("{")}}}}}},
	} {
		if got, err := Render([]Message{m}); err == nil {
			t.Errorf("%s rendered as %q", name, got)
		}
	}
}
