package rest

import "atelier/internal/protocol/httpapi"

// Schemas implements httpapi.Protocol.
func (s *Server) Schemas() map[string]httpapi.Schema {
	schemas := map[string]httpapi.Schema{}
	for name, schema := range schemaTexts {
		schemas[name] = httpapi.Schema(schema)
	}
	return schemas
}

var schemaTexts = map[string]string{
	"Health": `{"type":"object","required":["status","name","version"],"additionalProperties":false,
		"properties":{"status":{"type":"string","const":"ok"},"name":{"type":"string"},"version":{"type":"string"}}}`,

	"Availability": `{"type":"object","description":"Of each tool whether this machine can run it; it stands beside the list of the tools.",
		"additionalProperties":{"type":"object","required":["available"],"additionalProperties":false,"properties":{"available":{"type":"boolean"},
		"reason":{"type":"string","description":"Why not."},"install":{"type":"string","description":"What installs what is missing."}}}}`,
	"ToolList": `{"type":"object","required":["tools","availability"],"additionalProperties":false,
		"properties":{"availability":{"$ref":"#/components/schemas/Availability"},"tools":{"type":"array","items":{"$ref":"#/components/schemas/ToolDescriptor"}}}}`,

	"ToolDescriptor": `{"type":"object","description":"A tool in the list of tools.","additionalProperties":false,
		"required":["name","version","stability","tags","examples","description","input_schema"],
		"properties":{
			"name":{"type":"string"},
			"version":{"type":"string","description":"The major version.","pattern":"^[0-9]+$"},
			"stability":{"type":"string","enum":["stable","experimental","deprecated"]},
			"tags":{"type":"array","items":{"type":"string"}},
			"examples":{"type":"array","items":{"type":"object","additionalProperties":false,"required":["title","input","notes"],
				"properties":{"title":{"type":"string"},"input":{"type":"object"},"notes":{"type":"string"}}}},
			"description":{"type":"string"},
			"input_schema":{"type":"object","description":"JSON Schema, 2020-12."}}}`,

	"ExecuteRequest": `{"type":"object","required":["tool"],"additionalProperties":false,
		"properties":{
			"tool":{"type":"string","minLength":1,"description":"Name or alias."},
			"input":{"type":"object","description":"What the tool's input schema describes."},
			"context":{"type":["object","null"],"additionalProperties":false,"properties":{
				"limits":{"$ref":"#/components/schemas/Limits"},
				"session_id":{"type":["string","null"],"description":"The session that the call belongs to."}}}}}`,

	"Limits": `{"type":["object","null"],"description":"Any subset; what is absent keeps the tool's own limit, what is above the ceiling is reduced to it with a warning.","additionalProperties":false,
		"properties":{
			"timeout_ms":{"type":"integer","minimum":1},
			"max_stdout_bytes":{"type":"integer","minimum":1},
			"max_stderr_bytes":{"type":"integer","minimum":1},
			"max_artifact_bytes":{"type":"integer","minimum":1},
			"max_artifacts":{"type":"integer","minimum":1},
			"max_summary_characters":{"type":"integer","minimum":16}}}`,

	"ToolResult": `{"type":"object","description":"The result of a call, good or bad.","additionalProperties":false,
		"required":["status","solver","summary","stdout","stderr","exit_code","artifacts","metrics","output"],
		"properties":{` + toolResultFields + `}}`,

	"FlatResult": `{"type":"object","description":"A ToolResult with the keys of its output at the top as well.",
		"required":["status","solver","summary","stdout","stderr","exit_code","artifacts","metrics","output"],
		"properties":{` + toolResultFields + `}}`,

	"Artifact": `{"type":"object","additionalProperties":false,"required":["name","path","mime_type","bytes"],
		"properties":{
			"name":{"type":"string"},
			"path":{"type":"string","description":"Where it can be fetched; file arguments take it too."},
			"mime_type":{"type":"string"},
			"bytes":{"type":"integer","minimum":0}}}`,

	"ArtifactList": `{"type":"object","required":["job_id","files"],"additionalProperties":false,
		"properties":{"job_id":{"type":"string"},"files":{"type":"array","items":{"$ref":"#/components/schemas/Artifact"}}}}`,

	"JobRequest": `{"type":"object","required":["tool_name"],"additionalProperties":false,
		"properties":{
			"tool_name":{"type":"string","minLength":1,"description":"Name or alias."},
			"input":{"type":"object","description":"What the tool's input schema describes."},
			"mode":{"enum":["async","sync","",null],"default":"async"},
			"wait_ms":{"type":["number","null"],"minimum":0,"description":"How long mode sync waits; 5000 where absent, at most 120000."},
			"limits":{"$ref":"#/components/schemas/Limits"},
			"context":{"type":["object","null"],"additionalProperties":false,"properties":{
				"session_id":{"type":["string","null"],"description":"The session that the call belongs to."}}}}}`,

	"JobCreated": `{"type":"object","required":["job_id","status"],"additionalProperties":false,
		"properties":{"job_id":{"type":"string"},"status":` + stateSchema + `,"job":{"$ref":"#/components/schemas/Job"}}}`,

	"Job": `{"type":"object","description":"The record of a call.","additionalProperties":false,
		"required":["id","tool_name","created_at","status"],
		"properties":{
			"id":{"type":"string"},"tool_name":{"type":"string"},
			"created_at":{"type":"string","format":"date-time"},
			"started_at":{"type":"string","format":"date-time"},
			"finished_at":{"type":"string","format":"date-time"},
			"status":` + stateSchema + `,
			"attempt":{"type":"integer","minimum":1},
			"summary":{"type":"string"},
			"result":{"$ref":"#/components/schemas/FlatResult"},
			"error":{"$ref":"#/components/schemas/JobError"}}}`,

	"JobError": `{"type":"object","required":["code","message"],"additionalProperties":false,
		"properties":{"code":{"type":"string"},"message":{"type":"string"},"details":{"type":"object"}}}`,

	"JobList": `{"type":"object","required":["jobs"],"additionalProperties":false,
		"properties":{"jobs":{"type":"array","items":{"$ref":"#/components/schemas/Job"}},
			"next_cursor":{"type":"string","description":"Absent on the last page."}}}`,

	"JobDeleted": `{"type":"object","required":["job_id","deleted"],"additionalProperties":false,
		"properties":{"job_id":{"type":"string"},"deleted":{"const":true}}}`,

	"JobEvent": `{"type":"object","description":"The data of a server-sent event.","additionalProperties":false,"required":["seq","type","time"],
		"properties":{
			"seq":{"type":"integer","minimum":1},
			"type":{"type":"string","enum":["state","progress","log"]},
			"time":{"type":"string","format":"date-time"},
			"state":` + stateSchema + `,
			"attempt":{"type":"integer","minimum":1},
			"fraction":{"type":"number","minimum":0,"maximum":1},
			"level":{"type":"string"},
			"message":{"type":"string"}}}`,

	"File": `{"type":"object","description":"An upload, as our routes name its fields and as OpenAI's do.","additionalProperties":false,
		"required":["id","object","filename","purpose","status","uploaded_at","file_id","reference","name","mime_type","bytes","sha256","created_at"],
		"properties":{
			"file_id":{"type":"string"},
			"reference":{"type":"string","description":"What a file argument takes: file:<id>."},
			"name":{"type":"string"},"mime_type":{"type":"string"},
			"bytes":{"type":"integer","minimum":0},
			"sha256":{"type":"string","pattern":"^[0-9a-f]{64}$"},
			"uploaded_at":{"type":"string","format":"date-time"},
			"id":{"type":"string"},"object":{"const":"file"},"filename":{"type":"string"},
			"purpose":{"type":"string","description":"user_data: tools read it as it is."},
			"status":{"const":"processed"},"created_at":{"type":"integer","description":"Unix seconds."}}}`,

	"FileList": `{"type":"object","required":["object","data","has_more"],"additionalProperties":false,
		"properties":{"object":{"const":"list"},"data":{"type":"array","items":{"$ref":"#/components/schemas/File"}},
			"first_id":{"type":"string"},"last_id":{"type":"string"},"has_more":{"type":"boolean"}}}`,

	"FileDeleted": `{"type":"object","required":["id","object","file_id","deleted"],"additionalProperties":false,
		"properties":{"id":{"type":"string"},"object":{"const":"file"},"file_id":{"type":"string"},"deleted":{"const":true}}}`,
}

const toolResultFields = `
	"status":{"type":"string","enum":["ok","error"]},
	"solver":{"type":"string","description":"The engine that did the work."},
	"summary":{"type":"string"},"stdout":{"type":"string"},"stderr":{"type":"string"},
	"exit_code":{"type":"integer"},
	"artifacts":{"type":"array","items":{"$ref":"#/components/schemas/Artifact"}},
	"metrics":{"type":"object","description":"job_id, warnings, errors, and what the tool measured."},
	"output":{"type":"object","description":"What the tool's output schema describes; empty on an error."}`
