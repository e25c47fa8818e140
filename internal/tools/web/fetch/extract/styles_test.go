package extract

import (
	"strings"
	"testing"
)

// What a page's own style sheet hides is not read, and what it shows after all is.
// Each rule is one that browsers agree on: the cascade of CSS, on the screen of a computer.
func TestSheetsHide(t *testing.T) {
	for name, c := range map[string]struct {
		sheet, markup string
		hidden        bool
	}{
		"class":             {".x{display:none}", "<p class='a x'>SECRET</p>", true},
		"id":                {"#x{visibility:hidden}", "<p id=x>SECRET</p>", true},
		"tag":               {"aside, u { display : none }", "<p>a <u>SECRET</u></p>", true},
		"descendant":        {".a > p .x{display:none!important}", "<div class=a><p><b class=x>SECRET</b></p></div>", true},
		"attribute":         {"[data-x=\"1\"]{opacity:0}", "<p data-x=1>SECRET</p>", true},
		"no letters":        {".x{font:0/0 a}", "<p class=x>SECRET</p>", true},
		"within":            {".x{visibility:hidden}", "<div class=x><p>SECRET</p></div>", true},
		"shown within":      {".x{visibility:hidden} .y{visibility:visible}", "<div class=x><p class=y>SECRET</p></div>", false},
		"letters again":     {".x{font-size:0} .y{font-size:14px}", "<div class=x><p class=y>SECRET</p></div>", false},
		"of the parent's":   {".x{font-size:0} .y{font-size:2em}", "<div class=x><p class=y>SECRET</p></div>", true},
		"later":             {".x{display:none} .y{display:block}", "<p class='x y'>SECRET</p>", false},
		"more specific":     {"p.x{display:none} .y{display:block}", "<p class='x y'>SECRET</p>", true},
		"important":         {".x{display:none !important}", "<p class=x style='display:block'>SECRET</p>", true},
		"own style":         {".x{display:none}", "<p class=x style='display:block'>SECRET</p>", false},
		"hidden, but shown": {"[hidden]{display:block}", "<p hidden>SECRET</p>", false},
		"no such value":     {".x{display:none;display:shown}", "<p class=x>SECRET</p>", true},
		"escaped":           {`.x\:y{display:none}`, "<p class='x:y'>SECRET</p>", true},
		"not":               {".x:not(.y){display:none}", "<p class='x y'>SECRET</p>", false},
		"nested":            {".a{ color:red; .x{display:none} }", "<div class=a><p class=x>SECRET</p></div>", true},
		"nested elsewhere":  {".a{ color:red; .x{display:none} }", "<p class=x>SECRET</p>", false},
		"layer":             {".x{display:block} @layer b{.x{display:none}}", "<p class=x>SECRET</p>", false},
		"pseudo-element":    {".x::before{display:none}", "<p class=x>SECRET</p>", false},
		"state":             {".x:hover{display:none}", "<p class=x>SECRET</p>", false},
		"print":             {"@media print{.x{display:none}}", "<p class=x>SECRET</p>", false},
		"not print":         {"@media not print{.x{display:none}}", "<p class=x>SECRET</p>", true},
		"screen":            {"@media screen and (min-width: 40em){.x{display:none}}", "<p class=x>SECRET</p>", true},
		"phone":             {"@media (max-width:600px){.x{display:none}}", "<p class=x>SECRET</p>", false},
		"wide":              {".x{display:none} @media (width >= 600px){.x{display:block}}", "<p class=x>SECRET</p>", false},
		"unknown medium":    {"@media (prefers-color-scheme: dark){.x{display:none}}", "<p class=x>SECRET</p>", false},
		"a fault before":    {".z{color:;} .x{display:none}", "<p class=x>SECRET</p>", true},
		"comment":           {"/* .x{display:none} */", "<p class=x>SECRET</p>", false},
		"keyframes":         {"@keyframes k{from{opacity:0}} p{color:red}", "<p class=x>SECRET</p>", false},
		"the whole page":    {"body{visibility:hidden;animation:show 1s}", "<p>SECRET</p>", false},
	} {
		for _, mode := range []Mode{Whole, Outline} {
			if mode == Outline && (name == "descendant" || name == "nested" || strings.Contains(name, "shown within") || strings.Contains(name, "letters again")) {
				continue // selectors of several elements, and what shows itself within, need a tree
			}
			d := Read(Request{Mode: mode, Body: []byte("<html><head><title>T</title><style>" + c.sheet + "</style></head><body><article><h1>Results</h1><p>" + prose + "</p>" + c.markup + "<p>" + prose + "</p></article></body></html>"), URL: "http://x.example/"})
			if strings.Contains(d.Text, "SECRET") == c.hidden || !strings.Contains(d.Text, "committee") {
				t.Errorf("%s (mode %d): %s", name, mode, d.Text)
			}
		}
	}
	d := Read(Request{Body: []byte("<style media=print>.x{display:none}</style><style type=text/x>.x{display:none}</style><p class=x>SHOWN</p><p>" + prose)})
	if !strings.Contains(d.Text, "SHOWN") {
		t.Errorf("a sheet for another medium hides: %s", d.Text)
	}
	d = Read(Request{Body: []byte("<style>.x{display:none}</style><p>" + prose + "<div class=x>" + strings.Repeat(prose, 20) + "</div>")})
	if len(d.Warnings) != 1 || len(d.Text) > 2*len(prose) {
		t.Errorf("%d bytes, %q", len(d.Text), d.Warnings)
	}
}

