package main

import (
	"context"
	"fmt"
	"log/slog"
	"path/filepath"
	"time"

	"atelier/internal/tools/web/fetch"
)

// webFlags are what the operator decides about reading the web.
type webFlags struct {
	WebAllow     []string      `help:"Address, network or host, with or without a port, that web.fetch may read beside the public Internet." env:"ATELIER_WEB_ALLOW" placeholder:"CIDR|HOST[:PORT]"`
	WebBrowser   string        `help:"Program of Chromium, which renders pages that have no text without their scripts; auto looks for it. Default: none is started." env:"ATELIER_WEB_BROWSER" placeholder:"PROGRAM"`
	WebRobots    bool          `help:"Respect robots.txt (RFC 9309)." env:"ATELIER_WEB_ROBOTS" default:"true" negatable:""`
	WebUserAgent string        `help:"User agent of web.fetch; its first word is looked for in robots.txt." env:"ATELIER_WEB_USER_AGENT"`
	WebPerSecond float64       `help:"Requests per second to one host; negative for no limit." env:"ATELIER_WEB_PER_SECOND" default:"4"`
	WebTimeout   time.Duration `help:"Time limit for one page, unless the call has a shorter one." env:"ATELIER_WEB_TIMEOUT" default:"40s"`
	WebMaxBytes  int64         `help:"Largest page, decoded." env:"ATELIER_WEB_MAX_BYTES" default:"10485760"`
	WebModelHub  string        `help:"Server of model cards, with the paths of the Hugging Face Hub." env:"ATELIER_WEB_MODEL_HUB" default:"https://huggingface.co" placeholder:"URL"`
	WebCache     int64         `help:"Size of the page cache in bytes; cached pages are revalidated. 0 turns it off." env:"ATELIER_WEB_CACHE" default:"268435456"`
}

// fetcher makes what reads pages; data is the program's folder, and fetched is
// told of each page.
func (w webFlags) fetcher(data string, log *slog.Logger, fetched func(context.Context, *fetch.Page)) (*fetch.Fetcher, error) {
	guard, err := fetch.NewGuard(w.WebAllow)
	if err != nil {
		return nil, err
	}
	browser := ""
	if w.WebBrowser != "" {
		if browser, err = fetch.FindBrowser(w.WebBrowser); err != nil {
			return nil, fmt.Errorf("--web-browser: %w", err)
		}
	}
	agent := w.WebUserAgent
	if agent == "" {
		agent = "atelier/" + version + " (reads single pages when asked to)"
	}
	o := fetch.Options{
		Guard: guard, UserAgent: agent, MaxBytes: w.WebMaxBytes, Timeout: w.WebTimeout, IgnoreRobots: !w.WebRobots,
		PerSecond: w.WebPerSecond, CacheBytes: w.WebCache, Browser: browser, Log: log, Fetched: fetched,
	}
	if w.WebCache > 0 {
		o.CacheDir = filepath.Join(data, "web", "pages")
	}
	return fetch.New(o)
}
