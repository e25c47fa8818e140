package notebook

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"atelier/internal/contract"
	"atelier/internal/engine"
	"atelier/internal/tools/notebook/ipynb"
)

//go:embed validator_run_execution.json
var executionContract []byte

//go:embed validator_run_execution.1.0.json
var executionContract10 []byte

const (
	kernelEngine = "notebook"
	executedName = "executed.ipynb" // as the engine names it
	executedPage = "executed.html"
	receiptName  = "receipt.json"
	sourceName   = "source.ipynb"
	stateName    = ".running.json" // the engine's: which cell runs
	workFolder   = "files"         // the engine's: the kernel's working folder

)

type executeInput struct {
	Parameters   map[string]json.RawMessage `json:"parameters"`
	CellTimeoutS float64                    `json:"cell_timeout_s"`
	StopOnError  bool                       `json:"stop_on_error"`
	validateInput
}

// engineRequest is what the engine reads.
type engineRequest struct {
	Notebook     string  `json:"notebook"`
	CellTimeoutS float64 `json:"cell_timeout_s"`
	Deadline     float64 `json:"deadline"` // seconds since 1970
	StopOnError  bool    `json:"stop_on_error"`
	MemoryMB     int64   `json:"memory_mb"`
}

// engineReply is what it answers.
type engineReply struct {
	Cells          []engineCell      `json:"cells"`
	Stopped        *engineStop       `json:"stopped"`
	Python         string            `json:"python"`
	Implementation string            `json:"implementation"`
	Platform       string            `json:"platform"`
	Packages       map[string]string `json:"packages"`
	Faults         []engineFault     `json:"faults"`
}

// engineFault is what went wrong without making a cell fail.
type engineFault struct {
	Index *int   `json:"index"` // of the cell that ran then; nil where that is not known
	Kind  string `json:"kind"`  // one of unseenKinds
	Text  string `json:"text"`
}

type engineCell struct {
	Index   int           `json:"index"`
	State   string        `json:"state"` // ok, error, stopped, skipped, empty, not_run
	Seconds float64       `json:"seconds"`
	Files   []string      `json:"files"`
	Cut     bool          `json:"cut"`
	Raised  string        `json:"raised"`
	Error   *engineFailed `json:"error"`
}

type engineFailed struct {
	Name      string   `json:"ename"`
	Value     string   `json:"evalue"`
	Traceback []string `json:"traceback"`
	Line      *int     `json:"line"`
}

type engineStop struct {
	Reason string `json:"reason"` // cell_timeout, timeout, kernel_died, output_flood
	Index  int    `json:"index"`
	Detail string `json:"detail"`
}

// run is one execution on its way.
type run struct {
	family   *family
	call     *contract.Call
	in       executeInput
	nb       *ipynb.Existing // as it was given
	keys     []string
	folder   string // of the files that later calls may name
	injected int    // index of the injected cell in the executed notebook; -1 for none
	replaced bool   // it took the place of an earlier one
	began    time.Time

	executed  *ipynb.Existing
	receipt   ipynb.Receipt
	artifacts []contract.Artifact
	warnings  []contract.Warning
	faults    []engineFault
	allowed   []string // exceptions that cells show and that their tags allow
}

func (f *family) execute(ctx context.Context, call *contract.Call, in executeInput) (*contract.Result, error) {
	r := &run{family: f, call: call, in: in, injected: -1, began: time.Now()}
	nb, content, path, err := open(ctx, call, in.NotebookPath)
	if err != nil {
		return nil, err
	}
	if err := runnable(nb); err != nil {
		return nil, err
	}
	if r.nb, err = ipynb.Read(content); err != nil {
		return nil, err
	}
	if r.keys, err = f.receiptKeys(ctx, call, in.validateInput, path, nb); err != nil {
		return nil, err
	}
	last, err := f.lastRun(ctx, r.keys...)
	if err != nil {
		return nil, err
	}
	previous := ipynb.Compare(last, nb)
	if r.folder = "content-" + ipynb.Hash(content)[:20]; keyOfPath(path) != "" {
		r.folder = filepath.Base(filepath.Dir(path))
	}
	if err := r.prepare(nb); err != nil {
		return nil, err
	}
	reply, log, metrics, failure := r.start(ctx)
	result, err := r.conclude(ctx, reply, failure, &previous)
	if err != nil {
		return nil, err
	}
	result.Solver, result.Log, result.Metrics = kernelEngine, log, metrics
	return result, nil
}

