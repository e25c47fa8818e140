package notebook

import (
	"context"
	_ "embed"
	"os"
	"path/filepath"

	"atelier/internal/contract"
	"atelier/internal/tools/notebook/ipynb"
)

//go:embed begin.json
var beginContract []byte

//go:embed revise_cell.json
var reviseContract []byte

//go:embed remove_cell.json
var removeContract []byte

//go:embed snapshot.json
var snapshotContract []byte

//go:embed snapshot.1.0.json
var snapshotContract10 []byte

//go:embed snapshot.1.1.json
var snapshotContract11 []byte

//go:embed flag_for_review.json
var flagContract []byte

type beginInput struct {
	ipynb.Front
	which
}

type beginOutput struct {
	PreludeCells int    `json:"prelude_cells"`
	Begun        bool   `json:"begun"`
	NotebookID   string `json:"notebook_id"`
}

// beginNotebook sets the opening of a notebook that has none yet; else it begins
// another one, which becomes the owner's current one.
func (f *family) beginNotebook(ctx context.Context, call *contract.Call, in beginInput) (*contract.Result, error) {
	out := beginOutput{PreludeCells: ipynb.PreludeCells}
	named := in.NotebookID
	if named == "" {
		id, key, err := f.place(ctx, call, "")
		if err != nil {
			return nil, err
		}
		raw, _, err := f.store.Load(ctx, key)
		if err != nil {
			return nil, err
		}
		d, err := read(raw, id)
		if err != nil {
			return nil, err
		}
		if named = id; d.Front != nil || d.Final != nil {
			named = newID()
			if err := f.begin(ctx, call, named); err != nil {
				return nil, err
			}
		}
	}
	id, err := f.edit(ctx, call, named, func(d *ipynb.Document) error {
		out.Begun = len(d.Cells) == 0 && len(d.Dependencies) == 0 && d.Front == nil
		d.Front = &in.Front
		return nil
	})
	out.NotebookID = id
	return answer(out, nil, err, "Notebook %s: %s.", id, in.Title)
}

type reviseInput struct {
	CellIndex int    `json:"cell_index"`
	Source    string `json:"source"`
	which
}

type reviseOutput struct {
	CellIndex         int     `json:"cell_index"`
	MarkdownRatioHint float64 `json:"markdown_ratio_hint"`
	Runnable          *bool   `json:"runnable"`
	NotebookID        string  `json:"notebook_id"`
}

func (f *family) reviseCell(ctx context.Context, call *contract.Call, in reviseInput) (*contract.Result, error) {
	out := reviseOutput{CellIndex: in.CellIndex}
	var warnings []contract.Warning
	id, err := f.edit(ctx, call, in.NotebookID, func(d *ipynb.Document) error {
		if err := d.Revise(in.CellIndex, in.Source); err != nil {
			return err
		}
		out.Runnable, warnings = nil, nil
		if cell, err := d.Find(in.CellIndex); err == nil && cell.Kind == ipynb.KindCode {
			var ok bool
			ok, warnings = d.Runnable(in.Source)
			out.Runnable = &ok
		}
		out.MarkdownRatioHint = d.Ratio()
		return nil
	})
	out.NotebookID = id
	return answer(out, warnings, err, "The cell at cell_index %d has a new text.", in.CellIndex)
}

type removeInput struct {
	CellIndex int `json:"cell_index"`
	which
}

type removeOutput struct {
	CellIndex         int     `json:"cell_index"`
	MarkdownRatioHint float64 `json:"markdown_ratio_hint"`
	NotebookID        string  `json:"notebook_id"`
}

func (f *family) removeCell(ctx context.Context, call *contract.Call, in removeInput) (*contract.Result, error) {
	out := removeOutput{CellIndex: in.CellIndex}
	id, err := f.edit(ctx, call, in.NotebookID, func(d *ipynb.Document) error {
		err := d.Remove(in.CellIndex)
		out.MarkdownRatioHint = d.Ratio()
		return err
	})
	out.NotebookID = id
	return answer(out, nil, err, "The cell at cell_index %d is empty now.", in.CellIndex)
}

