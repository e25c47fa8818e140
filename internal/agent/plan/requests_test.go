package plan_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"atelier/internal/agent/plan"
)

// ask is what a request is to bring that must not be answered.
const ask = "ask"

// solveRequests are requests for solids, heat and flow with their conditions by
// hand in SI units (a force by its sign conventions, 80 °C = 353.15 K, 2 bar =
// 2e5 Pa, a mass times 9.80665 m/s²), and what is to be told as not used.
var solveRequests = []struct{ text, conditions, told string }{
	{"steel, fixed at the bottom, 500 N downwards on the top", "fixed z_min; force z_max [0 0 -500]", ""},
	{"Please clamp my aluminium bracket at the left and load the right end with 300 N downwards; I want to know whether it bends too much", "fixed x_min; force x_max [0 0 -300]", ""},
	{"steel, fixed at the bottom, 2 bar on the top and 300 N to the right on the right face", "fixed z_min; pressure z_max 200000; force x_max [300 0 0]", ""},
	{"steel shelf, fixed at the left, a mass of 10 kg sits on the top", "fixed x_min; force z_max [0 0 -98.0665]", ""},
	{"steel instead of aluminium, fixed at the bottom, 500 N downwards on the top", "fixed z_min; force z_max [0 0 -500]", ""},
	{"copper, 80 °C at the left, 20 °C at the right: temperature?", "fixed_temp x_min 353.15; fixed_temp x_max 293.15", ""},
	{"copper, 10 W taken out at the left, right at 20 °C", "heat_power x_min -10; fixed_temp x_max 293.15", ""},
	{"aluminium, 10 W into the bottom, top at 300 K, all other faces insulated", "heat_power z_min 10; fixed_temp z_max 300", ""},
	{"water enters at the left with 0.1 m/s and leaves on the right", "inlet x_min [0.1 0 0]; outlet x_max 0", ""},

	{"steel, fixed at the bottom, 500 N downwards on the top for 5 s", "fixed z_min; force z_max [0 0 -500]", "5 s"},
	{"half tube of steel, fixed at the bottom, 500 N downwards on the top", "fixed z_min; force z_max [0 0 -500]", ""},
	{"a shallow arch, steel, fixed at the left, 500 N downwards on the right", "fixed x_min; force x_max [0 0 -500]", ""},
	{"steel tube, fixed at the bottom, half of 500 N downwards on the top", ask, ""},
	{"steel, fixed at the bottom, 500 N downwards suddenly applied on the top", "fixed z_min; force z_max [0 0 -500]", "suddenly"},
	{"steel with holes filled, fixed at the bottom, 500 N downwards on the top", "fixed z_min; force z_max [0 0 -500]", "filled"},
	{"steel, fixed at the bottom, load of 500 N ± 10 % downwards on the top", "fixed z_min; force z_max [0 0 -500]", "10 %"},
	{"steel, fixed at the bottom, 500 N downwards on the top, at 300 °C", "fixed z_min; force z_max [0 0 -500]", "300 °C"},
	{"water at 80 °C enters at the left with 0.1 m/s and leaves on the right", "inlet x_min [0.1 0 0]; outlet x_max 0", "80 °C"},
	{"copper, 80 °C at the left, 20 °C at the right, with radiation", "fixed_temp x_min 353.15; fixed_temp x_max 293.15", "radiation"},

	{"steel, fixed at the bottom, 500 N downwards on the top, without the support", ask, ""},
	{"steel, fixed at the bottom except in x, 500 N downwards on the top", ask, ""},
	{"steel, not fixed at the bottom, 500 N downwards on the top", ask, ""},
	{"steel, fixed at the bottom, twice 500 N downwards on the top", ask, ""},
	{"steel, fixed at the bottom, 500 N downwards on the top, direction reversed", ask, ""},
	{"steel, fixed at the bottom, 500 N downwards on the top (thickness doubled)", ask, ""},
	{"steel, fixed at the bottom, either 500 N or 700 N downwards on the top", ask, ""},
	{"steel, fixed at the bottom, 500 N downwards on the top, symmetrical", ask, ""},
	{"steel, fixed at the bottom, 500 N downwards on the top, large deformation", ask, ""},
	{"copper, 80 °C at the left, 20 °C at the right, insulated at the right", ask, ""},
	{"copper, 80 °C at the left but only for 5 s, 20 °C at the right", ask, ""},
	{"water enters at the left with 0.1 m/s and leaves on the right, flow reversed", ask, ""},
	{"water enters at the left with 0.1 m/s and leaves on the right, turbulent", ask, ""},

	// statistics are no plan's: nothing of them may be answered
	{"what is the mean of 1, 2, 3, 4, 100?", ask, ""},
	{"t test of a: 1 2 3 b: 4 5 6", ask, ""},
	{"regression of y on x: x 1 2 3, y 2 4 6", ask, ""},
	{"mean temperature of 20 °C, 30 °C and 40 °C", ask, ""},
	{"average speed of 10 m/s, 20 m/s and 30 m/s", ask, ""},
	{"standard deviation of 5 N, 6 N, 7 N", ask, ""},
	{"median of 3 V, 5 V and 7 V", ask, ""},
	{"is there a significant difference between 10 N, 12 N, 11 N and 20 N, 22 N, 21 N?", ask, ""},
	{"linear regression of current 1 A, 2 A, 3 A on voltage 2 V, 4 V, 6 V", ask, ""},
	{"confidence interval of the resistance from 99 ohm, 101 ohm, 100 ohm", ask, ""},
	{"p-value of the two samples 1 kOhm and 2 kOhm", ask, ""},
}

func TestNoRequestIsAnsweredForAnother(t *testing.T) {
	right, told, asked := 0, 0, 0
	for _, q := range solveRequests {
		p := read(q.text)
		left := append(slices.Clone(p.Unread), p.Unused...)
		got := ask
		if len(p.Questions) == 0 {
			got = said(p)
		}
		switch {
		case got != q.conditions:
			t.Errorf("%q:\n%s, want\n%s (told %q, asks %q)", q.text, got, q.conditions, left, p.Asks())
		case got == ask:
			asked++
		case q.told == "" && len(left) == 0:
			right++
		case slices.Equal(left, []string{q.told}):
			told++
		default:
			t.Errorf("%q: told %q, want %q", q.text, left, q.told)
		}
	}
	t.Logf("of %d requests: right %d, right and what is not used is told %d, asked about %d", len(solveRequests), right, told, asked)
}

// said writes conditions as the table has them.
func said(p *plan.Plan) string {
	var parts []string
	for _, c := range p.Conditions {
		text := string(c.Kind)
		for _, at := range c.Places {
			text += " " + at.String()
		}
		switch {
		case c.Vector != nil:
			text += fmt.Sprintf(" %.6g", c.Vector)
		case c.Kind != plan.Fixed:
			text += fmt.Sprintf(" %g", c.Value)
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, "; ")
}
