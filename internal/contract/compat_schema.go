package contract

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"atelier/internal/jsonvalue"
)

// compareSchemas judges both schemas. Of an input the new schema must accept
// all that the old one did; of an output the old one must accept all that the
// new one promises, apart from what older clients ignore by the policy: further
// fields, and further values of an enum.
func (d *Comparison) compareSchemas(before, after *Contract) {
	oldIn, newIn := schemaDoc(before.InputSchema), schemaDoc(after.InputSchema)
	for _, g := range uncovered(newIn, oldIn, false) {
		d.add(MajorChange, "/input_schema"+g.at, "%s; what was valid before may be refused now", g.change(false))
	}
	for _, g := range uncovered(oldIn, newIn, false) {
		d.minor("/input_schema"+g.at, g.change(true)+"; more is accepted")
	}
	oldOut, newOut := schemaDoc(before.OutputSchema), schemaDoc(after.OutputSchema)
	for _, g := range uncovered(oldOut, newOut, true) {
		d.add(MajorChange, "/output_schema"+g.at, "%s; clients may get what they do not expect", g.change(true))
	}
	for _, g := range append(uncovered(oldOut, newOut, false), uncovered(newOut, oldOut, false)...) {
		d.minor("/output_schema"+g.at, "the "+g.what+" changed within what older clients take")
	}
	for side, docs := range map[string][2]any{"/input_schema": {oldIn, newIn}, "/output_schema": {oldOut, newOut}} {
		d.compareDefaults(side, docs[0], docs[1])
		if canonical(docs[0]) != canonical(docs[1]) && !slices.ContainsFunc(d.Changes, func(c Change) bool { return under(c.Pointer, side) }) {
			d.add(PatchChange, side, "the wording changed, or the schema says the same in another way")
		}
	}
}

func under(pointer, prefix string) bool {
	return len(pointer) >= len(prefix) && pointer[:len(prefix)] == prefix
}

// minor adds a change unless a graver one stands at the same place.
func (d *Comparison) minor(pointer, message string) {
	if !slices.ContainsFunc(d.Changes, func(c Change) bool { return c.Pointer == pointer }) {
		d.add(MinorChange, pointer, "%s", message)
	}
}

// compareDefaults: another default changes what a call without the argument
// does, though every call stays valid.
func (d *Comparison) compareDefaults(at string, before, after any) {
	old, ok := before.(map[string]any)
	now, ok2 := after.(map[string]any)
	if !ok || !ok2 {
		return
	}
	if canonical(old["default"]) != canonical(now["default"]) {
		d.add(MinorChange, at+"/default", "the default was %s, is %s", canonical(old["default"]), canonical(now["default"]))
	}
	for _, key := range []string{"properties", "$defs"} {
		oldSet, _ := old[key].(map[string]any)
		newSet, _ := now[key].(map[string]any)
		for _, name := range slices.Sorted(maps.Keys(oldSet)) {
			d.compareDefaults(at+"/"+key+"/"+jsonvalue.Escape(name), oldSet[name], newSet[name])
		}
	}
	d.compareDefaults(at+"/items", old["items"], now["items"])
}

func schemaDoc(raw json.RawMessage) any {
	var doc any
	if json.Unmarshal(raw, &doc) != nil {
		return true // a parsed contract's schemas always decode
	}
	return doc
}

// canonical is a value as JSON with sorted keys.
func canonical(v any) string {
	if v == nil {
		return "absent"
	}
	raw, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return string(raw)
}

// gap is a place where one schema does not accept all that another does.
type gap struct {
	at           string // JSON pointer within the schema
	what         string // the keyword or thing
	wide, narrow string // its values in the two schemas
}

// change tells the gap as a change; wideIsOld says which schema came first.
func (g gap) change(wideIsOld bool) string {
	was, is := g.narrow, g.wide
	if wideIsOld {
		was, is = is, was
	}
	return fmt.Sprintf("the %s was %s, is %s", g.what, brief40(was), brief40(is))
}

func brief40(s string) string {
	if r := []rune(s); len(r) > 120 {
		return string(r[:117]) + "..."
	}
	return s
}

// uncovered lists where wide may refuse what narrow accepts; none means that it
// provably accepts everything. Lenient ignores what older clients ignore.
func uncovered(wide, narrow any, lenient bool) []gap {
	m := &cover{wideRoot: wide, narrowRoot: narrow, lenient: lenient, open: map[string]bool{}}
	m.schema("", wide, narrow)
	return m.gaps
}

