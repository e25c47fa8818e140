package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"atelier/internal/contract"
	"atelier/internal/testenv"
)

// elsewhere are the tools whose examples need what a clone does not have, and what
// runs them instead.
var elsewhere = map[string]string{
	"mlx.load":                  "a model of a gigabyte from a hub; make test-mlx loads small ones of its own",
	"mlx.unload":                "a loaded model; make test-mlx has one",
	"search.web":                "a search service of the operator; make test-search has one",
	"verify_claim":              "a job that has run; internal/tools/claim has some of its own",
	"study_ask":                 "a study that has been run; study_test.go has some of its own",
	"study_change":              "a study that is there; study_test.go has some of its own",
	"study_compare":             "a study that has been run twice; study_test.go has some of its own",
	"study_report":              "a study that has been run; study_test.go has some of its own",
	"study_run":                 "a study that is there; study_test.go has some of its own",
	"web.fetch":                 "pages of the web; make test-web serves its own",
	"notebook.fetch_model_card": "a hub of models; internal/tools/notebook has the cards of a local one",
}

// lessonOrder is the order in which the notebook tools' examples make one lesson.
// Those that take a cell out or ask for a person's review come after its end.
var lessonOrder = []string{
	"notebook.begin", "notebook.emit_markdown_step", "notebook.add_dependency", "notebook.emit_code_cell",
	"notebook.record_assessment", "notebook.snapshot", "notebook.finalize",
	"notebook.revise_cell", "notebook.remove_cell", "notebook.flag_for_review",
}

// afterFinalize are the examples that change a notebook, which must not be
// finalised: they are made on a second one.
var afterFinalize = lessonOrder[7:]

// Every example of every contract runs to the status ok on a clone of the
// repository, by its engine, as a reader would copy it.
func TestEveryExampleRuns(t *testing.T) {
	s := start(t, func(c *serveCmd) { c.Root = []string{testenv.Root()} })
	ran := 0
	for _, tool := range s.inLessonOrder() {
		name := tool.Contract.Name
		if why := elsewhere[name]; why != "" {
			t.Logf("%s is left out: it needs %s", name, why)
			continue
		}
		for n, example := range tool.Contract.Examples {
			ran++
			t.Run(fmt.Sprintf("%s/%d", name, n), func(t *testing.T) { s.runExample(t, name, example.Input) })
		}
		for _, earlier := range tool.Earlier {
			for n, example := range earlier.Examples {
				if slices.Contains(lessonOrder, name) {
					continue // the present minor's example has been taken by the lesson
				}
				ran++
				t.Run(fmt.Sprintf("%s/%s/%d", name, earlier.Version, n), func(t *testing.T) { s.invokeExample(t, name, earlier.Version, n, example.Input) })
			}
		}
	}
	if ran < 50 {
		t.Errorf("only %d examples ran", ran)
	}
}

// inLessonOrder are all tools, those of the lesson last.
func (s *server) inLessonOrder() []*contract.Tool {
	all := slices.Clone(s.app.tools.All())
	slices.SortStableFunc(all, func(a, b *contract.Tool) int {
		return slices.Index(lessonOrder, a.Contract.Name) - slices.Index(lessonOrder, b.Contract.Name)
	})
	return all
}

func (s *server) runExample(t *testing.T, name string, input json.RawMessage) {
	t.Helper()
	tool, err := s.app.tools.Find(name)
	if err != nil {
		t.Fatal(err)
	}
	if tool.Available != nil {
		if why := tool.Available(); why != nil {
			testenv.Skip(t, testenv.Engine, "%v", why)
		}
	}
	if slices.Contains(afterFinalize, name) {
		input = s.onSecondNotebook(t, name, input)
	}
	r := s.execute(name, string(input))
	if r.status != 200 || r.at("status") != "ok" {
		t.Errorf("%s\n%d %.900s", input, r.status, r.raw)
	}
}

// onSecondNotebook makes a lesson of a step and a cell for each example that
// changes one.
func (s *server) onSecondNotebook(t *testing.T, name string, input json.RawMessage) json.RawMessage {
	t.Helper()
	id := "second-" + strings.TrimPrefix(name, "notebook.")
	for _, step := range lessonOrder[:4] {
		tool, err := s.app.tools.Find(step)
		if err != nil {
			t.Fatal(err)
		}
		if r := s.execute(step, with(t, tool.Contract.Examples[0].Input, "notebook_id", id)); r.at("status") != "ok" {
			t.Fatalf("%s: %.900s", step, r.raw)
		}
	}
	return json.RawMessage(with(t, input, "notebook_id", id))
}

// with is a JSON object with one more member.
func with(t *testing.T, object json.RawMessage, key string, value any) string {
	t.Helper()
	var fields map[string]any
	if err := json.Unmarshal(object, &fields); err != nil {
		t.Fatal(err)
	}
	fields[key] = value
	out, err := json.Marshal(fields)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// invokeExample asks for an earlier minor, which only an invocation can.
func (s *server) invokeExample(t *testing.T, name, version string, n int, input json.RawMessage) {
	t.Helper()
	body, err := json.Marshal(map[string]any{"tool_name": name, "tool_version": version, "arguments": input,
		"capture_selection": map[string]any{"capture_id": "", "selectors": map[string]any{}},
		"request_id":        fmt.Sprintf("example-%s-%s-%d", name, version, n), "timeout_ms": 60000})
	if err != nil {
		t.Fatal(err)
	}
	if r := s.post("/v1/invocations", string(body)); r.status != 200 || r.at("status") != "ok" {
		t.Errorf("%s\n%d %.900s", input, r.status, r.raw)
	}
}
