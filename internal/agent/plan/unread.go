package plan

import (
	"regexp"
	"strings"

	"atelier/internal/quantity"
)

var (
	// otherCircuit are words that make another circuit of a low-pass, high-pass or
	// divider than the one section that is made of them.
	otherCircuit = regexp.MustCompile(`\b(?:second|third|fourth|fifth|higher|2nd|3rd|4th|5th|two|three|four|[2-9])[- ](?:order|stages?|poles?|sections?)\b|\b(?:two|three|four|several|[2-9])\b[^.;\n]{0,60}\bin (?:series|parallel|cascade)\b|\bcascad\w*|\bladder\b|\bstages\b|\bsallen\b|\bbutterworth\b|\bchebyshev\b|\bbessel\b|\bactive\b|\bop-?amps?\b|\boperational amplifier\b|\bbuffer(?:s|ed)?\b|\bband[- ]?(?:pass|stop|reject)\b|\bnotch\b|\btwin[- ]t\b`)
	// unreadWish are figures that are asked for and that no plan of a circuit gives.
	unreadWish = regexp.MustCompile(`\bin db\b|\bdecibels?\b|\bphase\b|\bpeak\b|\bsteady[- ]state\b|\bpower\b|\bdissipat\w+|\brise time\b|\bsettling(?: time)?\b|\bovershoot\b|\bimpedance\b|\befficiency\b|\brms\b|\bgroup delay\b|\bripple\b`)
)

// unread records what a request for a circuit asks for beyond what the plan does.
func (r *reader) unread(n *Network, hertz []float64) {
	if m := otherCircuit.FindString(r.text); m != "" && n.Elements != nil {
		r.plan.ask(-1, "netlist", "\""+strings.Join(strings.Fields(m), " ")+"\" makes another circuit than the single section that I can make of words. Give it as a SPICE netlist in a fenced block, or say that a single section is meant.",
			"a single RC low-pass with R = 1 kOhm and C = 1 uF")
		return
	}
	for _, m := range unreadWish.FindAllString(r.text, -1) {
		if m != "in db" && m != "phase" || !strings.Contains(strings.Join(n.Probes, " "), map[string]string{"in db": "vdb(", "phase": "vp("}[m]) {
			r.plan.Unread = append(r.plan.Unread, m)
		}
	}
	if len(hertz) == 1 || n.Analysis != "ac" && len(hertz) > 0 {
		for i := range r.items {
			if it := &r.items[i]; it.class == classQuantity && it.err == nil && !it.bare() {
				if _, ok := it.si(quantity.Frequency); !ok {
					continue
				}
				r.plan.Unread = append(r.plan.Unread, strings.TrimSpace(r.cased[it.start:it.end]))
			}
		}
	}
}
