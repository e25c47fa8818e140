package study

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"atelier/internal/contract"
	"atelier/internal/evidence"
	"atelier/internal/job"
	"atelier/internal/store"
)

// StepRun is a step that was made, or taken from an earlier run.
type StepRun struct {
	Step
	JobID  string         `json:"job_id,omitempty"`
	Reused bool           `json:"reused,omitempty"`
	Trust  evidence.Trust `json:"trust,omitempty"`
	// Summary of its result.
	Summary string `json:"summary,omitempty"`
	// Fault of a step that failed; one behind it that needs it has Skipped.
	Fault   *contract.Error `json:"fault,omitempty"`
	Skipped string          `json:"skipped,omitempty"`
	Notes   []string        `json:"notes,omitempty"` // what was assumed to make the call
}

// Run is a study that was run.
type Run struct {
	ID       string          `json:"id"`
	Study    string          `json:"study,omitempty"` // "" for a document that is not kept
	Revision int             `json:"revision,omitempty"`
	Document json.RawMessage `json:"document"`
	At       time.Time       `json:"at"`
	Steps    []StepRun       `json:"steps"`
	// Files that somebody brought, with the hashes of their contents.
	Files map[string]string `json:"files,omitempty"`

	study   *Study                      // of the document
	results map[string]*contract.Result // by analysis
}

// Kinds of the stored documents of runs, which are of no use when their jobs are gone.
const (
	RunKind  = "study_run"
	StepKind = "study_step" // which job made a call of this key
)

// execution is a run while it is made.
type execution struct {
	*Service
	call  *contract.Call
	study *Study
	doc   json.RawMessage
	run   *Run
	parts map[string]*meshed
	total int            // steps
	modes map[string]int // of analyses up to a frequency, when asked again
}

// Execute runs a study: what another run has made of the same inputs is taken from it. A
// step that fails ends what needs it; the others go on.
func (s *Service) Execute(ctx context.Context, call *contract.Call, document json.RawMessage, studyID string, revision int) (*Run, error) {
	made, err := Read(document)
	if err != nil {
		return nil, err
	}
	steps, err := made.Steps()
	if err != nil {
		return nil, err
	}
	if faults := made.unanswerable(); len(faults) > 0 {
		return nil, contract.Faults(faults)
	}
	if len(steps) == 0 {
		return nil, contract.Errorf(contract.CodeInvalidInput, "the study has no analysis").At("/analyses").
			WithHint(`Add one: {"op": "add", "path": "/analyses/static", "value": {"type": "static"}}.`)
	}
	e := &execution{Service: s, call: call, study: made, doc: document, parts: map[string]*meshed{}, total: len(steps)}
	e.run = &Run{ID: newID("run_"), Study: studyID, Revision: revision, Document: document, At: store.Now(), study: made, results: map[string]*contract.Result{}}
	order, err := made.order()
	if err != nil {
		return nil, err
	}
	for _, name := range order {
		if err := e.analysis(ctx, name); err != nil {
			return nil, err
		}
	}
	if fault := e.run.fault(); fault != nil {
		return nil, fault
	}
	return e.run, s.keep(ctx, e.run)
}

// fault of a run of which no analysis has a result: that of its first step that failed.
func (r *Run) fault() error {
	for _, result := range r.results {
		if result != nil {
			return nil
		}
	}
	for _, s := range r.Steps {
		if s.Fault != nil {
			f := *s.Fault
			f.Message = fmt.Sprintf("%s (%s): %s", s.Name, s.Tool, f.Message)
			return &f
		}
	}
	return nil
}

// keep stores a run, and notes it in its study.
func (s *Service) keep(ctx context.Context, r *Run) error {
	if _, err := s.DB.PutDocument(ctx, RunKind, r.ID, 0, encode(r)); err != nil || r.Study == "" {
		return err
	}
	for try := 0; ; try++ { // somebody may change the study meanwhile
		h, err := s.Load(ctx, r.Study)
		if err != nil {
			return err
		}
		h.Runs = append(h.Runs, r.ID)
		h.Runs = h.Runs[max(0, len(h.Runs)-mostRevisions):]
		err = s.save(ctx, h)
		if err == nil || contract.AsError(err).Code != contract.CodeConflict || try == 10 {
			return err
		}
	}
}

