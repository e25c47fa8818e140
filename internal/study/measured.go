package study

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"

	"atelier/internal/contract"
	"atelier/internal/quantity"
	"atelier/internal/shape"
)

// total is what a condition says of its faces together, and the solver takes per area or as
// a vector: a heat of 30 W, a flow of 2 l/min, a mean speed or a force into the part.
type total struct {
	field string // of the study
	kind  quantity.Kind
	of    string // type of the condition
}

var totals = []total{
	{"power", quantity.Power, "heat_flux"},
	{"flow_rate", quantity.FlowRate, "inlet"},
	{"speed", quantity.Velocity, "inlet"},
	{"push", quantity.Force, "load"},
}

// spread turns a total of a condition into the field of the solver, by the measured area and
// normal of its faces.
func (s *solver) spread(c acting, sites []shape.Site, out map[string]any) error {
	for _, t := range totals {
		raw, given := c.Fields[t.field]
		if !given || t.of != c.Type {
			continue
		}
		at := c.at + "/" + t.field
		delete(out, t.field)
		instead := map[string]string{"heat_flux": "value", "inlet": "velocity", "load": "force"}[c.Type]
		if _, both := c.Fields[instead]; both {
			return contract.Errorf(contract.CodeInvalidInput, "%s and %s are given, and each says what the other does", t.field, instead).At(at).WithHint("Leave one out.")
		}
		value, err := siOf(raw, t.kind)
		if err != nil {
			return contract.AsError(err).At(at)
		}
		area, normal := 0.0, []float64(nil)
		for i, site := range sites {
			if site.Area <= 0 && t.field != "push" && t.field != "speed" {
				return contract.Errorf(contract.CodeInvalidInput, "the area of %s is not known, over which %s is spread", site.Place, t.field).At(at).
					WithHint("Give %s instead, or a CAD file, whose faces are measured.", map[string]string{"heat_flux": "value, in W/m^2", "inlet": "velocity"}[c.Type])
			}
			area += site.Area
			if i == 0 {
				normal = site.Normal
			} else if !slices.Equal(site.Normal, normal) {
				normal = nil
			}
		}
		if c.Type == "heat_flux" {
			out["value"] = quantity.Significant(value / area)
			s.resolv.Assume("%s over %s are %s.", quantity.Power.Format(value), squareMetres(area), quantity.HeatFlux.Format(value/area))
			continue
		}
		if len(normal) != 3 {
			return contract.Errorf(contract.CodeInvalidInput, "the place is not one flat face, so that the direction of %s is not known", t.field).At(at).WithHint("Give %s, a vector.", instead)
		}
		if t.field == "flow_rate" {
			value /= area
			s.resolv.Assume("The flow rate over %s is a mean speed of %s.", squareMetres(area), quantity.Velocity.Format(value))
		}
		into := make([]float64, 3)
		for i := range into {
			into[i] = quantity.Significant(-value*normal[i]) + 0 // no -0
		}
		out[instead] = into
	}
	return nil
}

func squareMetres(area float64) string {
	return quantity.Number(quantity.Significant(area*1e6)) + " mm²"
}

// siOf a number of SI units or a text with its unit.
func siOf(raw json.RawMessage, k quantity.Kind) (float64, error) {
	var number float64
	if json.Unmarshal(raw, &number) == nil {
		return number, nil
	}
	var text string
	if err := json.Unmarshal(raw, &text); err != nil {
		return 0, contract.Errorf(contract.CodeInvalidInput, "%s is neither a number nor a text with a unit", raw).WithHint("Such as %q.", k.Example)
	}
	return quantity.ParseAs(text, k)
}

// carriedBy are figures of a condition: what its faces carry.
var carriedBy = []struct {
	prefix, field string
	of            family
}{
	{"reaction force of ", "force", structures},
	{"heat rate of ", "heat_rate", heat},
	{"flow rate of ", "flow_rate", flow},
}

