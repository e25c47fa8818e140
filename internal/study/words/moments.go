package words

import (
	"slices"

	"atelier/internal/quantity"
)

// listedTimes says whether several times stand in a row, each of which a figure is asked for:
// after 5 s, 20 s and 60 s.
func (r *reader) listedTimes(times []*node) bool {
	if len(times) < 2 {
		return false
	}
	i := slices.Index(r.list, times[0])
	for _, n := range times[1:] {
		for i++; i < len(r.list) && r.list[i] != n; i++ {
			if m := r.list[i]; m.kind != "comma" && !m.is("and") && !m.is("at") && !m.is("duration") {
				return false
			}
		}
	}
	return i < len(r.list)
}

// atMoments makes an analysis of heat for each of several times that are asked for, as far as
// the last one, which is there.
func (r *reader) atMoments() {
	if len(r.moments) < 2 || len(r.ofType("heat")) != 1 || len(r.out.Questions) > 0 {
		return
	}
	main := r.ofType("heat")[0]
	whole, _ := section(r.doc, "analyses")[main].(map[string]any)
	options, _ := whole["options"].(map[string]any)
	asked := r.members("questions")
	for _, n := range r.moments {
		end := n.amount().si(quantity.Time)
		name := main
		if end != options["t_final"] {
			own := map[string]any{}
			for k, v := range options {
				own[k] = v
			}
			own["t_final"], own["dt"] = end, quantity.Significant(end/100)
			name = r.unique("analyses", nameOf(main+" to "+quantity.Time.Format(end)))
			r.set("analyses", name, map[string]any{"type": "heat", "options": own})
		}
		for _, q := range asked {
			if q.value["analysis"] == nil {
				r.set("questions", r.unique("questions", nameOf(q.name+" at "+quantity.Time.Format(end))), map[string]any{"analysis": name, "quantity": q.value["quantity"]})
			}
		}
	}
	for _, q := range asked {
		if q.value["analysis"] == nil {
			r.remove("questions", q.name)
		}
	}
	r.assume("Each of the %d times has an analysis of its own, to that time.", "Jede der %d Zeiten hat eine eigene Analyse, bis zu dieser Zeit.", len(r.moments))
}

// rise is the time in which a ramped load comes to its size, s; 0 for none.
func (r *reader) rise() float64 {
	n := r.has("ramped")
	if n == nil {
		return 0
	}
	n.use()
	for _, k := range n.kids {
		if k.kind == "amount" && k.amount().is(quantity.Time) {
			return k.amount().si(quantity.Time)
		}
	}
	return 0
}
