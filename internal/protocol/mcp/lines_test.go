package mcp_test

import (
	"encoding/json"
	"strings"
	"testing"
)

// exchange writes lines to the program and reads what it says until it ends: the
// responses by their ids, and those without one by their codes.
func exchange(t *testing.T, lines ...string) (byID map[string]string, nobody []float64) {
	t.Helper()
	cmd := thisBinary(t)
	cmd.Stdin = strings.NewReader(`{"jsonrpc":"2.0","id":"first","method":"initialize","params":{"protocolVersion":"2025-03-26","capabilities":{},"clientInfo":{"name":"b","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
` + strings.Join(lines, "\n"))
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%.200q ends the program: %v\n%s", lines, err, out)
	}
	byID = map[string]string{}
	for line := range strings.Lines(string(out)) {
		var m struct {
			ID     json.RawMessage
			Method string
			Error  struct{ Code float64 }
		}
		switch err := json.Unmarshal([]byte(line), &m); {
		case line[0] == '[':
			byID["batch"] = line
		case err != nil:
			t.Errorf("not a message: %q", line)
		case m.Method != "":
		case string(m.ID) == "null":
			nobody = append(nobody, m.Error.Code)
		default:
			byID[string(m.ID)] = line
		}
	}
	return byID, nobody
}

// No line ends the program: what is no message is answered with the code that
// JSON-RPC has for it, and the calls around it get their responses.
func TestStdioGoesOnAfterABadLine(t *testing.T) {
	t.Parallel()
	const before = `{"jsonrpc":"2.0","id":"before","method":"tools/call","params":{"name":"slow_compute","arguments":{"seconds":0.2}}}`
	const after = `{"jsonrpc":"2.0","id":"after","method":"ping"}`
	for _, row := range []struct {
		line, id string // "": null
		code     float64
	}{
		{"not json", "", -32700},
		{"\xff\xfe", "", -32700},
		{`{"jsonrpc":"2.0","id":6,"method":"ping"`, "", -32700},
		{after + " " + after, "", -32700},
		{"[]", "", -32600}, {"7", "", -32600}, {"null", "", -32600}, {`"x"`, "", -32600}, {"{}", "", -32600},
		{`{"jsonrpc":"1.0","id":6,"method":"ping"}`, "6", -32600},
		{`{"jsonrpc":"2.0","id":6,"method":7}`, "6", -32600},
		{`{"jsonrpc":"2.0","id":6,"method":null}`, "6", -32600},
		{`{"jsonrpc":"2.0","id":6}`, "6", -32600},
		{`{"jsonrpc":"2.0","id":6,"error":7}`, "6", -32600},
		{`{"jsonrpc":"2.0","id":1.5,"method":"ping"}`, "1.5", -32600},
		{`{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}`, "9007199254740993", -32600},
		{`{"jsonrpc":"2.0","id":{},"method":"ping"}`, "", -32600},
		{`{"jsonrpc":"2.0","id":null,"method":"ping"}`, "", -32600},
		{`{"jsonrpc":"2.0","id":6,"method":"ping","params":` + strings.Repeat("[", 5000) + strings.Repeat("]", 5000) + "}", "6", -32600},
		{`{"jsonrpc":"2.0","id":6,"method":"ping","params":"` + strings.Repeat("x", 64<<20) + `"}`, "", -32600},
	} {
		byID, nobody := exchange(t, before, row.line, "", after)
		for _, id := range []string{"first", "before", "after"} {
			if !strings.Contains(byID[`"`+id+`"`], `"result"`) {
				t.Errorf("%.100q: no response to %s: %.300v", row.line, id, byID)
			}
		}
		if row.id == "" {
			if len(nobody) != 1 || nobody[0] != row.code {
				t.Errorf("%.100q gets %v, want %v", row.line, nobody, row.code)
			}
			continue
		}
		var answer struct{ Error struct{ Code float64 } }
		if err := json.Unmarshal([]byte(byID[row.id]), &answer); err != nil || answer.Error.Code != row.code || len(nobody) > 0 {
			t.Errorf("%.100q gets %s and %v, want %v", row.line, byID[row.id], nobody, row.code)
		}
	}
}

