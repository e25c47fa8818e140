package plan

import (
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"atelier/internal/quantity"
)

var (
	stepWords = regexp.MustCompile(`\b(?:unit |voltage |input )?(?:steps?|jumps?)\b(?:[- ](?:response|input|change|function))?|\b(?:is |gets )?(?:switched|turned) on\b|\bcharg(?:es|ing)(?: up)?\b|\bswitching(?: on)?\b`)
	dischWord = regexp.MustCompile(`\bdischarg(?:es?|ing|ed)\b(?: through)?`)
	atTime    = regexp.MustCompile(`\b(?:after|at(?: time)?|at t ?=|\bt ?=)\s*$`)
	laterThan = regexp.MustCompile(`^ (?:later|after (?:the )?(?:step|switching(?: on)?|start|beginning))\b`)
	constants = regexp.MustCompile(`\b(?:after|at) (one|two|three|four|five|\d+(?:\.\d+)?|the) ?(?:time constants?|tau|τ)\b`)

	cornerOf   = regexp.MustCompile(`\b(?:cut-?off|corner|-?3[- ]?db)(?:[- ](?:frequency|point))?(?: [a-z]+)?(?: of| at| is| to| =|:)*\s*$`)
	atCorner   = regexp.MustCompile(`(?:\bcut-?off|\bcorner|-3 ?db)(?:[- ](?:frequency|point))?\b`)
	decibels   = regexp.MustCompile(`\b(?:in )?(?:db|decibels?)\b`)
	phaseWord  = regexp.MustCompile(`\bphase(?:[- ](?:shift|angle|lag))?\b`)
	sizeWord   = regexp.MustCompile(`\b(?:output voltage|voltage|amplitude|level) and (?:the |its )?phase\b|\bphase(?:[- ](?:shift|angle|lag))? and (?:the |its )?(?:output voltage|voltage|amplitude|level)\b`)
	gainWord   = regexp.MustCompile(`\b(?:voltage )?(?:gain|amplification|transfer function|magnitude)\b`)
	acPhrase   = regexp.MustCompile(`\bac\b(?: (?:analysis|sweep))?|\bfrequency (?:response|sweep)\b|\bbode(?: (?:plot|diagram))?\b|\bsweep\b|\bsin(?:e|usoidal)\b(?: wave)?|\bamplitude\b`)
	tranPhrase = regexp.MustCompile(`\btran(?:sient)?\b(?: (?:analysis|response|simulation))?|\btime response\b|\bover time\b`)
	opPhrase   = regexp.MustCompile(`\b(?:dc )?operating point\b|\bop\b|\bdc\b(?: (?:voltage|value|analysis)s?)?`)
	constant   = regexp.MustCompile(`\btime constant\b`)
	currentOf  = regexp.MustCompile(`\bcurrents?\b(?: (?:is|does|that|flows?|flowing|drawn|through|in|from|of|the|it|both|r\d?|resistors?|divider|circuit)\b)*`)
	ofSource   = regexp.MustCompile(`^[ -](?:source|limit|mirror|sink|divider)`)
	countWords = map[string]float64{"the": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5}
)

// analysis chooses what is simulated of a circuit that words made.
func (s *schematic) analysis(n *Network) {
	tau := s.tau()
	s.amplitude = s.supply
	moving := tau > 0 && s.moves(n, tau)
	switch {
	case moving:
		n.Analysis = "tran"
		s.useAll(tranPhrase)
		s.useAll(stepWords)
		if s.charge != nil {
			s.useAll(dischWord)
		}
		s.measured(n, tau)
		if n.TStop == 0 && s.needed > 5*tau {
			n.TStop = s.needed
			s.plan.assume("The transient runs for %s, until what is asked for has happened.", quantity.Time.Format(n.TStop))
		} else if n.TStop == 0 {
			n.TStop = 5 * tau
			s.plan.assume("The transient runs for five time constants.")
		}
	case tau > 0 && !((opWords.MatchString(s.text) || dcWord.MatchString(s.text)) && len(s.hertz) == 0 && !bodeWords.MatchString(s.text)) || len(s.hertz) > 0 && len(s.hertz) < 3:
		n.Analysis = "ac"
		s.useAll(acPhrase)
		s.wanted(n)
		f := s.frequencies()
		if s.measured(n, tau); s.isList(f) {
			s.points(n, f)
		} else if len(n.Measures) == 0 {
			s.sweep(n, tau)
		} else {
			s.useAll(atCorner)
		}
	default:
		n.Analysis = "op"
		s.useAll(opPhrase)
		s.current()
		if len(s.volts) == 0 && s.useAll(gainWord) {
			s.plan.assume("The source has 1 V, so that the output in volts is the gain.")
		}
	}
	if tau > 0 && s.sound() {
		s.useAll(constant)
	}
}

var dcWord = regexp.MustCompile(`\bdc\b`)

