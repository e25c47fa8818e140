package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"atelier/internal/session"
)

// The terminal command works a prompt to its end and says how it went; what it
// cannot do ends with a status of its own.
func TestRunCommand(t *testing.T) {
	needNgspice(t)
	bin, keep := binary(t), filepath.Join(t.TempDir(), "kept")
	run := func(arguments ...string) (string, error) {
		out, err := exec.Command(bin, append([]string{"run", "--log-level", "error"}, arguments...)...).Output()
		return string(out), err
	}
	// 1/(2 pi 1 kOhm 1 uF) = 159.15 Hz
	out, err := run("--keep", keep, "low-pass", "with R = 1 kOhm and C = 1 uF")
	if err != nil || !strings.Contains(out, "circuits.simulate succeeded in") || !strings.Contains(out, "159") || !strings.Contains(out, "completed after") {
		t.Fatalf("%v\n%s", err, out)
	}
	var m session.Manifest
	raw, err := os.ReadFile(filepath.Join(keep, session.ManifestName))
	if err != nil || json.Unmarshal(raw, &m) != nil || len(m.Steps) != 1 {
		t.Fatalf("%v %s", err, raw)
	}
	for _, asset := range m.AssetDetails {
		if info, err := os.Stat(filepath.Join(keep, asset.Path)); err != nil || info.Size() != asset.Bytes {
			t.Errorf("%s: %v", asset.Path, err)
		}
	}
	out, err = run("--json", "low-pass with R = 1 kOhm and C = 1 uF")
	lines := strings.Split(strings.TrimSpace(out), "\n")
	for _, line := range lines {
		if !json.Valid([]byte(line)) {
			t.Fatalf("%s", line)
		}
	}
	if err != nil || !strings.Contains(lines[len(lines)-1], `"agent_done"`) {
		t.Fatalf("%v\n%s", err, out)
	}
	broken := filepath.Join(t.TempDir(), "part.stl")
	if err := os.WriteFile(broken, []byte("solid nothing\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := run(broken, "steel, in mm, fixed at the bottom, 5 N downwards on the top"); err == nil {
		t.Errorf("an unreadable part ends well:\n%s", out)
	}
	if _, err := run(); err == nil {
		t.Error("nothing to do ends well")
	}
}

// On a terminal progress is one line that is written over, and leaves no rest.
func TestTellerOnATerminal(t *testing.T) {
	var out bytes.Buffer
	told := &progressPrinter{out: &out, live: true, began: time.Now()}
	for _, e := range []session.Event{
		{Type: session.TextDelta, Data: json.RawMessage(`{"delta":"I begin."}`)},
		{Type: session.ToolCallStart, Data: json.RawMessage(`{"tool_name":"fea.solve"}`)},
		{Type: session.Progress, Data: json.RawMessage(`{"tool_name":"fea.solve","fraction":0.5,"message":"assembly"}`)},
		{Type: session.ToolCallComplete, Data: json.RawMessage(`{"tool_name":"fea.solve","status":"succeeded","duration_ms":1500,"summary":"Solved."}`)},
	} {
		told.print(e)
	}
	const wipe = "\r\x1b[K"
	want := "I begin.\n  fea.solve …" + wipe + "  fea.solve [##########..........]  50 % assembly" + wipe + "  fea.solve succeeded in 1.50 s: Solved.\n"
	if out.String() != want {
		t.Errorf("%q", out.String())
	}
}

// A question is answered on the terminal, or by what is piped in; one that is left open ends
// with status 2.
func TestRunAsksOnTheTerminal(t *testing.T) {
	needNgspice(t)
	bin := binary(t)
	run := func(answer string, words ...string) (string, int) {
		cmd := exec.Command(bin, append([]string{"run", "--log-level", "error"}, words...)...)
		cmd.Stdin = strings.NewReader(answer)
		out, _ := cmd.CombinedOutput()
		return string(out), cmd.ProcessState.ExitCode()
	}
	// 1/(2 pi 1 kOhm 1 uF) = 159.15 Hz
	if out, status := run("C = 1 uF\n", "low-pass with R = 1 kOhm"); status != 0 || !strings.Contains(out, "159") {
		t.Errorf("status %d: %s", status, out)
	}
	for _, answer := range []string{"", "\n"} {
		if out, status := run(answer, "low-pass with R = 1 kOhm"); status != 2 || !strings.Contains(out, "a question is open") || strings.Contains(out, "circuits.simulate") {
			t.Errorf("%q: status %d: %s", answer, status, out)
		}
	}
	if out, status := run("", "tell me a joke"); status != 2 {
		t.Errorf("status %d: %s", status, out)
	}
}
