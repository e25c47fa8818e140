// Package notebook holds the tools that build and judge teaching notebooks: the
// surface of api/spec/notebooks.md.
package notebook

import (
	"context"
	_ "embed"
	"fmt"
	"slices"

	"atelier/internal/contract"
	"atelier/internal/engine"
	"atelier/internal/tools/notebook/ipynb"
)

// Tools lists the family. A nil store and host, and no hub, are enough to read the contracts;
// notebooks are then kept in memory.
func Tools(store Store, host engine.Host, hub Hub) []contract.Tool {
	if store == nil {
		store = &Memory{}
	}
	f := &family{store: store, host: host, hub: hub, busy: map[string]*turn{}}
	list := []contract.Tool{
		contract.Bind(addDependencyContract, f.addDependency),
		contract.Bind(emitMarkdownContract, f.emitMarkdown),
		contract.Bind(emitCodeContract, f.emitCode),
		contract.Bind(recordAssessmentContract, f.recordAssessment),
		contract.Bind(finalizeContract, f.finalize),
		contract.Bind(beginContract, f.beginNotebook),
		contract.Bind(reviseContract, f.reviseCell),
		contract.Bind(removeContract, f.removeCell),
		contract.Bind(snapshotContract, f.snapshot, snapshotContract11, snapshotContract10),
		contract.Bind(flagContract, f.flagForReview),
		contract.Bind(qualityContract, f.quality, qualityContract11, qualityContract10),
		contract.Bind(colabContract, f.colab),
		contract.Bind(modelCardContract, f.modelCard),
		contract.Bind(executionContract, f.execute, executionContract10),
	}
	list[len(list)-1].Available = func() error { return host.Check(kernelEngine) }
	for i := range list {
		list[i].NeedsCaller, list[i].Refused = true, f.refused
		if slices.Contains(readers, list[i].Contract.Name) {
			list[i].Run = f.counted(list[i].Run)
		}
	}
	return list
}

//go:embed add_dependency.json
var addDependencyContract []byte

//go:embed emit_markdown_step.json
var emitMarkdownContract []byte

//go:embed emit_code_cell.json
var emitCodeContract []byte

//go:embed record_assessment.json
var recordAssessmentContract []byte

// which is the optional notebook_id of every call.
type which struct {
	NotebookID string `json:"notebook_id"`
}

type addDependencyInput struct {
	ipynb.Dependency
	which
}

type addDependencyOutput struct {
	DependencyID     string `json:"dependency_id"`
	ManifestPosition int    `json:"manifest_position"`
	NotebookID       string `json:"notebook_id"`
}

func (f *family) addDependency(ctx context.Context, call *contract.Call, in addDependencyInput) (*contract.Result, error) {
	var out addDependencyOutput
	var warnings []contract.Warning
	id, err := f.edit(ctx, call, in.NotebookID, func(d *ipynb.Document) (err error) {
		out.ManifestPosition, warnings, err = d.AddDependency(in.Dependency)
		if err == nil {
			out.DependencyID = d.Dependencies[out.ManifestPosition-1].ID()
		}
		return err
	})
	out.NotebookID = id
	return answer(out, warnings, err, "%s is at position %d of the manifest.", out.DependencyID, out.ManifestPosition)
}

type emitMarkdownInput struct {
	ipynb.Step
	which
}

type emitMarkdownOutput struct {
	CellIndex         int     `json:"cell_index"`
	MarkdownRatioHint float64 `json:"markdown_ratio_hint"`
	NotebookID        string  `json:"notebook_id"`
}

func (f *family) emitMarkdown(ctx context.Context, call *contract.Call, in emitMarkdownInput) (*contract.Result, error) {
	var out emitMarkdownOutput
	var warnings []contract.Warning
	id, err := f.edit(ctx, call, in.NotebookID, func(d *ipynb.Document) (err error) {
		out.CellIndex, warnings, err = d.AddStep(in.Step)
		out.MarkdownRatioHint = d.Ratio()
		return err
	})
	out.NotebookID = id
	return answer(out, warnings, err, "Step %d is at cell_index %d.", in.Section, out.CellIndex)
}

type emitCodeInput struct {
	ipynb.Code
	which
}

type emitCodeOutput struct {
	CellIndex  int    `json:"cell_index"`
	Runnable   bool   `json:"runnable"`
	NotebookID string `json:"notebook_id"`
}

func (f *family) emitCode(ctx context.Context, call *contract.Call, in emitCodeInput) (*contract.Result, error) {
	var out emitCodeOutput
	var warnings []contract.Warning
	id, err := f.edit(ctx, call, in.NotebookID, func(d *ipynb.Document) (err error) {
		out.CellIndex, err = d.AddCode(in.Code)
		out.Runnable, warnings = d.Runnable(in.Source)
		return err
	})
	out.NotebookID = id
	state := "can run"
	if !out.Runnable {
		state = "cannot run yet"
	}
	return answer(out, warnings, err, "The code of section %d is at cell_index %d and %s.", in.Section, out.CellIndex, state)
}

type recordAssessmentInput struct {
	Section   int              `json:"section_number"`
	Questions []ipynb.Question `json:"questions"`
	which
}

type recordAssessmentOutput struct {
	Indices    []int  `json:"assessment_cell_indices"`
	NotebookID string `json:"notebook_id"`
}

func (f *family) recordAssessment(ctx context.Context, call *contract.Call, in recordAssessmentInput) (*contract.Result, error) {
	var out recordAssessmentOutput
	var warnings []contract.Warning
	id, err := f.edit(ctx, call, in.NotebookID, func(d *ipynb.Document) (err error) {
		out.Indices, warnings, err = d.AddAssessment(in.Section, in.Questions)
		return err
	})
	out.NotebookID = id
	return answer(out, warnings, err, "%d question(s) on section %d.", len(in.Questions), in.Section)
}

// edit is change for a document that must be open still.
func (f *family) edit(ctx context.Context, call *contract.Call, named string, edit func(d *ipynb.Document) error) (string, error) {
	return f.change(ctx, call, named, func(d *ipynb.Document, _ string) error {
		if err := d.Open(); err != nil {
			return err
		}
		return edit(d)
	})
}

// answer makes a result, or passes the error on.
func answer(output any, warnings []contract.Warning, err error, summary string, args ...any) (*contract.Result, error) {
	if err != nil {
		return nil, err
	}
	return &contract.Result{Summary: fmt.Sprintf(summary, args...), Output: output, Warnings: warnings}, nil
}
