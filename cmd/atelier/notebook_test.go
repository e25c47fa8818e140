package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"atelier/internal/testenv"
)

// lessonCall calls a notebook tool and returns its output; ok is false when the
// server did not answer or answered with an error.
func lessonCall(client *http.Client, url, tool string, input map[string]any) (output map[string]any, answered bool) {
	body, _ := json.Marshal(map[string]any{"tool": tool, "input": input})
	resp, err := client.Post(url+"/v1/tools/execute", "application/json", bytes.NewReader(body))
	if err != nil {
		return nil, false
	}
	defer resp.Body.Close()
	var result struct {
		Status string         `json:"status"`
		Output map[string]any `json:"output"`
	}
	if json.NewDecoder(resp.Body).Decode(&result) != nil || result.Status != "ok" {
		return nil, false
	}
	return result.Output, true
}

func stepOf(id string) map[string]any {
	remark := map[string]any{"type": "note", "message": "A remark of " + id + ", which is long enough to be taken by the contract."}
	return map[string]any{"notebook_id": id, "section_number": 1, "title": "Step 1: Of " + id, "body": strings.Repeat("The body of "+id+". ", 30),
		"callouts": []any{remark, remark, remark}, "estimated_tokens": 600}
}

func codeOf(id string, n int) map[string]any {
	return map[string]any{"notebook_id": id, "section_number": 1, "language": "python",
		"code": fmt.Sprintf("mark = %q  # %s\nnumber = %d\nfor i in range(number):\n    print(mark, i)\n", id, strings.Repeat("-", 80), n)}
}

// Many callers build notebooks at once: each one gets its own cells, all of
// them, at once enough. ATELIER_LONG builds a thousand.
func TestNotebooksOfManyCallers(t *testing.T) {
	count := 96
	if os.Getenv("ATELIER_LONG") != "" {
		count = 1000
	}
	p := launch(t, binary(t), t.TempDir())
	const callers = 32
	var next atomic.Int64
	var mu sync.Mutex
	var times []time.Duration
	paths := map[string]string{}
	var all sync.WaitGroup
	for range callers {
		all.Go(func() {
			client := &http.Client{Transport: &http.Transport{}}
			defer client.CloseIdleConnections()
			for n := next.Add(1); n <= int64(count); n = next.Add(1) {
				id := fmt.Sprintf("notebook-%d", n)
				calls := []struct {
					tool  string
					input map[string]any
				}{{"notebook.emit_markdown_step", stepOf(id)}, {"notebook.emit_code_cell", codeOf(id, 1)}, {"notebook.emit_code_cell", codeOf(id, 2)},
					{"notebook.finalize", map[string]any{"notebook_id": id, "outline_summary": strings.Repeat("The end of "+id+". ", 15), "reading_time_minutes": 5}}}
				var took []time.Duration
				var path string
				for i, c := range calls {
					start := time.Now()
					out, ok := lessonCall(client, p.url, c.tool, c.input)
					took = append(took, time.Since(start))
					if !ok {
						t.Errorf("%s of %s failed", c.tool, id)
						return
					}
					if i < 3 && out["cell_index"] != float64(6+i) {
						t.Errorf("%s of %s: cell %v", c.tool, id, out["cell_index"])
					}
					path, _ = out["notebook_path"].(string)
				}
				mu.Lock()
				times, paths[id] = append(times, took...), path
				mu.Unlock()
			}
		})
	}
	all.Wait()
	if len(paths) != count {
		t.Fatalf("%d notebooks of %d", len(paths), count)
	}
	for id, path := range paths {
		content, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(string(content), fmt.Sprintf(`mark = \"%s\"`, id)); n != 2 || strings.Count(string(content), "mark = ") != 2 {
			t.Errorf("%s has %d of its two code cells", id, n)
		}
	}
	slices.Sort(times)
	t.Logf("%d notebooks by %d callers: p50 %v, p99 %v of %d calls", count, callers, times[len(times)/2], times[len(times)*99/100], len(times))
}

