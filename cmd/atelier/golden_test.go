package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"

	"atelier/internal/contract"
	"atelier/internal/protocol/agentconfig"
	"atelier/internal/protocol/harmony"
	"atelier/internal/protocol/httpapi"
	"atelier/internal/protocol/mcp"
	"atelier/internal/protocol/openapi"
	"atelier/internal/protocol/rest"
	"atelier/internal/testenv"
	"atelier/internal/tools"
)

var updateGolden = flag.Bool("update-golden", false, "write the golden files, and the overrides of the OpenAPI suite, anew")

// golden holds a file of the project against what the program makes.
func golden(t *testing.T, path string, made []byte) {
	t.Helper()
	if *updateGolden {
		if err := os.WriteFile(path, made, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	kept, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(kept, made) {
		a, b := strings.Split(string(kept), "\n"), strings.Split(string(made), "\n")
		for i := range min(len(a), len(b)) {
			if a[i] != b[i] {
				t.Fatalf("%s line %d is\n%s\nand the program makes\n%s\nIf that is meant: make generate", path, i+1, a[i], b[i])
			}
		}
		t.Fatalf("%s has %d lines, the program makes %d. If that is meant: make generate", path, len(a), len(b))
	}
}

// samples stand for all tools in the golden files: the smallest; one with a dot in
// its name, error codes of its own and effects on the world; one with an engine,
// file arguments, artifacts and definitions within its schemas. That the other
// tools are shown in the same way is TestEveryToolIsShownAsItsContractSays.
var samples = []string{"echo_json", "mesh_repair_pmp", "mlx.load"}

// installed are the tools of a program that has every engine: what is shown must
// not depend on the machine.
func installed(t *testing.T, names ...string) *contract.Registry {
	t.Helper()
	var list []contract.Tool
	for _, tool := range tools.All(tools.Parts{}) {
		tool.Available = nil
		for _, name := range names {
			if tool.Contract.Name == name {
				list = append(list, tool)
			}
		}
		if len(names) == 0 {
			list = append(list, tool)
		}
	}
	registry, err := contract.NewRegistry(list)
	if err != nil {
		t.Fatal(err)
	}
	if len(names) > 0 && len(list) != len(names) {
		t.Fatalf("%d of the tools %v exist", len(list), names)
	}
	return registry
}

// projections is what each protocol shows of the tools of a registry, by the name
// of its golden file.
func projections(t *testing.T, registry *contract.Registry) map[string][]byte {
	t.Helper()
	var routes []httpapi.Route
	for _, protocol := range []httpapi.Protocol{&rest.Server{Tools: registry}, &agentconfig.Server{Tools: registry}, &harmony.Server{Tools: registry}} {
		routes = append(routes, protocol.Routes()...)
	}
	served := httptest.NewServer(httpapi.Mux(&httpapi.Gate{MaxBodyBytes: 1 << 20}, routes...))
	defer served.Close()
	s := &server{t: t, url: served.URL}
	listed, err := json.Marshal(map[string]any{"tools": mcp.ListTools(registry, false)})
	if err != nil {
		t.Fatal(err)
	}
	return map[string][]byte{
		"tools.json":        pretty(t, s.get("/v1/tools").raw),
		"agent_config.json": pretty(t, s.get("/v1/agent/config").raw),
		"mcp_tools.json":    pretty(t, listed),
		"harmony.txt":       s.do("GET", "/v1/harmony", "", nil, "Accept", "text/plain").raw,
		"openapi.json":      described(t, registry),
	}
}

// described is the OpenAPI document of a whole server that has these tools.
func described(t *testing.T, registry *contract.Registry) []byte {
	t.Helper()
	a := *start(t, nil).app
	a.tools, a.closers = registry, nil
	t.Cleanup(func() {
		for _, closer := range a.closers {
			if err := closer(t.Context()); err != nil && t.Context().Err() == nil {
				t.Error(err)
			}
		}
	})
	for _, protocol := range (&serveCmd{}).protocols(&a) {
		if document, ok := protocol.(*openapi.Server); ok {
			for _, fault := range document.Faults() {
				t.Error(fault)
			}
			return document.JSON()
		}
	}
	t.Fatal("no protocol describes the others")
	return nil
}

// brief is an OpenAPI document with the whole operations and schemas of the
// samples, and of every other operation its name: the document must not lose one.
func brief(t *testing.T, document []byte) []byte {
	t.Helper()
	var doc map[string]any
	read(t, document, &doc)
	components := doc["components"].(map[string]any)
	all, kept := components["schemas"].(map[string]any), map[string]any{}
	for _, name := range samples {
		for _, side := range []string{"_input", "_output"} {
			schema := strings.ReplaceAll(name, ".", "_") + side
			kept[schema] = all[schema]
		}
	}
	components["schemas"] = kept
	for path, item := range doc["paths"].(map[string]any) {
		if slices.Contains(samples, strings.TrimPrefix(path, "/v1/tools/")) {
			continue
		}
		for method, operation := range item.(map[string]any) {
			item.(map[string]any)[method] = map[string]any{"operationId": operation.(map[string]any)["operationId"]}
		}
	}
	raw, err := json.Marshal(doc)
	if err != nil {
		t.Fatal(err)
	}
	return pretty(t, raw)
}

// What each protocol shows of the contracts, so that a changed contract changes
// all of them in one commit, for everyone to see.
func TestGoldenProjections(t *testing.T) {
	for file, made := range projections(t, installed(t, samples...)) {
		if file == "openapi.json" {
			made = brief(t, made)
		}
		golden(t, testenv.Path("api", "golden", file), made)
	}
}

func pretty(t *testing.T, raw []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := json.Indent(&out, raw, "", "  "); err != nil {
		t.Fatalf("%v: %.200s", err, raw)
	}
	return out.Bytes()
}
