package notebook

import (
	"context"
	_ "embed"
	"fmt"
	"os"
	"path/filepath"

	"atelier/internal/contract"
	"atelier/internal/tools/notebook/ipynb"
)

//go:embed finalize.json
var finalizeContract []byte

type finalizeInput struct {
	ipynb.Closing
	which
}

type finalizeOutput struct {
	NotebookPath  string       `json:"notebook_path"`
	ArtifactURL   string       `json:"artifact_url"`
	HTMLURL       string       `json:"html_url,omitempty"`
	SectionCounts sectionCount `json:"section_counts"`
	NotebookID    string       `json:"notebook_id"`
}

type sectionCount struct {
	Markdown int `json:"markdown"`
	Code     int `json:"code"`
}

const (
	fileName = "notebook.ipynb"
	pageName = "notebook.html"
)

func (f *family) finalize(ctx context.Context, call *contract.Call, in finalizeInput) (*contract.Result, error) {
	var out finalizeOutput
	var warnings []contract.Warning
	var artifacts []contract.Artifact
	id, err := f.change(ctx, call, in.NotebookID, func(d *ipynb.Document, key string) error {
		for _, refusal := range []error{d.Open(), d.Reviewed(), d.Complete()} {
			if refusal != nil {
				return refusal
			}
		}
		file := d.Build(&in.Closing)
		content, err := file.Bytes()
		if err != nil {
			return err
		}
		page, err := file.HTML()
		if err != nil {
			return err
		}
		artifacts = []contract.Artifact{
			{Name: fileName, MIME: contract.MIMEType(fileName), Primary: true, Content: content},
			{Name: pageName, MIME: contract.MIMEType(pageName), Content: page},
		}
		warnings, out.HTMLURL = file.Warnings(&in.Closing), contract.ArtifactURL(call.JobID, pageName)
		out.SectionCounts.Markdown, out.SectionCounts.Code = file.Counts()
		out.ArtifactURL = contract.ArtifactURL(call.JobID, fileName)
		if out.NotebookPath, err = f.writeFile(folderOf(key), fileName, content); err != nil {
			return err
		}
		d.Final = &ipynb.Final{Closing: in.Closing, Path: out.NotebookPath, ArtifactURL: out.ArtifactURL}
		return nil
	})
	if err != nil {
		return nil, err
	}
	out.NotebookID = id
	return &contract.Result{
		Summary: fmt.Sprintf("The notebook has %d markdown and %d code cells.", out.SectionCounts.Markdown, out.SectionCounts.Code),
		Output:  out, Warnings: warnings, Artifacts: artifacts,
	}, nil
}

// writeFile writes a notebook into a folder of the store's, whole or not at all.
func (f *family) writeFile(folder, name string, content []byte) (string, error) {
	dir := filepath.Join(f.store.Folder(), "notebooks", folder)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", fmt.Errorf("folder for the notebook: %w", err)
	}
	return filepath.Join(dir, name), replaceFile(filepath.Join(dir, name), content)
}

// replaceFile writes beside the file first, so that a reader never sees half.
func replaceFile(path string, content []byte) error {
	temp, err := os.CreateTemp(filepath.Dir(path), ".new-*")
	if err != nil {
		return err
	}
	defer os.Remove(temp.Name())
	_, err = temp.Write(content)
	if err == nil {
		err = temp.Sync()
	}
	if closing := temp.Close(); err == nil {
		err = closing
	}
	if err != nil {
		return err
	}
	return os.Rename(temp.Name(), path)
}
