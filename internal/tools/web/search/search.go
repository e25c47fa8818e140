// Package search finds web pages. One Searcher stands before one Backend: a
// LiteLLM proxy, SearXNG, Tavily, Brave, or the local index of this program.
// It asks for further pages of results where the backend has them, cuts to what
// was asked for, keeps to the operator's domains, merges duplicates, and makes
// plain text and ISO 8601 dates of what backends give. Every fault is told as
// invalid_query, upstream_failure or timeout.
package search

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"
	"unicode/utf8"

	"atelier/internal/contract"
)

// The bounds of a call.
const (
	MostResults    = 25   // of the contract
	DefaultResults = 10   // when a call does not say
	longestQuery   = 2000 // characters
	mostPages      = 4    // that one call asks a backend for
)

// Hit is one result as a backend gives it: text may be HTML, the date anything.
type Hit struct {
	Title, URL, Snippet, Date string
}

// Batch is one page of a backend's results.
type Batch struct {
	Hits     []Hit
	More     bool // there may be a further page
	Warnings []contract.Warning
}

// Request is what a backend is asked.
type Request struct {
	Query string
	Want  int      // results still wanted
	Page  int      // from 0
	Allow []string // only these domains; a backend that cannot may ignore it
	Block []string // not these
}

// Backend asks one search service. It returns errors of the catalogue, and
// never shows its key.
type Backend interface {
	Name() string
	// Most is how many results one page holds at most.
	Most() int
	Page(ctx context.Context, r Request) (Batch, error)
}

// Result is one page that was found. Date is ISO 8601, or nil.
type Result struct {
	Title   string  `json:"title"`
	URL     string  `json:"url"`
	Snippet string  `json:"snippet"`
	Date    *string `json:"date"`
}

// Answer is what a search found, and how.
type Answer struct {
	Results    []Result
	Backend    string
	Requests   int // pages that the backend was asked for
	Received   int // results that it gave
	Duplicates int // of them merged
	Filtered   int // of them left out: other domains, no web address
	Warnings   []contract.Warning
}

// Searcher answers queries by one backend.
type Searcher struct {
	Backend Backend
	Allow   []string // domains, with all below them; empty allows every one
	Block   []string
	Now     func() time.Time // for "3 days ago"; nil is time.Now
}

// Search finds at most most results; 0 is DefaultResults.
func (s *Searcher) Search(ctx context.Context, query string, most int) (*Answer, error) {
	query = strings.Join(strings.Fields(query), " ")
	if query == "" {
		return nil, contract.Errorf(contract.CodeInvalidQuery, "the query is empty").At("/query").WithHint("Say in a few words what to look for.")
	}
	if n := utf8.RuneCountInString(query); n > longestQuery {
		return nil, contract.Errorf(contract.CodeInvalidQuery, "the query has %d characters; %d are the most", n, longestQuery).At("/query").
			WithHint("A few words find more than a text does.")
	}
	if most <= 0 {
		most = DefaultResults
	}
	most = min(most, MostResults)
	a := &Answer{Backend: s.Backend.Name(), Results: []Result{}}
	seen := map[string]int{}
	more := true
	for page := 0; more && len(a.Results) < most && page < mostPages; page++ {
		batch, err := s.Backend.Page(ctx, Request{Query: query, Want: most - len(a.Results), Page: page, Allow: s.Allow, Block: s.Block})
		if err != nil {
			if page == 0 {
				return nil, s.classify(ctx, err)
			}
			a.warn("further_results_failed", "The first %d results are here; the request for more failed: %s", len(a.Results), s.classify(ctx, err).Message)
			break
		}
		a.Requests++
		a.Warnings = append(a.Warnings, batch.Warnings...)
		before := len(a.Results)
		s.addHits(a, seen, batch.Hits)
		more = batch.More && len(batch.Hits) > 0 && (len(a.Results) > before || page == 0)
	}
	if len(a.Results) > most {
		a.Results = a.Results[:most]
	}
	if len(a.Results) < most && most > s.Backend.Most() && a.Received >= s.Backend.Most() {
		a.warn("fewer_results", "%d results were asked for; %s gives at most %d to one query.", most, s.Backend.Name(), s.Backend.Most())
	}
	if len(a.Results) == 0 && a.Filtered > 0 {
		a.warn("all_filtered", "%d results were found, none of them on a domain that the operator allows.", a.Filtered)
	}
	return a, nil
}

