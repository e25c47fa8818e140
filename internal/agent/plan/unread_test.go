package plan

import (
	"slices"
	"strings"
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

// Of two questions about one circuit both are answered: every probe that they need is
// there, and where the output is at the ends of either part, neither moves.
func TestTwoQuestionsOfACircuit(t *testing.T) {
	const rc, divider = "RC low-pass with R = 1 kOhm and C = 1 uF", "voltage divider of 12 V with R1 = 10 kOhm and R2 = 5 kOhm"
	for text, want := range map[string][]string{
		rc + ", gain and phase at 1 kHz":                                       {"v(out)", "vp(out)"},
		rc + ", phase and gain at 1 kHz":                                       {"v(out)", "vp(out)"},
		rc + ", gain in dB and phase at 1 kHz":                                 {"vdb(out)", "vp(out)"},
		rc + ", output voltage and phase at 1 kHz":                             {"v(out)", "vp(out)"},
		rc + ", phase at 1 kHz":                                                {"vp(out)"},
		divider + ": what is the voltage and the current?":                     {"v(out)", "i(v1)"},
		divider + ": voltage across R1 and voltage across R2?":                 {"v(out)", "v(in,out)"},
		divider + ": voltage over the lower resistor and voltage on R1":        {"v(out)", "v(in,out)"},
		divider + ": what is the voltage across the upper resistor?":           {"v(out)"},
		divider + ": voltage across R2, voltage across the lower resistor too": {"v(out)"},
	} {
		p := Read(text, Facts{})
		if len(p.Questions) > 0 || len(p.Unused)+len(p.Unread) > 0 || !slices.Equal(p.Network.Probes, want) {
			t.Errorf("%q: probes %q, want %q; unused %q, unread %q; %v", text, p.Network.Probes, want, p.Unused, p.Unread, p.Questions)
		}
		upper := "R1 in out 10000"
		if strings.HasSuffix(text, "upper resistor?") {
			upper = "R2 in out 5000"
		}
		if strings.HasPrefix(text, divider) && !strings.Contains(p.Network.Netlist, upper) {
			t.Errorf("%q: %s", text, p.Network.Netlist)
		}
	}
}
