package mcp_test

import (
	"encoding/json"
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"
)

// wrongCalls are calls that cannot be served, with the code that JSON-RPC 2.0 gives
// them: -32602 for parameters, -32600 for what is no request now.
var wrongCalls = []struct {
	method, params string // params "": none
	code           float64
	says           string
}{
	{"ping", `[1]`, -32602, "params of ping must be an object, not an array"},
	{"tools/list", `7`, -32602, "params of tools/list must be an object, not a number"},
	{"tools/call", `"x"`, -32602, "must be an object with name and, for most tools, arguments, not a string"},
	{"tools/call", ``, -32602, "tools/call has no params"},
	{"tools/call", `null`, -32602, "tools/call has no params"},
	{"tools/call", `{"name":7}`, -32602, "params.name of tools/call must be a string, not a number"},
	{"tools/call", `{"name":"echo_json","_meta":[]}`, -32602, "params._meta of tools/call must be an object, not an array"},
	{"tools/call", `{"arguments":{}}`, -32602, "params.name of tools/call is missing"},
	{"tools/call", `{"name":""}`, -32602, "params.name of tools/call is empty"},
	{"tools/call", `{"name":"echo_json","_meta":{"progressToken":{}}}`, -32602, "params._meta.progressToken of tools/call must be a string or a whole number, not an object"},
	{"tools/call", `{"name":"echo_json","_meta":{"progressToken":1.5}}`, -32602, "a whole number, not 1.5"},
	{"logging/setLevel", `{}`, -32602, "params.level of logging/setLevel is missing"},
	{"logging/setLevel", `{"level":"shout"}`, -32602, `is "shout"; it must be one of debug, info`},
	{"logging/setLevel", `{"level":7}`, -32602, "params.level of logging/setLevel must be a string, not a number"},
	{"tasks/get", `{}`, -32602, "params.taskId of tasks/get is missing"},
	{"resources/read", `{"uri":{}}`, -32602, "params.uri of resources/read must be a string, not an object"},
	{"prompts/get", `{"name":true}`, -32602, "params.name of prompts/get must be a string, not true or false"},
	{"completion/complete", `{"ref":1}`, -32602, "params.ref of completion/complete must be an object"},
	{"tasks/get", `{"taskId":[]}`, -32602, "params.taskId of tasks/get must be a string, not an array"},
	{"initialize", `[]`, -32602, "params of initialize must be an object with protocolVersion, capabilities and clientInfo, not an array"},
	{"initialize", `{"protocolVersion":7,"capabilities":{},"clientInfo":{"name":"b","version":"1"}}`, -32602, "params.protocolVersion of initialize must be a string, not a number"},
	{"initialize", `{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"b","version":"1"}}`, -32600, "initialized already"},
}

// inside are words that only this program's own source knows.
var inside = regexp.MustCompile(`Go (value|struct)|json:|unmarshal|\*?mcp\.`)

func request(method, params string) string {
	if params != "" {
		params = `,"params":` + params
	}
	return `{"jsonrpc":"2.0","id":6,"method":"` + method + `"` + params + `}`
}

// refused holds an answer against what a call should get.
func refused(t *testing.T, what, answer string, code float64, says string) {
	t.Helper()
	var m struct {
		ID    float64
		Error struct {
			Code    float64
			Message string
		}
	}
	if err := json.Unmarshal([]byte(answer), &m); err != nil || m.ID != 6 || m.Error.Code != code || !strings.Contains(m.Error.Message, says) || inside.MatchString(m.Error.Message) {
		t.Errorf("%s gets %s, want %v %q", what, answer, code, says)
	}
}

func TestWrongCallsAreToldInWords(t *testing.T) {
	t.Parallel()
	h := newTestServer(t)
	session := []string{"Mcp-Session-Id", h.initialize(), "MCP-Protocol-Version", "2025-11-25"}
	for _, c := range wrongCalls {
		line := request(c.method, c.params)
		byID, _ := exchange(t, line)
		refused(t, line, byID["6"], c.code, c.says)
		response := h.post(line, session...)
		body, _ := io.ReadAll(response.Body)
		refused(t, line+" over HTTP", string(body), c.code, c.says)
		if c.code == -32602 && response.StatusCode != http.StatusOK {
			t.Errorf("%s: %d", line, response.StatusCode) // the SDKs of clients would drop the connection
		}
	}
}

// What comes before initialize is an invalid request, and initialize works after it.
func TestCallsBeforeInitialize(t *testing.T) {
	t.Parallel()
	const says = "came before initialize; send initialize"
	h := newTestServer(t)
	for _, method := range []string{"tools/list", "resources/list", "logging/setLevel"} {
		line := request(method, `{"level":"info"}`)
		cmd := thisBinary(t)
		cmd.Stdin = strings.NewReader(line + "\n" + `{"jsonrpc":"2.0","id":7,"method":"initialize","params":{"protocolVersion":"2025-03-26","capabilities":{},"clientInfo":{"name":"b","version":"1"}}}` + "\n")
		out, err := cmd.Output()
		first, second, _ := strings.Cut(string(out), "\n")
		refused(t, line, first, -32600, method+" "+says)
		if err != nil || !strings.Contains(second, `"id":7,"result"`) {
			t.Errorf("%v: %s", err, second)
		}
		response := h.post(line)
		body, _ := io.ReadAll(response.Body)
		refused(t, line+" over HTTP", string(body), -32600, method+" "+says)
		if response.StatusCode != http.StatusBadRequest { // as the protocol asks of a request without its session
			t.Errorf("%s: %d", line, response.StatusCode)
		}
	}
}

// What the SDK refuses itself has its place too, and says what a client of this protocol
// can do: it has no GET.
func TestFaultsOfValuesHaveTheirPlace(t *testing.T) {
	t.Parallel()
	h := newTestServer(t)
	session := []string{"Mcp-Session-Id", h.initialize(), "MCP-Protocol-Version", "2025-11-25"}
	for _, c := range []struct{ method, params, says string }{
		{"tools/list", `{"cursor":"zzz"}`, `params.cursor of tools/list (/params/cursor) is \"zzz\"`},
		{"resources/templates/list", `{"cursor":"zzz"}`, "params.cursor of resources/templates/list (/params/cursor)"},
		{"tools/call", `{"name":"nothing_alike"}`, `"hint":"tools/list names all tools."`},
		{"tools/call", `{"name":"echo_jsn"}`, `"field":"/params/name"`},
	} {
		line := request(c.method, c.params)
		byID, _ := exchange(t, line)
		body, _ := io.ReadAll(h.post(line, session...).Body)
		for _, answer := range []string{byID["6"], string(body)} {
			if !strings.Contains(answer, c.says) || strings.Contains(answer, "GET /v1") {
				t.Errorf("%s gets %s, want %s", line, answer, c.says)
			}
		}
	}
}
