package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"mime/multipart"
	"slices"
	"strings"
	"testing"

	"atelier/internal/agent"
	"atelier/internal/contract"
	"atelier/internal/geometry"
	"atelier/internal/session"
	"atelier/internal/testenv"
)

// provoked is a part and a wish that lead into one row of the routing table, and
// what must then stand in the manifest.
type provoked struct {
	part    *geometry.Mesh
	prompt  string
	engines func(*testing.T) string // their folder; nil for the installed ones
	// steps is every call that must be made, in order: tool, "!" where it fails with
	// the row's code, and a word that its input must hold.
	steps []string
	ends  string // status of the turn
	reply string // a word of the answer, or of the error where the turn failed
}

const steel = "Steel, the file is in mm, 100 degC at the bottom, 20 degC at the top. Show the temperature. "

// Each row of the routing table whose tool exists, provoked by a real input or a
// real fault in a conversation without a model: exactly the table's action runs,
// no more often than its limit.
func TestErrorRouting(t *testing.T) {
	rows := map[string]provoked{
		// A box that lacks a triangle, meshed as it is: it goes through the repair once.
		"ERR_NOT_WATERTIGHT": {
			part: leaky(), prompt: steel + "Do not repair it.",
			steps: []string{"volume_mesh_quartet!session:input/", "mesh_repair_pmp session:input/", "volume_mesh_quartet repaired_mesh", "heat.solve", "render_pack_vtk"},
			ends:  "completed", reply: "373.15 K",
		},
		// A rod from corner to corner: the lattice around it at 0.25 mm would have
		// (110 mm/0.25 mm)^3 = 85 million cells, more than are made; at 0.5 mm it fits.
		"ERR_INVALID_DX": {
			part: rod(), prompt: steel + "0.25 mm elements.",
			steps: []string{"mesh_repair_pmp", `volume_mesh_quartet!"dx":0.25`, `volume_mesh_quartet "dx":0.5`, "heat.solve", "render_pack_vtk"},
			ends:  "completed", reply: "373.15 K",
		},
		// A ring that is open at both ends: each patch has 2.5 times its area.
		"ERR_HOLE_TOO_LARGE": {
			part: ring(), prompt: steel,
			steps: []string{"mesh_repair_pmp!", `mesh_repair_pmp!"resolve_intersections":true`},
			ends:  "failed", reply: "ERR_HOLE_TOO_LARGE",
		},
		// A machine without an OpenGL driver: the picture is tried in colour only,
		// then left out.
		"ERR_HEADLESS_CONTEXT_FAILED": {
			part: box(20, 10, 10), prompt: steel + "With depth and normal maps.", engines: withoutDriver,
			steps: []string{"mesh_repair_pmp", "volume_mesh_quartet", "heat.solve", `render_pack_vtk!"output_depth":true,"output_normal":true`, `render_pack_vtk!"output_depth":false,"output_normal":false`},
			ends:  "completed", reply: "could not be made",
		},
		// A driver that refuses to read depth: the picture is made in colour only.
		"ERR_BUFFER_EXTRACTION_FAILED": {
			part: box(20, 10, 10), prompt: steel + "With depth and normal maps.", engines: withoutDepth,
			steps: []string{"mesh_repair_pmp", "volume_mesh_quartet", "heat.solve", `render_pack_vtk!"output_depth":true,"output_normal":true`, `render_pack_vtk "output_depth":false,"output_normal":false`},
			ends:  "completed", reply: "disable_depth_and_normal_buffers_and_retry_render",
		},
		// Fifty triangles that share nothing: only a person can say what they enclose.
		"ERR_NON_MANIFOLD_UNRESOLVABLE": {
			part: soup(), prompt: steel,
			steps: []string{"mesh_repair_pmp!"},
			ends:  "completed", reply: "your decision",
		},
		// A plate of 1 mm, at 8 mm: the mesher says what does.
		"ERR_DX_TOO_COARSE": {
			part: box(40, 20, 1), prompt: steel + "8 mm elements.",
			steps: []string{"mesh_repair_pmp", `volume_mesh_quartet!"dx":8`, "volume_mesh_quartet", "heat.solve", "render_pack_vtk"},
			ends:  "completed", reply: "373.15 K",
		},
	}
	for _, route := range agent.ErrorRoutes() {
		if route.Unavailable != "" { // TestErrorRoutesNameToolsThatExist
			continue
		}
		t.Run(route.ErrorCode, func(t *testing.T) {
			t.Parallel() // each has a server of its own
			row, ok := rows[route.ErrorCode]
			if !ok {
				t.Fatal("nothing provokes it")
			}
			row.check(t, route)
		})
	}
}

