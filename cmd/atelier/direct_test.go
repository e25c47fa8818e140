package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"mime/multipart"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"atelier/internal/contract"
	"atelier/internal/testenv"
)

// The dialect of api/spec/tool-contracts.md: the input is the body, the output the answer, and an
// error has the contract's own code and status.
func TestDirectDialect(t *testing.T) {
	s := start(t, nil)
	big := `{"message":"` + strings.Repeat("x", 2<<20) + `"}`
	for name, tc := range map[string]struct {
		path, body string
		status     int
		want       string // the body, or the code of the error
	}{
		"output alone":   {"echo_json", `{"message":"hello","n":2}`, 200, `{"message":"hello","repeat":["hello","hello"]}`},
		"n as 2.0":       {"echo_json", `{"message":"hello","n":2.0}`, 200, `{"message":"hello","repeat":["hello","hello"]}`},
		"blank":          {"echo_json", `{"message":"  "}`, 400, "invalid_request"},
		"faults":         {"echo_json", `{"n":65,"colour":1}`, 400, "invalid_request"},
		"not an object":  {"echo_json", `[]`, 400, "invalid_request"},
		"null":           {"echo_json", `null`, 400, "invalid_request"},
		"not JSON":       {"echo_json", `{"message":`, 400, "invalid_request"},
		"two values":     {"echo_json", `{"message":"a"}{}`, 400, "invalid_request"},
		"empty":          {"echo_json", ``, 400, "invalid_request"},
		"unknown tool":   {"echo_jsn", `{}`, 404, "unknown_tool"},
		"too large":      {"echo_json", big, 413, "payload_too_large"},
		"no time":        {"echo_json?timeout_ms=0", `{"message":"a"}`, 400, "invalid_request"},
		"time in words":  {"echo_json?timeout_ms=soon", `{"message":"a"}`, 400, "invalid_request"},
		"time is empty":  {"echo_json?timeout_ms=", `{"message":"a"}`, 400, "invalid_request"},
		"missing file":   {"mesh_repair_pmp", `{"input_path":"nobody.stl"}`, 404, "ERR_FILE_NOT_FOUND"},
		"outside":        {"mesh_repair_pmp", `{"input_path":"/etc/passwd"}`, 403, "ERR_FILE_OUTSIDE_ROOTS"},
		"above all time": {"echo_json?timeout_ms=99999999999", `{"message":"a"}`, 200, `{"message":"a","repeat":["a"]}`},
	} {
		t.Run(name, func(t *testing.T) {
			r := s.post("/v1/tools/"+tc.path, tc.body)
			if r.status != tc.status {
				t.Fatalf("%d %.300s, want %d", r.status, r.raw, tc.status)
			}
			if tc.status == 200 {
				if strings.TrimSpace(string(r.raw)) != tc.want {
					t.Fatalf("%s", r.raw)
				}
				if id := r.header.Get("X-Atelier-Job-Id"); s.get("/v1/jobs/"+id).at("status") != "succeeded" {
					t.Fatalf("job %q", id)
				}
				return
			}
			if r.at("error", "code") != tc.want || r.at("error", "message") == "" || len(r.body) != 1 {
				t.Fatalf("%s, want %s", r.raw, tc.want)
			}
		})
	}
	// All faults at once, each with its place.
	r := s.post("/v1/tools/echo_json", `{"n":65,"colour":1}`)
	var fields []string
	for _, e := range r.at("error", "details", "errors").([]any) {
		fields = append(fields, e.(map[string]any)["field"].(string))
	}
	if slices.Sort(fields); !slices.Equal(fields, []string{"/colour", "/message", "/n"}) {
		t.Fatalf("%v", fields)
	}
	if r := s.do("POST", "/v1/tools/echo_json", "text/plain", strings.NewReader(`{"message":"a"}`)); r.status != 415 {
		t.Fatalf("%d %s", r.status, r.raw)
	}
	if r := s.post("/v1/tools/echo_json", `{"message":"a"}`, "Idempotency-Key", strings.Repeat("k", 256)); r.status != 400 {
		t.Fatalf("a key without end: %d %s", r.status, r.raw)
	}
	// What was reduced to a ceiling is told beside the output.
	if r := s.post("/v1/tools/echo_json?timeout_ms=99999999999", `{"message":"a"}`); r.header.Get("X-Atelier-Warnings") != "limit_clamped" {
		t.Fatalf("%v", r.header)
	}
}

