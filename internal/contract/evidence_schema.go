package contract

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"

	"atelier/internal/evidence"
)

// join adds quantities and evidence to an output schema. A schema that has them
// already, such as that of an exported contract, stays as it is.
func (s EvidenceSpec) join(schema json.RawMessage) (json.RawMessage, error) {
	if !s.Checked() {
		return schema, nil
	}
	var top struct {
		Properties map[string]json.RawMessage `json:"properties"`
	}
	if err := json.Unmarshal(schema, &top); err != nil {
		return nil, err
	}
	if _, has := top.Properties["evidence"]; has {
		return schema, nil
	}
	properties := []member{
		{"quantities", []byte(`{"type":"array","description":"The figures that a reader would quote, each with its own trust.","items":{"$ref":"#/$defs/quantity"}}`)},
		{"evidence", []byte(`{"$ref":"#/$defs/evidence"}`)},
	}
	parts, err := members(evidence.Schema)
	if err != nil {
		return nil, err
	}
	document, err := members(schema)
	if err != nil {
		return nil, err
	}
	for _, add := range []struct {
		key     string
		members []member
	}{{"properties", properties}, {"$defs", parts}} {
		if document, err = extend(document, add.key, add.members); err != nil {
			return nil, err
		}
	}
	return writeMembers(require(document, "quantities", "evidence")), nil
}

// member is one member of a JSON object; their order is kept, since pages and
// lists show the fields of a schema in the order in which it was written.
type member struct {
	name  string
	value json.RawMessage
}

func members(object []byte) ([]member, error) {
	dec := json.NewDecoder(bytes.NewReader(object))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return nil, fmt.Errorf("a schema must be a JSON object")
	}
	var list []member
	for dec.More() {
		name, err := dec.Token()
		if err != nil {
			return nil, err
		}
		m := member{name: name.(string)}
		if err := dec.Decode(&m.value); err != nil {
			return nil, err
		}
		list = append(list, m)
	}
	return list, nil
}

func writeMembers(list []member) json.RawMessage {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, m := range list {
		if i > 0 {
			b.WriteByte(',')
		}
		name, _ := json.Marshal(m.name) // a string can always be encoded
		b.Write(name)
		b.WriteByte(':')
		b.Write(m.value)
	}
	b.WriteByte('}')
	return b.Bytes()
}

// extend adds members to the object under a key; a name that is there already
// with another meaning is an error.
func extend(document []member, key string, add []member) ([]member, error) {
	i := slices.IndexFunc(document, func(m member) bool { return m.name == key })
	if i < 0 {
		return append(document, member{key, writeMembers(add)}), nil
	}
	inner, err := members(document[i].value)
	if err != nil {
		return nil, err
	}
	for _, a := range add {
		if slices.ContainsFunc(inner, func(m member) bool { return m.name == a.name }) {
			return nil, fmt.Errorf("%s has a part %q, a name that belongs to the evidence", key, a.name)
		}
	}
	document[i].value = writeMembers(append(inner, add...))
	return document, nil
}

func require(document []member, names ...string) []member {
	var list []string
	i := slices.IndexFunc(document, func(m member) bool { return m.name == "required" })
	if i < 0 {
		i = len(document)
		document = append(document, member{name: "required"})
	} else if json.Unmarshal(document[i].value, &list) != nil {
		return document // the schema does not compile either, which says more
	}
	document[i].value, _ = json.Marshal(append(list, names...)) // strings can always be encoded
	return document
}
