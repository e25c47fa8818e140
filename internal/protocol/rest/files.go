package rest

import (
	"errors"
	"io"
	"mime"
	"net/http"

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
	httpapi.JSON(w, http.StatusOK, map[string]any{"file_id": r.PathValue("id"), "deleted": true})
	return nil
}

func (s *Server) fileContent(w http.ResponseWriter, r *http.Request) error {
	file, err := s.DB.File(r.Context(), r.PathValue("id"))
	if err != nil {
		return err
	}
	return s.serveBlob(w, r, file.Name, file.MIME, file.SHA256)
}
