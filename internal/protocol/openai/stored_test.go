package openai

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"atelier/internal/llm"
	"atelier/internal/llm/llmtest"
)

const slow = `"tool_choice":{"name":"slow_wait","arguments":{"value":%}}`

func slowly(ms string) string { return strings.Replace(slow, "%", ms, 1) }

func TestStoredResponses(t *testing.T) {
	h := newTestServer(t, nil)
	made := h.respond(double)
	path := "/v1/responses/" + made.text("id")
	if got := h.get(path); got.status != 200 || strings.TrimSpace(string(got.raw)) != strings.TrimSpace(string(made.raw)) {
		t.Fatalf("%s, made as %s", got.raw, made.raw)
	}
	h.close() // what is stored outlives the program
	h.open(nil)
	if got := h.get(path); got.at("output", 0, "id") != made.at("output", 0, "id") {
		t.Fatalf("%s", got.raw)
	}
	gone := h.do("DELETE", path, "")
	if gone.at("deleted") != true || gone.at("id") != made.at("id") {
		t.Fatalf("%s", gone.raw)
	}
	for _, r := range []reply{h.get(path), h.do("DELETE", path, ""), h.get(path + "/input_items"), h.do("POST", path+"/cancel", ""),
		h.respond(double + `,"previous_response_id":"` + made.text("id") + `"`)} {
		if r.status != 404 || r.at("error", "code") != "not_found" || r.at("error", "type") != "invalid_request_error" {
			t.Errorf("%d %s", r.status, r.raw)
		}
	}
	if _, err := h.server.Jobs.Get(context.Background(), made.text("tool_results", 0, "job_id")); err != nil {
		t.Errorf("the job went with its response: %v", err)
	}
	if r := h.get(path + "?stream=true"); r.status != 400 {
		t.Errorf("%d", r.status)
	}
}

// A conversation goes on from a response; its instructions do not.
func TestConversationsAreContinued(t *testing.T) {
	up := llmtest.Start(t, doubleCall, llmtest.Step{Text: "42."}, llmtest.Step{Text: "84."}, llmtest.Step{Text: "third"})
	h := newTestServer(t, up)
	first := h.respond(`"instructions":"one"`)
	second := h.respond(`"instructions":"two","previous_response_id":"` + first.text("id") + `"`)
	if second.at("previous_response_id") != first.at("id") {
		t.Fatalf("%s", second.raw)
	}
	var roles []string
	for _, m := range up.Requests()[2].Messages {
		roles = append(roles, m.Role)
	}
	if strings.Join(roles, " ") != "system user assistant tool assistant user" || string(up.Requests()[2].Messages[0].Content) != `"two"` {
		t.Fatalf("%s", up.Requests()[2].Raw)
	}
	// After a forced call the model sees what was run.
	forced := h.respond(double)
	_ = h.respond(`"previous_response_id":"` + forced.text("id") + `"`)
	m := up.Requests()[3].Messages
	if len(m) != 5 || m[1].ToolCalls[0].Function.Name != "math_double" || m[2].Role != "tool" || !strings.Contains(string(m[2].Content), "42") || string(m[3].Content) != `"Doubled to 42."` {
		t.Fatalf("%s", up.Requests()[3].Raw)
	}
}

func TestInputItems(t *testing.T) {
	h := newTestServer(t, nil)
	made := h.do("POST", "/v1/responses", `{"model":"m","input":[{"role":"user","content":"one"},{"role":"assistant","content":"two"},{"id":"fc_mine","type":"function_call","call_id":"c","name":"n","arguments":"{}"},
{"type":"function_call_output","call_id":"c","output":"o"}],`+double+`}`)
	path := "/v1/responses/" + made.text("id") + "/input_items"
	all := h.get(path + "?order=asc")
	if len(all.at("data").([]any)) != 4 || all.at("data", 0, "content", 0, "text") != "one" || all.at("data", 0, "content", 0, "type") != "input_text" ||
		all.at("data", 1, "content", 0, "type") != "output_text" || all.at("data", 2, "id") != "fc_mine" || all.at("has_more") != false || all.at("first_id") != all.at("data", 0, "id") {
		t.Fatalf("%s", all.raw)
	}
	if newest := h.get(path); newest.at("data", 0, "id") != all.at("data", 3, "id") {
		t.Fatalf("%s", newest.raw)
	}
	page := h.get(path + "?order=asc&limit=2&after=" + all.text("data", 0, "id"))
	if len(page.at("data").([]any)) != 2 || page.at("data", 1, "id") != "fc_mine" || page.at("has_more") != true || page.at("last_id") != "fc_mine" {
		t.Fatalf("%s", page.raw)
	}
	for _, bad := range []string{"?limit=0", "?limit=x", "?limit=", "?order=up", "?after=nope"} {
		if r := h.get(path + bad); r.status != 400 {
			t.Errorf("%s: %d", bad, r.status)
		}
	}
}

