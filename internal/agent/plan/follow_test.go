package plan_test

import (
	"fmt"
	"strings"
	"testing"

	"atelier/internal/agent/plan"
)

// told is what a plan comes to: its material and conditions, or what it asks about.
func told(p *plan.Plan) string {
	if len(p.Questions) > 0 {
		var topics []string
		for _, q := range p.Questions {
			topics = append(topics, q.Topic)
		}
		return "asks " + strings.Join(topics, " ")
	}
	s := p.Material.Name
	for _, c := range p.Conditions {
		s += fmt.Sprintf(", %s", c.Kind)
		for _, pl := range c.Places {
			s += " " + pl.String()
		}
		switch {
		case c.Vector != nil:
			s += fmt.Sprintf(" %.6g", c.Vector)
		case c.Kind == plan.FixedTemp:
			s += fmt.Sprintf(" %.6g", c.Value-273.15)
		case c.Value != 0:
			s += fmt.Sprintf(" %.6g", c.Value)
		}
		if c.Ambient != 0 {
			s += fmt.Sprintf(" to %.6g", c.Ambient-273.15)
		}
	}
	return s
}

// talk says messages one after another and tells the last plan.
func talk(messages ...string) *plan.Plan {
	var t plan.Talk
	var p *plan.Plan
	for _, m := range messages {
		p, t = t.Next(m, plan.Facts{File: "file:part.step"})
	}
	return p
}

const (
	filmed  = "aluminium, bottom at 60 °C, top convection 500 W/m2K to air at 10 °C"
	pressed = "aluminium, fixed at the bottom, 2 kN on top and 500 N to the right on the left face"
	oneLoad = "steel, fixed at the bottom, 500 N on top"
	between = "aluminium, bottom at 60 °C, top at 10 °C"
)

