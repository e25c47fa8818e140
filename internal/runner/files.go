package runner

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"

	"atelier/internal/contract"
	"atelier/internal/evidence"
	"atelier/internal/store"
)

// Source finds stored contents for file arguments.
type Source interface {
	File(ctx context.Context, id string) (store.File, error)
	Artifact(ctx context.Context, jobID, name string) (store.Artifact, error)
	Artifacts(ctx context.Context, jobID string) ([]store.Artifact, error)
	// SessionAssets lists the files of a session, or is not_found.
	SessionAssets(ctx context.Context, sessionID string) ([]store.Asset, error)
	// CaptureFile is the file with a capture's columns, and the contents of the
	// table that they were read from; or it is not_found.
	CaptureFile(ctx context.Context, id string) (store.File, []store.Content, error)
	// MakerOf is the job that made a content, nil for none: the one that is named as
	// far as it claims anything, else the one that is trusted least.
	MakerOf(ctx context.Context, sha256, jobID string) (*store.Maker, error)
	// OriginOf are the facts of origin of a content, nil for none.
	OriginOf(ctx context.Context, sha256, jobID string) (*evidence.Origin, error)
	// LocalPath is a file of this machine with the content; nobody may write to it.
	LocalPath(ctx context.Context, sha256 string) (string, error)
}

// Resolver turns file arguments into paths.
type Resolver struct {
	Roots  []string // folders in which paths may lie; absolute
	Source Source   // nil: only paths are accepted
}

// For is the resolver of one job, which may place links in the job's folder.
// session is the id of the session that the call belongs to, "" for none.
func (r Resolver) For(dir, session string) contract.Files {
	return &jobFiles{Resolver: r, dir: dir, session: session}
}

type jobFiles struct {
	Resolver
	dir, session string
	glancing     bool // nothing is linked, hashed or noted
	count        atomic.Int32

	mu    sync.Mutex
	given []given
	laid  map[string]given // the files of a series, by the links beside its head
}

// refsFolder is where links to stored contents lie in a job's folder.
const refsFolder = ".refs"

const refHint = "A file argument is a path inside an allowed folder (--root), file:<id> of POST /v1/files, an artifact URL /v1/jobs/<id>/artifacts/<name>, or in a call with context.session_id session:<path of an asset>."

// Path implements contract.Files.
func (f *jobFiles) Path(ctx context.Context, ref string) (string, error) {
	if id, ok := strings.CutPrefix(ref, "file:"); ok && f.Source != nil {
		return f.upload(ctx, ref, id)
	}
	if jobID, name, ok := contract.ParseArtifactURL(ref); ok && f.Source != nil {
		return f.artifact(ctx, ref, jobID, name)
	}
	if name, ok := strings.CutPrefix(ref, "session:"); ok && f.Source != nil {
		return f.asset(ctx, ref, name)
	}
	if id, ok := strings.CutPrefix(ref, contract.CapturePrefix); ok && f.Source != nil {
		return f.capture(ctx, ref, id)
	}
	if at, ok := strings.CutPrefix(ref, inlinePrefix); ok && strings.HasPrefix(at, "/") {
		return "", contract.Errorf(contract.CodeInvalidInput, "%s is what stood in an argument of a call; it is no file", ref).WithHint("%s", refHint)
	}
	named, path, err := f.resolve(ref)
	if err == nil {
		f.note(given{ref: ref, named: named, path: path})
	}
	return path, err
}

// capture links the columns of a capture.
func (f *jobFiles) capture(ctx context.Context, ref, id string) (string, error) {
	file, from, err := f.Source.CaptureFile(ctx, id)
	if err != nil {
		return "", missing(ref, err)
	}
	return f.stored(ctx, given{ref: ref, sha: file.SHA256, from: from}, f.folder(), "columns.capture")
}