// A server that is killed in the middle has every cell that it answered for.
func TestKilledServerKeepsNotebooks(t *testing.T) {
	bin, data := binary(t), t.TempDir()
	p := launch(t, bin, data)
	const writers = 8
	var acknowledged [writers]atomic.Int64
	var all sync.WaitGroup
	stop := make(chan struct{})
	for w := range writers {
		all.Go(func() {
			client := &http.Client{Transport: &http.Transport{}}
			defer client.CloseIdleConnections()
			id := fmt.Sprintf("writer-%d", w)
			if _, ok := lessonCall(client, p.url, "notebook.emit_markdown_step", stepOf(id)); !ok {
				return
			}
			for n := int64(1); ; n++ {
				if _, ok := lessonCall(client, p.url, "notebook.emit_code_cell", codeOf(id, int(n))); !ok {
					return
				}
				acknowledged[w].Store(n)
				select {
				case <-stop:
					return
				default:
				}
			}
		})
	}
	for deadline := time.Now().Add(time.Minute); acknowledged[0].Load() == 0 && time.Now().Before(deadline); {
		time.Sleep(10 * time.Millisecond)
	}
	time.Sleep(500 * time.Millisecond)
	_ = p.cmd.Process.Signal(syscall.SIGKILL)
	_ = p.cmd.Wait()
	close(stop)
	all.Wait()
	p = launch(t, bin, data)
	total := 0
	for w := range writers {
		id, sure := fmt.Sprintf("writer-%d", w), int(acknowledged[w].Load())
		out, ok := lessonCall(http.DefaultClient, p.url, "notebook.snapshot", map[string]any{"notebook_id": id})
		if !ok {
			t.Fatalf("no snapshot of %s", id)
		}
		content, err := os.ReadFile(out["notebook_path"].(string))
		if err != nil {
			t.Fatal(err)
		}
		for n := 1; n <= sure; n++ {
			if !strings.Contains(string(content), fmt.Sprintf(`"number = %d\n"`, n)) {
				t.Errorf("cell %d of %s was answered for and is lost", n, id)
			}
		}
		total += sure
	}
	if total == 0 {
		t.Error("no call was answered before the kill")
	}
	t.Logf("%d cells of %d writers, none lost", total, writers)
}

// Files go when nobody has written them for the time that sessions are kept.
func TestOldNotebookFilesGo(t *testing.T) {
	s := &notebookStore{folder: t.TempDir()}
	if n, err := s.sweep(time.Hour); n != 0 || err != nil {
		t.Errorf("without a folder: %d, %v", n, err)
	}
	for name, age := range map[string]time.Duration{"old": 2 * time.Hour, "new": time.Minute} {
		dir := filepath.Join(s.folder, "notebooks", name)
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "notebook.ipynb"), []byte("{}"), 0o600); err != nil {
			t.Fatal(err)
		}
		then := time.Now().Add(-age)
		if err := os.Chtimes(dir, then, then); err != nil {
			t.Fatal(err)
		}
	}
	if n, err := s.sweep(time.Hour); n != 1 || err != nil {
		t.Errorf("swept %d, %v", n, err)
	}
	if _, err := os.Stat(filepath.Join(s.folder, "notebooks", "new", "notebook.ipynb")); err != nil {
		t.Error(err)
	}
}

// Two MCP clients that name no notebook each build their own, call by call in
// turn: two sessions of one server, and two processes on standard input and
// output.
func TestMCPSessionsKeepNotebooksApart(t *testing.T) {
	bin, data := binary(t), t.TempDir()
	s := start(t, nil)
	over := func() sdk.Transport { return &sdk.StreamableClientTransport{Endpoint: s.url + "/mcp"} }
	process := func() sdk.Transport {
		return &sdk.CommandTransport{Command: exec.Command(bin, "mcp", "--data", data, "--family", "notebook")}
	}
	for _, c := range []struct {
		name      string
		transport func() sdk.Transport
		version   string
	}{
		{"HTTP 2025-03-26", over, "2025-03-26"}, {"HTTP 2025-06-18", over, "2025-06-18"}, {"HTTP 2025-11-25", over, "2025-11-25"}, {"standard input", process, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			marks := []string{"alder", "birch"}
			var sessions []*sdk.ClientSession
			for range marks {
				sessions = append(sessions, mcpClient(t, c.transport(), c.version))
			}
			call := func(who int, tool string, input map[string]any) map[string]any {
				t.Helper()
				delete(input, "notebook_id")
				r, err := sessions[who].CallTool(context.Background(), &sdk.CallToolParams{Name: tool, Arguments: input})
				if err != nil || r.IsError {
					t.Fatalf("%s of %s: %v %+v", tool, marks[who], err, r)
				}
				out, _ := r.StructuredContent.(map[string]any)
				return out
			}
			for who, mark := range marks {
				call(who, "notebook_emit_markdown_step", stepOf(mark))
			}
			for n := range 3 {
				for who, mark := range marks {
					// Six cells of the prelude, then the step, then one more each time.
					if out := call(who, "notebook_emit_code_cell", codeOf(mark, n)); out["cell_index"] != float64(7+n) {
						t.Errorf("%s: cell %v, want %d", mark, out["cell_index"], 7+n)
					}
				}
			}
			var ids []any
			for who, mark := range marks {
				done := call(who, "notebook_finalize", map[string]any{"outline_summary": strings.Repeat("The end of "+mark+". ", 15), "reading_time_minutes": 5})
				ids = append(ids, done["notebook_id"])
				content, err := os.ReadFile(fmt.Sprint(done["notebook_path"]))
				if err != nil {
					t.Fatal(err)
				}
				if own, other := strings.Count(string(content), `mark = \"`+mark), strings.Count(string(content), marks[1-who]); own != 3 || other != 0 {
					t.Errorf("the notebook of %s has %d of its 3 cells, and names the other %d times", mark, own, other)
				}
			}
			if ids[0] == ids[1] {
				t.Errorf("both are %v", ids[0])
			}
		})
	}
}

