package solve

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"atelier/internal/contract"
	"atelier/internal/evidence"
	"atelier/internal/material"
)

// taken is what a configuration took from the table of materials.
type taken struct {
	used  []UsedFigures
	notes []string
	// temperatures are the ranges of the named materials, by the place of the name.
	temperatures map[string]*material.Temperatures
}

// byName finds the material of a solid, or refuses the name with those that come closest.
func byName(name, pointer string) (*material.Material, error) {
	m, near := material.Find(name)
	switch {
	case m != nil && m.Fluid:
		return nil, contract.Errorf(contract.CodeInvalidInput, "%s is a fluid, and a solid is solved for", m.Name).
			At(pointer).WithHint("Name a solid, or give its figures.")
	case m != nil:
		return m, nil
	}
	hint := "Give E, nu and density (of heat: conductivity, specific_heat and density) instead."
	if len(near) > 0 {
		hint = "The nearest names are " + strings.Join(near, ", ") + ". " + hint
	}
	e := contract.Errorf(contract.CodeInvalidInput, "%q is no name of one material of the table", name).At(pointer).WithHint("%s", hint)
	if len(near) > 0 {
		e.Details = map[string]any{"nearest": near}
	}
	return nil, e
}

// figureOf is one figure of a material as a call may give it.
type figureOf struct {
	name   string
	given  **float64
	table  *material.Figure
	needed bool
	varies bool // with temperature, enough to count
}

// fill takes from the table what the call does not give, and says where each figure is from.
// varies: the table gave some that do so with temperature.
func fill(m *material.Material, pointer string, figures []figureOf) (source string, varies bool, err error) {
	var sources []string
	of := map[string][]string{}
	for _, f := range figures {
		from := "the call"
		switch {
		case *f.given != nil:
		case f.table != nil:
			value := f.table.Value
			*f.given, from = &value, f.table.Source
			varies = varies || f.varies
		case f.needed:
			return "", false, contract.Errorf(contract.CodeInvalidInput, "the table has no %s of %s", f.name, m.Name).
				At(pointer+"/"+f.name).WithHint("Give %s beside the name.", f.name)
		default:
			continue
		}
		if of[from] == nil {
			sources = append(sources, from)
		}
		of[from] = append(of[from], f.name)
	}
	for i, from := range sources {
		sources[i] = strings.Join(of[from], ", ") + ": " + from
	}
	return strings.Join(sources, "; "), varies, nil
}

// elastic completes the materials of elasticity. density: that of the configuration, which
// counts where a material gives none.
func (t *taken) elastic(materials []Material, density *float64) error {
	named := false
	for i := range materials {
		m, at := &materials[i], fmt.Sprintf("/config/materials/%d", i)
		use := UsedFigures{Attribute: m.Attribute, Source: "the call"}
		if m.Material != "" {
			found, err := byName(m.Material, at+"/material")
			if err != nil {
				return err
			}
			named, use.Name = true, found.Name
			figures := []figureOf{{"E", &m.E, found.E, true, true}, {"nu", &m.Nu, found.Nu, true, true}, {"yield", &m.Yield, found.Yield, false, true},
				{"alpha", &m.Alpha, found.Alpha, false, true}}
			if m.Density != nil || density == nil {
				figures = append(figures, figureOf{"density", &m.Density, found.Density, false, false})
			}
			var varies bool
			if use.Source, varies, err = fill(found, at, figures); err != nil {
				return err
			}
			t.note(at, found, use.Source, varies)
		}
		use.E, use.Nu, use.Yield, use.Density = figure(m.E), figure(m.Nu), figure(m.Yield), figure(cmp.Or(m.Density, density))
		t.used = append(t.used, use)
	}
	if !named {
		t.used = nil
	}
	return nil
}

// heat completes the materials of conduction: one each for the bodies, or that of the
// configuration itself, which stands at a pointer.
func (t *taken) heat(c *HeatProblem, at string) error {
	one := HeatMaterial{Material: c.Material, Conductivity: c.Conductivity, SpecificHeat: c.SpecificHeat, Density: c.Density}
	if len(c.Materials) == 0 {
		err := t.conducting(&one, at, c.Steady)
		c.Conductivity, c.SpecificHeat, c.Density = one.Conductivity, one.SpecificHeat, one.Density
		return err
	}
	for _, beside := range []struct {
		name  string
		given bool
	}{{"material", c.Material != ""}, {"conductivity", c.Conductivity != nil}, {"specific_heat", c.SpecificHeat != nil},
		{"density", c.Density != nil}, {"source", c.Source != nil}, {"phase_change", c.PhaseChange != nil}} {
		if beside.given {
			return contract.Errorf(contract.CodeInvalidInput, "%s is given beside materials, which say it for each body", beside.name).
				At(at + "/" + beside.name).WithHint("Give it in each of materials, or leave materials out where all bodies are of one.")
		}
	}
	for i := range c.Materials {
		if err := t.conducting(&c.Materials[i], fmt.Sprintf("%s/materials/%d", at, i), c.Steady); err != nil {
			return err
		}
	}
	return nil
}

