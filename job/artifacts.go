package job

import (
	"context"
	"os"
	"path"
	"path/filepath"

	"atelier/contract"
	"atelier/store"
)

// keep stores the artifacts of a result, series included, and fills in their
// sizes and hashes. It reads through an os.Root, so that a link that a tool left
// behind cannot lead out of the job's folder.
func (s *Service) keep(ctx context.Context, dir, jobID string, result *contract.Result) ([]store.Artifact, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, contract.Errorf(contract.CodeStorageUnavailable, "open the job's folder: %w", err)
	}
	defer root.Close()
	var kept []store.Artifact
	seen := map[string]bool{}
	add := func(name, mime, head string) (store.Artifact, error) {
		a, err := s.keepFile(ctx, root, name)
		if err != nil {
			return a, err
		}
		a.JobID, a.MIME, a.Head = jobID, mime, head
		if !seen[name] {
			kept, seen[name] = append(kept, a), true
		}
		return a, nil
	}
	for i := range result.Artifacts {
		a := &result.Artifacts[i]
		head, err := add(a.Name, a.MIME, "")
		if err != nil {
			return nil, err
		}
		a.Bytes, a.SHA256 = head.Bytes, head.SHA256
		for _, name := range a.Files {
			if _, err := add(name, contract.MIMEType(name), a.Name); err != nil {
				return nil, err
			}
		}
	}
	return kept, nil
}

func (s *Service) keepFile(ctx context.Context, root *os.Root, name string) (store.Artifact, error) {
	if !filepath.IsLocal(name) || path.Clean(name) != name {
		return store.Artifact{}, contract.Errorf(contract.CodeInvalidToolOutput, "the tool named an artifact %q, which is no name inside its folder", name)
	}
	info, err := root.Lstat(name)
	if err != nil || !info.Mode().IsRegular() {
		return store.Artifact{}, contract.Errorf(contract.CodeInvalidToolOutput, "the tool named an artifact %q that is not a file in its folder", name)
	}
	f, err := root.Open(name)
	if err != nil {
		return store.Artifact{}, contract.Errorf(contract.CodeInvalidToolOutput, "the artifact %q cannot be read: %w", name, err)
	}
	defer f.Close()
	blob, err := s.blobs.Put(ctx, f)
	return blob.Artifact(name), err
}
