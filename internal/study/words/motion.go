package words

import (
	"regexp"
	"slices"
)

// Motion of the part and of what flows through it.

var accelerates = regexp.MustCompile(`(?i)^(?:accelerat(?:ed|es|e|ing)|beschleunigt|beschleunigen|beschleunige)$`)

// inertia says whether the part is accelerated, so that its inertia acts the other way. Of an
// acceleration that is only named nobody can tell which of both it is: that is asked.
func (r *reader) inertia(f *frame) (against, ok bool) {
	named := false
	for _, h := range f.heads {
		switch {
		case h.is("gravity"):
			return false, true
		case accelerates.MatchString(h.text):
			against = true
		case h.is("acceleration"):
			named = true
		}
	}
	if named && !against && len(f.dirs) > 0 {
		r.ask("acceleration", r.say("Is the part accelerated in that direction, so that its inertia acts the other way, or does the load pull it there, as gravity does?", "Wird das Teil in diese Richtung beschleunigt, so dass die Trägheit entgegen wirkt, oder zieht die Last es dorthin wie die Schwerkraft?"),
			r.say("the part is accelerated upwards with 3 g, or: gravity of 3 g downwards", "das Teil wird mit 3 g nach oben beschleunigt, oder: Schwerkraft von 3 g nach unten"))
		return false, false
	}
	return against, true
}

// negated are components with the other sign; none stays none.
func negated(list []any) []any {
	out := slices.Clone(list)
	for i, x := range out {
		if numberOf(x) != 0 {
			out[i] = times(x, -1)
		}
	}
	return out
}

// flowsAcross asks where a fluid enters a tube that is said to flow in a direction: whether
// the tube runs along it nobody knows before its file has been read.
func (r *reader) flowsAcross(in *frame) bool {
	dirs := in.dirs
	for _, f := range r.scan.frames {
		if f.kind == "bare" || f.kind == "outlet" || f.kind == "inlet" {
			dirs = append(slices.Clone(dirs), f.dirs...)
		}
	}
	if len(dirs) == 0 {
		return false
	}
	for _, d := range dirs {
		if t, ok := d.val.(toward); ok && t.how != "axis" && t.how != "vertical" && t.how != "horizontal" {
			return false
		}
		d.use()
	}
	r.ask("place", r.say("The fluid flows %s: by which face does it enter, and by which does it leave?", "Das Fluid strömt %s: durch welche Fläche kommt es herein, und durch welche geht es hinaus?", dirs[0].text), r.say("inlet at the bottom, outlet at the top", "Einlass unten, Auslass oben"))
	return true
}
