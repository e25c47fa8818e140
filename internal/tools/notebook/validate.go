package notebook

import (
	"context"
	_ "embed"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"atelier/internal/contract"
	"atelier/internal/tools/notebook/ipynb"
)

//go:embed validator_run_quality.json
var qualityContract []byte

//go:embed validator_run_quality.1.0.json
var qualityContract10 []byte

//go:embed validator_run_quality.1.1.json
var qualityContract11 []byte

//go:embed validator_run_colab.json
var colabContract []byte

type validateInput struct {
	NotebookPath string `json:"notebook_path"`
	which
}

type qualityOutput struct {
	Metrics   ipynb.Metrics   `json:"metrics"`
	Strict    ipynb.Strict    `json:"strict"`
	Execution ipynb.Execution `json:"execution"`
}

// maxNotebook bounds the files that are read.
const maxNotebook = 64 << 20

func open(ctx context.Context, call *contract.Call, ref string) (*ipynb.Existing, []byte, string, error) {
	path, err := call.File(ctx, ref, "/notebook_path")
	if err != nil {
		return nil, nil, "", err
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, nil, "", contract.Errorf(contract.CodeFileUnreadable, "the notebook could not be opened: %w", err).At("/notebook_path")
	}
	defer file.Close()
	content, err := io.ReadAll(io.LimitReader(file, maxNotebook+1))
	if err != nil || len(content) > maxNotebook {
		return nil, nil, "", contract.Errorf(ipynb.CodeUnreadable, "the file is larger than %d bytes, or could not be read", maxNotebook).At("/notebook_path").
			WithHint("Clear the outputs of the notebook first.")
	}
	nb, err := ipynb.Read(content)
	return nb, content, path, err
}

func (f *family) quality(ctx context.Context, call *contract.Call, in validateInput) (*contract.Result, error) {
	nb, _, path, err := open(ctx, call, in.NotebookPath)
	if err != nil {
		return nil, err
	}
	execution, err := f.execution(ctx, call, in, path, nb)
	if err != nil {
		return nil, err
	}
	out := qualityOutput{ipynb.Quality(nb), ipynb.Judge(nb), execution}
	out.Strict.Ran(&execution)
	verdict := "does not pass"
	if out.Strict.Passes {
		verdict = "passes"
	}
	return answer(out, nil, nil, "The notebook scores %d of 100 and %s the strict check.", out.Metrics.QualityScore, verdict)
}

type colabOutput struct {
	IsCompatible      bool                `json:"isCompatible"`
	Issues            []ipynb.Issue       `json:"issues"`
	FixedNotebookPath string              `json:"fixedNotebookPath"`
	FixedArtifactURL  string              `json:"fixed_artifact_url,omitempty"`
	Fixed             []ipynb.Issue       `json:"fixed"`
	ReviewRequested   bool                `json:"review_requested"`
	Original          ipynb.OriginalColab `json:"original"`
}

func (f *family) colab(ctx context.Context, call *contract.Call, in validateInput) (*contract.Result, error) {
	nb, content, path, err := open(ctx, call, in.NotebookPath)
	if err != nil {
		return nil, err
	}
	if err := nb.Runnable(); err != nil {
		return nil, err
	}
	out := colabOutput{Original: ipynb.OriginalColabCheck(nb)}
	verdict, err := ipynb.CheckColab(nb)
	if err != nil {
		return nil, err
	}
	out.IsCompatible, out.Issues, out.Fixed = verdict.IsCompatible, verdict.Issues, verdict.Fixed
	result := &contract.Result{Summary: fmt.Sprintf("%d issue(s) were fixed, %d are left.", len(out.Fixed), len(out.Issues))}
	if err := f.fixed(call, path, content, &verdict, &out, result); err != nil {
		return nil, err
	}
	if out.ReviewRequested, err = f.review(ctx, call, in, path, &verdict); err != nil {
		return nil, err
	}
	if !out.IsCompatible {
		result.Warnings = append(result.Warnings, contract.Warning{Code: "colab_issues_persist", Message: "Issues persist after the fix: stop here and ask a person to review the notebook."})
	}
	result.Output = out
	return result, nil
}

