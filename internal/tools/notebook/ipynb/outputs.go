package ipynb

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"html"
	"regexp"
	"strings"
)

// Output is one output of a code cell, as nbformat has it.
type Output struct {
	Type      string                     `json:"output_type"`
	Text      json.RawMessage            `json:"text"`
	Data      map[string]json.RawMessage `json:"data"`
	Traceback []string                   `json:"traceback"`
	Name      string                     `json:"ename"`
	Value     string                     `json:"evalue"`
}

var ansi = regexp.MustCompile(`\x1b\[[0-9;?]*[ -/]*[@-~]`)

// PlainText takes the terminal's colours out of a text.
func PlainText(s string) string { return ansi.ReplaceAllString(s, "") }

// text of a field that is a text or a list of lines.
func textOf(raw json.RawMessage) string {
	text, _ := sourceText(raw)
	return text
}

// Shown is what the outputs of a cell show, as text; a picture is named by its
// kind.
func (c *ExistingCell) Shown() string {
	var list []Output
	if json.Unmarshal(c.Fields["outputs"], &list) != nil {
		return ""
	}
	var b strings.Builder
	for _, o := range list {
		b.WriteString(o.shown())
	}
	return PlainText(b.String())
}

func (o *Output) shown() string {
	switch o.Type {
	case "stream":
		return textOf(o.Text)
	case "error":
		return o.Name + ": " + o.Value + "\n"
	}
	if kind, _ := o.picture(); kind != "" {
		return "[" + kind + "]\n"
	}
	if text := textOf(o.Data["text/plain"]); text != "" {
		return strings.TrimRight(text, "\n") + "\n"
	}
	return ""
}

// picture is the kind and the base64 text of an output's picture.
func (o *Output) picture() (kind, encoded string) {
	for _, kind := range []string{"image/png", "image/jpeg", "image/gif", "image/webp"} {
		if raw, ok := o.Data[kind]; ok {
			return kind, strings.Join(strings.Fields(textOf(raw)), "")
		}
	}
	if raw, ok := o.Data["image/svg+xml"]; ok { // inside an img element its scripts do not run
		return "image/svg+xml", base64.StdEncoding.EncodeToString([]byte(textOf(raw)))
	}
	return "", ""
}

func writeOutputs(b *bytes.Buffer, outputs []json.RawMessage) {
	for _, raw := range outputs {
		var o Output
		if json.Unmarshal(raw, &o) != nil {
			continue
		}
		if kind, encoded := o.picture(); kind != "" {
			if _, err := base64.StdEncoding.DecodeString(encoded); err == nil {
				b.WriteString("<p><img alt=\"" + html.EscapeString(textOf(o.Data["text/plain"])) + "\" src=\"data:" + kind + ";base64," + encoded + "\"></p>\n")
				continue
			}
		}
		class, text := "output", o.shown()
		if o.Type == "error" {
			class, text = "output failed", strings.Join(o.Traceback, "\n")
		}
		if text = strings.TrimRight(PlainText(text), "\n"); text != "" {
			b.WriteString("<pre class=\"" + class + "\">" + html.EscapeString(text) + "</pre>\n")
		}
	}
}
