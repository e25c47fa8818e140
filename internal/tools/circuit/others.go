package circuit

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"atelier/internal/evidence"
)

const (
	othersMost   = 200 // nodes of a circuit that is started from elsewhere
	othersJudged = 3   // other points whose stability is asked for
	startNumber  = "atelier_start"
)

// other is an operating point that an iteration from elsewhere ended at.
type other struct {
	plot *plot
	rest rest
}

// multistable says whether a circuit may have more than one operating point:
// devices with gain, or switches, that are not linear.
func (n *netlist) multistable() bool {
	return !n.linear() && !n.random() && (n.active() || slices.ContainsFunc(n.elements, func(e element) bool { return e.kind() == 's' || e.kind() == 'w' }))
}

// chosen says whether the caller tells the circuit where to stand.
func (n *netlist) chosen() bool {
	return slices.ContainsFunc(n.cards, func(c card) bool { return slices.Contains([]string{".nodeset", ".ic"}, firstWord(c.text)) })
}

// others tells where a circuit with several operating points could stand as well:
// which of them an iteration finds is chance. Where the caller chose one, its figures
// hold for that.
func (j *judgement) others(p *prober) {
	if j.script.altered || !j.net.multistable() {
		return
	}
	var found *other
	var base rest
	for i, c := range j.script.analyses() {
		begun := c.analysis == "tran" && (j.net.chosen() || strings.HasSuffix(strings.ToLower(c.text), "uic"))
		if c.analysis == "dc" || begun || len(j.out.plots[i]) == 0 {
			continue // a sweep follows one from where it begins, a transient too
		}
		if base == nil {
			if base = p.standing(j.out, i, c); base == nil {
				return
			}
			if found = p.elsewhere(base, j.script.shunt(j.net)); found == nil {
				return
			}
		}
		j.ambiguous(i, c, found, base)
	}
}

// standing is the operating point that an analysis rests on.
func (p *prober) standing(out *outcome, i int, c command) rest {
	if c.analysis == "op" {
		return restOf(out.plots[i][0], 0)
	}
	out, err := p.run(&deck{net: p.net, prefix: "rest_", commands: []command{{text: "op", analysis: "op"}}}, "rest.cir", quick)
	if err != nil || len(out.plots[0]) == 0 {
		return nil
	}
	return restOf(out.plots[0][0], 0)
}

// ambiguous takes the trust from what is another number at the other point.
func (j *judgement) ambiguous(i int, c command, found *other, base rest) {
	begins, word := c.analysis == "tran", ".nodeset"
	if begins {
		word = ".ic"
	}
	hint := fmt.Sprintf(" The circuit has several operating points, and which one an iteration finds is chance: choose the one that is meant, with a %s of %s.", word, found.choice(base))
	if j.net.chosen() {
		hint = " The figures are those of the one that .nodeset or .ic leads to."
	}
	for k := range j.signals {
		s := &j.signals[k]
		if s.analysis != i {
			continue
		}
		sentence := fmt.Sprintf("%s rests on one of several operating points.", s.name)
		if begins {
			sentence = fmt.Sprintf("%s begins at one of several operating points.", s.name)
		}
		if v, ok := j.net.vectorOf(s.probe, found.plot); ok && c.analysis == "op" {
			if math.Abs(v.re[0]-s.final) <= pointChange*math.Max(math.Abs(s.final), smallest(s.unit)) {
				continue
			}
			sentence = fmt.Sprintf("%s is %s %s here and %s %s at another operating point.", s.name, format5(s.final), s.unit, format5(v.re[0]), s.unit)
		}
		sentence, hint = sentence+hint, ""
		if begins || j.net.chosen() { // a transient may come to the same from all of them
			j.choices[s.at] = sentence
		} else {
			j.Check(evidence.Holds("single_operating_point", evidence.Model, s.at, false, sentence))
		}
	}
}

// choice are the values of the nodes that differ most, here and there.
func (o *other) choice(base rest) string {
	var said []string
	for _, node := range o.farthest(base) {
		said = append(said, fmt.Sprintf("v(%s)=%s or %s", node, format5(base[node]), format5(o.rest[node])))
	}
	return strings.Join(said, ", ")
}

// farthest are the nodes that differ most between the points.
func (o *other) farthest(base rest) []string {
	nodes := slices.DeleteFunc(slices.Sorted(maps.Keys(base)), func(node string) bool { _, ok := o.rest[node]; return !ok })
	slices.SortStableFunc(nodes, func(a, b string) int {
		da, db := math.Abs(base[a]-o.rest[a]), math.Abs(base[b]-o.rest[b])
		switch {
		case da > db:
			return -1
		case da < db:
			return 1
		}
		return 0
	})
	return nodes[:min(2, len(nodes))]
}

