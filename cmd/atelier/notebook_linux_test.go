package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"atelier/internal/testenv"
)

// A kernel, or what drives it, that is killed or stands still costs its job and
// nothing else; the notebook as it was by then is an artifact, if it had begun.
func TestKilledAndHangingKernels(t *testing.T) {
	s := start(t, nil)
	testenv.NeedEngines(t, s.app.host, "notebook")
	content := `{"nbformat":4,"nbformat_minor":5,"metadata":{},"cells":[{"cell_type":"code","id":"a","metadata":{},"source":"print('shown before')","outputs":[],"execution_count":null},
		{"cell_type":"code","id":"b","metadata":{},"source":"import time\ntime.sleep(600)","outputs":[],"execution_count":null}]}`
	if err := os.WriteFile(filepath.Join(s.root, "long.ipynb"), []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	input := fmt.Sprintf(`{"notebook_path":%q}`, filepath.Join(s.root, "long.ipynb"))
	for _, c := range []struct {
		name, word, limits string
		sig                syscall.Signal
		code               string
	}{
		{"driver killed", "notebook-driver", `{}`, syscall.SIGKILL, "engine_crashed"},
		{"driver stands still", "notebook-driver", `{"timeout_ms":4000}`, syscall.SIGSTOP, "timeout"},
		{"kernel killed", "atelier_notebook.kernel", `{}`, syscall.SIGKILL, "ERR_KERNEL_DIED"},
		{"kernel stands still", "atelier_notebook.kernel", `{"timeout_ms":20000}` /* a busy machine starts a kernel in 7 s */, syscall.SIGSTOP, "timeout"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := s.signalled(t, c.word, "validator.run_execution", input, c.limits, c.sig)
			if r.at("status") != "failed" || r.at("error", "code") != c.code {
				t.Fatalf("want %s: %.900s", c.code, r.raw)
			}
			if url, _ := r.at("error", "details", "executed_url").(string); url != "" {
				if got := s.get(url); got.status != 200 || !strings.Contains(string(got.raw), "time.sleep(600)") {
					t.Errorf("%d %s", got.status, got.raw)
				}
			}
			s.clean(s.data)
		})
	}
	if r := s.get("/healthz"); r.status != 200 {
		t.Fatalf("the server is gone: %d", r.status)
	}
}
