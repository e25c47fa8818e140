package plan_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"atelier/internal/agent/plan"
	"atelier/internal/contract"
	"atelier/internal/testenv"
	"atelier/internal/tools"
)

const steady = "steel, fixed at the bottom, 500 N downwards on the top, show the stress"

func read(prompt string) *plan.Plan { return plan.Read(prompt, plan.Facts{File: "file:part.step"}) }

func encoded(t *testing.T, p *plan.Plan) map[string]json.RawMessage {
	t.Helper()
	raw, err := json.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	m := map[string]json.RawMessage{}
	if err := json.Unmarshal(raw, &m); err != nil {
		t.Fatal(err)
	}
	delete(m, "prompt")
	delete(m, "assumptions") // they quote the prompt
	return m
}

// Changing one word of a prompt changes exactly that in the plan.
func TestOneWordChangesOneThing(t *testing.T) {
	base := read(steady)
	for _, c := range []struct {
		name, old, new string
		want           func(*plan.Plan)
	}{
		{"number", "500", "750", func(p *plan.Plan) { p.Conditions[1].Vector = []float64{0, 0, -750} }},
		{"unit", " N ", " kN ", func(p *plan.Plan) { p.Conditions[1].Vector = []float64{0, 0, -5e5} }},
		{"customary unit", " N ", " lbf ", func(p *plan.Plan) { p.Conditions[1].Vector = []float64{0, 0, -500 * 4.4482216152605} }},
		{"direction", "downwards", "upwards", func(p *plan.Plan) { p.Conditions[1].Vector = []float64{0, 0, 500} }},
		{"axis", "downwards", "along -y", func(p *plan.Plan) { p.Conditions[1].Vector = []float64{0, -500, 0} }},
		{"support", "bottom", "left", func(p *plan.Plan) { p.Conditions[0].Places[0] = plan.Place{Kind: "plane", Name: "x_min", Text: "left"} }},
		{"place", "on the top", "on the right", func(p *plan.Plan) {
			p.Conditions[1].Places[0] = plan.Place{Kind: "plane", Name: "x_max", Text: "right"}
		}},
		{"material", "steel", "copper", func(p *plan.Plan) { p.Material = read("copper" + steady[5:]).Material }},
		{"what is shown", "stress", "deflection", func(p *plan.Plan) { p.Show = []string{"displacement"} }},
		{"resolution", "show", "2 mm elements, show", func(p *plan.Plan) { p.ElementSize = 0.002 }},
		{"file", "steel", "use file:other.step, steel", func(p *plan.Plan) { p.File = "file:other.step" }},
		{"nothing", "500 N", "500N", func(*plan.Plan) {}},
		{"spelling", "downwards", "donwards", func(*plan.Plan) {}},
		{"order", steady, "Show the stress: 500 N downwards on the top, steel, fixed at the bottom", func(p *plan.Plan) { slices.Reverse(p.Conditions) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			want := *base
			want.Conditions = slices.Clone(base.Conditions)
			for i := range want.Conditions {
				want.Conditions[i].Places = slices.Clone(base.Conditions[i].Places)
			}
			c.want(&want)
			changed := strings.Replace(steady, c.old, c.new, 1)
			got, wanted := encoded(t, read(changed)), encoded(t, &want)
			for key := range wanted {
				if string(got[key]) != string(wanted[key]) {
					t.Errorf("%q: %s is %s, want %s", changed, key, got[key], wanted[key])
				}
			}
			if len(got) != len(wanted) {
				t.Errorf("%q gives %v", changed, got)
			}
		})
	}
}

