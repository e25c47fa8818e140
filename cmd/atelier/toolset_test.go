package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/tiktoken-go/tokenizer"

	"atelier/internal/llm"
	"atelier/internal/llm/llmtest"
	"atelier/internal/testenv"
	"atelier/internal/tools"
)

// standardTools are what a client sees that asks for none.
var standardTools = []string{"call_tool", "files", "find_tool", "study_ask", "study_change", "study_compare", "study_report", "study_run"}

// tokensOf counts as the models of o200k_base do.
func tokensOf(t *testing.T, text string) int {
	t.Helper()
	codec, err := tokenizer.Get(tokenizer.O200kBase)
	if err != nil {
		t.Fatal(err)
	}
	n, err := codec.Count(text)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// mostTokens is what the tools of a client that asks for none may take of its window.
const mostTokens = 3000

func TestTheStandardToolsTakeLittleRoom(t *testing.T) {
	s := start(t, nil)
	session := mcpClient(t, &sdk.StreamableClientTransport{Endpoint: s.url + "/mcp"}, "")
	list, err := session.ListTools(context.Background(), nil)
	if err != nil {
		t.Fatal(err)
	}
	raw, _ := json.Marshal(list.Tools)
	n := tokensOf(t, string(raw))
	t.Logf("tools/list: %d tools, %d tokens", len(list.Tools), n)
	if len(list.Tools) != len(standardTools) || n > mostTokens {
		t.Errorf("%d tools of %d tokens", len(list.Tools), n)
	}
	var functions []any
	shown, err := s.app.tools.Select(tools.Standard)
	if err != nil {
		t.Fatal(err)
	}
	for _, tool := range shown.All() {
		functions = append(functions, tool.Contract.FunctionTool(false))
	}
	raw, _ = json.Marshal(functions)
	n = tokensOf(t, string(raw))
	t.Logf("functions of a model: %d tokens", n)
	if n > mostTokens {
		t.Errorf("%d tokens", n)
	}
}

// A call of call_tool is one of the tool that it names, whichever way it comes: the job, the
// errors and their places are that tool's.
func TestCallToolIsACallOfTheToolThatItNames(t *testing.T) {
	s := start(t, nil)
	said := func(r reply) string { return string(r.raw) }
	r := s.execute("call_tool", `{"tool":"echo_json","input":{"message":"hello","n":2}}`)
	if r.at("output", "message") != "hello" || !strings.Contains(said(s.get("/v1/jobs")), `"tool_name":"echo_json"`) || strings.Contains(said(s.get("/v1/jobs")), "call_tool") {
		t.Errorf("%s\n%s", r.raw, said(s.get("/v1/jobs")))
	}
	for input, want := range map[string]string{
		`{"tool":"echo_json","input":{"n":99}}`:                                             `"/input/n"`,
		`{"tool":"echo_jsom","input":{}}`:                                                   `Did you mean \"echo_json\"`,
		`{"tool":"call_tool","input":{"tool":"echo_json","input":{"message":"a"}}}`:         "not itself",
		`{"tool":"echo_json"}`:                                                              "/input",
		`{"tool":"write_text_artifact","input":{"text":"a","filename":"b.txt"},"limits":1}`: "limits",
	} {
		if r := s.execute("call_tool", input); r.at("status") != "error" || !strings.Contains(said(r), want) {
			t.Errorf("%s: %s", input, r.raw)
		}
	}
	session := mcpClient(t, &sdk.StreamableClientTransport{Endpoint: s.url + "/mcp"}, "")
	for _, call := range []*sdk.CallToolParams{
		{Name: "call_tool", Arguments: map[string]any{"tool": "echo_json", "input": map[string]any{"message": "hello"}}},
		{Name: "echo_json", Arguments: map[string]any{"message": "hello"}}, // not listed, and can be called
	} {
		r, err := session.CallTool(context.Background(), call)
		if raw, _ := json.Marshal(r); err != nil || r.IsError || !strings.Contains(string(raw), `"message":"hello"`) {
			t.Errorf("%s: %v %s", call.Name, err, raw)
		}
	}
	forced := s.post("/v1/chat/completions", `{"model":"autosage-0.1","messages":[{"role":"user","content":"x"}],
		"tool_choice":{"type":"function","function":{"name":"call_tool","arguments":{"tool":"echo_json","input":{"message":"hello"}}}}}`)
	if forced.at("tool_results", 0, "result", "message") != "hello" {
		t.Errorf("%s", forced.raw)
	}
}

// A session's step is of the tool that ran, and what may destroy is asked about.
func TestCallToolInASession(t *testing.T) {
	s := start(t, nil)
	id := s.post("/v1/sessions", `{}`).at("session_id").(string)
	r := s.post("/v1/tools/execute", fmt.Sprintf(`{"tool":"call_tool","input":{"tool":"echo_json","input":{"message":"a"}},"context":{"session_id":%q}}`, id))
	if m := s.get("/v1/sessions/" + id); r.at("status") != "ok" || m.at("steps", 0, "tool") != "echo_json" || m.at("steps", 0, "status") != "succeeded" {
		t.Errorf("%s\n%s", r.raw, m.raw)
	}
}

func TestFilesAreListedAndRead(t *testing.T) {
	s := start(t, nil)
	bar(t, s.root, 1, 0.1, 0.1)
	r := s.execute("files", `{"pattern":"*.MESH"}`)
	if r.at("output", "files", 0, "reference") != "bar.mesh" || len(r.at("output", "files").([]any)) != 1 {
		t.Errorf("%s", r.raw)
	}
	if r := s.execute("files", `{"read":"bar.mesh","length":14}`); r.at("output", "text") != "MFEM mesh v1.0" || r.at("output", "more") != true || r.at("output", "next") != 14.0 {
		t.Errorf("%s", r.raw)
	}
	for input, want := range map[string]string{
		`{"read":"../../etc/passwd"}`:                 "ERR_FILE_OUTSIDE_ROOTS",
		`{"read":"nothing.txt"}`:                      "ERR_FILE_NOT_FOUND",
		`{"read":"bar.mesh","offset":1000000}`:        "/offset",
		`{"job_id":"job_aaaaaaaaaaaaaaaaaaaaaaaaaa"}`: "not_found",
		`{"at":"/a"}`:                        "/job_id",
		`{"pattern":"[a"}`:                   "/pattern",
		`{"uploads":true,"read":"bar.mesh"}`: "more than one",
	} {
		if r := s.execute("files", input); r.at("status") != "error" || !strings.Contains(string(r.raw), want) {
			t.Errorf("%s: %s", input, r.raw)
		}
	}
	made := s.execute("write_text_artifact", `{"text":"hello\n","filename":"a.txt"}`)
	job := made.at("metrics", "job_id").(string)
	if r := s.execute("files", fmt.Sprintf(`{"job_id":%q}`, job)); r.at("output", "files", 0, "name") != "a.txt" {
		t.Errorf("%s", r.raw)
	}
	if r := s.execute("files", fmt.Sprintf(`{"job_id":%q,"at":"/bytes"}`, job)); r.at("output", "value") != 6.0 {
		t.Errorf("%s", r.raw)
	}
	url := made.at("output", "artifact_url").(string)
	if r := s.execute("files", fmt.Sprintf(`{"read":%q}`, url)); r.at("output", "text") != "hello\n" {
		t.Errorf("%s", r.raw)
	}
}

// smallModel is an endpoint whose model reads 8,192 tokens, of which it wants 1,024 for its
// reply: a longer request is refused, as vLLM does.
type smallModel struct {
	t       *testing.T
	longest int
}

func (m *smallModel) step(step func(said string) llmtest.Step) llmtest.Step {
	return llmtest.Step{Then: func(r llmtest.Request) llmtest.Step {
		n := tokensOf(m.t, string(r.Raw))
		m.longest = max(m.longest, n)
		if n > 8192-1024 {
			return llmtest.Step{Status: 400, Raw: fmt.Sprintf(`{"error":{"message":"This model's maximum context length is 8192 tokens, but the request has %d.","code":400}}`, n)}
		}
		return step(string(r.Raw))
	}}
}

func calls(name string, input any) llmtest.Step {
	raw, _ := json.Marshal(input)
	return llmtest.Step{Calls: []llm.FunctionCall{{Name: name, Arguments: string(raw)}}}
}

var studyID = regexp.MustCompile(`study_[a-z2-7]{20,}`)

// A study from nothing to its figure by a model that reads 8,192 tokens: a pulled bar without
// Poisson's effect, u = F L / (E A) (Timoshenko, Strength of Materials I, art. 1).
func TestAStudyFitsASmallModel(t *testing.T) {
	probe := start(t, nil)
	if tool, err := probe.app.tools.Find("fea.solve"); err != nil || tool.Available() != nil {
		testenv.Skip(t, testenv.Engine, "an engine is missing: make engines")
	}
	rng := testenv.Random(t)
	length, width, force, e := 0.1+rng.Float64(), 0.01+0.05*rng.Float64(), 1e3+1e4*rng.Float64(), (50+200*rng.Float64())*1e9
	document := map[string]any{
		"study": "1.0", "parts": map[string]any{"bar": map[string]any{"file": "bar.mesh", "length_unit": "m"}},
		"materials": map[string]any{"metal": map[string]any{"E": e, "nu": 0}},
		"supports":  map[string]any{"wall": map[string]any{"type": "fixed", "on": "left"}},
		"loads":     map[string]any{"pull": map[string]any{"type": "load", "on": "right", "force": []float64{force, 0, 0}}},
		"analyses":  map[string]any{"static": map[string]any{"type": "static"}},
		"questions": map[string]any{"stretch": map[string]any{"quantity": "max displacement"}},
	}
	small := &smallModel{t: t}
	study := func(said string) string { return studyID.FindString(said) }
	up := llmtest.Start(t,
		small.step(func(string) llmtest.Step { return calls("files", map[string]any{"pattern": "*.mesh"}) }),
		small.step(func(string) llmtest.Step {
			return calls("find_tool", map[string]any{"query": "finite elements of a structure"})
		}),
		small.step(func(string) llmtest.Step { return calls("study_change", map[string]any{"document": document}) }),
		small.step(func(said string) llmtest.Step { return calls("study_run", map[string]any{"study": study(said)}) }),
		small.step(func(said string) llmtest.Step {
			return calls("study_ask", map[string]any{"study": study(said), "quantity": "max von Mises"})
		}),
		small.step(func(said string) llmtest.Step {
			return calls("study_change", map[string]any{"study": study(said), "words": "double the load"})
		}),
		small.step(func(said string) llmtest.Step { return calls("study_run", map[string]any{"study": study(said)}) }),
		small.step(func(said string) llmtest.Step { return calls("study_compare", map[string]any{"study": study(said)}) }),
		small.step(func(string) llmtest.Step { return llmtest.Step{Text: "It is stretched."} }),
	)
	s := start(t, func(c *serveCmd) { c.ModelURL, c.Model = up.URL+"/v1", "small" })
	bar(t, s.root, length, width, width)
	r := s.post("/v1/chat/completions", `{"model":"autosage-0.1","messages":[{"role":"user","content":"How far is bar.mesh stretched, and at twice the load?"}]}`)
	t.Logf("9 requests, the longest of %d tokens", small.longest)
	results, _ := r.at("tool_results").([]any)
	if len(results) != 8 {
		t.Fatalf("%d calls: %s", len(results), r.raw)
	}
	for i := range results {
		if r.at("tool_results", i, "status") != "ok" {
			t.Errorf("call %d: %v", i, results[i])
		}
	}
	want := force * length / (e * width * width)
	for at, factor := range map[int]float64{3: 1, 6: 2} {
		got, _ := r.at("tool_results", at, "result", "answers", 0, "value").(float64)
		if math.Abs(got-factor*want) > 1e-6*factor*want {
			t.Errorf("call %d: %g, not %g (length %g, width %g, force %g, E %g)", at, got, factor*want, length, width, force, e)
		}
	}
}

// A request that does not fit says what it is made of and what can be left out.
func TestAModelThatIsTooSmallIsTold(t *testing.T) {
	small := &smallModel{t: t}
	up := llmtest.Start(t, small.step(func(string) llmtest.Step { return llmtest.Step{Text: "It fits."} }))
	s := start(t, func(c *serveCmd) { c.ModelURL, c.Model = up.URL+"/v1", "small" })
	r := s.post("/v1/chat/completions?tools=*", `{"model":"autosage-0.1","messages":[{"role":"user","content":"hello"}]}`)
	for _, want := range []string{"tokens of tools", "--toolset", "--model-window"} {
		if r.status < 400 || !strings.Contains(string(r.raw), want) {
			t.Errorf("%d %s", r.status, r.raw)
		}
	}
}
