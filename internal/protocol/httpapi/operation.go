package httpapi

import "encoding/json"

// Schema is a JSON Schema (2020-12) as it stands in the OpenAPI document.
type Schema = json.RawMessage

// Operation describes one method of a route, for the OpenAPI document and the
// docs. The tests refuse a route without one.
type Operation struct {
	ID          string // operationId: unique; camelCase, or a tool's alias
	Tag         string // the group of the operation: Tools, Jobs, Files …
	Summary     string
	Description string
	Parameters  []Parameter
	Request     *Body
	// Responses by status. Errors of the route's envelope need not stand here:
	// Errors lists their statuses, ErrorSchema is their body. What any route may
	// answer need stand nowhere: the gate's 401 and 403, 413 and 415 where there
	// is a body, and 500, 503.
	Responses   map[int]Body
	Errors      []int
	ErrorSchema Schema // nil: the plain envelope of ErrorObject
}

// Parameter of an operation. In is path, query or header.
type Parameter struct {
	Name, In, Description string
	Required              bool
	Schema                Schema
	Example               any
}

// Body is what a request or response carries, by media type.
type Body struct {
	Description string
	Required    bool // of a request
	Content     map[string]Media
	Headers     map[string]string // name to description
}

// Media is one representation of a body. Examples have a name each; one that is
// an Example has a title beside its value.
type Media struct {
	Schema   Schema
	Examples map[string]any
}

// Example is a value with a title.
type Example struct {
	Summary     string
	Description string
	Value       any
}

// JSONBody is a body of application/json.
func JSONBody(description string, schema Schema) Body {
	return Body{Description: description, Required: true, Content: map[string]Media{"application/json": {Schema: schema}}}
}

// EventStream is a body of server-sent events whose data are JSON of a schema.
// The schema of the media type is that of one event, as its fields are read.
func EventStream(description string, data Schema) Body {
	return Body{Description: description, Content: map[string]Media{"text/event-stream": {Schema: Schema(`{"type":"object","description":"The fields of one event.","properties":{` +
		`"id":{"type":"string"},"event":{"type":"string"},` +
		`"data":{"type":"string","contentMediaType":"application/json","contentSchema":` + string(data) + `}}}`)}}}
}

// Ref is the schema that refers to a named one.
func Ref(name string) Schema { return Schema(`{"$ref":"#/components/schemas/` + name + `"}`) }

// Examples returns the body with examples for its application/json.
func (b Body) Examples(examples map[string]any) Body {
	media := b.Content["application/json"]
	media.Examples = examples
	b.Content = map[string]Media{"application/json": media}
	return b
}
