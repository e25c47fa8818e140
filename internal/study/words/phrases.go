package words

import "math/big"

// Phrases that are made before anything is attached to anything else, in the order of the
// rules. What a rule takes is out of the way of those behind it.

// toward is a direction that the sentence says.
type toward struct {
	direction
	how string // axis, inward, outward, axial, vertical, horizontal, radial or reverse
}

// figure is a property of a material.
type figure struct {
	property string
	amount   *amount
}

// meshWish is a size or a fineness.
type meshWish struct {
	size     *amount
	fineness string
	change   string // finer, coarser
}

// bound is a limit of a quantity.
type bound struct {
	quantity string // a concept such as q.stress; "" for the one that the amount is of
	above    bool
	amount   *amount
	formula  string  // yield, tensile
	share    float64 // of the formula, 0 for 1
	most     bool    // of the largest value, said so
	under    bool    // said by a word that also stands before a load
}

// wish is a figure that is asked for.
type wish struct {
	quantity string // a concept
	least    bool
	number   int // of a mode
}

// count is a number of modes.
type count struct{ modes int }

// accuracy is a share.
type accuracy struct{ amount *amount }

var phraseRules = []rule{
	// What is only described.
	{"d:length geometry", described},
	{"geometry of|with|at* d:length", described},
	{"p:place|otherside free", freed},
	{"n.1? p:place|otherside with|at? free", freed},
	{"free at|of* p:place", freed},
	{"pressure of|equals|at? v:number", zeroPressure},
	{"part with p:place", describedPart},
	{"n:n h:force|moment", headed},
	{"o.1 v:second", func(m match) *node { return phrase("amount", m.nodes, m.one("v").val) }},
	{"face insulated", func(m match) *node { return phrase("insulated", m.nodes, nil) }},
	{"at|of|with* ambientpressure", func(m match) *node { return phrase("openend", m.nodes, nil) }},
	{"not|without damping all?", func(m match) *node { return phrase("dampingratio", m.nodes, &amount{number: new(big.Rat)}) }},
	{"compression|axialforce q:q.stress", wished},
	{"hotter than? v:kelvin", hotter},
	{"colder than? v:kelvin", hotter},
	{"q.pressuredrop of|at|with|equals|colon* v:pascal", drivenBy},
	{"v:pascal q.pressuredrop", drivenBy},
	{"inlet pressure? hang? v:pascal limit.above at|of* outlet pressure?", drivenBy},
	// Temperatures of a fluid.
	{"v:kelvin f:m.water|m.air|material|oil|ambient", fluidWarm},
	{"f:m.water|m.air|material|oil|ambient at|with|of|comma* v:kelvin", fluidWarm},
	// What is undone, and by how many steps.
	{"undo pron* n:n|number? pron|change*", undoing},
	{"eulercase n:n|number", eulerCase},
	{"v:any|o.2 orderword", secondOrder},
	{"ramp colon? of|at* a:any until|at|of* v:newton at|within|with* t:second", rampedTo},
	{"ramp force|pron|colon? until|at* v:newton at|within|with* t:second", rampedTo},
	{"v:newton comma? ramp up? at|within|with|until* t:second", rampedTo},
	{"ramp up? at|within|with|until* t:second", rampTime},
	{"f:fix until t:second", heldUntil},
	{"until t:second f:fix", heldUntil},
	{"f:fix part? d:down", func(m match) *node { return phrase("fix", m.nodes, nil) }},
	{"timestep of|equals|with? v:second", func(m match) *node { return phrase("stepsize", m.nodes, m.one("v").val) }},
	{"v:second timestep", func(m match) *node { return phrase("stepsize", m.nodes, m.one("v").val) }},
	{"q:q.effmass at|of? a:axis axisword?", effectiveMass},
	// Directions.
	{"toward p:place", sideward},
	{"at? s:positive|negative? a:axis axisword?", alongAxis},
	{"at? s:positive|negative axisword? a:axis", alongAxis},
	{"at? d:down|up axisword?", func(m match) *node { return vertically(m) }},
	{"at? d:vertical|horizontal|inward|outward|axial|radial axisword?", otherwise},
	{"at? d:reverse axisword?", otherwise},
	{"f:from t:at|toward q:place", movedFromSide},
	{"f:from", fromSide},
	// What is replaced.
	{"instead.of m:material|m", func(m match) *node { return phrase("oldmaterial", m.nodes, nil) }},
	// Meshes.
	{"m:mesh at? p:place w:finer|coarser|fine", meshChange},
	{"mesh with|of* d:length m:mesh", meshed},
	{"m:mesh with|of|at|equals|colon|until|n.1* d:length", meshed},
	{"d:length m:mesh", meshed},
	{"w:fine|coarse|medium m:mesh", meshFine},
	{"m:mesh with|at? w:fine|coarse|medium", meshFine},
	{"m:mesh w:finer|coarser", meshChange},
	{"with? w:finer|coarser m:mesh?", meshChange},
	{"w:meshwish at? p:place? comma? with|at? d:length", meshResized},
	// Properties of materials.
	{"k:word|s.lambda of|equals|colon* v:wmk", letterConductivity},
	{"p:p|yieldof|tensile of|equals|colon|at|with|p* v:any", property},
	{"v:any p:p|yieldof|tensile", propertyBehind},
	// Limits.
	{"all|o.1? m:mode|frequency l:limit.below|until of? v:hertz", modesUpTo},
	{"strong? equals|colon? not y:yieldof", notYielding},
	{"q:q.safety|loadfactor stop must of? v:number stop|comma?", requiredBehind},
	{"must q:q.safety|loadfactor of|equals|colon? v:number", requiredBehind},
	{"q:q.safety|loadfactor must of|equals|colon? v:number", requiredBehind},
	{"q:q.safety at|of? yieldof l:limit of? v:number", limitSafety},
	{"q:q.safety at|of? yieldof of|with|at|equals? v:number", safetyFactor},
	{"q:q|temp|frequency|freq? l:limit f:percent of? y:yieldof|tensile", limitShare},
	{"l:limit y:yieldof|tensile|allowable", limitFormula},
	{"y:yieldof|tensile l:limit", limitFormula},
	{"f:percent of? y:yieldof|tensile", limitShare},
	{"q:q.safety of|with|at|must|not* l:limit of? v:number", limitSafety},
	{"l:limit q:q.safety of? v:number", limitSafety},
	{"q:q.safety of|with|at|equals|colon? v:number l:limit?", safetyFactor},
	{"v:newton|torque|pascal|mps2|watt f:factor of? n:number", multiplied},
	{"n:number f:factor v:newton|torque|pascal|mps2|watt", multiplied},
	{"factor of? v:number", bareFactor},
	{"m:max|min|size.largest|size.smallest? q:q|temp|frequency|loadfactor must|colon|comma* not? l:limit of? v:any", comparedFigure},
	{"must not l:limit v:any", limitNot},
	{"must|not* l:limit of? v:any must*", limitAmount},
	{"must v:any not? l:limit", limitBehind},
	{"not must l:limit v:any", limitNot},
	{"m:max|min? q:q|temp|frequency|freq|loadfactor must|at|of|with|colon* b:bound", boundOf},
	{"b:bound q:q|frequency", boundOf},
	{"o.1 b:bound", firstBound},
	{"b:bound with|at? s:safety", boundBySafety},
	{"b:bound at|of|with? y:yieldof", safetyOnYield},
	{"b:safety at|of|with? y:yieldof", safetyOnYield},
	{"q:q.mass of|with* v:kg|newton", weighed},
	{"v:kg|newton q:q.mass", weighed},
	// Old places.
	{"f:at|of p:place t:at|toward q:place", movedFrom},
	{"instead.of at? p:place", oldPlace},
	{"not at? p:place", oldPlace},
	{"allowable q:q.stress|q.displacement of|equals|colon|at? v:any", allowed},
	{"q:q.stress|q.displacement allowable of|equals|colon|at? v:any", allowed},
	// Accuracies.
	{"a:accuracy of|colon|with|at|within|limit.below|equals|until* v:percent", accurate},
	{"with|at|within? v:percent accuracy", accurate},
	{"with|at? within v:percent accuracy?", accurate},
	{"d:damping of|with|at|equals|colon* v:percent|number", dampingOf},
	{"v:percent|number d:damping", dampingOf},
	// Modes.
	{"o:o.1? n:n|number mode|frequency", modes},
	{"o:o.1 n:n|number mode|frequency", modes},
	{"w:wish|frequency o.1 n:n|number", firstModes},
	{"o:o an.modal? f:frequency|mode|freq", modeNumber},
	// Figures that are asked for.
	{"m:max|min p:place|where|partbad|filler", extremePoint},
	{"l:where max|min|size|all* q:q|temp|loadfactor", wished},
	{"m:max|min|size.largest|size.smallest* q:q|loadfactor|frequency max|min*", wished},
	{"m:max|min|size.largest|size.smallest q:temp|speed", wished},
	{"l:where m:max|min", wished},
	// Scalings.
	{"h:half|twice|triple|third|quarter|tenfold of? t:force|pressure|moment|mesh|gravity|rotation|acceleration|displace|flux|heatrate|speed|flowverb|pron|convection", scaled},
	{"t:force|pressure|moment|mesh|rotation|gravity h:half|twice|triple|third|quarter|tenfold", scaled},
	{"s:scale at p:place", scaledAt},
	{"n:n|number factor t:force|pressure|moment|gravity|rotation|pron", scaledBy},
	{"r:raise|reduce t:force|pressure|moment|gravity|rotation|mesh with|at|of v:percent", raised},
	{"scaleword t:force|pressure|moment|gravity|rotation|pron with|at|of factor? of? n:number", scaledBy},
	{"n.2 at? p:place", bothPlaces},
	{"with? v:percent r:more|less|size.largest|size.smallest t:force|pressure|moment|rotation|pron?", raised},
	{"r:raise|reduce t:force|pressure|moment|gravity|rotation|mesh with|at|of factor of? v:number", raised},
	{"t:force|pressure|moment|gravity|rotation|mesh with|at|of v:percent r:raise|reduce", raised},
	// Figures that are not asked for.
	{"not|instead.of q:q|wish|frequency|loadfactor|reaction|max|min", unwanted},
}

