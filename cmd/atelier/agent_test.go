package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"mime/multipart"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"atelier/internal/llm"
	"atelier/internal/llm/llmtest"
	"atelier/internal/testenv"
)

func needNgspice(t *testing.T) {
	t.Helper()
	if _, err := exec.LookPath("ngspice"); err != nil {
		testenv.Skip(t, testenv.Engine, "ngspice is not installed: make engines")
	}
}

// Without a model the OpenAI routes read what the planner can read: they ask for
// what is missing, compute, and say plainly what they cannot.
func TestPlannerBehindTheOpenAIRoutes(t *testing.T) {
	needNgspice(t)
	s := start(t, nil)
	ask := func(query string, messages ...string) reply {
		t.Helper()
		var list []string
		for i, text := range messages {
			role := []string{"user", "assistant"}[i%2]
			list = append(list, fmt.Sprintf(`{"role":%q,"content":%q}`, role, text))
		}
		return s.post("/v1/chat/completions"+query, `{"model":"autosage-0.1","messages":[`+strings.Join(list, ",")+`]}`)
	}
	text := func(r reply) string { return fmt.Sprint(r.at("choices", 0, "message", "content")) }

	r := ask("", "low-pass with R = 1 kOhm")
	if asked := text(r); !strings.Contains(asked, "netlist") || r.at("tool_results") != nil {
		t.Fatalf("%s", r.raw)
	}
	// 1/(2 pi 1 kOhm 1 uF) = 159.15 Hz
	r = ask("", "low-pass with R = 1 kOhm", text(r), "C = 1 uF")
	if r.at("tool_results", 0, "tool_name") != "circuits.simulate" || r.at("tool_results", 0, "status") != "ok" || !strings.Contains(text(r), "159") {
		t.Fatalf("%s", r.raw)
	}
	streamed := s.post("/v1/chat/completions", `{"model":"autosage-0.1","stream":true,"messages":[{"role":"user","content":"low-pass with R = 1 kOhm and C = 1 uF"}]}`)
	if body := string(streamed.raw); strings.Count(body, "data: ") < 4 || !strings.Contains(body, "tool_results") || !strings.HasSuffix(body, "data: [DONE]\n\n") {
		t.Fatalf("%s", streamed.raw)
	}
	r = s.post("/v1/responses", `{"model":"autosage-0.1","input":"low-pass with R = 1 kOhm and C = 1 uF"}`)
	if r.at("status") != "completed" || r.at("tool_results", 0, "status") != "ok" {
		t.Fatalf("%s", r.raw)
	}
	// A netlist in a fence and the name of an analysis are a wish: 3 V over 1 kΩ.
	for _, prompt := range []string{"operating point of", "What is the operating point?", "this, please"} {
		r := ask("", prompt+"\n```\nV1 in 0 DC 3\nR1 in 0 1k\n.end\n```")
		if i := r.at("tool_results", 0, "result", "operating_point", "i(v1)"); i != -3e-3 {
			t.Errorf("%s: i(v1) = %v: %.400s", prompt, i, r.raw)
		}
	}
	if r := ask("", "file:file_nope, steel, fixed at the bottom, 500 N on top"); r.status != 404 || !strings.Contains(string(r.raw), "file_nope") {
		t.Errorf("%d %s", r.status, r.raw)
	}
	for query, prompt := range map[string]string{"": "tell me a joke", "?tools=echo_json": "low-pass with R = 1 kOhm and C = 1 uF"} {
		if r := ask(query, prompt); !strings.Contains(text(r), "No language model is configured") || r.at("tool_results") != nil {
			t.Errorf("%s: %s", prompt, r.raw)
		}
	}
}

// stepsOf is each step of a session's manifest: tool, job, status.
func (p *program) stepsOf(t *testing.T, id string) (steps [][3]string, status string) {
	t.Helper()
	m := p.call(t, "GET", "/v1/sessions/"+id, "")
	for _, one := range m["steps"].([]any) {
		s := one.(map[string]any)
		job, _ := s["job_id"].(string)
		steps = append(steps, [3]string{s["tool"].(string), job, s["status"].(string)})
	}
	return steps, m["status"].(string)
}

// runningAt waits until a step of the tool runs. A step is written down before
// its job, so that a kill between the two loses no call: the step then fails and
// the call is made by a new one. So the job must be there as well.
func (p *program) runningAt(t *testing.T, id, tool string) [][3]string {
	t.Helper()
	for deadline := time.Now().Add(60 * time.Second); time.Now().Before(deadline); time.Sleep(30 * time.Millisecond) {
		steps, _ := p.stepsOf(t, id)
		if n := len(steps); n > 0 && steps[n-1][0] == tool && steps[n-1][2] == "running" &&
			p.call(t, "GET", "/v1/jobs/"+steps[n-1][1], "")["id"] == steps[n-1][1] {
			return steps
		}
	}
	t.Fatalf("%s does not run", tool)
	return nil
}

