package notebook_test

import (
	"encoding/json"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"atelier/internal/contract"
	"atelier/internal/engine"
	"atelier/internal/testenv"
)

// A cell that reaches out of its job gets an exception, and the rest of the
// machine is as it was.
func TestCellsStayInTheirFolder(t *testing.T) {
	needKernel(t)
	if engine.DetectLevel().Name() != "full" {
		testenv.Skip(t, testenv.System, "this machine cannot confine files, network and processes all three")
	}
	outside := t.TempDir()
	secret := filepath.Join(outside, "atelier.db")
	if err := os.WriteFile(secret, []byte("rows"), 0o600); err != nil {
		t.Fatal(err)
	}
	tcp, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer tcp.Close()
	unix, err := net.Listen("unix", filepath.Join(outside, "s"))
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close()
	reached := make(chan string, 4)
	for _, l := range []net.Listener{tcp, unix} {
		go func() {
			if c, err := l.Accept(); err == nil {
				reached <- c.LocalAddr().String()
				c.Close()
			}
		}()
	}
	// Each must be refused by the kernel (EPERM or EACCES), not by chance.
	attempts := []string{
		fmt.Sprintf("import socket\nsocket.create_connection(('127.0.0.1', %d), 5)", tcp.Addr().(*net.TCPAddr).Port),
		fmt.Sprintf("import socket\nsocket.socket(socket.AF_UNIX).connect(%q)", filepath.Join(outside, "s")),
		"import socket\nsocket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b'x', ('127.0.0.1', 9))",
		"open('/etc/shadow').read()",
		fmt.Sprintf("open(%q, 'rb').read()", secret),
		fmt.Sprintf("open(%q, 'w').write('gone')", secret),
		fmt.Sprintf("open(%q, 'w').write('new')", filepath.Join(outside, "new")),
		"import os\nos.symlink('/etc', 'etc')",
		"import os\nos.listdir('/proc/1')",
		"import os, threading\nos.unshare(os.CLONE_NEWUSER) if hasattr(os, 'unshare') else open('/etc/passwd')",
	}
	cells := make([]cell, len(attempts))
	for i, a := range attempts {
		cells[i] = cell{"try:\n" + indent(a) + "\nexcept PermissionError as refused:\n    print('refused', refused.errno)\nelse:\n    print('REACHED')"}
	}
	r := execute(newFixture(t, nil), writeNotebook(t, "", cells...), nil)
	if !r.OK || r.Run != len(attempts) {
		t.Fatalf("%+v %+v", r, r.Failure)
	}
	for i, c := range r.Cells {
		if c.Output != "refused 1" && c.Output != "refused 13" {
			t.Errorf("%s\n%s", attempts[i], c.Output)
		}
	}
	select {
	case who := <-reached:
		t.Errorf("a cell reached %s", who)
	default:
	}
	if content, err := os.ReadFile(secret); err != nil || string(content) != "rows" {
		t.Errorf("%s %v", content, err)
	}
	if _, err := os.Stat(filepath.Join(outside, "new")); err == nil {
		t.Error("a cell wrote outside its job")
	}
}

func indent(code string) string { return "    " + strings.ReplaceAll(code, "\n", "\n    ") }