// LoadRun reads a run and the results of its analyses.
func (s *Service) LoadRun(ctx context.Context, id string) (*Run, error) {
	d, err := s.DB.Document(ctx, RunKind, id)
	if err != nil {
		return nil, err
	}
	r := &Run{results: map[string]*contract.Result{}}
	if err := json.Unmarshal(d.Body, r); err != nil {
		return nil, contract.Errorf(contract.CodeContentDamaged, "the stored run %q cannot be read: %v", id, err)
	}
	if r.study, err = Read(r.Document); err != nil {
		return nil, err
	}
	for _, step := range r.Steps {
		names := r.analysesOf(step)
		if len(names) == 0 || step.JobID == "" {
			continue
		}
		j, err := s.DB.Job(ctx, step.JobID)
		switch {
		case store.IsNotFound(err):
		case err != nil:
			return nil, err
		default:
			for _, name := range names {
				r.results[name] = j.Result
			}
		}
	}
	return r, nil
}

// analysesOf are those whose result a step is: its own, or those that want the mesh of a part
// alone.
func (r *Run) analysesOf(step StepRun) (names []string) {
	if strings.HasPrefix(step.At, "/analyses/") {
		return []string{step.Name}
	}
	for _, name := range keys(r.study.Analyses) {
		if families[r.study.Analyses[name].Type] != meshes {
			continue
		}
		if part, err := r.study.partOf(name); err == nil && (step.Name == stepMesh+" "+part || step.Name == "fill "+part) {
			names = append(names, name)
		}
	}
	return names
}

// analysis makes one, and what it needs. An error is of the run; a fault of a step is kept
// in its record.
func (e *execution) analysis(ctx context.Context, name string) error {
	at := "/analyses/" + escape(name)
	a := e.study.Analyses[name]
	for _, need := range a.needs() {
		if e.run.results[need] == nil {
			e.skip(Step{name, e.toolOf(a), at}, fmt.Sprintf("It needs the result of %q, which there is none of.", need))
			return nil
		}
	}
	if families[a.Type] == meshes {
		return e.meshOnly(ctx, name, at)
	}
	input, err := e.input(ctx, name)
	if err != nil {
		return e.failed(Step{name, e.toolOf(a), at}, err)
	}
	if input == nil {
		e.skip(Step{name, e.toolOf(a), at}, "Its part has no mesh.")
		return nil
	}
	result, err := e.step(ctx, Step{name, e.toolOf(a), at}, *input)
	if err != nil {
		return err
	}
	e.run.results[name] = result
	if more := e.moreModes(name, result); more > 0 {
		if e.modes == nil {
			e.modes = map[string]int{}
		}
		e.modes[name] = more
		return e.analysis(ctx, name)
	}
	return nil
}

// meshOnly makes the mesh of a part, which is the result.
func (e *execution) meshOnly(ctx context.Context, name, at string) error {
	part, err := e.study.partOf(name)
	if err != nil {
		return err
	}
	m, err := e.mesh(ctx, part)
	switch {
	case err != nil:
		return err
	case m == nil:
		e.skip(Step{name, "volume_mesh_cad", at}, "Its part has no mesh.")
	case m.made == nil:
		return e.failed(Step{name, "volume_mesh_cad", at}, contract.Errorf(contract.CodeInvalidInput, "the file of the part %q is a mesh already", part).At(at))
	}
	if m != nil {
		e.run.results[name] = m.made
	}
	return nil
}

func (e *execution) toolOf(a Analysis) string { return cmp.Or(solvers[families[a.Type]], a.Tool) }

func (e *execution) skip(s Step, why string) {
	e.run.Steps = append(e.run.Steps, StepRun{Step: s, Skipped: why})
}

// failed keeps the fault of a step. What ends the whole run is returned.
func (e *execution) failed(s Step, err error) error {
	fault := contract.ErrorsOf(err)[0]
	switch fault.Code {
	case contract.CodeCancelled, contract.CodeInterrupted, contract.CodeInternal, contract.CodeStorageUnavailable:
		return err
	}
	e.run.Steps = append(e.run.Steps, StepRun{Step: s, Fault: fault})
	return nil
}

