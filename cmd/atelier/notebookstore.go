package main

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"atelier/internal/contract"
	"atelier/internal/store"
	"atelier/internal/tools/notebook"
)

// notebookKind is that of the documents that hold notebooks under construction.
const notebookKind = "notebook"

// notebookStore keeps notebooks in the database. The tools are made before it is open.
type notebookStore struct {
	db     *store.DB
	folder string
}

func (s *notebookStore) Folder() string { return s.folder }

func (s *notebookStore) Load(ctx context.Context, id string) (json.RawMessage, int64, error) {
	d, err := s.db.Document(ctx, notebookKind, id)
	if store.IsNotFound(err) {
		return nil, 0, nil
	}
	return d.Body, d.Version, err
}

func (s *notebookStore) Save(ctx context.Context, id string, version int64, body json.RawMessage) error {
	_, err := s.db.PutDocument(ctx, notebookKind, id, version, body)
	if err != nil && contract.AsError(err).Code == contract.CodeConflict {
		return notebook.ErrChanged
	}
	return err
}

// sweep removes the files of notebooks that nobody has written for so long.
func (s *notebookStore) sweep(age time.Duration) (removed int, err error) {
	root := filepath.Join(s.folder, "notebooks")
	entries, err := os.ReadDir(root)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	for _, e := range entries {
		info, gone := e.Info()
		if gone != nil || time.Since(info.ModTime()) < age {
			continue
		}
		if failed := os.RemoveAll(filepath.Join(root, e.Name())); failed != nil {
			err = errors.Join(err, failed)
			continue
		}
		removed++
	}
	return removed, err
}
