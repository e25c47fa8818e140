// Package openai serves the OpenAI-style routes: chat completions, responses,
// models. A caller either forces a tool (tool_choice names it and carries its
// arguments, api/spec/agent.md; no model is needed) or lets the model behind
// Server.Model choose. The answer is a plain assistant message, and the results
// of the tools that the server ran stand beside it in tool_results, the one
// shape that every SDK and agent framework accepts. A call of a tool that the
// caller declared comes back to the caller as an ordinary tool call.
//
// A tool's failure is an answer, never an HTTP error: SDKs repeat requests that
// end with 5xx, and the work would be done twice.
package openai

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"atelier/internal/agent"
	"atelier/internal/contract"
	"atelier/internal/job"
	"atelier/internal/llm"
	"atelier/internal/protocol/httpapi"
	"atelier/internal/session"
	"atelier/internal/store"
)

// OwnModel is the model id that stands for this server.
const OwnModel = "autosage-0.1"

// Server holds what the handlers need.
type Server struct {
	Tools *contract.Registry
	// Standard is what a model is shown where a request selects no tools; the zero value
	// shows all. Other tools may run all the same.
	Standard contract.Selection
	Jobs     job.API
	DB       *store.DB   // of stored responses
	Model    *llm.Client // nil: only forced calls run, and what the planner reads by itself
	// Loaded are further models, which requests name by their ids; nil for none.
	Loaded Models
	// Budget bounds what one answer may use.
	Budget agent.Budget
	// Window is how many tokens the model reads at once; 0 for the agent's standard.
	Window int
	// Blobs are the contents behind artifacts; without them nothing is planned.
	Blobs *store.Blobs
	// Session finds the manifest that a request's context names; nil for none.
	Session func(ctx context.Context, id string) (*session.Manifest, error)
	Log     *slog.Logger // nil: slog.Default()

	// KeepAlive is the time between comments on a quiet stream; 0 for 15 s.
	KeepAlive time.Duration

	heartbeat  time.Duration // of responses in the background; 0 for everyBeat
	started    time.Time
	once       sync.Once
	background backgroundRuns
}

// Models are those that are loaded and unloaded while the server runs.
type Models interface {
	List(ctx context.Context) ([]LoadedModel, error)
	// Client calls the model of an id; nil when the id is not of the kind that
	// these have, model_not_found when it is and none is loaded.
	Client(ctx context.Context, id string) (*llm.Client, error)
}

// LoadedModel is one of them, as /v1/models lists it.
type LoadedModel struct {
	ID    string
	Root  string // the model behind the id
	Owner string
	Since time.Time
}

func (s *Server) fill() {
	s.once.Do(func() {
		s.started = time.Now()
		if s.KeepAlive == 0 {
			s.KeepAlive = 15 * time.Second
		}
		if s.heartbeat == 0 {
			s.heartbeat = everyBeat
		}
		if s.Log == nil {
			s.Log = slog.Default()
		}
	})
}

// Close ends the responses that run without their callers; each is kept as
// failed, with the code interrupted.
func (s *Server) Close(ctx context.Context) error { return s.background.close(ctx) }

// Routes lists the protocol's routes.
func (s *Server) Routes() []httpapi.Route {
	s.fill()
	_, _ = chatSchema(), requestSchema() // a server with broken ones must not start
	route := func(path string, methods httpapi.Methods) httpapi.Route {
		return httpapi.Route{Path: path, Methods: methods, Envelope: Envelope}
	}
	return []httpapi.Route{
		route("/v1/chat/completions", httpapi.Methods{"POST": {Serve: s.chat, Doc: docChat()}}),
		route("/v1/responses", httpapi.Methods{"POST": {Serve: s.responses, Doc: docResponses()}}),
		route("/v1/responses/{id}", httpapi.Methods{"GET": {Serve: s.getResponse, Doc: docGetResponse()}, "DELETE": {Serve: s.deleteResponse, Doc: docDeleteResponse()}}),
		route("/v1/responses/{id}/cancel", httpapi.Methods{"POST": {Serve: s.cancelResponse, Doc: docCancelResponse()}}),
		route("/v1/responses/{id}/input_items", httpapi.Methods{"GET": {Serve: s.inputItems, Doc: docInputItems()}}),
		route("/v1/models", httpapi.Methods{"GET": {Serve: s.listModels, Doc: docListModels()}}),
		route("/v1/models/{id...}", httpapi.Methods{"GET": {Serve: s.getModel, Doc: docGetModel()}}),
	}
}

// Schemas implements web.Protocol.
func (s *Server) Schemas() map[string]httpapi.Schema { return schemas }
