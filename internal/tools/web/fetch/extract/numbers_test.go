package extract

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"atelier/internal/testenv"
)

// author writes pages whose numbers are all different, so that one that is lost,
// glued, moved or there twice shows.
type author struct {
	*rand.Rand
	next   int
	hidden []string // numbers that no reader sees
}

// number is one that no other contains.
func (a *author) number() string {
	a.next += 1 + a.IntN(5)
	return strconv.Itoa(a.next)
}

// spot is a number in running text: its HTML, and how it reads.
func (a *author) spot() (markup, reads string) {
	n, k := a.number(), strconv.Itoa(2+a.IntN(8))
	half := n[:len(n)/2]
	rest := n[len(n)/2:]
	raisedDigit := string([]rune("⁰¹²³⁴⁵⁶⁷⁸⁹")[k[0]-'0'])
	lowered := string([]rune("₀₁₂₃₄₅₆₇₈₉")[k[0]-'0'])
	forms := [][2]string{
		{n, n},
		{"<b>" + half + "</b>" + rest, n},
		{"<span>" + half + "</span><span>." + rest + "</span>", half + "." + rest},
		{n + "<sup>" + k + "</sup>", n + raisedDigit},
		{n + "<sup>&minus;" + k + "</sup>", n + "⁻" + raisedDigit},
		{n + "<sup><i>x</i>/" + k + "</sup>", n + "^(x/" + k + ")"},
		{n + "<sub>" + k + "</sub>O", n + lowered + "O"},
		{n + "<sup><a href='#note'>" + k + "</a></sup>", n + "[" + k + "]"},
		{n + "<sup>[" + k + "]</sup>", n + "[" + k + "]"},
		{n + "<sup>th</sup>", n + "th"},
		{"<del>" + n + "</del>", "~~" + n + "~~"},
		{"<s><b>" + n + "</b> EUR</s>", "~~" + n + " EUR~~"},
		{"&minus;" + n, "−" + n},
		{half + "&#8239;" + rest, half + "\u202f" + rest},
		{half + "&nbsp;" + rest, half + "\u00a0" + rest},
		{half + "&shy;" + rest, n},
		{half + "<wbr>" + rest, n},
		{"<time>" + n + "</time>", n}, {"<ins>" + n + "</ins>", n}, {"<label>" + n + "</label>", n}, {"<data value=1>" + n + "</data>", n},
		{"<output>" + n + "</output>", n}, {"<abbr title=x>" + n + "</abbr>m", n + "m"}, {"<q>" + n + "</q>", "“" + n + "”"},
		{"<code>" + n + "</code>", "`" + n + "`"},
		{"<a href='/x'>" + n + "</a>", n},
		{"<math><msup><mn>" + n + "</mn><mn>" + k + "</mn></msup></math>", n + raisedDigit},
		{"<math><mfrac><mn>" + n + "</mn><mi>x</mi></mfrac></math>", "(" + n + ")/(x)"},
		{"<math><mmultiscripts><mi>C</mi><none/><none/><mprescripts/><mn>" + k + "</mn><mn>" + n + "</mn></mmultiscripts></math>", raised(n, true, false, 0) + lowered + "C"},
		{"<math><mmultiscripts><mi>R</mi><mn>" + k + "</mn><none/><mi>x</mi><mn>" + k + "</mn></mmultiscripts><mo>=</mo><mn>" + n + "</mn></math>", "R" + lowered + "ₓ" + raisedDigit + "=" + n},
		{"<math><mi>f</mi><mfenced><mn>" + n + "</mn><mi>x</mi></mfenced></math>", "f(" + n + ", x)"},
		{"<math><mfenced open='[' close='[' separators=';'><mn>" + n + "</mn><mi>x</mi></mfenced></math>", "[" + n + "; x["},
		{"<span class=katex><span class=katex-mathml><math><semantics><mn>" + n + "</mn><annotation encoding='application/x-tex'>" + n + "^{" + k + "}</annotation></semantics></math></span><span class=katex-html aria-hidden=true>" + n + k + "</span></span>", "$" + n + "^{" + k + "}$"},
	}
	f := forms[a.IntN(len(forms))]
	return f[0], f[1]
}

// unseen is text that a browser does not show.
func (a *author) unseen() string {
	n := a.number()
	a.hidden = append(a.hidden, n)
	return fmt.Sprintf([]string{"<span hidden>%s</span>", "<span style='color:red; display: none'>%s</span>", "<span style='font-size:0px'>%s</span>",
		"<span aria-hidden=true>%s</span>", "<span style='visibility:hidden!important'>%s</span>", "<template>%s</template>", "<noscript>%s</noscript>", "<span style='opacity:0.0'>%s</span>", "<span class='note gone'>%s</span>"}[a.IntN(9)], n)
}

// running is text with some numbers.
func (a *author) running(spots int) (markup, reads string) {
	for i := range spots {
		m, r := a.spot()
		if i > 0 {
			markup, reads = markup+" ", reads+" "
		}
		markup, reads = markup+"was measured as "+m, reads+"was measured as "+r
		if a.IntN(6) == 0 {
			markup += a.unseen()
		}
	}
	return markup + " by all.", reads + " by all."
}

