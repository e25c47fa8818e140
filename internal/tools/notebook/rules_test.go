package notebook_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"atelier/internal/contract"
	"atelier/internal/tools/notebook/ipynb"
)

// fails runs a tool that must fail with a code.
func fails(t *testing.T, h *fixture, name string, input map[string]any, code string) *contract.Error {
	t.Helper()
	raw, err := json.Marshal(input)
	if err != nil {
		t.Fatal(err)
	}
	r := h.call(name, string(raw), "")
	if r.Status != contract.StatusError || r.Errors[0].Code != code {
		t.Fatalf("%s: %s %v, want %s", name, r.Status, r.Errors, code)
	}
	if r.Errors[0].Hint == "" {
		t.Errorf("%s: %s has no hint", name, code)
	}
	return r.Errors[0]
}

func step(section int) map[string]any {
	s := lesson[(section-1)%len(lesson)]
	return map[string]any{"section_number": section, "title": fmt.Sprintf("Step %d: %s", section, s.title), "body": s.body, "callouts": callouts(s.title), "estimated_tokens": 600}
}

func codeCell(section int) map[string]any {
	return map[string]any{"section_number": section, "code": "total = 0\nfor number in range(10):\n    total += number\nprint(\"the sum of the numbers below ten is\", total)\nassert total == 45\n", "language": "python"}
}

var closing = map[string]any{"outline_summary": strings.Repeat("Every step was computed and checked. ", 6), "reading_time_minutes": 5}

// Every text of every input is to be seen in a cell or in the metadata.
func TestEveryFieldIsVisible(t *testing.T) {
	h := newFixture(t, nil)
	mark := 0
	word := func(length int) string {
		mark++
		s := fmt.Sprintf("mark%03d", mark)
		return s + strings.Repeat(" filled", max(0, length-len(s)+6)/7)
	}
	ok[answer](h, "notebook.begin", map[string]any{"title": word(0), "overview": word(0), "objectives": []string{word(0)}, "prerequisites": []string{word(0)}, "audience": word(0)}, "")
	ok[answer](h, "notebook.add_dependency", map[string]any{"package": "mark900", "version": "9.8.7", "manager": "pip", "import_check": "import mark901", "notes": word(0)}, "")
	ok[answer](h, "notebook.add_dependency", map[string]any{"package": "mark902", "version": "1.2", "manager": "conda"}, "")
	ok[answer](h, "notebook.add_dependency", map[string]any{"package": "mark903", "version": "3", "manager": "apt"}, "")
	ok[answer](h, "notebook.emit_markdown_step", map[string]any{"section_number": 1, "title": "Step 1: " + word(0), "body": word(300), "estimated_tokens": 777, "prerequisites_check": []string{word(0)}, "next_section_hint": word(50),
		"callouts": []any{map[string]any{"type": "tip", "message": word(50)}, map[string]any{"type": "warning", "message": word(50)}, map[string]any{"type": "note", "message": word(50)}}}, "")
	ok[answer](h, "notebook.emit_code_cell", map[string]any{"section_number": 1, "code": "# " + word(120) + "\nprint(1)", "language": "python", "narration": word(0), "expected_output": word(0)}, "")
	ok[answer](h, "notebook.record_assessment", map[string]any{"section_number": 1, "questions": []any{map[string]any{"prompt": word(80), "options": []string{word(10), word(10), word(10)}, "correct_index": 2, "explanation": word(60)}}}, "")
	done := ok[answer](h, "notebook.finalize", map[string]any{"outline_summary": word(200), "next_steps": []string{word(0)}, "references": []string{word(0)}, "reading_time_minutes": 17.5, "markdown_ratio_target": 0.61}, "")
	_, content := cellsOf(t, done.Path)
	wanted := []string{"mark900", "9.8.7", "import mark901", "mark902", "mark903", "777", "17.5", "0.61", "**Tip:**", "**Warning:**", "**Note:**"}
	for i := 1; i <= mark; i++ {
		wanted = append(wanted, fmt.Sprintf("mark%03d", i))
	}
	for _, w := range wanted {
		if !strings.Contains(string(content), w) {
			t.Errorf("%s is nowhere in the notebook", w)
		}
	}
}

