package main

import (
	"bytes"
	"context"
	"encoding/json"
	"image/png"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"atelier/internal/protocol/mcp"
	"atelier/internal/testenv"
)

func mcpClient(t *testing.T, transport sdk.Transport, version string) *sdk.ClientSession {
	t.Helper()
	client := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil)
	session, err := client.Connect(context.Background(), transport, &sdk.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = session.Close() })
	return session
}

func mcpNames(t *testing.T, s *sdk.ClientSession) []string {
	t.Helper()
	list, err := s.ListTools(context.Background(), nil)
	if err != nil {
		t.Fatal(err)
	}
	names := make([]string, len(list.Tools))
	for i, tool := range list.Tools {
		names[i] = tool.Name
	}
	return names
}

func TestMCPServesTheToolsOfTheProgram(t *testing.T) {
	s := start(t, nil)
	var want []string
	for _, tool := range mcp.ListTools(s.app.tools.Available(), false) {
		want = append(want, tool.Name)
	}
	for _, version := range []string{"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"} {
		all := mcpClient(t, &sdk.StreamableClientTransport{Endpoint: s.url + "/mcp?tools=*"}, version)
		if got := mcpNames(t, all); !slices.Equal(got, want) {
			t.Errorf("%s lists %v, want %v", version, got, want)
		}
		session := mcpClient(t, &sdk.StreamableClientTransport{Endpoint: s.url + "/mcp"}, version)
		if got := mcpNames(t, session); !slices.Equal(got, standardTools) {
			t.Errorf("%s lists %v, want %v", version, got, standardTools)
		}
		r, err := session.CallTool(context.Background(), &sdk.CallToolParams{Name: "echo_json", Arguments: map[string]any{"message": "x"}})
		if err != nil || r.IsError {
			t.Errorf("%s: %v %+v", version, err, r)
		}
	}
}

func TestMCPRunsAnEngine(t *testing.T) {
	s := start(t, nil)
	tool, err := s.app.tools.Find("circuits.simulate")
	if err != nil {
		t.Fatal(err)
	}
	if tool.Available() != nil {
		testenv.Skip(t, testenv.Engine, "ngspice is not installed")
	}
	session := mcpClient(t, &sdk.StreamableClientTransport{Endpoint: s.url + "/mcp"}, "")
	r, err := session.CallTool(context.Background(), &sdk.CallToolParams{Name: "circuits_simulate", Arguments: map[string]any{
		"netlist": "V1 in 0 DC 12\nR1 in out 2k\nR2 out 0 1k\n.end", "control": []string{"op", "quit"},
	}})
	if err != nil || r.IsError {
		t.Fatalf("%v %+v", err, r)
	}
	raw, _ := json.Marshal(r.StructuredContent)
	var out struct {
		OperatingPoint map[string]any `json:"operating_point"`
	}
	if err := json.Unmarshal(raw, &out); err != nil {
		t.Fatal(err)
	}
	if v, found := voltage(out.OperatingPoint, "out"); !found || math.Abs(v-4) > 1e-6 { // 12 V 1k/(2k + 1k)
		t.Errorf("v(out) is %v in %s", v, raw)
	}
	if trust, _ := r.Meta["trust"].(string); trust == "" {
		t.Errorf("_meta has no trust: %v", r.Meta)
	}
}

