package search

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"atelier/internal/contract"
)

const secret = "sk-very-secret-1234"

// service answers every request by handle, and counts them.
func service(t *testing.T, handle http.HandlerFunc) (string, *atomic.Int32) {
	t.Helper()
	var n atomic.Int32
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n.Add(1)
		handle(w, r)
	}))
	t.Cleanup(func() {
		s.CloseClientConnections()
		s.Close()
	})
	return s.URL, &n
}

func made(t *testing.T, b Backend, err error) *Searcher {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	return &Searcher{Backend: b}
}

// backends are all that speak to a service, each made for a base URL.
func backends(t *testing.T, base string) map[string]*Searcher {
	t.Helper()
	l, err := NewLiteLLM(base, secret, "tool")
	litellm := made(t, l, err)
	x, err := NewSearXNG(base)
	searxng := made(t, x, err)
	v, err := NewTavily(base, secret)
	tavily := made(t, v, err)
	b, err := NewBrave(base, secret)
	return map[string]*Searcher{"litellm": litellm, "searxng": searxng, "tavily": tavily, "brave": made(t, b, err)}
}

// Every fault on the way is one of the contract's codes, says what to do, and
// does not show the key.
func TestFaultsOfEveryBackend(t *testing.T) {
	write := func(status int, body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(status)
			_, _ = io.WriteString(w, body)
		}
	}
	for name, tc := range map[string]struct {
		handle http.HandlerFunc
		code   string
	}{
		"500":           {write(500, "broken; the key was "+secret), contract.CodeUpstreamFailure},
		"401":           {write(401, `{"detail":{"error":"Unauthorized: `+secret+`"}}`), contract.CodeUpstreamFailure},
		"429 for long":  {func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("Retry-After", "60"); w.WriteHeader(429) }, contract.CodeUpstreamFailure},
		"malformed":     {write(200, `{"results": [{"title": "cut`), contract.CodeUpstreamFailure},
		"HTML":          {write(200, "<html><body>Sign in</body></html>"), contract.CodeUpstreamFailure},
		"empty":         {write(200, ""), contract.CodeUpstreamFailure},
		"no results":    {write(200, `{"answers":[]}`), contract.CodeUpstreamFailure},
		"a list":        {write(200, `[1,2]`), contract.CodeUpstreamFailure},
		"another form":  {write(200, `{"results":"none","web":7}`), contract.CodeUpstreamFailure},
		"redirect":      {write(302, ""), contract.CodeUpstreamFailure},
		"endless":       {func(w http.ResponseWriter, _ *http.Request) { flood(w) }, contract.CodeUpstreamFailure},
		"slow":          {func(_ http.ResponseWriter, r *http.Request) { hold(r) }, contract.CodeTimeout},
		"hangs up":      {func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, contract.CodeUpstreamFailure},
		"slow in parts": {func(w http.ResponseWriter, r *http.Request) { drip(w, r) }, contract.CodeTimeout},
	} {
		base, _ := service(t, tc.handle)
		for backend, s := range backends(t, base) {
			ctx, cancel := context.WithTimeout(context.Background(), 700*time.Millisecond)
			if tc.code != contract.CodeTimeout {
				ctx, cancel = context.WithTimeout(context.Background(), 20*time.Second)
			}
			_, err := s.Search(ctx, "x", 5)
			cancel()
			e := contract.AsError(err)
			if err == nil || e.Code != tc.code || backend != "searxng" && strings.Contains(e.Error(), secret) {
				t.Errorf("%s, %s: %v", name, backend, err)
			}
			if e.Hint == "" && name != "500" && name != "hangs up" {
				t.Errorf("%s, %s: no hint: %v", name, backend, e)
			}
		}
	}
	closed := httptest.NewServer(http.NotFoundHandler())
	closed.Close()
	for backend, s := range backends(t, closed.URL) {
		if _, err := s.Search(context.Background(), "x", 5); contract.AsError(err).Code != contract.CodeUpstreamFailure || !strings.Contains(err.Error(), "cannot be reached") {
			t.Errorf("down, %s: %v", backend, err)
		}
	}
}

func flood(w http.ResponseWriter) {
	chunk := []byte(strings.Repeat("x", 1<<16))
	for range 200 {
		if _, err := w.Write(chunk); err != nil {
			return
		}
	}
}

// hold answers nothing until the client has gone, which the server hears of
// once the body is read.
func hold(r *http.Request) {
	_, _ = io.Copy(io.Discard, r.Body)
	<-r.Context().Done()
}

func drip(w http.ResponseWriter, r *http.Request) {
	_, _ = io.Copy(io.Discard, r.Body)
	for r.Context().Err() == nil {
		_, _ = io.WriteString(w, " ")
		_ = http.NewResponseController(w).Flush()
		time.Sleep(50 * time.Millisecond)
	}
}