func undoing(m match) *node {
	steps := 1
	if n := m.one("n"); n != nil {
		steps = countOf(n)
	}
	return phrase("undoing", m.nodes, steps)
}

func sideward(m match) *node {
	p := m.one("p").val.(*place)
	if p.what != "side" {
		return nil
	}
	return phrase("dir", m.nodes, toward{outward[p.side], "axis"})
}

func alongAxis(m match) *node {
	d := m.one("a").val.(direction)
	switch s := m.one("s"); {
	case s == nil:
	case s.is("negative"):
		d.sign = -1
	default:
		d.sign = 1
	}
	return phrase("dir", m.nodes, toward{d, "axis"})
}

func vertically(m match) *node {
	d := direction{"z", 1}
	if m.one("d").is("down") {
		d.sign = -1
	}
	return phrase("dir", m.nodes, toward{d, "axis"})
}

func otherwise(m match) *node {
	d := m.one("d")
	for _, how := range []string{"vertical", "horizontal", "inward", "outward", "axial", "radial", "reverse"} {
		if d.is(how) {
			return phrase("dir", m.nodes, toward{how: how})
		}
	}
	return nil
}

func meshed(m match) *node {
	return phrase("meshwish", m.nodes, &meshWish{size: m.one("d").amount()})
}

func meshChange(m match) *node {
	change := "finer"
	if m.one("w").is("coarser") {
		change = "coarser"
	}
	n := phrase("meshwish", m.nodes, &meshWish{change: change})
	if m.one("p") != nil {
		n.also = []string{"localmesh"}
	}
	return n
}

