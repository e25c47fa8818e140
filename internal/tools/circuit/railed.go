package circuit

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"

	"atelier/internal/contract"
)

var (
	limiting    = regexp.MustCompile(`(?i)\b(?:tanh|limit|min|max|atan|arctan|table|pwl|uramp|ternary_fcn)\s*[({]|\?`)
	voltageTerm = regexp.MustCompile(`(?i)\bv\(\s*([^()]+?)\s*\)`)
)

const (
	shareNode = "atelier_share"
	copyNode  = "atelier_copy"
	flat      = 0.01 // of its steepest slope, below which a limited source is at its limit
	saturated = 0.15 // V between collector and emitter
	conducts  = 0.5  // V between base and emitter
)

// railed warns of small-signal analyses about an operating point at which a source
// is at its limit or a transistor is saturated: they are right for that point, where
// an amplifier does not amplify.
func (p *prober) railed(s *script) []contract.Warning {
	small := slices.ContainsFunc(s.analyses(), func(c command) bool { return slices.Contains([]string{"ac", "noise", "tf"}, c.analysis) })
	var limited, transistors []*element
	for i := range p.net.elements {
		e := &p.net.elements[i]
		switch {
		case e.inner:
		case e.computed() && strings.IndexByte("beg", e.kind()) >= 0 && limiting.MatchString(afterNodes(e)) && voltageTerm.MatchString(afterNodes(e)):
			limited = append(limited, e)
		case e.kind() == 'q':
			transistors = append(transistors, e)
		}
	}
	if !small || s.altered || len(limited)+len(transistors) == 0 {
		return nil
	}
	d := &deck{net: p.net, prefix: "railed_", commands: []command{{text: fmt.Sprintf("dc V%s 0 1 0.01", shareNode), analysis: "dc"}},
		extra: []string{fmt.Sprintf("V%s %s 0 0", shareNode, shareNode)}}
	for k, e := range limited { // a copy whose inputs rise from 0 to what they are
		d.extra = append(d.extra, fmt.Sprintf("%c%s%d %s%d 0 %s", e.kind(), copyNode, k, copyNode, k, voltageTerm.ReplaceAllString(afterNodes(e), "(v($1)*v("+shareNode+"))")),
			fmt.Sprintf("R%s%d %s%d 0 1", copyNode, k, copyNode, k))
	}
	out, err := p.run(d, "railed.cir", quick)
	if err != nil || len(out.plots[0]) == 0 || out.plots[0][0].points() < 3 {
		return nil
	}
	var names []string
	for k, e := range limited {
		if v := out.plots[0][0].find(fmt.Sprintf("v(%s%d)", copyNode, k)); v != nil && atLimit(v.re) {
			names = append(names, strings.ToUpper(e.name)+" is at the limit of its output")
		}
	}
	at := restOf(out.plots[0][0], 0)
	for _, e := range transistors {
		c, b, emitter := at[e.nodes[0]], at[e.nodes[1]], at[e.nodes[2]]
		if math.Abs(c-emitter) < saturated && math.Abs(b-emitter) > conducts {
			names = append(names, fmt.Sprintf("%s is saturated (%s V from collector to emitter)", strings.ToUpper(e.name), format5(c-emitter)))
		}
	}
	if len(names) == 0 {
		return nil
	}
	return []contract.Warning{{Code: "railed", Message: fmt.Sprintf(
		"At the operating point %s: the small-signal results hold about that point, where it does not amplify. Check the bias and the feedback if it is to.", strings.Join(names, ", "))}}
}

// atLimit says whether a curve ends flat beside its steepest part.
func atLimit(y []float64) bool {
	steepest := 0.0
	for i := 1; i < len(y); i++ {
		steepest = math.Max(steepest, math.Abs(y[i]-y[i-1]))
	}
	last := len(y) - 1
	return steepest > 1e-9 && math.Abs(y[last]-y[last-1]) < flat*steepest
}
