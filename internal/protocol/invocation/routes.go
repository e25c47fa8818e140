package invocation

import (
	"encoding/json"
	"net/http"

	"atelier/internal/contract"
	"atelier/internal/protocol/httpapi"
)

// Routes lists the protocol's routes.
func (s *Server) Routes() []httpapi.Route {
	return []httpapi.Route{
		{Path: "/v1/manifests", Methods: httpapi.Methods{"GET": {Serve: s.listManifests, Doc: &docList}}},
		{Path: "/v1/manifests/{name}", Methods: httpapi.Methods{"GET": {Serve: s.getManifest, Doc: &docManifest}}},
		{Path: "/v1/invocations", Methods: httpapi.Methods{"POST": {Serve: s.invoke, Doc: &docInvoke}}, Envelope: Envelope},
	}
}

var docList = httpapi.Operation{
	ID: "listManifests", Tag: "Invocations", Summary: "The manifests of all tools",
	Description: "Sorted by name, each in its newest version. A tool whose engine is missing on this machine is listed too; invoking it answers MISSING_DEPENDENCY.",
	Parameters:  httpapi.SelectionParameters(),
	Responses: map[int]httpapi.Body{http.StatusOK: httpapi.JSONBody("The manifests.",
		httpapi.Schema(`{"type":"object","additionalProperties":false,"required":["manifests","availability"],"properties":{"availability":{"$ref":"#/components/schemas/Availability"},"manifests":{"type":"array","items":{"$ref":"#/components/schemas/ToolManifest"}}}}`))},
	Errors: []int{http.StatusBadRequest},
}

var docManifest = httpapi.Operation{
	ID: "getManifest", Tag: "Invocations", Summary: "The manifest of one tool",
	Parameters: []httpapi.Parameter{
		{Name: "name", In: "path", Required: true, Description: "The manifest's name, or the tool's canonical id.", Schema: httpapi.Schema(`{"type":"string"}`), Example: "echo_json"},
		{Name: "version", In: "query", Description: "An installed version; earlier minors keep answering. Default: the newest.",
			Schema: httpapi.Schema(`{"type":"string","pattern":"^\\d+\\.\\d+\\.\\d+$"}`), Example: "1.0.0"},
	},
	Responses: map[int]httpapi.Body{http.StatusOK: httpapi.JSONBody("The manifest.", httpapi.Ref("ToolManifest"))},
	Errors:    []int{http.StatusBadRequest, http.StatusNotFound},
}

var docInvoke = httpapi.Operation{
	ID: "invokeTool", Tag: "Invocations", Summary: "Invoke a tool and wait for its result",
	Description: "Answers 200 with the envelope whatever comes of the call; 4xx, in the same envelope, only when the body is not an invocation. " +
		"All faults are told at once, and nothing runs after one. A request_id belongs to one attempt that ran: a repeat is refused with DUPLICATE_REQUEST and the address of the first one's job, " +
		"also after a restart and of two at the same moment, for as long as that job is kept; an attempt that was refused has not used its id up. " +
		"timeout_ms is clamped to the manifest's max_timeout_ms with a warning. " +
		"The version may name any installed minor; the call is then validated, and its output shaped, as that version describes. " +
		"The job stands at /v1/jobs/{id}, whose id is in X-Atelier-Job-Id; its progress can be followed there while this request waits.",
	Request: requestBody(),
	Responses: map[int]httpapi.Body{http.StatusOK: {
		Description: "The result, or why there is none.",
		Content:     map[string]httpapi.Media{"application/json": {Schema: httpapi.Ref("InvocationResult")}},
		Headers:     map[string]string{"X-Atelier-Job-Id": "The job of the call; absent when nothing ran."},
	}},
	Errors:      []int{http.StatusBadRequest},
	ErrorSchema: httpapi.Ref("InvocationResult"),
}

func requestBody() *httpapi.Body {
	body := httpapi.JSONBody("A ToolInvocation.", httpapi.Ref("ToolInvocation")).Examples(map[string]any{
		"echo": json.RawMessage(`{"tool_name":"echo_json","tool_version":"1.0.0","capture_selection":{"capture_id":"","selectors":{}},` +
			`"arguments":{"message":"hello","n":2},"request_id":"req-example-1","timeout_ms":5000}`),
	})
	return &body
}

