package notebook_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"atelier/internal/contract"
	"atelier/internal/runner"
	tools "atelier/internal/tools/notebook"
)

// paths lets every file be read; the protocols' own resolver is tested elsewhere.
type paths struct{}

func (paths) Path(_ context.Context, ref string) (string, error) { return ref, nil }

func (paths) Beside(_ context.Context, path, name string) (string, error) {
	return filepath.Join(filepath.Dir(path), name), nil
}

// fixture runs the family as the program does.
type fixture struct {
	t      testing.TB
	tools  map[string]contract.Tool
	run    runner.Runner
	memory int64 // MB; 0 for each tool's own limit
	limits string
}

func newFixture(t testing.TB, store tools.Store) *fixture {
	h := &fixture{t: t, tools: map[string]contract.Tool{}, run: runner.New()}
	if store == nil {
		store = &tools.Memory{Dir: t.TempDir()}
	}
	for _, tool := range tools.Tools(store, kernelHost, tools.Hub{}) {
		h.tools[tool.Contract.Name] = tool
	}
	return h
}

var jobs = make(chan int, 1)

func init() { jobs <- 0 }

// call runs a tool; context is nil or a JSON object.
func (h *fixture) call(name, input, callContext string) *contract.Result {
	h.t.Helper()
	tool, ok := h.tools[name]
	if !ok {
		h.t.Fatalf("no tool %s", name)
	}
	n := <-jobs + 1
	jobs <- n
	limits, _, faults := tool.Contract.ResolveLimits(json.RawMessage(h.limits))
	if len(faults) > 0 {
		h.t.Fatal(faults)
	}
	if h.memory > 0 {
		limits.MemoryMB = h.memory
	}
	dir, err := os.MkdirTemp(h.t.TempDir(), "")
	if err != nil {
		h.t.Fatal(err)
	}
	req := &runner.Request{Tool: &tool, Input: json.RawMessage(input), JobID: fmt.Sprintf("job_%d", n), Dir: dir, Limits: limits, Files: paths{}}
	if callContext != "" {
		req.Context = json.RawMessage(callContext)
	}
	return h.run(context.Background(), req)
}

// ok runs a tool that must work and decodes its output.
func ok[T any](h *fixture, name string, input any, callContext string) T {
	h.t.Helper()
	raw, err := json.Marshal(input)
	if err != nil {
		h.t.Fatal(err)
	}
	r := h.call(name, string(raw), callContext)
	if r.Status != contract.StatusOK {
		h.t.Fatalf("%s: %v", name, r.Errors)
	}
	var out T
	if err := json.Unmarshal(r.OutputJSON(), &out); err != nil {
		h.t.Fatal(err)
	}
	return out
}

type answer struct {
	CellIndex    int     `json:"cell_index"`
	Runnable     bool    `json:"runnable"`
	Ratio        float64 `json:"markdown_ratio_hint"`
	Indices      []int   `json:"assessment_cell_indices"`
	Path         string  `json:"notebook_path"`
	DependencyID string  `json:"dependency_id"`
	Position     int     `json:"manifest_position"`
	NotebookID   string  `json:"notebook_id"`
	Counts       struct {
		Markdown int `json:"markdown"`
		Code     int `json:"code"`
	} `json:"section_counts"`
	Metrics struct {
		Score int  `json:"qualityScore"`
		Meets bool `json:"meetsStandards"`
	} `json:"metrics"`
	Strict struct {
		Passes   bool `json:"passes"`
		Findings []struct {
			Code    string `json:"code"`
			Message string `json:"message"`
		} `json:"findings"`
	} `json:"strict"`
	Compatible bool   `json:"isCompatible"`
	FixedPath  string `json:"fixedNotebookPath"`
	Review     bool   `json:"review_requested"`
}

