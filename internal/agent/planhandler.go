package agent

import (
	"context"
	"encoding/json"
	"io"

	"atelier/internal/contract"
	"atelier/internal/job"
	"atelier/internal/store"
)

// PlanHandler is where a plan is carried out; a session's run is one, a request of the
// OpenAI routes another.
type PlanHandler interface {
	// Begin makes a call. A tool's failure is no error: it is Job.Error.
	Begin(ctx context.Context, tool string, input, limits json.RawMessage) (Work, error)
	// Text says something to the user.
	Text(delta string)
	// Progress tells how far the work is; a negative fraction is not known.
	Progress(ctx context.Context, fraction float64, message string) error
	// ReportError tells an error after which the work goes on.
	ReportError(ctx context.Context, err error) error
}

// Artifacts reads what jobs have made.
type Artifacts struct {
	Jobs  job.API
	Blobs *store.Blobs
}

// largestRead bounds an artifact that the loop itself reads.
const largestRead = 1 << 30

// Read returns the bytes behind an artifact URL.
func (a Artifacts) Read(ctx context.Context, url string) ([]byte, error) {
	jobID, name, ok := contract.ParseArtifactURL(url)
	if !ok {
		return nil, contract.Errorf(contract.CodeInvalidToolOutput, "%q is no artifact URL", url)
	}
	found, err := a.Jobs.Artifact(ctx, jobID, name)
	if err != nil {
		return nil, err
	}
	if found.Bytes > largestRead {
		return nil, contract.Errorf(contract.CodeInvalidToolOutput, "%s is too large to be read", name)
	}
	r, err := a.Blobs.Open(ctx, found.SHA256)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return io.ReadAll(r)
}
