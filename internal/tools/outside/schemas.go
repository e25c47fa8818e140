package outside

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"atelier/internal/contract"
)

// checkSchemas holds the schemas to what the shared tests hold those of the
// program's own tools to: closed objects, and arguments that say what they mean.
func checkSchemas(c *contract.Contract) error {
	for side, raw := range map[string]json.RawMessage{"input_schema": c.InputSchema, "output_schema": c.OutputSchema} {
		var schema any
		if err := json.Unmarshal(raw, &schema); err != nil {
			return err
		}
		if err := closed(schema, side, side == "input_schema"); err != nil {
			return err
		}
	}
	return nil
}

func closed(schema any, at string, described bool) error {
	switch s := schema.(type) {
	case map[string]any:
		properties, isObject := s["properties"].(map[string]any)
		if isObject && s["additionalProperties"] != false {
			return fmt.Errorf("the object at /%s is not closed: add \"additionalProperties\": false", at)
		}
		for _, name := range slices.Sorted(maps.Keys(properties)) {
			p, _ := properties[name].(map[string]any)
			if described && p["description"] == nil && p["$ref"] == nil {
				return fmt.Errorf("/%s/properties/%s has no description: say what it means, and in which unit", at, name)
			}
		}
		for _, key := range slices.Sorted(maps.Keys(s)) {
			if slices.Contains([]string{"const", "enum", "default", "examples"}, key) {
				continue // values, not schemas
			}
			if err := closed(s[key], at+"/"+key, described); err != nil {
				return err
			}
		}
	case []any:
		for i, item := range s {
			if err := closed(item, fmt.Sprintf("%s/%d", at, i), described); err != nil {
				return err
			}
		}
	}
	return nil
}
