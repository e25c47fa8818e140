package direct

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"atelier/internal/contract"
	"atelier/internal/protocol/httpapi"
)

const tag = "Tools"

// InputSchema and OutputSchema name a tool's schemas in the OpenAPI document.
func InputSchema(c *contract.Contract) string  { return c.Alias() + "_input" }
func OutputSchema(c *contract.Contract) string { return c.Alias() + "_output" }

func nameParameter() httpapi.Parameter {
	return httpapi.Parameter{Name: "name", In: "path", Required: true, Description: "A tool's name or alias.",
		Schema: httpapi.Schema(`{"type":"string","pattern":"^[A-Za-z][A-Za-z0-9_.-]{0,63}$"}`), Example: "echo_json"}
}

func callParameters() []httpapi.Parameter {
	return []httpapi.Parameter{
		{Name: "timeout_ms", In: "query", Description: "The call's time limit in ms; one above the tool's ceiling is reduced to it, with the warning limit_clamped.",
			Schema: httpapi.Schema(`{"type":"integer","minimum":1}`)},
		{Name: "session_id", In: "query", Description: "The session that the call belongs to: it becomes one of its steps, and file arguments may name its files as session:<path>.",
			Schema: httpapi.Schema(`{"type":"string","minLength":1}`)},
		{Name: "Prefer", In: "header", Description: "respond-async answers 202 with the job at once, respond-async, wait=10 after 10 s, unless the call has ended by then (RFC 7240). Anything else is ignored.",
			Schema: httpapi.Schema(`{"type":"string"}`)},
		httpapi.IdempotencyParameter(),
	}
}

func docCall() *httpapi.Operation {
	return &httpapi.Operation{
		ID: "callTool", Tag: tag, Summary: "Run a tool by its name or alias",
		Description: "The body is the tool's input itself and the answer its output itself; what each tool takes and gives stands at its own path, /v1/tools/<name>.",
		Parameters:  append([]httpapi.Parameter{nameParameter()}, callParameters()...),
		Request:     body(httpapi.JSONBody("The tool's input.", httpapi.Schema(`{"type":"object"}`))),
		Responses: map[int]httpapi.Body{
			200: withHeaders(httpapi.JSONBody("The tool's output.", httpapi.Schema(`{"type":"object"}`))),
			202: started(),
		},
		Errors: []int{400, 404, 409, 422, 429, 501, 502, 504, 507}, ErrorSchema: httpapi.Ref("NotebookError"),
	}
}

func docContract() *httpapi.Operation {
	return &httpapi.Operation{
		ID: "getToolContract", Tag: tag, Summary: "The whole contract of a tool, by its name or alias",
		Parameters: []httpapi.Parameter{nameParameter()},
		Responses:  map[int]httpapi.Body{200: httpapi.JSONBody("The contract.", httpapi.Ref("Contract"))},
		Errors:     []int{404},
	}
}

func docToolContract(c *contract.Contract) *httpapi.Operation {
	return &httpapi.Operation{
		ID: c.Alias() + "_contract", Tag: tag, Summary: "The whole contract of " + c.Name,
		Responses: map[int]httpapi.Body{200: httpapi.JSONBody("The contract.", httpapi.Ref("Contract"))},
	}
}

// docTool describes a tool's own operation by its contract.
func docTool(c *contract.Contract) *httpapi.Operation {
	examples := map[string]any{}
	for i, e := range c.Examples {
		examples[fmt.Sprintf("example_%d", i+1)] = httpapi.Example{Summary: e.Title, Description: e.Notes, Value: e.Input}
	}
	op := &httpapi.Operation{
		ID: c.Alias(), Tag: tag, Summary: c.Title, Description: c.Description,
		Parameters: callParameters(),
		Request:    body(httpapi.JSONBody("The input.", httpapi.Ref(InputSchema(c))).Examples(examples)),
		Responses: map[int]httpapi.Body{
			200: withHeaders(httpapi.JSONBody("The output.", httpapi.Ref(OutputSchema(c)))),
			202: started(),
		},
	}
	maps.Copy(op.Responses, errorResponses(c))
	return op
}

