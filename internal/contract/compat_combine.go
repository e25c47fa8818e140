package contract

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// conjunction handles allOf; true when it has settled the pair.
func (m *cover) conjunction(at string, w, n map[string]any) bool {
	wideParts, narrowParts := list(w["allOf"]), list(n["allOf"])
	if wideParts == nil && narrowParts == nil {
		return false
	}
	wideRest, narrowRest := without(w, "allOf"), without(n, "allOf")
	if len(wideParts) == len(narrowParts) {
		paired := m.covers(wideRest, narrowRest)
		for i := range wideParts {
			paired = paired && m.covers(wideParts[i], narrowParts[i])
		}
		if paired {
			return true
		}
	}
	if wideParts != nil { // all of its parts must accept
		for i, part := range wideParts {
			m.schema(at+"/allOf/"+strconv.Itoa(i), part, n)
		}
		m.schema(at, wideRest, n)
		return true
	}
	// Any part of the narrow one that is accepted alone is enough.
	if slices.ContainsFunc(narrowParts, func(part any) bool { return m.covers(w, part) }) {
		return true
	}
	if m.covers(w, narrowRest) {
		return true
	}
	m.schema(at, w, conjoin(narrowRest, narrowParts))
	return true
}

// conjoin merges parts whose keywords do not meet, except types that agree and
// lists of required fields; what meets otherwise is left out, which only
// widens the result.
func conjoin(rest map[string]any, parts []any) map[string]any {
	out := maps.Clone(rest)
	for _, part := range parts {
		for k, v := range set(part) {
			if k == "required" && out[k] != nil {
				v = append(slices.Clone(list(out[k])), list(v)...)
			} else if _, taken := out[k]; taken || k == "$ref" {
				continue
			}
			if slices.Contains([]string{"additionalProperties", "items", "unevaluatedProperties", "unevaluatedItems",
				"if", "then", "else", "contains", "minContains", "maxContains"}, k) {
				continue // they speak of the keywords beside them
			}
			out[k] = v
		}
	}
	return out
}

// alternatives handles anyOf and oneOf; true when it has settled the pair. A
// oneOf counts as an anyOf where its branches provably exclude each other;
// else only the same branches will do.
func (m *cover) alternatives(at string, w, n map[string]any) bool {
	key := combinator(w)
	if key == "" {
		return m.narrowAlternatives(at, w, n)
	}
	branches, rest := list(w[key]), without(w, key)
	if key == "oneOf" && !exclusive(m.wideRoot, branches) {
		if same := list(n["oneOf"]); len(same) == len(branches) && m.equal(branches, same) {
			m.schema(at, rest, without(n, "oneOf"))
			return true
		}
		m.gap(at+"/oneOf", "choice", canonical(w[key]), canonical(n["oneOf"]))
		return true
	}
	for i, a := range split(n) {
		j := slices.IndexFunc(branches, func(b any) bool { return m.covers(b, a) })
		if j >= 0 {
			continue
		}
		nearest := at + "/" + key
		if i < len(branches) && len(split(n)) > 1 {
			m.gaps = append(m.gaps, m.try(nearest+"/"+strconv.Itoa(i), branches[i], a)...)
			continue
		}
		m.gap(nearest, "choice", canonical(branches), canonical(a))
	}
	m.schema(at, rest, n)
	return true
}

// narrowAlternatives: a plain schema accepts a choice when it accepts what all
// branches share, or each branch.
func (m *cover) narrowAlternatives(at string, w, n map[string]any) bool {
	key := combinator(n)
	if key == "" {
		return false
	}
	rest := without(n, key)
	if m.covers(w, rest) {
		return true
	}
	branches := split(n)
	if slices.ContainsFunc(branches, func(b any) bool { return !m.covers(w, b) }) {
		for _, b := range branches {
			m.gaps = append(m.gaps, m.try(at, w, b)...)
		}
	}
	return true
}

func combinator(s map[string]any) string {
	for _, key := range []string{"oneOf", "anyOf"} {
		if list(s[key]) != nil {
			return key
		}
	}
	return ""
}

// split lists the alternatives of a schema, each with what stands beside them;
// one that has none is its own only alternative.
func split(n map[string]any) []any {
	key := combinator(n)
	if key == "" {
		return []any{n}
	}
	rest := without(n, key)
	var out []any
	for _, b := range list(n[key]) {
		if len(rest) == 0 {
			out = append(out, b)
		} else {
			out = append(out, map[string]any{"allOf": []any{b, rest}})
		}
	}
	return out
}

