package words

import "slices"

// without takes conditions away.
func (r *reader) without(f *frame) {
	f.use()
	kinds := map[string][]string{"force": {"load"}, "pressure": {"pressure"}, "moment": {"moment"}, "gravity": {"gravity"}, "rotation": {"rotation"}, "bearing": {"bearing"},
		"fix": {"fixed"}, "temp": {"fixed_temp"}, "convection": {"convection"}, "radiation": {"radiation"}, "flux": {"heat_flux"}}[f.kind]
	if kinds == nil {
		r.ask("change", r.say("What is to be left out?", "Was soll entfallen?"), r.say("without the pressure", "ohne den Druck"))
		return
	}
	places, ok := r.on(f)
	if !ok {
		return
	}
	found := append(r.members("loads", kinds...), r.members("supports", kinds...)...)
	if len(places) > 0 {
		found = meant(found, places)
	}
	switch {
	case len(found) == 0 && r.fresh && len(places) == 0:
		r.assume("Without %s, which nothing has unless it is said.", "Ohne %s; das hat ohnehin nichts, solange es nicht gesagt ist.", r.noun(f.kind))
	case len(found) == 0:
		r.ask("change", r.say("The study has no %s there that could be left out.", "Die Studie hat dort nichts, was entfallen könnte: %s.", r.noun(f.kind)), r.say("without the pressure", "ohne den Druck"))
	case len(found) > 1 && len(places) == 0 && !f.plural():
		r.ask("change", r.say("The study has %d of those: which one is to go?", "Davon hat die Studie %d: was soll entfallen?", len(found)), found[0].name)
	default:
		for _, m := range found {
			r.remove(m.section, m.name)
		}
	}
}

func (f *frame) plural() bool {
	return slices.ContainsFunc(f.heads, func(n *node) bool { return n.plural })
}
