package extract

import (
	"bytes"
	"math"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/ledongthuc/pdf"
)

// Bounds of a PDF: text beyond them is left out, with a warning.
const (
	maxPages   = 500
	maxPDFText = 4 << 20
)

// readPDF reads the text layer of a PDF, page by page.
func readPDF(body []byte) Document {
	d := Document{Extractor: "pdf"}
	file, err := pdf.NewReader(bytes.NewReader(body), int64(len(body)))
	if err != nil {
		d.Fault, d.Reason = "pdf", "the PDF cannot be read: "+err.Error()
		if strings.Contains(err.Error(), "encrypt") || strings.Contains(err.Error(), "password") {
			d.Reason = "the PDF is encrypted"
		}
		return d
	}
	d.Pages = file.NumPage()
	d.Title = clean(file.Trailer().Key("Info").Key("Title").Text())
	d.Lang = languageOf(file.Trailer().Key("Root").Key("Lang").Text(), "", "")
	var out strings.Builder
	for number := 1; number <= d.Pages; number++ {
		if number > maxPages || out.Len() > maxPDFText {
			d.Warnings = append(d.Warnings, "The PDF is long: the text of its last pages is left out.")
			break
		}
		page := file.Page(number)
		if page.V.IsNull() {
			continue
		}
		if text := pageText(page); text != "" {
			out.WriteString(text + "\n\n")
		}
	}
	if d.Text = strings.TrimSpace(out.String()); d.Text == "" {
		d.Fault, d.Reason = "pdf", "the PDF has no text: its pages are pictures"
	}
	return d
}

// pageText puts the pieces of a page together in the order in which they are
// drawn. A piece on another height begins a line, one with a gap before it a
// word, and a gap of more than a line, or another size of letters, a paragraph.
func pageText(p pdf.Page) string {
	var out strings.Builder
	var last pdf.Text
	begun, run := false, 0 // letters since the place last changed
	pieces := p.Content().Text
	spaced := writesSpaces(pieces)
	for _, t := range pieces {
		if t.S == "" || t.FontSize <= 0 || math.IsNaN(t.X) || math.IsNaN(t.Y) {
			continue
		}
		if begun {
			size := math.Max(t.FontSize, last.FontSize)
			switch drop := math.Abs(t.Y - last.Y); {
			case drop > 1.7*size, drop > 0.5*size && math.Abs(t.FontSize-last.FontSize) > 0.15*size:
				out.WriteString("\n\n")
			case drop > 0.5*size:
				out.WriteByte('\n')
			case t.X < last.X-size || apart(last, t, run, spaced):
				out.WriteByte(' ')
			}
		}
		if !begun || t.X != last.X {
			run = 0
		}
		run += utf8.RuneCountInString(t.S)
		out.WriteString(t.S)
		last, begun = t, true
	}
	return joined(out.String())
}

// writesSpaces says that the page draws its spaces as letters, as nearly all do.
func writesSpaces(pieces []pdf.Text) bool {
	letters, spaces := 0, 0
	for _, t := range pieces {
		letters += len(t.S)
		spaces += strings.Count(t.S, " ")
	}
	return 20*spaces > letters
}

// apart says whether there is a space between two pieces on a line. Where the
// width of letters is known (it is not of fonts with many glyphs) it is the gap
// that tells. Where it is not, a move within a line that has its spaces is
// kerning, unless it is far, or a number or a capital begins after it, as in
// the cells of tables.
func apart(last, t pdf.Text, run int, spaced bool) bool {
	size := last.FontSize
	switch {
	case t.X == last.X && last.W == 0:
		return false
	case last.W > 0 && spaced:
		return t.X-(last.X+last.W) > 0.6*size
	case last.W > 0 || !spaced:
		return t.X-(last.X+last.W) > 0.18*size
	}
	first, _ := utf8.DecodeRuneInString(t.S)
	before, _ := utf8.DecodeLastRuneInString(last.S)
	if unicode.IsLower(before) && (unicode.IsUpper(first) || unicode.IsDigit(first)) {
		return true
	}
	return t.X-last.X > (0.65*float64(run)+1)*size // letters are half as wide as they are high
}

// joined makes paragraphs of lines, and words of those that were cut at a line's end.
func joined(text string) string {
	var paragraphs []string
	for paragraph := range strings.SplitSeq(text, "\n\n") {
		var line string
		for next := range strings.SplitSeq(paragraph, "\n") {
			next = strings.Join(strings.Fields(next), " ")
			switch before, cut := strings.CutSuffix(line, "-"); {
			case line == "":
				line = next
			case next == "":
			case cut && len(before) > 1 && isLower(next):
				line = before + next
			default:
				line += " " + next
			}
		}
		if line != "" {
			paragraphs = append(paragraphs, line)
		}
	}
	return strings.ToValidUTF8(strings.Join(paragraphs, "\n\n"), "\uFFFD")
}

func isLower(s string) bool {
	r := []rune(s)[0]
	return r >= 'a' && r <= 'z'
}