// prepared is the input of a call.
type prepared struct {
	input json.RawMessage
	// places are where parts of the input come from in the study, by their pointers: a fault
	// of the call is told there.
	places map[string]string
	files  []string // pointers of the files among the input
	notes  []string
}

// step makes a call, or takes the result of the same call of an earlier run. The result is
// nil where the call failed.
func (e *execution) step(ctx context.Context, s Step, p prepared) (*contract.Result, error) {
	tool, err := e.Tools.Find(s.Tool)
	if err != nil {
		return nil, e.failed(s, contract.AsError(err).At(s.At))
	}
	s.Tool = tool.Contract.Name
	e.call.Progress(float64(len(e.run.Steps))/float64(e.total), s.Name+": "+s.Tool)
	if faults := tool.Contract.ValidateInput(p.input); len(faults) > 0 {
		return nil, e.failed(s, p.located(contract.Faults(faults), s.At))
	}
	key, err := e.key(ctx, tool, p)
	if err != nil {
		return nil, e.failed(s, p.located(err, s.At))
	}
	record := StepRun{Step: s, Notes: p.notes}
	j := e.earlier(ctx, key)
	if record.Reused = j != nil; j == nil {
		if j, err = e.make(ctx, tool, p.input); err != nil {
			return nil, e.failed(s, p.located(err, s.At))
		}
	}
	record.JobID = j.ID
	if j.Error != nil || j.Result == nil || j.Result.Status == contract.StatusError {
		fault := j.Error
		if fault == nil {
			fault = contract.Errorf(contract.CodeInternal, "%s ended without a result", s.Tool)
		}
		record.Fault = contract.ErrorsOf(p.located(fault, s.At))[0]
		e.run.Steps = append(e.run.Steps, record)
		return nil, nil
	}
	record.Summary = j.Result.Summary
	record.Trust, _ = j.Result.Trust()
	e.run.Steps = append(e.run.Steps, record)
	if record.Reused {
		return j.Result, nil
	}
	_, err = e.DB.PutDocument(ctx, StepKind, key, 0, encode(j.ID))
	if err != nil && contract.AsError(err).Code == contract.CodeConflict { // an older job of this key that is gone
		if d, e2 := e.DB.Document(ctx, StepKind, key); e2 == nil {
			_, err = e.DB.PutDocument(ctx, StepKind, key, d.Version, encode(j.ID))
		}
	}
	return j.Result, err
}

// make submits a call and waits for its end; with the run it is cancelled.
func (e *execution) make(ctx context.Context, tool *contract.Tool, input json.RawMessage) (*job.Job, error) {
	j, err := e.Jobs.Submit(ctx, job.Request{Tool: tool.Contract.Name, Input: input, Context: e.call.Context, Async: true})
	if err != nil {
		return nil, err
	}
	for !j.State.Finished() {
		j, err = e.Jobs.Wait(ctx, j.ID, time.Minute)
		if ctx.Err() != nil {
			_, _ = e.Jobs.Cancel(context.WithoutCancel(ctx), j.ID) // it may have ended
			return nil, contract.Errorf(contract.CodeCancelled, "the run was cancelled")
		}
		if err != nil {
			return nil, err
		}
	}
	return j, nil
}

// earlier is a finished job of the same call whose result and files are still there; nil
// for none.
func (e *execution) earlier(ctx context.Context, key string) *job.Job {
	d, err := e.DB.Document(ctx, StepKind, key)
	var id string
	if err != nil || json.Unmarshal(d.Body, &id) != nil {
		return nil
	}
	j, err := e.DB.Job(ctx, id)
	if err != nil || j.Result == nil || j.Result.Status == contract.StatusError || j.State != job.Succeeded {
		return nil
	}
	for _, a := range j.Result.Artifacts {
		if _, err := e.DB.Artifact(ctx, id, a.Name); err != nil {
			return nil
		}
	}
	return j
}

