package openai

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"time"

	"atelier/internal/contract"
	"atelier/internal/llm"
	"atelier/internal/protocol/httpapi"
)

// DocumentKind is the kind of stored responses among the store's documents.
const DocumentKind = "response"

// record is a stored response.
type record struct {
	Response json.RawMessage   `json:"response"`
	Input    []json.RawMessage `json:"input"`
	Messages []llm.Message     `json:"messages"` // the conversation with its answer, without instructions
	Style    itemStyle         `json:"style,omitempty"`
	Job      *followed         `json:"job,omitempty"` // a forced call that the response waits for

	id      string
	version int64
	updated time.Time
}

// followed is the call whose job a background response follows.
type followed struct {
	CallID    string          `json:"call_id"`
	Tool      string          `json:"tool"`
	Arguments json.RawMessage `json:"arguments"`
	JobID     string          `json:"job_id"`
}

func (rec *record) add(a *answer) { rec.Messages = append(rec.Messages, a.added...) }

func (rec *record) head() (head struct {
	Status     string `json:"status"`
	Background bool   `json:"background"`
}) {
	_ = json.Unmarshal(rec.Response, &head) // it was encoded by save
	return head
}

func (rec *record) status() string { return rec.head().Status }

// response is the stored response to go on from, with the digits of its numbers.
func (rec *record) response() (*response, error) {
	r := &response{}
	dec := json.NewDecoder(bytes.NewReader(rec.Response))
	dec.UseNumber()
	if err := dec.Decode(r); err != nil {
		return nil, contract.Errorf(contract.CodeInternal, "the stored response %s cannot be read: %w", rec.id, err)
	}
	return r, nil
}

// save writes the response as the record's next version; conflict when another
// has written it since. It is seen through when the caller goes away.
func (s *Server) save(ctx context.Context, rec *record, r *response) error {
	raw, err := json.Marshal(r)
	if err != nil {
		return contract.Errorf(contract.CodeInternal, "encode the response: %w", err)
	}
	rec.Response = raw
	return s.put(ctx, rec)
}

func (s *Server) put(ctx context.Context, rec *record) error {
	body, err := json.Marshal(rec)
	if err != nil {
		return contract.Errorf(contract.CodeInternal, "encode the response: %w", err)
	}
	d, err := s.DB.PutDocument(context.WithoutCancel(ctx), DocumentKind, rec.id, rec.version, body)
	if err == nil {
		rec.version = d.Version
	}
	return err
}

// load reads a stored response, or not_found.
func (s *Server) load(ctx context.Context, id string) (*record, error) {
	d, err := s.DB.Document(ctx, DocumentKind, id)
	if err != nil {
		return nil, err
	}
	rec := &record{id: d.ID, version: d.Version, updated: d.Updated}
	if err := json.Unmarshal(d.Body, rec); err != nil {
		return nil, contract.Errorf(contract.CodeInternal, "the stored response %s cannot be read: %w", id, err)
	}
	return rec, nil
}

// getResponse serves GET /v1/responses/{id}.
func (s *Server) getResponse(w http.ResponseWriter, r *http.Request) error {
	if query := r.URL.Query(); query.Has("stream") && query.Get("stream") != "false" {
		return contract.Errorf(contract.CodeInvalidRequest, "a stored response is not streamed").At("stream").
			WithHint("GET it without stream; its jobs stream their progress at /v1/jobs/{id}/events.")
	}
	rec, err := s.load(r.Context(), r.PathValue("id"))
	if err == nil {
		rec, err = s.current(r.Context(), rec)
	}
	if err != nil {
		return err
	}
	httpapi.JSON(w, http.StatusOK, rec.Response)
	return nil
}

// deleteResponse serves DELETE /v1/responses/{id}. The jobs that it ran stay.
func (s *Server) deleteResponse(w http.ResponseWriter, r *http.Request) error {
	id := r.PathValue("id")
	rec, err := s.load(r.Context(), id)
	if err != nil {
		return err
	}
	if pending(rec.status()) {
		if _, err := s.cancel(r.Context(), rec); err != nil {
			return err
		}
	}
	if err := s.DB.DeleteDocument(r.Context(), DocumentKind, id); err != nil {
		return err
	}
	httpapi.JSON(w, http.StatusOK, struct {
		ID      string `json:"id"`
		Object  string `json:"object"`
		Deleted bool   `json:"deleted"`
	}{id, "response", true})
	return nil
}

