// Package capture is the HTTP protocol of captures: tables of observations that the
// statistical tools work on, stored once as typed columns.
package capture

import (
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"os"
	"regexp"
	"time"

	"atelier/internal/contract"
	"atelier/internal/dataset"
	"atelier/internal/protocol/httpapi"
	"atelier/internal/store"
)

// Server holds what the handlers need.
type Server struct {
	DB             *store.DB
	Blobs          *store.Blobs
	MaxUploadBytes int64
	WorkDir        string // of files that live as long as a request
	// Files resolves the path of a table on this machine; links to stored
	// contents are laid into dir.
	Files func(dir string) contract.Files
}

// Routes lists the protocol's routes.
func (s *Server) Routes() []httpapi.Route {
	return []httpapi.Route{
		{Path: "/v1/captures", AnyBody: true, Methods: httpapi.Methods{
			"GET": {Serve: s.list, Doc: docList()}, "POST": {Serve: s.create, Doc: docCreate()}}},
		{Path: "/v1/captures/{id}", Methods: httpapi.Methods{
			"GET": {Serve: s.get, Doc: docGet()}, "DELETE": {Serve: s.delete, Doc: docDelete()}}},
	}
}

// record is a capture as the protocol shows it.
type record struct {
	CaptureID string `json:"capture_id"`
	dataset.Info
	CreatedAt string `json:"created_at"`
}

func newRecord(c store.CaptureRecord) (record, error) {
	r := record{CaptureID: c.ID, CreatedAt: c.Created.Format(time.RFC3339Nano)}
	return r, json.Unmarshal(c.Info, &r.Info)
}

// request is how a capture is made: fields of a form, or a JSON object.
type request struct {
	Path          string `json:"path"`
	CaptureID     string `json:"capture_id"`
	TimeColumn    string `json:"time_column"`
	ChannelColumn string `json:"channel_column"`
	Format        string `json:"format"`
}

var idPattern = regexp.MustCompile(`^` + idBody + `$`)

const idBody = `[A-Za-z0-9][A-Za-z0-9_.-]{0,127}`

func (r *request) check() error {
	if r.CaptureID != "" && !idPattern.MatchString(r.CaptureID) {
		return contract.Errorf(contract.CodeInvalidRequest, "capture_id is %q; it must match %s", r.CaptureID, idPattern).At("capture_id")
	}
	if r.Format != "" && r.Format != "csv" && r.Format != "jsonl" && r.Format != "parquet" {
		return contract.Errorf(contract.CodeInvalidRequest, "format is %q; it must be csv, jsonl or parquet", r.Format).At("format")
	}
	return nil
}

func (s *Server) create(w http.ResponseWriter, r *http.Request) error {
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil {
		kind = ""
	}
	switch kind {
	case "application/json":
		return s.fromPath(w, r)
	case "multipart/form-data":
		return s.fromForm(w, r)
	}
	return contract.Errorf(contract.CodeUnsupportedMedia, "the content type is %q", r.Header.Get("Content-Type")).
		WithHint("Send multipart/form-data, e.g. curl -F file=@run.csv, or application/json {\"path\": \"run.csv\"}.")
}

