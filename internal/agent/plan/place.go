package plan

import "atelier/internal/shape"

// Place is where a condition acts.
type Place = shape.Place

// resolver turns places into sites for the solver's input.
type resolver struct {
	shape.Resolver
	plan   *Plan
	places []string // of the boundary conditions made so far
}

// TopicLengthUnit is that of the question which shape.UnknownUnit asks.
const TopicLengthUnit = "length_unit"

// AskUnit is the question for a part whose file does not tell its unit.
func AskUnit(e *shape.UnknownUnit) Question {
	return Question{Topic: TopicLengthUnit, Text: e.Error(), Example: "the file is in mm", at: -1}
}

// taken are the places of all conditions.
func (p *Plan) taken() []Place {
	var out []Place
	for _, c := range p.Conditions {
		out = append(out, c.Places...)
	}
	return out
}
