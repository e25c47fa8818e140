package contract

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"atelier/internal/jsonvalue"
)

// This file is the one place where a fault gets the code and the HTTP status
// under which it leaves, whatever protocol the call came by. Document 003 has
// words of its own for the same faults: InvocationCode.

// Answered gives the errors of a call of this tool the codes that callers see,
// and returns them. A fault in an argument takes the code of the ErrorSpec that
// lists the argument in its fields, where all faults take the same one, and is
// invalid_request otherwise. A tool's own error keeps its code. The kind of an
// argument's fault stays in details.fault. Answering twice changes nothing.
func (c *Contract) Answered(errs []*Error) []*Error {
	code, mixed := "", false
	for _, e := range errs {
		if !c.isInputFault(e) {
			continue
		}
		own := c.fieldCode(e.Field)
		mixed = mixed || code != "" && own != code
		code = own
	}
	for _, e := range errs {
		if !c.isInputFault(e) {
			continue
		}
		if e.Code == CodeInvalidInput && e.Details["fault"] == nil {
			_ = e.With("fault", FaultValue)
		}
		if e.Code = code; mixed {
			e.Code = CodeInvalidRequest
		}
		e.Retryable = Lookup(e.Code).Retryable
	}
	return errs
}

// InArgument says whether an error is a fault in an argument of the call, not in
// what stands around it.
func InArgument(e *Error) bool { return e.Details["fault"] != nil }

func (c *Contract) isInputFault(e *Error) bool {
	return e.Code == CodeInvalidInput || e.Code == CodeInvalidRequest || InArgument(e) && e.Code == c.fieldCode(e.Field)
}

// fieldCode is the code that the contract gives to faults of an argument.
func (c *Contract) fieldCode(field string) string {
	for _, spec := range c.Errors {
		for _, f := range spec.Fields {
			if field == f || strings.HasPrefix(field, f+"/") {
				return spec.Code
			}
		}
	}
	return CodeInvalidRequest
}

// answeredSpecs turns the errors that a contract file lists into those that
// callers see: invalid_input, the word inside the program, is invalid_request,
// which any call can be answered with.
func answeredSpecs(listed []ErrorSpec) []ErrorSpec {
	general := ErrorSpec{CodeInvalidRequest, Lookup(CodeInvalidRequest).HTTPStatus, Lookup(CodeInvalidInput).Meaning, nil}
	specs := make([]ErrorSpec, 0, len(listed)+1)
	for _, e := range append(slices.Clone(listed), general) {
		if e.Code == CodeInvalidInput {
			e.Code, e.HTTPStatus = general.Code, general.HTTPStatus
		}
		if !slices.ContainsFunc(specs, func(s ErrorSpec) bool { return s.Code == e.Code }) {
			specs = append(specs, e)
		}
	}
	return specs
}

// HTTPStatus is the status of errors outside the dialect of a tool: that of the
// first error's code in the catalogue.
func HTTPStatus(errs []*Error) int { return Lookup(errs[0].Code).HTTPStatus }

// ErrorStatus is the HTTP status that the direct dialect gives to a code: the
// contract's own where it lists the code, else the catalogue's.
func (c *Contract) ErrorStatus(code string) int {
	for _, e := range c.Errors {
		if e.Code == code {
			return e.HTTPStatus
		}
	}
	return Lookup(code).HTTPStatus
}

// GeneralCodes are those that a call of any tool may be answered with, beside those
// of its contract: of its files, its limits, and faults of ours.
func GeneralCodes() []string {
	return []string{
		CodeInvalidRequest, CodeNotFound, CodeConflict, CodeCancelled, CodeTooManyRequests, CodePayloadTooLarge,
		CodeTimeout, CodeMissingDependency, CodeMemoryExceeded, CodeOutputFlood,
		CodeArtifactTooLarge, CodeArtifactTooMany, CodeQuotaExceeded,
		CodeInvalidToolOutput, CodeInternal, CodeInterrupted, CodeStorageUnavailable,
		CodeFileNotFound, CodeFileOutsideRoots, CodeFileEmpty, CodeFileUnreadable,
	}
}

// GeneralErrors are the general codes that the contract does not list itself.
func (c *Contract) GeneralErrors() []ErrorSpec {
	specs := []ErrorSpec{}
	for _, code := range GeneralCodes() {
		if !slices.ContainsFunc(c.Errors, func(e ErrorSpec) bool { return e.Code == code }) {
			specs = append(specs, ErrorSpec{Code: code, HTTPStatus: c.ErrorStatus(code), When: Lookup(code).Meaning})
		}
	}
	return specs
}

// RanStatus is the HTTP status of a ToolResult of a call that became a job: a
// fault of the call keeps its status also where only the running tool could find
// it; a tool that ran and failed is 200, because clients repeat what answers 5xx.
func RanStatus(errs []*Error) int {
	switch {
	case len(errs) == 0:
		return http.StatusOK
	case InArgument(errs[0]):
		return HTTPStatus(errs)
	}
	switch errs[0].Code {
	case CodeInvalidRequest, CodeUnknownTool, CodePayloadTooLarge, CodeTooManyRequests:
		return HTTPStatus(errs)
	}
	return http.StatusOK
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
	name := jsonvalue.Unescape(path[0])
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
		if root, ok = object[jsonvalue.Unescape(token)]; !ok {
			return nil, false
		}
	}
	return root, true
}
