// Package session is the HTTP protocol of sessions (api/spec/agent.md): uploads, the
// manifest, conversations with their events, files, the export.
package session

import (
	"net/http"

	"atelier/internal/protocol/httpapi"
	"atelier/internal/session"
)

// Server holds what the handlers need.
type Server struct {
	Sessions       *session.Service
	MaxUploadBytes int64
}

// Routes lists the protocol's routes. Those of conversations are left out where
// nothing can hold one.
func (s *Server) Routes() []httpapi.Route {
	routes := []httpapi.Route{
		{Path: "/v1/sessions", AnyBody: true, Methods: httpapi.Methods{
			"GET": {Serve: s.list, Doc: docList()}, "POST": {Serve: s.create, Doc: docCreate()}}},
		{Path: "/v1/sessions/{id}", Methods: httpapi.Methods{
			"GET": {Serve: s.get, Doc: docGet()}, "DELETE": {Serve: s.delete, Doc: docDelete()}}},
		{Path: "/v1/sessions/{id}/manifest", Methods: httpapi.Methods{"PUT": {Serve: s.replace, Doc: docReplace()}}},
		{Path: "/v1/sessions/{id}/files", AnyBody: true, Methods: httpapi.Methods{"POST": {Serve: s.addFiles, Doc: docAddFiles()}}},
		{Path: "/v1/sessions/{id}/assets/{path...}", Methods: httpapi.Methods{"GET": {Serve: s.asset, Doc: docAsset()}}},
		{Path: "/v1/sessions/{id}/export", Methods: httpapi.Methods{"GET": {Serve: s.export, Doc: docExport()}}},
		{Path: "/v1/sessions/{id}/events", Methods: httpapi.Methods{"GET": {Serve: s.events, Doc: docEvents()}}},
		{Path: "/v1/sessions/{id}/cancel", Methods: httpapi.Methods{"POST": {Serve: s.cancel, Doc: docCancel()}}},
	}
	if s.Sessions.HasRunner() {
		routes = append(routes,
			httpapi.Route{Path: "/v1/sessions/{id}/chat", Methods: httpapi.Methods{"POST": {Serve: s.chat, Doc: docChat()}}},
			httpapi.Route{Path: "/v1/sessions/{id}/approval", Methods: httpapi.Methods{"POST": {Serve: s.approval, Doc: docApproval()}}})
	}
	return routes
}

func (s *Server) list(w http.ResponseWriter, r *http.Request) error {
	if err := httpapi.OnlyParameters(r, "limit", "cursor"); err != nil {
		return err
	}
	limit, cursor, err := httpapi.Page(r)
	if err != nil {
		return err
	}
	sessions, next, err := s.Sessions.List(r.Context(), limit, cursor)
	if err != nil {
		return err
	}
	httpapi.WritePage(w, "sessions", sessions, next)
	return nil
}

func (s *Server) get(w http.ResponseWriter, r *http.Request) error {
	m, err := s.Sessions.Get(r.Context(), r.PathValue("id"))
	if err != nil {
		return err
	}
	writeManifest(w, r, m)
	return nil
}

func (s *Server) delete(w http.ResponseWriter, r *http.Request) error {
	id := r.PathValue("id")
	if err := s.Sessions.Delete(r.Context(), id); err != nil {
		return err
	}
	httpapi.JSON(w, http.StatusOK, map[string]any{"session_id": id, "deleted": true})
	return nil
}

func (s *Server) cancel(w http.ResponseWriter, r *http.Request) error {
	m, err := s.Sessions.Cancel(r.Context(), r.PathValue("id"))
	if err != nil {
		return err
	}
	answer(w, m)
	return nil
}

// answer is {session_id, state}, as api/spec/agent.md has it.
func answer(w http.ResponseWriter, m *session.Manifest) {
	w.Header().Set("ETag", entityTag(m.Version))
	httpapi.JSON(w, http.StatusOK, map[string]any{"session_id": m.SessionID, "state": m})
}
