package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"atelier/internal/engine"
	"atelier/internal/testenv"
)

func TestMain(m *testing.M) {
	engine.SandboxMain()
	os.Exit(m.Run())
}

// server is the whole program behind a loopback address, with a folder of its own.
type server struct {
	t    *testing.T
	url  string
	root string // the only folder whose paths are allowed
	data string
	app  *app
}

func start(t *testing.T, change func(*serveCmd)) *server {
	t.Helper()
	root := t.TempDir()
	cmd := &serveCmd{Addr: "127.0.0.1:0", MaxBodyBytes: 1 << 20, MaxUploadBytes: 1 << 20}
	cmd.storage = storage{Data: t.TempDir(), Root: []string{root}, Threads: 2, LogLevel: "error", Engines: testenv.Engines()}
	if change != nil {
		change(cmd)
	}
	a, err := open(context.Background(), setup{
		storage: cmd.storage, narrowing: cmd.narrowing, modelFlags: cmd.modelFlags, quota: cmd.QuotaBytes, warm: cold,
	})
	if err != nil {
		t.Fatal(err)
	}
	web := httptest.NewServer(cmd.handler(a))
	t.Cleanup(func() {
		web.CloseClientConnections()
		web.Close()
		if err := a.close(context.Background()); err != nil {
			t.Errorf("stop: %v", err)
		}
	})
	return &server{t: t, url: web.URL, root: root, data: cmd.Data, app: a}
}

type reply struct {
	status int
	header http.Header
	raw    []byte
	body   map[string]any
}

