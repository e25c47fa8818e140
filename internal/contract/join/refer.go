package join

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// join replaces the references within a value. kind is what may be referred to
// here: a schema, members of properties, or rows of errors.
func (p *Parts) join(value any, kind, at string) (any, error) {
	switch v := value.(type) {
	case object:
		return p.joinObject(v, kind, at)
	case []any:
		out := make([]any, 0, len(v))
		for i, item := range v {
			joined, err := p.join(item, kind, at+"/"+strconv.Itoa(i))
			if err != nil {
				return nil, err
			}
			if list, ok := joined.([]any); ok && kind == rows {
				out = append(out, list...)
				continue
			}
			out = append(out, joined)
		}
		return out, nil
	}
	return value, nil
}

func (p *Parts) joinObject(o object, kind, at string) (any, error) {
	out := make(object, 0, len(o))
	for _, m := range o {
		refs := references(m, kind)
		for _, ref := range refs {
			part, err := p.referred(ref, kind)
			if err != nil {
				return nil, fmt.Errorf("%s/$ref: %w", at, err)
			}
			if list, ok := part.([]any); ok {
				if len(o) > 1 {
					return nil, fmt.Errorf("%s: nothing can stand beside a reference to a list, which replaces the whole row", at)
				}
				return list, nil
			}
			if out, err = add(out, part.(object), o, kind, at); err != nil {
				return nil, err
			}
		}
		if len(refs) > 0 {
			continue
		}
		if out.find(m.key) >= 0 {
			return nil, fmt.Errorf("%s/%s stands twice", at, m.key)
		}
		joined, err := p.join(m.value, within(m.key, kind), at+"/"+m.key)
		if err != nil {
			return nil, err
		}
		out = append(out, member{m.key, joined})
	}
	return out, nil
}

// references lists what a $ref names, if that is parts: one, or in properties a
// list of groups.
func references(m member, kind string) []string {
	if m.key != "$ref" {
		return nil
	}
	list, ok := m.value.([]any)
	if !ok || kind != properties {
		list = []any{m.value}
	}
	var refs []string
	for _, item := range list {
		if ref, ok := item.(string); ok && strings.HasPrefix(ref, scheme) {
			refs = append(refs, ref)
		}
	}
	return refs
}

// within is the kind of parts that a member of an object may refer to.
func within(key, kind string) string {
	if kind == schemas && key == "properties" {
		return properties
	}
	return schemas // a member of properties is a schema again
}

// referred finds the part of a reference and holds its kind against the place.
func (p *Parts) referred(ref, kind string) (any, error) {
	key := strings.TrimPrefix(ref, scheme)
	if found, name, ok := strings.Cut(key, "/"); !ok || found != kind || name == "" {
		return nil, fmt.Errorf("%q cannot stand here; this place takes %s%s/NAME", ref, scheme, kind)
	}
	part, err := p.part(key)
	if err != nil {
		return nil, err
	}
	_, isList := part.([]any)
	if _, isObject := part.(object); !isObject && !(isList && kind == rows) {
		return nil, fmt.Errorf("the part %s is neither an object nor, of errors, a list", key)
	}
	return part, nil
}

// add appends the members of a part to out. Of those that the object that refers
// to it has too, annotations give way.
func add(out, part, own object, kind, at string) (object, error) {
	for _, m := range part {
		switch {
		case out.find(m.key) < 0 && own.find(m.key) < 0:
			out = append(out, m)
		case kind != schemas || !slices.Contains(annotations, m.key):
			return nil, fmt.Errorf("%s/%s stands in the shared part already; only %s of a schema may differ from it",
				at, m.key, strings.Join(annotations, ", "))
		}
	}
	return out, nil
}
