package invocation

import (
	"encoding/json"
	"io"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"

	"atelier/internal/contract"
)

func TestAGoodInvocation(t *testing.T) {
	h := newTestServer(t)
	for _, name := range []string{"probe_echo", "probe.echo"} {
		r := h.invoke(`{"value":3}`, map[string]any{"tool_name": name})
		if r.HTTP != 200 || r.Status != "ok" || r.StructuredOutput["value"] != 3.0 || r.Confidence != 1 || r.job == "" ||
			!strings.Contains(r.raw, `"warnings":[]`) || !strings.Contains(r.raw, `"errors":[]`) || !strings.Contains(r.raw, `"artifacts":[]`) {
			t.Errorf("%s: %s", name, r.raw)
		}
	}
}

func TestFaultsOfTheEnvelope(t *testing.T) {
	h := newTestServer(t)
	before := runs.Load()
	capture := func(selectors string) map[string]any {
		return map[string]any{"capture_selection": json.RawMessage(`{"capture_id":"c","selectors":` + selectors + `}`)}
	}
	for _, r := range []struct {
		name   string
		change map[string]any
		want   string
		status int
	}{
		{"nothing but arguments", map[string]any{"tool_name": nil, "tool_version": nil, "capture_selection": nil, "request_id": nil, "timeout_ms": nil},
			"MISSING_ARGUMENT capture_selection, MISSING_ARGUMENT request_id, MISSING_ARGUMENT timeout_ms, MISSING_ARGUMENT tool_name, MISSING_ARGUMENT tool_version", 400},
		{"arguments missing", map[string]any{"arguments": nil}, "MISSING_ARGUMENT arguments", 400},
		{"arguments a list", map[string]any{"arguments": []int{1}}, "INVALID_TYPE arguments", 400},
		{"types", map[string]any{"tool_name": 1, "timeout_ms": "soon"}, "INVALID_TYPE timeout_ms, INVALID_TYPE tool_name", 400},
		{"a fraction of a millisecond", map[string]any{"timeout_ms": 1.5}, "INVALID_TYPE timeout_ms", 400},
		{"negative", map[string]any{"timeout_ms": -1}, "INVALID_VALUE timeout_ms", 400},
		{"version of two numbers", map[string]any{"tool_version": "1.2"}, "INVALID_VALUE tool_version", 400},
		{"empty request id", map[string]any{"request_id": ""}, "INVALID_VALUE request_id", 400},
		{"unknown field", map[string]any{"priority": 1}, "UNKNOWN_ARGUMENT priority", 400},
		{"capture without id", map[string]any{"capture_selection": map[string]any{}}, "MISSING_ARGUMENT capture_selection.capture_id", 400},
		{"time range of one", capture(`{"time_range":{"start_ms":1}}`), "MISSING_ARGUMENT capture_selection.selectors.time_range.end_ms", 400},
		{"time range negative", capture(`{"time_range":{"start_ms":-1,"end_ms":2}}`), "INVALID_VALUE capture_selection.selectors.time_range.start_ms", 400},
		{"time range backwards", capture(`{"time_range":{"start_ms":3,"end_ms":2}}`), "INVALID_VALUE capture_selection.selectors.time_range", 200},
		{"channel a number", capture(`{"channels":["a",1]}`), "INVALID_TYPE capture_selection.selectors.channels[1]", 400},
		{"unknown selector", capture(`{"rows":[]}`), "UNKNOWN_ARGUMENT capture_selection.selectors.rows", 400},
		{"unknown tool", map[string]any{"tool_name": "prob_echo"}, "UNKNOWN_TOOL tool_name", 200},
		{"empty tool name", map[string]any{"tool_name": ""}, "UNKNOWN_TOOL tool_name", 200},
		{"too little time", map[string]any{"timeout_ms": 19}, "TIMEOUT_TOO_SMALL timeout_ms", 200},
		{"no time", map[string]any{"timeout_ms": 0}, "TIMEOUT_TOO_SMALL timeout_ms", 200},
		{"engine missing", map[string]any{"tool_name": "absent_tool"}, "MISSING_DEPENDENCY ", 200},
	} {
		t.Run(r.name, func(t *testing.T) {
			got := h.invoke(`{"value":3}`, r.change)
			if got.faults() != r.want || got.HTTP != r.status || got.Status != "error" || len(got.StructuredOutput) != 0 ||
				!strings.Contains(got.raw, `"structured_output":{}`) || got.Confidence != 0 {
				t.Errorf("got %d %s\n%s", got.HTTP, got.faults(), got.raw)
			}
		})
	}
	for _, body := range []string{``, `nonsense`, `[]`, `null`, `"x"`, `{"tool_name":`, "{\"tool_name\":\"\xff\"}", `{}{}`} {
		if got := h.post(body); got.HTTP != 400 || got.Status != "error" || len(got.Errors) == 0 {
			t.Errorf("%q: %s", body, got.raw)
		}
	}
	if runs.Load() != before {
		t.Error("a tool ran after a fault")
	}
}