// fixed writes the notebook as it is after the fix, as an artifact and as a
// file, both named *.colab.ipynb, as api/spec/notebooks.md shows it of a notebook that
// needed no fix.
func (f *family) fixed(call *contract.Call, path string, content []byte, v *ipynb.Colab, out *colabOutput, result *contract.Result) error {
	name := strings.TrimSuffix(strings.TrimSuffix(filepath.Base(path), ".ipynb"), ".colab") + ".colab.ipynb"
	fixed := content
	if v.Notebook != nil {
		var err error
		if fixed, err = v.Notebook.Bytes(); err != nil {
			return err
		}
	}
	if err := os.WriteFile(filepath.Join(call.Dir, name), fixed, 0o600); err != nil {
		return err
	}
	out.FixedArtifactURL = contract.ArtifactURL(call.JobID, name)
	result.Artifacts = []contract.Artifact{{Name: name, MIME: contract.MIMEType(name), Primary: true}}
	var err error
	out.FixedNotebookPath, err = f.writeFile("content-"+ipynb.Hash(fixed)[:20], name, fixed)
	return err
}

// review flags the notebook that the file belongs to, if it is one of ours, when
// issues persist, and takes the flag away when none do.
func (f *family) review(ctx context.Context, call *contract.Call, in validateInput, path string, v *ipynb.Colab) (flagged bool, err error) {
	key, err := f.origin(ctx, call, in, path)
	if err != nil || key == "" {
		return false, err
	}
	_, err = f.changeAt(ctx, call, key, key, func(d *ipynb.Document, _ string) error {
		d.Flags = slices.DeleteFunc(d.Flags, func(flag ipynb.Flag) bool { return flag.Source == call.Tool })
		if flagged = !v.IsCompatible; flagged {
			d.Flags = append(d.Flags, ipynb.Flag{Reason: fmt.Sprintf("%d Colab issue(s) persist after the fix", len(v.Issues)), Severity: "critical", Source: call.Tool})
		}
		return nil
	})
	return flagged, err
}

// origin is the key of the notebook that a file is of, or "".
func (f *family) origin(ctx context.Context, call *contract.Call, in validateInput, path string) (string, error) {
	if in.NotebookID != "" {
		key := keyOf(in.NotebookID, ownerOf(call))
		_, version, err := f.store.Load(ctx, key)
		if version == 0 {
			key = ""
		}
		return key, err
	}
	key := keyOfPath(path)
	if key == "" {
		return f.originOfURL(ctx, call, in.NotebookPath)
	}
	if _, version, err := f.store.Load(ctx, key); err != nil || version == 0 {
		return "", err
	}
	return key, nil
}

// originOfURL finds an artifact of the owner's current notebook.
func (f *family) originOfURL(ctx context.Context, call *contract.Call, url string) (string, error) {
	raw, version, err := f.store.Load(ctx, ownerOf(call).key())
	if err != nil || version == 0 {
		return "", err
	}
	c, err := readCurrent(raw)
	if err != nil {
		return "", err
	}
	key := keyOf(c.ID, ownerOf(call))
	if raw, _, err = f.store.Load(ctx, key); err != nil {
		return "", err
	}
	d, err := read(raw, c.ID)
	if err != nil || url != d.SnapshotURL && (d.Final == nil || url != d.Final.ArtifactURL) {
		return "", err
	}
	return key, nil
}

// folderOf is the name of a notebook's folder: its key, and a part of the key's
// hash, for file systems that do not tell A from a.
func folderOf(key string) string { return key + "-" + ipynb.Hash([]byte(key))[:8] }

// keyOfPath is the inverse for a file in such a folder, "" for any other.
func keyOfPath(path string) string {
	folder := filepath.Base(filepath.Dir(path))
	if at := strings.LastIndexByte(folder, '-'); at > 0 && folderOf(folder[:at]) == folder {
		return folder[:at]
	}
	return ""
}
