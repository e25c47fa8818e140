package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// A tool whose engine is missing is listed, and every list says so: whether it is
// available, why not, and what installs it.
func TestEveryListTellsWhatThisMachineCannotRun(t *testing.T) {
	s := start(t, func(c *serveCmd) { c.Engines = t.TempDir() })
	told := func(where string, v any) {
		t.Helper()
		m, _ := v.(map[string]any)
		reason, _ := m["reason"].(string)
		install, _ := m["install"].(string)
		if m["available"] != false || !strings.Contains(reason, "mfem") || !strings.Contains(install, "install.sh") {
			t.Errorf("%s: %v", where, v)
		}
	}
	runs := func(where string, v any) {
		t.Helper()
		if m, _ := v.(map[string]any); m["available"] != true || m["reason"] != nil {
			t.Errorf("%s: %v", where, v)
		}
	}
	list, manifests := s.get("/v1/tools"), s.get("/v1/manifests")
	told("/v1/tools", list.at("availability", "fea.solve"))
	runs("/v1/tools", list.at("availability", "echo_json"))
	told("/v1/manifests", manifests.at("availability", "fea_solve"))
	runs("/v1/manifests", manifests.at("availability", "echo_json"))
	config := s.get("/v1/agent/config")
	told("/v1/agent/config", config.at("availability", "fea_solve"))
	runs("/v1/agent/config", config.at("availability", "echo_json"))
	// Every tool is a function of the configuration, or is said to be missing.
	functions, _ := config.at("tools").([]any)
	offered := map[string]bool{}
	for _, f := range functions {
		offered[f.(map[string]any)["function"].(map[string]any)["name"].(string)] = true
	}
	all, _ := config.at("availability").(map[string]any)
	for _, tool := range s.app.tools.All() {
		name := tool.Contract.Alias()
		if state, _ := all[name].(map[string]any); state == nil || state["available"] != offered[name] {
			t.Errorf("/v1/agent/config: %s is offered: %v, and its availability is %v", name, offered[name], all[name])
		}
	}
	told("/v1/tools/{name}", s.get("/v1/tools/fea.solve").body)
	runs("/v1/tools/{name}", s.get("/v1/tools/echo_json").body)
	solve := s.get("/v1/contracts?tools=fea.solve").at("contracts", 0).(map[string]any)
	told("/v1/contracts", solve)
	runs("/v1/contracts", s.get("/v1/contracts?tools=echo_json").at("contracts", 0))
	if status, _ := solve["status"].(string); !strings.HasPrefix(status, "unavailable: ") { // api/spec/tool-contracts.md: the status of a tool
		t.Errorf("status %q of a tool that cannot run", status)
	}
	if page := s.get("/v1/contracts.md?tools=fea.solve"); !strings.Contains(string(page.raw), "\n- status: unavailable: ") {
		t.Errorf("%.300s", page.raw)
	}
	// The entries themselves have their documents' shapes, and no key more.
	if keys := list.at("tools", 0).(map[string]any); len(keys) != 7 {
		t.Errorf("a descriptor has %d keys", len(keys))
	}
	if keys := manifests.at("manifests", 0).(map[string]any); len(keys) != 9 {
		t.Errorf("a manifest has %d keys", len(keys))
	}
	program := os.Getenv("ATELIER_BIN")
	if program == "" {
		return // the program itself: with ATELIER_BIN
	}
	out, err := exec.Command(program, "tools", "--engines", t.TempDir(), "--json").Output()
	var answer map[string]any
	if err != nil || json.Unmarshal(out, &answer) != nil {
		t.Fatalf("%v %s", err, out)
	}
	told("atelier tools --json", reply{body: answer}.at("availability", "fea.solve"))
	lines, err := exec.Command(program, "tools", "--engines", t.TempDir()).Output()
	if err != nil || !strings.Contains(string(lines), "unavailable: the engine mfem") {
		t.Errorf("%v %s", err, lines)
	}
}

// What is wrong with a call comes before what the machine lacks for it.
func TestAFaultOfTheCallComesBeforeAMissingProgram(t *testing.T) {
	s := start(t, func(c *serveCmd) { c.Engines, c.MLX = t.TempDir(), "no-such-program" })
	for name, tc := range map[string]struct {
		tool, input, code, says string
		status                  int
	}{
		"no such backend":      {"mlx.load", `{"model":"x","port":8139,"backend":"nobody"}`, "invalid_request", "nobody", 400},
		"the backend is named": {"mlx.load", `{"model":"x","port":8139,"backend":"llamacpp"}`, "missing_dependency", "llama", 501},
		"nothing listens":      {"mlx.unload", `{"port":8139}`, "not_listening", "8139", 404},
		"no such port":         {"mlx.unload", `{"port":80}`, "invalid_port", "8100", 400},
	} {
		if r := s.post("/v1/tools/"+tc.tool, tc.input); r.status != tc.status || r.at("error", "code") != tc.code || !strings.Contains(string(r.raw), tc.says) {
			t.Errorf("%s: %d %s", name, r.status, r.raw)
		}
	}
}