// block is a part of a page, and the lines that it reads as.
func (a *author) block() (markup string, reads []string) {
	line := func(format string) string {
		m, r := a.running(1 + a.IntN(3))
		reads = append(reads, r)
		return fmt.Sprintf(format, m)
	}
	cell := func(format string) string {
		m, r := a.spot()
		reads = append(reads, r)
		return fmt.Sprintf(format, m)
	}
	switch a.IntN(9) {
	case 0:
		return "<ul>" + line("<li>%s</li>") + line("<li><p>%s</p></li>") + "</ul>", reads
	case 1:
		start := 3 + a.IntN(90)
		markup = fmt.Sprintf("<ol start=%d>", start) + line("<li>%s</li>") + line("<li value=7>%s</li>") + line("<li>%s</li></ol>")
		for i, number := range []int{start, 7, 8} {
			reads[i] = fmt.Sprintf("%d. %s", number, reads[i])
		}
		return markup, reads
	case 2:
		return "<table><tr><th>of</th><th>value</th></tr><tr>" + cell("<td>%s</td>") + cell("<td><p>%s</p></td>") + "</tr><tr>" + cell("<td>%s<br>") + cell("%s</td>") + cell("<td><div>%s</div>") + cell("<div>%s</div></td></tr></table>"), reads
	case 3:
		n, m := a.number(), a.number()
		return "<pre>" + n + "\n  " + m + "</pre>", []string{n + "\n  " + m}
	case 4:
		return "<dl>" + line("<dt>%s</dt>") + line("<dd>%s</dd></dl>"), reads
	case 5:
		return line("<blockquote><p>%s</p></blockquote>"), reads
	case 6:
		return line("<div>%s</div>"), reads
	case 7:
		return line("<p>%s<br>") + line("%s</p>"), reads
	}
	return line("<p>%s</p>"), reads
}

var digits = regexp.MustCompile(`[0-9]{5,}`)

// Whatever a page is made of, its numbers come out as they are read, once and in
// their order, and what is not shown does not.
func TestNumbersStand(t *testing.T) {
	seed := testenv.Seed(t)
	kept, all, pages := 0, 0, map[string]int{}
	for i := range 400 {
		a := &author{Rand: rand.New(rand.NewPCG(seed, uint64(i))), next: 10000}
		var page strings.Builder
		var reads []string
		for range 1 + a.IntN(8) {
			m, r := a.block()
			page.WriteString(m)
			reads = append(reads, r...)
			if i%2 == 0 {
				page.WriteString("<p>" + strings.Repeat(prose, 3) + "</p>")
			}
		}
		markup := "<html><head><title>T</title><style>p{color:red} .gone{display:none}</style></head><body><nav><a href=/>Home</a></nav><article><h1>Results</h1>" + page.String() + "</article></body></html>"
		d := Read(Request{Body: []byte(markup), URL: "http://x.example/"})
		pages[d.Extractor]++
		for _, r := range reads {
			all++
			if strings.Contains(d.Text, r) {
				kept++
				continue
			}
			for _, n := range digits.FindAllString(r, -1) {
				if strings.Contains(d.Text, n) {
					t.Errorf("page %d: %s is there, but not as %q", i, n, r)
				}
			}
		}
		seen := digits.FindAllString(d.Text, -1)
		for k := 1; k < len(seen); k++ {
			if seen[k] <= seen[k-1] {
				t.Errorf("page %d: %s comes after %s", i, seen[k], seen[k-1])
			}
		}
		for _, n := range a.hidden {
			if strings.Contains(d.Text, n) {
				t.Errorf("page %d: %s is hidden", i, n)
			}
		}
		if t.Failed() {
			t.Fatalf("%s\n%s read\n%s", markup, d.Extractor, d.Text)
		}
	}
	t.Logf("%d of %d lines are kept; %v", kept, all, pages)
	if kept < all*95/100 {
		t.Error("too few lines are kept")
	}
}

// A page of a few words is given once, as it is shown, and nothing is glued to it: its
// title is no part of its text.
func TestShortPagesAreGivenOnce(t *testing.T) {
	const data = `<script type="application/ld+json">{"@type":"Article","articleBody":"%s"}</script>`
	for body, want := range map[string]string{
		"<p>0 V is the limit.</p>":                      "0 V is the limit.",
		"<p>Vmax is 5 V.</p><p>Imax is 2 A.</p>":        "Vmax is 5 V.\n\nImax is 2 A.",
		"<div>Supply 5 V</div><div>Current 20 mA</div>": "Supply 5 V\n\nCurrent 20 mA",
		"<article><p>5 V</p><p>6 V</p></article>":       "5 V\n\n6 V",
		"<p>7</p>":                          "7",
		"<ul><li>5 V</li><li>6 V</li></ul>": "- 5 V\n- 6 V",
		fmt.Sprintf(data, "short") + "<p>0 V</p><p>1 A</p>": "0 V\n\n1 A",
		// The article of a page that scripts show is in its data alone.
		fmt.Sprintf(data, strings.TrimSpace(prose)) + "<div>Loading</div>": strings.TrimSpace(prose),
	} {
		for _, title := range []string{"5", "Data sheet", "A title that is longer than all the text of the page is, as titles of short pages often are"} {
			page := "<html><head><title>" + title + "</title></head><body>" + body + "</body></html>"
			if d := Read(Request{Body: []byte(page), URL: "http://x.example/"}); d.Text != want || d.Title != title {
				t.Errorf("%s: %s gives %q, %q", page, d.Extractor, d.Title, d.Text)
			}
		}
	}
}