// A notebook that was uploaded is run; what came out is served, and a copy of it
// is known to be verified.
func TestUploadedNotebookRuns(t *testing.T) {
	s := start(t, nil)
	tool, err := s.app.tools.Find("validator.run_execution")
	if err != nil {
		t.Fatal(err)
	}
	if tool.Available() != nil {
		testenv.Skip(t, testenv.Engine, "the notebook engine is not installed: run `make engines`")
	}
	content := `{"nbformat":4,"nbformat_minor":5,"metadata":{},"cells":[{"cell_type":"code","id":"a","metadata":{},"source":"print(6 * 7)\nopen('note.txt','w').write('kept')","outputs":[],"execution_count":null}]}`
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	part, err := form.CreateFormFile("file", "lesson.ipynb")
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprint(part, content)
	form.Close()
	id, _ := s.do("POST", "/v1/files", form.FormDataContentType(), &body).at("file_id").(string)
	r := s.execute("validator_run_execution", `{"notebook_path": "file:`+id+`"}`)
	if r.at("status") != "ok" || r.at("output", "ok") != true || r.at("output", "evidence", "trust") != "verified" {
		t.Fatalf("%s", r.raw)
	}
	for key, want := range map[string]string{"executed_url": `"42\n"`, "html_url": ">42</pre>", "receipt_url": `"files/note.txt"`} {
		url, _ := r.at("output", key).(string)
		if got := s.get(url); got.status != 200 || !strings.Contains(string(got.raw), want) {
			t.Errorf("%s: %d, without %s", key, got.status, want)
		}
	}
	if url, _ := r.at("output", "artifacts", 0, "url").(string); string(s.get(url).raw) != "kept" {
		t.Errorf("the cell's file: %s", r.raw)
	}
	url, _ := r.at("output", "executed_url").(string)
	q := s.execute("validator.run_quality", `{"notebook_path": "`+url+`"}`)
	if q.at("output", "execution", "state") != "current" {
		t.Errorf("the executed copy: %s", q.raw)
	}
}

// The operator names the hub that model cards are read from.
func TestModelCardOfTheOperatorsHub(t *testing.T) {
	hub := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/owner/tiny/raw/main/README.md" {
			http.NotFound(w, r)
			return
		}
		fmt.Fprint(w, "---\nlicense: bsd-3-clause\n---\n# Tiny\n\nA card on the loopback, with one paragraph of prose.")
	}))
	defer hub.Close()
	s := start(t, func(c *serveCmd) { c.WebModelHub, c.WebAllow = hub.URL, []string{"127.0.0.1"} })
	r := s.execute("notebook_fetch_model_card", `{"model_id": "owner/tiny"}`)
	if r.at("status") != "ok" || r.at("output", "license") != "bsd-3-clause" {
		t.Fatalf("%s", r.raw)
	}
	if warning, _ := r.at("metrics", "warnings", 0, "code").(string); warning != "model_info_missing" {
		t.Errorf("%s", r.raw)
	}
	s = start(t, func(c *serveCmd) { c.WebModelHub = hub.URL })
	r = s.execute("notebook_fetch_model_card", `{"model_id": "owner/tiny"}`)
	if r.at("status") != "error" || r.at("metrics", "error_code") != "fetch_failed" {
		t.Errorf("a hub on an address that is not allowed: %s", r.raw)
	}
}
