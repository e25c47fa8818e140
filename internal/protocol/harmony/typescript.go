package harmony

import (
	"strings"

	"atelier/internal/schema"
)

// typeOf writes a JSON schema as the TypeScript type that openai-harmony 0.0.8
// makes of it, at the given indent. What it cannot express (limits, $ref, anyOf,
// const …) it leaves out or shows as any: package schema puts that into words first.
func typeOf(s *schema.Node, indent string) string {
	if variants, ok := s.List("oneOf"); ok {
		return unionType(variants, indent)
	}
	if types, ok := s.List("type"); ok {
		var names []string
		for _, t := range types {
			switch {
			case t.Kind == schema.TextKind && t.Text == "integer":
				names = append(names, "number")
			case t.Kind == schema.TextKind:
				names = append(names, t.Text)
			}
		}
		if len(names) > 0 {
			return strings.Join(names, " | ")
		}
	}
	name, _ := s.Str("type")
	switch name {
	case "object":
		return objectType(s, indent)
	case "string":
		return stringType(s)
	case "number", "integer":
		return "number"
	case "boolean":
		return "boolean"
	case "array":
		if items := s.Get("items"); items != nil {
			return typeOf(items, indent) + "[]"
		}
		return "Array<any>"
	}
	return "any"
}

func stringType(s *schema.Node) string {
	values, _ := s.List("enum")
	var quoted []string
	for _, v := range values {
		if v.Kind == schema.TextKind {
			quoted = append(quoted, `"`+v.Text+`"`)
		}
	}
	if len(quoted) == 0 {
		return "string"
	}
	return strings.Join(quoted, " | ")
}

// unionType is a oneOf that is no property: the whole parameters, or items.
func unionType(variants []*schema.Node, indent string) string {
	var b strings.Builder
	for _, v := range variants {
		b.WriteString("\n" + indent + " | " + nullableType(v, indent+"   "))
		var notes []string
		if d, ok := v.Str("description"); ok {
			notes = append(notes, d)
		}
		if d := v.Get("default"); d != nil {
			notes = append(notes, "default: "+quotedDefault(v, d, true))
		}
		writeNotes(&b, notes)
	}
	return b.String()
}

func nullableType(s *schema.Node, indent string) string {
	t := typeOf(s, indent)
	if n := s.Get("nullable"); n != nil && n.Kind == schema.BoolKind && n.Truth && !strings.Contains(t, "null") {
		t += " | null"
	}
	return t
}

func writeNotes(b *strings.Builder, notes []string) {
	if len(notes) > 0 {
		b.WriteString(" // " + strings.Join(notes, " "))
	}
}

// quotedDefault: a string stands in bare quotes; that of an enum is bare, or in
// a union outside a property written as JSON.
func quotedDefault(s, value *schema.Node, union bool) string {
	enum, _ := s.List("enum")
	switch {
	case value.Kind != schema.TextKind:
		return value.JSON()
	case len(enum) == 0:
		return `"` + value.Text + `"`
	case union:
		return value.JSON()
	}
	return value.Text
}

func objectType(s *schema.Node, indent string) string {
	var b strings.Builder
	if d, ok := s.Str("description"); ok {
		b.WriteString(indent + "// " + d + "\n")
	}
	b.WriteString("{\n")
	if properties := s.Get("properties"); properties != nil && properties.Kind == schema.ObjectKind {
		required := map[string]bool{}
		names, _ := s.List("required")
		for _, r := range names {
			if r.Kind == schema.TextKind {
				required[r.Text] = true
			}
		}
		for _, key := range properties.Keys {
			name := key
			if !required[key] {
				name += "?"
			}
			writeProperty(&b, name, properties.Fields[key], indent)
		}
	}
	b.WriteString(indent + "}")
	return b.String()
}

func writeProperty(b *strings.Builder, name string, s *schema.Node, indent string) {
	if t, ok := s.Str("title"); ok {
		b.WriteString(indent + "// " + t + "\n" + indent + "//\n")
	}
	description, described := s.Str("description")
	union := s.Get("oneOf") != nil
	if described && !union {
		b.WriteString(indent + "// " + description + "\n")
	}
	if examples, _ := s.List("examples"); len(examples) > 0 {
		b.WriteString(indent + "// Examples:\n")
		for _, e := range examples {
			if e.Kind == schema.TextKind {
				b.WriteString(indent + `// - "` + e.Text + "\"\n")
			}
		}
	}
	if variants, ok := s.List("oneOf"); ok {
		writeUnion(b, name, s, variants, indent)
		return
	}
	b.WriteString(indent + name + ": " + nullableType(s, indent+"    ") + ",")
	if d := s.Get("default"); d != nil && !union {
		b.WriteString(" // default: " + quotedDefault(s, d, false))
	}
	b.WriteByte('\n')
}

// writeUnion is a property that is a oneOf: its own description and default
// stand above it, unless the description is that of the first variant; that
// variant's description shows only where the property has none above.
func writeUnion(b *strings.Builder, name string, s *schema.Node, variants []*schema.Node, indent string) {
	description, described := s.Str("description")
	above := described
	if described && len(variants) > 0 {
		first, ok := variants[0].Str("description")
		above = !ok || first != description
	}
	if above {
		b.WriteString(indent + "// " + description + "\n")
	}
	if d := s.Get("default"); d != nil {
		b.WriteString(indent + "// default: " + quotedDefault(s, d, false) + "\n")
	}
	b.WriteString(indent + name + ":\n")
	for i, v := range variants {
		b.WriteString(indent + " | " + nullableType(v, indent+"   "))
		var notes []string
		if d, ok := v.Str("description"); ok && (i > 0 || !above) && (!described || d != description) {
			notes = append(notes, d)
		}
		if d := v.Get("default"); d != nil {
			notes = append(notes, "default: "+quotedDefault(v, d, false))
		}
		writeNotes(b, notes)
		b.WriteByte('\n')
	}
	b.WriteString(indent + ",\n")
}
