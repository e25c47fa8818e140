package circuit

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"atelier/internal/contract"
)

var (
	dotWord    = regexp.MustCompile(`^\.[A-Za-z]`)
	deviceName = regexp.MustCompile(`^[a-z]+[0-9]\w*$`)
)

// title deals with SPICE's rule that line 1 is a title, whatever stands there: a
// first line that is a complete card gets a title put before it.
func (n *netlist) title(cards *[]card) *contract.Error {
	if len(*cards) == 0 {
		return contract.Errorf(contract.CodeNetlistInvalid, "the netlist has no lines").At("/netlist")
	}
	first := (*cards)[0]
	if first.number != 1 {
		return nil
	}
	isDot := dotWord.MatchString(first.text) && firstWord(first.text) != ".title"
	if !isDot {
		isElement, fault := n.looksLikeElement(first, (*cards)[1:])
		if fault != nil {
			return fault
		}
		if !isElement {
			*cards = (*cards)[1:]
			return nil
		}
	}
	n.lines = append([]string{"* circuit"}, n.lines...)
	n.shift = 1
	n.warnings = append(n.warnings, contract.Warning{Code: "title_added",
		Message: fmt.Sprintf("SPICE takes line 1 as the title, but %q is a complete card, so a title line was put before it.", clip(first.text))})
	return nil
}

// looksLikeElement says whether line 1 is a device and not a title that happens
// to begin like one: it must be complete, and share a node with another line or
// with ground. One that has a device's name and joins only known nodes, but is
// not complete, is refused: as a title it would vanish from the circuit.
func (n *netlist) looksLikeElement(c card, rest []card) (bool, *contract.Error) {
	e, fault := n.element(c)
	if fault != nil || len(e.nodes) == 0 {
		return false, nil
	}
	others := map[string]bool{"0": true, "gnd": true}
	for _, r := range rest {
		if o, fault := n.element(r); fault == nil {
			for _, node := range o.nodes {
				others[node] = true
			}
		}
	}
	known := 0
	for _, node := range e.nodes {
		if others[node] {
			known++
		}
	}
	if known > 0 && n.complete(&e) {
		return true, nil
	}
	if known == len(e.nodes) && deviceName.MatchString(e.name) {
		return false, invalid(c.number, c.text, "SPICE takes line 1 as the title and would leave this device out, whose model, subcircuit or value is not known here").
			WithHint("Put a title line before it and give what it refers to, or begin it with * if it is the title.")
	}
	return false, nil
}

// complete says whether a card has, after its nodes, what its kind must have.
func (n *netlist) complete(e *element) bool {
	rest := e.tokens[min(1+len(e.nodes), len(e.tokens)):]
	if len(rest) == 0 {
		return false
	}
	_, number := parseNumber(rest[0])
	valued := number || strings.ContainsAny(rest[0], "={'") || n.models[rest[0]]
	switch e.kind() {
	case 'r', 'c', 'l':
		return valued
	case 'v', 'i':
		return number || slices.Contains([]string{"dc", "ac", "pulse", "sin", "sine", "pwl", "exp", "sffm", "am", "trnoise", "trrandom", "external"}, rest[0]) ||
			strings.ContainsAny(rest[0], "={'")
	case 'd', 'q', 'm', 'j', 'z', 's', 'w':
		return n.models[rest[0]]
	case 'e', 'g':
		return number || slices.Contains([]string{"poly", "vol", "cur", "value", "table", "laplace"}, rest[0]) || strings.ContainsAny(rest[0], "={'")
	case 'b':
		return strings.HasPrefix(rest[0], "v=") || strings.HasPrefix(rest[0], "i=")
	case 'x':
		return n.subckts[rest[0]]
	}
	return false
}
