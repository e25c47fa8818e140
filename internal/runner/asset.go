package runner

import (
	"context"
	"strings"

	"atelier/internal/contract"
	"atelier/internal/store"
)

// asset links a file of the call's session and, where it is the head of a
// series, its files beside it, in the layout that they have in the session.
func (f *jobFiles) asset(ctx context.Context, ref, name string) (string, error) {
	if f.session == "" {
		return "", contract.Errorf(contract.CodeFileNotFound, "%q names a session's file, but the call belongs to no session", ref).
			WithHint("Name the session in context.session_id of the call. %s", refHint)
	}
	assets, err := f.Source.SessionAssets(ctx, f.session)
	if err != nil {
		return "", missing(ref, err)
	}
	var found *store.Asset
	var paths []string
	for i, a := range assets {
		paths = append(paths, a.Path)
		if a.Path == name {
			found = &assets[i]
		}
	}
	if found == nil {
		return "", noAsset(ref, name, paths)
	}
	if found.Bytes == 0 {
		return "", empty(ref)
	}
	folder := f.folder()
	for _, a := range assets {
		if a.Head == found.Path && a.Path != found.Path {
			if err := f.lay(ctx, given{ref: "session:" + a.Path, sha: a.SHA256, job: a.JobID}, folder, a.Path); err != nil {
				return "", err
			}
		}
	}
	return f.stored(ctx, given{ref: ref, sha: found.SHA256, job: found.JobID}, folder, found.Path)
}

func noAsset(ref, name string, paths []string) error {
	e := contract.Errorf(contract.CodeFileNotFound, "the session has no file %q", name).With("assets", paths[:min(len(paths), 50)])
	if near := contract.Nearest(name, paths); near != "" {
		return e.WithHint("Did you mean session:%s?", near)
	}
	for _, p := range paths { // the right file in the wrong folder
		if p[strings.LastIndexByte(p, '/')+1:] == name[strings.LastIndexByte(name, '/')+1:] {
			return e.WithHint("Did you mean session:%s?", p)
		}
	}
	return e.WithHint("GET /v1/sessions/{id} lists the session's assets; %s names none of them.", ref)
}
