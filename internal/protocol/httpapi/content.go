package httpapi

import (
	"fmt"
	"io"
	"mime"
	"net/http"
	"path"
	"strings"
	"time"

	"atelier/internal/contract"
)

// Content serves a stored content with ranges and its SHA-256 as entity tag.
// Whatever it is, a browser must not run it as a page of this server: it gets no
// origin and no scripts, and what is a page or of no known type is saved, not
// shown.
func Content(w http.ResponseWriter, r *http.Request, name, mimeType, sha string, content io.ReadSeeker) {
	h := w.Header()
	h.Set("Content-Type", mimeType)
	h.Set("ETag", fmt.Sprintf("%q", sha))
	h.Set("Cache-Control", "private, max-age=31536000, immutable")
	h.Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; sandbox")
	if saved(mimeType) {
		h.Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": path.Base(name)}))
	}
	http.ServeContent(w, r, name, time.Time{}, content)
}

func saved(mimeType string) bool {
	kind, _, _ := strings.Cut(mimeType, ";")
	switch kind {
	case "text/html", "application/xhtml+xml", "image/svg+xml", "application/octet-stream":
		return true
	}
	return false
}

// UploadTooLarge refuses an upload beyond the server's limit in bytes.
func UploadTooLarge(limit int64) *contract.Error {
	return contract.Errorf(contract.CodePayloadTooLarge, "the upload is larger than %d bytes", limit).
		WithHint("Start the server with a larger --max-upload-bytes, or put the file into a folder given by --root.")
}