// A picture comes back as one, and is the file that its link leads to.
func TestMCPShowsAPicture(t *testing.T) {
	s := start(t, nil)
	if tool, err := s.app.tools.Find("render_pack_vtk"); err != nil || tool.Available() != nil {
		testenv.Skip(t, testenv.Engine, "an engine is missing: make engines")
	}
	if err := os.WriteFile(filepath.Join(s.root, "tetra.obj"), []byte("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	session := mcpClient(t, &sdk.StreamableClientTransport{Endpoint: s.url + "/mcp"}, "")
	r, err := session.CallTool(context.Background(), &sdk.CallToolParams{Name: "call_tool", Arguments: map[string]any{
		"tool": "render_pack_vtk", "input": map[string]any{"input_path": "tetra.obj", "width": 160, "height": 120, "length_unit": "m"},
	}})
	if err != nil || r.IsError {
		t.Fatalf("%v %+v", err, r)
	}
	pictures, linked := 0, ""
	for _, c := range r.Content {
		switch c := c.(type) {
		case *sdk.ImageContent:
			pictures++
			shown, err := png.DecodeConfig(bytes.NewReader(c.Data))
			if err != nil || shown.Width != 160 || shown.Height != 120 || c.MIMEType != "image/png" {
				t.Errorf("%v %+v %s", err, shown, c.MIMEType)
			}
			if file := s.get(linked); !bytes.Equal(file.raw, c.Data) {
				t.Errorf("%s is another picture", linked)
			}
		case *sdk.ResourceLink:
			if _, url, ok := strings.Cut(c.Description, "GET "); ok && c.MIMEType == "image/png" && linked == "" {
				linked = url
			}
		}
	}
	if pictures != 1 {
		t.Errorf("%d pictures", pictures)
	}
}

// voltage finds the voltage of a node, however deep it stands.
func voltage(values map[string]any, node string) (float64, bool) {
	for name, value := range values {
		switch v := value.(type) {
		case float64:
			if name == node || name == "v("+node+")" {
				return v, true
			}
		case map[string]any:
			if found, ok := voltage(v, node); ok {
				return found, true
			}
		}
	}
	return 0, false
}

func TestMCPOfTheWorkflowsNamesToolsThatExist(t *testing.T) {
	s := start(t, nil)
	session := mcpClient(t, &sdk.StreamableClientTransport{Endpoint: s.url + "/mcp"}, "")
	list, err := session.ListPrompts(context.Background(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range list.Prompts {
		given := map[string]string{}
		for _, a := range p.Arguments {
			if a.Required {
				given[a.Name] = "the given " + a.Name
			}
		}
		got, err := session.GetPrompt(context.Background(), &sdk.GetPromptParams{Name: p.Name, Arguments: given})
		if err != nil {
			t.Errorf("%s: %v", p.Name, err)
			continue
		}
		text := got.Messages[0].Content.(*sdk.TextContent).Text
		if strings.Contains(text, "{{") {
			t.Errorf("%s leaves a gap: %s", p.Name, text)
		}
		for name, value := range given {
			if !strings.Contains(text, value) {
				t.Errorf("%s does not say its %s", p.Name, name)
			}
		}
	}
}

// The command serves standard input and output; beside a server that holds its
// data folder it works in one of its own.
func TestMCPCommand(t *testing.T) {
	bin, data := binary(t), t.TempDir()
	launch(t, bin, data)
	for _, c := range []struct {
		args []string
		want []string
	}{
		{[]string{"--family", "util"}, []string{"echo_json", "write_text_artifact"}},
		{[]string{"--tool", "echo_*", "--names", "canonical"}, []string{"echo_json"}},
	} {
		cmd := exec.Command(bin, append([]string{"mcp", "--data", data}, c.args...)...)
		own := t.TempDir()
		cmd.Env = append(os.Environ(), "TMPDIR="+own)
		var log strings.Builder
		cmd.Stderr = &log
		session := mcpClient(t, &sdk.CommandTransport{Command: cmd}, "")
		if got := mcpNames(t, session); !slices.Equal(got, c.want) {
			t.Errorf("%v lists %v", c.args, got)
		}
		r, err := session.CallTool(context.Background(), &sdk.CallToolParams{Name: "echo_json", Arguments: map[string]any{"message": "x"}})
		if err != nil || r.IsError {
			t.Errorf("%v %+v", err, r)
		}
		if err := session.Close(); err != nil {
			t.Errorf("%v: %s", err, log.String())
		}
		if !strings.Contains(log.String(), "another process uses the data folder") {
			t.Errorf("standard error says %q", log.String())
		}
		if left, err := filepath.Glob(filepath.Join(own, "atelier-mcp-*")); err != nil || len(left) != 0 {
			t.Errorf("left behind: %v %v", left, err)
		}
	}
}
