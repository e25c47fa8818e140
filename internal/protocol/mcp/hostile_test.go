package mcp_test

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"atelier/internal/protocol/mcp"
)

// No message is a fault of the server, on whatever path it is served.
func TestMalformedMessagesAreRefused(t *testing.T) {
	h := newTestServer(t)
	session := []string{"Mcp-Session-Id", h.initialize(), "MCP-Protocol-Version", "2025-11-25"}
	modern := []string{"MCP-Protocol-Version", "2026-07-28", "Mcp-Method", "tools/call", "Mcp-Name", "echo_json"}
	params := func(text string) string {
		return `{"jsonrpc":"2.0","id":3,"method":"tools/call","params":` + text + `}`
	}
	meta := metaOf(`{}`)
	for _, body := range []string{
		"", "null", "[]", "{", `"x"`, "\xff\xfe", "{}", strings.Repeat("[", 100_000),
		`{"jsonrpc":"1.0","id":3,"method":"tools/call","params":{"name":"echo_json"}}`,
		`{"jsonrpc":"2.0","id":null,"method":"tools/call","params":{"name":"echo_json","arguments":{"message":"x"}` + meta + `}}`,
		`{"jsonrpc":"2.0","id":{},"method":"tools/call","params":{"name":"echo_json","arguments":{"message":"x"}` + meta + `}}`,
		`{"jsonrpc":"2.0","id":1.5,"method":"tools/call","params":{"name":"echo_json","arguments":{"message":"x"}` + meta + `}}`,
		`{"jsonrpc":"2.0","id":3,"method":7}`,
		`{"jsonrpc":"2.0","id":3,"method":"tools/call"}`,
		params(`[]`), params(`null`), params(`{}`), params(`{"name":7` + meta + `}`), params(`{"name":"echo_json","_meta":7}`),
		params(`{"name":"echo_json","arguments":"text"` + meta + `}`), params(`{"name":"echo_json","arguments":[1]` + meta + `}`),
		params(`{"name":"echo_json","arguments":null` + meta + `}`), params(`{"name":"echo_json"` + meta + `}`),
		params("{\"name\":\"echo_json\",\"arguments\":{\"message\":\"\xff\"}" + meta + "}"),
		params(`{"name":"echo_json","arguments":{"message":"x"},"_meta":{"limits":7}}`),
		params(`{"name":"echo_json","arguments":{"message":"x"},"_meta":{"idempotency_key":7}}`),
		strings.Replace(params(`{"taskId":7`+metaOf(takesTasks)+`}`), "tools/call", "tasks/get", 1),
		strings.Replace(params(`{"notifications":{"taskIds":7}`+metaOf(takesTasks)+`}`), "tools/call", "subscriptions/listen", 1),
	} {
		for _, headers := range [][]string{nil, session, modern} {
			response := h.post(body, headers...)
			answer, _ := io.ReadAll(response.Body)
			told := string(answer)
			if response.StatusCode >= 500 || response.StatusCode == http.StatusOK && !strings.Contains(told, `"isError":true`) && !strings.Contains(told, `"error":`) {
				t.Errorf("%.100q with %v: %d %.300s", body, headers, response.StatusCode, told)
			}
		}
	}
	if response := h.post(params(`{"name":"echo_json","arguments":{"message":"x"}}`), session...); response.StatusCode != http.StatusOK {
		t.Errorf("afterwards a good call gets %d", response.StatusCode)
	}
}

func TestSessionsAreBounded(t *testing.T) {
	h := newTestServer(t)
	mcp.SetMaxSessions(h.protocol, 2)
	first := h.connect("", true, nil)
	h.connect("", true, nil)
	const initialize = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"b","version":"1"}}}`
	response := h.post(initialize)
	body, _ := io.ReadAll(response.Body)
	if response.StatusCode != http.StatusTooManyRequests || !strings.Contains(string(body), "2 sessions") {
		t.Errorf("%d %s", response.StatusCode, body)
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	for range 100 { // the session leaves when its connection has closed
		if response = h.post(initialize); response.StatusCode == http.StatusOK {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	t.Errorf("a place was left, and the answer is %d", response.StatusCode)
}
