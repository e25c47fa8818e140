package capture

import (
	"encoding/json"
	"net/http"

	"atelier/internal/protocol/httpapi"
)

const tag = "Captures"

func docList() *httpapi.Operation {
	return &httpapi.Operation{ID: "listCaptures", Tag: tag, Summary: "Captures, newest first", Description: "Any other parameter is refused.",
		Parameters: httpapi.PageParameters("Captures"),
		Responses:  map[int]httpapi.Body{http.StatusOK: httpapi.JSONBody("A page.", httpapi.Ref("CaptureList"))}, Errors: []int{400}}
}

const formFields = `
	"capture_id":{"type":"string","pattern":"^` + idBody + `$","description":"The name of the capture; one is made where it is absent."},
	"time_column":{"type":"string","description":"The column of time_range: ISO 8601, or milliseconds since the start or 1970. Found by its name or type where it is absent."},
	"channel_column":{"type":"string","description":"The column whose values selectors.channels selects. The column channel where it is absent."},
	"format":{"type":"string","enum":["csv","jsonl","parquet"],"description":"By the file's first bytes and ending where it is absent."}`

func docCreate() *httpapi.Operation {
	created := httpapi.JSONBody("The capture: its rows and the types of its columns.", httpapi.Ref("Capture"))
	created.Headers = map[string]string{"Location": "Where it is."}
	return &httpapi.Operation{ID: "createCapture", Tag: tag, Summary: "Store a table of observations for the statistical tools",
		Description: "CSV with a header (comma, semicolon or tabulator), JSON lines, each also packed by gzip, or flat Parquet. It is read as it comes, and stored as typed columns that keep every decimal. Empty fields, NA, NaN and null are missing values, and so are -, ., ?, n/a, nil, none and missing in a column of numbers.",
		Request: &httpapi.Body{Description: "The table, or where it lies.", Required: true, Content: map[string]httpapi.Media{
			"multipart/form-data": {Schema: httpapi.Schema(`{"type":"object","required":["file"],"additionalProperties":false,"properties":{
				"file":{"type":"string","format":"binary","contentMediaType":"application/octet-stream"},` + formFields + `}}`)},
			"application/json": {Schema: httpapi.Ref("CaptureRequest"), Examples: map[string]any{
				"path": json.RawMessage(`{"path":"run.csv","capture_id":"cap_2026_03_14_a"}`)}},
		}},
		Responses: map[int]httpapi.Body{http.StatusCreated: created}, Errors: []int{400, 404, 409, 422, 507}}
}

func captureID() httpapi.Parameter {
	return httpapi.Parameter{Name: "id", In: "path", Description: "The capture.", Schema: httpapi.Schema(`{"type":"string","minLength":1}`)}
}

func docGet() *httpapi.Operation {
	return &httpapi.Operation{ID: "getCapture", Tag: tag, Summary: "What is known of a capture", Parameters: []httpapi.Parameter{captureID()},
		Responses: map[int]httpapi.Body{http.StatusOK: httpapi.JSONBody("The capture.", httpapi.Ref("Capture"))}, Errors: []int{404}}
}

func docDelete() *httpapi.Operation {
	return &httpapi.Operation{ID: "deleteCapture", Tag: tag, Summary: "Remove a capture", Parameters: []httpapi.Parameter{captureID()},
		Responses: map[int]httpapi.Body{http.StatusOK: httpapi.JSONBody("It is gone.", httpapi.Ref("CaptureDeleted"))}, Errors: []int{404}}
}

// Schemas implements web.Protocol.
func (s *Server) Schemas() map[string]httpapi.Schema {
	return map[string]httpapi.Schema{
		"Capture": httpapi.Schema(`{"type":"object","description":"A stored table.","additionalProperties":false,
			"required":["capture_id","rows","columns","created_at"],
			"properties":{
				"capture_id":{"type":"string"},"rows":{"type":"integer","minimum":0},
				"columns":{"type":"array","items":{"type":"object","additionalProperties":false,"required":["name","type","missing","min","max"],"properties":{
					"name":{"type":"string"},"type":{"type":"string","enum":["integer","number","boolean","time","string"]},
					"missing":{"type":"integer","minimum":0},
					"missing_words":{"type":"object","description":"Words among numbers or texts that are taken as missing, with how often each is there.","additionalProperties":{"type":"integer","minimum":1}},
					"min":{"type":["number","null"],"description":"Of a time in milliseconds since 1970; null of text."},
					"max":{"type":["number","null"]}}}},
				"time_column":{"type":"string"},
				"time_unit":{"type":"string","enum":["ms","s","us","ns"]},
				"channel_column":{"type":"string"},
				"created_at":{"type":"string","format":"date-time"}}}`),
		"CaptureList": httpapi.Schema(`{"type":"object","required":["captures"],"additionalProperties":false,"properties":{
			"captures":{"type":"array","items":{"$ref":"#/components/schemas/Capture"}},"next_cursor":{"type":"string"}}}`),
		"CaptureRequest": httpapi.Schema(`{"type":"object","required":["path"],"additionalProperties":false,"properties":{
			"path":{"type":"string","minLength":1,"description":"A path inside an allowed folder, file:<id>, or an artifact URL."},` + formFields + `}}`),
		"CaptureDeleted": httpapi.Schema(`{"type":"object","required":["capture_id","deleted"],"additionalProperties":false,
			"properties":{"capture_id":{"type":"string"},"deleted":{"const":true}}}`),
	}
}