// What a wrong reading would compute silently must be asked back.
func TestWhatIsNotUnderstoodIsAsked(t *testing.T) {
	for _, c := range []struct{ prompt, topic string }{
		{"steel, fixed at the bottom, 500 kg on top", "load"},
		{"steel, fixed at the bottom, 10 Nm on top", "load"},
		{"steel, fixed at the bottom, 500 N/m on top", "load"},
		{"steel, fixed at the bottom, 1e15 N on top", "load"},
		{"steel, fixed at the bottom, 5-10 kN on top", "number"},
		{"steel, fixed at the bottom, 2 mpa on top", "unit"},
		{"steel, fixed at the bottom, 500 N sideways on top", "direction"},
		{"steel, fixed at the bottom, 1 kN on the hole", "direction"},
		{"steel, fixed at the bottom, 500 N on the edge", "place"},
		{"steel, simply supported at both ends, 500 N on top", "support"},
		{"steel, fixed at the bottom, 500 N on the bottom", "load_place"},
		{"steel, fixed at the bottom, 500 N", "load_place"},
		{"steel and aluminium, fixed at the bottom, 500 N on top", "material"},
		{"natural frequencies of a steel part fixed at the bottom", "analysis"},
		{"copper, bottom at -300 degC, top at 20 degC", "temperature"},
		{"copper, bottom at 100, top at 20", "physics"},
		{"copper, 20 W into the bottom", "temperature"},
		{"conductivity of the lower 0.7 W/mK, of the upper 0.035 W/mK, top 20 °C, bottom -5 °C", "conductivity"},
		{"brick 0.7 W/mK, foam 0.035 W/mK, board 0.25 W/mK, left 20 °C, right -5 °C", "conductivity"},
		{"E = 200 GPa for the lower body and E = 70 GPa for the upper body, bottom fixed, 500 N down on top", "youngs_modulus"},
		{"steel, E = 70 GPa for the upper body, bottom fixed, 500 N down on top", "youngs_modulus"},
		{"nu = 0.3 and nu = 0.4, E = 70 GPa, bottom fixed, 500 N down on top", "poisson_ratio"},
		{"steel, starts at 20 degC, top at 80 degC, for 60 s, then for 90 s", "time"},
		{"steel, fixed at the bottom, 500 N in x and z on the top", "direction"},
		{"copper, bottom at 100 degC, transient", "time"},
		{"water, inlet left, outlet right", "velocity"},
		{"water, inlet left with 0.2 m/s", "outlet"},
		{"inlet left with 0.2 m/s, outlet right", "material"},
		{"use part.stl, steel, fixed at the bottom, 500 N down on the hole", "place"},
		{"steel, fixed at the bottom, 500 N on top, 3 W", "number"},
		{"RC low-pass with R = 4.7 kilofoo and C = 1 uF, cutoff frequency", "unit"},
		{strings.Repeat("please ", 2000) + steady, "prompt"},
	} {
		p := read(c.prompt)
		if !slices.ContainsFunc(p.Questions, func(q plan.Question) bool { return q.Topic == c.topic }) {
			raw, _ := json.Marshal(p)
			t.Errorf("%q does not ask about %s: %s", c.prompt, c.topic, raw)
		}
	}
}

// An answer completes the prompt that was asked about, and does not undo it.
func TestAnswersCompleteThePrompt(t *testing.T) {
	for _, c := range []struct{ first, asked, answer string }{
		{"fixed at the bottom, 500 N downwards on the top, show the stress", "material", "steel"},
		{"steel, 500 N downwards on the top, show the stress", "support", "the bottom"},
		{"steel, fixed at the bottom, show the stress", "load", "500 N downwards on the top"},
		{"steel, fixed at the bottom, 500 N downwards, show the stress", "load_place", "on the top"},
		{"steel, fixed at the bottom, load of 500 downwards on the top, show the stress", "unit", "500 N downwards"},
		{"steel, fixed at the bottom, 500 mm on the top, show the stress", "load", "500 N downwards"},
		{"unobtainium, fixed at the bottom, 500 N downwards on the top, show the stress", "material", "steel"},
	} {
		p := plan.Read(c.answer, plan.Facts{File: "file:part.step", Earlier: []string{c.first}, Asked: []string{c.asked}})
		if len(p.Questions) > 0 || p.Material == nil || p.Material.Name != "steel S235" || len(p.Conditions) != 2 {
			raw, _ := json.Marshal(p)
			t.Errorf("%q, then %q: %s", c.first, c.answer, raw)
			continue
		}
		for _, cond := range p.Conditions {
			ok := cond.Kind == plan.Fixed && cond.Places[0].Name == "z_min" ||
				cond.Kind == plan.Force && cond.Places[0].Name == "z_max" && slices.Equal(cond.Vector, []float64{0, 0, -500})
			if !ok {
				t.Errorf("%q, then %q: %+v", c.first, c.answer, cond)
			}
		}
	}
}

