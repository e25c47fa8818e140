package contract

import (
	"maps"
	"regexp"
	"slices"

	"atelier/internal/jsonvalue"
)

// objects compares what two schemas say of the fields of an object.
func (m *cover) objects(at string, w, n map[string]any) {
	m.least(at, "minProperties", w, n)
	m.most(at, "maxProperties", w, n)
	own := list(n["required"])
	for _, name := range list(w["required"]) {
		if !slices.Contains(own, name) {
			m.gap(at+"/required", "field "+text(name), "required", "optional")
		}
	}
	wide, narrow := set(w["properties"]), set(n["properties"])
	names := map[string]bool{}
	for name := range wide {
		names[name] = true
	}
	for name := range narrow {
		names[name] = true
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		m.field(at+"/properties/"+jsonvalue.Escape(name), name, w, n)
	}
	m.furtherFields(at, w, n)
}

// field compares one field that at least one of the two declares. A field that
// a schema declared and the other does not is a difference even where unknown
// fields are let through: it would be ignored in silence.
func (m *cover) field(at, name string, w, n map[string]any) {
	wide, inWide := set(w["properties"])[name]
	narrow, inNarrow := set(n["properties"])[name]
	switch {
	case inWide && inNarrow:
		m.schema(at, wide, narrow)
	case inNarrow:
		if narrow == false {
			return
		}
		if m.lenient { // a further field of an answer: ignored, unless fields of any name had a shape
			if rest := further(w); rest != false {
				m.schema(at, rest, narrow)
			}
			return
		}
		m.gap(at, "field "+name, "absent", "there")
	default:
		if m.lenient {
			m.gap(at, "field "+name, "there", "absent")
			return
		}
		m.undeclared(at, name, wide, n)
	}
}

// undeclared: the narrow schema does not declare the field; what it lets through
// under that name must fit the wide one's.
func (m *cover) undeclared(at, name string, wide any, n map[string]any) {
	for pattern := range set(n["patternProperties"]) {
		if re, err := regexp.Compile(pattern); err != nil || re.MatchString(name) {
			m.gap(at, "field "+name, "declared", "matched by a pattern")
			return
		}
	}
	if rest := further(n); rest != false {
		m.schema(at, wide, rest)
	}
}

// furtherFields compares what undeclared fields may be.
func (m *cover) furtherFields(at string, w, n map[string]any) {
	wide, narrow := further(w), further(n)
	if narrow == false || m.lenient && wide == false {
		return
	}
	if wide == false {
		m.gap(at+"/additionalProperties", "rule for unknown fields", "refuse", "accept")
		return
	}
	m.schema(at+"/additionalProperties", wide, narrow)
}

// further is the schema of undeclared fields; true where nothing is said.
func further(s map[string]any) any {
	if rest, ok := s["additionalProperties"]; ok {
		return rest
	}
	return true
}
