package answer_test

import (
	"encoding/json"
	"strings"
	"testing"

	"atelier/internal/agent/answer"
	"atelier/internal/agent/plan"
)

func write(t *testing.T, prompt, output string) string {
	t.Helper()
	p := plan.Read(prompt, plan.Facts{File: "file:part.step"})
	if len(p.Questions) > 0 {
		t.Fatal(p.Asks())
	}
	text, err := answer.Write(answer.Findings{Plan: p, Places: []string{"the bottom (z_min)"}, Solution: json.RawMessage(output)})
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func holds(t *testing.T, text string, sentences ...string) {
	t.Helper()
	for _, s := range sentences {
		if !strings.Contains(text, s) {
			t.Errorf("the answer lacks %q:\n%s", s, text)
		}
	}
}

// The verdicts follow from the figures: 235 MPa over 470 MPa is a safety factor
// of 0.5, over 117.5 MPa one of 2; from a peak that grows with refinement none
// follows, and none from the stress elsewhere (at a hole the 99th percentile is
// about half of the peak).
func TestVerdicts(t *testing.T) {
	const prompt = "steel, fixed at the bottom, 500 N on top, stress within 5 %"
	yields := write(t, prompt, `{"von_mises":{"max":4.7e8,"p99":1e8,"at":[0,0,0.01],"singularity":"not_seen"},
		"max_displacement":{"value":1.5e-4,"at":[0.001,0.02,0.5]},"error_estimate":{"relative_energy_norm":0.08},
		"loads":[{"bc":0,"type":"fixed","place":"attribute 1","force":[1e-12,0,500]}],
		"evidence":{"trust":"converged","reasons":["von Mises stress is converged.","No error bar covers this figure."],"accuracy":0.05,"checks":[],"inputs":[]}}`)
	holds(t, yields, "470 MPa at (0, 0, 10) mm", "is 0.5: it yields", "150 µm at (1, 20, 500) mm",
		"at the bottom (z_min) reacts with (0, 0, 500) N", "accuracy of 5 % is not met: the estimated error of the stresses is 8 %",
		"Evidence: converged. von Mises stress is converged. No error bar covers this figure.",
		"Steel S235 is taken from the table", "the grade was not named", "Source of E, ν: EN 1993-1-1:2005, 3.2.6; yield strength: EN 10025-2")
	singular := write(t, prompt, `{"von_mises":{"max":9e8,"p99":1.175e8,"at":[0,0,0],"singularity":"likely"},"error_estimate":{"relative_energy_norm":0.03}}`)
	holds(t, singular, "should not be quoted", "99 % of the volume stays below 117.5 MPa", "no safety factor follows", "accuracy of 5 % is met on the average", "a peak may be off by more")
	if strings.Contains(singular, "not yield") {
		t.Errorf("a verdict was drawn from a singular peak:\n%s", singular)
	}
	holds(t, write(t, prompt, `{"von_mises":{"max":1.175e8,"p99":1e8,"at":[0,0,0],"singularity":"not_seen"}}`), "is 2: it does not yield")
	brittle := write(t, "glass, fixed at the bottom, 500 N on top", `{"von_mises":{"max":1e6,"p99":1e6,"at":[0,0,0],"singularity":"not_seen"}}`)
	holds(t, brittle, "soda-lime glass has no yield strength in the table", "Source of E, ν: EN 572-1")
	if strings.Contains(brittle, "safety factor of the peak") {
		t.Error("a brittle material was given a safety factor against yield")
	}
}

// Values at several frequencies are told one by one, a phase in degrees: -π/4 is -45°.
func TestValuesAtFrequenciesAreTold(t *testing.T) {
	text := write(t, "RC low-pass with R = 1 kOhm and C = 1 uF: gain and phase at 1 kHz and 10 kHz", `{"measurements":{"magnitude_out_at_1000_hz":0.5,"phase_out_at_1000_hz":-0.7853981634,"magnitude_out_at_10000_hz":0.25},
		"quantities":[{"figure":"/measurements/phase_out_at_1000_hz","unit":"rad","trust":"verified"}]}`)
	holds(t, text, "v(out) at 1 kHz: 0.5.", "vp(out) at 1 kHz: -45°.", "v(out) at 10 kHz: 0.25.", `Not answered: "vp(out) at 10 kHz"`)
}

// A load of 500 N downwards 100 mm beside the support is balanced by 500 N upwards and
// -500 N · 0.1 m about y.
func TestReactionMomentIsTold(t *testing.T) {
	const bar, moment = "steel, fixed at the bottom, 500 N on top: what are the ", "is (0, -50, 0) N·m"
	loads := `{"loads":[{"bc":0,"type":"fixed","force":[1e-12,0,500],"moment":[3e-6,-50,2e-7],"centroid":[0.001,0.002,0]}]}`
	holds(t, write(t, bar+"reaction force and moment?", loads), "reacts with (0, 0, 500) N", "about the centroid of the support, (1, 2, 0) mm, "+moment, "No error bar covers a moment")
	if text := write(t, bar+"reactions?", loads); strings.Contains(text, "N·m") || strings.Contains(text, "Not used") {
		t.Errorf("only forces were asked for:\n%s", text)
	}
	holds(t, write(t, bar+"reaction moments?", `{"loads":[{"bc":0,"type":"fixed","force":[0,0,500]}]}`), "gives no moment of a reaction")
}

func TestHeatAndFlow(t *testing.T) {
	heat := write(t, "copper, bottom at 100 degC, top at 20 degC",
		`{"temperature":{"min":293.15,"max":373.15,"min_at":[0,0,0.1],"max_at":[0,0,0],"mean":333.15},"loads":[{"bc":0,"type":"fixed_temp","heat_rate":-12.5}]}`)
	holds(t, heat, "from 293.15 K (20 °C) at (0, 0, 100) mm to 373.15 K (100 °C)", "Through the bottom (z_min) 12.5 W leaves", "k = 388 W/(m·K)", "the temper was not named", "Source of k: Copper Development Association", "radiation")
	flow := write(t, "water, inlet left with 1 m/s, outlet right",
		`{"max_speed":{"value":1.5,"at":[0,0,0]},"pressure_drop":2500,"reynolds":{"value":50000,"note":""},"steady":false}`)
	holds(t, flow, "1.5 m/s", "2.5 kPa", "no more than a hint", "still changes at the end", "turbulence")
}
