package session_test

import (
	"bufio"
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"atelier/internal/protocol/httpapi"
	"atelier/internal/protocol/rest"
	protocol "atelier/internal/protocol/session"
	"atelier/internal/session"
	"atelier/internal/session/sessiontest"
)

const uploadLimit = 16 << 20

// server is the protocol behind a loopback address, with tools and their jobs.
type server struct {
	t   *testing.T
	url string
	*sessiontest.Process
	web *httptest.Server
}

func serve(t *testing.T, h *sessiontest.Process) *server {
	t.Helper()
	jobs := h.Sessions.Jobs()
	var routes []httpapi.Route
	for _, w := range []httpapi.Protocol{
		&protocol.Server{Sessions: h.Sessions, MaxUploadBytes: uploadLimit},
		&rest.Server{Tools: h.Tools, Jobs: jobs, DB: h.DB, Blobs: h.Blobs, Version: "test", MaxUploadBytes: uploadLimit},
	} {
		routes = append(routes, w.Routes()...)
	}
	s := httptest.NewServer(httpapi.Mux(&httpapi.Gate{MaxBodyBytes: 2 << 20}, routes...))
	t.Cleanup(func() {
		s.CloseClientConnections()
		s.Close()
	})
	return &server{t: t, url: s.URL, Process: h, web: s}
}

func start(t *testing.T, runs session.Runner) *server {
	t.Helper()
	dir := t.TempDir()
	return serve(t, sessiontest.Start(t, filepath.Join(dir, "atelier.db"), dir, runs))
}

type reply struct {
	status int
	header http.Header
	raw    []byte
}

func (s *server) do(method, path, contentType string, body io.Reader, headers ...string) reply {
	s.t.Helper()
	req, err := http.NewRequest(method, s.url+path, body)
	if err != nil {
		s.t.Fatal(err)
	}
	if contentType != "" {
		req.Header.Set("Content-Type", contentType)
	}
	for i := 0; i+1 < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		s.t.Fatal(err)
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return reply{resp.StatusCode, resp.Header, raw}
}

func (s *server) get(path string, headers ...string) reply {
	s.t.Helper()
	return s.do("GET", path, "", nil, headers...)
}

func (s *server) post(path, body string, headers ...string) reply {
	s.t.Helper()
	return s.do("POST", path, "application/json", strings.NewReader(body), headers...)
}

func (s *server) put(path, body string, headers ...string) reply {
	s.t.Helper()
	return s.do("PUT", path, "application/json", strings.NewReader(body), headers...)
}

// code of an error body.
func (r reply) code() string {
	var e struct {
		Error struct{ Code string }
	}
	_ = json.Unmarshal(r.raw, &e) // not every body is an error
	return e.Error.Code
}

func (r reply) want(t *testing.T, status int, code string) reply {
	t.Helper()
	if r.status != status || r.code() != code {
		t.Fatalf("status %d code %q, want %d %q: %.600s", r.status, r.code(), status, code, r.raw)
	}
	return r
}

// state is the manifest in {session_id, state}, or the body itself.
func (r reply) state(t *testing.T) *session.Manifest {
	t.Helper()
	var wrapped struct {
		State *session.Manifest `json:"state"`
	}
	if err := json.Unmarshal(r.raw, &wrapped); err != nil || r.status != http.StatusOK {
		t.Fatalf("%d %v %.600s", r.status, err, r.raw)
	}
	if wrapped.State != nil {
		return wrapped.State
	}
	m := &session.Manifest{}
	if err := json.Unmarshal(r.raw, m); err != nil {
		t.Fatal(err)
	}
	return m
}

// part of a form. Header, when not "", is its whole Content-Disposition.
type part struct {
	field, file, header string
	content             []byte
}

func form(t *testing.T, parts ...part) (contentType string, body []byte) {
	t.Helper()
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	for _, p := range parts {
		disposition := p.header
		if disposition == "" {
			disposition = fmt.Sprintf(`form-data; name=%q`, p.field)
			if p.file != "" {
				disposition += fmt.Sprintf(`; filename=%q`, p.file)
			}
		}
		to, err := w.CreatePart(map[string][]string{"Content-Disposition": {disposition}})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := to.Write(p.content); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return w.FormDataContentType(), b.Bytes()
}

func (s *server) upload(path string, parts ...part) reply {
	s.t.Helper()
	contentType, body := form(s.t, parts...)
	return s.do("POST", path, contentType, bytes.NewReader(body))
}

func (s *server) empty() string {
	s.t.Helper()
	return s.post("/v1/sessions", `{}`).state(s.t).SessionID
}

// noise is content that no compression and no text reader leaves alone.
func noise(n int) []byte {
	content := make([]byte, n)
	rand.Read(content)
	return content
}

// event as it comes over the wire.
type event struct {
	id, name, data string
}

// stream reads server-sent events; close ends the connection.
type stream struct {
	resp  *http.Response
	lines *bufio.Reader
	close context.CancelFunc
}

func (s *server) stream(method, path, body string, headers ...string) *stream {
	s.t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	s.t.Cleanup(cancel)
	req, err := http.NewRequestWithContext(ctx, method, s.url+path, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i+1 < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		s.t.Fatal(err)
	}
	if resp.StatusCode != http.StatusOK || resp.Header.Get("Content-Type") != "text/event-stream" ||
		resp.Header.Get("Cache-Control") != "no-cache" || resp.Header.Get("X-Accel-Buffering") != "no" {
		s.t.Fatalf("%d %v", resp.StatusCode, resp.Header)
	}
	return &stream{resp, bufio.NewReader(resp.Body), cancel}
}

// next is the next event; false at the end of the stream.
func (st *stream) next() (e event, ok bool) {
	for {
		line, err := st.lines.ReadString('\n')
		if err != nil {
			return e, false
		}
		key, value, _ := strings.Cut(strings.TrimRight(line, "\n"), ": ")
		switch key {
		case "id":
			e.id = value
		case "event":
			e.name = value
		case "data":
			e.data = value
		case "":
			if e.name != "" {
				return e, true
			}
		}
	}
}

func (st *stream) all() (events []event) {
	for {
		e, ok := st.next()
		if !ok {
			return events
		}
		events = append(events, e)
	}
}
