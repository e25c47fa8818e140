package openai

import (
	"context"
	"strings"
	"testing"
	"time"

	"atelier/internal/contract"
	"atelier/internal/llm"
	"atelier/internal/llm/llmtest"
)

// oneLoaded is a loaded model with the id local:8100; ids that begin so belong to
// loaded models.
type oneLoaded struct{ place llm.Place }

func (o oneLoaded) List(context.Context) ([]LoadedModel, error) {
	return []LoadedModel{{ID: "local:8100", Root: "some/model", Owner: "mlx", Since: time.Unix(1700000000, 0)}}, nil
}

func (o oneLoaded) Client(_ context.Context, id string) (*llm.Client, error) {
	switch {
	case !strings.HasPrefix(id, "local:"):
		return nil, nil
	case id != "local:8100":
		return nil, contract.Errorf(contract.CodeModelNotFound, "no model is loaded there")
	}
	return llm.New(llm.Options{Model: id, Find: func(context.Context) (llm.Place, error) { return o.place, nil }})
}

// A request that names a loaded model is answered by it, with the tools of the
// server; every other one by the model behind the server.
func TestALoadedModelAnswersForItself(t *testing.T) {
	loaded := llmtest.Start(t, doubleCall, llmtest.Step{Text: "It is 42."}, llmtest.Step{Text: "Me again."})
	behind := llmtest.Start(t, llmtest.Step{Text: "I am another."})
	h := newTestServer(t, behind)
	h.server.Loaded = oneLoaded{llm.Place{URL: loaded.URL + "/v1", Model: "default_model"}}
	r := h.do("POST", "/v1/chat/completions", `{"model":"local:8100","messages":[{"role":"user","content":"go"}]}`)
	if r.status != 200 || r.text("choices", 0, "message", "content") != "I double it.\n\nIt is 42." || r.at("model") != "local:8100" {
		t.Fatalf("%d %s", r.status, r.raw)
	}
	r = h.do("POST", "/v1/responses", `{"model":"local:8100","input":"go"}`)
	if r.status != 200 || r.text("output", 0, "content", 0, "text") != "Me again." {
		t.Fatalf("%d %s", r.status, r.raw)
	}
	asked := loaded.Requests()
	if len(asked) != 3 || len(asked[0].Tools) != 3 {
		t.Fatalf("%+v", asked)
	}
	for _, a := range asked { // any other name would make mlx_lm.server load that model
		if a.Model != "default_model" {
			t.Errorf("asked for %q", a.Model)
		}
	}
	if r := h.chat(`"n":1`); r.status != 200 || r.text("choices", 0, "message", "content") != "I am another." {
		t.Fatalf("%d %s", r.status, r.raw)
	}
	for _, path := range []string{"/v1/chat/completions", "/v1/responses"} {
		r = h.do("POST", path, `{"model":"local:8101","messages":[{"role":"user","content":"go"}],"input":"go"}`)
		if r.status != 404 || r.at("error", "code") != "model_not_found" || r.at("error", "param") != "model" {
			t.Errorf("%d %s", r.status, r.raw)
		}
	}
}

func TestLoadedModelsAreListed(t *testing.T) {
	h := newTestServer(t, nil)
	h.server.Loaded = oneLoaded{}
	r := h.get("/v1/models")
	if r.at("data", 0, "id") != OwnModel || r.at("data", 1, "id") != "local:8100" || r.at("data", 1, "root") != "some/model" ||
		r.at("data", 1, "owned_by") != "mlx" || r.at("data", 1, "created") != 1700000000.0 || len(r.at("data").([]any)) != 2 {
		t.Fatalf("%s", r.raw)
	}
	if r := h.get("/v1/models/local:8100"); r.status != 200 || r.at("root") != "some/model" {
		t.Fatalf("%s", r.raw)
	}
	// The model behind the server may be a loaded one, and is listed while it is.
	for id, rows := range map[string]int{"local:8100": 2, "local:8101": 2, "other": 3} {
		var err error
		if h.server.Model, err = llm.New(llm.Options{Model: id, URL: "http://127.0.0.1:1/v1"}); err != nil {
			t.Fatal(err)
		}
		if r := h.get("/v1/models"); len(r.at("data").([]any)) != rows {
			t.Errorf("%s: %s", id, r.raw)
		}
	}
}