// A row either names a tool of this server and an error that some tool raises, or
// says in words that it is not taken here.
func TestErrorRoutesNameToolsThatExist(t *testing.T) {
	s := start(t, nil)
	rows, _ := s.get("/v1/agent/config").at("error_routing").([]any)
	if len(rows) != len(agent.ErrorRoutes()) {
		t.Fatalf("%d rows", len(rows))
	}
	for _, r := range rows {
		row := r.(map[string]any)
		code, _ := row["error_code"].(string)
		name, calls := row["action_tool"].(string)
		exists := contract.Known(code)
		if calls {
			_, err := s.app.tools.Find(name)
			exists = exists && err == nil
		}
		if words, _ := row["unavailable"].(string); exists != (words == "") || !exists && !strings.Contains(words, "dsl_fit_open3d") {
			t.Errorf("%s: exists %v, says %q", code, exists, words)
		}
	}
}

func (p provoked) check(t *testing.T, route agent.ErrorRoute) {
	s := start(t, func(c *serveCmd) {
		if p.engines != nil {
			c.Engines = p.engines(t)
		}
	})
	testenv.NeedEngines(t, s.app.host, "mfem", "vtk")
	r := s.post("/v1/sessions/"+s.session(p.part)+"/chat", fmt.Sprintf(`{"prompt":%q}`, p.prompt))
	told, _ := r.at("reply").(string)
	if p.ends == "failed" {
		told, _ = r.at("error", "code").(string)
	}
	if r.at("status") != p.ends || !strings.Contains(told, p.reply) {
		t.Errorf("the turn ended as %v with %q, want %s with %q", r.at("status"), told, p.ends, p.reply)
	}
	if asks := strings.Contains(told, "your decision"); asks != slices.Contains(agent.Escalations(), route.ErrorCode) {
		t.Errorf("%s asks a person to decide: %v", route.ErrorCode, asks)
	}
	var answer struct {
		State struct{ Steps []session.Step }
	}
	if err := json.Unmarshal(r.raw, &answer); err != nil {
		t.Fatal(err)
	}
	p.compare(t, route, answer.State.Steps)
}

// compare holds the steps that were made against those of the row.
func (p provoked) compare(t *testing.T, route agent.ErrorRoute, steps []session.Step) {
	failed, retried := 0, 0
	for i, st := range steps {
		t.Logf("%s %s %s %v %v", st.Tool, st.Status, st.Input, st.Error, *st.DurationMS)
		if i >= len(p.steps) {
			t.Errorf("step %d, %s, is one too many", i+1, st.Tool)
			continue
		}
		tool, input, fails := strings.Cut(p.steps[i], "!")
		if !fails {
			tool, input, _ = strings.Cut(p.steps[i], " ")
		}
		if st.Tool != tool || !strings.Contains(string(st.Input), input) {
			t.Errorf("step %d is %s with %s, want %s", i+1, st.Tool, st.Input, p.steps[i])
		}
		if fails != (st.Status == session.StepFailed) || fails && st.Error.Code != route.ErrorCode {
			t.Errorf("step %d, %s, ended as %s (%v), want %s", i+1, st.Tool, st.Status, st.Error, p.steps[i])
		}
		if failed > 0 && st.Tool == route.ActionTool {
			retried++
		}
		if fails {
			failed++
		}
	}
	if len(steps) < len(p.steps) {
		t.Errorf("%d steps were made, want %v", len(steps), p.steps)
	}
	if failed == 0 || retried > route.RetryLimit || route.ActionTool != "" && retried == 0 {
		t.Errorf("%d steps failed, %s ran %d times after the first; the limit is %d", failed, route.ActionTool, retried, route.RetryLimit)
	}
}

// session makes a session of a surface as STL and returns its id.
func (s *server) session(m *geometry.Mesh) string {
	s.t.Helper()
	content, err := geometry.Encode(m, geometry.STL)
	if err != nil {
		s.t.Fatal(err)
	}
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	part, err := form.CreateFormFile("file", "part.stl")
	if err == nil {
		_, err = part.Write(content)
	}
	if err == nil {
		err = form.Close()
	}
	if err != nil {
		s.t.Fatal(err)
	}
	id, _ := s.do("POST", "/v1/sessions", form.FormDataContentType(), &body).at("session_id").(string)
	return id
}
