package words

import "atelier/internal/quantity"

// assembled puts the word of a reference temperature in front of its amount, as German has it
// behind: bei 100 °C montiert, jetzt 20 °C.
func (r *reader) assembled() {
	for i := 0; i+1 < len(r.list); i++ {
		n, m := r.list[i], r.list[i+1]
		if n.kind != "amount" || !n.amount().is(quantity.Temperature) || !m.is("reftemp") || m.kind == "amount" {
			continue
		}
		j := i + 2
		for j < len(r.list) && (r.list[j].is("at") || r.list[j].is("of") || r.list[j].is("equals") || r.list[j].is("colon") || r.list[j].is("with")) {
			j++
		}
		if j < len(r.list) && r.list[j].kind == "amount" && r.list[j].amount().is(quantity.Temperature) {
			continue // 100 °C, montiert bei 20 °C
		}
		r.list[i], r.list[i+1] = m, n
		i++
	}
}