func meshFine(m match) *node {
	return phrase("meshwish", m.nodes, &meshWish{fineness: m.one("w").kind})
}

func undoubted(n *node) *amount {
	a := n.amount()
	if a == nil {
		return nil
	}
	return a
}

func property(m match) *node {
	p := propertyOf(m.one("p"))
	if p == "viscosity" && undoubted(m.one("v")).is(propertyKinds["kinematic_viscosity"]) {
		p = "kinematic_viscosity"
	}
	if p == "" || !fitsProperty(p, undoubted(m.one("v"))) {
		return nil
	}
	return phrase("figure", m.nodes, &figure{p, m.one("v").amount()})
}

func propertyBehind(m match) *node { return property(m) }

func propertyOf(n *node) string {
	switch {
	case n.is("yieldof"):
		return "yield"
	case n.is("tensile"):
		return "tensile"
	}
	return n.tail("p")
}

func modes(m match) *node {
	n := countOf(m.one("n"))
	if n < 1 {
		return nil
	}
	return phrase("modes", m.nodes, count{n})
}

func modeNumber(m match) *node {
	return phrase("wish", m.nodes, wish{quantity: "frequency", number: int(m.one("o").tail("o")[0] - '0')})
}

func accurate(m match) *node { return phrase("accurate", m.nodes, accuracy{m.one("v").amount()}) }

func limitNode(m match, b *bound) *node {
	if q := m.one("q"); q != nil {
		b.quantity = quantityOf(q)
	}
	return phrase("bound", m.nodes, b)
}

func above(n *node) bool { return n.is("limit.above") }

