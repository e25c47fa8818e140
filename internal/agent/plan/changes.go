package plan

import (
	"regexp"
	"slices"
	"strings"

	"atelier/internal/quantity"
)

// partText names a part of a small circuit.
const partText = `((?:the |its )?(?:[rcl]_?l(?:oad)?|[rcl]_?\d?|(?:(?:first|second|upper|lower|top|bottom|load|series|shunt) )?(?:resistor|capacitor|inductor|coil)|load|output))\b`

const bothText = `(?:the )?(?:two |both )?(?:resistors|parts|elements|components|positions|places|r1 and r2|r2 and r1|r and c|c and r|r and l|l and r|` +
	`resistor and (?:the )?(?:capacitor|inductor|coil)|(?:capacitor|inductor|coil) and (?:the )?resistor)`

var (
	shorts = []*regexp.Regexp{
		regexp.MustCompile(`\b(?:with )?` + partText + `(?: (?:is|are|was|were|being|gets?|becomes|has been|has an?))?(?: now)? (?:short(?:ed|[- ]circuit(?:ed)?)?(?: out)?|bridged)\b`),
		regexp.MustCompile(`\b(?:with )?(?:an? )?short(?:ed|ing|[- ]circuit(?:ed|ing)?)?(?: out)? (?:(?:across|over|of|at|on) )?` + partText),
	}
	opens = []*regexp.Regexp{
		regexp.MustCompile(`\b(?:with )?` + partText + `(?: (?:is|are|was|were|being|gets?|becomes|has been))?(?: left| now)? (?:open(?:ed)?(?:[- ]circuit(?:ed)?)?|removed|missing|disconnected|taken out|left out|absent|omitted|unpopulated|not (?:fitted|connected|there|present|populated|placed))\b`),
		regexp.MustCompile(`\b(?:with )?(?:without(?: any)?|no|omit(?:ting)?|remov(?:e|ing)|disconnect(?:ing)?|open(?:[- ]circuit(?:ed)?)?) ` + partText),
	}
	swaps = []*regexp.Regexp{
		regexp.MustCompile(`\b(?:with )?` + bothText + `(?: (?:are|were|is|being|have been))? (?:swapped|exchanged|interchanged|reversed)\b`),
		regexp.MustCompile(`\b(?:swap(?:ped|ping)?|exchang(?:e|ed|ing)|interchang(?:e|ed|ing)|revers(?:e|ed|ing)) ` + bothText + `\b`),
	}
	takenAcross = regexp.MustCompile(`\b(?:(?:the )?(?:output|voltage|v_?out|response)(?: voltage)?(?: drop)? )?(?:(?:is |are |being )?(?:taken|measured|read|tapped|observed|dropp?(?:s|ed|ing)|falls|falling|appears) )?(?:across|over) ` + partText)
	voltageOf   = regexp.MustCompile(`\b(?:output|voltage)(?: drop)? (?:of|on) ` + partText)
	acrossAgain = regexp.MustCompile(`(?:(?:output|voltage)(?: drop)? )?(?:(?:is )?(?:taken|measured) )?(?:across|over|of|on) (?:the|that) $`)

	toElsewhere = regexp.MustCompile(`^ (?:to|against|by)\b`)
	unloaded    = regexp.MustCompile(`\bunloaded\b|\bno[- ]load\b|\bopen[- ]circuit (?:output )?voltage\b`)
	chargedTo   = regexp.MustCompile(`(?:\binitially |\bpre-?)?\b(?:dis)?charged (?:up |down )?(?:to|at|with) $|\bdischarg(?:es?|ed|ing) from $|\binitial(?:ly)?(?: (?:capacitor |output )?voltage)?(?: (?:is|of|at))*\s*=?\s*$`)
	chargedOn   = regexp.MustCompile(`^ (?:on|across|in|at) (?:the )?(?:capacitor|c1?)(?: (?:initially|at (?:the )?(?:start|beginning)|at t ?= ?0))\b|^ initially\b`)
	uncharged   = regexp.MustCompile(`\b(?:initially )?(?:uncharged|discharged|empty)\b(?: initially| at (?:the )?(?:start|beginning))?`)
	supplyNamed = regexp.MustCompile(`\b(?:(?:the )?(?:input|source|supply)(?: voltage)?|v_?(?:in|s|cc|dd|1|0)?)\s*(?:=|:|is|of)?\s*$|\b(?:a )?(?:step|jump)s? (?:from 0(?: ?v| volts?)? )?(?:of|to|by|up to) (?:an? )?$|` +
		`\b(?:being )?charged (?:up )?(?:from|by|off) (?:an? )?$|\b(?:the )?(?:input|source|supply)(?: voltage)? (?:rises|goes|is raised|is switched) (?:from 0(?: ?v| volts?)? )?to $`)
	supplyTaken = regexp.MustCompile(`\b(?:output|v_?out|out|drops?|dropp?ing|offset|threshold|less|minus|down|(?:steps?|jumps?|switched|falls|sags?|drops?)(?: down)? from)(?: voltage)?(?: to| of| is| at|=|:)*\s*$`)
	inputBehind = regexp.MustCompile(`^ (?:(?:at|on|to) the )?input\b(?: voltage)?`)
	supplyElse  = regexp.MustCompile(`^ (?:at |on |across |over )?(?:the )?(?:output|out\b|v_?out|drop|` + partText + `)`)
)

