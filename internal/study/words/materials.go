package words

import (
	"slices"
	"strings"

	"atelier/internal/agent/materials"
	"atelier/internal/quantity"
)

// propertyKinds are the figures of a material, as the tools take them.
var propertyKinds = map[string]quantity.Kind{"E": quantity.YoungsModulus, "nu": quantity.PoissonRatio, "density": quantity.Density, "yield": quantity.Stress, "tensile": quantity.Stress,
	"conductivity": quantity.Conductivity, "specific_heat": quantity.SpecificHeat, "alpha": quantity.Expansion, "tangent_modulus": quantity.YoungsModulus, "viscosity": quantity.Viscosity, "kinematic_viscosity": quantity.KinematicViscosity}

// fitsProperty says whether an amount can be a property. One without a unit is taken, and
// asked about where it needs one.
func fitsProperty(property string, a *amount) bool {
	k, ok := propertyKinds[property]
	if !ok || a == nil {
		return false
	}
	return a.is(k) || len(a.units) == 0
}

// found is a material that the sentence names.
type found struct {
	node *node
	of   materials.Material
}

func fluid(n *node) bool {
	m, ok := n.val.(materials.Material)
	return ok && m.Fluid
}

// named materials: those that the lexer has found, and German names.
func (r *reader) namedMaterials() []found {
	var out []found
	for _, n := range r.list {
		if w, ok := n.val.(warm); ok {
			n = w.fluid
		}
		if m, ok := n.val.(materials.Material); ok {
			out = append(out, found{n, m})
			continue
		}
		if name := n.tail("m"); name != "" {
			if m, ok := materials.Find(name); ok {
				out = append(out, found{n, m})
			}
		}
	}
	return out
}

// materials reads what the part is made of, or the fluid of a flow.
func (r *reader) materials() {
	flow := r.frame("inlet") != nil || r.has("an.flow", "drivenby") != nil || r.analysed("flow") ||
		r.has("flowverb", "q.pressuredrop", "q.flowrate") != nil && len(r.framesOf(heatKinds))+len(r.framesOf(structureKinds)) == 0
	var chosen *found
	for _, f := range r.namedMaterials() {
		if f.of.Fluid != flow {
			if f.of.Fluid && r.frame("convection") == nil && r.frame("temp") == nil && r.fresh {
				r.ask("material", r.say("%q is a fluid. What is the part made of?", "%q ist ein Fluid. Woraus ist das Teil?", f.node.text), r.say("steel S235", "Stahl S235"))
				f.node.use()
			}
			continue
		}
		f.node.use()
		switch {
		case chosen == nil, chosen.of.Fits(f.of) && f.of.Closer(chosen.of) || chosen.of.Fits(f.of) && chosen.of.Note != "" && f.of.Note == "":
			f := f
			chosen = &f
		case chosen.of.Fits(f.of):
		default:
			r.ask("material", r.say("Two materials are named, %s and %s: which one is it, or which body is of which?", "Zwei Werkstoffe sind genannt, %s und %s: welcher gilt, oder welcher Körper ist woraus?", chosen.of.Name, f.of.Name), chosen.of.Name)
			return
		}
	}
	for _, n := range r.all("unknownmat") {
		n.use()
		r.ask("material", r.say("Which %s is it? The table of materials does not say its figures by that name.", "Welcher Werkstoff ist %q? Die Werkstofftabelle kennt ihn unter diesem Namen nicht.", n.text), r.say("E = 11 GPa, nu = 0.3, density 600 kg/m^3", "E = 11 GPa, nu = 0.3, Dichte 600 kg/m³"))
	}
	figures := r.figures(chosen != nil)
	if chosen == nil && len(figures) == 0 {
		return
	}
	r.material(chosen, figures)
}

// figures are the properties that the sentence gives; the impossible is refused.
func (r *reader) figures(named bool) map[string]any {
	out := map[string]any{}
	r.bareFigures()
	for _, n := range r.all("figure") {
		n.use()
		f := n.val.(*figure)
		k := propertyKinds[f.property]
		if len(f.amount.units) == 0 && k.SI != "1" {
			r.ask("unit", r.say("In which unit is the %s of %s?", "In welcher Einheit ist %s von %s?", k.Name, decimal(f.amount.number)), k.Example)
			continue
		}
		si := f.amount.si(k)
		if err := k.CheckPossible(si); err != nil {
			r.refuse(r.say("%s: no material has that. It is %s.", "%s: das hat kein Werkstoff. Möglich ist %s.", n.text, possible(k)))
			continue
		}
		if err := k.Check(si); err != nil && f.property != "tensile" {
			r.ask("figure", r.say("%s is not plausible. What is the %s?", "%s ist nicht plausibel. Wie groß ist %s?", n.text, k.Name), k.Example)
			continue
		}
		if len(f.amount.units) == 0 {
			out[f.property], _ = f.amount.number.Float64()
		} else {
			out[f.property] = f.amount.value(k)
		}
	}
	return out
}

func possible(k quantity.Kind) string {
	if k.Possible[1] != 0 {
		return "> " + k.Format(k.Possible[0]) + ", < " + k.Format(k.Possible[1])
	}
	return "> " + k.Format(0)
}

// material puts the material into the study: in the place of the only one that is there.
func (r *reader) material(chosen *found, figures map[string]any) {
	have := r.members("materials")
	value, name := map[string]any{}, "material"
	if chosen != nil {
		value["material"], name = chosen.of.Name, nameOf(strings.Fields(chosen.of.Name)[0])
		if chosen.of.Note != "" {
			r.assume("%s: %s.", "%s: %s.", chosen.of.Name, chosen.of.Note)
		}
	}
	for k, v := range figures {
		value[k] = v
	}
	switch {
	case len(have) > 1:
		r.ask("material", r.say("The study has %d materials. Which one is to change?", "Die Studie hat %d Werkstoffe. Welcher soll sich ändern?", len(have)), have[0].name)
		return
	case len(have) == 1 && chosen == nil:
		for k, v := range have[0].value {
			if _, given := value[k]; !given {
				value[k] = v
			}
		}
		name = have[0].name
	case len(have) == 1:
		r.remove("materials", have[0].name)
	}
	r.set("materials", name, value)
}

// bareFigures are amounts whose dimension alone says which property they are: 850 kg/m³.
func (r *reader) bareFigures() {
	for _, n := range r.list {
		if n.kind != "amount" || n.used {
			continue
		}
		for _, property := range []string{"density", "viscosity", "kinematic_viscosity", "conductivity", "specific_heat"} {
			if n.amount().is(propertyKinds[property]) {
				value := n.val
				n.kids = []*node{{kind: "amount", start: n.start, end: n.end, text: n.text, val: value}}
				n.kind, n.val = "figure", &figure{property, value.(*amount)}
				r.leaves = slices.DeleteFunc(r.leaves, func(l *node) bool { return l == n })
				r.leaves = append(r.leaves, n.kids[0])
				break
			}
		}
	}
}
