package invocation

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"atelier/internal/tools"
)

// Each rule of api/spec/invocation.md, under its own words.

func TestSection5RequiredFields(t *testing.T) {
	h := newTestServer(t)
	t.Run("ToolManifest: all top-level fields are required", func(t *testing.T) {
		top := []string{"name", "version", "description", "capabilities", "input_schema", "output_schema", "execution_constraints", "cost_hint", "deterministic"}
		for _, tool := range tools.All(tools.Parts{}) {
			var m map[string]any
			if err := json.Unmarshal(encode(t, tool.Contract.Manifest(1<<20)), &m); err != nil {
				t.Fatal(err)
			}
			for _, field := range top {
				if v, ok := m[field]; !ok || v == nil || v == "" {
					t.Errorf("%s lacks %s", tool.Contract.Name, field)
				}
			}
		}
	})
	for _, field := range []string{"tool_name", "tool_version", "capture_selection", "arguments", "request_id", "timeout_ms"} {
		t.Run("ToolInvocation: "+field+" is required", func(t *testing.T) {
			if r := h.invoke(`{"value":1}`, map[string]any{field: nil}); r.Status != "error" || r.faults() != "MISSING_ARGUMENT "+field {
				t.Errorf("%s", r.raw)
			}
		})
	}
	t.Run("ToolResult: status, summary, warnings, errors, confidence are required; structured_output when ok or partial", func(t *testing.T) {
		for arguments, status := range map[string]string{`{"value":1}`: "ok", `{"value":1,"mode":"partial"}`: "partial", `{"value":1,"mode":"fail"}`: "error", `{}`: "error"} {
			r := h.invoke(arguments, nil)
			var m map[string]json.RawMessage
			if err := json.Unmarshal([]byte(r.raw), &m); err != nil || r.Status != status {
				t.Fatalf("%v %s", err, r.raw)
			}
			for _, field := range []string{"status", "summary", "warnings", "errors", "confidence"} {
				if v, ok := m[field]; !ok || string(v) == "null" {
					t.Errorf("%s: no %s in %s", arguments, field, r.raw)
				}
			}
			if status != "error" && r.StructuredOutput["value"] != 1.0 {
				t.Errorf("%s: %s", arguments, r.raw)
			}
		}
	})
}

func TestSection5TypeConstraints(t *testing.T) {
	h := newTestServer(t)
	t.Run("strings must be valid UTF-8", func(t *testing.T) {
		for _, wrong := range []string{"req-\xff", `req-\ud800`} { // half a surrogate pair has no UTF-8
			body := strings.Replace(invocation(t, `{"value":1}`, map[string]any{"request_id": "req-@"}), "req-@", wrong, 1)
			if r := h.post(body); r.HTTP != 400 || r.faults() != "INVALID_VALUE request_id" || !strings.Contains(r.Errors[0].Message, "UTF-8") {
				t.Errorf("%q: %s", wrong, r.raw)
			}
		}
	})
	t.Run("integers must be whole numbers and non-negative", func(t *testing.T) {
		for change, want := range map[string]string{"1.5": "INVALID_TYPE timeout_ms", "-5": "INVALID_VALUE timeout_ms"} {
			if r := h.invoke(`{"value":1}`, map[string]any{"timeout_ms": json.Number(change)}); r.faults() != want {
				t.Errorf("%s: %s", change, r.raw)
			}
		}
		r := h.invoke(`{"value":1}`, map[string]any{"capture_selection": json.RawMessage(`{"capture_id":"c","selectors":{"time_range":{"start_ms":0.5,"end_ms":-2}}}`)})
		want := "INVALID_VALUE capture_selection.selectors.time_range.end_ms, INVALID_TYPE capture_selection.selectors.time_range.start_ms"
		if r.faults() != want {
			t.Errorf("%s", r.faults())
		}
	})
	t.Run("0.0 <= confidence <= 1.0", func(t *testing.T) {
		for _, arguments := range []string{`{"value":1}`, `{"value":1,"mode":"partial"}`, `{"value":1,"mode":"fail"}`} {
			if r := h.invoke(arguments, nil); !(r.Confidence >= 0 && r.Confidence <= 1) {
				t.Errorf("%s", r.raw)
			}
		}
	})
	t.Run("status is exactly one of ok, partial, error", func(t *testing.T) {
		for arguments, want := range map[string]string{`{"value":1}`: "ok", `{"value":1,"mode":"partial"}`: "partial", `{"value":-1}`: "error"} {
			if r := h.invoke(arguments, nil); r.Status != want {
				t.Errorf("%s", r.raw)
			}
		}
	})
	t.Run("version and tool_version match the pattern", func(t *testing.T) {
		for _, version := range []string{"1", "1.2", "v1.2.0", "1.2.0-rc1", "1.2.0.0", "a.b.c", ""} {
			if r := h.invoke(`{"value":1}`, map[string]any{"tool_version": version}); r.faults() != "INVALID_VALUE tool_version" {
				t.Errorf("%q: %s", version, r.raw)
			}
		}
		for _, tool := range tools.All(tools.Parts{}) {
			var major, minor, patch int
			version := tool.Contract.Manifest(1).Version
			if n, err := fmt.Sscanf(version, "%d.%d.%d", &major, &minor, &patch); n != 3 || err != nil || version != fmt.Sprintf("%d.%d.%d", major, minor, patch) {
				t.Errorf("%s has the version %q", tool.Contract.Name, version)
			}
		}
	})
}