// limitNot turns a comparison about: must not exceed 160 MPa.
func limitNot(m match) *node {
	return limitNode(m, &bound{above: !above(m.one("l")), amount: m.one("v").amount()})
}

func limitAmount(m match) *node {
	up, not, must := above(m.one("l")), false, false
	for _, n := range m.nodes {
		not, must = not || n.is("not"), must || n.is("must")
	}
	if !must && !not && m.one("l").is("filler") {
		return nil // under a load, over a time
	}
	return limitNode(m, &bound{above: up != not, amount: m.one("v").amount()})
}

// limitBehind is the German order: darf 160 MPa nicht überschreiten.
func limitBehind(m match) *node { return limitAmount(m) }

func limitFormula(m match) *node {
	b := &bound{above: above(m.one("l")), formula: "yield"}
	if m.one("y").is("tensile") {
		b.formula = "tensile"
	}
	return limitNode(m, b)
}

func limitShare(m match) *node {
	v, _ := m.one("f").amount().number.Float64()
	b := &bound{formula: "yield", share: v / 100}
	if m.one("y").is("tensile") {
		b.formula = "tensile"
	}
	if l := m.one("l"); l != nil {
		b.above = above(l)
	}
	return limitNode(m, b)
}

func limitSafety(m match) *node {
	return phrase("bound", m.nodes, &bound{quantity: "q.safety", above: above(m.one("l")), amount: m.one("v").amount()})
}

// safetyFactor is a factor that divides a strength, or stands for a least safety factor.
func safetyFactor(m match) *node { return phrase("safety", m.nodes, m.one("v").amount()) }

// quantityOf is the concept of a quantity that a word names.
func quantityOf(n *node) string {
	if t := n.tail("q"); t != "" {
		return "q." + t
	}
	for _, k := range []string{"temp", "frequency", "freq", "loadfactor"} {
		if n.is(k) {
			return k
		}
	}
	return n.kind
}

// boundOf gives a limit the quantity that stands beside it.
func boundOf(m match) *node {
	b := *m.one("b").val.(*bound)
	if b.quantity != "" {
		return nil
	}
	b.quantity = quantityOf(m.one("q"))
	b.most = m.one("m") != nil && m.one("m").is("max")
	return phrase("bound", m.nodes, &b)
}

// boundBySafety divides a strength: below yield with a factor of 1.5.
func boundBySafety(m match) *node {
	b := *m.one("b").val.(*bound)
	v, _ := m.one("s").val.(*amount).number.Float64()
	if b.formula == "" || b.share != 0 || v <= 0 {
		return nil
	}
	b.share = 1 / v
	return phrase("bound", m.nodes, &b)
}

// weighed is a mass that pulls by its weight, or a force that is called a weight.
func weighed(m match) *node {
	n := phrase("amount", m.nodes, m.one("v").val)
	n.also = []string{"weighed"}
	return n
}

func oldPlace(m match) *node { return phrase("oldplace", m.nodes, m.one("p")) }

func wished(m match) *node {
	w := wish{}
	if q := m.one("q"); q != nil {
		w.quantity = quantityOf(q)
	}
	for _, n := range m.named["m"] {
		w.least = w.least || n.is("min") || n.is("size.smallest")
	}
	n := phrase("wish", m.nodes, w)
	if m.one("l") != nil {
		n.also = []string{"where"}
	}
	return n
}

func dampingOf(m match) *node { return phrase("dampingratio", m.nodes, m.one("v").val) }

func described(m match) *node {
	for _, n := range m.nodes {
		if n.is("geometry.more") {
			return nil
		}
	}
	return phrase("box", m.nodes, nil)
}

// meshResized is a mesh that is to be finer, with the size.
func meshResized(m match) *node {
	w := m.one("w").val.(*meshWish)
	if w.size != nil {
		return nil
	}
	n := phrase("meshwish", m.nodes, &meshWish{size: m.one("d").amount()})
	for _, k := range append(m.named["p"], m.one("w").kids...) {
		if k.kind == "place" {
			n.also = []string{"localmesh"}
		}
	}
	return n
}

// freed is a place of which the sentence says that nothing is there.
func freed(m match) *node {
	n := phrase("freeplace", m.nodes, nil)
	n.use()
	return n
}

// warm is the temperature of a fluid.
type warm struct{ node, fluid *node }

func fluidWarm(m match) *node {
	f := m.one("f")
	if f.kind == "material" && !fluid(f) {
		return nil
	}
	return phrase("fluidtemp", m.nodes, warm{m.one("v"), f})
}
