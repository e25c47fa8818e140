package docgen

import "strings"

// code is a text in code style; "" stays empty.
func code(s string) string {
	if s == "" {
		return ""
	}
	if strings.Contains(s, "`") {
		return "`` " + s + " ``"
	}
	return "`" + s + "`"
}

// prose is a text whose characters mean themselves, except between backticks.
func prose(s string) string {
	parts := strings.Split(strings.TrimSpace(s), "`")
	if len(parts)%2 == 0 { // a backtick without a partner
		return escape(strings.Join(parts, "'"))
	}
	for i := 0; i < len(parts); i += 2 {
		parts[i] = escape(parts[i])
	}
	return strings.Join(parts, "`")
}

var special = strings.NewReplacer(`\`, `\\`, "*", `\*`, "_", `\_`, "<", "&lt;", ">", "&gt;", "[", `\[`, "]", `\]`, "#", `\#`, "~", `\~`)

// escape writes words that are made of code's characters (a name with an
// underscore, a pattern, a placeholder) so that they show as they are.
func escape(s string) string { return special.Replace(s) }

// table is a Markdown table; a bar within a cell is escaped, a line break kept.
func table(head []string, rows [][]string) string {
	var b strings.Builder
	line := func(cells []string) {
		b.WriteString("|")
		for _, cell := range cells {
			cell = strings.ReplaceAll(strings.ReplaceAll(cell, "|", `\|`), "\n", "<br>")
			b.WriteString(" " + cell + " |")
		}
		b.WriteString("\n")
	}
	line(head)
	b.WriteString("|" + strings.Repeat("---|", len(head)) + "\n")
	for _, row := range rows {
		line(row)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func block(language, text string) string { return "```" + language + "\n" + text + "\n```" }

// join puts paragraphs together, leaving empty ones out.
func join(paragraphs ...string) string {
	var kept []string
	for _, p := range paragraphs {
		if p != "" {
			kept = append(kept, p)
		}
	}
	return strings.Join(kept, "\n\n")
}
