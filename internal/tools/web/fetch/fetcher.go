package fetch

import (
	"context"
	"crypto/tls"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"atelier/internal/tools/web/fetch/extract"
)

// Fetcher fetches pages. It is safe for use by many goroutines; Close ends what
// it has started.
type Fetcher struct {
	o      Options
	client *http.Transport
	pace   *pace
	robots *robots
	cache  *cache
	pool   *extract.Pool

	places    chan struct{} // for pages under way
	browsers  chan struct{} // one at a time
	relieving atomic.Bool   // memory is about to be given back
}

// New makes a Fetcher. Nothing is started before the first page.
func New(o Options) (*Fetcher, error) {
	if o.Guard == nil {
		o.Guard = &Guard{}
	}
	if o.UserAgent == "" {
		o.UserAgent = "atelier"
	}
	if o.MaxBytes <= 0 {
		o.MaxBytes = defaultMaxBytes
	}
	if o.Timeout <= 0 {
		o.Timeout = defaultTimeout
	}
	if o.PerSecond == 0 {
		o.PerSecond = defaultPerSecond
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	f := &Fetcher{o: o, pace: newPace(o.PerSecond), browsers: make(chan struct{}, 1), places: make(chan struct{}, maxPages)}
	f.client = &http.Transport{
		Proxy:       nil, // a proxy would connect for us, past the guard
		DialContext: o.Guard.Dialer(o.Resolver), ForceAttemptHTTP2: true,
		TLSClientConfig:     &tls.Config{MinVersion: tls.VersionTLS12},
		TLSHandshakeTimeout: 10 * time.Second, ResponseHeaderTimeout: 20 * time.Second, ExpectContinueTimeout: time.Second,
		MaxResponseHeaderBytes: 256 << 10, MaxIdleConns: 64, MaxIdleConnsPerHost: 4, IdleConnTimeout: 30 * time.Second,
		DisableCompression: true, // the body is decoded here, within the limit
	}
	f.robots = newRobots(f)
	var err error
	if f.pool, err = extract.NewPool(o.Reading); err != nil {
		return nil, err
	}
	if o.CacheDir != "" {
		if f.cache, err = openCache(o.CacheDir, o.CacheBytes); err != nil {
			return nil, err
		}
	}
	return f, nil
}

// Close ends idle connections and the processes that read pages.
func (f *Fetcher) Close() error {
	f.pool.Close()
	f.client.CloseIdleConnections()
	return nil
}

// Get downloads what a URL leads to. Redirects are followed, each checked as the
// first URL was. Errors are *contract.Error: fetch_failed with the reason in its
// details, or timeout.
func (f *Fetcher) Get(ctx context.Context, address string) (*Response, error) {
	ctx, cancel := context.WithTimeout(ctx, f.o.Timeout)
	defer cancel()
	u, err := parseURL(address)
	if err != nil {
		return nil, err
	}
	var hops []string
	for {
		response, err := f.hop(ctx, u)
		if err != nil {
			return nil, f.failure(ctx, u, err)
		}
		response.Redirects = hops
		location := response.Header.Get("Location")
		if !redirects(response.Status) || location == "" {
			return f.judge(u, response)
		}
		if len(hops) == maxRedirects {
			return nil, failed("redirects", "%s leads on more than %d times", address, maxRedirects).
				WithHint("The address may redirect in a circle, or want cookies. Give the final address.")
		}
		next, err := u.Parse(location)
		if err != nil {
			return nil, failed("redirects", "%s redirects to a malformed address, %q", u.Redacted(), clip(location, 200))
		}
		next.Fragment, next.RawFragment = "", ""
		hops = append(hops, next.String())
		u = next
	}
}

func redirects(status int) bool {
	switch status {
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther, http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
		return true
	}
	return false
}

// parseURL reads an absolute URL; its fragment is for readers, not for servers.
func parseURL(address string) (*url.URL, error) {
	u, err := url.Parse(strings.TrimSpace(address))
	if err != nil {
		return nil, failed("url", "%q is not a URL: %w", clip(address, 200), err).At("/url")
	}
	u.Scheme = strings.ToLower(u.Scheme)
	if u.Opaque != "" || !u.IsAbs() {
		return nil, failed("url", "%q is not an absolute URL", clip(address, 200)).At("/url").WithHint("Give the address whole, with https:// before it.")
	}
	u.Fragment, u.RawFragment = "", ""
	return u, nil
}

// hop asks one address, under the guard, robots.txt and the host's pace.
func (f *Fetcher) hop(ctx context.Context, u *url.URL) (*Response, error) {
	if err := f.o.Guard.CheckURL(u); err != nil {
		return nil, err
	}
	if !f.o.IgnoreRobots {
		if err := f.robots.allow(ctx, u); err != nil {
			return nil, err
		}
	}
	kept := f.cache.lookup(u)
	if kept != nil && kept.fresh(time.Now()) {
		return kept.response(u), nil
	}
	leave, err := f.pace.enter(ctx, u.Host)
	if err != nil {
		return nil, err
	}
	defer leave()
	request, err := f.request(ctx, u)
	if err != nil {
		return nil, err
	}
	kept.ask(request.Header)
	raw, err := f.client.RoundTrip(request)
	if err != nil {
		return nil, err
	}
	defer raw.Body.Close()
	if raw.StatusCode == http.StatusNotModified && kept != nil {
		f.cache.renew(u, kept, raw.Header)
		return kept.response(u), nil
	}
	response, err := f.read(u, raw)
	if err != nil {
		return nil, err
	}
	f.cache.put(u, response)
	return response, nil
}

func (f *Fetcher) request(ctx context.Context, u *url.URL) (*http.Request, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return nil, failed("url", "%s cannot be asked for: %w", u.Redacted(), err)
	}
	request.Header.Set("User-Agent", f.o.UserAgent)
	request.Header.Set("Accept", "text/html,application/xhtml+xml;q=0.9,text/plain;q=0.8,application/pdf;q=0.8,*/*;q=0.1")
	request.Header.Set("Accept-Language", "en,*;q=0.5")
	request.Header.Set("Accept-Encoding", acceptEncoding)
	return request, nil
}

