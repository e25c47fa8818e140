package plan

import (
	"regexp"
	"strings"

	"atelier/internal/quantity"
)

var (
	probeText = regexp.MustCompile(`(?i)\b(v(?:db|p|m)?|i)\(([\w,]+)\)`)
	lowPass   = regexp.MustCompile(`\b(?:r[cl]|lr|cr)?[- ]?low[- ]?pass(?:[- ]filter)?\b`)
	highPass  = regexp.MustCompile(`\b(?:r[cl]|lr|cr)?[- ]?high[- ]?pass(?:[- ]filter)?\b`)
	dividing  = regexp.MustCompile(`\b(?:voltage |potential |resistive )?divider\b`)
	acWords   = regexp.MustCompile(`\bac\b|frequency response|bode|corner frequency|cut-?off|filter|(?:low|high)[- ]?pass`)
	tranWords = regexp.MustCompile(`\btran(?:sient)?\b|step response|time response|over time`)
	opWords   = regexp.MustCompile(`operating point|\bop\b|dc (?:voltage|value)s?`)
	finalTime = regexp.MustCompile(`\b(?:up to|until|for|over|to|tstop ?=?)\s*$`)
	// A card of a two-terminal element (name, two nodes, value or source), or the
	// end of a deck.
	netlistCard = regexp.MustCompile(`(?im)^\s*(?:\.end\b|[rclvi]\w*\s+\S+\s+\S+\s+(?:dc\b|ac\b|sin\b|pulse\b|pwl\b|[-+.\d]))`)
	ownAnalyse  = regexp.MustCompile(`(?im)^\s*\.(?:op|ac|dc|tran|tf|pz|noise|sens)\b`)
)

// isNetlist says whether a fenced block is a circuit.
func isNetlist(code string) bool { return netlistCard.MatchString(code) }

// circuit reads a netlist, or one of the small networks that words can say.
func (r *reader) circuit() {
	n := &Network{Netlist: strings.TrimRight(r.code, "\n")}
	r.plan.Network = n
	for _, m := range probeText.FindAllStringIndex(r.text, -1) {
		r.use(m[0], m[1])
		n.Probes = append(n.Probes, r.text[m[0]:m[1]])
	}
	if r.products() {
		return
	}
	if n.Netlist != "" || r.file != "" {
		r.deck(n)
		return
	}
	if r.polarity() {
		return
	}
	s := &schematic{reader: r}
	s.network(n)
	r.unread(n)
	s.unanswered()
	if n.Elements == nil && len(r.plan.Questions) == 0 {
		r.plan.ask(-1, "netlist", s.obstacle()+"Which circuit is it? Give a SPICE netlist in a fenced block, or a low-pass, high-pass or divider with its values.",
			"RC low-pass with R = 1 kOhm and C = 1 uF")
	}
}

// deck reads which analysis of a netlist is wanted.
func (r *reader) deck(n *Network) {
	var hertz []amount
	for i := range r.items {
		it := &r.items[i]
		if it.class != classQuantity || it.err != nil || it.bare() {
			continue
		}
		if v, ok := it.si(quantity.Frequency); ok {
			r.checked(it, quantity.Frequency, v, "value", func() { hertz = append(hertz, amount{value: v, start: it.start, end: it.end}) })
		}
		if v, ok := it.si(quantity.Time); ok && r.before(it.start, finalTime) != nil {
			n.TStop = v
			r.use(it.start, it.end)
		}
	}
	switch {
	case tranWords.MatchString(r.text):
		n.Analysis = "tran"
		r.useAll(tranPhrase)
	case acWords.MatchString(r.text) || len(hertz) > 0:
		n.Analysis = "ac"
		r.useAll(acPhrase)
	case opWords.MatchString(r.text):
		n.Analysis = "op"
		r.useAll(opPhrase)
	case n.Netlist != "" && !ownAnalyse.MatchString(n.Netlist):
		n.Analysis = "op"
		r.plan.assume("No analysis was named: the operating point is computed.")
	}
	if n.Analysis == "tran" && n.TStop == 0 && n.Netlist != "" {
		r.plan.ask(-1, "time", "How long is the transient?", "up to 5 ms")
	}
	if n.Analysis == "ac" {
		r.deckSweep(n, hertz)
	}
	r.unread(n)
}

func (r *reader) deckSweep(n *Network, hertz []amount) {
	if len(hertz) < 2 {
		if n.Netlist != "" {
			r.plan.ask(-1, "frequency", "From which to which frequency?", "from 10 Hz to 10 kHz")
		}
		return
	}
	if r.isList(hertz) {
		if n.Probes == nil {
			r.plan.ask(-1, "probe", "At which node are the values at these frequencies wanted?", "v(out) at 1 kHz and 10 kHz")
			return
		}
		r.points(n, hertz)
		return
	}
	n.Start, n.Stop = min(hertz[0].value, hertz[1].value), max(hertz[0].value, hertz[1].value)
	r.use(hertz[0].start, hertz[0].end)
	r.use(hertz[1].start, hertz[1].end)
}
