package session

import (
	"fmt"

	"atelier/internal/protocol/httpapi"
)

func form(more string) httpapi.Schema { return httpapi.Schema(fmt.Sprintf(formSchema, more)) }

// Schemas implements web.Protocol.
func (s *Server) Schemas() map[string]httpapi.Schema {
	schemas := map[string]httpapi.Schema{}
	for name, schema := range schemaTexts {
		schemas[name] = httpapi.Schema(schema)
	}
	return schemas
}

const (
	stamped = `{"type":"string","format":"date-time"}`
	label   = `{"type":"string","maxLength":100}`
	status  = `{"type":"string","enum":["idle","processing"]}`
	object  = `{"type":"object","additionalProperties":true}`
)

var schemaTexts = map[string]string{
	"SessionRequest": `{"type":"object","additionalProperties":false,"properties":{
		"metadata":{"type":["object","null"],"description":"What the manifest keeps for its callers."}}}`,

	"SessionState": `{"type":"object","required":["session_id","state"],"additionalProperties":false,"properties":{
		"session_id":{"type":"string"},"state":{"$ref":"#/components/schemas/Manifest"}}}`,

	"SessionDeleted": `{"type":"object","required":["session_id","deleted"],"additionalProperties":false,"properties":{
		"session_id":{"type":"string"},"deleted":{"const":true}}}`,

	"SessionList": `{"type":"object","required":["sessions"],"additionalProperties":false,"properties":{
		"next_cursor":{"type":"string"},
		"sessions":{"type":"array","items":{"type":"object","additionalProperties":false,
			"required":["session_id","version","created_at","updated_at","status","stage","bytes"],
			"properties":{"session_id":{"type":"string"},"version":{"type":"integer","minimum":1},"created_at":` + stamped + `,"updated_at":` + stamped + `,
				"status":` + status + `,"stage":{"type":"string"},"bytes":{"type":"integer","minimum":0}}}}}}`,

	"Manifest": `{"type":"object","description":"The source of truth of a session.","additionalProperties":false,
		"required":["session_id","version","created_at","updated_at","status","stage","directories","assets","asset_details","messages","steps","facts","metadata"],
		"properties":{
			"session_id":{"type":"string"},
			"version":{"type":"integer","minimum":1,"description":"Grows with every change; also the ETag."},
			"created_at":` + stamped + `,"updated_at":` + stamped + `,
			"status":` + status + `,
			"stage":{"type":"string","description":"created, geometry_import, mesh_repair, volume_mesh, solve, render, or what a writer has put."},
			"directories":{"type":"object","additionalProperties":{"type":"string"}},
			"assets":{"type":"array","items":{"type":"string"},"description":"Paths of the files; session:<path> is what a file argument takes."},
			"asset_details":{"type":"array","items":{"$ref":"#/components/schemas/SessionAsset"}},
			"planned_tool":{"type":"string"},
			"messages":{"type":"array","items":{"$ref":"#/components/schemas/SessionMessage"}},
			"steps":{"type":"array","items":{"$ref":"#/components/schemas/SessionStep"}},
			"facts":` + object + `,"metadata":` + object + `}}`,

	"SessionAsset": `{"type":"object","additionalProperties":false,"required":["path","reference","url","mime_type","bytes","sha256"],"properties":{
		"path":{"type":"string"},"reference":{"type":"string","description":"What a file argument takes."},"url":{"type":"string"},
		"mime_type":{"type":"string"},"bytes":{"type":"integer","minimum":0},"sha256":{"type":"string","pattern":"^[0-9a-f]{64}$"},
		"job_id":{"type":"string","description":"Whose artifact it is."},
		"series_of":{"type":"string","description":"The asset that names this one as a part of its series."}}}`,

	"SessionMessage": `{"type":"object","additionalProperties":false,"required":["role","content","created_at"],"properties":{
		"role":{"enum":["user","assistant","system","tool"]},"content":{"type":"string"},"created_at":{"type":"string"}}}`,

	"SessionStep": `{"type":"object","description":"One call of a tool.","additionalProperties":false,
		"required":["id","tool","status","input_bytes","started_at"],"properties":{
			"id":{"type":"string"},"tool":{"type":"string"},"job_id":{"type":"string"},
			"status":{"enum":["awaiting_approval","approved","running","succeeded","failed","cancelled","denied"]},
			"input":{"description":"Left out when longer than 16384 characters."},
			"input_bytes":{"type":"integer","minimum":0},
			"started_at":` + stamped + `,"finished_at":` + stamped + `,
			"duration_ms":{"type":"number","minimum":0},"summary":{"type":"string"},
			"outputs":{"type":"array","items":{"type":"string"},"description":"Paths of the files that it made."},
			"error":{"type":"object","additionalProperties":false,"required":["code","message"],
				"properties":{"code":{"type":"string"},"message":{"type":"string"},"hint":{"type":"string"}}},
			"reason":{"type":"string","description":"Why it needs approval."},
			"run_id":{"type":"string","description":"The run that made the call."}}}`,

	"ManifestWrite": `{"type":"object","additionalProperties":false,
		"properties":{
			"stage":` + label + `,"planned_tool":` + label + `,
			"messages":{"type":"array","maxItems":500,"items":{"type":"object","additionalProperties":false,"required":["role"],"properties":{
				"role":{"enum":["user","assistant","system","tool"]},"content":{"type":"string"},"created_at":{"type":"string","description":"Filled in where it is empty."}}}},
			"facts":` + object + `,"metadata":` + object + `}}`,

	"SessionEvent": `{"type":"object","description":"The data of an event; its fields depend on the event's name.","properties":{
		"delta":{"type":"string"},"tool_name":{"type":"string"},"step_id":{"type":"string"},"job_id":{"type":"string"},
		"duration_ms":{"type":"number","minimum":0},"status":{"type":"string"},"summary":{"type":"string"},"reason":{"type":"string"},
		"fraction":{"type":"number"},"message":{"type":"string"},"code":{"type":"string"},"run_id":{"type":"string"},"reply":{"type":"string"},
		"session_id":{"type":"string"},"state":{"$ref":"#/components/schemas/Manifest"}}}`,

	"ChatRequest": `{"type":"object","required":["prompt"],"additionalProperties":false,"properties":{
		"prompt":{"type":"string","pattern":"\\S","maxLength":16000},
		"stream":{"type":["boolean","null"]},
		"approve":{"enum":["never","destructive","always","",null],"default":"never","description":"Which calls need a person's approval."},
		"model":{"type":["string","null"]},
		"options":{"type":["object","null"],"additionalProperties":false,"description":"Of the agent: bounds of this turn, within those of the server.","properties":{
			"max_turns":{"type":["integer","null"],"minimum":0,"description":"Replies of the model; 0 for the server's bound."},
			"max_tool_calls":{"type":["integer","null"],"minimum":0},
			"max_tokens":{"type":["integer","null"],"minimum":0},
			"max_seconds":{"type":["number","null"],"minimum":0,"description":"Of the whole turn, without waiting for a person."},
			"tool_seconds":{"type":["number","null"],"minimum":0,"description":"Of one call, where the tool's own limit is longer."},
			"planner":{"type":["boolean","null"],"description":"Work without the model, even where there is one."}}},
		"cancel_on_disconnect":{"type":["boolean","null"],"default":false},
		"wait_ms":{"type":["number","null"],"minimum":0,"description":"How long an answer without a stream waits for the end; without it, until the end."}}}`,

	"ChatAnswer": `{"type":"object","required":["session_id","run_id","status","reply","state"],"additionalProperties":false,"properties":{
		"session_id":{"type":"string"},"run_id":{"type":"string"},
		"status":{"enum":["completed","failed","cancelled","interrupted","processing"]},
		"reply":{"type":"string"},"state":{"$ref":"#/components/schemas/Manifest"},
		"error":{"type":"object","required":["code","message"],"properties":{"code":{"type":"string"},"message":{"type":"string"}}}}}`,

	"StepApproval": `{"type":"object","required":["step_id","decision"],"additionalProperties":false,"properties":{
		"step_id":{"type":"string","minLength":1},"decision":{"enum":["approve","deny"]}}}`,
}