// A response that nobody waits for, a method that there is not and a call that is
// made twice end nothing either.
func TestStdioGoesOnAfterOddMessages(t *testing.T) {
	t.Parallel()
	slow := `{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"slow_compute","arguments":{"seconds":0.2}}}`
	byID, nobody := exchange(t, `{"jsonrpc":"2.0","id":77,"result":{}}`, `{"jsonrpc":"2.0","id":78,"error":{"code":1,"message":"x"}}`,
		`{"jsonrpc":"2.0","id":2,"method":""}`, `{"jsonrpc":"2.0","id":3,"method":"ping","params":[1]}`, slow, slow, "  \r", `{"jsonrpc":"2.0","id":5,"method":"ping"}`+"\r")
	if len(nobody) > 0 || !strings.Contains(byID["2"], `"error"`) || byID["3"] == "" || byID["4"] == "" || !strings.Contains(byID["5"], `"result"`) {
		t.Errorf("%v %v", byID, nobody)
	}
}

// A batch gets one array, with a response to each call, and none to what needs none.
func TestStdioAnswersABatchByABatch(t *testing.T) {
	t.Parallel()
	byID, nobody := exchange(t, `[{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"name":"slow_compute","arguments":{"seconds":0.2}}},`+
		`{"jsonrpc":"2.0","method":"notifications/x"},{"jsonrpc":"2.0","method":"notifications/x"},{"jsonrpc":"2.0","id":"a","method":"ping"},7,{"jsonrpc":"2.0","id":2,"method":"ping"}]`,
		`{"jsonrpc":"2.0","id":3,"method":"ping"}`)
	var answers []struct {
		ID     any
		Result any
		Error  *struct{ Code int }
	}
	if err := json.Unmarshal([]byte(byID["batch"]), &answers); err != nil || len(answers) != 4 || byID["3"] == "" || len(nobody) > 0 {
		t.Fatalf("%v %v %v", err, byID, nobody)
	}
	for _, a := range answers {
		if good := a.ID == "a" && a.Result != nil || a.ID == 2.0 && a.Result != nil || (a.ID == "a" || a.ID == nil) && a.Error != nil && a.Error.Code == -32600; !good {
			t.Errorf("%+v in %s", a, byID["batch"])
		}
	}
}

// A call with the id of one that has no response yet gets an answer too (JSON-RPC 2.0,
// section 5: every request but a notification has a response), and the id is free again
// behind the response.
func TestStdioAnswersBothCallsWithOneID(t *testing.T) {
	t.Parallel()
	const slow = `{"jsonrpc":"2.0","id":"twin","method":"tools/call","params":{"name":"slow_compute","arguments":{"seconds":0.3}}}`
	count := func(out string) (results, refusals int) {
		for line := range strings.Lines(out) {
			if strings.Contains(line, `"id":"twin"`) {
				results += strings.Count(line, `"result"`)
				refusals += strings.Count(line, "another call with this id has no response yet")
			}
		}
		return results, refusals
	}
	for _, lines := range []string{slow + "\n" + slow, slow + "\n[" + slow + "]", "[" + slow + "]\n" + slow} {
		cmd := thisBinary(t)
		cmd.Stdin = strings.NewReader(`{"jsonrpc":"2.0","id":"first","method":"initialize","params":{"protocolVersion":"2025-03-26","capabilities":{},"clientInfo":{"name":"b","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
` + lines + "\n")
		out, err := cmd.Output()
		if results, refusals := count(string(out)); err != nil || results != 1 || refusals != 1 {
			t.Errorf("%s: %v, %d results and %d refusals in %s", lines, err, results, refusals, out)
		}
	}
	byID, _ := exchange(t, slow)
	if !strings.Contains(byID[`"twin"`], `"result"`) {
		t.Errorf("%s", byID[`"twin"`])
	}
}