func (s *server) do(method, path, contentType string, body io.Reader, headers ...string) reply {
	s.t.Helper()
	req, err := http.NewRequest(method, s.url+path, body)
	if err != nil {
		s.t.Fatal(err)
	}
	if contentType != "" {
		req.Header.Set("Content-Type", contentType)
	}
	for i := 0; i+1 < len(headers); i += 2 {
		if headers[i] == "Host" {
			req.Host = headers[i+1]
		}
		req.Header.Set(headers[i], headers[i+1])
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		s.t.Fatal(err)
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	r := reply{status: resp.StatusCode, header: resp.Header, raw: raw}
	_ = json.Unmarshal(raw, &r.body) // not every body is JSON
	return r
}

func (s *server) get(path string) reply { s.t.Helper(); return s.do("GET", path, "", nil) }

func (s *server) post(path, body string, headers ...string) reply {
	s.t.Helper()
	return s.do("POST", path, "application/json", strings.NewReader(body), headers...)
}

func (s *server) execute(tool, input string) reply {
	s.t.Helper()
	return s.post("/v1/tools/execute", fmt.Sprintf(`{"tool":%q,"input":%s}`, tool, input))
}

// at walks a decoded JSON value.
func (r reply) at(path ...any) any {
	var v any = r.body
	for _, p := range path {
		switch key := p.(type) {
		case string:
			m, _ := v.(map[string]any)
			v = m[key]
		case int:
			l, _ := v.([]any)
			if key >= len(l) {
				return nil
			}
			v = l[key]
		}
	}
	return v
}

func TestToolsListAndFilters(t *testing.T) {
	s := start(t, nil)
	all := s.get("/v1/tools")
	names := []string{}
	for _, d := range all.at("tools").([]any) {
		names = append(names, d.(map[string]any)["name"].(string))
	}
	for i := 1; i < len(names); i++ {
		if names[i-1] >= names[i] {
			t.Fatalf("not sorted: %v", names)
		}
	}
	if again := s.get("/v1/tools"); !bytes.Equal(all.raw, again.raw) {
		t.Fatal("the list is not deterministic")
	}
	if r := s.get("/v1/tools?stability=stable"); len(r.at("tools").([]any)) != 2 {
		t.Fatalf("%s", r.raw)
	}
	if r := s.get("/v1/tools?tags=UTIL,io"); len(r.at("tools").([]any)) < 2 {
		t.Fatalf("%s", r.raw)
	}
	for query, want := range map[string]int{"?family=util": 2, "?tools=circuits_*": 1, "?family=util&tools=circuits.simulate": 3, "?family=util&stability=experimental": 0} {
		if r := s.get("/v1/tools" + query); len(r.at("tools").([]any)) != want {
			t.Fatalf("%s: %s", query, r.raw)
		}
	}
	if r := s.get("/v1/tools?family=nobody"); r.status != 400 || r.at("error", "details", "field") != "family" {
		t.Fatalf("%d %s", r.status, r.raw)
	}
	for _, query := range []string{"?stability=beta", "?stability=", "?stability=Stable"} {
		r := s.get("/v1/tools" + query)
		if r.status != 400 || r.at("error", "code") != "invalid_request" || r.at("error", "details", "field") != "stability" ||
			len(r.at("error", "details", "accepted").([]any)) != 3 {
			t.Fatalf("%s: %d %s", query, r.status, r.raw)
		}
	}
}

// Whatever goes wrong on the execute route, the body is a ToolResult.
func TestExecuteAlwaysAnswersAToolResult(t *testing.T) {
	s := start(t, nil)
	big := `{"tool":"echo_json","input":{"message":"` + strings.Repeat("x", 2<<20) + `"}}`
	for name, tc := range map[string]struct {
		body   string
		status int
		code   string
		says   string
	}{
		"good":             {`{"tool":"echo_json","input":{"message":"hello","n":2}}`, 200, "", ""},
		"bad json":         {"{\"tool\":\n oops}", 400, "invalid_request", "line 2"},
		"empty body":       {``, 400, "invalid_request", "empty"},
		"two values":       {`{"tool":"echo_json","input":{"message":"a"}} {}`, 400, "invalid_request", "more than one"},
		"no tool":          {`{"input":{}}`, 400, "invalid_request", "tool"},
		"wrong type":       {`{"tool":7}`, 400, "invalid_request", "string"},
		"unknown envelope": {`{"tool":"echo_json","inputs":{}}`, 400, "invalid_request", "inputs"},
		"unknown tool":     {`{"tool":"echo_jsn","input":{}}`, 404, "unknown_tool", "echo_json"},
		"missing field":    {`{"tool":"echo_json","input":{}}`, 400, "invalid_request", "message"},
		"unknown field":    {`{"tool":"echo_json","input":{"message":"a","colour":1}}`, 400, "invalid_request", "colour"},
		"wrong input type": {`{"tool":"echo_json","input":{"message":1}}`, 400, "invalid_request", "expected string"},
		"out of range":     {`{"tool":"echo_json","input":{"message":"a","n":65}}`, 400, "invalid_request", "at most 64"},
		"nan":              {`{"tool":"echo_json","input":{"message":"a","n":NaN}}`, 400, "invalid_request", "JSON"},
		"blank":            {`{"tool":"echo_json","input":{"message":"  "}}`, 400, "invalid_request", "empty"},
		"zero limit":       {`{"tool":"echo_json","input":{"message":"a"},"context":{"limits":{"timeout_ms":0}}}`, 400, "invalid_request", "timeout_ms"},
		"negative limit":   {`{"tool":"echo_json","input":{"message":"a"},"context":{"limits":{"max_artifacts":-3}}}`, 400, "invalid_request", "(at /context/limits/max_artifacts)"},
		"unknown limit":    {`{"tool":"echo_json","input":{"message":"a"},"context":{"limits":{"max_time":3}}}`, 400, "invalid_request", "(at /context/limits/max_time)"},
		"too large":        {big, 413, "payload_too_large", "larger"},
	} {
		t.Run(name, func(t *testing.T) {
			r := s.post("/v1/tools/execute", tc.body, "X-Request-Id", "mine")
			for _, key := range []string{"status", "solver", "summary", "stdout", "stderr", "exit_code", "artifacts", "metrics", "output"} {
				if _, ok := r.body[key]; !ok {
					t.Fatalf("no %s in %.300s", key, r.raw)
				}
			}
			if r.status != tc.status || r.at("metrics", "request_id") != "mine" || r.header.Get("X-Request-Id") != "mine" {
				t.Fatalf("%d %.300s", r.status, r.raw)
			}
			if tc.code == "" {
				if r.at("status") != "ok" || r.at("output", "repeat", 1) != "hello" {
					t.Fatalf("%s", r.raw)
				}
				return
			}
			stderr, _ := r.at("stderr").(string)
			if r.at("status") != "error" || r.at("metrics", "error_code") != tc.code || !strings.Contains(stderr, tc.says) || r.at("exit_code") == 0.0 {
				t.Fatalf("%.400s", r.raw)
			}
		})
	}
}

func TestLimitsClampWithAWarningAndCutWithANote(t *testing.T) {
	s := start(t, nil)
	r := s.post("/v1/tools/execute", `{"tool":"write_text_artifact","input":{"text":"abc","filename":"a b.txt"},"context":{"limits":{"timeout_ms":99999999999,"max_summary_characters":16}}}`)
	if r.status != 200 || !strings.Contains(string(r.raw), "limit_clamped") || len([]rune(r.at("summary").(string))) > 16 {
		t.Fatalf("%s", r.raw)
	}
	path := r.at("artifacts", 0, "path").(string)
	if want := "/v1/jobs/" + r.at("metrics", "job_id").(string) + "/artifacts/a%20b.txt"; path != want {
		t.Fatalf("%s, want %s", path, want)
	}
	if got := s.get(path); string(got.raw) != "abc" || got.header.Get("Content-Type") != "text/plain; charset=utf-8" || got.header.Get("X-Content-Type-Options") != "nosniff" {
		t.Fatalf("%v %s", got.header, got.raw)
	}
	r = s.post("/v1/tools/execute", `{"tool":"write_text_artifact","input":{"text":"abcdef"},"context":{"limits":{"max_artifact_bytes":3}}}`)
	if r.status != 400 || r.at("metrics", "error_code") != "invalid_request" {
		t.Fatalf("%s", r.raw)
	}
}

func TestTheGate(t *testing.T) {
	s := start(t, nil)
	echo := `{"tool":"echo_json","input":{"message":"a"}}`
	for name, tc := range map[string]struct {
		do     func() reply
		status int
	}{
		"foreign host":      {func() reply { return s.do("GET", "/v1/tools", "", nil, "Host", "evil.example") }, 403},
		"foreign origin":    {func() reply { return s.post("/v1/tools/execute", echo, "Origin", "http://evil.example") }, 403},
		"null origin":       {func() reply { return s.post("/v1/tools/execute", echo, "Origin", "null") }, 403},
		"own origin":        {func() reply { return s.post("/v1/tools/execute", echo, "Origin", s.url) }, 200},
		"form content type": {func() reply { return s.do("POST", "/v1/tools/execute", "text/plain", strings.NewReader(echo)) }, 415},
		"no content type":   {func() reply { return s.do("POST", "/v1/tools/execute", "", strings.NewReader(echo)) }, 415},
		"compressed":        {func() reply { return s.post("/v1/tools/execute", echo, "Content-Encoding", "gzip") }, 415},
		"as it is":          {func() reply { return s.post("/v1/tools/execute", echo, "Content-Encoding", "identity") }, 200},
		"wrong method":      {func() reply { return s.do("PUT", "/v1/tools/execute", "application/json", strings.NewReader(echo)) }, 405},
		"unknown route":     {func() reply { return s.get("/v1/nothing") }, 404},
		"text upload":       {func() reply { return s.do("POST", "/v1/files", "text/plain", strings.NewReader("x")) }, 415},
	} {
		t.Run(name, func(t *testing.T) {
			if r := tc.do(); r.status != tc.status {
				t.Fatalf("%d %s", r.status, r.raw)
			} else if r.status == 405 && r.header.Get("Allow") != "POST" {
				t.Fatalf("Allow: %q", r.header.Get("Allow"))
			}
		})
	}
	locked := start(t, func(c *serveCmd) { c.Token = "secret" })
	if r := locked.get("/v1/tools"); r.status != 401 {
		t.Fatalf("%d", r.status)
	}
	if r := locked.do("GET", "/v1/tools", "", nil, "Authorization", "Bearer secret"); r.status != 200 {
		t.Fatalf("%d", r.status)
	}
	if err := checkAddress("0.0.0.0:80", ""); err == nil || !strings.Contains(err.Error(), "token") {
		t.Fatalf("an open address without a token: %v", err)
	}
	if err := checkAddress("[::1]:80", ""); err != nil {
		t.Fatal(err)
	}
}

func TestJobsSyncAsyncListEventsDelete(t *testing.T) {
	s := start(t, nil)
	made := s.post("/v1/jobs", `{"tool_name":"echo_json","input":{"message":"a"},"mode":"sync"}`)
	if made.status != 200 || made.at("job", "result", "repeat", 0) != "a" || made.at("job", "status") != "succeeded" {
		t.Fatalf("%d %s", made.status, made.raw)
	}
	id := made.at("job_id").(string)
	if !strings.HasPrefix(id, "job_") || len(id) < 26 {
		t.Fatalf("a guessable id: %s", id)
	}
	async := s.post("/v1/jobs", `{"tool_name":"echo_json","input":{"message":"b"}}`)
	second := async.at("job_id").(string)
	if async.at("job") != nil {
		t.Fatalf("%s", async.raw)
	}
	if r := s.get("/v1/jobs/" + second + "?wait_ms=5000"); r.at("status") != "succeeded" || r.at("result", "output", "message") != "b" {
		t.Fatalf("%s", r.raw)
	}
	for _, bad := range []string{"NaN", "-1", "soon"} {
		if r := s.get("/v1/jobs/" + second + "?wait_ms=" + bad); r.status != 400 {
			t.Fatalf("wait_ms=%s: %d %s", bad, r.status, r.raw)
		}
	}
	events := s.get("/v1/jobs/" + second + "/events")
	if events.header.Get("Content-Type") != "text/event-stream" || !strings.Contains(string(events.raw), "event: state") ||
		!strings.Contains(string(events.raw), `"succeeded"`) {
		t.Fatalf("%s", events.raw)
	}
	page := s.get("/v1/jobs?limit=1&tool=echo_json&state=succeeded")
	if len(page.at("jobs").([]any)) != 1 || page.at("jobs", 0, "id") != second {
		t.Fatalf("%s", page.raw)
	}
	next := s.get("/v1/jobs?limit=1&cursor=" + page.at("next_cursor").(string))
	if next.at("jobs", 0, "id") != id || next.at("next_cursor") != nil {
		t.Fatalf("%s", next.raw)
	}
	for _, bad := range []string{"?state=done", "?tool=nope", "?limit=0", "?cursor=%21", "?colour=red"} {
		if r := s.get("/v1/jobs" + bad); r.status != 400 {
			t.Fatalf("%s: %d %s", bad, r.status, r.raw)
		}
	}
	for _, bad := range []string{`{"tool_name":"nope"}`, `{"tool_name":"echo_json","input":{}}`, `{"tool_name":"echo_json","mode":"later"}`, `{"tool_name":"echo_json","input":{"message":"a"},"wait_ms":-1}`} {
		if r := s.post("/v1/jobs", bad); r.status != 400 && r.status != 404 {
			t.Fatalf("%s: %d %s", bad, r.status, r.raw)
		}
	}
	if r := s.do("DELETE", "/v1/jobs/"+id, "", nil); r.status != 200 {
		t.Fatalf("%s", r.raw)
	}
	if r := s.get("/v1/jobs/" + id); r.status != 404 || r.at("error", "code") != "not_found" {
		t.Fatalf("%d %s", r.status, r.raw)
	}
}

func TestIdempotencyKey(t *testing.T) {
	s := start(t, nil)
	body := `{"tool":"echo_json","input":{"message":"a"}}`
	first := s.post("/v1/tools/execute", body, "Idempotency-Key", "k1")
	again := s.post("/v1/tools/execute", body, "Idempotency-Key", "k1")
	if first.at("metrics", "job_id") != again.at("metrics", "job_id") {
		t.Fatal("the same key ran twice")
	}
	if other := s.post("/v1/tools/execute", `{"tool":"echo_json","input":{"message":"b"}}`, "Idempotency-Key", "k1"); other.status != 409 {
		t.Fatalf("%d %s", other.status, other.raw)
	}
}

func TestUploads(t *testing.T) {
	s := start(t, nil)
	content := bytes.Repeat([]byte{0, 0xff, '\n', '\r'}, 1000)
	var form bytes.Buffer
	w := multipart.NewWriter(&form)
	_ = w.WriteField("note", "first a field that is no file")
	part, _ := w.CreateFormFile("file", "dir/part.stl")
	_, _ = part.Write(content)
	_ = w.Close()
	r := s.do("POST", "/v1/files", w.FormDataContentType(), &form)
	if r.status != 201 || r.at("name") != "part.stl" || r.at("bytes") != 4000.0 || r.at("mime_type") != "model/stl" {
		t.Fatalf("%d %s", r.status, r.raw)
	}
	id := r.at("file_id").(string)
	if got := s.get("/v1/files/" + id + "/content"); !bytes.Equal(got.raw, content) {
		t.Fatal("the bytes changed")
	}
	if got := s.do("GET", "/v1/files/"+id+"/content", "", nil, "Range", "bytes=1-2"); got.status != 206 || !bytes.Equal(got.raw, content[1:3]) {
		t.Fatalf("range: %d %v", got.status, got.raw)
	}
	if r := s.do("POST", "/v1/files?name=b.step", "application/octet-stream", bytes.NewReader(make([]byte, 2<<20))); r.status != 413 {
		t.Fatalf("over the limit: %d %s", r.status, r.raw)
	}
	// Without a length in advance the limit holds all the same.
	if r := s.do("POST", "/v1/files?name=b.step", "application/octet-stream", io.MultiReader(bytes.NewReader(make([]byte, 2<<20)))); r.status != 413 {
		t.Fatalf("over the limit, chunked: %d %s", r.status, r.raw)
	}
	if usage, err := s.app.blobs.Usage(context.Background()); err != nil || usage.Files != 1 {
		t.Fatalf("a refused upload left something: %+v %v", usage, err)
	}
	if r := s.do("DELETE", "/v1/files/"+id, "", nil); r.status != 200 {
		t.Fatalf("%s", r.raw)
	}
	if r := s.get("/v1/files/" + id); r.status != 404 {
		t.Fatalf("%d", r.status)
	}
}

func TestForcedCallsOverTheOpenAIRoutes(t *testing.T) {
	s := start(t, nil)
	for name, tc := range map[string]struct{ path, choice string }{
		"chat object":      {"/v1/chat/completions", `{"type":"function","function":{"name":"echo_json","arguments":{"message":"hi"}}}`},
		"chat string args": {"/v1/chat/completions", `{"type":"function","function":{"name":"echo_json","arguments":"{\"message\":\"hi\"}"}}`},
		"chat input":       {"/v1/chat/completions", `{"name":"echo_json","input":{"message":"hi"}}`},
		"responses":        {"/v1/responses", `{"type":"function","name":"echo_json","arguments":{"message":"hi"}}`},
	} {
		t.Run(name, func(t *testing.T) {
			r := s.post(tc.path, `{"model":"autosage-0.1","messages":[{"role":"user","content":"run tool"}],"tool_choice":`+tc.choice+`}`)
			if r.status != 200 || r.at("tool_results", 0, "status") != "ok" || r.at("tool_results", 0, "result", "repeat", 0) != "hi" ||
				r.at("tool_results", 0, "tool_name") != "echo_json" {
				t.Fatalf("%d %s", r.status, r.raw)
			}
		})
	}
	for _, bad := range []string{`{"messages":[]}`, `{"model":"m","tool_choice":"nope"}`, `{"model":"m","tool_choice":{"function":{"name":"echo_json","arguments":"{"}}}`,
		`{"model":"m","tool_choice":{"function":{"name":"echo_json","arguments":{}}}}`, `{"model":"m","tool_choice":{}}`} {
		r := s.post("/v1/chat/completions", bad)
		if r.status < 400 || r.status > 404 || r.at("error", "type") != "invalid_request_error" || r.at("error", "message") == "" {
			t.Fatalf("%s: %d %s", bad, r.status, r.raw)
		}
	}
	if r := s.post("/v1/chat/completions", `{"model":"m","messages":[],"tool_choice":"auto"}`); r.status != 200 ||
		!strings.Contains(r.at("choices", 0, "message", "content").(string), "echo_json") {
		t.Fatalf("%s", r.raw)
	}
}

// A second server on the same data folder would corrupt nothing, and says why
// it does not start.
func TestTwoServersDoNotShareADatabase(t *testing.T) {
	cmd := storage{Data: t.TempDir(), Root: []string{t.TempDir()}, LogLevel: "error"}
	a, err := open(context.Background(), setup{storage: cmd})
	if err != nil {
		t.Fatal(err)
	}
	defer a.close(context.Background())
	deadline, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	if b, err := open(deadline, setup{storage: cmd}); err == nil {
		_ = b.close(context.Background())
		t.Fatal("two programs opened one SQLite database")
	} else if !strings.Contains(err.Error(), "conflict") {
		t.Fatalf("%v", err)
	}
}
