package plan

import (
	"regexp"
	"slices"
	"strings"

	"atelier/internal/agent/materials"
	"atelier/internal/quantity"
)

// longestPrompt is what is read of a prompt; more is no wish but a document.
const longestPrompt = 8000

// Read makes a plan of a prompt and what the session knows. It never fails: what
// is missing or not understood is in the plan's questions.
func Read(prompt string, facts Facts) *Plan {
	p := &Plan{Prompt: prompt, File: facts.File, LengthUnit: facts.LengthUnit, Curved: facts.Curved}
	text := strings.ToValidUTF8(joined(prompt, facts), "?")
	if len(text) > longestPrompt {
		p.ask(-1, "prompt", "The text is too long to be read as a wish: say in a few sentences what is to be computed.", "steel, fixed at the bottom, 500 N downwards on the top")
		text = strings.ToValidUTF8(text[:longestPrompt], "")
	}
	r := &reader{lexer: lex(text, facts.Faces), plan: p}
	r.turn(facts)
	for _, fix := range r.fixes {
		p.assume("I read %s.", fix)
	}
	if r.file != "" {
		p.File = r.file
	}
	r.decidePhysics()
	r.relatives()
	r.split()
	if p.Physics == Circuit {
		r.circuit()
		r.leftOver()
		return p
	}
	r.lengthUnit()
	r.properties()
	r.pickMaterial()
	switch p.Physics {
	case Elasticity:
		r.elasticity()
	case Heat:
		r.heat()
	case Flow:
		r.flow()
	}
	r.showAndViews()
	r.wishes()
	r.applyDefaults(facts)
	p.keepRepair()
	r.leftOver()
	return p
}

// Says tells whether a prompt holds anything that a plan is made of.
func Says(prompt string) bool {
	if len(prompt) > longestPrompt {
		return true
	}
	if unitAnswer.MatchString(prompt) {
		return true
	}
	l := lex(strings.ToValidUTF8(prompt, "?"), nil)
	return isNetlist(l.code) || slices.ContainsFunc(l.items, func(it item) bool {
		return it.class != classWeak && it.class != classAnd && it.class != classStrong
	})
}

// turnMark stands between the messages of a conversation.
const turnMark = "\x1e"

// joined puts the earlier messages before the prompt.
func joined(prompt string, facts Facts) string {
	if len(facts.Earlier) == 0 {
		return strings.ReplaceAll(prompt, turnMark, " ")
	}
	var b strings.Builder
	for _, text := range facts.Earlier {
		b.WriteString(strings.ReplaceAll(text, turnMark, " ") + ". " + turnMark + " ")
	}
	return b.String() + strings.ReplaceAll(answerTo(prompt, facts.Asked, facts), turnMark, " ")
}

// answerTo is an answer to questions in words that stand by themselves: one that only
// names a place names that which was asked for.
func answerTo(prompt string, asked []string, facts Facts) string {
	if m := unitAnswer.FindStringSubmatch(prompt); m != nil { // no unit of a number
		return "the file is in " + m[1]
	}
	for _, topic := range asked {
		l := lex(prompt, facts.Faces)
		onlyPlaces := len(l.items) > 0
		for _, it := range l.items {
			if it.class != classPlace && it.class != classWeak && it.class != classAnd && it.class != classStrong {
				onlyPlaces = false
			}
		}
		if !onlyPlaces {
			break
		}
		switch topic {
		case "support":
			return "fixed at " + prompt
		case "inlet":
			return "inlet " + prompt
		case "outlet":
			return "outlet " + prompt
		}
	}
	return prompt
}

