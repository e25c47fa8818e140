package session

import (
	"encoding/json"
	"net/http"

	"atelier/internal/protocol/httpapi"
)

const tag = "Sessions"

func docList() *httpapi.Operation {
	return &httpapi.Operation{ID: "listSessions", Tag: tag, Summary: "Sessions, newest first", Description: "Any other parameter is refused.",
		Parameters: httpapi.PageParameters("Sessions"),
		Responses:  ok(httpapi.JSONBody("A page.", httpapi.Ref("SessionList"))), Errors: []int{400}}
}

const formSchema = `{"type":"object","required":["file"],"additionalProperties":false,"properties":{
	"file":{"type":"array","minItems":1,"maxItems":256,"items":{"type":"string","format":"binary","contentMediaType":"application/octet-stream"},
		"description":"Files, each a part with a file name; the parts' own names do not matter."}%s}}`

func docCreate() *httpapi.Operation {
	return &httpapi.Operation{ID: "createSession", Tag: tag, Summary: "Make a session of uploaded files",
		Description: "Every part of the form that has a file name is a file of the session, streamed as it comes, in the folder input. File names are reduced to their last path component and made unique. All files or none are taken. An application/json object makes a session without files.",
		Request: &httpapi.Body{Description: "The files.", Required: true, Content: map[string]httpapi.Media{
			"multipart/form-data": {Schema: form(`,"metadata":{"type":"string","contentMediaType":"application/json","description":"A JSON object that the manifest keeps."}`)},
			"application/json": {Schema: httpapi.Ref("SessionRequest"), Examples: map[string]any{
				"empty": json.RawMessage(`{}`), "named": json.RawMessage(`{"metadata":{"title":"bracket"}}`)}},
		}},
		Responses: ok(state("The session.")), Errors: []int{400, 507}}
}

func docAddFiles() *httpapi.Operation {
	return &httpapi.Operation{ID: "addSessionFiles", Tag: tag, Summary: "Add files to a session", Parameters: []httpapi.Parameter{sessionID()},
		Request: &httpapi.Body{Description: "The files.", Required: true, Content: map[string]httpapi.Media{
			"multipart/form-data": {Schema: form("")}}},
		Responses: ok(state("The session with them.")), Errors: []int{400, 404, 507}}
}

func docGet() *httpapi.Operation {
	return &httpapi.Operation{ID: "getSession", Tag: tag, Summary: "The manifest of a session",
		Description: "Its ETag is the manifest's version: If-None-Match answers 304 while nothing has changed, If-Match guards a PUT.",
		Parameters:  []httpapi.Parameter{sessionID()}, Responses: manifestResponses(), Errors: []int{404}}
}

func docDelete() *httpapi.Operation {
	return &httpapi.Operation{ID: "deleteSession", Tag: tag, Summary: "Remove a session with its files and jobs",
		Description: "409 while something works on it. Pinned jobs stay.",
		Parameters:  []httpapi.Parameter{sessionID()},
		Responses:   ok(httpapi.JSONBody("It is gone.", httpapi.Ref("SessionDeleted"))), Errors: []int{404, 409}}
}

func docReplace() *httpapi.Operation {
	done := httpapi.JSONBody("The manifest as it is now.", httpapi.Ref("Manifest"))
	done.Headers = etag
	return &httpapi.Operation{ID: "putManifest", Tag: tag, Summary: "Write the manifest over the version that If-Match names",
		Description: "For orchestrators outside the server. Writable are stage, planned_tool, messages, facts and metadata; what is left out stays as it is. All other fields may be sent back as they were read; a changed one is refused. A stale version is 412, a missing If-Match 428.",
		Parameters: []httpapi.Parameter{sessionID(), {Name: "If-Match", In: "header", Required: true,
			Description: "The ETag that was read, or * for whichever is there.", Schema: httpapi.Schema(`{"type":"string","pattern":"^(\\*|\"[0-9]+\")$"}`), Example: "*"}},
		Request: request(httpapi.JSONBody("The manifest, or the fields that change.", httpapi.Ref("ManifestWrite")).Examples(map[string]any{
			"plan": json.RawMessage(`{"planned_tool":"mesh_repair_pmp","facts":{"material":"steel"}}`)})),
		Responses: ok(done), Errors: []int{400, 404, 412, 428}}
}

func docAsset() *httpapi.Operation {
	responses := manifestResponses()
	whole := responses[http.StatusOK]
	whole.Description, whole.Content = "The file, or for manifest.json the manifest.", map[string]httpapi.Media{"*/*": {}}
	responses[http.StatusOK] = whole
	responses[http.StatusPartialContent] = httpapi.Body{Description: "The ranges asked for.", Content: map[string]httpapi.Media{"*/*": {}}, Headers: etag}
	return &httpapi.Operation{ID: "getAsset", Tag: tag, Summary: "A file of a session",
		Description: "Honours Range and If-None-Match. A content under a path never changes; manifest.json does.",
		Parameters: []httpapi.Parameter{sessionID(),
			{Name: "path", In: "path", Description: "The asset's path.", Schema: text, Example: "manifest.json"}},
		Responses: responses, Errors: []int{404}}
}

func docExport() *httpapi.Operation {
	return &httpapi.Operation{ID: "exportSession", Tag: tag, Summary: "The whole session as one zip file",
		Description: "Manifest, files, each step as a request and as the record of its job, and a script that makes the session anew on any server.",
		Parameters:  []httpapi.Parameter{sessionID()},
		Responses: ok(httpapi.Body{Description: "The archive.", Content: map[string]httpapi.Media{"application/zip": {Schema: httpapi.Schema(`{"type":"string","format":"binary"}`)}},
			Headers: etag}), Errors: []int{404}}
}