func TestFaultsOfTheArguments(t *testing.T) {
	h := newTestServer(t)
	before := runs.Load()
	r := h.invoke(`{"bcs":[{"attribute":"one"}],"mode":"x","extra":1}`, nil)
	want := "INVALID_TYPE bcs[0].attribute, UNKNOWN_ARGUMENT extra, INVALID_VALUE mode, MISSING_ARGUMENT value"
	if r.HTTP != 200 || r.faults() != want || r.Errors[0].Pointer != "/arguments/bcs/0/attribute" {
		t.Errorf("got %s\n%s", r.faults(), r.raw)
	}
	if m := r.Errors[0].Message; !strings.Contains(m, "string") || !strings.Contains(m, "integer") {
		t.Errorf("the message lacks what was expected and what came: %q", m)
	}
	if r := h.invoke(`{"value":1e999}`, nil); r.faults() != "INVALID_VALUE value" || r.HTTP != 200 {
		t.Errorf("%s", r.raw)
	}
	if r := h.invoke(`{"value":1,"unit":"`+strings.Repeat("x", 2000)+`"}`, nil); !strings.HasPrefix(r.faults(), "PAYLOAD_TOO_LARGE") || r.HTTP != 200 {
		t.Errorf("%s", r.raw)
	}
	if runs.Load() != before {
		t.Error("the tool ran after a fault")
	}
	if r := h.post(`{"arguments":"` + strings.Repeat("x", 1<<20) + `"}`); r.HTTP != 413 || !strings.HasPrefix(r.faults(), "PAYLOAD_TOO_LARGE") {
		t.Errorf("%d %s", r.HTTP, r.raw)
	}
}

func TestWhatAToolFindsInItsRun(t *testing.T) {
	h := newTestServer(t)
	r := h.invoke(`{"value":1,"mode":"fail","bcs":[{"attribute":9}]}`, nil)
	if r.faults() != "ERR_NOT_CONVERGED bcs[0].attribute" || r.Errors[0].Details["suggested_dx"] != 0.5 || !strings.Contains(r.Errors[0].Message, "Refine.") || r.HTTP != 200 {
		t.Errorf("%s", r.raw)
	}
	// A code that the contract ties to an argument is that argument's wrong value.
	if r := h.invoke(`{"value":1,"mode":"port","port":8000}`, nil); r.faults() != "INVALID_VALUE port" {
		t.Errorf("%s", r.raw)
	}
	r = h.invoke(`{"value":1,"mode":"partial"}`, nil)
	if r.Status != "partial" || len(r.Warnings) != 1 || r.Warnings[0].Code != "HALF_DONE" || r.StructuredOutput["value"] != 1.0 {
		t.Errorf("%s", r.raw)
	}
	r = h.invoke(`{"value":1,"mode":"file"}`, nil)
	// The hash of "hello", as sha256sum prints it.
	if len(r.Artifacts) != 1 || r.Artifacts[0].SHA256 != "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824" ||
		r.Artifacts[0].URI != h.handler.URL+"/v1/jobs/"+r.job+"/artifacts/note%20one.txt" {
		t.Errorf("%s", r.raw)
	}
}

func TestACaptureReachesTheTool(t *testing.T) {
	h := newTestServer(t)
	r := h.invoke(`{"value":1,"mode":"capture"}`, map[string]any{"capture_selection": json.RawMessage(
		`{"capture_id":"cap_1","selectors":{"time_range":{"start_ms":0,"end_ms":1.2e5},"channels":["a","b"],"filters":["q >= 0.95"]}}`)})
	if r.StructuredOutput["capture"] != "cap_1 120000 [a b] [q >= 0.95]" {
		t.Errorf("%s", r.raw)
	}
}

