package rest

import (
	"encoding/json"
	"net/http"

	"atelier/internal/job"
	"atelier/internal/protocol/httpapi"
)

func docHealth() *httpapi.Operation {
	return &httpapi.Operation{ID: "getHealth", Tag: "Server", Summary: "Whether the server is up",
		Responses: ok(httpapi.JSONBody("It is.", httpapi.Ref("Health")))}
}

func docListTools() *httpapi.Operation {
	return &httpapi.Operation{ID: "listTools", Tag: "Tools", Summary: "All tools, sorted by name",
		Parameters: append([]httpapi.Parameter{
			query("stability", "Only tools of this level.", `{"type":"string","enum":["stable","experimental","deprecated"]}`),
			query("tags", "Only tools that carry one of these tags, separated by commas.", `{"type":"string"}`),
		}, httpapi.SelectionParameters()...),
		Responses: ok(httpapi.JSONBody("The tools.", httpapi.Ref("ToolList"))), Errors: []int{400}}
}

func docExecute() *httpapi.Operation {
	return &httpapi.Operation{ID: "executeTool", Tag: "Tools", Summary: "Run a tool and get its ToolResult",
		Description: "The body is a ToolResult whatever happens. A tool that ran and failed is 200 with status error, since clients repeat what ends with 5xx; a request that could not be run is 4xx.",
		Parameters:  []httpapi.Parameter{httpapi.IdempotencyParameter()},
		Request: request(httpapi.JSONBody("The tool and its input.", httpapi.Ref("ExecuteRequest")).Examples(map[string]any{
			"echo": json.RawMessage(`{"tool":"echo_json","input":{"message":"hello","n":2}}`),
		})),
		Responses: ok(httpapi.JSONBody("The result.", httpapi.Ref("ToolResult"))),
		Errors:    []int{400, 404, 409, 429, 501}, ErrorSchema: httpapi.Ref("ToolResult")}
}

func (s *Server) docListJobs() *httpapi.Operation {
	// The filter refuses a name that no tool has.
	var names []string
	for _, tool := range s.Tools.All() {
		names = append(names, tool.Contract.Name)
		if alias := tool.Contract.Alias(); alias != tool.Contract.Name {
			names = append(names, alias)
		}
	}
	tool, err := json.Marshal(map[string]any{"type": "string", "enum": names})
	if err != nil {
		tool = []byte(`{"type":"string"}`) // names are plain strings; it cannot be
	}
	return &httpapi.Operation{ID: "listJobs", Tag: "Jobs", Summary: "Jobs, newest first",
		Description: "Any other parameter is refused.",
		Parameters: append([]httpapi.Parameter{
			query("state", "Only jobs in this state.", stateSchema),
			query("status", "The same as state.", stateSchema),
			query("tool", "Only jobs of this tool.", string(tool)),
		}, httpapi.PageParameters("Jobs")...),
		Responses: ok(httpapi.JSONBody("A page.", httpapi.Ref("JobList"))), Errors: []int{400}}
}

func docCreateJob() *httpapi.Operation {
	accepted := httpapi.JSONBody("The job waits or runs.", httpapi.Ref("JobCreated"))
	accepted.Headers = location
	done := httpapi.JSONBody("The job has ended, or mode is sync.", httpapi.Ref("JobCreated"))
	done.Headers = location
	return &httpapi.Operation{ID: "createJob", Tag: "Jobs", Summary: "Run a tool as a job",
		Description: "mode async answers at once, mode sync waits for the end, at most wait_ms.",
		Parameters:  []httpapi.Parameter{httpapi.IdempotencyParameter()},
		Request: request(httpapi.JSONBody("The tool and its input.", httpapi.Ref("JobRequest")).Examples(map[string]any{
			"echo": json.RawMessage(`{"tool_name":"echo_json","input":{"message":"hello"},"mode":"sync","wait_ms":1000}`),
		})),
		Responses: map[int]httpapi.Body{http.StatusOK: done, http.StatusAccepted: accepted},
		Errors:    []int{400, 404, 409, 429, 501}}
}

func docGetJob() *httpapi.Operation {
	return &httpapi.Operation{ID: "getJob", Tag: "Jobs", Summary: "A job with its result",
		Parameters: []httpapi.Parameter{jobID(),
			query("wait_ms", "Wait for the end, at most this long (ms, at most 120 s).", `{"type":"number","minimum":0}`)},
		Responses: ok(httpapi.JSONBody("The job.", httpapi.Ref("Job"))), Errors: []int{400, 404}}
}

func docDeleteJob() *httpapi.Operation {
	return &httpapi.Operation{ID: "deleteJob", Tag: "Jobs", Summary: "Cancel a job, or remove a finished one with its artifacts",
		Parameters: []httpapi.Parameter{jobID()},
		Responses: ok(httpapi.JSONBody("The cancelled job, or that it is gone.",
			httpapi.Schema(`{"oneOf":[{"$ref":"#/components/schemas/Job"},{"$ref":"#/components/schemas/JobDeleted"}]}`))),
		Errors: []int{404, 409}}
}

func docEvents() *httpapi.Operation {
	const position = `{"type":"integer","minimum":0,"maximum":9223372036854775807}`
	return &httpapi.Operation{ID: "streamJobEvents", Tag: "Jobs", Summary: "What happens to a job, as server-sent events",
		Description: "Each event has an id, a type (state, progress or log) and a JobEvent as data. The stream ends with the final state; a comment is sent every 15 s. Last-Event-ID, or after, resumes after that event.",
		Parameters: []httpapi.Parameter{jobID(),
			{Name: "Last-Event-ID", In: "header", Description: "The last event that was seen.", Schema: httpapi.Schema(position)},
			query("after", "The same, for clients that cannot send the header.", position)},
		Responses: ok(httpapi.EventStream("The events.", httpapi.Ref("JobEvent"))),
		Errors:    []int{400, 404}}
}

