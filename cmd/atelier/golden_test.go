package main

import (
	"bytes"
	"encoding/json"
	"net/http/httptest"
	"path/filepath"
	"testing"

	"atelier/internal/contract"
	"atelier/internal/protocol/agentconfig"
	"atelier/internal/protocol/harmony"
	"atelier/internal/protocol/mcp"
	"atelier/internal/protocol/rest"
	"atelier/internal/protocol/web"
	"atelier/internal/tools"
)

// What each wire shows of the contracts, so that a changed contract changes all
// of them in one commit, for everyone to see. The tools count as installed: the
// files must not depend on the machine.
func TestGoldenProjections(t *testing.T) {
	all := tools.All(tools.Parts{})
	for i := range all {
		all[i].Available = nil
	}
	registry, err := contract.NewRegistry(all)
	if err != nil {
		t.Fatal(err)
	}
	var routes []web.Route
	for _, wire := range []web.Wire{&rest.Server{Tools: registry}, &agentconfig.Server{Tools: registry}, &harmony.Server{Tools: registry}} {
		routes = append(routes, wire.Routes()...)
	}
	served := httptest.NewServer(web.Mux(&web.Gate{MaxBodyBytes: 1 << 20}, routes...))
	defer served.Close()
	s := &server{t: t, url: served.URL}
	listed, err := json.Marshal(map[string]any{"tools": mcp.ListTools(registry, false)})
	if err != nil {
		t.Fatal(err)
	}
	for file, made := range map[string][]byte{
		"tools.json":        pretty(t, s.get("/v1/tools").raw),
		"agent_config.json": pretty(t, s.get("/v1/agent/config").raw),
		"mcp_tools.json":    pretty(t, listed),
		"harmony.txt":       s.do("GET", "/v1/harmony", "", nil, "Accept", "text/plain").raw,
	} {
		golden(t, filepath.Join("..", "..", "api", "golden", file), made)
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