// lesson is a small course on samples; each step says something of its own.
var lesson = []struct{ title, body, code, output string }{
	{"Means of samples", "A mean condenses a sample into one number, and before it is worth quoting the sample itself deserves a look: how many values there are, how far they lie apart, whether one of them carries the whole result. Here five readings of a length are averaged by hand and by the statistics module. Both must agree to the last digit that the readings have; if they do not, a value was mistyped on the way.",
		"from statistics import mean\n\nreadings = [9.8, 10.1, 10.0, 9.9, 10.2]\nby_hand = sum(readings) / len(readings)\nassert abs(by_hand - mean(readings)) < 1e-12\nprint(\"mean\", round(by_hand, 3))", "The mean is 10.0."},
	{"Spread around a mean", "Two samples may share a mean and have little else in common. The standard deviation tells them apart: it is the root of the mean squared distance from the centre, with one degree of freedom given up for the centre that was estimated. Compare a tight sample with a wide one of equal mean, and notice that the deviation carries the unit of the readings while the variance carries its square.",
		"from statistics import stdev\n\nwide = [5.0, 15.0, 10.0, 2.0, 18.0]\nassert mean(wide) == mean(readings)\nprint(\"tight\", round(stdev(readings), 3))\nprint(\"wide\", round(stdev(wide), 3))", "The wide sample spreads forty times as far."},
	{"Outliers and medians", "One mistyped digit moves a mean by a fifth of its error when there are five readings. The median hardly notices, since it depends on ranks rather than on distances. Replace a reading by a hundred and watch both: the centre of gravity leaves every honest value behind, whereas the middle rank stays where most of the evidence lies. Robust figures buy that calm with some efficiency on clean data.",
		"from statistics import median\n\nspoiled = readings[:-1] + [100.0]\nprint(\"mean\", round(mean(spoiled), 2))\nprint(\"median\", median(spoiled))\nassert median(spoiled) < 11 < mean(spoiled)", "Mean 27.96, median 10.0."},
	{"Standard errors", "How far would the mean wander if the measurement were repeated? The standard error answers: deviation over the root of the count. Quadrupling the effort halves it, which is why the fourth decimal is so expensive. It describes the estimate, not the readings; a bar chart that confuses the two promises precision that nobody measured. Keep the distinction in every caption that you write from now on.",
		"from math import sqrt\n\nerrors = {n: stdev(readings) / sqrt(n) for n in (5, 20, 80)}\nfor n, error in errors.items():\n    print(f\"{n:3d} readings: {error:.4f}\")\nassert abs(errors[5] / errors[20] - 2) < 1e-9", "Each line is half of the one above."},
	{"Bootstrap intervals", "When no formula is at hand, resampling supplies one. Draw from the sample with replacement, as many values as it has, and compute the statistic anew; a few thousand repetitions trace its distribution. The central ninety-five percent make an interval that respects skewness and bounds. A fixed seed keeps the lesson reproducible, so that your neighbour's plot equals yours and arguments concern ideas rather than luck.",
		"import random\n\nrng = random.Random(7)\ndraws = sorted(mean(rng.choices(readings, k=len(readings))) for _ in range(2000))\nlow, high = draws[50], draws[-51]\nprint(\"interval\", round(low, 2), round(high, 2))\nassert low < mean(readings) < high", "An interval of about 0.3 around 10."},
	{"Reporting a result", "A figure ready for print has a value, an uncertainty, a unit and a count, rounded so that the uncertainty keeps two digits and the value ends at the same place. State how the interval was made, and what was left out. Whoever repeats the experiment needs exactly this; whoever decides by it needs to know how wrong it may be. Compose the sentence by a function, and let the function do the rounding.",
		"def report(values, unit):\n    error = stdev(values) / sqrt(len(values))\n    return f\"{mean(values):.2f} ± {error:.2f} {unit} (n = {len(values)})\"\n\n\nsentence = report(readings, \"mm\")\nprint(sentence)\nassert sentence.endswith(\"(n = 5)\")", "10.00 ± 0.07 mm (n = 5)"},
}

func callouts(topic string) []map[string]string {
	return []map[string]string{
		{"type": "tip", "message": "Work on paper first when you study " + strings.ToLower(topic) + "; then let the code confirm it."},
		{"type": "warning", "message": "Do not quote " + strings.ToLower(topic) + " without the number of readings behind the figure."},
		{"type": "note", "message": "The cells about " + strings.ToLower(topic) + " use names from above, so run them in order."},
	}
}

func question(topic string) map[string]any {
	return map[string]any{
		"prompt":        "Which of these statements about " + strings.ToLower(topic) + " holds for every sample, however small it may be?",
		"options":       []string{"It needs the count of readings", "It never changes with the data", "It has no unit in any case"},
		"correct_index": 0,
		"explanation":   "Without the count of readings nobody can tell how far " + strings.ToLower(topic) + " can be trusted.",
	}
}