// Schemas implements httpapi.Protocol.
func (s *Server) Schemas() map[string]httpapi.Schema {
	return map[string]httpapi.Schema{
		"ToolInvocation": httpapi.Schema(contract.InvocationSchema),
		"ToolManifest": httpapi.Schema(`{"type":"object","description":"What a tool is, takes and gives, and how it may be run.","additionalProperties":false,
"required":["name","version","description","capabilities","input_schema","output_schema","execution_constraints","cost_hint","deterministic"],
"properties":{
 "name":{"type":"string","pattern":"^[a-z][a-z0-9_]*$"},
 "version":{"type":"string","pattern":"^\\d+\\.\\d+\\.\\d+$"},
 "description":{"type":"string"},
 "capabilities":{"type":"array","items":{"type":"string"}},
 "input_schema":{"type":"object","required":["type","properties","required"],"properties":{"type":{"const":"object"},"properties":{"type":"object"},"required":{"type":"array","items":{"type":"string"}}}},
 "output_schema":{"type":"object","required":["type","properties","required"],"properties":{"type":{"const":"object"},"properties":{"type":"object"},"required":{"type":"array","items":{"type":"string"}}}},
 "execution_constraints":{"type":"object","additionalProperties":false,"required":["max_timeout_ms","max_payload_bytes","supports_streaming","side_effects"],
  "properties":{"max_timeout_ms":{"type":"integer","minimum":1},"max_payload_bytes":{"type":"integer","minimum":1},
   "supports_streaming":{"type":"boolean","description":"Whether output comes in parts. Progress can always be followed at /v1/jobs/{id}/events."},
   "side_effects":{"enum":["none","read_only","external_write"]}}},
 "cost_hint":{"type":"object","additionalProperties":false,"required":["unit","estimated_cost","currency"],
  "properties":{"unit":{"enum":["call","second","record"]},"estimated_cost":{"type":"number","minimum":0},"currency":{"type":"string"}}},
 "deterministic":{"type":"boolean"}}}`),
		"InvocationResult": httpapi.Schema(`{"type":"object","description":"The result of an invocation, good or bad.","additionalProperties":false,
"required":["status","summary","structured_output","artifacts","warnings","errors","confidence"],
"properties":{
 "status":{"enum":["ok","partial","error"]},
 "summary":{"type":"string"},
 "structured_output":{"type":"object","description":"As the manifest's output_schema describes it; {} on an error."},
 "artifacts":{"type":"array","items":{"type":"object","additionalProperties":false,"required":["name","mime_type","uri","sha256"],
  "properties":{"name":{"type":"string"},"mime_type":{"type":"string"},"uri":{"type":"string","format":"uri"},"sha256":{"type":"string","pattern":"^[0-9a-f]{64}$"}}}},
 "warnings":{"type":"array","description":"At least one of a partial result.","items":{"type":"object","additionalProperties":false,"required":["code","message"],
  "properties":{"code":{"type":"string"},"message":{"type":"string"}}}},
 "errors":{"type":"array","description":"At least one of an error.","items":{"type":"object","additionalProperties":false,"required":["code","message"],
  "properties":{"code":{"type":"string","description":"MISSING_ARGUMENT, INVALID_TYPE, INVALID_VALUE, UNKNOWN_ARGUMENT, UNKNOWN_TOOL, UNSUPPORTED_VERSION, PAYLOAD_TOO_LARGE, TIMEOUT_TOO_SMALL, DUPLICATE_REQUEST, or a code of the catalogue in upper case."},
   "message":{"type":"string"},
   "field":{"type":"string","description":"The argument or envelope field at fault: target, config.bcs[0].attribute, timeout_ms."},
   "pointer":{"type":"string","description":"The same place as a JSON pointer into the invocation."},
   "details":{"type":"object","description":"Figures that help to correct the call."}}}},
 "confidence":{"type":"number","minimum":0,"maximum":1}}}`),
	}
}
