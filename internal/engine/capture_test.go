package engine

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"atelier/internal/contract"
)

// At any limit a cut text is either the beginning of the whole or says where
// something is missing: its end is never joined to its head in silence.
func TestACutTextIsHonestAtAnyLimit(t *testing.T) {
	whole := "Note: 1 analysis\n"
	for i := range 20 {
		whole += fmt.Sprintf("step %d of Größe\n", i)
	}
	for limit := int64(1); limit < int64(len(whole)); limit++ {
		cut := Cut(contract.Log{Stdout: whole, Stderr: "short"}, contract.Limits{MaxStdoutBytes: limit, MaxStderrBytes: 5})
		text := cut.Stdout
		head, tail, marked := strings.Cut(text, "[…")
		if int64(len(text)) > limit || !utf8.ValidString(text) || !strings.HasPrefix(whole, strings.TrimSuffix(head, "\n")) || tail != "" && !marked {
			t.Errorf("limit %d: %q", limit, text)
		}
		if lost := cut.StdoutLost; lost <= 0 || lost > int64(len(whole)) {
			t.Errorf("limit %d: %d bytes lost", limit, lost)
		}
		if cut.Stderr != "short" || cut.StderrLost != 0 {
			t.Errorf("what fits was cut: %+v", cut)
		}
	}
}
