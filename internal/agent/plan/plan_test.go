package plan_test

import (
	"encoding/json"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"atelier/internal/agent/materials"
	"atelier/internal/agent/plan"
)

type expectedCondition struct {
	Type       string          `json:"type"`
	At         []string        `json:"at"`
	Value      json.RawMessage `json:"value"`
	Ambient    float64         `json:"ambient"`
	Components []string        `json:"components"`
	Profile    string          `json:"profile"`
}

type expectedPlan struct {
	Physics      string              `json:"physics"`
	Material     string              `json:"material"`
	E            float64             `json:"E"`
	Nu           float64             `json:"nu"`
	Conductivity float64             `json:"conductivity"`
	Density      float64             `json:"density"`
	Viscosity    float64             `json:"viscosity"`
	Source       float64             `json:"source"`
	Initial      float64             `json:"initial_temperature"`
	TFinal       float64             `json:"t_final"`
	DT           float64             `json:"dt"`
	Steady       *bool               `json:"steady"`
	ElementSize  float64             `json:"element_size"`
	Mesh         string              `json:"mesh"`
	Accuracy     float64             `json:"accuracy"`
	LengthUnit   string              `json:"length_unit"`
	File         string              `json:"file"`
	Show         []string            `json:"show"`
	Views        []string            `json:"views"`
	Conditions   []expectedCondition `json:"conditions"`
	Analysis     string              `json:"analysis"`
	FStart       float64             `json:"fstart"`
	FStop        float64             `json:"fstop"`
	Elements     map[string]float64  `json:"elements"`
	Probes       []string            `json:"probes"`
}

type promptCase struct {
	ID     string        `json:"id"`
	Facts  string        `json:"facts"`
	Prompt string        `json:"prompt"`
	Plan   *expectedPlan `json:"plan"`
	Ask    []string      `json:"ask"`
}

type promptFile struct {
	Facts map[string]struct {
		File  string   `json:"file"`
		Faces []string `json:"faces"`
	} `json:"facts"`
	Prompts []promptCase `json:"prompts"`
}

func (f promptFile) facts(name string) plan.Facts {
	return plan.Facts{File: f.Facts[name].File, Faces: f.Facts[name].Faces}
}

func prompts(t *testing.T, file string) promptFile {
	t.Helper()
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var f promptFile
	if err := json.Unmarshal(raw, &f); err != nil {
		t.Fatal(err)
	}
	return f
}

// The prompts and what their plans must hold were written from the sentences
// alone, before the planner was.
func TestPrompts(t *testing.T) {
	f := prompts(t, "../testdata/prompts.json")
	if len(f.Prompts) < 50 {
		t.Fatalf("%d prompts", len(f.Prompts))
	}
	for _, c := range f.Prompts {
		t.Run(c.ID, func(t *testing.T) {
			p := plan.Read(c.Prompt, f.facts(c.Facts))
			if c.Plan != nil {
				holds(t, p, c.Plan)
			} else {
				asks(t, p, c.Ask)
			}
			if t.Failed() {
				raw, _ := json.Marshal(p)
				t.Logf("prompt: %s\nplan: %s", c.Prompt, raw)
			}
		})
	}
}

func asks(t *testing.T, p *plan.Plan, topics []string) {
	t.Helper()
	var got []string
	for _, q := range p.Questions {
		got = append(got, q.Topic)
		if q.Text == "" || q.Example == "" {
			t.Errorf("the question about %s has no text or example", q.Topic)
		}
	}
	slices.Sort(got)
	if !slices.Equal(got, topics) {
		t.Errorf("asks for %v, want %v", got, topics)
	}
}

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-9*math.Max(math.Abs(a), math.Abs(b)) }