// Whatever is typed, reading it ends, and the plan has either questions or all
// that its steps need.
func FuzzRead(f *testing.F) {
	for _, s := range []string{steady, "(1,2) N [", "face 3, 0.5 m/s", "1,5 kN on \xff", "a half of the hole in the left of the top", "```\n.end", "x = . z=1e9", "€ ² ½ N"} {
		f.Add(s)
	}
	registry, err := contract.NewRegistry(tools.All(tools.Parts{}))
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, s string) {
		p := read(s)
		if len(p.Questions) > 0 {
			return
		}
		for _, step := range p.Steps() {
			if _, err := registry.Find(step.Tool); err != nil {
				t.Errorf("%q: %v", s, err)
			}
		}
	})
}

// Words that leave the grade open take the grade that is named beside them, whatever the
// order; two materials are asked about in the words of the prompt, and so are words that
// leave the material open.
func TestWordsOfMaterials(t *testing.T) {
	for said, want := range map[string]string{
		"a steel bracket of S355": "steel S355", "S355, a structural steel": "steel S355", "aluminium, 7075-T6": "aluminium 7075-T6", "7075 aluminium": "aluminium 7075-T6",
		"a 316L part of stainless steel": "stainless steel 316L", "titanium, grade 2 titanium": "titanium Grade 2", "nylon": "PA6", "invar": "Invar 36", "pure lead": "lead",
		"bronze": "\"bronze\" alone names no material of the table: say bronze CuSn8, or give", "steel S235 with S355": "Both steel S235 and S355 are named",
		"mild steel and 304": "Both mild steel and 304 are named", "steel, S235, S355": "Both steel and S355 are named", "made of oak": "is not in the table",
	} {
		p := plan.Read(said+", fixed at the bottom, 500 N downwards on the top, show the stress", plan.Facts{File: "file:part.step"})
		got := p.Asks()
		if len(p.Questions) == 0 {
			got = p.Material.Name
		}
		if !strings.Contains(got, want) {
			t.Errorf("%q: %q, want %q", said, got, want)
		}
	}
}

// A change of an earlier request keeps what it does not name.
func TestChangesOfARequest(t *testing.T) {
	first := "steel, fixed at the bottom, 500 N along +x on the hole, show the stress"
	for _, c := range []struct {
		change, material string
		force            []float64
	}{
		{"now with 1 kN", "steel S235", []float64{1000, 0, 0}},
		{"the same in aluminium", "aluminium of EN 1999", []float64{500, 0, 0}},
		{"now 200 N upwards", "steel S235", []float64{0, 0, 200}},
		{"with a fine mesh", "steel S235", []float64{500, 0, 0}},
	} {
		p := plan.Read(c.change, plan.Facts{File: "file:part.step", Earlier: []string{first}})
		i := slices.IndexFunc(p.Conditions, func(c plan.Condition) bool { return c.Kind == plan.Force })
		if len(p.Questions) > 0 || len(p.Conditions) != 2 || p.Material.Name != c.material || !slices.Equal(p.Conditions[i].Vector, c.force) || p.Conditions[i].Places[0].Kind != "hole" {
			raw, _ := json.Marshal(p)
			t.Errorf("%q: %s", c.change, raw)
		}
	}
}

