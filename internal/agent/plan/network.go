package plan

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"

	"atelier/internal/quantity"
)

var (
	inSeries   = regexp.MustCompile(`\b(?:connected )?in series\b|\bseries (?:circuit|connection|combination)\b`)
	firstOrder = regexp.MustCompile(`\b(?:first|1st)[- ]order\b|\bsingle(?:[- ](?:section|stage|pole))?\b`)
	twoParts   = regexp.MustCompile(`\b(?:two|2|both) resistors\b`)
	oneOver    = regexp.MustCompile(`^ (?:over|above|on top of) (?:an? )?$`)
)

// network makes a circuit of the words, where they say one.
func (s *schematic) network(n *Network) {
	s.values(coilText.MatchString(s.text))
	s.ratings()
	if !s.ladder() {
		return
	}
	s.useAll(firstOrder)
	if s.upper.kind == s.lower.kind {
		s.useAll(twoParts)
	}
	n.Elements = map[string]float64{}
	for _, p := range s.parts {
		n.Elements[strings.ToUpper(s.label(p))] = p.value
	}
	s.figures()
	s.sources()
	s.changes()
	s.analysis(n)
	if s.swings && n.Analysis == "tran" {
		s.plan.ask(-1, "value", "A voltage from peak to peak is that of a wave, and the transient is of a step: how high is the step?", "step of 5 V")
		return
	}
	if s.series && !s.placed && s.lower.kind == 'c' && chargedWord.MatchString(s.text) {
		s.placed = true
		s.useAll(rcCircuit)
		s.plan.assume("The output is the voltage at the ends of %s, which is charged.", strings.ToUpper(s.label(s.lower)))
	}
	if s.series && !s.placed && s.charge == nil {
		s.plan.ask(-1, "netlist", "Between the ends of which part is the output of the series circuit?", "the voltage across the capacitor")
		return
	}
	s.draw(n)
}

var coilText = regexp.MustCompile(`\brl\b|\blr\b|\binductor\b|\bcoil\b`)

// ladder finds the two parts and the load: the upper one between the source and
// the output, the lower one between the output and the ground.
func (s *schematic) ladder() bool {
	var two []*part
	for _, p := range s.parts {
		switch {
		case p.role != "load":
			two = append(two, p)
		case s.load != nil:
			return false
		default:
			s.load = p
		}
	}
	if len(two) == 1 && two[0].kind == 'r' && dividing.MatchString(s.text) && s.alike(two[0]) {
		twin := *two[0]
		two[0].name, twin.name = "r1", "r2"
		two = append(two, &twin)
		s.parts = append(s.parts, &twin)
	}
	if len(two) != 2 {
		return false
	}
	low, high, divider, series := s.useAll(lowPass), s.useAll(highPass), s.useAll(dividing), inSeries.MatchString(s.text)
	kinds := string(two[0].kind) + string(two[1].kind)
	if strings.Contains("cr lr", kinds) {
		two[0], two[1] = two[1], two[0] // the resistor first
	}
	other := two[1].kind
	charged := chargedWord.MatchString(s.text)
	switch {
	case low && high, divider && (low || high):
		return false
	case other == 'r' && two[0].kind == 'r' && !low && !high && (divider || series):
		s.title, s.series = "voltage divider", !divider
		s.useAll(inSeries)
		return s.order(two)
	case two[0].kind != 'r' || other == 'r' || divider || !low && !high && !series && !(charged && other == 'c'):
		return false
	}
	s.upper, s.lower = two[0], two[1]
	if low != (other == 'c') && (low || high) {
		s.upper, s.lower = two[1], two[0]
	}
	kind := map[bool]string{true: "low-pass", false: "high-pass"}[low]
	if s.series = !low && !high; s.series {
		s.useAll(inSeries)
		kind = "in series"
	}
	s.title = "R" + strings.ToUpper(string(other)) + " " + kind
	return s.fits(s.upper, "upper") && s.fits(s.lower, "lower")
}

