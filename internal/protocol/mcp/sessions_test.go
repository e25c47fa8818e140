package mcp_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"

	"atelier/internal/job"
	"atelier/internal/protocol/mcp"
)

func TestSessionsLeaveNoGoroutines(t *testing.T) {
	h := newTestServer(t)
	use := func() {
		s := h.connect("", true, nil)
		call(t, s, "echo_json", map[string]any{"message": "x"})
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
	use()
	before := settled(0)
	for range 50 {
		use()
	}
	if after := settled(before + 5); after > before+5 {
		t.Errorf("%d goroutines before, %d after fifty sessions", before, after)
	}
}

// settled is the number of goroutines when it does not fall any more, or is low enough.
func settled(enough int) int {
	http.DefaultClient.CloseIdleConnections()
	last := runtime.NumGoroutine()
	for range 50 {
		time.Sleep(50 * time.Millisecond)
		now := runtime.NumGoroutine()
		if now <= enough || enough == 0 && now == last {
			return now
		}
		last = now
	}
	return last
}

func TestAnIdleSessionEndsAndAUsedOneDoesNot(t *testing.T) {
	h := newTestServer(t)
	mcp.SetIdleTimeout(h.protocol, 400*time.Millisecond)
	s := h.connect("", true, nil) // listens with GET, so that it is in use
	idle := h.initialize()
	for range 4 {
		time.Sleep(200 * time.Millisecond)
		call(t, s, "echo_json", map[string]any{"message": "x"})
	}
	response := h.post(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"echo_json","arguments":{"message":"x"}}}`,
		"Mcp-Session-Id", idle, "MCP-Protocol-Version", "2025-11-25")
	if response.StatusCode != http.StatusNotFound {
		t.Errorf("an idle session answers %d", response.StatusCode)
	}
}

// initialize opens a session by hand, which nothing keeps in use.
func (h *testServer) initialize() string {
	h.t.Helper()
	response := h.post(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"b","version":"1"}}}`)
	id := response.Header.Get("Mcp-Session-Id")
	if _, err := io.ReadAll(response.Body); err != nil || id == "" {
		h.t.Fatalf("%v, status %d", err, response.StatusCode)
	}
	h.post(`{"jsonrpc":"2.0","method":"notifications/initialized"}`, "Mcp-Session-Id", id)
	return id
}

func TestAMessageThatIsTooLargeIsRefusedByName(t *testing.T) {
	h := newTestServer(t)
	h.protocol.MaxBodyBytes = 1000
	response := h.post(`{"jsonrpc":"2.0","id":1,"method":"ping","params":{"_meta":{"x":"` + strings.Repeat("x", 1000) + `"}}}`)
	body, _ := io.ReadAll(response.Body)
	if response.StatusCode != http.StatusRequestEntityTooLarge || !strings.Contains(string(body), "larger than 1000 bytes") {
		t.Errorf("%d %s", response.StatusCode, body)
	}
}

// A deleted or invented session is no session, on the short path as elsewhere.
func TestOnlyLiveSessionsAreServed(t *testing.T) {
	h := newTestServer(t)
	id := h.initialize()
	const plainCall = `{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"name":"echo_json","arguments":{"message":"x"}}}`
	status := func(session string) int { return h.post(plainCall, "Mcp-Session-Id", session).StatusCode }
	if got := status(id); got != http.StatusOK {
		t.Errorf("live: %d", got)
	}
	if got := status("INVENTED"); got != http.StatusNotFound {
		t.Errorf("invented: %d", got)
	}
	req, _ := http.NewRequest(http.MethodDelete, h.url, nil)
	req.Header.Set("Mcp-Session-Id", id)
	response, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	response.Body.Close()
	if got := status(id); got != http.StatusNotFound {
		t.Errorf("deleted: %d", got)
	}
}

// The short path answers as the SDK does. What makes a call other than plain
// sends it the other way, so the two can be compared.
func TestTheShortPathAnswersAsTheSDKDoes(t *testing.T) {
	h := newTestServer(t)
	id := h.initialize()
	for _, c := range []struct{ name, arguments string }{
		{"echo_json", `{"message":"hello","n":2}`}, {"echo_json", `{"n":99}`}, {"web.echo", `{"message":"x"}`}, {"web_gone", `{"message":"x"}`}, {"nothing", `{}`},
	} {
		params := fmt.Sprintf(`"name":%q,"arguments":%s`, c.name, c.arguments)
		session := []string{"Mcp-Session-Id", id, "MCP-Protocol-Version", "2025-11-25"}
		modern := []string{"MCP-Protocol-Version", "2026-07-28", "Mcp-Method", "tools/call", "Mcp-Name", c.name}
		for protocol, way := range map[string]struct {
			short, long string
			headers     []string
		}{
			"session": {params, params + `,"_meta":{"progressToken":1}`, session},
			"modern":  {params + metaOf(`{}`), params + strings.Replace(metaOf(`{}`), `"_meta":{`, `"_meta":{"progressToken":1,`, 1), modern},
		} {
			short := h.result(way.short, way.headers)
			long := h.result(way.long, way.headers)
			if short != long {
				t.Errorf("%s %s:\nshort %s\nlong  %s", protocol, c.name, short, long)
			}
		}
	}
}