// What LiteLLM 1.106.2 answers was recorded from the proxy itself.
func TestLiteLLMsErrorsSayWhatTheOperatorDoes(t *testing.T) {
	for name, tc := range map[string]struct {
		status     int
		body, hint string
		key        string
	}{
		"unknown tool": {500, `{"error":{"message":"Search tool 'nope' not found in router.search_tools","type":"internal_server_error","param":null,"code":"500"}}`, "--search-tool", secret},
		"wrong key":    {400, `{"error":{"message":"No connected db.","type":"no_db_connection","param":null,"code":"400"}}`, "--search-key", secret},
		"no key":       {500, "Internal Server Error", "--search-key", ""},
		"upstream 500": {500, `{"error":{"message":"litellm.InternalServerError: SearxngException - boom","type":"internal_server_error","param":null,"code":"500"}}`, "behind the proxy", secret},
	} {
		base, n := service(t, func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(tc.status)
			_, _ = io.WriteString(w, tc.body)
		})
		b, err := NewLiteLLM(base, tc.key, "nope")
		_, err = made(t, b, err).Search(context.Background(), "x", 1)
		e := contract.AsError(err)
		if e.Code != contract.CodeUpstreamFailure || !strings.Contains(e.Hint, tc.hint) || n.Load() != 1 {
			t.Errorf("%s: %v after %d requests", name, err, n.Load())
		}
	}
	if _, err := NewLiteLLM("http://127.0.0.1:1", "k", ""); err == nil {
		t.Error("no name of a search tool")
	}
	if _, err := NewSearXNG("127.0.0.1:8888"); err == nil {
		t.Error("no scheme")
	}
}

// The requests are those of the services' own documentation.
func TestRequestsToEachService(t *testing.T) {
	type asked struct {
		method, path, auth, token string
		query                     url.Values
		body                      map[string]any
	}
	var got []asked
	base, _ := service(t, func(w http.ResponseWriter, r *http.Request) {
		a := asked{method: r.Method, path: r.URL.Path, auth: r.Header.Get("Authorization"), token: r.Header.Get("X-Subscription-Token"), query: r.URL.Query()}
		_ = json.NewDecoder(r.Body).Decode(&a.body) // GET has none
		got = append(got, a)
		_, _ = io.WriteString(w, `{"results":[],"query":{"more_results_available":false},"web":{"results":[]}}`)
	})
	for name, want := range map[string]func(a asked) bool{
		"litellm": func(a asked) bool {
			return a.method == "POST" && a.path == "/v1/search/tool" && a.auth == "Bearer "+secret && a.body["query"] == "go queue" && a.body["max_results"] == 20.0 && fmt.Sprint(a.body["search_domain_filter"]) == "[example.org]"
		},
		"searxng": func(a asked) bool {
			return a.method == "GET" && a.path == "/search" && a.query.Get("q") == "go queue site:example.org" && a.query.Get("format") == "json" && a.auth == ""
		},
		"tavily": func(a asked) bool {
			return a.method == "POST" && a.path == "/search" && a.auth == "Bearer "+secret && a.body["max_results"] == 7.0 && fmt.Sprint(a.body["include_domains"]) == "[example.org]" && fmt.Sprint(a.body["exclude_domains"]) == "[bad.example.org]"
		},
		"brave": func(a asked) bool {
			return a.method == "GET" && a.path == "/res/v1/web/search" && a.token == secret && a.query.Get("count") == "20" && a.query.Get("q") == "go queue site:example.org"
		},
	} {
		got = nil
		s := backends(t, base)[name]
		s.Allow, s.Block = []string{"example.org"}, []string{"bad.example.org"}
		if a, err := s.Search(context.Background(), "  go\n queue ", 7); err != nil || len(a.Results) != 0 {
			t.Errorf("%s: %v %v", name, a, err)
		}
		if len(got) != 1 || !want(got[0]) {
			t.Errorf("%s asked %+v", name, got)
		}
	}
}

// paged is a service with as many results as wanted, ten a page.
func paged(t *testing.T, total int) (string, *atomic.Int32) {
	return service(t, func(w http.ResponseWriter, r *http.Request) {
		page := 1
		if r.Method == http.MethodPost {
			var body struct{ Pageno int }
			_ = json.NewDecoder(r.Body).Decode(&body) // a wrong one is page 1
			page = max(1, body.Pageno)
		} else if r.URL.Path == "/v1/search/tools" {
			_, _ = io.WriteString(w, `{"data":[{"search_tool_name":"tool","search_provider":"searxng"}]}`)
			return
		} else if p := r.URL.Query().Get("pageno"); p != "" {
			_, _ = fmt.Sscan(p, &page)
		}
		type hit struct{ Title, URL, Content string }
		list := []hit{}
		for i := (page-1)*10 + 1; i <= min(page*10, total); i++ {
			list = append(list, hit{fmt.Sprint(i), fmt.Sprintf("https://a%d.example.org/", i), "x"})
		}
		_ = json.NewEncoder(w).Encode(map[string]any{"results": list})
	})
}

