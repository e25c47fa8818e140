package contract

import (
	"encoding/json"
	"strings"
	"testing"
)

// withPort is a contract in the manner of mlx.load: faults of
// /port are told as invalid_port.
func withPort(t *testing.T, fields ...string) ([]byte, error) {
	t.Helper()
	file := minimal(t, func(m map[string]any) {
		m["input_schema"] = map[string]any{"type": "object", "required": []string{"model", "port"}, "additionalProperties": false,
			"properties": map[string]any{
				"model": map[string]any{"type": "string", "minLength": 1},
				"port":  map[string]any{"type": "integer", "minimum": 8100, "maximum": 8139},
				"hosts": map[string]any{"type": "array", "items": map[string]any{"$ref": "#/$defs/host"}},
				"a/b":   map[string]any{"anyOf": []any{map[string]any{"type": "object", "properties": map[string]any{"c": map[string]any{}}}}},
			},
			"$defs": map[string]any{"host": map[string]any{"type": "object", "properties": map[string]any{"name": map[string]any{"type": "string"}}}},
		}
		m["examples"] = []any{map[string]any{"title": "t", "input": map[string]any{"model": "m", "port": 8100}, "notes": ""}}
		m["errors"] = []any{
			map[string]any{"code": CodeInvalidInput, "http_status": 400, "when": "w"},
			map[string]any{"code": CodeNotFound, "http_status": 404, "when": "w"},
			map[string]any{"code": CodeConflict, "http_status": 400, "when": "w", "fields": fields},
		}
	})
	_, err := Parse(file)
	return file, err
}

func TestFieldsOfAnErrorAreArguments(t *testing.T) {
	for _, good := range []string{"/port", "/hosts", "/hosts/0/name", "/a~1b/c"} {
		if _, err := withPort(t, good); err != nil {
			t.Errorf("%s: %v", good, err)
		}
	}
	for _, bad := range []string{"port", "/ports", "/port/x", "/hosts/name", "/hosts/0/nam", "", "/a/b"} {
		if _, err := withPort(t, bad); err == nil || !strings.Contains(err.Error(), "argument") {
			t.Errorf("%s: %v", bad, err)
		}
	}
}

func TestFaultsLeaveInTheContractsOwnWords(t *testing.T) {
	file, err := withPort(t, "/port", "/hosts")
	if err != nil {
		t.Fatal(err)
	}
	c, err := Parse(file)
	if err != nil {
		t.Fatal(err)
	}
	for input, want := range map[string]string{
		`{"model":"m","port":8000}`:                      CodeConflict,
		`{"model":"m","port":"x"}`:                       CodeConflict,
		`{"model":"m"}`:                                  CodeConflict, // the missing argument is the one
		`{"model":"m","port":8100,"hosts":[{"name":1}]}`: CodeConflict, // below a listed argument
		`{"model":"m","port":8000,"hosts":7}`:            CodeConflict, // two faults of one code
		`{"model":"","port":8100}`:                       CodeInvalidRequest,
		`{"port":8000}`:                                  CodeInvalidRequest, // two faults of two codes
		`{"model":"m","port":8100,"more":1}`:             CodeInvalidRequest,
		`[]`:                                             CodeInvalidRequest,
		`{`:                                              CodeInvalidRequest,
		"{\"model\":\"\xff\",\"port\":8100}":             CodeInvalidRequest,
		`{"model":"m","port":1e999999999}`:               CodeConflict,
		`{"model":"m","port":8100,"portable":1,"hosts":1}`: CodeInvalidRequest,
	} {
		faults := c.ValidateInput(json.RawMessage(input))
		if len(faults) == 0 {
			t.Fatalf("%s validates", input)
		}
		for _, fault := range c.Answered(faults) { // a second time, as the runner does
			if status := c.ErrorStatus(fault.Code); fault.Code != want || status != 400 || fault.Details["fault"] == nil {
				t.Errorf("%s: %+v %d, want %s 400", input, fault, status, want)
			}
		}
	}
	// A tool's own error keeps its code; the status is the contract's, or the catalogue's.
	for code, status := range map[string]int{CodeConflict: 400, CodeTimeout: 504} {
		e := c.Answered([]*Error{Errorf(code, "x").At("/port")})[0]
		if e.Code != code || c.ErrorStatus(code) != status || e.Details != nil {
			t.Errorf("%+v", e)
		}
	}
	// What a tool itself refuses as input leaves like what the schema refuses.
	if e := c.Answered([]*Error{Errorf(CodeInvalidInput, "x").At("/port")})[0]; e.Code != CodeConflict || c.InvocationCode(e) != "INVALID_VALUE" {
		t.Errorf("%+v", e)
	}
	if e := c.Answered([]*Error{Errorf(CodeInvalidInput, "x")})[0]; e.Code != CodeInvalidRequest || c.InvocationCode(e) != "INVALID_VALUE" {
		t.Errorf("%+v", e)
	}
	var listed []string
	for _, e := range c.Document().Errors {
		listed = append(listed, e.Code)
	}
	if strings.Join(listed, " ") != "invalid_request not_found conflict" {
		t.Errorf("%v", listed)
	}
}
