package schema

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// limits says in words what a schema's numeric and textual limits are.
func limits(n *Node, integers bool) []string {
	var notes []string
	add := func(words string) {
		if words != "" {
			notes = append(notes, words)
		}
	}
	if integers && hasType(n, "integer") {
		add("integer")
	}
	add(numbers(n))
	if v := n.Get("multipleOf"); v != nil {
		add("a multiple of " + v.Text)
	}
	add(count(n, "minLength", "maxLength", "character"))
	if v, ok := n.Str("pattern"); ok {
		add("pattern `" + v + "`")
	}
	if v, ok := n.Str("format"); ok {
		add("format " + v)
	}
	add(count(n, "minItems", "maxItems", "item"))
	if v := n.Get("uniqueItems"); v != nil && v.Truth {
		add("no item twice")
	}
	add(count(n, "minProperties", "maxProperties", "key"))
	return notes
}

func hasType(n *Node, name string) bool {
	if t, ok := n.Str("type"); ok {
		return t == name
	}
	types, _ := n.List("type")
	for _, t := range types {
		if t.Text == name {
			return true
		}
	}
	return false
}

func numbers(n *Node) string {
	low, high := n.Get("minimum"), n.Get("maximum")
	if low != nil && high != nil {
		return low.Text + " to " + high.Text
	}
	var words []string
	for _, limit := range []struct{ key, words string }{
		{"minimum", "at least "}, {"exclusiveMinimum", "greater than "},
		{"maximum", "at most "}, {"exclusiveMaximum", "less than "},
	} {
		if v := n.Get(limit.key); v != nil && v.Kind == NumberKind {
			words = append(words, limit.words+v.Text)
		}
	}
	return strings.Join(words, " and ")
}

func count(n *Node, minimum, maximum, unit string) string {
	low, high := n.Get(minimum), n.Get(maximum)
	plural := func(number string) string {
		if number == "1" {
			return number + " " + unit
		}
		return number + " " + unit + "s"
	}
	switch {
	case low != nil && high != nil && low.Text == high.Text:
		return "exactly " + plural(low.Text)
	case low != nil && high != nil:
		return low.Text + " to " + plural(high.Text)
	case low != nil && low.Text == "1" && unit == "character":
		return "not empty"
	case low != nil:
		return "at least " + plural(low.Text)
	case high != nil:
		return "at most " + plural(high.Text)
	}
	return ""
}

// Sentence joins a description and notes in one line: "Repeat count. Integer, 1
// to 64".
func Sentence(description string, notes []string) string {
	description = oneLine(description)
	if len(notes) == 0 {
		return description
	}
	words := upperFirst(strings.Join(notes, ", "))
	if description == "" {
		return words
	}
	if last, _ := utf8.DecodeLastRuneInString(description); !strings.ContainsRune(".!?:;", last) {
		description += "."
	}
	return description + " " + words
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

func upperFirst(s string) string {
	r, n := utf8.DecodeRuneInString(s)
	return string(unicode.ToUpper(r)) + s[n:]
}

// lowerFirst leaves a word alone that is an abbreviation or a name of code.
func lowerFirst(s string) string {
	r, n := utf8.DecodeRuneInString(s)
	next, _ := utf8.DecodeRuneInString(s[n:])
	if unicode.IsUpper(next) || !unicode.IsLetter(next) && next != ' ' {
		return s
	}
	return string(unicode.ToLower(r)) + s[n:]
}

// TypeName names the type of a plain schema in one line: number, "a" | "b",
// string[], object.
func TypeName(n *Node) string {
	if forms, ok := n.List("oneOf"); ok {
		return joined(forms, TypeName)
	}
	if types, ok := n.List("type"); ok {
		return joined(types, func(t *Node) string { return t.Text })
	}
	name, _ := n.Str("type")
	values, listed := n.List("enum")
	switch {
	case name == "" || name == "null":
		return "any"
	case name == "string" && listed:
		return joined(values, (*Node).JSON)
	case name == "array" && n.Get("items") == nil:
		return "any[]"
	case name == "array":
		items := TypeName(n.Get("items"))
		if strings.Contains(items, " ") {
			items = "(" + items + ")"
		}
		return items + "[]"
	}
	if v := n.Get("nullable"); v != nil && v.Truth {
		return name + " | null"
	}
	return name
}

func joined(nodes []*Node, name func(*Node) string) string {
	var names []string
	for _, n := range nodes {
		if s := name(n); !slices.Contains(names, s) {
			names = append(names, s)
		}
	}
	return strings.Join(names, " | ")
}