// ofCondition finds the pointer of a figure such as "reaction force of support" for an
// analysis; ok is false where it has none.
func (s *Study) ofCondition(analysis, quantity string) (pointer string, ok bool) {
	for _, figure := range carriedBy {
		name, found := strings.CutPrefix(quantity, figure.prefix)
		kind := s.Analyses[analysis].Type
		if !found || families[kind] != figure.of || figure.of == structures && kind != "static" && kind != "nonlinear" {
			continue
		}
		part, err := s.partOf(analysis)
		if err != nil {
			return "", false
		}
		run := &solver{execution: &execution{study: s}, name: analysis, family: figure.of, part: part, config: map[string]any{}, resolv: &shape.Resolver{}}
		if raw, given := s.Analyses[analysis].Options["prestress"]; given {
			run.config["prestress"] = decoded(raw)
		}
		at := 0
		for _, c := range run.acting() {
			switch {
			case c.Type == gravity || c.Type == rotation:
				continue
			case strings.HasSuffix(c.at, "/"+escape(name)):
				return fmt.Sprintf("/loads/%d/%s", at, figure.field), true
			}
			at++
		}
	}
	return "", false
}

// magnitude of a vector of a result.
func magnitude(v any) (float64, bool) {
	list, ok := v.([]any)
	if !ok || len(list) == 0 {
		return 0, false
	}
	sum := 0.0
	for _, x := range list {
		number, isNumber := x.(float64)
		if !isNumber {
			return 0, false
		}
		sum += number * number
	}
	return math.Sqrt(sum), true
}

// simplySupported is what a hinge holds: on the narrow faces of a plate the direction of its
// thickness, on the end of a beam those across its axis.
const simplySupported = "simply_supported"

// softBedding keeps a part in place that nothing holds in some direction, N/m^3: a face of
// 1000 mm² yields 1 mm to 1 N.
const softBedding = 1e6

// hinged is a simple support as the solver takes it.
func (s *solver) hinged(c acting, sites []shape.Site, out map[string]any) error {
	if c.Type != simplySupported {
		return nil
	}
	out["type"] = "fixed"
	narrow := func(p Place) bool { return p.Feature != nil && strings.HasSuffix(p.Feature.Name, "edges") }
	if slices.ContainsFunc(c.On, narrow) {
		size := s.mesh.shape.Max.Sub(s.mesh.shape.Min)
		thin := 0
		for i := range size {
			if size[i] < size[thin] {
				thin = i
			}
		}
		out["components"] = []string{string("xyz"[thin])}
		s.resolv.Assume("The edges of the plate are held across it, along %c.", "xyz"[thin])
		if s.study.Analyses[s.name].Type != "modal" && len(s.soft) == 0 {
			bedding := map[string]any{"type": "elastic"}
			for _, selector := range []string{"attribute", "face", "where"} {
				if v, ok := out[selector]; ok {
					bedding[selector] = v
				}
			}
			stiffness := []float64{softBedding, softBedding, softBedding}
			stiffness[thin] = 0
			bedding["stiffness"] = stiffness
			s.soft = append(s.soft, bedding)
			s.resolv.Assume("A soft bedding of 1 MN/m³ along the plate keeps it in place.")
		}
		return nil
	}
	var held []string
	for _, site := range sites {
		if len(site.Normal) != 3 {
			return contract.Errorf(contract.CodeInvalidInput, "%s is not flat across an axis: what a hinge there would hold is not known", site.Place).At(c.at + "/on").
				WithHint(`Take type fixed with components, such as ["y", "z"].`)
		}
		var across []string
		for i, n := range site.Normal {
			if math.Abs(n) < 0.001 {
				across = append(across, string("xyz"[i]))
			}
		}
		if len(across) != 2 || held != nil && !slices.Equal(held, across) {
			return contract.Errorf(contract.CodeInvalidInput, "the faces of a simple support look along different axes").At(c.at + "/on").WithHint("Give each place a support of its own.")
		}
		held = across
	}
	out["components"] = held
	return nil
}
