package rest

import (
	"errors"
	"io"
	"mime"
	"net/http"
	"strconv"

	"atelier/internal/contract"
	"atelier/internal/protocol/httpapi"
)

// upload streams one file into the store: as the first file part of a
// multipart form, or as the whole body with its name in ?name=.
func (s *Server) upload(w http.ResponseWriter, r *http.Request) error {
	if r.ContentLength > s.MaxUploadBytes {
		return httpapi.UploadTooLarge(s.MaxUploadBytes)
	}
	r.Body = http.MaxBytesReader(w, r.Body, s.MaxUploadBytes)
	name, content, err := uploaded(r)
	if err != nil {
		return err
	}
	file, err := s.Blobs.SaveFile(r.Context(), name, contract.MIMEType(name), content)
	if over := new(http.MaxBytesError); errors.As(err, &over) {
		return httpapi.UploadTooLarge(s.MaxUploadBytes)
	}
	if err != nil {
		return err
	}
	w.Header().Set("Location", "/v1/files/"+file.ID)
	httpapi.JSON(w, http.StatusCreated, newFileRecord(file))
	return nil
}

func uploaded(r *http.Request) (string, io.Reader, error) {
	mediaType, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || mediaType == "" {
		return "", nil, contract.Errorf(contract.CodeUnsupportedMedia, "an upload needs a content type").
			WithHint("Send multipart/form-data with one file, or application/octet-stream with ?name=part.step.")
	}
	if mediaType != "multipart/form-data" {
		// A form of another site can send these three without asking first.
		if mediaType == "text/plain" || mediaType == "application/x-www-form-urlencoded" {
			return "", nil, contract.Errorf(contract.CodeUnsupportedMedia, "an upload cannot be sent as %s", mediaType).
				WithHint("Send application/octet-stream with ?name=part.step, or multipart/form-data.")
		}
		return r.URL.Query().Get("name"), r.Body, nil
	}
	parts, err := r.MultipartReader()
	if err != nil {
		return "", nil, contract.Errorf(contract.CodeInvalidRequest, "the form cannot be read: %w", err)
	}
	for {
		part, err := parts.NextPart()
		if errors.Is(err, io.EOF) {
			return "", nil, contract.Errorf(contract.CodeInvalidRequest, "the form holds no file").
				WithHint("Send a part with a file name, e.g. curl -F file=@part.step.")
		}
		if err != nil {
			return "", nil, contract.Errorf(contract.CodeInvalidRequest, "the form is broken off: %w", err)
		}
		if part.FormName() != "" && part.FileName() != "" {
			return part.FileName(), part, nil
		}
	}
}

// filePurpose is that of every upload: whatever a client says it is for, tools
// read it as it is.
const filePurpose = "user_data"

// listFiles answers in OpenAI's form, newest first; after is the last id of the
// page before.
func (s *Server) listFiles(w http.ResponseWriter, r *http.Request) error {
	query := r.URL.Query()
	if err := httpapi.OnlyParameters(r, "after", "limit", "order", "purpose"); err != nil {
		return err
	}
	if order := query.Get("order"); order != "" && order != "desc" {
		return contract.Errorf(contract.CodeInvalidRequest, "order is %q", order).At("order").WithHint("Files are listed newest first: desc.")
	}
	limit := 100
	if query.Has("limit") {
		n, err := strconv.Atoi(query.Get("limit"))
		if err != nil || n < 1 || n > 500 {
			return contract.Errorf(contract.CodeInvalidRequest, "limit is %q; it must be a whole number of 1 to 500", query.Get("limit")).At("limit")
		}
		limit = n
	}
	data, more := []fileRecord{}, false
	if purpose := query.Get("purpose"); purpose == "" || purpose == filePurpose {
		files, next, err := s.DB.FilesAfter(r.Context(), limit, query.Get("after"))
		if err != nil {
			return err
		}
		for _, f := range files {
			data = append(data, newFileRecord(f))
		}
		more = next
	}
	page := map[string]any{"object": "list", "data": data, "has_more": more}
	if len(data) > 0 {
		page["first_id"], page["last_id"] = data[0].ID, data[len(data)-1].ID
	}
	httpapi.JSON(w, http.StatusOK, page)
	return nil
}

func (s *Server) getFile(w http.ResponseWriter, r *http.Request) error {
	file, err := s.DB.File(r.Context(), r.PathValue("id"))
	if err != nil {
		return err
	}
	httpapi.JSON(w, http.StatusOK, newFileRecord(file))
	return nil
}

func (s *Server) deleteFile(w http.ResponseWriter, r *http.Request) error {
	if err := s.DB.DeleteFile(r.Context(), r.PathValue("id")); err != nil {
		return err
	}
	httpapi.JSON(w, http.StatusOK, map[string]any{
		"id": r.PathValue("id"), "object": "file", "file_id": r.PathValue("id"), "deleted": true,
	})
	return nil
}

func (s *Server) fileContent(w http.ResponseWriter, r *http.Request) error {
	file, err := s.DB.File(r.Context(), r.PathValue("id"))
	if err != nil {
		return err
	}
	return s.serveBlob(w, r, file.Name, file.MIME, file.SHA256)
}
