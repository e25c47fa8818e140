package runner

import (
	"context"
	"fmt"
	"os"
	"slices"

	"atelier/internal/contract"
)

const (
	metricOversize = "artifacts_removed_oversize"
	metricCount    = "artifacts_removed_count_cap"
)

// collected measures the artifacts that a tool named and applies the limits of
// size and number. A series counts as one artifact, its size being that of all
// its files. A name that leads out of the job's folder, by a symbolic link
// neither, is never accepted.
func collected(next Runner) Runner {
	return func(ctx context.Context, req *Request) *contract.Result {
		result := next(ctx, req)
		if len(result.Artifacts) == 0 {
			return result
		}
		c := collector{req: req, result: result}
		if slices.ContainsFunc(result.Artifacts, contract.Artifact.OnDisk) {
			root, err := os.OpenRoot(req.Dir)
			if err != nil {
				return contract.Failure(solver(req), contract.Errorf(contract.CodeInternal, "the job's folder cannot be opened: %w", err))
			}
			defer root.Close()
			c.root = root
		}
		if fault := c.measure(); fault != nil {
			return contract.Failure(solver(req), fault)
		}
		return result
	}
}

type collector struct {
	req    *Request
	result *contract.Result
	root   *os.Root // nil when every artifact is in memory
}

func (c *collector) size(name string) (int64, *contract.Error) {
	info, err := c.root.Lstat(name)
	if err != nil || !info.Mode().IsRegular() {
		return 0, contract.Errorf(contract.CodeInvalidToolOutput, "%s named the artifact %q, which is not a regular file of its job", c.req.Tool.Contract.Name, name)
	}
	return info.Size(), nil
}

func (c *collector) measure() *contract.Error {
	if c.result.Metrics == nil {
		c.result.Metrics = map[string]any{}
	}
	kept := make([]contract.Artifact, 0, len(c.result.Artifacts))
	oversize, over := 0, 0
	for _, a := range c.result.Artifacts {
		total := int64(len(a.Content))
		if a.Content == nil {
			var fault *contract.Error
			if total, fault = c.size(a.Name); fault != nil {
				return fault
			}
		}
		a.Bytes = total
		for _, f := range a.Files {
			n, fault := c.size(f)
			if fault != nil {
				return fault
			}
			total += n
		}
		switch {
		case total > c.req.Limits.MaxArtifactBytes && a.Primary:
			return contract.Errorf(contract.CodeArtifactTooLarge, "the artifact %s has %d bytes; the limit is %d", a.Name, total, c.req.Limits.MaxArtifactBytes).
				WithHint("Raise limits.max_artifact_bytes to at least %d, or ask for a smaller result.", total).With("bytes", total)
		case total > c.req.Limits.MaxArtifactBytes:
			oversize++
			c.dropped(a.Name, fmt.Sprintf("it has %d bytes, above max_artifact_bytes %d", total, c.req.Limits.MaxArtifactBytes))
		case int64(len(kept)) >= c.req.Limits.MaxArtifacts && a.Primary:
			return contract.Errorf(contract.CodeArtifactTooMany, "the call makes %d artifacts; the limit is %d", len(c.result.Artifacts), c.req.Limits.MaxArtifacts).
				WithHint("Raise limits.max_artifacts.")
		case int64(len(kept)) >= c.req.Limits.MaxArtifacts:
			over++
			c.dropped(a.Name, fmt.Sprintf("max_artifacts is %d", c.req.Limits.MaxArtifacts))
		default:
			kept = append(kept, a)
		}
	}
	c.result.Artifacts = kept
	for metric, n := range map[string]int{metricOversize: oversize, metricCount: over} {
		if n > 0 {
			c.result.Metrics[metric] = n
		}
	}
	return nil
}

func (c *collector) dropped(name, why string) {
	c.result.Warnings = append(c.result.Warnings, contract.Warning{
		Code: "artifact_removed", Message: fmt.Sprintf("The artifact %s was not kept: %s.", name, why),
	})
}
