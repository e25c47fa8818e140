package openapi

import (
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"atelier/internal/protocol/httpapi"
)

const (
	version31 = "3.1.1"
	dialect   = "https://json-schema.org/draft/2020-12/schema"
	bearer    = "bearer"
)

// builder collects the document, and what is wrong with what the protocols say.
type builder struct {
	doc    *Document
	owners map[string]string // operationId to its route
	faults []string
}

// build describes the routes of all protocols. A fault of a description (a method
// without one, an id or a schema twice, a reference to nothing) is listed, and
// the rest is described nevertheless: the tests refuse any.
func build(version string, needsToken bool, protocols []httpapi.Protocol) (*Document, []string) {
	b := &builder{owners: map[string]string{}, doc: &Document{
		OpenAPI: version31, JSONSchemaDialect: dialect,
		Info: Info{
			Title: "Atelier", Version: version,
			Description: "A workshop of real engineering tools for any agent. Every tool is one operation, POST /v1/tools/<name>: its input is the body, its output the answer. " +
				"The same tools can be called in the dialects of the other routes.",
			License: licenseObject{"Apache License 2.0", "Apache-2.0"},
		},
		Servers:  []serverObject{{"/", "This server."}},
		Security: []map[string][]string{{}, {bearer: {}}},
		Paths:    map[string]pathItem{},
		Components: components{
			Schemas: map[string]httpapi.Schema{}, Responses: map[string]responseObject{},
			SecuritySchemes: map[string]securitySchemeObject{bearer: {"http", "bearer", "The token that the server was started with; off loopback it always has one."}},
		},
	}}
	if needsToken {
		b.doc.Security = b.doc.Security[1:]
	}
	for _, protocol := range protocols {
		b.addSchemas(protocol.Schemas())
		for _, route := range protocol.Routes() {
			b.addRoute(route)
		}
	}
	b.addTags()
	b.checkReferences()
	return b.doc, b.faults
}

func (b *builder) fault(format string, args ...any) {
	b.faults = append(b.faults, fmt.Sprintf(format, args...))
}

// localRef is a reference of a schema into itself.
var localRef = regexp.MustCompile(`("\$ref"\s*:\s*")#(/\$defs/|/definitions/|/properties/|")`)

// addSchemas embeds schemas untouched but for one thing: "#/$defs/x" would lead
// into the OpenAPI document, so it becomes "#/components/schemas/<name>/$defs/x".
// An $id would spare that by the standard, but kin-openapi, Redocly and
// schemathesis do not resolve references against it.
func (b *builder) addSchemas(schemas map[string]httpapi.Schema) {
	for _, name := range slices.Sorted(maps.Keys(schemas)) {
		rewritten := localRef.ReplaceAll(schemas[name], []byte("${1}#/components/schemas/"+name+"${2}"))
		if other, twice := b.doc.Components.Schemas[name]; twice && string(other) != string(rewritten) {
			b.fault("the schema %s is described twice", name)
		}
		b.doc.Components.Schemas[name] = rewritten
	}
}

// wildcard is a segment of a ServeMux pattern.
var wildcard = regexp.MustCompile(`\{([^{}.$]+)(\.\.\.)?\}`)

func (b *builder) addRoute(route httpapi.Route) {
	path := wildcard.ReplaceAllString(strings.TrimSuffix(route.Path, "{$}"), "{$1}")
	item := b.doc.Paths[path]
	if item == nil {
		item = pathItem{}
	}
	for _, method := range slices.Sorted(maps.Keys(route.Methods)) {
		doc := route.Methods[method].Doc
		if doc == nil {
			b.fault("%s %s has no description", method, route.Path)
			continue
		}
		if other, twice := b.owners[doc.ID]; twice || doc.ID == "" {
			b.fault("%s %s has the id %q of %s", method, route.Path, doc.ID, other)
		}
		b.owners[doc.ID] = method + " " + route.Path
		item[strings.ToLower(method)] = b.operation(route, method, doc)
	}
	if len(item) > 0 {
		b.doc.Paths[path] = item
	}
}

func (b *builder) operation(route httpapi.Route, method string, doc *httpapi.Operation) operationObject {
	op := operationObject{
		OperationID: doc.ID, Tags: []string{doc.Tag}, Summary: doc.Summary, Description: doc.Description,
		Parameters: parameters(route.Path, doc.Parameters), Responses: map[string]responseObject{},
	}
	if doc.Tag == "" || doc.Summary == "" {
		b.fault("%s %s needs a tag and a summary", method, route.Path)
	}
	if doc.Request != nil {
		op.RequestBody = &bodyObject{doc.Request.Description, doc.Request.Required, contents(doc.Request.Content)}
	}
	for status, body := range doc.Responses {
		op.Responses[strconv.Itoa(status)] = response(status, body)
	}
	errors := slices.Concat(doc.Errors, []int{http.StatusInternalServerError, http.StatusServiceUnavailable})
	if doc.Request != nil {
		errors = append(errors, http.StatusBadRequest, http.StatusRequestEntityTooLarge, http.StatusUnsupportedMediaType)
	}
	for _, status := range errors {
		b.addError(&op, status, doc.ErrorSchema)
	}
	if route.Open {
		op.Security = []map[string][]string{{}}
	} else {
		b.addError(&op, http.StatusUnauthorized, nil) // by the gate, which knows no envelope
	}
	b.addError(&op, http.StatusForbidden, nil)
	return op
}

