package docgen

import (
	"fmt"
	"strings"

	"atelier/internal/contract"
	"atelier/internal/schema"
)

// field is a row of a table: where it stands in the value, and what it is.
type field struct {
	path, kind, fallback, words string
	required                    bool
}

func inputTable(c *contract.Contract) (string, error) {
	root, words, err := schema.Plain(c.InputSchema, false)
	if err != nil {
		return "", err
	}
	intro := strings.TrimSpace(strings.TrimPrefix(words, "Input parameters for "+c.Name+"."))
	fields := below(nil, "", root)
	if len(fields) == 0 {
		return join(prose(intro), "An empty object."), nil
	}
	var rows [][]string
	for _, f := range fields {
		fallback := code(f.fallback)
		if f.required {
			fallback = "**required**"
		}
		rows = append(rows, []string{code(f.path), code(f.kind), fallback, prose(f.words)})
	}
	return join(prose(intro), table([]string{"Field", "Type", "Default", "Meaning"}, rows)), nil
}

func outputTable(c *contract.Contract) (string, error) {
	root, words, err := schema.Plain(c.OutputSchema, false)
	if err != nil {
		return "", err
	}
	var rows [][]string
	for _, f := range below(nil, "", root) {
		if strings.HasPrefix(f.path, "evidence.") {
			continue // the same of every tool; the index tells of it
		}
		meaning := prose(f.words)
		if f.path == "evidence" {
			meaning = "How far the figures may be believed, and why: [evidence](README.md#evidence)."
		}
		rows = append(rows, []string{code(f.path), code(f.kind), meaning})
	}
	if len(rows) == 0 {
		return join(prose(words), "An object without fields of its own."), nil
	}
	return join(prose(words), table([]string{"Field", "Type", "Meaning"}, rows)), nil
}

// below lists the fields of an object, each followed by those within it.
func below(fields []field, prefix string, n *schema.Node) []field {
	required := map[string]bool{}
	names, _ := n.List("required")
	for _, name := range names {
		required[name.Text] = true
	}
	if properties := n.Get("properties"); properties != nil {
		for _, key := range properties.Keys {
			p := properties.Fields[key]
			f := field{path: prefix + key, kind: schema.TypeName(p), words: wordsOf(p), required: required[key]}
			if d := p.Get("default"); d != nil {
				f.fallback = d.JSON()
			}
			fields = within(append(fields, f), f.path, p)
		}
	}
	forms, _ := n.List("oneOf")
	for _, form := range forms {
		fields = below(fields, prefix, form)
	}
	return fields
}

// within lists the fields inside a value: of an object, of each item of an
// array, of each form.
func within(fields []field, path string, n *schema.Node) []field {
	if items := n.Get("items"); items != nil {
		return within(fields, path+"[]", items)
	}
	if forms, ok := n.List("oneOf"); ok {
		for _, form := range forms {
			fields = within(fields, path, form)
		}
		return fields
	}
	return below(fields, path+".", n)
}

// wordsOf is what is said of a field, with what is said of its forms.
func wordsOf(n *schema.Node) string {
	var parts []string
	for _, key := range []string{"title", "description"} {
		if s, ok := n.Str(key); ok {
			parts = append(parts, sentence(s))
		}
	}
	forms, _ := n.List("oneOf")
	for _, form := range forms {
		if s, ok := form.Str("description"); ok {
			parts = append(parts, fmt.Sprintf("As %s: %s", code(schema.TypeName(form)), lowerFirst(sentence(s))))
		}
	}
	if examples, _ := n.List("examples"); len(examples) > 0 {
		shown := make([]string, len(examples))
		for i, e := range examples {
			shown[i] = code(e.JSON())
		}
		parts = append(parts, "For example "+strings.Join(shown, ", ")+".")
	}
	return strings.Join(parts, " ")
}

func sentence(s string) string {
	if s == "" || strings.ContainsRune(".!?:;", rune(s[len(s)-1])) {
		return s
	}
	return s + "."
}

func lowerFirst(s string) string {
	if len(s) > 1 && s[1] >= 'a' && s[1] <= 'z' {
		return strings.ToLower(s[:1]) + s[1:]
	}
	return s
}