// runnable refuses what no Python kernel can be given.
func runnable(nb *ipynb.Existing) error {
	if err := nb.Runnable(); err != nil {
		return err
	}
	var m struct {
		KernelSpec struct {
			Name     string `json:"name"`
			Language string `json:"language"`
		} `json:"kernelspec"`
		LanguageInfo struct {
			Name string `json:"name"`
		} `json:"language_info"`
	}
	_ = json.Unmarshal(nb.Fields["metadata"], &m) // metadata of another kind name no kernel
	for _, language := range []string{m.LanguageInfo.Name, m.KernelSpec.Language} {
		if language != "" && language != "python" && language != "ipython" {
			return contract.Errorf(ipynb.CodeKernelLanguage, "the notebook is in %s; there is a kernel for python only", language).At("/notebook_path").
				WithHint("Run it with its own kernel elsewhere, or write its cells in Python.").With("language", language)
		}
	}
	return nil
}

// prepare writes the notebook that the engine runs, with the parameters.
func (r *run) prepare(nb *ipynb.Existing) error {
	if len(r.in.Parameters) > 0 {
		var err error
		if r.injected, r.replaced, r.warnings, err = ipynb.Inject(nb, r.in.Parameters); err != nil {
			return err
		}
	}
	nb.Mend()
	content, err := nb.Bytes()
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(r.call.Dir, sourceName), content, 0o600)
}

// spare is the time that the engine keeps, of the call's, to write what there is.
func spare(limit time.Duration) time.Duration {
	return min(max(limit/10, 1500*time.Millisecond), 5*time.Second, limit/2)
}

// start runs the engine. What it has left when it fails is on disk.
func (r *run) start(ctx context.Context) (*engineReply, contract.Log, map[string]any, *contract.Error) {
	request := engineRequest{Notebook: "in/notebook.ipynb", CellTimeoutS: r.in.CellTimeoutS, StopOnError: r.in.StopOnError, MemoryMB: r.call.Limits.MemoryMB}
	limit := r.call.Limits.Timeout()
	request.Deadline = float64(r.began.Add(limit-spare(limit)).UnixMilli()) / 1000
	source := filepath.Join(r.call.Dir, sourceName)
	reply, err := r.family.host.Run(ctx, r.call, engine.Job{Engine: kernelEngine, Request: request, Inputs: map[string]string{request.Notebook: source}})
	_ = os.Remove(source)
	if err != nil {
		fault := contract.AsError(err)
		var log contract.Log
		if fault.Log != nil {
			log = *fault.Log
		}
		return &engineReply{}, log, nil, fault
	}
	var answer engineReply
	if err := json.Unmarshal(reply.Output, &answer); err != nil {
		return &engineReply{}, reply.Log, reply.Metrics, contract.Errorf(contract.CodeInvalidToolOutput, "the engine's answer cannot be read: %w", err)
	}
	return &answer, reply.Log, reply.Metrics, nil
}

// given is the index that a cell of the executed notebook had when it was given;
// the injected cell counts as the one that it follows.
func (r *run) given(index int) int {
	if r.injected >= 0 && !r.replaced && index >= r.injected {
		return max(index-1, 0)
	}
	return index
}

// conclude makes the result of whatever there is.
func (r *run) conclude(ctx context.Context, reply *engineReply, failure *contract.Error, previous *ipynb.Execution) (*contract.Result, error) {
	keep := context.WithoutCancel(ctx)
	r.executed = r.read()
	if failure == nil && reply.Stopped != nil {
		failure = r.stopped(reply.Stopped)
	}
	if failure != nil && reply.Stopped == nil {
		r.whileRunning(failure)
	}
	out := r.output(reply)
	out.Previous = *previous
	if err := r.files(reply, &out); err != nil {
		return nil, err
	}
	r.receipt.RanAt = r.began.UTC().Format(time.RFC3339)
	if failure != nil {
		r.receipt.OK, r.receipt.Code = false, failure.Code
		if at, ok := failure.Details["cell_index"].(int); ok {
			r.receipt.FailedCell = &at
		}
	}
	if err := r.writeReceipt(&out); err != nil {
		return nil, err
	}
	if len(reply.Cells) > 0 || failure != nil && slices.Contains([]string{contract.CodeTimeout, contract.CodeMemoryExceeded, contract.CodeOutputFlood, contract.CodeEngineCrashed}, failure.Code) {
		if err := r.family.keepRun(keep, r.keys, &r.receipt); err != nil {
			return nil, err
		}
	}
	if failure != nil {
		return r.failed(failure, &out), nil
	}
	out.Execution = ipynb.Compare(&r.receipt, r.nb)
	return &contract.Result{Summary: r.summary(&out), Output: out, Artifacts: r.artifacts, Warnings: r.warnings, Statement: r.statement(&out)}, nil
}