// errorResponses has one response for each status, which lists its codes: first
// the contract's own, then those of any call.
func errorResponses(c *contract.Contract) map[int]httpapi.Body {
	lines := map[int][]string{}
	listed := map[string]bool{}
	add := func(code string, status int, when string) {
		if !listed[code] {
			listed[code] = true
			lines[status] = append(lines[status], fmt.Sprintf("- `%s`: %s", code, when))
		}
	}
	for _, e := range c.Errors {
		add(e.Code, e.HTTPStatus, e.When)
	}
	for _, code := range contract.GeneralCodes() {
		add(code, c.ErrorStatus(code), contract.Lookup(code).Meaning)
	}
	body := "Error"
	if c.Family == contract.NotebookFamily {
		body = "NotebookError"
	}
	responses := map[int]httpapi.Body{}
	for _, status := range slices.Sorted(maps.Keys(lines)) {
		responses[status] = httpapi.JSONBody(strings.Join(lines[status], "\n"), httpapi.Ref(body))
	}
	return responses
}

func docDocuments() *httpapi.Operation {
	return &httpapi.Operation{
		ID: "listContracts", Tag: tag, Summary: "The contracts of the tools",
		Description: "Name, status, transport, endpoint, schemas and errors of each tool. The errors are those of POST /v1/tools/<name>.",
		Parameters:  httpapi.SelectionParameters(),
		Responses:   map[int]httpapi.Body{200: httpapi.JSONBody("The contracts.", httpapi.Ref("Contracts"))},
		Errors:      []int{400},
	}
}

func docMarkdown() *httpapi.Operation {
	return &httpapi.Operation{
		ID: "getContractsDocument", Tag: tag, Summary: "The contracts of the tools as Markdown",
		Parameters: httpapi.SelectionParameters(),
		Responses: map[int]httpapi.Body{200: {Description: "The document.",
			Content: map[string]httpapi.Media{"text/markdown": {Schema: httpapi.Schema(`{"type":"string"}`)}}}},
		Errors: []int{400},
	}
}

func body(b httpapi.Body) *httpapi.Body { return &b }

func started() httpapi.Body {
	b := httpapi.JSONBody("The call goes on as a job (Prefer: respond-async).", httpapi.Ref("JobStarted"))
	b.Headers = map[string]string{"Location": "Where the job is.", JobHeader: "The job."}
	return b
}

func withHeaders(b httpapi.Body) httpapi.Body {
	b.Headers = map[string]string{
		JobHeader:      "The job of the call; its whole record is at /v1/jobs/<id>.",
		"Link":         "The artifacts, with rel=enclosure (the first 64), and with rel=related where all are listed.",
		warningsHeader: "Codes of warnings; their sentences stand in the job's record.",
	}
	return b
}

// Schemas implements httpapi.Protocol: those of the tools as the contracts have them,
// and those of the contracts.
func (s *Server) Schemas() map[string]httpapi.Schema {
	schemas := map[string]httpapi.Schema{
		"JobStarted": httpapi.Schema(`{"type":"object","required":["job_id","status"],"additionalProperties":false,"properties":{
			"job_id":{"type":"string"},"status":{"type":"string","enum":["queued","running","succeeded","failed","cancelled"]}}}`),
		"Contracts": httpapi.Schema(`{"type":"object","required":["contracts"],"additionalProperties":false,"properties":{
			"contracts":{"type":"array","items":{"$ref":"#/components/schemas/ContractDocument"}}}}`),
		"NotebookError": httpapi.Schema(`{"type":"object","description":"What went wrong, with the fields of the notebook dialect beside it where a tool of that family refused or failed.",
			"required":["error"],"additionalProperties":false,"properties":{
			"error":{"$ref":"#/components/schemas/Error/properties/error"},
			"status":{"const":"error"},"error_code":{"type":"string"},"error_message":{"type":"string"},
			"errors":{"type":"array","items":{"type":"object"},"description":"Every fault, its place and what to do."},
			"escalate":{"type":"boolean","description":"Two calls of the tool have failed in a row: ask the orchestrator."}}}`),
		"ContractDocument": httpapi.Schema(contractDocument),
		"Contract":         httpapi.Schema(wholeContract),
	}
	for _, tool := range s.Tools.All() {
		schemas[InputSchema(tool.Contract)] = tool.Contract.InputSchema
		schemas[OutputSchema(tool.Contract)] = tool.Contract.OutputSchema
	}
	return schemas
}

