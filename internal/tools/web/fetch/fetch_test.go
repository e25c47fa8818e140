package fetch

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/zstd"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/unicode"

	"atelier/internal/contract"
	"atelier/test/bench/web/hostile"
)

// site serves a handler on an address that its fetcher may read.
func site(t *testing.T, o Options, handler http.HandlerFunc) (*Fetcher, string) {
	t.Helper()
	s := httptest.NewServer(handler)
	t.Cleanup(s.Close)
	g, err := NewGuard([]string{s.Listener.Addr().String()})
	if err != nil {
		t.Fatal(err)
	}
	o.Guard = g
	if o.PerSecond == 0 {
		o.PerSecond = -1
	}
	return fetcher(t, o), s.URL
}

func reason(t *testing.T, err error) string {
	t.Helper()
	e := contract.AsError(err)
	if e.Code != contract.CodeFetchFailed && e.Code != contract.CodeParseFailed && e.Code != contract.CodeTimeout {
		t.Fatalf("%v", err)
	}
	word, _ := e.Details["reason"].(string)
	return word
}

func TestContentEncodings(t *testing.T) {
	const text = "héllo wörld, in every encoding that the web uses\n"
	pack := func(open func(io.Writer) io.WriteCloser) string {
		var b bytes.Buffer
		w := open(&b)
		_, _ = io.WriteString(w, text)
		_ = w.Close() // into memory
		return b.String()
	}
	gz := pack(func(w io.Writer) io.WriteCloser { return gzip.NewWriter(w) })
	bodies := map[string]string{
		"gzip": gz, "x-gzip": gz, "": text, "identity": text,
		"br": pack(func(w io.Writer) io.WriteCloser { return brotli.NewWriter(w) }),
		"zstd": pack(func(w io.Writer) io.WriteCloser {
			z, err := zstd.NewWriter(w)
			if err != nil {
				t.Fatal(err)
			}
			return z
		}),
		"deflate": pack(func(w io.Writer) io.WriteCloser { return zlib.NewWriter(w) }),
		"Deflate": pack(func(w io.Writer) io.WriteCloser { // bare, as some servers send it
			f, err := flate.NewWriter(w, 6)
			if err != nil {
				t.Fatal(err)
			}
			return f
		}),
	}
	f, url := site(t, Options{IgnoreRobots: true}, func(w http.ResponseWriter, r *http.Request) {
		name := strings.TrimPrefix(r.URL.Path, "/")
		if name != "" {
			w.Header().Set("Content-Encoding", name)
		}
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		_, _ = io.WriteString(w, bodies[name])
	})
	for name := range bodies {
		r, err := f.Get(t.Context(), url+"/"+name)
		if err != nil || string(r.Body) != text {
			t.Errorf("%q: %v %v", name, r, err)
		}
	}
}

