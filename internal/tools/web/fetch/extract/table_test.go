package extract

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"atelier/internal/testenv"
)

// tableOf is the part of a page's text that begins with its first table.
func tableOf(t *testing.T, around, markup string) string {
	t.Helper()
	d := Read(Request{Body: []byte("<html><head><title>T</title></head><body><article><h1>Results</h1><p>" + around + "</p>" + markup + "<p>" + around + "</p></article></body></html>"), URL: "http://x.example/"})
	text := strings.TrimPrefix(d.Text, "# Results\n\n")
	text = strings.TrimSuffix(strings.TrimPrefix(text, strings.TrimSpace(around)), strings.TrimSpace(around))
	return strings.TrimSpace(text)
}

// A figure stands under its own heading, whatever cells before it are empty or
// span columns and rows. The expectations are laid out by hand as a browser shows
// the tables.
func TestTablesAreLaidOut(t *testing.T) {
	for name, c := range map[string]struct{ markup, want string }{
		"empty cells": {`<table><tr><th>Year</th><th>Men</th><th>Women</th></tr><tr><td>2019</td><td></td><td>7</td></tr><tr><td>2020</td><td>&nbsp;</td><td>9</td></tr></table>`,
			"| Year | Men | Women |\n| --- | --- | --- |\n| 2019 | | 7 |\n| 2020 | | 9 |"},
		"a short row": {`<table><tr><th>Year</th><th>Men</th><th>Women</th></tr><tr><td>2019</td><td>7</td></tr></table>`,
			"| Year | Men | Women |\n| --- | --- | --- |\n| 2019 | 7 | |"},
		"rowspan": {`<table><tr><th>Land</th><th>Year</th><th>Cost</th></tr><tr><td rowspan=2>Chile</td><td>2019</td><td>7</td></tr><tr><td>2020</td><td>9</td></tr><tr><td>Peru</td><td>2020</td><td>11</td></tr></table>`,
			"| Land | Year | Cost |\n| --- | --- | --- |\n| Chile | 2019 | 7 |\n| Chile | 2020 | 9 |\n| Peru | 2020 | 11 |"},
		"two rows of headings": {`<table><thead><tr><th rowspan=2>Year</th><th colspan=2>Cost</th><th colspan=2>Gain</th></tr><tr><th>Men</th><th>Women</th><th>Men</th><th>Women</th></tr></thead><tbody><tr><td>2019</td><td>1</td><td>2</td><td>3</td><td>4</td></tr></tbody></table>`,
			"| Year | Cost › Men | Cost › Women | Gain › Men | Gain › Women |\n| --- | --- | --- | --- | --- |\n| 2019 | 1 | 2 | 3 | 4 |"},
		"a figure for two columns": {`<table><tr><th>Year</th><th>Men</th><th>Women</th><th>Cost</th></tr><tr><td>2019</td><td colspan=2>30</td><td>5</td></tr></table>`,
			"| Year | Men | Women | Cost |\n| --- | --- | --- | --- |\n| 2019 | 30 | 30 | 5 |"},
		"rows with headings": {`<table><tr><th scope=row>Mass</th><td>5 kg</td></tr><tr><th scope=row>Length</th><td>2 m</td></tr></table>`,
			"| | |\n| --- | --- |\n| Mass | 5 kg |\n| Length | 2 m |"},
		"no headings": {`<table><tr><td>2019</td><td>5</td></tr><tr><td>2020</td><td>6</td></tr></table>`,
			"| | |\n| --- | --- |\n| 2019 | 5 |\n| 2020 | 6 |"},
		"foot before body, caption": {`<table><caption>Costs in EUR</caption><tfoot><tr><td>Sum</td><td>11</td></tr></tfoot><tbody><tr><td>2019</td><td>5</td></tr><tr><td>2020</td><td>6</td></tr></tbody><thead><tr><th>Year</th><th>Cost</th></tr></thead></table>`,
			"Costs in EUR\n\n| Year | Cost |\n| --- | --- |\n| 2019 | 5 |\n| 2020 | 6 |\n| Sum | 11 |"},
		"pipes and lines": {`<table><tr><th>a|b</th><th>c</th></tr><tr><td>12<br>500</td><td>x
y</td></tr><tr><td><ul><li>3<li>4</ul></td><td><p>New</p><p>York</p></td></tr></table>`,
			"| a\\|b | c |\n| --- | --- |\n| 12; 500 | x y |\n| 3; 4 | New York |"},
		"code in a cell": {"<table><tr><th>a</th><th>b</th></tr><tr><td><pre>12\n500\nx  y</pre></td><td>7</td></tr></table>",
			"| a | b |\n| --- | --- |\n| 12; 500 x y | 7 |"},
		"a title over all, a note below": {`<table><tr><th colspan=3>Costs</th></tr><tr><th>Year</th><th>Men</th><th>Women</th></tr><tr><td>2019</td><td>5</td><td>6</td></tr><tr><td colspan=3>Source: 1998</td></tr></table>`,
			"Costs\n\n| Year | Men | Women |\n| --- | --- | --- |\n| 2019 | 5 | 6 |\n| Source: 1998 | | |"},
		"spans beyond the table": {`<table><tr><th>Year</th><th>Cost</th></tr><tr><td rowspan=9>2019</td><td rowspan=0>5</td></tr><tr></tr><tr><td colspan=999>Note</td></tr></table>`,
			"| Year | Cost | |\n| --- | --- | --- |\n| 2019 | 5 | |\n| 2019 | 5 | Note |"},
		"headings in the middle": {`<table><tr><th>Year</th><th>Cost</th></tr><tr><td>2019</td><td>5</td></tr><tr><th>Year</th><th>Gain</th></tr><tr><td>2019</td><td>8</td></tr></table>`,
			"| Year | Cost |\n| --- | --- |\n| 2019 | 5 |\n\n| Year | Gain |\n| --- | --- |\n| 2019 | 8 |"},
		"a table in a cell": {`<table><tr><th>Year</th><th>Parts</th><th>Sum</th></tr><tr><td>2019</td><td><table><tr><td>a</td><td>1</td></tr><tr><td>b</td><td>2</td></tr></table></td><td>3</td></tr></table>`,
			"| Year | Parts | Sum |\n| --- | --- | --- |\n| 2019 | a, 1; b, 2 | 3 |"},
		"hidden cells": {`<table><tr><th>Year</th><th style="display:none">id</th><th>Men</th><th>Women</th></tr><tr><td>2019</td><td hidden>77</td><td style="visibility:hidden">88</td><td>9</td></tr></table>`,
			"| Year | Men | Women |\n| --- | --- | --- |\n| 2019 | | 9 |"},
		"names that extractors leave out": {`<table><tr><th>Facebook</th><th>Share</th></tr><tr><td><a href=/x>Twitter</a></td><td>5</td></tr><tr><td><span>Print</span></td><td>6</td></tr></table>`,
			"| Facebook | Share |\n| --- | --- |\n| Twitter | 5 |\n| Print | 6 |"},
		"a table in a layout": {`<table><tr><td>Menu</td><td><p>Text of the page.</p><table><tr><th>Item</th><th>Price</th></tr><tr><td>Bolt</td><td>0.12</td></tr></table></td></tr></table>`,
			"Menu\n\nText of the page.\n\n| Item | Price |\n| --- | --- |\n| Bolt | 0.12 |"},
		"columns that only separate": {`<table><tr><th>Year</th><th></th><th colspan=2>Cost</th></tr><tr><td>2019</td><td></td><td>$</td><td>9</td></tr></table>`,
			"| Year | Cost | Cost |\n| --- | --- | --- |\n| 2019 | $ | 9 |"},
	} {
		for _, around := range []string{strings.Repeat(prose, 5), prose} { // the article of an extractor, and all of a short page
			if got := tableOf(t, around, c.markup); got != c.want {
				t.Errorf("%s (%d around):\n%s\nwant\n%s", name, len(around), got, c.want)
			}
		}
	}
}