func TestDirectCallsAsJobs(t *testing.T) {
	s := start(t, nil)
	r := s.post("/v1/tools/echo_json", `{"message":"a"}`, "Prefer", "respond-async")
	if r.status != 202 || r.header.Get("Preference-Applied") != "respond-async" || r.header.Get("Location") != "/v1/jobs/"+r.at("job_id").(string) {
		// A quick call may have ended before it was answered for; then its output is the answer (RFC 7240, 4.1).
		if r.status != 200 || r.at("message") != "a" {
			t.Fatalf("%d %v %s", r.status, r.header, r.raw)
		}
	}
	for _, prefer := range []string{"respond-async, wait=10", `wait="10"; respond-async`, "RESPOND-ASYNC,wait=10", "wait=0", "handling=lenient", ";,=", "wait=x"} {
		if r := s.post("/v1/tools/echo_json", `{"message":"a"}`, "Prefer", prefer); r.status != 200 || r.at("repeat", 0) != "a" {
			t.Errorf("%s: %d %s", prefer, r.status, r.raw)
		}
	}
	// Artifacts stand in Link headers (RFC 8288).
	r = s.post("/v1/tools/write_text_artifact", `{"text":"hello\n","filename":"a b.txt"}`)
	link := regexp.MustCompile(`^<([^>]+)>; rel="enclosure"; type="text/plain`).FindStringSubmatch(r.header.Get("Link"))
	if r.status != 200 || link == nil || string(s.get(link[1]).raw) != "hello\n" {
		t.Fatalf("%d %v %s", r.status, r.header, r.raw)
	}
	// A call may belong to a session: it is a step of it, and may name its files.
	var form bytes.Buffer
	writer := multipart.NewWriter(&form)
	part, err := writer.CreateFormFile("file", "tetrahedron.obj")
	if err != nil {
		t.Fatal(err)
	}
	_, _ = part.Write([]byte("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n")) // into memory
	if err := writer.Close(); err != nil {
		t.Fatal(err)
	}
	made := s.do("POST", "/v1/sessions", writer.FormDataContentType(), &form)
	session, asset := made.at("session_id").(string), made.at("state", "assets", 0).(string)
	repaired := s.post("/v1/tools/mesh_repair_pmp?session_id="+session, `{"input_path":"session:`+asset+`"}`)
	steps, _ := s.get("/v1/sessions/" + session).at("steps").([]any)
	if repaired.status != 200 || len(steps) != 1 || steps[0].(map[string]any)["job_id"] != repaired.header.Get("X-Atelier-Job-Id") {
		t.Fatalf("%d %s; %v", repaired.status, repaired.raw, steps)
	}
	if r := s.post("/v1/tools/echo_json?session_id=nobody", `{"message":"a"}`); r.status != 404 {
		t.Fatalf("%d %s", r.status, r.raw)
	}
	// A key belongs to one call.
	first := s.post("/v1/tools/echo_json", `{"message":"a"}`, "Idempotency-Key", "k1")
	again := s.post("/v1/tools/echo_json", `{"message":"a"}`, "Idempotency-Key", "k1")
	other := s.post("/v1/tools/echo_json", `{"message":"b"}`, "Idempotency-Key", "k1")
	if first.header.Get("X-Atelier-Job-Id") != again.header.Get("X-Atelier-Job-Id") || other.status != 409 || other.at("error", "code") != "conflict" {
		t.Fatalf("%v %v %s", first.header, again.header, other.raw)
	}
}

// What an engine ends with keeps the contract's code and status, 5xx included.
func TestDirectErrorsOfEngines(t *testing.T) {
	bare := start(t, func(c *serveCmd) { c.Engines = t.TempDir() })
	r := bare.post("/v1/tools/fea.solve", `{"solver_class":"LinearElasticity","mesh":{"type":"file","path":"x.mesh"},"config":{"materials":[{"attribute":1,"E":1e9,"nu":0.3}],"bcs":[{"attribute":1,"type":"fixed"}]}}`)
	if r.status != 501 || r.at("error", "code") != "missing_dependency" || r.at("error", "details", "hint") == nil {
		t.Fatalf("%d %s", r.status, r.raw)
	}
	s := start(t, nil)
	testenv.NeedEngines(t, s.app.host, "ngspice")
	for name, tc := range map[string]struct {
		query, input string
		status       int
		code         string
	}{
		"no ground": {"", `{"netlist":"floating\nV1 a b 1\nR1 a b 1k\n.op\n.end"}`, 422, "ERR_NO_GROUND"},
		// 1.9e7 steps: many seconds of work.
		"timeout": {"?timeout_ms=700", `{"netlist":"long\nV1 a 0 SIN(0 1 1e6)\nR1 a b 1k\nC1 b 0 1n\n.end","analysis":"tran","options":{"tran":{"tstop":0.019,"step":1e-9,"max_step":1e-9}}}`, 504, "timeout"},
	} {
		for _, tool := range []string{"circuits.simulate", "circuits_simulate"} {
			if r := s.post("/v1/tools/"+tool+tc.query, tc.input); r.status != tc.status || r.at("error", "code") != tc.code {
				t.Errorf("%s %s: %d %s", name, tool, r.status, r.raw)
			}
		}
	}
}

