package openapi

import (
	"bytes"
	"encoding/json"

	"go.yaml.in/yaml/v3"

	"atelier/internal/protocol/httpapi"
)

// Document is an OpenAPI 3.1 description. Maps are encoded sorted, so that the
// same server always has the same document.
type Document struct {
	OpenAPI           string                `json:"openapi"`
	Info              Info                  `json:"info"`
	JSONSchemaDialect string                `json:"jsonSchemaDialect"`
	Servers           []serverObject        `json:"servers"`
	Security          []map[string][]string `json:"security"`
	Tags              []tagObject           `json:"tags"`
	Paths             map[string]pathItem   `json:"paths"`
	Components        components            `json:"components"`
}

// Info is the head of the document.
type Info struct {
	Title       string        `json:"title"`
	Version     string        `json:"version"`
	Description string        `json:"description"`
	License     licenseObject `json:"license"`
}

type licenseObject struct {
	Name       string `json:"name"`
	Identifier string `json:"identifier"` // SPDX
}

type serverObject struct {
	URL         string `json:"url"`
	Description string `json:"description"`
}

type tagObject struct {
	Name        string `json:"name"`
	Description string `json:"description"`
}

// pathItem has an operation by method, in lower case.
type pathItem map[string]operationObject

type operationObject struct {
	Security    []map[string][]string     `json:"security,omitempty"` // of a route that needs no token
	OperationID string                    `json:"operationId"`
	Tags        []string                  `json:"tags"`
	Summary     string                    `json:"summary"`
	Description string                    `json:"description,omitempty"`
	Parameters  []parameterObject         `json:"parameters,omitempty"`
	RequestBody *bodyObject               `json:"requestBody,omitempty"`
	Responses   map[string]responseObject `json:"responses"`
}

type parameterObject struct {
	Name        string         `json:"name"`
	In          string         `json:"in"`
	Description string         `json:"description,omitempty"`
	Required    bool           `json:"required,omitempty"`
	Schema      httpapi.Schema `json:"schema"`
	Example     any            `json:"example,omitempty"`
}

type bodyObject struct {
	Description string                 `json:"description,omitempty"`
	Required    bool                   `json:"required,omitempty"`
	Content     map[string]mediaObject `json:"content"`
}

type mediaObject struct {
	Schema   httpapi.Schema           `json:"schema,omitempty"`
	Examples map[string]exampleObject `json:"examples,omitempty"`
}

type exampleObject struct {
	Summary     string `json:"summary,omitempty"`
	Description string `json:"description,omitempty"`
	Value       any    `json:"value"`
}

// responseObject is a response, or with Ref alone a reference to a named one.
type responseObject struct {
	Ref         string                  `json:"$ref,omitempty"`
	Description string                  `json:"description,omitempty"`
	Headers     map[string]headerObject `json:"headers,omitempty"`
	Content     map[string]mediaObject  `json:"content,omitempty"`
}

type headerObject struct {
	Description string         `json:"description"`
	Schema      httpapi.Schema `json:"schema"`
}

type components struct {
	Schemas         map[string]httpapi.Schema       `json:"schemas"`
	Responses       map[string]responseObject       `json:"responses"`
	SecuritySchemes map[string]securitySchemeObject `json:"securitySchemes"`
}

type securitySchemeObject struct {
	Type        string `json:"type"`
	Scheme      string `json:"scheme"`
	Description string `json:"description"`
}

// JSON encodes the document, indented.
func (d *Document) JSON() ([]byte, error) {
	var compact, indented bytes.Buffer
	enc := json.NewEncoder(&compact)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(d); err != nil {
		return nil, err
	}
	if err := json.Indent(&indented, compact.Bytes(), "", "  "); err != nil {
		return nil, err
	}
	return indented.Bytes(), nil
}

// YAML is the same document as YAML. JSON is YAML, so it is read as it stands,
// order and all, and only written in the other style.
func YAML(document []byte) ([]byte, error) {
	var root yaml.Node
	if err := yaml.Unmarshal(document, &root); err != nil {
		return nil, err
	}
	plainStyle(&root)
	return yaml.Marshal(&root)
}

func plainStyle(node *yaml.Node) {
	node.Style = 0
	for _, child := range node.Content {
		plainStyle(child)
	}
}
