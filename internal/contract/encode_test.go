package contract

import (
	"bytes"
	"encoding/json"
	"math"
	"testing"

	"atelier/internal/evidence"
)

// standard is what encoding/json makes of a value, without HTML escapes.
func standard(t *testing.T, v any) string {
	t.Helper()
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		t.Fatal(err)
	}
	return string(bytes.TrimSuffix(buf.Bytes(), []byte("\n")))
}

func sameAsStandard(t *testing.T, r *Result) {
	t.Helper()
	var buf bytes.Buffer
	if err := r.WriteJSON(&buf); err != nil {
		t.Fatal(err)
	}
	if want := standard(t, r); buf.String() != want {
		t.Errorf("a result is written as\n%s\nencoding/json writes\n%s", &buf, want)
	}
	shown := r.ToolResult("job_x")
	buf.Reset()
	if err := shown.WriteJSON(&buf); err != nil {
		t.Fatal(err)
	}
	if want := standard(t, shown); buf.String() != want {
		t.Errorf("a ToolResult is written as\n%s\nencoding/json writes\n%s", &buf, want)
	}
}

// The standard library is the reference: both writers make the same bytes.
func TestWriteJSON(t *testing.T) {
	for _, r := range []*Result{
		{},
		{Status: StatusOK, Solver: "atelier", Summary: "Echoed.", Output: json.RawMessage(`{"a":1,"b":"<&>"}`), Metrics: map[string]any{"elapsed_ms": 0.25, "n": 3}, Confidence: new(1.0)},
		{Output: json.RawMessage("{ \"spaced\" : [1,\n 2] }")},
		{Output: struct {
			A string `json:"a"`
		}{"x"}, Summary: "quote \" backslash \\ control \x01 line\nfeed \u2028 <tag> & ümläut 日本 \xff"},
		{Metrics: map[string]any{"": nil, "b": true, "i64": int64(-5), "u": uint8(7), "f32": float32(1.5), "list": []string{"x"}, "map": map[string]any{"k": 1},
			"small": 1e-7, "large": 1e21, "neg": math.Copysign(0, -1), "third": 1.0 / 3, "exact": 1e20, "edge": 1e-6, "max": math.MaxFloat64}},
		{Artifacts: []Artifact{{Name: "a/b c.vtu", MIME: "model/vtk", Bytes: 5, Primary: true}}, Warnings: []Warning{{"w", "m"}}},
		{Status: StatusPartial, Log: Log{Stdout: "out\n", Stderr: "err", ExitCode: 3}, Evidence: judgedEvidence(t), Confidence: new(0.95)},
		Failure("mfem", Errorf(CodeInvalidInput, "bad <value>").At("/x").With("n", 1.5)),
	} {
		sameAsStandard(t, r)
	}
}

// What is no JSON is an error here as there.
func TestWriteJSONRefuses(t *testing.T) {
	for _, r := range []*Result{
		{Metrics: map[string]any{"x": math.NaN()}}, {Metrics: map[string]any{"x": math.Inf(1)}},
		{Output: json.RawMessage(`{"open":`)}, {Output: func() {}}, {Confidence: new(math.NaN())},
	} {
		if err := r.WriteJSON(&bytes.Buffer{}); err == nil {
			t.Errorf("%v was encoded", r)
		}
		if _, err := json.Marshal(r); err == nil {
			t.Errorf("encoding/json takes %v", r)
		}
	}
}

func FuzzWriteJSON(f *testing.F) {
	f.Add("summary", "key", 0.5, int64(7))
	f.Add("\"\\\x00\u2029", "é", -1e-7, int64(-1))
	f.Fuzz(func(t *testing.T, text, key string, number float64, whole int64) {
		if math.IsNaN(number) || math.IsInf(number, 0) {
			return
		}
		sameAsStandard(t, &Result{Summary: text, Log: Log{Stdout: key, ExitCode: int(whole)}, Confidence: &number,
			Metrics: map[string]any{key: number, text: whole, "job": text, "list": []any{number, key}}})
	})
}

func judgedEvidence(t *testing.T) *evidence.Evidence {
	t.Helper()
	e, err := evidence.Judge(evidence.Statement{
		Checks:  []evidence.Check{evidence.Within("residual", evidence.Residual, "", 1e-9, 1e-6, "1", "The equations are solved.")},
		Figures: []evidence.Figure{evidence.Of("n", "/n", 2, "1", "counted").Quote()},
	})
	if err != nil {
		t.Fatal(err)
	}
	return e
}