// until polls a response until it has ended.
func (h *testServer) until(id string) reply {
	h.t.Helper()
	deadline := time.Now().Add(10 * time.Second)
	for {
		r := h.get("/v1/responses/" + id)
		if !pending(r.text("status")) {
			return r
		}
		if time.Now().After(deadline) {
			h.t.Fatalf("never ended: %s", r.raw)
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// A forced call in the background: the response follows its job, also after a
// restart of the program.
func TestABackgroundResponseFollowsItsJob(t *testing.T) {
	h := newTestServer(t, nil)
	if quick := h.respond(`"background":true,` + double); quick.at("status") != "completed" || quick.at("background") != true {
		t.Fatalf("%s", quick.raw)
	}
	made := h.respond(`"background":true,"wait_ms":1,"include":["mcp_call"],` + slowly("200"))
	if status := made.at("status"); (status != "queued" && status != "in_progress") || made.at("completed_at") != nil || made.at("tool_results", 0, "job_id") == "" {
		t.Fatalf("%s", made.raw)
	}
	done := h.until(made.text("id"))
	if done.at("status") != "completed" || done.at("tool_results", 0, "result", "value") != 200.0 || done.at("output", 0, "type") != "mcp_call" ||
		done.at("output", 1, "content", 0, "text") != "Waited." || done.at("created_at") != made.at("created_at") {
		t.Fatalf("%s", done.raw)
	}
	if again := h.get("/v1/responses/" + made.text("id")); string(again.raw) != string(done.raw) {
		t.Fatalf("an ended response changed: %s", again.raw)
	}
	made = h.respond(`"background":true,"wait_ms":1,` + slowly("600"))
	h.close()
	h.open(nil)
	if done = h.until(made.text("id")); done.at("tool_results", 0, "job_id") != made.at("tool_results", 0, "job_id") {
		t.Fatalf("%s", done.raw)
	}
	failed := h.respond(`"background":true,"wait_ms":1,"tool_choice":{"name":"math.double","arguments":{"value":-3}}`)
	if done = h.until(failed.text("id")); done.at("status") != "completed" || done.at("tool_results", 0, "status") != "error" {
		t.Fatalf("a tool's failure is an answer: %s", done.raw)
	}
	list, _ := checkResponse(t, h.respond(`"background":true,"stream":true,"wait_ms":1,`+slowly("200")).raw)
	if final := at(list[len(list)-1].data, "response"); at(final, "status") != "completed" || at(final, "tool_results", 0, "status") != "ok" {
		t.Fatalf("%v", final)
	}
}

func TestCancel(t *testing.T) {
	h := newTestServer(t, nil)
	made := h.respond(`"background":true,"wait_ms":1,` + slowly("60000"))
	path := "/v1/responses/" + made.text("id")
	if r := h.respond(`"previous_response_id":"` + made.text("id") + `"`); r.status != 400 || r.at("error", "param") != "previous_response_id" {
		t.Fatalf("%d %s", r.status, r.raw)
	}
	r := h.do("POST", path+"/cancel", "")
	j, err := h.server.Jobs.Get(context.Background(), made.text("tool_results", 0, "job_id"))
	if r.status != 200 || r.at("status") != "cancelled" || err != nil || j.State != "cancelled" {
		t.Fatalf("%s %+v %v", r.raw, j, err)
	}
	if again := h.do("POST", path+"/cancel", ""); again.status != 200 || again.at("status") != "cancelled" {
		t.Fatalf("%s", again.raw)
	}
	for _, finished := range []string{h.respond(double).text("id"), h.respond(`"background":true,` + double).text("id")} {
		if r := h.do("POST", "/v1/responses/"+finished+"/cancel", ""); r.status != 400 {
			t.Fatalf("%d %s", r.status, r.raw)
		}
	}
	made = h.respond(`"background":true,"wait_ms":1,` + slowly("60000"))
	if r := h.do("DELETE", "/v1/responses/"+made.text("id"), ""); r.status != 200 {
		t.Fatalf("%s", r.raw)
	}
	if j, err := h.server.Jobs.Get(context.Background(), made.text("tool_results", 0, "job_id")); err != nil || j.State != "cancelled" {
		t.Fatalf("%+v %v", j, err)
	}
}

func TestTheModelInTheBackground(t *testing.T) {
	slowTool := llmtest.Step{Calls: []llm.FunctionCall{{Name: "slow_wait", Arguments: `{"value":60000}`}}}
	up := llmtest.Start(t, doubleCall, llmtest.Step{Text: "42."}, slowTool, llmtest.Step{Text: "x", Hold: true}, llmtest.Step{Status: 400, Raw: "no"}, doubleCall, llmtest.Step{Text: "42."})
	h := newTestServer(t, up)
	made := h.respond(`"background":true`)
	if made.at("status") != "in_progress" || len(made.at("output").([]any)) != 0 {
		t.Fatalf("%s", made.raw)
	}
	done := h.until(made.text("id"))
	if done.at("status") != "completed" || done.at("tool_results", 0, "result", "value") != 42.0 || done.at("usage", "total_tokens") != 36.0 {
		t.Fatalf("%s", done.raw)
	}
	// Cancelled while a tool runs: the tool ends too.
	made = h.respond(`"background":true`)
	for h.ran.Load() < 2 {
		time.Sleep(5 * time.Millisecond)
	}
	if r := h.do("POST", "/v1/responses/"+made.text("id")+"/cancel", ""); r.at("status") != "cancelled" {
		t.Fatalf("%s", r.raw)
	}
	page, err := h.server.Jobs.List(context.Background(), jobFilter())
	if err != nil || page.Jobs[0].Tool != "slow_wait" || page.Jobs[0].State != "cancelled" {
		t.Fatalf("%+v %v", page, err)
	}
	// The program stops while the model speaks: kept as failed, not as running.
	made = h.respond(`"background":true`)
	for len(up.Requests()) < 4 {
		time.Sleep(5 * time.Millisecond)
	}
	h.close()
	h.open(up)
	if r := h.get("/v1/responses/" + made.text("id")); r.at("status") != "failed" || r.at("error", "code") != "interrupted" {
		t.Fatalf("%s", r.raw)
	}
	made = h.respond(`"background":true`)
	if r := h.until(made.text("id")); r.at("status") != "failed" || r.at("error", "code") != "model_refused" {
		t.Fatalf("%s", r.raw)
	}
	list, _ := checkResponse(t, h.respond(`"background":true,"stream":true`).raw)
	if final := at(list[len(list)-1].data, "response"); at(final, "status") != "completed" || at(final, "background") != true {
		t.Fatalf("%v", final)
	}
}

// A process that died without a word is noticed by its missing heartbeat.
func TestAResponseOfADeadProcessHasFailed(t *testing.T) {
	h := newTestServer(t, nil)
	rec := &record{id: "resp_dead", Input: []json.RawMessage{}}
	req := &responseRequest{Background: true}
	req.Model = "m"
	if err := h.server.save(context.Background(), rec, newResponse(rec.id, req, &turn{choice: choice{mode: "auto"}}, time.Now())); err != nil {
		t.Fatal(err)
	}
	if r := h.get("/v1/responses/resp_dead"); r.at("status") != "in_progress" {
		t.Fatalf("given up too early: %s", r.raw)
	}
	rec, err := h.server.load(context.Background(), "resp_dead")
	if err != nil {
		t.Fatal(err)
	}
	rec.updated = rec.updated.Add(-2 * presumedDead)
	if rec, err = h.server.current(context.Background(), rec); err != nil || rec.status() != "failed" {
		t.Fatalf("%+v %v", rec, err)
	}
	if r := h.get("/v1/responses/resp_dead"); r.at("error", "code") != "interrupted" {
		t.Fatalf("%s", r.raw)
	}
}

func TestModels(t *testing.T) {
	h := newTestServer(t, llmtest.Start(t))
	r := h.get("/v1/models")
	if r.at("object") != "list" || len(r.at("data").([]any)) != 2 || r.at("data", 0, "id") != "autosage-0.1" || r.at("data", 1, "id") != "upstream-1" {
		t.Fatalf("%s", r.raw)
	}
	if one := h.get("/v1/models/upstream-1"); one.at("object") != "model" || one.at("created") == nil || one.at("owned_by") == nil {
		t.Fatalf("%s", one.raw)
	}
	if none := h.get("/v1/models/org/nope"); none.status != 404 || none.at("error", "type") != "invalid_request_error" {
		t.Fatalf("%d %s", none.status, none.raw)
	}
}

// Of several servers on one database, any may cancel: the one that runs the
// response sees that its record was changed.
func TestCancelFromAnotherServer(t *testing.T) {
	up := llmtest.Start(t, llmtest.Step{Text: "x", Hold: true})
	h := newTestServer(t, up)
	other := &Server{Tools: h.server.Tools, Jobs: h.server.Jobs, DB: h.server.DB}
	other.fill()
	id := h.respond(`"background":true`).text("id")
	ctx := context.Background()
	first, err := other.load(ctx, id)
	if err != nil {
		t.Fatal(err)
	}
	for beaten := first; beaten.version < first.version+3; { // the heartbeat is seen from outside
		if beaten, err = other.load(ctx, id); err != nil {
			t.Fatal(err)
		}
		time.Sleep(5 * time.Millisecond)
	}
	if rec, err := other.cancel(ctx, first); err != nil || rec.status() != "cancelled" { // first is outdated by now
		t.Fatalf("%+v %v", rec, err)
	}
	select {
	case <-up.Gone():
	case <-time.After(5 * time.Second):
		t.Fatal("the other server goes on")
	}
	if r := h.get("/v1/responses/" + id); r.at("status") != "cancelled" {
		t.Fatalf("%s", r.raw)
	}
}
