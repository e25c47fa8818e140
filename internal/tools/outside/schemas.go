package outside

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strings"

	"atelier/internal/contract"
	"atelier/internal/jsonvalue"
)

// exactNames refuses a key of the file that differs from a field in its case alone,
// which would be read as that field. Parse refuses what else is unknown.
func exactNames(text []byte) error {
	open := jsonvalue.Rules{Open: true}
	if what, _ := jsonvalue.Syntax(text); what != "" {
		return nil // Parse tells of it
	}
	if why := contract.Unfit(text, reflect.TypeFor[contract.Contract](), open); why != "" {
		return fmt.Errorf("%s: %s", contractFile, why)
	}
	var file struct {
		Evidence json.RawMessage `json:"evidence"`
	}
	if json.Unmarshal(text, &file) != nil || !bytes.HasPrefix(file.Evidence, []byte("{")) {
		return nil
	}
	type quantities struct {
		Quantities []contract.QuantitySpec `json:"quantities"`
	}
	if why := contract.Unfit(file.Evidence, reflect.TypeFor[quantities](), open); why != "" {
		return fmt.Errorf("%s: in evidence, %s", contractFile, why)
	}
	return nil
}

// ownErrors holds the errors that the file lists, of which Parse has made those
// that callers see, to what a program can answer.
func ownErrors(text []byte) error {
	var file struct {
		Errors []contract.ErrorSpec `json:"errors"`
	}
	if err := json.Unmarshal(text, &file); err != nil {
		return err
	}
	for i, e := range file.Errors {
		switch {
		case contract.OfServer(e.Code):
			return fmt.Errorf("/errors/%d/code is %q, which is about the request or the server and not about the tool's work: a program cannot answer it; write invalid_input, solver_failed or another code of api/errors.json", i, e.Code)
		case e.Code == contract.CodeInvalidInput && e.HTTPStatus != http.StatusBadRequest:
			return fmt.Errorf("/errors/%d/http_status is %d; a fault in the arguments is 400", i, e.HTTPStatus)
		}
	}
	return nil
}

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
		if side == "output_schema" {
			if err := told(schema, ""); err != nil {
				return err
			}
		}
	}
	return nil
}

// ofServer are members of an answer that the server writes, beside those of the output
// on some protocols.
var ofServer = []string{"artifacts", "confidence", "error", "error_code", "errors", "evidence", "job_id", "quantities", "status", "summary", "trust", "warnings"}

// ownFields refuses an output with a field of the server's name; text is the file.
func ownFields(text []byte) error {
	var file struct {
		Output struct {
			Properties map[string]json.RawMessage `json:"properties"`
		} `json:"output_schema"`
	}
	if err := json.Unmarshal(text, &file); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(file.Output.Properties)) {
		if slices.Contains(ofServer, strings.ToLower(name)) {
			return fmt.Errorf("output_schema: /properties/%s is a name under which the server itself writes something beside the output: choose another one", name)
		}
	}
	return nil
}

// told refuses an output that says nothing of a part of it: any figure could stand there,
// with nothing behind it.
func told(schema any, at string) error {
	s, ok := schema.(map[string]any)
	if !ok {
		return fmt.Errorf("output_schema: %s takes any value: give it a type", at)
	}
	properties, _ := s["properties"].(map[string]any)
	said := slices.ContainsFunc([]string{"type", "const", "enum", "$ref", "oneOf", "anyOf", "allOf"}, func(key string) bool { return s[key] != nil })
	types := fmt.Sprint(s["type"])
	switch {
	case !said:
		return fmt.Errorf("output_schema: %s takes any value: give it a type", cmp.Or(at, "the output"))
	case strings.Contains(types, "object") && properties == nil:
		return fmt.Errorf("output_schema: the object %s says nothing of its fields: list them in properties, with \"additionalProperties\": false", at)
	case strings.Contains(types, "array") && s["items"] == nil && s["prefixItems"] == nil:
		return fmt.Errorf("output_schema: the list %s says nothing of its items: describe them in items", at)
	}
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		if err := told(properties[name], at+"/properties/"+jsonvalue.Escape(name)); err != nil {
			return err
		}
	}
	definitions, _ := s["$defs"].(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(definitions)) {
		if err := told(definitions[name], "/$defs/"+jsonvalue.Escape(name)); err != nil {
			return err
		}
	}
	for _, key := range []string{"oneOf", "anyOf", "prefixItems"} {
		forms, _ := s[key].([]any)
		for i, form := range forms {
			if err := told(form, fmt.Sprintf("%s/%s/%d", at, key, i)); err != nil {
				return err
			}
		}
	}
	if items, has := s["items"]; has && items != false {
		return told(items, at+"/items")
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
			words, _ := p["description"].(string)
			if described && strings.TrimSpace(words) == "" && p["$ref"] == nil {
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

// fileArguments lists the properties with the format of a file argument.
func fileArguments(schema json.RawMessage) ([]string, error) {
	var top struct {
		Properties map[string]struct {
			Type   any // a list where an argument may be a number or a text
			Format string
		}
	}
	if err := json.Unmarshal(schema, &top); err != nil {
		return nil, fmt.Errorf("input_schema: %w", err)
	}
	var names []string
	for name, p := range top.Properties {
		if p.Format != fileFormat {
			continue
		}
		if p.Type != "string" {
			return nil, fmt.Errorf("input_schema: /properties/%s has the format %s and must be of type string", name, fileFormat)
		}
		names = append(names, name)
	}
	slices.Sort(names)
	return names, misplacedFile(schema, names)
}

// misplacedFile refuses the format of a file argument below the top level, where the
// program would get the reference and no file.
func misplacedFile(schema json.RawMessage, names []string) error {
	var root any
	if err := json.Unmarshal(schema, &root); err != nil {
		return err
	}
	return jsonvalue.Walk(root, func(at string, v any) error {
		part, _ := v.(map[string]any)
		if part["format"] == fileFormat && !slices.ContainsFunc(names, func(name string) bool { return at == "/properties/"+jsonvalue.Escape(name) }) {
			return fmt.Errorf("input_schema: %s has the format %s, which is of strings in the top level of the input: move it there, or leave the format out", at, fileFormat)
		}
		return nil
	})
}