// The same words in many charsets, declared rightly, wrongly and not at all.
func TestCharsets(t *testing.T) {
	const russian, japaneseText, french = "Съешь же ещё этих мягких французских булок, да выпей чаю. ", "いろはにほへと ちりぬるを わかよたれそ つねならむ。", "Voix ambiguë d’un cœur qui, au zéphyr, préfère les jattes de kiwis. "
	// A guess needs a text as people write it.
	const plain = "Вчера вечером мы долго говорили о том, что нам делать дальше, и решили, что поедем в город, как только сойдёт снег. "
	page := func(head, text string) string {
		return "<html><head><title>T</title>" + head + "</head><body><article><p>" + strings.Repeat(text, 12) + "</p></article></body></html>"
	}
	encode := func(s string, with interface{ String(string) (string, error) }) string {
		out, err := with.String(s)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	for name, tc := range map[string]struct{ kind, body, want string }{
		"declared by the server":   {"text/html; charset=windows-1251", encode(page("", russian), charmap.Windows1251.NewEncoder()), russian},
		"declared by the page":     {"text/html", encode(page(`<meta charset="koi8-r">`, russian), charmap.KOI8R.NewEncoder()), russian},
		"http-equiv":               {"text/html", encode(page(`<meta http-equiv="Content-Type" content="text/html; charset=Shift_JIS">`, japaneseText), japanese.ShiftJIS.NewEncoder()), japaneseText},
		"EUC-JP":                   {"text/html; charset=euc-jp", encode(page("", japaneseText), japanese.EUCJP.NewEncoder()), japaneseText},
		"ISO-2022-JP":              {"text/html; charset=iso-2022-jp", encode(page("", japaneseText), japanese.ISO2022JP.NewEncoder()), japaneseText},
		"UTF-16 with its mark":     {"text/html", encode(page("", french), unicode.UTF16(unicode.LittleEndian, unicode.UseBOM).NewEncoder()), french},
		"UTF-8 declared as Latin":  {"text/html; charset=iso-8859-1", page("", french), french},
		"UTF-8, not declared":      {"text/html", page("", russian), russian},
		"windows-1252 as UTF-8":    {"text/html; charset=utf-8", encode(page("", french), charmap.Windows1252.NewEncoder()), french},
		"windows-1251, undeclared": {"text/html", encode(page("", plain), charmap.Windows1251.NewEncoder()), plain},
	} {
		t.Run(name, func(t *testing.T) {
			f, url := site(t, Options{IgnoreRobots: true}, func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", tc.kind)
				_, _ = io.WriteString(w, tc.body)
			})
			p, err := f.Page(t.Context(), url, true)
			if err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(p.CleanText, strings.TrimSpace(tc.want)) || !strings.Contains(p.RawHTML, strings.TrimSpace(tc.want)) {
				t.Fatalf("read as %s: %.200s", p.Charset, p.CleanText)
			}
		})
	}
}

func TestRedirects(t *testing.T) {
	f, url := site(t, Options{IgnoreRobots: true}, func(w http.ResponseWriter, r *http.Request) {
		var n int
		if _, err := fmt.Sscanf(r.URL.Path, "/%d", &n); err == nil && n > 0 {
			http.Redirect(w, r, fmt.Sprintf("/%d", n-1), http.StatusMovedPermanently)
			return
		}
		_, _ = io.WriteString(w, "there")
	})
	r, err := f.Get(t.Context(), url+"/10#part")
	if err != nil || string(r.Body) != "there" || len(r.Redirects) != 10 || r.FinalURL != url+"/0" {
		t.Fatalf("%+v %v", r, err)
	}
	if _, err := f.Get(t.Context(), url+"/11"); reason(t, err) != "redirects" {
		t.Fatalf("%v", err)
	}
}

// RFC 9309: what is allowed, which answers forbid all, and that it is asked once.
func TestRobots(t *testing.T) {
	const file = "User-agent: other\nDisallow: /\n\nBad line\nUser-agent: *\nDisallow: /private\nAllow: /private/open\nDisallow: /*.secret$\nCrawl-delay: x\n"
	for name, tc := range map[string]struct {
		status int
		file   string
		path   string
		want   string // "" is allowed
	}{
		"allowed":              {200, file, "/page", ""},
		"disallowed":           {200, file, "/private/x", "robots"},
		"the longer rule":      {200, file, "/private/open/x", ""},
		"wildcard":             {200, file, "/a.secret", "robots"},
		"end of the wildcard":  {200, file, "/a.secret.html", ""},
		"own name":             {200, "User-agent: atelier\nDisallow: /\n", "/page", "robots"},
		"own name goes first":  {200, "User-agent: *\nDisallow: /\n\nUser-agent: Atelier\nDisallow: /x\n", "/page", ""},
		"no such file":         {404, "", "/page", ""},
		"not for us to see":    {403, "", "/page", ""},
		"the server fails":     {500, "", "/page", "robots"},
		"a page instead of it": {200, "<html><body>Not found</body></html>", "/page", ""},
	} {
		t.Run(name, func(t *testing.T) {
			var asked atomic.Int64
			f, url := site(t, Options{UserAgent: "atelier/1 (test)"}, func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path == "/robots.txt" {
					asked.Add(1)
					w.WriteHeader(tc.status)
					_, _ = io.WriteString(w, tc.file)
					return
				}
				_, _ = io.WriteString(w, "content")
			})
			for range 3 {
				_, err := f.Get(t.Context(), url+tc.path)
				if tc.want == "" && err != nil || tc.want != "" && (err == nil || reason(t, err) != tc.want) {
					t.Fatalf("%v", err)
				}
			}
			if asked.Load() != 1 {
				t.Fatalf("robots.txt was asked for %d times", asked.Load())
			}
		})
	}
}

