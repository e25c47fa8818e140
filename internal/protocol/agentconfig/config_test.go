package agentconfig

import (
	"encoding/json"
	"errors"
	"net/http/httptest"
	"reflect"
	"slices"
	"strings"
	"testing"

	"atelier/internal/agent"
	"atelier/internal/contract"
	"atelier/internal/protocol/httpapi"
	"atelier/internal/tools"
)

// catalogue is every tool of the program; lacking names those whose engine this
// machine is to lack, and all others count as installed.
func catalogue(t *testing.T, lacking ...string) *contract.Registry {
	t.Helper()
	all := tools.All(tools.Parts{})
	for i := range all {
		all[i].Available = nil
		if slices.Contains(lacking, all[i].Contract.Name) {
			all[i].Available = func() error { return errors.New("not installed") }
		}
	}
	r, err := contract.NewRegistry(all)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func get(t *testing.T, s *Server, query string) (int, map[string]any) {
	t.Helper()
	h := httpapi.Mux(&httpapi.Gate{MaxBodyBytes: 1 << 20}, s.Routes()...)
	w := httptest.NewRecorder()
	r := httptest.NewRequest("GET", "/v1/agent/config"+query, nil)
	r.Host = "127.0.0.1"
	h.ServeHTTP(w, r)
	var body map[string]any
	if err := json.Unmarshal(w.Body.Bytes(), &body); err != nil {
		t.Fatalf("%v: %s", err, w.Body)
	}
	return w.Code, body
}

func names(body map[string]any) []string {
	var out []string
	for _, tool := range body["tools"].([]any) {
		out = append(out, tool.(map[string]any)["function"].(map[string]any)["name"].(string))
	}
	return out
}

// The fields, the pipeline, the rows and the rules are those of
// api/spec/agent.md; the rows stand here once more, word for word.
func TestConfigIsThePapers(t *testing.T) {
	status, body := get(t, &Server{Tools: catalogue(t)}, "")
	if status != 200 || body["agent_role"] != "orchestration_agent" || body["manifest_path"] != "manifest.json" {
		t.Fatalf("%d %v", status, body)
	}
	pipeline := []any{"cad_import_truck", "mesh_repair_pmp", "volume_mesh_quartet", "solve", "render_pack_vtk"}
	if !reflect.DeepEqual(body["pipeline_sequence"], pipeline) || !reflect.DeepEqual(body["escalation_errors"], []any{"ERR_NON_MANIFOLD_UNRESOLVABLE"}) {
		t.Errorf("%v %v", body["pipeline_sequence"], body["escalation_errors"])
	}
	if !reflect.DeepEqual(body["messages"], []any{body["system_message"]}) {
		t.Error("messages is not the system message alone")
	}
	var got []string
	for _, row := range body["error_routing"].([]any) {
		m := row.(map[string]any)
		tool, _ := m["action_tool"].(string)
		got = append(got, strings.Join([]string{m["error_code"].(string), m["action"].(string), tool, string(rune('0' + int(m["retry_limit"].(float64))))}, " "))
	}
	want := []string{
		"ERR_NOT_WATERTIGHT route_surface_mesh_to_repair_then_retry_volume_mesh mesh_repair_pmp 1",
		"ERR_INVALID_DX increase_dx_and_retry_volume_mesh volume_mesh_quartet 1",
		"ERR_HOLE_TOO_LARGE retry_mesh_repair_with_intersection_resolution_then_retry_volume_mesh mesh_repair_pmp 1",
		"ERR_HEADLESS_CONTEXT_FAILED retry_render_with_color_only render_pack_vtk 1",
		"ERR_BUFFER_EXTRACTION_FAILED disable_depth_and_normal_buffers_and_retry_render render_pack_vtk 1",
		"ERR_POINTCLOUD_GENERATION_FAILED skip_primitive_fitting_and_continue_pipeline  0",
		"ERR_PRIMITIVE_FIT_TIMEOUT relax_ransac_parameters_and_retry_primitive_fitting dsl_fit_open3d 1",
		"ERR_NON_MANIFOLD_UNRESOLVABLE stop_and_request_user_intervention  0",
	}
	if len(got) < len(want) || !slices.Equal(got[:len(want)], want) {
		t.Errorf("error_routing is\n%s", strings.Join(got, "\n"))
	}
}

func TestInstructionsHoldTheRules(t *testing.T) {
	_, body := get(t, &Server{Tools: catalogue(t)}, "")
	text := body["system_message"].(map[string]any)["content"].(string)
	for _, rule := range []string{
		"cad_import_truck -> mesh_repair_pmp -> volume_mesh_quartet -> solve -> render_pack_vtk",
		"Read it before every tool call", "Write it after every tool call",
		"ERR_NOT_WATERTIGHT -> mesh_repair_pmp (1)",
		"Request user intervention only for ERR_NON_MANIFOLD_UNRESOLVABLE",
		"fea_solve", "under 200 words",
	} {
		if !strings.Contains(text, rule) {
			t.Errorf("the system message lacks %q", rule)
		}
	}
	if strings.Contains(text, "dsl_fit_open3d") != slices.Contains(names(body), "dsl_fit_open3d") {
		t.Error("the text names a tool that is not on offer, or not one that is")
	}
	if words := len(strings.Fields(text)); words > 800 {
		t.Errorf("%d words are too many for a system message", words)
	}
}

// What the text tells the model to set must be an argument that the tool has.
func TestAdviceNamesRealArguments(t *testing.T) {
	r := catalogue(t)
	for code, arguments := range map[string][]string{
		"ERR_INVALID_DX": {"dx"}, "ERR_DX_TOO_COARSE": {"dx"}, "ERR_HOLE_TOO_LARGE": {"resolve_intersections"},
		"ERR_HEADLESS_CONTEXT_FAILED": {"output_depth", "output_normal"}, "ERR_BUFFER_EXTRACTION_FAILED": {"output_depth", "output_normal"},
	} {
		route, ok := agent.RouteOf(code)
		if !ok || !contract.Known(code) {
			t.Fatalf("%s is not routed, or no code of the catalogue", code)
		}
		tool, err := r.Find(route.ActionTool)
		if err != nil {
			t.Fatal(err)
		}
		var schema struct{ Properties map[string]any }
		if err := json.Unmarshal(tool.Contract.InputSchema, &schema); err != nil {
			t.Fatal(err)
		}
		for _, a := range arguments {
			if schema.Properties[a] == nil || !strings.Contains(route.Advice, a) {
				t.Errorf("%s: %s has no argument %s, or the advice does not say it", code, route.ActionTool, a)
			}
		}
	}
}

func TestNamesAndSelection(t *testing.T) {
	s := &Server{Tools: catalogue(t, "heat.solve")}
	_, all := get(t, s, "")
	if shown := names(all); !slices.Contains(shown, "circuits_simulate") || slices.Contains(shown, "heat_solve") ||
		slices.ContainsFunc(shown, func(n string) bool { return strings.Contains(n, ".") }) {
		t.Errorf("aliases of what can run: %v", shown)
	}
	if text := all["system_message"].(map[string]any)["content"].(string); strings.Contains(text, "heat_solve") {
		t.Error("the text names a solver that this machine cannot run")
	}
	if _, body := get(t, s, "?names=canonical&tools=circuits.*,echo_json"); !slices.Equal(names(body), []string{"circuits.simulate", "echo_json"}) {
		t.Errorf("%v", names(body))
	}
	_, circuit := get(t, s, "?family=circuit")
	text := circuit["system_message"].(map[string]any)["content"].(string)
	if !strings.Contains(text, "You have no tool for: cad_import_truck") || strings.Contains(text, "ERR_NOT_WATERTIGHT") {
		t.Errorf("the text of the circuit family speaks of what it does not have:\n%s", text)
	}
	for _, query := range []string{"?family=nonsense", "?tools=nonsense", "?names=both"} {
		if status, body := get(t, s, query); status != 400 || body["error"] == nil {
			t.Errorf("%s: %d %v", query, status, body)
		}
	}
}