// scores of words for the physics; quantities weigh more.
func (r *reader) decidePhysics() {
	score := map[Physics]int{}
	for _, it := range r.items {
		switch it.class {
		case classCircuit:
			score[Circuit] += 3
		case classPhysics:
			score[Elasticity] += 2
		case classGravity:
			score[Elasticity] += 2
		case classLoad:
			if it.value != "pressure" && it.value != "weight" {
				score[Elasticity] += 2
			} else {
				score[Elasticity]++
			}
		case classSupport:
			score[Elasticity]++
		case classShow:
			switch it.value {
			case "von_mises", "displacement", "safety":
				score[Elasticity] += 2
			case "temperature":
				score[Heat] += 2
			case "velocity":
				score[Flow] += 2
			case "pressure_drop":
				score[Flow] += 3
			}
		case classHeat:
			if it.value == "convection" || it.value == "insulated" || it.value == "source" || it.value == "heat" && strings.HasPrefix(r.text[it.start:], "heat") {
				score[Heat] += 2
			}
		case classFlow:
			if it.value == "inlet" || it.value == "outlet" || it.value == "flow" {
				score[Flow] += 2
			}
		case classQuantity, classVector:
			score[r.physicsOf(it)] += 4
		}
	}
	if isNetlist(r.code) {
		score[Circuit] += 20
	}
	if bareParts.MatchString(r.text) {
		score[Circuit] += 5
	}
	if score[Circuit] > 0 {
		score[Circuit] += 2 * r.partValues()
	}
	delete(score, "")
	best, most := Physics(""), 0
	for _, p := range []Physics{Elasticity, Heat, Flow, Circuit} {
		if score[p] > most {
			best, most = p, score[p]
		}
	}
	r.plan.Physics = best
	if best == "" {
		r.plan.ask(-1, "physics", "What should be computed: stresses and deflection, temperatures, a flow, or a circuit?",
			"steel, fixed at the bottom, 500 N downwards on the top, show the stress")
	}
	if best != Circuit && score[Heat] >= 6 && score[Elasticity] >= 8 && r.hasLoad() && r.hasTemperature() {
		r.plan.ask(-1, "physics", "Loads and temperatures are both there, but one run computes either stresses from loads or temperatures; thermal stress is not coupled. Which one?",
			"only the stress from the load")
	}
}

func (r *reader) hasLoad() bool {
	for _, it := range r.items {
		if it.is(quantity.Force) {
			return true
		}
	}
	return false
}

func (r *reader) hasTemperature() bool {
	for _, it := range r.items {
		if it.class == classQuantity && it.is(quantity.Temperature) {
			return true
		}
	}
	return false
}

// bareParts are the values of two parts of a circuit without their units.
var bareParts = regexp.MustCompile(`\br\d{0,2} ?= ?[\d.][\d.e+-]*[,;]?(?: and)? [cl]\d{0,2} ?= ?[\d.]`)

// kilo is how a thousand ohm are often written.
var kilo = regexp.MustCompile(`^\d+(?:\.\d+)? ?K$`)

func (r *reader) physicsOf(it item) Physics {
	switch {
	case it.bare():
		return ""
	case kilo.MatchString(r.cased[it.start:it.end]) && !r.inKelvin(it.start) && slices.ContainsFunc(r.items, func(o item) bool { return o.class == classCircuit }):
		return Circuit
	case it.is(quantity.Force):
		return Elasticity
	case it.is(quantity.Temperature), it.is(quantity.FilmCoefficient), it.is(quantity.HeatFlux), it.is(quantity.Conductivity),
		it.is(quantity.SpecificHeat), it.is(quantity.HeatSource), it.is(quantity.Power):
		return Heat
	case it.is(quantity.Velocity), it.is(quantity.Viscosity), it.is(quantity.KinematicViscosity), it.is(quantity.FlowRate):
		return Flow
	case it.is(quantity.Resistance), it.is(quantity.Capacitance), it.is(quantity.Inductance), it.is(quantity.Voltage):
		return Circuit
	}
	return ""
}

const unitNamesPattern = `(millimet(?:er|re)s?|mm|centimet(?:er|re)s?|cm|met(?:er|re)s?|inch(?:es)?|feet|foot)`

var (
	unitWords = regexp.MustCompile(`\b(?:in|is|are|units?(?: are| is)?:?|modell?ed in|drawn in|file in) ` + unitNamesPattern + `\b`)
	// unitAnswer is a reply that names a unit of length and nothing else.
	unitAnswer = regexp.MustCompile(`(?i)^\W*(?:(?:it|the (?:part|file|unit|model)|all|everything) (?:is|was)(?: drawn| modell?ed)? ?)?(?:in )?` + unitNamesPattern + `\W*$`)
)

var unitNames = map[string]string{"mi": "mm", "mm": "mm", "ce": "cm", "cm": "cm", "me": "m", "in": "in", "fe": "ft", "fo": "ft"}

// lengthUnit reads "the STL is in millimetres".
func (r *reader) lengthUnit() {
	for _, m := range unitWords.FindAllStringSubmatchIndex(r.text, -1) {
		if r.plan.LengthUnit != "" && r.turnAt(m[0]) == 0 {
			continue
		}
		r.plan.LengthUnit = unitNames[r.text[m[2]:m[2]+2]]
	}
}

// property is a material value or setting that a prompt may give.
type property struct {
	kind     quantity.Kind
	before   *regexp.Regexp // what must stand before the number; nil for nothing
	topic    string
	set      func(*Plan, float64)
	material bool // of the material, not of the run
}

func materialOf(p *Plan) *materials.Material {
	if p.Material == nil {
		p.Material = &materials.Material{}
	}
	return p.Material
}

