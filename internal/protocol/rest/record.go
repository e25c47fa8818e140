package rest

import (
	"atelier/internal/job/view"
	"atelier/internal/store"
)

// fileRecord is an upload, as our routes name its fields and as OpenAI's do.
type fileRecord struct {
	ID        string `json:"id"`
	Object    string `json:"object"` // file
	Filename  string `json:"filename"`
	Purpose   string `json:"purpose"` // user_data: what tools read
	Status    string `json:"status"`  // processed: it can be used at once
	CreatedAt int64  `json:"created_at"`

	FileID    string `json:"file_id"`
	Reference string `json:"reference"` // what a file argument takes
	Name      string `json:"name"`
	MIMEType  string `json:"mime_type"`
	Bytes     int64  `json:"bytes"`
	SHA256    string `json:"sha256"`
	Uploaded  string `json:"uploaded_at"`
}

func newFileRecord(f store.File) fileRecord {
	return fileRecord{
		ID: f.ID, Object: "file", Filename: f.Name, Purpose: filePurpose, Status: "processed", CreatedAt: f.Created.Unix(),
		FileID: f.ID, Reference: "file:" + f.ID, Name: f.Name, MIMEType: f.MIME, Bytes: f.Bytes, SHA256: f.SHA256, Uploaded: view.Stamp(f.Created),
	}
}