// Every message changes the plan that is in force as its words say, and nothing else:
// what is replaced is gone, what is not said stays, and what is not clear is asked about.
func TestConversations(t *testing.T) {
	held := "aluminium of EN 1999, fixed z_min, force "
	film := "aluminium of EN 1999, fixed_temp z_min 60, convection z_max 500 to "
	for _, c := range []struct {
		want string
		said []string
	}{
		{film + "30", []string{filmed, "now air at 30 °C"}},
		{film + "30", []string{filmed, "with the surroundings at 30 °C"}},
		{film + "40", []string{"aluminium, bottom at 60 °C, top convection 500 W/m2K ambient 25 °C", "now with ambient 40 °C"}},
		{film + "40", []string{"aluminium, bottom at 60 °C, top convection 500 W/m2K ambient 25 °C", "the ambient at 40 °C"}},
		{film + "40", []string{"aluminium, bottom at 60 °C, top convection 500 W/m2K", "now with ambient 40 °C"}},
		{"aluminium of EN 1999, heat_power z_max 2, convection z_min 500 to 40", []string{"aluminium, top face 2 W, bottom convection 500 W/m2K ambient 25 °C", "now with ambient 40 °C"}},
		{"aluminium of EN 1999, fixed_temp z_min 20, convection z_max 100 to 5", []string{"aluminium, bottom at 20 °C, top loses heat by convection h=25 W/m2K to 5 °C", "and with 100 W/m2K?"}},
		{"copper Cu-ETP annealed, fixed_temp z_min 20, convection z_max 100 to 5", []string{"aluminium, bottom at 20 °C, top loses heat by convection h=25 W/m2K to 5 °C", "and with 100 W/m2K?", "now copper"}},
		{"asks change", []string{filmed, "now 30 °C"}}, // of the bottom, or of the air?

		{held + "x_min [500 0 0], force z_max [0 0 -3000]", []string{pressed, "now with 3 kN on top"}},
		{held + "z_max [0 0 -3000], force x_min [700 0 0]", []string{pressed, "now with 3 kN on top", "now 700 N on the left face"}},
		{"asks change", []string{pressed, "now with 3 kN"}},
		{"asks change", []string{pressed, "half the force"}},
		{"asks change", []string{pressed, "now 700 N on the front face"}},
		{held + "z_max [0 0 -2000], force x_min [500 0 0], force y_min [0 700 0]", []string{pressed, "also 700 N on the front face"}},
		{"aluminium of EN 1999, fixed_temp z_min 60, fixed_temp z_max 20", []string{between, "now with top at 20 °C"}},
		{"brass C36000 soft, fixed_temp z_min 60, fixed_temp z_max 20", []string{between, "now with top at 20 °C", "now in brass"}},
		{"asks change", []string{between, "now 30 °C"}},

		{"steel S235, fixed z_min, force z_max [0 0 -250]", []string{oneLoad, "half the force"}},
		{"steel S235, fixed z_min, force z_max [0 0 -500]", []string{oneLoad, "half the force", "double the load"}},
		{"steel S235, fixed z_min, force z_max [0 0 -650]", []string{oneLoad, "what about 30 % more?"}},
		{"steel S235, fixed z_min, force z_max [0 0 -900]", []string{oneLoad, "now with 800 N", "and 900 N?"}},
		{"aluminium 6061-T6, fixed z_min, force z_max [0 0 -900]", []string{oneLoad, "now with 900 N", "and if it were aluminium 6061 instead?"}},
		{"steel S235, fixed z_min, force z_max [0 0 -800]", []string{oneLoad, "now with 800 N", "where is the peak?"}},
		{"steel S235, force z_max [0 0 -500], fixed x_min", []string{oneLoad, "now fixed at the left instead"}},
		{"copper Cu-ETP annealed, force z_max [0 0 -500], fixed x_min", []string{oneLoad, "now fixed at the left instead", "now with copper"}},
		{"steel S235, fixed z_min, force z_max [0 0 500]", []string{oneLoad + " upwards", "now with 1 kN on top", "half the force"}},
		{"asks change", []string{oneLoad, "what about a larger force?"}},
		{"steel S235, fixed z_min, force z_max [0 0 -800]", []string{oneLoad, "what about a larger force?", "now with 800 N"}},
		{"asks change", []string{oneLoad, "half the thickness"}},
		{held + "z_max [0 0 -4000], force x_min [1000 0 0]", []string{pressed, "double all loads"}},
		{"aluminium of EN 1999, convection z_max 500 to 10, heat_power z_min 20", []string{"aluminium, bottom 5 W, top convection 500 W/m2K to 10 °C", "now 10 W", "double the power"}},
		{"steel S235, fixed z_min, force z_max [0 0 -1000]", []string{oneLoad, "double it"}},
		{"asks change", []string{oneLoad, "now pulling"}},
		{"asks change", []string{oneLoad, "what if the load is on the left face?"}},
		{"steel S235, fixed z_min, force z_max [0 0 -500], force x_min [700 0 0]", []string{oneLoad, "additionally 700 N on the left face"}},
		{"steel S235, fixed z_min, force x_min [700 0 0]", []string{oneLoad, "now 700 N on the left face"}},
		{"steel S235, fixed z_min, force z_max [0 0 -800]", []string{oneLoad, "thanks", "now with 800 N"}},
		{"steel S235, fixed z_min, force z_max [0 0 -500]", []string{"E = 70 GPa, nu = 0.33, fixed at the bottom, 500 N on top", "now in steel"}},
		{"water, outlet x_max, inlet x_min [0.5 0 0]", []string{"water, inlet left with 0.2 m/s, outlet right", "now 0.5 m/s"}},
		{"copper Cu-ETP annealed, fixed_temp z_min 60, heat_power z_max -8", []string{"copper, loses 5 W on top, bottom at 60 °C", "now 8 W"}},
		{"copper Cu-ETP annealed, fixed_temp x_min 20, fixed_temp z_min 50, fixed_temp x_max 30", []string{"copper, left and right at 20 °C, bottom at 50 °C", "now right at 30 °C"}},
		{film + "30", []string{filmed, "RC low-pass with R = 1 kOhm", "now air at 30 °C"}},
		{"asks words", []string{oneLoad, "now with thicker gussets"}},
	} {
		p := talk(c.said...)
		if got := told(p); got != c.want && !(strings.HasPrefix(c.want, "asks") && strings.HasPrefix(got, "asks")) {
			t.Errorf("%q:\n got %s (%s)\nwant %s", c.said, got, p.Asks(), c.want)
		}
		if len(p.Unused) > 0 {
			t.Errorf("%q: not used %q", c.said, p.Unused)
		}
	}
}

