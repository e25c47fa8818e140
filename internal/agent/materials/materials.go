// Package materials reads which material a prompt names and gives the figures of its
// row in the table of internal/material. Grades differ, so that an answer names the
// row and what was assumed to choose it; a material that is not in the table is asked
// for, never guessed.
package materials

import (
	"maps"
	"strings"

	"atelier/internal/material"
)

// Material is what a run takes of a row of the table. A value of 0 is not known.
type Material struct {
	Name  string `json:"name"` // of the row
	Fluid bool   `json:"fluid,omitempty"`

	YoungsModulus float64 `json:"youngs_modulus,omitempty"` // Pa
	PoissonRatio  float64 `json:"poisson_ratio,omitempty"`  // 1
	Density       float64 `json:"density,omitempty"`        // kg/m^3
	Yield         float64 `json:"yield_strength,omitempty"` // Pa, 0.2 % proof stress; 0 for brittle ones
	Conductivity  float64 `json:"conductivity,omitempty"`   // W/(m K)
	SpecificHeat  float64 `json:"specific_heat,omitempty"`  // J/(kg K)
	Expansion     float64 `json:"expansion,omitempty"`      // 1/K
	Viscosity     float64 `json:"viscosity,omitempty"`      // Pa s, dynamic

	Sources map[Property]string `json:"sources,omitempty"` // where each value is from
	Note    string              `json:"note,omitempty"`    // what was assumed, and what the values hold for

	// family is how the names of the rows begin that the words could also mean; "" where
	// they name one row.
	family string
}

// Property is a value of a material.
type Property string

// The properties, as a material's JSON has them.
const (
	YoungsModulus Property = "youngs_modulus"
	PoissonRatio  Property = "poisson_ratio"
	Density       Property = "density"
	Yield         Property = "yield_strength"
	Conductivity  Property = "conductivity"
	SpecificHeat  Property = "specific_heat"
	Expansion     Property = "expansion"
	Viscosity     Property = "viscosity"
)

func (m *Material) values() map[Property]*float64 {
	return map[Property]*float64{YoungsModulus: &m.YoungsModulus, PoissonRatio: &m.PoissonRatio, Density: &m.Density, Yield: &m.Yield,
		Conductivity: &m.Conductivity, SpecificHeat: &m.SpecificHeat, Expansion: &m.Expansion, Viscosity: &m.Viscosity}
}

// Value is that of a property, 0 where it is not known.
func (m Material) Value(p Property) float64 { return *m.values()[p] }

// Over puts the values of the prompt over those of the table.
func (m Material) Over(table Material) Material {
	table.Sources = maps.Clone(table.Sources)
	to := table.values()
	for p, v := range m.values() {
		if *v != 0 {
			*to[p] = *v
			table.Sources[p] = "the prompt"
		}
	}
	return table
}

// Fits says whether two mentions can mean the same material: the same row, or words that
// leave the grade open and a row of theirs.
func (m Material) Fits(o Material) bool {
	within := func(a, b Material) bool { return a.family != "" && strings.HasPrefix(b.Name, a.family) }
	return m.Name == o.Name || within(m, o) || within(o, m)
}

// Closer says whether m leaves less open than o.
func (m Material) Closer(o Material) bool {
	return o.family != "" && (m.family == "" || len(m.family) > len(o.family))
}

func taken(row *material.Material, family, note string) Material {
	m := Material{Name: row.Name, Fluid: row.Fluid, Sources: map[Property]string{}, family: family}
	to := m.values()
	for p, f := range map[Property]*material.Figure{YoungsModulus: row.E, PoissonRatio: row.Nu, Density: row.Density, Yield: row.Yield,
		Conductivity: row.Conductivity, SpecificHeat: row.SpecificHeat, Expansion: row.Alpha, Viscosity: row.Viscosity} {
		if f != nil {
			*to[p], m.Sources[p] = f.Value, f.Source
		}
	}
	switch {
	case note == "" || row.Note == "":
		m.Note = note + row.Note
	default:
		m.Note = note + "; " + row.Note
	}
	return m
}
