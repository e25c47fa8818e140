package workbench

import (
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"atelier/internal/protocol/httpapi"
	"atelier/workbench"
)

func serve(t *testing.T, token string) string {
	t.Helper()
	s, err := New(workbench.Dist)
	if err != nil {
		t.Fatal(err)
	}
	guarded := httpapi.Route{Path: "/v1/secret", Methods: httpapi.Methods{"GET": {Serve: func(w http.ResponseWriter, _ *http.Request) error {
		httpapi.JSON(w, http.StatusOK, "secret")
		return nil
	}}}}
	server := httptest.NewServer(httpapi.Mux(&httpapi.Gate{Token: token}, append(s.Routes(), guarded)...))
	t.Cleanup(server.Close)
	return server.URL
}

func get(t *testing.T, url string, headers map[string]string) (*http.Response, string) {
	t.Helper()
	req, err := http.NewRequest(http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	for k, v := range headers {
		req.Header.Set(k, v)
	}
	// The transport would unpack and hide the encoding.
	resp, err := (&http.Transport{DisableCompression: true}).RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp, string(raw)
}

var reference = regexp.MustCompile(`(?:src|href)="([^"]+)"`)

// The page and all that it names comes without a token, whole in both codings,
// under a policy that lets nothing else load; the rest of the server stays shut.
func TestPageBehindAToken(t *testing.T) {
	url := serve(t, "secret")
	resp, page := get(t, url+"/", nil)
	if resp.StatusCode != 200 || resp.Header.Get("Content-Type") != "text/html; charset=utf-8" {
		t.Fatalf("%d %v", resp.StatusCode, resp.Header)
	}
	policy := resp.Header.Get("Content-Security-Policy")
	for _, part := range []string{"default-src 'none'", "script-src 'self'", "style-src 'self'", "frame-ancestors 'none'", "base-uri 'none'"} {
		if !strings.Contains(policy, part) {
			t.Errorf("the policy lacks %s: %s", part, policy)
		}
	}
	if strings.Contains(policy, "unsafe") || resp.Header.Get("X-Content-Type-Options") != "nosniff" {
		t.Errorf("%s, %v", policy, resp.Header)
	}
	named := 0
	for _, m := range reference.FindAllStringSubmatch(page, -1) {
		if !strings.HasPrefix(m[1], "/assets/") {
			continue // the empty icon
		}
		named++
		plain, text := get(t, url+m[1], nil)
		packed, raw := get(t, url+m[1], map[string]string{"Accept-Encoding": "br, gzip;q=0.5"})
		if plain.StatusCode != 200 || packed.Header.Get("Content-Encoding") != "gzip" || !strings.Contains(plain.Header.Get("Cache-Control"), "immutable") {
			t.Fatalf("%s: %v, %v", m[1], plain.Header, packed.Header)
		}
		reader, err := gzip.NewReader(strings.NewReader(raw))
		if err != nil {
			t.Fatal(err)
		}
		if unpacked, err := io.ReadAll(reader); err != nil || string(unpacked) != text {
			t.Errorf("%s differs between codings: %v", m[1], err)
		}
	}
	if named != 2 {
		t.Errorf("the page names %d parts; a script and a style were expected", named)
	}
	if resp, _ := get(t, url+"/v1/secret", nil); resp.StatusCode != 401 {
		t.Errorf("without a token: %d", resp.StatusCode)
	}
	if resp, _ := get(t, url+"/v1/secret", map[string]string{"Authorization": "Bearer secret"}); resp.StatusCode != 200 {
		t.Errorf("with the token: %d", resp.StatusCode)
	}
	// Another site still may not ask, and a path beside the page is no page.
	if resp, _ := get(t, url+"/", map[string]string{"Origin": "http://evil.example"}); resp.StatusCode != 403 {
		t.Errorf("another origin: %d", resp.StatusCode)
	}
	if resp, _ := get(t, url+"/assets/none.js", nil); resp.StatusCode != 404 {
		t.Errorf("a part that is not there: %d", resp.StatusCode)
	}
	if resp, _ := get(t, url+"/elsewhere", nil); resp.StatusCode != 401 {
		t.Errorf("no route, no token: %d", resp.StatusCode)
	}
}

func TestConditionalRequests(t *testing.T) {
	url := serve(t, "")
	first, _ := get(t, url+"/admin", nil)
	again, body := get(t, url+"/admin", map[string]string{"If-None-Match": first.Header.Get("Etag")})
	if again.StatusCode != 304 || body != "" {
		t.Errorf("%d %q", again.StatusCode, body)
	}
	if resp, _ := get(t, url+"/admin", map[string]string{"If-None-Match": `"other"`}); resp.StatusCode != 200 {
		t.Errorf("%d", resp.StatusCode)
	}
	if resp, _ := get(t, url+"/", map[string]string{"Accept-Encoding": "gzip;q=0"}); resp.Header.Get("Content-Encoding") != "" {
		t.Error("gzip was refused and sent")
	}
}

// What is not a built page does not start a server.
func TestBrokenBuild(t *testing.T) {
	page := fstest.MapFS{
		"dist/index.html":   {Data: []byte("<!doctype html>")},
		"dist/LICENSES.txt": {Data: []byte("none")},
		"dist/assets/a.js":  {Data: []byte("1")},
	}
	if _, err := New(page); err == nil || !strings.Contains(err.Error(), "not compressed") {
		t.Errorf("%v", err)
	}
	delete(page, "dist/assets/a.js")
	page["dist/assets/a.js.gz"] = &fstest.MapFile{Data: []byte("no gzip")}
	if _, err := New(page); err == nil || !strings.Contains(err.Error(), "a.js.gz") {
		t.Errorf("%v", err)
	}
	if _, err := New(fstest.MapFS{}); err == nil {
		t.Error("no page at all was taken")
	}
}
