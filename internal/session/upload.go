package session

import (
	"context"
	"io"
	"strings"

	"atelier/internal/contract"
	"atelier/internal/store"
)

// Upload is a stored content that waits to become a file of a session. It waits
// for as long as the store keeps contents that nothing refers to.
type Upload struct {
	Name string // a plain file name
	blob store.Blob
}

// Put streams a file into the store. The name is reduced to its last path
// component; without one it is upload.dat.
func (s *Service) Put(ctx context.Context, name string, content io.Reader) (Upload, error) {
	blob, err := s.blobs.Put(ctx, content)
	return Upload{uploadName(name), blob}, err
}

// placed gives every upload its own path in the input folder.
func placed(files []Upload, t taken) []store.Asset {
	assets := make([]store.Asset, len(files))
	for i, f := range files {
		p := t.free(inputFolder + "/" + f.Name)
		t[strings.ToLower(p)] = f.blob.SHA256
		assets[i] = f.blob.Asset(p, contract.MIMEType(p))
	}
	return assets
}

// Open opens the content of an asset; it can seek, for HTTP ranges.
func (s *Service) Open(ctx context.Context, a store.Asset) (io.ReadSeekCloser, error) {
	return s.blobs.Open(ctx, a.SHA256)
}
