package notebook

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	"atelier/internal/contract"
	"atelier/internal/tools/notebook/ipynb"
)

// receiptKeys are where the receipt of a notebook's last run is kept: under the
// notebook that the file is of, else under the file; and under its code, so that
// a copy elsewhere is known too.
func (f *family) receiptKeys(ctx context.Context, call *contract.Call, in validateInput, path string, nb *ipynb.Existing) ([]string, error) {
	subject, err := f.origin(ctx, call, in, path)
	if err != nil {
		return nil, err
	}
	if subject == "" {
		subject = "file " + path
		if _, _, url := contract.ParseArtifactURL(in.NotebookPath); url || strings.HasPrefix(in.NotebookPath, "file:") {
			subject = "reference " + in.NotebookPath
		} else if strings.HasPrefix(in.NotebookPath, "session:") {
			subject = ownerOf(call).Session + " " + in.NotebookPath
		}
	}
	return []string{ofSubject(subject), "run-code-" + ipynb.CodeHash(nb)[:32]}, nil
}

func ofSubject(subject string) string { return "run-of-" + ipynb.Hash([]byte(subject))[:32] }

// lastRun is the receipt under the first of the keys that has one, nil for none.
func (f *family) lastRun(ctx context.Context, keys ...string) (*ipynb.Receipt, error) {
	for _, key := range keys {
		raw, version, err := f.store.Load(ctx, key)
		if err != nil {
			return nil, err
		}
		if version > 0 {
			r := &ipynb.Receipt{}
			return r, json.Unmarshal(raw, r)
		}
	}
	return nil, nil
}

// keepRun stores a receipt under all its keys; the last run counts.
func (f *family) keepRun(ctx context.Context, keys []string, r *ipynb.Receipt) error {
	raw, err := json.Marshal(r)
	if err != nil {
		return err
	}
	for _, key := range keys {
		for range attempts {
			var version int64
			if _, version, err = f.store.Load(ctx, key); err == nil {
				err = f.store.Save(ctx, key, version, raw)
			}
			if !errors.Is(err, ErrChanged) {
				break
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// execution compares a notebook file with its last run.
func (f *family) execution(ctx context.Context, call *contract.Call, in validateInput, path string, nb *ipynb.Existing) (ipynb.Execution, error) {
	keys, err := f.receiptKeys(ctx, call, in, path, nb)
	if err != nil {
		return ipynb.Execution{}, err
	}
	r, err := f.lastRun(ctx, keys...)
	if err != nil {
		return ipynb.Execution{}, err
	}
	return ipynb.Compare(r, nb), nil
}
