// Package hostile makes pages and servers that are meant to harm a program that
// fetches them: a hundred, each with the outcome that a careful one has.
package hostile

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
)

// Page is one of them. Path is where it is served.
type Page struct {
	Path string
	// Want is what may come of it: ok (text is read) or an error's code, separated
	// by bars.
	Want string
	// Slow pages end by the time limit of the call.
	Slow  bool
	serve http.HandlerFunc
}

// Allows says whether an outcome is one that the page may have.
func (p Page) Allows(outcome string) bool {
	return slices.Contains(strings.Split(p.Want, "|"), outcome)
}

// Pages lists all of them.
func Pages() []Page {
	return slices.Concat(nested(), markup(), metadata(), bodies(), encodings(), charsets(), redirections(), protocols(), documents())
}

// Handler serves all of them; what it does not know, robots.txt too, is 404.
func Handler() http.Handler {
	mux := http.NewServeMux()
	for _, p := range Pages() {
		mux.HandleFunc(p.Path, p.serve)
	}
	return mux
}

const (
	ok     = "ok"
	fetch  = "fetch_failed"
	parse  = "parse_failed"
	either = "ok|parse_failed"
)

const sentence = "The quick brown fox jumps over the lazy dog, and nobody minds that it does so every day. "

// html is a page of one piece of markup.
func html(path, want string, body func() string) Page {
	return Page{Path: path, Want: want, serve: func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = fmt.Fprint(w, "<!doctype html><html lang=en><head><title>Hostile</title></head><body>"+body()+"</body></html>") // who reads it may go away
	}}
}

func times(s string, n int) func() string { return func() string { return strings.Repeat(s, n) } }

// nested pages are as deep as their size allows.
func nested() []Page {
	var pages []Page
	for _, depth := range []int{400, 511, 5_000, 100_000, 1_000_000} {
		pages = append(pages, html(fmt.Sprintf("/deep/div/%d", depth), ok, func() string { return strings.Repeat("<div>", depth) + strings.Repeat(sentence, 10) }))
	}
	for _, tag := range []string{"ul><li", "table><tr><td", "blockquote", "b", "a href=x", "span", "svg", "template", "dl><dd", "font", "select", "math", "button", "object"} {
		closing := ""
		switch tag {
		case "svg", "template", "select", "math", "button", "object":
			closing = strings.Repeat("</"+tag+">", 20_000) // what they hold is not text
		}
		pages = append(pages, html("/deep/"+strings.NewReplacer("><", "-", " ", "-", "=", "-").Replace(tag), either, func() string {
			return strings.Repeat("<"+tag+">", 20_000) + closing + "<p>" + strings.Repeat(sentence, 10)
		}))
	}
	// Formatting elements that are open when a paragraph begins are made anew in
	// it (the adoption agency): a small page becomes a huge tree.
	for _, n := range [][2]int{{50, 1000}, {200, 5000}, {450, 20_000}, {450, 100_000}} {
		pages = append(pages, html(fmt.Sprintf("/formatting/%d-%d", n[0], n[1]), ok, func() string {
			var b strings.Builder
			b.WriteString("<p>")
			for i := range n[0] {
				fmt.Fprintf(&b, "<b id=x%d>", i)
			}
			return b.String() + strings.Repeat("<p>"+sentence, n[1])
		}))
	}
	return append(pages,
		html("/formatting/misnested", ok, times("<a><b><p><i></a></b>x</i>", 30_000)),
		html("/formatting/tables", ok, times("<table><b>x<tr>y<td>z", 400)),
	)
}

// markup is broken, endless or repeated without sense.
func markup() []Page {
	many := func(name, piece string, n int, want string) Page {
		return html("/many/"+name, want, func() string { return strings.Repeat(piece, n) + "<p>" + strings.Repeat(sentence, 10) })
	}
	return []Page{
		many("links", `<a href="/x">link</a> `, 140_000, ok),
		many("links-more", `<a href="/x">link</a> `, 300_000, ok),
		many("breaks", "<br>", 1_000_000, ok),
		many("ends", "</p>", 500_000, ok),
		many("items", "<li>x", 140_000, ok),
		many("headings", "<h1>x</h1>", 70_000, ok),
		many("paragraphs", "<p>"+sentence, 60_000, ok),
		many("cells", "<td>x", 100_000, ok),
		many("rows", "<table><tr><td>x</td></tr></table>", 30_000, ok),
		many("comments", "<!-- x -->", 500_000, ok),
		many("options", "<option>x", 100_000, either),
		many("ampersands", "&", 2_000_000, ok),
		many("entities", "&amp;", 1_500_000, ok),
		many("unknown-entities", "&CounterClockwiseContourIntegra", 200_000, ok),
		many("less-than", "< ", 2_000_000, ok),
		many("nul", "\x00", 2_000_000, either),
		html("/one/comment", either, func() string { return "<!--" + strings.Repeat("x", 8<<20) }),
		html("/one/script", either, func() string { return "<script>" + strings.Repeat("x=1;", 2<<20) }),
		html("/one/attribute", either, func() string { return `<p title="` + strings.Repeat("x", 8<<20) }),
		html("/one/word", either, times("x", 8<<20)),
		html("/one/tag", either, func() string { return "<" + strings.Repeat("x", 8<<20) }),
		html("/one/attributes", either, func() string {
			var b strings.Builder
			b.WriteString("<p")
			for i := range 300_000 {
				fmt.Fprintf(&b, " a%d=1", i)
			}
			return b.String() + ">" + sentence
		}),
		html("/one/classes", ok, func() string {
			return `<div class="` + strings.Repeat("comment article ", 200_000) + `"><p>` + strings.Repeat(sentence, 20)
		}),
		html("/one/text", either, times(sentence, 90_000)),
	}
}

// metadata is what is read for title, author, date and language.
func metadata() []Page {
	prose := "<p>" + strings.Repeat(sentence, 30) + "</p>"
	return []Page{
		html("/meta/tags", ok, func() string {
			return strings.Repeat(`<meta property="article:published_time" content="2019-13-45">`, 60_000) + prose
		}),
		html("/meta/title", either, func() string { return "<title>" + strings.Repeat("long ", 1<<20) + "</title>" + prose }),
		html("/meta/ld-deep", ok, func() string {
			return `<script type="application/ld+json">` + strings.Repeat(`{"a":[`, 500_000) + "</script>" + prose
		}),
		html("/meta/ld-many", ok, func() string {
			return strings.Repeat(`<script type="application/ld+json">{"@type":"Article","datePublished":"x","author":{"name":"A"}}</script>`, 20_000) + prose
		}),
		html("/meta/dates", ok, func() string {
			return strings.Repeat("<time datetime=2019-99-99>1/2/3 4.5.6 2019 10 2018</time> ", 40_000) + prose
		}),
		html("/meta/digits", ok, func() string {
			return "<p>" + strings.Repeat("20191120 2019/11/20 19.11.2019 ©2019 ", 100_000) + "</p>" + prose
		}),
		html("/meta/authors", ok, func() string {
			return strings.Repeat(`<span class="author byline" rel="author">By A and B, C; D & E</span>`, 20_000) + prose
		}),
		html("/meta/lang", ok, func() string { return `<html lang="` + strings.Repeat("en-", 1<<20) + `">` + prose }),
	}
}