var bodeWords = regexp.MustCompile(`\bac\b|frequency response|bode|corner|cut-?off`)

// moves reads the time of a transient, and says whether one is wanted.
func (s *schematic) moves(n *Network, tau float64) bool {
	for _, t := range s.times {
		switch {
		case n.TStop != 0:
			continue
		case s.before(t.start, atTime) != nil || s.behind(t.end, laterThan) != nil:
			s.behind(t.end, laterThan)
			s.plan.assume("The value at the end is that after %s.", quantity.Time.Format(t.value))
		case s.before(t.start, finalTime) != nil:
		default:
			continue
		}
		s.use(t.start, t.end)
		n.TStop = t.value
	}
	if m := constants.FindStringSubmatchIndex(s.text); m != nil && n.TStop == 0 {
		count, known := countWords[s.text[m[2]:m[3]]]
		if v, err := strconv.ParseFloat(s.text[m[2]:m[3]], 64); err == nil && !known {
			count = v
		}
		s.use(m[0], m[1])
		n.TStop = count * tau
		s.plan.assume("The value at the end is that after %s.", quantity.Time.Format(n.TStop))
	}
	return n.TStop > 0 || s.charge != nil || s.timed() || tranWords.MatchString(s.text) || stepWords.MatchString(s.text)
}

// wanted reads of which size of the output a sweep is.
func (s *schematic) wanted(n *Network) {
	gain := s.useAll(gainWord)
	gainOnly := gain
	for _, w := range []struct {
		exp   *regexp.Regexp
		probe string
	}{{decibels, "vdb(out)"}, {phaseWord, "vp(out)"}} {
		for _, m := range w.exp.FindAllStringIndex(s.text, -1) {
			if m[0] >= 2 && strings.HasSuffix(strings.TrimRight(s.text[:m[0]], " "), "3") {
				continue // -3 dB is the corner
			}
			if strings.HasPrefix(s.text[m[1]:], " margin") {
				continue // of a loop, which is none of these circuits
			}
			s.use(m[0], m[1])
			if len(n.Probes) == 0 || strings.Contains("vdb(out) vp(out)", n.Probes[0]) && n.Probes[0] != w.probe {
				n.Probes = append(n.Probes, w.probe)
			}
			gain = gain || w.probe == "vdb(out)"
		}
	}
	if size := gainOnly || sizeWord.MatchString(s.text); size && slices.Equal(n.Probes, []string{"vp(out)"}) { // a size and the phase
		n.Probes = []string{"v(out)", "vp(out)"}
	}
	if gain {
		s.amplitude = 1
		s.plan.assume("The source has 1 V, so that the output is the gain.")
	}
}

// frequencies are those that are not said of the corner.
func (s *schematic) frequencies() (f []amount) {
	for _, h := range s.hertz {
		if !cornerOf.MatchString(s.text[:h.start]) {
			f = append(f, h)
		}
	}
	return f
}

// sweep reads the frequencies of a sweep. One frequency is its end, so that the
// value at the end is the one there.
func (s *schematic) sweep(n *Network, tau float64) {
	corner := 0.0
	if tau > 0 && s.sound() {
		corner = 1 / (2 * math.Pi * tau)
	}
	f := s.frequencies()
	switch {
	case len(f) == 2:
		n.Start, n.Stop = min(f[0].value, f[1].value), max(f[0].value, f[1].value)
		s.before(min(f[0].start, f[1].start), rangeStart)
		s.plan.assume("The sweep reaches from %s to %s, and the value at the end is the one there.", quantity.Frequency.Format(n.Start), quantity.Frequency.Format(n.Stop))
	case len(f) == 1:
		n.Start, n.Stop = f[0].value/100, f[0].value
		s.plan.assume("The sweep ends at %s: the value at the end is the one there.", quantity.Frequency.Format(n.Stop))
	case corner > 0 && atCorner.MatchString(s.text):
		n.Start, n.Stop = corner/100, corner
		s.plan.assume("The sweep ends at the corner frequency, %s: the value at the end is the one there.", quantity.Frequency.Format(corner))
	case tau > 0:
		around := 1 / (2 * math.Pi * tau)
		n.Start, n.Stop = around/100, around*100
		s.plan.assume("The sweep reaches two decades to both sides of the corner frequency, %s.", quantity.Frequency.Format(around))
	}
	if corner > 0 && len(f) == len(s.hertz) {
		s.useAll(atCorner)
	}
	for _, h := range f[:min(2, len(f))] {
		s.use(h.start, h.end)
	}
}

// current reads the wish for the source's current.
func (s *schematic) current() {
	for _, m := range currentOf.FindAllStringIndex(s.text, -1) {
		if s.load == nil && !ofSource.MatchString(s.text[m[1]:]) {
			s.use(m[0], m[1])
			s.besides = append(s.besides, "i(v1)")
			s.plan.assume("i(v1) counts the current into the source, so that it is negative where the source delivers.")
		}
	}
}
