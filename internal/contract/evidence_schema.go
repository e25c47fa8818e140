package contract

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
)

// announced returns a contract file whose output schema has quantities and
// evidence, where the contract says that its results carry them. One that has
// them already, such as an exported contract, is returned as it is.
func announced(file []byte) ([]byte, error) {
	var top struct {
		Evidence     json.RawMessage `json:"evidence"`
		OutputSchema json.RawMessage `json:"output_schema"`
	}
	var spec EvidenceSpec
	if json.Unmarshal(file, &top) != nil || top.Evidence == nil || spec.UnmarshalJSON(top.Evidence) != nil || !spec.Checked() {
		return file, nil // the reading of the contract says what is wrong with it
	}
	var output struct {
		Properties map[string]json.RawMessage `json:"properties"`
	}
	if json.Unmarshal(top.OutputSchema, &output) != nil {
		return file, nil
	}
	if _, has := output.Properties["evidence"]; has {
		return file, nil
	}
	schema, err := members(top.OutputSchema)
	if err != nil {
		return nil, fmt.Errorf("output_schema: %w", err)
	}
	if schema, err = extend(schema, "properties", carried); err != nil {
		return nil, fmt.Errorf("output_schema: %w", err)
	}
	contract, err := members(file)
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(contract, func(m member) bool { return m.name == "output_schema" })
	contract[i].value = writeMembers(require(schema, "quantities", "evidence"))
	return writeMembers(contract), nil
}

// carried are what is added to the properties of an output.
var carried = []member{
	{"quantities", json.RawMessage(`{"type":"array","description":"The figures that a reader would quote, each with its own trust.","items":{"$ref":"atelier:defs/quantity"}}`)},
	{"evidence", json.RawMessage(`{"$ref":"atelier:defs/evidence"}`)},
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
