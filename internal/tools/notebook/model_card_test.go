package notebook_test

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"atelier/internal/contract"
	tools "atelier/internal/tools/notebook"
	"atelier/internal/tools/web/fetch"
)

type cardAnswer struct {
	License   string   `json:"license"`
	Tags      []string `json:"tags"`
	BaseModel []string `json:"base_model"`
	Datasets  []string `json:"datasets"`
	Languages []string `json:"languages"`
	Task      string   `json:"task"`
	Gated     bool     `json:"gated"`
	Summary   string   `json:"summary"`
	Card      string   `json:"card"`
	Length    int      `json:"characters"`
	Truncated bool     `json:"truncated"`
}

// hubAt serves the two paths of a hub on the loopback, and nothing else.
func hubAt(t *testing.T, pages map[string]string) tools.Hub {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		page, ok := pages[r.URL.Path]
		if !ok {
			http.NotFound(w, r)
			return
		}
		fmt.Fprint(w, page)
	}))
	t.Cleanup(server.Close)
	return tools.Hub{Pages: downloads(t, "127.0.0.1"), Base: server.URL}
}

func downloads(t *testing.T, allow ...string) *fetch.Fetcher {
	t.Helper()
	guard, err := fetch.NewGuard(allow)
	if err != nil {
		t.Fatal(err)
	}
	f, err := fetch.New(fetch.Options{Guard: guard, PerSecond: -1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() })
	return f
}

const tinyCard = "---\nlicense: apache-2.0\ntags:\n- toy\n- lesson\nbase_model: owner/parent\ndatasets: [one, two]\nlanguage:\n- en\n- de\npipeline_tag: text-generation\n---\n# Tiny\n\n![badge](x.png)\n\nTiny is a model of two layers, made for lessons on attention and nothing else.\n\n## Use\n\n"

func TestModelCard(t *testing.T) {
	h := newFixture(t, nil)
	withHub(h, hubAt(t, map[string]string{
		"/owner/tiny/raw/main/README.md":   tinyCard + strings.Repeat("More text. ", 500),
		"/api/models/owner/tiny":           `{"id":"owner/tiny","tags":["toy","license:mit","dataset:three"],"library_name":"transformers","lastModified":"2026-01-02T03:04:05.000Z","gated":"manual"}`,
		"/bare/raw/main/README.md":         "Only a text, without a head, of more than forty characters in all.",
		"/owner/broken/raw/main/README.md": "---\nlicense: [\n---\nA body that is long enough to be a paragraph of prose.",
		"/api/models/owner/broken":         `{"id":"owner/broken","tags":["license:mit"],"gated":false}`,
	}))
	c := ok[cardAnswer](h, "notebook.fetch_model_card", map[string]any{"model_id": "owner/tiny"}, "")
	// The card's own word on the licence comes before the hub's tag.
	if c.License != "apache-2.0" || !slices.Equal(c.Tags, []string{"toy", "lesson", "license:mit", "dataset:three"}) || !slices.Equal(c.BaseModel, []string{"owner/parent"}) ||
		!slices.Equal(c.Datasets, []string{"one", "two", "three"}) || !slices.Equal(c.Languages, []string{"en", "de"}) || c.Task != "text-generation" || !c.Gated {
		t.Errorf("%+v", c)
	}
	if c.Summary != "Tiny is a model of two layers, made for lessons on attention and nothing else." || !c.Truncated || len([]rune(c.Card)) != 2400 || !strings.HasPrefix(c.Card, "# Tiny") {
		t.Errorf("%+v", c)
	}
	if c := ok[cardAnswer](h, "notebook.fetch_model_card", map[string]any{"model_id": "owner/tiny", "max_characters": 100000}, ""); c.Truncated || len([]rune(c.Card)) != c.Length {
		t.Errorf("whole: %d of %d", len([]rune(c.Card)), c.Length)
	}
	if c := ok[cardAnswer](h, "notebook.fetch_model_card", map[string]any{"model_id": "bare"}, ""); c.License != "" || c.Card == "" {
		t.Errorf("%+v", c)
	}
	if c := ok[cardAnswer](h, "notebook.fetch_model_card", map[string]any{"model_id": "owner/broken"}, ""); c.License != "mit" || c.Gated || !strings.HasPrefix(c.Card, "A body") {
		t.Errorf("%+v", c)
	}
	if e := fails(t, h, "notebook.fetch_model_card", map[string]any{"model_id": "owner/nothing"}, contract.CodeFetchFailed); !strings.Contains(e.Hint, "does not exist") {
		t.Errorf("%+v", e)
	}
	if r := h.call("notebook.fetch_model_card", `{"model_id":"../../etc/passwd"}`, ""); r.Status != contract.StatusError || r.Errors[0].Field != "/model_id" {
		t.Errorf("%+v", r.Errors)
	}
}

// withHub binds the tools to a hub.
func withHub(h *fixture, hub tools.Hub) *fixture {
	for _, tool := range tools.Tools(&tools.Memory{Dir: h.t.TempDir()}, kernelHost, hub) {
		h.tools[tool.Contract.Name] = tool
	}
	return h
}

// Offline is said, with what to do.
func TestModelCardOffline(t *testing.T) {
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	closed.Close()
	h := withHub(newFixture(t, nil), tools.Hub{Pages: downloads(t, "127.0.0.1"), Base: "http://" + closed.Addr().String()})
	e := fails(t, h, "notebook.fetch_model_card", map[string]any{"model_id": "owner/tiny"}, contract.CodeFetchFailed)
	if !strings.Contains(e.Hint, "offline") || e.Details["reason"] != "connect" {
		t.Errorf("%+v", e)
	}
}
