package rest

import (
	"atelier/internal/job/view"
	"atelier/internal/store"
)

type fileRecord struct {
	FileID    string `json:"file_id"`
	Reference string `json:"reference"` // what a file argument takes
	Name      string `json:"name"`
	MIMEType  string `json:"mime_type"`
	Bytes     int64  `json:"bytes"`
	SHA256    string `json:"sha256"`
	CreatedAt string `json:"created_at"`
}

func newFileRecord(f store.File) fileRecord {
	return fileRecord{f.ID, "file:" + f.ID, f.Name, f.MIME, f.Bytes, f.SHA256, view.Stamp(f.Created)}
}