// read takes the body in, within the limit.
func (f *Fetcher) read(u *url.URL, raw *http.Response) (*Response, error) {
	response := &Response{FinalURL: u.String(), Status: raw.StatusCode, Header: raw.Header}
	response.MIME, response.Charset = mediaType(raw.Header.Get("Content-Type"))
	if redirects(raw.StatusCode) {
		return response, nil
	}
	limit := f.o.MaxBytes
	if raw.StatusCode >= 400 {
		limit = min(limit, 64<<10) // an error page is not shown
	}
	if raw.ContentLength > limit && raw.StatusCode < 400 {
		return nil, tooLarge(u, limit, raw.ContentLength)
	}
	var err error
	response.Body, response.Wire, err = decoded(raw, limit)
	if len(response.Body) > largeBody {
		f.relieve()
	}
	if raw.StatusCode >= 400 {
		return response, nil // the status says enough
	}
	if err == errTooLarge {
		return nil, tooLarge(u, limit, 0)
	}
	return response, err
}

// judge tells failures by their status.
func (f *Fetcher) judge(u *url.URL, r *Response) (*Response, error) {
	if r.Status >= 200 && r.Status < 300 {
		return r, nil
	}
	e := failed("http_status", "%s answered %d %s", u.Redacted(), r.Status, http.StatusText(r.Status)).With("status", r.Status)
	switch r.Status {
	case http.StatusNotFound, http.StatusGone:
		return nil, e.WithHint("There is no such page. Check the address, or search for the page.")
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusUnavailableForLegalReasons:
		return nil, e.WithHint("The site does not show this page to programs, or wants an account. Use another source.")
	case http.StatusTooManyRequests:
		e.Retryable = true
		return nil, e.WithHint("The site wants fewer requests. Wait, then try again.").With("retry_after", r.Header.Get("Retry-After"))
	}
	e.Retryable = r.Status >= 500
	return nil, e
}
