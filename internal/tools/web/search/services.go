package search

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
	"strings"
)

// searxng asks GET /search?format=json of a SearXNG instance.
type searxng struct{ *client }

// NewSearXNG asks a SearXNG instance whose settings allow the json format.
func NewSearXNG(base string) (Backend, error) {
	c, err := newClient("SearXNG", base, "")
	if err != nil {
		return nil, err
	}
	return searxng{c}, nil
}

func (s searxng) Name() string { return "searxng" }
func (s searxng) Most() int    { return MostResults } // it pages

// withSites adds the domains to the words of a query, as most engines
// understand it; many of them are left to the filter.
func withSites(r Request) string {
	const most = 5
	if len(r.Allow) == 0 || len(r.Allow) > most {
		return r.Query
	}
	sites := make([]string, len(r.Allow))
	for i, d := range r.Allow {
		sites[i] = "site:" + strings.TrimPrefix(d, "*.")
	}
	if len(sites) == 1 {
		return r.Query + " " + sites[0]
	}
	return r.Query + " (" + strings.Join(sites, " OR ") + ")"
}

func (s searxng) Page(ctx context.Context, r Request) (Batch, error) {
	query := url.Values{"q": {withSites(r)}, "format": {"json"}}
	if r.Page > 0 {
		query.Set("pageno", strconv.Itoa(r.Page+1))
	}
	a, err := s.call(ctx, http.MethodGet, "/search", query, nil, nil)
	if err != nil {
		return Batch{}, err
	}
	if a.status != http.StatusOK {
		hint := ""
		if a.status == http.StatusForbidden {
			hint = "The instance does not give JSON; its operator adds json to search.formats in settings.yml."
		}
		return Batch{}, s.refused(a, "", hint)
	}
	var found results
	if err := s.read(a, &found); err != nil {
		return Batch{}, err
	}
	if found.Results == nil {
		return Batch{}, s.formless(a)
	}
	return Batch{Hits: found.hits(), More: true}, nil
}

// tavily asks POST /search.
type tavily struct{ *client }

const tavilyMost = 20

// NewTavily asks Tavily's API, or one of its shape.
func NewTavily(base, key string) (Backend, error) {
	c, err := newClient("Tavily", base, key)
	if err != nil {
		return nil, err
	}
	return tavily{c}, nil
}

func (t tavily) Name() string { return "tavily" }
func (t tavily) Most() int    { return tavilyMost }

type tavilyBody struct {
	Query      string   `json:"query"`
	MaxResults int      `json:"max_results"`
	Include    []string `json:"include_domains,omitempty"`
	Exclude    []string `json:"exclude_domains,omitempty"`
}

func (t tavily) Page(ctx context.Context, r Request) (Batch, error) {
	a, err := t.call(ctx, http.MethodPost, "/search", nil, tavilyBody{r.Query, min(r.Want, tavilyMost), r.Allow, r.Block}, t.bearer())
	if err != nil {
		return Batch{}, err
	}
	if a.status != http.StatusOK {
		var object struct {
			Detail struct {
				Error string `json:"error"`
			} `json:"detail"`
		}
		_ = json.Unmarshal(a.body, &object) // else the body itself is told
		hint := ""
		if a.status == 432 || a.status == 433 {
			hint = "The plan's limit is reached; the operator raises it at Tavily."
		}
		return Batch{}, t.refused(a, object.Detail.Error, hint)
	}
	var found results
	if err := t.read(a, &found); err != nil {
		return Batch{}, err
	}
	if found.Results == nil {
		return Batch{}, t.formless(a)
	}
	return Batch{Hits: found.hits()}, nil
}

// brave asks GET /res/v1/web/search.
type brave struct{ *client }

const (
	braveMost    = 20  // results of a page
	braveLetters = 400 // of a query
)

// NewBrave asks Brave's search API, or one of its shape.
func NewBrave(base, key string) (Backend, error) {
	c, err := newClient("Brave", base, key)
	if err != nil {
		return nil, err
	}
	return brave{c}, nil
}

func (b brave) Name() string { return "brave" }
func (b brave) Most() int    { return MostResults } // it pages

type braveAnswer struct {
	Query *struct {
		More bool `json:"more_results_available"`
	} `json:"query"`
	Web *struct {
		Results []struct {
			Title       string `json:"title"`
			URL         string `json:"url"`
			Description string `json:"description"`
			PageAge     string `json:"page_age"`
			Age         string `json:"age"`
		} `json:"results"`
	} `json:"web"`
	Error struct {
		Detail string `json:"detail"`
	} `json:"error"`
}

func (b brave) Page(ctx context.Context, r Request) (Batch, error) {
	text := withSites(r)
	if letters := []rune(text); len(letters) > braveLetters {
		text = string(letters[:braveLetters])
	}
	query := url.Values{"q": {text}, "count": {strconv.Itoa(braveMost)}}
	if r.Page > 0 {
		query.Set("offset", strconv.Itoa(r.Page))
	}
	a, err := b.call(ctx, http.MethodGet, "/res/v1/web/search", query, nil, map[string]string{"X-Subscription-Token": b.key})
	if err != nil {
		return Batch{}, err
	}
	var found braveAnswer
	if a.status != http.StatusOK {
		_ = json.Unmarshal(a.body, &found) // else the body itself is told
		return Batch{}, b.refused(a, found.Error.Detail, "")
	}
	if err := b.read(a, &found); err != nil {
		return Batch{}, err
	}
	if found.Query == nil && found.Web == nil {
		return Batch{}, b.formless(a)
	}
	var batch Batch
	if found.Web != nil {
		for _, h := range found.Web.Results {
			date := h.PageAge
			if date == "" {
				date = h.Age
			}
			batch.Hits = append(batch.Hits, Hit{h.Title, h.URL, h.Description, date})
		}
	}
	batch.More = found.Query != nil && found.Query.More
	return batch, nil
}
