package mcp_test

import (
	"context"
	"encoding/json"
	"io"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"atelier/internal/job"
)

func TestToolsAreListedAsTheirContractsSay(t *testing.T) {
	eachWay(t, textBody, func(t *testing.T, s *sdk.ClientSession, _ bool) {
		list, err := s.ListTools(context.Background(), nil)
		if err != nil {
			t.Fatal(err)
		}
		byName := map[string]*sdk.Tool{}
		for _, tool := range list.Tools {
			byName[tool.Name] = tool
		}
		if byName["web_echo"] == nil || byName["web.echo"] != nil {
			t.Error("tools are listed by alias")
		}
		if byName["web_gone"] != nil {
			t.Error("a tool whose engine is missing is listed")
		}
		write := byName["write_text_artifact"]
		if write == nil || write.Annotations == nil {
			t.Fatalf("write_text_artifact: %+v", write)
		}
		a := write.Annotations // effects of its contract: writes nothing outside its job, may be repeated
		if a.ReadOnlyHint || *a.DestructiveHint || !a.IdempotentHint || *a.OpenWorldHint || a.Title != "Write a text artifact" {
			t.Errorf("annotations %+v", a)
		}
		output, _ := json.Marshal(byName["echo_json"].OutputSchema)
		if !strings.Contains(string(output), `"maxItems":64`) {
			t.Errorf("output schema %s", output)
		}
	})
}

func TestACallIsAJobWithStructuredOutputAndItsMirror(t *testing.T) {
	eachWay(t, textBody, func(t *testing.T, s *sdk.ClientSession, _ bool) {
		r := call(t, s, "echo_json", map[string]any{"message": "hello", "n": 2})
		structured, _ := json.Marshal(r.StructuredContent)
		const want = `{"message":"hello","repeat":["hello","hello"]}`                         // api/spec/execute.md's description of echo_json
		if r.IsError || string(structured) != want || text(r) != `{"status":"ok",`+want[1:] { // api/spec/notebooks.md: every answer has its status
			t.Errorf("structured %s, text %s", structured, text(r))
		}
		if id, _ := r.Meta["job_id"].(string); !strings.HasPrefix(id, "job_") {
			t.Errorf("_meta %v", r.Meta)
		}
		if r.Meta["confidence"] != 1.0 { // the contract says exact, and /v1/invocations answers 1 too
			t.Errorf("_meta %v", r.Meta)
		}
		if _, ok := r.Meta["elapsed_ms"].(float64); !ok {
			t.Errorf("_meta %v", r.Meta)
		}
	})
}

func TestACallTakesNamesAndAliases(t *testing.T) {
	h := newTestServer(t)
	for _, query := range []string{"", "?names=canonical"} {
		for _, legacy := range []bool{true, false} {
			s := h.connect(query, legacy, nil)
			for _, name := range []string{"web.echo", "web_echo"} {
				if r := call(t, s, name, map[string]any{"message": "x"}); r.IsError {
					t.Errorf("%s %s: %s", query, name, text(r))
				}
			}
		}
	}
}

func TestAllFaultsOfTheArgumentsAreToldAtOnce(t *testing.T) {
	eachWay(t, textBody, func(t *testing.T, s *sdk.ClientSession, _ bool) {
		r := call(t, s, "echo_json", map[string]any{"n": 200, "colour": "red"})
		var received struct {
			Status    string
			ErrorCode string `json:"error_code"`
			Errors    []struct{ Code, Field, Expected, Actual string }
		}
		if err := json.Unmarshal([]byte(text(r)), &received); err != nil || !r.IsError {
			t.Fatalf("%v: %s", err, text(r))
		}
		fields := map[string]string{}
		for _, e := range received.Errors {
			fields[e.Field] = e.Expected
		}
		if _, missing := fields["/message"]; !missing || fields["/n"] != "at most 64" || len(received.Errors) != 3 {
			t.Errorf("the three faults are %+v", received.Errors)
		}
		if received.Status != "error" || received.ErrorCode != "invalid_request" {
			t.Errorf("%+v", received)
		}
		if structured, _ := r.Meta["errors"].([]any); len(structured) != 3 || r.StructuredContent != nil {
			t.Errorf("_meta %v, structured %v", r.Meta, r.StructuredContent)
		}
	})
}