// However a cell misbehaves, the run ends in time with a code that names it, and
// no process is left.
func TestMisbehavingCells(t *testing.T) {
	needKernel(t)
	if !engine.DetectLevel().ProcessNamespace {
		testenv.Skip(t, testenv.System, "this machine cannot hold processes in a namespace")
	}
	for name, c := range map[string]struct {
		code   string // of the error, or of the failing cell; either of two
		status contract.Status
		source string
	}{
		"fork bomb":      {contract.CodeEngineCrashed + contract.CodeMemoryExceeded, "error", "import os\nwhile True:\n    os.fork()"},
		"too large":      {contract.CodeMemoryExceeded, "ok", "block = bytearray(100 << 30)"},
		"grows":          {contract.CodeMemoryExceeded, "ok", "blocks = []\nwhile True:\n    blocks.append(bytearray(1 << 24))"},
		"grows unseen":   {contract.CodeMemoryExceeded, "error", "import mmap\nm = mmap.mmap(-1, 4 << 30)\nfor at in range(0, 4 << 30, 4096):\n    m[at] = 1"},
		"sleeps":         {"ERR_CELL_TIMEOUT", "error", "import time\ntime.sleep(10000)"},
		"deaf":           {"ERR_CELL_TIMEOUT", "error", "import signal\nfor s in range(1, 32):\n    try:\n        signal.signal(s, signal.SIG_IGN)\n    except OSError:\n        pass\nwhile True:\n    pass"},
		"leaves":         {"ERR_KERNEL_DIED", "error", "import os\nos._exit(3)"},
		"crashes":        {"ERR_KERNEL_DIED", "error", "import ctypes\nctypes.string_at(0)"},
		"kills its kin":  {contract.CodeEngineCrashed, "error", "import os, time\nos.kill(os.getppid(), 9)\ntime.sleep(60)"},
		"floods":         {contract.CodeOutputFlood, "error", "for _ in range(200):\n    print('x' * (1 << 20))"},
		"fills the disk": {"ERR_CELL_FAILED", "ok", "with open('big', 'wb') as f:\n    for _ in range(1 << 14):\n        f.write(bytes(1 << 20))"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newFixture(t, nil)
			h.memory = 700
			// A child that leaves its group, and that no other test has.
			mark := fmt.Sprintf("600.%d%d", os.Getpid(), time.Now().UnixNano())
			path := writeNotebook(t, "", cell{"import subprocess\nsubprocess.Popen(['sleep', '" + mark + "'], start_new_session=True)\nprint('first')"}, cell{c.source})
			limit := 20
			if c.code == "ERR_CELL_TIMEOUT" {
				limit = 2
			}
			start := time.Now()
			r := h.call("validator.run_execution", fmt.Sprintf(`{"notebook_path": %q, "cell_timeout_s": %d}`, path, limit), "")
			took := time.Since(start)
			if r.Status != c.status || took > 40*time.Second {
				t.Fatalf("%s after %v: %v", r.Status, took, r.Errors)
			}
			code, at := "", -1
			if r.Status == contract.StatusError {
				code = r.Errors[0].Code
				at, _ = r.Errors[0].Details["cell_index"].(int)
				executed, err := os.ReadFile(fmt.Sprint(r.Errors[0].Details["executed_notebook"]))
				if err != nil || !strings.Contains(string(executed), `"first\n"`) {
					t.Errorf("the first cell's output is lost: %v", err)
				}
			} else {
				var out ran
				if err := json.Unmarshal(r.OutputJSON(), &out); err != nil || out.Failure == nil {
					t.Fatalf("%v %+v", err, out)
				}
				code, at = out.Failure.Code, out.Failure.Index
			}
			if !strings.Contains(c.code, code) || at != 1 {
				t.Errorf("%s in cell %d, want %s in cell 1: %v", code, at, c.code, r.Errors)
			}
			if left := processesWith(t, "sleep "+mark); len(left) > 0 {
				t.Errorf("left: %v", left)
			}
			t.Logf("%s after %v", code, took.Round(time.Millisecond))
		})
	}
}

// processesWith are the processes whose command line has a text.
func processesWith(t *testing.T, text string) []string {
	t.Helper()
	var found []string
	entries, err := os.ReadDir("/proc")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		raw, err := os.ReadFile(filepath.Join("/proc", e.Name(), "cmdline"))
		if line := strings.ReplaceAll(string(raw), "\x00", " "); err == nil && strings.Contains(line, text) {
			found = append(found, e.Name()+": "+line)
		}
	}
	return found
}

// The whole run has a limit, too.
func TestWholeRunHasALimit(t *testing.T) {
	needKernel(t)
	t.Parallel()
	h := newFixture(t, nil)
	h.limits = `{"timeout_ms": 8000}`
	path := writeNotebook(t, "", cell{"print('one')"}, cell{"import time\nfor i in range(600):\n    print(i, flush=True)\n    time.sleep(0.1)"})
	start := time.Now()
	r, e := refusal(t, h, contract.CodeTimeout, map[string]any{"notebook_path": path})
	if took := time.Since(start); took > 10*time.Second || e.Details["cell_index"] != 1 || len(r.Artifacts) != 3 {
		t.Errorf("%v %+v %v", took, e.Details, r.Artifacts)
	}
	content, err := os.ReadFile(fmt.Sprint(e.Details["executed_notebook"]))
	if err != nil || !strings.Contains(string(content), `"one\n"`) || !strings.Contains(string(content), `"1\n"`) {
		t.Errorf("%v %s", err, content)
	}
}