func (f *jobFiles) upload(ctx context.Context, ref, id string) (string, error) {
	file, err := f.Source.File(ctx, id)
	if err != nil {
		return "", missing(ref, err)
	}
	if file.Bytes == 0 {
		return "", empty(ref)
	}
	return f.stored(ctx, given{ref: ref, sha: file.SHA256}, f.folder(), file.Name)
}

// artifact links the artifact and, where it is the head of a series, its files
// beside it, so that the relative names inside a collection hold.
func (f *jobFiles) artifact(ctx context.Context, ref, jobID, name string) (string, error) {
	a, err := f.Source.Artifact(ctx, jobID, name)
	if err != nil {
		return "", missing(ref, err)
	}
	if a.Bytes == 0 {
		return "", empty(ref)
	}
	folder := f.folder()
	all, err := f.Source.Artifacts(ctx, jobID)
	if err != nil {
		return "", err
	}
	for _, other := range all {
		if other.Head == a.Name {
			if err := f.lay(ctx, given{ref: contract.ArtifactURL(jobID, other.Name), sha: other.SHA256, job: jobID}, folder, other.Name); err != nil {
				return "", err
			}
		}
	}
	return f.stored(ctx, given{ref: ref, sha: a.SHA256, job: jobID}, folder, a.Name)
}

// stored links a stored content that the call names, and notes it.
func (f *jobFiles) stored(ctx context.Context, g given, folder, name string) (path string, err error) {
	if g.path, err = f.link(ctx, folder, name, g.sha); err != nil {
		return "", err
	}
	f.note(g)
	return g.path, nil
}

