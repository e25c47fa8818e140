package plan

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"atelier/internal/quantity"
)

var (
	initialBefore = regexp.MustCompile(`(?:initial\w*|starts?|starting|begins?|beginning|at first|t ?= ?0)[^,.;]{0,25}$`)
	initialAfter  = regexp.MustCompile(`^[^,.;]{0,12}(?:initial|at (?:the )?(?:start|beginning)|at first)`)
	ambientBefore = regexp.MustCompile(`(?:ambient\w*|surround\w*|environment\w*|air|room|bulk|fluid|coolant|water|t_?inf\w*|t_?amb\w*)[^,.;]{0,25}$|\bto (?:the |an )?$`)
	airBefore     = regexp.MustCompile(`\b(?:ambient\w*|surround\w*|environment\w*|air|room|bulk|fluid|coolant|water|t_?inf\w*|t_?amb\w*)[^,.;]{0,25}$`)
	ambientAfter  = regexp.MustCompile(`^ (?:air|ambient|surround|environment|room|water|coolant|outside air)`)
)

// heat reads temperatures, fluxes and convection, segment by segment.
func (r *reader) heat() {
	a := &assembler{reader: r, trigger: r.thermalTriggers}
	a.run()
	for _, c := range a.conditions {
		if c.Kind != "" {
			r.plan.Conditions = append(r.plan.Conditions, c)
		}
	}
	for i := range r.plan.Conditions {
		r.opposite(&r.plan.Conditions[i])
	}
	r.settle()
	r.plan.Steady = r.plan.FinalTime == 0 && r.plan.InitialTemperature == 0 && r.plan.TimeStep == 0 && r.transientSaid() == 0
	for _, it := range r.items {
		if it.class == classUnsure && (it.value == "place" || it.value == "analysis") && !it.used {
			r.unsure(it)
		}
	}
}

// transientSaid is where it is said that temperatures change in time; 0 for nowhere.
func (r *reader) transientSaid() (at int) {
	for _, it := range r.items {
		if it.class == classHeat && it.value == "transient" && it.start >= r.settled {
			at = it.start + 1
		}
	}
	return at
}

// settle makes a request steady that a later message says to be, without a time.
func (r *reader) settle() {
	for _, it := range r.items {
		if it.class == classHeat && it.value == "steady" && r.changing(it.start) {
			r.settled = r.turns[r.turnAt(it.start)-1].start
		}
	}
	if r.settled > 0 && !slices.ContainsFunc(r.items, func(it item) bool { return it.start >= r.settled && it.class == classQuantity && it.is(quantity.Time) }) {
		r.plan.FinalTime, r.plan.TimeStep, r.plan.InitialTemperature = 0, 0, 0
	}
}

func (r *reader) thermalTriggers(s *segment) []*Condition {
	var out []*Condition
	for _, it := range s.items {
		switch {
		case it.used:
		case it.class == classHeat && it.value == "insulated":
			out = append(out, &Condition{Kind: Insulated, given: true, at: it.start})
		case it.class == classHeat && it.value == "convection":
			if c := r.film(s, out); c == nil {
				r.filmOpen = &Condition{Kind: Convection, at: it.start}
				out = append(out, r.filmOpen)
			}
		case it.class == classQuantity:
			if c := r.thermal(s, it, &out); c != nil {
				out = append(out, c)
			}
		}
	}
	return out
}

// film is the convection that still lacks its coefficient or its ambient.
func (r *reader) film(s *segment, have []*Condition) *Condition {
	for _, c := range have {
		if c.Kind == Convection {
			return c
		}
	}
	if r.filmOpen != nil && (r.filmOpen.Value == 0 || !r.filmOpen.hasAmbient) && !(s.has(classPlace) && len(r.filmOpen.Places) > 0) {
		return r.filmOpen
	}
	return nil
}

