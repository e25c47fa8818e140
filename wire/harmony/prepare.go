package harmony

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// Prepare makes of a tool's input schema the parameters that Harmony can show
// whole: references are put in place, anyOf becomes oneOf, and everything that
// the rendering would drop (limits, patterns, constants, what must be given
// together) is told in the descriptions, each in one line. The second result is
// what could only be said of the input as a whole; it belongs into the tool's
// description. The parameters accept what the schema accepts; the tool checks
// its input against the schema itself.
func Prepare(schema json.RawMessage) (json.RawMessage, string, error) {
	root, err := parseNode(schema)
	if err != nil {
		return nil, "", err
	}
	p := &preparer{defs: root}
	n, notes := p.prepare(root, nil)
	description, _ := n.str("description")
	n.drop("description")
	n.drop("title")
	return json.RawMessage(n.json()), sentence(description, notes), nil
}

type preparer struct{ defs *node }

// prepare returns the schema without what Harmony does not show, and the notes
// that say it in words. The description stays in the node.
func (p *preparer) prepare(schema *node, within []string) (*node, []string) {
	n, within := p.resolve(schema, within)
	if n.kind != objectKind {
		return n, nil
	}
	n, notes := fold(n)
	variants, several := n.list("oneOf")
	out := newObject()
	if d, ok := n.str("description"); ok {
		out.set("description", textNode(oneLine(d)))
	}
	for _, key := range []string{"default", "examples", "nullable"} {
		if v := n.get(key); v != nil {
			out.set(key, v)
		}
	}
	if several {
		prepared := make([]*node, len(variants))
		for i, v := range variants {
			var said []string
			prepared[i], said = p.variant(v, within)
			notes = append(notes, said...)
		}
		out.set("oneOf", listNode(prepared...))
		return out, notes
	}
	if t := n.get("type"); t != nil {
		out.set("type", t)
	}
	notes = append(p.shape(n, out, within), notes...)
	return out, notes
}

// shape prepares what belongs to the type of a schema.
func (p *preparer) shape(n, out *node, within []string) []string {
	notes := limits(n)
	switch name, _ := n.str("type"); name {
	case "object":
		if v := n.get("required"); v != nil {
			out.set("required", v)
		}
		if properties := n.get("properties"); properties != nil && properties.kind == objectKind {
			prepared := newObject()
			for _, key := range properties.keys {
				prepared.set(key, p.property(properties.fields[key], within))
			}
			out.set("properties", prepared)
		}
		notes = append(notes, p.freeKeys(n, within)...)
	case "array":
		return append(notes, p.elements(n, out, within)...)
	case "string":
		if v := n.get("enum"); v != nil {
			out.set("enum", v)
		}
	}
	return notes
}

// property is a schema with its notes in its description. The description of
// an object, or of a union whose first form has words of its own, becomes the
// title: there Harmony would show it twice, or drop those words.
func (p *preparer) property(schema *node, within []string) *node {
	n, notes := p.prepare(schema, within)
	if n.kind != objectKind {
		return n
	}
	description, _ := n.str("description")
	words := sentence(description, notes)
	n.drop("description")
	if words == "" {
		return n
	}
	place := "description"
	if name, _ := n.str("type"); name == "object" {
		place = "title"
	}
	if variants, ok := n.list("oneOf"); ok && len(variants) > 0 && variants[0].get("description") != nil {
		place = "title"
	}
	n.set(place, textNode(words))
	return n
}

// variant is a form of a union. Its words stand behind it; those of an object
// would also stand before its brace, so they are returned for the union.
func (p *preparer) variant(schema *node, within []string) (*node, []string) {
	n, notes := p.prepare(schema, within)
	if n.kind != objectKind {
		return n, nil
	}
	description, _ := n.str("description")
	n.drop("description")
	words := sentence(description, notes)
	if name, _ := n.str("type"); name == "object" && words != "" {
		return n, []string{"as an object: " + lowerFirst(strings.TrimSuffix(words, "."))}
	}
	if words != "" {
		n.set("description", textNode(words))
	}
	return n, nil
}

// elements prepares the items of an array; what is to be said of each is said
// of the array. An array of a union becomes a union of arrays, because the
// brackets would bind to the last form only.
func (p *preparer) elements(n, out *node, within []string) []string {
	items := n.get("items")
	if items == nil {
		return nil
	}
	each, itemNotes := p.prepare(items, within)
	if each.kind != objectKind {
		out.set("items", each)
		return nil
	}
	description, _ := each.str("description")
	each.drop("description")
	var notes []string
	if words := sentence(description, itemNotes); words != "" {
		notes = append(notes, "each: "+lowerFirst(strings.TrimSuffix(words, ".")))
	}
	variants, several := each.list("oneOf")
	if !several {
		out.set("items", each)
		return notes
	}
	arrays := make([]*node, len(variants))
	for i, v := range variants {
		a := newObject()
		a.set("type", textNode("array"))
		if d, ok := v.str("description"); ok {
			a.set("description", textNode(d))
			v.drop("description")
		}
		a.set("items", v)
		arrays[i] = a
	}
	out.drop("type")
	out.set("oneOf", listNode(arrays...))
	return append(notes, "one array may mix these forms")
}

// freeKeys says which keys an object takes beside those that it lists.
func (p *preparer) freeKeys(n *node, within []string) []string {
	more := n.get("additionalProperties")
	if more == nil || more.kind == boolKind && !more.truth {
		return nil
	}
	if more.kind == boolKind || len(more.keys) == 0 {
		return []string{"any further keys"}
	}
	value, notes := p.prepare(more, within)
	description, _ := value.str("description")
	value.drop("description")
	kind := strings.Join(strings.Fields(typeOf(value, "")), " ")
	words := "any keys, each with a value of " + kind
	if said := sentence(description, notes); said != "" {
		words += " (" + lowerFirst(strings.TrimSuffix(said, ".")) + ")"
	}
	return []string{words}
}