// A question about a change tells what is in force, and nothing that was replaced.
func TestQuestionsTellWhatIsInForce(t *testing.T) {
	asks := talk(pressed, "now with 3 kN on top", "now with 1 kN").Asks()
	if !strings.Contains(asks, "3 kN on the top") || !strings.Contains(asks, "500 N on the left") || strings.Contains(asks, "2 kN") {
		t.Error(asks)
	}
	if p := talk(oneLoad, "now with 800 N"); strings.Contains(strings.Join(p.Assumptions, " "), "500 N") {
		t.Errorf("assumes of a load that was replaced: %q", p.Assumptions)
	}
}

// Settings of a later message hold over those before.
func TestLaterSettings(t *testing.T) {
	for _, c := range []struct {
		said string
		of   func(*plan.Plan) any
		want any
		then string
	}{
		{oneLoad + ", 2 mm elements", func(p *plan.Plan) any { return fmt.Sprint(p.Mesh, p.ElementSize) }, "coarse0", "now with a coarse mesh"},
		{oneLoad + ", coarse mesh", func(p *plan.Plan) any { return p.ElementSize }, 0.002, "now with 2 mm elements"},
		{"use a.step, " + oneLoad, func(p *plan.Plan) any { return p.File }, "b.step", "now with b.step"},
		{oneLoad + ", the file is in mm", func(p *plan.Plan) any { return p.LengthUnit }, "in", "now the file is in inches"},
		{between + ", for 60 s", func(p *plan.Plan) any { return p.Steady }, true, "now the steady state"},
		{between, func(p *plan.Plan) any { return fmt.Sprint(p.Steady, " ", p.FinalTime) }, "false 60", "now transient for 60 s"},
		{between, func(p *plan.Plan) any { return p.Material.Conductivity }, 100.0, "now with conductivity 100 W/mK"},
	} {
		p := talk(c.said, c.then)
		if got := c.of(p); len(p.Questions) > 0 || got != c.want {
			t.Errorf("%q, then %q: %v, want %v (%s)", c.said, c.then, got, c.want, p.Asks())
		}
	}
}

// The verb and the direction before "with" are those of the load behind it, wherever
// its place is said: out of the right face is +x, into it is -x.
func TestVerbsBeforeTheirLoad(t *testing.T) {
	const held = "steel plate fixed on the left, "
	for said, want := range map[string]string{
		"pulled with 2 kN on the right face":                              "[2000 0 0]",
		"pulled with 2 kN on the right":                                   "[2000 0 0]",
		"and pulled with a force of 2 kN on the right face":               "[2000 0 0]",
		"pulled with 2 kN at the right end":                               "[2000 0 0]",
		"stretched under 2 kN at the right end":                           "[2000 0 0]",
		"pushed with 2 kN at the right end":                               "[-2000 0 0]",
		"pulled downwards with 2 kN on the right face":                    "[0 0 -2000]",
		"2 kN pulls on the right face":                                    "[2000 0 0]",
		"pulled at the right end with 2 kN":                               "[2000 0 0]",
		"the right face pulled with 2 kN":                                 "[2000 0 0]",
		"the right face pulled upwards with 2 kN":                         "[0 0 2000]",
		"pushed with 2 kN on the right face, pulled with 3 kN on the top": "[-2000 0 0], force z_max [0 0 3000]",
		"2 kN downwards on the right face, pulled with 3 kN on the top":   "[0 0 -2000], force z_max [0 0 3000]",
	} {
		p := read(held + said)
		if got := told(p); got != "steel S235, fixed x_min, force x_max "+want || strings.Contains(strings.Join(p.Assumptions, " "), "No direction was said") {
			t.Errorf("%q: %s (%s) %q", said, got, p.Asks(), p.Assumptions)
		}
	}
	if got := told(read("steel rod, left end fixed, pulled with 2 kN at the right end")); got != "steel S235, fixed x_min, force x_max [2000 0 0]" {
		t.Error(got)
	}
}
