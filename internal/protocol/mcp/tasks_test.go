package mcp_test

import (
	"bufio"
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"atelier/internal/job"
	"atelier/internal/protocol/mcp"
)

// metaOf is the _meta of a raw request of 2026-07-28, as a member that follows others.
func metaOf(capabilities string) string {
	return `,"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"b","version":"1"},` +
		`"io.modelcontextprotocol/clientCapabilities":` + capabilities + `}`
}

const takesTasks = `{"extensions":{"io.modelcontextprotocol/tasks":{}}}`

// modern sends a request of 2026-07-28 and returns its response.
func (h *testServer) modern(method, name, params, capabilities string) (result map[string]any, fault *jsonrpc.Error) {
	h.t.Helper()
	response := h.post(`{"jsonrpc":"2.0","id":7,"method":"`+method+`","params":{`+params+metaOf(capabilities)+`}}`,
		"MCP-Protocol-Version", "2026-07-28", "Mcp-Method", method, "Mcp-Name", name)
	lines := bufio.NewScanner(response.Body)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		data := strings.TrimPrefix(lines.Text(), "data: ")
		var told struct {
			ID     any
			Result map[string]any
			Error  *jsonrpc.Error
		}
		if json.Unmarshal([]byte(data), &told) == nil && told.ID == 7.0 {
			return told.Result, told.Error
		}
	}
	h.t.Fatalf("%s: no response, status %d", method, response.StatusCode)
	return nil, nil
}

func (h *testServer) newTask(seconds string) string {
	h.t.Helper()
	result, fault := h.modern("tools/call", "slow_compute", `"name":"slow_compute","arguments":{"seconds":`+seconds+`}`, takesTasks)
	id, _ := result["taskId"].(string)
	if fault != nil || result["resultType"] != "task" || result["status"] != "working" || id == "" {
		h.t.Fatalf("%v %v", fault, result)
	}
	return id
}

func (h *testServer) task(id string) map[string]any {
	h.t.Helper()
	result, fault := h.modern("tasks/get", id, `"taskId":"`+id+`"`, takesTasks)
	if fault != nil || result["resultType"] != "complete" {
		h.t.Fatalf("%v %v", fault, result)
	}
	return result
}

func TestALongCallBecomesATaskThatIsItsJob(t *testing.T) {
	t.Parallel()
	h := newTestServer(t)
	id := h.newTask("1.2")
	if ttl := h.task(id)["ttlMs"]; ttl != float64(time.Hour.Milliseconds()) {
		t.Errorf("ttlMs %v", ttl)
	}
	h.await("the job has ended", func(j *job.Job) bool { return j.ID == id && j.State == job.Succeeded })
	done := h.task(id)
	result, _ := done["result"].(map[string]any)
	if done["status"] != "completed" || result["structuredContent"].(map[string]any)["seconds"] != 1.2 {
		t.Errorf("%v", done)
	}
}

func TestAShortCallIsNoTask(t *testing.T) {
	h := newTestServer(t)
	result, fault := h.modern("tools/call", "echo_json", `"name":"echo_json","arguments":{"message":"x"}`, takesTasks)
	if fault != nil || result["resultType"] != "complete" || result["taskId"] != nil {
		t.Errorf("%v %v", fault, result)
	}
}

func TestWithoutTheExtensionACallWaits(t *testing.T) {
	t.Parallel()
	h := newTestServer(t)
	result, fault := h.modern("tools/call", "slow_compute", `"name":"slow_compute","arguments":{"seconds":1}`, `{}`)
	if fault != nil || result["resultType"] != "complete" || result["isError"] == true {
		t.Errorf("%v %v", fault, result)
	}
	for _, method := range []string{"tasks/get", "tasks/update", "tasks/cancel"} {
		_, fault := h.modern(method, "job_x", `"taskId":"job_x"`, `{}`)
		if fault == nil || fault.Code != -32021 || !strings.Contains(string(fault.Data), "io.modelcontextprotocol/tasks") {
			t.Errorf("%s: %v", method, fault)
		}
	}
}

func TestACancelledTaskIsACancelledJob(t *testing.T) {
	t.Parallel()
	h := newTestServer(t)
	id := h.newTask("300")
	for range 2 { // again, when it has ended
		if _, fault := h.modern("tasks/cancel", id, `"taskId":"`+id+`"`, takesTasks); fault != nil {
			t.Error(fault)
		}
	}
	h.await("the job is cancelled", func(j *job.Job) bool { return j.ID == id && j.State == job.Cancelled })
	if status := h.task(id)["status"]; status != "cancelled" {
		t.Errorf("%v", status)
	}
}

