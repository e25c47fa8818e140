package store

import (
	"context"
	"encoding/json"
	"io"
	"time"

	"atelier/internal/contract"
)

// CaptureKind is the kind of the documents that describe captures.
const CaptureKind = "capture"

// CaptureRecord is a stored table of observations: what it says of itself, and
// the file that holds its columns.
type CaptureRecord struct {
	ID      string
	FileID  string
	Info    json.RawMessage
	From    []Content // the contents of the table that it was made from
	Created time.Time
}

type captureBody struct {
	FileID string          `json:"file_id"`
	Info   json.RawMessage `json:"info"`
	From   []Content       `json:"from,omitempty"`
}

func newCapture(d Document) (CaptureRecord, error) {
	var body captureBody
	err := json.Unmarshal(d.Body, &body)
	return CaptureRecord{ID: d.ID, FileID: body.FileID, Info: body.Info, From: body.From, Created: d.Created}, unavailable("read a capture", err)
}

// SaveCapture stores a capture's columns and its record, with the contents of the
// table that they were read from; conflict where the id is taken. id "" makes one.
func (b *Blobs) SaveCapture(ctx context.Context, id string, info json.RawMessage, columns io.Reader, from []Content) (CaptureRecord, error) {
	if id == "" {
		id = NewID("cap_")
	}
	if _, err := b.db.Document(ctx, CaptureKind, id); err == nil {
		return CaptureRecord{}, captureTaken(id)
	} else if !IsNotFound(err) {
		return CaptureRecord{}, err
	}
	file, err := b.SaveFile(ctx, id+".capture", "application/octet-stream", columns)
	if err != nil {
		return CaptureRecord{}, err
	}
	body, err := json.Marshal(captureBody{file.ID, info, from})
	if err != nil {
		return CaptureRecord{}, err
	}
	d, err := b.db.PutDocument(ctx, CaptureKind, id, 0, body)
	if err != nil {
		_ = b.db.DeleteFile(context.WithoutCancel(ctx), file.ID) // else the sweep takes it
		if contract.AsError(err).Code == contract.CodeConflict { // another was quicker
			return CaptureRecord{}, captureTaken(id)
		}
		return CaptureRecord{}, err
	}
	return newCapture(d)
}

func captureTaken(id string) error {
	return contract.Errorf(contract.CodeConflict, "there is a capture %q", id).At("capture_id").
		WithHint("Choose another capture_id, leave it out, or delete the capture first.")
}

// Capture returns a capture's record, or not_found.
func (db *DB) Capture(ctx context.Context, id string) (CaptureRecord, error) {
	d, err := db.Document(ctx, CaptureKind, id)
	if err != nil {
		return CaptureRecord{}, err
	}
	return newCapture(d)
}

// CaptureFile is the file with a capture's columns, and the contents of the table
// that they were read from; or not_found.
func (db *DB) CaptureFile(ctx context.Context, id string) (File, []Content, error) {
	c, err := db.Capture(ctx, id)
	if err != nil {
		return File{}, nil, err
	}
	f, err := db.File(ctx, c.FileID)
	return f, c.From, err
}

// Captures lists captures, newest first: at most limit, older than the cursor.
func (db *DB) Captures(ctx context.Context, limit int, after string) ([]CaptureRecord, string, error) {
	documents, next, err := db.Documents(ctx, CaptureKind, limit, after)
	list := make([]CaptureRecord, 0, len(documents))
	for _, d := range documents {
		c, fault := newCapture(d)
		if err == nil {
			err = fault
		}
		list = append(list, c)
	}
	return list, next, err
}

// DeleteCapture removes a capture's record and its file, or is not_found.
func (db *DB) DeleteCapture(ctx context.Context, id string) error {
	c, err := db.Capture(ctx, id)
	if err != nil {
		return err
	}
	if err := db.DeleteDocument(ctx, CaptureKind, id); err != nil {
		return err
	}
	if err := db.DeleteFile(ctx, c.FileID); err != nil && !IsNotFound(err) {
		return err
	}
	return nil
}
