package notebook_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"atelier/internal/contract"
)

// ran is what the tests read of an answer.
type ran struct {
	OK      bool `json:"ok"`
	Run     int  `json:"cells_run"`
	Total   int  `json:"cells_total"`
	Failure *struct {
		Code      string   `json:"code"`
		Index     int      `json:"cell_index"`
		ID        string   `json:"cell_id"`
		Name      string   `json:"ename"`
		Value     string   `json:"evalue"`
		Traceback []string `json:"traceback"`
		Line      int      `json:"line"`
	} `json:"failure"`
	Cells []struct {
		Index  int    `json:"cell_index"`
		State  string `json:"state"`
		Output string `json:"output"`
	} `json:"cells"`
	Executed  string `json:"executed_notebook"`
	Artifacts []struct {
		Name  string `json:"name"`
		Index int    `json:"cell_index"`
	} `json:"artifacts"`
	Receipt struct {
		Packages map[string]string `json:"packages"`
	} `json:"receipt"`
	Execution state `json:"execution"`
	Previous  state `json:"previous"`
	Evidence  struct {
		Trust   string   `json:"trust"`
		Reasons []string `json:"reasons"`
	} `json:"evidence"`
}

type state struct {
	State   string   `json:"state"`
	Because []string `json:"because"`
	Stale   []struct {
		Index  int      `json:"cell_index"`
		Reason string   `json:"reason"`
		Names  []string `json:"names"`
	} `json:"stale_cells"`
}

func (s state) stale() []int {
	list := []int{}
	for _, c := range s.Stale {
		list = append(list, c.Index)
	}
	return list
}

// cell is a code cell of a notebook made for a test; tags follow the source.
type cell []string