// RFC 9111: a fresh page is not asked for again, a stale one is confirmed.
func TestCache(t *testing.T) {
	var sent, confirmed atomic.Int64
	f, url := site(t, Options{IgnoreRobots: true, CacheDir: t.TempDir()}, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/fresh":
			w.Header().Set("Cache-Control", "max-age=60")
		case "/tag":
			w.Header().Set("ETag", `"v1"`)
			if r.Header.Get("If-None-Match") == `"v1"` {
				confirmed.Add(1)
				w.WriteHeader(http.StatusNotModified)
				return
			}
		case "/no-store":
			w.Header().Set("Cache-Control", "no-store, max-age=60")
			w.Header().Set("ETag", `"v1"`)
		case "/no-cache":
			w.Header().Set("Cache-Control", "no-cache, max-age=60")
		}
		sent.Add(1)
		w.Header().Set("Content-Type", "text/plain")
		_, _ = io.WriteString(w, "the body of "+r.URL.Path)
	})
	for path, want := range map[string]struct{ sent, confirmed int64 }{
		"/fresh": {1, 0}, "/tag": {1, 2}, "/no-store": {3, 0}, "/no-cache": {3, 0}, "/plain": {3, 0},
	} {
		sent.Store(0)
		confirmed.Store(0)
		for i := range 3 {
			r, err := f.Get(t.Context(), url+path)
			if err != nil || string(r.Body) != "the body of "+path || r.MIME != "text/plain" || r.Cached != (i > 0 && want.sent == 1) {
				t.Fatalf("%s: %+v %v", path, r, err)
			}
		}
		if sent.Load() != want.sent || confirmed.Load() != want.confirmed {
			t.Errorf("%s was sent %d times and confirmed %d times, want %+v", path, sent.Load(), confirmed.Load(), want)
		}
	}
}

func TestCacheIsBounded(t *testing.T) {
	const most = 1 << 20
	f, url := site(t, Options{IgnoreRobots: true, CacheDir: t.TempDir(), CacheBytes: most}, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Cache-Control", "max-age=60")
		_, _ = w.Write(bytes.Repeat([]byte("x"), 100_000))
	})
	for i := range 30 {
		if _, err := f.Get(t.Context(), fmt.Sprintf("%s/%d", url, i)); err != nil {
			t.Fatal(err)
		}
	}
	var total int64
	for _, file := range f.cache.files() {
		total += file.bytes
	}
	if total == 0 || total > most {
		t.Fatalf("%d bytes are kept, of %d", total, most)
	}
}

func TestPace(t *testing.T) {
	f, url := site(t, Options{IgnoreRobots: true, PerSecond: 20}, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "x") })
	begun := time.Now()
	for i := range 50 { // a burst of 40, then 20 a second
		if _, err := f.Get(t.Context(), fmt.Sprintf("%s/%d", url, i)); err != nil {
			t.Fatal(err)
		}
	}
	if took := time.Since(begun); took < 450*time.Millisecond {
		t.Fatalf("50 requests took %v", took)
	}
}

