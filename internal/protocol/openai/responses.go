package openai

import (
	"context"
	"encoding/json"
	"net/http"
	"time"

	"atelier/internal/contract"
	"atelier/internal/llm"
	"atelier/internal/protocol/httpapi"
	"atelier/internal/store"
)

// responseRequest is the body of POST /v1/responses.
type responseRequest struct {
	shared
	Input            json.RawMessage `json:"input"`
	Instructions     *string         `json:"instructions"`
	Previous         *string         `json:"previous_response_id"`
	Store            *bool           `json:"store"`
	Background       bool            `json:"background"`
	MaxOutputTokens  *whole          `json:"max_output_tokens"`
	Text             *textParam      `json:"text"`
	Reasoning        *reasoning      `json:"reasoning"`
	Truncation       *string         `json:"truncation"`
	SafetyIdentifier *string         `json:"safety_identifier"`
	PromptCacheKey   *string         `json:"prompt_cache_key"`
}

type textParam struct {
	Format    json.RawMessage `json:"format"`
	Verbosity string          `json:"verbosity"`
}

// responses serves POST /v1/responses.
func (s *Server) responses(w http.ResponseWriter, r *http.Request) error {
	var req responseRequest
	if err := readBody(r, requestSchema(), &req); err != nil {
		return err
	}
	if req.Background && !or(req.Store, true) {
		return contract.Errorf(contract.CodeInvalidRequest, "background needs store, as the response is fetched later").At("/store")
	}
	t, err := s.turn(r, &req.shared)
	if err != nil {
		return err
	}
	rec, err := s.conversation(r.Context(), t, &req)
	if err != nil {
		return err
	}
	rec.id = store.NewID("resp_")
	out := newResponseOut(newResponse(rec.id, &req, t, time.Now()), t.items)
	if req.Stream {
		out.stream = newEventStream(w, s.KeepAlive, true, out.begin)
		defer out.stream.close()
	}
	if req.Background {
		return s.inBackground(w, r, t, rec, out)
	}
	a, err := s.run(r.Context(), t, out)
	if err == nil {
		out.finish(a)
		rec.add(a)
		if out.Store {
			err = s.save(r.Context(), rec, out.response)
		}
	}
	return s.reply(w, r, t, rec, out, err)
}

// reply tells what a response came to.
func (s *Server) reply(w http.ResponseWriter, r *http.Request, t *turn, rec *record, out *responseOut, err error) error {
	if out.stream == nil {
		if err == nil {
			httpapi.JSON(w, http.StatusOK, out.response)
			return nil
		}
		noRetry(w, t)
		return err
	}
	if err == nil {
		out.conclude(nil)
		return nil
	}
	if out.stream.abandon() {
		noRetry(w, t)
		return err
	}
	errs := contract.ErrorsOf(err)
	out.end(statusFailed, errs)
	if out.Store {
		if err := s.save(r.Context(), rec, out.response); err != nil {
			s.Log.Warn("a failed response could not be stored", "response", rec.id, "error", err)
		}
	}
	out.conclude(errs)
	return nil
}

// conversation reads the input behind what previous_response_id has kept.
func (s *Server) conversation(ctx context.Context, t *turn, req *responseRequest) (*record, error) {
	rec := &record{Style: t.items}
	if req.Previous != nil && *req.Previous != "" {
		before, err := s.load(ctx, *req.Previous)
		if err != nil {
			if store.IsNotFound(err) {
				return nil, contract.Errorf(contract.CodeNotFound, "no response %q is stored", *req.Previous).At("/previous_response_id").
					WithHint("Send store: true (the standard) with the response that you want to continue.")
			}
			return nil, err
		}
		if pending(before.status()) {
			return nil, contract.Errorf(contract.CodeInvalidRequest, "the response %s has not ended yet", *req.Previous).At("/previous_response_id").
				WithHint("GET /v1/responses/%s until its status is completed.", *req.Previous)
		}
		rec.Messages = before.Messages
	}
	messages, items, err := readInput(req.Input)
	if err != nil {
		return nil, err
	}
	rec.Input, rec.Messages = items, append(rec.Messages, messages...)
	t.history = rec.Messages
	if req.Instructions != nil && *req.Instructions != "" {
		t.system = []llm.Message{llm.Text("system", *req.Instructions)}
	}
	t.settings.MaxCompletionTokens = req.MaxOutputTokens.int()
	if req.Reasoning != nil {
		t.settings.ReasoningEffort = or(req.Reasoning.Effort, "")
	}
	if req.Text != nil {
		t.settings.Verbosity = req.Text.Verbosity
		t.settings.ResponseFormat = chatFormat(req.Text.Format)
	}
	return rec, nil
}

// chatFormat turns text.format into response_format, which nests the schema.
func chatFormat(raw json.RawMessage) json.RawMessage {
	var format map[string]json.RawMessage
	if json.Unmarshal(raw, &format) != nil || format == nil {
		return nil
	}
	switch string(format["type"]) {
	case `"text"`:
		return nil
	case `"json_schema"`:
		delete(format, "type")
		out, _ := json.Marshal(map[string]any{"type": "json_schema", "json_schema": format}) // it was JSON before
		return out
	}
	return raw
}
