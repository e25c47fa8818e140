package words

import (
	"regexp"
	"slices"
	"strings"
)

// Heat that leaves the part, and faces that let none through.

var (
	// outWords say that heat leaves; those of places stand before one.
	outWords = regexp.MustCompile(`(?i)\b(?:off|sink of -?[\d.,]+|heat loss(?:es)?|lost|loses?|losing|removed|extracted|withdrawn|drawn|leaves?|leaving|exits?|escapes?|emits?|emitted|outflow|outflux|outwards?|outgoing|heraus|hinaus|raus|abgeführt|abgegeben|abgeleitet|abgezogen|abgabe|wärmeabgabe|wärmeabfuhr|entzogen|entnommen|entzieht|wärmeverluste?|verlorene?|verliert|senke|wärmesenke|entweichen|entweicht)\b|W(?:/\S+)? (?:heat )?sink\b|\bab\s*$`)
	outOf    = regexp.MustCompile(`(?i)\b(?:out|aus|from|von|vom)\b`)
	outAlone = regexp.MustCompile(`(?i)\bout\b`)
	madeOf   = regexp.MustCompile(`(?i)\b(?:made|machined|milled|turned) out of\b|\bout of (?:steel|alumini?um|copper|brass|titanium|iron|stainless)|\bsink (?:of|from|in) [a-z]+`)
	inWords  = regexp.MustCompile(`(?i)\b(?:into|input|absorbs?|absorbed|receives?|gets|gains?|heated|hinein|herein|rein|eintrag|wärmeeintrag|zugeführt|eingebracht|eingeleitet|aufgenommen|in die|ins)\b`)
	// eitherWords may say heat that arises and enters, or that leaves.
	eitherWords = regexp.MustCompile(`(?i)\b(?:a|an|eine?) (?:heat )?sink\b|\b(?:loss|losses|verluste?)\b|\bdissipat|\bcooling power\b|kühlleistung`)
)

// outgoing says whether the words around a heat flux let it leave the part. Where they say
// both, or do not tell, it asks: ok is false then.
func (r *reader) outgoing(f *frame) (out, ok bool) {
	clause := madeOf.ReplaceAllString(r.clause(f), " ")
	low := strings.ToLower(clause)
	out = outWords.MatchString(low)
	cooled := slices.ContainsFunc(f.heads, func(h *node) bool { return h.is("cooled") })
	before := ""
	for _, p := range f.places {
		if p.start > 0 {
			before += " " + behindArticles(r.text[:p.start])
		}
	}
	direction := outOf.FindString(before)
	switch strings.ToLower(direction) {
	case "out", "aus":
		out = true
	case "":
		out = out || outAlone.MatchString(low)
	default: // from the right: to the part, or out of its face?
		if !out && !cooled {
			return r.askHeat(f)
		}
	}
	in := inWords.MatchString(low)
	if !out && !in && !cooled && eitherWords.MatchString(low) {
		return r.askHeat(f)
	}
	switch {
	case (out || cooled) && in:
		return r.askHeat(f)
	case out || cooled:
		for _, n := range f.amounts {
			if a := n.amount(); a != nil && a.number.Sign() < 0 {
				return r.askHeat(f)
			}
		}
		r.assume("The heat leaves the part: it is negative.", "Die Wärme verlässt das Teil: sie ist negativ.")
	}
	return out || cooled, true
}

// behindArticles are the last two words before a place that are no articles.
func behindArticles(text string) string {
	words := strings.Fields(strings.ToLower(text))
	for len(words) > 0 && slices.Contains([]string{"the", "a", "an", "its", "der", "die", "das", "dem", "den"}, words[len(words)-1]) {
		words = words[:len(words)-1]
	}
	return strings.Join(words[max(len(words)-2, 0):], " ")
}

