package fetch

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"runtime/debug"
	"strings"
	"time"
	"unicode/utf8"

	"atelier/internal/contract"
	"atelier/internal/tools/web/fetch/extract"
)

// Page downloads a URL and reads its text. raw keeps the page's HTML too, in
// UTF-8. Errors are *contract.Error: those of Get, and parse_failed.
func (f *Fetcher) Page(ctx context.Context, address string, raw bool) (*Page, error) {
	ctx, cancel := context.WithTimeout(ctx, f.o.Timeout)
	defer cancel()
	select {
	case f.places <- struct{}{}:
		defer func() { <-f.places }()
	case <-ctx.Done():
		return nil, contract.Errorf(contract.CodeTimeout, "%d other pages were under way all the time", maxPages).WithHint("Ask again later.")
	}
	response, err := f.Get(ctx, address)
	if err != nil {
		return nil, err
	}
	page, err := f.readPage(ctx, address, response, raw)
	if err != nil {
		return nil, err
	}
	if page.Bytes > largeBody || len(page.CleanText) > largeText {
		defer f.relieve()
	}
	if f.o.Fetched != nil {
		f.o.Fetched(context.WithoutCancel(ctx), page)
	}
	return page, nil
}

const (
	largeBody = 1 << 20
	largeText = 256 << 10
	relief    = 100 * time.Millisecond // after a large page
)

// relieve gives the memory of large pages back to the system, soon. The
// collector alone would wait until as much again has been used.
func (f *Fetcher) relieve() {
	if f.relieving.CompareAndSwap(false, true) {
		time.AfterFunc(relief, func() {
			f.relieving.Store(false)
			debug.FreeOSMemory()
		})
	}
}

func (f *Fetcher) readPage(ctx context.Context, address string, r *Response, raw bool) (*Page, error) {
	page := &Page{URL: address, FinalURL: r.FinalURL, MIME: kindOf(r), Cached: r.Cached, Redirects: r.Redirects, Bytes: len(r.Body)}
	if len(bytes.TrimSpace(r.Body)) == 0 {
		return nil, unreadable("empty", "%s answered without content", r.FinalURL)
	}
	switch {
	case page.MIME == "application/pdf":
		return page, f.extract(ctx, page, extract.Request{Body: r.Body, Kind: extract.PDF, URL: r.FinalURL})
	case page.MIME == "text/html", page.MIME == "application/xhtml+xml":
		return page, f.readHTML(ctx, page, r, raw)
	case strings.HasSuffix(page.MIME, "/xml"), strings.HasSuffix(page.MIME, "+xml"):
		return page, f.extract(ctx, page, extract.Request{Body: r.Body, Charset: r.Charset, URL: r.FinalURL, Mode: extract.Outline, Raw: raw})
	case isText(page.MIME):
		return page, textPage(page, r)
	}
	return nil, unreadable("type", "%s is %s, of which no text is read", r.FinalURL, page.MIME).
		WithHint("HTML, PDF and plain text are read.").With("mime_type", page.MIME)
}

// kindOf is the type of a page by its header; where that says nothing, and for
// PDFs that are served as anything, by its first bytes.
func kindOf(r *Response) string {
	head := bytes.TrimLeft(r.Body[:min(len(r.Body), 1024)], "\xef\xbb\xbf \t\r\n")
	if bytes.HasPrefix(head, []byte("%PDF-")) {
		return "application/pdf"
	}
	switch r.MIME {
	case "", "application/octet-stream", "binary/octet-stream", "application/x-unknown", "unknown/unknown":
		sniffed, _, err := mime.ParseMediaType(http.DetectContentType(r.Body))
		if err != nil {
			return "application/octet-stream"
		}
		return sniffed
	case "text/plain":
		if bytes.HasPrefix(bytes.ToLower(head[:min(len(head), 16)]), []byte("<!doctype html")) {
			return "text/html"
		}
	}
	return r.MIME
}

func isText(mimeType string) bool {
	switch mimeType {
	case "application/json", "application/javascript", "application/x-ndjson", "application/yaml", "application/toml", "application/x-yaml", "application/x-sh":
		return true
	}
	return strings.HasPrefix(mimeType, "text/") || strings.HasSuffix(mimeType, "+json")
}

// textPage takes a text as it is.
func textPage(page *Page, r *Response) error {
	text, name := extract.Decode(r.Body, r.Charset)
	if strings.ContainsRune(text[:min(len(text), 4096)], 0) {
		return unreadable("type", "%s says that it is text, and is not", r.FinalURL).With("mime_type", page.MIME)
	}
	page.Extractor, page.Charset, page.CleanText = "text", name, strings.TrimSpace(strings.ReplaceAll(text, "\r\n", "\n"))
	if page.CleanText == "" {
		return unreadable("empty", "%s answered with nothing but white space", r.FinalURL)
	}
	return nil
}

