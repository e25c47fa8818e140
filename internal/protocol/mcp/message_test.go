package mcp_test

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"
)

// faults are messages that no server can take, with the code that JSON-RPC 2.0
// (section 5.1) has for them: -32700 for what is no JSON, -32600 for what is no
// request, -32601 for a method that is not there.
var faults = []struct {
	text string
	code int
	says string
}{
	{`{"jsonrpc":"2.0","id":7,"method":"ping","params":{"a":NaN}}`, -32700, "(line 1, column 55)"},
	{"\ufeff" + `{"jsonrpc":"2.0","id":7,"method":"ping"}`, -32700, "byte order mark"},
	{`{"jsonrpc":"2.0","id":7,"method":"nope"}`, -32601, `there is no method "nope"`},
	{`{"jsonrpc":"2.0","id":7,"method":"tool/list"}`, -32601, `did you mean "tools/list"?`},
	{`{"jsonrpc":"2.0","id":7,"method":""}`, -32601, `there is no method ""`},
	{`{"jsonrpc":"2.0","id":7,"method":"notifications/initialized"}`, -32600, "without an id"},
	{`{"jsonrpc":"1.0","id":7,"method":"ping"}`, -32600, `jsonrpc must be "2.0"`},
	{`{"id":7,"method":"ping"}`, -32600, `jsonrpc must be "2.0"`},
	{`{"jsonrpc":"2.0","id":null,"method":"ping"}`, -32600, "the id must be"},
	{`{"jsonrpc":"2.0","id":7,"id":8,"method":"ping"}`, -32600, "/id stands twice"},
	{`{"jsonrpc":"2.0","id":7,"method":"nope","method":"ping"}`, -32600, "/method stands twice"},
	{`{"jsonrpc":"2.0","id":7,"method":"ping","Method":"nope"}`, -32600, `Did you mean "method"?`},
	{`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"echo_json","name":"web_echo","arguments":{"message":"x"}}}`, -32600, "params cannot be read with certainty: /name stands twice"},
	{`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"echo_json","Name":"web_echo","arguments":{"message":"x"}}}`, -32600, `Did you mean "name"?`},
	{`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"echo_json","arguments":{"message":"x","a":1,"a":2},"arguments":{"message":"x"}}}`, -32600, "/arguments stands twice"},
	{`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"echo_json","_meta":{"a":1,"a":2}}}`, -32600, "/_meta/a stands twice"},
	{`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"echo_json","arguments":{"message":` + strings.Repeat("[", 1005) + strings.Repeat("]", 1005) + `}}}`, -32600, "nested more than 1000 deep"},
	{"[]", -32600, "the batch is empty"},
	{`{"jsonrpc":"2.0","id":"\ud800","method":"ping"}`, -32600, "/id is not good JSON: invalid surrogate pair"},
	{"{\"jsonrpc\":\"2.0\",\"id\":\"\xff\",\"method\":\"ping\"}", -32600, "/id is not good JSON: invalid UTF-8"},
	{"{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"tools/call\",\"params\":{\"name\":\"\xff\"}}", -32600, "/params/name is not good JSON: invalid UTF-8"},
	{"{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"tools/call\",\"params\":{\"arguments\":{\"a\":1,\"a\":2},\"name\":\"echo\xff\"}}", -32600, "/params/name is not good JSON: invalid UTF-8"},
	{`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"echo_json","_meta":{"limits":{"timeout_ms":1,"timeout_ms":20000}}}}`, -32600, "/params/_meta/limits/timeout_ms stands twice"},
	{`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"arguments":{"a":1,"a":2},"name":"echo_json","_meta":{"limits":{"memory_mb":1,"memory_mb":2}}}}`, -32600, "/params/_meta/limits/memory_mb stands twice"},
	{`{"jsonrpc":"2.0","id":7,"method":"ping","params":{"x":{"a":1,"a":2}}}`, -32600, "/params/x/a stands twice"},
	{`{"jsonrpc":"2.0","id":7,"method":"ping","result":{}}`, -32600, "either a method, as a call, or a result"},
	{`{"jsonrpc":"2.0","id":7,"method":"ping","error":{"code":1,"message":"m"}}`, -32600, "either a method, as a call, or a result"},
	{`{"jsonrpc":"2.0","id":7,"result":{},"error":{"code":1,"message":"m"}}`, -32600, "either a result or an error"},
	{`{"jsonrpc":"2.0","id":1.0,"method":"ping"}`, -32600, "in digits alone (7, not 7.0"},
}

