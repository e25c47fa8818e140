package plan

import (
	"slices"
	"testing"
)

// Words that make another circuit are asked about, and figures that no plan gives
// are named; requests that are read whole name nothing.
func TestNothingOfACircuitIsDropped(t *testing.T) {
	const rc = "RC low-pass with R = 1 kOhm and C = 1 uF"
	for _, text := range []string{"two " + rc[:11] + " in series with R = 1 kOhm and C = 1 uF", rc + ", second order", "two-stage " + rc, "cascaded " + rc, rc + " with a buffer", "Butterworth " + rc} {
		p := Read(text, Facts{})
		if !slices.ContainsFunc(p.Questions, func(q Question) bool { return q.Topic == "words" }) {
			t.Errorf("%q: questions %v, unread %q", text, p.Questions, p.Unread)
		}
	}
	for text, want := range map[string][]string{
		rc:                                      nil,
		rc + ", from 10 Hz to 10 kHz":           nil,
		rc + ", step response":                  nil,
		rc + ": gain at 10 kHz in dB?":          nil,
		rc + ", 5 V at 50 Hz: output voltage?":  nil,
		rc + ": what is the phase at 1 kHz?":    nil,
		rc + ", step of 5 V: ripple?":           {"ripple"},
		rc + ", step of 5 V: phase margin?":     {"phase margin"},
		rc + ", step of 5 V: overshoot in %?":   {"overshoot"},
		rc + ": efficiency at 1 kHz":            {"efficiency"},
		rc + ", peak in steady state over 5 ms": {"peak", "steady state"},
	} {
		p := Read(text, Facts{})
		if len(p.Questions) > 0 || !slices.Equal(p.Unread, want) || len(p.Unused) > 0 {
			t.Errorf("%q: unread %q, want %q; unused %q; %v", text, p.Unread, want, p.Unused, p.Questions)
		}
	}
}
