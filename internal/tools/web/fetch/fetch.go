// Package fetch reads pages of the web for agents: a guarded download, and from
// it the text that a person would read, with title, author, date and language.
//
// What a page or a server does must not harm this one. Addresses are checked
// when the connection is made (Guard), sizes and times are bounded, and pages
// are taken apart in a process of its own that is ended when it takes too long
// or too much memory.
package fetch

import (
	"context"
	"log/slog"
	"net"
	"net/http"
	"time"

	"atelier/internal/tools/web/fetch/extract"
)

// Options of a Fetcher; the zero value works.
type Options struct {
	Guard     *Guard        // nil: the public Internet alone
	Resolver  *net.Resolver // nil: the system's
	UserAgent string        // "" is atelier's own
	MaxBytes  int64         // of a body, decoded; 0 is 16 MiB
	Timeout   time.Duration // of a whole fetch where the context has no earlier end; 0 is 30 s
	// IgnoreRobots fetches what robots.txt disallows.
	IgnoreRobots bool
	// PerSecond is how many requests a host gets in a second; 0 is 4, negative is no limit.
	PerSecond float64
	CacheDir  string // "" keeps nothing
	// CacheBytes is the most that the cache keeps; 0 is 256 MiB.
	CacheBytes int64
	// Browser is the program of Chromium that renders pages which have no text
	// without JavaScript; "" renders none.
	Browser string
	// Reading are the limits of the processes that pages are read in.
	Reading extract.PoolOptions
	// Fetched is told of each page, after the fetch, e.g. to index it.
	Fetched func(ctx context.Context, p *Page)
	Log     *slog.Logger
}

// Response is what a guarded download brought.
type Response struct {
	FinalURL  string
	Status    int
	MIME      string // type/subtype, lower case
	Charset   string // as the header declares it, or ""
	Header    http.Header
	Body      []byte // without its content-encodings
	Redirects []string
	Wire      int64 // bytes of the body as they were sent
	Cached    bool  // nothing was sent, or the server said that nothing has changed
}

// Page is a page as a person would read it.
type Page struct {
	URL         string // as asked for
	FinalURL    string
	MIME        string
	Charset     string // that the page was read in
	Title       string
	Byline      string
	PublishedAt string // ISO 8601, or ""
	Lang        string // BCP 47, or ""
	CleanText   string // Markdown
	RawHTML     string // when asked for
	Extractor   string // trafilatura, readability, outline, text, pdf
	Rendered    bool   // by the browser
	Cached      bool
	Redirects   []string
	Bytes       int           // of the body, decoded
	CPU         time.Duration // that reading it took
	Warnings    []string

	scripted bool // it has little text, and scripts that may write more
}

const (
	defaultMaxBytes  = 16 << 20
	defaultTimeout   = 30 * time.Second
	defaultPerSecond = 4
	maxRedirects     = 10
	maxPages         = 16 // at once, so that their bodies have room
)
