package agent_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"atelier/internal/agent"
	"atelier/internal/contract"
	"atelier/internal/engine"
	"atelier/internal/job"
	"atelier/internal/quantity"
	"atelier/internal/runner"
	"atelier/internal/session"
	"atelier/internal/store"
	"atelier/internal/testenv"
	"atelier/internal/tools"
)

func TestMain(m *testing.M) {
	engine.SandboxMain()
	os.Exit(m.Run())
}

// fixture is a server's parts with real engines and the planner, without a protocol.
type fixture struct {
	jobs     *job.Service
	sessions *session.Service
	blobs    *store.Blobs
}

type source struct {
	*store.DB
	blobs *store.Blobs
}

func (s source) LocalPath(ctx context.Context, sha string) (string, error) {
	return s.blobs.LocalPath(ctx, sha)
}

func open(t *testing.T, needs ...string) *fixture { t.Helper(); return openWith(t, nil, needs...) }

// openWith lets a model plan, if there is one.
func openWith(t *testing.T, loop *agent.Loop, needs ...string) *fixture {
	t.Helper()
	dir, ctx := t.TempDir(), t.Context()
	host, err := engine.NewHost(engine.Options{Root: testenv.Engines(), Work: filepath.Join(dir, "engines")})
	must(t, err)
	t.Cleanup(func() { host.Close() })
	testenv.NeedEngines(t, host, needs...)
	registry, err := contract.NewRegistry(append(tools.All(tools.Parts{Host: host}), probes()...))
	must(t, err)
	db, err := store.Open(ctx, filepath.Join(dir, "db"))
	must(t, err)
	t.Cleanup(func() { db.Close() })
	blobs, err := store.OpenBlobs(ctx, db, filepath.Join(dir, "blobs"), store.BlobOptions{})
	must(t, err)
	t.Cleanup(func() { blobs.Close() })
	quiet := slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelError}))
	executor := runner.NewExecutor(registry, runner.Resolver{Roots: []string{dir}, Source: source{db, blobs}})
	jobs, err := job.New(ctx, db, blobs, executor, job.Options{WorkDir: filepath.Join(dir, "work"), DefaultConcurrency: 1, Logger: quiet})
	must(t, err)
	t.Cleanup(func() { must(t, jobs.Drain(context.Background())) })
	planner := &agent.Agent{Planner: agent.NewPlanner(registry, agent.Artifacts{Jobs: jobs, Blobs: blobs}), Loop: loop, DB: db}
	sessions, err := session.New(ctx, db, blobs, registry, jobs, session.Options{Runner: planner, Logger: quiet})
	must(t, err)
	t.Cleanup(sessions.Close)
	return &fixture{jobs, sessions, blobs}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// with makes a session of a file; none for "".
func (h *fixture) with(t *testing.T, file string) string {
	t.Helper()
	var files []session.Upload
	if file != "" {
		f, err := os.Open(file)
		must(t, err)
		defer f.Close()
		u, err := h.sessions.Put(t.Context(), filepath.Base(file), f)
		must(t, err)
		files = append(files, u)
	}
	m, err := h.sessions.Create(t.Context(), files, nil)
	must(t, err)
	return m.SessionID
}

// say works a turn to its end.
func (h *fixture) say(t *testing.T, id, prompt string) (status, reply string, fault *contract.Error) {
	t.Helper()
	r, err := h.sessions.Start(t.Context(), id, session.Turn{Prompt: prompt})
	must(t, err)
	select {
	case <-r.Done():
	case <-time.After(3 * time.Minute):
		t.Fatal("the turn does not end")
	}
	return r.End()
}

// output is that of the last succeeded step of a tool.
func (h *fixture) output(t *testing.T, id, tool string) (json.RawMessage, session.Step) {
	t.Helper()
	m, err := h.sessions.Get(t.Context(), id)
	must(t, err)
	for i := len(m.Steps) - 1; i >= 0; i-- {
		if s := m.Steps[i]; s.Tool == tool && s.Status == session.StepSucceeded {
			j, err := h.jobs.Get(t.Context(), s.JobID)
			must(t, err)
			return j.Result.OutputJSON(), s
		}
	}
	t.Fatalf("no step of %s has succeeded: %+v", tool, m.Steps)
	return nil, session.Step{}
}