// result is a response without what differs from call to call.
func (h *testServer) result(params string, headers []string) string {
	h.t.Helper()
	response := h.post(`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{`+params+`}}`, headers...)
	body, _ := io.ReadAll(response.Body)
	for _, line := range strings.Split(string(body), "\n") {
		var told map[string]any
		if json.Unmarshal([]byte(strings.TrimPrefix(line, "data: ")), &told) != nil || told["id"] != 7.0 {
			continue
		}
		if result, ok := told["result"].(map[string]any); ok {
			meta := result["_meta"].(map[string]any)
			if _, given := meta["job_id"]; given {
				meta["job_id"], meta["elapsed_ms"] = "", ""
			}
		}
		same, err := json.Marshal(told) // sorts the names
		if err != nil {
			h.t.Fatal(err)
		}
		return fmt.Sprint(response.StatusCode, " ", string(same))
	}
	h.t.Fatalf("no response: %d %s", response.StatusCode, body)
	return ""
}

func running(j *job.Job) bool   { return j.State == job.Running }
func cancelled(j *job.Job) bool { return j.State == job.Cancelled }

func TestHeadersMustAgreeWithTheBody(t *testing.T) {
	h := newTestServer(t)
	const params = `"name":"echo_json","arguments":{"message":"x"}`
	for _, headers := range [][]string{
		{"Mcp-Method", "tools/list", "Mcp-Name", "echo_json"},
		{"Mcp-Method", "tools/call", "Mcp-Name", "web_echo"},
		{"Mcp-Method", "tools/call"},
		{"Mcp-Name", "echo_json"},
	} {
		all := append([]string{"MCP-Protocol-Version", "2026-07-28"}, headers...)
		response := h.post(`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{`+params+metaOf(`{}`)+`}}`, all...)
		body, _ := io.ReadAll(response.Body)
		if response.StatusCode != http.StatusBadRequest || !strings.Contains(string(body), "-32020") {
			t.Errorf("%v: %d %s", headers, response.StatusCode, body)
		}
	}
}

func TestAClientThatGoesAwayCancelsItsCall(t *testing.T) {
	t.Parallel()
	for _, meta := range []string{metaOf(`{}`), strings.Replace(metaOf(`{}`), `"_meta":{`, `"_meta":{"progressToken":1,`, 1)} {
		h := newTestServer(t)
		ctx, cancel := context.WithCancel(context.Background())
		req, _ := http.NewRequestWithContext(ctx, http.MethodPost, h.url, strings.NewReader(
			`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"slow_compute","arguments":{"seconds":300}`+meta+`}}`))
		for name, value := range map[string]string{"Content-Type": "application/json", "Accept": "application/json, text/event-stream",
			"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": "slow_compute"} {
			req.Header.Set(name, value)
		}
		gone := make(chan struct{})
		go func() {
			if response, err := http.DefaultClient.Do(req); err == nil {
				_, _ = io.ReadAll(response.Body)
				response.Body.Close()
			}
			close(gone)
		}()
		h.await("the job runs", running)
		cancel()
		<-gone
		h.await("the job is cancelled", cancelled)
	}
}

func TestARequestThatAsksForTheLogGetsIt(t *testing.T) {
	t.Parallel()
	h := newTestServer(t)
	meta := strings.Replace(metaOf(`{}`), `"_meta":{`, `"_meta":{"io.modelcontextprotocol/logLevel":"info",`, 1)
	response := h.post(`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"slow_compute","arguments":{"seconds":0.3}`+meta+`}}`,
		"MCP-Protocol-Version", "2026-07-28", "Mcp-Method", "tools/call", "Mcp-Name", "slow_compute")
	body, _ := io.ReadAll(response.Body)
	if !strings.Contains(string(body), `"method":"notifications/message"`) || !strings.Contains(string(body), "step 10 of 10") ||
		strings.Contains(string(body), "notifications/progress") {
		t.Errorf("%s", body)
	}
}

func TestTheCapabilitiesAreTrue(t *testing.T) {
	h := newTestServer(t)
	c := h.connect("", true, nil).InitializeResult().Capabilities
	if c.Extensions[mcp.TasksExtension] == nil || c.Resources == nil || c.Resources.Subscribe || c.Resources.ListChanged || !c.Tools.ListChanged || c.Completions == nil {
		t.Errorf("%+v", c)
	}
}
