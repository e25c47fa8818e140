package basics

import (
	"context"
	_ "embed"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"atelier/internal/contract"
)

//go:embed write_text_artifact.json
var writeContract []byte

const fallbackName = "note.txt" // in the place of a name that no file may have

type writeInput struct {
	Text     string `json:"text"`
	Filename string `json:"filename"`
}

type writeOutput struct {
	Filename    string `json:"filename"`
	Bytes       int    `json:"bytes"`
	ArtifactURL string `json:"artifact_url"`
}

var writeTextArtifact = contract.Bind(writeContract, func(_ context.Context, call *contract.Call, in writeInput) (*contract.Result, error) {
	if int64(len(in.Text)) > call.Limits.MaxArtifactBytes {
		return nil, contract.Errorf(contract.CodeInvalidInput, "the text has %d bytes; max_artifact_bytes is %d", len(in.Text), call.Limits.MaxArtifactBytes).
			At("/text").WithHint("Shorten the text or raise limits.max_artifact_bytes.")
	}
	result := &contract.Result{Metrics: map[string]any{"artifact_bytes": len(in.Text)}}
	name := in.Filename
	if !plainName(name) {
		name = fallbackName
		result.Warnings = []contract.Warning{{Code: "filename_replaced", Message: fmt.Sprintf("The file name %q holds a path or a control character; %s was used.", in.Filename, fallbackName)}}
	}
	if err := os.WriteFile(filepath.Join(call.Dir, name), []byte(in.Text), 0o600); err != nil {
		return nil, contract.Errorf(contract.CodeInvalidInput, "no file can be named %q: %w", name, err).At("/filename")
	}
	result.Summary = fmt.Sprintf("Wrote %d bytes to %s.", len(in.Text), name)
	result.Output = writeOutput{name, len(in.Text), contract.ArtifactURL(call.JobID, name)}
	result.Artifacts = []contract.Artifact{{Name: name, MIME: textType(name), Primary: true}}
	return result, nil
})

func plainName(name string) bool {
	return name != "" && len(name) <= 255 && name != "." && !strings.Contains(name, "..") && !strings.ContainsFunc(name, func(r rune) bool {
		return r == '/' || r == '\\' || r < ' ' || r == 0x7f
	})
}

// textType is the type of a text file by its extension: the content is the
// caller's, so what a browser would run is shown as plain text.
func textType(name string) string {
	switch strings.ToLower(filepath.Ext(name)) {
	case ".json", ".csv":
		return contract.MIMEType(name)
	}
	return contract.MIMEType(fallbackName)
}