func TestFurtherPagesAndTruncation(t *testing.T) {
	base, n := paged(t, 100)
	for _, name := range []string{"searxng", "litellm"} {
		s := backends(t, base)[name]
		for want, requests := range map[int]int32{3: 1, 10: 1, 12: 2, 25: 3} {
			n.Store(0)
			a, err := s.Search(context.Background(), "x", want)
			if err != nil || len(a.Results) != want || a.Results[want-1].Title != fmt.Sprint(want) || len(a.Warnings) != 0 {
				t.Fatalf("%s %d: %v %+v", name, want, err, a)
			}
			if a.Requests != int(requests) {
				t.Errorf("%s: %d results took %d pages", name, want, a.Requests)
			}
		}
	}
	few, _ := paged(t, 4)
	if a, err := backends(t, few)["searxng"].Search(context.Background(), "x", 25); err != nil || len(a.Results) != 4 {
		t.Fatalf("%v %+v", err, a)
	}
	// A service without pages that gives its twenty: it is said that there could be more.
	base, _ = service(t, func(w http.ResponseWriter, _ *http.Request) {
		list := []map[string]string{}
		for i := range 20 {
			list = append(list, map[string]string{"title": "t", "url": fmt.Sprintf("https://example.org/%d", i)})
		}
		_ = json.NewEncoder(w).Encode(map[string]any{"results": list})
	})
	a, err := backends(t, base)["tavily"].Search(context.Background(), "x", 25)
	if err != nil || len(a.Results) != 20 || len(a.Warnings) != 1 || a.Warnings[0].Code != "fewer_results" {
		t.Fatalf("%v %+v", err, a)
	}
}

func TestASecondPageThatFailsKeepsTheFirst(t *testing.T) {
	base, _ := service(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Get("pageno") != "" {
			w.WriteHeader(500)
			return
		}
		_, _ = io.WriteString(w, `{"results":[{"title":"one","url":"https://example.org/"}]}`)
	})
	a, err := backends(t, base)["searxng"].Search(context.Background(), "x", 5)
	if err != nil || len(a.Results) != 1 || len(a.Warnings) != 1 || a.Warnings[0].Code != "further_results_failed" {
		t.Fatalf("%v %+v", err, a)
	}
}

// fixed is a backend of given hits.
type fixed []Hit

func (f fixed) Name() string                                 { return "fixed" }
func (f fixed) Most() int                                    { return MostResults }
func (f fixed) Page(context.Context, Request) (Batch, error) { return Batch{Hits: f}, nil }

func TestDuplicatesAndDomains(t *testing.T) {
	day := "2026-02-03"
	hits := fixed{
		{"One", "https://www.Example.org/a/?utm_source=x&b=2&a=1#part", "short", ""},
		{"One again", "http://example.org/a?a=1&b=2&fbclid=7", "a longer passage", day},
		{"Other path", "https://example.org/A?a=1&b=2", "", ""},
		{"Other query", "https://example.org/a?a=1&b=3", "", ""},
		{"Below", "https://docs.example.org/", "", ""},
		{"Looks alike", "https://notexample.org/", "", ""},
		{"Blocked", "https://bad.example.org/x", "", ""},
		{"No web address", "javascript:alert(1)", "", ""},
		{"Neither", "ftp://example.org/", "", ""},
		{"With a password", "https://user:pw@example.org/", "", ""},
		{"", "https://example.org/untitled", "", ""},
	}
	s := &Searcher{Backend: hits, Allow: []string{"Example.org", "*.example.net"}, Block: []string{"bad.example.org"}}
	a, err := s.Search(context.Background(), "x", 25)
	if err != nil {
		t.Fatal(err)
	}
	var titles []string
	for _, r := range a.Results {
		titles = append(titles, r.Title)
	}
	if want := []string{"One", "Other path", "Other query", "Below", "example.org/untitled"}; !slices.Equal(titles, want) || a.Duplicates != 1 || a.Filtered != 5 {
		t.Fatalf("%v %+v", titles, a)
	}
	if first := a.Results[0]; first.Snippet != "a longer passage" || first.Date == nil || *first.Date != day {
		t.Errorf("%+v", first)
	}
	s.Allow = []string{"nowhere.example"}
	if a, err := s.Search(context.Background(), "x", 5); err != nil || len(a.Results) != 0 || a.Warnings[0].Code != "all_filtered" {
		t.Errorf("%v %+v", err, a)
	}
}

func TestQueries(t *testing.T) {
	s := &Searcher{Backend: fixed{}}
	for _, query := range []string{"", " \t\n ", strings.Repeat("x", longestQuery+1)} {
		if _, err := s.Search(context.Background(), query, 1); contract.AsError(err).Code != contract.CodeInvalidQuery {
			t.Errorf("%.20q: %v", query, err)
		}
	}
	if a, err := s.Search(context.Background(), strings.Repeat("ü", longestQuery), 1); err != nil || a.Results == nil {
		t.Errorf("%v %v", a, err)
	}
}
