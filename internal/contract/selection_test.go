package contract

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

func family(t *testing.T, name, family string) Tool {
	t.Helper()
	c, err := Parse(minimal(t, func(m map[string]any) { m["name"], m["family"] = name, family }))
	if err != nil {
		t.Fatal(err)
	}
	return Tool{Contract: c}
}

func TestASelectionIsByFamilyOrByName(t *testing.T) {
	gone := family(t, "heat.solve", "solve")
	gone.Available = func() error { return Errorf(CodeMissingDependency, "no engine") }
	all, err := NewRegistry([]Tool{family(t, "fea.solve", "solve"), gone, family(t, "echo_json", "util"), family(t, "web.fetch", "web")})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		given Selection
		want  string
	}{
		{Selection{}, "echo_json fea.solve heat.solve web.fetch"},
		{Selection{Families: []string{"solve"}}, "fea.solve heat.solve"},
		{Selection{Tools: []string{"*solve", "echo_json"}}, "echo_json fea.solve heat.solve"},
		{Selection{Tools: []string{"web_fetch"}}, "web.fetch"},
		{Selection{Families: []string{"util"}, Tools: []string{"web.*"}}, "echo_json web.fetch"},
	} {
		kept, err := all.Select(c.given)
		if err != nil || strings.Join(kept.Names(), " ") != c.want {
			t.Errorf("%v: %v %v, want %s", c.given, kept, err, c.want)
		}
	}
	kept, _ := all.Select(Selection{Families: []string{"solve"}})
	if _, err := kept.Find("fea_solve"); err != nil {
		t.Error("an alias is lost:", err)
	}
	if _, err := kept.Find("echo_json"); err == nil {
		t.Error("a tool outside the selection is found")
	}
	for _, wrong := range []Selection{{Families: []string{"sovle"}}, {Tools: []string{"nothing*"}}, {Tools: []string{"["}}} {
		if _, err := all.Select(wrong); err == nil || AsError(err).Code != CodeInvalidRequest {
			t.Errorf("%v was accepted: %v", wrong, err)
		}
	}
	if names := all.Available().Names(); slices.Contains(names, "heat.solve") || len(names) != 3 {
		t.Errorf("available: %v", names)
	}
}

func TestNotebookResultIsFlat(t *testing.T) {
	ok := &Result{Status: StatusPartial, Output: json.RawMessage(`{"cell_index":5}`), Warnings: []Warning{{"w", "Mind this."}}}
	if got, want := string(ok.NotebookResult()), `{"status":"ok","cell_index":5,"messages":["Mind this."]}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	failed := Failure("x", Errorf(CodeTimeout, "too slow").WithHint("Ask for less."))
	var flat struct {
		Status, Error_code, Error_message string
		Errors                            []Error
	}
	if err := json.Unmarshal(failed.NotebookResult(), &flat); err != nil || flat.Status != "error" || flat.Error_code != CodeTimeout ||
		!strings.Contains(flat.Error_message, "Ask for less.") || len(flat.Errors) != 1 {
		t.Errorf("%s", failed.NotebookResult())
	}
}

// A tool of api/spec/notebooks.md answers in its envelope on every protocol: the schema
// that is listed has status and messages, and so has the output.
func TestNotebookContractsHaveTheEnvelope(t *testing.T) {
	c := &Contract{Name: "notebook.note", Family: NotebookFamily, OutputSchema: json.RawMessage(
		`{"type":"object","required":["cell_index"],"additionalProperties":false,"properties":{"cell_index":{"type":"integer"}}}`)}
	c.complete()
	c.complete() // as a contract that was exported is read again
	r := &Result{Status: StatusOK, Output: c.NotebookOutput(json.RawMessage(`{"cell_index":5}`)), Warnings: []Warning{{"w", "Mind this."}}}
	if faults := c.ValidateOutput(r.OutputJSON()); faults != nil {
		t.Errorf("%v in %s", faults, c.OutputSchema)
	}
	if faults := c.ValidateOutput(json.RawMessage(`{"cell_index":5}`)); len(faults) != 1 || faults[0].Field != "/status" {
		t.Errorf("an answer without status: %v", faults)
	}
	c.NotebookMessages(r)
	if got := string(r.OutputJSON()); got != `{"status":"ok","cell_index":5,"messages":["Mind this."]}` || c.ValidateOutput(r.OutputJSON()) != nil {
		t.Errorf("%s", got)
	}
	other := &Contract{Name: "mesh_note", Family: "mesh", OutputSchema: json.RawMessage(`{"type":"object"}`)}
	other.complete()
	if string(other.OutputSchema) != `{"type":"object"}` || string(other.NotebookOutput(json.RawMessage(`{}`))) != `{}` {
		t.Errorf("another family has the envelope: %s", other.OutputSchema)
	}
}
