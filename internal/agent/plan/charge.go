package plan

import (
	"regexp"
	"slices"
)

// A question for the time that a voltage takes may have the parts and the voltage
// at the start between its words: "How long does a 1 uF capacitor charged to 9 V
// take to discharge to 3 V through 10k?"
var (
	timeAsked = regexp.MustCompile(`\b(?:how long|how much time|(?:after |in |at )?(?:what|which) time|when (?:does|do|will|would|is|has)|` +
		`(?:the )?time(?: (?:it takes|needed|required|taken))? (?:for|to|until|till))\b(?: (?:does|do|will|would|it|takes?|needs?))*`)
	howLong    = regexp.MustCompile(`\bhow (?:long|much time)\b|\b(?:after )?what time\b`)
	wayVerb    = regexp.MustCompile(`\b(?:(?:dis)?charg(?:es?|ing)|falls?|drops?|decays?|sinks?|rises?|climbs?)\b`)
	downVerb   = regexp.MustCompile(`\b(?:discharg(?:es?|ing)|falls?|drops?|decays?|sinks?)\b`)
	goalBefore = regexp.MustCompile(`\b(?:down |up )?to (?:about |only |just )?$`)
	fromBefore = regexp.MustCompile(`\bfrom (?:about )?$`)
	pairBehind = regexp.MustCompile(`^ (?:down |up )?to (?:about |only )?\d`)
	notOnWay   = regexp.MustCompile(`\b(?:input|source|supply|battery|v_?in|steps?|jumps?|connected|switched|tied|wired|attached|hooked|charged|discharged|applied|subjected|set|exposed|coupled)\b` +
		`(?: (?:voltage|(?:is|was|gets?) \w+|rises?|falls?|drops?|goes))* (?:up |down )?(?:to|from) (?:about |only |just )?$`)
	// emptied says that the capacitor discharges in what is simulated; "discharged" alone
	// is how it may be at the start.
	emptied      = regexp.MustCompile(`\bdischarg(?:es?|ing)\b|\bdischarged (?:through|via|by|over|across|into|with|from|to)\b`)
	sourceBehind = regexp.MustCompile(`^ (?:dc )?(?:supply|source|input|battery|step|jump|cell)\b|^ (?:(?:at|on) the )?input\b`)
	drivenBefore = regexp.MustCompile(`\b(?:input|source|supply|battery|v_?in)(?: voltage)? $`)
)

// onTheWay says whether a figure that no question stands right before is what is
// asked for nevertheless.
func (s *schematic) onTheWay(start int, verb string) bool {
	return timeAsked.MatchString(s.text) && verb != "down to" && verb != "below" && verb != "charged to" && verb != "discharged to" && verb != "charged up to" &&
		!drivenBefore.MatchString(s.text[:start])
}

// ways reads the voltages at which the capacitor begins and ends, where a time is
// asked for and they stand apart from the verb.
func (s *schematic) ways() {
	if !timeAsked.MatchString(s.text) {
		return
	}
	answered := slices.ContainsFunc(s.asked, func(w asked) bool { return w.kind == "reach" })
	if !wayVerb.MatchString(s.text) {
		if answered {
			s.useAll(timeAsked)
		}
		return
	}
	var volts []amount
	for _, v := range s.volts {
		before, after := s.text[:v.start], s.text[v.end:]
		switch {
		case notOnWay.MatchString(before):
		case s.charge == nil && fromBefore.MatchString(before) && (downVerb.MatchString(s.text) || pairBehind.MatchString(after)):
			value := v.value
			s.before(v.start, fromBefore)
			s.use(v.start, v.end)
			if value != 0 || downVerb.MatchString(s.text) {
				s.charge = &value
			}
			continue
		case !answered && goalBefore.MatchString(before):
			value, at := v.value, goalBefore.FindStringIndex(before)
			s.asked = append(s.asked, asked{kind: "reach", start: at[0], end: v.end, percent: value, volts: &value, falling: downVerb.MatchString(s.text), rising: !downVerb.MatchString(s.text)})
			answered = true
			continue
		}
		volts = append(volts, v)
	}
	s.volts = volts
	if answered {
		s.useAll(timeAsked)
		s.useAll(wayVerb)
	}
}

// unanswered records the times that are asked for and that no step measures.
func (s *schematic) unanswered() {
	var spans [][2]int
	for _, w := range s.asked {
		if w.kind == "reach" {
			spans = append(spans, [2]int{w.start, w.end})
		}
	}
	if m := howLong.FindStringIndex(s.text); m != nil {
		spans = append(spans, [2]int{m[0], m[1]})
	}
	for _, m := range spans {
		if !s.isUsed(m[0], m[1]) {
			s.use(m[0], m[1])
			s.plan.Unread = append(s.plan.Unread, s.cased[m[0]:m[1]])
		}
	}
}

// holds says whether a voltage of a request to discharge is that of the capacitor at
// the start, since nothing says that it is the source's.
func (s *schematic) holds(v amount) bool {
	before := s.text[:v.start]
	return s.charge == nil && s.lower.kind == 'c' && emptied.MatchString(s.text) && !driving.MatchString(s.text) && !asksFor.MatchString(before) &&
		!supplyNamed.MatchString(before) && !supplyTaken.MatchString(before) && !notOnWay.MatchString(before) && !sourceBehind.MatchString(s.text[v.end:])
}

var (
	driving = regexp.MustCompile(`\b(?:steps?|jumps?|charges|charging)\b|\b(?:switched|turned) on\b`)
	asksFor = regexp.MustCompile(`\b(?:until|till|when|above|below|reach\w*)\b[^.;:?!]*$`)
)

// driven asks for the voltage at the start of a capacitor that is to discharge, and
// for the source of one that is to reach a voltage which nothing drives it to.
func (s *schematic) driven(given bool) {
	for _, w := range s.asked {
		if w.kind != "reach" || s.lower.kind != 'c' {
			continue
		}
		if w.falling && s.charge == nil && emptied.MatchString(s.text) {
			s.plan.ask(w.start, "value", "From which voltage does the capacitor discharge?", "a capacitor charged to 12 V")
			return
		}
		if w.volts == nil || given {
			continue
		}
		if s.charge != nil && *w.volts < *s.charge || s.charge == nil && w.falling {
			continue
		}
		s.plan.ask(w.start, "value", "Which voltage charges the capacitor?", "a supply of 5 V")
		return
	}
}