func docEvents() *httpapi.Operation {
	const position = `{"type":"integer","minimum":0,"maximum":9223372036854775807}`
	return &httpapi.Operation{ID: "streamSessionEvents", Tag: tag, Summary: "What happens in a session, as server-sent events",
		Description: eventList + " The stream gives what is kept after Last-Event-ID (or after), then what comes, and ends when nothing has worked on the session for wait_ms.",
		Parameters: []httpapi.Parameter{sessionID(),
			{Name: "Last-Event-ID", In: "header", Description: "The last event that was seen.", Schema: httpapi.Schema(position)},
			query("after", "The same, for clients that cannot send the header.", position),
			query("wait_ms", "How long the stream stays open while nothing works on the session (ms, at most 120 s; 0 where absent).", `{"type":"number","minimum":0}`)},
		Responses: ok(httpapi.EventStream("The events.", httpapi.Ref("SessionEvent"))), Errors: []int{400, 404}}
}

const eventList = "Events: text_delta {delta}, tool_call_start {tool_name, step_id, job_id, input}, tool_call_complete {tool_name, duration_ms, step_id, job_id, status, summary}, " +
	"progress {tool_name, step_id, fraction, message}, approval_required {tool_name, step_id, input, reason}, state_update {session_id, state}, error {code, message}, agent_done {status}. " +
	"Each has an id; a comment is sent every 15 s."

func docChat() *httpapi.Operation {
	both := httpapi.JSONBody("What the run came to; or, with a stream, its events.", httpapi.Ref("ChatAnswer"))
	both.Content["text/event-stream"] = httpapi.EventStream("", httpapi.Ref("SessionEvent")).Content["text/event-stream"]
	return &httpapi.Operation{ID: "chatSession", Tag: tag, Summary: "Work a prompt in a session",
		Description: "With stream, ?stream=1 or Accept: text/event-stream the answer is the stream of the run's events. " + eventList +
			" A client that goes away does not end the run, unless cancel_on_disconnect is set: GET events resumes. 409 while another run works on the session.",
		Parameters: []httpapi.Parameter{sessionID(),
			query("stream", "Answer with events.", `{"type":"string","enum":["true","1","false","0"]}`)},
		Request: request(httpapi.JSONBody("The prompt.", httpapi.Ref("ChatRequest")).Examples(map[string]any{
			"mesh": json.RawMessage(`{"prompt":"repair and mesh the part"}`)})),
		Responses: map[int]httpapi.Body{http.StatusOK: both,
			http.StatusAccepted: httpapi.JSONBody("The run goes on after wait_ms.", httpapi.Ref("ChatAnswer"))},
		Errors: []int{400, 404, 409, 429}}
}

func docCancel() *httpapi.Operation {
	return &httpapi.Operation{ID: "cancelSession", Tag: tag, Summary: "End what works on a session", Description: "Its run and the jobs of its steps. 409 when nothing works on it.",
		Parameters: []httpapi.Parameter{sessionID()}, Responses: ok(state("The session, normally idle already.")), Errors: []int{404, 409}}
}

func docApproval() *httpapi.Operation {
	return &httpapi.Operation{ID: "approveStep", Tag: tag, Summary: "Approve or deny a call that waits for a person",
		Parameters: []httpapi.Parameter{sessionID()},
		Request: request(httpapi.JSONBody("The decision.", httpapi.Ref("StepApproval")).Examples(map[string]any{
			"approve": json.RawMessage(`{"step_id":"step_1","decision":"approve"}`)})),
		Responses: ok(state("The session.")), Errors: []int{400, 404, 409}}
}

var (
	text = httpapi.Schema(`{"type":"string","minLength":1}`)
	etag = map[string]string{"ETag": "The version of the manifest, or the SHA-256 of a file."}
)

func ok(body httpapi.Body) map[int]httpapi.Body { return map[int]httpapi.Body{http.StatusOK: body} }

func request(body httpapi.Body) *httpapi.Body { return &body }

func state(description string) httpapi.Body {
	body := httpapi.JSONBody(description, httpapi.Ref("SessionState"))
	body.Headers = map[string]string{"ETag": "The version of the manifest."}
	return body
}

func query(name, description, schema string) httpapi.Parameter {
	return httpapi.Parameter{Name: name, In: "query", Description: description, Schema: httpapi.Schema(schema)}
}

func sessionID() httpapi.Parameter {
	return httpapi.Parameter{Name: "id", In: "path", Description: "The session.", Schema: text}
}

// manifestResponses are those of a manifest that is read with conditions.
func manifestResponses() map[int]httpapi.Body {
	whole := httpapi.JSONBody("The manifest.", httpapi.Ref("Manifest"))
	whole.Headers = etag
	part := whole
	part.Description, part.Content = "The ranges asked for.", map[string]httpapi.Media{"*/*": {}}
	return map[int]httpapi.Body{
		http.StatusOK: whole, http.StatusPartialContent: part,
		http.StatusNotModified:                  {Description: "It is what If-None-Match names."},
		http.StatusPreconditionFailed:           {Description: "It is not what If-Match names."},
		http.StatusRequestedRangeNotSatisfiable: {Description: "The range lies outside.", Content: map[string]httpapi.Media{"text/plain": {}}},
	}
}
