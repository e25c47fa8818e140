package join

import "fmt"

// carried are the members that an output has beside its own, where the contract
// says that its results carry evidence.
func carried() object {
	return object{
		{"quantities", object{
			{"type", "array"},
			{"description", "The figures that a reader would quote, each with its own trust."},
			{"items", object{{"$ref", scheme + "defs/quantity"}}},
		}},
		{"evidence", object{{"$ref", scheme + "defs/evidence"}}},
	}
}

// addEvidence adds them to the properties and to the required ones of the output
// schema. A contract whose output has evidence already, such as an exported one,
// stays as it is; so does one that is wrong elsewhere, of which its reader says more.
func addEvidence(contract object) (added bool, err error) {
	if _, checked := contract.get("evidence").(object); !checked {
		return false, nil
	}
	at := contract.find("output_schema")
	if at < 0 {
		return false, nil
	}
	output, ok := contract[at].value.(object)
	if !ok {
		return false, fmt.Errorf("output_schema: a schema must be a JSON object")
	}
	own, _ := output.get("properties").(object)
	if own.find("evidence") >= 0 {
		return false, nil
	}
	required, _ := output.get("required").([]any)
	for _, m := range carried() {
		if own.find(m.key) >= 0 {
			return false, fmt.Errorf("output_schema: properties has a part %q, a name that belongs to the evidence", m.key)
		}
		own = append(own, m)
		required = append(required, m.key)
	}
	contract[at].value = output.with("properties", own).with("required", required)
	return true, nil
}

// get is the value of a member, nil where there is none.
func (o object) get(key string) any {
	if i := o.find(key); i >= 0 {
		return o[i].value
	}
	return nil
}

// with is the object with a member set, in its place or at the end.
func (o object) with(key string, value any) object {
	if i := o.find(key); i >= 0 {
		o[i].value = value
		return o
	}
	return append(o, member{key, value})
}
