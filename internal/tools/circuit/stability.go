package circuit

import (
	"fmt"
	"slices"
	"strings"
)

// The shares of their voltages from which the second run starts the nodes of
// transistors, in turn: as far off balance as a circuit that has switched is.
const startAbove, startBelow = 1.5, 0.05

// otherStart makes the second run look for the operating point from another side.
// The balanced point of a flip-flop solves its equations, but any disturbance
// leaves it: an iteration that starts off balance finds another solution.
func (n *netlist) otherStart(analyses []command, out *outcome) []string {
	index := slices.IndexFunc(analyses, func(c command) bool { return c.analysis == "op" })
	if index < 0 || len(out.plots[index]) == 0 || slices.ContainsFunc(analyses, func(c command) bool { return c.analysis != "op" && c.analysis != "ac" }) {
		return nil
	}
	p, fixed := out.plots[index][0], map[string]bool{}
	var active []string
	for i := range n.elements {
		e := &n.elements[i]
		switch {
		case e.kind() == 'v':
			for _, node := range e.nodes {
				fixed[node] = true
			}
		case strings.IndexByte("qmj", e.kind()) >= 0 && !e.inner:
			active = append(active, e.nodes[0])
		}
	}
	var cards []string
	for i, node := range active {
		v, ok := lookup(p, "v("+node+")", 0)
		if !ok || fixed[node] || isGround(node) || slices.Contains(active[:i], node) {
			continue
		}
		share := startAbove
		if len(cards)%2 > 0 {
			share = startBelow
		}
		cards = append(cards, fmt.Sprintf(".nodeset v(%s)=%s", node, spice(real(v)*share)))
	}
	if len(cards) < 2 {
		return nil // one node has nothing to be off balance with
	}
	return cards
}