var propertyTable = []property{
	{quantity.YoungsModulus, regexp.MustCompile(`(?:\be|modulus|young\S*|stiffness)(?: modulus| of elasticity)?\s*(?:=|of|is|:)?\s*$`), "youngs_modulus", func(p *Plan, v float64) { materialOf(p).YoungsModulus = v }, true},
	{quantity.Stress, regexp.MustCompile(`(?:yield|proof)(?: strength| stress| point)?(?: at| of| is|=|:|\s)*$`), "yield", func(p *Plan, v float64) { materialOf(p).Yield = v }, true},
	{quantity.PoissonRatio, regexp.MustCompile(`(?:\bnu|ν|poisson\S*(?: ratio| number)?)\s*(?:=|of|is|:)?\s*$`), "poisson_ratio", func(p *Plan, v float64) { materialOf(p).PoissonRatio = v }, true},
	{quantity.Density, nil, "density", func(p *Plan, v float64) { materialOf(p).Density = v }, true},
	{quantity.Conductivity, nil, "conductivity", func(p *Plan, v float64) { materialOf(p).Conductivity = v }, true},
	{quantity.SpecificHeat, nil, "specific_heat", func(p *Plan, v float64) { materialOf(p).SpecificHeat = v }, true},
	{quantity.Viscosity, nil, "viscosity", func(p *Plan, v float64) { materialOf(p).Viscosity = v }, true},
	{quantity.HeatSource, nil, "source", func(p *Plan, v float64) { p.Source = v }, false},
	{quantity.Time, regexp.MustCompile(`(?:time[- ]?steps?|\bdt|Δt|steps?)\s*(?:=|of|is|:)?\s*$`), "time", func(p *Plan, v float64) { p.TimeStep = v }, false},
	{quantity.Time, nil, "time", func(p *Plan, v float64) { p.FinalTime = v }, false},
}

var (
	sizeBefore  = regexp.MustCompile(`(?:elements?|mesh|size|resolution|grid|\bdx|spacing|cells?)(?: size| width| length| spacing| edge| of| about| approximately| around)*\s*(?:=|of|is|:|at)?\s*$`)
	sizeAfter   = regexp.MustCompile(`^[ -]?(?:element|mesh|grid|resolution|cell|tet)`)
	within      = regexp.MustCompile(`(?:within|accura\w+|errors?|tolerance|precision|±|better than|below|under|less than|up to)(?: of| to| about| is|:)*\s*(?:\+/-)?$`)
	spreadOf    = regexp.MustCompile(`\d ?[^\s\d]{0,6} ?(?:±|\+/-)\s*$`) // of a number, as in 500 N ± 10 %
	describing  = regexp.MustCompile(`(?:diameter|radius|thick(?:ness)?|wide|width|height|length|long|dia\.?|ø)\s*(?:=|of|is|:)?\s*$`)
	describedBy = regexp.MustCompile(`^[ -]?(?:thick|wide|long|high|tall|deep|diameter|radius|dia\b|plate|bar|rod|pipe|tube|hole|holes|bore|beam|sheet|wall|square|x |× )`)
)

// properties takes the numbers that belong to the material or the settings out
// of the sentences.
func (r *reader) properties() {
	for i := range r.items {
		it := &r.items[i]
		if it.class != classQuantity || it.err != nil || it.used {
			continue
		}
		before, after := r.around(it, 40, 25)
		switch {
		case r.sizesMesh(*it):
			v, _ := it.si(quantity.ElementSize)
			r.checked(it, quantity.ElementSize, v, "element_size", func() { r.plan.ElementSize = v })
		case it.is(quantity.Length) && (describing.MatchString(before) || describedBy.MatchString(after)):
			it.used, it.described = true, true
		case len(it.units) > 0 && it.units[0].Dim == quantity.One && strings.HasSuffix(r.text[it.start:it.end], "%"):
			spread := spreadOf.MatchString(before)
			it.used, it.described = true, spread || !within.MatchString(before)
			if !it.described {
				r.plan.Accuracy, _ = it.si(quantity.PoissonRatio)
			}
		case it.is(quantity.KinematicViscosity) && !it.bare():
			it.used = true
			r.plan.ask(it.start, "viscosity", "The solver takes the dynamic viscosity; give it instead of a kinematic one.", "viscosity 1 mPa*s")
		default:
			r.property(it, before)
		}
	}
	r.severalValues()
}

func (r *reader) property(it *item, before string) {
	for row, p := range propertyTable {
		bareNumber := p.kind.Dim == quantity.One
		if bareNumber != it.bare() || !bareNumber && !it.is(p.kind) || p.before != nil && !p.before.MatchString(before) {
			if it.bare() && p.topic == "youngs_modulus" && p.before.MatchString(before) {
				it.used = true
				r.plan.ask(it.start, "unit", "Young's modulus of "+r.text[it.start:it.end]+" has no unit.", "E = 210 GPa")
				return
			}
			continue
		}
		v, ok := it.number(p.kind)
		if ok && p.material && r.replaced(it.start) {
			it.used = true
			return
		}
		if ok {
			r.checked(it, p.kind, v, p.topic, func() {
				r.saysOf(row, it, v)
				p.set(r.plan, v)
			})
		}
		return
	}
}