func (r *reader) askHeat(f *frame) (out, ok bool) {
	f.use()
	r.ask("heat", r.say("Does the heat enter the part there, or leave it?", "Fließt die Wärme dort in das Teil, oder heraus?"), r.say("15 W into the right, or 15 W out of the right", "15 W in die rechte Seite hinein, oder 15 W aus der rechten Seite heraus"))
	return false, false
}

// insulate takes the insulated faces out of those on which there is convection, radiation or
// a flux on all others. Where a face has one of its own it asks.
func (r *reader) insulate() {
	for _, f := range r.scan.frames {
		if f.kind != "insulated" || f.without || len(r.out.Questions) > 0 {
			continue
		}
		wide := slices.ContainsFunc(append(r.members("supports", "fixed_temp", "convection", "radiation"), r.members("loads", "heat_flux")...), func(m member) bool { return everywhere(m.value["on"]) })
		if !wide && slices.ContainsFunc(f.places, func(n *node) bool { return n.val.(*place).what == "bad" }) {
			continue // a face that has no condition, whichever it is
		}
		if len(f.places) == 0 && wide {
			r.ask("place", r.say("Which faces are insulated? All others have a condition already.", "Welche Flächen sind isoliert? Alle anderen haben schon eine Bedingung."), r.say("the top is insulated", "oben isoliert"))
			return
		}
		places, ok := r.on(f)
		if !ok {
			return
		}
		for _, p := range places {
			r.insulatePlace(p, f)
		}
	}
}

// insulatePlace is one of them.
func (r *reader) insulatePlace(p any, f *frame) {
	list := append(r.members("supports", "fixed_temp", "convection", "radiation"), r.members("loads", "heat_flux")...)
	whole := everywhere(p)
	for _, m := range list {
		if on := m.value["on"]; overlap(p, on) && p != "all" || whole && everywhere(on) {
			r.ask("place", r.say("%q is to be insulated and has the %s %q: which of both holds?", "%q soll isoliert sein und hat %s (%q): was von beidem gilt?", f.places[0].text, strings.ReplaceAll(m.kind(), "_", " "), m.name), r.say("without the convection on the top", "ohne die Konvektion oben"))
			return
		}
	}
	if whole {
		return
	}
	for _, m := range list {
		on := m.value["on"]
		but, _ := on.(map[string]any)
		var left []any
		switch {
		case on == "all":
			left = []any{p}
		case but["all_but"] != nil:
			have, _ := but["all_but"].([]any)
			if overlap(p, have) {
				continue
			}
			left = append(slices.Clone(have), p)
		case on == "rest":
			left = append(r.takenBy(list, m.name), p)
		default:
			if several, is := on.([]any); is && slices.ContainsFunc(several, func(x any) bool { return x == "rest" || x == "all" }) {
				r.ask("place", r.say("Which faces has the %s %q, beside %q that is insulated?", "Welche Flächen hat %s (%q), neben %q, die isoliert ist?", m.kind(), m.name, f.places[0].text), r.placesExample())
				return
			}
			continue
		}
		value := map[string]any{}
		for k, v := range m.value {
			value[k] = v
		}
		value["on"] = map[string]any{"all_but": left}
		r.set(m.section, m.name, value)
		r.assume("The insulated %s is left out of the faces of %q.", "Die isolierte Fläche (%s) gehört nicht zu denen von %q.", f.places[0].text, m.name)
	}
}

// everywhere says whether a place is all faces but some.
func everywhere(p any) bool {
	m, _ := p.(map[string]any)
	return p == "rest" || p == "all" || m["all_but"] != nil
}

// takenBy are the places of the other conditions, which the rest of the faces leaves out.
func (r *reader) takenBy(list []member, but string) (out []any) {
	for _, m := range list {
		if m.name == but || m.value["on"] == nil {
			continue
		}
		places, several := m.value["on"].([]any)
		if !several {
			places = []any{m.value["on"]}
		}
		for _, p := range places {
			if p != "rest" && p != "all" && !overlap(p, out) {
				out = append(out, p)
			}
		}
	}
	return out
}