// Ways of speaking that were once read wrongly without a word about it.
func TestReadingsThatWereSilentlyWrong(t *testing.T) {
	for _, c := range []struct {
		prompt string
		kind   plan.Kind
		place  string
		near   string
		vector []float64
		value  float64
	}{
		{"steel, fixed left, right side pulled with 5 kN", plan.Force, "x_max", "", []float64{5000, 0, 0}, 0},
		{"nylon, one end is fixed and the other end gets pushed down with 12 N", plan.Force, "longest_max", "", []float64{0, 0, -12}, 0},
		{"steel, bottom fixed, force on the top Fx = 100 N", plan.Force, "z_max", "", []float64{100, 0, 0}, 0},
		{"apply 5 kN vertically to the top of a concrete block resting on the bottom", plan.Fixed, "z_min", "", nil, 0},
		{"steel, bottom fixed, 3 bar inside the hole", plan.Pressure, "hole", "", nil, 3e5},
		{"Clamp the left face and apply 2.5 kN downward to the right face, steel", plan.Force, "x_max", "", []float64{0, 0, -2500}, 0},
		{"Bottom fixed. Top: -2 kN z. Steel.", plan.Force, "z_max", "", []float64{0, 0, -2000}, 0},
		{"steel, bottom fixed, face 3, 200 N in x", plan.Force, "attribute:3", "", []float64{200, 0, 0}, 0},
		{"inlet: face 3, 0.5 m/s; outlet: face 4; fluid: water", plan.Inlet, "attribute:3", "", nil, 0.5},
		{"3 people of 80 kg each stand on the top, the bottom is fixed, steel", plan.Force, "z_max", "", []float64{0, 0, -3 * 80 * 9.80665}, 0},
		{"steel, bottom fixed, a 12 kg motor stands on top", plan.Force, "z_max", "", []float64{0, 0, -12 * 9.80665}, 0},
		{"steel, bottom fixed, on top stands a motor of 12 kg", plan.Force, "z_max", "", []float64{0, 0, -12 * 9.80665}, 0},
		{"steel, fixed at the left hole, 400 N down at the right hole", plan.Force, "hole", "x_max", []float64{0, 0, -400}, 0},
		{"ABS, how hot does the top get when 3 W enter at the bottom and the left is at 20 degC", plan.HeatPower, "z_min", "", nil, 3},
		{"fixed at the bottom and show the stress on the top, 500 N on the right face, steel", plan.Force, "x_max", "", []float64{-500, 0, 0}, 0},
		{"a concrete wall, inside (x_min) at 20 °C, x_max at 5 °C", plan.FixedTemp, "x_min", "", nil, 293.15},
	} {
		p := read(c.prompt)
		i := slices.IndexFunc(p.Conditions, func(x plan.Condition) bool { return x.Kind == c.kind })
		if len(p.Questions) > 0 || i < 0 {
			t.Errorf("%q: %s %+v", c.prompt, p.Asks(), p.Conditions)
			continue
		}
		got := p.Conditions[i]
		if got.Kind == plan.Fixed && got.Components != nil {
			t.Errorf("%q holds %v only", c.prompt, got.Components)
		}
		if len(got.Places) != 1 || got.Places[0].String() != c.place || got.Places[0].Near != c.near || !slices.EqualFunc(got.Vector, c.vector, near) || c.vector == nil && !near(got.Value, c.value) {
			t.Errorf("%q: %+v", c.prompt, got)
		}
	}
}

// A support holds in the directions that were said, or in all.
func TestHeldDirections(t *testing.T) {
	for words, want := range map[string][]string{
		"fixed in x, y and z": nil, "fixed in x and z": {"x", "z"}, "held in y": {"y"}, "fixed": nil, "fixed in all directions": nil, "held in the x direction": {"x"},
	} {
		p := read("steel, the bottom is " + words + ", the left face is fixed, 500 N down on the top")
		if len(p.Questions) > 0 || !slices.Equal(p.Conditions[0].Components, want) {
			t.Errorf("%s: %v %s", words, p.Conditions[0].Components, p.Asks())
		}
	}
}

// Directions behind the place are the support's, all of them; every plane of a symmetry
// holds its own normal.
func TestHeldAtPlaces(t *testing.T) {
	for prompt, want := range map[string]string{
		"fixed on the left in x and z, front held in y, right held in z": "x_min:xz y_min:y x_max:z",
		"left held in x and y, bottom held in z":                         "x_min:xy z_min:z",
		"held at the left in x, y and z":                                 "x_min:",
		"bottom fixed in z and the left face in x and y":                 "z_min:z x_min:xy",
		"symmetry at x_min, y_min and z_min":                             "x_min:x y_min:y z_min:z",
		"symmetry on the left and the front, bottom held in z":           "x_min:x y_min:y z_min:z",
		"symmetry at x_min and x_max, bottom fixed":                      "x_min+x_max:x z_min:",
	} {
		p := read("steel, " + prompt + ", 5 MPa on the top")
		var got []string
		for _, c := range p.Conditions {
			if c.Kind == plan.Fixed {
				var at []string
				for _, place := range c.Places {
					at = append(at, place.String())
				}
				got = append(got, strings.Join(at, "+")+":"+strings.Join(c.Components, ""))
			}
		}
		if strings.Join(got, " ") != want || len(p.Questions) > 0 {
			t.Errorf("%q: %v, want %s; %s", prompt, got, want, p.Asks())
		}
	}
}

// Of a value that was given twice, a later message says which holds.
func TestALaterValueHolds(t *testing.T) {
	r := testenv.Random(t)
	k := 1 + r.IntN(400)
	first := "conductivity 0.7 W/mK, conductivity of the upper 0.035 W/mK, top 20 °C, bottom -5 °C"
	p := plan.Read(fmt.Sprintf("conductivity %d W/mK", k), plan.Facts{File: "file:part.step", Earlier: []string{first}, Asked: []string{"conductivity"}})
	if len(p.Questions) > 0 || p.Material == nil || p.Material.Conductivity != float64(k) {
		t.Errorf("%s %+v", p.Asks(), p.Material)
	}
}