func TestTimeIsClampedWithAWarning(t *testing.T) {
	h := newTestServer(t)
	for _, ms := range []string{"60001", "45e9", "1e30"} {
		r := h.invoke(`{"value":1}`, map[string]any{"timeout_ms": json.Number(ms)})
		if r.Status != "ok" || len(r.Warnings) != 1 || r.Warnings[0].Code != "LIMIT_CLAMPED" || !strings.Contains(r.Warnings[0].Message, "60000") {
			t.Errorf("%s: %s", ms, r.raw)
		}
	}
	if r := h.invoke(`{"value":1}`, map[string]any{"timeout_ms": json.Number("60000.0")}); r.Status != "ok" || len(r.Warnings) != 0 {
		t.Errorf("%s", r.raw)
	}
}

func TestARequestIDIsUsedOnce(t *testing.T) {
	h := newTestServer(t)
	once := invocation(t, `{"value":1}`, map[string]any{"request_id": "once"})
	if r := h.post(invocation(t, `{"value":-1}`, map[string]any{"request_id": "once"})); r.faults() != "INVALID_VALUE value" {
		t.Fatalf("%s", r.raw)
	}
	first := h.post(once)
	if first.Status != "ok" {
		t.Fatalf("an attempt that was refused has used its id up: %s", first.raw)
	}
	repeats := func(when string) {
		t.Helper()
		for _, body := range []string{once, invocation(t, `{"value":2}`, map[string]any{"request_id": "once"})} {
			if r := h.post(body); r.HTTP != 200 || r.faults() != "DUPLICATE_REQUEST request_id" || r.Errors[0].Details["uri"] != "/v1/jobs/"+first.job {
				t.Errorf("%s: %s", when, r.raw)
			}
		}
		// Who repeats a request is sent to its result; who gave another one the same
		// id is told so, and that nothing of it ran.
		for body, says := range map[string][]string{
			once: {`the request "once" was made already`, "/v1/jobs/" + first.job + " has its result"},
			invocation(t, `{"value":2}`, map[string]any{"request_id": "once"}): {`request_id "once" belongs to another call`, first.job, "This call was not made", "under a request_id of its own"},
		} {
			message := h.post(body).Errors[0].Message
			for _, part := range says {
				if !strings.Contains(message, part) {
					t.Errorf("%s: %q does not say %q", when, message, part)
				}
			}
		}
	}
	repeats("at once")
	h.close()
	h.open()
	repeats("after a restart")
}

func TestOfRepeatsAtTheSameMomentOneRuns(t *testing.T) {
	h := newTestServer(t)
	before := runs.Load()
	body := invocation(t, `{"value":1}`, nil)
	var wait sync.WaitGroup
	var lock sync.Mutex
	seen := map[string]int{}
	for range 16 {
		wait.Go(func() {
			r := h.post(body)
			lock.Lock()
			defer lock.Unlock()
			seen[r.Status+" "+r.faults()]++
		})
	}
	wait.Wait()
	if seen["ok "] != 1 || seen["error DUPLICATE_REQUEST request_id"] != 15 || runs.Load() != before+1 {
		t.Errorf("%v, %d runs", seen, runs.Load()-before)
	}
}

func TestEarlierMinorsKeepAnswering(t *testing.T) {
	h := newTestServer(t)
	now := h.invoke(`{"value":500,"unit":"m"}`, map[string]any{"tool_version": "1.2.9"}) // patches are compatible
	if now.Status != "ok" || now.StructuredOutput["note"] != "new in 1.2" {
		t.Errorf("%s", now.raw)
	}
	old := h.invoke(`{"value":50}`, map[string]any{"tool_version": "1.1.0"})
	parts, _ := json.Marshal(old.StructuredOutput["parts"])
	if old.Status != "ok" || old.StructuredOutput["note"] != nil || string(parts) != `[{"kind":"a"},{"kind":"b","size":7}]` {
		t.Errorf("1.1.0 got what it does not know: %s", old.raw)
	}
	if r := h.invoke(`{"value":500,"unit":"m"}`, map[string]any{"tool_version": "1.1.0"}); r.faults() != "UNKNOWN_ARGUMENT unit, INVALID_VALUE value" {
		t.Errorf("1.1.0 must be validated as 1.1.0 was: %s", r.raw)
	}
	for _, version := range []string{"1.0.0", "1.3.0", "2.0.0", "0.9.0", "99999999999999999999.0.0"} {
		r := h.invoke(`{"value":1}`, map[string]any{"tool_version": version})
		if r.faults() != "UNSUPPORTED_VERSION tool_version" || !strings.Contains(r.Errors[0].Message, "1.2.0, 1.1.0") {
			t.Errorf("%s: %s", version, r.raw)
		}
	}
}

