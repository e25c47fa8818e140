package fetch

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"atelier/internal/testenv"
)

// A page whose text is written by a script is read by the browser, and what that
// script asks for inside is refused to the browser too.
func TestBrowser(t *testing.T) {
	program, err := FindBrowser("auto")
	if err != nil {
		testenv.Skip(t, testenv.Chromium, "Chromium is not on this machine: %v", err)
	}
	var inside atomic.Int64
	secret := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		inside.Add(1)
		w.Header().Set("Access-Control-Allow-Origin", "*")
		_, _ = fmt.Fprint(w, "SECRET")
	}))
	defer secret.Close()
	const words = "The harbour was quiet that morning, and the boats lay still on the water while the town slept. "
	var loaded atomic.Int64
	f, url := site(t, Options{IgnoreRobots: true, Browser: program}, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/app.js":
			w.Header().Set("Content-Type", "text/javascript")
			_, _ = fmt.Fprintf(w, `
const show = text => { document.getElementById("root").innerHTML += "<p>" + text + "</p>"; };
fetch("/text").then(r => r.text()).then(t => { for (let i = 0; i < 10; i++) show(t); });
for (const address of [%q, %q, "http://169.254.169.254/", "http://localhost:%s/"])
  fetch(address).then(r => r.text()).then(show).catch(() => {});
const image = new Image(); image.src = %q; document.body.append(image);
const frame = document.createElement("iframe"); frame.src = %q; document.body.append(frame);
`, secret.URL, strings.Replace(secret.URL, "127.0.0.1", "127.1", 1), secret.URL[strings.LastIndex(secret.URL, ":")+1:], secret.URL+"/image", secret.URL+"/frame")
		case "/text":
			loaded.Add(1)
			_, _ = fmt.Fprint(w, words)
		case "/":
			w.Header().Set("Content-Type", "text/html")
			_, _ = fmt.Fprint(w, `<html lang=en><head><title>An app</title></head><body><div id="root"></div><script src="/app.js"></script></body></html>`)
		default:
			http.NotFound(w, r)
		}
	})
	p, err := f.Page(t.Context(), url+"/", false)
	if err != nil {
		t.Fatal(err)
	}
	if !p.Rendered || strings.Count(p.CleanText, strings.TrimSpace(words)) != 10 || p.Title != "An app" {
		t.Errorf("%+v", p)
	}
	if strings.Contains(p.CleanText, "SECRET") || inside.Load() != 0 {
		t.Errorf("the browser reached the server inside %d times: %s", inside.Load(), p.CleanText)
	}
	// Where the operator allows this machine, the same page does reach it: above it
	// was the guard that kept it away.
	g, err := NewGuard([]string{"127.0.0.1"})
	if err != nil {
		t.Fatal(err)
	}
	open := fetcher(t, Options{Guard: g, IgnoreRobots: true, Browser: program, PerSecond: -1})
	if p, err := open.Page(t.Context(), url+"/", false); err != nil || inside.Load() == 0 {
		t.Errorf("%+v %v", p, err)
	}
	if loaded.Load() == 0 {
		t.Error("the page's own request did not reach its server")
	}
}