// Any order of valid calls gives a notebook whose cells stand where the answers
// said, and that nbformat's rules for ids allow.
func TestAnySequenceKeepsItsIndices(t *testing.T) {
	idRule := regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)
	for seed := range uint64(8) {
		rng := rand.New(rand.NewPCG(seed, 1))
		h := newFixture(t, nil)
		texts, section := map[int]string{}, 0
		for n := range 5 + rng.IntN(25) {
			switch k := rng.IntN(7); {
			case section == 0 || k == 0:
				section++
				texts[ok[answer](h, "notebook.emit_markdown_step", step(section), "").CellIndex] = fmt.Sprintf("Step %d:", section)
				texts[ok[answer](h, "notebook.emit_code_cell", codeCell(section), "").CellIndex] = "total += number"
			case k == 1:
				ok[answer](h, "notebook.add_dependency", map[string]any{"package": fmt.Sprintf("package%d", rng.IntN(4)), "version": "1.0", "manager": "pip"}, "")
			case k == 2:
				q := question(lesson[0].title)
				for _, i := range ok[answer](h, "notebook.record_assessment", map[string]any{"section_number": 1 + rng.IntN(section), "questions": []any{q, q}}, "").Indices {
					texts[i] = "render_mcq("
				}
			case k == 3:
				in := codeCell(section)
				in["narration"] = "Why this matters."
				texts[ok[answer](h, "notebook.emit_code_cell", in, "").CellIndex] = "total += number"
			case k == 4:
				new := fmt.Sprintf("print(%d, \"revised\")", n)
				index := ok[answer](h, "notebook.emit_code_cell", codeCell(section), "").CellIndex
				ok[answer](h, "notebook.revise_cell", map[string]any{"cell_index": index, "source": new}, "")
				texts[index] = new
			case k == 5:
				index := ok[answer](h, "notebook.emit_code_cell", codeCell(section), "").CellIndex
				ok[answer](h, "notebook.remove_cell", map[string]any{"cell_index": index}, "")
				texts[index] = ""
			default:
				texts[ok[answer](h, "notebook.emit_markdown_step", step(section), "").CellIndex] = fmt.Sprintf("Step %d:", section)
			}
		}
		done := ok[answer](h, "notebook.finalize", closing, "")
		cells, content := cellsOf(t, done.Path)
		for index, text := range texts {
			got := strings.Join(cells[index].Source, "")
			if !strings.Contains(got, text) || text == "" && got != "" {
				t.Errorf("seed %d: cell %d should hold %q, holds %q", seed, index, text, got)
			}
		}
		ids := map[string]bool{}
		for _, c := range cells {
			if !idRule.MatchString(c.ID) || ids[c.ID] {
				t.Errorf("seed %d: the id %q", seed, c.ID)
			}
			ids[c.ID] = true
		}
		nb, err := ipynb.Read(content)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range ipynb.Judge(nb).Findings {
			if slices.Contains([]string{"syntax_error", "invalid_format", "undefined_name"}, f.Code) {
				t.Errorf("seed %d: %+v", seed, f)
			}
		}
	}
}

func TestRules(t *testing.T) {
	h := newFixture(t, nil)
	fails(t, h, "notebook.finalize", closing, ipynb.CodeIncomplete)
	first := ok[answer](h, "notebook.add_dependency", map[string]any{"package": "scikit-learn", "version": "1.5.0", "manager": "pip"}, "")
	same := ok[answer](h, "notebook.add_dependency", map[string]any{"package": "Scikit_Learn", "version": "1.5.0", "manager": "pip"}, "")
	if first.DependencyID != "pip::scikit-learn@1.5.0" || first.Position != 1 || same.Position != 1 {
		t.Errorf("%+v then %+v", first, same)
	}
	fails(t, h, "notebook.add_dependency", map[string]any{"package": "scikit-learn", "version": "1.6.0", "manager": "pip"}, ipynb.CodeConflict)
	fails(t, h, "notebook.add_dependency", map[string]any{"package": "x", "version": "1", "manager": "pip", "import_check": "print(1)"}, contract.CodeInvalidRequest)
	if r := h.call("notebook.add_dependency", `{"package":"x","version":"2.4.0rc1","manager":"pip"}`, ""); r.Status != contract.StatusError {
		t.Error("a version beyond the pattern was taken")
	}
	ok[answer](h, "notebook.emit_markdown_step", step(2), "")
	fails(t, h, "notebook.emit_markdown_step", step(1), ipynb.CodeOrder)
	wrong := step(3)
	wrong["title"] = "Step 4: Another number"
	if e := fails(t, h, "notebook.emit_markdown_step", wrong, contract.CodeInvalidRequest); e.Details["escalate"] != true {
		t.Errorf("two errors in a row do not escalate: %+v", e.Details)
	}
	q := question("samples")
	q["correct_index"] = 3
	fails(t, h, "notebook.record_assessment", map[string]any{"section_number": 2, "questions": []any{q}}, contract.CodeInvalidRequest)
	fails(t, h, "notebook.record_assessment", map[string]any{"section_number": 9, "questions": []any{question("samples")}}, ipynb.CodeOrder)
	if e := fails(t, h, "notebook.finalize", closing, ipynb.CodeIncomplete); !strings.Contains(e.Message, "section 2 has no code cell") {
		t.Error(e.Message)
	}
	cell := ok[answer](h, "notebook.emit_code_cell", map[string]any{"section_number": 2, "code": "import sklearn, numpy, nowhere_to_be_found\nprint(sklearn.__version__, numpy.__version__)\nprint(nowhere_to_be_found.__version__, \"and so on\")", "language": "python"}, "")
	if cell.Runnable {
		t.Error("runnable with a module that nothing provides")
	}
	revised := ok[answer](h, "notebook.revise_cell", map[string]any{"cell_index": cell.CellIndex, "source": "import sklearn, numpy\nprint(sklearn.__version__)"}, "")
	if !revised.Runnable {
		t.Error("not runnable with a module of the manifest and one of Colab")
	}
	fails(t, h, "notebook.revise_cell", map[string]any{"cell_index": 0, "source": "x"}, ipynb.CodeCell)
	ok[answer](h, "notebook.flag_for_review", map[string]any{"reason": "a doubt"}, "")
	fails(t, h, "notebook.finalize", closing, ipynb.CodeReview)
	ok[answer](h, "notebook.flag_for_review", map[string]any{"reason": "settled", "clear": true}, "")
	done := ok[answer](h, "notebook.finalize", closing, "")
	if e := fails(t, h, "notebook.finalize", closing, ipynb.CodeFinalized); e.Details["notebook_path"] != done.Path {
		t.Errorf("%+v", e.Details)
	}
	next := ok[answer](h, "notebook.emit_markdown_step", step(1), "")
	if next.NotebookID == done.NotebookID || next.CellIndex != ipynb.PreludeCells {
		t.Errorf("after finalize: %+v", next)
	}
}

