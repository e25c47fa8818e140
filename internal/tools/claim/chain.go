package claim

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"atelier/internal/contract"
	"atelier/internal/evidence"
	"atelier/internal/store"
)

// chain looks at what a figure was made from, and at what that was made from.
type chain struct {
	call *contract.Call
	jobs Jobs
	seen map[string]bool // jobs
}

// longestChain is how many jobs are looked at.
const longestChain = 50

// changes tells of each input that is no longer what the job was made from, and which
// contents that cannot change have been deleted; so of the jobs that made the inputs.
func (c *chain) changes(ctx context.Context, inputs []evidence.Input) (changed, deleted []string) {
	for _, in := range inputs {
		if !strings.HasPrefix(in.Reference, "inline:") {
			more, gone := c.changesOf(ctx, in)
			changed, deleted = append(changed, more...), append(deleted, gone...)
		}
		if in.JobID == "" || c.seen[in.JobID] || len(c.seen) >= longestChain {
			continue
		}
		c.seen[in.JobID] = true
		made, err := c.jobs.MadeFrom(ctx, in.JobID)
		if err != nil {
			changed = append(changed, fmt.Sprintf("What %s was made from cannot be looked up: %s", in.Reference, contract.AsError(err).Message))
		}
		before, _ := c.changes(ctx, made)
		for _, why := range before {
			changed = append(changed, fmt.Sprintf("%s (%s was made from it by %s.)", why, in.Reference, in.JobID))
		}
	}
	return changed, deleted
}

func (c *chain) changesOf(ctx context.Context, in evidence.Input) (changed, deleted []string) {
	path, err := c.call.File(ctx, in.Reference, "/job_id")
	if lay := where(in, path, err); lay != "" {
		path, err = lay, nil
	}
	if err == nil {
		if now, err := store.HashFile(path); err == nil && now != in.SHA256 {
			return []string{fmt.Sprintf("%s has changed since the figure was made from it; run the job again.", in.Reference)}, nil
		}
		return nil, nil
	}
	switch code := contract.AsError(err).Code; {
	case code == contract.CodeContentDamaged:
		return []string{fmt.Sprintf("The stored content of %s, from which the figure was made, is damaged; make or upload it again.", in.Reference)}, nil
	case strings.HasPrefix(in.Reference, "session:"):
		return nil, nil // a file that this call may not see says nothing
	case kept(in.Reference):
		return nil, []string{fmt.Sprintf("%s, from which the figure was made, has been deleted since.", in.Reference)}
	case code == contract.CodeFileNotFound:
		return []string{fmt.Sprintf("%s, from which the figure was made, is no longer there, in no folder that is read here.", in.Reference)}, nil
	}
	return []string{fmt.Sprintf("%s is no longer the file from which the figure was made: %s.", in.Reference, strings.TrimSuffix(contract.AsError(err).Message, "."))}, nil
}

// where is the file that an input was, where a relative path leads to another one now, or
// to none, as it does in another folder; else "".
func where(in evidence.Input, path string, err error) string {
	if in.Path == "" || err != nil && contract.AsError(err).Code != contract.CodeFileNotFound {
		return ""
	}
	real, fault := filepath.EvalSymlinks(in.Path)
	if fault != nil || real == path {
		return ""
	}
	return real
}

// kept says that a reference is of a content that was stored here, which is what it was
// or is gone.
func kept(reference string) bool {
	_, _, artifact := contract.ParseArtifactURL(reference)
	return artifact || strings.HasPrefix(reference, "file:") || strings.HasPrefix(reference, contract.CapturePrefix)
}