// key of a call: its tool and version, and its input with every file by its content, so
// that the same file under another name is the same, and a changed one is not.
func (e *execution) key(ctx context.Context, tool *contract.Tool, p prepared) (string, error) {
	v, err := e.byContent(ctx, "", decoded(tool.Contract.Normalise(p.input)), p.files)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(encode([]any{e.Build, tool.Contract.Name, tool.Contract.Version, v}))
	return hex.EncodeToString(sum[:]), nil
}

// byContent replaces references to files by the hashes of their contents.
func (e *execution) byContent(ctx context.Context, at string, v any, files []string) (any, error) {
	switch v := v.(type) {
	case map[string]any:
		for name, member := range v {
			made, err := e.byContent(ctx, at+"/"+escape(name), member, files)
			if err != nil {
				return nil, err
			}
			v[name] = made
		}
	case []any:
		for i, item := range v {
			made, err := e.byContent(ctx, fmt.Sprintf("%s/%d", at, i), item, files)
			if err != nil {
				return nil, err
			}
			v[i] = made
		}
	case string:
		if isFile(v, at, files) {
			return e.contentOf(ctx, v, at)
		}
	}
	return v, nil
}

// isFile says whether a text of an input refers to a file.
func isFile(text, at string, files []string) bool {
	if slices.Contains(files, at) {
		return true
	}
	_, _, artifact := contract.ParseArtifactURL(text)
	return artifact || strings.HasPrefix(text, "file:") || strings.HasPrefix(text, "session:")
}

func (e *execution) contentOf(ctx context.Context, ref, at string) (string, error) {
	if id, name, ok := contract.ParseArtifactURL(ref); ok {
		if a, err := e.DB.Artifact(ctx, id, name); err == nil {
			return "sha256:" + a.SHA256, nil
		}
	}
	path, err := e.call.File(ctx, ref, at)
	if err != nil {
		return "", err
	}
	sum, err := store.HashFile(path)
	if e.run.Files == nil {
		e.run.Files = map[string]string{}
	}
	e.run.Files[ref] = "sha256:" + sum
	return "sha256:" + sum, err
}

// located tells faults of a call where the study has what they are about.
func (p prepared) located(err error, at string) error {
	faults := contract.ErrorsOf(err)
	for i, f := range faults {
		moved := *f
		moved.Field = at
		longest := -1
		for from, to := range p.places {
			if (f.Field == from || strings.HasPrefix(f.Field, from+"/")) && len(from) > longest {
				longest = len(from)
				moved.Field = to + f.Field[len(from):]
			}
		}
		faults[i] = &moved
	}
	return contract.Faults(faults)
}

// Inputs are the results that a run has, or those of some of its analyses, as what a further
// result is made from.
func (r *Run) Inputs(analyses ...string) []evidence.Input {
	var out []evidence.Input
	for _, s := range r.Steps {
		result := r.results[s.Name]
		if result == nil || !strings.HasPrefix(s.At, "/analyses/") || len(analyses) > 0 && !slices.Contains(analyses, s.Name) {
			continue
		}
		trust, reasons := result.Trust()
		in := evidence.Input{Reference: "job:" + s.JobID, JobID: s.JobID, Tool: s.Tool, Trust: trust}
		if len(reasons) > 0 && trust != evidence.Verified {
			in.Reason = reasons[0]
		}
		out = append(out, in)
	}
	return out
}

// RunOf is the run of an id, or without one that which is so far from the end of the
// study's runs, from 1.
func (s *Service) RunOf(ctx context.Context, h *History, id string, back int) (*Run, error) {
	if id == "" {
		if len(h.Runs) < back {
			return nil, contract.Errorf(contract.CodeNotFound, "the study %s has too few runs: %d, and this needs %d", h.ID, len(h.Runs), back).WithHint("study_run runs it.")
		}
		id = h.Runs[len(h.Runs)-back]
	}
	r, err := s.LoadRun(ctx, id)
	if store.IsNotFound(err) {
		return nil, contract.Errorf(contract.CodeNotFound, "there is no run %q", id).WithHint("study_run answers with the id of its run.")
	}
	return r, err
}

// Stale says whether the study has been changed since a run of it.
func (h *History) Stale(r *Run) bool { return !bytes.Equal(h.Head().Document, r.Document) }