// A grid that is drawn first and written as HTML with spans afterwards comes back
// as it was drawn.
func TestDrawnTables(t *testing.T) {
	seed := testenv.Seed(t)
	for i := range 300 {
		r := rand.New(rand.NewPCG(seed, uint64(i)))
		width, height := 2+r.IntN(6), 1+r.IntN(8)
		drawn := make([][]string, height)
		for y := range drawn {
			drawn[y] = make([]string, width)
		}
		taken := map[[2]int]bool{}
		head, body, number := "", "", 1000
		for x := range width {
			head += fmt.Sprintf("<th>h%d</th>", x)
		}
		for y := range height {
			drawn[y][0] = fmt.Sprintf("r%d", y)
			body += "<tr><th scope=row>" + drawn[y][0]
			for x := 1; x < width; x++ {
				if taken[[2]int{x, y}] {
					continue
				}
				w, h := 1, 1
				for x+w < width && !taken[[2]int{x + w, y}] && r.IntN(4) == 0 {
					w++
				}
				for y+h < height && r.IntN(4) == 0 {
					h++
				}
				text := ""
				if number++; r.IntN(4) > 0 {
					text = strconv.Itoa(number)
				}
				for k := range w * h {
					taken[[2]int{x + k%w, y + k/w}] = true
					drawn[y+k/w][x+k%w] = text
				}
				body += fmt.Sprintf("<td colspan=%d rowspan=%d>%s</td>", w, h, text)
			}
		}
		want := ""
		for _, row := range drawn {
			for _, text := range row {
				want += strings.TrimRight("| "+text, " ") + " "
			}
			want += "|\n"
		}
		markup := "<table><tr>" + head + "</tr>" + body + "</table>"
		got := tableOf(t, strings.Repeat(prose, 1+4*r.IntN(2)), markup)
		if _, rows, _ := strings.Cut(got, "--- |\n"); rows+"\n" != want || !strings.HasPrefix(got, "| h0 | h1 |") {
			t.Fatalf("table %d\n%s\nread as\n%s\nwant\n%s", i, markup, got, want)
		}
	}
}

// In an outline too a figure keeps its column.
func TestOutlinedTables(t *testing.T) {
	d := Read(Request{Mode: Outline, Body: []byte(`<table><tr><th>Year<th>Men<th>Women<tr><td>2019</td><td></td><td>7</td></tr><tr><td rowspan=2><p>2020</p></td><td colspan=2>8</td></tr><tr><td>9</td><td>10</td></tr></table><p>after`)})
	if want := "Year | Men | Women\n\n2019 | | 7\n\n2020 | 8\n\n| 9 | 10\n\nafter"; d.Text != want {
		t.Errorf("%q", d.Text)
	}
}

// A small page whose spans would fill the memory is outlined.
func TestTablesWithoutBound(t *testing.T) {
	d := Read(Request{Body: []byte("<table>" + strings.Repeat("<tr><td rowspan=65534 colspan=1000>5</td><td>6</td></tr>", 1000) + "</table>")})
	if d.Extractor != "outline" || !strings.Contains(strings.Join(d.Warnings, " "), "its tables are too large") {
		t.Errorf("%s %q", d.Extractor, d.Warnings)
	}
}
