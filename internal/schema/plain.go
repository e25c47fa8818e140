package schema

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"atelier/internal/jsonvalue"
)

// Plain makes of a schema one that a reader without JSON Schema understands:
// references are put in place, anyOf becomes oneOf, and limits, patterns,
// constants and what must be given together are told in the descriptions, each
// in one line; with integers also that a number is whole. The second result is
// what can only be said of the whole. The description of an object stands in
// its title, as does that of a oneOf whose first form has a description.
func Plain(schema json.RawMessage, integers bool) (*Node, string, error) {
	root, err := Parse(schema)
	if err != nil {
		return nil, "", err
	}
	p := &preparer{defs: root, integers: integers}
	n, notes := p.prepare(root, nil)
	description, _ := n.Str("description")
	n.Drop("description")
	n.Drop("title")
	return n, Sentence(description, notes), nil
}

type preparer struct {
	defs     *Node
	integers bool
}

// prepare returns the schema without what a plain type does not show, and the
// notes that say it in words. The description stays in the node.
func (p *preparer) prepare(schema *Node, within []string) (*Node, []string) {
	n, within := p.resolve(schema, within)
	if n.Kind != ObjectKind {
		return n, nil
	}
	n, notes := fold(n)
	variants, several := n.List("oneOf")
	out := NewObject()
	if d, ok := n.Str("description"); ok {
		out.Set("description", TextNode(oneLine(d)))
	}
	for _, key := range []string{"default", "examples", "nullable"} {
		if v := n.Get(key); v != nil {
			out.Set(key, v)
		}
	}
	if several {
		prepared := make([]*Node, len(variants))
		for i, v := range variants {
			var said []string
			prepared[i], said = p.variant(v, within)
			notes = append(notes, said...)
		}
		out.Set("oneOf", ListNode(prepared...))
		return out, notes
	}
	if t := n.Get("type"); t != nil {
		out.Set("type", t)
	}
	notes = append(p.shape(n, out, within), notes...)
	return out, notes
}

// shape prepares what belongs to the type of a schema.
func (p *preparer) shape(n, out *Node, within []string) []string {
	notes := limits(n, p.integers)
	switch name, _ := n.Str("type"); name {
	case "object":
		if v := n.Get("required"); v != nil {
			out.Set("required", v)
		}
		if properties := n.Get("properties"); properties != nil && properties.Kind == ObjectKind {
			prepared := NewObject()
			for _, key := range properties.Keys {
				prepared.Set(key, p.property(properties.Fields[key], within))
			}
			out.Set("properties", prepared)
		}
		notes = append(notes, p.freeKeys(n, within)...)
	case "array":
		return append(notes, p.elements(n, out, within)...)
	case "string":
		if v := n.Get("enum"); v != nil {
			out.Set("enum", v)
		}
	}
	return notes
}

// property is a schema with its notes in its description. The description of
// an object, or of a union whose first form has words of its own, becomes the
// title: Harmony would show the first twice, and drop those words of the other.
func (p *preparer) property(schema *Node, within []string) *Node {
	n, notes := p.prepare(schema, within)
	if n.Kind != ObjectKind {
		return n
	}
	description, _ := n.Str("description")
	words := Sentence(description, notes)
	n.Drop("description")
	if words == "" {
		return n
	}
	place := "description"
	if name, _ := n.Str("type"); name == "object" {
		place = "title"
	}
	if variants, ok := n.List("oneOf"); ok && len(variants) > 0 && variants[0].Get("description") != nil {
		place = "title"
	}
	n.Set(place, TextNode(words))
	return n
}

// variant is a form of a union. Its words stand behind it; those of an object
// would also stand before its brace, so they are returned for the union.
func (p *preparer) variant(schema *Node, within []string) (*Node, []string) {
	n, notes := p.prepare(schema, within)
	if n.Kind != ObjectKind {
		return n, nil
	}
	description, _ := n.Str("description")
	n.Drop("description")
	words := Sentence(description, notes)
	if name, _ := n.Str("type"); name == "object" && words != "" {
		return n, []string{"as an object: " + lowerFirst(strings.TrimSuffix(words, "."))}
	}
	if words != "" {
		n.Set("description", TextNode(words))
	}
	return n, nil
}

