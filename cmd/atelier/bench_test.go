package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"atelier/internal/testenv"
)

func startBench(b *testing.B) *server {
	b.Helper()
	cmd := &serveCmd{Addr: "127.0.0.1:0", MaxBodyBytes: 1 << 20, MaxUploadBytes: 1 << 20}
	cmd.storage = storage{Data: b.TempDir(), Root: []string{b.TempDir()}, Threads: 2, LogLevel: "error", Engines: testenv.Engines()}
	a, err := open(context.Background(), setup{storage: cmd.storage, narrowing: cmd.narrowing, modelFlags: cmd.modelFlags, warm: cold})
	if err != nil {
		b.Fatal(err)
	}
	web := httptest.NewServer(cmd.handler(a))
	b.Cleanup(func() {
		web.Close()
		_ = a.close(context.Background())
	})
	return &server{url: web.URL, root: cmd.Root[0], app: a}
}

const rcNetlist = "RC\nV1 in 0 DC 1\nR1 in out 1k\nC1 out 0 1u\n.end\n"

// BenchmarkOverheadNgspice alternates the bare program, run twice because the
// tool's evidence is a second run at a tighter tolerance, and the same circuit
// through HTTP, job record, sandbox and artifacts, and reports both medians.
func BenchmarkOverheadNgspice(b *testing.B) {
	s := startBench(b)
	if err := s.app.host.Check("ngspice"); err != nil {
		testenv.Skip(b, testenv.Engine, "%v", err)
	}
	dir := b.TempDir()
	deck := filepath.Join(dir, "rc.cir")
	if err := os.WriteFile(deck, []byte(rcNetlist+".control\nop\nwrite rc.raw all\nquit 0\n.endc\n"), 0o600); err != nil {
		b.Fatal(err)
	}
	body, _ := json.Marshal(map[string]any{"tool": "circuits.simulate", "input": map[string]any{"netlist": rcNetlist, "control": []string{"op", "quit"}}})
	overhead(b, func() error {
		for range 2 {
			cmd := exec.Command("ngspice", "-n", "-b", deck)
			cmd.Dir = dir
			if err := cmd.Run(); err != nil {
				return err
			}
		}
		return nil
	}, s.url, body)
}

// BenchmarkOverheadMFEM is the same for the finite element driver, on a cube of
// six elements.
func BenchmarkOverheadMFEM(b *testing.B) {
	s := startBench(b)
	driver, err := s.app.host.Path("mfem")
	if err != nil {
		testenv.Skip(b, testenv.Engine, "%v", err)
	}
	dir := b.TempDir()
	for _, path := range []string{filepath.Join(dir, "cube.mesh"), filepath.Join(s.root, "cube.mesh")} {
		if err := os.WriteFile(path, []byte(cubeMesh()), 0o600); err != nil {
			b.Fatal(err)
		}
	}
	const config = `"config":{"materials":[{"attribute":1,"E":1e9,"nu":0.3}],"bcs":[{"attribute":1,"type":"fixed"},{"attribute":2,"type":"load","value":[0,0,-1]}]}`
	overhead(b, func() error {
		cmd := exec.Command(driver)
		cmd.Dir = dir
		cmd.Stdin = strings.NewReader(`{"solver_class":"LinearElasticity","mesh":{"path":"cube.mesh","length_unit":"m"},` + config + "}\n")
		return cmd.Run()
	}, s.url, []byte(`{"tool":"fea.solve","input":{"solver_class":"LinearElasticity","mesh":{"type":"file","path":"cube.mesh"},`+config+`}}`))
}

// overhead reports the median of each side and of the difference, pair by pair.
func overhead(b *testing.B, bare func() error, url string, body []byte) {
	b.Helper()
	var alone, through, extra []float64
	for b.Loop() {
		from := time.Now()
		if err := bare(); err != nil {
			b.Fatal(err)
		}
		t1 := time.Since(from)
		from = time.Now()
		resp, err := http.Post(url+"/v1/tools/execute", "application/json", bytes.NewReader(body))
		if err != nil {
			b.Fatal(err)
		}
		raw, _ := io.ReadAll(resp.Body)
		resp.Body.Close()
		t2 := time.Since(from)
		if !bytes.Contains(raw, []byte(`"status":"ok"`)) {
			b.Fatalf("%.500s", raw)
		}
		alone, through = append(alone, ms(t1)), append(through, ms(t2))
		extra = append(extra, ms(t2-t1))
	}
	b.ReportMetric(median(alone), "bare-ms")
	b.ReportMetric(median(through), "tool-ms")
	b.ReportMetric(median(extra), "overhead-ms")
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

func median(v []float64) float64 {
	v = slices.Sorted(slices.Values(v))
	return v[len(v)/2]
}
