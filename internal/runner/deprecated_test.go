package runner

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"atelier/internal/contract"
)

// api/spec/invocation.md, compatibility: every call announces what it uses of a
// tool and that the next major will not have.
func TestACallTellsOfWhatIsDeprecated(t *testing.T) {
	nested := strings.Replace(file, `"properties":{"n":{"type":"integer"}}},
"output`, `"properties":{"n":{"type":"integer"},"old":{"type":"integer","deprecated":true,"description":"Give n."},
"list":{"type":"array","items":{"type":"object","properties":{"a~b":{"type":"integer","deprecated":true}}}}}},
"output`, 1)
	gone := strings.Replace(file, `"stability":"experimental"`, `"stability":"deprecated","deprecation":{"since":"1.0.0","replacement":"better","removal":"2.0.0"}`, 1)
	for _, row := range []struct{ contract, input, code, says string }{
		{file, `{"n":1}`, "", ""},
		{nested, `{"n":1,"list":[{}]}`, "", ""},
		{nested, `{"old":1}`, "deprecated_argument", "/old is deprecated and still works. Give n."},
		{nested, `{"list":[{},{"a~b":1}]}`, "deprecated_argument", "/list/1/a~0b is deprecated"},
		{gone, `{"n":1}`, "deprecated", "since 1.0.0: use better. It will be removed in 2.0.0."},
	} {
		tool := contract.Bind([]byte(row.contract), func(context.Context, *contract.Call, struct{}) (*contract.Result, error) {
			return &contract.Result{Output: input{1}}, nil
		})
		if err := tool.Check(); err != nil {
			t.Fatal(err)
		}
		got := New()(context.Background(), &Request{Tool: &tool, Input: json.RawMessage(row.input), JobID: "job_1", Dir: t.TempDir(), Limits: contract.DefaultLimits()})
		if row.code == "" {
			if got.Status != contract.StatusOK || len(got.Warnings) != 0 {
				t.Errorf("%s: %+v", row.input, got)
			}
			continue
		}
		if len(got.Warnings) != 1 || got.Warnings[0].Code != row.code || !strings.Contains(got.Warnings[0].Message, row.says) {
			t.Errorf("%s: %+v", row.input, got)
		}
	}
}