// build makes the lesson and returns the finalize answer and the indices that
// were promised, each with a text that its cell must hold.
func build(h *fixture, ctx, id string) (answer, map[int]string) {
	promised := map[int]string{}
	with := func(m map[string]any) map[string]any {
		if id != "" {
			m["notebook_id"] = id
		}
		return m
	}
	ok[answer](h, "notebook.begin", with(map[string]any{"title": "Figures that can be quoted", "overview": "From five readings to a sentence for print.", "objectives": []string{"Average a sample and say how far it spreads", "Report a figure with its uncertainty"}, "prerequisites": []string{"Lists and functions in Python"}, "audience": "Students in their first laboratory"}), ctx)
	for i, s := range lesson {
		step := ok[answer](h, "notebook.emit_markdown_step", with(map[string]any{"section_number": i + 1, "title": fmt.Sprintf("Step %d: %s", i+1, s.title), "body": s.body, "callouts": callouts(s.title), "estimated_tokens": 600, "next_section_hint": "What follows builds on " + strings.ToLower(s.title) + ", so keep the cells above."}), ctx)
		promised[step.CellIndex] = fmt.Sprintf("## Step %d: %s", i+1, s.title)
		cell := ok[answer](h, "notebook.emit_code_cell", with(map[string]any{"section_number": i + 1, "code": s.code, "language": "python", "narration": "Try " + strings.ToLower(s.title) + " in code.", "expected_output": s.output}), ctx)
		if !cell.Runnable {
			h.t.Errorf("the code of step %d is not runnable", i+1)
		}
		promised[cell.CellIndex] = s.code
	}
	for i, s := range lesson[:2] {
		asked := ok[answer](h, "notebook.record_assessment", with(map[string]any{"section_number": i + 1, "questions": []any{question(s.title)}}), ctx)
		promised[asked.Indices[0]] = "render_mcq("
	}
	return ok[answer](h, "notebook.finalize", with(map[string]any{"outline_summary": "Five readings became a sentence for print: you averaged them, measured their spread, met an outlier, halved a standard error, resampled an interval, and wrote a function that rounds and reports. Each of these was checked by an assertion that would have failed otherwise.", "next_steps": []string{"Repeat the lesson with readings of your own."}, "references": []string{"GUM: JCGM 100:2008"}, "reading_time_minutes": 15, "markdown_ratio_target": 0.6}), ctx), promised
}

func cellsOf(t testing.TB, path string) (cells []struct {
	Type   string   `json:"cell_type"`
	ID     string   `json:"id"`
	Source []string `json:"source"`
}, content []byte) {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var nb struct {
		Cells json.RawMessage `json:"cells"`
	}
	if err := json.Unmarshal(content, &nb); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(nb.Cells, &cells); err != nil {
		t.Fatal(err)
	}
	return cells, content
}

// A lesson built by the tools is good, compatible, and has its cells where the
// calls were told.
func TestLesson(t *testing.T) {
	h := newFixture(t, nil)
	done, promised := build(h, `{"session_id":"s1"}`, "")
	cells, content := cellsOf(t, done.Path)
	for index, text := range promised {
		if got := strings.Join(cells[index].Source, ""); !strings.Contains(got, text) {
			t.Errorf("cell %d should hold %q, holds %q", index, text, got)
		}
	}
	if done.Counts.Markdown+done.Counts.Code != len(cells) {
		t.Errorf("counts %+v of %d cells", done.Counts, len(cells))
	}
	quality := ok[answer](h, "validator.run_quality", map[string]any{"notebook_path": done.Path}, "")
	if quality.Metrics.Score < 90 || !quality.Metrics.Meets || !quality.Strict.Passes {
		t.Errorf("quality %+v strict %+v", quality.Metrics, quality.Strict)
	}
	colab := ok[answer](h, "validator.run_colab", map[string]any{"notebook_path": done.Path}, "")
	if !colab.Compatible || !strings.HasSuffix(colab.FixedPath, ".colab.ipynb") || colab.Review {
		t.Errorf("colab %+v", colab)
	}
	// Nothing had to be fixed: api/spec/notebooks.md names it notebook.colab.ipynb all the same.
	if _, copied := cellsOf(t, colab.FixedPath); string(copied) != string(content) {
		t.Error("a notebook without a fault was changed")
	}
	again, _ := build(newFixture(t, nil), `{"session_id":"s2"}`, "")
	if _, other := cellsOf(t, again.Path); string(other) != string(content) {
		t.Error("the same calls gave other bytes")
	}
}
