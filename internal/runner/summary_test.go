package runner

import (
	"strings"
	"testing"
	"unicode/utf8"

	"atelier/internal/contract"
)

// Document 000: the summary includes a limits: note when something was cut,
// also where there is hardly room for it. 16 is the least that can be asked for.
func TestTheLimitsNoteIsNeverLeftOut(t *testing.T) {
	for limit := 16; limit < 120; limit++ {
		for _, notes := range [][]string{{"75 bytes of stdout cut off", "1000000 bytes of stderr cut off"}, nil} {
			r := &contract.Result{Summary: strings.Repeat("Längen ", 40), Metrics: map[string]any{}}
			got := summarize(r, notes, limit)
			if utf8.RuneCountInString(got) > limit || !strings.Contains(got, "[limits: ") || !strings.HasSuffix(got, "]") || r.Metrics["summary_truncated"] != true {
				t.Errorf("limit %d: %q", limit, got)
			}
		}
	}
}