func TestAProgramWithAnIncompatibleMinorDoesNotStart(t *testing.T) {
	for name, earlier := range map[string]string{
		"stricter since": strings.Replace(string(probeContract("1.1.0")), `"maximum":100`, `"maximum":5000`, 1),
		"same minor":     string(probeContract("1.2.0")),
		"another major":  strings.Replace(string(probeContract("1.1.0")), "1.1.0", "0.9.0", 1),
		"another tool":   strings.Replace(string(probeContract("1.1.0")), `"probe.echo"`, `"probe.other"`, 1),
		"malformed":      `{}`,
	} {
		t.Run(name, func(t *testing.T) {
			tool := contract.Bind(probeContract("1.2.0"), probe, []byte(earlier))
			if _, err := contract.NewRegistry([]contract.Tool{tool}); err == nil {
				t.Error("it was taken")
			}
		})
	}
}

func (h *testServer) get(path string) (int, string) {
	h.t.Helper()
	resp, err := http.Get(h.handler.URL + path)
	if err != nil {
		h.t.Fatal(err)
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		h.t.Fatal(err)
	}
	return resp.StatusCode, string(raw)
}

func TestManifestsOverHTTP(t *testing.T) {
	h := newTestServer(t)
	for path, want := range map[string]string{
		"/v1/manifests":                                 `^200 {"manifests":\[{"name":"absent_tool".*{"name":"probe_echo","version":"1.2.0"`,
		"/v1/manifests?tools=probe.*":                   `^200 {"manifests":\[{"name":"probe_echo"`,
		"/v1/manifests?family=none":                     `^400 .*Families are test`,
		"/v1/manifests/probe.echo":                      `^200 {"name":"probe_echo","version":"1.2.0".*"unit"`,
		"/v1/manifests/probe_echo?version=1.1.7":        `^200 {"name":"probe_echo","version":"1.1.0".*"maximum":100,`,
		"/v1/manifests/probe_echo?version=1.0.0":        `^404 .*unsupported_version.*1.2.0, 1.1.0`,
		"/v1/manifests/probe_echo?version=latest":       `^400 .*major.minor.patch`,
		"/v1/manifests/probe_eco":                       `^404 .*unknown_tool.*probe.echo`,
		"/v1/manifests/probe_echo?version=1.2.0&x=only": `"execution_constraints":{"max_timeout_ms":60000,"max_payload_bytes":2000,"supports_streaming":false,"side_effects":"none"}`,
	} {
		status, body := h.get(path)
		if got := strconv.Itoa(status) + " " + strings.TrimSpace(body); !regexp.MustCompile(want).MatchString(got) {
			t.Errorf("%s: %s", path, got)
		}
	}
}

// The answer tells which version answered, and warns where it is not the one
// that was asked for.
func TestTheVersionThatAnsweredIsTold(t *testing.T) {
	h := newTestServer(t)
	for asked, told := range map[string]string{"1.2.0": "", "1.2.7": "VERSION_SUBSTITUTED", "1.1.9": "VERSION_SUBSTITUTED"} {
		r := h.invoke(`{"value":1}`, map[string]any{"tool_version": asked})
		var codes []string
		for _, w := range r.Warnings {
			codes = append(codes, w.Code)
		}
		if got := strings.Join(codes, ","); got != told || r.Status != "ok" || r.header.Get("X-Atelier-Tool-Version") != asked[:3]+".0" {
			t.Errorf("%s: warnings %q, header %v, %s", asked, got, r.header, r.Status)
		}
	}
}
