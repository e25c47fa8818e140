package docgen

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strings"

	"atelier/internal/contract"
)

// examples shows the first example as it is sent on every protocol, and the inputs
// of the others.
func examples(c *contract.Contract) string {
	first := c.Examples[0]
	parts := []string{
		"**" + prose(first.Title) + ".** " + prose(first.Notes),
		block("sh", "curl -s http://127.0.0.1:8080/v1/tools/execute -H 'Content-Type: application/json' -d "+
			quoted(object("tool", c.Name, "input", first.Input))),
		"On the command line, without a server:",
		block("sh", "atelier call "+c.Name+" --input "+quoted(indented(first.Input))),
		"<details><summary>With an OpenAI client, or over MCP</summary>",
		"`POST /v1/chat/completions`, forced; the result stands in `tool_results`:",
		block("json", object("model", "autosage-0.1", "messages", []any{message("role", "user", "content", first.Title)},
			"tool_choice", message("type", "function", "function", message("name", c.Alias(), "arguments", first.Input)))),
		"`atelier mcp`, or `POST /mcp`:",
		block("json", object("jsonrpc", "2.0", "id", 1, "method", "tools/call", "params", message("name", c.Alias(), "arguments", first.Input))),
		"</details>",
	}
	for _, e := range c.Examples[1:] {
		parts = append(parts, "**"+prose(e.Title)+".** "+prose(e.Notes), block("json", indented(e.Input)))
	}
	for i, p := range parts {
		parts[i] = strings.TrimSpace(p)
	}
	return strings.Join(parts, "\n\n")
}

// object is a JSON object of keys and values, in their order, on several lines.
func object(pairs ...any) string {
	var b bytes.Buffer
	b.WriteByte('{')
	for i := 0; i < len(pairs); i += 2 {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(compact(pairs[i]) + ":" + compact(pairs[i+1]))
	}
	b.WriteByte('}')
	return indented(b.Bytes())
}

func message(pairs ...any) json.RawMessage { return json.RawMessage(object(pairs...)) }

func compact(v any) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		panic(err) // only strings, maps of them and parsed JSON come here
	}
	return strings.TrimSpace(b.String())
}

func indented(raw []byte) string {
	var b bytes.Buffer
	if err := json.Indent(&b, raw, "", "  "); err != nil {
		return string(raw) // a contract's example has been parsed already
	}
	// An array of plain values stands on one line. A line break is never inside
	// a string, and one with a bracket inside stays as it is.
	return plainArray.ReplaceAllStringFunc(b.String(), func(array string) string {
		if line := "[" + strings.TrimSpace(lineBreak.ReplaceAllString(array[1:len(array)-1], " ")) + "]"; len(line) <= 100 {
			return line
		}
		return array
	})
}

var (
	plainArray = regexp.MustCompile(`\[\n[^\[\]{}]*\]`)
	lineBreak  = regexp.MustCompile(`\n *`)
)

// quoted is a text as one word of a shell.
func quoted(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
