package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"atelier/internal/testenv"
)

// suspicious is a job whose result a check fails: a measurement outside of the run.
func (s *server) suspicious() (job, url string) {
	s.t.Helper()
	netlist := "RC\nV1 in 0 PULSE(0 1 0 1n 1n 1 2)\nR1 in out 1k\nC1 out 0 1u\n.tran 10u 2m\n.meas tran late INTEG v(out) FROM=1m TO=5m\n.end\n"
	raw, err := json.Marshal(map[string]any{"netlist": netlist})
	if err != nil {
		s.t.Fatal(err)
	}
	r := s.execute("circuits.simulate", string(raw))
	job, _ = r.at("metrics", "job_id").(string)
	if job == "" || !strings.Contains(string(r.raw), `"trust":"suspect"`) {
		s.t.Fatalf("%.3000s", r.raw)
	}
	return job, "/v1/jobs/" + job + "/artifacts/data.csv"
}

// A table of a suspect simulation stays one on its way through a capture, also
// when the job has been deleted.
func TestACaptureKnowsTheJobBehindIt(t *testing.T) {
	s := start(t, nil)
	testenv.NeedEngines(t, s.app.host, "ngspice")
	job, url := s.suspicious()
	table := s.get(url)
	captures := map[string]reply{
		"by url": s.post("/v1/captures", fmt.Sprintf(`{"path":%q}`, url)), "uploaded": s.upload(string(table.raw)),
	}
	if err := os.WriteFile(filepath.Join(s.root, "data.csv"), table.raw, 0o600); err != nil {
		t.Fatal(err)
	}
	captures["by path"] = s.post("/v1/captures", `{"path":"data.csv"}`)
	header, _, _ := strings.Cut(string(table.raw), "\n")
	column := strings.Trim(strings.Split(header, ",")[1], `"`)
	for _, deleted := range []bool{false, true} {
		if deleted {
			if r := s.do("DELETE", "/v1/jobs/"+job, "", nil); r.status >= 300 {
				t.Fatalf("%d %s", r.status, r.raw)
			}
		}
		for what, made := range captures {
			r := s.execute("summary_stats_tool", fmt.Sprintf(`{"capture":{"capture_id":%q},"columns":[%q]}`, made.at("capture_id"), column))
			if !strings.Contains(string(r.raw), `"trust":"suspect"`) || !strings.Contains(string(r.raw), job) || !strings.Contains(string(r.raw), "made by circuits.simulate") {
				t.Errorf("%s, deleted %v: %s", what, deleted, r.raw)
			}
			if strings.Contains(string(r.raw), "has been deleted since") != deleted {
				t.Errorf("%s: deleted is %v: %s", what, deleted, r.raw)
			}
		}
	}
}

// The file that a series names is an input: who asks later is told that it has
// changed, though the series itself is what it was.
func TestAClaimKnowsTheFilesOfASeries(t *testing.T) {
	s := start(t, nil)
	testenv.NeedEngines(t, s.app.host, "vtk")
	for _, name := range []string{"beam.pvd", "beam.vtu"} {
		raw, err := os.ReadFile(testenv.Path("examples", "data", name))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(s.root, name), raw, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	r := s.execute("render_pack_vtk", `{"input_path":"beam.pvd","field":"displacement","unit":"m","length_unit":"m","width":64,"height":64}`)
	job, _ := r.at("metrics", "job_id").(string)
	highest, _ := r.at("output", "field", "max").(float64)
	claim := fmt.Sprintf(`{"number":%g,"job_id":%q,"path":"/field/max"}`, highest, job)
	if verdict := s.execute("verify_claim", claim).at("output", "verdict"); verdict == nil || verdict == "stale" {
		t.Fatalf("%v: %s", verdict, r.raw)
	}
	part := filepath.Join(s.root, "beam.vtu")
	raw, err := os.ReadFile(part)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(part, append(raw, '\n'), 0o600); err != nil {
		t.Fatal(err)
	}
	if r := s.execute("verify_claim", claim); r.at("output", "verdict") != "stale" || !strings.Contains(string(r.raw), "beam.vtu has changed") {
		t.Errorf("altered: %s", r.raw)
	}
	if err := os.Remove(part); err != nil {
		t.Fatal(err)
	}
	if r := s.execute("verify_claim", claim); r.at("output", "verdict") != "stale" || !strings.Contains(string(r.raw), "beam.vtu, from which the figure was made, is no longer there") {
		t.Errorf("removed: %s", r.raw)
	}
}

// Where the summary of a suspect result stands alone, in lists of jobs and the steps of
// a session, the doubt stands beside it; and so does that of a copy, which claims
// nothing itself but is made of it, in a claim too.
func TestASummaryAloneTellsTheDoubt(t *testing.T) {
	s := start(t, nil)
	testenv.NeedEngines(t, s.app.host, "ngspice")
	session, _ := s.post("/v1/sessions", `{}`).at("session_id").(string)
	netlist := "RC\nV1 in 0 PULSE(0 1 0 1n 1n 1 2)\nR1 in out 1k\nC1 out 0 1u\n.tran 10u 2m\n.meas tran late INTEG v(out) FROM=1m TO=5m\n.end\n"
	raw, err := json.Marshal(map[string]any{"netlist": netlist})
	if err != nil {
		t.Fatal(err)
	}
	r := s.post("/v1/tools/execute", fmt.Sprintf(`{"tool":"circuits.simulate","input":%s,"context":{"session_id":%q}}`, raw, session))
	job, _ := r.at("metrics", "job_id").(string)
	for where, summary := range map[string]any{
		"job":     s.get("/v1/jobs/" + job).at("summary"),
		"jobs":    s.get("/v1/jobs").at("jobs", 0, "summary"),
		"session": s.get("/v1/sessions/"+session).at("steps", 0, "summary"),
	} {
		if text, _ := summary.(string); !strings.Contains(text, "Evidence: suspect. ") {
			t.Errorf("%s: %v", where, summary)
		}
	}
	if text, _ := r.at("summary").(string); text == "" || strings.Contains(text, "Evidence:") {
		t.Errorf("the result itself has its evidence beside the summary: %q", text)
	}
	write := s.execute("write_text_artifact", fmt.Sprintf(`{"text":%q,"filename":"copy.csv"}`, s.get("/v1/jobs/"+job+"/artifacts/data.csv").raw))
	copied, _ := write.at("metrics", "job_id").(string)
	if text, _ := s.get("/v1/jobs/" + copied).at("summary").(string); !strings.Contains(text, "Evidence: suspect. ") {
		t.Errorf("a copy: %q %s", text, write.raw)
	}
}