func writeNotebook(t testing.TB, path string, cells ...cell) string {
	t.Helper()
	if path == "" {
		path = filepath.Join(t.TempDir(), "notebook.ipynb")
	}
	list := []any{}
	for i, c := range cells {
		list = append(list, map[string]any{"cell_type": "code", "id": fmt.Sprintf("c%d", i), "metadata": map[string]any{"tags": append([]string{}, c[1:]...)}, "source": c[0], "outputs": []any{}, "execution_count": nil})
	}
	raw, err := json.Marshal(map[string]any{"nbformat": 4, "nbformat_minor": 5, "metadata": map[string]any{}, "cells": list})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, raw, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func execute(h *fixture, path string, more map[string]any) ran {
	h.t.Helper()
	input := map[string]any{"notebook_path": path}
	for k, v := range more {
		input[k] = v
	}
	return ok[ran](h, "validator.run_execution", input, "")
}

// refusal runs a notebook that must end with a code, and says how long it took.
func refusal(t *testing.T, h *fixture, code string, input map[string]any) (*contract.Result, *contract.Error) {
	t.Helper()
	raw, err := json.Marshal(input)
	if err != nil {
		t.Fatal(err)
	}
	r := h.call("validator.run_execution", string(raw), "")
	if r.Status != contract.StatusError || r.Errors[0].Code != code {
		t.Fatalf("%s %v, want %s", r.Status, r.Errors, code)
	}
	return r, r.Errors[0]
}

func TestRunsFromTopToBottom(t *testing.T) {
	needKernel(t)
	h := newFixture(t, nil)
	path := writeNotebook(t, "", cell{"x = 6"}, cell{"print(x * 7)"},
		cell{"import numpy as np\nnp.savetxt('squares.txt', np.arange(4) ** 2)\nnp.arange(101).sum()"},
		cell{"with open('squares.txt', 'a') as f:\n    f.write('25\\n')\nopen('note.md', 'w').write('done')"},
		cell{"!echo from the shell"})
	r := execute(h, path, nil)
	if !r.OK || r.Run != 5 || r.Total != 5 || r.Failure != nil || r.Evidence.Trust != "verified" {
		t.Fatalf("%+v", r)
	}
	// 6 times 7; Gauss's sum of 1 to 100.
	if r.Cells[1].Output != "42" || !strings.Contains(r.Cells[2].Output, "5050") || r.Cells[4].Output != "from the shell" {
		t.Errorf("%+v", r.Cells)
	}
	made := map[string]int{}
	for _, a := range r.Artifacts {
		made[a.Name] = a.Index
	}
	if len(made) != 2 || made["files/squares.txt"] != 3 || made["files/note.md"] != 3 {
		t.Errorf("files %v", made)
	}
	if r.Receipt.Packages["numpy"] == "" || len(r.Receipt.Packages) != 1 {
		t.Errorf("packages %v", r.Receipt.Packages)
	}
	if r.Previous.State != "never" || r.Execution.State != "current" {
		t.Errorf("before %s, after %s", r.Previous.State, r.Execution.State)
	}
	content, err := os.ReadFile(r.Executed)
	if err != nil || !strings.Contains(string(content), `"42\n"`) {
		t.Errorf("%s: %v", r.Executed, err)
	}
}

func TestFirstFailingCell(t *testing.T) {
	needKernel(t)
	h := newFixture(t, nil)
	path := writeNotebook(t, "", cell{"def half(n):\n    return 1 / n"}, cell{"raise KeyError('meant')", "raises-exception"}, cell{"a = 1\nb = half(0)\nc = 3"}, cell{"print('never')"})
	r := execute(h, path, nil)
	f := r.Failure
	if r.OK || f == nil || f.Index != 2 || f.ID != "c2" || f.Name != "ZeroDivisionError" || f.Line != 2 || r.Run != 3 || r.Evidence.Trust != "suspect" {
		t.Fatalf("%+v %+v", r, f)
	}
	if text := strings.Join(f.Traceback, "\n"); !strings.Contains(text, "b = half(0)") || strings.Contains(text, "\x1b") {
		t.Errorf("traceback %s", text)
	}
	if r.Execution.State != "failed" || r.Cells[3].State != "not_run" {
		t.Errorf("%+v %+v", r.Execution, r.Cells)
	}
	q := ok[struct {
		Execution state `json:"execution"`
		Strict    struct {
			Passes   bool `json:"passes"`
			Findings []struct{ Code string }
		} `json:"strict"`
	}](h, "validator.run_quality", map[string]any{"notebook_path": path}, "")
	if q.Execution.State != "failed" || q.Strict.Passes || !slices.ContainsFunc(q.Strict.Findings, func(f struct{ Code string }) bool { return f.Code == "execution_failed" }) {
		t.Errorf("quality %+v", q)
	}
	if all := execute(h, path, map[string]any{"stop_on_error": false}); all.OK || all.Run != 4 || all.Failure.Index != 2 || all.Cells[3].Output != "never" {
		t.Errorf("to the end: %+v", all)
	}
}

func TestParametersAsPapermill(t *testing.T) {
	needKernel(t)
	h := newFixture(t, nil)
	path := writeNotebook(t, "", cell{"import json"}, cell{"n = 2\nword = 'x'", "parameters"}, cell{"print(n * 3, word, extra)"}, cell{"1 / (n - 5)"})
	r := execute(h, path, map[string]any{"parameters": map[string]any{"n": 5, "word": "a \"b\" \\ é", "extra": []any{nil, true, map[string]any{"k": 1.5}}}})
	// The cell after the tagged one sets them; cells count as in the notebook given.
	if r.Cells[2].Output != `15 a "b" \ é [None, True, {'k': 1.5}]` {
		t.Errorf("%+v", r.Cells)
	}
	if r.Failure == nil || r.Failure.Index != 3 || r.Failure.ID != "c3" || r.Total != 4 {
		t.Errorf("%+v", r.Failure)
	}
	cells, _ := cellsOf(t, writeLines(t, r.Executed))
	if len(cells) != 5 || !strings.HasPrefix(strings.Join(cells[2].Source, ""), "# Parameters\n") {
		t.Errorf("%d cells", len(cells))
	}
	again := execute(h, r.Executed, map[string]any{"parameters": map[string]any{"n": 7, "word": "", "extra": 0}})
	if again.OK != true || again.Evidence.Trust != "verified" || !strings.Contains(strings.Join(again.Evidence.Reasons, " "), "Parameters were injected") {
		t.Errorf("%+v", again.Evidence)
	}
	if cells, _ := cellsOf(t, again.Executed); len(cells) != 5 {
		t.Errorf("%d cells after an injection in place of another", len(cells))
	}
	if e := fails(t, h, "validator.run_execution", map[string]any{"notebook_path": path, "parameters": map[string]any{"not a name": 1}}, contract.CodeInvalidRequest); e.Field != "/parameters/not a name" {
		t.Errorf("%+v", e)
	}
}

// A parameter that a cell sets again before it is read changes nothing; papermill
// warns of it too.
func TestParametersWithoutEffect(t *testing.T) {
	needKernel(t)
	h := newFixture(t, nil)
	for _, c := range []struct {
		cells []cell
		trust string
		code  string
	}{
		{[]cell{{"a = 1"}, {"print(a)"}}, "suspect", "parameter_overwritten"},
		{[]cell{{"def f():\n    return a\na = 1"}, {"print(f())"}}, "verified", ""},
		{[]cell{{"print(a)"}, {"a = 1"}}, "verified", ""},
		{[]cell{{"print(1)"}}, "verified", "parameter_unused"},
		{[]cell{{"!echo {a}"}}, "verified", ""},
	} {
		r := h.call("validator.run_execution", fmt.Sprintf(`{"notebook_path":%q,"parameters":{"a":2}}`, writeNotebook(t, "", c.cells...)), "")
		var codes []string
		for _, w := range r.Warnings {
			codes = append(codes, w.Code)
		}
		if string(r.Evidence.Trust()) != c.trust || strings.Join(codes, " ") != c.code {
			t.Errorf("%v: %s, warnings %v", c.cells, r.Evidence.Trust(), r.Warnings)
		}
	}
}

// writeLines only hands the path on; nbformat writes sources as lines.
func writeLines(_ testing.TB, path string) string { return path }

// Limits end the kernel, and what was shown until then is kept.
func TestLimitsKeepOutputs(t *testing.T) {
	needKernel(t)
	h := newFixture(t, nil)
	path := writeNotebook(t, "", cell{"print('before', flush=True)"}, cell{"import time\nprint('begun', flush=True)\ntime.sleep(600)"}, cell{"print('after')"})
	start := time.Now()
	r, e := refusal(t, h, "ERR_CELL_TIMEOUT", map[string]any{"notebook_path": path, "cell_timeout_s": 1})
	if took := time.Since(start); took > 20*time.Second {
		t.Errorf("it took %v", took)
	}
	if e.Details["cell_index"] != 1 || e.Details["cell_id"] != "c1" {
		t.Errorf("%+v", e.Details)
	}
	content, err := os.ReadFile(e.Details["executed_notebook"].(string))
	if err != nil || !strings.Contains(string(content), "before") || !strings.Contains(string(content), `"begun\n"`) || strings.Contains(string(content), `"after\n"`) {
		t.Errorf("%v: %s", err, content)
	}
	names := []string{}
	for _, a := range r.Artifacts {
		names = append(names, a.Name)
	}
	if !slices.Equal(names, []string{"executed.ipynb", "executed.html", "receipt.json"}) {
		t.Errorf("artifacts %v", names)
	}
}

// Text and names that no UTF-8 can hold spoil nothing.
func TestTextBeyondUTF8(t *testing.T) {
	needKernel(t)
	path := writeNotebook(t, "", cell{"open(b'bad\\xff.txt', 'w').write('x')\nopen('new\\nline.txt', 'w').write('x')\nopen('gut ü.txt', 'w').write('x')"},
		cell{"print('half \\ud800 pair')", "raises-exception"}, cell{"raise ValueError('half \\udc80 pair')"})
	r := execute(newFixture(t, nil), path, nil)
	if r.OK || r.Failure.Index != 2 || r.Failure.Name != "ValueError" || !strings.HasPrefix(r.Failure.Value, "half ") {
		t.Errorf("%+v", r.Failure)
	}
	if len(r.Artifacts) != 1 || r.Artifacts[0].Name != "files/gut ü.txt" {
		t.Errorf("%+v", r.Artifacts)
	}
}

// A later edit makes stale the cells that changed and those that depend on them,
// and no others.
func TestEditsMakeCellsStale(t *testing.T) {
	needKernel(t)
	h := newFixture(t, nil)
	cells := []cell{{"import math\nrate = 2"}, {"def scaled(v):\n    return v * rate"}, {"other = [1]"}, {"print(scaled(3))"}, {"other.append(2)\nprint(math.pi)"}}
	path := writeNotebook(t, "", cells...)
	if r := execute(h, path, nil); r.Evidence.Trust != "verified" {
		t.Fatalf("%+v", r)
	}
	quality := func() state {
		return ok[struct {
			Execution state `json:"execution"`
		}](h, "validator.run_quality", map[string]any{"notebook_path": path}, "").Execution
	}
	if s := quality(); s.State != "current" || len(s.Stale) != 0 {
		t.Errorf("unchanged: %+v", s)
	}
	cells[0][0] = "import math\nrate = 3"
	writeNotebook(t, path, cells...)
	// rate is read by scaled, and so by who calls it; other and math are not touched.
	if s := quality(); s.State != "stale" || !slices.Equal(s.stale(), []int{0, 1, 3, 4}) && !slices.Equal(s.stale(), []int{0, 1, 3}) {
		t.Errorf("the first cell changed: %+v", s)
	}
	if r := execute(h, path, nil); r.Previous.State != "stale" || r.Execution.State != "current" {
		t.Errorf("%+v %+v", r.Previous, r.Execution)
	}
	cells[2][0] = "other = [9]"
	writeNotebook(t, path, cells...)
	if s := quality(); !slices.Equal(s.stale(), []int{2, 4}) || s.Stale[1].Reason != "depends" || !slices.Equal(s.Stale[1].Names, []string{"other"}) {
		t.Errorf("the third cell changed: %+v", s)
	}
}

// The notebook that the tools build is followed while it is under construction.
func TestSnapshotTellsStaleCells(t *testing.T) {
	needKernel(t)
	h := newFixture(t, nil)
	done, _ := build(h, `{"session_id":"run"}`, "")
	if r := execute(h, done.Path, nil); !r.OK || r.Evidence.Trust != "verified" {
		t.Fatalf("%+v", r)
	}
	type picture struct {
		Path      string `json:"notebook_path"`
		Execution state  `json:"execution"`
	}
	if s := ok[picture](h, "notebook.snapshot", map[string]any{}, `{"session_id":"run"}`); s.Execution.State != "current" {
		t.Errorf("%+v", s)
	}
	ctx := `{"session_id":"open"}`
	ok[answer](h, "notebook.emit_markdown_step", step(1), ctx)
	first := ok[answer](h, "notebook.emit_code_cell", codeCell(1), ctx)
	s := ok[picture](h, "notebook.snapshot", map[string]any{}, ctx)
	if s.Execution.State != "never" {
		t.Errorf("%+v", s)
	}
	if r := execute(h, s.Path, nil); !r.OK {
		t.Fatalf("%+v", r)
	}
	ok[answer](h, "notebook.revise_cell", map[string]any{"cell_index": first.CellIndex, "source": "total = 46\n" + strings.Repeat("# a line of the cell\n", 6)}, ctx)
	if s := ok[picture](h, "notebook.snapshot", map[string]any{}, ctx); s.Execution.State != "stale" || !slices.Equal(s.Execution.stale(), []int{first.CellIndex}) || s.Execution.Stale[0].Reason != "changed" {
		t.Errorf("%+v, want cell %d", s.Execution, first.CellIndex)
	}
}