// elements prepares the items of an array; what is to be said of each is said
// of the array. An array of a union becomes a union of arrays, because the
// brackets would bind to the last form only.
func (p *preparer) elements(n, out *Node, within []string) []string {
	items := n.Get("items")
	if items == nil {
		return nil
	}
	each, itemNotes := p.prepare(items, within)
	if each.Kind != ObjectKind {
		out.Set("items", each)
		return nil
	}
	description, _ := each.Str("description")
	each.Drop("description")
	var notes []string
	if words := Sentence(description, itemNotes); words != "" {
		notes = append(notes, "each: "+lowerFirst(strings.TrimSuffix(words, ".")))
	}
	variants, several := each.List("oneOf")
	if !several {
		out.Set("items", each)
		return notes
	}
	arrays := make([]*Node, len(variants))
	for i, v := range variants {
		a := NewObject()
		a.Set("type", TextNode("array"))
		if d, ok := v.Str("description"); ok {
			a.Set("description", TextNode(d))
			v.Drop("description")
		}
		a.Set("items", v)
		arrays[i] = a
	}
	out.Drop("type")
	out.Set("oneOf", ListNode(arrays...))
	return append(notes, "one array may mix these forms")
}

// freeKeys says which keys an object takes beside those that it lists.
func (p *preparer) freeKeys(n *Node, within []string) []string {
	more := n.Get("additionalProperties")
	if more == nil || more.Kind == BoolKind && !more.Truth {
		return nil
	}
	if more.Kind == BoolKind || len(more.Keys) == 0 {
		return []string{"any further keys"}
	}
	value, notes := p.prepare(more, within)
	description, _ := value.Str("description")
	value.Drop("description")
	words := "any keys, each with a value of type " + TypeName(value)
	if fields := fieldsOf(value); len(fields) > 0 {
		words = "any keys, each with an object of " + strings.Join(fields, "; ")
	}
	if said := Sentence(description, notes); said != "" {
		words += " (" + lowerFirst(strings.TrimSuffix(said, ".")) + ")"
	}
	return []string{words}
}

// fieldsOf says the properties of an object in words, for places where only
// words reach the reader.
func fieldsOf(object *Node) []string {
	properties := object.Get("properties")
	if properties == nil || properties.Kind != ObjectKind {
		return nil
	}
	required, _ := object.List("required")
	var fields []string
	for _, name := range properties.Keys {
		value := properties.Fields[name]
		mark := "?: "
		if slices.ContainsFunc(required, func(r *Node) bool { return r.Text == name }) {
			mark = ": "
		}
		words := name + mark + TypeName(value)
		for _, place := range []string{"title", "description"} {
			if said, ok := value.Str(place); ok {
				words += " (" + lowerFirst(strings.TrimSuffix(said, ".")) + ")"
			}
		}
		if inner := fieldsOf(value); len(inner) > 0 {
			words += " of " + strings.Join(inner, "; ")
		}
		fields = append(fields, words)
	}
	return fields
}

// resolve puts references and allOf in place. A reference to something that it
// stands within itself is named instead.
func (p *preparer) resolve(schema *Node, within []string) (*Node, []string) {
	n := schema
	for {
		ref, ok := n.Str("$ref")
		if !ok {
			break
		}
		own := n.Clone()
		own.Drop("$ref")
		if slices.Contains(within, ref) {
			name := ref[strings.LastIndex(ref, "/")+1:]
			if own.Get("description") == nil {
				own.Set("description", TextNode("Again a "+name+", as the one around it"))
			}
			return own, within
		}
		within = append(slices.Clone(within), ref)
		n = overlay(p.lookup(ref), own)
	}
	if all, ok := n.List("allOf"); ok {
		own := n.Clone()
		own.Drop("allOf")
		whole := NewObject()
		for _, part := range all {
			member, _ := p.resolve(part, within)
			whole = overlay(whole, member)
		}
		return overlay(whole, own), within
	}
	return n.Clone(), within
}

