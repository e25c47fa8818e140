// Package agentconfig serves GET /v1/agent/config, with which an outside
// orchestrator starts (api/spec/agent.md): the tools as OpenAI functions, the system
// message, and the same rules as data.
package agentconfig

import (
	"net/http"

	"atelier/internal/agent"
	"atelier/internal/contract"
	"atelier/internal/protocol/httpapi"
)

// Server holds what the handler needs.
type Server struct {
	Tools *contract.Registry
}

// Config is what the route answers.
type Config struct {
	AgentRole        string                  `json:"agent_role"`
	SystemMessage    Message                 `json:"system_message"`
	Messages         []Message               `json:"messages"` // the system message, ready to be sent
	Tools            []contract.FunctionTool `json:"tools"`
	ManifestPath     string                  `json:"manifest_path"`
	PipelineSequence []string                `json:"pipeline_sequence"`
	ErrorRouting     []agent.ErrorRoute      `json:"error_routing"`
	EscalationErrors []string                `json:"escalation_errors"`
	// Availability has the tools that are not in Tools too, and why they are not.
	Availability map[string]contract.Availability `json:"availability"`
}

// Message is a chat message in OpenAI's form.
type Message struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

// New makes the configuration of the tools of a registry; the same registry
// always gives the same. Tools carry their aliases, or canonical names.
func New(tools *contract.Registry, canonical bool) Config {
	ready := tools.Available()
	functions := make([]contract.FunctionTool, 0, len(ready.All()))
	for _, t := range ready.All() {
		functions = append(functions, t.Contract.FunctionTool(canonical))
	}
	system := Message{Role: "system", Content: instructions(ready, canonical)}
	return Config{
		AgentRole: agent.Role, SystemMessage: system, Messages: []Message{system}, Tools: functions,
		ManifestPath: agent.ManifestPath, PipelineSequence: agent.Pipeline(),
		ErrorRouting: agent.ErrorRoutes(), EscalationErrors: agent.Escalations(),
		Availability: contract.AvailabilityOf(tools.All(), func(c *contract.Contract) string { return c.ShownName(canonical) }),
	}
}

func (s *Server) config(w http.ResponseWriter, r *http.Request) error {
	canonical, err := httpapi.CanonicalNames(r)
	if err != nil {
		return err
	}
	selected, err := s.Tools.Select(httpapi.Selection(r))
	if err != nil {
		return err
	}
	httpapi.JSON(w, http.StatusOK, New(selected, canonical))
	return nil
}

// Routes lists the protocol's routes.
func (s *Server) Routes() []httpapi.Route {
	return []httpapi.Route{{Path: "/v1/agent/config", Methods: httpapi.Methods{"GET": {Serve: s.config, Doc: &httpapi.Operation{
		ID: "getAgentConfig", Tag: "Agent", Summary: "What an orchestrator needs to start",
		Description: "The system message to begin with, the tools that this machine can run as OpenAI functions, and the pipeline, the error routing and the escalation list as data.",
		Parameters:  append(httpapi.SelectionParameters(), httpapi.NamesParameter()),
		Responses:   map[int]httpapi.Body{http.StatusOK: httpapi.JSONBody("The configuration.", httpapi.Ref("AgentConfig"))},
		Errors:      []int{http.StatusBadRequest},
	}}}}}
}

// Schemas implements httpapi.Protocol.
func (s *Server) Schemas() map[string]httpapi.Schema {
	return map[string]httpapi.Schema{
		"AgentConfig": httpapi.Schema(`{"type":"object","additionalProperties":false,
"required":["agent_role","system_message","messages","tools","manifest_path","pipeline_sequence","error_routing","escalation_errors","availability"],
"properties":{
 "agent_role":{"type":"string","const":"orchestration_agent"},
 "system_message":{"$ref":"#/components/schemas/AgentMessage"},
 "messages":{"type":"array","minItems":1,"items":{"$ref":"#/components/schemas/AgentMessage"},"description":"The system message, ready to be sent to a model."},
 "tools":{"type":"array","items":{"$ref":"#/components/schemas/AgentFunction"},"description":"Sorted by canonical name; tools whose engine is missing are left out."},
 "manifest_path":{"type":"string","description":"The file of a session that is its source of truth."},
 "pipeline_sequence":{"type":"array","items":{"type":"string"}},
 "error_routing":{"type":"array","items":{"$ref":"#/components/schemas/AgentErrorRoute"}},
 "escalation_errors":{"type":"array","items":{"type":"string"},"description":"The only errors for which the user is asked to intervene."},
 "availability":{"$ref":"#/components/schemas/Availability"}}}`),
		"AgentMessage": httpapi.Schema(`{"type":"object","additionalProperties":false,"required":["role","content"],
"properties":{"role":{"type":"string","const":"system"},"content":{"type":"string"}}}`),
		"AgentFunction": httpapi.Schema(`{"type":"object","additionalProperties":false,"required":["type","function"],
"properties":{"type":{"type":"string","const":"function"},
 "function":{"type":"object","additionalProperties":false,"required":["name","description","parameters"],
  "properties":{"name":{"type":"string"},"description":{"type":"string"},
   "parameters":{"type":"object","description":"The tool's input schema."}}}}}`),
		"AgentErrorRoute": httpapi.Schema(`{"type":"object","additionalProperties":false,"required":["error_code","action","retry_limit"],
"properties":{"error_code":{"type":"string"},"action":{"type":"string"},
 "action_tool":{"type":"string","description":"The tool to call; absent where none is."},
 "retry_limit":{"type":"integer","minimum":0},
 "unavailable":{"type":"string","description":"Why this server does not take the row; absent where it does."}}}`),
	}
}