func docListArtifacts() *httpapi.Operation {
	return &httpapi.Operation{ID: "listArtifacts", Tag: "Jobs", Summary: "The files that a job made",
		Parameters: []httpapi.Parameter{jobID()},
		Responses:  ok(httpapi.JSONBody("The files.", httpapi.Ref("ArtifactList"))), Errors: []int{404}}
}

func docArtifact() *httpapi.Operation {
	return &httpapi.Operation{ID: "getArtifact", Tag: "Jobs", Summary: "A file that a job made",
		Parameters: []httpapi.Parameter{jobID(), {Name: "name", In: "path", Description: "The artifact's name.", Schema: text, Example: "note.txt"}},
		Responses:  content(), Errors: []int{404}}
}

func docUpload() *httpapi.Operation {
	created := httpapi.JSONBody("The file. Its reference is what a file argument takes.", httpapi.Ref("File"))
	created.Headers = location
	return &httpapi.Operation{ID: "uploadFile", Tag: "Files", Summary: "Upload a file for the file arguments of tools",
		Description: "Either the first file part of a form, or the whole body as application/octet-stream (or any other type that a form cannot send) with its name in ?name=.",
		Parameters:  []httpapi.Parameter{query("name", "Name of a file that is sent as the body; its ending tells the format.", `{"type":"string"}`)},
		Request: &httpapi.Body{Description: "The file.", Required: true, Content: map[string]httpapi.Media{
			"multipart/form-data": {Schema: httpapi.Schema(`{"type":"object","required":["file"],"properties":{
				"file":{"type":"string","format":"binary","contentMediaType":"application/octet-stream"}}}`)},
			"application/octet-stream": {Schema: httpapi.Schema(`{"type":"string","format":"binary"}`)},
		}},
		Responses: map[int]httpapi.Body{http.StatusCreated: created}, Errors: []int{400, 507}}
}

func docListFiles() *httpapi.Operation {
	return &httpapi.Operation{ID: "listFiles", Tag: "Files", Summary: "The uploads, newest first, in OpenAI's form",
		Parameters: []httpapi.Parameter{
			query("after", "The last id of the page before.", `{"type":"string"}`),
			query("limit", "How many at most.", `{"type":"integer","minimum":1,"maximum":500,"default":100}`),
			query("order", "Only desc.", `{"type":"string","enum":["desc"]}`),
			query("purpose", "Only those of a purpose; every upload is user_data.", `{"type":"string"}`),
		},
		Responses: ok(httpapi.JSONBody("The files.", httpapi.Ref("FileList"))), Errors: []int{400, 404}}
}

func docGetFile() *httpapi.Operation {
	return &httpapi.Operation{ID: "getFile", Tag: "Files", Summary: "What is known of an upload",
		Parameters: []httpapi.Parameter{fileID()}, Responses: ok(httpapi.JSONBody("The file.", httpapi.Ref("File"))), Errors: []int{404}}
}

func docDeleteFile() *httpapi.Operation {
	return &httpapi.Operation{ID: "deleteFile", Tag: "Files", Summary: "Remove an upload",
		Parameters: []httpapi.Parameter{fileID()}, Responses: ok(httpapi.JSONBody("It is gone.", httpapi.Ref("FileDeleted"))), Errors: []int{404}}
}

func docFileContent() *httpapi.Operation {
	return &httpapi.Operation{ID: "getFileContent", Tag: "Files", Summary: "The content of an upload",
		Parameters: []httpapi.Parameter{fileID()}, Responses: content(), Errors: []int{404}}
}

var (
	text     = httpapi.Schema(`{"type":"string","minLength":1}`)
	location = map[string]string{"Location": "Where it is."}
)

const stateSchema = `{"type":"string","enum":["queued","running","succeeded","failed","cancelled"]}`

func ok(body httpapi.Body) map[int]httpapi.Body { return map[int]httpapi.Body{http.StatusOK: body} }

func request(body httpapi.Body) *httpapi.Body { return &body }

func query(name, description, schema string) httpapi.Parameter {
	return httpapi.Parameter{Name: name, In: "query", Description: description, Schema: httpapi.Schema(schema)}
}

func jobID() httpapi.Parameter {
	return httpapi.Parameter{Name: "id", In: "path", Description: "The job.", Schema: text}
}

func fileID() httpapi.Parameter {
	return httpapi.Parameter{Name: "id", In: "path", Description: "The file, as file_id names it.", Schema: text}
}

// content describes what serveBlob answers: the content, whole or in ranges.
func content() map[int]httpapi.Body {
	any := map[string]httpapi.Media{"*/*": {}}
	headers := map[string]string{"ETag": "The content's SHA-256.", "Accept-Ranges": "bytes: the Range header is honoured."}
	return map[int]httpapi.Body{
		http.StatusOK:                           {Description: "The content.", Content: any, Headers: headers},
		http.StatusPartialContent:               {Description: "The ranges asked for.", Content: any, Headers: headers},
		http.StatusNotModified:                  {Description: "It is what If-None-Match names."},
		http.StatusPreconditionFailed:           {Description: "It is not what If-Match names."},
		http.StatusRequestedRangeNotSatisfiable: {Description: "The range lies outside the content.", Content: map[string]httpapi.Media{"text/plain": {}}},
	}
}

// states of a job in the order in which it passes them.
var states = []job.State{job.Queued, job.Running, job.Succeeded, job.Failed, job.Cancelled}