func TestNumbersKeepAllTheirDigits(t *testing.T) {
	for _, legacy := range []bool{true, false} {
		h := newTestServer(t)
		const digits = "0.000000000000000000012345678901234567890" // more than a float64 holds
		call(t, h.connect("", legacy, nil), "slow_compute", json.RawMessage(`{"seconds":`+digits+`}`))
		j := h.await("the job has ended", func(j *job.Job) bool { return j.State == job.Succeeded })
		if !strings.Contains(string(j.Input), digits) {
			t.Errorf("the job got %s", j.Input)
		}
	}
}

func TestAnUnknownToolIsRefusedWithTheNearestName(t *testing.T) {
	eachWay(t, textBody, func(t *testing.T, s *sdk.ClientSession, _ bool) {
		_, err := s.CallTool(context.Background(), &sdk.CallToolParams{Name: "echo_jsn"})
		if err == nil || !strings.Contains(err.Error(), `did you mean "echo_json"?`) {
			t.Errorf("%v", err)
		}
	})
}

func TestAToolWithoutItsEngineSaysWhatToDo(t *testing.T) {
	eachWay(t, textBody, func(t *testing.T, s *sdk.ClientSession, _ bool) {
		r := call(t, s, "web_gone", map[string]any{"message": "x"})
		if !r.IsError || !strings.Contains(text(r), "Run make engines.") {
			t.Errorf("%s", text(r))
		}
	})
}

func TestProgressGrowsToItsEnd(t *testing.T) {
	t.Parallel()
	type seen struct {
		at      float64
		message string
	}
	var received chan seen
	options := func() *sdk.ClientOptions {
		received = make(chan seen, 100)
		mine := received
		return &sdk.ClientOptions{ProgressNotificationHandler: func(_ context.Context, req *sdk.ProgressNotificationClientRequest) {
			mine <- seen{req.Params.Progress, req.Params.Message}
		}}
	}
	eachWay(t, options, func(t *testing.T, s *sdk.ClientSession, _ bool) {
		params := &sdk.CallToolParams{Name: "slow_compute", Arguments: map[string]any{"seconds": 0.9, "label": "nap"}}
		params.SetProgressToken("mine")
		r, err := s.CallTool(context.Background(), params)
		if err != nil || r.IsError {
			t.Fatalf("%v %v", err, r)
		}
		// The client hands notifications on beside the result, so that the last may
		// be read a little after it.
		last, count, late := 0.0, 0, time.After(10*time.Second)
		for last < 100 {
			var p seen
			select {
			case p = <-received:
			case <-late:
				t.Fatalf("%d notifications, the last at %g", count, last)
			}
			if p.at <= last || p.at > 100 || p.message != "nap" {
				t.Errorf("%+v after %g", p, last)
			}
			last = p.at
			count++
		}
		if count < 3 || last != 100 { // ten steps of 90 ms, received at most every 100 ms
			t.Errorf("%d notifications, the last at %g", count, last)
		}
	})
}

func TestCancellationEndsTheJob(t *testing.T) {
	t.Parallel()
	for _, legacy := range []bool{true, false} {
		for _, token := range []any{nil, "mine"} {
			h := newTestServer(t)
			s := h.connect("", legacy, nil)
			ctx, cancel := context.WithCancel(context.Background())
			ended := make(chan error, 1)
			go func() {
				params := &sdk.CallToolParams{Name: "slow_compute", Arguments: map[string]any{"seconds": 300}}
				if token != nil {
					params.SetProgressToken(token)
				}
				_, err := s.CallTool(ctx, params)
				ended <- err
			}()
			h.await("the job runs", running)
			cancel()
			if err := <-ended; err == nil {
				t.Error("the call was not cancelled")
			}
			h.await("the job is cancelled", cancelled)
		}
	}
}

// await waits until the only job is as it should be.
func (h *testServer) await(what string, is func(*job.Job) bool) *job.Job {
	h.t.Helper()
	for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		page, err := h.protocol.Jobs.List(context.Background(), job.Filter{Limit: 2})
		if err != nil {
			h.t.Fatal(err)
		}
		if len(page.Jobs) == 1 && is(page.Jobs[0]) {
			return page.Jobs[0]
		}
	}
	h.t.Fatalf("never: %s", what)
	return nil
}

