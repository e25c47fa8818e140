package plan

import "regexp"

var (
	unrepairedText = regexp.MustCompile(`\b(?:without (?:any |a |the |surface |mesh )*repair(?:s|ing)?(?: it)?|no (?:surface |mesh )?repairs?|(?:skip|omit|leave out) (?:the )?(?:surface |mesh )?repair(?:ing)?|unrepaired|do(?:n't| not) repair(?: it)?)\b`)
	buffersText    = regexp.MustCompile(`\b(?:depth|normals?) (?:and (?:depth|normals?) )?(?:maps?|images?|buffers?|pictures?|passes)\b`)

	reactionText = regexp.MustCompile(`\b(?:supports? |bearing )?reactions?\b(?: (?:forces?|loads?)\b)?`)
	momentWords  = `(?:bending |reaction |resulting )*(?:moments?|torques?)\b`
	// reactionMoment is a moment that is said to be a support's.
	reactionMoment = regexp.MustCompile(`\breactions?(?: forces?)?(?:(?:,? and|,? including|,? with| plus) (?:the |its |their )?| )` + momentWords +
		`|\b(?:supports?|fixing|fixed[- ]end|clamping|restraining|root)[- ]` + momentWords +
		`|\b` + momentWords + ` (?:and (?:the )?reactions?(?: forces?)?\b|(?:of|at|in) (?:the |each |every |both |all )*(?:supports?|reactions?|clamp(?:ing)?|fixed end|fixings?|restraints?)\b)`)
	noMoment   = regexp.MustCompile(`\b(?:at the|at this|for a|in a|just a|one) moment\b`) // of time
	momentWord = regexp.MustCompile(`moment|torque`)
)

// wishes reads what else is wanted of the steps: no repair before meshing, depth
// and normal images beside the pictures.
func (r *reader) wishes() {
	r.plan.Buffers = buffersText.MatchString(r.text)
	r.plan.Unrepaired = r.useAll(unrepairedText)
	if r.plan.Physics == Elasticity {
		r.reactions()
	}
}

// reactions reads the wish for what the supports bear. Their forces are told in every
// answer, their moments where one is asked for. A moment that is not said to be theirs,
// as that within a beam, is given by no step.
func (r *reader) reactions() {
	r.useAll(noMoment)
	r.plan.Moments = r.useAll(reactionMoment)
	r.useAll(reactionText)
	for i := range r.items {
		it := &r.items[i]
		if it.class != classUnsure || it.value != "moment" || it.used || r.isUsed(it.start, it.end) {
			continue
		}
		r.plan.Moments = r.plan.Moments || momentWord.MatchString(r.text[it.start:it.end])
		r.use(it.start, it.end)
		r.plan.Unread = append(r.plan.Unread, r.cased[it.start:it.end])
	}
}

// keepRepair takes the wish for no repair back where the plan needs to know the
// part's shape, which only the repair measures.
func (p *Plan) keepRepair() {
	if !p.Unrepaired {
		return
	}
	p.Unrepaired = p.fileKind() == "surface" && p.Physics != Flow && p.ElementSize == 0 && p.Mesh == ""
	for _, c := range p.Conditions {
		for _, place := range c.Places {
			p.Unrepaired = p.Unrepaired && place.Kind == "plane"
		}
	}
	if !p.Unrepaired {
		p.assume("The repair is not left out: it also measures the part, which places and element sizes need.")
	}
}
