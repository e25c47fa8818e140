// Package workbench serves the web page: the workbench at /, the admin page at
// /admin, and their scripts and styles. They need no token, since a browser
// cannot send one with a page; whatever the page then asks for needs it.
package workbench

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"fmt"
	"io"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"strconv"
	"strings"

	"atelier/internal/contract"
	"atelier/internal/protocol/httpapi"
)

// policy lets the page load from this server alone: no inline script or style,
// no other origin, no frame around it.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; connect-src 'self'; " +
	"font-src 'self'; worker-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// Server serves a built page.
type Server struct {
	page     file
	licences file
	assets   map[string]file
}

type file struct {
	mime, tag string
	zipped    []byte
	plain     []byte
}

// New reads the page from the folder dist of a file system.
func New(files fs.FS) (*Server, error) {
	s := &Server{assets: map[string]file{}}
	var err error
	if s.page, err = readFile(files, "dist/index.html"); err != nil {
		return nil, err
	}
	if s.licences, err = readFile(files, "dist/LICENSES.txt"); err != nil {
		return nil, err
	}
	entries, err := fs.ReadDir(files, "dist/assets")
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		name, zipped := strings.CutSuffix(e.Name(), ".gz")
		if !zipped {
			return nil, fmt.Errorf("workbench: %s is not compressed", e.Name())
		}
		raw, err := fs.ReadFile(files, path.Join("dist/assets", e.Name()))
		if err != nil {
			return nil, err
		}
		f := file{mime: mime.TypeByExtension(path.Ext(name)), zipped: raw}
		reader, err := gzip.NewReader(bytes.NewReader(raw))
		if err == nil {
			f.plain, err = io.ReadAll(reader)
		}
		if err != nil {
			return nil, fmt.Errorf("workbench: %s: %w", e.Name(), err)
		}
		s.assets[name] = f.tagged()
	}
	return s, nil
}

func readFile(files fs.FS, name string) (file, error) {
	raw, err := fs.ReadFile(files, name)
	if err != nil {
		return file{}, err
	}
	var zipped bytes.Buffer
	w := gzip.NewWriter(&zipped)
	_, err = w.Write(raw)
	if err == nil {
		err = w.Close()
	}
	return file{mime: mime.TypeByExtension(path.Ext(name)), plain: raw, zipped: zipped.Bytes()}.tagged(), err
}

func (f file) tagged() file {
	f.tag = fmt.Sprintf(`"%x"`, sha256.Sum256(f.plain))
	return f
}

// Routes lists the protocol's routes.
func (s *Server) Routes() []httpapi.Route {
	return []httpapi.Route{
		{Path: "/{$}", Open: true, Methods: httpapi.Methods{"GET": {Serve: s.serve(&s.page, "no-cache"), Doc: docPage("getWorkbench", "The workbench, a web page")}}},
		{Path: "/admin", Open: true, Methods: httpapi.Methods{"GET": {Serve: s.serve(&s.page, "no-cache"), Doc: docPage("getAdminPage", "The admin page")}}},
		{Path: "/assets/{name}", Open: true, Methods: httpapi.Methods{"GET": {Serve: s.asset, Doc: docAsset()}}},
		{Path: "/licenses.txt", Open: true, Methods: httpapi.Methods{"GET": {Serve: s.serve(&s.licences, "no-cache"), Doc: docLicences()}}},
	}
}

// Schemas implements web.Protocol.
func (s *Server) Schemas() map[string]httpapi.Schema { return nil }

func (s *Server) asset(w http.ResponseWriter, r *http.Request) error {
	f, known := s.assets[r.PathValue("name")]
	if !known {
		return contract.Errorf(contract.CodeNotFound, "the page has no part %q", r.PathValue("name")).
			WithHint("Load the page anew: the server may have been replaced by a newer one.")
	}
	return s.serve(&f, "public, max-age=31536000, immutable")(w, r)
}

func (s *Server) serve(f *file, caching string) httpapi.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		h := w.Header()
		h.Set("Content-Security-Policy", policy)
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cache-Control", caching)
		h.Set("ETag", f.tag)
		h.Set("Vary", "Accept-Encoding")
		if known := r.Header.Get("If-None-Match"); strings.Contains(known, f.tag) {
			w.WriteHeader(http.StatusNotModified)
			return nil
		}
		body := f.plain
		if acceptsGzip(r) {
			body = f.zipped
			h.Set("Content-Encoding", "gzip")
		}
		h.Set("Content-Type", f.mime)
		h.Set("Content-Length", strconv.Itoa(len(body)))
		_, _ = w.Write(body) // a client that went away is no fault of ours
		return nil
	}
}

// acceptsGzip reads Accept-Encoding (RFC 9110, 12.5.3); a weight of 0 refuses.
func acceptsGzip(r *http.Request) bool {
	for _, item := range strings.Split(r.Header.Get("Accept-Encoding"), ",") {
		coding, weight, _ := strings.Cut(strings.TrimSpace(item), ";")
		if !strings.EqualFold(strings.TrimSpace(coding), "gzip") {
			continue
		}
		q, given := strings.CutPrefix(strings.TrimSpace(weight), "q=")
		v, err := strconv.ParseFloat(q, 64)
		return !given || err == nil && v > 0
	}
	return false
}