// failed is an error that keeps the outputs so far.
func (r *run) failed(failure *contract.Error, out *executeOutput) *contract.Result {
	failure.With("cells_run", out.CellsRun).With("cells_total", out.CellsTotal)
	if out.ExecutedURL != "" {
		failure.With("executed_url", out.ExecutedURL).With("executed_notebook", out.ExecutedNotebook)
	}
	if out.ReceiptURL != "" {
		failure.With("receipt_url", out.ReceiptURL)
	}
	result := contract.Failure(kernelEngine, failure)
	result.Artifacts, result.Warnings = r.artifacts, r.warnings
	return result
}

// stopped is why the engine ended the kernel.
func (r *run) stopped(s *engineStop) *contract.Error {
	at := r.given(s.Index)
	var e *contract.Error
	switch s.Reason {
	case "cell_timeout":
		e = contract.Errorf(ipynb.CodeCellTimeout, "%s ran longer than %g s and the kernel was ended", r.named(at), r.in.CellTimeoutS).
			WithHint("Make the cell quicker, or give a longer cell_timeout_s. The outputs up to then are kept.")
	case "timeout":
		e = contract.Errorf(contract.CodeTimeout, "the notebook did not end within %d ms; %s was running, and the kernel was ended", r.call.Limits.TimeoutMS, r.named(at)).
			WithHint("Ask for more time with limits.timeout_ms, or make the notebook quicker. The outputs up to then are kept.")
	case contract.CodeOutputFlood:
		e = contract.Errorf(contract.CodeOutputFlood, "the notebook wrote more than 100 MB of output; %s was running, and the kernel was ended", r.named(at)).
			WithHint("Print less in that cell; large results belong in a file.")
	default:
		e = contract.Errorf(ipynb.CodeKernelDied, "the kernel died in %s (DeadKernelError): %s", r.named(at), firstLine(s.Detail)).
			WithHint("The cell ended the kernel itself, crashed native code, or used more memory than the limit of %d MB. The outputs up to then are kept.", r.call.Limits.MemoryMB).
			With("detail", s.Detail)
	}
	return r.inCell(e, at)
}

// count is the n of In [n], by which Jupyter names a cell that has run; 0 for none.
func (r *run) count(at int) int {
	if place := r.place(at); r.executed != nil && place < len(r.executed.Cells) {
		return r.executed.Cells[place].Count()
	}
	return 0
}

// named names a cell in words: as Jupyter shows it, and by its place in the notebook.
func (r *run) named(at int) string {
	if n := r.count(at); n > 0 {
		return fmt.Sprintf("In [%d] (cell_index %d)", n, at)
	}
	return fmt.Sprintf("the cell at cell_index %d", at)
}

func (r *run) inCell(e *contract.Error, at int) *contract.Error {
	e.With("cell_index", at)
	if n := r.count(at); n > 0 {
		e.With("execution_count", n)
	}
	if at < len(r.nb.Cells) {
		e.With("cell_id", r.nb.Cells[at].ID())
	}
	return e
}

// whileRunning names the cell during which the host ended everything.
func (r *run) whileRunning(failure *contract.Error) {
	if failure.Code == contract.CodeMemoryExceeded {
		failure.Hint = "Hold less at once: read files in pieces, delete what is no longer needed, use smaller arrays. The outputs up to then are kept."
	}
	raw, err := os.ReadFile(filepath.Join(r.call.Dir, stateName))
	var state struct {
		Index *int `json:"index"`
	}
	if err != nil || json.Unmarshal(raw, &state) != nil || state.Index == nil {
		return
	}
	at := r.given(*state.Index)
	failure.Message += fmt.Sprintf("; %s was running", r.named(at))
	r.inCell(failure, at)
}
