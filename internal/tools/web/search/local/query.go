package local

import (
	"context"
	"errors"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/blevesearch/bleve/v2"
	bleveq "github.com/blevesearch/bleve/v2/search/query"

	"atelier/internal/contract"
	"atelier/internal/tools/web/search"
)

var _ search.Backend = (*Index)(nil)

// Name implements search.Backend.
func (x *Index) Name() string { return "local" }

// Most implements search.Backend.
func (x *Index) Most() int { return search.MostResults }

// Page implements search.Backend.
func (x *Index) Page(ctx context.Context, r search.Request) (search.Batch, error) {
	index, err := x.open()
	if errors.Is(err, errBusy) {
		return search.Batch{Warnings: []contract.Warning{{Code: "index_busy", Message: "Another process of atelier holds the local search index of this data folder; ask that one, or give this one a data folder of its own."}}}, nil
	}
	if err != nil {
		return search.Batch{}, x.fault(err)
	}
	var batch search.Batch
	if r.Page == 0 {
		batch.Warnings = x.refresh(ctx, index)
	}
	ask := bleve.NewSearchRequestOptions(query(r.Query), search.MostResults, r.Page*search.MostResults, false)
	ask.Fields = []string{"title", "body", "date"}
	found, err := index.SearchInContext(ctx, ask)
	if err != nil {
		return search.Batch{}, x.fault(err)
	}
	words := stemsOf(r.Query)
	for _, hit := range found.Hits {
		text := func(name string) string { s, _ := hit.Fields[name].(string); return s }
		batch.Hits = append(batch.Hits, search.Hit{Title: escape(text("title")), URL: hit.ID, Snippet: escape(snippet(text("body"), words)), Date: text("date")})
	}
	batch.More = len(found.Hits) == search.MostResults
	if r.Page == 0 && len(batch.Hits) == 0 {
		batch.Warnings = append(batch.Warnings, x.nothing(index))
	}
	return batch, nil
}

// nothing says why an empty list is empty.
func (x *Index) nothing(index bleve.Index) contract.Warning {
	n, err := index.DocCount()
	if err == nil && n > 0 {
		return contract.Warning{Code: "local_index_only", Message: "No search service is configured, and nothing in the local index (pages that web.fetch has read, and the operator's folders) fits the query. The operator sets one with --search-backend and --search-url."}
	}
	return contract.Warning{Code: "nothing_indexed", Message: "No search service is configured, and the local index is empty: it holds the pages that web.fetch has read and the folders of --search-folder. The operator sets a service with --search-backend and --search-url."}
}

// query looks for all words before any of them, in titles before bodies, and in
// other forms of the words last.
func query(text string) bleveq.Query {
	either := bleve.NewDisjunctionQuery()
	add := func(field string, boost float64, operator bleveq.MatchQueryOperator) {
		m := bleve.NewMatchQuery(text)
		m.SetField(field)
		m.SetBoost(boost)
		m.SetOperator(operator)
		either.AddQuery(m)
	}
	add("title", 4, bleveq.MatchQueryOperatorAnd)
	add("title", 1.5, bleveq.MatchQueryOperatorOr)
	add("body", 2, bleveq.MatchQueryOperatorAnd)
	add("body", 0.5, bleveq.MatchQueryOperatorOr)
	for lang := range stems {
		add(stemField+lang, 1.5, bleveq.MatchQueryOperatorAnd)
		add(stemField+lang, 0.4, bleveq.MatchQueryOperatorOr)
	}
	return either
}

// stemsOf are beginnings of the query's words, by which a passage is found that
// holds them in any form.
func stemsOf(text string) []string {
	var list []string
	for _, w := range strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		runes := []rune(w)
		if n := len(runes); n > 4 {
			runes = runes[:max(4, n*3/4)]
		}
		if len(runes) > 1 || runes[0] > unicode.MaxLatin1 {
			list = append(list, string(runes))
		}
	}
	return list
}

const (
	snippetSize = 280 // bytes
	lookedAt    = 1 << 20
)

// snippet is the passage that holds most of the words, the earliest of equals.
func snippet(body string, words []string) string {
	body = strings.Join(strings.Fields(body[:min(len(body), lookedAt)]), " ")
	if len(body) <= snippetSize {
		return strings.ToValidUTF8(body, "")
	}
	lower := strings.ToLower(body)
	best, bestAt := -1, 0
	for _, first := range words {
		for at, from := 0, 0; from < len(lower) && at >= 0; {
			if at = strings.Index(lower[from:], first); at < 0 {
				break
			}
			at += from
			from = at + snippetSize/2
			window := lower[max(0, at-snippetSize/4):min(len(lower), at+snippetSize*3/4)]
			n := 0
			for _, w := range words {
				if strings.Contains(window, w) {
					n++
				}
			}
			if n > best || n == best && at < bestAt {
				best, bestAt = n, at
			}
		}
	}
	if len(lower) != len(body) { // a letter that changes its length in lower case
		bestAt = min(bestAt, len(body)-1)
	}
	from := max(0, bestAt-snippetSize/4)
	to := min(len(body), from+snippetSize)
	return edge(body, from, to)
}

// edge cuts at words and says where something is left out.
func edge(body string, from, to int) string {
	for from > 0 && !utf8.RuneStart(body[from]) {
		from--
	}
	for to < len(body) && !utf8.RuneStart(body[to]) {
		to++
	}
	text := body[from:to]
	if from > 0 {
		if at := strings.IndexByte(text, ' '); at >= 0 && at < snippetSize/4 {
			text = text[at+1:]
		}
		text = "… " + text
	}
	if to < len(body) {
		if at := strings.LastIndexByte(text, ' '); at > len(text)*3/4 {
			text = text[:at]
		}
		text += " …"
	}
	return text
}

// escape: a searcher takes titles and snippets for HTML.
var escape = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;").Replace
