package contract

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"atelier/internal/contract/join"
)

// Read decodes a contract file of an earlier release for a comparison, without
// the checks of Parse: what it lists may be gone from the catalogue since. parts
// are those of that release, nil for those of this program. ok is false of a JSON
// file that is no contract.
func Read(file []byte, parts *join.Parts) (c *Contract, ok bool, err error) {
	var has struct {
		Name        string          `json:"name"`
		InputSchema json.RawMessage `json:"input_schema"`
	}
	if json.Unmarshal(file, &has) != nil || has.Name == "" || has.InputSchema == nil {
		return nil, false, nil
	}
	if parts == nil {
		if parts, err = shared(); err != nil {
			return nil, true, err
		}
	}
	if file, err = parts.Contract(file); err != nil {
		return nil, true, fmt.Errorf("contract %q: %w", has.Name, err)
	}
	c = &Contract{}
	if err := json.Unmarshal(file, c); err != nil {
		return nil, true, fmt.Errorf("contract %q: %w", has.Name, err)
	}
	if !semverPattern.MatchString(c.Version) {
		return nil, true, fmt.Errorf("contract %q: version %q is not major.minor.patch", c.Name, c.Version)
	}
	err = c.complete()
	if err == nil {
		err = c.checkSchemas() // a comparison walks along the references
	}
	if err != nil {
		return nil, true, fmt.Errorf("contract %q: %w", has.Name, err)
	}
	return c, true, nil
}

// Newest keeps of each name the contract of the highest version, sorted by
// name: files of earlier minors lie beside the present ones.
func Newest(contracts []*Contract) []*Contract {
	r := map[string]*Contract{}
	for _, c := range contracts {
		if known := r[c.Name]; known == nil || compareVersions(c.Version, known.Version) > 0 {
			r[c.Name] = c
		}
	}
	return byName(r)
}

func byName(contracts map[string]*Contract) []*Contract {
	out := make([]*Contract, 0, len(contracts))
	for _, name := range slices.Sorted(maps.Keys(contracts)) {
		out = append(out, contracts[name])
	}
	return out
}