func (a *Answer) warn(code, format string, args ...any) {
	a.Warnings = append(a.Warnings, contract.Warning{Code: code, Message: fmt.Sprintf(format, args...)})
}

// addHits adds what is new of a batch.
func (s *Searcher) addHits(a *Answer, seen map[string]int, hits []Hit) {
	now := time.Now
	if s.Now != nil {
		now = s.Now
	}
	for _, h := range hits {
		a.Received++
		u, ok := address(h.URL)
		if !ok || u.Scheme != "file" && !allowed(u.Hostname(), s.Allow, s.Block) {
			a.Filtered++
			continue
		}
		r := Result{Title: plainText(h.Title), URL: u.String(), Snippet: plainText(h.Snippet), Date: isoDate(h.Date, now())}
		if r.Title == "" {
			r.Title = u.Host + u.Path
		}
		k := same(u)
		if at, twice := seen[k]; twice {
			a.Duplicates++
			kept := &a.Results[at]
			if len(r.Snippet) > len(kept.Snippet) {
				kept.Snippet = r.Snippet
			}
			if kept.Date == nil {
				kept.Date = r.Date
			}
			continue
		}
		seen[k] = len(a.Results)
		a.Results = append(a.Results, r)
	}
}

// classify makes every fault one of those that the contract names.
func (s *Searcher) classify(ctx context.Context, err error) *contract.Error {
	e := contract.AsError(err)
	switch {
	case e.Code == contract.CodeInvalidQuery || e.Code == contract.CodeTimeout || e.Code == contract.CodeUpstreamFailure:
		return e
	case errors.Is(context.Cause(ctx), context.DeadlineExceeded):
		return late(s.Backend.Name())
	case ctx.Err() != nil:
		return contract.Errorf(contract.CodeCancelled, "the search was cancelled")
	}
	return contract.Errorf(contract.CodeUpstreamFailure, "%s failed: %w", s.Backend.Name(), err)
}

func late(name string) *contract.Error {
	return contract.Errorf(contract.CodeTimeout, "%s did not answer within the time limit", name).
		WithHint("Ask again, or for more time with limits.timeout_ms; the operator sees whether the search service is overloaded.")
}

// allowed holds a host against the operator's lists; a domain stands for all
// hosts below it.
func allowed(host string, allow, block []string) bool {
	under := func(list []string) bool {
		for _, d := range list {
			d = strings.ToLower(strings.TrimPrefix(strings.Trim(strings.TrimSpace(d), "."), "*."))
			if d != "" && (host == d || strings.HasSuffix(host, "."+d)) {
				return true
			}
		}
		return false
	}
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	return !under(block) && (len(allow) == 0 || under(allow))
}

// address reads the URL of a result: of the web, or of a file of the local index.
func address(text string) (*url.URL, bool) {
	u, err := url.Parse(strings.TrimSpace(text))
	if err != nil || u.User != nil {
		return nil, false
	}
	switch u.Scheme = strings.ToLower(u.Scheme); u.Scheme {
	case "http", "https":
		return u, u.Host != ""
	case "file":
		return u, u.Path != ""
	}
	return nil, false
}

// tracking are parameters that tell where a reader came from, not what the page is.
var tracking = map[string]bool{"fbclid": true, "gclid": true, "dclid": true, "msclkid": true, "yclid": true, "igshid": true, "mc_cid": true, "mc_eid": true, "ref_src": true, "_ga": true, "srsltid": true}

// same is equal for addresses of the same page: without scheme, www., a final
// slash, fragment, standard port and tracking parameters, whatever the order of
// the rest.
func same(u *url.URL) string {
	host := strings.TrimPrefix(strings.ToLower(u.Host), "www.")
	host = strings.TrimSuffix(strings.TrimSuffix(host, ":80"), ":443")
	query := u.Query()
	for name := range query {
		if lower := strings.ToLower(name); tracking[lower] || strings.HasPrefix(lower, "utm_") {
			query.Del(name)
		}
	}
	return host + strings.TrimSuffix(u.EscapedPath(), "/") + "?" + query.Encode()
}
