package contract

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

// minimal is a contract in which each test breaks one thing.
func minimal(t *testing.T, change func(m map[string]any)) []byte {
	t.Helper()
	m := map[string]any{}
	const text = `{"name":"demo_tool","title":"Demo","version":"1.2.3","stability":"experimental","status":"active",
	"transport":"http","endpoint":"/v1/tools/demo_tool", "family": "test","tags":["a","b"],"description":"d","capabilities":["c"],
	"input_schema":{"type":"object","additionalProperties":false,"required":["size"],"properties":{
	  "size":{"type":"number","exclusiveMinimum":0},"mode":{"enum":["x","y"]},"points":{"type":"array","items":{"type":"integer"}},
	  "bc":{"oneOf":[{"type":"object","required":["attribute"],"properties":{"attribute":{"type":"integer"}},"additionalProperties":false},
	                 {"type":"object","required":["where"],"properties":{"where":{"type":"string"}},"additionalProperties":false}]}}},
	"output_schema":{"type":"object","properties":{}},"evidence":"exact","errors":[{"code":"invalid_input","http_status":400,"when":"bad"}],
	"examples":[{"title":"t","input":{"size":1},"notes":""}],
	"effects":{"read_only":true,"destructive":false,"idempotent":true,"open_world":false,"side_effects":"none"},
	"deterministic":true,"limits":{"timeout_ms":5000,"max_timeout_ms":60000},
	"cost_hint":{"unit":"call","estimated_cost":0,"currency":"credits"},"engine":"atelier"}`
	if err := json.Unmarshal([]byte(text), &m); err != nil {
		t.Fatal(err)
	}
	if change != nil {
		change(m)
	}
	raw, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

func TestMalformedContractsAreRefusedByName(t *testing.T) {
	for name, tc := range map[string]struct {
		change func(m map[string]any)
		want   string
	}{
		"good":               {nil, ""},
		"name":               {func(m map[string]any) { m["name"] = "Bad Name" }, "name must match"},
		"version":            {func(m map[string]any) { m["version"] = "1.2" }, "major.minor.patch"},
		"stability":          {func(m map[string]any) { m["stability"] = "beta" }, "stability"},
		"tags unsorted":      {func(m map[string]any) { m["tags"] = []string{"b", "a"} }, "sorted"},
		"unknown error code": {func(m map[string]any) { m["errors"].([]any)[0].(map[string]any)["code"] = "NOPE" }, "catalogue"},
		"bad example":        {func(m map[string]any) { m["examples"].([]any)[0].(map[string]any)["input"] = map[string]any{} }, "does not validate"},
		"unknown field":      {func(m map[string]any) { m["colour"] = 1 }, "unknown field"},
		"unknown part":       {func(m map[string]any) { m["output_schema"] = map[string]any{"$ref": "atelier:defs/nope"} }, `contract "demo_tool": /output_schema/$ref: there is no shared part "defs/nope"`},
		"schema not object":  {func(m map[string]any) { m["output_schema"] = map[string]any{"type": "string"} }, "type object"},
		"negative limit":     {func(m map[string]any) { m["limits"] = map[string]any{"timeout_ms": -1} }, "negative"},
		"default over max":   {func(m map[string]any) { m["limits"] = map[string]any{"timeout_ms": 2, "max_timeout_ms": 1} }, "above"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Parse(minimal(t, tc.change))
			switch {
			case tc.want == "" && err != nil:
				t.Fatalf("refused: %v", err)
			case tc.want != "" && (err == nil || !strings.Contains(err.Error(), tc.want)):
				t.Fatalf("got %v, want an error with %q", err, tc.want)
			}
		})
	}
}