func TestFailuresSayWhy(t *testing.T) {
	f, url := site(t, Options{IgnoreRobots: true, MaxBytes: 1000}, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/gone":
			w.WriteHeader(http.StatusNotFound)
		case "/forbidden":
			w.WriteHeader(http.StatusForbidden)
		case "/large":
			_, _ = w.Write(bytes.Repeat([]byte("x"), 1001))
		case "/image":
			w.Header().Set("Content-Type", "image/png")
			_, _ = io.WriteString(w, "\x89PNG")
		case "/scripted":
			w.Header().Set("Content-Type", "text/html")
			_, _ = io.WriteString(w, `<html><body><div id="root"></div><noscript>You need JavaScript.</noscript><script src="app.js"></script></body></html>`)
		case "/slow":
			<-r.Context().Done()
		}
	})
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	for path, want := range map[string][2]string{
		"/gone": {"fetch_failed", "http_status"}, "/forbidden": {"fetch_failed", "http_status"}, "/large": {"fetch_failed", "too_large"},
		"/image": {"parse_failed", "type"}, "/scripted": {"parse_failed", "empty"},
	} {
		_, err := f.Page(t.Context(), url+path, false)
		if e := contract.AsError(err); e.Code != want[0] || e.Details["reason"] != want[1] || e.Hint == "" {
			t.Errorf("%s: %v", path, err)
		}
	}
	if _, err := f.Page(ctx, url+"/slow", false); contract.AsError(err).Code != contract.CodeTimeout {
		t.Errorf("slow: %v", err)
	}
	closed := httptest.NewServer(http.NotFoundHandler())
	address := closed.Listener.Addr().String()
	closed.Close()
	tlsServer := httptest.NewTLSServer(http.NotFoundHandler())
	defer tlsServer.Close()
	g, err := NewGuard([]string{"127.0.0.1"})
	if err != nil {
		t.Fatal(err)
	}
	open := fetcher(t, Options{Guard: g, IgnoreRobots: true})
	for target, want := range map[string]string{"http://" + address: "connect", tlsServer.URL: "tls", "https://" + strings.TrimPrefix(url, "http://"): "tls"} {
		if _, err := open.Get(t.Context(), target); reason(t, err) != want {
			t.Errorf("%s: %v, want %s", target, err, want)
		}
	}
}

// The quick ones of the hostile pages; all of them are `make test-web`.
func TestHostilePages(t *testing.T) {
	s := httptest.NewServer(hostile.Handler())
	defer s.Close()
	g, err := NewGuard([]string{s.Listener.Addr().String()})
	if err != nil {
		t.Fatal(err)
	}
	f := fetcher(t, Options{Guard: g, PerSecond: -1, MaxBytes: 10 << 20})
	for _, p := range hostile.Pages() {
		switch {
		case p.Path == "/deep/div/511", p.Path == "/deep/div/100000", p.Path == "/deep/ul-li", p.Path == "/deep/svg", strings.HasPrefix(p.Path, "/redirect/"), strings.HasPrefix(p.Path, "/protocol/"), strings.HasPrefix(p.Path, "/encoding/"),
			strings.HasPrefix(p.Path, "/charset/"), p.Path == "/bomb/gzip-100MB", p.Path == "/body/50MB", p.Path == "/body/endless", p.Path == "/slow/never", p.Path == "/pdf/deep":
		default:
			continue
		}
		if p.Path == "/charset/gb18030" || p.Path == "/protocol/headers" {
			continue
		}
		limit := 30 * time.Second
		if p.Slow {
			limit = 300 * time.Millisecond
		}
		ctx, cancel := context.WithTimeout(t.Context(), limit)
		_, err := f.Page(ctx, s.URL+p.Path, false)
		cancel()
		outcome := "ok"
		if err != nil {
			outcome = contract.AsError(err).Code
		}
		if !p.Allows(outcome) {
			t.Errorf("%s: %v, want %s", p.Path, err, p.Want)
		}
	}
}

// An index gets no words of megabytes, keeps scripts that write without spaces,
// and no more than the beginning of a long text.
func TestIndexable(t *testing.T) {
	chinese := strings.Repeat("他们在河边建了一座新的桥", 20)
	p := &Page{FinalURL: "http://x.example/", CleanText: "# One\n\n" + strings.Repeat("x", 1<<20) + " two\n" + chinese + "\n"}
	if got := strings.Fields(p.Indexable()); len(got) != 4 || got[1] != "One" || got[2] != "two" || got[3] != chinese {
		t.Fatalf("%.200q", got)
	}
	p.CleanText = strings.Repeat("word ", 1<<20)
	if n := len(p.Indexable()); n < mostIndexed || n > mostIndexed+longestWord {
		t.Fatalf("%d bytes", n)
	}
	p.FinalURL += strings.Repeat("x", longestIndex)
	if p.Indexable() != "" {
		t.Fatal("an address of kilobytes is indexed")
	}
}
