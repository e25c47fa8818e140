package plan

import (
	"slices"
	"strings"

	"atelier/internal/quantity"
)

// foreignKinds are quantities that are read wherever they stand and that a physics
// has no place for.
var foreignKinds = map[Physics][]quantity.Kind{
	Elasticity: {quantity.Time, quantity.HeatSource},
	Flow:       {quantity.HeatSource, quantity.Temperature},
}

// shown are the fields that a physics can show, with the words for them.
var shown = map[Physics][]string{
	Elasticity: {"von_mises", "displacement", "safety"}, Heat: {"temperature"}, Flow: {"velocity", "pressure_drop", "pressure"},
}

// taken says whether a word belongs to what the vocabulary knows and the physics of
// the plan can use.
func (r *reader) taken(start, end int) bool {
	for i := range r.items {
		if it := &r.items[i]; it.start <= start && end <= it.end {
			return r.relevant(it)
		}
	}
	return true // of two items
}

func (r *reader) relevant(it *item) bool {
	physics := r.plan.Physics
	text := r.text[it.start:it.end]
	switch it.class {
	case classShow:
		return slices.Contains(shown[physics], it.value)
	case classGravity:
		return physics == Elasticity
	case classUnsure:
		return physics != Flow
	case classHeat:
		switch physics {
		case Elasticity:
			return it.value == "heat" || it.value == "steady"
		case Flow:
			return it.value != "convection" && it.value != "insulated" && it.value != "source"
		}
	case classFlow:
		switch {
		case it.value == "wall":
			return physics == Flow || strings.Contains(text, "wall") || strings.Contains(text, "lid")
		case physics == Elasticity:
			return it.value == "from" || it.value == "out"
		}
		return physics == Flow || it.value != "parabolic"
	case classSupport:
		return physics == Elasticity || physics == Heat && it.value != "symmetry"
	case classLoad:
		return physics == Elasticity || it.value == "load" || physics == Flow && it.value == "pressure"
	}
	return true
}