const contractDocument = `{
  "type": "object", "description": "A tool's contract: name, status, transport, endpoint, schemas, errors.", "additionalProperties": false,
  "required": ["name", "status", "transport", "endpoint", "input_schema", "output_schema", "errors", "available"],
  "properties": {
    "available": {"type": "boolean", "description": "Whether this machine can run the tool."},
    "reason": {"type": "string", "description": "Why not."}, "install": {"type": "string", "description": "What installs what is missing."},
    "name": {"type": "string"}, "status": {"type": "string"}, "transport": {"type": "string"}, "endpoint": {"type": "string"},
    "input_schema": {"type": "object"}, "output_schema": {"type": "object"},
    "errors": {"type": "array", "items": {"type": "object", "additionalProperties": false, "required": ["code", "http_status"],
      "properties": {"code": {"type": "string"}, "http_status": {"type": "integer", "minimum": 400, "maximum": 599}}}}
  }
}`

const wholeContract = `{
  "type": "object", "description": "All that a tool promises.", "additionalProperties": false,
  "required": ["name", "title", "version", "stability", "status", "transport", "endpoint", "family", "tags", "description", "capabilities",
    "input_schema", "output_schema", "evidence", "errors", "examples", "effects", "deterministic", "limits", "cost_hint", "engine", "available", "general_errors"],
  "properties": {
    "available": {"type": "boolean", "description": "Whether this machine can run the tool."},
    "reason": {"type": "string", "description": "Why not."}, "install": {"type": "string", "description": "What installs what is missing."},
    "general_errors": {"type": "array", "description": "Errors that any tool may answer with, beside those of its own in errors.",
      "items": {"type": "object", "additionalProperties": false, "required": ["code", "http_status", "when"], "properties": {
        "code": {"type": "string"}, "http_status": {"type": "integer", "minimum": 400, "maximum": 599}, "when": {"type": "string"}}}},
    "name": {"type": "string", "description": "The canonical name; its alias has _ for each dot."},
    "title": {"type": "string"},
    "version": {"type": "string", "pattern": "^[0-9]+\\.[0-9]+\\.[0-9]+$"},
    "stability": {"type": "string", "enum": ["stable", "experimental", "deprecated"]},
    "deprecation": {"type": "object", "required": ["since", "replacement"], "additionalProperties": false,
      "properties": {"since": {"type": "string"}, "replacement": {"type": "string"}, "removal": {"type": "string"}}},
    "status": {"type": "string"}, "transport": {"type": "string"}, "endpoint": {"type": "string"},
    "family": {"type": "string", "description": "The group that ?family selects."},
    "tags": {"type": "array", "items": {"type": "string"}},
    "description": {"type": "string"},
    "capabilities": {"type": ["array", "null"], "items": {"type": "string"}},
    "input_schema": {"type": "object"}, "output_schema": {"type": "object"},
    "errors": {"type": ["array", "null"], "items": {"type": "object", "additionalProperties": false, "required": ["code", "http_status", "when"],
      "properties": {"code": {"type": "string"}, "http_status": {"type": "integer", "minimum": 400, "maximum": 599}, "when": {"type": "string"},
        "fields": {"type": "array", "items": {"type": "string"}, "description": "JSON pointers of the arguments whose faults have this code."}}}},
    "evidence": {"description": "What stands behind a result: exact, none, or the figures that checks are made for.", "oneOf": [
      {"type": "string", "enum": ["exact", "none"]},
      {"type": "object", "additionalProperties": false, "required": ["quantities"], "properties": {"quantities": {"type": "array", "items": {"type": "object", "additionalProperties": false,
        "required": ["figure", "what"], "properties": {"figure": {"type": "string", "description": "JSON pointer into the output; * is any one token."}, "what": {"type": "string"}}}}}}]},
    "examples": {"type": "array", "items": {"type": "object", "required": ["title", "input", "notes"],
      "properties": {"title": {"type": "string"}, "input": {"type": "object"}, "notes": {"type": "string"}}}},
    "effects": {"type": "object", "additionalProperties": false, "required": ["read_only", "destructive", "idempotent", "open_world", "side_effects"],
      "properties": {"read_only": {"type": "boolean"}, "destructive": {"type": "boolean"}, "idempotent": {"type": "boolean"}, "open_world": {"type": "boolean"},
        "side_effects": {"type": "string", "enum": ["none", "read_only", "external_write"]}}},
    "deterministic": {"type": "boolean"},
    "limits": {"type": "object", "additionalProperties": {"type": "integer", "minimum": 0}},
    "cost_hint": {"type": "object", "additionalProperties": false, "required": ["unit", "estimated_cost", "currency"],
      "properties": {"unit": {"type": "string"}, "estimated_cost": {"type": "number"}, "currency": {"type": "string"}}},
    "engine": {"type": "string", "description": "The engine whose queue the tool's jobs wait in; atelier for tools inside the server."}
  }
}`
