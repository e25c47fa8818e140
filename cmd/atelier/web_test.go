package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"atelier/internal/contract"
)

// web.fetch through the server: the output of its contract with raw_html where
// it was asked for and "" where not, its errors with their statuses, and what is
// known beside the output in the metrics.
func TestWebFetch(t *testing.T) {
	const words = "The harbour was quiet that morning, and the boats lay still on the water while the town slept. "
	page := "<html lang=en><head><title>Harbour</title></head><body><nav>Menu</nav><article><h1>Harbour</h1><p>" + strings.Repeat(words, 12) + "</p></article></body></html>"
	pages := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/page":
			_, _ = io.WriteString(w, page)
		case "/moved":
			http.Redirect(w, r, "/page", http.StatusFound)
		case "/inside":
			http.Redirect(w, r, "http://169.254.169.254/latest/meta-data/", http.StatusFound)
		case "/long":
			w.Header().Set("Content-Type", "text/plain")
			_, _ = io.WriteString(w, strings.Repeat("0123456789abcde\n", 100_000))
		case "/slow":
			<-r.Context().Done()
		default:
			http.NotFound(w, r)
		}
	}))
	defer pages.Close()
	s := start(t, func(c *serveCmd) {
		c.WebAllow, c.WebPerSecond = []string{pages.Listener.Addr().String()}, -1
	})
	for _, name := range []string{"web.fetch", "web_fetch"} {
		r := s.post("/v1/tools/"+name, `{"url":"`+pages.URL+`/moved"}`)
		if r.status != 200 || r.at("final_url") != pages.URL+"/page" || r.at("title") != "Harbour" || r.at("lang") != "en" || r.at("raw_html") != "" ||
			r.at("byline") != nil || !strings.Contains(r.at("clean_text").(string), strings.TrimSpace(words)) || strings.Contains(r.at("clean_text").(string), "Menu") {
			t.Fatalf("%d %s", r.status, r.raw)
		}
	}
	if r := s.post("/v1/tools/web.fetch", `{"url":"`+pages.URL+`/page","include_raw_html":true}`); r.at("raw_html") != page {
		t.Fatalf("%d %s", r.status, r.raw)
	}
	for path, want := range map[string]struct {
		status int
		code   string
	}{
		`"` + pages.URL + `/inside"`:        {502, contract.CodeFetchFailed},
		`"` + pages.URL + `/nobody"`:        {502, contract.CodeFetchFailed},
		`"` + s.url + `/v1/tools"`:          {502, contract.CodeFetchFailed}, // the server itself
		`"http://metadata.google.internal"`: {502, contract.CodeFetchFailed},
		`"file:///etc/passwd"`:              {502, contract.CodeFetchFailed},
		`"not an address"`:                  {400, contract.CodeInvalidRequest},
		`7`:                                 {400, contract.CodeInvalidRequest},
	} {
		if r := s.post("/v1/tools/web.fetch", `{"url":`+path+`}`); r.status != want.status || r.at("error", "code") != want.code {
			t.Errorf("%s: %d %s", path, r.status, r.raw)
		}
	}
	if r := s.post("/v1/tools/web.fetch?timeout_ms=400", `{"url":"`+pages.URL+`/slow"}`); r.status != 504 || r.at("error", "code") != contract.CodeTimeout {
		t.Errorf("%d %s", r.status, r.raw)
	}
	// A text too long for an answer is whole in an artifact.
	r := s.post("/v1/tools/execute", `{"tool":"web.fetch","input":{"url":"`+pages.URL+`/long"}}`)
	if r.at("status") != "ok" || len(r.at("output", "clean_text").(string)) != 256<<10 || r.at("metrics", "extractor") != "text" {
		t.Fatalf("%d %.300s", r.status, r.raw)
	}
	whole := s.get("/v1/jobs/" + r.at("metrics", "job_id").(string) + "/artifacts/page.md")
	if len(whole.raw) != 16*100_000-1 { // but for the white space at its end
		t.Fatalf("%d: %d bytes", whole.status, len(whole.raw))
	}
}