func (s *Server) fromPath(w http.ResponseWriter, r *http.Request) error {
	r.Body = http.MaxBytesReader(w, r.Body, 64<<10)
	var req request
	if err := httpapi.ReadJSON(r, &req, true); err != nil {
		return err
	}
	if err := req.check(); err != nil {
		return err
	}
	if req.Path == "" {
		return contract.Errorf(contract.CodeInvalidRequest, "path is missing").At("path").
			WithHint("Name a table: a path inside an allowed folder, file:<id>, or an artifact URL.")
	}
	dir, err := os.MkdirTemp(s.WorkDir, "capture-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	files := s.Files(dir)
	path, err := files.Path(r.Context(), req.Path)
	if err != nil {
		return contract.AsError(err).At("path")
	}
	table, err := os.Open(path)
	if err != nil {
		return contract.Errorf(contract.CodeFileUnreadable, "%s cannot be read", req.Path).At("path")
	}
	defer table.Close()
	var from []store.Content
	if known, ok := files.(interface {
		Contents() ([]store.Content, error)
	}); ok {
		from, err = known.Contents()
	} else {
		from, err = store.Contents(table)
	}
	if err != nil {
		return contract.Errorf(contract.CodeFileUnreadable, "%s cannot be read: %w", req.Path, err).At("path")
	}
	return s.save(w, r, req, path, table, from)
}

// temporary is a file that goes with its handle, also when the program dies.
func (s *Server) temporary() (*os.File, error) {
	f, err := os.CreateTemp(s.WorkDir, "capture-")
	if err == nil {
		_ = os.Remove(f.Name())
	}
	return f, err
}

func (s *Server) fromForm(w http.ResponseWriter, r *http.Request) error {
	if r.ContentLength > s.MaxUploadBytes {
		return httpapi.UploadTooLarge(s.MaxUploadBytes)
	}
	r.Body = http.MaxBytesReader(w, r.Body, s.MaxUploadBytes)
	table, err := s.temporary()
	if err != nil {
		return err
	}
	defer table.Close()
	var req request
	name, err := readForm(r, &req, table)
	if over := new(http.MaxBytesError); errors.As(err, &over) {
		return httpapi.UploadTooLarge(s.MaxUploadBytes)
	}
	if err != nil {
		return err
	}
	if err := req.check(); err != nil {
		return err
	}
	from, err := store.Contents(table)
	if err != nil {
		return err
	}
	return s.save(w, r, req, name, table, from)
}

func readForm(r *http.Request, req *request, table io.Writer) (name string, err error) {
	parts, err := r.MultipartReader()
	if err != nil {
		return "", contract.Errorf(contract.CodeInvalidRequest, "the form cannot be read: %w", err)
	}
	into := map[string]*string{"capture_id": &req.CaptureID, "time_column": &req.TimeColumn, "channel_column": &req.ChannelColumn, "format": &req.Format}
	found := false
	for {
		part, err := parts.NextPart()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return "", brokenForm(err)
		}
		if part.FormName() == "file" && !found {
			found, name = true, part.FileName()
			if _, err := io.Copy(io.MultiWriter(&dataset.LineGuard{}, table), part); err != nil {
				return "", brokenForm(err)
			}
			continue
		}
		field, known := into[part.FormName()]
		if !known {
			return "", contract.Errorf(contract.CodeInvalidRequest, "the form has the unknown or repeated part %q", part.FormName()).
				At(part.FormName()).WithHint("Send file, and capture_id, time_column, channel_column, format where they are needed.")
		}
		value, err := io.ReadAll(io.LimitReader(part, 1024))
		if err != nil {
			return "", brokenForm(err)
		}
		*field = string(value)
	}
	if !found {
		return "", contract.Errorf(contract.CodeInvalidRequest, "the form holds no part named file").At("file").
			WithHint("Send one, e.g. curl -F file=@run.csv.")
	}
	return name, nil
}

func brokenForm(err error) error {
	if over := new(http.MaxBytesError); errors.As(err, &over) {
		return err
	}
	if told := new(contract.Error); errors.As(err, &told) {
		return err
	}
	return contract.Errorf(contract.CodeInvalidRequest, "the form is broken off: %w", err)
}

// save turns the table into columns and stores these, with the contents that the
// table is known by.
func (s *Server) save(w http.ResponseWriter, r *http.Request, req request, name string, table *os.File, from []store.Content) error {
	columns, err := s.temporary()
	if err != nil {
		return err
	}
	defer columns.Close()
	o := dataset.Options{TimeColumn: req.TimeColumn, ChannelColumn: req.ChannelColumn}
	info, err := dataset.ImportFile(r.Context(), name, req.Format, table, columns, o)
	if err != nil {
		return err
	}
	raw, err := json.Marshal(info)
	if err != nil {
		return err
	}
	if _, err := columns.Seek(0, io.SeekStart); err != nil {
		return err
	}
	saved, err := s.Blobs.SaveCapture(r.Context(), req.CaptureID, raw, columns, from)
	if err != nil {
		return err
	}
	w.Header().Set("Location", "/v1/captures/"+saved.ID)
	return answer(w, http.StatusCreated, saved)
}

func answer(w http.ResponseWriter, status int, c store.CaptureRecord) error {
	shown, err := newRecord(c)
	if err == nil {
		httpapi.JSON(w, status, shown)
	}
	return err
}

func (s *Server) get(w http.ResponseWriter, r *http.Request) error {
	c, err := s.DB.Capture(r.Context(), r.PathValue("id"))
	if err != nil {
		return err
	}
	return answer(w, http.StatusOK, c)
}

func (s *Server) delete(w http.ResponseWriter, r *http.Request) error {
	if err := s.DB.DeleteCapture(r.Context(), r.PathValue("id")); err != nil {
		return err
	}
	httpapi.JSON(w, http.StatusOK, map[string]any{"capture_id": r.PathValue("id"), "deleted": true})
	return nil
}

func (s *Server) list(w http.ResponseWriter, r *http.Request) error {
	if err := httpapi.OnlyParameters(r, "limit", "cursor"); err != nil {
		return err
	}
	limit, cursor, err := httpapi.Page(r)
	if err != nil {
		return err
	}
	captures, next, err := s.DB.Captures(r.Context(), limit, cursor)
	if err != nil {
		return err
	}
	shown := make([]record, len(captures))
	for i, c := range captures {
		if shown[i], err = newRecord(c); err != nil {
			return err
		}
	}
	httpapi.WritePage(w, "captures", shown, next)
	return nil
}