// thermal makes a condition of a number, or completes one.
func (r *reader) thermal(s *segment, it *item, have *[]*Condition) *Condition {
	before, after := r.around(it, 45, 25)
	switch {
	case it.err != nil:
		it.used = true
		r.plan.ask(it.start, "number", sentenceOf(it.err), "80.5 degC")
		return &Condition{Kind: FixedTemp, fault: true, at: it.start}
	case it.is(quantity.FilmCoefficient):
		v, _ := it.si(quantity.FilmCoefficient)
		c := r.film(s, *have)
		fresh := c == nil
		if fresh {
			c = &Condition{Kind: Convection, at: it.start}
			r.filmOpen = c
		}
		r.checked(it, quantity.FilmCoefficient, v, "film_coefficient", func() { c.Value = v })
		if fresh {
			return c
		}
	case it.is(quantity.HeatFlux):
		return r.flux(it, HeatFlux, quantity.HeatFlux, before)
	case it.is(quantity.Power):
		return r.flux(it, HeatPower, quantity.Power, before)
	case it.is(quantity.Temperature) && !it.bare():
		return r.temperature(s, it, *have, before, after)
	case it.bare() && (s.has(classPlace) || s.has(classShow, "temperature")) && !counted.MatchString(after):
		it.used = true
		r.plan.ask(it.start, "unit", fmt.Sprintf("The value %s has no unit.", r.text[it.start:it.end]), r.text[it.start:it.end]+" degC")
		return &Condition{Kind: FixedTemp, fault: true, at: it.start}
	case (it.is(quantity.Force) || it.is(quantity.Length) || it.is(quantity.Mass)) && s.has(classPlace):
		it.used = true
		r.plan.ask(it.start, "temperature", fmt.Sprintf("%q is no temperature, heat flux or power.", r.cased[it.start:it.end]), "80 degC at the bottom")
		return &Condition{Kind: FixedTemp, fault: true, at: it.start}
	}
	return nil
}

var losing = regexp.MustCompile(`\b(?:los(?:es?|ing|t)|leaves|leaving|out of|removed?|removing|extract(?:ed|ing)|tak(?:en|ing) (?:out|away|off)|drawn (?:from|off|out)|carried (?:away|off)|given off|cooling)\b`)

func (r *reader) flux(it *item, kind Kind, k quantity.Kind, before string) *Condition {
	v, _ := it.si(k)
	c := &Condition{Kind: kind, given: true, at: it.start}
	_, after := r.around(it, 0, 25)
	if m := losing.FindStringIndex(before); m != nil {
		r.use(it.start-len(before)+m[0], it.start-len(before)+m[1])
	}
	if losing.MatchString(before) || losing.MatchString(after) {
		v = -v
		c.assume("%s leave the part.", k.Format(-v))
	}
	r.checked(it, k, v, "heat", func() { c.Value = v })
	return c
}

// filmHere says whether the convection or its coefficient stands before a number
// in its segment.
func (r *reader) filmHere(s *segment, it *item) bool {
	for _, other := range s.items {
		film := other.class == classHeat && other.value == "convection" || other.class == classQuantity && other.is(quantity.FilmCoefficient)
		if film && other.start < it.start {
			return true
		}
	}
	return false
}

// temperature is of the start, of the surroundings, or of a face.
func (r *reader) temperature(s *segment, it *item, have []*Condition, before, after string) *Condition {
	v, _ := it.si(quantity.Temperature)
	if i := strings.LastIndexAny(before, ",;"); i >= 0 {
		before = before[i+1:]
	}
	film := r.film(s, have)
	around := s.has(classHeat, "ambient") || airBefore.MatchString(before) || ambientAfter.MatchString(after)
	switch {
	case initialBefore.MatchString(before) || initialAfter.MatchString(after):
		r.checked(it, quantity.Temperature, v, "temperature", func() { r.plan.InitialTemperature = v })
		return nil
	case film != nil && !film.hasAmbient && (ambientBefore.MatchString(before) || ambientAfter.MatchString(after) || s.has(classHeat, "ambient")):
		r.checked(it, quantity.Temperature, v, "temperature", func() { film.Ambient, film.hasAmbient = v, true })
		return nil
	case film != nil && !film.hasAmbient && (!s.has(classPlace) || len(r.chains(s)) < 2 && r.filmHere(s, it)):
		r.checked(it, quantity.Temperature, v, "temperature", func() { film.Ambient, film.hasAmbient = v, true })
		return nil
	case around && r.changing(it.start) && (film == nil || film.hasAmbient): // of the convection of the request before
		c := &Condition{Kind: Convection, at: it.start}
		r.checked(it, quantity.Temperature, v, "temperature", func() { c.Ambient, c.hasAmbient = v, true })
		r.filmOpen = c
		return c
	case s.has(classHeat, "ambient"):
		r.checked(it, quantity.Temperature, v, "temperature", func() { r.ambient = v })
		return nil
	}
	c := &Condition{Kind: FixedTemp, given: true, at: it.start}
	if !r.checked(it, quantity.Temperature, v, "temperature", func() { c.Value = v }) {
		c.fault = true
	}
	return c
}