func holds(t *testing.T, p *plan.Plan, want *expectedPlan) {
	t.Helper()
	if len(p.Questions) > 0 {
		t.Errorf("asks instead of running: %s", p.Asks())
	}
	text := func(what, got, want string) {
		if want != "" && !strings.EqualFold(got, want) {
			t.Errorf("%s is %q, want %q", what, got, want)
		}
	}
	number := func(what string, got, want float64) {
		if want != 0 && !near(got, want) {
			t.Errorf("%s is %v, want %v", what, got, want)
		}
	}
	text("physics", string(p.Physics), want.Physics)
	text("mesh", p.Mesh, want.Mesh)
	text("length unit", p.LengthUnit, want.LengthUnit)
	text("file", p.File, want.File)
	if p.Material != nil {
		row, ok := materials.Find(want.Material)
		if !ok && want.Material != "" {
			t.Errorf("%q is no material", want.Material)
		}
		text("material", p.Material.Name, row.Name)
		number("E", p.Material.YoungsModulus, want.E)
		number("nu", p.Material.PoissonRatio, want.Nu)
		number("conductivity", p.Material.Conductivity, want.Conductivity)
		number("density", p.Material.Density, want.Density)
		number("viscosity", p.Material.Viscosity, want.Viscosity)
	} else if want.Material != "" || want.E != 0 || want.Viscosity != 0 {
		t.Error("no material")
	}
	number("source", p.Source, want.Source)
	number("initial temperature", p.InitialTemperature, want.Initial)
	number("element size", p.ElementSize, want.ElementSize)
	number("accuracy", p.Accuracy, want.Accuracy)
	if want.Steady != nil && *want.Steady != p.Steady {
		t.Errorf("steady is %v", p.Steady)
	}
	for what, lists := range map[string][2][]string{"show": {p.Show, want.Show}, "views": {p.Views, want.Views}} {
		got, wanted := slices.Sorted(slices.Values(lists[0])), slices.Sorted(slices.Values(lists[1]))
		if len(wanted) > 0 && !slices.Equal(got, wanted) {
			t.Errorf("%s is %v, want %v", what, got, wanted)
		}
	}
	if n := p.Network; n != nil {
		text("analysis", n.Analysis, want.Analysis)
		number("fstart", n.Start, want.FStart)
		number("fstop", n.Stop, want.FStop)
		number("tstop", n.TStop, want.TFinal)
		for name, v := range want.Elements {
			number(name, n.Elements[name], v)
		}
		if want.Probes != nil && !slices.Equal(n.Probes, want.Probes) {
			t.Errorf("probes %v, want %v", n.Probes, want.Probes)
		}
		return
	}
	number("final time", p.FinalTime, want.TFinal)
	number("time step", p.TimeStep, want.DT)
	conditions(t, p.Conditions, want.Conditions)
}

// conditions must be the same, in any order.
func conditions(t *testing.T, got []plan.Condition, want []expectedCondition) {
	t.Helper()
	left := slices.Clone(got)
	for _, w := range want {
		i := slices.IndexFunc(left, func(c plan.Condition) bool { return same(c, w) })
		if i < 0 {
			raw, _ := json.Marshal(w)
			t.Errorf("no condition %s", raw)
			continue
		}
		left = slices.Delete(left, i, i+1)
	}
	if len(left) > 0 {
		raw, _ := json.Marshal(left)
		t.Errorf("conditions that nobody asked for: %s", raw)
	}
}

func same(c plan.Condition, w expectedCondition) bool {
	var at []string
	for _, p := range c.Places {
		at = append(at, p.String())
	}
	slices.Sort(at)
	if string(c.Kind) != w.Type || !slices.Equal(at, slices.Sorted(slices.Values(w.At))) || c.Profile != w.Profile || !slices.Equal(c.Components, w.Components) || !near(c.Ambient, w.Ambient) {
		return false
	}
	var vector []float64
	var scalar float64
	switch {
	case w.Value == nil:
		return true
	case json.Unmarshal(w.Value, &scalar) == nil:
		return c.Vector == nil && near(c.Value, scalar)
	case json.Unmarshal(w.Value, &vector) == nil:
		return slices.EqualFunc(c.Vector, vector, near)
	}
	return false
}
