package session

import (
	"bytes"
	"encoding/json"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"

	"atelier/internal/contract"
	"atelier/internal/protocol/httpapi"
	"atelier/internal/session"
)

func entityTag(version int64) string { return `"` + strconv.FormatInt(version, 10) + `"` }

// writeManifest serves a manifest with its version as entity tag, so that a
// reader that polls gets 304 while nothing has changed.
func writeManifest(w http.ResponseWriter, r *http.Request, m *session.Manifest) {
	raw, err := json.Marshal(m)
	if err != nil {
		httpapi.ErrorObject(w, r, []*contract.Error{contract.Errorf(contract.CodeInternal, "the manifest cannot be encoded: %w", err)})
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("ETag", entityTag(m.Version))
	w.Header().Set("Cache-Control", "no-cache")
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(append(raw, '\n')))
}

// replace writes a manifest over the version that If-Match names.
func (s *Server) replace(w http.ResponseWriter, r *http.Request) error {
	id := r.PathValue("id")
	current, err := s.Sessions.Get(r.Context(), id)
	if err != nil {
		return err
	}
	var raw json.RawMessage // read first: conditions are for requests that are right otherwise
	if err := httpapi.ReadJSON(r, &raw, false); err != nil {
		return err
	}
	if err := session.CheckManifest(raw); err != nil {
		return err
	}
	version, err := matched(r, current.Version)
	if err != nil {
		return err
	}
	m, err := s.Sessions.Replace(r.Context(), id, version, raw)
	if err != nil {
		return err
	}
	w.Header().Set("ETag", entityTag(m.Version))
	httpapi.JSON(w, http.StatusOK, m)
	return nil
}

var tagForm = regexp.MustCompile(`^(W/)?"[^"]*"$`)

// matched reads If-Match (RFC 9110, 13.1.1): a list of entity tags of which one
// must be the present one, or *, which any version is. Weak tags never match.
func matched(r *http.Request, current int64) (int64, error) {
	tags := r.Header.Values("If-Match")
	if len(tags) == 0 {
		return 0, contract.Errorf(contract.CodePreconditionNeeded, "the change does not say which version it was made from").At("If-Match").
			WithHint("Send the ETag of GET /v1/sessions/{id} as If-Match; If-Match: * overwrites whichever is there.")
	}
	for _, tag := range strings.Split(strings.Join(tags, ","), ",") {
		switch tag = strings.TrimSpace(tag); {
		case tag == "*":
			return 0, nil
		case tag == entityTag(current):
			return current, nil
		case !tagForm.MatchString(tag):
			return 0, contract.Errorf(contract.CodeInvalidRequest, "%.80q is no entity tag", tag).At("If-Match").
				WithHint(`Send the ETag as it was read, with its quotation marks: If-Match: "7".`)
		}
	}
	return 0, contract.Errorf(contract.CodePreconditionFailed, "the manifest is at version %d, If-Match names %s", current, strings.Join(tags, ", ")).
		At("If-Match").With("version", current).WithHint("Read the manifest again and repeat the change on what it holds now.")
}

func (s *Server) asset(w http.ResponseWriter, r *http.Request) error {
	id, path := r.PathValue("id"), r.PathValue("path")
	if path == session.ManifestName {
		return s.get(w, r)
	}
	a, err := s.Sessions.Asset(r.Context(), id, path)
	if err != nil {
		return err
	}
	content, err := s.Sessions.Open(r.Context(), a)
	if err != nil {
		return err
	}
	defer content.Close()
	httpapi.Content(w, r, a.Path, a.MIME, a.SHA256, content)
	return nil
}

func (s *Server) export(w http.ResponseWriter, r *http.Request) error {
	archive, err := s.Sessions.Export(r.Context(), r.PathValue("id"))
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/zip")
	w.Header().Set("ETag", entityTag(archive.Version()))
	w.Header().Set("Content-Disposition", `attachment; filename="`+r.PathValue("id")+`.zip"`)
	w.WriteHeader(http.StatusOK)
	if r.Method == http.MethodHead {
		return nil
	}
	if err := archive.Write(r.Context(), w); err != nil {
		// The head is out: only a connection that breaks off says that it is not whole.
		panic(http.ErrAbortHandler)
	}
	return nil
}
