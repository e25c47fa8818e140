package job

import (
	"bytes"
	"context"
	"os"
	"path"
	"path/filepath"
	"slices"

	"golang.org/x/sync/errgroup"

	"atelier/internal/contract"
	"atelier/internal/store"
)

// parallelPuts is how many contents of one job are stored at once: making them
// durable is mostly waiting for the disk.
const parallelPuts = 8

// storeArtifacts stores the artifacts of a result, fills in their sizes and hashes, and
// lists every file of a series among them. It reads through an os.Root, so that a link that a tool left
// behind cannot lead out of the job's folder.
func (s *Service) storeArtifacts(ctx context.Context, dir, jobID string, result *contract.Result) ([]store.Artifact, error) {
	var root *os.Root
	if slices.ContainsFunc(result.Artifacts, contract.Artifact.OnDisk) {
		var err error
		if root, err = os.OpenRoot(dir); err != nil {
			return nil, contract.Errorf(contract.CodeStorageUnavailable, "open the job's folder: %w", err)
		}
		defer root.Close()
	}
	contents := map[string][]byte{}
	for _, a := range result.Artifacts {
		if a.Content != nil {
			contents[a.Name] = a.Content
		}
	}
	kept := filesOf(jobID, result)
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(parallelPuts)
	for i := range kept {
		group.Go(func() error {
			a, err := s.storeArtifact(ctx, root, kept[i].Name, contents)
			a.JobID, a.MIME, a.Head = jobID, kept[i].MIME, kept[i].Head
			kept[i] = a
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	byName := map[string]store.Artifact{}
	for _, a := range kept {
		byName[a.Name] = a
	}
	for i := range result.Artifacts {
		a := &result.Artifacts[i]
		a.Bytes, a.SHA256 = byName[a.Name].Bytes, byName[a.Name].SHA256
		delete(byName, a.Name)
	}
	for _, f := range kept { // the further files of a series are listed after the heads
		if _, left := byName[f.Name]; left {
			result.Artifacts = append(result.Artifacts, contract.Artifact{Name: f.Name, MIME: f.MIME, Bytes: f.Bytes, SHA256: f.SHA256})
		}
	}
	return kept, nil
}

// filesOf lists every file of a result once, heads before the files of their series.
func filesOf(jobID string, result *contract.Result) []store.Artifact {
	var files []store.Artifact
	seen := map[string]bool{}
	add := func(name, mime, head string) {
		if !seen[name] {
			seen[name] = true
			files = append(files, store.Artifact{JobID: jobID, Name: name, MIME: mime, Head: head})
		}
	}
	for _, a := range result.Artifacts {
		add(a.Name, a.MIME, "")
		for _, name := range a.Files {
			add(name, contract.MIMEType(name), a.Name)
		}
	}
	return files
}

func (s *Service) storeArtifact(ctx context.Context, root *os.Root, name string, contents map[string][]byte) (store.Artifact, error) {
	if !filepath.IsLocal(name) || path.Clean(name) != name {
		return store.Artifact{}, contract.Errorf(contract.CodeInvalidToolOutput, "the tool named an artifact %q, which is no name inside its folder", name)
	}
	if content, ok := contents[name]; ok {
		blob, err := s.blobs.Put(ctx, bytes.NewReader(content))
		return blob.Artifact(name), err
	}
	return s.storeFile(ctx, root, name)
}

func (s *Service) storeFile(ctx context.Context, root *os.Root, name string) (store.Artifact, error) {
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
