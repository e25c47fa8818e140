package rest

import (
	"encoding/json"
	"net/http"

	"atelier/internal/job"
	"atelier/internal/protocol/web"
)

func docHealth() *web.Operation {
	return &web.Operation{ID: "getHealth", Tag: "Server", Summary: "Whether the server is up",
		Responses: ok(web.JSONBody("It is.", web.Ref("Health")))}
}

func docListTools() *web.Operation {
	return &web.Operation{ID: "listTools", Tag: "Tools", Summary: "All tools, sorted by name (document 000)",
		Parameters: append([]web.Parameter{
			query("stability", "Only tools of this level.", `{"type":"string","enum":["stable","experimental","deprecated"]}`),
			query("tags", "Only tools that carry one of these tags, separated by commas.", `{"type":"string"}`),
		}, web.SelectionParameters()...),
		Responses: ok(web.JSONBody("The tools.", web.Ref("ToolList"))), Errors: []int{400}}
}

func docExecute() *web.Operation {
	return &web.Operation{ID: "executeTool", Tag: "Tools", Summary: "Run a tool and get its ToolResult (document 000)",
		Description: "The body is a ToolResult whatever happens. A tool that ran and failed is 200 with status error, since clients repeat what ends with 5xx; a request that could not be run is 4xx.",
		Parameters:  []web.Parameter{web.IdempotencyParameter()},
		Request: request(web.JSONBody("The tool and its input.", web.Ref("ExecuteRequest")).Examples(map[string]any{
			"echo": json.RawMessage(`{"tool":"echo_json","input":{"message":"hello","n":2}}`),
		})),
		Responses: ok(web.JSONBody("The result.", web.Ref("ToolResult"))),
		Errors:    []int{400, 404, 409, 429, 501}, ErrorSchema: web.Ref("ToolResult")}
}

func (s *Server) docListJobs() *web.Operation {
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
	return &web.Operation{ID: "listJobs", Tag: "Jobs", Summary: "Jobs, newest first",
		Description: "Any other parameter is refused.",
		Parameters: append([]web.Parameter{
			query("state", "Only jobs in this state.", stateSchema),
			query("status", "The same as state.", stateSchema),
			query("tool", "Only jobs of this tool.", string(tool)),
		}, web.PageParameters("Jobs")...),
		Responses: ok(web.JSONBody("A page.", web.Ref("JobList"))), Errors: []int{400}}
}

func docCreateJob() *web.Operation {
	accepted := web.JSONBody("The job waits or runs.", web.Ref("JobCreated"))
	accepted.Headers = location
	done := web.JSONBody("The job has ended, or mode is sync.", web.Ref("JobCreated"))
	done.Headers = location
	return &web.Operation{ID: "createJob", Tag: "Jobs", Summary: "Run a tool as a job",
		Description: "mode async answers at once, mode sync waits for the end, at most wait_ms.",
		Parameters:  []web.Parameter{web.IdempotencyParameter()},
		Request: request(web.JSONBody("The tool and its input.", web.Ref("JobRequest")).Examples(map[string]any{
			"echo": json.RawMessage(`{"tool_name":"echo_json","input":{"message":"hello"},"mode":"sync","wait_ms":1000}`),
		})),
		Responses: map[int]web.Body{http.StatusOK: done, http.StatusAccepted: accepted},
		Errors:    []int{400, 404, 409, 429, 501}}
}

func docGetJob() *web.Operation {
	return &web.Operation{ID: "getJob", Tag: "Jobs", Summary: "A job with its result",
		Parameters: []web.Parameter{jobID(),
			query("wait_ms", "Wait for the end, at most this long (ms, at most 120 s).", `{"type":"number","minimum":0}`)},
		Responses: ok(web.JSONBody("The job.", web.Ref("Job"))), Errors: []int{400, 404}}
}

func docDeleteJob() *web.Operation {
	return &web.Operation{ID: "deleteJob", Tag: "Jobs", Summary: "Cancel a job, or remove a finished one with its artifacts",
		Parameters: []web.Parameter{jobID()},
		Responses: ok(web.JSONBody("The cancelled job, or that it is gone.",
			web.Schema(`{"oneOf":[{"$ref":"#/components/schemas/Job"},{"$ref":"#/components/schemas/JobDeleted"}]}`))),
		Errors: []int{404, 409}}
}

func docEvents() *web.Operation {
	const position = `{"type":"integer","minimum":0,"maximum":9223372036854775807}`
	return &web.Operation{ID: "streamJobEvents", Tag: "Jobs", Summary: "What happens to a job, as server-sent events",
		Description: "Each event has an id, a type (state, progress or log) and a JobEvent as data. The stream ends with the final state; a comment is sent every 15 s. Last-Event-ID, or after, resumes after that event.",
		Parameters: []web.Parameter{jobID(),
			{Name: "Last-Event-ID", In: "header", Description: "The last event that was seen.", Schema: web.Schema(position)},
			query("after", "The same, for clients that cannot send the header.", position)},
		Responses: ok(web.EventStream("The events.", web.Ref("JobEvent"))),
		Errors:    []int{400, 404}}
}