// number is si, also for numbers without a unit.
func (it item) number(k quantity.Kind) (float64, bool) {
	if it.bare() && k.Dim == quantity.One {
		v, _ := it.numbers[0].Float64()
		return v, true
	}
	return it.si(k)
}

// checked uses a value when it is plausible, and asks when it is not.
func (r *reader) checked(it *item, k quantity.Kind, v float64, topic string, use func()) bool {
	it.used = true
	if err := k.Check(v); err != nil {
		r.plan.ask(it.start, topic, sentenceOf(err), k.Example)
		return false
	}
	use()
	return true
}

var notMaterial = regexp.MustCompile(`\b(?:not|no|instead of|rather than|never|than|isn't|without)\s+(?:of\s+|an?\s+)?$`)

// pickMaterial takes the one solid, or for a flow the one fluid, that is named.
func (r *reader) pickMaterial() {
	p := r.plan
	var named []*item
	for i := range r.items {
		it := &r.items[i]
		if it.class == classMaterial && r.before(it.start, notMaterial) != nil {
			continue
		}
		if it.class != classMaterial || it.material.Fluid != (p.Physics == Flow) {
			continue
		}
		named = append(named, it)
	}
	given := p.Material
	if n := len(named); n > 0 { // what was said last holds
		last := r.turnAt(named[n-1].start)
		named = slices.DeleteFunc(named, func(it *item) bool { return r.turnAt(it.start) != last })
	}
	if len(named) == 0 {
		return
	}
	best := named[0]
	for _, it := range named[1:] {
		if it.material.Closer(best.material) {
			best = it
		}
	}
	for _, it := range named {
		if !it.material.Fits(best.material) {
			first, other := named[0], it
			if it == first {
				other = best
			}
			said := r.cased[first.start:first.end]
			p.ask(other.start, "material", "Both "+said+" and "+r.cased[other.start:other.end]+" are named; a run takes one material.", said)
			return
		}
	}
	m := best.material
	if given != nil {
		m = given.Over(m)
	}
	p.Material = &m
}

// replaced says whether a material is named in a later message that changes the request,
// so that what was said of the one before holds no longer.
func (r *reader) replaced(at int) bool {
	return slices.ContainsFunc(r.items, func(it item) bool {
		return it.class == classMaterial && it.material.Fluid == (r.plan.Physics == Flow) && r.changing(it.start) && r.turnAt(it.start) > r.turnAt(at)
	})
}

// showAndViews reads what is to be shown.
func (r *reader) showAndViews() {
	p := r.plan
	fits := map[Physics][]string{Elasticity: {"von_mises", "displacement"}, Heat: {"temperature"}, Flow: {"velocity", "pressure"}}[p.Physics]
	add := func(list *[]string, v string) {
		for _, have := range *list {
			if have == v {
				return
			}
		}
		*list = append(*list, v)
	}
	for _, it := range r.items {
		value := map[string]string{"safety": "von_mises", "pressure_drop": "pressure"}[it.value]
		if value == "" {
			value = it.value
		}
		switch {
		case it.class == classShow && !it.used && slices.Contains(fits, value):
			add(&p.Show, value)
		case it.class == classLoad && it.value == "pressure" && p.Physics == Flow && !r.numbered(it):
			add(&p.Show, "pressure")
		case it.class == classView:
			add(&p.Views, it.value)
		case it.class == classMesh:
			p.Mesh = it.value
			if r.changing(it.start) && !slices.ContainsFunc(r.items, func(o item) bool {
				return o.start >= r.turns[r.turnAt(it.start)-1].start && r.sizesMesh(o)
			}) {
				p.ElementSize = 0
			}
		}
	}
	if len(p.Show) == 0 {
		p.Show = fits
	}
}

// sizesMesh says whether a length is the size of the elements.
func (r *reader) sizesMesh(it item) bool {
	before, after := r.around(&it, 40, 25)
	return it.class == classQuantity && it.is(quantity.Length) && (sizeBefore.MatchString(before) || sizeAfter.MatchString(after))
}

// numbered says whether a number follows a word closely: pressure of 2 bar.
func (r *reader) numbered(it item) bool {
	for _, other := range r.items {
		if other.class == classQuantity && other.start >= it.end && other.start-it.end < 6 {
			return true
		}
	}
	return false
}
