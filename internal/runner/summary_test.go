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

// A cut goes through no figure, and what stands behind a summary is kept: 25 is another
// number than 25400.5, and 25400.5 another one without its unit.
func TestACutSummaryHasNoPartOfAFigure(t *testing.T) {
	for limit := 40; limit < 120; limit++ {
		r := &contract.Result{Summary: strings.Repeat("The width is 25400.5 mm ± 0.5 mm of it ", 4), Metrics: map[string]any{}}
		got := summarize(r, nil, limit)
		rest := strings.NewReplacer("25400.5 mm", "", "± 0.5 mm", "").Replace(got)
		if utf8.RuneCountInString(got) > limit || strings.ContainsAny(rest, "0123456789±") {
			t.Errorf("limit %d: %q", limit, got)
		}
		r.Behind = " Stated: x 1 m."
		if got := summarize(r, nil, limit); utf8.RuneCountInString(got) > limit || !strings.HasSuffix(got, "... Stated: x 1 m. [limits: summary]") {
			t.Errorf("limit %d: %q", limit, got)
		}
	}
}