// find is the part that words name; nil where they could name several, or none.
func (s *schematic) find(text string) *part {
	text = strings.ReplaceAll(strings.TrimPrefix(strings.TrimPrefix(text, "the "), "its "), "_", "")
	words := strings.Fields(text)
	last := words[len(words)-1]
	both := []*part{s.upper, s.lower}
	switch {
	case words[0] == "load":
		return s.load
	case len(text) > 1 && strings.HasPrefix("load", text[1:]):
		if s.load != nil && s.load.kind == text[0] {
			return s.load
		}
		return nil
	case text == "output":
		if s.load == nil {
			return s.lower
		}
		return nil
	case len(words) == 1 && len(text) <= 2:
		return s.named(text)
	case len(words) == 2:
		p := s.upper
		if roles[words[0]] == "lower" {
			p = s.lower
		}
		if p.kind == kindOf(last) {
			return p
		}
		return nil
	}
	return only(both, func(p *part) bool { return p.kind == kindOf(last) })
}

// named finds R1 or C: by the name that was given, else by order.
func (s *schematic) named(text string) *part {
	both := []*part{s.upper, s.lower}
	for _, p := range both {
		if p.name == text {
			return p
		}
	}
	if s.upper.kind == s.lower.kind {
		switch {
		case s.upper.name != "" || s.lower.name != "" || s.upper.kind != text[0]:
			return nil
		case text[1:] == "1":
			return s.upper
		case text[1:] == "2":
			return s.lower
		}
		return nil
	}
	return only(both, func(p *part) bool { return p.kind == text[0] && (text[1:] == "" || text[1:] == "1" && len(p.name) < 2) })
}

func only(parts []*part, fits func(*part) bool) *part {
	var found *part
	for _, p := range parts {
		if fits(p) {
			if found != nil {
				return nil
			}
			found = p
		}
	}
	return found
}

// changes reads what is otherwise than in the plain circuit. What it cannot read
// stays unused, and is asked about.
func (s *schematic) changes() {
	s.states(shorts, "short")
	s.states(opens, "open")
	for _, exp := range swaps {
		if s.useAll(exp) {
			s.upper, s.lower = s.lower, s.upper
			break
		}
	}
	if s.load == nil {
		s.useAll(unloaded)
	}
	s.across()
}

func (s *schematic) states(exps []*regexp.Regexp, state string) {
	for _, exp := range exps {
		for _, m := range exp.FindAllStringSubmatchIndex(s.text, -1) {
			if s.isUsed(m[0], m[1]) {
				continue
			}
			name := s.text[m[2]:m[3]]
			if state == "open" && s.load == nil && strings.HasSuffix(name, "load") {
				s.use(m[0], m[1])
				continue
			}
			p := s.find(name)
			if toElsewhere.MatchString(s.text[m[1]:]) && !toGround.MatchString(s.text[m[1]:]) {
				continue
			}
			if p == nil || p.state != "" && p.state != state || state == "open" && strings.HasSuffix(name, "output") {
				continue
			}
			p.state = state
			s.use(m[0], m[1])
			if p == s.lower || p == s.load {
				s.behind(m[1], toGround)
			}
		}
	}
}

// across puts the part at whose ends the output is into the lower place.
func (s *schematic) across() {
	type mention struct {
		*part
		start, end int
	}
	var said []mention // before the output moves, which exchanges upper and lower
	for _, exp := range []*regexp.Regexp{takenAcross, voltageOf} {
		for _, m := range exp.FindAllStringSubmatchIndex(s.text, -1) {
			if text := s.text[m[2]:m[3]]; text == "output" || text == "the output" {
				s.use(m[0], m[1])
			} else {
				said = append(said, mention{s.find(text), m[0], m[1]})
			}
		}
	}
	of := func(p *part) bool { return slices.ContainsFunc(said, func(m mention) bool { return m.part == p }) }
	both := s.load == nil && of(s.upper) && of(s.lower)
	for _, m := range said {
		if both && (m.part == s.upper || m.part == s.lower) || s.output(m.part) {
			s.use(m.start, m.end)
		}
	}
	if both {
		s.placed, s.besides = true, append(s.besides, "v(in,out)")
		s.plan.assume("v(out) is the voltage at the ends of %s, v(in,out) that at the ends of %s.", strings.ToUpper(s.label(s.lower)), strings.ToUpper(s.label(s.upper)))
	}
	for start, p := range s.again {
		if s.output(p) {
			s.before(start, acrossAgain)
		}
	}
}

// output says whether the output can be at the ends of a part.
func (s *schematic) output(p *part) bool {
	switch {
	case p == nil || p == s.upper && (s.load != nil || s.placed):
		return false
	case p == s.load:
	case p == s.upper:
		s.upper, s.lower = s.lower, s.upper
		s.plan.assume("The output is the voltage at the ends of %s, drawn at the side of the ground.", strings.ToUpper(s.label(p)))
	}
	s.placed = true
	return true
}

// sources reads the supply, a capacitor's charge and their words.
func (s *schematic) sources() {
	s.supply = 1
	given := false
	for _, v := range s.volts {
		switch {
		case s.charge == nil && (s.before(v.start, chargedTo) != nil || s.behind(v.end, chargedOn) != nil):
			s.charge = &v.value
		case s.holds(v):
			s.charge = &v.value
			s.plan.assume("The capacitor is charged to %s at the start.", quantity.Voltage.Format(v.value))
		case s.charge != nil && emptied.MatchString(s.text) && s.before(v.start, supplyNamed) == nil:
			continue // of a discharge only what is said of the source is the source's
		case given || supplyTaken.MatchString(s.text[:v.start]) || supplyElse.MatchString(s.text[v.end:]):
			continue
		default:
			s.before(v.start, supplyNamed)
			s.behind(v.end, inputBehind)
			s.supply, given = s.amplitudeOf(v), true
		}
		s.use(v.start, v.end)
	}
	if s.charge != nil && !given {
		s.supply = 0
		s.plan.assume("The input is held at 0 V, so that the capacitor discharges through the circuit.")
	}
	if s.charge == nil {
		s.useAll(uncharged)
	}
	s.driven(given)
}
