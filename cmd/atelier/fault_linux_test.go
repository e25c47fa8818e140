package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"atelier/internal/testenv"
)

// descendants are the processes below this one whose command line has the word.
func descendants(word string) []int {
	entries, _ := os.ReadDir("/proc")
	parent := map[int]int{}
	var found []int
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		stat, err := os.ReadFile(filepath.Join("/proc", e.Name(), "stat"))
		if err != nil {
			continue
		}
		fields := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:]))
		if fields[0] == "Z" {
			continue // it has ended and waits to be read
		}
		parent[pid], _ = strconv.Atoi(fields[1])
		if line, _ := os.ReadFile(filepath.Join("/proc", e.Name(), "cmdline")); strings.Contains(string(line), word) {
			found = append(found, pid)
		}
	}
	var ours []int
	for _, pid := range found {
		for p := parent[pid]; p > 1; p = parent[p] {
			if p == os.Getpid() {
				ours = append(ours, pid)
				break
			}
		}
	}
	return ours
}

// long are calls that keep each engine busy for seconds.
func long() map[string]struct{ tool, input string } {
	return map[string]struct{ tool, input string }{
		"ngspice": {"circuits.simulate", `{"netlist":"long\nV1 in 0 SIN(0 1 1k)\nR1 in out 1k\nC1 out 0 1u\n.end","analysis":"tran","probes":["v(out)"],"options":{"tran":{"tstop":1.9,"step":1e-7}}}`},
		"mfem-driver": {"heat.solve", `{"solver_class":"HeatTransfer","mesh":{"type":"file","path":"cube.mesh"},"config":{"conductivity":1,"specific_heat":1,"initial_temperature":1,"dt":1.1e-5,"t_final":10,
			"bcs":[{"attribute":1,"type":"fixed_temp","value":0}]}}`},
		"occt-driver":  {"cad_import_truck", `{"file_path":"bracket.step","engine":"occt","linear_deflection":1e-9}`},
		"truck-driver": {"cad_import_truck", `{"file_path":"bracket.step","engine":"truck","linear_deflection":2e-5}`},
		"vtk":          {"render_pack_vtk", `{"input_path":"tetra.obj","width":8192,"height":8192,"views":["front","back","left","right","top","bottom"]}`},
	}
}

func faultServer(t *testing.T) *server {
	s := start(t, nil)
	testenv.NeedEngines(t, s.app.host, "occt", "truck", "mfem", "ngspice", "vtk")
	step, err := os.ReadFile(testenv.Bracket())
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"bracket.step": string(step), "cube.mesh": cubeMesh(),
		"tetra.obj": "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"} {
		if err := os.WriteFile(filepath.Join(s.root, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

// clean fails when a process or a folder of a job is left.
func (s *server) clean(data string) {
	s.t.Helper()
	for deadline := time.Now().Add(5 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		var processes []int
		for _, word := range []string{"-driver", "ngspice"} {
			processes = append(processes, descendants(word)...)
		}
		folders, _ := filepath.Glob(filepath.Join(data, "work", "*", "*", "job_*"))
		if len(processes)+len(folders) == 0 {
			return
		}
		if time.Now().After(deadline) {
			s.t.Fatalf("left behind: processes %v, folders %v", processes, folders)
		}
	}
}

// signalled starts a long job and sends its engine a signal as soon as it runs; again,
// where the engine was done before it was seen or the signal came, as on a busy machine
// Truck may be.
func (s *server) signalled(t *testing.T, word, tool, input, limits string, sig syscall.Signal) reply {
	t.Helper()
	for try := 1; ; try++ {
		if r := s.signalledOnce(t, word, tool, input, limits, sig); r.at("status") != "succeeded" || try == 20 {
			return r
		}
	}
}

func (s *server) signalledOnce(t *testing.T, word, tool, input, limits string, sig syscall.Signal) reply {
	t.Helper()
	into := 100 * time.Millisecond // into the work itself
	if word == "truck-driver" {
		into = 5 * time.Millisecond // it is soon done
	}
	made := s.post("/v1/jobs", fmt.Sprintf(`{"tool_name":%q,"input":%s,"limits":%s}`, tool, input, limits))
	id, _ := made.at("job_id").(string)
	if id == "" {
		t.Fatalf("%s", made.raw)
	}
	for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(time.Millisecond) {
		pids := descendants(word)
		if len(pids) > 0 {
			time.Sleep(into)
			for _, pid := range pids {
				_ = syscall.Kill(pid, sig) // it may just have ended, which the job then tells
			}
			break
		}
		if r := s.get("/v1/jobs/" + id); r.at("status") == "succeeded" {
			return r // it was not seen
		} else if time.Now().After(deadline) {
			t.Fatalf("no %s was started: %s", word, r.raw)
		}
	}
	return s.get("/v1/jobs/" + id + "?wait_ms=30000")
}

// An engine that is killed, or hangs, costs its job and nothing else.
func TestKilledAndHangingEngines(t *testing.T) {
	s := faultServer(t)
	data := s.data
	for word, call := range long() {
		t.Run(word+" killed", func(t *testing.T) {
			r := s.signalled(t, word, call.tool, call.input, `{}`, syscall.SIGKILL)
			if r.at("status") != "failed" || r.at("error", "code") != "engine_crashed" {
				t.Fatalf("%.600s", r.raw)
			}
			if stderr, _ := r.at("result", "stderr").(string); !strings.Contains(stderr, "engine_crashed") {
				t.Fatalf("no log: %.300s", r.raw)
			}
			s.clean(data)
		})
		t.Run(word+" hangs", func(t *testing.T) {
			r := s.signalled(t, word, call.tool, call.input, `{"timeout_ms":1500}`, syscall.SIGSTOP)
			if r.at("status") != "failed" || r.at("error", "code") != "timeout" || r.at("error", "details", "hint") == nil {
				t.Fatalf("%.600s", r.raw)
			}
			s.clean(data)
		})
	}
	if r := s.get("/healthz"); r.status != 200 {
		t.Fatalf("the server is gone: %d", r.status)
	}
}

// A real engine that prints without end is stopped, and what it wrote is bounded.
func TestFloodOfOutput(t *testing.T) {
	s := faultServer(t)
	r := s.post("/v1/tools/execute", `{"tool":"circuits.simulate","input":{"netlist":"flood\nV1 in 0 SIN(0 1 1k)\nR1 in 0 1k\n.tran 20n 2m\n.print tran v(in)\n.end","control":["tran 20n 2m","print v(in)"]},"context":{"limits":{"max_stdout_bytes":2000,"timeout_ms":60000}}}`)
	stdout, _ := r.at("stdout").(string)
	if lost, _ := r.at("metrics", "stdout_truncated_bytes").(float64); len(stdout) > 2000 || lost < 1e6 {
		t.Fatalf("%d bytes of output, %.800s", len(stdout), r.raw)
	}
	s.clean(s.data)
}