// Two errors in a row escalate for every tool of the family, those that only
// read included; a success in between begins the count anew.
func TestReadersEscalate(t *testing.T) {
	h := newFixture(t, nil)
	dir := t.TempDir()
	good, bad := writeNotebook(t, "", cell{"1 + 1"}), filepath.Join(dir, "bad.ipynb")
	if err := os.WriteFile(bad, []byte("no notebook"), 0o600); err != nil {
		t.Fatal(err)
	}
	tried := []string{"validator.run_quality", "validator.run_colab"}
	if kernelHost.Check("notebook") == nil {
		tried = append(tried, "validator.run_execution")
	}
	for _, tool := range tried {
		in := map[string]any{"notebook_path": bad}
		if e := fails(t, h, tool, in, ipynb.CodeUnreadable); e.Details["escalate"] != nil {
			t.Errorf("%s escalates at once", tool)
		}
		ok[answer](h, tool, map[string]any{"notebook_path": good}, "")
		if e := fails(t, h, tool, in, ipynb.CodeUnreadable); e.Details["escalate"] != nil {
			t.Errorf("%s escalates, though it succeeded in between", tool)
		}
		if e := fails(t, h, tool, in, ipynb.CodeUnreadable); e.Details["escalate"] != true {
			t.Errorf("%s does not escalate after two errors in a row: %+v", tool, e.Details)
		}
	}
}

// Issues that no fix can mend flag the notebook, until a later check is clean.
func TestColabIssuesStopFinalize(t *testing.T) {
	h := newFixture(t, nil)
	ok[answer](h, "notebook.emit_markdown_step", step(1), "")
	cell := ok[answer](h, "notebook.emit_code_cell", map[string]any{"section_number": 1, "code": "import os\n\n# An environment of its own, which only a person can replace\nos.system(\"conda activate laboratory\")\nprint(\"the environment of the laboratory is active now\")", "language": "python"}, "")
	shot := ok[answer](h, "notebook.snapshot", map[string]any{}, "")
	if v := ok[answer](h, "validator.run_colab", map[string]any{"notebook_path": shot.Path}, ""); v.Compatible || !v.Review {
		t.Errorf("%+v", v)
	}
	fails(t, h, "notebook.finalize", closing, ipynb.CodeReview)
	ok[answer](h, "notebook.revise_cell", map[string]any{"cell_index": cell.CellIndex, "source": "print(\"no environment is needed\")"}, "")
	shot = ok[answer](h, "notebook.snapshot", map[string]any{}, "")
	if v := ok[answer](h, "validator.run_colab", map[string]any{"notebook_path": shot.Path}, ""); !v.Compatible || v.Review {
		t.Errorf("%+v", v)
	}
	ok[answer](h, "notebook.finalize", closing, "")
}

