package plan

import "regexp"

var (
	unrepairedText = regexp.MustCompile(`\b(?:without (?:any |a |the |surface |mesh )*repair(?:s|ing)?(?: it)?|no (?:surface |mesh )?repairs?|(?:skip|omit|leave out) (?:the )?(?:surface |mesh )?repair(?:ing)?|unrepaired|do(?:n't| not) repair(?: it)?)\b`)
	buffersText    = regexp.MustCompile(`\b(?:depth|normals?) (?:and (?:depth|normals?) )?(?:maps?|images?|buffers?|pictures?|passes)\b`)
)

// wishes reads what else is wanted of the steps: no repair before meshing, depth
// and normal images beside the pictures.
func (r *reader) wishes() {
	r.plan.Buffers = buffersText.MatchString(r.text)
	r.plan.Unrepaired = r.useAll(unrepairedText)
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
