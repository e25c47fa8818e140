// Package rest is the plain HTTP protocol: tools (api/spec/execute.md), jobs with their
// events and artifacts, uploads, health. It turns requests into job calls and
// records into JSON, and knows no tool.
package rest

import (
	"net/http"

	"atelier/internal/contract"
	"atelier/internal/job"
	"atelier/internal/protocol/httpapi"
	"atelier/internal/store"
)

// Server holds what the handlers need.
type Server struct {
	Tools          *contract.Registry
	Jobs           job.API
	DB             *store.DB
	Blobs          *store.Blobs
	Version        string
	MaxUploadBytes int64
}

type methods = httpapi.Methods

// Routes lists the protocol's routes.
func (s *Server) Routes() []httpapi.Route {
	return []httpapi.Route{
		{Path: "/healthz", Methods: methods{"GET": {Serve: s.health, Doc: docHealth()}}},
		{Path: "/v1/tools", Methods: methods{"GET": {Serve: s.listTools, Doc: docListTools()}}},
		{Path: "/v1/tools/execute", Methods: methods{"POST": {Serve: s.execute, Doc: docExecute()}}, Envelope: ToolResultEnvelope},
		{Path: "/v1/jobs", Methods: methods{"GET": {Serve: s.listJobs, Doc: s.docListJobs()}, "POST": {Serve: s.createJob, Doc: docCreateJob()}}},
		{Path: "/v1/jobs/{id}", Methods: methods{"GET": {Serve: s.getJob, Doc: docGetJob()}, "DELETE": {Serve: s.deleteJob, Doc: docDeleteJob()}}},
		{Path: "/v1/jobs/{id}/events", Methods: methods{"GET": {Serve: s.events, Doc: docEvents()}}},
		{Path: "/v1/jobs/{id}/artifacts", Methods: methods{"GET": {Serve: s.listArtifacts, Doc: docListArtifacts()}}},
		{Path: "/v1/jobs/{id}/artifacts/{name...}", Methods: methods{"GET": {Serve: s.artifact, Doc: docArtifact()}}},
		{Path: "/v1/files", Methods: methods{"GET": {Serve: s.listFiles, Doc: docListFiles()}, "POST": {Serve: s.upload, Doc: docUpload()}}, AnyBody: true},
		{Path: "/v1/files/{id}", Methods: methods{"GET": {Serve: s.getFile, Doc: docGetFile()}, "DELETE": {Serve: s.deleteFile, Doc: docDeleteFile()}}},
		{Path: "/v1/files/{id}/content", Methods: methods{"GET": {Serve: s.fileContent, Doc: docFileContent()}}},
	}
}

func (s *Server) health(w http.ResponseWriter, _ *http.Request) error {
	httpapi.JSON(w, http.StatusOK, map[string]string{"status": "ok", "name": "Atelier", "version": s.Version})
	return nil
}