func TestContractsAreServedWhole(t *testing.T) {
	s := start(t, nil)
	for _, tool := range s.app.tools.All() {
		for _, name := range []string{tool.Contract.Name, tool.Contract.Alias()} {
			r := s.get("/v1/tools/" + name)
			if _, told := r.body["available"].(bool); !told {
				t.Errorf("%s does not say whether it is available", name)
			}
			if listed := r.body["general_errors"]; !strings.Contains(fmt.Sprint(listed, r.body["errors"]), contract.CodeFileOutsideRoots) {
				t.Errorf("%s does not list what any tool may answer: %v", name, listed)
			}
			for _, beside := range []string{"available", "reason", "install", "general_errors"} { // of this machine, and of every tool
				delete(r.body, beside)
			}
			raw, _ := json.Marshal(r.body)
			served, err := contract.Parse(raw) // complete and well formed, or it is refused
			if r.status != 200 || err != nil || served.Name != tool.Contract.Name || served.Version != tool.Contract.Version {
				t.Fatalf("%s: %d %v", name, r.status, err)
			}
		}
	}
	if r := s.get("/v1/tools/nobody"); r.status != 404 || r.at("error", "code") != "unknown_tool" {
		t.Fatalf("%s", r.raw)
	}
}

// section is a tool's contract as Markdown writes it down.
type section struct {
	status, transport, endpoint string
	input, output               any
	errors                      map[string]int
}

// sections reads the contracts' Markdown; of the endpoint only
// what stands in backquotes.
func sections(t *testing.T, markdown string) map[string]section {
	t.Helper()
	found := map[string]section{}
	for _, text := range strings.Split(markdown, "\n## ")[1:] {
		name, rest, _ := strings.Cut(text, "\n")
		line := func(key string) string {
			m := regexp.MustCompile(`(?m)^- ` + key + `: (.*)$`).FindStringSubmatch(rest)
			if m == nil {
				return ""
			}
			return m[1]
		}
		block := func(key string, into any) bool {
			m := regexp.MustCompile("(?ms)^- " + key + ":\n```json\n(.*?)\n```$").FindStringSubmatch(rest)
			return m != nil && json.Unmarshal([]byte(m[1]), into) == nil
		}
		sec := section{status: line("status"), transport: line("transport"), errors: map[string]int{}}
		sec.endpoint, _, _ = strings.Cut(strings.TrimPrefix(line("endpoint"), "`"), "`")
		var errs []contract.ErrorEntry
		if sec.status == "" || !block("input_schema", &sec.input) || !block("output_schema", &sec.output) || !block("errors", &errs) {
			continue // prose
		}
		for _, e := range errs {
			sec.errors[e.Code] = e.HTTPStatus
		}
		found[name] = sec
	}
	return found
}

func TestContractsAsMarkdown(t *testing.T) {
	s := start(t, nil)
	made := sections(t, string(s.get("/v1/contracts.md").raw))
	listed := s.get("/v1/contracts").at("contracts").([]any)
	if len(made) != len(listed) || len(listed) != len(s.app.tools.All()) {
		t.Fatalf("%d sections, %d contracts", len(made), len(listed))
	}
	for _, c := range listed {
		m := c.(map[string]any)
		sec := made[m["name"].(string)]
		if sec.status != m["status"] || sec.transport != m["transport"] || sec.endpoint != m["endpoint"] ||
			!reflect.DeepEqual(sec.input, m["input_schema"]) || !reflect.DeepEqual(sec.output, m["output_schema"]) || len(sec.errors) != len(m["errors"].([]any)) {
			t.Errorf("%v is another in Markdown: %+v", m["name"], sec)
		}
	}
	if one := sections(t, string(s.get("/v1/contracts.md?tools=echo_*").raw)); len(one) != 1 || one["echo_json"].errors["invalid_request"] != 400 {
		t.Fatalf("%+v", one)
	}
	if r := s.get("/v1/contracts?family=nobody"); r.status != 400 {
		t.Fatalf("%d %s", r.status, r.raw)
	}
}