// alike says whether a value is said of both resistors.
func (s *schematic) alike(p *part) bool {
	if s.before(p.start, bothAlike) == nil {
		return false
	}
	s.behind(p.end, regexp.MustCompile(`^ each\b`))
	return true
}

var bothAlike = regexp.MustCompile(`\br1 ?= ?r2 ?= ?$|\b(?:two|2|both|equal)(?: equal)? resistors(?: of| are| with| =|:)* ?$`)

var rcCircuit = regexp.MustCompile(`\b(?:rc|cr)\b(?:[- ](?:circuit|network|combination|element))?`)

var chargedWord = regexp.MustCompile(`\b(?:dis|pre-?)?charg(?:ed|es?|ing)\b`)

func (s *schematic) fits(p *part, role string) bool { return p.role == "" || p.role == role }

// order says which of two resistors is the upper one: by what is said of them, by
// their numbers, and by their order only where there are none.
func (s *schematic) order(two []*part) bool {
	a, b := two[0], two[1]
	if a.role == "" && b.role == "" && a.name == "" && b.name == "" && oneOver.MatchString(s.text[a.end:max(a.end, b.start)]) {
		s.use(a.end, b.start)
	}
	if a.name != "" && a.name == b.name {
		if a.role == b.role || len(a.name) > 1 {
			return false
		}
		a.name, b.name = "", "" // upper R and lower R
	}
	if a.role == "lower" || b.role == "upper" || a.role == b.role && a.name != "" && b.name != "" && b.name < a.name || a.role == b.role && (a.name == "r2" && b.name == "" || b.name == "r1" && a.name == "") {
		a, b = b, a
	}
	s.upper, s.lower = a, b
	return s.fits(a, "upper") && s.fits(b, "lower")
}

// label is the name of a part in the netlist.
func (s *schematic) label(p *part) string {
	switch {
	case p == s.load:
		return string(p.kind) + "l"
	case len(p.name) > 1:
		return p.name
	case s.upper.kind != s.lower.kind || p.name == "" && p == s.upper && s.lower.name != "r1" || s.lower.name == "r2":
		return string(p.kind) + "1"
	}
	return string(p.kind) + "2"
}

// draw writes the netlist.
func (s *schematic) draw(n *Network) {
	if fault := s.unsound(); fault != "" {
		s.plan.ask(-1, "netlist", fault, "RC low-pass with R = 1 kOhm and C = 1 uF")
		return
	}
	tau := s.tau()
	source := fmt.Sprintf("V1 in 0 DC %g AC %g", s.supply, s.amplitude)
	if tau > 0 && n.Analysis == "tran" {
		source = fmt.Sprintf("V1 in 0 DC 0 PWL(0 0 %g %g)", tau/1e6, s.supply)
	}
	lines := []string{s.title, source}
	for _, p := range []*part{s.upper, s.lower, s.load} {
		if p == nil || p.state == "open" {
			continue
		}
		nodes := "out 0"
		if p == s.upper {
			nodes = "in out"
		}
		name := strings.ToUpper(s.label(p))
		if p.state == "short" {
			lines = append(lines, fmt.Sprintf("V%s %s 0", name, nodes))
			s.plan.assume("%s is shorted: a source of 0 V stands in its place.", name)
			continue
		}
		lines = append(lines, fmt.Sprintf("%s %s %g", name, nodes, p.value))
	}
	if s.charge != nil {
		lines = append(lines, fmt.Sprintf(".ic v(out)=%g", *s.charge))
	}
	n.Netlist = strings.Join(append(lines, ".end"), "\n")
	s.assumeReading(n, tau)
	if len(n.Probes) == 0 {
		n.Probes = []string{"v(out)"}
	}
	for _, probe := range s.besides {
		if !slices.Contains(n.Probes, probe) {
			n.Probes = append(n.Probes, probe)
		}
	}
}