// resolve puts references and allOf in place. A reference to something that it
// stands within itself is named instead.
func (p *preparer) resolve(schema *node, within []string) (*node, []string) {
	n := schema
	for {
		ref, ok := n.str("$ref")
		if !ok {
			break
		}
		own := n.clone()
		own.drop("$ref")
		if slices.Contains(within, ref) {
			name := ref[strings.LastIndex(ref, "/")+1:]
			if own.get("description") == nil {
				own.set("description", textNode("Again a "+name+", as the one around it"))
			}
			return own, within
		}
		within = append(slices.Clone(within), ref)
		n = overlay(p.lookup(ref), own)
	}
	if all, ok := n.list("allOf"); ok {
		own := n.clone()
		own.drop("allOf")
		whole := newObject()
		for _, part := range all {
			member, _ := p.resolve(part, within)
			whole = overlay(whole, member)
		}
		return overlay(whole, own), within
	}
	return n.clone(), within
}

func (p *preparer) lookup(ref string) *node {
	n := p.defs
	for _, part := range strings.Split(strings.TrimPrefix(strings.TrimPrefix(ref, "#"), "/"), "/") {
		if part != "" {
			n = n.get(strings.NewReplacer("~1", "/", "~0", "~").Replace(part))
		}
	}
	if n == nil { // a compiled contract has no such reference
		return newObject()
	}
	return n
}

// overlay is under with the keys of over on top; properties and required of
// both count.
func overlay(under, over *node) *node {
	out := under.clone()
	if out.kind != objectKind {
		return over.clone()
	}
	for _, key := range over.keys {
		mine, theirs := out.get(key), over.fields[key]
		switch {
		case key == "properties" && mine != nil:
			for _, name := range theirs.keys {
				mine.set(name, theirs.fields[name].clone())
			}
		case key == "required" && mine != nil:
			for _, r := range theirs.items {
				if !slices.ContainsFunc(mine.items, func(m *node) bool { return m.text == r.text }) {
					mine.items = append(mine.items, r)
				}
			}
		default:
			out.set(key, theirs.clone())
		}
	}
	return out
}

// fold turns anyOf, oneOf beside other keys, constants and lists of types into
// what Harmony shows: a plain type or a oneOf alone. Forms that only name
// required keys become a note.
func fold(n *node) (*node, []string) {
	var notes []string
	for _, key := range []string{"anyOf", "oneOf"} {
		variants, ok := n.list(key)
		if !ok {
			continue
		}
		n.drop(key)
		if words, only := onlyRequired(variants, key == "oneOf"); only {
			notes = append(notes, words)
			continue
		}
		base := n.clone()
		for _, said := range []string{"description", "title", "default", "examples", "nullable", "$defs", "$schema"} {
			base.drop(said)
		}
		whole := newObject()
		for _, said := range []string{"description", "default", "examples", "nullable"} {
			if v := n.get(said); v != nil {
				whole.set(said, v)
			}
		}
		forms := make([]*node, len(variants))
		for i, v := range variants {
			forms[i] = overlay(base, v)
		}
		n = union(whole, forms)
	}
	n, more := foldType(n)
	return n, append(notes, more...)
}

// union is whole with its forms; null as one of them makes the last other form
// nullable, because by itself it would show as any.
func union(whole *node, forms []*node) *node {
	others := slices.DeleteFunc(slices.Clone(forms), func(f *node) bool { name, _ := f.str("type"); return name == "null" })
	if len(others) == len(forms) || len(others) == 0 {
		whole.set("oneOf", listNode(forms...))
		return whole
	}
	others[len(others)-1].set("nullable", &node{kind: boolKind, truth: true})
	if len(others) == 1 {
		return overlay(others[0], whole)
	}
	whole.set("oneOf", listNode(others...))
	return whole
}

func onlyRequired(variants []*node, exactly bool) (string, bool) {
	var needs []string
	for _, v := range variants {
		names, ok := v.list("required")
		if !ok || len(v.keys) != 1 {
			return "", false
		}
		words := make([]string, len(names))
		for i, name := range names {
			words[i] = name.text
		}
		needs = append(needs, strings.Join(words, " with "))
	}
	how := "at least one"
	if exactly {
		how = "exactly one"
	}
	return fmt.Sprintf("needs %s of %s", how, strings.Join(needs, ", ")), len(needs) > 0
}

// foldType: constants and values without a type get one; a list of types that
// needs more than names becomes a oneOf.
func foldType(n *node) (*node, []string) {
	if c := n.get("const"); c != nil {
		n.drop("const")
		n.set("enum", listNode(c))
	}
	values, listed := n.list("enum")
	texts := len(values) > 0 && !slices.ContainsFunc(values, func(v *node) bool { return v.kind != textKind })
	if listed && texts && n.get("type") == nil {
		n.set("type", textNode("string"))
	}
	types, several := n.list("type")
	if several && slices.ContainsFunc(types, func(t *node) bool { return t.text == "object" || t.text == "array" }) {
		whole := newObject()
		for _, said := range []string{"description", "default", "examples"} {
			if v := n.get(said); v != nil {
				whole.set(said, v)
				n.drop(said)
			}
		}
		forms := make([]*node, len(types))
		for i, t := range types {
			forms[i] = n.clone()
			forms[i].set("type", t)
		}
		return union(whole, forms), nil
	}
	if listed && (!texts || several) {
		shown := make([]string, len(values))
		for i, v := range values {
			shown[i] = v.json()
		}
		return n, []string{"one of " + strings.Join(shown, ", ")}
	}
	return n, nil
}