func told(t *testing.T, text, answer string, code int, says string) {
	t.Helper()
	var m struct {
		JSONRPC string
		Error   struct {
			Code    int
			Message string
		}
	}
	if err := json.Unmarshal([]byte(answer), &m); err != nil || m.JSONRPC != "2.0" || m.Error.Code != code || !strings.Contains(m.Error.Message, says) || strings.Contains(m.Error.Message, "unmarshal") || strings.Contains(m.Error.Message, "json:") {
		t.Errorf("%.140q gets %.300s, want %d %q", text, answer, code, says)
	}
}

// Over HTTP, in a session and without one, the answer is a message of JSON-RPC, as
// on a line.
func TestFaultsOfMessagesAreMessagesOverHTTP(t *testing.T) {
	h := newTestServer(t)
	session := []string{"Mcp-Session-Id", h.initialize(), "MCP-Protocol-Version", "2025-11-25"}
	for _, row := range faults {
		for _, headers := range [][]string{session, {"MCP-Protocol-Version", "2026-07-28"}, nil} {
			response := h.post(row.text, headers...)
			body, _ := io.ReadAll(response.Body)
			if kind := response.Header.Get("Content-Type"); kind != "application/json" {
				t.Errorf("%.140q: %s", row.text, kind)
			}
			told(t, row.text, string(body), row.code, row.says)
		}
	}
	response := h.post(`{"jsonrpc":"2.0","method":"ping"}`, session...)
	body, _ := io.ReadAll(response.Body)
	told(t, "ping without an id", string(body), -32600, "give it an id")
}

func TestFaultsOfMessagesAreMessagesOnLines(t *testing.T) {
	t.Parallel()
	cmd := thisBinary(t)
	text := `{"jsonrpc":"2.0","id":"first","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"b","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
`
	for _, row := range faults {
		text += row.text + "\n"
	}
	cmd.Stdin = strings.NewReader(text)
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range faults {
		quoted, _ := json.Marshal(row.says)
		found := ""
		for line := range strings.Lines(string(out)) { // in any order: some are answered behind the others
			if strings.Contains(line, strings.Trim(string(quoted), `"`)) && strings.Contains(line, fmt.Sprintf(`"code":%d`, row.code)) {
				found = line
			}
		}
		told(t, row.text, found, row.code, row.says)
	}
}

// A key that stands twice among the arguments is the tool's to tell, as before: with
// its place, as the answer of the call. Other methods take what they do not know.
func TestArgumentsAreTheToolsToRead(t *testing.T) {
	h := newTestServer(t)
	session := []string{"Mcp-Session-Id", h.initialize(), "MCP-Protocol-Version", "2025-11-25"}
	for text, want := range map[string]string{
		`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"web_echo","arguments":{"message":"x","message":"y"}}}`: "/message stands twice",
		`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"web_echo","arguments":{"message":"x"},"later":1}}`:     `"result"`,
		`{"jsonrpc":"2.0","id":7,"method":"ping","params":{"Name":1},"trace":{"a":1}}`:                                          `"result"`,
	} {
		response := h.post(text, session...)
		if body, _ := io.ReadAll(response.Body); !strings.Contains(string(body), want) {
			t.Errorf("%s: %s", text, body)
		}
	}
}