func (p *program) idle(t *testing.T, id string) (reply string) {
	t.Helper()
	for deadline := time.Now().Add(90 * time.Second); time.Now().Before(deadline); time.Sleep(100 * time.Millisecond) {
		m := p.call(t, "GET", "/v1/sessions/"+id, "")
		said := m["messages"].([]any)
		if last := said[len(said)-1].(map[string]any); m["status"] == "idle" && last["role"] == "assistant" {
			return last["content"].(string)
		}
	}
	t.Fatal("the run does not end")
	return ""
}

func (p *program) upload(t *testing.T, name string) string {
	t.Helper()
	content, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	part, _ := form.CreateFormFile("file", "part.step")
	_, _ = part.Write(content)
	_ = form.Close()
	resp, err := http.Post(p.url+"/v1/sessions", form.FormDataContentType(), &body)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	var m struct {
		ID string `json:"session_id"`
	}
	if err := json.NewDecoder(resp.Body).Decode(&m); err != nil {
		t.Fatal(err)
	}
	return m.ID
}

// sameJobs: what was begun before the kill is not begun again.
func (p *program) sameJobs(t *testing.T, before, after [][3]string, tools string) {
	t.Helper()
	var order []string
	for i, s := range after {
		order = append(order, s[0])
		if i < len(before) && s[1] != before[i][1] {
			t.Errorf("%s was job %s and is %s", s[0], before[i][1], s[1])
		}
		if s[2] != "succeeded" {
			t.Errorf("%v: %v", s, p.call(t, "GET", "/v1/jobs/"+s[1], "")["error"])
		}
	}
	if got := strings.Join(order, " "); got != tools {
		t.Errorf("the steps are %s", got)
	}
}

// A conversation with a model goes on after kill -9 where it was: the job that
// was running is found and waited for, no call is made twice, and the model is
// asked for nothing that it had said.
func TestAModelsRunGoesOnAfterAKill(t *testing.T) {
	needNgspice(t)
	circuit := func(name string, tstop float64) llm.FunctionCall {
		return llm.FunctionCall{Name: "circuits_simulate", Arguments: fmt.Sprintf(
			`{"netlist":"%s\nV1 in 0 SIN(0 1 1k)\nR1 in out 1k\nC1 out 0 1u\n.end","analysis":"tran","probes":["v(out)"],"options":{"tran":{"tstop":%g,"step":1e-7}}}`, name, tstop)}
	}
	up := llmtest.Start(t, llmtest.Step{Text: "A short one.", Calls: []llm.FunctionCall{circuit("short", 1e-4)}},
		llmtest.Step{Calls: []llm.FunctionCall{circuit("long", 0.04)}}, llmtest.Step{Text: "Both are simulated."})
	bin, data := binary(t), t.TempDir()
	flags := []string{"--model-url", up.URL + "/v1", "--model", "scripted"}
	p := launchWith(t, bin, data, flags...)
	id := p.call(t, "POST", "/v1/sessions", `{}`)["session_id"].(string)
	p.call(t, "POST", "/v1/sessions/"+id+"/chat", `{"prompt":"simulate both","stream":false,"wait_ms":1}`)
	for len(up.Requests()) < 2 {
		time.Sleep(10 * time.Millisecond)
	}
	before := p.runningAt(t, id, "circuits.simulate")
	if len(before) != 2 {
		t.Fatalf("%v", before)
	}
	_ = p.cmd.Process.Kill()
	_ = p.cmd.Wait()
	p = launchWith(t, bin, data, flags...)
	reply := p.idle(t, id)
	after, _ := p.stepsOf(t, id)
	p.sameJobs(t, before, after, "circuits.simulate circuits.simulate")
	asked := up.Requests()
	if reply != "A short one.\n\nBoth are simulated." || len(asked) != 3 || len(asked[2].Messages) != 6 {
		t.Errorf("%q after %d requests, the last with %d messages", reply, len(asked), len(asked[len(asked)-1].Messages))
	}
}

// The pipeline of the planner goes on after kill -9 in the same way.
func TestAPlannedRunGoesOnAfterAKill(t *testing.T) {
	if tool, err := start(t, nil).app.tools.Find("fea.solve"); err != nil || tool.Available() != nil {
		testenv.Skip(t, testenv.Engine, "an engine is missing: make engines")
	}
	bin, data := binary(t), t.TempDir()
	p := launch(t, bin, data)
	id := p.upload(t, testenv.Bracket())
	p.call(t, "POST", "/v1/sessions/"+id+"/chat", `{"prompt":"steel, fixed at the bottom, 500 N on top, show the stress, coarse mesh","stream":false,"wait_ms":1}`)
	before := p.runningAt(t, id, "fea.solve")
	_ = p.cmd.Process.Kill()
	_ = p.cmd.Wait()
	p = launch(t, bin, data)
	reply := p.idle(t, id)
	after, _ := p.stepsOf(t, id)
	p.sameJobs(t, before, after, "cad_import_truck volume_mesh_cad fea.solve render_pack_vtk")
	if !strings.Contains(reply, "von Mises") {
		t.Errorf("%s", reply)
	}
}