// The page shows what the notebook says and runs nothing that a cell brings.
func TestPage(t *testing.T) {
	d := &ipynb.Document{ID: "x", Front: &ipynb.Front{Title: "A <b>title</b>"}}
	if _, _, err := d.AddStep(ipynb.Step{Section: 1, Title: "Step 1: One", Body: "Some *text*. <script>alert(1)</script> [x](javascript:alert(2))", EstimatedTokens: 600}); err != nil {
		t.Fatal(err)
	}
	if _, err := d.AddCode(ipynb.Code{Section: 1, Source: "print('<script>')"}); err != nil {
		t.Fatal(err)
	}
	page, err := d.Build(nil).HTML()
	if err != nil {
		t.Fatal(err)
	}
	for text, there := range map[string]bool{"<em>text</em>": true, "<h2": true, "print(&#39;&lt;script&gt;&#39;)": true, "<script": false, "javascript:": false, "<b>title": false} {
		if strings.Contains(string(page), text) != there {
			t.Errorf("%q in the page: %t", text, !there)
		}
	}
}

// Filler scores like the real lesson by the original's figures, and fails.
func TestFillerFailsStrict(t *testing.T) {
	h := newFixture(t, nil)
	for i := 1; i <= 6; i++ {
		s := step(i)
		s["title"] = fmt.Sprintf("Step %d: Thinking", i)
		s["body"] = strings.Repeat("We need to produce JSON. Thinking... ", 25)
		ok[answer](h, "notebook.emit_markdown_step", s, "")
		ok[answer](h, "notebook.emit_code_cell", codeCell(i), "")
	}
	ok[answer](h, "notebook.record_assessment", map[string]any{"section_number": 6, "questions": []any{question("samples")}}, "")
	done := ok[answer](h, "notebook.finalize", closing, "")
	v := ok[answer](h, "validator.run_quality", map[string]any{"notebook_path": done.Path}, "")
	if v.Metrics.Score < 90 || v.Strict.Passes {
		t.Errorf("score %d, strict passes %t", v.Metrics.Score, v.Strict.Passes)
	}
}

// Sessions, callers and names each have their own notebook, whatever the others do.
func TestCallersNeverMix(t *testing.T) {
	h := newFixture(t, nil)
	owners := []struct{ context, id string }{
		{`{"session_id":"a"}`, ""}, {`{"session_id":"b"}`, ""}, {`{"caller":"http:1"}`, ""}, {`{"caller":"http:2"}`, ""}, {"", ""},
		{`{"session_id":"a"}`, "lesson"}, {`{"session_id":"b"}`, "lesson"}, {"", "lesson"}, {"", "other"},
	}
	made := map[string]bool{}
	for round := range 3 {
		for i, o := range owners {
			in := codeCell(1)
			if o.id != "" {
				in["notebook_id"] = o.id
			}
			in["code"] = fmt.Sprintf("owner = %d\n%s", i, in["code"])
			a := ok[answer](h, "notebook.emit_code_cell", in, o.context)
			if a.CellIndex != ipynb.PreludeCells+round {
				t.Errorf("owner %d, round %d: cell %d", i, round, a.CellIndex)
			}
			made[a.NotebookID+o.context] = true
		}
	}
	if len(made) != len(owners) {
		t.Errorf("%d notebooks for %d owners", len(made), len(owners))
	}
}

// What is no notebook is told in words of the file: what is there, where, and what
// a notebook has.
func TestNoNotebook(t *testing.T) {
	h := newFixture(t, nil)
	for content, says := range map[string]string{
		`{"a":1}`:                  `it has no list cells; a notebook is an object with "nbformat": 4`,
		`{"cells":null}`:           `it has no list cells; a notebook is an object`,
		`[1]`:                      "it holds a list instead of a JSON object; a notebook is an object",
		"null":                     "it holds null instead of a JSON object",
		"{\n\"cells\": [\n}":       "it is not JSON; in line 3, invalid character '}'",
		"":                         "it is not JSON; in line 1, unexpected end",
		`{"cells":{}}`:             "its cells are an object instead of a list",
		`{"cells":[{},7]}`:         "the cell at cell_index 1 is a number instead of an object with cell_type and source",
		`{"worksheets":[]}`:        "nbformat 3: its cells lie in worksheets",
		`{"cells":[{"source":3}]}`: "the source of the cell at cell_index 0 is a number instead of a text",
	} {
		path := filepath.Join(t.TempDir(), "odd.ipynb")
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		e := fails(t, h, "validator.run_colab", map[string]any{"notebook_path": path}, ipynb.CodeUnreadable)
		if !strings.Contains(e.Message, says) || strings.Contains(e.Message, "Go value") {
			t.Errorf("%q: %s", content, e.Message)
		}
	}
}
