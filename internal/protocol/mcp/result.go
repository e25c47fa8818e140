package mcp

import (
	"context"
	"encoding/json"
	"io"
	"maps"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"atelier/internal/contract"
	"atelier/internal/job"
	jobview "atelier/internal/job/view"
)

// maxLinks is how many artifacts are linked: a series may have a thousand files,
// and the job's list of artifacts has them all.
const maxLinks = 64

// answer projects a result. The first text is always JSON in the dialect of
// api/spec/notebooks.md, since many clients read nothing else: status, the
// output's fields and messages, or of a failure every fault. The output stands in
// structuredContent too, never on an error: clients hold that against the output
// schema, which has status and messages for the notebook family.
func answer(r *contract.Result, jobID string) *sdk.CallToolResult {
	a := &sdk.CallToolResult{Meta: resultMeta(r, jobID)}
	a.Content = append(a.Content, &sdk.TextContent{Text: string(r.NotebookResult())})
	if r.Status == contract.StatusError {
		a.IsError = true
	} else if output := r.OutputJSON(); len(output) > 0 {
		a.StructuredContent = output
	} else {
		a.StructuredContent = json.RawMessage("{}")
	}
	if text := notes(r); text != "" {
		a.Content = append(a.Content, &sdk.TextContent{Text: text})
	}
	for _, artifact := range r.Artifacts[:min(len(r.Artifacts), maxLinks)] {
		a.Content = append(a.Content, link(jobID, artifact))
	}
	return a
}

// largestPicture bounds a picture that a result shows, in bytes.
const largestPicture = 1 << 20

// illustrated is the answer of a job with its first picture, which models see; the others
// are linked.
func (s *Server) illustrated(ctx context.Context, j *job.Job) *sdk.CallToolResult {
	r := limitWords.Result(jobview.Result(j))
	a := answer(r, j.ID)
	if r.Status == contract.StatusError {
		return a
	}
	for _, artifact := range r.Artifacts {
		if artifact.MIME != "image/png" || artifact.Bytes > largestPicture {
			continue
		}
		if raw, err := s.content(ctx, j.ID, artifact.Name); err == nil { // else its link says where it is
			a.Content = append(a.Content, &sdk.ImageContent{Data: raw, MIMEType: artifact.MIME})
		}
		break
	}
	return a
}

func (s *Server) content(ctx context.Context, jobID, name string) ([]byte, error) {
	a, err := s.Jobs.Artifact(ctx, jobID, name)
	if err != nil {
		return nil, err
	}
	content, err := s.Blobs.Open(ctx, a.SHA256)
	if err != nil {
		return nil, err
	}
	defer content.Close()
	return io.ReadAll(content)
}

func resultMeta(r *contract.Result, jobID string) sdk.Meta {
	meta := sdk.Meta{}
	if jobID != "" {
		meta["job_id"] = jobID
	}
	if elapsed, ok := r.Metrics["elapsed_ms"]; ok {
		meta["elapsed_ms"] = elapsed
	}
	if metrics := remainingMetrics(r); len(metrics) > 0 {
		meta["metrics"] = metrics
	}
	if r.Evidence != nil {
		meta["trust"], meta["evidence"] = r.Evidence.Trust(), r.Evidence.Document()
	}
	if r.Confidence != nil { // of an exact result too, which has no evidence
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

// remainingMetrics are the figures beside the output that do not stand in _meta
// already: where a search's results came from, what a page was read by.
func remainingMetrics(r *contract.Result) map[string]any {
	metrics := maps.Clone(r.Metrics)
	for _, name := range []string{"job_id", "elapsed_ms", "warnings", "errors", "error_code"} {
		delete(metrics, name)
	}
	return metrics
}

// notes is the sentence for a person who gets files or warnings beside the output,
// or a figure that is suspect.
func notes(r *contract.Result) string {
	caveat := r.Caveat()
	if len(r.Warnings) == 0 && len(r.Artifacts) == 0 && caveat == "" || r.Status == contract.StatusError {
		return ""
	}
	return strings.TrimSpace(r.Summary + "\n\n" + caveat)
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