func TestToolFailuresAreCompletedAndServerFaultsFailedTasks(t *testing.T) {
	t.Parallel()
	h := newTestServer(t)
	for name, want := range map[string]string{"failing_job": "completed", "protocol_error_job": "failed"} {
		result, fault := h.modern("tools/call", name, `"name":"`+name+`","arguments":{}`, takesTasks)
		id, _ := result["taskId"].(string)
		if fault != nil || id == "" {
			t.Fatalf("%v %v", fault, result)
		}
		if _, err := h.protocol.Jobs.Wait(context.Background(), id, 10*time.Second); err != nil {
			t.Fatal(err)
		}
		d := h.task(id)
		inner, _ := d["result"].(map[string]any)
		failure, _ := d["error"].(map[string]any)
		if d["status"] != want || (want == "completed") != (inner["isError"] == true) || (want == "failed") != (failure["code"] == -32603.0) {
			t.Errorf("%s: %v", name, d)
		}
	}
}

func TestATaskThatIsNotThere(t *testing.T) {
	h := newTestServer(t)
	for _, method := range []string{"tasks/get", "tasks/update", "tasks/cancel"} {
		if _, fault := h.modern(method, "job_none", `"taskId":"job_none"`, takesTasks); fault == nil || fault.Code != jsonrpc.CodeInvalidParams {
			t.Errorf("%s: %v", method, fault)
		}
		response := h.post(`{"jsonrpc":"2.0","id":7,"method":"`+method+`","params":{"taskId":"job_none"`+metaOf(takesTasks)+`}}`,
			"MCP-Protocol-Version", "2026-07-28", "Mcp-Method", method, "Mcp-Name", "job_other")
		var told struct{ Error jsonrpc.Error }
		if err := json.NewDecoder(response.Body).Decode(&told); err != nil || response.StatusCode != http.StatusBadRequest || told.Error.Code != -32020 {
			t.Errorf("%s: %v %d %+v", method, err, response.StatusCode, told)
		}
	}
}

func TestASubscriptionTellsTheWayOfATask(t *testing.T) {
	t.Parallel()
	h := newTestServer(t)
	id := h.newTask("1.5")
	response := h.post(`{"jsonrpc":"2.0","id":"s1","method":"subscriptions/listen","params":{"notifications":{"taskIds":["`+id+`","job_none"]}`+metaOf(takesTasks)+`}}`,
		"MCP-Protocol-Version", "2026-07-28", "Mcp-Method", "subscriptions/listen")
	var methods, states []string
	progressed, ended := false, false
	lines := bufio.NewScanner(response.Body)
	for lines.Scan() {
		data, isData := strings.CutPrefix(lines.Text(), "data: ")
		if !isData {
			continue
		}
		var told struct {
			ID     any
			Method string
			Params struct {
				Notifications struct{ TaskIDs []string }
				TaskID        string
				Status        string
				StatusMessage string
				Result        *sdk.CallToolResult
				Meta          map[string]any `json:"_meta"`
			}
		}
		if err := json.Unmarshal([]byte(data), &told); err != nil {
			t.Fatal(err)
		}
		if told.ID == "s1" {
			ended = true // the response ends the subscription
			break
		}
		methods = append(methods, told.Method)
		p := told.Params
		if p.Meta["io.modelcontextprotocol/subscriptionId"] != "s1" {
			t.Errorf("no subscription id: %s", data)
		}
		if len(methods) == 1 && (len(p.Notifications.TaskIDs) != 1 || p.Notifications.TaskIDs[0] != id) {
			t.Errorf("acknowledged %v", p.Notifications)
		}
		progressed = progressed || strings.Contains(p.StatusMessage, " %")
		if p.Status != "" {
			states = append(states, p.Status)
		}
		if p.Status == "completed" && (p.Result == nil || p.Result.IsError) {
			t.Errorf("%s", data)
		}
	}
	if methods[0] != "notifications/subscriptions/acknowledged" || methods[len(methods)-1] != "notifications/tasks" {
		t.Errorf("%v", methods)
	}
	if !ended || !progressed || states[0] != "working" || states[len(states)-1] != "completed" {
		t.Errorf("ended %v, progressed %v, %v", ended, progressed, states)
	}
}

func TestTasksOverStdio(t *testing.T) {
	t.Parallel()
	s := join(t, &sdk.CommandTransport{Command: thisBinary(t)}, false, &sdk.ClientOptions{
		Capabilities: &sdk.ClientCapabilities{Extensions: map[string]any{mcp.TasksExtension: map[string]any{}}},
	})
	get := func(id string) *mcp.GetTaskResult {
		result, err := sdk.CallCustomMethod[*mcp.TaskParams, *mcp.GetTaskResult](context.Background(), s, "tasks/get", &mcp.TaskParams{TaskID: id})
		if err != nil {
			t.Fatal(err)
		}
		return result
	}
	// The SDK's client knows no tasks: their fields are lost to it, but not the
	// type; the id is that of the job, which echo_json's is not.
	r, err := s.CallTool(context.Background(), &sdk.CallToolParams{Name: "echo_json", Arguments: map[string]any{"message": "x"}})
	if err != nil || r.IsError {
		t.Fatal(err, r)
	}
	id, _ := r.Meta["job_id"].(string)
	if got := get(id); got.TaskID != id || got.Status != mcp.TaskCompleted || !strings.Contains(string(got.Result), `"repeat":["x"]`) {
		t.Errorf("%+v", got)
	}
}