// equal says whether two lists of schemas accept the same, pair by pair.
func (m *cover) equal(wide, narrow []any) bool {
	back := &cover{wideRoot: m.narrowRoot, narrowRoot: m.wideRoot, open: map[string]bool{}}
	forth := &cover{wideRoot: m.wideRoot, narrowRoot: m.narrowRoot, open: map[string]bool{}}
	for i := range wide {
		if !forth.covers(wide[i], narrow[i]) || !back.covers(narrow[i], wide[i]) {
			return false
		}
	}
	return true
}

// exclusive says whether no value can fit two of the branches.
func exclusive(root any, branches []any) bool {
	for i := range branches {
		for j := range i {
			if !disjoint(root, branches[i], branches[j], 0) {
				return false
			}
		}
	}
	return true
}

// disjoint proves that no value fits both: by types, by values, or by a field
// that one requires and the other forbids or holds to something else.
func disjoint(root, a, b any, depth int) bool {
	x, y := object(expand(root, a)), object(expand(root, b))
	if isFalse(x) || isFalse(y) {
		return true
	}
	if depth > 4 {
		return false
	}
	if p, q := values(x), values(y); p != nil && q != nil {
		return !slices.ContainsFunc(p, func(v any) bool {
			return slices.ContainsFunc(q, func(o any) bool { return canonical(v) == canonical(o) })
		})
	}
	s, t := typeSet(x), typeSet(y)
	shared := false
	for name := range s {
		shared = shared || t[name] || name == "integer" && t["number"] || name == "number" && t["integer"]
	}
	if !shared {
		return true
	}
	if !onlyObject(s) || !onlyObject(t) {
		return false
	}
	return excludes(root, x, y, depth) || excludes(root, y, x, depth)
}

func onlyObject(types map[string]bool) bool { return len(types) == 1 && types["object"] }

// excludes: a requires a field that b forbids or that cannot be the same in both.
func excludes(root any, a, b map[string]any, depth int) bool {
	return slices.ContainsFunc(list(a["required"]), func(name any) bool {
		key, _ := name.(string)
		mine, declared := set(a["properties"])[key]
		if !declared {
			mine = map[string]any{}
		}
		theirs, declared := set(b["properties"])[key]
		if !declared {
			return b["additionalProperties"] == false && b["patternProperties"] == nil
		}
		return slices.Contains(list(b["required"]), name) && disjoint(root, mine, theirs, depth+1)
	})
}

// values are those of an enum or const; nil where any number is allowed.
func values(s map[string]any) []any {
	if c, ok := s["const"]; ok {
		return []any{c}
	}
	return list(s["enum"])
}

// finite handles a narrow schema of listed values: each is tried on the wide
// one by the validator. True when it has settled the pair.
func (m *cover) finite(at string, w, n map[string]any) bool {
	listed := values(n)
	if listed == nil {
		return false
	}
	accepts, ok := m.validator(w)
	if !ok {
		m.gap(at, "schema", canonical(w), canonical(n))
		return true
	}
	for _, v := range listed {
		further := func(known any) bool { return typeOf(known) == typeOf(v) } // a value that older clients ignore
		if accepts(v) || m.lenient && slices.ContainsFunc(list(w["enum"]), further) {
			continue
		}
		m.gap(at+"/enum", "value "+canonical(v), "refused", "allowed")
	}
	return true
}

// validator compiles a part of the wide schema.
func (m *cover) validator(w map[string]any) (func(any) bool, bool) {
	part := maps.Clone(w)
	if defs, ok := set(m.wideRoot)["$defs"]; ok {
		part["$defs"] = defs
	}
	raw, err := json.Marshal(part)
	if err != nil {
		return nil, false
	}
	var doc any
	if json.Unmarshal(raw, &doc) != nil {
		return nil, false
	}
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	c.AssertFormat()
	if c.AddResource("contract:///part", doc) != nil {
		return nil, false
	}
	compiled, err := c.Compile("contract:///part")
	if err != nil {
		return nil, false
	}
	return func(v any) bool { return compiled.Validate(v) == nil }, true
}
