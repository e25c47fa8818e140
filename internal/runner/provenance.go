package runner

import (
	"context"
	"slices"

	"atelier/internal/contract"
	"atelier/internal/evidence"
	"atelier/internal/store"
)

// given is a file that a call was given.
type given struct {
	ref, sha, job string
	hash          func() (string, error) // of a file outside the store; nil for a stored one
}

func (f *jobFiles) note(g given) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !slices.ContainsFunc(f.given, func(other given) bool { return other.ref == g.ref }) {
		f.given = append(f.given, g)
	}
}

// Inputs are the files that the call was given, each with the job that made it
// and how good that job's result is. A file that came back to the server as an
// upload or on a path is known by its content.
func (f *jobFiles) Inputs(ctx context.Context) ([]evidence.Input, error) {
	f.mu.Lock()
	all := slices.Clone(f.given)
	f.mu.Unlock()
	inputs := make([]evidence.Input, 0, len(all))
	for _, g := range all {
		in := evidence.Input{Reference: g.ref, SHA256: g.sha}
		if g.hash != nil {
			var err error
			if in.SHA256, err = g.hash(); err != nil {
				return nil, contract.Errorf(contract.CodeFileUnreadable, "%s cannot be read again: %w", g.ref, err)
			}
		}
		if f.Source != nil {
			maker, err := f.maker(ctx, g, in.SHA256)
			if err != nil {
				return nil, err
			}
			if maker != nil {
				describe(&in, maker)
			}
		}
		inputs = append(inputs, in)
	}
	return inputs, nil
}

// maker is the job that made a file: the one that the reference names, else the
// last one among whose artifacts the content is. nil for a file that no job made.
func (f *jobFiles) maker(ctx context.Context, g given, sha string) (*store.Job, error) {
	id := g.job
	if id == "" {
		var err error
		if id, err = f.Source.MakerOf(ctx, sha); err != nil || id == "" {
			return nil, err
		}
	}
	made, err := f.Source.Job(ctx, id)
	if store.IsNotFound(err) {
		return nil, nil // its record has been deleted
	}
	return made, err
}

// describe adds what made a file. A tool that claims nothing of its results says
// nothing about what is made of them either.
func describe(in *evidence.Input, made *store.Job) {
	in.JobID, in.Tool = made.ID, made.Tool
	if made.Result == nil || made.Result.Evidence == nil {
		return
	}
	e := made.Result.Evidence
	in.Trust = e.Trust()
	if in.Trust != evidence.Verified && len(e.Reasons()) > 0 {
		in.Reason = e.Reasons()[0]
	}
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
	sha := g.sha
	if g.hash != nil {
		var err error
		if sha, err = g.hash(); err != nil {
			return nil, err
		}
	}
	made, err := f.maker(ctx, g, sha)
	if err != nil || made == nil || made.Result == nil {
		return nil, err
	}
	for _, a := range made.Result.Artifacts {
		if a.SHA256 == sha && a.Origin != nil {
			return a.Origin, nil
		}
	}
	return nil, nil
}