func docListArtifacts() *web.Operation {
	return &web.Operation{ID: "listArtifacts", Tag: "Jobs", Summary: "The files that a job made",
		Parameters: []web.Parameter{jobID()},
		Responses:  ok(web.JSONBody("The files.", web.Ref("ArtifactList"))), Errors: []int{404}}
}

func docArtifact() *web.Operation {
	return &web.Operation{ID: "getArtifact", Tag: "Jobs", Summary: "A file that a job made",
		Parameters: []web.Parameter{jobID(), {Name: "name", In: "path", Description: "The artifact's name.", Schema: text, Example: "note.txt"}},
		Responses:  content(), Errors: []int{404}}
}

func docUpload() *web.Operation {
	created := web.JSONBody("The file. Its reference is what a file argument takes.", web.Ref("File"))
	created.Headers = location
	return &web.Operation{ID: "uploadFile", Tag: "Files", Summary: "Upload a file for the file arguments of tools",
		Description: "Either the first file part of a form, or the whole body as application/octet-stream (or any other type that a form cannot send) with its name in ?name=.",
		Parameters:  []web.Parameter{query("name", "Name of a file that is sent as the body; its ending tells the format.", `{"type":"string"}`)},
		Request: &web.Body{Description: "The file.", Required: true, Content: map[string]web.Media{
			"multipart/form-data": {Schema: web.Schema(`{"type":"object","required":["file"],"properties":{
				"file":{"type":"string","format":"binary","contentMediaType":"application/octet-stream"}}}`)},
			"application/octet-stream": {Schema: web.Schema(`{"type":"string","format":"binary"}`)},
		}},
		Responses: map[int]web.Body{http.StatusCreated: created}, Errors: []int{400, 507}}
}

func docGetFile() *web.Operation {
	return &web.Operation{ID: "getFile", Tag: "Files", Summary: "What is known of an upload",
		Parameters: []web.Parameter{fileID()}, Responses: ok(web.JSONBody("The file.", web.Ref("File"))), Errors: []int{404}}
}

func docDeleteFile() *web.Operation {
	return &web.Operation{ID: "deleteFile", Tag: "Files", Summary: "Remove an upload",
		Parameters: []web.Parameter{fileID()}, Responses: ok(web.JSONBody("It is gone.", web.Ref("FileDeleted"))), Errors: []int{404}}
}

func docFileContent() *web.Operation {
	return &web.Operation{ID: "getFileContent", Tag: "Files", Summary: "The content of an upload",
		Parameters: []web.Parameter{fileID()}, Responses: content(), Errors: []int{404}}
}

var (
	text     = web.Schema(`{"type":"string","minLength":1}`)
	location = map[string]string{"Location": "Where it is."}
)

const stateSchema = `{"type":"string","enum":["queued","running","succeeded","failed","cancelled"]}`

func ok(body web.Body) map[int]web.Body { return map[int]web.Body{http.StatusOK: body} }

func request(body web.Body) *web.Body { return &body }

func query(name, description, schema string) web.Parameter {
	return web.Parameter{Name: name, In: "query", Description: description, Schema: web.Schema(schema)}
}

func jobID() web.Parameter {
	return web.Parameter{Name: "id", In: "path", Description: "The job.", Schema: text}
}

func fileID() web.Parameter {
	return web.Parameter{Name: "id", In: "path", Description: "The file, as file_id names it.", Schema: text}
}

// content describes what serveBlob answers: the content, whole or in ranges.
func content() map[int]web.Body {
	any := map[string]web.Media{"*/*": {}}
	headers := map[string]string{"ETag": "The content's SHA-256.", "Accept-Ranges": "bytes: the Range header is honoured."}
	return map[int]web.Body{
		http.StatusOK:                           {Description: "The content.", Content: any, Headers: headers},
		http.StatusPartialContent:               {Description: "The ranges asked for.", Content: any, Headers: headers},
		http.StatusNotModified:                  {Description: "It is what If-None-Match names."},
		http.StatusPreconditionFailed:           {Description: "It is not what If-Match names."},
		http.StatusRequestedRangeNotSatisfiable: {Description: "The range lies outside the content.", Content: map[string]web.Media{"text/plain": {}}},
	}
}

// states of a job in the order in which it passes them.
var states = []job.State{job.Queued, job.Running, job.Succeeded, job.Failed, job.Cancelled}
