package harmony

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// limits says in words what a schema's numeric and textual limits are.
func limits(n *node) []string {
	var notes []string
	add := func(words string) {
		if words != "" {
			notes = append(notes, words)
		}
	}
	if hasType(n, "integer") {
		add("integer")
	}
	add(numbers(n))
	if v := n.get("multipleOf"); v != nil {
		add("a multiple of " + v.text)
	}
	add(count(n, "minLength", "maxLength", "character"))
	if v, ok := n.str("pattern"); ok {
		add("pattern " + v)
	}
	if v, ok := n.str("format"); ok {
		add("format " + v)
	}
	add(count(n, "minItems", "maxItems", "item"))
	if v := n.get("uniqueItems"); v != nil && v.truth {
		add("no item twice")
	}
	add(count(n, "minProperties", "maxProperties", "key"))
	return notes
}

func hasType(n *node, name string) bool {
	if t, ok := n.str("type"); ok {
		return t == name
	}
	types, _ := n.list("type")
	for _, t := range types {
		if t.text == name {
			return true
		}
	}
	return false
}

func numbers(n *node) string {
	low, high := n.get("minimum"), n.get("maximum")
	if low != nil && high != nil {
		return low.text + " to " + high.text
	}
	var words []string
	for _, limit := range []struct{ key, words string }{
		{"minimum", "at least "}, {"exclusiveMinimum", "greater than "},
		{"maximum", "at most "}, {"exclusiveMaximum", "less than "},
	} {
		if v := n.get(limit.key); v != nil && v.kind == numberKind {
			words = append(words, limit.words+v.text)
		}
	}
	return strings.Join(words, " and ")
}

func count(n *node, minimum, maximum, unit string) string {
	low, high := n.get(minimum), n.get(maximum)
	plural := func(number string) string {
		if number == "1" {
			return number + " " + unit
		}
		return number + " " + unit + "s"
	}
	switch {
	case low != nil && high != nil && low.text == high.text:
		return "exactly " + plural(low.text)
	case low != nil && high != nil:
		return low.text + " to " + plural(high.text)
	case low != nil && low.text == "1" && unit == "character":
		return "not empty"
	case low != nil:
		return "at least " + plural(low.text)
	case high != nil:
		return "at most " + plural(high.text)
	}
	return ""
}

// sentence joins a description and notes in one line: "Repeat count. Integer, 1
// to 64".
func sentence(description string, notes []string) string {
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
