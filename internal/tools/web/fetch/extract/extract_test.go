package extract

import (
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"atelier/internal/testenv"
)

const prose = "The committee met on Monday and decided, after a long debate, that the bridge over the river will be rebuilt by the city. "

// What a page is made of comes out as Markdown, and what surrounds it does not.
func TestStructureIsKept(t *testing.T) {
	page := `<html lang="en-GB"><head><title>The bridge | The Daily</title>
<meta name="author" content="Ada Lovelace"><meta property="article:published_time" content="2021-03-04T05:06:07+02:00"></head>
<body><nav><ul><li><a href="/">Home</a></li><li><a href="/x">News of today</a></li></ul></nav><article><h1>The bridge</h1>
<p>` + prose + prose + `</p><h2>Costs</h2><ul><li>One is <b>bold</b> and <code>x=1</code><ul><li>nested</li></ul></li><li>Two</li></ul>
<ol><li>first</li><li>second</li></ol><pre><code>func main() {
	x := 1

	y := 2
}</code></pre><table><tr><th>Year</th><th>Cost</th></tr><tr><td>2020</td><td>1|2</td></tr></table>
<blockquote><p>We will build it, said the mayor.</p></blockquote><p>` + prose + `</p></article>
<footer>Copyright, imprint, cookies</footer><noscript>Please enable JavaScript</noscript><script>var x = "secret";</script></body></html>`
	d := Read(Request{Body: []byte(page), URL: "https://daily.example/bridge"})
	for _, want := range []string{
		"## Costs\n", "- One is bold and `x=1`\n  - nested\n- Two\n", "1. first\n2. second\n", "```\nfunc main() {\n\tx := 1\n\n\ty := 2\n}\n```\n",
		"| Year | Cost |\n| --- | --- |\n| 2020 | 1\\|2 |\n", "> We will build it, said the mayor.\n", strings.TrimSpace(prose),
	} {
		if !strings.Contains(d.Text, want) {
			t.Errorf("%q is missing", want)
		}
	}
	for _, not := range []string{"Home", "Copyright", "JavaScript", "secret"} {
		if strings.Contains(d.Text, not) {
			t.Errorf("%q is there", not)
		}
	}
	if !strings.HasPrefix(d.Title, "The bridge") || d.Byline != "Ada Lovelace" || d.Published != "2021-03-04T05:06:07+02:00" || d.Lang != "en-GB" || d.Extractor != "trafilatura" {
		t.Errorf("%q %q %q %q %q", d.Title, d.Byline, d.Published, d.Lang, d.Extractor)
	}
	if t.Failed() {
		t.Log(d.Text)
	}
}

// All visible text, in one pass.
func TestOutline(t *testing.T) {
	d := Read(Request{Mode: Outline, Body: []byte(`<html lang=de><title>A &amp; B</title><h2>One</h2><p>two <i>three</i>four<div>five
six</div><ul><li>seven<li>eight</ul><script>no</script><style>no</style><svg><text>no<svg>no</svg></text></svg><pre>a
  b</pre><td>nine</td><td>ten</td>`)})
	if want := "## One\n\ntwo threefour\n\nfive six\n\n- seven\n- eight\n```\na\n  b\n```\n\nnine ten"; d.Text != want || d.Title != "A & B" || d.Lang != "de" {
		t.Fatalf("%q %q %q", d.Text, d.Title, d.Lang)
	}
	d = Read(Request{Mode: Outline, Body: []byte(`<p>10<sup>6</sup> m<sup>2</sup>, 10<sup>a<b>b</sup> H<sub>2</sub>O, said<sup><a href="#n1">3</a></sup><p hidden>no<p>yes<span style="display:none">no<span>no</span>no</span><input hidden>5<div aria-hidden="true"><p>no</div>`)})
	if want := "10⁶ m², 10^(ab) H₂O, said[3]\n\nyes5"; d.Text != want {
		t.Fatalf("%q", d.Text)
	}
}

func TestLanguage(t *testing.T) {
	long := strings.Repeat(prose, 20)
	for _, tc := range []struct{ declared, detected, text, want string }{
		{"en", "en", long, "en"}, {"en-US", "en", long, "en-US"}, {"pt_BR", "pt", "", "pt-BR"}, {"", "de", "", "de"}, {"de", "", "", "de"},
		{"de", "en", long, "en"}, {"de", "en", "short", "de"}, {"nonsense!", "fr", "", "fr"}, {"", "", "", ""}, {strings.Repeat("en-", 1<<16), "", "", ""},
	} {
		if got := languageOf(tc.declared, tc.detected, tc.text); got != tc.want {
			t.Errorf("%.20q %q: %q, want %q", tc.declared, tc.detected, got, tc.want)
		}
	}
}

// pdfOf makes a PDF with one page of lines of text.
func pdfOf(lines ...string) []byte {
	var content strings.Builder
	content.WriteString("BT /F1 12 Tf 72 720 Td 14 TL\n")
	for _, line := range lines {
		fmt.Fprintf(&content, "(%s) Tj T*\n", strings.NewReplacer("(", `\(`, ")", `\)`).Replace(line))
	}
	content.WriteString("ET")
	objects := []string{
		"<</Type/Catalog/Pages 2 0 R/Lang(en-GB)>>", "<</Type/Pages/Count 1/Kids[3 0 R]>>",
		"<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>>",
		fmt.Sprintf("<</Length %d>>\nstream\n%s\nendstream", content.Len(), content.String()),
		"<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>", "<</Title(The report)>>",
	}
	var b strings.Builder
	b.WriteString("%PDF-1.4\n")
	var offsets []int
	for i, o := range objects {
		offsets = append(offsets, b.Len())
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", i+1, o)
	}
	start := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n", len(objects)+1)
	for _, o := range offsets {
		fmt.Fprintf(&b, "%010d 00000 n \n", o)
	}
	fmt.Fprintf(&b, "trailer\n<</Size %d/Root 1 0 R/Info 6 0 R>>\nstartxref\n%d\n%%%%EOF\n", len(objects)+1, start)
	return []byte(b.String())
}

