package plan

import (
	"regexp"
	"slices"
)

// unreadWish are figures that are asked for and that no plan of a circuit gives.
var unreadWish = regexp.MustCompile(`\b(?:(?:phase|gain) margin|power factor|in db|decibels?|phase|peak[- ]?to[- ]?peak|peak|steady[- ]state|power|dissipat\w+|rise time|settling(?: time)?|(?:percent(?:age)? )?overshoot|impedance|efficiency|rms|group delay|ripple|energy|currents?|sensitivity|` +
	`(?:-? ?3[- ]?db[- ])?bandwidth|unity[- ]gain(?: frequency)?|(?:q|quality)[- ]factor|resonan(?:ce|t)(?: frequency)?|damping(?: ratio| factor)?|slew rate|fall time|(?:propagation )?delay(?: time)?|` +
	`half[- ]life|(?:total )?harmonic distortion|thd|crest factor|stability|time constants?|corner frequency|cut-?off frequency)\b(?: (?:in|of|at|through|for) (?:the )?(?:[rcl]_?\d?|(?:(?:upper|lower|first|second|load) )?(?:resistors?|capacitor|inductor|coil)|load|source|circuit)\b)?`)

// unread records what a request for a circuit asks for beyond what the plan does.
func (r *reader) unread(n *Network) {
	spans := slices.Concat(reachText.FindAllStringIndex(r.text, -1), unreadWish.FindAllStringIndex(r.text, -1))
	for _, m := range spans {
		if !asksTime.MatchString(r.text[m[0]:m[1]]) && reachText.MatchString(r.text[m[0]:m[1]]) {
			continue
		}
		if r.isUsed(m[0], m[1]) || ofSource.MatchString(r.text[m[1]:]) {
			continue
		}
		r.use(m[0], m[1])
		r.plan.Unread = append(r.plan.Unread, r.cased[m[0]:m[1]])
	}
}
