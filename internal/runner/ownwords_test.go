package runner

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"atelier/internal/contract"
	"atelier/internal/evidence"
)

// Whatever a program from outside says, the server's word of its figures stands behind it,
// also where the sentence is too long.
func TestWordsOfAProgramAreItsOwn(t *testing.T) {
	for words, c := range map[string]struct {
		passed bool
		limit  int64
		want   string
	}{
		"It is 2 m, converged.":            {true, 4000, "read says: It is 2 m, converged. Stated: x 2 m ± 0 (verified)."},
		"It is fine.":                      {false, 4000, "read says: It is fine. Stated: x 2 m ± 0 (suspect)."},
		strings.Repeat("It is fine. ", 20): {false, 100, "Stated: x 2 m ± 0 (suspect). [limits: summary]"},
	} {
		tool := contract.Bind(contractOf(measured, "read", `{}`), func(context.Context, *contract.Call, struct{}) (*contract.Result, error) {
			result := stated(evidence.Holds("sound", evidence.Exact, "/size/x", c.passed, "It is sound."))
			result.Summary, result.OwnWords = words, true
			return result, nil
		})
		limits := tool.Contract.DefaultLimits()
		limits.MaxSummaryCharacters = c.limit
		got := New()(t.Context(), &Request{Tool: &tool, Input: json.RawMessage(`{}`), JobID: "job_1", Dir: t.TempDir(), Limits: limits})
		if got.Status != contract.StatusOK || !strings.HasSuffix(got.Summary, c.want) || !strings.HasPrefix(got.Summary, "read says: ") {
			t.Errorf("%q %v, want %q", got.Summary, got.Errors, c.want)
		}
	}
}