// cover is one proof that a schema accepts all that another does.
type cover struct {
	wideRoot, narrowRoot any
	lenient              bool
	open                 map[string]bool // pairs being proved, which recursion may take as given
	depth                int
	gaps                 []gap
}

func (m *cover) gap(at, what string, wide, narrow any) {
	m.gaps = append(m.gaps, gap{at, what, text(wide), text(narrow)})
}

func text(v any) string {
	if s, ok := v.(string); ok {
		return s
	}
	return canonical(v)
}

// covers tries a pair without leaving gaps behind.
func (m *cover) covers(wide, narrow any) bool { return len(m.try("", wide, narrow)) == 0 }

func (m *cover) try(at string, wide, narrow any) []gap {
	trial := &cover{wideRoot: m.wideRoot, narrowRoot: m.narrowRoot, lenient: m.lenient, open: m.open, depth: m.depth}
	trial.schema(at, wide, narrow)
	return trial.gaps
}

// schema compares two schemas, each an object or a truth value.
func (m *cover) schema(at string, wide, narrow any) {
	w, n := object(expand(m.wideRoot, wide)), object(expand(m.narrowRoot, narrow))
	if len(w) == 0 || isFalse(n) {
		return
	}
	pair := canonical(w) + "\x00" + canonical(n)
	if m.open[pair] {
		return
	}
	if m.depth > deepest {
		m.gap(at, "nesting", "too deep to be judged", "too deep to be judged")
		return
	}
	m.depth++
	m.open[pair] = true
	defer func() { delete(m.open, pair); m.depth-- }()
	if isFalse(w) {
		m.gap(at, "value", "forbidden", "allowed")
		return
	}
	if m.finite(at, w, n) || m.conjunction(at, w, n) || m.alternatives(at, w, n) {
		return
	}
	if allowed := values(w); allowed != nil {
		m.gap(at+"/enum", "set of values", canonical(allowed), "open")
		return
	}
	m.opaque(at, w, n)
	types := m.types(at, w, n)
	if types["number"] || types["integer"] {
		m.numbers(at, w, n, !types["number"])
	}
	if types["string"] {
		m.strings(at, w, n)
	}
	if types["array"] {
		m.arrays(at, w, n)
	}
	if types["object"] {
		m.objects(at, w, n)
	}
}

// deepest is the nesting at which a comparison gives up: definitions that refer
// to themselves without an object or a list between have no end.
const deepest = 64

// annotations say nothing about what is valid. default is compared apart.
var annotations = []string{"title", "description", "$comment", "examples", "default", "deprecated", "readOnly", "writeOnly",
	"$defs", "$schema", "$id", "contentEncoding", "contentMediaType"}

// expand resolves a $ref, with what stands beside it as a conjunction, and
// drops annotations.
func expand(root, schema any) any {
	s, ok := schema.(map[string]any)
	if !ok {
		return schema
	}
	s = without(s, annotations...)
	for range deepest {
		ref, ok := s["$ref"].(string)
		if !ok || len(ref) == 0 || ref[0] != '#' {
			return s
		}
		target, found := lookup(root, ref[1:])
		if !found { // a contract that compiled has only references within itself
			return s
		}
		if rest := without(s, "$ref"); len(rest) > 0 {
			return map[string]any{"allOf": []any{target, rest}}
		}
		if s, ok = target.(map[string]any); !ok {
			return target
		}
		s = without(s, annotations...)
	}
	return s
}

func without(s map[string]any, keys ...string) map[string]any {
	out := make(map[string]any, len(s))
	for k, v := range s {
		if !slices.Contains(keys, k) {
			out[k] = v
		}
	}
	return out
}

// object writes true as {} and false as {"not":{}}.
func object(schema any) map[string]any {
	switch s := schema.(type) {
	case map[string]any:
		return s
	case bool:
		if !s {
			return map[string]any{"not": map[string]any{}}
		}
	}
	return map[string]any{}
}

func isFalse(s map[string]any) bool {
	not, ok := s["not"]
	if !ok {
		return false
	}
	m, isMap := not.(map[string]any)
	return not == true || isMap && len(without(m, annotations...)) == 0
}

func list(v any) []any {
	l, _ := v.([]any)
	return l
}

func set(v any) map[string]any {
	m, _ := v.(map[string]any)
	return m
}