// assumeReading says how the circuit was understood.
func (s *schematic) assumeReading(n *Network, tau float64) {
	load := "without a load"
	if s.load != nil && s.load.state != "open" {
		load = "with the load " + s.loadText()
	}
	switch {
	case s.supply == 0 && s.charge != nil:
	case n.Analysis == "tran":
		s.plan.assume("The source V1 steps from 0 to %g V at the start, and the output is node out %s.", s.supply, load)
	case s.upper.kind == 'r' && s.lower.kind == 'r':
		s.plan.assume("The source V1 drives node in with %g V; %s is the upper resistor, and the output is node out %s.", s.supply, strings.ToUpper(s.label(s.upper)), load)
	case n.Analysis == "ac":
		s.plan.assume("The source V1 drives node in with %g V, and the output is node out %s.", s.amplitude, load)
	default:
		s.plan.assume("The source V1 drives node in with %g V, and the output is node out %s.", s.supply, load)
	}
	if tau > 0 && s.sound() {
		s.plan.assume("By the values alone the time constant is %s and the corner frequency %s.", quantity.Time.Format(tau), quantity.Frequency.Format(1/(2*math.Pi*tau)))
	}
}

// sound says that no part is shorted or open.
func (s *schematic) sound() bool {
	for _, p := range []*part{s.upper, s.lower, s.load} {
		if p != nil && p.state != "" {
			return false
		}
	}
	return true
}

// unsound says why the changed circuit has no answer.
func (s *schematic) unsound() string {
	conducts := func(p *part) bool { return p != nil && p.state != "open" && (p.kind != 'c' || p.state == "short") }
	gone := func(p *part) bool { return p == nil || p.state == "open" }
	shorted := func(p *part) bool { return p != nil && p.state == "short" }
	switch {
	case !s.bearable():
		return fmt.Sprintf("The load %s makes another circuit of this one, which is not read in words. Give it as a SPICE netlist in a fenced block, or with a resistor as the load.", s.loadText())
	case shorted(s.upper) && (shorted(s.lower) || shorted(s.load)):
		return "With these parts shorted the source is shorted, so that there is no output. Which circuit is it?"
	case gone(s.upper) && gone(s.lower) && gone(s.load), !conducts(s.upper) && !conducts(s.lower) && !conducts(s.load):
		return "With these parts left out the output is connected to nothing that sets its voltage. Which circuit is it?"
	case s.charge != nil && (s.lower.kind != 'c' || s.lower.state != "" || s.upper.state == "short" || s.upper.kind == 'c'):
		return "A capacitor's charge at the start can be had where it lies between the output and the ground, with a resistor before it. Give the circuit as a SPICE netlist."
	}
	return ""
}

// tau is the time constant of the circuit as it was named; 0 of resistors.
func (s *schematic) tau() float64 {
	r, x := s.upper, s.lower
	if r.kind != 'r' {
		r, x = x, r
	}
	ohms, farads := r.value, x.value
	if s.load != nil && s.load.state == "" {
		if s.load.kind == 'r' {
			ohms = ohms * s.load.value / (ohms + s.load.value)
		} else {
			farads += s.load.value // other loads are asked about
		}
	}
	switch x.kind {
	case 'c':
		return ohms * farads
	case 'l':
		return x.value / ohms
	}
	return 0
}

// bearable says whether what is computed of the circuit holds with its load: any of two
// resistors but for the time constant, a capacitor in parallel with that of a low-pass,
// and else a resistor.
func (s *schematic) bearable() bool {
	if s.load == nil || s.load.kind == 'r' || s.load.state == "open" {
		return true
	}
	if s.upper.kind == 'r' && s.lower.kind == 'r' {
		return !atCorner.MatchString(s.text) && !bandwidth.MatchString(s.text) && !constant.MatchString(s.text)
	}
	return s.upper.kind == 'r' && s.lower.kind == 'c' && s.load.kind == 'c'
}

// loadText is the load with its value.
func (s *schematic) loadText() string {
	kind := map[byte]quantity.Kind{'r': quantity.Resistance, 'c': quantity.Capacitance, 'l': quantity.Inductance}[s.load.kind]
	return strings.ToUpper(s.label(s.load)) + " of " + kind.Format(s.load.value)
}