func TestAllViolationsAtOnceWithTheirPlace(t *testing.T) {
	c, err := Parse(minimal(t, nil))
	if err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct {
		input string
		want  []string // "field fault" in order
	}{
		"good":           {`{"size":2}`, nil},
		"absent input":   {``, []string{"/size missing"}},
		"several":        {`{"size":-1,"mode":"z","points":[1,"two"],"extra":0}`, []string{"/extra unknown", "/mode value", "/points/1 type", "/size value"}},
		"wrong type":     {`{"size":"big"}`, []string{"/size type"}},
		"not an object":  {`[1]`, []string{" type"}},
		"nan":            {`{"size":NaN}`, []string{" value"}},
		"invalid utf8":   {"{\"size\":1,\"mode\":\"\xff\"}", []string{"/mode value"}},
		"endless number": {`{"size":1e999999999,"points":[1e-999999999]}`, []string{"/points/0 value", "/size value"}},
		"nearest branch": {`{"size":1,"bc":{"attribute":"one"}}`, []string{"/bc/attribute type"}},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, e := range c.ValidateInput(json.RawMessage(tc.input)) {
				fault, _ := e.Details["fault"].(string)
				got = append(got, e.Field+" "+fault)
				if e.Code != CodeInvalidRequest || e.Message == "" {
					t.Errorf("fault without code or sentence: %+v", e)
				}
			}
			if strings.Join(got, ",") != strings.Join(tc.want, ",") {
				t.Fatalf("got %q, want %q", got, tc.want)
			}
		})
	}
}

func TestFaultsOfFieldsTellWhatIsTaken(t *testing.T) {
	c, err := Parse(minimal(t, func(m map[string]any) {
		m["examples"] = []any{map[string]any{"title": "t", "input": map[string]any{"place": map[string]any{"radius": 1}}}}
		m["input_schema"] = map[string]any{"type": "object", "additionalProperties": false,
			"properties": map[string]any{"place": map[string]any{"type": "object", "additionalProperties": false, "required": []any{"radius"},
				"properties": map[string]any{"radius": map[string]any{"type": "number", "description": "Radius, m."}, "centre": map[string]any{"type": "number"}}}}}
	}))
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		`/place/radius: radius: Radius, m.`,
		`/place/raduis: Did you mean "radius"? It takes centre, radius.`,
		`/place/x: It takes centre, radius.`,
	}
	var got []string
	for _, e := range c.ValidateInput(json.RawMessage(`{"place":{"raduis":1,"x":2}}`)) {
		got = append(got, e.Field+": "+e.Hint)
	}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestLimitsOfACaller(t *testing.T) {
	c, err := Parse(minimal(t, nil))
	if err != nil {
		t.Fatal(err)
	}
	l, warnings, faults := c.ResolveLimits(nil)
	if l.TimeoutMS != 5000 || l.MaxArtifacts != 64 || l.MaxSummaryCharacters != 280 || len(warnings)+len(faults) > 0 {
		t.Fatalf("defaults: %+v %v %v", l, warnings, faults)
	}
	l, warnings, faults = c.ResolveLimits(json.RawMessage(`{"timeout_ms":90000,"max_stdout_bytes":7}`))
	if l.TimeoutMS != 60000 || l.MaxStdoutBytes != 7 || len(warnings) != 1 || len(faults) != 0 {
		t.Fatalf("clamped subset: %+v %v %v", l, warnings, faults)
	}
	for _, wish := range []string{`{"timeout_ms":0}`, `{"max_artifacts":-1}`, `{"timeout_ms":1.5}`, `{"timeout":1}`,
		`{"max_summary_characters":15}`, `{"timeout_ms":"soon"}`, `[]`, `{"timeout_ms":null}`} {
		if _, _, faults := c.ResolveLimits(json.RawMessage(wish)); len(faults) != 1 || faults[0].Code != CodeInvalidRequest {
			t.Errorf("%s: %v", wish, faults)
		}
	}
}

func TestArtifactURLsRoundTrip(t *testing.T) {
	for _, name := range []string{"note.txt", "solution/solution.pvd", "a b%ü#?.csv", "x/y z/100%.vtu"} {
		u := ArtifactURL("job_1", name)
		job, back, ok := ParseArtifactURL(u)
		if !ok || job != "job_1" || back != name || strings.ContainsAny(u, " #?") {
			t.Errorf("%q -> %q -> %q %v", name, u, back, ok)
		}
		if _, back, ok := ParseArtifactURL("http://127.0.0.1:8080" + u); !ok || back != name {
			t.Errorf("absolute %q -> %q", u, back)
		}
	}
	for _, bad := range []string{"/v1/jobs/x/artifacts/", "/v1/jobs/x/artifacts/../y", "/v1/jobs/x/artifacts/%2e%2e/y",
		"/v1/jobs/x/artifacts/a%2fb", "/etc/passwd", "/v1/jobs//artifacts/a", "/v1/jobs/a/b/artifacts/c"} {
		if _, name, ok := ParseArtifactURL(bad); ok {
			t.Errorf("%q was accepted as %q", bad, name)
		}
	}
}