func (p *preparer) lookup(ref string) *Node {
	n := p.defs
	for _, part := range strings.Split(strings.TrimPrefix(strings.TrimPrefix(ref, "#"), "/"), "/") {
		if part != "" {
			n = n.Get(jsonvalue.Unescape(part))
		}
	}
	if n == nil { // a compiled contract has no such reference
		return NewObject()
	}
	return n
}

// overlay is under with the keys of over on top; properties and required of
// both count.
func overlay(under, over *Node) *Node {
	out := under.Clone()
	if out.Kind != ObjectKind {
		return over.Clone()
	}
	for _, key := range over.Keys {
		mine, theirs := out.Get(key), over.Fields[key]
		switch {
		case key == "properties" && mine != nil:
			for _, name := range theirs.Keys {
				mine.Set(name, theirs.Fields[name].Clone())
			}
		case key == "required" && mine != nil:
			for _, r := range theirs.Items {
				if !slices.ContainsFunc(mine.Items, func(m *Node) bool { return m.Text == r.Text }) {
					mine.Items = append(mine.Items, r)
				}
			}
		default:
			out.Set(key, theirs.Clone())
		}
	}
	return out
}

// fold turns anyOf, oneOf beside other keys, constants and lists of types into
// a plain type or a oneOf alone. Forms that only name
// required keys become a note.
func fold(n *Node) (*Node, []string) {
	var notes []string
	for _, key := range []string{"anyOf", "oneOf"} {
		variants, ok := n.List(key)
		if !ok {
			continue
		}
		n.Drop(key)
		if words, only := onlyRequired(variants, key == "oneOf"); only {
			notes = append(notes, words)
			continue
		}
		base := n.Clone()
		for _, said := range []string{"description", "title", "default", "examples", "nullable", "$defs", "$schema"} {
			base.Drop(said)
		}
		whole := NewObject()
		for _, said := range []string{"description", "default", "examples", "nullable"} {
			if v := n.Get(said); v != nil {
				whole.Set(said, v)
			}
		}
		forms := make([]*Node, len(variants))
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
func union(whole *Node, forms []*Node) *Node {
	others := slices.DeleteFunc(slices.Clone(forms), func(f *Node) bool { name, _ := f.Str("type"); return name == "null" })
	if len(others) == len(forms) || len(others) == 0 {
		whole.Set("oneOf", ListNode(forms...))
		return whole
	}
	others[len(others)-1].Set("nullable", &Node{Kind: BoolKind, Truth: true})
	if len(others) == 1 {
		return overlay(others[0], whole)
	}
	whole.Set("oneOf", ListNode(others...))
	return whole
}

func onlyRequired(variants []*Node, exactly bool) (string, bool) {
	var needs []string
	for _, v := range variants {
		names, ok := v.List("required")
		if !ok || len(v.Keys) != 1 {
			return "", false
		}
		words := make([]string, len(names))
		for i, name := range names {
			words[i] = name.Text
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
func foldType(n *Node) (*Node, []string) {
	if c := n.Get("const"); c != nil {
		n.Drop("const")
		n.Set("enum", ListNode(c))
	}
	values, listed := n.List("enum")
	texts := len(values) > 0 && !slices.ContainsFunc(values, func(v *Node) bool { return v.Kind != TextKind })
	if listed && texts && n.Get("type") == nil {
		n.Set("type", TextNode("string"))
	}
	types, several := n.List("type")
	if several && slices.ContainsFunc(types, func(t *Node) bool { return t.Text == "object" || t.Text == "array" }) {
		whole := NewObject()
		for _, said := range []string{"description", "default", "examples"} {
			if v := n.Get(said); v != nil {
				whole.Set(said, v)
				n.Drop(said)
			}
		}
		forms := make([]*Node, len(types))
		for i, t := range types {
			forms[i] = n.Clone()
			forms[i].Set("type", t)
		}
		return union(whole, forms), nil
	}
	if listed && (!texts || several) {
		shown := make([]string, len(values))
		for i, v := range values {
			shown[i] = v.JSON()
		}
		return n, []string{"one of " + strings.Join(shown, ", ")}
	}
	return n, nil
}
