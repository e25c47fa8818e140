package study

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"atelier/internal/geometry"
	"atelier/internal/material"
	"atelier/internal/quantity"
	"atelier/internal/shape"
)

// The mass of a part that is only imported: its exact volume times the density of its
// material.

const importTool = "cad_import_truck"

// weighs says whether a quantity of an analysis is the mass of an imported part.
func (a Analysis) weighs(quantity string) bool {
	return strings.HasSuffix(a.Tool, importTool) && slices.Contains([]string{"mass", "weight"}, shape.Spaced(quantity))
}

// weigh turns the volume of an answer into the mass.
func (r *Run) weigh(a *Answer, output json.RawMessage) {
	a.Name, a.Unit = "mass", "kg"
	density, source, err := r.study.density()
	var out struct {
		Unit string `json:"length_unit"`
	}
	metres := geometry.LengthUnits[""]
	if json.Unmarshal(output, &out) == nil {
		metres = geometry.LengthUnits[out.Unit]
	}
	switch {
	case a.Value == nil:
		a.Missing = "The part is not closed, so that it has no volume."
	case err != "":
		a.Missing = err
	case metres == 0:
		a.Missing = "The unit of the file is not known."
	}
	if a.Missing != "" {
		a.Value, a.Error = nil, nil
		a.Text = "mass: " + strings.TrimSuffix(a.Missing, ".")
		return
	}
	k := metres * metres * metres * density
	mass := *a.Value * k
	a.Value = &mass
	if a.Error != nil {
		bar := *a.Error * k
		a.Error = &bar
	}
	a.Text = fmt.Sprintf("mass: %s, the exact volume times %s", quantity.Mass.Format(mass), source)
}

// density of the material of the whole study.
func (s *Study) density() (value float64, source, fault string) {
	if len(s.Materials) != 1 {
		return 0, "", fmt.Sprintf("The study has %d materials: a mass needs the one of the part.", len(s.Materials))
	}
	for _, m := range s.Materials {
		if raw, given := m.Figures["density"]; given {
			v, err := siOf(raw, quantity.Density)
			if err != nil {
				return 0, "", err.Error()
			}
			return v, quantity.Density.Format(v), ""
		}
		row, _ := material.Find(m.Name)
		if row == nil || row.Density == nil {
			return 0, "", fmt.Sprintf("The density of %q is not known.", m.Name)
		}
		return row.Density.Value, fmt.Sprintf("%s of %s", quantity.Density.Format(row.Density.Value), row.Name), ""
	}
	return 0, "", ""
}