func TestSection5CrossFieldConstraints(t *testing.T) {
	h := newTestServer(t)
	t.Run("tool_name and tool_version identify an installed manifest entry", func(t *testing.T) {
		if r := h.invoke(`{"value":1}`, map[string]any{"tool_name": "no_such_tool"}); r.faults() != "UNKNOWN_TOOL tool_name" {
			t.Errorf("%s", r.raw)
		}
		if r := h.invoke(`{"value":1}`, map[string]any{"tool_version": "2.0.0"}); r.faults() != "UNSUPPORTED_VERSION tool_version" {
			t.Errorf("%s", r.raw)
		}
	})
	t.Run("timeout_ms is clamped to max_timeout_ms; below the minimum it is an error", func(t *testing.T) {
		if r := h.invoke(`{"value":1}`, map[string]any{"timeout_ms": 99999999}); r.Status != "ok" || len(r.Warnings) != 1 {
			t.Errorf("%s", r.raw)
		}
		if r := h.invoke(`{"value":1}`, map[string]any{"timeout_ms": 1}); r.Status != "error" || r.faults() != "TIMEOUT_TOO_SMALL timeout_ms" {
			t.Errorf("%s", r.raw)
		}
	})
	t.Run("unknown argument fields are rejected", func(t *testing.T) {
		if r := h.invoke(`{"value":1,"valeu":2}`, nil); r.faults() != "UNKNOWN_ARGUMENT valeu" {
			t.Errorf("%s", r.raw)
		}
	})
	t.Run("status=error: errors is non-empty, structured_output is {}", func(t *testing.T) {
		for _, arguments := range []string{`{}`, `{"value":1,"mode":"fail"}`} {
			if r := h.invoke(arguments, nil); r.Status != "error" || len(r.Errors) == 0 || !strings.Contains(r.raw, `"structured_output":{}`) {
				t.Errorf("%s", r.raw)
			}
		}
	})
	t.Run("status=partial: at least one warning explains it", func(t *testing.T) {
		if r := h.invoke(`{"value":1,"mode":"partial"}`, nil); r.Status != "partial" || len(r.Warnings) == 0 || r.Warnings[0].Message == "" {
			t.Errorf("%s", r.raw)
		}
	})
}

func TestSection5MissingAndInvalidArguments(t *testing.T) {
	h := newTestServer(t)
	before := runs.Load()
	for rule, c := range map[string]struct{ arguments, want, says string }{
		"missing required argument: MISSING_ARGUMENT names the key":            {`{"mode":"ok"}`, "MISSING_ARGUMENT value", "value"},
		"type mismatch: INVALID_TYPE with expected and actual type":            {`{"value":"three"}`, "INVALID_TYPE value", "string"},
		"constraint violation, range: INVALID_VALUE":                           {`{"value":1001}`, "INVALID_VALUE value", "1000"},
		"constraint violation, enum: INVALID_VALUE":                            {`{"value":1,"mode":"best"}`, "INVALID_VALUE mode", "partial"},
		"unknown argument when disallowed: UNKNOWN_ARGUMENT":                   {`{"value":1,"x":1}`, "UNKNOWN_ARGUMENT x", "x"},
		"the same of a nested argument: errors[].field is its path":            {`{"value":1,"bcs":[{}]}`, "MISSING_ARGUMENT bcs[0].attribute", "attribute"},
		"several faults at once are all told":                                  {`{"value":-1,"x":1}`, "INVALID_VALUE value, UNKNOWN_ARGUMENT x", ""},
		"null is no number: INVALID_TYPE":                                      {`{"value":null}`, "INVALID_TYPE value", "null"},
		"a number beyond double precision's range is no value: INVALID_VALUE":  {`{"value":1e999}`, "INVALID_VALUE value", ""},
		"a required argument of the wrong type is one fault, not also missing": {`{"value":[]}`, "INVALID_TYPE value", "array"},
	} {
		t.Run(rule, func(t *testing.T) {
			r := h.invoke(c.arguments, nil)
			if r.Status != "error" || r.faults() != c.want || !strings.Contains(r.Errors[0].Message, c.says) {
				t.Errorf("want %s: %s", c.want, r.raw)
			}
		})
	}
	t.Run("no partial execution after a validation failure", func(t *testing.T) {
		if runs.Load() != before {
			t.Errorf("the tool ran %d times", runs.Load()-before)
		}
		if h.invoke(`{"value":1}`, nil); runs.Load() != before+1 {
			t.Error("runs are not counted")
		}
	})
}

// A key that stands twice in the arguments has the place of every other fault in them.
func TestArgumentsThatAreReadInTwoWays(t *testing.T) {
	h := newTestServer(t)
	for _, arguments := range []string{`{"value":1,"value":2}`, `{"value":"\ud800"}`, `{"value":"x"}`} {
		body := strings.Replace(invocation(t, `{"at":0}`, nil), `{"at":0}`, arguments, 1) // the encoder would mend it
		if r := h.post(body); r.HTTP != 200 || len(r.Errors) != 1 || r.Errors[0].Field != "value" {
			t.Errorf("%s: %d %s", arguments, r.HTTP, r.raw)
		}
	}
}
