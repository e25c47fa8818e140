package search

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"sync"

	"atelier/internal/contract"
)

// litellmMost is what /v1/search allows in one request.
const litellmMost = 20

// litellm asks POST /v1/search/{tool} of a LiteLLM proxy.
type litellm struct {
	*client
	tool string

	mu       sync.Mutex
	provider string // that stands behind the tool; "" until it is known
}

// NewLiteLLM asks the search tool of that name at a LiteLLM proxy.
func NewLiteLLM(base, key, tool string) (Backend, error) {
	if tool == "" {
		return nil, contract.Errorf(contract.CodeInvalidConfig, "the name of LiteLLM's search tool is missing").
			WithHint("Set --search-tool to a search_tool_name of the proxy's config.yaml; GET /v1/search/tools of the proxy lists them.")
	}
	c, err := newClient("LiteLLM", base, key)
	if err != nil {
		return nil, err
	}
	return &litellm{client: c, tool: tool}, nil
}

func (l *litellm) Name() string { return "litellm" }
func (l *litellm) Most() int    { return litellmMost }

type litellmBody struct {
	Query      string   `json:"query"`
	MaxResults int      `json:"max_results"`
	Domains    []string `json:"search_domain_filter,omitempty"`
	PageNo     int      `json:"pageno,omitempty"` // goes through to SearXNG as it is
}

// results is a list of hits in the words of LiteLLM, Tavily and SearXNG.
type results struct {
	Results *[]struct {
		Title         string `json:"title"`
		URL           string `json:"url"`
		Snippet       string `json:"snippet"`
		Content       string `json:"content"`
		Date          any    `json:"date"`
		PublishedDate any    `json:"publishedDate"`
		Published     any    `json:"published_date"`
	} `json:"results"`
}

func (r results) hits() []Hit {
	var list []Hit
	for _, h := range *r.Results {
		date := ""
		for _, d := range []any{h.Date, h.PublishedDate, h.Published} {
			if text, ok := d.(string); ok && date == "" {
				date = text
			}
		}
		snippet := h.Snippet
		if snippet == "" {
			snippet = h.Content
		}
		list = append(list, Hit{h.Title, h.URL, snippet, date})
	}
	return list
}

func (l *litellm) Page(ctx context.Context, r Request) (Batch, error) {
	body := litellmBody{Query: r.Query, MaxResults: min(r.Want, litellmMost), Domains: r.Allow}
	if len(r.Allow) > 0 || len(r.Block) > 0 {
		body.MaxResults = litellmMost // some will be left out
	}
	if r.Page > 0 {
		body.PageNo = r.Page + 1
	}
	a, err := l.call(ctx, http.MethodPost, "/v1/search/"+url.PathEscape(l.tool), nil, body, l.bearer())
	if err != nil {
		return Batch{}, err
	}
	if a.status != http.StatusOK {
		return Batch{}, l.refusal(a)
	}
	var found results
	if err := l.read(a, &found); err != nil {
		return Batch{}, err
	}
	if found.Results == nil {
		return Batch{}, l.formless(a)
	}
	batch := Batch{Hits: found.hits()}
	if len(batch.Hits) > 0 && (len(batch.Hits) < r.Want || len(r.Allow)+len(r.Block) > 0) {
		batch.More = l.pages(ctx)
	}
	return batch, nil
}

// pages says whether the provider behind the tool has further pages: LiteLLM
// knows none itself, but hands SearXNG its own parameters.
func (l *litellm) pages(ctx context.Context) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.provider == "" {
		a, err := l.call(ctx, http.MethodGet, "/v1/search/tools", nil, nil, l.bearer())
		var list struct {
			Data []struct {
				Name     string `json:"search_tool_name"`
				Provider string `json:"search_provider"`
			} `json:"data"`
		}
		if err != nil || a.status != http.StatusOK || json.Unmarshal(a.body, &list) != nil {
			return false // asked again with the next search
		}
		l.provider = "unknown"
		for _, t := range list.Data {
			if t.Name == l.tool && t.Provider != "" {
				l.provider = t.Provider
			}
		}
	}
	return l.provider == "searxng"
}

// refusal reads LiteLLM's errors, whose statuses do not say what they mean: an
// unknown tool is 500, a missing key 500 in plain text, a wrong key 400.
func (l *litellm) refusal(a *answer) error {
	var object struct {
		Error struct {
			Message string `json:"message"`
		} `json:"error"`
	}
	said, hint := "", ""
	if json.Unmarshal(a.body, &object) == nil {
		said = object.Error.Message
	}
	switch lower := strings.ToLower(said + string(a.body[:min(len(a.body), 300)])); {
	case strings.Contains(lower, "not found in router.search_tools"):
		hint = "The proxy has no search tool of this name; the operator sets --search-tool to one of its config.yaml (GET /v1/search/tools lists them)."
	case strings.Contains(lower, "no connected db") || strings.Contains(lower, "authentication") || strings.Contains(lower, "invalid proxy server token"):
		hint = "The proxy does not know the key; the operator sets --search-key to its master key or a virtual key of it."
	case a.status == http.StatusInternalServerError && said == "" && l.key == "":
		hint = "The proxy wants a key, and none is set; the operator sets it with --search-key."
	case strings.Contains(lower, "exception - ") || strings.Contains(lower, "litellm."):
		hint = "The search service behind the proxy failed; the proxy's operator sees why."
	}
	return l.refused(a, said, hint)
}
