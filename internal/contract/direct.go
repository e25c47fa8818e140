package contract

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Direct is the code and the HTTP status by which document 004's dialect tells
// the errors of a call. The first error decides. A fault in an argument takes
// the code of the ErrorSpec that lists the argument in its fields, provided that
// all faults take the same one; every other fault of the input is
// invalid_request. A tool's own error keeps its code, with the contract's status.
func (c *Contract) Direct(errs []*Error) (code string, status int) {
	code = c.directCode(errs[0])
	for _, e := range errs[1:] {
		if c.directCode(e) != code && isInputFault(errs[0]) {
			code = CodeInvalidRequest
		}
	}
	return code, c.ErrorStatus(code)
}

func isInputFault(e *Error) bool { return e.Code == CodeInvalidInput || e.Code == CodeInvalidRequest }

func (c *Contract) directCode(e *Error) string {
	if !isInputFault(e) {
		return e.Code
	}
	for _, spec := range c.Errors {
		for _, field := range spec.Fields {
			if e.Field == field || strings.HasPrefix(e.Field, field+"/") {
				return spec.Code
			}
		}
	}
	return CodeInvalidRequest
}

// DirectErrors lists the errors that document 004's dialect tells of this tool,
// in the contract's order: invalid_input is invalid_request there.
func (c *Contract) DirectErrors() []ErrorSpec {
	specs := []ErrorSpec{}
	for _, e := range c.Errors {
		if e.Code == CodeInvalidInput {
			e.Code, e.HTTPStatus = CodeInvalidRequest, Lookup(CodeInvalidRequest).HTTPStatus
		}
		if !slices.ContainsFunc(specs, func(s ErrorSpec) bool { return s.Code == e.Code }) {
			specs = append(specs, e)
		}
	}
	return specs
}

// checkFields refuses an error whose fields name no argument, or one that
// another error names too.
func (c *Contract) checkFields() error {
	var schema any
	if err := json.Unmarshal(c.InputSchema, &schema); err != nil {
		return err
	}
	owner := map[string]string{}
	for _, e := range c.Errors {
		for _, field := range e.Fields {
			if !strings.HasPrefix(field, "/") || !hasArgument(schema, schema, strings.Split(field[1:], "/"), 0) {
				return fmt.Errorf("error %q: the input schema has no argument %q", e.Code, field)
			}
			if other, taken := owner[field]; taken {
				return fmt.Errorf("the faults of %q have two codes, %s and %s", field, other, e.Code)
			}
			owner[field] = e.Code
		}
	}
	return nil
}

// hasArgument follows a pointer into instances through the schema that describes
// them: properties, items, local references, and the branches of a choice.
func hasArgument(root, schema any, path []string, depth int) bool {
	s, ok := schema.(map[string]any)
	if !ok || depth > 64 { // a schema that refers to itself
		return false
	}
	if len(path) == 0 {
		return true
	}
	if ref, ok := s["$ref"].(string); ok {
		if target, found := localTarget(root, ref); found && hasArgument(root, target, path, depth+1) {
			return true
		}
	}
	name := strings.NewReplacer("~1", "/", "~0", "~").Replace(path[0])
	if properties, ok := s["properties"].(map[string]any); ok {
		if next, found := properties[name]; found && hasArgument(root, next, path[1:], depth+1) {
			return true
		}
	}
	if _, err := strconv.Atoi(name); err == nil && hasArgument(root, s["items"], path[1:], depth+1) {
		return true
	}
	for _, choice := range []string{"allOf", "anyOf", "oneOf"} {
		branches, _ := s[choice].([]any)
		for _, branch := range branches {
			if hasArgument(root, branch, path, depth+1) {
				return true
			}
		}
	}
	return false
}

func localTarget(root any, ref string) (any, bool) {
	path, ok := strings.CutPrefix(ref, "#/")
	if !ok {
		return nil, false
	}
	for _, token := range strings.Split(path, "/") {
		object, ok := root.(map[string]any)
		if !ok {
			return nil, false
		}
		if root, ok = object[strings.NewReplacer("~1", "/", "~0", "~").Replace(token)]; !ok {
			return nil, false
		}
	}
	return root, true
}