// addError describes an error status, unless the operation does so itself.
func (b *builder) addError(op *operationObject, status int, schema httpapi.Schema) {
	key := strconv.Itoa(status)
	if _, described := op.Responses[key]; described {
		return
	}
	name, body := "Error"+key, httpapi.JSONBody(meaning(status), httpapi.Ref("Error"))
	if schema != nil {
		body = httpapi.JSONBody(meaning(status), schema)
		op.Responses[key] = response(status, body)
		return
	}
	b.doc.Components.Responses[name] = response(status, body)
	op.Responses[key] = responseObject{Ref: "#/components/responses/" + name}
}

func meaning(status int) string {
	switch status {
	case http.StatusBadRequest:
		return "The request is malformed, or the input does not validate; details.errors lists all faults."
	case http.StatusUnauthorized:
		return "The server needs a bearer token."
	case http.StatusForbidden:
		return "The Host or the Origin of the request is not allowed, or a file lies outside the folders that may be read."
	case http.StatusUnprocessableEntity:
		return "The tool or its engine could not do what was asked for."
	case http.StatusNotImplemented:
		return "The engine that the tool needs is not installed."
	case http.StatusInsufficientStorage:
		return "The storage quota is used up."
	}
	return http.StatusText(status) + "."
}

// parameters lists the operation's own, and those of the path that it does not
// describe itself.
func parameters(pattern string, own []httpapi.Parameter) []parameterObject {
	var list []parameterObject
	for _, match := range wildcard.FindAllStringSubmatch(pattern, -1) {
		p := httpapi.Parameter{Name: match[1], In: "path", Required: true, Schema: httpapi.Schema(`{"type":"string","minLength":1}`)}
		if i := slices.IndexFunc(own, func(o httpapi.Parameter) bool { return o.In == "path" && o.Name == match[1] }); i >= 0 {
			p = own[i]
			p.Required = true
		}
		if match[2] != "" {
			p.Description = strings.TrimSpace(p.Description + " It may hold slashes, as they are or encoded.")
		}
		list = append(list, parameterObject(p))
	}
	for _, p := range own {
		if p.In != "path" {
			list = append(list, parameterObject(p))
		}
	}
	for i := range list {
		if list[i].Schema == nil {
			list[i].Schema = httpapi.Schema(`{"type":"string"}`)
		}
	}
	return list
}

func contents(content map[string]httpapi.Media) map[string]mediaObject {
	objects := map[string]mediaObject{}
	for mediaType, media := range content {
		object := mediaObject{Schema: media.Schema, Examples: map[string]exampleObject{}}
		for name, value := range media.Examples {
			switch e := value.(type) {
			case httpapi.Example:
				object.Examples[name] = exampleObject(e)
			default:
				object.Examples[name] = exampleObject{Value: e}
			}
		}
		objects[mediaType] = object
	}
	return objects
}

func response(status int, body httpapi.Body) responseObject {
	r := responseObject{Description: body.Description, Headers: map[string]headerObject{}, Content: contents(body.Content)}
	if r.Description == "" {
		r.Description = meaning(status)
	}
	for name, description := range body.Headers {
		r.Headers[name] = headerObject{description, httpapi.Schema(`{"type":"string"}`)}
	}
	if status == http.StatusTooManyRequests {
		r.Headers["Retry-After"] = headerObject{"Seconds until another attempt.", httpapi.Schema(`{"type":"string"}`)}
	}
	return r
}

// groups says what the operations of a tag are for; one that is missing here is
// described by its name.
var groups = map[string]string{
	"Admin":       "What an operator needs to see and to do.",
	"Agent":       "What an orchestrator needs to start, and what language models call.",
	"Chat":        "The OpenAI routes: a model, or the caller itself, chooses tools.",
	"Files":       "Uploads for the file arguments of tools.",
	"Harmony":     "Tools for models that speak the Harmony format.",
	"Invocations": "Manifests of the tools, and invocations, which answer in one envelope.",
	"Jobs":        "Calls as records that can be followed, cancelled and read again.",
	"MCP":         "The Model Context Protocol.",
	"Server":      "The server itself.",
	"Sessions":    "Work that lasts: assets, steps and the manifest of a session.",
	"Tools":       "The tools: what they are, and calls of them.",
	"Workbench":   "The web page.",
}

func (b *builder) addTags() {
	var tags []string
	for _, item := range b.doc.Paths {
		for _, op := range item {
			tags = append(tags, op.Tags...)
		}
	}
	slices.Sort(tags)
	for _, tag := range slices.Compact(tags) {
		description, known := groups[tag]
		if !known {
			description = tag + "."
		}
		b.doc.Tags = append(b.doc.Tags, tagObject{tag, description})
	}
}

var componentRef = regexp.MustCompile(`"\$ref"\s*:\s*"([^"]*)"`)

// checkReferences lists references that lead nowhere, and leaves out schemas
// that nothing refers to: a protocol may describe routes that this server does not
// have.
func (b *builder) checkReferences() {
	all := b.doc.Components.Schemas
	b.doc.Components.Schemas = nil
	raw, err := b.doc.JSON()
	if err != nil {
		b.fault("the document cannot be encoded: %v", err)
		return
	}
	used := map[string]httpapi.Schema{}
	for todo := [][]byte{raw}; len(todo) > 0; todo = todo[1:] {
		for _, match := range componentRef.FindAllSubmatch(todo[0], -1) {
			ref := string(match[1])
			if strings.HasPrefix(ref, "#/components/responses/") {
				continue // made here
			}
			name, isSchema := strings.CutPrefix(ref, "#/components/schemas/")
			name, _, _ = strings.Cut(name, "/")
			schema, known := all[name]
			if !isSchema || !known {
				b.fault("the reference %s leads nowhere", ref)
			} else if used[name] == nil {
				used[name] = schema
				todo = append(todo, schema)
			}
		}
	}
	b.doc.Components.Schemas = used
	slices.Sort(b.faults)
	b.faults = slices.Compact(b.faults)
}
