package words

import (
	"strings"
	"sync"

	"atelier/internal/quantity"
)

// rule makes a phrase of nodes that stand together. Its pattern is a list of atoms: kinds,
// several divided by |, with a name before a colon and ?, * or + behind.
type rule struct {
	pattern string
	make    func(m match) *node // nil: no such phrase after all
}

// match is what the named atoms of a pattern have found.
type match struct {
	nodes []*node
	named map[string][]*node
}

func (m match) one(name string) *node {
	if list := m.named[name]; len(list) > 0 {
		return list[0]
	}
	return nil
}

type atom struct {
	name  string
	kinds []string
	least int
	most  int
}

var patterns sync.Map // atoms by their pattern

func atomsOf(pattern string) []atom {
	if have, ok := patterns.Load(pattern); ok {
		return have.([]atom)
	}
	var out []atom
	for _, text := range strings.Fields(pattern) {
		a := atom{least: 1, most: 1}
		switch text[len(text)-1] {
		case '?':
			a.least = 0
		case '*':
			a.least, a.most = 0, 99
		case '+':
			a.most = 99
		}
		text = strings.TrimRight(text, "?*+")
		if name, kinds, found := strings.Cut(text, ":"); found {
			a.name, text = name, kinds
		}
		a.kinds = strings.Split(text, "|")
		out = append(out, a)
	}
	patterns.Store(pattern, out)
	return out
}

// kindsOfAmounts are atoms for amounts of a dimension.
var kindsOfAmounts = map[string]quantity.Kind{
	"length": quantity.Length, "newton": quantity.Force, "pascal": quantity.Pressure, "kelvin": quantity.Temperature, "hertz": quantity.Frequency,
	"film": quantity.FilmCoefficient, "heatflux": quantity.HeatFlux, "watt": quantity.Power, "second": quantity.Time, "mps": quantity.Velocity,
	"mps2": quantity.Acceleration, "torque": quantity.Energy, "kg": quantity.Mass, "wm3": quantity.HeatSource, "wmk": quantity.Conductivity,
}

func (a atom) fits(n *node) bool {
	for _, kind := range a.kinds {
		switch kind {
		case "number": // without a unit
			if x := n.amount(); n.kind == "amount" && x != nil && len(x.units) == 0 && x.doubt == "" && x.slip == "" && x.written == "" {
				return true
			}
		case "percent":
			if x := n.amount(); n.kind == "amount" && x != nil && x.written == "%" {
				return true
			}
		case "any":
			if n.kind == "amount" {
				return true
			}
		default:
			if k, ok := kindsOfAmounts[kind]; ok {
				if n.kind == "amount" && n.amount().is(k) {
					return true
				}
			} else if n.is(kind) {
				return true
			}
		}
	}
	return false
}

// at matches a pattern at the beginning of a list, greedily.
func matchAt(atoms []atom, list []*node) (match, bool) {
	m := match{named: map[string][]*node{}}
	var try func(a, i int) bool
	try = func(a, i int) bool {
		if a == len(atoms) {
			m.nodes = list[:i]
			return i > 0
		}
		n := 0
		for n < atoms[a].most && i+n < len(list) && atoms[a].fits(list[i+n]) {
			n++
		}
		for ; n >= atoms[a].least; n-- {
			had := len(m.named[atoms[a].name])
			if atoms[a].name != "" {
				m.named[atoms[a].name] = append(m.named[atoms[a].name], list[i:i+n]...)
			}
			if try(a+1, i+n) {
				return true
			}
			if atoms[a].name != "" {
				m.named[atoms[a].name] = m.named[atoms[a].name][:had]
			}
		}
		return false
	}
	ok := try(0, 0)
	return m, ok
}

// reduced applies rules in their order, each wherever its pattern stands.
func reduced(list []*node, rules []rule) []*node {
	for _, r := range rules {
		atoms := atomsOf(r.pattern)
		for i := 0; i < len(list); i++ {
			m, ok := matchAt(atoms, list[i:])
			if !ok {
				continue
			}
			made := r.make(m)
			if made == nil {
				continue
			}
			out := append([]*node{}, list[:i]...)
			out = append(out, made)
			list = append(out, list[i+len(m.nodes):]...)
		}
	}
	return list
}
