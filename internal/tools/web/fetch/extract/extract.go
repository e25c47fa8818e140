// Package extract reads the text of a page: what a person would read of it, as
// Markdown, with its title, author, date and language. It does no I/O. A page
// that was made to harm can make it use much time and memory, which is why
// Pool runs it in processes of their own.
package extract

import (
	"fmt"
	"net/url"
)

// Mode says how much work a page is worth.
type Mode uint8

// Whole looks for the article; Outline takes all visible text, in one pass over
// the page that needs neither a tree nor more than linear time.
const (
	Whole Mode = iota
	Outline
)

// Request is a page to be read.
type Request struct {
	Body    []byte
	Kind    Kind
	Charset string // as the server declares it, or ""
	URL     string
	Mode    Mode
	Raw     bool // give the page back too, in UTF-8
}

// Kind of a page.
type Kind uint8

// The kinds that text can be read of.
const (
	HTML Kind = iota
	PDF
)

// Document is what was read of a page.
type Document struct {
	Title, Byline string
	Published     string // ISO 8601, or ""
	Lang          string // BCP 47, or ""
	Text          string // Markdown; empty when there is none
	Charset       string
	Extractor     string // trafilatura, readability, outline, pdf
	Raw           string
	Scripted      bool // there is little text, and scripts that may write more
	Pages         int  // of a PDF
	Warnings      []string
	Fault         string // why there is no text: pdf, crashed
	Reason        string // in words
}

// Read reads one page. What panics in a parser is the page's fault, and is told
// in the document.
func Read(r Request) (d Document) {
	defer func() {
		if p := recover(); p != nil {
			d = Document{Fault: "crashed", Reason: fmt.Sprintf("the page's content breaks its parser: %.200v", p)}
		}
	}()
	if r.Kind == PDF {
		return readPDF(r.Body)
	}
	text, name := decode(r.Body, r.Charset)
	if r.Mode == Outline {
		d = outlined(text)
	} else {
		address, err := url.Parse(r.URL)
		if err != nil {
			address = nil
		}
		d = readHTML(text, address)
	}
	d.Charset = name
	if r.Raw {
		d.Raw = string(text)
	}
	return d
}
