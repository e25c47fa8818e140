package session

import (
	"encoding/json"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"strings"

	"atelier/internal/contract"
	"atelier/internal/protocol/httpapi"
	"atelier/internal/session"
)

const (
	mostFiles       = 256
	largestMetadata = 256 << 10
	metadataField   = "metadata"
)

// create makes a session: of a form's files, or an empty one of a JSON object.
func (s *Server) create(w http.ResponseWriter, r *http.Request) error {
	var up uploads
	var err error
	if mediaType(r) == "application/json" {
		up.metadata, err = readEmpty(w, r)
	} else {
		up, err = s.receive(w, r)
	}
	if err != nil {
		return err
	}
	m, err := s.Sessions.Create(r.Context(), up.files, up.metadata)
	if err != nil {
		return err
	}
	w.Header().Set("Location", "/v1/sessions/"+m.SessionID)
	answer(w, m)
	return nil
}

func (s *Server) addFiles(w http.ResponseWriter, r *http.Request) error {
	id := r.PathValue("id")
	if _, err := s.Sessions.Get(r.Context(), id); err != nil { // before the bytes come
		return err
	}
	up, err := s.receive(w, r)
	if err != nil {
		return err
	}
	if up.metadata != nil {
		return contract.Errorf(contract.CodeInvalidRequest, "metadata is given when a session is made; later it is part of the manifest").At(metadataField)
	}
	m, err := s.Sessions.AddFiles(r.Context(), id, up.files)
	if err != nil {
		return err
	}
	answer(w, m)
	return nil
}

func mediaType(r *http.Request) string {
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil {
		return ""
	}
	return kind
}

type metadata = map[string]json.RawMessage

func readEmpty(w http.ResponseWriter, r *http.Request) (metadata, error) {
	r.Body = http.MaxBytesReader(w, r.Body, 2*largestMetadata)
	var body struct {
		Metadata metadata `json:"metadata"`
	}
	err := httpapi.ReadJSON(r, &body, true)
	return body.Metadata, err
}

// uploads is what a form holds.
type uploads struct {
	files    []session.Upload
	metadata metadata
}

// receive streams every part that has a file name into the store, as it comes.
func (s *Server) receive(w http.ResponseWriter, r *http.Request) (up uploads, err error) {
	if mediaType(r) != "multipart/form-data" {
		return up, contract.Errorf(contract.CodeUnsupportedMedia, "the content type is %q", r.Header.Get("Content-Type")).
			WithHint("Send multipart/form-data, e.g. curl -F file=@part.step; an empty session is made of application/json {}.")
	}
	if r.ContentLength > s.MaxUploadBytes {
		return up, httpapi.UploadTooLarge(s.MaxUploadBytes)
	}
	r.Body = http.MaxBytesReader(w, r.Body, s.MaxUploadBytes)
	parts, err := r.MultipartReader()
	if err != nil {
		return up, contract.Errorf(contract.CodeInvalidRequest, "the form cannot be read: %w", err)
	}
	for {
		part, err := parts.NextPart()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return up, s.brokenForm(err)
		}
		if err := s.receivePart(r, part, &up); err != nil {
			return up, err
		}
	}
	if len(up.files) == 0 {
		return up, contract.Errorf(contract.CodeInvalidRequest, "the form holds no file").
			WithHint("Send at least one part with a file name, e.g. curl -F file=@part.step.")
	}
	return up, nil
}

func (s *Server) receivePart(r *http.Request, part *multipart.Part, up *uploads) error {
	switch {
	case part.FileName() == "" && part.FormName() == metadataField:
		return s.receiveMetadata(part, up)
	case part.FileName() == "":
		return contract.Errorf(contract.CodeInvalidRequest, "the form's part %q has no file name", part.FormName()).At(part.FormName()).
			WithHint("Files need a file name; the one field beside them is metadata, a JSON object.")
	case len(up.files) == mostFiles:
		return contract.Errorf(contract.CodeInvalidRequest, "the form holds more than %d files", mostFiles).
			WithHint("Send the rest with POST /v1/sessions/{id}/files.")
	}
	content := &remembering{r: part}
	// Browsers and curl write a quotation mark in a file name so (WHATWG's
	// multipart/form-data encoding).
	name := strings.ReplaceAll(part.FileName(), "%22", `"`)
	file, err := s.Sessions.Put(r.Context(), name, content)
	if content.err != nil {
		return s.brokenForm(content.err)
	}
	if err != nil {
		return err
	}
	up.files = append(up.files, file)
	return nil
}

func (s *Server) receiveMetadata(part io.Reader, up *uploads) error {
	raw, err := io.ReadAll(io.LimitReader(part, largestMetadata+1))
	if err != nil {
		return s.brokenForm(err)
	}
	if len(raw) > largestMetadata {
		return contract.Errorf(contract.CodePayloadTooLarge, "metadata is longer than %d bytes", largestMetadata).At(metadataField)
	}
	if json.Unmarshal(raw, &up.metadata) != nil || up.metadata == nil {
		return contract.Errorf(contract.CodeInvalidRequest, "metadata is not a JSON object").At(metadataField)
	}
	return nil
}

// brokenForm tells a body that is too large from one that breaks off.
func (s *Server) brokenForm(err error) error {
	if over := new(http.MaxBytesError); errors.As(err, &over) {
		return httpapi.UploadTooLarge(s.MaxUploadBytes)
	}
	return contract.Errorf(contract.CodeInvalidRequest, "the form is broken off: %w", err)
}

// remembering keeps the error of a reader, which the store could not tell from
// one of its own.
type remembering struct {
	r   io.Reader
	err error
}

func (m *remembering) Read(p []byte) (int, error) {
	n, err := m.r.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		m.err = err
	}
	return n, err
}
