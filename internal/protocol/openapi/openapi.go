// Package openapi serves the OpenAPI 3.1 description of the whole server, made
// once at start from what the protocols say of their routes: it knows no route and
// no tool itself.
package openapi

import (
	"crypto/sha256"
	"fmt"
	"net/http"
	"strings"
	"sync"

	"atelier/internal/protocol/httpapi"
)

// Server holds the document in both forms; YAML is written when it is first
// asked for.
type Server struct {
	json, yaml func() representation
	faults     []string
}

type representation struct {
	mediaType, tag string
	content        []byte
}

func represent(mediaType string, content []byte) representation {
	return representation{mediaType, fmt.Sprintf(`"%x"`, sha256.Sum256(content)), content}
}

// New describes the protocols and itself. needsToken says that the server answers
// only with a bearer token. It panics when a protocol gives a schema or example that
// is not JSON: a program with a broken description must not start.
func New(version string, needsToken bool, protocols ...httpapi.Protocol) *Server {
	s := &Server{}
	doc, faults := build(version, needsToken, append(protocols[:len(protocols):len(protocols)], s))
	asJSON, err := doc.JSON()
	if err != nil {
		panic(fmt.Errorf("OpenAPI document: %w", err))
	}
	whole := represent("application/json", asJSON)
	s.json = func() representation { return whole }
	s.yaml = sync.OnceValue(func() representation {
		asYAML, err := YAML(asJSON)
		if err != nil {
			panic(fmt.Errorf("OpenAPI document as YAML: %w", err)) // JSON is YAML
		}
		return represent("application/yaml", asYAML)
	})
	s.faults = faults
	return s
}

// Faults lists what is wrong with the protocols' descriptions, sorted.
func (s *Server) Faults() []string { return s.faults }

// JSON is the document.
func (s *Server) JSON() []byte { return s.json().content }

// Routes lists the protocol's routes.
func (s *Server) Routes() []httpapi.Route {
	return []httpapi.Route{
		{Path: "/openapi.json", Methods: httpapi.Methods{"GET": {Serve: serve(s.json), Doc: doc("getOpenAPI", "This document", "application/json", `{"type":"object"}`)}}},
		{Path: "/openapi.yaml", Methods: httpapi.Methods{"GET": {Serve: serve(s.yaml), Doc: doc("getOpenAPIAsYAML", "This document as YAML", "application/yaml", `{}`)}}},
	}
}

func doc(id, summary, mediaType, schema string) *httpapi.Operation {
	headers := map[string]string{"ETag": "Changes with the document."}
	return &httpapi.Operation{
		ID: id, Tag: "Server", Summary: summary,
		Parameters: []httpapi.Parameter{{Name: "If-None-Match", In: "header", Description: "An ETag; where it is still the document's, the answer is 304.",
			Schema: httpapi.Schema(`{"type":"string"}`)}},
		Responses: map[int]httpapi.Body{
			http.StatusOK: {Description: "OpenAPI 3.1.1.", Headers: headers,
				Content: map[string]httpapi.Media{mediaType: {Schema: httpapi.Schema(schema)}}},
			http.StatusNotModified: {Description: "It has not changed.", Headers: headers},
		},
	}
}

func serve(form func() representation) httpapi.Handler {
	return func(w http.ResponseWriter, req *http.Request) error {
		r := form()
		w.Header().Set("ETag", r.tag)
		w.Header().Set("Cache-Control", "no-cache")
		if known := req.Header.Get("If-None-Match"); known == "*" || strings.Contains(known, r.tag) {
			w.WriteHeader(http.StatusNotModified)
			return nil
		}
		w.Header().Set("Content-Type", r.mediaType)
		_, _ = w.Write(r.content) // a client that went away is no fault of ours
		return nil
	}
}

// Schemas implements web.Protocol: the plain envelope of errors.
func (s *Server) Schemas() map[string]httpapi.Schema {
	return map[string]httpapi.Schema{"Error": httpapi.Schema(`{
		"type":"object","description":"What went wrong.","required":["error"],"additionalProperties":false,
		"properties":{"error":{"type":"object","required":["code","message"],"additionalProperties":false,"properties":{
			"code":{"type":"string","description":"A stable code."},
			"message":{"type":"string","description":"A sentence for people and models."},
			"details":{"type":"object","description":"field (JSON pointer), hint, what was accepted; errors, where there are several faults."}}}}}`)}
}
