package web

import (
	"context"
	_ "embed"
	"fmt"
	"os"
	"path/filepath"
	"time"
	"unicode/utf8"

	"atelier/internal/contract"
	"atelier/internal/tools/web/fetch"
)

// Pages reads pages; *fetch.Fetcher does.
type Pages interface {
	Page(ctx context.Context, url string, raw bool) (*fetch.Page, error)
}

//go:embed fetch.json
var fetchContract []byte

type fetchInput struct {
	URL            string `json:"url"`
	IncludeRawHTML bool   `json:"include_raw_html"`
}

type fetchOutput struct {
	FinalURL    string  `json:"final_url"`
	Title       *string `json:"title"`
	Byline      *string `json:"byline"`
	PublishedAt *string `json:"published_at"`
	Lang        *string `json:"lang"`
	CleanText   string  `json:"clean_text"`
	// The contract's schema wants raw_html wherever it would be a string, so an
	// output without it is not valid: it is empty unless asked for.
	RawHTML string `json:"raw_html"`
}

// How many bytes of a text stand in the answer itself. Raw HTML was asked for.
const (
	maxInline    = 256 << 10
	maxInlineRaw = 1 << 20
)

func fetchTool(pages Pages) contract.Tool {
	return contract.Bind(fetchContract, func(ctx context.Context, call *contract.Call, in fetchInput) (*contract.Result, error) {
		page, err := pages.Page(ctx, in.URL, in.IncludeRawHTML)
		if err != nil {
			return nil, err
		}
		result := &contract.Result{
			Summary: summary(page),
			Metrics: map[string]any{
				"extractor": page.Extractor, "mime_type": page.MIME, "charset": page.Charset, "bytes": page.Bytes, "cached": page.Cached,
				"rendered": page.Rendered, "redirects": len(page.Redirects), "characters": utf8.RuneCountInString(page.CleanText),
				"read_cpu_ms": float64(page.CPU.Microseconds()) / float64(time.Millisecond/time.Microsecond),
			},
		}
		for _, w := range page.Warnings {
			result.Warnings = append(result.Warnings, contract.Warning{Code: "page", Message: w})
		}
		output := fetchOutput{FinalURL: page.FinalURL, Title: orNull(page.Title), Byline: orNull(page.Byline), PublishedAt: orNull(page.PublishedAt), Lang: orNull(page.Lang)}
		if output.CleanText, err = inline(call, result, "page.md", page.CleanText, maxInline); err != nil {
			return nil, err
		}
		if output.RawHTML, err = inline(call, result, "page.html", page.RawHTML, maxInlineRaw); err != nil {
			return nil, err
		}
		result.Output = output
		return result, nil
	})
}

// inline is what stands of a text in the answer; a longer one is an artifact too,
// as a whole.
func inline(call *contract.Call, result *contract.Result, name, text string, most int) (string, error) {
	if len(text) <= most {
		return text, nil
	}
	if err := os.WriteFile(filepath.Join(call.Dir, name), []byte(text), 0o600); err != nil {
		return "", fmt.Errorf("keep %s: %w", name, err)
	}
	// As plain text: a browser must not run what another site wrote.
	result.Artifacts = append(result.Artifacts, contract.Artifact{Name: name, MIME: contract.MIMEType("page.txt")})
	result.Warnings = append(result.Warnings, contract.Warning{Code: "text_cut", Message: fmt.Sprintf("Only the first %d of %d bytes stand in the answer; %s has all.", most, len(text), name)})
	end := most
	for !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end], nil
}

func summary(page *fetch.Page) string {
	title := page.Title
	if title == "" {
		title = page.FinalURL
	}
	if runes := []rune(title); len(runes) > 120 {
		title = string(runes[:119]) + "…"
	}
	return fmt.Sprintf("Read %d characters of %q.", utf8.RuneCountInString(page.CleanText), title)
}

func orNull(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}
