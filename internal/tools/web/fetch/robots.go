package fetch

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/temoto/robotstxt"
	"golang.org/x/sync/singleflight"
)

// What RFC 9309 says: parse at least 500 KiB, follow at least five redirects,
// keep for no more than a day.
const (
	robotsBytes     = 500 << 10
	robotsRedirects = 5
	robotsAge       = 24 * time.Hour
	robotsRetry     = 10 * time.Minute // after an answer that is no answer
	robotsKept      = 1024
	longestDelay    = 10 * time.Second // of Crawl-delay, so that no host can keep a caller waiting
)

// robots knows what the hosts' robots.txt allow.
type robots struct {
	f     *Fetcher
	token string // the product token of the user agent
	mu    sync.Mutex
	rules map[string]rules
	once  singleflight.Group
}

// rules is a robots.txt as it was read; a nil group forbids all.
type rules struct {
	group *robotstxt.Group
	until time.Time
}

func newRobots(f *Fetcher) *robots {
	token, _, _ := strings.Cut(f.o.UserAgent, "/")
	token, _, _ = strings.Cut(token, " ")
	return &robots{f: f, token: token, rules: map[string]rules{}}
}

// allow is nil when the host lets this program ask for the address.
func (r *robots) allow(ctx context.Context, u *url.URL) error {
	site := u.Scheme + "://" + u.Host
	said, err := r.of(ctx, site)
	if err != nil {
		return err
	}
	if said.group == nil {
		e := failed("robots", "%s does not say what programs may fetch: its robots.txt fails, which counts as no (RFC 9309)", u.Host)
		e.Retryable = true
		return e
	}
	r.f.pace.slow(u.Host, min(said.group.CrawlDelay, longestDelay))
	path := u.EscapedPath()
	if path == "" {
		path = "/"
	}
	if u.RawQuery != "" {
		path += "?" + u.RawQuery
	}
	if said.group.Test(path) {
		return nil
	}
	return failed("robots", "%s asks programs not to fetch %s (robots.txt)", u.Host, clip(path, 200)).
		WithHint("Use another source; the operator decides about robots.txt with --web-robots.")
}

func (r *robots) of(ctx context.Context, site string) (rules, error) {
	r.mu.Lock()
	kept, ok := r.rules[site]
	r.mu.Unlock()
	if ok && time.Now().Before(kept.until) {
		return kept, nil
	}
	// One asks for all that wait; who gives up does not end it for the others.
	answer := r.once.DoChan(site, func() (any, error) {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 15*time.Second)
		defer cancel()
		found, err := r.read(ctx, site)
		if err == nil {
			r.remember(site, found)
		}
		return found, err
	})
	select {
	case a := <-answer:
		if a.Err != nil {
			return rules{}, a.Err
		}
		return a.Val.(rules), nil
	case <-ctx.Done():
		return rules{}, context.Cause(ctx)
	}
}

func (r *robots) remember(site string, found rules) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.rules) >= robotsKept {
		clear(r.rules)
	}
	r.rules[site] = found
}

// read asks for a site's robots.txt.
func (r *robots) read(ctx context.Context, site string) (rules, error) {
	u, err := url.Parse(site + "/robots.txt")
	if err != nil {
		return rules{}, failed("url", "%s has no place for a robots.txt: %w", site, err)
	}
	for range robotsRedirects + 1 {
		if err := r.f.o.Guard.CheckURL(u); err != nil {
			return rules{}, err
		}
		request, err := r.f.request(ctx, u)
		if err != nil {
			return rules{}, err
		}
		raw, err := r.f.client.RoundTrip(request)
		if err != nil {
			return rules{}, err // the page itself could not be had either
		}
		body, _, err := decoded(raw, robotsBytes)
		raw.Body.Close()
		if location := raw.Header.Get("Location"); redirects(raw.StatusCode) && location != "" {
			if u, err = u.Parse(location); err != nil {
				break
			}
			continue
		}
		if err != nil && err != errTooLarge && raw.StatusCode == http.StatusOK {
			return rules{until: time.Now().Add(robotsRetry)}, nil
		}
		return r.judge(raw.StatusCode, body), nil
	}
	return r.judge(http.StatusNotFound, nil), nil // more redirects than need be followed: unavailable
}

func (r *robots) judge(status int, body []byte) rules {
	now := time.Now()
	switch {
	case status >= 500, status == http.StatusTooManyRequests:
		return rules{until: now.Add(robotsRetry)}
	case status >= 400:
		body = nil
	}
	data, err := robotstxt.FromBytes(known(body))
	if err != nil { // what no parser understands forbids nothing
		data, _ = robotstxt.FromBytes(nil)
	}
	return rules{group: data.FindGroup(r.token), until: now.Add(robotsAge)}
}

// known keeps the lines that RFC 9309 speaks of, and Crawl-delay: the parser
// gives the whole file up for one other line that it does not understand.
func known(body []byte) []byte {
	var kept bytes.Buffer
	for line := range bytes.Lines(bytes.TrimPrefix(body, []byte("\ufeff"))) {
		line, _, _ = bytes.Cut(line, []byte("#"))
		name, value, ok := bytes.Cut(line, []byte(":"))
		name, value = bytes.ToLower(bytes.TrimSpace(name)), bytes.TrimSpace(value)
		switch string(name) {
		case "user-agent", "allow", "disallow":
		case "crawl-delay":
			if _, err := strconv.ParseFloat(string(value), 64); err != nil {
				continue
			}
		default:
			continue
		}
		if ok {
			fmt.Fprintf(&kept, "%s: %s\n", name, value)
		}
	}
	return kept.Bytes()
}
