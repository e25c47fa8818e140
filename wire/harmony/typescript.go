package harmony

import "strings"

// typeOf writes a JSON schema as the TypeScript type that openai-harmony 0.0.8
// makes of it, at the given indent. What it cannot express (limits, $ref, anyOf,
// const …) it leaves out or shows as any: Prepare puts that into words first.
func typeOf(schema *node, indent string) string {
	if variants, ok := schema.list("oneOf"); ok {
		return unionType(variants, indent)
	}
	if types, ok := schema.list("type"); ok {
		var names []string
		for _, t := range types {
			switch {
			case t.kind == textKind && t.text == "integer":
				names = append(names, "number")
			case t.kind == textKind:
				names = append(names, t.text)
			}
		}
		if len(names) > 0 {
			return strings.Join(names, " | ")
		}
	}
	name, _ := schema.str("type")
	switch name {
	case "object":
		return objectType(schema, indent)
	case "string":
		return stringType(schema)
	case "number", "integer":
		return "number"
	case "boolean":
		return "boolean"
	case "array":
		if items := schema.get("items"); items != nil {
			return typeOf(items, indent) + "[]"
		}
		return "Array<any>"
	}
	return "any"
}

func stringType(schema *node) string {
	values, _ := schema.list("enum")
	var quoted []string
	for _, v := range values {
		if v.kind == textKind {
			quoted = append(quoted, `"`+v.text+`"`)
		}
	}
	if len(quoted) == 0 {
		return "string"
	}
	return strings.Join(quoted, " | ")
}

// unionType is a oneOf that is no property: the whole parameters, or items.
func unionType(variants []*node, indent string) string {
	var b strings.Builder
	for _, v := range variants {
		b.WriteString("\n" + indent + " | " + nullableType(v, indent+"   "))
		var notes []string
		if d, ok := v.str("description"); ok {
			notes = append(notes, d)
		}
		if d := v.get("default"); d != nil {
			notes = append(notes, "default: "+quotedDefault(v, d, true))
		}
		writeNotes(&b, notes)
	}
	return b.String()
}

func nullableType(schema *node, indent string) string {
	t := typeOf(schema, indent)
	if n := schema.get("nullable"); n != nil && n.kind == boolKind && n.truth && !strings.Contains(t, "null") {
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
func quotedDefault(schema, value *node, union bool) string {
	enum, _ := schema.list("enum")
	switch {
	case value.kind != textKind:
		return value.json()
	case len(enum) == 0:
		return `"` + value.text + `"`
	case union:
		return value.json()
	}
	return value.text
}

func objectType(schema *node, indent string) string {
	var b strings.Builder
	if d, ok := schema.str("description"); ok {
		b.WriteString(indent + "// " + d + "\n")
	}
	b.WriteString("{\n")
	if properties := schema.get("properties"); properties != nil && properties.kind == objectKind {
		required := map[string]bool{}
		names, _ := schema.list("required")
		for _, r := range names {
			if r.kind == textKind {
				required[r.text] = true
			}
		}
		for _, key := range properties.keys {
			name := key
			if !required[key] {
				name += "?"
			}
			writeProperty(&b, name, properties.fields[key], indent)
		}
	}
	b.WriteString(indent + "}")
	return b.String()
}

func writeProperty(b *strings.Builder, name string, schema *node, indent string) {
	if t, ok := schema.str("title"); ok {
		b.WriteString(indent + "// " + t + "\n" + indent + "//\n")
	}
	description, described := schema.str("description")
	union := schema.get("oneOf") != nil
	if described && !union {
		b.WriteString(indent + "// " + description + "\n")
	}
	if examples, _ := schema.list("examples"); len(examples) > 0 {
		b.WriteString(indent + "// Examples:\n")
		for _, e := range examples {
			if e.kind == textKind {
				b.WriteString(indent + `// - "` + e.text + "\"\n")
			}
		}
	}
	if variants, ok := schema.list("oneOf"); ok {
		writeUnion(b, name, schema, variants, indent)
		return
	}
	b.WriteString(indent + name + ": " + nullableType(schema, indent+"    ") + ",")
	if d := schema.get("default"); d != nil && !union {
		b.WriteString(" // default: " + quotedDefault(schema, d, false))
	}
	b.WriteByte('\n')
}

// writeUnion is a property that is a oneOf: its own description and default
// stand above it, unless the description is that of the first variant; that
// variant's description shows only where the property has none above.
func writeUnion(b *strings.Builder, name string, schema *node, variants []*node, indent string) {
	description, described := schema.str("description")
	above := described
	if described && len(variants) > 0 {
		first, ok := variants[0].str("description")
		above = !ok || first != description
	}
	if above {
		b.WriteString(indent + "// " + description + "\n")
	}
	if d := schema.get("default"); d != nil {
		b.WriteString(indent + "// default: " + quotedDefault(schema, d, false) + "\n")
	}
	b.WriteString(indent + name + ":\n")
	for i, v := range variants {
		b.WriteString(indent + " | " + nullableType(v, indent+"   "))
		var notes []string
		if d, ok := v.str("description"); ok && (i > 0 || !above) && (!described || d != description) {
			notes = append(notes, d)
		}
		if d := v.get("default"); d != nil {
			notes = append(notes, "default: "+quotedDefault(v, d, false))
		}
		writeNotes(b, notes)
		b.WriteByte('\n')
	}
	b.WriteString(indent + ",\n")
}