func (h *fixture) run(t *testing.T, tool string, input any) json.RawMessage {
	t.Helper()
	raw, err := json.Marshal(input)
	must(t, err)
	j, err := h.jobs.Submit(t.Context(), job.Request{Tool: tool, Input: raw})
	must(t, err)
	if j.Error != nil {
		t.Fatal(j.Error)
	}
	return j.Result.OutputJSON()
}

func decode[T any](t *testing.T, raw json.RawMessage) T {
	t.Helper()
	var v T
	must(t, json.Unmarshal(raw, &v))
	return v
}

type elastic struct {
	VonMises struct {
		Max float64 `json:"max"`
	} `json:"von_mises"`
	Displacement struct {
		Value float64 `json:"value"`
	} `json:"max_displacement"`
	Loads []struct {
		Type  string    `json:"type"`
		Force []float64 `json:"force"`
	} `json:"loads"`
}

type meshed struct {
	URL string `json:"artifact_url"`
}

// The answer's numbers are those that the same call over the API gives, with
// arguments written by hand.
func TestBracketFromAPrompt(t *testing.T) {
	h := open(t, "occt", "mfem", "vtk", "netgen")
	id := h.with(t, testenv.Bracket())
	status, reply, fault := h.say(t, id, "steel, fixed at the bottom, 500 N on top, show the stress, coarse mesh")
	if status != "completed" {
		t.Fatalf("%s: %v\n%s", status, fault, reply)
	}
	t.Log(reply)
	firstReply := reply
	solved, _ := h.output(t, id, "fea.solve")
	volume, _ := h.output(t, id, "volume_mesh_cad")
	told := decode[elastic](t, solved)
	direct := decode[elastic](t, h.run(t, "fea.solve", map[string]any{
		"solver_class": "LinearElasticity", "mesh": map[string]string{"type": "file", "path": decode[meshed](t, volume).URL},
		"config": map[string]any{
			"materials": []any{map[string]float64{"E": 210e9, "nu": 0.3}},
			"bcs": []any{
				map[string]any{"face": "base_bottom", "type": "fixed"},
				map[string]any{"face": "upright_top", "type": "load", "force": []float64{0, 0, -500}},
			},
		},
	}))
	if told.VonMises.Max != direct.VonMises.Max || told.Displacement.Value != direct.Displacement.Value {
		t.Errorf("the plan gave %v, the API %v", told, direct)
	}
	for _, want := range []string{
		quantity.Stress.Format(direct.VonMises.Max), quantity.Length.Format(direct.Displacement.Value),
		"Evidence: ", "Assumptions: ", "pushes straight into the part", "EN 1993-1-1", "Not looked at",
	} {
		if !strings.Contains(reply, want) {
			t.Errorf("the answer lacks %q", want)
		}
	}
	m, err := h.sessions.Get(t.Context(), id)
	must(t, err)
	var order []string
	for _, s := range m.Steps {
		order = append(order, s.Tool)
		if s.DurationMS == nil || *s.DurationMS <= 0 {
			t.Errorf("%s took no time", s.Tool)
		}
	}
	if got := strings.Join(order, " "); got != "cad_import_truck volume_mesh_cad fea.solve render_pack_vtk" {
		t.Errorf("the steps were %s", got)
	}
	// a change of the request takes the rest from it, and the steps before it are not asked about again
	status, reply, fault = h.say(t, id, "now with 1 kN")
	if status != "completed" || !strings.Contains(reply, "from the request before") {
		t.Fatalf("%s: %v\n%s", status, fault, reply)
	}
	solved, _ = h.output(t, id, "fea.solve")
	if ratio := decode[elastic](t, solved).VonMises.Max / told.VonMises.Max; ratio < 1.999999 || ratio > 2.000001 {
		t.Errorf("twice the load gives %v times the stress", ratio)
	}
	halved(t, h, id, told)
	if !strings.Contains(firstReply, "/artifacts/") {
		t.Error("the answer names no picture")
	}
}

