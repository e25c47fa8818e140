package answer

import (
	"strings"
	"testing"

	"atelier/internal/agent/plan"
)

// An answer begins with what it leaves out, and its evidence is not that of an
// answer in full.
func TestWhatWasNotReadComesFirst(t *testing.T) {
	f := Findings{Plan: &plan.Plan{Physics: plan.Circuit, Unread: []string{"50 Hz"}}, Solution: []byte(`{"evidence":{"trust":"verified","reasons":["x."]}}`), Summary: "v(out) is 1 V."}
	text, err := Write(f)
	if err != nil || !strings.HasPrefix(text, `Not answered: "50 Hz"`) || !strings.Contains(text, "not answered in full") || strings.Contains(text, "Evidence: verified") {
		t.Errorf("%v: %s", err, text)
	}
	f.Plan.Unread, f.Plan.Unused = nil, []string{"80 °C"}
	if text, err = Write(f); err != nil || !strings.HasPrefix(text, `Not used: "80 °C"`) || !strings.Contains(text, `not answered in full: without "80 °C"`) || strings.Contains(text, "Evidence: verified") {
		t.Errorf("%v: %s", err, text)
	}
	f.Plan.Unused = nil
	if text, err = Write(f); err != nil || !strings.Contains(text, "Evidence: verified") || strings.Contains(text, "answered") {
		t.Errorf("%v: %s", err, text)
	}
}