// lay links a file of a series, of which nobody knows yet whether it is read.
func (f *jobFiles) lay(ctx context.Context, g given, folder, name string) (err error) {
	if g.path, err = f.link(ctx, folder, name, g.sha); err != nil {
		return err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.laid == nil {
		f.laid = map[string]given{}
	}
	f.laid[g.path] = g
	return nil
}

func (f *jobFiles) folder() string {
	return filepath.Join(f.dir, refsFolder, fmt.Sprint(f.count.Add(1)))
}

func (f *jobFiles) link(ctx context.Context, folder, name, sha string) (string, error) {
	content, err := f.Source.LocalPath(ctx, sha)
	if err != nil {
		return "", err
	}
	if f.glancing {
		return content, nil
	}
	path := filepath.Join(folder, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return "", err
	}
	return path, os.Symlink(content, path)
}

// resolve accepts a path that, with every symbolic link followed, is a regular
// file inside a root; a relative one is looked for in all of them, in their order.
// named is where the file lies, and real the same behind all links. Of what lies outside
// not even its existence is told.
func (f *jobFiles) resolve(ref string) (named, real string, err error) {
	if ref == "" || strings.ContainsRune(ref, 0) || len(ref) > 4096 {
		return "", "", contract.Errorf(contract.CodeFileNotFound, "%.80q is not a file name", ref).WithHint("%s", refHint)
	}
	if filepath.IsAbs(ref) {
		named = filepath.Clean(ref)
		real, err = f.at(ref, named)
		return named, real, err
	}
	fault := outside(ref)
	for k, root := range f.Roots {
		named = filepath.Join(root, ref)
		real, err := f.at(ref, named)
		if err == nil {
			return named, real, nil
		}
		code := contract.AsError(err).Code
		if code != contract.CodeFileNotFound && code != contract.CodeFileOutsideRoots {
			return "", "", err // it is there
		}
		if k == 0 || code == contract.CodeFileOutsideRoots {
			fault = err
		}
	}
	if e := contract.AsError(fault); e.Code == contract.CodeFileNotFound && len(f.Roots) > 1 {
		fault = contract.Errorf(e.Code, "%s does not exist in any of the folders that a relative path is looked for in (%s)", ref, f.rootNames()).WithHint("%s", e.Hint)
	}
	return "", "", fault
}

// rootNames are the last elements of the roots: where they lie is the operator's.
func (f *jobFiles) rootNames() string {
	names := make([]string, len(f.Roots))
	for i, root := range f.Roots {
		names[i] = filepath.Base(root)
	}
	return strings.Join(names, ", ")
}

// at is the file at a path, which the caller names ref.
func (f *jobFiles) at(ref, abs string) (string, error) {
	real, err := filepath.EvalSymlinks(abs)
	if err != nil {
		if !f.allowed(abs) {
			return "", outside(ref)
		}
		return "", missing(ref, err)
	}
	if !f.allowed(real) {
		return "", outside(ref)
	}
	info, err := os.Stat(real)
	switch {
	case err != nil:
		return "", missing(ref, err)
	case !info.Mode().IsRegular():
		return "", contract.Errorf(contract.CodeFileUnreadable, "%s is not a regular file but %s", ref, kindOf(info.Mode()))
	case info.Size() == 0:
		return "", empty(ref)
	}
	return real, nil
}

// Beside implements contract.Files. What the resolver itself has laid beside a
// stored file is a link into the store; everything else obeys the rules of paths.
func (f *jobFiles) Beside(_ context.Context, path, name string) (string, error) {
	local := filepath.FromSlash(name)
	if name == "" || strings.Contains(name, `\`) || !filepath.IsLocal(local) {
		return "", notBeside(path, name)
	}
	file := filepath.Join(filepath.Dir(path), local)
	if rel, err := filepath.Rel(filepath.Join(f.dir, refsFolder), path); f.dir == "" || err != nil || !filepath.IsLocal(rel) {
		folder := realPath(filepath.Dir(path))
		file = filepath.Join(folder, local)
		real := realPath(file)
		if rel, err := filepath.Rel(folder, real); err != nil || !filepath.IsLocal(rel) || !f.allowed(real) {
			return "", notBeside(path, name)
		}
	}
	switch info, err := os.Stat(file); {
	case errors.Is(err, fs.ErrNotExist):
		return "", contract.Errorf(contract.CodeFileNotFound, "%s names %q, which is not there", filepath.Base(path), name).
			WithHint("Hand in the whole series: the index and every file that it names, in the same layout.")
	case err != nil:
		return "", contract.Errorf(contract.CodeFileUnreadable, "%q cannot be read: %w", name, err)
	case !info.Mode().IsRegular():
		return "", contract.Errorf(contract.CodeFileUnreadable, "%q is not a regular file but %s", name, kindOf(info.Mode()))
	}
	f.noteBeside(path, name, file)
	return file, nil
}

func notBeside(path, name string) error {
	return contract.Errorf(contract.CodeFileOutsideRoots, "%s names %q, which does not lie below its own folder", filepath.Base(path), name).
		WithHint("Keep the files of a series together, and name them relative to the series.")
}

func kindOf(mode fs.FileMode) string {
	if mode.IsDir() {
		return "a folder"
	}
	return "a special file (" + mode.Type().String() + ")"
}

func (f *jobFiles) allowed(path string) bool {
	for _, root := range f.Roots {
		for _, r := range []string{root, realPath(root)} {
			if rel, err := filepath.Rel(r, path); err == nil && filepath.IsLocal(rel) {
				return true
			}
		}
	}
	return false
}

func realPath(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	return path
}

func outside(ref string) error {
	return contract.Errorf(contract.CodeFileOutsideRoots, "%s lies outside the folders that this server may read", ref).WithHint("%s", refHint)
}

func empty(ref string) error {
	return contract.Errorf(contract.CodeFileEmpty, "%s has no content", ref).WithHint("Check that the file was written or uploaded completely.")
}

func missing(ref string, err error) error {
	if e := contract.AsError(err); e.Code == contract.CodeStorageUnavailable {
		return e
	}
	if errors.Is(err, fs.ErrPermission) {
		return contract.Errorf(contract.CodeFileUnreadable, "%s may not be read by the server's user", ref)
	}
	return contract.Errorf(contract.CodeFileNotFound, "%s does not exist", ref).WithHint("%s", refHint)
}