// halved makes changes of a request that was doubled: one that is not understood, which is
// asked about and leaves the request as it was, and one by half.
func halved(t *testing.T, h *fixture, id string, told elastic) {
	t.Helper()
	status, reply, _ := h.say(t, id, "what about a larger force?")
	if status != "completed" || !strings.Contains(reply, "larger") {
		t.Fatalf("%s: %s", status, reply)
	}
	status, reply, fault := h.say(t, id, "half the force")
	if status != "completed" || strings.Contains(reply, "1 kN") {
		t.Fatalf("%s: %v\n%s", status, fault, reply)
	}
	solved, _ := h.output(t, id, "fea.solve")
	if ratio := decode[elastic](t, solved).VonMises.Max / told.VonMises.Max; ratio < 0.999999 || ratio > 1.000001 {
		t.Errorf("half of twice the load gives %v times the stress", ratio)
	}
}

// A box whose pocket has no faces has no inside for volume_mesh_cad; its triangulation is repaired and
// filled instead, and the answer says so.
func TestFallsBackToTheTriangulation(t *testing.T) {
	h := open(t, "occt", "mfem", "netgen")
	file := filepath.Join(t.TempDir(), "open.step")
	script := fmt.Sprintf("from netgen.occ import *\nb = Box((0,0,0),(20,30,40)) - Box((8,-1,18),(12,3,22))\nSew([f for f in b.faces if not (7 < f.center.x < 13 and 0.1 < f.center.y < 4)]).WriteStep(%q)\n", file)
	if out, err := exec.Command(filepath.Join(testenv.Engines(), "netgen", "bin", "python"), "-c", script).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	id := h.with(t, file)
	status, reply, fault := h.say(t, id, "steel, fixed at the bottom, 500 N on top")
	m, err := h.sessions.Get(t.Context(), id)
	must(t, err)
	var order []string
	for _, s := range m.Steps {
		order = append(order, s.Tool+" "+string(s.Status))
	}
	t.Log(reply)
	const want = "volume_mesh_cad failed, mesh_repair_pmp succeeded, volume_mesh_quartet succeeded, fea.solve succeeded"
	got := strings.Join(order, ", ")
	if status != "completed" || !strings.Contains(got, want) {
		t.Fatalf("%s (%v): %s; want %s", status, fault, got, want)
	}
	if !strings.Contains(reply, "could not be meshed on its exact faces") || !strings.Contains(reply, "ERR_NOT_WATERTIGHT") {
		t.Errorf("the answer does not say that it fell back:\n%s", reply)
	}
}

// Holes are found by their shape, with no name said; the support's reaction
// balances the load.
func TestHolesAreFoundByShape(t *testing.T) {
	h := open(t, "occt", "mfem", "vtk", "netgen")
	id := h.with(t, testenv.Bracket())
	status, reply, fault := h.say(t, id, "Fixed at the bolt holes, 1 kN along +x at the hole, titanium, coarse mesh, show the displacement")
	if status != "completed" {
		t.Fatalf("%s: %v\n%s", status, fault, reply)
	}
	t.Log(reply)
	solved, step := h.output(t, id, "fea.solve")
	input := string(step.Input)
	// faces 8 to 11 are the bolt holes, 18 the load hole, 14 the fillet
	for _, face := range []string{"[8]", "[9]", "[10]", "[11]", "[18]"} {
		if !strings.Contains(input, `"attribute":`+face) {
			t.Errorf("face %s is not in %s", face, input)
		}
	}
	if strings.Contains(input, "14") && strings.Contains(input, "[14]") {
		t.Error("the fillet was taken for a hole")
	}
	sum := 0.0
	for _, l := range decode[elastic](t, solved).Loads {
		if l.Type == "fixed" {
			sum += l.Force[0]
		}
	}
	if sum > -999.9 || sum < -1000.1 {
		t.Errorf("the supports react with %v N, want -1000", sum)
	}
}