func TestPDF(t *testing.T) {
	d := Read(Request{Kind: PDF, Body: pdfOf("The committee met on Monday and de-", "cided that (after all) the bridge", "will be rebuilt.", "", "", "A second paragraph.")})
	if want := "The committee met on Monday and decided that (after all) the bridge will be rebuilt.\n\nA second paragraph."; d.Text != want || d.Title != "The report" || d.Lang != "en-GB" || d.Pages != 1 {
		t.Fatalf("%q %+v", d.Text, d)
	}
	if d := Read(Request{Kind: PDF, Body: pdfOf()}); d.Fault != "pdf" || !strings.Contains(d.Reason, "no text") {
		t.Fatalf("a scanned page: %+v", d)
	}
	if d := Read(Request{Kind: PDF, Body: []byte("%PDF-1.4\nnothing")}); d.Fault == "" || d.Text != "" {
		t.Fatalf("a broken one: %+v", d)
	}
}

// The pool's processes read pages, are used again, and end when they must.
func TestPool(t *testing.T) {
	p, err := NewPool(PoolOptions{Workers: 2})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	page := []byte("<html><body><article><p>" + strings.Repeat(prose, 10) + "</article>")
	for range 3 {
		d, cpu, err := p.Read(t.Context(), Request{Body: page, Raw: true})
		if err != nil || !strings.Contains(d.Text, strings.TrimSpace(prose)) || d.Raw != string(page) || cpu <= 0 {
			t.Fatalf("%+v %v %v", d, cpu, err)
		}
	}
	if len(p.idle) != 1 || p.idle[0].pages != 3 {
		t.Fatalf("%d processes for pages one after the other", len(p.idle))
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := p.Read(ctx, Request{Body: page}); !errors.Is(err, context.Canceled) {
		t.Fatalf("%v", err)
	}
	p.Close()
	if _, _, err := p.Read(t.Context(), Request{Body: page}); !errors.Is(err, ErrClosed) {
		t.Fatalf("%v", err)
	}
}

// harmful is a page whose tree is a thousand times its size: 450 open elements are
// made anew in each of 20,000 paragraphs.
func harmful() []byte {
	var b strings.Builder
	b.WriteString("<p>")
	for i := range 450 {
		fmt.Fprintf(&b, "<b id=x%d>", i)
	}
	return []byte(b.String() + strings.Repeat("<p>x", 20_000))
}

func TestPoolEndsWhatTakesTooLong(t *testing.T) {
	slow, err := NewPool(PoolOptions{Workers: 1, Time: 50 * time.Millisecond, Memory: 4 << 30})
	if err != nil {
		t.Fatal(err)
	}
	defer slow.Close()
	begun := time.Now()
	if _, _, err := slow.Read(t.Context(), Request{Body: harmful()}); !errors.Is(err, ErrTime) || time.Since(begun) > 30*time.Second {
		t.Fatalf("%v after %v", err, time.Since(begun))
	}
}

func TestPoolEndsWhatTakesTooMuchMemory(t *testing.T) {
	if raceDetector {
		testenv.Skip(t, testenv.NoRace, "the race detector's own memory is larger than the limit")
	}
	page := harmful()
	small, err := NewPool(PoolOptions{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer small.Close()
	if _, _, err := small.Read(t.Context(), Request{Body: page}); !errors.Is(err, ErrMemory) {
		t.Fatalf("%v", err)
	}
	if d, _, err := small.Read(t.Context(), Request{Body: page, Mode: Outline}); err != nil || !strings.HasPrefix(d.Text, "x\n\nx\n") {
		t.Fatalf("the next page: %v", err)
	}
}

// Real pages: the text that people marked must be found again, nearly whole.
func TestRealPages(t *testing.T) {
	folder := testenv.Shared(t, "data", "webpages")
	content, err := os.ReadFile(filepath.Join(folder, "ground-truth.json"))
	if err != nil {
		t.Fatal(err)
	}
	var truth map[string]struct{ ArticleBody, URL string }
	if err := json.Unmarshal(content, &truth); err != nil {
		t.Fatal(err)
	}
	for id, page := range truth {
		d := Read(Request{Body: unzip(t, filepath.Join(folder, "html", id+".html.gz")), URL: page.URL})
		have := map[string]bool{}
		for _, word := range strings.Fields(d.Text) {
			have[word] = true
		}
		found, words := 0, strings.Fields(page.ArticleBody)
		for _, word := range words {
			if have[word] {
				found++
			}
		}
		// The extractors of the benchmark find 0.97 to 0.98 of the text on average;
		// the worst page has 0.86.
		if 100*found < 80*len(words) || d.Title == "" || d.Published == "" || d.Lang == "" {
			t.Errorf("%s: %d of %d words; %q %q %q", page.URL, found, len(words), d.Title, d.Published, d.Lang)
		}
	}
}

func unzip(t *testing.T, path string) []byte {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	content, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return content
}
