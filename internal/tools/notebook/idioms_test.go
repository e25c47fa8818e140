package notebook_test

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"atelier/internal/contract"
	"atelier/internal/engine"
	tools "atelier/internal/tools/notebook"
)

// What lessons commonly do works inside the sandbox. The outputs follow from the
// code of each cell.
func TestOrdinaryCells(t *testing.T) {
	needKernel(t)
	idioms := []struct{ source, shows string }{
		{"import asyncio\nawait asyncio.sleep(0)\nprint('awaited')", "awaited"},
		{"%%bash\necho $((6 * 7))", "42"},
		{"%%capture kept\nprint('hidden')", ""},
		{"kept.stdout.strip()[::-1]", "'neddih'"},
		{"!python -c 'print(2 ** 10)'", "1024"},
		{"lines = !printf 'a\\nb\\n'\nlen(lines)", "2"},
		{"open('helper.py', 'w').write('answer = 41')\nimport helper\nhelper.answer + 1", "42"},
		{"import os\npid = os.fork()\nif pid == 0:\n    print('from a child', flush=True)\n    os._exit(0)\n_ = os.waitpid(pid, 0)", "from a child"},
		{"from concurrent.futures import ThreadPoolExecutor\nwith ThreadPoolExecutor(2) as pool:\n    print(sum(pool.map(abs, [-1, -2])))", "3"},
		{"import sqlite3\ndb = sqlite3.connect('t.db')\ndb.execute('create table t(a)')\ndb.execute('insert into t values (5)')\ndb.commit()\nprint(db.execute('select * from t').fetchone())", "(5,)"},
		{"import shutil\nshutil.copy('helper.py', 'copied.py')\nprint(open('copied.py').read())", "answer = 41"},
		{"import io\nimport pandas as pd\nint(pd.read_csv(io.StringIO('a,b\\n1,2\\n3,4'))['b'].sum())", "6"},
		{"import matplotlib.pyplot as plt\nplt.plot([1, 4, 9])\nplt.title(r'$x^2$')\nplt.show()", "[image/png]"},
		{"from IPython.display import clear_output\nfor i in range(3):\n    clear_output(wait=True)\n    print('step', i)", "step 2"},
		{"%pip install -q surely-not-there", "No matching distribution found for surely-not-there"},
		{"print('\\x1b[31mred\\x1b[0m')", "red"},
		{"print('ümläut ✓ 漢字')", "ümläut ✓ 漢字"},
	}
	cells := make([]cell, len(idioms))
	for i, c := range idioms {
		cells[i] = cell{c.source}
	}
	r := execute(newFixture(t, nil), writeNotebook(t, "", cells...), nil)
	// The installation that fails is told, and no cell fails by it.
	if !r.OK || r.Run != len(idioms) || r.Evidence.Trust != "computed" {
		t.Fatalf("ok %v, %d cells, %s: %+v", r.OK, r.Run, r.Evidence.Trust, r.Failure)
	}
	nb := readExecuted(t, r.Executed)
	for i, c := range idioms {
		if got := strings.TrimSpace(nb[i]); got != c.shows && (len(c.shows) < 20 || !strings.Contains(got, c.shows)) {
			t.Errorf("%s\nshows %q, not %q", c.source, got, c.shows)
		}
	}
}

// readExecuted gives what each code cell shows, by nbformat's own fields.
func readExecuted(t *testing.T, path string) []string {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var nb struct {
		Cells []struct {
			Outputs []struct {
				Type string                     `json:"output_type"`
				Text any                        `json:"text"`
				Data map[string]json.RawMessage `json:"data"`
			} `json:"outputs"`
		} `json:"cells"`
	}
	if err := json.Unmarshal(content, &nb); err != nil {
		t.Fatal(err)
	}
	text := func(v any) string {
		list, ok := v.([]any)
		if !ok {
			s, _ := v.(string)
			return s
		}
		var b strings.Builder
		for _, line := range list {
			s, _ := line.(string)
			b.WriteString(s)
		}
		return b.String()
	}
	var shown []string
	for _, c := range nb.Cells {
		var b strings.Builder
		for _, o := range c.Outputs {
			b.WriteString(text(o.Text))
			var plain any
			if _, picture := o.Data["image/png"]; picture {
				b.WriteString("[image/png]")
			} else if json.Unmarshal(o.Data["text/plain"], &plain) == nil {
				b.WriteString(text(plain))
			}
		}
		shown = append(shown, strings.NewReplacer("\x1b[31m", "", "\x1b[0m", "").Replace(b.String()))
	}
	return shown
}

// Without the engine the tool says what installs it, and the others work.
func TestWithoutPython(t *testing.T) {
	host, err := engine.NewHost(engine.Options{Root: t.TempDir(), Work: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer host.Close()
	list := tools.Tools(&tools.Memory{Dir: t.TempDir()}, host, tools.Hub{})
	missing := slices.DeleteFunc(slices.Clone(list), func(tool contract.Tool) bool { return tool.Available == nil || tool.Available() == nil })
	if len(missing) != 1 || missing[0].Contract.Name != "validator.run_execution" {
		t.Fatalf("%d tools are missing", len(missing))
	}
	e := contract.AsError(missing[0].Available())
	if e.Code != contract.CodeMissingDependency || !strings.Contains(e.Hint, "engines/install.sh notebook") {
		t.Errorf("%+v", e)
	}
	h := newFixture(t, nil)
	for _, tool := range list {
		h.tools[tool.Contract.Name] = tool
	}
	path := writeNotebook(t, "", cell{"1 + 1"})
	if r := h.call("validator.run_execution", `{"notebook_path":"`+path+`"}`, ""); r.Status != contract.StatusError || r.Errors[0].Code != contract.CodeMissingDependency {
		t.Errorf("%+v", r.Errors)
	}
	ok[answer](h, "validator.run_quality", map[string]any{"notebook_path": path}, "")
}
