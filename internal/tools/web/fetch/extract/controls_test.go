package extract

import (
	"fmt"
	"strings"
	"testing"

	"atelier/internal/testenv"
)

// Text behind an icon, a picture or a form control stays, wherever it stands.
func TestTextBehindControlsStays(t *testing.T) {
	r := testenv.Random(t)
	for _, control := range []string{
		`<svg viewBox="0 0 16 16"><path d="M0 0h16"></path></svg>`, `<svg><title>icon</title><g><circle r="1"/></g></svg>`, `<button>Copy</button>`,
		`<input value="7">`, `<select><option>mm<option>in</select>`, `<textarea></textarea>`, `<canvas></canvas>`, `<img src=a.png>`, `<img src=a.png alt="">`,
		`<picture><source srcset=b.png><img src=a.png></picture>`, `<audio src=a.mp3></audio>`, `<video src=a.mp4></video>`, `<iframe src=x.html></iframe>`,
		`<object data=x></object>`, `<embed src=x>`, `<progress value=1></progress>`, `<i class="icon"></i>`, `<span class="icon" aria-hidden="true">close</span>`, `<wbr>`, `<meter value=1></meter>`,
	} {
		for _, form := range []string{
			"<p>The torque of the flange is%s %d Nm, and no more than that in any case.</p>",
			"<ul><li>Before all else%s turn it to %d degrees</li><li>then wait</li></ul>",
			"<h2>Part%s number %d of the list</h2><p>It is made of steel.</p>",
			"<table><tr><th>Part</th><th>Count</th></tr><tr><td>Bolt%s M8</td><td>%d</td></tr></table>",
			"<div class=\"alert\">%s <strong>Warning:</strong> do not exceed %d bar</div>",
			"<blockquote><p>He said%s that %d is enough.</p></blockquote>",
		} {
			n := 10000 + r.IntN(90000)
			prose := "<p>" + strings.Repeat("The pump is started by hand and runs until the vessel is full. ", 4) + "</p>"
			body := fmt.Sprintf("<html><head><title>T</title></head><body><article><h1>Manual</h1>%s"+form+"%s</article></body></html>", prose, control, n, prose)
			if d := Read(Request{Body: []byte(body), URL: "http://x.example/"}); !strings.Contains(d.Text, fmt.Sprint(n)) {
				t.Errorf("%s within %s is lost:\n%s", control, form, d.Text)
			}
		}
	}
}

// A form that a page has twice, for wide and for small screens, is told once; two
// that differ are both told.
func TestFormsAreToldOnce(t *testing.T) {
	r := testenv.Random(t)
	for range 10 {
		n, other := 10000+r.IntN(90000), 1000+r.IntN(9000)
		form := func(class string, n int) string {
			return fmt.Sprintf("<div class=%s><form><p>Sign in to account %d</p><label>Username <input></label><label>Password <input type=password></label><a href=/forgot>Forgot?</a></form></div>", class, n)
		}
		body := "<html><head><title>Sign in</title><link rel=stylesheet href=site.css></head><body><main>" + form("desktop", n) + form("mobile", n) + form("guests", other) + "</main></body></html>"
		d := Read(Request{Body: []byte(body), URL: "http://x.example/"})
		for _, row := range []struct {
			word  string
			count int
		}{{fmt.Sprint("account ", n), 1}, {fmt.Sprint("account ", other), 1}, {"Password", 2}} {
			if strings.Count(d.Text, row.word) != row.count {
				t.Errorf("%q stands %d times:\n%s", row.word, strings.Count(d.Text, row.word), d.Text)
			}
		}
	}
}