// itemList is a page of input items.
type itemList struct {
	Object  string            `json:"object"`
	Data    []json.RawMessage `json:"data"`
	FirstID *string           `json:"first_id"`
	LastID  *string           `json:"last_id"`
	HasMore bool              `json:"has_more"`
}

// inputItems serves GET /v1/responses/{id}/input_items, newest first unless
// order is asc.
func (s *Server) inputItems(w http.ResponseWriter, r *http.Request) error {
	query, limit := r.URL.Query(), 20
	if text := query.Get("limit"); query.Has("limit") {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 || n > 100 {
			return contract.Errorf(contract.CodeInvalidRequest, "limit is %q; it must be a whole number from 1 to 100", text).At("limit")
		}
		limit = n
	}
	order := query.Get("order")
	if order != "asc" && order != "desc" && query.Has("order") {
		return contract.Errorf(contract.CodeInvalidRequest, "order is %q", order).At("order").WithHint("Use asc or desc.")
	}
	rec, err := s.load(r.Context(), r.PathValue("id"))
	if err != nil {
		return err
	}
	items := slices.Clone(rec.Input)
	if order != "asc" {
		slices.Reverse(items)
	}
	if after := query.Get("after"); after != "" {
		i := slices.IndexFunc(items, func(raw json.RawMessage) bool { return idOf(raw) == after })
		if i < 0 {
			return contract.Errorf(contract.CodeInvalidRequest, "no item of the response has the id %q", after).At("after")
		}
		items = items[i+1:]
	}
	list := itemList{Object: "list", Data: items, HasMore: len(items) > limit}
	list.Data = items[:min(limit, len(items))]
	if n := len(list.Data); n > 0 {
		first, last := idOf(list.Data[0]), idOf(list.Data[n-1])
		list.FirstID, list.LastID = &first, &last
	}
	httpapi.JSON(w, http.StatusOK, list)
	return nil
}

func idOf(raw json.RawMessage) string {
	var it struct {
		ID string `json:"id"`
	}
	_ = json.Unmarshal(raw, &it) // it was encoded by readInput
	return it.ID
}

// listModels serves GET /v1/models.
func (s *Server) listModels(w http.ResponseWriter, r *http.Request) error {
	rows, err := s.models(r.Context())
	if err != nil {
		return err
	}
	httpapi.JSON(w, http.StatusOK, struct {
		Object string     `json:"object"`
		Data   []modelRow `json:"data"`
	}{"list", rows})
	return nil
}

// getModel serves GET /v1/models/{id}; ids of other servers may hold slashes.
func (s *Server) getModel(w http.ResponseWriter, r *http.Request) error {
	id := r.PathValue("id")
	rows, err := s.models(r.Context())
	if err != nil {
		return err
	}
	listed := s.listedID(r.Context(), id)
	for _, row := range rows {
		if row.ID == listed {
			httpapi.JSON(w, http.StatusOK, row)
			return nil
		}
	}
	return contract.Errorf(contract.CodeNotFound, "the model %q is not listed", id).At("id").
		WithHint("Requests may name any model; %s stands for this server.", OwnModel)
}

type modelRow struct {
	ID      string `json:"id"`
	Object  string `json:"object"`
	Created int64  `json:"created"`
	OwnedBy string `json:"owned_by"`
	Root    string `json:"root,omitempty"` // the model that a loaded one was made of
}

// loads says whether an id is of the kind that loaded models have; such a one is
// listed while it is loaded.
func (s *Server) loads(ctx context.Context, id string) bool {
	if s.Loaded == nil {
		return false
	}
	client, err := s.Loaded.Client(ctx, id)
	return client != nil || err != nil
}

// listedID is the id under which a model is listed that also answers to others.
func (s *Server) listedID(ctx context.Context, id string) string {
	if s.Loaded == nil {
		return id
	}
	if client, err := s.Loaded.Client(ctx, id); err == nil && client != nil {
		return client.Name()
	}
	return id
}

func (s *Server) models(ctx context.Context) ([]modelRow, error) {
	rows := []modelRow{{OwnModel, "model", s.started.Unix(), "atelier", ""}}
	if s.Loaded != nil {
		loaded, err := s.Loaded.List(ctx)
		if err != nil {
			return nil, err
		}
		for _, m := range loaded {
			rows = append(rows, modelRow{m.ID, "model", m.Since.Unix(), m.Owner, m.Root})
		}
	}
	if s.Model != nil && s.Model.Name() != OwnModel && !s.loads(ctx, s.Model.Name()) {
		rows = append(rows, modelRow{s.Model.Name(), "model", s.started.Unix(), "model-url", ""})
	}
	return rows, nil
}
