package mcp_test

import (
	"context"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"atelier/internal/contract"
	"atelier/internal/protocol/mcp"
	"atelier/internal/tools/basics"
)

// withTools is a protocol that only lists: its tools stand under other names.
func withTools(t *testing.T, canonical bool, names ...string) *sdk.ClientSession {
	t.Helper()
	var list []contract.Tool
	for _, name := range names {
		tool := basics.Tools()[0]
		tool.Contract = renamed(name, "made")
		list = append(list, tool)
	}
	registry, err := contract.NewRegistry(list)
	if err != nil {
		t.Fatal(err)
	}
	h := newTestServer(t)
	protocol := &mcp.Server{Tools: registry, Jobs: h.protocol.Jobs, Blobs: h.protocol.Blobs, Canonical: canonical}
	ours, theirs := sdk.NewInMemoryTransports()
	go func() { _ = protocol.ServeTransport(context.Background(), contract.Selection{}, ours) }()
	return join(t, theirs, false, nil)
}

func TestAPromptNamesTheToolsAsTheyAreShown(t *testing.T) {
	for _, canonical := range []bool{false, true} {
		s := withTools(t, canonical, "circuits.simulate")
		list, err := s.ListPrompts(context.Background(), nil)
		if err != nil || len(list.Prompts) != 1 || list.Prompts[0].Name != "simulate_a_circuit" {
			t.Fatalf("%v %+v", err, list)
		}
		got, err := s.GetPrompt(context.Background(), &sdk.GetPromptParams{Name: "simulate_a_circuit", Arguments: map[string]string{"circuit": "an RC low pass"}})
		if err != nil {
			t.Fatal(err)
		}
		text := got.Messages[0].Content.(*sdk.TextContent).Text
		shown := map[bool]string{false: "circuits_simulate", true: "circuits.simulate"}[canonical]
		if !strings.Contains(text, "an RC low pass") || !strings.Contains(text, shown) || !strings.Contains(text, "the operating point") || strings.Contains(text, "{{") {
			t.Errorf("%s", text)
		}
		if _, err := s.GetPrompt(context.Background(), &sdk.GetPromptParams{Name: "simulate_a_circuit"}); err == nil || !strings.Contains(err.Error(), "lacks circuit") {
			t.Errorf("without its argument: %v", err)
		}
	}
}

func TestArgumentsAreCompleted(t *testing.T) {
	s := withTools(t, false, "fea.solve", "cad_import_truck", "volume_mesh_cad", "mesh_repair_pmp", "volume_mesh_quartet", "render_pack_vtk")
	complete := func(ref *sdk.CompleteReference, name, typed string, known map[string]string) []string {
		r, err := s.Complete(context.Background(), &sdk.CompleteParams{Ref: ref,
			Argument: sdk.CompleteParamsArgument{Name: name, Value: typed}, Context: &sdk.CompleteContext{Arguments: known}})
		if err != nil {
			t.Fatal(err)
		}
		return r.Completion.Values
	}
	prompt := &sdk.CompleteReference{Type: "ref/prompt", Name: "stress_of_a_part"}
	if got := complete(prompt, "material", "st", nil); strings.Join(got, ", ") != "stainless 304, steel S235" {
		t.Errorf("st: %v", got)
	}
	if got := complete(prompt, "material", "6061", nil); strings.Join(got, ", ") != "aluminium 6061" {
		t.Errorf("6061: %v", got)
	}
}

func TestJobsAndTheirArtifactsAreCompleted(t *testing.T) {
	h := newTestServer(t)
	s := h.connect("", false, nil)
	id, _ := call(t, s, "write_text_artifact", map[string]any{"text": "x", "filename": "plan.txt"}).Meta["job_id"].(string)
	ref := &sdk.CompleteReference{Type: "ref/resource", URI: "atelier://local/v1/jobs/{job_id}/artifacts/{+name}"}
	for name, want := range map[string]string{"job_id": id, "name": "plan.txt"} {
		r, err := s.Complete(context.Background(), &sdk.CompleteParams{Ref: ref,
			Argument: sdk.CompleteParamsArgument{Name: name}, Context: &sdk.CompleteContext{Arguments: map[string]string{"job_id": id}}})
		if err != nil || len(r.Completion.Values) != 1 || r.Completion.Values[0] != want {
			t.Errorf("%s: %v %+v", name, err, r)
		}
	}
}