// A length by which a face is pushed, pulled or lifted is a displacement, which holds
// it in the direction that was said; a vector gives all three.
func TestMovedFaces(t *testing.T) {
	for prompt, want := range map[string]struct {
		vector     []float64
		components string
	}{
		"right end pushed 0.2 mm upwards":                 {[]float64{0, 0, 2e-4}, "z"},
		"push the right face down by 0.05 mm":             {[]float64{0, 0, -5e-5}, "z"},
		"the right end is displaced 0.2 mm upwards":       {[]float64{0, 0, 2e-4}, "z"},
		"pull the right end by 0.1 mm":                    {[]float64{1e-4, 0, 0}, "x"},
		"the right face is pressed by 0.1 mm":             {[]float64{-1e-4, 0, 0}, "x"},
		"the right end is lifted by 1 mm":                 {[]float64{0, 0, 1e-3}, "z"},
		"the right end is lowered by 1 mm":                {[]float64{0, 0, -1e-3}, "z"},
		"the right end is displaced by (0, 0.1, -0.2) mm": {[]float64{0, 1e-4, -2e-4}, ""},
	} {
		p := read("steel, left fixed, " + prompt)
		if len(p.Questions) > 0 || len(p.Conditions) != 2 {
			t.Errorf("%q: %s %+v", prompt, p.Asks(), p.Conditions)
			continue
		}
		c := p.Conditions[1]
		told := strings.Contains(strings.Join(p.Assumptions, " "), "the face is free")
		if c.Kind != plan.Displacement || c.Places[0].String() != "x_max" || !slices.EqualFunc(c.Vector, want.vector, near) || strings.Join(c.Components, "") != want.components || told != (want.components != "") || len(p.Unused) > 0 {
			t.Errorf("%q: %+v, unused %q, %q", prompt, c, p.Unused, p.Assumptions)
		}
	}
}

// What the assumptions offer to say is understood as the next message.
func TestOfferedWords(t *testing.T) {
	flow := "water, inlet left with 0.2 m/s, outlet right"
	p := plan.Read("with a parabolic profile", plan.Facts{File: "file:part.step", Earlier: []string{flow}})
	if len(p.Questions)+len(p.Unused) > 0 || len(p.Conditions) != 2 || p.Conditions[0].Profile != "parabolic" || p.Conditions[0].Vector == nil {
		t.Errorf("%s %q %+v", p.Asks(), p.Unused, p.Conditions)
	}
	for said, want := range map[string]string{"with a fine mesh": "fine 0", "with 2 mm elements": " 0.002"} {
		p := plan.Read(said, plan.Facts{File: "file:part.step", Earlier: []string{steady}})
		if got := fmt.Sprintf("%s %g", p.Mesh, p.ElementSize); len(p.Questions)+len(p.Unused) > 0 || got != want || len(p.Conditions) != 2 {
			t.Errorf("%q: %s %q %s", said, p.Asks(), p.Unused, got)
		}
	}
}

// Several conditions of one sentence stay apart.
func TestConditionsStayApart(t *testing.T) {
	p := read("steel, the bottom is fixed in z only and the left face in x, 10 MPa on the top")
	if c := p.Conditions; len(c) != 3 || !slices.Equal(c[0].Components, []string{"z"}) || !slices.Equal(c[1].Components, []string{"x"}) || c[1].Places[0].Name != "x_min" {
		t.Errorf("%+v", c)
	}
	p = read("steel, bottom fixed. Top: 500 N down, 100 N right.")
	if c := p.Conditions; len(c) != 3 || c[2].Places[0].Name != "z_max" || !slices.Equal(c[2].Vector, []float64{100, 0, 0}) {
		t.Errorf("%+v", c)
	}
	p = read("steel, bottom fixed, two forces of 100 N each push on the left and right")
	if c := p.Conditions; len(c) != 2 || !c[1].Each || len(c[1].Places) != 2 {
		t.Errorf("%+v", c)
	}
	if p = read("steel, not fixed at the bottom, 500 N up at the top"); len(p.Questions) != 1 || p.Questions[0].Topic != "support" {
		t.Errorf("%+v", p)
	}
}
