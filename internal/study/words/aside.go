package words

import (
	"slices"
	"strings"

	"atelier/internal/quantity"
)

// setAside takes out a sentence that ends by saying that it does not matter: the left
// picture shows the old part, never mind that one. One with a number is not taken out.
func (r *reader) setAside() {
	begin := 0
	for i := 0; i < len(r.list); i++ {
		if r.list[i].kind == "stop" {
			begin = i + 1
			continue
		}
		if !r.list[i].is("setaside") {
			continue
		}
		end := i + 1
		for end < len(r.list) && r.list[end].kind != "stop" {
			if !r.list[end].is("pron") && !r.list[end].is("n.1") {
				break
			}
			end++
		}
		numbers := slices.ContainsFunc(r.list[begin:end], func(n *node) bool { return n.kind == "amount" || n.kind == "vector" })
		if end < len(r.list) && r.list[end].kind != "stop" || numbers {
			continue
		}
		first, last := r.list[begin], r.list[end-1]
		for _, n := range r.list[begin:end] {
			n.use()
		}
		for _, n := range r.leaves {
			if n.start >= first.start && n.end <= last.end {
				n.use()
			}
		}
		r.assume("Set aside, as you say: %q.", "Beiseite gelassen, wie gesagt: %q.", strings.TrimSpace(r.text[first.start:last.end]))
		r.list = append(slices.Clone(r.list[:begin]), r.list[end:]...)
		i = begin - 1
	}
}

// series are sizes of one load, of which each is looked at: go through 10, 20 and 30 kN. The
// first stands for all in the sentence.
func (r *reader) series() {
	if r.has("series") == nil {
		return
	}
	for i := 0; i < len(r.list); i++ {
		var found []*node
		j := i
		for ; j < len(r.list); j++ {
			n := r.list[j]
			if n.kind == "amount" && n.amount().doubt == "" && n.amount().slip == "" {
				found = append(found, n)
			} else if len(found) == 0 || n.kind != "comma" && !n.is("and") {
				break
			}
		}
		if len(found) < 2 {
			continue
		}
		last := found[len(found)-1].amount()
		if !last.is(quantity.Force) {
			continue
		}
		same := true
		for _, n := range found[:len(found)-1] {
			same = same && (len(n.amount().units) == 0 || n.amount().is(quantity.Force))
		}
		if !same {
			continue
		}
		for _, n := range found {
			if a := n.amount(); len(a.units) == 0 {
				a.units, a.written = last.units, last.written
			}
		}
		r.sizes = found
		stop := slices.Index(r.list, found[len(found)-1]) + 1
		one := phrase("amount", r.list[i:stop], found[0].val)
		one.plural = false
		r.list = append(append(slices.Clone(r.list[:i]), one), r.list[stop:]...)
		for _, n := range r.all("series") {
			n.use()
		}
		return
	}
}

// eachSize makes a requirement of each size of a buckling load: the factor of the first says
// which of them buckle.
func (r *reader) eachSize() {
	if len(r.sizes) == 0 {
		return
	}
	if !r.analysed("buckling") {
		r.ask("load", r.say("A study has one size of a load. Which one is to be computed first? The others are changes of it.", "Eine Studie hat eine Größe der Last. Welche soll zuerst berechnet werden? Die anderen sind Änderungen davon."), r.sizes[0].text)
		return
	}
	first := r.sizes[0].amount().si(quantity.Force)
	for _, n := range r.sizes {
		size := n.amount().si(quantity.Force)
		r.set("requirements", r.unique("requirements", nameOf("holds "+quantity.Force.Format(size))), map[string]any{"quantity": "buckling load factor", "at_least": quantity.Significant(size / first)})
	}
	r.assume("The load of the study is %s; the others are held against its load factor, since buckling is linear in the load.", "Die Last der Studie ist %s; die anderen werden an ihrem Lastfaktor gemessen, denn lineares Knicken ist der Last proportional.", quantity.Force.Format(first))
}