// elsewhere solves again from several starts; nil where all of them lead to where
// the circuit stands. One that the circuit keeps goes before one that it does not,
// which shows only that there are others.
func (p *prober) elsewhere(base rest, shunt float64) *other {
	distinct := func(found []*other) (all []*other, stands []rest) {
		for _, o := range found {
			if !base.near(o.rest) && !slices.ContainsFunc(all, func(have *other) bool { return have.rest.near(o.rest) }) {
				all, stands = append(all, o), append(stands, o.rest)
			}
		}
		return all, stands
	}
	all, stands := distinct(p.solveFrom(p.starts(base)))
	if len(all) == 0 {
		return nil
	}
	// An iteration may stop where nothing is solved: from a solution it leads back there,
	// and to more digits, so that the currents balance.
	again := p.solveFrom(stands)
	all = slices.DeleteFunc(all, func(o *other) bool {
		return !slices.ContainsFunc(again, func(a *other) bool { return o.rest.near(a.rest) && p.net.balanced(a.plot, shunt) })
	})
	for _, o := range all[:min(othersJudged, len(all))] {
		if said := p.verdict("", 0, o.rest, ""); said == "" || said == undetermined {
			return o
		}
	}
	if len(all) > 0 {
		return all[0]
	}
	return nil
}

// balanced says whether the currents of an operating point sum to zero, as far as
// the simulator kept them.
func (n *netlist) balanced(p *plot, shunt float64) bool {
	devices, ok := n.flat()
	if !ok {
		return true
	}
	b := sumCurrents(devices, p, shunt, func(e *element, at int) ([]complex128, bool) { return n.savedCurrents(e, p, at) })
	return b.residual <= b.allowed
}

// solveFrom is where iterations end that begin with every node at a given voltage,
// with tolerances so tight that what is left of an iteration is no other point.
func (p *prober) solveFrom(starts []rest) (found []*other) {
	if len(starts) == 0 {
		return nil
	}
	d := &deck{net: p.net, prefix: "others_", currents: true, extra: []string{fmt.Sprintf(".param %s=0", startNumber)}}
	for _, node := range slices.Sorted(maps.Keys(starts[0])) {
		terms := make([]string, len(starts))
		for k, start := range starts {
			terms[k] = fmt.Sprintf("(%s==%d)*(%s)", startNumber, k+1, spice(start[node]))
		}
		d.extra = append(d.extra, fmt.Sprintf(".nodeset v(%s)={%s}", node, strings.Join(terms, "+")))
	}
	for k := range starts {
		for _, text := range []string{fmt.Sprintf("alterparam %s=%d", startNumber, k+1), "reset", "option reltol=1e-5", "option abstol=1e-15", "option vntol=1e-8"} {
			d.commands = append(d.commands, command{text: text})
		}
		d.commands = append(d.commands, command{text: "op", analysis: "op"})
	}
	out, err := p.run(d, "others.cir", quick)
	if err != nil {
		return nil
	}
	for _, plots := range out.plots {
		if len(plots) > 0 && plots[0].points() > 0 {
			found = append(found, &other{plots[0], restOf(plots[0], 0)})
		}
	}
	return found
}

// starts are where supplies and signs are exchanged, off balance, at the ends and in
// the middle of the supplies, and where the curves of expressions lead.
func (p *prober) starts(base rest) []rest {
	fixed := map[string]bool{}
	low, high := 0.0, 0.0
	for i := range p.net.elements {
		if e := &p.net.elements[i]; e.kind() == 'v' && !e.inner && slices.ContainsFunc(e.nodes, isGround) {
			for _, node := range e.nodes {
				fixed[node] = true
				low, high = math.Min(low, base[node]), math.Max(high, base[node])
			}
		}
	}
	free := slices.DeleteFunc(slices.Sorted(maps.Keys(base)), func(node string) bool { return fixed[node] || isGround(node) })
	if len(free) == 0 || len(free) > othersMost {
		return nil
	}
	starts := []rest{{}, {}, {}, {}, {}, {}, {}}
	for k, node := range free {
		v, even, odd := base[node], high, low
		if k%2 > 0 {
			even, odd = low, high
		}
		away := -math.Copysign(math.Max(math.Max(high, -low), math.Abs(v)), v)
		for i, value := range []float64{low + high - v, even, odd, away, high, low, (low + high) / 2} {
			starts[i][node] = value
		}
	}
	return append(starts, p.characteristics(base, free)...)
}
