package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"atelier/internal/testenv"
)

// program is the real binary as a process of its own.
type program struct {
	cmd *exec.Cmd
	url string
}

func binary(t *testing.T) string {
	t.Helper()
	if path := os.Getenv("ATELIER_BIN"); path != "" {
		return path
	}
	path := filepath.Join(t.TempDir(), "atelier")
	if out, err := exec.Command("go", "build", "-o", path, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return path
}

func launch(t *testing.T, bin, data string) *program { t.Helper(); return launchWith(t, bin, data) }

func launchWith(t *testing.T, bin, data string, flags ...string) *program {
	t.Helper()
	cmd := exec.Command(bin, append([]string{"serve", "--addr", "127.0.0.1:0", "--data", data, "--log-level", "error"}, flags...)...)
	cmd.Stderr = os.Stderr
	cmd.Env = append(os.Environ(), "ATELIER_ENGINES="+testenv.Engines())
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if cmd.ProcessState == nil {
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
		}
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	_, url, found := strings.Cut(strings.TrimSpace(line), " at ")
	if err != nil || !found {
		t.Fatalf("the server said %q: %v", line, err)
	}
	return &program{cmd, url}
}

func (p *program) call(t *testing.T, method, path, body string) map[string]any {
	t.Helper()
	req, _ := http.NewRequest(method, p.url+path, strings.NewReader(body))
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	raw, _ := io.ReadAll(resp.Body)
	var m map[string]any
	if err := json.Unmarshal(raw, &m); err != nil {
		t.Fatalf("%s", raw)
	}
	return m
}

// endless is a circuit that simulates far longer than the test lasts.
const endless = `{"tool_name":"circuits.simulate","mode":"async","input":{"netlist":"long\nV1 in 0 SIN(0 1 1k)\nR1 in out 1k\nC1 out 0 1u\n.end","analysis":"tran","probes":["v(out)"],"options":{"tran":{"tstop":1.9,"step":1e-7}}}}`

// enginesIn counts the processes that work below a data folder, which no other
// server has. They may have lost their parent.
func enginesIn(t *testing.T, data string) int {
	t.Helper()
	if runtime.GOOS != "linux" {
		testenv.Skip(t, testenv.System, "the folders of processes are looked up in /proc")
	}
	folders, err := filepath.Glob("/proc/[0-9]*/cwd")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, link := range folders {
		if folder, err := os.Readlink(link); err == nil && strings.HasPrefix(folder, data+"/") {
			n++
		}
	}
	return n
}

// patience is how long a state may take that a busy machine reaches late.
const patience = time.Minute

// After kill -9 of the server every accepted job is there: finished ones with
// their results, the running and the queued one run again, and no engine of the
// dead server is left.
func TestKillOfTheServer(t *testing.T) {
	needNgspice(t)
	bin, data := binary(t), t.TempDir()
	p := launch(t, bin, data)
	done := p.call(t, "POST", "/v1/tools/execute", `{"tool":"write_text_artifact","input":{"text":"kept"}}`)
	doneID := done["metrics"].(map[string]any)["job_id"].(string)
	running := p.call(t, "POST", "/v1/jobs", endless)["job_id"].(string)
	queued := p.call(t, "POST", "/v1/jobs", endless)["job_id"].(string)
	waitFor := func(p *program, id, state string) map[string]any {
		t.Helper()
		for deadline := time.Now().Add(patience); ; time.Sleep(20 * time.Millisecond) {
			job := p.call(t, "GET", "/v1/jobs/"+id, "")
			if job["status"] == state {
				return job
			}
			if time.Now().After(deadline) {
				t.Fatalf("job %s is %v, not %s", id, job, state)
			}
		}
	}
	waitFor(p, running, "running")
	for deadline := time.Now().Add(patience); enginesIn(t, data) == 0; time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("no engine was started")
		}
	}
	if err := p.cmd.Process.Signal(syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	_ = p.cmd.Wait()
	for deadline := time.Now().Add(patience); enginesIn(t, data) > 0; time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("an engine outlived its server")
		}
	}

	p = launch(t, bin, data)
	kept := waitFor(p, doneID, "succeeded")
	if text := get(t, p.url+kept["result"].(map[string]any)["artifacts"].([]any)[0].(map[string]any)["path"].(string)); text != "kept" {
		t.Fatalf("the artifact holds %q", text)
	}
	if again := waitFor(p, running, "running"); again["attempt"] != 2.0 {
		t.Fatalf("attempt %v", again["attempt"])
	}
	for _, id := range []string{running, queued} {
		p.call(t, "DELETE", "/v1/jobs/"+id, "")
		if job := waitFor(p, id, "cancelled"); job["error"].(map[string]any)["code"] != "cancelled" {
			t.Fatalf("%v", job)
		}
	}
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := p.cmd.Wait(); err != nil {
		t.Fatalf("an orderly stop ended with %v", err)
	}
	if n := enginesIn(t, data); n > 0 {
		t.Fatalf("%d engines are left", n)
	}
	if left, _ := filepath.Glob(filepath.Join(data, "work", "*", "*", "job_*")); len(left) > 0 {
		t.Fatalf("folders are left: %v", left)
	}
}

func get(t *testing.T, url string) string {
	t.Helper()
	resp, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK {
		t.Fatal(fmt.Errorf("%d %w", resp.StatusCode, err))
	}
	return string(raw)
}
