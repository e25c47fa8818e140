package words

import (
	"fmt"
	"slices"
	"strings"

	"atelier/internal/quantity"
)

// What supports carry, and limits that are told by a question.

// carried is the pointer of what the first held face carries: heat, or the force along the
// axis of the load.
func (r *reader) carried(a asked) (string, bool) {
	if a.concept == "q.flowrate" {
		for _, m := range r.members("supports", "outlet") {
			if m.name != "inlet" {
				return fmt.Sprintf(a.quantity, m.name), true
			}
		}
		return "", false
	}
	if a.concept == "heatrate" {
		for _, kinds := range [][]string{{"fixed_temp"}, {"convection"}, {"radiation"}} {
			if list := r.members("supports", kinds...); len(list) > 0 {
				return fmt.Sprintf(a.quantity, list[0].name), true
			}
		}
		return "", false
	}
	held, types := []string{"fixed"}, []string{"fixed", "symmetry", "frictionless", "elastic", "simply_supported", "load", "pressure", "moment", "bearing"}
	axis := r.loadAxis()
	for i, m := range r.members("supports", types...) {
		if !slices.Contains(held, m.kind()) {
			continue
		}
		if axis >= 0 {
			return fmt.Sprintf(a.quantity, i, axis), true
		}
	}
	return "", false
}

// amountsGiven are those of a dimension in the sentence.
func (r *reader) amountsGiven(k quantity.Kind) (out []*node) {
	for _, n := range r.list {
		if n.kind == "amount" && n.amount().is(k) {
			out = append(out, n)
		}
	}
	return out
}

// hotterThan are limits of the temperature: what must not be passed, or is asked about.
func (r *reader) hotterThan() {
	for _, n := range r.all("hotterthan") {
		n.use()
		i := slices.Index(r.list, n)
		asked, not := false, false
		for _, m := range r.list[i:] {
			if m.kind == "stop" {
				asked = m.text == "?"
				break
			}
			not = not || m.is("not")
		}
		for j := i - 1; j >= 0 && r.list[j].kind != "stop"; j-- {
			if r.list[j].is("not") {
				not = true
				r.list[j].use()
			}
		}
		if b := n.val.(*bound); asked || not {
			r.requirement(n, b)
		} else {
			r.ask("requirement", r.say("Must it not become so, or what is %q?", "Darf es das nicht werden, oder was heißt %q?", n.text), r.say("it must not get hotter than 85 degC", "es darf nicht heißer als 85 °C werden"))
		}
	}
}

// buckles is the question whether a part will: a requirement of its load factor.
func (r *reader) buckles() {
	low := strings.ToLower(r.text)
	asked := strings.Contains(low, "will ") || strings.Contains(low, "does ") || strings.Contains(low, "knickt ") || strings.Contains(low, "beult ")
	if !asked || !strings.Contains(low, "?") || !r.analysed("buckling") || r.has("an.buckling") == nil || len(r.members("requirements")) > 0 || r.has("bound", "safety") != nil || !r.fresh || len(r.sizes) > 0 {
		return
	}
	r.require("load factor", map[string]any{"quantity": "buckling load factor", "at_least": 1.0})
}

// loadAxis is the axis along which all forces of the study act; -1 for none.
func (r *reader) loadAxis() int {
	axis := -1
	for _, m := range r.members("loads", "load") {
		list, _ := m.value["force"].([]any)
		for i, x := range list {
			if numberOf(x) != 0 {
				if axis >= 0 && axis != i {
					return -1
				}
				axis = i
			}
		}
	}
	return axis
}

// heldFaces are the names of the supports that hold something, those that displace it first.
func (r *reader) heldFaces() (names []string) {
	for _, m := range r.members("supports", "fixed", "simply_supported") {
		if m.value["value"] != nil {
			return []string{m.name}
		}
		names = append(names, m.name)
	}
	return names
}

// reactions asks for the reaction of every support where no force says its axis: one on two
// ends becomes two, since those of a heated part are opposite and cancel. False where the
// axis is known.
func (r *reader) reactions() bool {
	heated := slices.ContainsFunc(r.members("analyses"), func(m member) bool {
		options, _ := m.value["options"].(map[string]any)
		return options["temperature"] != nil
	})
	if r.loadAxis() >= 0 && !heated || !r.analysed("static") && !r.analysed("nonlinear") {
		return false
	}
	for _, m := range r.members("supports", "fixed") {
		list, _ := m.value["on"].([]any)
		if _, was := section(r.before, "supports")[m.name]; was || len(list) < 2 {
			continue
		}
		for _, p := range list[1:] {
			other := map[string]any{}
			for k, v := range m.value {
				other[k] = v
			}
			other["on"] = p
			r.set("supports", r.unique("supports", m.name), other)
		}
		m.value["on"] = list[0]
	}
	held := r.heldFaces()
	for _, name := range held {
		r.set("questions", r.unique("questions", "reaction"), map[string]any{"quantity": "reaction force of " + name})
	}
	return len(held) > 0
}
