package mcp

import (
	"encoding/json"
	"fmt"
	"maps"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"atelier/internal/contract"
)

const (
	maxNotes       = 10  // warnings that are told in the text; all of them are in _meta
	maxNoteLetters = 400 // of one of them
)

// answer projects a result. The first text is always JSON, since many clients
// read nothing else: the output, or of a failure every fault in the dialect of
// api/spec/notebooks.md. The output stands in structuredContent too, never on an error:
// clients hold that against the output schema.
func answer(r *contract.Result, jobID string) *sdk.CallToolResult {
	a := &sdk.CallToolResult{Meta: resultMeta(r, jobID)}
	if r.Status == contract.StatusError {
		a.IsError = true
		a.Content = append(a.Content, &sdk.TextContent{Text: string(r.NotebookResult())})
	} else {
		output := r.OutputJSON()
		if len(output) == 0 {
			output = json.RawMessage("{}")
		}
		a.StructuredContent = output
		a.Content = append(a.Content, &sdk.TextContent{Text: string(output)})
	}
	if text := notes(r); text != "" {
		a.Content = append(a.Content, &sdk.TextContent{Text: text})
	}
	for _, artifact := range r.Artifacts {
		a.Content = append(a.Content, link(jobID, artifact))
	}
	return a
}

func resultMeta(r *contract.Result, jobID string) sdk.Meta {
	meta := sdk.Meta{}
	if jobID != "" {
		meta["job_id"] = jobID
	}
	if elapsed, ok := r.Metrics["elapsed_ms"]; ok {
		meta["elapsed_ms"] = elapsed
	}
	if metrics := toldMetrics(r); len(metrics) > 0 {
		meta["metrics"] = metrics
	}
	if r.Evidence != nil {
		meta["trust"], meta["evidence"] = r.Evidence.Trust, r.Evidence
		meta["confidence"] = r.Confidence
	}
	if r.Status == contract.StatusPartial {
		meta["partial"] = true
	}
	if len(r.Warnings) > 0 {
		meta["warnings"] = r.Warnings
	}
	if r.Status == contract.StatusError {
		meta["errors"] = r.Errors
	}
	return meta
}

// toldMetrics are the figures beside the output that do not stand in _meta
// already: where a search's results came from, what a page was read by.
func toldMetrics(r *contract.Result) map[string]any {
	metrics := maps.Clone(r.Metrics)
	for _, name := range []string{"job_id", "elapsed_ms", "warnings", "errors", "error_code"} {
		delete(metrics, name)
	}
	return metrics
}

// notes is what a person would want to be told beside the output.
func notes(r *contract.Result) string {
	if len(r.Warnings) == 0 && len(r.Artifacts) == 0 || r.Status == contract.StatusError {
		return ""
	}
	lines := []string{}
	if r.Summary != "" {
		lines = append(lines, r.Summary)
	}
	for i, w := range r.Warnings {
		if i == maxNotes {
			lines = append(lines, fmt.Sprintf("… and %d more warnings in _meta.warnings.", len(r.Warnings)-i))
			break
		}
		message := w.Message
		if letters := []rune(message); len(letters) > maxNoteLetters {
			message = string(letters[:maxNoteLetters]) + " …"
		}
		lines = append(lines, "Warning: "+message)
	}
	return strings.Join(lines, "\n")
}

// link points at an artifact. Its URI can be read with resources/read, and given
// to any file argument.
func link(jobID string, a contract.Artifact) *sdk.ResourceLink {
	size := a.Bytes
	return &sdk.ResourceLink{
		URI: artifactURI(jobID, a.Name), Name: a.Name, MIMEType: a.MIME, Size: &size,
		Description: "Also at GET " + contract.ArtifactURL(jobID, a.Name),
	}
}