func TestToolResultDialect(t *testing.T) {
	r := &Result{Status: StatusPartial, Output: map[string]any{"status": "mine", "x": 1},
		Warnings: []Warning{{"w", "half"}}, Artifacts: []Artifact{{Name: "a b.txt", MIME: "text/plain", Bytes: 3}}}
	tr := r.ToolResult("job_1")
	if tr.Status != StatusOK || tr.Metrics["partial"] != true || tr.Artifacts[0].Path != "/v1/jobs/job_1/artifacts/a%20b.txt" {
		t.Fatalf("%+v", tr)
	}
	flat := tr.Flat()
	if x, _ := flat["x"].(json.RawMessage); string(x) != "1" || flat["status"] != StatusOK {
		t.Fatalf("an output key must not shadow the result's own: %v", flat)
	}
	failed := Failure("mfem", Errorf("ERR_NOT_CONVERGED", "residual 1 after 10 iterations").At("/config").WithHint("Refine."))
	tr = failed.ToolResult("job_1")
	if tr.ExitCode != 1 || tr.Metrics["error_code"] != "ERR_NOT_CONVERGED" || !strings.Contains(tr.Stderr, "residual 1") ||
		!strings.HasPrefix(string(tr.Output), `{"status":"error","error_code":"ERR_NOT_CONVERGED","error_message":"`) {
		t.Fatalf("%+v", tr)
	}
	if e := Errorf("NO_SUCH_CODE", "x"); e.Code != CodeInternal {
		t.Fatalf("an undocumented code must not leave: %+v", e)
	}
}

// The copy of an output's members shows the digits that the output itself has: 2^53 + 1
// is no float64, and 1e-400 is below the smallest.
func TestCopiedMembersKeepTheirDigits(t *testing.T) {
	r := &Result{Status: StatusOK, Output: json.RawMessage(`{"count":9007199254740993,"other":1e-400,"in":[{"n":12345678901234567890}],"messages":null}`), Warnings: []Warning{{"w", "half"}}}
	raw, err := json.Marshal(r.ToolResult("j").Flat())
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"count":9007199254740993`, `"other":1e-400`, `"n":12345678901234567890`} {
		if strings.Count(string(raw), want) != 2 { // at the top, and in output
			t.Errorf("%s does not stand twice in %s", want, raw)
		}
	}
	if !strings.Contains(string(raw), `"messages":["half"]`) {
		t.Errorf("null hides the warnings: %s", raw)
	}
}

func TestRegistryNamesAliasesAndFilters(t *testing.T) {
	mk := func(name string) Tool {
		c, err := Parse(minimal(t, func(m map[string]any) { m["name"] = name }))
		if err != nil {
			t.Fatal(err)
		}
		return Tool{Contract: c}
	}
	if _, err := NewRegistry([]Tool{mk("a.b"), mk("a_b")}); err == nil || !strings.Contains(err.Error(), "a_b") {
		t.Fatalf("the alias of a.b collides with a_b: %v", err)
	}
	r, err := NewRegistry([]Tool{mk("circuits.simulate"), mk("echo_json")})
	if err != nil {
		t.Fatal(err)
	}
	if tool, err := r.Find("circuits_simulate"); err != nil || tool.Contract.Name != "circuits.simulate" {
		t.Fatalf("alias: %v", err)
	}
	if _, err := r.Find("echo_jsn"); err == nil || !strings.Contains(AsError(err).Hint, "echo_json") {
		t.Fatalf("no suggestion: %v", err)
	}
	if _, err := r.Filter("beta", nil); err == nil || AsError(err).Details["field"] != "stability" {
		t.Fatalf("wrong level: %v", err)
	}
	if got, err := r.Filter("", []string{"zzz"}); err != nil || len(got) != 0 {
		t.Fatalf("%v %v", got, err)
	}
}

func FuzzParseArtifactURL(f *testing.F) {
	f.Add("/v1/jobs/job_1/artifacts/a/b")
	f.Fuzz(func(t *testing.T, ref string) {
		job, name, ok := ParseArtifactURL(ref)
		if ok && (job == "" || name == "" || strings.Contains("/"+name+"/", "/../") || strings.HasPrefix(name, "/")) {
			t.Fatalf("%q gave %q %q", ref, job, name)
		}
	})
}
