package admin

import (
	"net/http"

	"atelier/internal/protocol/httpapi"
)

const tag = "Admin"

func ok(description, schema string) map[int]httpapi.Body {
	return map[int]httpapi.Body{http.StatusOK: httpapi.JSONBody(description, httpapi.Ref(schema))}
}

func docStatus() *httpapi.Operation {
	return &httpapi.Operation{ID: "getAdminStatus", Tag: tag, Summary: "Engines, sandbox, queues, jobs, storage, loaded models",
		Description: "doctor is what atelier doctor --json prints; it is made anew at most once a minute.",
		Responses:   ok("The state of the server.", "AdminStatus")}
}

func docLogs() *httpapi.Operation {
	return &httpapi.Operation{ID: "getAdminLogs", Tag: tag, Summary: "The last lines of the server's log",
		Parameters: []httpapi.Parameter{{Name: "limit", In: "query", Description: "How many lines; outside 1 to 1000 the nearest of them.",
			Schema: httpapi.Schema(`{"type":"integer","default":200}`)}},
		Responses: ok("The lines, the newest last.", "AdminLogs"), Errors: []int{http.StatusBadRequest}}
}

func docClear() *httpapi.Operation {
	body := httpapi.JSONBody("An empty object.", httpapi.Schema(`{"type":"object","additionalProperties":false}`))
	body.Required = false
	return &httpapi.Operation{ID: "clearJobs", Tag: tag, Summary: "Remove the finished jobs with their artifacts",
		Description: "Pinned jobs stay, and so do the files of sessions. It cannot be undone.",
		Request:     &body, Responses: ok("What was removed.", "AdminCleared")}
}

// Schemas implements web.Protocol.
func (s *Server) Schemas() map[string]httpapi.Schema {
	schemas := map[string]httpapi.Schema{}
	for name, schema := range schemaTexts {
		schemas[name] = httpapi.Schema(schema)
	}
	return schemas
}

const (
	count   = `{"type":"integer","minimum":0}`
	stamped = `{"type":"string","format":"date-time"}`
)

var schemaTexts = map[string]string{
	"AdminStatus": `{"type":"object","additionalProperties":false,
		"required":["version","started_at","generated_at","doctor","queues","jobs","storage","models"],
		"properties":{
			"version":{"type":"string"},"started_at":` + stamped + `,"generated_at":` + stamped + `,
			"doctor":{"type":"object","description":"What atelier doctor --json prints.","required":["ok","sandbox","data","engines"],
				"properties":{"ok":{"type":"boolean"},
					"sandbox":{"type":"object","required":["level","missing"],"properties":{"level":{"enum":["full","partial","none"]},"missing":{"type":["array","null"],"items":{"type":"string"}}}},
					"data":{"type":"object","required":["path","writable","free_bytes"],
						"properties":{"path":{"type":"string"},"writable":{"type":"boolean"},"free_bytes":{"type":"integer","minimum":-1,"description":"-1: unknown."},"fault":{"type":"string"}}},
					"engines":{"type":"array","items":{"type":"object","required":["name","installed"],
					"properties":{"name":{"type":"string"},"installed":{"type":"boolean"},"version":{"type":"string"},"fault":{"type":"string"},"hint":{"type":"string"}}}}}},
			"queues":{"type":"array","items":{"type":"object","additionalProperties":false,"required":["name","tools","queued","running"],
				"properties":{"name":{"type":"string"},"tools":{"type":"array","items":{"type":"string"}},"queued":` + count + `,"running":` + count + `}}},
			"jobs":{"type":"object","additionalProperties":false,"required":["queued","running","succeeded","failed","cancelled"],
				"properties":{"queued":` + count + `,"running":` + count + `,"succeeded":` + count + `,"failed":` + count + `,"cancelled":` + count + `}},
			"storage":{"type":"object","additionalProperties":false,"required":["bytes","database_bytes","files","quota_bytes","free_bytes"],
				"properties":{"bytes":` + count + `,"database_bytes":` + count + `,"files":` + count + `,
					"quota_bytes":{"type":"integer","minimum":0,"description":"0: no quota."},
					"free_bytes":{"type":"integer","minimum":-1,"description":"On the disk of the data folder; -1: unknown."}}},
			"models":{"type":"array","description":"The language models that are loaded.","items":{"type":"object","additionalProperties":false,
				"required":["id","model","backend","host","url","state","restarts"],
				"properties":{"id":{"type":"string"},"model":{"type":"string"},"backend":{"type":"string"},"host":{"type":"string"},"url":{"type":"string"},
					"state":{"enum":["loading","ready","restarting","stopped","failed","unloading"]},"restarts":` + count + `,
					"fault":{"type":"string","description":"How the server ended last."}}}}}}`,

	"AdminLogs": `{"type":"object","additionalProperties":false,"required":["lines","count","generated_at"],
		"properties":{"lines":{"type":"array","maxItems":1000,"items":{"type":"string"}},"count":` + count + `,"generated_at":` + stamped + `}}`,

	"AdminCleared": `{"type":"object","additionalProperties":false,
		"required":["status","deleted_jobs","reclaimed_bytes","reclaimed_human","message","timestamp"],
		"properties":{"status":{"const":"ok"},"deleted_jobs":` + count + `,"reclaimed_bytes":` + count + `,
			"reclaimed_human":{"type":"string"},"message":{"type":"string"},"timestamp":` + stamped + `}}`,
}