func TestArtifactsAreLinkedReadAndTakenByFileArguments(t *testing.T) {
	eachWay(t, textBody, func(t *testing.T, s *sdk.ClientSession, _ bool) {
		r := call(t, s, "write_text_artifact", map[string]any{"text": "grüße\n", "filename": "a note.txt"})
		var link *sdk.ResourceLink
		for _, c := range r.Content {
			if l, ok := c.(*sdk.ResourceLink); ok {
				link = l
			}
		}
		if link == nil || link.Name != "a note.txt" || *link.Size != int64(len("grüße\n")) || !strings.HasPrefix(link.MIMEType, "text/plain") {
			t.Fatalf("%+v", link)
		}
		read, err := s.ReadResource(context.Background(), &sdk.ReadResourceParams{URI: link.URI})
		if err != nil || len(read.Contents) != 1 || read.Contents[0].Text != "grüße\n" {
			t.Errorf("%v %+v", err, read)
		}
		if r := call(t, s, "read_note", map[string]any{"message": link.URI}); !strings.Contains(text(r), `"grüße\n"`) {
			t.Errorf("the link as a file argument: %s", text(r))
		}
		templates, err := s.ListResourceTemplates(context.Background(), nil)
		if err != nil || len(templates.ResourceTemplates) != 1 {
			t.Errorf("%v %+v", err, templates)
		}
		if _, err := s.ReadResource(context.Background(), &sdk.ReadResourceParams{URI: link.URI + "x"}); err == nil {
			t.Error("an artifact that does not exist was read")
		}
	})
}

func TestALargeArtifactIsNotReadInPart(t *testing.T) {
	t.Parallel()
	h := newTestServer(t)
	s := h.connect("", false, nil)
	r := call(t, s, "write_text_artifact", map[string]any{"text": strings.Repeat("x", 900_000)})
	id, _ := r.Meta["job_id"].(string)
	uri := "atelier://local/v1/jobs/" + id + "/artifacts/note.txt"
	if read, err := s.ReadResource(context.Background(), &sdk.ReadResourceParams{URI: uri}); err != nil || len(read.Contents[0].Text) != 900_000 {
		t.Errorf("below the limit: %v", err)
	}
	// The body limit of a message is 32 MiB here; the gate's of 1 MiB is for other routes.
	r = call(t, s, "write_text_artifact", map[string]any{"text": strings.Repeat("x", 1<<20+1)})
	id, _ = r.Meta["job_id"].(string)
	uri = "atelier://local/v1/jobs/" + id + "/artifacts/note.txt"
	_, err := s.ReadResource(context.Background(), &sdk.ReadResourceParams{URI: uri})
	if err == nil || !strings.Contains(err.Error(), "1048577 bytes") || !strings.Contains(err.Error(), "/v1/jobs/"+id) {
		t.Errorf("%v", err)
	}
}

func TestPromptsAreOnlyThoseWhoseToolsAreThere(t *testing.T) {
	h := newTestServer(t)
	prompts, err := h.connect("", false, nil).ListPrompts(context.Background(), nil)
	if err != nil || len(prompts.Prompts) != 0 {
		t.Errorf("%v %+v", err, prompts)
	}
}

func TestASelectionIsAServerOfItsOwn(t *testing.T) {
	h := newTestServer(t)
	for _, query := range []string{"?family=web", "?family=web-fetch", "?tools=web.*&names=canonical"} {
		s := h.connect(query, true, nil)
		list, err := s.ListTools(context.Background(), nil)
		if err != nil || len(list.Tools) != 1 || !strings.HasSuffix(list.Tools[0].Name, "echo") {
			t.Errorf("%s: %v %+v", query, err, list)
		}
		if _, err := s.CallTool(context.Background(), &sdk.CallToolParams{Name: "echo_json"}); err == nil {
			t.Errorf("%s: a tool outside the selection was called", query)
		}
	}
	response := h.post(`{}`) // and a slip of the pen is received
	_ = response.Body.Close()
	h.url += "?family=wbe"
	response = h.post(`{"jsonrpc":"2.0","id":1,"method":"ping"}`)
	body, _ := io.ReadAll(response.Body)
	if response.StatusCode != 400 || !strings.Contains(string(body), "Families are") {
		t.Errorf("%d %s", response.StatusCode, body)
	}
}