// readHTML reads a page, and renders it first where it has no text without its
// scripts and the operator allows the browser.
func (f *Fetcher) readHTML(ctx context.Context, page *Page, r *Response, raw bool) error {
	request := extract.Request{Body: r.Body, Charset: r.Charset, URL: r.FinalURL, Raw: raw}
	err := f.extract(ctx, page, request)
	if err == nil && !page.scripted {
		return nil
	}
	var fault *contract.Error
	if err != nil && (!errors.As(err, &fault) || fault.Details["reason"] != "empty") {
		return err
	}
	if f.o.Browser == "" {
		if err == nil {
			page.Warnings = append(page.Warnings, "The page has little text without its scripts; a browser, which the operator allows with --web-browser, may show more.")
		}
		return err
	}
	request.Body, request.Charset = nil, "utf-8"
	rendered := *page
	document, broken := f.render(ctx, page.FinalURL)
	if broken == nil {
		request.Body = document
		broken = f.extract(ctx, &rendered, request)
	}
	if broken != nil {
		if err == nil { // what there was without the browser is something
			page.Warnings = append(page.Warnings, fmt.Sprintf("The browser did not help: %v", broken))
			return nil
		}
		return broken
	}
	if len(rendered.CleanText) > len(page.CleanText) {
		*page = rendered
		page.Rendered = true
	}
	return nil
}

// extract reads a page in a process of its own. One that harms it is outlined
// instead, which takes no more than linear time.
func (f *Fetcher) extract(ctx context.Context, page *Page, request extract.Request) error {
	d, cpu, err := f.pool.Read(ctx, request)
	if harmed(err) && request.Kind == extract.HTML && request.Mode == extract.Whole {
		f.o.Log.Info("page not read as an article", "url", page.FinalURL, "error", err)
		why := err
		request.Mode = extract.Outline
		if d, cpu, err = f.pool.Read(ctx, request); err == nil {
			d.Warnings = append(d.Warnings, fmt.Sprintf("The page is not read as an article (%v): this is all of its visible text.", why))
		}
	}
	if err != nil {
		return pageFault(ctx, page, err)
	}
	page.CPU = cpu
	page.setContent(d)
	switch {
	case d.Fault != "":
		return unreadable(d.Fault, "%s: %s", page.FinalURL, d.Reason)
	case page.CleanText == "":
		return unreadable("empty", "%s has no text", page.FinalURL).
			WithHint("It may be written by scripts, which only a browser runs; the operator allows one with --web-browser.")
	}
	return nil
}

func harmed(err error) bool {
	return errors.Is(err, extract.ErrTime) || errors.Is(err, extract.ErrMemory) || errors.Is(err, extract.ErrCrashed)
}

func pageFault(ctx context.Context, page *Page, err error) error {
	var known *contract.Error
	switch {
	case errors.As(err, &known):
		return known
	case errors.Is(err, context.DeadlineExceeded):
		return contract.Errorf(contract.CodeTimeout, "%s was not read in time", page.FinalURL).WithHint("Ask for more time.")
	case ctx.Err() != nil:
		return contract.Errorf(contract.CodeCancelled, "the fetch of %s was cancelled", page.FinalURL)
	case errors.Is(err, extract.ErrTime):
		return unreadable("time", "%s: %w", page.FinalURL, err)
	case errors.Is(err, extract.ErrMemory):
		return unreadable("memory", "%s: %w", page.FinalURL, err)
	case errors.Is(err, extract.ErrCrashed):
		return unreadable("crashed", "%s: %w", page.FinalURL, err)
	case errors.Is(err, extract.ErrClosed):
		return contract.Errorf(contract.CodeInterrupted, "the server is stopping")
	}
	return contract.Errorf(contract.CodeInternal, "%w", err)
}

// setContent makes a page of what was read.
func (p *Page) setContent(d extract.Document) {
	p.Title, p.Byline, p.PublishedAt, p.Lang = d.Title, d.Byline, d.Published, d.Lang
	p.CleanText, p.Charset, p.Extractor, p.RawHTML = d.Text, d.Charset, d.Extractor, d.Raw
	p.Warnings = append(p.Warnings, d.Warnings...)
	p.scripted = d.Scripted
	if !utf8.ValidString(p.CleanText) {
		p.CleanText = strings.ToValidUTF8(p.CleanText, "\uFFFD")
	}
}

// What an index should take of a page: a hostile one has words of megabytes, or a
// million different ones.
const (
	longestWord  = 64 // bytes; longer runs are addresses, data or noise
	mostIndexed  = 96 << 10
	longestIndex = 2048 // of an address
)

// Indexable is the text of the page for an index: its beginning, without the
// words that nobody searches for. It is empty for a page not worth it.
func (p *Page) Indexable() string {
	if len(p.FinalURL) > longestIndex || p.Extractor == "outline" && len(p.CleanText) > largeText {
		return ""
	}
	var b strings.Builder
	for line := range strings.Lines(p.CleanText) {
		for word := range strings.FieldsSeq(line) {
			if len(word) <= longestWord || strings.ContainsFunc(word, unspaced) {
				b.WriteString(word)
				b.WriteByte(' ')
			}
			if b.Len() > mostIndexed {
				return b.String()
			}
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// unspaced says whether a character is of a script that puts no spaces between
// words: Thai and what stands after it in Unicode, up to the East Asian ones.
func unspaced(r rune) bool { return r >= 0x0e00 && r != utf8.RuneError }