// What is missing is asked for before the first step, and the answer completes
// the first prompt.
func TestAsksThenRuns(t *testing.T) {
	h := open(t, "ngspice")
	id := h.with(t, "")
	status, reply, _ := h.say(t, id, "low-pass with R = 1 kOhm")
	if status != "completed" || !strings.Contains(reply, "netlist") {
		t.Fatalf("%s: %s", status, reply)
	}
	if m, err := h.sessions.Get(t.Context(), id); err != nil || len(m.Steps) != 0 {
		t.Fatalf("it ran %v before it had asked (%v)", m.Steps, err)
	}
	status, reply, fault := h.say(t, id, "C = 1 uF")
	if status != "completed" || fault != nil {
		t.Fatalf("%s: %v %s", status, fault, reply)
	}
	t.Log(reply)
	if _, step := h.output(t, id, "circuits.simulate"); !strings.Contains(string(step.Input), "R1 in out 1000") {
		t.Errorf("the netlist is %s", step.Input)
	}
}

// A request that was not understood can be made again in other words.
func TestSayingItAgain(t *testing.T) {
	h := open(t, "ngspice")
	id := h.with(t, "")
	if _, reply, _ := h.say(t, id, "cascaded RC low-pass with R = 1 kOhm and C = 1 uF"); !strings.Contains(reply, `"cascaded"`) {
		t.Fatal(reply)
	}
	if _, reply, _ := h.say(t, id, "RC low-pass with R = 1 kOhm and C = 1 uF"); !strings.Contains(reply, "Evidence: verified") {
		t.Error(reply)
	}
}

// A one-sided surface is what only a person can decide about.
func TestStopsForAPersonOnlyWhenItMust(t *testing.T) {
	h := open(t, "mfem")
	file := filepath.Join(t.TempDir(), "moebius.obj")
	must(t, os.WriteFile(file, []byte(moebius), 0o600))
	id := h.with(t, file)
	status, reply, fault := h.say(t, id, "steel, fixed on the left, 5 N downwards on the right, the file is in mm")
	if status != "completed" || fault != nil || !strings.Contains(reply, "your decision") {
		t.Errorf("%s: %v\n%s", status, fault, reply)
	}
}

// moebius is the five-triangle Möbius band of five vertices (Kühnel 1995): every
// edge belongs to at most two triangles, and no orientation exists.
const moebius = "v 0 0 0\nv 2 0 1\nv 3 2 0\nv 1 3 1\nv -1 2 2\nf 1 2 3\nf 2 3 4\nf 3 4 5\nf 4 5 1\nf 5 1 2\n"

// The unit of a surface that names none is asked for, with the sizes that it could
// have; the answer completes the request.
func TestAsksForTheUnitOfASurface(t *testing.T) {
	h := open(t, "mfem")
	id := h.with(t, written(t, "cube.obj", cube))
	wish := "steel, fixed at the bottom, 500 N downwards on the top, 4 mm elements"
	status, reply, fault := h.say(t, id, wish)
	if status != "completed" || fault != nil || !strings.Contains(reply, "In which unit") || !strings.Contains(reply, "10 mm in millimetres") {
		t.Fatalf("%s: %v\n%s", status, fault, reply)
	}
	status, reply, fault = h.say(t, id, "millimetres")
	if status != "completed" || fault != nil || strings.Contains(reply, "In which unit") {
		t.Fatalf("%s: %v\n%s", status, fault, reply)
	}
	raw, _ := h.output(t, id, "fea.solve")
	var out struct {
		Mesh struct {
			Unit string    `json:"length_unit"`
			Max  []float64 `json:"max"`
		} `json:"mesh"`
	}
	must(t, json.Unmarshal(raw, &out))
	if out.Mesh.Unit != "mm" || math.Abs(out.Mesh.Max[2]-0.01) > 1e-6 {
		t.Errorf("solved on %+v", out.Mesh)
	}
}

// cube has corners at 0 and 10.
const cube = "v 0 0 0\nv 10 0 0\nv 10 10 0\nv 0 10 0\nv 0 0 10\nv 10 0 10\nv 10 10 10\nv 0 10 10\n" +
	"f 1 3 2\nf 1 4 3\nf 5 6 7\nf 5 7 8\nf 1 2 6\nf 1 6 5\nf 2 3 7\nf 2 7 6\nf 3 4 8\nf 3 8 7\nf 4 1 5\nf 4 5 8\n"