// A line through text by a style is one by an element: what is struck is not what holds.
// The line goes through all that is within, whatever that declares (CSS Text Decoration).
func TestStylesStrike(t *testing.T) {
	for name, c := range map[string]struct{ sheet, markup, want string }{
		"own style":        {"", "<p>Limit <span style='text-decoration:line-through'>50 V</span> 5 V.</p>", "Limit ~~50 V~~ 5 V."},
		"class":            {".old{text-decoration: line-through red}", "<p>Limit <span class=old>50 V</span> 5 V.</p>", "Limit ~~50 V~~ 5 V."},
		"long name":        {".old{text-decoration-line: underline line-through}", "<p>Limit <b class=old>50 V</b> 5 V.</p>", "Limit ~~50 V~~ 5 V."},
		"within":           {".old{text-decoration: line-through} b{text-decoration:none}", "<p class=old>Limit <b>50</b> V</p>", "~~Limit 50 V~~"},
		"a deletion":       {".old{text-decoration: line-through}", "<p>Limit <del class=old>50 V</del> 5 V.</p>", "Limit ~~50 V~~ 5 V."},
		"a row":            {".old{text-decoration: line-through}", "<table><tr><th>U</th><th>I</th></tr><tr class=old><td>50 V</td><td>1 A</td></tr></table>", "| ~~50 V~~ | ~~1 A~~ |"},
		"a list":           {".old{text-decoration: line-through}", "<ul class=old><li>50 V</li><li>1 A</li></ul>", "- ~~50 V~~\n- ~~1 A~~"},
		"later none":       {".old{text-decoration: line-through} .new{text-decoration: none}", "<p>Limit <span class='old new'>50 V</span> 5 V.</p>", "Limit 50 V 5 V."},
		"underlined":       {"a{text-decoration: underline}", "<p>Limit <a href=/x>50 V</a> 5 V.</p>", "Limit 50 V 5 V."},
		"under the cursor": {".x:hover{text-decoration: line-through}", "<p>Limit <span class=x>50 V</span> 5 V.</p>", "Limit 50 V 5 V."},
		"on paper":         {"@media print{.x{text-decoration: line-through}}", "<p>Limit <span class=x>50 V</span> 5 V.</p>", "Limit 50 V 5 V."},
	} {
		page := "<html><head><title>T</title><style>" + c.sheet + "</style></head><body><article><h1>Results</h1><p>" + prose + "</p>" + c.markup + "<p>" + prose + "</p></article></body></html>"
		if d := Read(Request{Body: []byte(page), URL: "http://x.example/"}); !strings.Contains(d.Text, c.want) {
			t.Errorf("%s: %q is not in %s", name, c.want, d.Text)
		}
	}
}
