package circuit

import "strings"

// flatMost bounds the devices of a flattened circuit.
const flatMost = 20_000

// portsOf are the nodes of a .subckt card, without its parameters.
func portsOf(tokens []string) []string {
	for i, t := range tokens {
		if strings.Contains(t, "=") || t == "params:" {
			return tokens[2:max(i, 2)]
		}
	}
	return tokens[2:]
}

// flat is the circuit with its subcircuits resolved, devices and nodes named as
// the simulator names them: r.x1.r2 and x1.mid. ok is false where that is not
// known here: conditional cards, global nodes, a subcircuit that is defined twice.
func (n *netlist) flat() ([]element, bool) {
	definitions := map[string]int{}
	for _, c := range n.cards {
		switch f := tokens(c.text); f[0] {
		case ".if", ".global":
			return nil, false
		case ".subckt":
			if len(f) < 2 {
				return nil, false
			}
			if definitions[f[1]]++; definitions[f[1]] > 1 {
				return nil, false
			}
		}
	}
	bodies := map[string][]*element{}
	for i := range n.elements {
		bodies[n.elements[i].sub] = append(bodies[n.elements[i].sub], &n.elements[i])
	}
	f := &flattening{net: n, bodies: bodies}
	ok := f.expand("", "", nil, 0)
	return f.devices, ok
}

type flattening struct {
	net     *netlist
	bodies  map[string][]*element
	devices []element
}

// expand adds the devices of a subcircuit; path is x1.x2, and joined leads from
// its ports to nodes outside.
func (f *flattening) expand(sub, path string, joined map[string]string, depth int) bool {
	if depth > 20 || len(f.devices) > flatMost {
		return false
	}
	for _, e := range f.bodies[sub] {
		nodes := make([]string, len(e.nodes))
		for i, node := range e.nodes {
			outside, isPort := joined[node]
			switch {
			case isPort:
				node = outside
			case path != "" && !isGround(node):
				node = path + "." + node
			}
			nodes[i] = node
		}
		inner := *e
		inner.nodes = nodes
		if e.kind() != 'x' {
			if path != "" {
				inner.name = e.name[:1] + "." + path + "." + e.name
			}
			f.devices = append(f.devices, inner)
			continue
		}
		name := e.tokens[1+len(e.nodes)]
		ports := f.net.ports[name]
		if len(ports) != len(nodes) {
			return false
		}
		into := map[string]string{}
		for i, port := range ports {
			into[port] = nodes[i]
		}
		below := e.name
		if path != "" {
			below = path + "." + e.name
		}
		if !f.expand(name, below, into, depth+1) {
			return false
		}
	}
	return true
}
