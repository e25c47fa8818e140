package runner

import (
	"context"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"atelier/internal/contract"
	"atelier/internal/evidence"
	"atelier/internal/store"
)

// given is a file that a call was given, or that one of these names beside itself.
type given struct {
	ref, path string
	named     string // where the file lies that a path names; "" for a stored content
	sha       string // of a stored content; "" for a file outside the store
	job       string // that the reference names
	from      []store.Content
	index     string // the reference of the file that names this one
	guide     bool   // it says how to work, and is in no figure of the result
	contents  func() ([]store.Content, error)
}

// note keeps a file and begins to look at its content, once for each reference.
func (f *jobFiles) note(g given) {
	if f.glancing {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if i := slices.IndexFunc(f.given, func(other given) bool { return other.ref == g.ref }); i >= 0 {
		f.given[i].guide = f.given[i].guide && g.guide
		return
	}
	g.contents = readLater(g)
	f.given = append(f.given, g)
}

// reading bounds how many files are looked at beside the work of the calls.
var reading = make(chan struct{}, 16)

// readLater finds what a file is known by, its own content first, beside the work
// that is done on it.
func readLater(g given) func() ([]store.Content, error) {
	done := make(chan struct{})
	var contents []store.Content
	var err error
	go func() {
		defer close(done)
		reading <- struct{}{}
		defer func() { <-reading }()
		contents, err = store.FileContents(g.path, g.sha)
		for i := range contents {
			contents[i].JobID = g.job
		}
		contents = append(contents, g.from...)
	}()
	return func() ([]store.Content, error) {
		<-done
		if err != nil {
			return nil, contract.Errorf(contract.CodeFileUnreadable, "%s cannot be read again: %w", g.ref, err)
		}
		return contents, nil
	}
}

// noteBeside keeps a file that the content of another one, the index, names.
func (f *jobFiles) noteBeside(index, name, file string) {
	f.mu.Lock()
	g, laid := f.laid[file]
	i := slices.IndexFunc(f.given, func(g given) bool { return g.path == index })
	if i >= 0 {
		g.index, g.guide = f.given[i].ref, f.given[i].guide
	}
	f.mu.Unlock()
	if file == index {
		return
	}
	if !laid {
		g.ref, g.path, g.named = f.refBeside(g.index, name, file), file, file
	}
	f.note(g)
}

// refBeside is the reference of a file beside the one at ref: by the same folder as
// that, where this leads to it.
func (f *jobFiles) refBeside(ref, name, file string) string {
	real := realPath(file)
	if ref != "" {
		near := path.Join(path.Dir(filepath.ToSlash(ref)), name)
		if _, there, err := f.resolve(near); err == nil && there == real {
			return near
		}
	}
	return real
}

// Inputs are the files that the call was given, and long texts among its arguments
// that are the content of one, each with the job that made it and how good that
// job's result is. What came back to the server as an upload, on a path, packed,
// or inside of the call is known by its content.
func (f *jobFiles) Inputs(ctx context.Context, input []byte) ([]evidence.Input, error) {
	f.mu.Lock()
	all := slices.Clone(f.given)
	f.mu.Unlock()
	inputs := make([]evidence.Input, len(all))
	makers := map[string][]string{} // of the parts, by the index that names them
	for k := len(all) - 1; k >= 0; k-- {
		g := all[k] // an index comes before its parts, and is judged after them
		contents, err := g.contents()
		if err != nil {
			return nil, err
		}
		inputs[k] = evidence.Input{Reference: g.ref, SHA256: contents[0].SHA256, Path: g.named}
		made, err := f.maker(ctx, contents, makers[g.ref])
		if err != nil {
			return nil, err
		}
		if made != nil {
			describe(&inputs[k], made)
			makers[g.index] = append(makers[g.index], made.JobID)
			if g.guide {
				inputs[k].Trust, inputs[k].Reason = "", guided
			}
		}
	}
	inline, err := f.inline(ctx, input)
	return append(inputs, inline...), err
}

// guided stands in the place of the trust of an input that lowers none.
const guided = "It says how to work, and is in no figure of the result."

// Guide is Path of a file that says how to work, unless it was given for its content too.
func (f *jobFiles) Guide(ctx context.Context, ref string) (string, error) {
	f.mu.Lock()
	before := len(f.given)
	f.mu.Unlock()
	path, err := f.Path(ctx, ref)
	f.mu.Lock()
	defer f.mu.Unlock()
	for i := before; i < len(f.given); i++ {
		f.given[i].guide = f.given[i].ref == ref
	}
	return path, err
}

// maker is the job that made a file: of its contents the one that is trusted least.
// An index is little more than a list of names, which many jobs write alike: it is
// of a job that made its parts, where one of these made such an index.
func (f *jobFiles) maker(ctx context.Context, contents []store.Content, ofParts []string) (*store.Maker, error) {
	if f.Source == nil {
		return nil, nil
	}
	var weakest *store.Maker
	for _, c := range contents {
		near := false
		for _, job := range ofParts {
			made, err := f.Source.MakerOf(ctx, c.SHA256, job)
			if err != nil {
				return nil, err
			}
			if c.JobID == "" && made != nil && made.JobID == job {
				near, weakest = true, weaker(weakest, made)
			}
		}
		if near {
			continue
		}
		made, err := f.Source.MakerOf(ctx, c.SHA256, c.JobID)
		if err != nil {
			return nil, err
		}
		weakest = weaker(weakest, made)
	}
	return weakest, nil
}

// weaker is the one of two makers that is trusted less, the first of equals.
func weaker(a, b *store.Maker) *store.Maker {
	if a == nil || b != nil && b.Trust.Below(a.Trust) {
		return b
	}
	return a
}

// describe adds what made a file.
func describe(in *evidence.Input, made *store.Maker) {
	in.JobID, in.Tool, in.Trust, in.Reason = made.JobID, made.Tool, made.Trust, made.Reason
	if made.Deleted {
		in.Reason = strings.TrimSpace(in.Reason + " The job " + made.JobID + " has been deleted since.")
	}
}

// Contents are what the files that the call was given are known by.
func (f *jobFiles) Contents() ([]store.Content, error) {
	f.mu.Lock()
	all := slices.Clone(f.given)
	f.mu.Unlock()
	var contents []store.Content
	for _, g := range all {
		more, err := g.contents()
		if err != nil {
			return nil, err
		}
		contents = append(contents, more...)
	}
	return contents, nil
}

// Origin are the facts of origin of a file argument: those that were kept with
// the artifact that it is. nil where none are known.
func (f *jobFiles) Origin(ctx context.Context, ref string) (*evidence.Origin, error) {
	f.mu.Lock()
	i := slices.IndexFunc(f.given, func(g given) bool { return g.ref == ref })
	var g given
	if i >= 0 {
		g = f.given[i]
	}
	f.mu.Unlock()
	if i < 0 || f.Source == nil {
		return nil, nil
	}
	contents, err := g.contents()
	if err != nil {
		return nil, err
	}
	for _, c := range contents {
		if origin, err := f.Source.OriginOf(ctx, c.SHA256, c.JobID); err != nil || origin != nil {
			return origin, err
		}
	}
	return nil, nil
}