// heatOf completes the materials of a heat problem whose temperatures strain a part of these
// materials: those of them that are named conduct where it says nothing of conduction.
func (t *taken) heatOf(c *HeatProblem, part []Material, at string) error {
	silent := len(c.Materials) == 0 && c.Material == "" && c.Conductivity == nil
	unnamed := slices.ContainsFunc(part, func(m Material) bool { return m.Material == "" })
	switch {
	case !silent || len(part) == 0:
	case unnamed:
		return contract.Errorf(contract.CodeInvalidInput, "heat needs a conductivity, which only a named material of the part would give").
			At(at + "/conductivity").WithHint("Give conductivity or materials of conduction in heat, or name the material of every body of the part.")
	case len(part) == 1:
		c.Material = part[0].Material
	default:
		for i, m := range part {
			own := HeatMaterial{Attribute: m.Attribute, Material: m.Material, Source: c.Source}
			if t.conducting(&own, fmt.Sprintf("/config/materials/%d", i), c.Steady) != nil { // the name itself is known
				return contract.Errorf(contract.CodeInvalidInput, "heat names no materials, and the table has no conductivity of %s", m.Material).
					At(at + "/materials").WithHint("Give in heat the materials of conduction, by name or by figures, of every body.")
			}
			own.Material = "" // it is completed
			c.Materials = append(c.Materials, own)
		}
		c.Source = nil
	}
	return t.heat(c, at)
}

// conducting completes a material of conduction; in the steady state its heat capacity is not used.
func (t *taken) conducting(m *HeatMaterial, at string, steady *bool) error {
	if m.Material == "" {
		return nil
	}
	found, err := byName(m.Material, at+"/material")
	if err != nil {
		return err
	}
	if m.SpecificHeat != nil && m.Density == nil {
		return contract.Errorf(contract.CodeInvalidInput, "specific_heat is given beside a named material and without a density: it could be per mass or per volume").
			At(at+"/specific_heat").WithHint("Leave it out (the table has that of %s), or give density as well.", found.Name)
	}
	conductivity, specificHeat := m.Conductivity.any(), m.SpecificHeat.any()
	source, varies, err := fill(found, at, []figureOf{{"conductivity", &conductivity, found.Conductivity, true, true},
		{"specific_heat", &specificHeat, found.SpecificHeat, false, steady == nil || !*steady}, {"density", &m.Density, found.Density, false, false}})
	if err != nil {
		return err
	}
	m.Conductivity, m.SpecificHeat = cmp.Or(m.Conductivity, constant(conductivity)), cmp.Or(m.SpecificHeat, constant(specificHeat))
	t.used = append(t.used, UsedFigures{Attribute: m.Attribute, Name: found.Name, Conductivity: figure(m.Conductivity.number()),
		SpecificHeat: figure(m.SpecificHeat.number()), Density: figure(m.Density), Source: source})
	if !strings.Contains(at, "/materials/") {
		at += "/material"
	}
	t.note(at, found, source, varies)
	return nil
}

func figure(v *float64) *Figure {
	if v == nil {
		return nil
	}
	f := Figure(*v)
	return &f
}

// note keeps what is told of a named material, and where figures of the table vary with
// temperature the range in which they hold.
func (t *taken) note(at string, m *material.Material, source string, varies bool) {
	told := m.Name
	if m.Note != "" {
		told += ", " + m.Note
	}
	t.notes = append(t.notes, fmt.Sprintf("%s is %s (%s).", strings.TrimPrefix(at, "/config/"), told, source))
	if varies && m.Temperature != nil {
		if t.temperatures == nil {
			t.temperatures = map[string]*material.Temperatures{}
		}
		t.temperatures[m.Name] = m.Temperature
	}
}

// tell puts what was taken into the answer, and holds temperatures against the range in
// which the figures are those of the material.
func (t *taken) tell(out *driverOutput) {
	out.Materials = t.used
	for _, n := range t.notes {
		out.Evidence.Note("%s", n)
	}
	if out.Temperature == nil {
		return
	}
	low, high := float64(out.Temperature.Min), float64(out.Temperature.Max)
	for name, r := range t.temperatures {
		if r.Most != nil {
			out.Evidence.Check(evidence.Within("temperature_range", evidence.Model, "", high, *r.Most, "K",
				fmt.Sprintf("The temperature reaches %.4g K; the figures of %s hold up to %.4g K (%s).", high, name, *r.Most, r.Source)+beyond(high > *r.Most)))
		}
		if r.Least != nil {
			out.Evidence.Check(evidence.AtLeast("temperature_range", evidence.Model, "", low, *r.Least, "K",
				fmt.Sprintf("The temperature falls to %.4g K; the figures of %s hold from %.4g K (%s).", low, name, *r.Least, r.Source)+beyond(low < *r.Least)))
		}
	}
}

func beyond(failed bool) string {
	if failed {
		return " Give the figures at the temperatures that occur, or take another material."
	}
	return ""
}
