package circuit

import (
	"fmt"
	"slices"
	"strings"

	"atelier/internal/contract"
)

const poleZeroForm = `Write pz with two nodes of the input, two of the output, vol or cur, and pol, zer or pz, e.g. "pz in 0 out 0 vol pz".`

// checkPoleZero refuses pz commands that have no answer: the simulator tells some of
// them in words of its own, and answers others for another circuit.
func (r *request) checkPoleZero() *contract.Error {
	for _, c := range r.script.analyses() {
		if c.analysis != "pz" || strings.ContainsAny(c.text, "{}$") {
			continue
		}
		if fault := r.net.poleZeroFault(c); fault != nil {
			field := "/control"
			if slices.ContainsFunc(r.net.cards, func(own card) bool { return own.text == "."+c.text }) {
				field = "/netlist"
			}
			return fault.At(field)
		}
	}
	return nil
}

func (n *netlist) poleZeroFault(c command) *contract.Error {
	f := tokens(c.text)
	if len(f) < 7 || !slices.Contains([]string{"vol", "cur"}, f[5]) || !slices.Contains([]string{"pol", "zer", "pz"}, f[6]) {
		return contract.Errorf(contract.CodeNetlistInvalid, "%q is not a whole pole-zero analysis", c.text).WithHint("%s", poleZeroForm)
	}
	known, all := n.topNodes()
	for _, node := range f[1:5] {
		if all && !isGround(node) && !strings.ContainsAny(node, ".:") && !slices.Contains(known, node) {
			fault := contract.Errorf(contract.CodeUnknownVector, "the circuit has no node %q, which %q names", node, c.text).With("vector", node)
			return fault.WithHint("Its nodes are: %s.", strings.Join(known[:min(len(known), 40)], ", "))
		}
	}
	what := ""
	switch {
	case f[1] == f[2]:
		what = "both nodes of the input are the same"
	case f[3] == f[4]:
		what = "both nodes of the output are the same"
	case f[5] == "vol" && f[1] == f[3] && f[2] == f[4]:
		what = "a voltage is transferred to itself by 1, which has neither poles nor zeros (write cur for the impedance there)"
	}
	if what != "" {
		return contract.Errorf(contract.CodeNetlistInvalid, "%q: %s", c.text, what).WithHint("%s", poleZeroForm)
	}
	devices, ok := n.flat()
	if !ok {
		devices = n.elements
	}
	for i := range devices {
		if e := &devices[i]; strings.IndexByte("topy", e.kind()) >= 0 {
			return contract.Errorf(contract.CodeNetlistInvalid, "%q: a circuit with a transmission line (%s) has poles without end, and the simulator computes none", c.text, strings.ToUpper(e.name)).
				WithHint("Use an ac sweep, or sections of inductors and capacitors in place of the line.")
		}
	}
	return nil
}

// topNodes are the nodes of the devices at the top level but ground, in their order;
// all is false where a device, as a code model, does not show which of its words are nodes.
func (n *netlist) topNodes() (nodes []string, all bool) {
	all = true
	for i := range n.elements {
		e := &n.elements[i]
		if e.inner {
			continue
		}
		all = all && (len(e.nodes) > 0 || e.kind() == 'k')
		for _, node := range e.nodes {
			if !isGround(node) && !slices.Contains(nodes, node) {
				nodes = append(nodes, node)
			}
		}
	}
	return nodes, all
}

// noPoles says why a pole-zero analysis has no result.
func (n *netlist) noPoles(text, log string) *contract.Error {
	f := tokens(text)
	if len(f) < 7 {
		return nil
	}
	wanted := map[string]string{"pol": "poles", "zer": "zeros", "pz": "poles or zeros"}[f[6]]
	switch {
	case strings.Contains(log, "shorted on the way"):
		for i := range n.elements {
			e := &n.elements[i]
			if e.kind() == 'v' && !e.inner && !e.drives() && len(e.nodes) == 2 && slices.Contains(e.nodes, f[1]) && slices.Contains(e.nodes, f[2]) {
				name := strings.ToUpper(e.name)
				return contract.Errorf(contract.CodeSolverFailed, "%q: the voltage source %s lies across the input and has no AC part, so that it holds the input still and nothing reaches the output", text, name).
					WithHint("Give it an AC part: %s.", fmt.Sprintf("%s %s %s DC … AC 1", name, e.nodes[0], e.nodes[1]))
			}
		}
		return contract.Errorf(contract.CodeSolverFailed, "%q: nothing of the input reaches the output, so that the transfer function is 0", text).
			WithHint("Check the nodes, and look for voltage sources that hold one on the way; a source that drives needs an AC part, e.g. V1 in 0 DC 0 AC 1.")
	case !strings.Contains(log, "rror") && !strings.Contains(log, "doAnalyses"):
		return contract.Errorf(contract.CodeSolverFailed, "%q: the simulator finds no %s: a transfer function without capacitors and inductors on its way has none, and one may have poles and no zeros", text, wanted).
			WithHint("Ask for poles alone (pol), or check with an ac sweep that the transfer function depends on frequency.")
	}
	return nil
}
