package mcp_test

import (
	"bufio"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// thisBinary starts the test binary as a server on its standard input and output.
func thisBinary(t *testing.T) *exec.Cmd {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program)
	cmd.Env = append(os.Environ(), "ATELIER_TEST_STDIO="+t.TempDir())
	cmd.Stderr = os.Stderr
	return cmd
}

func TestStdioListsAndCallsInBothEras(t *testing.T) {
	t.Parallel()
	for _, legacy := range []bool{true, false} {
		s := join(t, &sdk.CommandTransport{Command: thisBinary(t)}, legacy, nil)
		list, err := s.ListTools(context.Background(), nil)
		if err != nil || len(list.Tools) < 3 {
			t.Fatalf("%v %+v", err, list)
		}
		if r := call(t, s, "web_echo", map[string]any{"message": "hello"}); text(r) != `{"status":"ok","message":"hello","repeat":["hello"]}` {
			t.Errorf("%s", text(r))
		}
		if r := call(t, s, "echo_json", map[string]any{"n": 0}); !r.IsError {
			t.Errorf("%s", text(r))
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}

// A client may write all that it wants and close its end at once.
func TestStdioAnswersAClientThatHasLeft(t *testing.T) {
	t.Parallel()
	cmd := thisBinary(t)
	cmd.Stdin = strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"b","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"slow_compute","arguments":{"seconds":0.3}}}
{"jsonrpc":"2.0","id":3,"method":"tools/list"}
`)
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{"1", "2", "3"} {
		if !strings.Contains(string(out), `"id":`+id+`,"result"`) {
			t.Errorf("no response %s in %s", id, out)
		}
	}
}

// Every line of standard output is a message of the protocol, also for a client
// that writes all and leaves; and a subscription to a task works here too.
func TestStdioCarriesNothingButTheProtocol(t *testing.T) {
	t.Parallel()
	cmd := thisBinary(t)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	send := func(line string) {
		if _, err := in.Write([]byte(line + "\n")); err != nil {
			t.Error(err)
		}
	}
	type message struct {
		JSONRPC string
		ID      any
		Method  string
		Result  map[string]any
		Params  map[string]any
	}
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, 1<<20)
	next := func(wanted func(message) bool) message {
		for lines.Scan() {
			var m message
			if err := json.Unmarshal(lines.Bytes(), &m); err != nil || m.JSONRPC != "2.0" {
				t.Fatalf("not a message: %q", lines.Text())
			}
			if wanted(m) {
				return m
			}
		}
		t.Fatal("the server has ended")
		return message{}
	}
	send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"slow_compute","arguments":{"seconds":1}` + metaOf(takesTasks) + `}}`)
	made := next(func(m message) bool { return m.ID == 1.0 })
	id, _ := made.Result["taskId"].(string)
	send(`{"jsonrpc":"2.0","id":2,"method":"subscriptions/listen","params":{"notifications":{"taskIds":["` + id + `"]}` + metaOf(takesTasks) + `}}`)
	next(func(m message) bool { return strings.HasSuffix(m.Method, "/acknowledged") })
	next(func(m message) bool { return m.Method == "notifications/tasks" && m.Params["status"] == "completed" })
	next(func(m message) bool { return m.ID == 2.0 })
	if err := in.Close(); err != nil {
		t.Error(err)
	}
	for lines.Scan() {
		t.Errorf("after the end: %s", lines.Text())
	}
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
}