type flagInput struct {
	Reason   string `json:"reason"`
	Section  int    `json:"section_number"`
	Severity string `json:"severity"`
	Clear    bool   `json:"clear"`
	which
}

type flagOutput struct {
	Flags      int    `json:"flags"`
	NotebookID string `json:"notebook_id"`
}

func (f *family) flagForReview(ctx context.Context, call *contract.Call, in flagInput) (*contract.Result, error) {
	var out flagOutput
	id, err := f.edit(ctx, call, in.NotebookID, func(d *ipynb.Document) error {
		if in.Clear {
			d.Flags = nil
		} else {
			d.Flags = append(d.Flags, ipynb.Flag{Reason: in.Reason, Section: in.Section, Severity: in.Severity, Source: call.Tool})
		}
		out.Flags = len(d.Flags)
		return nil
	})
	out.NotebookID = id
	return answer(out, nil, err, "The notebook has %d flag(s).", out.Flags)
}

type snapshotInput struct {
	which
}

type snapshotOutput struct {
	NotebookPath  string          `json:"notebook_path"`
	ArtifactURL   string          `json:"artifact_url"`
	SectionCounts sectionCount    `json:"section_counts"`
	Lacking       []string        `json:"lacking"`
	Finalized     bool            `json:"finalized"`
	Execution     ipynb.Execution `json:"execution"`
	Cells         []snapshotRow   `json:"cells"`
	NotebookID    string          `json:"notebook_id"`
}

type snapshotRow struct {
	CellIndex int    `json:"cell_index"`
	Kind      string `json:"kind"`
	Section   int    `json:"section_number"`
}

const snapshotName = "snapshot.ipynb"

func (f *family) snapshot(ctx context.Context, call *contract.Call, in snapshotInput) (*contract.Result, error) {
	var out snapshotOutput
	id, err := f.change(ctx, call, in.NotebookID, func(d *ipynb.Document, key string) (err error) {
		out, err = f.picture(ctx, call, d, key)
		d.SnapshotURL = out.ArtifactURL
		return err
	})
	out.NotebookID = id
	result, err := answer(out, nil, err, "The notebook has %d cells that calls added.", len(out.Cells))
	if err == nil {
		result.Artifacts = []contract.Artifact{{Name: snapshotName, MIME: contract.MIMEType(snapshotName), Primary: true}}
	}
	return result, err
}

// picture writes the notebook as it is.
func (f *family) picture(ctx context.Context, call *contract.Call, d *ipynb.Document, key string) (snapshotOutput, error) {
	out := snapshotOutput{Lacking: []string{}, Cells: []snapshotRow{}, Finalized: d.Final != nil, ArtifactURL: contract.ArtifactURL(call.JobID, snapshotName)}
	var closing *ipynb.Closing
	if d.Final != nil {
		closing = &d.Final.Closing
	}
	for _, refusal := range []error{d.Complete(), d.Reviewed()} {
		if refusal != nil {
			out.Lacking = append(out.Lacking, contract.AsError(refusal).Message)
		}
	}
	for i := range d.Cells {
		out.Cells = append(out.Cells, snapshotRow{ipynb.Index(i), d.Cells[i].Kind, d.Cells[i].Section})
	}
	file := d.Build(closing)
	content, err := file.Bytes()
	if err != nil {
		return out, err
	}
	if err := os.WriteFile(filepath.Join(call.Dir, snapshotName), content, 0o600); err != nil {
		return out, err
	}
	written, err := ipynb.Read(content)
	if err != nil {
		return out, err
	}
	last, err := f.lastRun(ctx, ofSubject(key), "run-code-"+ipynb.CodeHash(written)[:32])
	if err != nil {
		return out, err
	}
	out.Execution = ipynb.Compare(last, written)
	out.SectionCounts.Markdown, out.SectionCounts.Code = file.Counts()
	out.NotebookPath, err = f.writeFile(folderOf(key), snapshotName, content)
	return out, err
}
